//! Checks addresses for the core, which does not know how chains write them.

use crate::error::AnswerError;
use chains::{Chain, address};
use wire::signer::{ChainAddress, CheckedAddress, Reply};

/// Checks each address.
pub(crate) fn check(addresses: &[ChainAddress]) -> Result<Reply, AnswerError> {
    Ok(Reply::Addresses { checked: addresses.iter().map(check_one).collect::<Result<_, _>>()? })
}

fn check_one(given: &ChainAddress) -> Result<CheckedAddress, AnswerError> {
    let unknown = || AnswerError::UnknownChain { chain: given.chain.clone() };
    let chain = Chain::parse(&given.chain).ok_or_else(unknown)?;
    Ok(match address::normalise(chain, &given.address) {
        Ok(canonical) => CheckedAddress::Valid { canonical },
        Err(error) => CheckedAddress::Invalid { problem: error.to_string() },
    })
}
