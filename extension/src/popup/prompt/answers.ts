// The buttons that answer one prompt. Each answer is sent once, and for exactly what was shown.

import type { Prompt } from "../../../generated/Prompt";
import { answerPrompt, type Answer } from "../api";
import { fill, h, type Attributes } from "../element";
import { t } from "../i18n";
import { problem, whileBusy } from "../parts";
import { needsPassword, type PasswordGate } from "../password-gate";
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
  /** Whether it says yes: only to what is shown. */
  approves: boolean;
  /** The button's text while the core works. */
  busy: string;
  testId: string;
  tone?: "primary" | "danger" | "quiet";
  type?: "button" | "submit";
  /** Whether everything is filled in; if not, the form shows what is missing, and the press is not used up. */
  ready?: () => boolean;
  answer: () => Omit<Answer, "digest">;
  /** Shows an error at its place; says whether it has one. */
  refused?: (error: RequestError) => boolean;
  /** Called once the answer is recorded. */
  given?: () => void;
  /** Where the password is typed if the core asks for it. */
  gate?: PasswordGate;
}

/** Whether a prompt is about the record that is shown with it. */
export const isAbout = (prompt: Pick<Prompt, "subject">, shown: string | undefined): boolean => prompt.subject === shown;

/** The prompt was settled elsewhere meanwhile. */
const SETTLED_ELSEWHERE = ["already_answered", "prompt_not_found"];

let rows = 0;

export class Answers {
  /** Why an answer was refused. */
  readonly notice = h("div", { class: "notice-slot" });
  /** Explains to screen readers why the buttons are disabled. */
  readonly why: HTMLElement;
  readonly #buttons: { button: HTMLButtonElement; approves: boolean }[] = [];
  readonly #guard: Guard;
  readonly #fits: boolean;

  /** `shown`: the digest of the record that is shown with the prompt. With another one nothing can be approved. */
  constructor(
    private readonly prompt: Prompt,
    shown: string | undefined,
    private readonly around: Around,
  ) {
    this.#fits = isAbout(prompt, shown);
    if (!this.#fits) fill(this.notice, problem(new RequestError(0, "shown_mismatch", "")));
    rows += 1;
    const words = t("prompt_armed_soon");
    this.why = h("span", { id: `answers-${rows}`, class: "visually-hidden" }, words);
    this.#guard = new Guard((armed) => {
      // The conversation is no longer shown.
      if (armed && !this.why.isConnected) this.stop();
      else this.#show(armed);
    });
  }

  button(press: Press): HTMLButtonElement {
    const { words, testId, tone, type = "button", approves } = press;
    const attributes: Attributes = { type, class: tone, "data-testid": testId };
    const button = h("button", attributes, words);
    button.addEventListener("click", (event) => {
      event.preventDefault();
      // An invalid field is reported first; the press is not used up.
      if (type === "submit" && button.form && !button.form.reportValidity()) return;
      if (approves && !this.#fits) return;
      if (press.ready && !press.ready()) return;
      if (this.#guard.admits(event)) void this.#give(button, press);
    });
    this.#buttons.push({ button, approves });
    this.#show(false);
    this.#guard.restart();
    return button;
  }

  /** Disables the buttons. */
  stop(): void {
    this.#guard.stop();
  }

  async #give(button: HTMLButtonElement, { busy, answer: read, gate, given, refused }: Press): Promise<void> {
    const password = gate?.password;
    const answer = { ...read(), ...(password === undefined ? {} : { password }) };
    fill(this.notice);
    this.around.leaving?.(true);
    try {
      await whileBusy(button, busy, async () => {
        await answerPrompt(this.prompt.id, { ...answer, digest: this.prompt.digest });
      });
      given?.();
      this.#end({ approved: answer.approve });
    } catch (error) {
      if (error instanceof RequestError && SETTLED_ELSEWHERE.includes(error.code)) {
        return this.#end({ approved: undefined });
      }
      this.around.leaving?.(false);
      this.#guard.restart();
      if (gate && needsPassword(error)) return gate.ask(error);
      if (error instanceof RequestError && refused?.(error)) return;
      refuse(this.notice, button, error, "prompt-error");
      if (password === undefined) this.around.refused?.();
      else gate?.again();
    }
  }

  #end(settled: Settled): void {
    this.stop();
    this.around.leaving?.(false);
    this.around.settled(settled);
  }

  #show(armed: boolean): void {
    for (const { button, approves } of this.#buttons) {
      const enabled = armed && (this.#fits || !approves);
      button.setAttribute("aria-disabled", String(!enabled));
      if (enabled) button.removeAttribute("aria-describedby");
      else button.setAttribute("aria-describedby", this.why.id);
    }
  }
}
