//! Whether a token may be held under its ticker and with its decimals. The signer has the table of well-known tokens; the
//! nodes of the chain know the decimals of the others.

use crate::Core;
use crate::address::Unavailable;
use crate::bundle::ask_nodes;
use crate::ports::Signer;
use chains::Chain;
use derive::Code;
use wire::coins::DecimalsSource;
use wire::node::{FactQuery, NodeFact};
use wire::signer::{CheckedToken, DecodeRequest, ListedToken, Reply, TickerCheck, TokenToCheck, WantedFact};

/// Nodes are asked about so many tokens of one call; the decimals of the others stay unconfirmed.
const MOST_ASKED: usize = 32;

/// Why a token is not held, or not removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub enum TokenError {
    /// Too long for a ticker, or with characters that deceive.
    #[error("{path} must be 1 to 16 characters of a-z, A-Z, 0-9 and . $ + -")]
    InvalidTicker {
        /// Where the ticker is.
        path: String,
    },
    /// A reader would take it for another token, or for the chain's own coin.
    #[error("{path} is taken on this chain by {holder}")]
    TickerTaken {
        /// Where the ticker is.
        path: String,
        /// What has the ticker.
        holder: String,
    },
    /// The token has other decimals.
    #[error("{path} must be {found}, as the token has them")]
    DecimalsContradicted {
        /// Where the decimals are.
        path: String,
        /// What our table or the chain says.
        found: u8,
    },
    /// The contract is not that of a token with amounts.
    #[error("{path} is a collection of items, which have no amounts")]
    #[code("token_is_collection")]
    Collection {
        /// Where the contract is.
        path: String,
    },
    /// A chain's own coin stays as long as its chain does.
    #[error("{path} is the chain's own coin, which stays with its chain")]
    NativeCoin {
        /// Where it is named.
        path: String,
    },
}

/// What a chain says of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TokenFact {
    decimals: Option<u8>,
    collection: bool,
}

/// Checks tokens against our table; one answer for each. Asks nothing where there are none.
pub(crate) async fn ask_table(
    signer: &dyn Signer,
    tokens: Vec<TokenToCheck>,
) -> Result<Vec<CheckedToken>, Unavailable> {
    let count = tokens.len();
    if count == 0 {
        return Ok(Vec::new());
    }
    match signer.ask(DecodeRequest::CheckTokens { tokens }.into()).await {
        Ok(Reply::Tokens { checked }) if checked.len() == count => Ok(checked),
        Ok(_) | Err(_) => Err(Unavailable),
    }
}

/// The well-known token that it is, or nothing if it is another. `path` is where the token's fields are.
pub(crate) fn against_table<'a>(
    checked: &'a CheckedToken,
    decimals: u8,
    path: &str,
) -> Result<Option<&'a ListedToken>, TokenError> {
    if let Some(listed) = &checked.listed {
        return match listed.decimals {
            found if found == decimals => Ok(Some(listed)),
            found => Err(TokenError::DecimalsContradicted { path: [path, "decimals"].concat(), found }),
        };
    }
    let path = [path, "ticker"].concat();
    match &checked.ticker {
        TickerCheck::Free => Ok(None),
        TickerCheck::Malformed => Err(TokenError::InvalidTicker { path }),
        TickerCheck::Taken { ticker, contract: Some(contract) } => {
            Err(TokenError::TickerTaken { path, holder: format!("{ticker} at {contract}") })
        }
        TickerCheck::Taken { ticker, contract: None } => {
            Err(TokenError::TickerTaken { path, holder: format!("its native coin {ticker}") })
        }
    }
}

/// Where the decimals are from, unless the chain contradicts them. `path` is where the token's fields are.
pub(crate) fn against_chain(
    fact: Option<TokenFact>,
    decimals: u8,
    path: &str,
) -> Result<DecimalsSource, TokenError> {
    match fact {
        None => Ok(DecimalsSource::Request),
        Some(TokenFact { collection: true, .. }) => {
            Err(TokenError::Collection { path: [path, "contract_address"].concat() })
        }
        Some(TokenFact { decimals: None, .. }) => Ok(DecimalsSource::Request),
        Some(TokenFact { decimals: Some(found), .. }) if found == decimals => Ok(DecimalsSource::Node),
        Some(TokenFact { decimals: Some(found), .. }) => {
            Err(TokenError::DecimalsContradicted { path: [path, "decimals"].concat(), found })
        }
    }
}

