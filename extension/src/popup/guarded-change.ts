// A change by a button that may need the password.

import { fill } from "./element";
import { taskForm } from "./form";
import { t } from "./i18n";
import { needsPassword, PasswordGate, type Guarded } from "./password-gate";

/**
 * Makes a change. If the core asks for the password, a form in `slot` asks for it and makes the change again; the focus
 * returns to what had it.
 */
export async function changeGuarded(slot: HTMLElement, change: Guarded): Promise<void> {
  const opener = document.activeElement;
  const close = (): void => {
    fill(slot);
    if (opener instanceof HTMLElement && opener.isConnected) opener.focus();
  };
  try {
    await change();
  } catch (error) {
    if (!needsPassword(error)) throw error;
    const gate = new PasswordGate();
    const form = taskForm({
      name: t("common_confirm_with_password"),
      body: [],
      gate,
      submit: [t("common_confirm"), t("common_confirming")],
      testId: "gate-submit",
      errorTestId: "gate-error",
      async run(password) {
        await change(password);
        close();
      },
      cancel: close,
    });
    fill(slot, form);
    gate.ask(error);
  }
}
