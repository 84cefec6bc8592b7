//! Addresses: reads one as its chain writes it and returns the one spelling in which it is stored.
//!
//! One file per kind of chain, each opening with what its addresses look like. The check is syntactic: the right
//! alphabet, length, prefix and checksum. An address does not show whether its key exists.

mod base58;
mod bech32;
mod byron;
pub(crate) mod cardano;
mod cashaddr;
pub(crate) mod cosmos;
mod error;
pub(crate) mod evm;
mod hex;
pub(crate) mod payee;
pub(crate) mod polkadot;
mod qbtc;
pub(crate) mod ripple;
pub(crate) mod solana;
pub(crate) mod sui;
pub(crate) mod ton;
pub(crate) mod tron;
pub(crate) mod utxo;

pub use error::AddressError;

use crate::{Chain, Network};
use wire::bundle::SpelledAddress;
use wire::explain::Explanation;
use wire::signer::ChainAddress;

/// No address of any chain is longer, in bytes.
const MAX_LENGTH: usize = 200;

/// Checks that `text` is an address of `chain` and returns its canonical spelling. Blanks around it are ignored.
///
/// The canonical spelling of an address normalises to itself.
pub fn normalise(chain: Chain, text: &str) -> Result<String, AddressError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(AddressError::Empty);
    }
    if text.len() > MAX_LENGTH {
        return Err(AddressError::TooLong);
    }
    match chain.network() {
        Network::Evm { .. } => evm::normalise(text),
        Network::Utxo(prefixes) => utxo::normalise(&prefixes, text),
        Network::Cosmos { hrp, .. } => cosmos::normalise(hrp, text),
        Network::Sui => sui::normalise(text),
        Network::Solana => solana::normalise(text),
        Network::Polkadot { ss58 } | Network::Bittensor { ss58 } => polkadot::normalise(ss58, text),
        Network::Ton => ton::normalise(text),
        Network::Ripple => ripple::normalise(text),
        Network::Tron => tron::normalise(text),
        Network::Cardano => cardano::normalise(text),
        Network::Qbtc { hrp } => qbtc::normalise(hrp, text),
    }
}

/// The addresses of a transaction, in the spellings by which they are recognised.
pub fn spelled(explanation: &Explanation) -> Vec<SpelledAddress> {
    let Some(chain) = Chain::parse(&explanation.chain) else { return Vec::new() };
    let spelled = |text: &str| SpelledAddress { text: text.to_owned(), spellings: anywhere(chain, text) };
    explanation.addresses().into_iter().map(spelled).collect()
}

/// Every canonical spelling of an address in a transaction on `chain`, with the chain that it is of: its own, or every
/// other where it is no address of that one (a swap pays out elsewhere, a transfer leaves over IBC).
fn anywhere(chain: Chain, text: &str) -> Vec<ChainAddress> {
    let on = |realm: Chain| {
        let named = move |address| ChainAddress { chain: realm.name().to_owned(), address };
        spellings(realm, text).into_iter().map(named)
    };
    let own: Vec<_> = on(chain.realm()).collect();
    if own.is_empty() { Chain::realms().flat_map(on).collect() } else { own }
}

/// Every canonical spelling of the account that an address of `chain` names, or nothing if it is no address. One, except
/// on TON.
pub fn spellings(chain: Chain, text: &str) -> Vec<String> {
    match (normalise(chain, text), chain.network()) {
        (Ok(text), Network::Ton) => ton::spellings(&text),
        (Ok(text), _) => vec![text],
        (Err(_), _) => Vec::new(),
    }
}

/// The error for an address that begins with these bytes.
fn wrong_version(version: &[u8]) -> AddressError {
    AddressError::Prefix { found: format!("0x{}", crate::encoding::hex(version)) }
}

/// The error for an address whose first `count` characters are wrong.
fn wrong_start(text: &str, count: usize) -> AddressError {
    AddressError::Prefix { found: text.chars().take(count).collect() }
}

/// Whether a text in upper or lower case begins so.
fn starts_with(text: &str, start: &str) -> bool {
    text.get(..start.len()).is_some_and(|head| head.eq_ignore_ascii_case(start))
}
