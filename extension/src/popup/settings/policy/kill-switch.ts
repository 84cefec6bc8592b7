// The kill switch.

import { fill, h, icon } from "../../element";
import { changeGuarded } from "../../guarded-change";
import { t } from "../../i18n";
import { problem, whileBusy } from "../../parts";
import type { Change, Section } from "./rules";

export function killSwitch(change: Change): Section {
  const title = h("strong", {});
  const text = h("span", {});
  const button = h("button", { type: "button", role: "switch", "data-testid": "policy-kill-switch" });
  const slot = h("div", { class: "notice-slot" });
  const element = h(
    "div",
    { class: "kill-switch" },
    icon("lock"),
    h("span", { class: "rule-main" }, title, text),
    button,
    slot,
  );
  let stopped = false;

  async function toggle(): Promise<void> {
    const next = !stopped;
    fill(slot);
    try {
      await changeGuarded(slot, async (password) => {
        await whileBusy(button, next ? t("settings_stopping") : t("settings_resuming"), () =>
          change((policy) => ({ ...policy, killSwitch: next }), password),
        );
        render();
      });
    } catch (error) {
      fill(slot, problem(error));
    }
  }

  function render(): void {
    element.dataset["stopped"] = String(stopped);
    button.setAttribute("aria-checked", String(stopped));
    button.className = stopped ? "primary" : "danger";
    button.textContent = stopped ? t("settings_resume") : t("settings_stop");
    button.setAttribute("aria-label", t("settings_stop"));
    title.textContent = stopped ? t("settings_stopped") : t("settings_emergency");
    text.textContent = stopped ? t("settings_stopped_text") : t("settings_emergency_text");
  }

  button.addEventListener("click", () => void toggle());
  return {
    element,
    show(policy) {
      stopped = policy.killSwitch;
      if (button.getAttribute("aria-busy") !== "true") render();
    },
  };
}
