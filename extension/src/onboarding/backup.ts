// The backup of a new vault. The password is kept for this step only.

import type { VaultView } from "../../generated/VaultView";
import { exportVault } from "../popup/api";
import { download } from "../popup/download";
import { h } from "../popup/element";
import { taskForm } from "../popup/form";
import type { Step } from "./step";

export function backupStep(vault: VaultView, typed: string, next: (saved: boolean) => void): Step {
  let password = typed;
  const later = h(
    "button",
    { type: "button", class: "link", "data-testid": "onboarding-later", on: { click: () => next(false) } },
    "I’ll do it later",
  );
  const form = taskForm({
    name: "Save your backup file",
    body: [],
    submit: ["Save backup file", "Saving…"],
    testId: "onboarding-save-backup",
    errorTestId: "onboarding-error",
    async run() {
      download(await exportVault(vault.id, password));
      next(true);
    },
  });
  const element = h(
    "section",
    { class: "view page onboarding", "aria-label": "Save your backup file" },
    h("h1", { tabindex: -1 }, "Save your backup file"),
    h(
      "p",
      {},
      "With this file and your password you can restore the vault on any computer. Without them it cannot be " +
        "restored if this computer is lost or the browser’s data is deleted.",
    ),
    h(
      "p",
      { class: "muted" },
      "The file is encrypted with your password. Keep it somewhere else, for example on a USB stick.",
    ),
    h("div", { class: "panel backup" }, form),
    h(
      "p",
      { class: "hint put-off" },
      later,
      "Until then the vault exists only in this browser. You can save the backup in Settings, under Vaults.",
    ),
  );
  return { element, forget: () => void (password = "") };
}
