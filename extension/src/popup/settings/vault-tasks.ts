// Operations on a vault: rename, change the password, back up, delete.

import type { VaultView } from "../../../generated/VaultView";
import { changePassword, deleteVault, exportVault, renameVault } from "../api";
import { download } from "../download";
import { h } from "../element";
import { field, forget, lineInput, secretField, secretInput } from "../field";
import { taskForm } from "../form";
import { t } from "../i18n";
import { plain } from "../plain";
import { RequestError } from "../request";
import { NewPassword } from "../vaults/new-password";

/** Called when the form is closed; `changed` says whether the vault has changed. */
export type Close = (changed: boolean) => void;

const COMMON = { testId: "vault-task-submit", errorTestId: "vault-task-error" };
const DELETE_WORD = t("settings_delete_word");

export function renameForm(vault: VaultView, close: Close): HTMLFormElement {
  const name = lineInput({ value: vault.name, required: true, maxlength: 100, "data-testid": "vault-name" });
  return taskForm({
    ...COMMON,
    name: t("settings_rename_vault", vault.name),
    body: [field(t("settings_name"), name)],
    submit: [t("settings_rename"), t("settings_saving")],
    async run() {
      await renameVault(vault.id, name.value.trim());
      close(true);
    },
    cancel: () => close(false),
  });
}

export function passwordForm(vault: VaultView, close: Close): HTMLFormElement {
  const current = currentPassword();
  const next = new NewPassword("vault-new-password", t("settings_new_password"));
  const older = h("p", { class: "hint" }, t("settings_older_backups"));
  return taskForm({
    ...COMMON,
    name: t("settings_password_of", vault.name),
    body: [secretField(t("settings_current_password"), current), next.element, older],
    submit: [t("settings_change_password"), t("settings_encrypting")],
    async run() {
      await changePassword(vault.id, current.value, next.value());
      forget(current);
      next.forget();
      close(true);
    },
    cancel: () => close(false),
  });
}

export function exportForm(vault: VaultView, close: Close): HTMLFormElement {
  const password = currentPassword();
  const hint = t("settings_backup_hint");
  return taskForm({
    ...COMMON,
    name: t("settings_backup_of", vault.name),
    body: [secretField(t("settings_password"), password, hint)],
    submit: [t("settings_backup_save"), t("settings_saving")],
    async run() {
      download(await exportVault(vault.id, password.value));
      forget(password);
      close(false);
    },
    cancel: () => close(false),
  });
}

export function deleteForm(vault: VaultView, close: Close): HTMLFormElement {
  const isSealed = vault.kind !== "watch";
  const password = currentPassword();
  const word = lineInput({ required: true, "data-testid": "vault-delete-word" });
  const warning = isSealed ? t("settings_delete_sealed") : t("settings_delete_watch");
  return taskForm({
    ...COMMON,
    name: t("settings_delete_name", vault.name),
    body: [
      h("p", { class: "problem" }, h("span", {}, t("settings_delete_question", plain(vault.name), warning))),
      isSealed && secretField(t("settings_password"), password),
      field(t("settings_delete_type", DELETE_WORD), word),
    ],
    submit: [t("settings_delete_vault"), t("settings_deleting")],
    tone: "danger",
    async run() {
      if (word.value.trim().toLowerCase() !== DELETE_WORD) throw new RequestError(0, "not_confirmed", "");
      await deleteVault(vault.id, isSealed ? password.value : undefined);
      forget(password);
      close(true);
    },
    cancel: () => close(false),
  });
}

function currentPassword(): HTMLInputElement {
  return secretInput({ required: true, "data-testid": "vault-password" });
}
