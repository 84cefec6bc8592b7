//! Why a pack is not taken or removed.

use super::MAX_PACKS;
use crate::http::ApiError;
use crate::ports::NetError;
use crate::store::StoreError;
use derive::Code;
use wire::descriptor::DescriptorError;
use wire::toolbox::ToolboxError;

/// Why a pack is not taken or removed. Nothing was changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum PackError {
    /// There is no such pack.
    #[error("there is no such pack of descriptors")]
    DescriptorPackNotFound,
    /// The same bytes are there already.
    #[error("these descriptors are there already, as {name}")]
    DescriptorPackExists {
        /// What the pack is called.
        name: String,
    },
    /// Too many packs.
    #[error("there are {MAX_PACKS} packs of descriptors, and no more can be added")]
    TooManyDescriptorPacks,
    /// The address gives other bytes than those that were accepted.
    #[error("the address gives another pack than the one that was accepted; its digest is {digest}")]
    DescriptorPackChanged {
        /// The digest of what it gives.
        digest: String,
    },
    /// The address cannot be reached, or answers with something else.
    #[error("the pack could not be fetched: {problem}")]
    DescriptorPackUnreachable {
        /// Why.
        problem: String,
    },
    /// More bytes than a pack may have.
    #[error("the pack is too large")]
    #[code("pack_too_large")]
    TooLarge,
    /// The bytes are no pack.
    #[error("{}", .0.message)]
    #[code("invalid_descriptor")]
    Refused(DescriptorError),
    /// The archive is none.
    #[error("{}", .0.message)]
    #[code("invalid_archive")]
    Archive(ToolboxError),
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl From<NetError> for PackError {
    fn from(NetError(problem): NetError) -> Self {
        Self::DescriptorPackUnreachable { problem }
    }
}

impl From<PackError> for ApiError {
    fn from(error: PackError) -> Self {
        let (code, message) = (error.code(), error.to_string());
        match error {
            PackError::DescriptorPackNotFound => Self::new(404, code, message),
            PackError::DescriptorPackExists { .. } => Self::new(409, code, message),
            PackError::TooManyDescriptorPacks => Self::new(409, code, message),
            PackError::DescriptorPackChanged { .. } => Self::new(409, code, message).at("/digest"),
            PackError::DescriptorPackUnreachable { .. } => Self::new(502, code, message).at("/url"),
            PackError::TooLarge => Self::new(413, code, message),
            PackError::Refused(DescriptorError { code, message, path }) => refused(code, message, path),
            PackError::Archive(ToolboxError { code, message, path }) => refused(code, message, path),
            PackError::Store(error) => error.into(),
        }
    }
}

/// As the module says it; 503 where the module itself is not there.
fn refused(code: String, message: String, path: Option<String>) -> ApiError {
    let gone = code == DescriptorError::UNAVAILABLE || code == ToolboxError::UNAVAILABLE;
    let error = ApiError::new(if gone { 503 } else { 400 }, code, message);
    match path {
        Some(path) => error.at(path),
        None => error,
    }
}
