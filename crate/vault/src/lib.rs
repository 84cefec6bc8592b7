//! Who signs. No I/O, no clock, and no randomness but what the caller brings.
//!
//! - [`Secret`] is what a vault keeps: private keys, a seed phrase ([`Mnemonic`]), or shares of another wallet's keys.
//!   [`Secret::public`] is what others may know of it; [`public`] makes accounts of that.
//! - [`seal`] hides a secret behind a password; [`backup`] is a file with it; [`vult`] reads another wallet's.
//! - [`Signer`] is who signs; [`LocalSigner`] does it with a secret, [`LocalKey`] with one key.

pub mod backup;
mod derive;
mod local;
mod mnemonic;
mod proto;
pub mod public;
mod random;
pub mod seal;
mod secret;
mod signer;
pub mod vult;

pub use local::{KeyError, LocalKey};
pub use mnemonic::{Mnemonic, MnemonicError};
pub use random::{NoRandomness, Random};
pub use secret::{Secret, SecretError};
pub use signer::{Cancel, LocalSigner, Signer, SignerError};

use wire::api::PublicVault;

/// Why a vault's public side was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PublicVaultError {
    /// The name is empty or over a hundred characters.
    #[error("a vault needs a name of at most 100 characters")]
    Name,
    /// Not a 33-byte compressed secp256k1 key in hex.
    #[error("must be a compressed secp256k1 public key: 66 hex digits that begin with 02 or 03")]
    PublicKeyEcdsa,
    /// Not a 32-byte key in hex.
    #[error("must be an Ed25519 public key: 64 hex digits")]
    PublicKeyEddsa,
    /// Not 32 bytes in hex.
    #[error("must be a chain code: 64 hex digits")]
    HexChainCode,
}

impl PublicVaultError {
    /// The field that is wrong, as a JSON pointer from the vault.
    pub const fn path(self) -> &'static str {
        match self {
            Self::Name => "/name",
            Self::PublicKeyEcdsa => "/publicKeyEcdsa",
            Self::PublicKeyEddsa => "/publicKeyEddsa",
            Self::HexChainCode => "/hexChainCode",
        }
    }
}

/// Checks a vault's public side and spells its hex in lower case.
pub fn check(vault: PublicVault) -> Result<PublicVault, PublicVaultError> {
    let name = vault.name.trim();
    if name.is_empty() || name.chars().count() > 100 {
        return Err(PublicVaultError::Name);
    }
    let ecdsa = hex(&vault.public_key_ecdsa, 33).ok_or(PublicVaultError::PublicKeyEcdsa)?;
    if !ecdsa.starts_with("02") && !ecdsa.starts_with("03") {
        return Err(PublicVaultError::PublicKeyEcdsa);
    }
    Ok(PublicVault {
        name: name.to_owned(),
        public_key_ecdsa: ecdsa,
        public_key_eddsa: hex(&vault.public_key_eddsa, 32).ok_or(PublicVaultError::PublicKeyEddsa)?,
        hex_chain_code: hex(&vault.hex_chain_code, 32).ok_or(PublicVaultError::HexChainCode)?,
    })
}

fn hex(text: &str, bytes: usize) -> Option<String> {
    let fits = text.len() == bytes * 2 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    fits.then(|| text.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vault() -> PublicVault {
        PublicVault {
            name: " Main ".into(),
            public_key_ecdsa: format!("02{}", "Ab".repeat(32)),
            public_key_eddsa: "cd".repeat(32),
            hex_chain_code: "ef".repeat(32),
        }
    }

    #[test]
    fn keeps_one_spelling() {
        let checked = check(vault()).unwrap();
        assert_eq!(
            (checked.name.as_str(), checked.public_key_ecdsa),
            ("Main", format!("02{}", "ab".repeat(32)))
        );
    }

    #[test]
    fn every_field_is_refused_by_its_name() {
        let wrong = |change: fn(&mut PublicVault)| {
            let mut vault = vault();
            change(&mut vault);
            check(vault).unwrap_err().path()
        };
        assert_eq!(wrong(|v| v.name = " ".into()), "/name");
        assert_eq!(wrong(|v| v.public_key_ecdsa.replace_range(..2, "04")), "/publicKeyEcdsa");
        assert_eq!(wrong(|v| v.public_key_eddsa.push('0')), "/publicKeyEddsa");
        assert_eq!(wrong(|v| v.hex_chain_code = "é".repeat(32)), "/hexChainCode");
    }
}
