// Inputs with their labels, and what inputs for secrets have in common.

import { fill, h, icon, type Attributes, type Child } from "./element";

let fields = 0;

/** An input below its label; the hint is read out with it. */
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

/** A line of text that is nobody's business to complete or correct. */
export function lineInput(attributes: Attributes): HTMLInputElement {
  return h("input", { autocomplete: "off", spellcheck: "false", autocapitalize: "off", ...attributes });
}

/** Characters nobody reads over the shoulder. */
export function secretInput(attributes: Attributes): HTMLInputElement {
  return lineInput({ type: "password", ...attributes });
}

/** A secret's field, with a button that shows what is typed. */
export function secretField(label: string, input: HTMLInputElement, hint?: Child): HTMLElement {
  const button = h("button", { type: "button", class: "icon-button reveal" }, icon("eye"));
  const show = (shown: boolean): void => {
    input.type = shown ? "text" : "password";
    button.setAttribute("aria-pressed", String(shown));
    const words = `${shown ? "Hide" : "Show"} ${label.toLowerCase()}`;
    button.setAttribute("aria-label", words);
    button.title = words;
  };
  button.addEventListener("click", () => show(input.type === "password"));
  show(false);
  return field(label, input, hint, h("div", { class: "secret" }, input, button));
}

/** Takes what was typed out of the page. */
export function forget(...inputs: readonly (HTMLInputElement | HTMLTextAreaElement)[]): void {
  for (const input of inputs) {
    input.value = "";
    input.dispatchEvent(new Event("input"));
  }
}

/** A choice of a few, each with its value and its words. */
export function choice(
  options: readonly (readonly [value: string, words: string])[],
  attributes: Attributes,
): HTMLSelectElement {
  const select = h("select", attributes);
  fill(select, ...options.map(([value, words]) => h("option", { value }, words)));
  return select;
}
