//! What explanations need from nodes: the requests, and what the responses say.

use super::{Request, Response, token_account};
use crate::Chain;
use wire::node::{FactQuery, NodeFact};

/// The requests that put a query to a node of the chain; none where its nodes do not know.
pub fn fact(chain: Chain, query: &FactQuery) -> Vec<Request> {
    match query {
        FactQuery::TokenAccount { address } => token_account::ask(chain, address),
        _ => Vec::new(),
    }
}

/// What the responses say; nothing where they do not say it.
pub fn read_fact(chain: Chain, query: &FactQuery, responses: &[Response]) -> Vec<NodeFact> {
    match query {
        FactQuery::TokenAccount { address } => token_account::read(chain, address, responses),
        _ => Vec::new(),
    }
}
