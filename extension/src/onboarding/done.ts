// The last step: the vault is ready, and what to do next.

import type { VaultView } from "../../generated/VaultView";
import { h, icon, type Child } from "../popup/element";
import { t, tParts } from "../popup/i18n";
import { plain } from "../popup/plain";
import { pagesPart } from "./pages";
import type { Step } from "./step";

const WALLET = "popup.html?view=tab#wallet";
const SETTINGS = "popup.html?view=tab#settings";

/** `saved`: the backup was saved, skipped, or is not needed. */
export function doneStep(vault: VaultView, saved?: boolean): Step {
  const open = (): void => location.assign(WALLET);
  const element = h(
    "section",
    { class: "view page onboarding done", "aria-label": t("onboarding_done") },
    h("div", { class: "empty-icon" }, icon("check")),
    h("h1", { tabindex: -1 }, t("onboarding_ready", plain(vault.name))),
    saved === true && h("p", { role: "status" }, t("onboarding_backup_saved")),
    saved === false &&
      h(
        "p",
        { class: "notice" },
        h("span", {}, `${t("onboarding_backup_none")} `),
        h("a", { href: SETTINGS }, t("onboarding_backup_none_link")),
      ),
    h("p", { class: "muted" }, WHAT_NOW[vault.kind]),
    h(
      "ol",
      { class: "next-steps" },
      next(t("onboarding_next_chains")),
      next(...tParts("onboarding_next_agent", h("a", { href: SETTINGS }, t("onboarding_next_agent_link")))),
      next(t("onboarding_next_pin")),
    ),
    pagesPart(),
    h(
      "div",
      { class: "buttons" },
      h(
        "button",
        { type: "button", class: "primary", "data-testid": "onboarding-done", on: { click: open } },
        t("onboarding_open_wallet"),
      ),
    ),
  );
  return { element, forget: () => {} };
}

const WHAT_NOW: Record<VaultView["kind"], string> = {
  local: t("onboarding_now_local"),
  shares: t("onboarding_now_shares"),
  watch: t("onboarding_now_watch"),
};

function next(...words: readonly Child[]): HTMLElement {
  return h("li", {}, ...words);
}
