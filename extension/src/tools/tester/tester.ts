// The live tester: arguments, a run, and every stage of it.

import { fill, h } from "../../popup/element";
import { codeOf, explain } from "../../popup/errors";
import { changeGuarded } from "../../popup/guarded-change";
import { t } from "../../popup/i18n";
import type { Schema } from "../../popup/json/schema";
import { SchemaForm } from "../../popup/json/schema-form";
import { iconButton, problem, spinner } from "../../popup/parts";
import { refuse } from "../../popup/refusal";
import { RequestError } from "../../popup/request";
import { stopTest, testTool } from "../api";
import type { ToolBody, ToolKey, Trial } from "../types";
import { uuidv7 } from "../uuid";
import { stages, type Picked } from "./stages";

interface Around {
  /** What to test; nothing if it cannot be read yet, which is then shown at its fields. */
  draft(): (ToolBody & ToolKey) | undefined;
  /** Absent where the tester is a part of a page. */
  close?: () => void;
  /** A value of the answer was picked. */
  picked?: Picked;
  /** Allows the host of the draft, with the password if the core asks for it. */
  allow?: (password?: string) => Promise<void>;
  /** Shows an error of the draft at its field. Says whether there is one. */
  wrong?: (error: unknown) => boolean;
}

export class Tester {
  readonly element: HTMLElement;
  readonly #run = h("button", { type: "submit", class: "primary", "data-testid": "test-run" }, t("tools_test_run"));
  readonly #stop = h("button", { type: "button", class: "danger", hidden: true, "data-testid": "test-stop" }, t("tools_stop"));
  readonly #notice = h("div", { class: "notice-slot" });
  readonly #arguments = h("div", {});
  readonly #stages = h("div", { "aria-live": "polite" });
  #schema = "";
  #form: SchemaForm;
  /** The id of the run. */
  #running: string | undefined;
  #trial: Trial | undefined;

  constructor(private readonly around: Around) {
    const { close } = around;
    this.#form = new SchemaForm({});
    this.#stop.addEventListener("click", () => this.#cancel());
    const submitted = (event: Event): void => {
      event.preventDefault();
      event.stopPropagation();
      void this.#start();
    };
    const keyed = (event: KeyboardEvent): void => {
      if (event.key !== "Escape" || !close) return;
      event.preventDefault();
      event.stopPropagation();
      this.#cancel();
      close();
    };
    this.element = h(
      "form",
      { class: "tester", "aria-label": t("tools_test"), novalidate: true, "data-testid": "tester", on: { submit: submitted, keydown: keyed } },
      h("div", { class: "run-head" }, h("h3", {}, t("tools_test")), close && iconButton("cross", t("tools_close"), close)),
      h("p", { class: "hint" }, t("tools_test_hint")),
      this.#arguments,
      this.#notice,
      h("div", { class: "buttons" }, this.#stop, this.#run),
      this.#stages,
    );
    const tool = close && around.draft();
    this.fit(tool ? tool.argSchema : {});
  }

  /** The last answer as JSON, if there is one. */
  get sample(): unknown {
    return this.#trial && "extracted" in this.#trial ? this.#trial.extracted : undefined;
  }

  focus(): void {
    if (this.#form.isEmpty) this.#run.focus();
    else this.#form.focus();
  }

  /** Shows the arguments of a schema; what was typed stays. */
  fit(schema: Schema): void {
    const text = JSON.stringify(schema);
    if (text === this.#schema) return;
    this.#schema = text;
    this.#form = new SchemaForm(schema, this.#form.draft());
    fill(this.#arguments, this.#form.isEmpty ? h("p", { class: "muted small" }, t("tools_no_arguments")) : this.#form.element);
  }

  async #start(): Promise<void> {
    if (this.#running) return;
    fill(this.#notice);
    const tool = this.around.draft();
    if (!tool) return;
    this.fit(tool.argSchema);
    const typed = this.#form.read();
    if (!typed) return;
    const running = uuidv7();
    this.#running = running;
    this.#show(true);
    fill(this.#stages, h("p", { class: "running" }, spinner(t("tools_running")), t("tools_running")));
    try {
      const trial = await testTool(tool, typed.value, running);
      this.#trial = trial;
      fill(this.#stages, stages(trial, this.around.picked));
      if (!trial.result.ok && codeOf(trial.result.error) === "host_not_allowed") this.#offerHost();
    } catch (error) {
      fill(this.#stages);
      this.#failed(error);
    } finally {
      this.#running = undefined;
      this.#show(false);
    }
  }

  /** The run's own answer then says that it was stopped. */
  #cancel(): void {
    if (this.#running !== undefined) stopTest(this.#running).catch((error: unknown) => fill(this.#notice, problem(error)));
  }

  /** A tool is tested before it is saved, so its host may not be allowed yet. */
  #offerHost(): void {
    const { allow } = this.around;
    if (!allow) return;
    const slot = h("div", { class: "tool-slot" });
    const again = async (password?: string): Promise<void> => {
      await allow(password);
      // Another press may be needed for the form that asked for the password; the run is the same.
      void this.#start();
    };
    const button = h("button", { type: "button", "data-testid": "test-allow" }, t("tools_test_allow"));
    button.addEventListener("click", () => {
      changeGuarded(slot, again).catch((error: unknown) => fill(slot, problem(error)));
    });
    fill(this.#notice, h("p", { class: "hint" }, t("tools_test_allow_hint")), h("div", { class: "buttons" }, button), slot);
  }

  #failed(error: unknown): void {
    const isError = error instanceof RequestError;
    const place = isError ? /^\/args(\/.*)?$/.exec(error.path ?? "") : null;
    if (isError && place) return this.#form.showError(place[1] ?? "", explain(new RequestError(error.status, "", error.message)));
    if (this.around.wrong?.(error)) return;
    refuse(this.#notice, this.#run, error, "test-error");
  }

  #show(isRunning: boolean): void {
    const hadFocus = document.activeElement === this.#run || document.activeElement === this.#stop;
    this.#stop.hidden = !isRunning;
    this.#run.hidden = isRunning;
    if (hadFocus) (isRunning ? this.#stop : this.#run).focus();
  }
}
