//! Addresses that the signer checked. It knows how each chain writes them; the core does not.

use crate::ports::Signer;
use chains::Chain;
use serde_json::Value;
use wire::signer::{ChainAddress, CheckedAddress, DecodeRequest, Reply};
use wire::sorted::SortedMap;

/// Addresses are not checked, because the signer does not answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unavailable;

/// Why an address is not taken.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// It is none of its chain: why, in the signer's words.
    #[error("{0}")]
    Invalid(String),
    /// The signer was not asked about it.
    #[error("the address was not checked")]
    Unchecked,
}

/// What the check of some addresses found.
#[derive(Debug, Default)]
pub(crate) struct Checked(SortedMap<(Chain, String), CheckedAddress>);

/// Checks addresses, each with the chain that it should be of. Asks nothing where there are none.
pub(crate) async fn check(
    signer: &dyn Signer,
    addresses: impl Iterator<Item = (Chain, &str)>,
) -> Result<Checked, Unavailable> {
    let asked: Vec<(Chain, String)> = addresses.map(|(chain, text)| (chain, text.to_owned())).collect();
    if asked.is_empty() {
        return Ok(Checked::default());
    }
    let addresses = asked.iter().map(|(chain, text)| {
        let (chain, address) = (chain.name().to_owned(), text.clone());
        ChainAddress { chain, address }
    });
    let request = DecodeRequest::CheckAddresses { addresses: addresses.collect() };
    match signer.ask(request.into()).await {
        Ok(Reply::Addresses { checked }) if checked.len() == asked.len() => {
            Ok(Checked(asked.into_iter().zip(checked).collect()))
        }
        Ok(_) | Err(_) => Err(Unavailable),
    }
}

/// The address that an entry of a call names in a field, with its chain.
pub(crate) fn named<'a>(entry: &'a Value, field: &str) -> Option<(Chain, &'a str)> {
    let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::trim);
    Some((Chain::parse(text("chain")?)?, text(field)?))
}

impl Checked {
    /// With addresses that are kept, and so were checked before.
    pub(crate) fn with_kept(mut self, kept: &[(Chain, &str)]) -> Self {
        for (chain, address) in kept {
            let canonical = (*address).to_owned();
            self.0.insert((*chain, canonical.clone()), CheckedAddress::Valid { canonical });
        }
        self
    }

    /// The canonical spelling of an address, or what is wrong with it.
    pub(crate) fn canonical(&self, chain: Chain, address: &str) -> Result<String, AddressError> {
        match self.0.get(&(chain, address.to_owned())) {
            Some(CheckedAddress::Valid { canonical }) => Ok(canonical.clone()),
            Some(CheckedAddress::Invalid { problem }) => Err(AddressError::Invalid(problem.clone())),
            None => Err(AddressError::Unchecked),
        }
    }
}

/// Checks without a signer, for tests of what is pure.
#[cfg(test)]
pub(crate) fn check_here<'a>(addresses: impl Iterator<Item = (Chain, &'a str)>) -> Checked {
    let check = |(chain, text): (Chain, &str)| {
        let checked = match chains::address::normalise(chain, text) {
            Ok(canonical) => CheckedAddress::Valid { canonical },
            Err(error) => CheckedAddress::Invalid { problem: error.to_string() },
        };
        ((chain, text.to_owned()), checked)
    };
    Checked(addresses.map(check).collect())
}
