// One vault in the list: activate, lock, unlock.

import type { VaultView } from "../../../generated/VaultView";
import { activateVault, getSettings, lockVault } from "../api";
import { h, icon } from "../element";
import { problem, whileBusy } from "../parts";
import { plain } from "../plain";
import { unlockForm } from "./unlock-form";
import { KIND_WORDS, LOCK_ICONS, lockState, lockWords } from "./words";

export function vaultRow(vault: VaultView, changed: () => void): HTMLElement {
  const state = lockState(vault);
  const name = plain(vault.name);
  const row = h("li", { class: "vault-row", "data-testid": "vault-row", "data-id": vault.id, "data-state": state });

  const button = (words: string, testId: string, busy: string, work: () => Promise<void>): HTMLButtonElement => {
    const attributes = { type: "button", "aria-label": `${words} ${name}`, "data-testid": testId };
    const made = h("button", attributes, words);
    made.addEventListener("click", () => {
      row.querySelector(".problem")?.remove();
      whileBusy(made, busy, work).catch((error: unknown) => row.append(problem(error)));
    });
    return made;
  };

  const activate = button("Use this", "vault-activate", "Switching…", async () => {
    await activateVault(vault.id);
    changed();
  });
  const lock = button("Lock", "vault-lock", "Locking…", async () => {
    await lockVault(vault.id);
    changed();
  });
  const unlock = button("Unlock", "vault-unlock", "Unlock", async () => {
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
      vault.active ? h("span", { class: "chip" }, "In use") : activate,
      state === "open" && lock,
      state === "locked" && unlock,
    ),
  );
  return row;
}
