//! From a vault's public keys to its account on a chain. No private key is needed, and none could be made from these.
//!
//! A vault has one secp256k1 key with a chain code and one Ed25519 key:
//!
//! - ECDSA chains: BIP-32's public derivation (CKDpub) along the chain's path with every apostrophe removed, since a
//!   hardened child has no public derivation.
//! - EdDSA chains: the Ed25519 key as it is.
//! - A vault made from a seed phrase lists the key of each chain, which is used directly.
//! - QBTC: its ML-DSA keys come from neither.

use crate::address::{cardano, cosmos, evm, polkadot, ripple, solana, sui, ton, tron, utxo};
use crate::hash::{hash160, keccak256};
use crate::signing::PublicKey;
use crate::{Account, Algorithm, Chain, Network, encoding};
use derive::Code;
use hmac::{Hmac, KeyInit as _, Mac as _};
use k256::elliptic_curve::PrimeField as _;
use k256::elliptic_curve::sec1::ToSec1Point as _;
use k256::{CompressedPoint, ProjectivePoint, Scalar};
use sha2::Sha512;

/// Children from here on are hardened.
const HARDENED: u32 = 1 << 31;

/// The public side of a vault, with keys that are points of their curves.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VaultKeys {
    ecdsa: [u8; 33],
    eddsa: [u8; 32],
    chain_code: [u8; 32],
    imported: Vec<(Chain, Imported)>,
}

/// A chain's key in a vault made from a seed phrase.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Imported {
    /// The chain's own key.
    Key(PublicKey),
    /// Older backups hold 32 bytes where an ECDSA key should be: the key is derived from the root as in other vaults.
    Derived,
}

/// Why a vault has no account on a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum DeriveError {
    /// Not hex, or not of a key's length.
    #[error("{field} is not {length} bytes in hex")]
    #[code("malformed_key")]
    Malformed {
        /// The field.
        field: &'static str,
        /// The length due.
        length: usize,
    },
    /// The bytes are no usable point of the curve: no private key belongs to them.
    #[error("{field} is not a public key: the point is not on its curve")]
    #[code("invalid_public_key")]
    NotAPoint {
        /// The field.
        field: &'static str,
    },
    /// A vault made from a seed phrase without this chain.
    #[error("this vault was made from a seed phrase and has no public key for {chain}")]
    ChainKeyMissing {
        /// The chain.
        chain: Chain,
    },
    /// The chain's keys are of a scheme that the vault has no key for.
    #[error("{chain} needs a key that this vault does not have")]
    #[code("unsupported_chain")]
    Unsupported {
        /// The chain.
        chain: Chain,
    },
    /// The key is of another scheme than the chain's.
    #[error("the key is not of the scheme that {chain} signs with")]
    WrongScheme {
        /// The chain.
        chain: Chain,
    },
    /// The address kept with a key is not the key's.
    #[error("the address kept for {chain} is not that of the public key kept with it")]
    AccountMismatch {
        /// The chain.
        chain: Chain,
    },
    /// Not a path with a public derivation.
    #[error("the derivation path is not one of numbers below 2^31")]
    #[code("invalid_path")]
    Path,
    /// The one child in 2¹²⁷ that BIP-32 leaves out.
    #[error("the derivation path leads to a key that does not exist")]
    #[code("no_child_key")]
    NoChild,
}

impl VaultKeys {
    /// Reads the hex texts of a vault.
    pub fn parse(ecdsa: &str, eddsa: &str, chain_code: &str) -> Result<Self, DeriveError> {
        let ecdsa = array("publicKeyEcdsa", ecdsa)?;
        let eddsa = array("publicKeyEddsa", eddsa)?;
        check(PublicKey::Secp256k1(ecdsa), "publicKeyEcdsa")?;
        check(PublicKey::Ed25519(eddsa), "publicKeyEddsa")?;
        Ok(Self { ecdsa, eddsa, chain_code: array("hexChainCode", chain_code)?, imported: Vec::new() })
    }

