//! What a vault keeps secret. As bytes: a version, a kind, then
//!
//! - `root`: the private keys of secp256k1 and Ed25519 and the chain code, 32 bytes each;
//! - `phrase`: the length of the entropy, the entropy, the passphrase;
//! - `shares`: the vault message of a `.vult` file, byte for byte.
//!
//! A root vault derives as every vault does, along paths without apostrophes; a phrase's vault has the keys that any
//! other wallet finds for the phrase. A watch-only vault has no secret.

use crate::derive::{Half, bip32, icarus, slip10};
use crate::random::{Random, RandomnessError};
use crate::{LocalKey, Mnemonic, mac, public, vult};
use chains::derive::DeriveError;
use chains::encoding::hex;
use chains::{Algorithm, Chain, Kind};
use derive::Code;
use std::fmt;
use wire::vault::{ChainPublicKey, PublicKeys, VaultKind};
use zeroize::Zeroizing;

const VERSION: u8 = 1;
const ROOT: u8 = 1;
const PHRASE: u8 = 2;
const SHARES: u8 = 3;

/// A passphrase is a sentence at most.
const MAX_PASSPHRASE: usize = 1024;

/// A vault's secret. Wiped on drop; its `Debug` form shows only its kind.
#[derive(Clone)]
pub struct Secret(Inner);

#[derive(Clone)]
enum Inner {
    Root { ecdsa: Half, eddsa: Half, chain_code: Half },
    Phrase { phrase: Mnemonic, passphrase: Zeroizing<String> },
    Shares { vault: Zeroizing<Vec<u8>>, public: PublicKeys },
}

