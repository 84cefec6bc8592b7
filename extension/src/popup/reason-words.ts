// Texts for the policy's reasons.

import type { Prompt } from "../../generated/Prompt";
import type { ReasonCode } from "../../generated/ReasonCode";
import { h } from "./element";
import { speaksEnglish, t } from "./i18n";
import { plain } from "./plain";

/** Short texts for the policy's reasons. */
export const REASON_WORDS: Record<ReasonCode, string> = {
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
  outside_bounds: t("activity_reason_outside_bounds"),
  new_host: t("activity_reason_new_host"),
  new_tool: t("activity_reason_new_tool"),
  definition_changed: t("activity_reason_definition_changed"),
  not_connected: t("activity_reason_not_connected"),
  listed_site: t("activity_reason_listed_site"),
  look_alike_site: t("activity_reason_look_alike_site"),
  mixed_scripts: t("activity_reason_mixed_scripts"),
  encoded_name: t("activity_reason_encoded_name"),
  new_site: t("activity_reason_new_site"),
  page_gone: t("activity_reason_page_gone"),
  already_approved: t("activity_reason_already_approved"),
  simulation_failed: t("activity_reason_simulation_failed"),
  trial_loses_more: t("activity_reason_trial_loses_more"),
  trial_gives_less: t("activity_reason_trial_gives_less"),
  trial_disagrees: t("activity_reason_trial_disagrees"),
  insufficient_balance: t("activity_reason_insufficient_balance"),
  nonce_gap: t("activity_reason_nonce_gap"),
  not_checked: t("activity_reason_not_checked"),
  duplicate_bundle: t("activity_reason_duplicate_bundle"),
  long_lasting: t("activity_reason_long_lasting"),
  doubtful_sign_in: t("activity_reason_doubtful_sign_in"),
  hidden_characters: t("activity_reason_hidden_characters"),
  any_chain: t("activity_reason_any_chain"),
  rule_error: t("activity_reason_rule_error"),
};

/** Reasons whose words say all that the core's sentence says, but for the names in it. */
const SAID: readonly string[] = [
  ...["new_site", "page_gone", "mixed_scripts", "encoded_name", "look_alike_site", "listed_site", "not_connected"],
  ...["long_lasting", "doubtful_sign_in", "hidden_characters", "any_chain"],
  ...["unlimited_approval", "unknown_spender", "first_time_recipient", "unweighed_effect"],
];

/** What a sentence quotes, or else the names of sites in it. */
function namesIn(message: string): string {
  const quoted = message.match(/“[^”]*”/g);
  return [...new Set(quoted ?? message.match(/[\w-]+(\.[\w-]+)+/g) ?? [])].join(", ");
}

/** The core's sentence, which is English; in another language after the words for its code. */
export function reasonSentence(code: string, message: string): string {
  const words = (REASON_WORDS as Partial<Record<string, string>>)[code];
  if (speaksEnglish || words === undefined) return message;
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  const detail = SAID.includes(code) ? namesIn(message) : message;
  return detail === "" ? `${sentence}.` : t("error_with_detail", sentence, detail);
}

/** Why the user is asked, a line each. */
export const reasonHints = (prompt: Prompt | undefined): HTMLElement[] =>
  (prompt?.reasons ?? []).map(({ code, message }) => h("p", { class: "hint" }, plain(reasonSentence(code, message))));
