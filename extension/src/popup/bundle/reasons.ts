// What the policy found, and what the chains' nodes say beforehand, as boxes that cannot be overlooked.

import type { FindingCode } from "../../../generated/FindingCode";
import type { Reason } from "../../../generated/Reason";
import type { Severity } from "../../../generated/Severity";
import type { Step } from "../../../generated/Step";
import { h } from "../element";
import { plain } from "../plain";

/** Only risks and refusals; the usual reasons to ask are no news. */
export function warnings(reasons: readonly Reason[]): Reason[] {
  return reasons.filter(({ severity }) => severity !== "info");
}

/** A warning, whoever found it. */
export interface Warning {
  code: string;
  severity: Severity;
  message: string;
  sequence?: number;
}

/** What the policy calls a finding of the nodes. */
const AS_REASON: Record<FindingCode, string> = {
  simulation_failed: "simulation_failed",
  insufficient_balance: "insufficient_balance",
  gapped: "nonce_gap",
  unchecked: "not_checked",
};

/** What kind of warning it is, in a word or two; most are a reason to be careful. */
const NAMES: Record<string, string> = {
  simulation_failed: "Would fail",
  insufficient_balance: "Not enough there",
  nonce_gap: "Would have to wait",
  not_checked: "Not checked",
  duplicate_bundle: "Seen before",
};

/** The findings that the policy has not passed on, whatever its reason: nobody signs without having seen them. */
export function findingsOf(steps: readonly Step[], reasons: readonly Reason[]): Warning[] {
  return steps.flatMap(({ sequence, findings }) =>
    findings
      .map(({ code, message }): Warning => ({ code: AS_REASON[code], severity: gravity(code), message, sequence }))
      .filter(({ code }) => !warnings(reasons).some((it) => it.code === code && it.sequence === sequence)),
  );
}

/** That nobody could be asked is worth knowing, and no reason to be afraid. */
const gravity = (code: FindingCode): Severity => (code === "unchecked" ? "info" : "warn");

export function warningBox({ code, severity, message, sequence }: Warning, withStep: boolean): HTMLElement {
  const step = withStep && sequence !== undefined ? `Step ${sequence}: ` : "";
  return h(
    "li",
    { class: "warning", "data-testid": "bundle-warning", "data-severity": severity, "data-code": code },
    h("b", {}, severity === "block" ? "Blocked" : (NAMES[code] ?? "Careful")),
    h("span", {}, step, plain(message)),
  );
}

export function warningList(reasons: readonly Warning[], withStep: boolean): HTMLElement | undefined {
  if (reasons.length === 0) return undefined;
  return h("ul", { class: "warnings", "aria-label": "Warnings" }, ...reasons.map((it) => warningBox(it, withStep)));
}
