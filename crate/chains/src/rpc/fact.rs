//! What explanations need from nodes: the requests, and what the responses say.
//!
//! Each kind's words are in a file of its own. A response that is not exactly what it must be says nothing; a name of a
//! token that a person could misread is no name.

mod cosmos;
mod deposits;
mod evm;
mod solana;
mod sui;
mod ton;
mod tron;
mod utxo;

use super::{Method, Request, Response, token_account};
use crate::{Chain, Network, encoding};
use wire::node::{FactQuery, NodeFact};

/// A longer ticker is none.
const LONGEST_TICKER: usize = 64;

/// What a token says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Token {
    ticker: Option<String>,
    decimals: Option<u8>,
    collection: bool,
}

/// The requests that put a query to a node of the chain; none where its nodes do not know.
pub fn fact(chain: Chain, query: &FactQuery) -> Vec<Request> {
    match query {
        FactQuery::TokenAccount { address } => token_account::ask(chain, address),
        FactQuery::Token { id } => match chain.network() {
            Network::Evm { .. } => evm::ask(id),
            Network::Solana => solana::ask(id),
            Network::Cosmos { .. } => cosmos::ask(chain, id),
            Network::Tron => tron::ask(id),
            Network::Ton => ton::ask(id),
            Network::Sui => sui::ask_token(id),
            _ => None,
        }
        .unwrap_or_default(),
        FactQuery::PreviousTransaction { id, json_rpc } => utxo::ask(chain, id, *json_rpc),
        FactQuery::CoinObject { id } if chain == Chain::Sui => sui::ask_coin(id),
        FactQuery::CoinObject { .. } => Vec::new(),
        FactQuery::DepositAddresses => deposits::ask(chain),
    }
}

/// What the responses say; nothing where they do not say it.
pub fn read_fact(chain: Chain, query: &FactQuery, responses: &[Response]) -> Vec<NodeFact> {
    match query {
        FactQuery::TokenAccount { address } => token_account::read(chain, address, responses),
        FactQuery::Token { id } => {
            let token = match chain.network() {
                Network::Evm { .. } => evm::read(responses),
                Network::Solana => solana::read(id, responses),
                Network::Cosmos { .. } => cosmos::read(chain, id, responses),
                Network::Tron => tron::read(id, responses),
                Network::Ton => ton::read(id, responses),
                Network::Sui => sui::read_token(responses),
                _ => None,
            };
            token
                .filter(|token| *token != Token::default())
                .map(|token| named(id, token))
                .into_iter()
                .collect()
        }
        FactQuery::PreviousTransaction { id, .. } => utxo::read(chain, id, responses).into_iter().collect(),
        FactQuery::CoinObject { id } if chain == Chain::Sui => {
            sui::read_coin(id, responses).into_iter().collect()
        }
        FactQuery::CoinObject { .. } => Vec::new(),
        FactQuery::DepositAddresses => deposits::read(chain, responses),
    }
}

fn named(id: &str, token: Token) -> NodeFact {
    let Token { ticker, decimals, collection } = token;
    NodeFact::Token { id: id.to_owned(), ticker, decimals, collection }
}

/// A ticker as it may be repeated to a person.
fn ticker(text: &[u8]) -> Option<String> {
    let text = encoding::plain_text(text)?.trim();
    (1..=LONGEST_TICKER).contains(&text.len()).then(|| text.to_owned())
}

/// A number of decimal places, as a number or in digits.
fn decimals(value: &serde_json::Value) -> Option<u8> {
    let number = value.as_u64().or_else(|| value.as_str()?.parse().ok())?;
    u8::try_from(number).ok()
}

fn get(path: String) -> Request {
    Request { method: Method::Get, path }
}

/// The JSON of a response that is no error.
fn json(response: Option<&Response>) -> Option<serde_json::Value> {
    response.filter(|response| response.status == 200)?.json()
}

#[cfg(test)]
mod tests;
