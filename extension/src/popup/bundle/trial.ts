// What the vault will have less and more of: the trial runs of the chains' nodes, shown as the nodes' word.

import type { Asset } from "../../../generated/Asset";
import type { BalanceChange } from "../../../generated/BalanceChange";
import type { NoTrialReason } from "../../../generated/NoTrialReason";
import type { TrialGap } from "../../../generated/TrialGap";
import type { TrialRun } from "../../../generated/TrialRun";
import { h } from "../element";
import { t } from "../i18n";
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

const NO_TRIAL: Record<NoTrialReason, string> = {
  node_has_none: t("bundle_no_trial_node_has_none"),
  chain_has_none: t("bundle_no_trial_chain_has_none"),
  not_needed: t("bundle_no_trial_not_needed"),
  after_other_chain: t("bundle_no_trial_after_other_chain"),
  no_answer: t("bundle_no_trial_no_answer"),
  unreadable: t("bundle_no_trial_unreadable"),
};

const GAPS: Record<TrialGap, string> = {
  later_transactions: t("bundle_gap_later"),
  after_other_chain: t("bundle_gap_after_other_chain"),
  table_accounts: t("bundle_gap_table_accounts"),
  more_assets: t("bundle_gap_more_assets"),
};

export function trialWords({ outcome }: TrialRun, numbers: StepNumbers): TrialWords {
  if (outcome.kind === "not_run") return { lines: [], notes: [NO_TRIAL[outcome.reason]] };
  const { changes, fee, failure, gaps } = outcome;
  const lines: TrialLine[] = changes.map(changeLine);
  if (fee !== null && fee.units !== "0") lines.push({ direction: "fee", words: t("bundle_trial_fee", fee.shown) });
  const notes = gaps.map((gap) => GAPS[gap]);
  if (failure !== null) {
    const number = failure.sequence === null ? undefined : numbers.get(failure.sequence);
    const { reason } = failure;
    const fails = number === undefined ? t("bundle_trial_fails", reason) : t("bundle_trial_step_fails", number, reason);
    notes.unshift(fails, t("bundle_trial_not_counted"));
  } else if (changes.length === 0 && gaps.length === 0) {
    notes.unshift(t("bundle_trial_no_change"));
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
      return { direction, words: `${sign} ${several}${t("bundle_item", asset.id)}`, id: asset.collection };
    }
  }
}

/** A token without a name here has no known decimals either: its amount is in smallest units. */
function tokenAmount(asset: Extract<Asset, { kind: "token" }>, { units, shown }: BalanceChange["amount"]): string {
  return asset.ticker === null && asset.source === null
    ? t("bundle_trial_unknown_units", units)
    : shown;
}

/** The trial runs of a bundle; nothing for one that was stored before there were any. */
export function trialPart(trial: readonly TrialRun[], numbers: StepNumbers): HTMLElement | undefined {
  if (trial.length === 0) return undefined;
  const ran = trial.some(({ outcome }) => outcome.kind === "ran");
  return h(
    "section",
    { class: "trial", "data-testid": "bundle-trial" },
    h("h3", {}, t("bundle_trial_title")),
    ...trial.map((run) => chainPart(run, numbers)),
    ran &&
      h(
        "p",
        { class: "muted small" },
        t("bundle_trial_note"),
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
