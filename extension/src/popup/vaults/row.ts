// One vault in the list: activate, lock, unlock.

import type { VaultView } from "../../../generated/VaultView";
import { activateVault, getSettings, lockVault } from "../api";
import { h, icon } from "../element";
import { t, type MessageKey } from "../i18n";
import { problem, whileBusy } from "../parts";
import { plain } from "../plain";
import { unlockForm } from "./unlock-form";
import { KIND_WORDS, LOCK_ICONS, lockState, lockWords } from "./words";

/** The texts of a button: on it, with the vault's name for screen readers, and while the core works. */
interface Words {
  plain: MessageKey;
  named: MessageKey;
  busy: MessageKey;
}

const USE: Words = { plain: "vaults_use", named: "vaults_use_named", busy: "vaults_switching" };
const LOCK: Words = { plain: "vaults_lock", named: "vaults_lock_named", busy: "vaults_locking" };
const UNLOCK: Words = { plain: "vaults_unlock", named: "vaults_unlock_named", busy: "vaults_unlock" };

export function vaultRow(vault: VaultView, changed: () => void): HTMLElement {
  const state = lockState(vault);
  const name = plain(vault.name);
  const row = h("li", { class: "vault-row", "data-testid": "vault-row", "data-id": vault.id, "data-state": state });

  const button = (words: Words, testId: string, work: () => Promise<void>): HTMLButtonElement => {
    const attributes = { type: "button", "aria-label": t(words.named, name), "data-testid": testId };
    const made = h("button", attributes, t(words.plain));
    made.addEventListener("click", () => {
      row.querySelector(".problem")?.remove();
      whileBusy(made, t(words.busy), work).catch((error: unknown) => row.append(problem(error)));
    });
    return made;
  };

  const activate = button(USE, "vault-activate", async () => {
    await activateVault(vault.id);
    changed();
  });
  const lock = button(LOCK, "vault-lock", async () => {
    await lockVault(vault.id);
    changed();
  });
  const unlock = button(UNLOCK, "vault-unlock", async () => {
    const { autoLockMinutes } = await getSettings();
    const form = unlockForm({ vault, minutes: autoLockMinutes, unlocked: changed, cancel: changed });
    row.querySelector("form")?.remove();
    row.append(form);
    unlock.hidden = true;
    form.querySelector("input")?.focus();
  });

  row.append(
    h("span", { class: "vault-icon" }, icon(LOCK_ICONS[state])),
    h(
      "div",
      { class: "vault-main" },
      h("strong", {}, name),
      h("span", { class: "muted small" }, `${lockWords(vault)} · ${KIND_WORDS[vault.kind]}`),
    ),
    h(
      "span",
      { class: "buttons" },
      vault.active ? h("span", { class: "chip" }, t("vaults_in_use")) : activate,
      state === "open" && lock,
      state === "locked" && unlock,
    ),
  );
  return row;
}
