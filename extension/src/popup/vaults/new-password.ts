// A new password, typed twice, with a strength hint.

import { h } from "../element";
import { forget, secretField, secretInput } from "../field";
import { t } from "../i18n";
import { RequestError } from "../request";
import { LEAST_CHARACTERS, strengthOf } from "./strength";

export class NewPassword {
  readonly element: HTMLElement;
  readonly #first: HTMLInputElement;
  readonly #again: HTMLInputElement;
  readonly #meter = h("span", { class: "strength", "data-level": 0, "aria-hidden": "true" });
  readonly #words = h("span", { role: "status" });

  /** The inputs have the test ids `{testId}` and `{testId}-again`. */
  constructor(testId: string, label = t("common_password")) {
    const input = { required: true, autocomplete: "new-password" };
    this.#first = secretInput({ ...input, "data-testid": testId });
    this.#again = secretInput({ ...input, "data-testid": `${testId}-again` });
    this.#first.addEventListener("input", () => this.#rate());
    this.element = h(
      "div",
      { class: "new-password" },
      secretField(label, this.#first, h("span", { class: "rated" }, this.#meter, this.#words)),
      secretField(t("vaults_again", label), this.#again),
    );
    this.#rate();
  }

  /** The password, if both inputs match and it is long enough. */
  value(): string {
    const password = this.#first.value;
    if (strengthOf(password).level === 0) throw this.#wrong(this.#first, "weak_password");
    if (password !== this.#again.value) throw this.#wrong(this.#again, "passwords_differ");
    return password;
  }

  forget(): void {
    forget(this.#first, this.#again);
  }

  #wrong(input: HTMLInputElement, code: string): RequestError {
    input.focus();
    return new RequestError(0, code, "");
  }

  #rate(): void {
    const { level, words } = strengthOf(this.#first.value);
    this.#meter.dataset["level"] = String(level);
    this.#words.textContent = words || t("vaults_at_least", LEAST_CHARACTERS);
  }
}
