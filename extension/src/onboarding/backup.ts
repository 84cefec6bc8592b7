// The backup of a new vault. The password is kept for this step only.

import type { VaultView } from "../../generated/VaultView";
import { exportVault } from "../popup/api";
import { download } from "../popup/download";
import { h } from "../popup/element";
import { taskForm } from "../popup/form";
import { t } from "../popup/i18n";
import type { Step } from "./step";

export function backupStep(vault: VaultView, typed: string, next: (saved: boolean) => void): Step {
  let password = typed;
  const later = h(
    "button",
    { type: "button", class: "link", "data-testid": "onboarding-later", on: { click: () => next(false) } },
    t("onboarding_later"),
  );
  const form = taskForm({
    name: t("onboarding_backup_title"),
    body: [],
    submit: [t("onboarding_backup_save"), t("onboarding_saving")],
    testId: "onboarding-save-backup",
    errorTestId: "onboarding-error",
    async run() {
      download(await exportVault(vault.id, password));
      next(true);
    },
  });
  const element = h(
    "section",
    { class: "view page onboarding", "aria-label": t("onboarding_backup_title") },
    h("h1", { tabindex: -1 }, t("onboarding_backup_title")),
    h("p", {}, t("onboarding_backup_why")),
    h("p", { class: "muted" }, t("onboarding_backup_where")),
    h("div", { class: "panel backup" }, form),
    h("p", { class: "hint put-off" }, later, t("onboarding_backup_until")),
  );
  return { element, forget: () => void (password = "") };
}