    /// Adds the key of a chain, as vaults made from a seed phrase list them. From the first on, chains that are not
    /// listed have no account.
    pub fn import(&mut self, chain: Chain, key: &str) -> Result<(), DeriveError> {
        const FIELD: &str = "chainPublicKeys";
        let bytes = encoding::from_hex(FIELD, key).unwrap_or_default();
        let key = match (chain.algorithm(), bytes.len()) {
            (Algorithm::Ecdsa, 33) => Imported::Key(PublicKey::Secp256k1(array(FIELD, key)?)),
            (Algorithm::Ecdsa, 32) => Imported::Derived,
            (Algorithm::Ecdsa, _) => return Err(DeriveError::Malformed { field: FIELD, length: 33 }),
            (Algorithm::Eddsa, _) => Imported::Key(PublicKey::Ed25519(array(FIELD, key)?)),
            (Algorithm::MlDsa44, _) => return Err(DeriveError::Unsupported { chain }),
        };
        if let Imported::Key(key) = key {
            check(key, FIELD)?;
        }
        self.imported.retain(|(listed, _)| *listed != chain);
        self.imported.push((chain, key));
        Ok(())
    }

    /// The key that signs on `chain`.
    pub fn key(&self, chain: Chain) -> Result<PublicKey, DeriveError> {
        let path = chain.derivation_path().ok_or(DeriveError::Unsupported { chain })?;
        if !self.imported.is_empty() {
            let listed = self.imported.iter().find(|(listed, _)| *listed == chain);
            match listed.ok_or(DeriveError::ChainKeyMissing { chain })?.1 {
                Imported::Key(key) => return Ok(key),
                Imported::Derived => {}
            }
        }
        match chain.algorithm() {
            Algorithm::Ecdsa => child(&self.ecdsa, &self.chain_code, path).map(PublicKey::Secp256k1),
            Algorithm::Eddsa => Ok(PublicKey::Ed25519(self.eddsa)),
            Algorithm::MlDsa44 => Err(DeriveError::Unsupported { chain }),
        }
    }

    /// The vault's account on `chain`.
    pub fn account(&self, chain: Chain) -> Result<Account, DeriveError> {
        account(chain, self.key(chain)?)
    }
}

/// An account as a vault keeps it: the key in hex and its address. Costs no derivation by a path. The key must be a
/// point of the chain's curve and the address the key's own. That the key is the vault's is proven when it signs.
pub fn kept_account(chain: Chain, key: &str, address: &str) -> Result<Account, DeriveError> {
    const FIELD: &str = "publicKey";
    let key = match chain.algorithm() {
        Algorithm::Ecdsa => PublicKey::Secp256k1(array(FIELD, key)?),
        Algorithm::Eddsa => PublicKey::Ed25519(array(FIELD, key)?),
        Algorithm::MlDsa44 => return Err(DeriveError::Unsupported { chain }),
    };
    check(key, FIELD)?;
    let account = account(chain, key)?;
    if account.address == address { Ok(account) } else { Err(DeriveError::AccountMismatch { chain }) }
}

/// The account of a key on a chain.
pub fn account(chain: Chain, key: PublicKey) -> Result<Account, DeriveError> {
    let address = match key {
        PublicKey::Secp256k1(bytes) => ecdsa_address(chain, &bytes)?,
        PublicKey::Ed25519(bytes) => eddsa_address(chain, &bytes),
    };
    let address = address.ok_or(match chain.algorithm() {
        Algorithm::MlDsa44 => DeriveError::Unsupported { chain },
        Algorithm::Ecdsa | Algorithm::Eddsa => DeriveError::WrongScheme { chain },
    })?;
    Ok(Account { chain, key, address })
}

fn ecdsa_address(chain: Chain, key: &[u8; 33]) -> Result<Option<String>, DeriveError> {
    Ok(Some(match chain.network() {
        Network::Evm { .. } => evm::encode(&evm_account(key)?),
        Network::Tron => tron::encode(&evm_account(key)?),
        Network::Utxo(prefixes) => utxo::of_key_hash(&prefixes, &hash160(key)),
        Network::Cosmos { hrp, .. } => cosmos::of_key_hash(hrp, &hash160(key)),
        Network::Ripple => ripple::of_key_hash(&hash160(key)),
        _ => return Ok(None),
    }))
}

