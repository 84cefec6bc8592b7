// A bundle for display: warnings first, then what changes in all, then each step. Used by the approval page and by cards.

import type { Bundle } from "../../../generated/Bundle";
import type { Source } from "../../../generated/Source";
import { h } from "../element";
import { findingsOf, warningList, warnings, type Warning } from "./reasons";
import { stepItem } from "./step";
import { trialPart } from "./trial";

export function bundlePart(bundle: Bundle): HTMLElement {
  const reasons = "reasons" in bundle.verdict ? bundle.verdict.reasons : [];
  const says = `${senderWords(bundle.source)} says`;
  // With several steps the warnings are repeated on top, because the last step may be out of view.
  const all: readonly Warning[] = [...warnings(reasons), ...findingsOf(bundle.steps, reasons)];
  const isAbove = ({ sequence, severity }: Warning): boolean =>
    severity !== "info" && (bundle.steps.length > 1 || sequence === undefined);
  const above = all.filter(isAbove);
  return h(
    "div",
    { class: "bundle", "data-testid": "bundle", "data-verdict": bundle.verdict.name },
    warningList(above, true),
    trialPart(bundle.trial),
    h("ol", { class: "steps" }, ...bundle.steps.map((step) => stepItem(step, all, says))),
  );
}

/** The author of the claims and of the label. */
export function senderWords(source: Source): string {
  switch (source.kind) {
    case "agent":
      return "The agent";
    case "user":
      return "The request";
    case "dapp":
      return "The site";
  }
}

/** A step may have two: a token approval and the swap it is for. */
export function transactionsIn({ steps }: Bundle): number {
  return steps.reduce((sum, { transactions }) => sum + transactions.length, 0);
}
