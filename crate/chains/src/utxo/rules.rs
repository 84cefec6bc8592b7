//! What the chains of this kind do not have in common. One row per chain.

use crate::{Chain, Network, TransactionError, UtxoPrefixes};

/// How one chain signs and what it does not carry.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Rules {
    /// Outputs below this are not relayed: no change below it, no payment below it, no coin below it is spent.
    pub(super) dust: u64,
    /// What a signature says that it covers, always everything: ALL, on Bitcoin Cash with FORKID.
    pub(super) hash_type: u8,
    /// Which of the chains' hashes is signed.
    pub(super) digest: Digest,
    /// Whether its wallets keep their coins behind a witness program.
    pub(super) segwit: bool,
}

/// Which hash is signed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Digest {
    /// BIP-143 for SegWit inputs; the first client's hash for the others, which does not cover what is spent.
    Bitcoin,
    /// BIP-143 for every input.
    ForkId,
    /// ZIP-243.
    Zcash,
}

const fn row(dust: u64, hash_type: u8, digest: Digest, segwit: bool) -> Rules {
    Rules { dust, hash_type, digest, segwit }
}

static BITCOIN: Rules = row(546, 0x01, Digest::Bitcoin, true);
static LITECOIN: Rules = row(2_940, 0x01, Digest::Bitcoin, true);
static DOGECOIN: Rules = row(1_000_000, 0x01, Digest::Bitcoin, false);
static DASH: Rules = row(1_000, 0x01, Digest::Bitcoin, false);
static BITCOIN_CASH: Rules = row(1_000, 0x41, Digest::ForkId, false);
static ZCASH: Rules = row(1_000, 0x01, Digest::Zcash, false);

/// The row of a chain, and how its addresses begin.
pub(super) fn of(chain: Chain) -> Result<(&'static Rules, UtxoPrefixes), TransactionError> {
    let rules = match chain {
        Chain::Bitcoin => &BITCOIN,
        Chain::Litecoin => &LITECOIN,
        Chain::Dogecoin => &DOGECOIN,
        Chain::Dash => &DASH,
        Chain::BitcoinCash => &BITCOIN_CASH,
        Chain::Zcash => &ZCASH,
        _ => return Err(TransactionError::Unsupported { what: "a chain without coins of this kind" }),
    };
    match chain.network() {
        Network::Utxo(prefixes) => Ok((rules, prefixes)),
        _ => Err(TransactionError::Unsupported { what: "a chain without coins of this kind" }),
    }
}
