// The user's rules, shared by the sections of the panel.

import type { Coin } from "../../../../generated/Coin";
import type { Policy } from "../../../../generated/Policy";
import type { Who } from "../../../../generated/Who";
import { fill, h } from "../../element";
import { changeGuarded } from "../../guarded-change";
import { t } from "../../i18n";
import { iconButton, problem } from "../../parts";
import type { Guarded } from "../../password-gate";
import { plain } from "../../plain";

/** Applies a change to the current rules, and shows the result. The core asks for the password if it loosens them. */
export type Change = (edit: (policy: Policy) => Policy, password?: string) => Promise<void>;

/** One section of the rules. Typed text survives a change in another section. */
export interface Section {
  readonly element: HTMLElement;
  show(policy: Policy, coins: readonly Coin[]): void;
}

/** The coin of a limit, if the vault has it: then amounts are shown in whole coins. The decimals of a token that the user
 * has not confirmed are a claim, with which a limit could mean another amount. */
export function coinOf(coins: readonly Coin[], chain: string, token: string | null): Coin | undefined {
  return coins.find(
    (coin) =>
      coin.confirmed && coin.chain === chain && (token === null ? coin.isNative : coin.contractAddress === token),
  );
}

export function whoWords(who: Who): string {
  switch (who.kind) {
    case "anybody":
      return t("settings_who_everyone");
    case "agent":
      return t("settings_who_agent");
    case "dapp":
      return plain(who.origin);
  }
}

interface Row {
  testId: string;
  main: readonly (Node | string)[];
  /** The button's label and test id. */
  remove: readonly [label: string, testId: string];
  removed: Guarded;
}

/** A rule with a button that removes it. */
export function ruleRow({ testId, main, remove: [label, removeTestId], removed }: Row): HTMLElement {
  const remove = iconButton("bin", label, () => void run(), removeTestId);
  async function run(): Promise<void> {
    if (remove.getAttribute("aria-busy") === "true") return;
    fill(slot);
    remove.setAttribute("aria-busy", "true");
    try {
      await changeGuarded(slot, removed);
    } catch (error) {
      fill(slot, problem(error));
    } finally {
      remove.removeAttribute("aria-busy");
    }
  }
  const slot = h("div", { class: "rule-slot" });
  const row = h("li", { "data-testid": testId }, h("span", { class: "rule-main" }, ...main), remove, slot);
  return row;
}
