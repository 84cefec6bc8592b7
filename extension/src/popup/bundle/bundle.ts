// A bundle as a person reads it: warnings first, then each step. Used by the approval window and by cards alike.

import type { Bundle } from "../../../generated/Bundle";
import type { Source } from "../../../generated/Source";
import { h } from "../element";
import { findingsOf, warningList, warnings, type Warning } from "./reasons";
import { stepItem } from "./step";

export function bundlePart(bundle: Bundle): HTMLElement {
  const reasons = "reasons" in bundle.verdict ? bundle.verdict.reasons : [];
  const says = `${senderWords(bundle.source)} says`;
  // One step is in sight with what is said of it; of several, a person may not see the last.
  const all: readonly Warning[] = [...warnings(reasons), ...findingsOf(bundle.steps, reasons)];
  const isAbove = ({ sequence, severity }: Warning): boolean =>
    severity !== "info" && (bundle.steps.length > 1 || sequence === undefined);
  const above = all.filter(isAbove);
  return h(
    "div",
    { class: "bundle", "data-testid": "bundle", "data-verdict": bundle.verdict.name },
    warningList(above, true),
    h("ol", { class: "steps" }, ...bundle.steps.map((step) => stepItem(step, all, says))),
  );
}

/** Whose words the claims and the heading are. */
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

/** A step may have more than one: a permission, and what it is for. */
export function transactionsIn({ steps }: Bundle): number {
  return steps.reduce((sum, { transactions }) => sum + transactions.length, 0);
}
