// Texts for the entries of the audit log.

import type { AuditEntry } from "../../../generated/AuditEntry";
import type { PromptOutcome } from "../../../generated/PromptOutcome";
import type { ReasonCode } from "../../../generated/ReasonCode";
import { sourceWords } from "../describe";
import { sentenceOf } from "../errors";
import { shortAddress } from "../format";
import { t } from "../i18n";

/** Short texts for the policy's reasons. */
const REASONS: Record<ReasonCode, string> = {
  tap_wanted: t("activity_reason_tap_wanted"),
  tool_asks: t("activity_reason_tool_asks"),
  signing: t("activity_reason_signing"),
  contradiction: t("activity_reason_contradiction"),
  not_owned: t("activity_reason_not_owned"),
  chain_mismatch: t("activity_reason_chain_mismatch"),
  unlimited_approval: t("activity_reason_unlimited_approval"),
  first_time_recipient: t("activity_reason_first_time_recipient"),
  look_alike: t("activity_reason_look_alike"),
  replaced_contact: t("activity_reason_replaced_contact"),
  fresh_contact: t("activity_reason_fresh_contact"),
  unknown_spender: t("activity_reason_unknown_spender"),
  unknown_token: t("activity_reason_unknown_token"),
  low_minimum_output: t("activity_reason_low_minimum_output"),
  fee_unknown: t("activity_reason_fee_unknown"),
  too_many_risks: t("activity_reason_too_many_risks"),
  unknown_calldata: t("activity_reason_unknown_calldata"),
  high_fee: t("activity_reason_high_fee"),
  contract_creation: t("activity_reason_contract_creation"),
  unweighed_effect: t("activity_reason_unweighed_effect"),
  unverified: t("activity_reason_unverified"),
  over_transaction_limit: t("activity_reason_over_transaction_limit"),
  over_daily_limit: t("activity_reason_over_daily_limit"),
  recipient_not_allowed: t("activity_reason_recipient_not_allowed"),
  contract_not_allowed: t("activity_reason_contract_not_allowed"),
  kill_switch: t("activity_reason_kill_switch"),
  tool_denied: t("activity_reason_tool_denied"),
  bounds_used_up: t("activity_reason_bounds_used_up"),
  not_connected: t("activity_reason_not_connected"),
  already_approved: t("activity_reason_already_approved"),
  simulation_failed: t("activity_reason_simulation_failed"),
  trial_loses_more: t("activity_reason_trial_loses_more"),
  trial_gives_less: t("activity_reason_trial_gives_less"),
  trial_disagrees: t("activity_reason_trial_disagrees"),
  insufficient_balance: t("activity_reason_insufficient_balance"),
  nonce_gap: t("activity_reason_nonce_gap"),
  not_checked: t("activity_reason_not_checked"),
  duplicate_bundle: t("activity_reason_duplicate_bundle"),
  rule_error: t("activity_reason_rule_error"),
};

const QUESTIONS: Record<string, string> = {
  tx_bundle_approval: t("activity_asked_bundle"),
  password_required: t("activity_asked_password"),
  confirmation_required: t("activity_asked_action"),
  connect_dapp: t("activity_asked_site"),
};

const OUTCOMES: Record<PromptOutcome, string> = {
  approved: t("activity_you_approved"),
  rejected: t("activity_you_rejected"),
  expired: t("activity_not_answered"),
};

const CHANGES: Record<string, string> = {
  vault_created: t("activity_change_vault_created"),
  vault_deleted: t("activity_change_vault_deleted"),
  vault_exported: t("activity_change_vault_exported"),
  password_changed: t("activity_change_password_changed"),
  vault_unlocked: t("activity_change_vault_unlocked"),
  vault_locked: t("activity_change_vault_locked"),
  wrong_password: t("activity_change_wrong_password"),
  policy_changed: t("activity_change_policy_changed"),
  settings_changed: t("activity_change_settings_changed"),
  dapp_connected: t("activity_change_dapp_connected"),
  dapp_disconnected: t("activity_change_dapp_disconnected"),
  contact_confirmed: t("activity_change_contact_confirmed"),
  token_confirmed: t("activity_change_token_confirmed"),
  token_removed: t("activity_change_token_removed"),
};

export interface AuditWords {
  words: string;
  more: string;
}

export function auditWords(entry: AuditEntry): AuditWords {
  switch (entry.kind) {
    case "verdict": {
      const by = sourceWords(entry.source);
      const tool = toolWords(entry.tool);
      const words = t(entry.verdict === "ask" ? "activity_verdict_ask" : "activity_verdict_block", tool);
      return { words, more: [t("activity_asked_by", by), ...entry.reasons.map((code) => REASONS[code])].join(" · ") };
    }
    case "decision": {
      const more = QUESTIONS[entry.question] ?? t("activity_asked_other", entry.question);
      return { words: OUTCOMES[entry.outcome], more };
    }
    case "result": {
      const words = t(entry.success ? "activity_result_done" : "activity_result_not_done", toolWords(entry.tool));
      const why = entry.error === null ? [] : [errorWords(entry.error)];
      return { words, more: [t("activity_asked_by", sourceWords(entry.source)), ...why].join(" · ") };
    }
    case "checkpoint": {
      const words = entry.removed === 0 ? t("activity_checkpoint_missing") : t("activity_checkpoint_removed");
      return { words, more: t("activity_checkpoint_through", entry.through) };
    }
    case "change":
      return { words: CHANGES[entry.what] ?? toolWords(entry.what), more: subjectWords(entry.subject ?? "") };
  }
}

/** A vault by the ends of its key; a site by its whole origin. */
const subjectWords = (subject: string): string => (/^https?:/.test(subject) ? subject : shortAddress(subject));

/** A tool's name is readable without underscores. */
const toolWords = (tool: string): string => tool.replaceAll("_", " ");

/** The error of a blocked call is the code of its reason. */
function errorWords(code: string): string {
  return (REASONS as Record<string, string>)[code] ?? sentenceOf(code);
}

/** Every identifier and digest of the entry, for comparison. */
export function auditFacts(entry: AuditEntry): [name: string, value: string][] {
  const facts: [string, string][] = [];
  if ("callId" in entry && entry.callId !== null) facts.push([t("activity_fact_action"), entry.callId]);
  if ("promptId" in entry) facts.push([t("activity_fact_request"), entry.promptId]);
  if ("subject" in entry && entry.subject !== null) facts.push([t("activity_fact_about"), entry.subject]);
  if ("shown" in entry) facts.push([t("activity_fact_shown"), entry.shown]);
  if ("params" in entry) facts.push([t("activity_fact_input"), entry.params]);
  if ("result" in entry) facts.push([t("activity_fact_result"), entry.result]);
  if ("lastHash" in entry) facts.push([t("activity_fact_last_hash"), entry.lastHash]);
  facts.push([t("activity_fact_hash"), entry.hash], [t("activity_fact_previous"), entry.previous]);
  return facts;
}