/// Why bytes are not a secret, or a secret has no key for a chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum SecretError {
    /// Not the bytes of a secret.
    #[error("not a vault's secret")]
    #[code("secret_malformed")]
    Malformed,
    /// Made by a later version.
    #[error("this vault's secret was written by a later version")]
    #[code("secret_version")]
    Version,
    /// Zero, or not below the group order.
    #[error("not a private key of secp256k1")]
    #[code("invalid_private_key")]
    OutOfRange,
    /// Longer than any passphrase.
    #[error("a passphrase has at most {MAX_PASSPHRASE} bytes")]
    #[code("passphrase_too_long")]
    Passphrase,
    /// Shares of a key: others hold the rest.
    #[error("this vault has shares of its keys and cannot sign alone")]
    #[code("shares_only")]
    Shares,
    /// The chain has no key in this vault.
    #[error(transparent)]
    #[code(transparent)]
    Derive(#[from] DeriveError),
    /// There is no randomness for keys.
    #[error(transparent)]
    NoRandomness(#[from] RandomnessError),
}

impl Secret {
    /// New keys.
    pub fn random(random: &mut dyn Random) -> Result<Self, SecretError> {
        let (mut ecdsa, mut eddsa, mut chain_code) = (Half::default(), Half::default(), Half::default());
        for half in [&mut ecdsa, &mut eddsa, &mut chain_code] {
            random.fill(half.as_mut_slice())?;
        }
        Self::root(ecdsa, eddsa, chain_code)
    }

    /// Keys from elsewhere: of secp256k1, of Ed25519 as RFC 8032 has them, and the chain code.
    pub fn root(
        ecdsa: Zeroizing<[u8; 32]>,
        eddsa: Zeroizing<[u8; 32]>,
        chain_code: Zeroizing<[u8; 32]>,
    ) -> Result<Self, SecretError> {
        k256::SecretKey::from_slice(ecdsa.as_slice()).map_err(|_| SecretError::OutOfRange)?;
        Ok(Self(Inner::Root { ecdsa, eddsa, chain_code }))
    }

    /// A seed phrase and its passphrase, often empty, which must be in NFKD already.
    pub fn phrase(phrase: Mnemonic, passphrase: &str) -> Result<Self, SecretError> {
        if passphrase.len() > MAX_PASSPHRASE {
            return Err(SecretError::Passphrase);
        }
        Ok(Self(Inner::Phrase { phrase, passphrase: Zeroizing::new(passphrase.to_owned()) }))
    }

    /// The vault message of a `.vult` file, as its cipher hid it.
    pub(crate) fn shares(vault: Zeroizing<Vec<u8>>) -> Result<Self, vult::VultError> {
        let (_, public) = vult::public(&vault)?;
        Ok(Self(Inner::Shares { vault, public }))
    }

    /// Where the keys of such a vault are.
    pub const fn kind(&self) -> VaultKind {
        match self.0 {
            Inner::Root { .. } | Inner::Phrase { .. } => VaultKind::Local,
            Inner::Shares { .. } => VaultKind::Shares,
        }
    }

    /// The phrase, where there is one, for the user who wants to write it down.
    pub const fn mnemonic(&self) -> Option<&Mnemonic> {
        match &self.0 {
            Inner::Phrase { phrase, .. } => Some(phrase),
            Inner::Root { .. } | Inner::Shares { .. } => None,
        }
    }

    /// The key that signs on a chain.
    pub fn key(&self, chain: Chain) -> Result<LocalKey, SecretError> {
        self.keys()?.key(chain)
    }

    /// The public side: what others may know, and what accounts are derived from.
    pub fn public(&self) -> Result<PublicKeys, SecretError> {
        let keys = match &self.0 {
            Inner::Shares { public, .. } => return Ok(public.clone()),
            Inner::Root { .. } | Inner::Phrase { .. } => self.keys()?,
        };
        let (root, eddsa) = keys.root()?;
        let mut public = PublicKeys {
            public_key_ecdsa: hex(&root.public()?),
            public_key_eddsa: hex(LocalKey::ed25519(&eddsa).public().as_bytes()),
            hex_chain_code: hex(root.chain_code.as_slice()),
            chain_public_keys: Vec::new(),
        };
        if let Keys::Phrase { .. } = keys {
            for chain in public::chains() {
                let public_key = hex(keys.key(chain)?.public().as_bytes());
                let chain = chain.name().to_owned();
                public.chain_public_keys.push(ChainPublicKey { chain, public_key });
            }
        }
        Ok(public)
    }

    /// The bytes that are sealed.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let (kind, parts): (u8, [&[u8]; 3]) = match &self.0 {
            Inner::Root { ecdsa, eddsa, chain_code } => {
                (ROOT, [ecdsa.as_slice(), eddsa.as_slice(), chain_code.as_slice()])
            }
            Inner::Phrase { phrase, passphrase } => {
                (PHRASE, [length(phrase.entropy()), phrase.entropy(), passphrase.as_bytes()])
            }
            Inner::Shares { vault, .. } => (SHARES, [vault, &[], &[]]),
        };
        // All at once: a text that grows leaves copies behind.
        let mut bytes =
            Zeroizing::new(Vec::with_capacity(2 + parts.iter().map(|part| part.len()).sum::<usize>()));
        bytes.extend_from_slice(&[VERSION, kind]);
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        bytes
    }

    /// The key that the secrets of tools are sealed with: HKDF-SHA-256 of these bytes. What a tool's secret was sealed with
    /// opens it after any change of the password, and after the vault was restored from its backup.
    pub fn tool_secrets_key(&self) -> Result<Zeroizing<[u8; 32]>, SecretError> {
        let key = mac::hkdf_sha256(b"countersign", &self.to_bytes(), b"tool secrets 1");
        key.ok_or(SecretError::Derive(DeriveError::NoChild))
    }

    /// Reads what [`Self::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SecretError> {
        match bytes {
            [VERSION, ROOT, keys @ ..] => {
                let (keys, rest) = keys.as_chunks::<32>();
                let ([ecdsa, eddsa, chain_code], []) = (keys, rest) else {
                    return Err(SecretError::Malformed);
                };
                Self::root(Zeroizing::new(*ecdsa), Zeroizing::new(*eddsa), Zeroizing::new(*chain_code))
            }
            [VERSION, PHRASE, length, rest @ ..] => {
                let (entropy, passphrase) =
                    rest.split_at_checked(usize::from(*length)).ok_or(SecretError::Malformed)?;
                let phrase = Mnemonic::from_entropy(entropy).map_err(|_| SecretError::Malformed)?;
                Self::phrase(phrase, str::from_utf8(passphrase).map_err(|_| SecretError::Malformed)?)
            }
            [VERSION, SHARES, vault @ ..] => {
                Self::shares(Zeroizing::new(vault.to_vec())).map_err(|_| SecretError::Malformed)
            }
            [VERSION, ..] | [] => Err(SecretError::Malformed),
            _ => Err(SecretError::Version),
        }
    }

    pub(crate) fn keys(&self) -> Result<Keys<'_>, SecretError> {
        match &self.0 {
            Inner::Root { ecdsa, eddsa, chain_code } => Ok(Keys::Root { ecdsa, eddsa, chain_code }),
            Inner::Phrase { phrase, passphrase } => {
                Ok(Keys::Phrase { phrase, passphrase, seed: phrase.seed(passphrase) })
            }
            Inner::Shares { .. } => Err(SecretError::Shares),
        }
    }
}

