//! What a web page is told when its request is refused: the codes of EIP-1193, EIP-1474, EIP-5792 and the CAIPs.

use crate::store::StoreError;
use crate::tool::CANCELLED;
use serde_json::{Map, Value};
use wire::action::ActionResult;
use wire::api::Millis;
use wire::failure::Failure;

/// Why a web page's request is refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub(crate) enum RpcError {
    /// Not JSON.
    #[error("the request is not JSON")]
    Parse,
    /// Not a request.
    #[error("the request {0}")]
    InvalidRequest(&'static str),
    /// A parameter is wrong.
    #[error("{path} {problem}")]
    InvalidParams {
        /// JSON pointer into the parameters.
        path: String,
        /// What is wrong there.
        problem: String,
    },
    /// The user said no.
    #[error("the user rejected the request")]
    Rejected,
    /// The user blocked the site: nothing of it is shown.
    #[error("the user blocked this site in the wallet")]
    Blocked,
    /// A list that the user brought warns of the site: nothing of it is shown.
    #[error("{0}")]
    Listed(String),
    /// The page may not do this.
    #[error("{0}")]
    Unauthorized(String),
    /// There is no such method here.
    #[error("the wallet has no method {0}")]
    UnsupportedMethod(String),
    /// A method that is refused on purpose, and why.
    #[error("{0}")]
    RefusedMethod(&'static str),
    /// No node of the chain can be reached.
    #[error("no node of {chain} could be reached: {reason}")]
    ChainDisconnected {
        /// Canonical name.
        chain: String,
        /// Why.
        reason: String,
    },
    /// Not a chain of this wallet.
    #[error("the wallet does not know the chain {0}")]
    UnknownChain(String),
    /// The same is being asked already.
    #[error("the wallet asks the user about this already")]
    AlreadyPending,
    /// The page asks too much.
    #[error("{why}")]
    LimitExceeded {
        /// Which limit.
        why: &'static str,
        /// When it is worth another attempt.
        retry_after: Option<Millis>,
    },
    /// A node's own answer to what was passed on to it.
    #[error("{message}")]
    Node {
        /// The node's code.
        code: i64,
        /// The node's words.
        message: String,
        /// What the node adds.
        data: Option<Value>,
    },
    /// The call failed, with our own code.
    #[error("{}", .0.message().unwrap_or(.0.code()))]
    Failed(Failure),
    /// EIP-5792: a capability that is not supported and not optional.
    #[error("the capability {0} is not supported")]
    UnsupportedCapability(String),
    /// EIP-5792: a chain that is not supported.
    #[error("the chain {0} is not supported")]
    UnsupportedChain(String),
    /// EIP-5792: the id names another batch.
    #[error("there is a batch with this id already")]
    DuplicateId,
    /// EIP-5792: no batch of this page has the id.
    #[error("no batch has this id")]
    UnknownBatch,
    /// EIP-5792: too many calls.
    #[error("the batch has more calls than the wallet takes")]
    BatchTooLarge,
    /// EIP-5792: atomicity is not supported.
    #[error("the wallet does not run several calls as one")]
    AtomicityUnsupported,
    /// CAIP-25: refused, for a reason that is not told apart.
    #[error("the session was refused")]
    SessionRefused,
    /// CAIP-25: no requested chain is supported.
    #[error("none of the requested chains is supported")]
    ScopesUnsupported,
    /// CAIP-25: a required scope has a method that the wallet does not have.
    #[error("a required method is not supported: {0}")]
    MethodsUnsupported(String),
    /// CAIP-25: a required scope has a notification that the wallet does not send.
    #[error("a required notification is not supported: {0}")]
    NotificationsUnsupported(String),
    /// CAIP-25: a required scope has a method that the wallet has never heard of.
    #[error("a required method is not known: {0}")]
    MethodsUnknown(String),
    /// CAIP-25: a required scope has a notification that the wallet has never heard of.
    #[error("a required notification is not known: {0}")]
    NotificationsUnknown(String),
    /// CAIP-25: properties of scopes that are not understood.
    #[error("the properties of scopes must be an object of objects, by scope")]
    ScopedProperties,
    /// CAIP-25: properties of a scope in another place than their own.
    #[error("the properties of scopes must be beside the scopes, not in them")]
    ScopedPropertiesElsewhere,
    /// CAIP-25: session properties that are not understood.
    #[error("the session's properties are not valid")]
    SessionProperties,
    /// CAIP-285: a session by an id.
    #[error("no session has this id: those of this wallet have none")]
    UnknownSession,
    /// The store failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl RpcError {
    /// A parameter that is wrong.
    pub(crate) fn invalid(path: impl Into<String>, problem: impl Into<String>) -> Self {
        Self::InvalidParams { path: path.into(), problem: problem.into() }
    }

    /// The answer to a page, of the failed result of a call.
    pub(crate) fn of_result(result: &ActionResult) -> Self {
        let failure = Failure::parse(result.error.as_deref().unwrap_or("failed"));
        match failure.code() {
            "rejected_by_user" | "consent_expired" | CANCELLED => Self::Rejected,
            "not_connected" | "kill_switch" | "tool_denied" => {
                Self::Unauthorized(failure.message().unwrap_or(failure.code()).to_owned())
            }
            "listed_site" => Self::Listed(failure.message().unwrap_or(failure.code()).to_owned()),
            _ => Self::Failed(failure),
        }
    }

    /// The number that standards give it.
    pub(crate) const fn code(&self) -> i64 {
        match self {
            Self::Parse => -32_700,
            Self::InvalidRequest(_) => -32_600,
            Self::InvalidParams { .. } => -32_602,
            Self::Rejected | Self::Blocked | Self::Listed(_) => 4_001,
            Self::Unauthorized(_) => 4_100,
            Self::UnsupportedMethod(_) | Self::RefusedMethod(_) => 4_200,
            Self::ChainDisconnected { .. } => 4_901,
            Self::UnknownChain(_) => 4_902,
            Self::AlreadyPending => -32_002,
            Self::LimitExceeded { .. } => -32_005,
            Self::Node { code, .. } => *code,
            Self::Failed(_) | Self::Store(_) => -32_603,
            Self::UnsupportedCapability(_) => 5_700,
            Self::UnsupportedChain(_) => 5_710,
            Self::DuplicateId => 5_720,
            Self::UnknownBatch => 5_730,
            Self::BatchTooLarge => 5_740,
            Self::AtomicityUnsupported => 5_760,
            Self::SessionRefused => 5_000,
            Self::ScopesUnsupported => 5_100,
            Self::MethodsUnsupported(_) => 5_101,
            Self::NotificationsUnsupported(_) => 5_102,
            Self::MethodsUnknown(_) => 5_201,
            Self::NotificationsUnknown(_) => 5_202,
            Self::ScopedProperties => 5_300,
            Self::ScopedPropertiesElsewhere => 5_301,
            Self::SessionProperties => 5_302,
            Self::UnknownSession => 5_500,
        }
    }

    /// `{code, message, data?}`.
    pub(crate) fn to_value(&self) -> Value {
        let mut error = Map::new();
        error.insert("code".to_owned(), self.code().into());
        error.insert("message".to_owned(), self.to_string().into());
        if let Some(data) = self.data() {
            error.insert("data".to_owned(), data);
        }
        Value::Object(error)
    }

    fn data(&self) -> Option<Value> {
        let one = |name: &str, value: Value| {
            let mut data = Map::new();
            data.insert(name.to_owned(), value);
            Some(Value::Object(data))
        };
        match self {
            Self::InvalidParams { path, .. } => one("path", path.clone().into()),
            Self::LimitExceeded { retry_after: Some(after), .. } => one("retryAfterMs", (*after).into()),
            Self::Blocked => one("reason", "blocked".into()),
            Self::Listed(_) => one("reason", "listed".into()),
            Self::Failed(failure) => one("code", failure.code().to_owned().into()),
            Self::Store(error) => one("code", error.code().into()),
            Self::Node { data, .. } => data.clone(),
            _ => None,
        }
    }
}
