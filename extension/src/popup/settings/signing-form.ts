// When the agent may skip the approval, and how long a vault stays unlocked.

import type { Settings } from "../../../generated/Settings";
import type { SkipApproval } from "../../../generated/SkipApproval";
import { changeSettings } from "../api";
import { h } from "../element";
import { choice, field } from "../field";
import { taskForm } from "../form";
import { t } from "../i18n";

const SKIP_WORDS: Record<SkipApproval, readonly [words: string, meaning: string]> = {
  confirmed: [t("settings_skip_confirmed"), t("settings_skip_confirmed_text")],
  always: [t("settings_skip_always"), t("settings_skip_always_text")],
  never: [t("settings_skip_never"), t("settings_skip_never_text")],
};

const LONGEST_MINUTES = 1440;

export function signingForm({ skipApproval, autoLockMinutes }: Settings): HTMLElement {
  const values = Object.keys(SKIP_WORDS) as SkipApproval[];
  const skip = choice(
    values.map((value) => [value, SKIP_WORDS[value][0]] as const),
    { "data-testid": "settings-skip-approval" },
  );
  skip.value = skipApproval;
  const chosen = (): SkipApproval => values.find((value) => value === skip.value) ?? "never";
  const meaning = h("span", { role: "status" });
  const explain = (): void => void (meaning.textContent = SKIP_WORDS[chosen()][1]);
  skip.addEventListener("change", explain);
  explain();
  const minutes = h("input", {
    type: "number",
    min: 1,
    max: LONGEST_MINUTES,
    step: 1,
    required: true,
    value: autoLockMinutes,
    "data-testid": "settings-auto-lock",
  });
  const form = taskForm({
    name: t("settings_signing"),
    body: [
      field(t("settings_skip_question"), skip, meaning),
      field(t("settings_auto_lock"), minutes, t("settings_auto_lock_hint")),
    ],
    submit: [t("settings_save"), t("settings_saving")],
    testId: "settings-signing-save",
    done: t("settings_saved"),
    async run(password) {
      await changeSettings({ skipApproval: chosen(), autoLockMinutes: minutes.valueAsNumber, password });
    },
  });
  const title = t("settings_signing");
  return h("section", { class: "panel", "aria-label": title }, h("h2", {}, title), form);
}
