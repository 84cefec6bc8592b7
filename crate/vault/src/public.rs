//! The public side of a vault: keys that are points of their curves, and the accounts that follow from them.

use chains::derive::{DeriveError, VaultKeys, kept_account};
use chains::encoding::{from_hex, hex};
use chains::{Account, Chain};
use derive::Code;
use wire::vault::{ChainPublicKey, PublicKeys, VaultAccount};

/// Why public keys are not valid for a vault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum PublicKeysError {
    /// Not hex, not a point, or of the wrong scheme.
    #[error(transparent)]
    #[code(transparent)]
    Key(#[from] DeriveError),
    /// A chain that is not known.
    #[error("chainPublicKeys names a chain that is not known")]
    UnknownChain,
}

impl PublicKeysError {
    /// The field that is wrong, where one is.
    pub const fn field(self) -> Option<&'static str> {
        match self {
            Self::Key(DeriveError::Malformed { field, .. } | DeriveError::NotAPoint { field }) => Some(field),
            Self::Key(_) => None,
            Self::UnknownChain => Some("chainPublicKeys"),
        }
    }
}

/// The chains that a vault can have an account on: those whose keys are derived by a path.
pub fn chains() -> impl Iterator<Item = Chain> {
    Chain::ALL.iter().copied().filter(|chain| chain.derivation_path().is_some())
}

/// Reads a vault's public keys.
pub fn keys(public: &PublicKeys) -> Result<VaultKeys, PublicKeysError> {
    let mut keys =
        VaultKeys::parse(&public.public_key_ecdsa, &public.public_key_eddsa, &public.hex_chain_code)?;
    for ChainPublicKey { chain, public_key } in &public.chain_public_keys {
        keys.import(Chain::parse(chain).ok_or(PublicKeysError::UnknownChain)?, public_key)?;
    }
    Ok(keys)
}

/// Checks public keys and spells them as everywhere else: hex in lower case without `0x`, chains by their names.
pub fn check(public: &PublicKeys) -> Result<PublicKeys, PublicKeysError> {
    keys(public)?;
    let spell = |text: &String| from_hex("", text).map(|bytes| hex(&bytes)).unwrap_or_default();
    let listed = |ChainPublicKey { chain, public_key }: &ChainPublicKey| {
        let chain = Chain::parse(chain).ok_or(PublicKeysError::UnknownChain)?;
        Ok(ChainPublicKey { chain: chain.name().to_owned(), public_key: spell(public_key) })
    };
    Ok(PublicKeys {
        public_key_ecdsa: spell(&public.public_key_ecdsa),
        public_key_eddsa: spell(&public.public_key_eddsa),
        hex_chain_code: spell(&public.hex_chain_code),
        chain_public_keys: public
            .chain_public_keys
            .iter()
            .map(listed)
            .collect::<Result<_, PublicKeysError>>()?,
    })
}

/// The vault's account on every chain that it has one on. A vault that lists keys has none on the chains it leaves out.
pub fn accounts(public: &PublicKeys) -> Result<Vec<VaultAccount>, PublicKeysError> {
    let keys = keys(public)?;
    let account = |chain| match keys.account(chain) {
        Ok(Account { key, address, .. }) => {
            let (chain, public_key) = (chain.name().to_owned(), hex(key.as_bytes()));
            Some(Ok(VaultAccount { chain, public_key, address }))
        }
        Err(DeriveError::ChainKeyMissing { .. }) => None,
        Err(error) => Some(Err(error.into())),
    };
    chains().filter_map(account).collect()
}

/// Reads an account as a vault stores it.
pub fn account(kept: &VaultAccount) -> Result<Account, PublicKeysError> {
    let chain = Chain::parse(&kept.chain).ok_or(PublicKeysError::UnknownChain)?;
    Ok(kept_account(chain, &kept.public_key, &kept.address)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GENERATOR: &str = "0279BE667EF9DCBBAC55A06295CE870B07029BFCDB2DCE28D959F2815B16F81798";
    const POINT: &str = "D75A980182B10AB7D54BFED3C964073A0EE172F3DAA62325AF021A68F707511A";

    fn public() -> PublicKeys {
        PublicKeys {
            public_key_ecdsa: GENERATOR.into(),
            public_key_eddsa: format!("0x{POINT}"),
            hex_chain_code: "AB".repeat(32),
            chain_public_keys: Vec::new(),
        }
    }

    fn listed(chain: &str, key: &str) -> PublicKeys {
        let entry = ChainPublicKey { chain: chain.into(), public_key: key.into() };
        PublicKeys { chain_public_keys: vec![entry], ..public() }
    }

    #[test]
    fn keeps_one_spelling() {
        let expected = PublicKeys {
            public_key_ecdsa: GENERATOR.to_lowercase(),
            public_key_eddsa: POINT.to_lowercase(),
            hex_chain_code: "ab".repeat(32),
            chain_public_keys: vec![ChainPublicKey {
                chain: "Cosmos".into(),
                public_key: GENERATOR.to_lowercase(),
            }],
        };
        assert_eq!(check(&listed("gaiachain", GENERATOR)), Ok(expected));
    }

    #[test]
    fn what_is_no_key_is_refused_by_field() {
        let refused = |change: fn(&mut PublicKeys)| {
            let mut keys = public();
            change(&mut keys);
            let error = check(&keys).unwrap_err();
            (error.code(), error.field())
        };
        let not_a_point = |keys: &mut PublicKeys| keys.public_key_ecdsa = format!("02{}05", "00".repeat(31));
        assert_eq!(refused(not_a_point), ("invalid_public_key", Some("publicKeyEcdsa")));
        let weak = |keys: &mut PublicKeys| keys.public_key_eddsa = "00".repeat(32);
        assert_eq!(refused(weak), ("invalid_public_key", Some("publicKeyEddsa")));
        assert_eq!(refused(|keys| keys.hex_chain_code.clear()), ("malformed_key", Some("hexChainCode")));
        let error = |chain, key| check(&listed(chain, key)).unwrap_err();
        assert_eq!(error("Nowhere", GENERATOR), PublicKeysError::UnknownChain);
        assert_eq!(error("Solana", GENERATOR).field(), Some("chainPublicKeys"));
        assert_eq!(error("QBTC", GENERATOR).code(), "unsupported_chain");
    }

    #[test]
    fn a_vault_has_accounts_on_all_chains_or_on_those_it_lists() {
        assert_eq!(accounts(&public()).unwrap().len(), 38);
        let listed = accounts(&listed("ethereum", GENERATOR)).unwrap();
        let expected = VaultAccount {
            chain: "Ethereum".into(),
            public_key: GENERATOR.to_lowercase(),
            address: "0x7E5F4552091A69125d5DfCb7b8C2659029395Bdf".into(),
        };
        assert_eq!(listed, [expected]);
    }
}
