// Texts for the entries of the audit log.

import type { AuditEntry } from "../../../generated/AuditEntry";
import type { PromptOutcome } from "../../../generated/PromptOutcome";
import { sourceWords } from "../describe";
import { sentenceOf } from "../errors";
import { shortAddress } from "../format";
import { t } from "../i18n";
import { REASON_WORDS } from "../reason-words";

const QUESTIONS: Record<string, string> = {
  tx_bundle_approval: t("activity_asked_bundle"),
  message_approval: t("activity_asked_message"),
  password_required: t("activity_asked_password"),
  confirmation_required: t("activity_asked_action"),
  elicitation: t("activity_asked_server"),
  connect_dapp: t("activity_asked_site"),
};

const OUTCOMES: Record<PromptOutcome, string> = {
  approved: t("activity_you_approved"),
  rejected: t("activity_you_rejected"),
  expired: t("activity_not_answered"),
  replaced: t("fee_changed"),
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
  secret_saved: t("activity_change_secret_saved"),
  secret_deleted: t("activity_change_secret_deleted"),
  tool_signed_in: t("activity_change_tool_signed_in"),
  tool_signed_out: t("activity_change_tool_signed_out"),
  mcp_signed_in: t("activity_change_mcp_signed_in"),
  mcp_signed_out: t("activity_change_mcp_signed_out"),
  mcp_server_added: t("activity_change_mcp_server_added"),
  mcp_server_changed: t("activity_change_mcp_server_changed"),
  mcp_server_removed: t("activity_change_mcp_server_removed"),
  mcp_definition_allowed: t("activity_change_mcp_definition_allowed"),
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
      return { words, more: [t("activity_asked_by", by), ...entry.reasons.map((code) => REASON_WORDS[code])].join(" · ") };
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
    case "tool_request": {
      const outcome = /^\d+$/.test(entry.outcome) ? entry.outcome : sentenceOf(entry.outcome);
      const more = t("activity_tool_request_more", entry.method, entry.attempt, outcome);
      return { words: t("activity_tool_request", entry.host), more };
    }
    case "checkpoint": {
      const words = entry.removed === 0 ? t("activity_checkpoint_missing") : t("activity_checkpoint_removed");
      return { words, more: t("activity_checkpoint_through", entry.through) };
    }
    case "change":
      return { words: CHANGES[entry.what] ?? toolWords(entry.what), more: subjectWords(entry.subject ?? "") };
  }
}

/** A vault by the ends of its key; a site by its whole origin, a secret by its whole name, a server by name and host. */
const subjectWords = (subject: string): string =>
  /^(https?:|[A-Z][A-Z0-9_]*$)|\s/.test(subject) ? subject : shortAddress(subject);

/** A tool's name is readable without underscores. */
const toolWords = (tool: string): string => tool.replaceAll("_", " ");

/** The error of a blocked call is the code of its reason. */
function errorWords(code: string): string {
  return (REASON_WORDS as Record<string, string>)[code] ?? sentenceOf(code);
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