/// A secret ready to derive: the seed of a phrase costs two thousand hashes and is made once.
pub(crate) enum Keys<'a> {
    Root { ecdsa: &'a Half, eddsa: &'a Half, chain_code: &'a Half },
    Phrase { phrase: &'a Mnemonic, passphrase: &'a str, seed: Zeroizing<[u8; 64]> },
}

impl Keys<'_> {
    /// The root of the ECDSA keys, and the EdDSA key.
    fn root(&self) -> Result<(bip32::Node, Half), SecretError> {
        Ok(match self {
            Self::Root { ecdsa, eddsa, chain_code } => {
                let root = bip32::Node { key: (*ecdsa).clone(), chain_code: (*chain_code).clone() };
                (root, (*eddsa).clone())
            }
            Self::Phrase { seed, .. } => {
                (bip32::Node::master(seed.as_slice())?, slip10::Node::master(seed.as_slice())?.key)
            }
        })
    }

    fn key(&self, chain: Chain) -> Result<LocalKey, SecretError> {
        LocalKey::from_bytes(chain.algorithm(), &self.private(chain)?).map_err(|_| SecretError::OutOfRange)
    }

    /// The bytes of the key that signs on a chain.
    pub(crate) fn private(&self, chain: Chain) -> Result<Zeroizing<Vec<u8>>, SecretError> {
        let path = chain.derivation_path().ok_or(DeriveError::Unsupported { chain })?;
        let bytes = |key: &Half| Zeroizing::new(key.to_vec());
        Ok(match (self, chain.algorithm()) {
            (Self::Root { .. }, Algorithm::Ecdsa) => bytes(&self.root()?.0.at(&path.replace('\'', ""))?.key),
            (Self::Root { eddsa, .. }, Algorithm::Eddsa) => bytes(eddsa),
            (Self::Phrase { .. }, Algorithm::Ecdsa) => bytes(&self.root()?.0.at(path)?.key),
            (Self::Phrase { phrase, passphrase, .. }, Algorithm::Eddsa) if chain.kind() == Kind::Cardano => {
                icarus::Node::master(phrase.entropy(), passphrase).at(path)?.private()
            }
            (Self::Phrase { seed, .. }, Algorithm::Eddsa) => {
                bytes(&slip10::Node::master(seed.as_slice())?.at(path)?.key)
            }
            (_, Algorithm::MlDsa44) => return Err(DeriveError::Unsupported { chain }.into()),
        })
    }
}

/// The length of an entropy as one byte.
fn length(entropy: &[u8]) -> &'static [u8] {
    match entropy.len() {
        16 => &[16],
        20 => &[20],
        24 => &[24],
        28 => &[28],
        _ => &[32],
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Inner::Root { .. } => "Secret(root)",
            Inner::Phrase { .. } => "Secret(phrase)",
            Inner::Shares { .. } => "Secret(shares)",
        })
    }
}

#[cfg(test)]
mod tests;
