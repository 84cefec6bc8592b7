// A bundle for display: warnings first, then what changes in all, then each step. Used by the approval page and by cards.

import type { Bundle } from "../../../generated/Bundle";
import type { Source } from "../../../generated/Source";
import { h } from "../element";
import { t } from "../i18n";
import { findingsOf, warningList, warnings, type Warning } from "./reasons";
import { stepItem } from "./step";
import { trialPart } from "./trial";

export function bundlePart(bundle: Bundle): HTMLElement {
  const reasons = "reasons" in bundle.verdict ? bundle.verdict.reasons : [];
  const says = t("bundle_sender_says", senderWords(bundle.source));
  // Each once, on top: the last step may be out of view.
  const all: readonly Warning[] = [...warnings(reasons), ...findingsOf(bundle.steps, reasons)];
  const numbers = new Map(bundle.steps.map(({ sequence }, index) => [sequence, index + 1]));
  return h(
    "div",
    { class: "bundle", "data-testid": "bundle", "data-verdict": bundle.verdict.name },
    warningList(all, bundle.steps.length > 1 ? numbers : undefined),
    trialPart(bundle.trial, numbers),
    h("ol", { class: "steps" }, ...bundle.steps.map((step, index) => stepItem(step, index + 1, says))),
  );
}

/** The author of the claims and of the label. */
export function senderWords(source: Source): string {
  switch (source.kind) {
    case "agent":
      return t("bundle_sender_agent");
    case "user":
      return t("bundle_sender_request");
    case "dapp":
      return t("bundle_sender_site");
  }
}

/** A step may have two: a token approval and the swap it is for. */
export function transactionsIn({ steps }: Bundle): number {
  return steps.reduce((sum, { transactions }) => sum + transactions.length, 0);
}
