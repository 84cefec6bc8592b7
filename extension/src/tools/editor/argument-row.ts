// One argument: its name, its type, whether it is needed, and what it is.

import { fill, h } from "../../popup/element";
import { choice, field, lineInput } from "../../popup/field";
import { t, type MessageKey } from "../../popup/i18n";
import { plain } from "../../popup/plain";
import { ARGUMENT_TYPES, type Argument, type ArgumentType } from "../arguments";

const TYPES: Record<ArgumentType, MessageKey> = {
  text: "tools_argument_text",
  number: "tools_argument_number",
  integer: "tools_argument_integer",
  boolean: "tools_argument_boolean",
  choice: "tools_argument_choice",
  texts: "tools_argument_texts",
  numbers: "tools_argument_numbers",
  custom: "tools_argument_custom",
};

export class ArgumentRow {
  readonly element: HTMLElement;
  readonly #type: HTMLSelectElement;
  readonly #required: HTMLInputElement;
  readonly #description: HTMLInputElement;
  readonly #options: HTMLInputElement;
  readonly #preset: HTMLInputElement;

  constructor(
    private readonly row: Argument,
    changed: () => void,
  ) {
    const name = plain(row.name);
    const on = { input: changed };
    const types = ARGUMENT_TYPES.filter((type) => type !== "custom" || row.type === "custom");
    this.#type = choice(
      types.map((type) => [type, t(TYPES[type])] as const),
      { "data-testid": "edit-argument-type", on: { change: () => this.#typeChanged(changed) } },
    );
    this.#type.value = row.type;
    this.#required = h("input", { type: "checkbox", "data-testid": "edit-argument-required", on: { change: changed } });
    this.#required.checked = row.isRequired;
    this.#description = lineInput({ value: row.description, placeholder: t("tools_argument_about_placeholder"), "data-testid": "edit-argument-about", on });
    this.#options = lineInput({ value: row.options.join(", "), placeholder: t("tools_argument_options_placeholder"), "data-testid": "edit-argument-options", on });
    this.#preset = lineInput({ value: row.preset, placeholder: t("tools_argument_preset_placeholder"), "data-testid": "edit-argument-preset", on });
    this.element = h("fieldset", { class: "argument", "data-testid": "edit-argument", "data-name": row.name });
    this.#render(name);
  }

  read(): Argument {
    const type = this.#type.value as ArgumentType;
    return {
      ...this.row,
      type,
      isRequired: this.#required.checked,
      description: type === "custom" ? "" : this.#description.value.trim(),
      options: type === "choice" ? this.#options.value.split(",").map((option) => option.trim()).filter((option) => option !== "") : [],
      preset: ["texts", "numbers", "custom"].includes(type) ? "" : this.#preset.value.trim(),
      // What was said about another type does not hold for this one.
      rest: type === this.row.type ? this.row.rest : {},
    };
  }

  #typeChanged(changed: () => void): void {
    this.#render(plain(this.row.name));
    this.#type.focus();
    changed();
  }

  #render(name: string): void {
    const type = this.#type.value as ArgumentType;
    const canPreset = !["texts", "numbers", "custom"].includes(type);
    fill(
      this.element,
      h("legend", {}, h("code", {}, name)),
      type !== "custom" && field(t("tools_argument_about"), this.#description),
      h(
        "div",
        { class: "pair" },
        field(t("tools_argument_type"), this.#type),
        type === "choice" && field(t("tools_argument_options"), this.#options),
        canPreset && field(t("tools_argument_preset"), this.#preset),
      ),
      type === "custom" && h("p", { class: "hint" }, t("tools_argument_custom_hint")),
      h("label", { class: "tick" }, this.#required, t("tools_argument_required")),
    );
  }
}
