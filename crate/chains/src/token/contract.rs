//! What tells a token apart on its chain, in one spelling: an address, a coin type, a denomination.

use crate::address::{self, AddressError};
use crate::{Chain, Kind, sui};

/// What aggregators write for a chain's own coin; as contracts of tokens these would be traps.
const STAND_FOR_NATIVE: [&str; 2] =
    ["0x0000000000000000000000000000000000000000", "0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee"];

/// Why a text names no token of a chain.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ContractError {
    /// It is not well formed.
    #[error(transparent)]
    Address(#[from] AddressError),
    /// Aggregators write it for the chain's own coin.
    #[error("this stands for the chain's own coin, which is added with is_native")]
    StandsForNative,
    /// It is no coin type of Sui.
    #[error("a coin type is written 0x…::module::NAME")]
    CoinType,
    /// No chain has such a contract.
    #[error("the contract has a character that none has")]
    Character,
}

/// The contract in its chain's one spelling.
pub fn spell_contract(chain: Chain, given: &str) -> Result<String, ContractError> {
    match chain.kind() {
        Kind::Evm if STAND_FOR_NATIVE.iter().any(|other| other.eq_ignore_ascii_case(given)) => {
            Err(ContractError::StandsForNative)
        }
        Kind::Evm | Kind::Solana | Kind::Tron | Kind::Ton => Ok(address::normalise(chain, given)?),
        Kind::Sui => sui::type_name(given).ok_or(ContractError::CoinType),
        _ if given.bytes().all(|byte| byte.is_ascii_graphic()) => Ok(given.to_owned()),
        _ => Err(ContractError::Character),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::token;
    use proptest::prelude::*;

    #[test]
    fn our_table_is_in_the_one_spelling() {
        for chain in Chain::ALL {
            for token in token::on(*chain) {
                assert_eq!(spell_contract(*chain, token.contract).as_deref(), Ok(token.contract), "{chain}");
            }
        }
    }

    #[test]
    fn spellings() {
        let usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
        assert_eq!(spell_contract(Chain::Ethereum, &usdc.to_lowercase()).as_deref(), Ok(usdc));
        assert_eq!(spell_contract(Chain::Sui, "0x0002::sui::SUI").as_deref(), Ok("0x2::sui::SUI"));
        assert_eq!(spell_contract(Chain::Sui, "sui"), Err(ContractError::CoinType));
        assert_eq!(spell_contract(Chain::Cosmos, "ibc/ABC").as_deref(), Ok("ibc/ABC"));
        assert_eq!(spell_contract(Chain::Cosmos, "ibc/ ABC"), Err(ContractError::Character));
        for other in STAND_FOR_NATIVE {
            assert_eq!(spell_contract(Chain::Base, other), Err(ContractError::StandsForNative));
        }
    }

    proptest! {
        /// Any text is spelled or refused, and a spelling is its own.
        #[test]
        fn spelled_once(text in "(0x)?[0-9a-zA-Z:_<>, ]{0,80}|\\PC{0,40}", at in 0..Chain::ALL.len()) {
            let chain = Chain::ALL[at];
            if let Ok(spelled) = spell_contract(chain, &text) {
                prop_assert_eq!(spell_contract(chain, &spelled), Ok(spelled.clone()));
            }
        }
    }
}
