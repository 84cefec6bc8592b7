//! What nodes said of the things that a transaction names, looked up by those names.
//!
//! A fact enters an explanation only through here, and so with a known source: [`Source::Node`](crate::explain::Source).

use crate::Chain;
use wire::node::{FactQuery, NodeFact};

/// A question to the nodes of a chain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wanted {
    /// Whose nodes are asked.
    pub chain: Chain,
    /// What.
    pub query: FactQuery,
}

/// What nodes said.
#[derive(Debug, Clone, Copy, Default)]
pub struct Facts<'a>(pub &'a [NodeFact]);

/// What a node said of a coin object of Sui.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CoinFact<'a> {
    /// The type of coin in it.
    pub(crate) coin_type: &'a str,
    /// How much.
    pub(crate) balance: u64,
}

/// What a node said of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenFact<'a> {
    /// The ticker it gives itself.
    pub ticker: Option<&'a str>,
    /// How many decimal places one token has.
    pub decimals: Option<u8>,
    /// Whether it is a collection of items, each with a number.
    pub collection: bool,
}

/// What a node said of an account that holds tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenAccountFact<'a> {
    /// Whose it is.
    pub owner: &'a str,
    /// The token, as the chain names it.
    pub token: &'a str,
}

impl<'a> Facts<'a> {
    /// Of an account that holds tokens.
    pub fn token_account(&self, account: &str) -> Option<TokenAccountFact<'a>> {
        self.0.iter().find_map(|fact| match fact {
            NodeFact::TokenAccount { address, owner, token } if address == account => {
                Some(TokenAccountFact { owner, token })
            }
            _ => None,
        })
    }

    /// The swap network that takes deposits at this account, by the word of that network's own nodes.
    pub fn deposit_network(&self, chain: Chain, account: &str) -> Option<Chain> {
        let same = |found: &str| match chain.kind() {
            crate::Kind::Evm => found.eq_ignore_ascii_case(account),
            _ => found == account,
        };
        self.0.iter().find_map(|fact| match fact {
            NodeFact::DepositAddress { network, chain: on, address, .. }
                if on == chain.name() && same(address) =>
            {
                Chain::parse(network)
            }
            _ => None,
        })
    }

    /// Of a token, by its contract, mint or denom.
    pub fn token(&self, token: &str) -> Option<TokenFact<'a>> {
        self.0.iter().find_map(|fact| match fact {
            NodeFact::Token { id, ticker, decimals, collection } if id.eq_ignore_ascii_case(token) => {
                Some(TokenFact { ticker: ticker.as_deref(), decimals: *decimals, collection: *collection })
            }
            _ => None,
        })
    }

    /// Earlier transactions: their ids and their bytes in hex, which are not checked yet.
    pub(crate) fn previous_transactions(&self) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
        self.0.iter().filter_map(|fact| match fact {
            NodeFact::PreviousTransaction { id, bytes } => Some((id.as_str(), bytes.as_str())),
            _ => None,
        })
    }

    /// Of a coin object, by its id in full.
    pub(crate) fn coin_object(&self, object: &str) -> Option<CoinFact<'a>> {
        self.0.iter().find_map(|fact| match fact {
            NodeFact::CoinObject { id, coin_type, balance } if id.eq_ignore_ascii_case(object) => {
                Some(CoinFact { coin_type, balance: balance.parse().ok()? })
            }
            _ => None,
        })
    }
}