/// Asks the chains' nodes about tokens.
#[derive(Clone, Copy)]
pub(crate) struct TokenFacts<'a>(&'a Core);

impl<'a> TokenFacts<'a> {
    pub(crate) const fn new(core: &'a Core) -> Self {
        Self(core)
    }

    /// What nodes say of each contract, in their order; nothing where none answers in time.
    pub(crate) async fn ask(&self, contracts: &[Option<(Chain, String)>]) -> Vec<Option<TokenFact>> {
        let wanted = |(chain, id): &(Chain, String)| {
            let query = FactQuery::Token { id: id.clone() };
            WantedFact { chain: chain.name().to_owned(), query }
        };
        let queries: Vec<WantedFact> = contracts.iter().flatten().take(MOST_ASKED).map(wanted).collect();
        let mut answers = ask_nodes(self.0, &queries).await.into_iter();
        let fact = |contract: &Option<(Chain, String)>| {
            let (_, id) = contract.as_ref()?;
            answers.next()?.into_iter().find_map(|fact| about(id, &fact))
        };
        contracts.iter().map(fact).collect()
    }
}

fn about(id: &str, fact: &NodeFact) -> Option<TokenFact> {
    match fact {
        NodeFact::Token { id: found, decimals, collection, .. } if found == id => {
            Some(TokenFact { decimals: *decimals, collection: *collection })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(listed: Option<u8>, ticker: TickerCheck) -> CheckedToken {
        let token = |decimals| ListedToken { ticker: "USDC".into(), contract: "0xa".into(), decimals };
        CheckedToken { contract: None, listed: listed.map(token), meant: None, ticker }
    }

    #[test]
    fn a_well_known_contract_has_its_own_name() {
        let taken = |contract: Option<&str>| TickerCheck::Taken {
            ticker: "USDC".into(),
            contract: contract.map(str::to_owned),
        };
        let said = |checked: CheckedToken| match against_table(&checked, 6, "/tokens/0/") {
            Ok(listed) => listed.is_some().to_string(),
            Err(error) => format!("{}: {error}", error.code()),
        };
        assert_eq!(said(checked(Some(6), taken(Some("0xa")))), "true");
        assert_eq!(said(checked(Some(6), TickerCheck::Malformed)), "true");
        assert_eq!(
            said(checked(Some(18), TickerCheck::Free)),
            "decimals_contradicted: /tokens/0/decimals must be 18, as the token has them"
        );
        assert_eq!(said(checked(None, TickerCheck::Free)), "false");
        assert_eq!(
            said(checked(None, taken(Some("0xa")))),
            "ticker_taken: /tokens/0/ticker is taken on this chain by USDC at 0xa"
        );
        assert_eq!(
            said(checked(None, taken(None))),
            "ticker_taken: /tokens/0/ticker is taken on this chain by its native coin USDC"
        );
        assert_eq!(
            said(checked(None, TickerCheck::Malformed)),
            "invalid_ticker: /tokens/0/ticker must be 1 to 16 characters of a-z, A-Z, 0-9 and . $ + -"
        );
    }

    #[test]
    fn only_the_chains_word_contradicts() {
        let fact = |decimals, collection| Some(TokenFact { decimals, collection });
        let said = |fact| against_chain(fact, 6, "").map_err(|error| error.code());
        assert_eq!(said(None), Ok(DecimalsSource::Request));
        assert_eq!(said(fact(None, false)), Ok(DecimalsSource::Request));
        assert_eq!(said(fact(Some(6), false)), Ok(DecimalsSource::Node));
        assert_eq!(said(fact(Some(18), false)), Err("decimals_contradicted"));
        assert_eq!(said(fact(Some(6), true)), Err("token_is_collection"));
    }
}
