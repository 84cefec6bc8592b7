// A form from a JSON Schema in the arguments. The result is what was filled in.

import { h } from "../element";
import { t } from "../i18n";
import type { Schema } from "../json/schema";
import { SchemaForm } from "../json/schema-form";
import { valueView } from "../json/value-view";
import { AnswerButtons } from "./answer";
import { isFields, listIn, textIn, type Component, type Fields, type Shown } from "./component";

/** `{title?, description?, schema}`; or `fields`, a list of `{name, type?, label?, required?, options?}`. */
export function schemaIn(input: Fields): Schema | undefined {
  const given = ["schema", "jsonSchema", "formSchema", "inputSchema"].map((name) => input[name]).find(isFields);
  if (given) return given;
  const fields = listIn(input, "fields")?.filter(isFields) ?? [];
  const named = fields.filter(({ name }) => typeof name === "string" && name !== "");
  if (named.length === 0) return undefined;
  return {
    type: "object",
    properties: Object.fromEntries(named.map((field) => [field["name"] as string, propertyOf(field)])),
    required: named.filter(({ required }) => required === true).map(({ name }) => name),
  };
}

const TYPES: readonly unknown[] = ["string", "number", "integer", "boolean"];

function propertyOf(field: Fields): Schema {
  const title = textIn(field, "label", "title");
  const description = textIn(field, "description", "hint");
  const options = listIn(field, "options", "enum");
  return {
    type: TYPES.includes(field["type"]) ? field["type"] : "string",
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    ...(options ? { enum: options } : {}),
    ...("default" in field ? { default: field["default"] } : {}),
  };
}

export const form: Component = (shown) => {
  const { input, output, submit, phase } = shown;
  const schema = schemaIn(input);
  if (!schema && phase !== "writing") return undefined;
  const title = textIn(input, "title");
  const words = textIn(input, "description", "message", "text");
  return h(
    "div",
    { class: "tool-component", "data-testid": "tool-form" },
    title !== undefined && h("p", {}, h("strong", {}, title)),
    words !== undefined && h("p", { class: "agent-words" }, words),
    ...(submit && schema ? answerForm(schema, submit) : []),
    output !== undefined && h("div", { class: "tool-answer" }, h("p", { class: "detail-label" }, t("message_your_answer")), valueView(output)),
  );
};

/** The fields, and the button that sends them. */
export function answerForm(schema: Schema, submit: NonNullable<Shown["submit"]>): HTMLElement[] {
  const fields = new SchemaForm(schema, undefined, t("message_result"));
  const buttons = new AnswerButtons(submit, [
    { words: t("message_send"), testId: "tool-submit", tone: "primary", result: () => fields.read() },
  ]);
  return [fields.element, buttons.notice, buttons.element];
}
