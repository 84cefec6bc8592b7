// The buttons by which a person gives the result of a call. One press counts, and only one made on purpose.

import { fill, h } from "../element";
import { t } from "../i18n";
import { problem, whileBusy } from "../parts";
import { Guard } from "../prompt/guard";

interface Press {
  readonly words: string;
  readonly testId: string;
  readonly tone?: "primary";
  /** The result; nothing if something is missing, which the form then shows. */
  readonly result: () => { value: unknown } | undefined;
}

let rows = 0;

export class AnswerButtons {
  /** Why a result was refused. */
  readonly notice = h("div", { class: "notice-slot" });
  readonly element: HTMLElement;
  readonly #why: HTMLElement;
  readonly #buttons: HTMLButtonElement[] = [];
  readonly #guard: Guard;
  /** Until the message says that it has the result. */
  #isSent = false;

  constructor(
    private readonly submit: (result: unknown) => Promise<void>,
    presses: readonly Press[],
  ) {
    rows += 1;
    this.#why = h("span", { id: `tool-answers-${rows}`, class: "visually-hidden" }, t("prompt_armed_soon"));
    this.#buttons = presses.map((press) => this.#button(press));
    this.element = h("div", { class: "buttons tool-answers" }, ...this.#buttons, this.#why);
    this.#guard = new Guard((armed) => {
      // The message is no longer shown.
      if (armed && !this.element.isConnected) this.#guard.stop();
      else this.#show(armed);
    });
  }

  #button(press: Press): HTMLButtonElement {
    const attributes = { type: "button", class: press.tone, "aria-disabled": "true", "data-testid": press.testId };
    const button = h("button", attributes, press.words);
    button.addEventListener("click", (event) => {
      if (this.#isSent) return;
      const result = press.result();
      if (result && this.#guard.admits(event)) void this.#give(button, result.value);
    });
    return button;
  }

  async #give(button: HTMLButtonElement, result: unknown): Promise<void> {
    fill(this.notice);
    try {
      await whileBusy(button, t("message_sending"), () => this.submit(result));
      this.#isSent = true;
      this.#guard.stop();
      this.#show(false);
    } catch (error) {
      fill(this.notice, problem(error));
      this.#guard.restart();
    }
  }

  #show(armed: boolean): void {
    for (const button of this.#buttons) {
      const enabled = armed && !this.#isSent;
      button.setAttribute("aria-disabled", String(!enabled));
      if (enabled) button.removeAttribute("aria-describedby");
      else button.setAttribute("aria-describedby", this.#why.id);
    }
  }
}
