//! Checks tokens for the core, which does not have the table of well-known ones.

use crate::error::AnswerError;
use chains::Chain;
use chains::names::is_ticker;
use chains::token::{self, KnownToken, Taken};
use wire::signer::{CheckedAddress, CheckedToken, ListedToken, Reply, TickerCheck, TokenToCheck};

/// Checks each token.
pub(crate) fn check(tokens: &[TokenToCheck]) -> Result<Reply, AnswerError> {
    Ok(Reply::Tokens { checked: tokens.iter().map(check_one).collect::<Result<_, _>>()? })
}

fn check_one(given: &TokenToCheck) -> Result<CheckedToken, AnswerError> {
    let unknown = || AnswerError::UnknownChain { chain: given.chain.clone() };
    let chain = Chain::parse(&given.chain).ok_or_else(unknown)?;
    let spelled = given.contract.as_ref().map(|contract| token::spell_contract(chain, contract));
    let known = spelled.as_ref().and_then(|spelled| token::at(chain, spelled.as_ref().ok()?));
    let contract = spelled.map(|spelled| match spelled {
        Ok(canonical) => CheckedAddress::Valid { canonical },
        Err(error) => CheckedAddress::Invalid { problem: error.to_string() },
    });
    Ok(CheckedToken {
        contract,
        listed: known.map(listed),
        meant: token::known(chain, &given.ticker).map(listed),
        ticker: ticker(chain, &given.ticker),
    })
}

fn ticker(chain: Chain, ticker: &str) -> TickerCheck {
    match token::taken(chain, ticker) {
        _ if !is_ticker(ticker) => TickerCheck::Malformed,
        Some(Taken::By(token)) => {
            TickerCheck::Taken { ticker: token.ticker.to_owned(), contract: Some(token.contract.to_owned()) }
        }
        Some(Taken::ByNative) => {
            TickerCheck::Taken { ticker: chain.native().ticker.to_owned(), contract: None }
        }
        None => TickerCheck::Free,
    }
}

fn listed(token: &KnownToken) -> ListedToken {
    let KnownToken { ticker, contract, decimals } = *token;
    ListedToken { ticker: ticker.to_owned(), contract: contract.to_owned(), decimals }
}

#[cfg(test)]
mod tests {
    use super::*;

    const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";

    fn checked(chain: &str, ticker: &str, contract: Option<&str>) -> CheckedToken {
        let (chain, ticker) = (chain.to_owned(), ticker.to_owned());
        check_one(&TokenToCheck { chain, ticker, contract: contract.map(str::to_owned) }).unwrap()
    }

    #[test]
    fn contract_and_ticker_are_held_against_the_table() {
        let usdc = ListedToken { ticker: "USDC".to_owned(), contract: USDC.to_owned(), decimals: 6 };
        let taken = TickerCheck::Taken { ticker: "USDC".to_owned(), contract: Some(USDC.to_owned()) };
        let canonical = CheckedAddress::Valid { canonical: USDC.to_owned() };
        assert_eq!(
            checked("Ethereum", "usdc", Some(&USDC.to_lowercase())),
            CheckedToken {
                contract: Some(canonical),
                listed: Some(usdc.clone()),
                meant: Some(usdc.clone()),
                ticker: taken.clone(),
            }
        );
        let other = checked("Ethereum", "USDC", Some("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"));
        assert_eq!((other.listed, other.meant, other.ticker), (None, Some(usdc), taken));
        let native = checked("Ethereum", "eth", None);
        let coin = TickerCheck::Taken { ticker: "ETH".to_owned(), contract: None };
        assert_eq!((native.contract, native.meant, native.ticker), (None, None, coin));
        assert_eq!(checked("Ethereum", "USDС", None).ticker, TickerCheck::Malformed, "a Cyrillic letter");
        assert_eq!(checked("Ethereum", "NEW", None).ticker, TickerCheck::Free);
        let nonsense = checked("Ethereum", "NEW", Some("0x1"));
        assert!(matches!(nonsense.contract, Some(CheckedAddress::Invalid { .. })));
        let nowhere = TokenToCheck { chain: "Atlantis".to_owned(), ticker: "X".to_owned(), contract: None };
        assert!(check(&[nowhere]).is_err());
    }
}
