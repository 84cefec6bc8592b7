// Inputs with labels, and inputs for secrets.

import { fill, h, icon, type Attributes, type Child } from "./element";
import { inSentence, t } from "./i18n";

let fields = 0;

/** An input below its label; screen readers read the hint with it. */
export function field(
  label: string,
  input: HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement,
  hint?: Child,
  around: HTMLElement = input,
): HTMLElement {
  fields += 1;
  input.id ||= `field-${fields}`;
  const below = hint && h("span", { id: `${input.id}-hint`, class: "hint" }, hint);
  if (below) input.setAttribute("aria-describedby", below.id);
  return h("div", { class: "field" }, h("label", { for: input.id }, label), around, below);
}

/** A line of text without completion or correction. */
export function lineInput(attributes: Attributes): HTMLInputElement {
  return h("input", { autocomplete: "off", spellcheck: "false", autocapitalize: "off", ...attributes });
}

/** An input with hidden characters. */
export function secretInput(attributes: Attributes): HTMLInputElement {
  return lineInput({ type: "password", ...attributes });
}

/** A field for a secret, with a button that shows the typed text. */
export function secretField(label: string, input: HTMLInputElement, hint?: Child): HTMLElement {
  const button = h("button", { type: "button", class: "icon-button reveal" }, icon("eye"));
  const show = (shown: boolean): void => {
    input.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
    const words = t(shown ? "common_hide" : "common_show", inSentence(label));
    button.setAttribute("aria-label", words);
    button.title = words;
  };
  button.addEventListener("click", () => show(input.type === "password"));
  show(false);
  return field(label, input, hint, h("div", { class: "secret" }, input, button));
}

/** Clears what was typed. */
export function forget(...inputs: readonly (HTMLInputElement | HTMLTextAreaElement)[]): void {
  for (const input of inputs) {
    input.value = "";
    input.dispatchEvent(new Event("input"));
  }
}

/** A select with values and labels. */
export function choice(
  options: readonly (readonly [value: string, words: string])[],
  attributes: Attributes,
): HTMLSelectElement {
  const select = h("select", attributes);
  fill(select, ...options.map(([value, words]) => h("option", { value }, words)));
  return select;
}
