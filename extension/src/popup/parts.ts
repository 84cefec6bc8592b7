// Small shared elements of the views.

import { fill, h, icon, type Child, type IconName } from "./element";
import { explain } from "./errors";
import { t } from "./i18n";

const COPIED_MILLIS = 1_500;

export function spinner(label: string): HTMLElement {
  return h("span", { class: "spinner", role: "status", "aria-label": label });
}

/** Shown while a view's first answer loads; visible only after a short delay. */
export function loading(label: string): HTMLElement {
  return h("div", { class: "loading" }, spinner(label));
}

export function emptyState(name: IconName, title: string, text: string, ...more: readonly Child[]): HTMLElement {
  return h(
    "div",
    { class: "empty", "data-testid": "empty-state" },
    h("div", { class: "empty-icon" }, icon(name)),
    h("h2", {}, title),
    h("p", {}, text),
    ...more,
  );
}

/** An error message with an optional retry. */
export function problem(error: unknown, retry?: () => void): HTMLElement {
  return h(
    "div",
    { class: "problem", role: "alert", "data-testid": "problem" },
    h("span", {}, explain(error)),
    retry && h("button", { type: "button", class: "quiet", on: { click: retry } }, t("common_try_again")),
  );
}

export function iconButton(name: IconName, label: string, click: () => void, testId?: string): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: "icon-button", "aria-label": label, title: label, "data-testid": testId, on: { click } },
    icon(name),
  );
}

/** Copies a text to the clipboard, and confirms it for a moment. */
export function copyButton(label: string, text: string, testId: string): HTMLButtonElement {
  const button = iconButton("copy", label, () => void copy(), testId);
  async function copy(): Promise<void> {
    await navigator.clipboard.writeText(text);
    fill(button, icon("check"), h("span", { class: "visually-hidden", role: "status" }, t("common_copied")));
    setTimeout(() => fill(button, icon("copy")), COPIED_MILLIS);
  }
  return button;
}

/** Disables a button while its work runs, with a text for it. */
export async function whileBusy(button: HTMLButtonElement, label: string, work: () => Promise<void>): Promise<void> {
  const before = [...button.childNodes];
  button.disabled = true;
  button.setAttribute("aria-busy", "true");
  button.replaceChildren(spinner(label), label);
  try {
    await work();
  } finally {
    button.disabled = false;
    button.removeAttribute("aria-busy");
    button.replaceChildren(...before);
  }
}

interface Confirmation {
  question: string;
  yes: string;
  /** The buttons have the test ids `{testId}-confirm` and `{testId}-cancel`. */
  testId: string;
  confirmed(button: HTMLButtonElement): void;
  kept(): void;
}

/** An inline confirmation. Esc and the first button cancel. */
export function confirmInline({ question, yes, testId, confirmed, kept }: Confirmation): HTMLElement {
  const keep = h(
    "button",
    { type: "button", class: "quiet", "data-testid": `${testId}-cancel`, on: { click: kept } },
    t("common_keep"),
  );
  const confirm = h(
    "button",
    { type: "button", class: "danger", "data-testid": `${testId}-confirm`, on: { click: () => confirmed(confirm) } },
    yes,
  );
  const closeOnEscape = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return;
    // In a popup, Esc would otherwise close the whole window.
    event.preventDefault();
    event.stopPropagation();
    kept();
  };
  return h(
    "div",
    { class: "confirm", role: "alertdialog", "aria-label": question, on: { keydown: closeOnEscape } },
    h("span", {}, question),
    h("span", { class: "buttons" }, keep, confirm),
  );
}
