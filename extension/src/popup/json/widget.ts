// The inputs of a form that is made from a JSON Schema, one kind of field after the other.

import { fill, h, type Attributes } from "../element";
import { field as labelled } from "../field";
import { t } from "../i18n";
import { iconButton } from "../parts";
import { plain } from "../plain";
import type { Input } from "./input";
import type { ChoiceField, Field, ListField, ObjectField, TextField } from "./schema";

export interface Widget {
  readonly element: HTMLElement;
  input(): Input;
  /** The control at a place inside, for errors and the focus. */
  at(path: readonly string[]): HTMLElement;
}

interface Setting {
  readonly name: string;
  readonly isRequired: boolean;
  readonly start: Input;
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;

export function widget(field: Field, setting: Setting): Widget {
  switch (field.kind) {
    case "object":
      return objectWidget(field, setting);
    case "list":
      return listWidget(field, setting);
    default:
      return single(field, setting, controlOf(field, setting));
  }
}

function single(field: Field, { isRequired, start }: Setting, control: Control): Widget {
  control.value = typeof start === "string" ? start : "";
  if (isRequired) control.setAttribute("aria-required", "true");
  const element = labelled(labelOf(field, isRequired), control, field.description && plain(field.description));
  return { element, input: () => control.value, at: () => control };
}

function controlOf(field: Field, { name, isRequired }: Setting): Control {
  const attributes: Attributes = { name, autocomplete: "off", spellcheck: "false", "data-testid": `arg-${name}` };
  switch (field.kind) {
    case "boolean": {
      const options = [
        h("option", { value: "" }, isRequired ? t("tools_form_choose") : t("tools_form_unset")),
        h("option", { value: "true" }, t("tools_form_yes")),
        h("option", { value: "false" }, t("tools_form_no")),
      ];
      return h("select", attributes, ...options);
    }
    case "choice":
      return choiceControl(field, isRequired, attributes);
    case "number":
      return h("input", { ...attributes, inputmode: field.isWhole ? "numeric" : "decimal", placeholder: rangeOf(field) });
    case "json":
      return h("textarea", { ...attributes, rows: 3, class: "code", placeholder: t("tools_form_json_placeholder") });
    default: {
      const isLong = field.kind === "text" && field.isLong;
      if (isLong) return h("textarea", { ...attributes, rows: 3 });
      return h("input", { ...attributes, ...(field.kind === "text" ? textType(field) : {}) });
    }
  }
}

/** The browser's own input where it gives the text that the format wants. */
function textType({ isSecret, format }: TextField): Attributes {
  if (isSecret) return { type: "password" };
  switch (format) {
    case "date":
      return { type: "date" };
    case "email":
      return { type: "email" };
    case "uri":
      return { type: "url", placeholder: EXAMPLES.uri };
    case "date-time":
      return { type: "text", placeholder: EXAMPLES.dateTime };
    default:
      return { type: "text" };
  }
}

/** The same in every language. */
const EXAMPLES = { uri: "https://…", dateTime: "2026-11-17T22:05:00Z" };

function choiceControl({ options }: ChoiceField, isRequired: boolean, attributes: Attributes): HTMLSelectElement {
  const select = h("select", attributes);
  fill(
    select,
    h("option", { value: "" }, isRequired ? t("tools_form_choose") : t("tools_form_unset")),
    ...options.map(({ label }, i) => h("option", { value: i }, plain(label))),
  );
  return select;
}

function rangeOf({ least, most }: { least: number | undefined; most: number | undefined }): string {
  if (least !== undefined && most !== undefined) return t("tools_form_range", least, most);
  if (least !== undefined) return t("tools_form_at_least", least);
  return most === undefined ? "" : t("tools_form_at_most", most);
}

function labelOf({ label }: Field, isRequired: boolean): string {
  return isRequired ? `${plain(label)} *` : plain(label);
}

function objectWidget(field: ObjectField, { name, isRequired, start }: Setting): Widget {
  const starts = typeof start === "object" && !Array.isArray(start) ? (start as Record<string, Input>) : {};
  const members = new Map(
    field.members.map((member) => {
      const inner = { name: name === "" ? member.name : `${name}.${member.name}`, isRequired: member.isRequired };
      return [member.name, widget(member.field, { ...inner, start: starts[member.name] ?? "" })];
    }),
  );
  const elements = [...members.values()].map(({ element }) => element);
  const element =
    name === ""
      ? h("div", { class: "schema-form", tabindex: -1 }, ...elements)
      : h(
          "fieldset",
          { class: "schema-group", tabindex: -1 },
          h("legend", {}, labelOf(field, isRequired)),
          field.description !== "" && h("p", { class: "hint" }, plain(field.description)),
          ...elements,
        );
  return {
    element,
    input: () => Object.fromEntries([...members].map(([name, member]) => [name, member.input()])),
    at: ([first, ...rest]) => members.get(first ?? "")?.at(rest) ?? element,
  };
}

function listWidget(field: ListField, { name, isRequired, start }: Setting): Widget {
  const entries: Widget[] = [];
  const list = h("div", { class: "schema-list" });
  const label = labelOf(field, isRequired);
  const add = h("button", { type: "button", class: "link", "data-testid": `arg-${name}-add` }, t("tools_form_add_entry"));

  function show(): void {
    fill(list, ...entries.map((entry, i) => row(entry, i)));
  }

  function row(entry: Widget, i: number): HTMLElement {
    const remove = iconButton("cross", t("tools_form_remove_entry", i + 1), () => {
      entries.splice(i, 1);
      show();
      (entries[Math.min(i, entries.length - 1)]?.at([]) ?? add).focus();
    });
    return h("div", { class: "schema-entry" }, entry.element, remove);
  }

  function put(value: Input): Widget {
    const number = entries.length + 1;
    const item = { ...field.item, label: field.item.label || t("tools_form_entry", number) };
    const entry = widget(item, { name: `${name}.${number}`, isRequired: true, start: value });
    entries.push(entry);
    return entry;
  }

  add.addEventListener("click", () => {
    const entry = put("");
    show();
    entry.at([]).focus();
  });
  for (const value of Array.isArray(start) ? (start as readonly Input[]) : []) put(value);
  show();
  const element = h(
    "fieldset",
    { class: "schema-group", tabindex: -1 },
    h("legend", {}, label),
    field.description !== "" && h("p", { class: "hint" }, plain(field.description)),
    list,
    add,
  );
  return {
    element,
    input: () => entries.map((entry) => entry.input()),
    at: ([first, ...rest]) => (first === undefined ? add : (entries[Number(first)]?.at(rest) ?? element)),
  };
}
