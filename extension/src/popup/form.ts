// A form with one button: busy while the core works, with the error above the button.

import { fill, h, type Child } from "./element";
import { t } from "./i18n";
import { whileBusy } from "./parts";
import { needsPassword, PasswordGate } from "./password-gate";
import { refuse } from "./refusal";

const DONE_MILLIS = 2_500;

export interface Task {
  /** The form's accessible name. */
  name: string;
  body: readonly Child[];
  /** The button's text, and its text while the core works. */
  submit: readonly [words: string, busy: string];
  tone?: "primary" | "danger";
  testId?: string | undefined;
  errorTestId?: string | undefined;
  /** With the password if the core asked for it. */
  run: (password?: string) => Promise<void>;
  /** The password field that appears if the core asks for it. */
  gate?: PasswordGate;
  /** Shown for a moment beside the button when done. */
  done?: string;
  /** Called by Esc and by the cancel button. */
  cancel?: (() => void) | undefined;
}

export function taskForm(task: Task): HTMLFormElement {
  const [words, busy] = task.submit;
  const press = h("button", { type: "submit", class: task.tone ?? "primary", "data-testid": task.testId }, words);
  const slot = h("div", { class: "notice-slot" });
  const saved = h("span", { class: "saved", role: "status" });
  const gate = task.gate ?? new PasswordGate();
  const cancel =
    task.cancel && h("button", { type: "button", class: "quiet", on: { click: task.cancel } }, t("common_cancel"));

  async function run(): Promise<void> {
    fill(slot);
    try {
      await whileBusy(press, busy, () => task.run(gate.password));
      gate.close();
      saved.textContent = task.done ?? "";
      setTimeout(() => (saved.textContent = ""), DONE_MILLIS);
    } catch (error) {
      if (needsPassword(error)) return gate.ask(error);
      refuse(slot, press, error, task.errorTestId);
      gate.again();
    }
  }

  const submitted = (event: Event): void => {
    event.preventDefault();
    void run();
  };
  const pressed = (event: KeyboardEvent): void => {
    if (event.key !== "Escape" || !task.cancel) return;
    // In a popup, Esc would otherwise close the whole window.
    event.preventDefault();
    event.stopPropagation();
    task.cancel();
  };
  return h(
    "form",
    { class: "task", "aria-label": task.name, on: { submit: submitted, keydown: pressed } },
    ...task.body,
    gate.element,
    slot,
    h("div", { class: "buttons" }, task.done !== undefined && saved, cancel, press),
  );
}
