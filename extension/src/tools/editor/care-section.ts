// How careful to be: what kind of action it is, how grave, and whether to ask. Three answers, none made from another.

import { fill, h } from "../../popup/element";
import { t, type MessageKey } from "../../popup/i18n";
import type { FieldErrors } from "../../popup/json/field-error";
import { SUGGESTED } from "../names";
import type { Draft } from "../draft";
import { CATEGORIES, CONSEQUENCES, type Category, type Consequence } from "../types";
import { categoryWords, consequenceWords } from "../words";
import { sectionBox, type Section } from "./section";

const CATEGORY_HINTS: Record<Category, MessageKey> = {
  read: "tools_category_read_hint",
  write: "tools_category_write_hint",
  delete: "tools_category_delete_hint",
  side_effect: "tools_category_side_effect_hint",
};

const CONSEQUENCE_HINTS: Record<Consequence, MessageKey> = {
  low: "tools_consequence_low_hint",
  medium: "tools_consequence_medium_hint",
  high: "tools_consequence_high_hint",
};

let groups = 0;

export class CareSection implements Section {
  readonly element: HTMLElement;
  readonly #category: Radios<Category>;
  readonly #consequence: Radios<Consequence>;
  readonly #confirmation: Radios<"yes" | "no">;
  readonly #suggestion = h("div", { class: "suggestion-line", "aria-live": "polite" });

  constructor(errors: FieldErrors) {
    const showSuggestion = (): void => this.#showSuggestion();
    this.#category = radios(
      t("tools_category"),
      CATEGORIES.map((name) => [name, categoryWords(name), t(CATEGORY_HINTS[name])]),
      "edit-category",
      showSuggestion,
    );
    this.#consequence = radios(
      t("tools_consequence"),
      CONSEQUENCES.map((name) => [name, consequenceWords(name), t(CONSEQUENCE_HINTS[name])]),
      "edit-consequence",
      showSuggestion,
    );
    this.#confirmation = radios(
      t("tools_confirmation"),
      [
        ["yes", t("tools_confirmation_yes"), t("tools_confirmation_yes_hint")],
        ["no", t("tools_confirmation_no"), t("tools_confirmation_no_hint")],
      ],
      "edit-confirmation",
      showSuggestion,
    );
    errors.add("/category", this.#category.element);
    errors.add("/consequenceLevel", this.#consequence.element);
    errors.add("/requiresConfirmation", this.#confirmation.element);
    this.element = sectionBox(
      t("tools_part_care"),
      this.#category.element,
      this.#suggestion,
      this.#consequence.element,
      this.#confirmation.element,
    );
  }

  show(draft: Draft): void {
    this.#category.set(draft.category);
    this.#consequence.set(draft.consequenceLevel);
    this.#confirmation.set(draft.requiresConfirmation ? "yes" : "no");
    this.#showSuggestion();
  }

  read(draft: Draft): boolean {
    draft.category = this.#category.get();
    draft.consequenceLevel = this.#consequence.get();
    draft.requiresConfirmation = this.#confirmation.get() === "yes";
    return true;
  }

  #showSuggestion(): void {
    const { consequence, confirmation } = SUGGESTED[this.#category.get()];
    const wanted = confirmation ? "yes" : "no";
    if (this.#consequence.get() === consequence && this.#confirmation.get() === wanted) return fill(this.#suggestion);
    const words = t(
      confirmation ? "tools_suggestion_ask" : "tools_suggestion_no_ask",
      categoryWords(this.#category.get()),
      consequenceWords(consequence),
    );
    const use = h("button", { type: "button", class: "link", "data-testid": "edit-suggestion" }, t("tools_suggestion_use"));
    use.addEventListener("click", () => {
      this.#consequence.set(consequence);
      this.#confirmation.set(wanted);
      this.#showSuggestion();
      this.#consequence.focus();
    });
    fill(this.#suggestion, h("span", {}, words), use);
  }
}

interface Radios<Name extends string> {
  readonly element: HTMLElement;
  get(): Name;
  set(name: Name): void;
  focus(): void;
}

function radios<Name extends string>(
  legend: string,
  options: readonly (readonly [name: Name, label: string, hint: string])[],
  testId: string,
  changed: () => void,
): Radios<Name> {
  groups += 1;
  const group = `care-${groups}`;
  const inputs = options.map(([name]) =>
    h("input", { type: "radio", name: group, value: name, "data-testid": `${testId}-${name}`, on: { change: changed } }),
  );
  const lines = options.map(([, label, hint], i) =>
    h("label", { class: "radio" }, inputs[i], h("span", {}, h("b", {}, label), h("span", { class: "hint" }, hint))),
  );
  return {
    element: h("fieldset", { class: "radios", tabindex: -1 }, h("legend", {}, legend), h("div", { class: "radio-list" }, ...lines)),
    get: () => (inputs.find(({ checked }) => checked)?.value ?? options[0]?.[0]) as Name,
    set: (name) => {
      for (const input of inputs) input.checked = input.value === name;
    },
    focus: () => (inputs.find(({ checked }) => checked) ?? inputs[0])?.focus(),
  };
}
