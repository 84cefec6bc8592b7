// Every stable error code that a user can meet, with a sentence that says what to do next.

import type { ErrorCode } from "../../generated/ErrorCode";
import { t, type MessageKey } from "./i18n";
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
  | "rule_not_taken"
  | "no_file"
  | "file_too_long"
  | "amount_too_precise";

/** A sentence that continues with the detail that follows the code. */
interface Opening {
  readonly opening: MessageKey;
}

const opening = (key: MessageKey): Opening => ({ opening: key });

/** The detail that follows the code is the sentence: it names the place, the rule or the amount. */
const DETAIL = null;

/** What the user reads for each code. A code without an entry does not compile. */
const WORDS: Record<ErrorCode | PageCode, MessageKey | Opening | typeof DETAIL> = {
  // The worker and its store
  core_crashed: "error_core_crashed",
  core_not_loaded: "error_core_not_loaded",
  worker_gone: "error_worker_gone",
  unreadable_answer: "error_unreadable_answer",
  schema_too_new: "error_schema_too_new",
  storage_unavailable: "error_storage_unavailable",
  part_unavailable: "error_part_unavailable",
  corrupt_record: "error_corrupt_record",
  conflict: "error_conflict",
  body_too_large: "error_body_too_large",
  call_not_found: "error_call_not_found",
  call_ended: "error_call_ended",
  contact_not_found: "error_contact_not_found",
  coin_not_found: "error_coin_not_found",
  vault_not_found: "error_vault_not_found",
  conversation_not_found: "error_conversation_not_found",

  // The agent
  no_backend: "error_no_backend",
  other_backend: "error_other_backend",
  permission_refused: "error_permission_refused",
  too_many_actions: "error_too_many_actions",
  rule_not_taken: "error_rule_not_taken",
  arguments_lost: "error_arguments_lost",

  // Descriptors of contracts
  descriptor_not_json: "error_descriptor_not_json",
  descriptor_too_large: "error_descriptor_too_large",
  pack_too_large: "error_pack_too_large",
  include_not_found: "error_include_not_found",
  includes_loop: "error_includes_loop",
  invalid_descriptor: "error_invalid_descriptor",
  unsupported_descriptor_version: "error_unsupported_descriptor_version",
  empty_pack: "error_empty_pack",
  descriptor_not_found: "error_descriptor_not_found",
  format_not_found: "error_format_not_found",
  ambiguous_format: "error_ambiguous_format",
  undecodable_data: "error_undecodable_data",
  unreadable_input: "error_unreadable_input",
  value_not_allowed: "error_value_not_allowed",
  description_too_large: "error_description_too_large",
  value_not_found: "error_value_not_found",
  token_not_known: "error_token_not_known",
  unknown_coin: "error_unknown_coin",
  unknown_collection: "error_unknown_collection",
  unknown_enum_value: "error_unknown_enum_value",
  unfit_format: "error_unfit_format",
  unknown_block_time: "error_unknown_block_time",
  nested_descriptor_not_found: "error_nested_descriptor_not_found",
  nested_too_deep: "error_nested_too_deep",
  encrypted_value: "error_encrypted_value",
  sentence_skipped: "error_sentence_skipped",
  reference_not_found: "error_reference_not_found",
  descriptor_pack_not_found: "error_descriptor_pack_not_found",
  descriptor_pack_exists: "error_descriptor_pack_exists",
  too_many_descriptor_packs: "error_too_many_descriptor_packs",
  descriptor_pack_changed: "error_descriptor_pack_changed",
  descriptor_pack_unreachable: "error_descriptor_pack_unreachable",
  clear_unavailable: "error_clear_unavailable",

  // Vaults
  wrong_password: "error_wrong_password",
  encoded_name: DETAIL,
  listed_site: DETAIL,
  look_alike_site: DETAIL,
  mixed_scripts: DETAIL,
  new_site: DETAIL,
  page_gone: DETAIL,
  password_required: DETAIL,
  common_password: "error_common_password",
  too_many_attempts: "error_too_many_attempts",
  weak_password: "error_weak_password",
  passwords_differ: "error_passwords_differ",
  vault_exists: "error_vault_exists",
  watch_only: "error_watch_only",
  shares_only: "error_shares_only",
  unsupported_kind: "error_unsupported_kind",
  signer_unavailable: "error_signer_unavailable",
  toolbox_unavailable: "error_toolbox_unavailable",
  session_full: "error_session_full",
  out_of_memory: "error_out_of_memory",
  no_randomness: "error_no_randomness",
  passphrase_too_long: "error_passphrase_too_long",
  mnemonic_word_count: "error_mnemonic_word_count",
  mnemonic_checksum: "error_mnemonic_checksum",
  not_confirmed: "error_not_confirmed",

  // Files
  no_file: "error_no_file",
  file_password_needed: "error_file_password_needed",
  wrong_file_password: "error_wrong_file_password",
  file_too_long: "error_file_too_long",
  backup_too_long: "error_file_too_long",
  backup_malformed: "error_backup_malformed",
  backup_version: "error_backup_version",
  backup_changed: "error_backup_changed",
  vult_too_long: "error_file_too_long",
  vult_malformed: "error_vult_malformed",
  seal_too_long: "error_file_too_long",
  seal_malformed: "error_seal_malformed",
  seal_version: "error_seal_version",
  seal_parameters: "error_seal_parameters",
  secret_malformed: "error_secret_malformed",
  secret_version: "error_seal_version",

  // Secrets of tools
  secret_not_found: "error_secret_not_found",
  secret_missing: opening("error_secret_missing"),
  secret_unreadable: opening("error_secret_unreadable"),
  secret_not_sendable: opening("error_secret_not_sendable"),
  secret_misplaced: "error_secret_misplaced",
  tokens_missing: "error_tokens_missing",
  tokens_unreadable: "error_tokens_missing",
  token_server_failed: opening("error_token_server_failed"),
  sign_in_not_begun: "error_sign_in_not_begun",
  sign_in_mismatch: "error_sign_in_not_begun",
  sign_in_denied: opening("error_sign_in_denied"),
  sign_in_unsupported: "error_sign_in_unsupported",
  sign_in_unreachable: opening("error_sign_in_unreachable"),
  sign_in_address_refused: opening("error_sign_in_address_refused"),
  sign_in_wrong_resource: "error_sign_in_wrong_resource",
  sign_in_wrong_issuer: "error_sign_in_wrong_issuer",
  sign_in_metadata_missing: opening("error_sign_in_metadata_missing"),
  sign_in_not_supported: opening("error_sign_in_not_supported"),
  sign_in_issuer_changed: "error_sign_in_issuer_changed",
  client_id_required: "error_client_id_required",
  client_not_registered: opening("error_client_not_registered"),
  refused_by_toolbox: DETAIL,

  // Requests of tools
  outcome_unknown: opening("error_outcome_unknown"),
  timed_out: "error_timed_out",
  host_unreachable: "error_host_unreachable",
  redirect_refused: "error_redirect_refused",
  response_too_large: "error_response_too_large",
  rate_limited: "error_rate_limited",
  request_changed: "error_request_changed",
  step_not_allowed: opening("error_step_not_allowed"),
  tool_not_allowed: "error_tool_not_allowed",
  mcp_server_not_found: "error_mcp_server_not_found",
  sign_in_required: "error_sign_in_required",
  origin_refused: "error_origin_refused",
  session_lost: "error_session_lost",
  unsupported_version: "error_unsupported_version",
  too_many_questions: "error_too_many_questions",
  server_name_taken: "error_server_name_taken",
  too_many_servers: "error_too_many_servers",
  tasks_required: "error_tasks_required",
  repeated_name: "error_repeated_name",
  invalid_input_schema: "error_invalid_input_schema",
  steps_nested: opening("error_steps_nested"),
  request_too_large: "error_request_too_large",

  // The user's own rules
  invalid_amount: "error_invalid_amount",
  amount_too_precise: "error_amount_too_precise",
  empty_limit: "error_empty_limit",
  invalid_origin: "error_invalid_origin",
  invalid_bound: DETAIL,
  duplicate_rule: "error_duplicate_rule",
  too_many_rules: "error_too_many_rules",

  // Prompts
  rejected_by_user: "error_rejected_by_user",
  consent_expired: "error_consent_expired",
  wrong_run: "error_wrong_run",
  not_allowed: "error_not_allowed",
  already_resolved: "error_already_resolved",
  expired: "error_expired",
  already_answered: "error_already_answered",
  prompt_not_found: "error_prompt_not_found",
  shown_mismatch: "error_shown_mismatch",
  stale_answer: "error_stale_answer",
  bundle_not_found: "error_bundle_not_found",
  bundle_ended: "error_bundle_ended",
  batch_not_found: "error_batch_not_found",
  not_asking: "error_not_asking",
  fee_fixed: "error_fee_fixed",
  bundle_gone: "error_bundle_gone",
  digest_mismatch: "error_digest_mismatch",

  // Running transactions
  wrong_network: "error_wrong_network",
  receipt_timeout: "error_receipt_timeout",
  stopped_by_user: "error_stopped_by_user",
  stopped: "error_stopped",
  kill_switch: "error_kill_switch",
  duplicate_bundle: "error_duplicate_bundle",

  // Actions
  unknown_tool: "error_unknown_tool",
  all_entries_failed: "error_all_entries_failed",
  already_exists: "error_already_exists",
  not_found: "error_not_found",
  ambiguous_match: "error_ambiguous_match",
  native_coin: "error_native_coin",
  token_is_collection: "error_token_is_collection",
  unknown_chain: "error_unknown_chain",
  no_vault: "error_no_vault",
  unsupported_chain: "error_unsupported_chain",
  network_fact_missing: "error_network_fact_missing",

  // The detail says what happened
  agent_error: opening("error_agent_error"),
  answer_lost: opening("error_answer_lost"),
  bad_answer: opening("error_bad_answer"),
  answer_too_long: opening("error_answer_too_long"),
  stream_too_large: opening("error_answer_too_long"),
  backend_changed: opening("error_backend_changed"),
  event_too_large: opening("error_bad_answer"),
  line_too_long: opening("error_bad_answer"),
  refused: opening("error_refused"),
  malformed_action: opening("error_malformed_action"),
  invalid_params: opening("error_invalid_params"),
  stale_transaction: opening("error_stale_transaction"),
  broadcast_rejected: opening("error_broadcast_rejected"),
  transaction_failed: opening("error_transaction_failed"),
  simulation_failed: opening("error_simulation_failed"),
  insufficient_balance: opening("error_insufficient_balance"),
  invalid_address: opening("error_invalid_address"),
  invalid_ticker: opening("error_invalid_ticker"),
  ticker_taken: opening("error_ticker_taken"),
  decimals_contradicted: opening("error_decimals_contradicted"),
  mnemonic_unknown_word: opening("error_mnemonic_unknown_word"),
  invalid_public_key: opening("error_invalid_public_key"),
  invalid_private_key: opening("error_invalid_private_key"),

  // The detail says all
  account_mismatch: DETAIL,
  already_approved: DETAIL,
  answer_too_large: DETAIL,
  archive_too_large: DETAIL,
  below_dust: DETAIL,
  blocked: DETAIL,
  bounds_used_up: DETAIL,
  outside_bounds: DETAIL,
  new_host: DETAIL,
  stdio_unsupported: DETAIL,
  invalid_answer: DETAIL,
  mcp_error: DETAIL,
  tool_failed: DETAIL,
  unsupported_schema: DETAIL,
  invalid_header: DETAIL,
  new_tool: DETAIL,
  definition_changed: DETAIL,
  bundle_deleted: DETAIL,
  bundle_disabled: DETAIL,
  bundle_not_empty: DETAIL,
  busy: DETAIL,
  cancelled: DETAIL,
  chain_key_missing: DETAIL,
  chain_mismatch: DETAIL,
  connection_not_found: DETAIL,
  contract_creation: DETAIL,
  contract_not_allowed: DETAIL,
  contradiction: DETAIL,
  fee_unknown: DETAIL,
  file_not_json: DETAIL,
  first_time_recipient: DETAIL,
  forbidden_header: DETAIL,
  fresh_contact: DETAIL,
  header_not_sent: DETAIL,
  high_fee: DETAIL,
  host_not_allowed: DETAIL,
  http_status: DETAIL,
  insufficient_funds: DETAIL,
  invalid_archive: DETAIL,
  invalid_command: DETAIL,
  invalid_expression: DETAIL,
  invalid_field: DETAIL,
  invalid_host: DETAIL,
  invalid_id: DETAIL,
  invalid_name: DETAIL,
  invalid_page_token: DETAIL,
  invalid_path: DETAIL,
  invalid_request: DETAIL,
  invalid_schema: DETAIL,
  invalid_signature: DETAIL,
  invalid_template: DETAIL,
  invalid_tool: DETAIL,
  invalid_url: DETAIL,
  literal_secret: DETAIL,
  look_alike: DETAIL,
  low_minimum_output: DETAIL,
  malformed: DETAIL,
  malformed_key: DETAIL,
  malformed_request: DETAIL,
  method_not_allowed: DETAIL,
  missing_field: DETAIL,
  missing_value: DETAIL,
  name_taken: DETAIL,
  no_answer: DETAIL,
  no_child_key: DETAIL,
  no_match: DETAIL,
  no_signer: DETAIL,
  no_such_route: DETAIL,
  no_such_transaction: DETAIL,
  node_unreachable: DETAIL,
  nodes_disagree: DETAIL,
  nonce_gap: DETAIL,
  not_checked: DETAIL,
  not_connected: DETAIL,
  not_in_space: DETAIL,
  not_owned: DETAIL,
  nothing_to_sign: DETAIL,
  output_mismatch: DETAIL,
  over_daily_limit: DETAIL,
  over_transaction_limit: DETAIL,
  read_only: DETAIL,
  recipient_not_allowed: DETAIL,
  refused_by_signer: DETAIL,
  reorganised: DETAIL,
  replaced_contact: DETAIL,
  response_not_json: DETAIL,
  result_too_large: DETAIL,
  rule_error: DETAIL,
  same_tool: DETAIL,
  schema_too_large: DETAIL,
  secret_expected: DETAIL,
  server_error: DETAIL,
  signature_count: DETAIL,
  signer_unfinished: DETAIL,
  signing: DETAIL,
  signing_mode_mismatch: DETAIL,
  tap_wanted: DETAIL,
  too_expensive: DETAIL,
  too_many_bundles: DETAIL,
  too_many_notes: DETAIL,
  too_many_risks: DETAIL,
  too_many_tools: DETAIL,
  tool_asks: DETAIL,
  tool_bundle_not_found: DETAIL,
  tool_denied: DETAIL,
  tool_disabled: DETAIL,
  tool_exists: DETAIL,
  tool_not_found: DETAIL,
  trial_disagrees: DETAIL,
  trial_gives_less: DETAIL,
  trial_loses_more: DETAIL,
  tx_type_mismatch: DETAIL,
  unclear_description: DETAIL,
  unknown_calldata: DETAIL,
  unknown_function: DETAIL,
  unknown_placeholder: DETAIL,
  unknown_spender: DETAIL,
  unknown_token: DETAIL,
  unlimited_approval: DETAIL,
  unsafe_transaction: DETAIL,
  unsupported_archive: DETAIL,
  unsupported_payload: DETAIL,
  unsupported_signature_scheme: DETAIL,
  unsupported_tx_type: DETAIL,
  unsupported_unsigned_tx: DETAIL,
  unverified: DETAIL,
  unweighed_effect: DETAIL,
  value_too_large: DETAIL,
  wrong_key: DETAIL,
  wrong_scheme: DETAIL,

  // Messages
  invalid_message: DETAIL,
  invalid_typed_data: DETAIL,
  unsupported_message: DETAIL,
  message_is_transaction: DETAIL,
  message_is_hash: DETAIL,
  message_is_preimage: DETAIL,
  message_is_authorization: DETAIL,
  sign_in_domain_mismatch: DETAIL,
  sign_in_account_mismatch: DETAIL,
  message_gone: DETAIL,
  only_for_pages: DETAIL,
  long_lasting: DETAIL,
  doubtful_sign_in: DETAIL,
  hidden_characters: DETAIL,
  any_chain: DETAIL,
  message_not_found: DETAIL,
};

