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
  permission_refused: "Without the browser's permission this address cannot be reached.",

  // Vaults
  wrong_password: "That password is wrong.",
  too_many_attempts: "Too many wrong passwords in a row.",
  weak_password: "The password needs at least 8 characters. Longer is better.",
  passwords_differ: "The two passwords are not the same. Type the same one twice.",
  vault_exists: "This vault is here already.",
  vault_locked: "The vault is locked. Unlock it first.",
  watch_only: "This vault is watch-only: its keys are elsewhere, so there is nothing to unlock, export or sign with.",
  shares_only: "This vault holds one device's share of its keys, and this version cannot sign with it.",
  unsupported_kind: "This version of Countersign cannot make this kind of vault yet.",
  signer_unavailable:
    "The part of the wallet that handles keys could not be loaded. Reload the extension and try again.",
  session_full: "The browser has no room to keep the vault open. Close some tabs and try again.",
  out_of_memory: "There is not enough memory to open the vault. Close some tabs and try again.",
  no_randomness: "This computer gave no random numbers, so no keys were made. Restart the browser and try again.",
  passphrase_too_long: "The passphrase is too long.",
  mnemonic_word_count: "A recovery phrase has 12, 15, 18, 21 or 24 words. Check that none is missing.",
  mnemonic_checksum: "The words do not fit together: one of them is wrong, or two have changed places.",
  not_confirmed: "Type the word “delete” to confirm.",

  // Files
  no_file: "Choose the backup file first.",
  file_password_needed: "This file is protected by a password. Enter the one it was saved with.",
  wrong_file_password: "The file's password is wrong. It is the one that was set when the file was saved.",
  file_too_long: "This file is too large to be a vault's backup.",
  backup_too_long: "This file is too large to be a vault's backup.",
  backup_malformed: "This file is not a backup of a vault.",
  backup_version: "This backup was made by a newer version of Countersign. Please update the extension.",
  backup_changed: "This file was changed after it was saved: its addresses are not those of its keys. Do not use it.",
  vult_too_long: "This file is too large to be a vault's backup.",
  vult_malformed: "This file is not a vault backup that Countersign can read.",
  seal_too_long: "This file is too large to be a vault's backup.",
  seal_malformed: "The vault's encrypted part could not be read.",
  seal_version: "This vault was saved by a newer version of Countersign. Please update the extension.",
  seal_parameters: "This file asks for more work than is safe to do, so it was not opened.",
  secret_malformed: "The vault's keys could not be read.",
  secret_version: "This vault was saved by a newer version of Countersign. Please update the extension.",

  // The person's own rules
  invalid_amount: "Enter an amount as a plain number, for example 0.5.",
  amount_too_precise: "This coin does not have that many decimal places.",
  empty_limit: "Enter an amount for one transaction, for a day, or both.",
  invalid_origin: "Enter the website's address, for example https://example.org.",
  duplicate_rule: "There is such a rule already.",
  too_many_rules: "There are too many rules. Remove one first.",

  // Questions
  rejected_by_user: "You rejected this.",
  consent_expired: "Nobody answered in time, so it was not done.",
  already_answered: "This question was already answered.",
  prompt_not_found: "This question is no longer open.",
  stale_answer: "What is asked is no longer what is shown here. Open the question again before you answer it.",
  bundle_not_found: "These transactions are no longer on record.",
  bundle_ended: "It has ended already.",
  bundle_gone: "The record of what was to be signed is no longer there, so nothing was signed.",
  digest_mismatch: "The transactions are not the ones that were approved, so nothing was signed.",

  // Transactions under way
  wrong_network:
    "The node that was asked belongs to another network, so nothing was sent. Check the endpoint in Settings.",
  receipt_timeout:
    "It was sent, and no confirmation came in time. It may still go through: look it up before you try again.",
  stopped_by_user: "You stopped it before its next step.",
  stopped: "It ended before every step was begun.",
  kill_switch: "You had stopped everything, so nothing more was signed.",
  duplicate_bundle: "The same transactions are under way or were sent already.",
  no_endpoint: "No node is known for this chain. Enter one in Settings.",

  // Actions
  unknown_tool: "This version of Countersign does not know this kind of action, so nothing was done.",
  all_entries_failed: "None of it could be done.",
  already_exists: "It is there already.",
  not_found: "Nothing like this was found.",
  ambiguous_match: "More than one contact fits, so none was deleted.",
  unknown_chain: "This chain is not known. Choose one from the list.",
  no_vault: "There is no vault yet. Set one up first.",
  unsupported_chain: "This chain needs a key that your vault does not have.",
};

/** Codes whose sentence is worth little without what follows the code. */
const OPENINGS: Record<string, string> = {
  agent_error: "The agent reported an error",
  answer_lost: "The agent's answer broke off; please ask again",
  bad_answer: "The agent's answer could not be understood",
  refused: "The agent did not take this",
  malformed_action: "The request was not well formed, so nothing was done",
  invalid_params: "Something in the request is wrong, so nothing was done",
  stale_transaction: "The chain cannot take this transaction any more, so it was given up",
  broadcast_rejected: "The node refused the transaction",
  transaction_failed: "The chain ran the transaction, took its fee, and it failed",
  simulation_failed: "Tried out beforehand, it fails",
  insufficient_balance: "The account has too little for it",
  invalid_address: "This is not a valid address",
  mnemonic_unknown_word: "Check the spelling",
  invalid_public_key: "A public key is wrong",
  invalid_private_key: "A private key is wrong",
};

/** What the parts of a refused request are called on this page. */
const FIELDS: Record<string, string> = {
  "/backend/url": "The address",
  "/backend/token": "The token",
  "/publicKeyEcdsa": "The ECDSA public key",
  "/publicKeyEddsa": "The EdDSA public key",
  "/hexChainCode": "The chain code",
  "/keys/ecdsa": "The ECDSA private key",
  "/keys/eddsa": "The EdDSA private key",
  "/keys/chainCode": "The chain code",
  "/autoLockMinutes": "The number of minutes",
  "/content": "The message",
  "/endpoints/*/url": "The address",
  "/endpoints/*/others": "The list of addresses",
  "/endpoints/*/others/*": "Each address",
  "/endpoints/*/statusUrl": "The address for receipts",
};

/** The stable part of a result's `code` or `code: detail`. */
export const codeOf = (error: string): string => error.split(": ", 1)[0] ?? "";

/** Words for a result's `code` or `code: detail`. */
export function sentenceOf(error: string): string {
  const [code = "", ...rest] = error.split(": ");
  return compose(code, rest.join(": ")) ?? sentence(rest.join(": ") || code.replaceAll("_", " "));
}

/** Words for anything that was thrown while the worker was asked. */
export function explain(error: unknown): string {
  if (!(error instanceof RequestError)) return "Something unexpected went wrong. Please try again.";
  const field = FIELDS[kindOf(error.path ?? "")];
  if (field !== undefined && SENTENCES[error.code] === undefined) return blame(error.path ?? "", field, error.message);
  return compose(error.code, error.message) ?? sentence(error.message);
}

/** A place without the chain's name and the number that it has in a list. */
function kindOf(path: string): string {
  return path.replace(/^(\/endpoints)\/[^/]+/, "$1/*").replace(/\/\d+$/, "/*");
}

/** Some messages begin with the field's own name, some with a verb that wants one, some stand beside it. */
function blame(path: string, field: string, message: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const verb = message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
  return sentence(/^(must|is|has) /.test(verb) ? `${field} ${verb}` : `${field}: ${verb}`);
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
