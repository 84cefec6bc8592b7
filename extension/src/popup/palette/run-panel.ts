// Runs one tool for the user: its arguments as a form, then its result.

import type { Progress } from "../../../generated/Progress";
import { cancelCall } from "../api";
import { invokeTool } from "../../tools/api";
import type { Tool } from "../../tools/types";
import { uuidv7 } from "../../tools/uuid";
import { fill, h } from "../element";
import { explain, sentenceOf } from "../errors";
import { follow } from "../events";
import { t } from "../i18n";
import { SchemaForm } from "../json/schema-form";
import { valueView } from "../json/value-view";
import { iconButton, problem, spinner } from "../parts";
import { plain } from "../plain";
import { refuse } from "../refusal";
import { RequestError } from "../request";
import { callProgress } from "../tool-message/progress";

interface Around {
  close(): void;
  /** Puts a result into the message; absent where there is none. */
  quote?: (text: string) => void;
}

/** After this time a tool is slow, or waits for an answer of the user. */
const SLOW_MILLIS = 1_200;
/** So many of the last parts of an answer are shown while it comes. */
const MAX_PROGRESS = 20;

export class RunPanel {
  readonly element: HTMLElement;
  readonly #form: SchemaForm;
  readonly #run = h("button", { type: "submit", class: "primary", "data-testid": "run-tool" }, t("tools_run"));
  readonly #stop = h("button", { type: "button", class: "danger", hidden: true, "data-testid": "run-stop" }, t("tools_stop"));
  readonly #notice = h("div", { class: "notice-slot" });
  readonly #result = h("div", { class: "run-result", "aria-live": "polite", "data-testid": "run-result" });
  /** The id of the running call. */
  #running: string | undefined;

  constructor(
    private readonly tool: Tool,
    private readonly around: Around,
  ) {
    this.#form = new SchemaForm(tool.argSchema);
    this.#stop.addEventListener("click", () => this.#cancel());
    const submitted = (event: Event): void => {
      event.preventDefault();
      void this.#start();
    };
    const keyed = (event: KeyboardEvent): void => {
      if (event.key !== "Escape") return;
      // In a popup, Esc would otherwise close the whole window.
      event.preventDefault();
      event.stopPropagation();
      this.#close();
    };
    const name = plain(tool.displayName);
    this.element = h(
      "form",
      { class: "run-panel", "aria-label": t("tools_run_label", name), novalidate: true, "data-testid": "run-panel", on: { submit: submitted, keydown: keyed } },
      h(
        "div",
        { class: "run-head" },
        h("strong", {}, name),
        h("code", {}, `+${plain(tool.slug)}`),
        iconButton("cross", t("tools_close"), () => this.#close(), "run-close"),
      ),
      h("p", { class: "hint" }, plain(tool.description)),
      this.#form.isEmpty ? h("p", { class: "muted small" }, t("tools_no_arguments")) : this.#form.element,
      this.#notice,
      h("div", { class: "buttons" }, this.#stop, this.#run),
      this.#result,
    );
  }

  focus(): void {
    if (this.#form.isEmpty) this.#run.focus();
    else this.#form.focus();
  }

  #close(): void {
    this.#cancel();
    this.around.close();
  }

  /** The call's own answer then says that it was cancelled. */
  #cancel(): void {
    if (this.#running !== undefined) cancelCall(this.#running).catch((error: unknown) => fill(this.#notice, problem(error)));
  }

  async #start(): Promise<void> {
    if (this.#running) return;
    fill(this.#notice);
    const typed = this.#form.read();
    if (!typed) return;
    const id = uuidv7();
    this.#running = id;
    this.#show(true);
    fill(this.#result, h("p", { class: "running" }, spinner(t("tools_running")), t("tools_running")));
    const unfollow = follow((event) => {
      if (event.event !== "tool.streaming" || event.data.callId !== id) return;
      const { data, progress } = event.data;
      if (data !== undefined && data !== "") this.#progressed(data);
      if (progress !== undefined) this.#measured(progress);
    });
    const slow = setTimeout(() => this.#result.append(h("p", { class: "hint" }, t("tools_run_slow"))), SLOW_MILLIS);
    try {
      const answer = await invokeTool(this.tool, id, typed.value);
      if (answer.ok) this.#succeeded(answer.value);
      else fill(this.#result, h("p", { class: "problem", "data-testid": "run-error" }, sentenceOf(plain(answer.error))));
    } catch (error) {
      fill(this.#result);
      this.#failed(error);
    } finally {
      clearTimeout(slow);
      unfollow();
      this.#running = undefined;
      this.#show(false);
    }
  }

  /** A part of an answer that comes in parts. */
  #progressed(data: string): void {
    const known = this.#result.querySelector(".progress");
    const list = known ?? h("ol", { class: "progress", "aria-label": t("tools_progress"), "data-testid": "run-progress" });
    list.append(h("li", {}, plain(data)));
    if (list.childElementCount > MAX_PROGRESS) list.firstElementChild?.remove();
    if (!known) this.#result.append(list);
  }

  /** How far the tool says it is. */
  #measured(progress: Progress): void {
    const bar = callProgress(progress);
    const known = this.#result.querySelector(".tool-progress");
    if (known) known.replaceWith(bar);
    else this.#result.append(bar);
  }

  #succeeded(value: unknown): void {
    const { quote } = this.around;
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const use = quote && h("button", { type: "button", class: "link", "data-testid": "run-quote", on: { click: () => quote(text) } }, t("tools_quote"));
    fill(this.#result, h("h3", {}, t("tools_result")), valueView(value), use && h("div", { class: "buttons" }, use));
  }

  #failed(error: unknown): void {
    const isError = error instanceof RequestError;
    if (isError && error.code === "invalid_params" && error.path !== undefined) {
      return this.#form.showError(error.path.replace(/^\/args(?=\/|$)/, ""), explain(new RequestError(error.status, "", error.message)));
    }
    refuse(this.#notice, this.#run, error, "run-error");
  }

  #show(isRunning: boolean): void {
    const hadFocus = document.activeElement === this.#run || document.activeElement === this.#stop;
    this.#stop.hidden = !isRunning;
    this.#run.hidden = isRunning;
    // The pressed button is gone; the other one takes its place.
    if (hadFocus) (isRunning ? this.#stop : this.#run).focus();
  }
}
