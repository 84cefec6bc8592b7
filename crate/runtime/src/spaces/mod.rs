//! Spaces (specification 004): the conversations that an agent is in, and shows its tools in.

mod active;

pub(crate) use active::Spaces;
