//! What explanations need from nodes: the requests, and what the responses say.

use super::{Request, Response, solana};
use crate::Chain;
use wire::node::{FactQuery, NodeFact};

/// The requests that put a query to a node of the chain; none where its nodes do not know.
pub fn fact(chain: Chain, query: &FactQuery) -> Vec<Request> {
    match (chain, query) {
        (Chain::Solana, FactQuery::TokenAccount { address }) => vec![solana::token_account(address)],
        _ => Vec::new(),
    }
}

/// What the responses say; nothing where they do not say it.
pub fn read_fact(chain: Chain, query: &FactQuery, responses: &[Response]) -> Vec<NodeFact> {
    match (chain, query, responses) {
        (Chain::Solana, FactQuery::TokenAccount { address }, [response]) => {
            solana::read_token_account(address, response).into_iter().collect()
        }
        _ => Vec::new(),
    }
}
