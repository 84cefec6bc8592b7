// Operations on a vault: rename, change the password, back up, delete.

import type { VaultView } from "../../../generated/VaultView";
import { changePassword, deleteVault, exportVault, renameVault } from "../api";
import { download } from "../download";
import { h } from "../element";
import { field, forget, lineInput, secretField, secretInput } from "../field";
import { taskForm } from "../form";
import { plain } from "../plain";
import { RequestError } from "../request";
import { NewPassword } from "../vaults/new-password";

/** Called when the form is closed; `changed` says whether the vault has changed. */
export type Close = (changed: boolean) => void;

const COMMON = { testId: "vault-task-submit", errorTestId: "vault-task-error" };
const DELETE_WORD = "delete";

export function renameForm(vault: VaultView, close: Close): HTMLFormElement {
  const name = lineInput({ value: vault.name, required: true, maxlength: 100, "data-testid": "vault-name" });
  return taskForm({
    ...COMMON,
    name: `Rename ${vault.name}`,
    body: [field("Name", name)],
    submit: ["Rename", "Saving…"],
    async run() {
      await renameVault(vault.id, name.value.trim());
      close(true);
    },
    cancel: () => close(false),
  });
}

export function passwordForm(vault: VaultView, close: Close): HTMLFormElement {
  const current = currentPassword();
  const next = new NewPassword("vault-new-password", "New password");
  const older = h(
    "p",
    { class: "hint" },
    "Existing backup files keep the old password. Save a new one afterwards.",
  );
  return taskForm({
    ...COMMON,
    name: `Change the password of ${vault.name}`,
    body: [secretField("Current password", current), next.element, older],
    submit: ["Change password", "Encrypting the vault…"],
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
  const hint = "The file is encrypted with this password. With both you can restore the vault on any computer.";
  return taskForm({
    ...COMMON,
    name: `Save a backup of ${vault.name}`,
    body: [secretField("Password", password, hint)],
    submit: ["Save backup file", "Saving…"],
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
  const warning = isSealed
    ? "It is permanently deleted from this computer, with its chains and tokens. Only a backup restores it."
    : "Its chains and tokens here are deleted. Its keys, which are elsewhere, are not affected.";
  return taskForm({
    ...COMMON,
    name: `Delete ${vault.name}`,
    body: [
      h("p", { class: "problem" }, h("span", {}, `Delete ${plain(vault.name)}? ${warning}`)),
      isSealed && secretField("Password", password),
      field(`Type “${DELETE_WORD}” to confirm`, word),
    ],
    submit: ["Delete vault", "Deleting…"],
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
