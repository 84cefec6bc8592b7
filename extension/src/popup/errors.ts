// Every stable error code that a user can meet, with a sentence that says what to do next.

import type { ErrorCode } from "../../generated/ErrorCode";
import { RequestError } from "./request";

/** Codes that the shell and the pages make themselves. */
type PageCode =
  | "core_crashed"
  | "core_not_loaded"
  | "worker_gone"
  | "unreadable_answer"
  | "permission_refused"
  | "passwords_differ"
  | "not_confirmed"
  | "shown_mismatch"
  | "no_file"
  | "file_too_long"
  | "amount_too_precise";

/** A sentence that continues with the detail that follows the code. */
interface Opening {
  readonly opening: string;
}

const opening = (text: string): Opening => ({ opening: text });

/** The detail that follows the code is the sentence: it names the place, the rule or the amount. */
const DETAIL = null;

/** What the user reads for each code. A code without an entry does not compile. */
const WORDS: Record<ErrorCode | PageCode, string | Opening | typeof DETAIL> = {
  // The worker and its store
  core_crashed: "The wallet core crashed and was restarted. No data is lost. Please try again.",
  core_not_loaded: "The wallet core could not be loaded. Reload the extension, or install it again.",
  worker_gone: "The wallet's background worker did not answer. Please try again.",
  unreadable_answer: "The wallet's answer could not be read. Please try again.",
  schema_too_new: "Your data was written by a newer version of Countersign. Please update the extension.",
  storage_unavailable: "The browser's storage is not available. Free some disk space and try again.",
  corrupt_record: "A stored record could not be read.",
  conflict: "This was changed in another window at the same time. Please try again.",
  body_too_large: "This is too long. Please send less at once.",
  call_not_found: "This action is no longer in the log.",
  contact_not_found: "This contact no longer exists.",
  coin_not_found: "This token is no longer in the vault.",
  vault_not_found: "This vault no longer exists.",
  conversation_not_found: "This conversation no longer exists.",

  // The agent
  no_backend: "No agent is connected yet. Enter its address in Settings.",
  other_backend:
    "This conversation is with another agent than the one in Settings. Start a new one, or set that agent's address again.",
  permission_refused: "The browser was not allowed to reach this address. Save again and allow it.",
  too_many_actions: "The agent asked for more than 100 actions in one answer. The first 100 were taken, the rest was not.",

  // Vaults
  wrong_password: "The password is wrong.",
  password_required: DETAIL,
  common_password:
    "This is one of the most common passwords, which are tried first. Choose another: a few random words are best.",
  too_many_attempts: "Too many wrong passwords in a row.",
  weak_password: "The password needs at least 8 characters. Longer is better.",
  passwords_differ: "The two passwords are not the same. Type the same one twice.",
  vault_exists: "This vault already exists here.",
  watch_only: "This vault is watch-only. Its keys are elsewhere, so it cannot be unlocked, exported or used to sign.",
  shares_only: "This vault holds one device's key share. This version of Countersign cannot sign with it.",
  unsupported_kind: "This version of Countersign cannot create this kind of vault yet.",
  signer_unavailable:
    "The part of the wallet that handles keys could not be loaded. Reload the extension and try again.",
  session_full: "The browser is out of memory to keep the vault unlocked. Close some tabs and try again.",
  out_of_memory: "There is not enough memory to unlock the vault. Close some tabs and try again.",
  no_randomness: "The computer provided no random numbers, so no keys were created. Restart the browser and try again.",
  passphrase_too_long: "The passphrase is too long.",
  mnemonic_word_count: "A recovery phrase has 12, 15, 18, 21 or 24 words. Check that none is missing.",
  mnemonic_checksum: "The recovery phrase is not valid: a word is wrong, or two words are swapped.",
  not_confirmed: "Type the word “delete” to confirm.",

  // Files
  no_file: "Choose the backup file first.",
  file_password_needed: "This file is protected by a password. Enter the one it was saved with.",
  wrong_file_password: "The file's password is wrong. Enter the one that was set when the file was saved.",
  file_too_long: "This file is too large to be a vault backup.",
  backup_too_long: "This file is too large to be a vault backup.",
  backup_malformed: "This file is not a vault backup.",
  backup_version: "This backup was made by a newer version of Countersign. Please update the extension.",
  backup_changed: "This file was changed after it was saved: its addresses do not match its keys. Do not use it.",
  vult_too_long: "This file is too large to be a vault backup.",
  vult_malformed: "This file is not a vault backup that Countersign can read.",
  seal_too_long: "This file is too large to be a vault backup.",
  seal_malformed: "The vault's encrypted part could not be read.",
  seal_version: "This vault was saved by a newer version of Countersign. Please update the extension.",
  seal_parameters: "Opening this file would need too much memory or time, so it was not opened.",
  secret_malformed: "The vault's keys could not be read.",
  secret_version: "This vault was saved by a newer version of Countersign. Please update the extension.",

  // The user's own rules
  invalid_amount: "Enter an amount as a plain number, for example 0.5.",
  amount_too_precise: "This coin does not have that many decimal places.",
  empty_limit: "Enter an amount for one transaction, for a day, or both.",
  invalid_origin: "Enter the website's address, for example https://example.org.",
  duplicate_rule: "This rule already exists.",
  too_many_rules: "There are too many rules. Remove one first.",

  // Prompts
  rejected_by_user: "You rejected this.",
  consent_expired: "This request was not answered in time, so nothing was done.",
  already_answered: "This request was already answered.",
  prompt_not_found: "This request is no longer open.",
  shown_mismatch:
    "What is shown is not what you are asked about. You can only reject it; the sender may ask again.",
  stale_answer: "This request changed after it was shown. Open it again before you answer.",
  bundle_not_found: "These transactions are no longer on record.",
  bundle_ended: "It has already ended.",
  bundle_gone: "The transactions are no longer on record, so nothing was signed.",
  digest_mismatch: "The transactions differ from the ones you approved, so nothing was signed.",

  // Running transactions
  wrong_network:
    "The node belongs to another network, so nothing was sent. Check the endpoint in Settings.",
  receipt_timeout:
    "It was sent but not confirmed in time. It may still go through: look it up before you try again.",
  stopped_by_user: "You stopped it before the next step.",
  stopped: "It ended before every step was started.",
  kill_switch: "You stopped all signing, so nothing more was signed.",
  duplicate_bundle: "The same transactions are already running or were already sent.",

  // Actions
  unknown_tool: "This version of Countersign does not support this action, so nothing was done.",
  all_entries_failed: "Nothing could be done.",
  already_exists: "It already exists.",
  not_found: "Nothing matching was found.",
  ambiguous_match: "More than one entry matches, so none was deleted.",
  native_coin: "A chain's own coin cannot be removed: it pays for transactions there.",
  token_is_collection: "This contract is a collection of items, not a token with amounts.",
  unknown_chain: "This chain is not known. Choose one from the list.",
  no_vault: "There is no vault yet. Set one up first.",
  unsupported_chain: "Your vault has no key for this chain.",
  network_fact_missing: "No Zcash node could be asked for the consensus branch. Set a JSON-RPC node for Zcash in Settings, Endpoints.",

  // The detail says what happened
  agent_error: opening("The agent reported an error"),
  answer_lost: opening("The agent's answer broke off. Please ask again"),
  bad_answer: opening("The agent's answer could not be understood"),
  answer_too_long: opening("The agent's answer was ended"),
  stream_too_large: opening("The agent's answer was ended"),
  backend_changed: opening("This was not delivered: the agent's address was changed"),
  event_too_large: opening("The agent's answer could not be understood"),
  line_too_long: opening("The agent's answer could not be understood"),
  refused: opening("The agent rejected this"),
  malformed_action: opening("The request is malformed, so nothing was done"),
  invalid_params: opening("The request is not valid, so nothing was done"),
  stale_transaction: opening("The chain can no longer accept this transaction"),
  broadcast_rejected: opening("The node rejected the transaction"),
  transaction_failed: opening("The transaction failed on chain, and its fee was charged"),
  simulation_failed: opening("The transaction fails in a simulation"),
  insufficient_balance: opening("The account's balance is too low"),
  invalid_address: opening("This is not a valid address"),
  invalid_ticker: opening("This ticker is not valid"),
  ticker_taken: opening("This ticker belongs to another token"),
  decimals_contradicted: opening("The token has other decimals"),
  mnemonic_unknown_word: opening("Check the spelling"),
  invalid_public_key: opening("A public key is wrong"),
  invalid_private_key: opening("A private key is wrong"),

  // The detail says all
  account_mismatch: DETAIL,
  already_approved: DETAIL,
  answer_too_large: DETAIL,
  below_dust: DETAIL,
  blocked: DETAIL,
  bounds_used_up: DETAIL,
  busy: DETAIL,
  cancelled: DETAIL,
  chain_key_missing: DETAIL,
  chain_mismatch: DETAIL,
  connection_not_found: DETAIL,
  contract_creation: DETAIL,
  contract_not_allowed: DETAIL,
  contradiction: DETAIL,
  fee_unknown: DETAIL,
  first_time_recipient: DETAIL,
  fresh_contact: DETAIL,
  high_fee: DETAIL,
  insufficient_funds: DETAIL,
  invalid_name: DETAIL,
  invalid_path: DETAIL,
  invalid_request: DETAIL,
  invalid_signature: DETAIL,
  look_alike: DETAIL,
  low_minimum_output: DETAIL,
  malformed: DETAIL,
  malformed_key: DETAIL,
  malformed_request: DETAIL,
  method_not_allowed: DETAIL,
  missing_field: DETAIL,
  no_answer: DETAIL,
  no_child_key: DETAIL,
  no_signer: DETAIL,
  no_such_route: DETAIL,
  no_such_transaction: DETAIL,
  node_unreachable: DETAIL,
  nodes_disagree: DETAIL,
  nonce_gap: DETAIL,
  not_checked: DETAIL,
  not_connected: DETAIL,
  not_owned: DETAIL,
  nothing_to_sign: DETAIL,
  over_daily_limit: DETAIL,
  over_transaction_limit: DETAIL,
  rate_limited: DETAIL,
  recipient_not_allowed: DETAIL,
  refused_by_signer: DETAIL,
  reorganised: DETAIL,
  replaced_contact: DETAIL,
  rule_error: DETAIL,
  server_error: DETAIL,
  signature_count: DETAIL,
  signer_unfinished: DETAIL,
  signing: DETAIL,
  signing_mode_mismatch: DETAIL,
  tap_wanted: DETAIL,
  tool_asks: DETAIL,
  tool_denied: DETAIL,
  too_many_risks: DETAIL,
  trial_disagrees: DETAIL,
  trial_gives_less: DETAIL,
  trial_loses_more: DETAIL,
  tx_type_mismatch: DETAIL,
  unknown_calldata: DETAIL,
  unknown_spender: DETAIL,
  unknown_token: DETAIL,
  unlimited_approval: DETAIL,
  unsafe_transaction: DETAIL,
  unsupported_payload: DETAIL,
  unsupported_signature_scheme: DETAIL,
  unsupported_tx_type: DETAIL,
  unsupported_unsigned_tx: DETAIL,
  unverified: DETAIL,
  unweighed_effect: DETAIL,
  wrong_key: DETAIL,
  wrong_scheme: DETAIL,
};

