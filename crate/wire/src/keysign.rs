//! The keysign payload: everything that the bytes of a transaction follow from, as one device hands it to another.
//!
//! The types are made from `proto/keysign.proto`; what they mean for a chain is read in the `chains` crate.

#![allow(
    missing_docs,
    clippy::doc_markdown,
    clippy::large_enum_variant,
    reason = "made from proto/, documented there"
)]

include!(concat!(env!("OUT_DIR"), "/vultisig.keysign.v1.rs"));

use prost::Message as _;

/// No payload is longer; a swap's calldata is some ten kilobytes.
pub const MAX_BYTES: usize = 1 << 20;

/// Why bytes are not a keysign payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PayloadError {
    /// Longer than [`MAX_BYTES`].
    #[error("a keysign payload has at most {MAX_BYTES} bytes")]
    TooLong,
    /// Not the protobuf message.
    #[error("not a keysign payload")]
    Malformed,
}

impl KeysignPayload {
    /// Reads the protobuf message.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, PayloadError> {
        if bytes.len() > MAX_BYTES {
            return Err(PayloadError::TooLong);
        }
        Self::decode(bytes).map_err(|_| PayloadError::Malformed)
    }
}
