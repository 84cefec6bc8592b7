// The buttons that answer one prompt. Each answer is sent once, and for exactly what was shown.

import type { Prompt } from "../../../generated/Prompt";
import { answerPrompt, type Answer } from "../api";
import { fill, h, type Attributes } from "../element";
import { whileBusy } from "../parts";
import { refuse } from "../refusal";
import { RequestError } from "../request";
import { Guard } from "./guard";

/** The outcome of the prompt. */
export interface Settled {
  /** `undefined` if it was settled elsewhere. */
  approved: boolean | undefined;
}

interface Around {
  settled(settled: Settled): void;
  /** An answer is being sent, or was refused: meanwhile events about it are expected. */
  leaving?(yes: boolean): void;
  /** The prompt is still open, and shows why. */
  refused?(): void;
}

interface Press {
  words: string;
  /** The button's text while the core works. */
  busy: string;
  testId: string;
  tone?: "primary" | "danger" | "quiet";
  type?: "button" | "submit";
  answer: () => Omit<Answer, "digest">;
}

/** The prompt was settled elsewhere meanwhile. */
const SETTLED_ELSEWHERE = ["already_answered", "prompt_not_found"];

let rows = 0;

export class Answers {
  /** Why an answer was refused. */
  readonly notice = h("div", { class: "notice-slot" });
  /** Explains to screen readers why the buttons are disabled. */
  readonly why: HTMLElement;
  readonly #buttons: HTMLButtonElement[] = [];
  readonly #guard: Guard;

  constructor(
    private readonly prompt: Prompt,
    private readonly around: Around,
  ) {
    rows += 1;
    const words = "Enabled in a moment, so that nothing is answered by accident.";
    this.why = h("span", { id: `answers-${rows}`, class: "visually-hidden" }, words);
    this.#guard = new Guard((armed) => {
      // The conversation is no longer shown.
      if (armed && !this.why.isConnected) this.stop();
      else this.#show(armed);
    });
  }

  button({ words, busy, testId, tone, type = "button", answer }: Press): HTMLButtonElement {
    const attributes: Attributes = { type, class: tone, "data-testid": testId };
    const button = h("button", attributes, words);
    button.addEventListener("click", (event) => {
      event.preventDefault();
      // An invalid field is reported first; the press is not used up.
      if (type === "submit" && button.form && !button.form.reportValidity()) return;
      if (this.#guard.admits(event)) void this.#give(button, busy, answer());
    });
    this.#buttons.push(button);
    this.#show(false);
    this.#guard.restart();
    return button;
  }

  /** Disables the buttons. */
  stop(): void {
    this.#guard.stop();
  }

  async #give(button: HTMLButtonElement, busy: string, answer: Omit<Answer, "digest">): Promise<void> {
    fill(this.notice);
    this.around.leaving?.(true);
    try {
      await whileBusy(button, busy, async () => {
        await answerPrompt(this.prompt.id, { ...answer, digest: this.prompt.digest });
      });
      this.#end({ approved: answer.approve });
    } catch (error) {
      if (error instanceof RequestError && SETTLED_ELSEWHERE.includes(error.code)) {
        return this.#end({ approved: undefined });
      }
      this.around.leaving?.(false);
      refuse(this.notice, button, error, "prompt-error");
      this.#guard.restart();
      this.around.refused?.();
    }
  }

  #end(settled: Settled): void {
    this.stop();
    this.around.leaving?.(false);
    this.around.settled(settled);
  }

  #show(armed: boolean): void {
    for (const button of this.#buttons) {
      button.setAttribute("aria-disabled", String(!armed));
      if (armed) button.removeAttribute("aria-describedby");
      else button.setAttribute("aria-describedby", this.why.id);
    }
  }
}
