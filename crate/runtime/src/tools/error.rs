//! Why the tool store refuses a request.

use crate::http::ApiError;
use crate::store::StoreError;
use derive::Code;
use wire::failure::Failure;
use wire::toolbox::ToolboxError;

/// Why the tool store refuses a request. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum ToolStoreError {
    /// The id is not a UUID of version 7.
    #[error("the id of a bundle is a UUID of version 7")]
    #[code("invalid_request")]
    InvalidBundleId,
    /// There is no such bundle, or it is being removed.
    #[error("there is no such bundle of tools")]
    #[code("tool_bundle_not_found")]
    BundleNotFound,
    /// The bundle is deleted.
    #[error("this bundle of tools is deleted")]
    BundleDeleted,
    /// The bundle is switched off.
    #[error("this bundle of tools is switched off: what is in it cannot be changed")]
    BundleDisabled,
    /// The bundle still has tools.
    #[error("this bundle still has tools: delete them first")]
    BundleNotEmpty,
    /// There is no such tool.
    #[error("there is no such tool")]
    ToolNotFound,
    /// The bundle has a tool of this slug and version.
    #[error("the bundle has a tool of this slug and version: give it another version")]
    ToolExists,
    /// What is compiled in cannot be changed.
    #[error("built-in tools and tools of MCP servers cannot be changed, only switched on and off")]
    ReadOnly,
    /// What is compiled in is in no archive.
    #[error("built-in tools and tools of MCP servers are not exported")]
    #[code("read_only")]
    NotExported,
    /// There are as many tools as may be.
    #[error("there are {} tools, which is the most", super::MAX_TOOLS)]
    TooManyTools,
    /// There are as many bundles as may be.
    #[error("there are {} bundles, which is the most", super::MAX_BUNDLES)]
    TooManyBundles,
    /// The toolbox refused the request, or is not there.
    #[error("{}", .0.message)]
    #[code("toolbox_unavailable")]
    Toolbox(Box<ToolboxError>),
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

/// That a tool cannot be called, and why: the code of its effective state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the tool cannot be called: {reason}")]
pub(crate) struct DisabledError {
    reason: String,
}

impl DisabledError {
    /// The code of all of them.
    pub(crate) const CODE: &str = "tool_disabled";

    pub(crate) fn new(reason: impl Into<String>) -> Self {
        Self { reason: reason.into() }
    }
}

impl From<DisabledError> for Failure {
    fn from(error: DisabledError) -> Self {
        Self::of(DisabledError::CODE, &error)
    }
}

impl From<DisabledError> for ApiError {
    fn from(error: DisabledError) -> Self {
        Self::new(403, DisabledError::CODE, error.to_string())
    }
}

impl From<ToolboxError> for ToolStoreError {
    fn from(error: ToolboxError) -> Self {
        Self::Toolbox(Box::new(error))
    }
}

impl ToolStoreError {
    /// What the result of a call says of it.
    pub(crate) fn failure(&self) -> Failure {
        match self {
            Self::Toolbox(refusal) => Failure::new(refusal.code.clone(), refusal.message.clone()),
            other => Failure::of(other.code(), other),
        }
    }
}

impl From<ToolStoreError> for ApiError {
    fn from(error: ToolStoreError) -> Self {
        let status = match &error {
            ToolStoreError::BundleNotFound | ToolStoreError::ToolNotFound => 404,
            ToolStoreError::BundleDeleted => 410,
            ToolStoreError::BundleDisabled | ToolStoreError::ReadOnly | ToolStoreError::NotExported => 403,
            ToolStoreError::BundleNotEmpty | ToolStoreError::ToolExists => 409,
            ToolStoreError::TooManyTools | ToolStoreError::TooManyBundles => 422,
            ToolStoreError::InvalidBundleId => 400,
            ToolStoreError::Toolbox(refusal) => {
                let ToolboxError { code, message, path } = (**refusal).clone();
                let status = match code.as_str() {
                    ToolboxError::UNAVAILABLE | "corrupt_record" => 503,
                    "name_taken" => 409,
                    _ => 400,
                };
                let refused = Self::new(status, code, message);
                return if let Some(path) = path { refused.at(path) } else { refused };
            }
            ToolStoreError::Store(error) => return error.clone().into(),
        };
        Self::new(status, error.code(), error.to_string())
    }
}
