// A message that shows the call of a tool. It is shown and answered, never replied to.

import type { Message } from "../../../generated/Message";
import type { Progress } from "../../../generated/Progress";
import type { ToolPart } from "../../../generated/ToolPart";
import { submitResult } from "../api";
import { fill, h, icon } from "../element";
import { sentenceOf } from "../errors";
import { fullTime, pretty } from "../format";
import { t } from "../i18n";
import type { Schema } from "../json/schema";
import { spinner } from "../parts";
import { plain } from "../plain";
import { isFields, type Fields, type Phase, type Shown } from "./component";
import { callProgress } from "./progress";
import { componentFor, tools } from "./registry";

const PHASE_WORDS: Record<Phase, string> = {
  writing: t("message_writing"),
  running: t("call_running"),
  asking: t("message_asking"),
  waiting: t("message_waiting"),
  done: t("call_done"),
  failed: t("call_failed"),
  expired: t("message_expired"),
};

/** Where the call of a message is: a result that a person gives, or a program outside. */
export function phaseOf({ state }: Pick<Message, "state">, { execution }: Pick<ToolPart, "execution">): Phase {
  switch (state) {
    case "sending":
    case "streaming":
      return "running";
    case "requires_action":
      return execution === "space" ? "asking" : "waiting";
    case "done":
    case "failed":
    case "expired":
      return state;
  }
}

/** `displayChart` as "Display chart". */
export function nameWords(name: string): string {
  const words = name.replace(/([a-z0-9])([A-Z])/g, "$1 $2").replace(/[_-]+/g, " ").trim().toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** The frame that all components share: name, phase, progress, and why it failed. */
abstract class ToolItem {
  readonly element: HTMLElement;
  readonly #progress = h("div", { class: "notice-slot" });

  constructor(
    callId: string,
    protected readonly name: string,
  ) {
    this.element = h("article", { class: "card tool-message", tabindex: -1, "data-testid": `tool-message-${callId}`, "data-tool": name });
  }

  /** How far the tool says it is. */
  progressed(progress: Progress): void {
    fill(this.#progress, callProgress(progress));
  }

  protected render(shown: Shown, error: string | undefined, when?: number): void {
    const { phase } = shown;
    const title = nameWords(plain(this.name));
    const hadFocus = this.element.contains(document.activeElement);
    const wasOpen = this.element.querySelector<HTMLDetailsElement>("details.raw")?.open ?? false;
    if (phase !== "running" && phase !== "waiting") fill(this.#progress);
    this.element.dataset["state"] = phase;
    this.element.setAttribute("aria-label", `${title}: ${PHASE_WORDS[phase]}`);
    this.element.setAttribute("aria-busy", String(phase === "writing"));
    fill(
      this.element,
      h(
        "header",
        { title: when === undefined ? undefined : fullTime(when) },
        h("span", { class: "card-icon" }, phaseIcon(phase)),
        h("h3", {}, title),
        h("span", { class: "chip" }, PHASE_WORDS[phase]),
      ),
      componentFor(this.name)(shown) ?? tools.Fallback(shown),
      this.#progress,
      error !== undefined && h("p", { class: "outcome", "data-testid": "tool-error" }, plain(sentenceOf(error))),
      phase === "expired" && h("p", { class: "outcome" }, t("message_expired_text")),
      phase !== "writing" && raw(shown, this.name, wasOpen),
    );
    // The pressed button is gone; the focus stays on the message.
    if (hadFocus) this.element.focus({ preventScroll: true });
  }
}

/** A call that has begun. */
export class ToolMessageItem extends ToolItem {
  /** What was rendered last: rendering it again would discard what the user types. */
  #rendered = "";

  constructor(message: Message, part: ToolPart) {
    super(part.callId, part.name);
    this.update(message, part);
  }

  update(message: Message, part: ToolPart): void {
    const next = JSON.stringify([message.state, message.error, part]);
    if (next === this.#rendered) return;
    this.#rendered = next;
    this.render(shownOf(message, part), message.state === "failed" ? (message.error ?? "failed") : undefined, message.createdAt);
  }
}

/** A call whose arguments are still being written. */
export class DraftItem extends ToolItem {
  #input: Fields = {};

  constructor(callId: string, name: string, args: unknown) {
    super(callId, name);
    this.write(args);
  }

  /** The arguments as far as they came. */
  write(args: unknown): void {
    this.#input = fieldsOf(args);
    this.render({ phase: "writing", input: this.#input }, undefined);
  }

  /** The agent broke off. */
  fail(error: string): void {
    this.render({ phase: "failed", input: this.#input }, error);
  }
}

function shownOf(message: Message, part: ToolPart): Shown {
  const phase = phaseOf(message, part);
  const wanted = phase === "asking" || phase === "waiting";
  return {
    phase,
    input: part.input,
    // The result of an internal tool repeats its arguments.
    ...(part.output === undefined || part.execution === "internal" ? {} : { output: part.output }),
    ...(part.resultSchema === undefined ? {} : { resultSchema: part.resultSchema as Schema }),
    ...(wanted ? { submit: async (result: unknown) => void (await submitResult(part.runId, part.callId, result)) } : {}),
  };
}

const fieldsOf = (args: unknown): Fields => (isFields(args) ? args : {});

function phaseIcon(phase: Phase): Element {
  switch (phase) {
    case "writing":
    case "running":
      return spinner(PHASE_WORDS[phase]);
    case "asking":
      return icon("pen");
    case "waiting":
      return icon("clock");
    case "done":
      return icon("check");
    case "failed":
      return icon("cross");
    case "expired":
      return icon("clock");
  }
}

function raw({ input, output }: Shown, name: string, open: boolean): HTMLElement {
  const body = h("div", {});
  const details = h("details", { class: "raw", open }, h("summary", {}, t("agent_details")), body);
  // Made when unfolded: a picture is a long text.
  const show = (): void => {
    if (!details.open || body.hasChildNodes()) return;
    fill(
      body,
      h("div", { class: "detail-label" }, h("code", {}, plain(name))),
      h("pre", {}, plain(pretty(input))),
      output !== undefined && h("div", { class: "detail-label" }, t("agent_result")),
      output !== undefined && h("pre", {}, plain(pretty(output))),
    );
  };
  details.addEventListener("toggle", show);
  show();
  return details;
}
