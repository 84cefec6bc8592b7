//! Every code that a result, a step, a message or an answer of the HTTP API can carry. The table of sentences of the
//! popup is checked against it by the TypeScript compiler (`cargo xtask build` writes the type).

use crate::agent::AgentError;
use crate::bundle::engine::TransmissionError;
use crate::bundle::error::BundleError;
use crate::coins::CoinError;
use crate::connection::ConnectionError;
use crate::descriptors::PackError;
use crate::http::RouteError;
use crate::mcp::oauth::AuthError;
use crate::mcp::{DefinitionError, McpError, ServerError};
use crate::message::error::SignMessageError;
use crate::node::{ExchangeError, NodeError};
use crate::pending::SubmitError;
use crate::policy::{BLOCKED, PolicyError};
use crate::prompt::{AnswerError, DeclinedError};
use crate::secrets::{FillError, SecretError, SignInError};
use crate::store::StoreError;
use crate::tool::{ALL_ENTRIES_FAILED, RequestError};
use crate::tools::{DisabledError, RunError, ToolStoreError};
use crate::vault::VaultError;
use wire::action::MalformedActionError;
use wire::descriptor::DescriptorError;
use wire::json::Named;
use wire::policy::ReasonCode;
use wire::sse::SseError;
use wire::toolbox::ToolboxError;

/// The codes, by where they come from. Those of the signer and the toolbox are in their own crates.
pub const CODES: &[&[&str]] = &[
    RequestError::CODES,
    <ReasonCode as Named>::NAMES,
    &[
        MalformedActionError::CODE,
        ALL_ENTRIES_FAILED,
        BLOCKED,
        ToolboxError::UNAVAILABLE,
        DescriptorError::UNAVAILABLE,
        DisabledError::CODE,
    ],
    StoreError::CODES,
    PolicyError::CODES,
    VaultError::CODES,
    SecretError::CODES,
    FillError::CODES,
    SignInError::CODES,
    AuthError::CODES,
    AnswerError::CODES,
    DeclinedError::CODES,
    ConnectionError::CODES,
    PackError::CODES,
    RouteError::CODES,
    CoinError::CODES,
    ToolStoreError::CODES,
    RunError::CODES,
    SubmitError::CODES,
    McpError::CODES,
    ServerError::CODES,
    DefinitionError::CODES,
    BundleError::CODES,
    SignMessageError::CODES,
    TransmissionError::CODES,
    NodeError::CODES,
    ExchangeError::CODES,
    AgentError::CODES,
    SseError::CODES,
];
