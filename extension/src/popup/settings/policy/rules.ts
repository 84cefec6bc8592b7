// The user's rules, shared by the sections of the panel.

import type { Coin } from "../../../../generated/Coin";
import type { Policy } from "../../../../generated/Policy";
import type { Who } from "../../../../generated/Who";
import { h } from "../../element";
import { iconButton, problem } from "../../parts";
import { plain } from "../../plain";

/** Applies a change to the current rules, and shows the result. */
export type Change = (edit: (policy: Policy) => Policy) => Promise<void>;

/** One section of the rules. Typed text survives a change in another section. */
export interface Section {
  readonly element: HTMLElement;
  show(policy: Policy, coins: readonly Coin[]): void;
}

/** The coin of a limit, if the vault has it: then amounts are shown in whole coins. */
export function coinOf(coins: readonly Coin[], chain: string, token: string | null): Coin | undefined {
  return coins.find(
    (coin) => coin.chain === chain && (token === null ? coin.isNative : coin.contractAddress === token),
  );
}

export function whoWords(who: Who): string {
  switch (who.kind) {
    case "anybody":
      return "everyone, including you";
    case "agent":
      return "the agent";
    case "dapp":
      return plain(who.origin);
  }
}

interface Row {
  testId: string;
  main: readonly (Node | string)[];
  /** The button's label and test id. */
  remove: readonly [label: string, testId: string];
  removed: () => Promise<void>;
}

/** A rule with a button that removes it. */
export function ruleRow({ testId, main, remove: [label, removeTestId], removed }: Row): HTMLElement {
  const remove = iconButton("bin", label, () => void run(), removeTestId);
  async function run(): Promise<void> {
    row.querySelector(".problem")?.remove();
    remove.disabled = true;
    try {
      await removed();
    } catch (error) {
      remove.disabled = false;
      row.append(problem(error));
    }
  }
  const row = h("li", { "data-testid": testId }, h("span", { class: "rule-main" }, ...main), remove);
  return row;
}
