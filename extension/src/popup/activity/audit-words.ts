// Texts for the entries of the audit log.

import type { AuditEntry } from "../../../generated/AuditEntry";
import type { PromptOutcome } from "../../../generated/PromptOutcome";
import type { ReasonCode } from "../../../generated/ReasonCode";
import { sourceWords } from "../describe";
import { sentenceOf } from "../errors";
import { shortAddress } from "../format";

/** Short texts for the policy's reasons. */
const REASONS: Record<ReasonCode, string> = {
  tap_wanted: "the sender asks for your approval",
  tool_asks: "this kind of action always needs approval",
  signing: "it signs a transaction",
  contradiction: "a claim is not true",
  not_owned: "paid from an account that is not yours",
  chain_mismatch: "for another chain than claimed",
  unlimited_approval: "unlimited token approval",
  first_time_recipient: "first payment to this recipient",
  look_alike: "an address that looks like a known one",
  replaced_contact: "another address under a contact's name",
  fresh_contact: "a contact that you have not confirmed",
  unknown_spender: "nothing is known of who may take tokens",
  unknown_token: "a token whose contract is not known",
  low_minimum_output: "a swap without a minimum",
  fee_unknown: "an unknown fee",
  too_many_risks: "more risks than can be shown",
  unknown_calldata: "a contract call that could not be decoded",
  high_fee: "a high fee",
  contract_creation: "a new contract",
  unweighed_effect: "an effect of unknown value",
  unverified: "a claim that cannot be checked",
  over_transaction_limit: "over your limit for one transaction",
  over_daily_limit: "over your daily limit",
  recipient_not_allowed: "a recipient that is not on your list",
  contract_not_allowed: "a contract that is not on your list",
  kill_switch: "you stopped everything",
  tool_denied: "you never allow this",
  bounds_used_up: "your permission is used up",
  not_connected: "the site is not connected",
  already_approved: "you just approved the same transactions",
  simulation_failed: "it fails in a simulation",
  trial_loses_more: "more leaves in a simulation than was decoded",
  trial_gives_less: "a swap gives too little in a simulation",
  trial_disagrees: "a simulation differs from what was decoded",
  insufficient_balance: "the account's balance is too low",
  nonce_gap: "the nonce is not the account's next",
  not_checked: "no node could check it",
  duplicate_bundle: "the same transactions are already running",
  rule_error: "a rule could not be evaluated",
};

const QUESTIONS: Record<string, string> = {
  tx_bundle_approval: "to sign a bundle",
  password_required: "for the password",
  confirmation_required: "to run an action",
  connect_dapp: "to connect a site",
};

const OUTCOMES: Record<PromptOutcome, string> = {
  approved: "You approved",
  rejected: "You rejected",
  expired: "Not answered",
};

const CHANGES: Record<string, string> = {
  vault_created: "A vault was added",
  vault_deleted: "A vault was deleted",
  vault_exported: "A vault's backup was saved",
  password_changed: "A vault's password was changed",
  vault_unlocked: "A vault was unlocked",
  vault_locked: "A vault was locked",
  wrong_password: "A wrong password was entered",
  policy_changed: "Your rules were changed",
  settings_changed: "Settings were changed",
  dapp_connected: "A site was connected",
  dapp_disconnected: "A site was disconnected",
  contact_confirmed: "You confirmed a contact",
  token_confirmed: "You confirmed a token",
  token_removed: "You removed a token",
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
      const words = entry.verdict === "ask" ? `Asked for approval: ${tool}` : `Blocked: ${tool}`;
      return { words, more: [`asked by ${by}`, ...entry.reasons.map((code) => REASONS[code])].join(" · ") };
    }
    case "decision":
      return { words: OUTCOMES[entry.outcome], more: `asked ${QUESTIONS[entry.question] ?? entry.question}` };
    case "result": {
      const words = `${entry.success ? "Done" : "Not done"}: ${toolWords(entry.tool)}`;
      const why = entry.error === null ? [] : [errorWords(entry.error)];
      return { words, more: [`asked by ${sourceWords(entry.source)}`, ...why].join(" · ") };
    }
    case "checkpoint": {
      const words = entry.removed === 0 ? "Older entries are missing" : "Old entries were removed";
      return { words, more: `up to entry ${entry.through}` };
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
  if ("callId" in entry && entry.callId !== null) facts.push(["Action", entry.callId]);
  if ("promptId" in entry) facts.push(["Request", entry.promptId]);
  if ("subject" in entry && entry.subject !== null) facts.push(["About", entry.subject]);
  if ("shown" in entry) facts.push(["Digest of what was shown", entry.shown]);
  if ("params" in entry) facts.push(["Digest of the input", entry.params], ["Digest of the result", entry.result]);
  if ("lastHash" in entry) facts.push(["Hash of the last removed entry", entry.lastHash]);
  facts.push(["Hash", entry.hash], ["Previous hash", entry.previous]);
  return facts;
}
