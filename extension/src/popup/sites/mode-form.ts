// Where the wallet is offered to web pages, in plain words. The browser asks for what it needs to permit.

import type { PageMode } from "../../../generated/PageMode";
import type { PageSettings } from "../../../generated/PageSettings";
import { changeSettings } from "../api";
import { h } from "../element";
import { taskForm } from "../form";
import { t } from "../i18n";
import { RequestError } from "../request";

const MODES: readonly (readonly [PageMode, string, string])[] = [
  ["off", t("sites_mode_off"), t("sites_mode_off_text")],
  ["sites", t("sites_mode_sites"), t("sites_mode_sites_text")],
  ["all", t("sites_mode_all"), t("sites_mode_all_text")],
];

export const EVERYWHERE = "https://*/*";

/** The browser asks only right after a press; what it has permitted it does not ask again. */
export async function permitMode(mode: PageMode): Promise<void> {
  if (mode === "all" && !(await chrome.permissions.request({ origins: [EVERYWHERE] }))) {
    throw new RequestError(0, "permission_refused", "");
  }
}

/** A choice of modes. */
export function modeChoice(chosen: PageMode): { element: HTMLElement; value(): PageMode } {
  const boxes = MODES.map(([mode, words, meaning]) => {
    const box = h("input", { type: "radio", name: "pages-mode", value: mode, checked: mode === chosen, "data-testid": `pages-mode-${mode}` });
    const row = h("label", { class: "tick" }, box, h("span", {}, h("b", {}, words), h("span", { class: "hint" }, meaning)));
    return { mode, box, row };
  });
  return {
    element: h("div", { class: "choices", role: "radiogroup", "aria-label": t("sites_mode") }, ...boxes.map(({ row }) => row)),
    value: () => boxes.find(({ box }) => box.checked)?.mode ?? "off",
  };
}

export function modeForm(pages: PageSettings, saved: () => void): HTMLElement {
  const mode = modeChoice(pages.mode);
  const ethereum = h("input", { type: "checkbox", checked: pages.setEthereum, "data-testid": "pages-set-ethereum" });
  return taskForm({
    name: t("sites_mode"),
    body: [
      mode.element,
      h(
        "label",
        { class: "tick" },
        ethereum,
        h("span", {}, t("sites_set_ethereum"), h("span", { class: "hint" }, t("sites_set_ethereum_text"))),
      ),
    ],
    submit: [t("settings_save"), t("settings_saving")],
    testId: "pages-save",
    errorTestId: "pages-error",
    done: t("sites_saved"),
    async run(password) {
      const value = mode.value();
      // Also for the mode that is chosen already: the permission may have been withdrawn in the browser's settings.
      await permitMode(value);
      await changeSettings({ pages: { mode: value, setEthereum: ethereum.checked }, password });
      saved();
    },
  });
}
