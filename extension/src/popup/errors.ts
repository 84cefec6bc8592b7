// Every stable error code that a person can meet, in words that say what to do next.

import { RequestError } from "./request";

/** Codes whose sentence says all there is to say. */
const SENTENCES: Record<string, string> = {
  // The worker and its store
  core_crashed: "The wallet core stopped and was restarted. Nothing recorded is lost; please try again.",
  core_not_loaded: "The wallet core could not be loaded. Reload the extension, or install it again.",
  worker_gone: "The wallet's background worker did not answer. Please try again.",
  unreadable_answer: "The wallet gave an answer that could not be read. Please try again.",
  schema_too_new: "Your data was written by a newer version of Countersign. Please update the extension.",
  storage_unavailable: "The browser's storage is not available. Free some disk space and try again.",
  corrupt_record: "A stored record could not be read.",
  conflict: "It was changed somewhere else at the same moment. Please try again.",
  body_too_large: "That is too long. Please send less at once.",
  call_not_found: "This action is no longer in the log.",
  vault_not_found: "This vault is no longer in use.",
  conversation_not_found: "This conversation no longer exists.",

  // The agent
  no_backend: "No agent is connected yet. Enter its address in Settings.",
  auth_required: "The agent wants a valid access token. Enter one in Settings.",
  permission_refused: "Without the browser's permission for this address the agent cannot be reached.",

  // Questions
  rejected_by_user: "You rejected this.",
  consent_expired: "Nobody answered in time, so it was not done.",
  already_answered: "This question was already answered.",
  prompt_not_found: "This question is no longer open.",

  // Actions
  unknown_tool: "This version of Countersign does not know this kind of action, so nothing was done.",
  tool_unsupported: "This version of Countersign cannot do this yet, so nothing was done.",
  all_entries_failed: "None of it could be done.",
  already_exists: "It is there already.",
  not_found: "Nothing like this was found.",
  ambiguous_match: "More than one contact fits, so none was deleted.",
  unknown_chain: "This chain is not known. Choose one from the list.",
  no_vault: "There is no vault yet. Enter its public keys in Settings.",
  unsupported_chain: "This chain needs a key that your vault does not have.",
  invalid_public_key: "One of your vault's public keys is not a key. Enter them again in Settings.",
};

/** Codes whose sentence is worth little without what follows the code. */
const OPENINGS: Record<string, string> = {
  agent_error: "The agent reported an error",
  answer_lost: "The agent's answer broke off; please ask again",
  bad_answer: "The agent's answer could not be understood",
  refused: "The agent did not take this",
  malformed_action: "The request was not well formed, so nothing was done",
  invalid_params: "Something in the request is wrong, so nothing was done",
  invalid_address: "This is not a valid address",
};

/** What the parts of a refused request are called on this page. */
const FIELDS: Record<string, string> = {
  "/backend/url": "The address",
  "/backend/token": "The token",
  "/vault/name": "The name",
  "/vault/publicKeyEcdsa": "The ECDSA public key",
  "/vault/publicKeyEddsa": "The EdDSA public key",
  "/vault/hexChainCode": "The chain code",
  "/content": "The message",
};

/** Words for a result's `code` or `code: detail`. */
export function sentenceOf(error: string): string {
  const [code = "", ...rest] = error.split(": ");
  return compose(code, rest.join(": ")) ?? sentence(rest.join(": ") || code.replaceAll("_", " "));
}

/** Words for anything that was thrown while the worker was asked. */
export function explain(error: unknown): string {
  if (!(error instanceof RequestError)) return "Something unexpected went wrong. Please try again.";
  const field = FIELDS[error.path ?? ""];
  if (field !== undefined) return sentence(`${field} ${error.message}`);
  return compose(error.code, error.message) ?? sentence(error.message);
}

function compose(code: string, detail: string): string | undefined {
  const opening = OPENINGS[code];
  if (opening !== undefined) return sentence(detail === "" ? opening : `${opening}: ${detail}`);
  return SENTENCES[code];
}

function sentence(text: string): string {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(full) ? full : `${full}.`;
}