/** The words for a code, if it is one of ours. */
const wordsOf = (code: string): string | Opening | null | undefined =>
  (WORDS as Partial<Record<string, string | Opening | null>>)[code];

/** The page's names for the fields of a refused request. */
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
  "/endpoints/*/rpcUrl": "The address of the JSON-RPC node",
};

/** The code of a result's `code` or `code: detail`. */
export const codeOf = (error: string): string => error.split(": ", 1)[0] ?? "";

/** The sentence for a result's `code` or `code: detail`. */
export function sentenceOf(error: string): string {
  const [code = "", ...rest] = error.split(": ");
  return compose(code, rest.join(": ")) ?? sentence(rest.join(": ") || code.replaceAll("_", " "));
}

/** The sentence for an error thrown by a request to the worker. */
export function explain(error: unknown): string {
  if (!(error instanceof RequestError)) return "Something unexpected went wrong. Please try again.";
  const field = FIELDS[kindOf(error.path ?? "")];
  const isAboutField = field !== undefined && error.code !== "password_required";
  if (isAboutField && typeof wordsOf(error.code) !== "string") return blame(error.path ?? "", field, error.message);
  return compose(error.code, error.message) ?? sentence(error.message);
}

/** A field's path with its chain name and list index replaced by `*`. */
function kindOf(path: string): string {
  return path.replace(/^(\/endpoints)\/[^/]+/, "$1/*").replace(/\/\d+$/, "/*");
}

/** A message starts with the field's name, with a verb, or with neither; each is joined to the field's label. */
function blame(path: string, field: string, message: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const verb = message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
  return sentence(/^(must|is|has|needs) /.test(verb) ? `${field} ${verb}` : `${field}: ${verb}`);
}

function compose(code: string, detail: string): string | undefined {
  const words = wordsOf(code);
  if (words === undefined || words === DETAIL) return undefined;
  if (typeof words === "string") return words;
  return sentence(detail === "" ? words.opening : `${words.opening}: ${detail}`);
}

function sentence(text: string): string {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(full) ? full : `${full}.`;
}
