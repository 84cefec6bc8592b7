//! Every code that a result, a step, a message or an answer of the HTTP API can carry. The table of sentences of the
//! popup is checked against it by the TypeScript compiler (`cargo xtask build` writes the type).

use crate::tool::{ALL_ENTRIES_FAILED, RequestError};
use wire::action::MalformedActionError;
use wire::json::Named;
use wire::policy::ReasonCode;

/// The codes, by where they come from. Those of the signer are in its own crate.
pub const CODES: &[&[&str]] = &[
    RequestError::CODES,
    <ReasonCode as Named>::NAMES,
    &[MalformedActionError::CODE, ALL_ENTRIES_FAILED],
    STORE,
    ROUTES,
    POLICY,
    VAULTS,
    PROMPTS,
    BUNDLES,
    AGENT,
];

/// Of the store.
const STORE: &[&str] = &["conflict", "schema_too_new", "corrupt_record", "storage_unavailable", "busy"];

/// Of requests that no route takes.
const ROUTES: &[&str] = &[
    "invalid_request",
    "body_too_large",
    "not_found",
    "call_not_found",
    "conversation_not_found",
    "connection_not_found",
    "unknown_chain",
];

/// Of rules that the policy does not take.
const POLICY: &[&str] = &[
    "too_many_rules",
    "invalid_name",
    "duplicate_rule",
    "invalid_amount",
    "empty_limit",
    "invalid_origin",
    "blocked",
];

/// Of vaults.
const VAULTS: &[&str] = &[
    "vault_not_found",
    "vault_exists",
    "vault_locked",
    "watch_only",
    "weak_password",
    "wrong_password",
    "too_many_attempts",
    "session_full",
    "signer_unavailable",
    "unsupported_kind",
];

/// Of prompts and their answers.
const PROMPTS: &[&str] =
    &["prompt_not_found", "already_answered", "stale_answer", "consent_expired", "rejected_by_user"];

/// Of bundles, their steps and their nodes.
const BUNDLES: &[&str] = &[
    "bundle_not_found",
    "bundle_ended",
    "bundle_gone",
    "no_signer",
    "nothing_to_sign",
    "stale_transaction",
    "wrong_network",
    "stopped_by_user",
    "stopped",
    "node_unreachable",
    "no_answer",
    "answer_too_large",
    "rate_limited",
    "server_error",
    "no_endpoint",
    "broadcast_rejected",
    "transaction_failed",
    "receipt_timeout",
    "reorganised",
];

/// Of conversations with the agent.
const AGENT: &[&str] =
    &["no_backend", "auth_required", "agent_error", "answer_lost", "bad_answer", "refused"];