fn eddsa_address(chain: Chain, key: &[u8; 32]) -> Option<String> {
    Some(match chain.network() {
        Network::Solana => solana::encode(key),
        Network::Sui => sui::of_key(key),
        Network::Polkadot { ss58 } | Network::Bittensor { ss58 } => polkadot::encode(ss58, key),
        Network::Cardano => cardano::of_key(key),
        Network::Ton => ton::of_key(key),
        _ => return None,
    })
}

/// The last 20 bytes of keccak256 of the key's two coordinates.
fn evm_account(key: &[u8; 33]) -> Result<[u8; 20], DeriveError> {
    let point = point(key)?.to_sec1_point(false);
    let coordinates = point.as_bytes().strip_prefix(&[4]).unwrap_or_default();
    keccak256(coordinates).last_chunk().copied().ok_or(DeriveError::NoChild)
}

/// BIP-32's CKDpub along a path such as `m/44'/60'/0'/0/0`, whose apostrophes are ignored.
pub fn child(root: &[u8; 33], chain_code: &[u8; 32], path: &str) -> Result<[u8; 33], DeriveError> {
    let steps = path.strip_prefix("m/").ok_or(DeriveError::Path)?.split('/');
    let (mut key, mut chain_code) = (point(root)?, *chain_code);
    for step in steps {
        let index: u32 = step.trim_end_matches('\'').parse().map_err(|_| DeriveError::Path)?;
        (key, chain_code) = next(&key, &chain_code, index)?;
    }
    Ok(CompressedPoint::from(&key).into())
}

/// One step: `I = HMAC-SHA512(chain code, key ‖ index)`; the child is `left half · G + key`, its code the right half.
fn next(
    key: &k256::PublicKey,
    chain_code: &[u8; 32],
    index: u32,
) -> Result<(k256::PublicKey, [u8; 32]), DeriveError> {
    if index >= HARDENED {
        return Err(DeriveError::Path);
    }
    let mut mac = Hmac::<Sha512>::new_from_slice(chain_code).map_err(|_| DeriveError::NoChild)?;
    mac.update(&CompressedPoint::from(key));
    mac.update(&index.to_be_bytes());
    let digest: [u8; 64] = mac.finalize().into_bytes().into();
    let (Some(left), Some(right)) = (digest.first_chunk::<32>(), digest.last_chunk::<32>()) else {
        return Err(DeriveError::NoChild);
    };
    let tweak = Option::<Scalar>::from(Scalar::from_repr((*left).into())).ok_or(DeriveError::NoChild)?;
    let sum = ProjectivePoint::GENERATOR * tweak + key.to_projective();
    let child = k256::PublicKey::from_affine(sum.to_affine()).map_err(|_| DeriveError::NoChild)?;
    Ok((child, *right))
}

/// SEC 1 has more tags than the two of compressed points; with them one point would have two spellings.
fn point(key: &[u8; 33]) -> Result<k256::PublicKey, DeriveError> {
    let compressed = matches!(key, [2 | 3, ..]).then_some(key);
    compressed
        .and_then(|key| k256::PublicKey::from_sec1_bytes(key).ok())
        .ok_or(DeriveError::NotAPoint { field: "public key" })
}

/// A weak Ed25519 key, one of the eight points of small order, is refused too: signatures for it can be forged.
fn check(key: PublicKey, field: &'static str) -> Result<(), DeriveError> {
    let usable = match key {
        PublicKey::Secp256k1(bytes) => point(&bytes).is_ok(),
        PublicKey::Ed25519(bytes) => {
            ed25519_dalek::VerifyingKey::from_bytes(&bytes).is_ok_and(|key| !key.is_weak())
        }
    };
    if usable { Ok(()) } else { Err(DeriveError::NotAPoint { field }) }
}

fn array<const N: usize>(field: &'static str, text: &str) -> Result<[u8; N], DeriveError> {
    encoding::array_from_hex(field, text).map_err(|_| DeriveError::Malformed { field, length: N })
}
