// Options to choose from: one, or several. The result is `{selected: value}`, of several `{selected: [values]}`.

import { h } from "../element";
import { t } from "../i18n";
import { plain } from "../plain";
import { AnswerButtons } from "./answer";
import { isFields, listIn, textIn, type Component, type Fields } from "./component";

export interface Option {
  readonly value: unknown;
  readonly label: string;
  readonly description: string | undefined;
}

const MAX_OPTIONS = 100;

/** `options` are texts, numbers, or objects with a value and a label. */
export function optionsIn(input: Fields): Option[] {
  const given = listIn(input, "options", "choices", "items") ?? [];
  return given.slice(0, MAX_OPTIONS).flatMap((option): Option[] => {
    if (typeof option === "string" || typeof option === "number") {
      return [{ value: option, label: String(option), description: undefined }];
    }
    if (!isFields(option)) return [];
    const value = option["value"] ?? option["id"] ?? option["key"];
    const label = textIn(option, "label", "title", "name", "text") ?? (value === undefined ? undefined : String(value));
    return label === undefined ? [] : [{ value: value ?? label, label, description: textIn(option, "description", "hint") }];
  });
}

export const allowsSeveral = (input: Fields): boolean =>
  ["multiple", "allowMultiple", "multiSelect"].some((name) => input[name] === true);

let groups = 0;

export const choice: Component = ({ input, output, submit, phase }) => {
  const options = optionsIn(input);
  if (options.length === 0 && phase !== "writing") return undefined;
  const several = allowsSeveral(input);
  groups += 1;
  const picked = selectedIn(output);
  const rows = options.map((option, i) => {
    const isPicked = picked.includes(JSON.stringify(option.value));
    const tick = h("input", {
      type: several ? "checkbox" : "radio",
      name: `tool-choice-${groups}`,
      value: i,
      checked: isPicked,
      disabled: submit === undefined,
      "data-testid": "tool-option",
    });
    const words = h("span", {}, plain(option.label), option.description !== undefined && h("span", { class: "hint" }, option.description));
    return { option, tick, element: h("label", { class: "tick tool-option", "data-picked": String(isPicked) }, tick, words) };
  });
  const missing = h("p", { class: "field-error", role: "alert", hidden: true }, t("message_choose_first"));
  const buttons =
    submit &&
    new AnswerButtons(submit, [
      {
        words: t("message_send"),
        testId: "tool-submit",
        tone: "primary",
        result: () => {
          const chosen = rows.filter(({ tick }) => tick.checked).map(({ option }) => option.value);
          missing.hidden = several || chosen.length > 0;
          if (!missing.hidden) rows[0]?.tick.focus();
          return missing.hidden ? { value: { selected: several ? chosen : chosen[0] } } : undefined;
        },
      },
    ]);
  const question = textIn(input, "question", "title", "message", "prompt");
  const more = textIn(input, "description");
  return h(
    "fieldset",
    { class: "tool-component tool-choice", "data-testid": "tool-choice" },
    h("legend", {}, question ?? t("message_choose")),
    more !== undefined && h("p", { class: "agent-words" }, more),
    ...rows.map(({ element }) => element),
    missing,
    buttons?.notice,
    buttons?.element,
  );
};

/** The chosen values as JSON texts. */
function selectedIn(output: unknown): string[] {
  if (!isFields(output) || !("selected" in output)) return [];
  const { selected } = output;
  return (Array.isArray(selected) ? selected : [selected]).map((value) => JSON.stringify(value));
}
