// The policy's reasons and the nodes' findings as warning boxes.

import type { FindingCode } from "../../../generated/FindingCode";
import type { Reason } from "../../../generated/Reason";
import type { Severity } from "../../../generated/Severity";
import type { Step } from "../../../generated/Step";
import { h } from "../element";
import { t } from "../i18n";
import { plain } from "../plain";
import { reasonSentence } from "../reason-words";

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
  simulation_failed: t("bundle_warn_simulation_failed"),
  insufficient_balance: t("bundle_warn_insufficient_balance"),
  nonce_gap: t("bundle_warn_nonce_gap"),
  not_checked: t("bundle_warn_not_checked"),
  duplicate_bundle: t("bundle_warn_duplicate_bundle"),
  unlimited_approval: t("bundle_warn_unlimited_approval"),
  look_alike: t("bundle_warn_look_alike"),
  replaced_contact: t("bundle_warn_replaced_contact"),
  fresh_contact: t("bundle_warn_fresh_contact"),
  unknown_spender: t("bundle_warn_unknown_spender"),
  unknown_calldata: t("bundle_warn_unknown_calldata"),
  unweighed_effect: t("bundle_warn_unweighed_effect"),
  unknown_token: t("bundle_warn_unknown_token"),
  first_time_recipient: t("bundle_warn_first_time_recipient"),
  high_fee: t("bundle_warn_high_fee"),
  fee_unknown: t("bundle_warn_fee_unknown"),
  trial_loses_more: t("bundle_warn_trial_loses_more"),
  trial_gives_less: t("bundle_warn_trial_gives_less"),
  low_minimum_output: t("bundle_warn_low_minimum_output"),
  trial_disagrees: t("bundle_warn_trial_disagrees"),
  long_lasting: t("bundle_warn_long_lasting"),
  doubtful_sign_in: t("bundle_warn_doubtful_sign_in"),
  hidden_characters: t("bundle_warn_hidden_characters"),
  any_chain: t("bundle_warn_any_chain"),
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
  const step = number === undefined ? "" : t("bundle_warning_step", number);
  return h(
    "li",
    { class: "warning", "data-testid": "bundle-warning", "data-severity": severity, "data-code": code },
    h("b", {}, severity === "block" ? t("bundle_blocked") : (NAMES[code] ?? t("bundle_careful"))),
    h("span", {}, step, plain(reasonSentence(code, message))),
  );
}

export function warningList(reasons: readonly Warning[], numbers?: StepNumbers): HTMLElement | undefined {
  if (reasons.length === 0) return undefined;
  const boxes = reasons.map((it) => warningBox(it, numbers));
  return h("ul", { class: "warnings", "aria-label": t("bundle_warnings") }, ...boxes);
}
