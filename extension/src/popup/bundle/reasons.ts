// The policy's reasons and the nodes' findings as warning boxes.

import type { FindingCode } from "../../../generated/FindingCode";
import type { Reason } from "../../../generated/Reason";
import type { Severity } from "../../../generated/Severity";
import type { Step } from "../../../generated/Step";
import { h } from "../element";
import { plain } from "../plain";

/** Only risks and blocks; ordinary reasons for a prompt are not warnings. */
export function warnings(reasons: readonly Reason[]): Reason[] {
  return reasons.filter(({ severity }) => severity !== "info");
}

/** A warning of the policy or of the nodes. */
export interface Warning {
  code: string;
  severity: Severity;
  message: string;
  sequence?: number;
}

/** The place of a step, counted from 1, by its sequence. */
export type StepNumbers = ReadonlyMap<number, number>;

/** The policy's code for a finding of the nodes. */
const AS_REASON: Record<FindingCode, string> = {
  simulation_failed: "simulation_failed",
  insufficient_balance: "insufficient_balance",
  gapped: "nonce_gap",
  unchecked: "not_checked",
};

/** A short title of the warning; the default is "Careful". */
const NAMES: Record<string, string> = {
  simulation_failed: "Would fail",
  insufficient_balance: "Balance too low",
  nonce_gap: "Nonce gap",
  not_checked: "Not checked",
  duplicate_bundle: "Duplicate",
  unlimited_approval: "Unlimited",
  look_alike: "Look-alike",
  replaced_contact: "Changed contact",
  fresh_contact: "Saved by the agent",
  unknown_spender: "Unknown spender",
  unknown_calldata: "Not decoded",
  unweighed_effect: "Effect unknown",
  unknown_token: "Unknown token",
  first_time_recipient: "New recipient",
  high_fee: "High fee",
  fee_unknown: "Fee unknown",
  trial_loses_more: "More leaves than is said",
  trial_gives_less: "Gives too little",
  low_minimum_output: "Low minimum",
  trial_disagrees: "The node disagrees",
};

/** The findings that the policy did not include, so that they are shown in every case. */
export function findingsOf(steps: readonly Step[], reasons: readonly Reason[]): Warning[] {
  return steps.flatMap(({ sequence, findings }) =>
    findings
      .map(({ code, message }): Warning => ({ code: AS_REASON[code], severity: gravity(code), message, sequence }))
      .filter(({ code }) => !warnings(reasons).some((it) => it.code === code && it.sequence === sequence)),
  );
}

/** An unchecked step is information, not a warning. */
const gravity = (code: FindingCode): Severity => (code === "unchecked" ? "info" : "warn");

/** `numbers`: the places of the steps, counted from 1, where there are several. */
export function warningBox({ code, severity, message, sequence }: Warning, numbers?: StepNumbers): HTMLElement {
  const number = sequence === undefined ? undefined : numbers?.get(sequence);
  const step = number === undefined ? "" : `Step ${number}: `;
  return h(
    "li",
    { class: "warning", "data-testid": "bundle-warning", "data-severity": severity, "data-code": code },
    h("b", {}, severity === "block" ? "Blocked" : (NAMES[code] ?? "Careful")),
    h("span", {}, step, plain(message)),
  );
}

export function warningList(reasons: readonly Warning[], numbers?: StepNumbers): HTMLElement | undefined {
  if (reasons.length === 0) return undefined;
  return h("ul", { class: "warnings", "aria-label": "Warnings" }, ...reasons.map((it) => warningBox(it, numbers)));
}
