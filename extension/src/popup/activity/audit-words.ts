// An entry of the audit log in words.

import type { AuditEntry } from "../../../generated/AuditEntry";
import type { PromptOutcome } from "../../../generated/PromptOutcome";
import type { ReasonCode } from "../../../generated/ReasonCode";
import { sourceWords } from "../describe";
import { sentenceOf } from "../errors";
import { shortAddress } from "../format";

/** What each rule of the policy found, in a few words. */
const REASONS: Record<ReasonCode, string> = {
  tap_wanted: "the sender wants a tap",
  tool_asks: "this kind of action always asks",
  signing: "something is to be signed",
  contradiction: "a claim is not true",
  not_owned: "paid from an account that is not yours",
  chain_mismatch: "for another chain than was said",
  unlimited_approval: "permission without a limit",
  first_time_recipient: "a recipient for the first time",
  look_alike: "an address that looks like a known one",
  fresh_contact: "a contact the agent saved just now",
  unknown_calldata: "a contract call that could not be decoded",
  high_fee: "a high fee",
  contract_creation: "a new contract",
  unweighed_effect: "something whose worth nobody here can tell",
  unverified: "a claim that cannot be checked",
  over_transaction_limit: "more than one transaction may move",
  over_daily_limit: "more than a day may move",
  recipient_not_allowed: "a recipient that is not on your list",
  contract_not_allowed: "a contract that is not on your list",
  kill_switch: "you stopped everything",
  tool_denied: "you never allow this",
  bounds_used_up: "your permission is used up",
  not_connected: "the site is not connected",
  already_approved: "you approved the same just before",
  simulation_failed: "tried out beforehand, it fails",
  insufficient_balance: "too little on the account",
  nonce_gap: "a number that is not the account's next",
  not_checked: "no node could be asked beforehand",
  duplicate_bundle: "the same is under way already",
  rule_error: "a rule could not be evaluated",
};

const QUESTIONS: Record<string, string> = {
  tx_bundle_approval: "to sign a bundle",
  password_required: "for the password",
  confirmation_required: "to run an action",
  connect_dapp: "to connect a site",
};

const OUTCOMES: Record<PromptOutcome, string> = {
  approved: "You said yes",
  rejected: "You said no",
  expired: "Nobody answered",
};

const CHANGES: Record<string, string> = {
  vault_created: "A vault came in",
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
      const words = entry.verdict === "ask" ? `You were asked: ${tool}` : `Blocked: ${tool}`;
      return { words, more: [`asked by ${by}`, ...entry.reasons.map((code) => REASONS[code])].join(" · ") };
    }
    case "decision":
      return { words: OUTCOMES[entry.outcome], more: `asked ${QUESTIONS[entry.question] ?? entry.question}` };
    case "result": {
      const words = `${entry.success ? "Done" : "Not done"}: ${toolWords(entry.tool)}`;
      const why = entry.error === null ? [] : [errorWords(entry.error)];
      return { words, more: [`asked by ${sourceWords(entry.source)}`, ...why].join(" · ") };
    }
    case "change":
      return { words: CHANGES[entry.what] ?? toolWords(entry.what), more: subjectWords(entry.subject ?? "") };
  }
}

/** A vault by both ends of its key; a site by its whole address. */
const subjectWords = (subject: string): string => (/^https?:/.test(subject) ? subject : shortAddress(subject));

/** Tools of all kinds come and go; their names are words already. */
const toolWords = (tool: string): string => tool.replaceAll("_", " ");

/** What the policy blocked ends with the code of its reason. */
function errorWords(code: string): string {
  return (REASONS as Record<string, string>)[code] ?? sentenceOf(code);
}

/** Everything that identifies what the entry is about, for those who compare. */
export function auditFacts(entry: AuditEntry): [name: string, value: string][] {
  const facts: [string, string][] = [];
  if ("callId" in entry && entry.callId !== null) facts.push(["Action", entry.callId]);
  if ("promptId" in entry) facts.push(["Question", entry.promptId]);
  if ("subject" in entry && entry.subject !== null) facts.push(["About", entry.subject]);
  if ("shown" in entry) facts.push(["Digest of what was shown", entry.shown]);
  if ("params" in entry) facts.push(["Digest of the input", entry.params], ["Digest of the result", entry.result]);
  facts.push(["Hash", entry.hash], ["Hash before", entry.previous]);
  return facts;
}
