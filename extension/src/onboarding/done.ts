// The last step: the vault is ready, and what to do next.

import type { VaultView } from "../../generated/VaultView";
import { h, icon, type Child } from "../popup/element";
import { plain } from "../popup/plain";
import type { Step } from "./step";

const WALLET = "popup.html?view=tab#wallet";
const SETTINGS = "popup.html?view=tab#settings";

/** `saved`: the backup was saved, skipped, or is not needed. */
export function doneStep(vault: VaultView, saved?: boolean): Step {
  const open = (): void => location.assign(WALLET);
  const element = h(
    "section",
    { class: "view page onboarding done", "aria-label": "Done" },
    h("div", { class: "empty-icon" }, icon("check")),
    h("h1", { tabindex: -1 }, `${plain(vault.name)} is ready`),
    saved === true &&
      h("p", { role: "status" }, "Your backup file is in the downloads folder. Move it somewhere else."),
    saved === false &&
      h(
        "p",
        { class: "notice" },
        h("span", {}, "There is no backup yet. "),
        h("a", { href: SETTINGS }, "Save one in Settings"),
      ),
    h("p", { class: "muted" }, WHAT_NOW[vault.kind]),
    h(
      "ol",
      { class: "next-steps" },
      next("Add chains in the wallet to get an address on each."),
      next("Connect your agent in ", h("a", { href: SETTINGS }, "Settings"), "."),
      next("Pin Countersign to the toolbar to see its requests."),
    ),
    h(
      "div",
      { class: "buttons" },
      h(
        "button",
        { type: "button", class: "primary", "data-testid": "onboarding-done", on: { click: open } },
        "Open the wallet",
      ),
    ),
  );
  return { element, forget: () => {} };
}

const WHAT_NOW: Record<VaultView["kind"], string> = {
  local: "It is locked. You enter the password when you sign.",
  shares: "You see its addresses. This version cannot sign with key shares yet.",
  watch: "You see its addresses. To sign, use the wallet that has its keys.",
};

function next(...words: readonly Child[]): HTMLElement {
  return h("li", {}, ...words);
}
