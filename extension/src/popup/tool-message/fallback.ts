// Any other tool: its arguments and its result, readable. Where a result is wanted: a form from its schema, or JSON.

import { h } from "../element";
import { t } from "../i18n";
import type { Schema } from "../json/schema";
import { valueView } from "../json/value-view";
import type { Component, Shown } from "./component";
import { answerForm } from "./form";

/** A result without a schema is typed as JSON. */
const ANY: Schema = { anyOf: [true] };

export const fallback: Component = ({ input, output, phase, resultSchema, submit }) => {
  const isEmpty = Object.keys(input).length === 0;
  return h(
    "div",
    { class: "tool-component", "data-testid": "tool-fallback" },
    !isEmpty && part(t("message_input"), input),
    isEmpty && phase !== "writing" && output === undefined && h("p", { class: "muted" }, t("message_no_input")),
    output !== undefined && part(t("message_output"), output),
    submit && answer(phase, resultSchema ?? ANY, submit),
  );
};

function part(words: string, value: unknown): HTMLElement {
  return h("div", {}, h("p", { class: "detail-label" }, words), valueView(value));
}

/** What a program outside will give can also be given by hand; that is seldom wanted. */
function answer(phase: Shown["phase"], schema: Schema, submit: NonNullable<Shown["submit"]>): HTMLElement {
  const parts = answerForm(schema, submit);
  if (phase === "asking") return h("div", { class: "tool-component" }, ...parts);
  return h("details", { class: "by-hand" }, h("summary", { "data-testid": "tool-by-hand" }, t("message_by_hand")), ...parts);
}
