// What most tools leave as it is: limits, retries, errors and ways to log in.

import { h } from "../../popup/element";
import { choice, field, lineInput } from "../../popup/field";
import { t, type MessageKey } from "../../popup/i18n";
import { setFieldError, type FieldErrors } from "../../popup/json/field-error";
import { EXAMPLES } from "../examples";
import { httpOf, type Draft } from "../draft";
import type { SignIn } from "../sign-in";
import type { HttpImpl } from "../types";
import { AuthFields } from "./auth-fields";
import type { Section } from "./section";

type NumberName = "timeoutMs" | "maxRetries" | "maxRequestBytes" | "maxResponseBytes";

const NUMBERS: readonly (readonly [NumberName, MessageKey])[] = [
  ["timeoutMs", "tools_timeout_request"],
  ["maxRetries", "tools_retries"],
  ["maxRequestBytes", "tools_max_request"],
  ["maxResponseBytes", "tools_max_response"],
];

export class AdvancedSection implements Section {
  readonly element: HTMLElement;
  readonly auth: AuthFields;
  readonly #codes: HTMLInputElement;
  readonly #numbers: ReadonlyMap<NumberName, HTMLInputElement>;
  readonly #timeout: HTMLInputElement;
  readonly #rate: HTMLInputElement;
  readonly #errorMode: HTMLSelectElement;
  readonly #idempotency: HTMLInputElement;
  readonly #stream: HTMLInputElement;

  constructor(errors: FieldErrors, around: { changed(): void; connect: SignIn | undefined }) {
    const number = (pointer: string): HTMLInputElement => errors.add(pointer, lineInput({ inputmode: "numeric", "data-testid": `edit-${pointer.slice(pointer.lastIndexOf("/") + 1)}` }));
    this.auth = new AuthFields(errors, around);
    this.#codes = errors.add("/impl/successCodes", lineInput({ placeholder: t("tools_codes_placeholder"), "data-testid": "edit-successCodes" }));
    this.#numbers = new Map(NUMBERS.map(([name]) => [name, number(`/impl/${name}`)]));
    this.#timeout = number("/timeout");
    this.#rate = number("/maxCallsPerMinute");
    this.#rate.placeholder = t("tools_rate_placeholder");
    this.#errorMode = errors.add(
      "/impl/errorMode",
      choice(
        [
          ["fail", t("tools_error_mode_fail")],
          ["empty", t("tools_error_mode_empty")],
        ],
        { "data-testid": "edit-errorMode" },
      ),
    );
    this.#idempotency = errors.add("/impl/idempotencyHeader", lineInput({ placeholder: EXAMPLES.idempotencyHeader, "data-testid": "edit-idempotencyHeader" }));
    this.#stream = h("input", { type: "checkbox", "data-testid": "edit-stream" });
    this.element = h(
      "details",
      { class: "panel editor-section advanced", "data-testid": "edit-advanced" },
      h("summary", {}, h("h2", {}, t("tools_part_advanced"))),
      this.auth.element,
      h(
        "div",
        { class: "pair" },
        field(t("tools_codes"), this.#codes, t("tools_codes_hint")),
        field(t("tools_error_mode"), this.#errorMode),
        ...NUMBERS.map(([name, label]) => field(t(label), this.#numbers.get(name) ?? lineInput({}))),
        field(t("tools_timeout"), this.#timeout, t("tools_timeout_hint")),
        field(t("tools_rate"), this.#rate),
        field(t("tools_idempotency"), this.#idempotency, t("tools_idempotency_hint")),
      ),
      h("label", { class: "tick" }, this.#stream, t("tools_stream")),
    );
  }

  show(draft: Draft): void {
    const http = httpOf(draft.impl);
    this.#codes.value = http.successCodes.join(", ");
    for (const [name, input] of this.#numbers) input.value = String(http[name]);
    this.#timeout.value = String(draft.timeout);
    this.#rate.value = draft.maxCallsPerMinute === null ? "" : String(draft.maxCallsPerMinute);
    this.#errorMode.value = http.errorMode;
    this.#idempotency.value = http.idempotencyHeader ?? "";
    this.#stream.checked = http.stream;
    this.auth.show(http.auth);
  }

  read(draft: Draft): boolean {
    const codes = this.#codes.value.split(/[\s,]+/).filter((code) => code !== "").map(Number);
    const isCodes = codes.every(Number.isInteger);
    setFieldError(this.#codes, isCodes ? "" : t("tools_form_not_a_number"));
    const numbers = [...this.#numbers].map(([name, input]) => [name, whole(input)] as const);
    const timeout = whole(this.#timeout);
    const rate = this.#rate.value.trim() === "" ? null : whole(this.#rate);
    if (!isCodes || timeout === undefined || rate === undefined || numbers.some(([, value]) => value === undefined)) return false;
    const header = this.#idempotency.value.trim();
    const { idempotencyHeader: _header, auth: _auth, ...impl } = draft.impl as Partial<HttpImpl>;
    const auth = this.auth.read();
    draft.impl = {
      ...impl,
      ...Object.fromEntries(numbers),
      successCodes: codes,
      errorMode: this.#errorMode.value,
      stream: this.#stream.checked,
      ...(header === "" ? {} : { idempotencyHeader: header }),
      ...(auth === undefined ? {} : { auth }),
    };
    draft.timeout = timeout;
    draft.maxCallsPerMinute = rate;
    return true;
  }
}

/** A whole number; what is not one is shown at its field. */
function whole(input: HTMLInputElement): number | undefined {
  const typed = input.value.trim();
  const value = Number(typed);
  const isWhole = typed !== "" && Number.isInteger(value);
  setFieldError(input, isWhole ? "" : t("tools_form_not_whole"));
  if (isWhole) return value;
  input.closest("details")?.setAttribute("open", "");
  input.focus();
  return undefined;
}
