//! The types of `proto/vault.proto`.

#![allow(
    missing_docs,
    unreachable_pub,
    clippy::doc_markdown,
    clippy::indexing_slicing,
    reason = "made from proto/, documented there"
)]

include!(concat!(env!("OUT_DIR"), "/proto.rs"));