/** The words for a code, if it is one of ours. */
const wordsOf = (code: string): MessageKey | Opening | null | undefined =>
  (WORDS as Partial<Record<string, MessageKey | Opening | null>>)[code];

/** The page's names for the fields of a refused request. */
const FIELDS: Record<string, MessageKey> = {
  "/backend/url": "error_field_address",
  "/backend/token": "error_field_token",
  "/publicKeyEcdsa": "error_field_ecdsa_public",
  "/publicKeyEddsa": "error_field_eddsa_public",
  "/hexChainCode": "error_field_chain_code",
  "/keys/ecdsa": "error_field_ecdsa_private",
  "/keys/eddsa": "error_field_eddsa_private",
  "/keys/chainCode": "error_field_chain_code",
  "/autoLockMinutes": "error_field_minutes",
  "/content": "error_field_message",
  "/endpoints/*/url": "error_field_address",
  "/endpoints/*/others": "error_field_addresses",
  "/endpoints/*/others/*": "error_field_each_address",
  "/endpoints/*/statusUrl": "error_field_receipts",
  "/endpoints/*/rpcUrl": "error_field_rpc",
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
  if (!(error instanceof RequestError)) return t("error_unexpected");
  const field = FIELDS[kindOf(error.path ?? "")];
  const isAboutField = field !== undefined && error.code !== "password_required";
  if (isAboutField && typeof wordsOf(error.code) !== "string") return blame(error.path ?? "", t(field), error.message);
  return compose(error.code, error.message) ?? sentence(error.message);
}

/** A field's path with its chain name and list index replaced by `*`. */
function kindOf(path: string): string {
  return path.replace(/^(\/endpoints)\/[^/]+/, "$1/*").replace(/\/\d+$/, "/*");
}

/**
 * A message starts with the field's name, with a verb, or with neither; each is joined to the field's label. It is the
 * core's and English, so another language puts a colon before its verb.
 */
function blame(path: string, field: string, message: string): string {
  const name = path.slice(path.lastIndexOf("/") + 1);
  const verb = message.startsWith(`${name} `) ? message.slice(name.length + 1) : message;
  const hasVerb = /^(must|is|has|needs) /.test(verb);
  return sentence(t(hasVerb ? "error_with_verb" : "error_with_detail", field, verb));
}

function compose(code: string, detail: string): string | undefined {
  const words = wordsOf(code);
  if (words === undefined || words === DETAIL) return undefined;
  if (typeof words === "string") return t(words);
  const begun = t(words.opening);
  return sentence(detail === "" ? begun : t("error_with_detail", begun, detail));
}

function sentence(text: string): string {
  const full = text.charAt(0).toUpperCase() + text.slice(1);
  return /[.!?]$/.test(full) ? full : `${full}.`;
}
