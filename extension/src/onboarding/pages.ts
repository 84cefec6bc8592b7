// Asks where pages should find the wallet. Unanswered, they find it nowhere.

import { changeSettings, getSettings } from "../popup/api";
import { fill, h } from "../popup/element";
import { taskForm } from "../popup/form";
import { t } from "../popup/i18n";
import { modeChoice, permitMode } from "../popup/sites/mode-form";

export function pagesPart(): HTMLElement {
  const slot = h("div", {});
  // The page works without the answer too.
  void ask(slot).catch(() => undefined);
  return slot;
}

async function ask(slot: HTMLElement): Promise<void> {
  const { pages } = await getSettings();
  // Answered before, for an earlier vault.
  if (pages.mode !== "off") return;
  const mode = modeChoice("sites");
  const form = taskForm({
    name: t("sites_onboarding"),
    body: [mode.element],
    submit: [t("sites_onboarding_save"), t("settings_saving")],
    testId: "onboarding-pages",
    tone: "primary",
    done: t("sites_onboarding_saved"),
    async run(password) {
      await permitMode(mode.value());
      await changeSettings({ pages: { mode: mode.value() }, password });
    },
  });
  fill(slot, h("section", { class: "panel" }, h("h2", {}, t("sites_onboarding")), h("p", { class: "hint" }, t("sites_onboarding_text")), form));
}
