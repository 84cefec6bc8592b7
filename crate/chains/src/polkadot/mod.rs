//! Not written yet.

pub(crate) mod payload;
