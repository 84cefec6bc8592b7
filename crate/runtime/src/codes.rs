//! Every code that a result, a step, a message or an answer of the HTTP API can carry. The table of sentences of the
//! popup is checked against it by the TypeScript compiler (`cargo xtask build` writes the type).

use crate::connection::ConnectionError;
use crate::policy::PolicyError;
use crate::prompt::{AnswerError, DeclinedError};
use crate::store::StoreError;
use crate::tool::{ALL_ENTRIES_FAILED, RequestError};
use crate::vault::VaultError;
use wire::action::MalformedActionError;
use wire::json::Named;
use wire::policy::ReasonCode;

/// The codes, by where they come from. Those of the signer are in its own crate.
pub const CODES: &[&[&str]] = &[
    RequestError::CODES,
    <ReasonCode as Named>::NAMES,
    &[MalformedActionError::CODE, ALL_ENTRIES_FAILED],
    StoreError::CODES,
    PolicyError::CODES,
    VaultError::CODES,
    AnswerError::CODES,
    DeclinedError::CODES,
    ConnectionError::CODES,
    ROUTES,
    BUNDLES,
    AGENT,
];

/// Of requests that a route does not take, and of calls that the pipeline ends.
const ROUTES: &[&str] = &[
    "invalid_request",
    "body_too_large",
    "not_found",
    "call_not_found",
    "conversation_not_found",
    "unknown_chain",
    "unsupported_kind",
    "weak_password",
    "vault_locked",
    "blocked",
    "busy",
];

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
