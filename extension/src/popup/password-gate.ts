// The password field that appears when the core asks for the password before a change, with the reason.

import { fill, h } from "./element";
import { explain } from "./errors";
import { forget, secretField, secretInput } from "./field";
import { t } from "./i18n";
import { RequestError } from "./request";

/** A change; with the password once the core asked for it. */
export type Guarded = (password?: string) => Promise<void>;

/** Whether the core wants the password before it makes a change. */
export const needsPassword = (error: unknown): error is RequestError =>
  error instanceof RequestError && error.code === "password_required";

/** Empty until the core asks. A part of the form that makes the change. */
export class PasswordGate {
  readonly element = h("div", { class: "gate" });
  #input: HTMLInputElement | undefined;

  /** What was typed; absent while the core has not asked. */
  get password(): string | undefined {
    return this.#input?.value;
  }

  /** Shows the field with the reason, and moves the focus there. */
  ask(error: RequestError): void {
    const input = secretInput({ required: true, autocomplete: "current-password", "data-testid": "gate-password" });
    this.#input = input;
    const reason = h("p", { class: "gate-reason", role: "alert", "data-testid": "gate-reason" }, explain(error));
    fill(this.element, reason, secretField(t("common_password"), input));
    input.focus();
  }

  /** The typed password was refused: it can be corrected. */
  again(): void {
    this.#input?.select();
  }

  /** Clears what was typed. */
  close(): void {
    if (this.#input) forget(this.#input);
    this.#input = undefined;
    fill(this.element);
  }
}
