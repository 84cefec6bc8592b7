// Unlocks a vault for some time. A wrong password stays in the field, so that it can be corrected.

import type { VaultView } from "../../../generated/VaultView";
import { unlockVault } from "../api";
import { choice, field, forget, secretField, secretInput } from "../field";
import { taskForm } from "../form";
import { t } from "../i18n";
import { lockTimeWords } from "./words";

const USUAL_MINUTES = [5, 15, 60, 240];

interface Unlocking {
  vault: VaultView;
  /** The default from the settings. */
  minutes: number;
  unlocked: () => void;
  cancel: () => void;
}

export function unlockForm({ vault, minutes, unlocked, cancel }: Unlocking): HTMLFormElement {
  const password = secretInput({ required: true, "data-testid": "unlock-password" });
  const choices = [...new Set([...USUAL_MINUTES, minutes])].sort((a, b) => a - b);
  const time = choice(
    choices.map((choice) => [String(choice), lockTimeWords(choice)] as const),
    { "data-testid": "unlock-minutes" },
  );
  time.value = String(minutes);
  return taskForm({
    name: t("vaults_unlock_named", vault.name),
    body: [
      secretField(t("common_password"), password),
      field(t("vaults_keep_unlocked"), time, t("vaults_locks_itself")),
    ],
    submit: [t("vaults_unlock"), t("vaults_unlocking")],
    testId: "unlock-submit",
    errorTestId: "unlock-error",
    async run() {
      try {
        await unlockVault(vault.id, password.value, Number(time.value));
      } catch (error) {
        password.select();
        throw error;
      }
      forget(password);
      unlocked();
    },
    cancel,
  });
}
