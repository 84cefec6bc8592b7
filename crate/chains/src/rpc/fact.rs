//! What explanations need from nodes: the requests, and what the responses say.

use super::{Request, Response};
use crate::Chain;
use wire::node::{FactQuery, NodeFact};

/// The requests that put a query to a node of the chain; none where its nodes do not know.
pub fn fact(_chain: Chain, _query: &FactQuery) -> Vec<Request> {
    Vec::new()
}

/// What the responses say; nothing where they do not say it.
pub fn read_fact(_chain: Chain, _query: &FactQuery, _responses: &[Response]) -> Vec<NodeFact> {
    Vec::new()
}
