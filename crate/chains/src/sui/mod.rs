//! Not written yet.

pub(crate) mod payload;
pub(crate) mod raw;
