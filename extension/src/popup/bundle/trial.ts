// What the vault will have less and more of: the trial runs of the chains' nodes, shown as the nodes' word.

import type { Asset } from "../../../generated/Asset";
import type { BalanceChange } from "../../../generated/BalanceChange";
import type { NoTrialReason } from "../../../generated/NoTrialReason";
import type { TrialGap } from "../../../generated/TrialGap";
import type { TrialRun } from "../../../generated/TrialRun";
import { h } from "../element";
import { plain } from "../plain";
import type { StepNumbers } from "./reasons";

/** One line of a run; `id` tells tokens of one name apart. */
export interface TrialLine {
  direction: "less" | "more" | "fee";
  words: string;
  id?: string;
}

/** The texts for one chain. */
export interface TrialWords {
  lines: TrialLine[];
  /** Whole sentences below the lines. */
  notes: string[];
}

const REASONS: Record<NoTrialReason, string> = {
  node_has_none: "the node does not offer it.",
  chain_has_none: "nodes of this chain do not offer it.",
  not_needed: "a plain payment does what the step says.",
  after_other_chain: "it fails now, because what a step on another chain brings may not be there yet.",
  no_answer: "no node answered.",
  unreadable: "the node's answer could not be read.",
};

const GAPS: Record<TrialGap, string> = {
  later_transactions: "Only the first transaction on this chain was run.",
  after_other_chain: "What comes after a step on another chain could not be tried yet.",
  table_accounts: "Accounts that the transaction names through a lookup table are not counted.",
  more_assets: "More assets change than are listed here.",
};

export function trialWords({ outcome }: TrialRun, numbers: StepNumbers): TrialWords {
  if (outcome.kind === "not_run") return { lines: [], notes: [`No trial run: ${REASONS[outcome.reason]}`] };
  const { changes, fee, failure, gaps } = outcome;
  const lines: TrialLine[] = changes.map(changeLine);
  if (fee !== null && fee.units !== "0") lines.push({ direction: "fee", words: `fee up to ${fee.shown}` });
  const notes = gaps.map((gap) => GAPS[gap]);
  if (failure !== null) {
    const number = failure.sequence === null ? undefined : numbers.get(failure.sequence);
    const step = number === undefined ? "It fails" : `Step ${number} fails`;
    notes.unshift(`${step}: ${failure.reason}`, "Nothing after that is counted.");
  } else if (changes.length === 0 && gaps.length === 0) {
    notes.unshift("No balance changes.");
  }
  return { lines, notes };
}

function changeLine({ asset, direction, amount }: BalanceChange): TrialLine {
  const sign = direction === "less" ? "−" : "+";
  switch (asset.kind) {
    case "native":
      return { direction, words: `${sign} ${amount.shown}` };
    case "token":
      return { direction, words: `${sign} ${tokenAmount(asset, amount)}`, id: asset.id };
    case "item": {
      const several = amount.units === "1" ? "" : `${amount.units} × `;
      return { direction, words: `${sign} ${several}item ${asset.id} of a collection`, id: asset.collection };
    }
  }
}

/** A token without a name here has no known decimals either: its amount is in smallest units. */
function tokenAmount(asset: Extract<Asset, { kind: "token" }>, { units, shown }: BalanceChange["amount"]): string {
  return asset.ticker === null && asset.source === null
    ? `${units} units of an unknown token (decimals unknown)`
    : shown;
}

/** The trial runs of a bundle; nothing for one that was stored before there were any. */
export function trialPart(trial: readonly TrialRun[], numbers: StepNumbers): HTMLElement | undefined {
  if (trial.length === 0) return undefined;
  const ran = trial.some(({ outcome }) => outcome.kind === "ran");
  return h(
    "section",
    { class: "trial", "data-testid": "bundle-trial" },
    h("h3", {}, "What you will have less and more of"),
    ...trial.map((run) => chainPart(run, numbers)),
    ran &&
      h(
        "p",
        { class: "muted small" },
        "This is what the chain's node says after a trial run. It can be wrong, and it can change until the transactions run.",
      ),
  );
}

function chainPart(run: TrialRun, numbers: StepNumbers): HTMLElement {
  const { lines, notes } = trialWords(run, numbers);
  return h(
    "div",
    { class: "trial-chain", "data-testid": "bundle-trial-chain", "data-chain": run.chain, "data-outcome": run.outcome.kind },
    h("h4", {}, run.chain),
    lines.length > 0 && h("ul", { class: "trial-lines" }, ...lines.map(lineItem)),
    ...notes.map((note) => h("p", { class: "small" }, plain(note))),
  );
}

function lineItem({ direction, words, id }: TrialLine): HTMLElement {
  return h(
    "li",
    { "data-direction": direction, "data-testid": "bundle-trial-line" },
    h("span", {}, plain(words)),
    id !== undefined && h("span", { class: "trial-id" }, plain(id)),
  );
}
