// The vault is there: what it can do, and where to go from here.

import type { VaultView } from "../../generated/VaultView";
import { h, icon, type Child } from "../popup/element";
import { plain } from "../popup/plain";
import type { Step } from "./step";

const WALLET = "popup.html?view=tab#wallet";
const SETTINGS = "popup.html?view=tab#settings";

/** `saved` tells of the backup file: made now, put off, or not needed. */
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
      next("Add chains in the wallet. Your address on each follows by itself."),
      next("Tell Countersign where your agent is, in ", h("a", { href: SETTINGS }, "Settings"), "."),
      next("Pin Countersign to the toolbar, so that you see its questions."),
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
  local: "It is locked. You are asked for the password when something is to be signed.",
  shares: "Its addresses are here. This version cannot sign with shares of keys yet.",
  watch: "You see its addresses. What is to be signed must be signed where its keys are.",
};

function next(...words: readonly Child[]): HTMLElement {
  return h("li", {}, ...words);
}
