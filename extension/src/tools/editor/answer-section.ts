// What is taken from the answer: its encoding, the part that counts, and the form it must have.

import { fill, h } from "../../popup/element";
import { choice, field, lineInput } from "../../popup/field";
import { t } from "../../popup/i18n";
import { setFieldError, type FieldErrors } from "../../popup/json/field-error";
import type { Schema } from "../../popup/json/schema";
import { EXAMPLES } from "../examples";
import { httpOf, type Draft } from "../draft";
import { schemaOfSample } from "../sample";
import type { HttpImpl } from "../types";
import { sectionBox, type Section } from "./section";

export class AnswerSection implements Section {
  readonly element: HTMLElement;
  readonly #encoding: HTMLSelectElement;
  readonly #expression: HTMLInputElement;
  readonly #choices = h("div", { class: "pick-choices", "aria-live": "polite" });
  readonly #output: HTMLTextAreaElement;

  /** `sample`: the last extracted value of the tester. */
  constructor(errors: FieldErrors, sample: () => unknown) {
    this.#encoding = errors.add(
      "/impl/responseEncoding",
      choice(
        [
          ["json", t("tools_encoding_json")],
          ["text", t("tools_encoding_text")],
        ],
        { "data-testid": "edit-encoding", on: { change: () => this.#showPlaceholder() } },
      ),
    );
    this.#expression = errors.add("/impl/extractExpr", lineInput({ class: "code", "data-testid": "edit-extract" }));
    this.#output = errors.add("/outputSchema", h("textarea", { rows: 5, spellcheck: "false", class: "code", "data-testid": "edit-output-schema" }));
    const take = h("button", { type: "button", class: "quiet", "data-testid": "edit-output-sample" }, t("tools_output_sample"));
    take.addEventListener("click", () => {
      const value = sample();
      setFieldError(this.#output, value === undefined ? t("tools_output_no_sample") : "");
      if (value !== undefined) this.#output.value = JSON.stringify(schemaOfSample(value), null, 2);
    });
    this.element = sectionBox(
      t("tools_part_answer"),
      field(t("tools_encoding"), this.#encoding),
      field(t("tools_extract"), this.#expression, t("tools_extract_hint")),
      this.#choices,
      h(
        "details",
        {},
        h("summary", {}, t("tools_output_schema")),
        field(t("tools_output_schema"), this.#output, t("tools_output_schema_hint")),
        h("div", { class: "buttons" }, take),
      ),
    );
  }

  show({ impl, outputSchema }: Draft): void {
    const { responseEncoding, extractExpr } = httpOf(impl);
    this.#encoding.value = responseEncoding;
    this.#expression.value = extractExpr;
    this.#output.value = outputSchema === undefined ? "" : JSON.stringify(outputSchema, null, 2);
    this.#showPlaceholder();
  }

  read(draft: Draft): boolean {
    setFieldError(this.#output, "");
    const responseEncoding = this.#encoding.value as HttpImpl["responseEncoding"];
    draft.impl = { ...draft.impl, responseEncoding, extractExpr: this.#expression.value.trim() };
    delete draft.outputSchema;
    if (this.#output.value.trim() === "") return true;
    try {
      draft.outputSchema = JSON.parse(this.#output.value) as Schema;
      return true;
    } catch {
      setFieldError(this.#output, t("tools_form_not_json"));
      this.#output.closest("details")?.setAttribute("open", "");
      this.#output.focus();
      return false;
    }
  }

  /** A value of the sample was picked; inside a list there are two readings. */
  pick(path: string, all: string | undefined): void {
    this.#encoding.value = "json";
    this.#expression.value = path;
    const offer = (words: string, expression: string): HTMLElement => {
      const button = h("button", { type: "button", class: "quiet", "aria-pressed": String(expression === this.#expression.value) }, words, " ", h("code", {}, expression));
      button.addEventListener("click", () => {
        this.#expression.value = expression;
        for (const other of this.#choices.querySelectorAll("button")) other.setAttribute("aria-pressed", String(other === button));
      });
      return button;
    };
    fill(this.#choices, ...(all === undefined ? [] : [offer(t("tools_pick_one"), path), offer(t("tools_pick_every"), all)]));
    this.#expression.focus();
  }

  #showPlaceholder(): void {
    this.#expression.placeholder = this.#encoding.value === "json" ? EXAMPLES.jsonPath : EXAMPLES.regex;
  }
}
