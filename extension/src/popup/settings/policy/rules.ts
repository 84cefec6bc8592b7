// The person's rules, as the sections of the panel share them.

import type { Coin } from "../../../../generated/Coin";
import type { Policy } from "../../../../generated/Policy";
import type { Who } from "../../../../generated/Who";
import { h } from "../../element";
import { iconButton, problem } from "../../parts";
import { plain } from "../../plain";

/** Makes a change to the rules as they are now, and shows what came of it. */
export type Change = (edit: (policy: Policy) => Policy) => Promise<void>;

/** One part of the rules. What is typed in it survives a change elsewhere. */
export interface Section {
  readonly element: HTMLElement;
  show(policy: Policy, coins: readonly Coin[]): void;
}

/** The coin that a limit is about, if the vault has it: then its amounts can be told in whole coins. */
export function coinOf(coins: readonly Coin[], chain: string, token: string | null): Coin | undefined {
  return coins.find(
    (coin) => coin.chain === chain && (token === null ? coin.isNative : coin.contractAddress === token),
  );
}

export function whoWords(who: Who): string {
  switch (who.kind) {
    case "anybody":
      return "anyone, you too";
    case "agent":
      return "the agent";
    case "dapp":
      return plain(who.origin);
  }
}

interface Row {
  testId: string;
  main: readonly (Node | string)[];
  /** What the button is for, and what it is found by. */
  remove: readonly [label: string, testId: string];
  removed: () => Promise<void>;
}

/** A rule with a button that takes it away. */
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
