//! What an address of a UTXO chain pays to: the bridge between addresses, which people read, and the scripts of
//! outputs, which are signed.

use bs58::Alphabet;

use super::cashaddr::{self, Target};
use super::{AddressError, base58, bech32, utxo};
use crate::UtxoPrefixes;

/// What an output pays to, as far as addresses can express it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Payee {
    /// The hash of a public key.
    Key([u8; 20]),
    /// The hash of a script: 20 bytes, on Bitcoin Cash also 32.
    Script(Vec<u8>),
    /// A witness program.
    Witness {
        /// 0, or 1 for Taproot.
        version: u8,
        /// 20 or 32 bytes.
        program: Vec<u8>,
    },
}

impl Payee {
    /// Reads an address of the chain with these prefixes.
    pub(crate) fn parse(prefixes: &UtxoPrefixes, text: &str) -> Result<Self, AddressError> {
        let text = &utxo::normalise(prefixes, text.trim())?;
        if let Some(prefix) = prefixes.cashaddr {
            let (_, target, hash) = cashaddr::decode(prefix, text)?;
            return Self::of_hash(target, &hash);
        }
        if prefixes.segwit.is_some_and(|hrp| super::starts_with(text, hrp)) {
            let decoded = bech32::decode(text)?;
            let (version, program) = decoded.values.split_first().ok_or(AddressError::Malformed)?;
            return Ok(Self::Witness { version: *version, program: bech32::to_bytes(program)? });
        }
        let bytes = base58::decode_check(text, Alphabet::BITCOIN)?;
        let (hash, target) = match bytes.strip_prefix(prefixes.p2pkh) {
            Some(hash) if hash.len() == 20 => (hash, Target::Key),
            _ => (bytes.strip_prefix(prefixes.p2sh).ok_or(AddressError::Malformed)?, Target::Script),
        };
        Self::of_hash(target, hash)
    }

    /// The canonical spelling, where the chain has one for it.
    pub(crate) fn spell(&self, prefixes: &UtxoPrefixes) -> Option<String> {
        Some(match (self, prefixes.cashaddr) {
            (Self::Key(hash), Some(prefix)) => cashaddr::encode(prefix, Target::Key, hash),
            (Self::Key(hash), None) => base58::encode_check(prefixes.p2pkh, hash, Alphabet::BITCOIN),
            (Self::Script(hash), Some(prefix)) => cashaddr::encode(prefix, Target::Script, hash),
            (Self::Script(hash), None) if hash.len() == 20 => {
                base58::encode_check(prefixes.p2sh, hash, Alphabet::BITCOIN)
            }
            (Self::Script(_), None) => return None,
            (Self::Witness { version, program }, _) => {
                let known = matches!((version, program.len()), (0, 20 | 32) | (1, 32));
                bech32::encode(prefixes.segwit.filter(|_| known)?, Some(*version), program)
            }
        })
    }

    fn of_hash(target: Target, hash: &[u8]) -> Result<Self, AddressError> {
        Ok(match target {
            Target::Key => Self::Key(hash.try_into().map_err(|_| AddressError::Malformed)?),
            Target::Script => Self::Script(hash.to_vec()),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Chain, Network};

    /// Every form of every chain goes from text to payee and back.
    #[test]
    fn round_trips() {
        let cases = [
            (Chain::Bitcoin, "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
            (Chain::Bitcoin, "bc1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3qccfmv3"),
            (Chain::Bitcoin, "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0"),
            (Chain::Bitcoin, "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"),
            (Chain::Bitcoin, "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"),
            (Chain::BitcoinCash, "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"),
            (Chain::BitcoinCash, "ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq"),
            (Chain::Zcash, "t1KmtBG5yvpzoe487EwnssmR9nh95Xjf3d9"),
            (Chain::Dogecoin, "DNbPuABuFLjzPYD9ZkQN3yuPhtgR6JzmTt"),
        ];
        for (chain, address) in cases {
            let Network::Utxo(prefixes) = chain.network() else { panic!("{chain} is no UTXO chain") };
            let payee = Payee::parse(&prefixes, address).unwrap_or_else(|error| panic!("{address}: {error}"));
            assert_eq!(payee.spell(&prefixes).as_deref(), Some(address));
        }
    }

    /// A script hash of 32 bytes has an address on Bitcoin Cash only.
    #[test]
    fn long_script_hash() {
        let payee = Payee::Script(vec![7; 32]);
        for (chain, spelled) in [(Chain::BitcoinCash, true), (Chain::Bitcoin, false)] {
            let Network::Utxo(prefixes) = chain.network() else { panic!("{chain} is no UTXO chain") };
            let address = payee.spell(&prefixes);
            assert_eq!(address.is_some(), spelled);
            if let Some(address) = address {
                assert_eq!(Payee::parse(&prefixes, &address), Ok(payee.clone()));
            }
        }
    }
}
