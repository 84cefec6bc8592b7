//! What an open vault holds, derived once when it is opened: the keys of its chains, so that a signature costs no derivation
//! and the seed phrase is not held, and the key that tools' secrets are sealed with. A root vault's keys are another
//! matter: derived without hardened steps, they lead back to the root together with the vault's public side.
//!
//! As bytes: a version, a kind, the key of the tools' secrets, then for each chain the length of its name, its name, the
//! length of its key, its key.

use crate::secret::SecretError;
use crate::{LocalKey, Secret, public};
use chains::Chain;
use chains::derive::DeriveError;
use std::fmt;
use zeroize::Zeroizing;

const VERSION: u8 = 2;
// Not the kinds of a secret: neither is taken for the other.
const KEYS: u8 = 4;
const SHARES: u8 = 5;

/// What an open vault signs and seals with. Wiped on drop; its `Debug` form shows only its kind.
#[derive(Clone)]
pub struct KeyRing {
    tool_secrets: Zeroizing<[u8; 32]>,
    keys: ChainKeys,
}

#[derive(Clone)]
enum ChainKeys {
    /// The private key of each chain.
    Keys(Vec<(Chain, Zeroizing<Vec<u8>>)>),
    /// The vault has shares of its keys: it signs with others, or not at all.
    Shares,
}

impl KeyRing {
    /// All keys of a secret.
    pub fn of(secret: &Secret) -> Result<Self, SecretError> {
        let tool_secrets = secret.tool_secrets_key()?;
        let derived = match secret.keys() {
            Ok(derived) => derived,
            Err(SecretError::Shares) => return Ok(Self { tool_secrets, keys: ChainKeys::Shares }),
            Err(error) => return Err(error),
        };
        let mut keys: Vec<(Chain, Zeroizing<Vec<u8>>)> = Vec::new();
        for chain in public::chains() {
            // Chains of one kind have one key.
            let place = |chain: Chain| (chain.algorithm(), chain.kind(), chain.derivation_path());
            let same =
                keys.iter().find(|(known, _)| place(*known) == place(chain)).map(|(_, key)| key.clone());
            keys.push((chain, same.map_or_else(|| derived.private(chain), Ok)?));
        }
        Ok(Self { tool_secrets, keys: ChainKeys::Keys(keys) })
    }

    /// The key that signs on a chain.
    pub fn key(&self, chain: Chain) -> Result<LocalKey, SecretError> {
        let ChainKeys::Keys(keys) = &self.keys else { return Err(SecretError::Shares) };
        let key = keys.iter().find(|(known, _)| *known == chain);
        let (_, key) = key.ok_or(DeriveError::Unsupported { chain })?;
        LocalKey::from_bytes(chain.algorithm(), key).map_err(|_| SecretError::OutOfRange)
    }

    /// The key that the vault's tool secrets are sealed with.
    pub const fn tool_secrets_key(&self) -> &Zeroizing<[u8; 32]> {
        &self.tool_secrets
    }

    /// The bytes that are sealed while a vault is open.
    pub fn to_bytes(&self) -> Zeroizing<Vec<u8>> {
        let (kind, keys): (u8, &[_]) = match &self.keys {
            ChainKeys::Keys(keys) => (KEYS, keys),
            ChainKeys::Shares => (SHARES, &[]),
        };
        let length = |(chain, key): &(Chain, Zeroizing<Vec<u8>>)| 2 + chain.name().len() + key.len();
        // All at once: bytes that grow leave copies behind.
        let all = 2 + self.tool_secrets.len() + keys.iter().map(length).sum::<usize>();
        let mut bytes = Zeroizing::new(Vec::with_capacity(all));
        bytes.extend_from_slice(&[VERSION, kind]);
        bytes.extend_from_slice(self.tool_secrets.as_slice());
        for (chain, key) in keys {
            for part in [chain.name().as_bytes(), key] {
                // A name has a few letters, a key at most 64 bytes.
                bytes.push(part.len() as u8);
                bytes.extend_from_slice(part);
            }
        }
        bytes
    }

    /// Reads what [`Self::to_bytes`] wrote.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, SecretError> {
        let [VERSION, kind, rest @ ..] = bytes else { return Err(SecretError::Malformed) };
        let (tool_secrets, mut rest) = rest.split_first_chunk().ok_or(SecretError::Malformed)?;
        let tool_secrets = Zeroizing::new(*tool_secrets);
        match (*kind, rest) {
            (SHARES, []) => return Ok(Self { tool_secrets, keys: ChainKeys::Shares }),
            (KEYS, _) => {}
            _ => return Err(SecretError::Malformed),
        }
        let mut keys = Vec::new();
        while !rest.is_empty() {
            let name = str::from_utf8(part(&mut rest)?).map_err(|_| SecretError::Malformed)?;
            let chain = Chain::parse(name).ok_or(SecretError::Malformed)?;
            keys.push((chain, Zeroizing::new(part(&mut rest)?.to_vec())));
        }
        Ok(Self { tool_secrets, keys: ChainKeys::Keys(keys) })
    }
}

/// Takes the next part, its length before it.
fn part<'a>(rest: &mut &'a [u8]) -> Result<&'a [u8], SecretError> {
    let (length, after) = rest.split_first().ok_or(SecretError::Malformed)?;
    let (part, after) = after.split_at_checked(usize::from(*length)).ok_or(SecretError::Malformed)?;
    *rest = after;
    Ok(part)
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.keys {
            ChainKeys::Keys(_) => "KeyRing(keys)",
            ChainKeys::Shares => "KeyRing(shares)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mnemonic;
    use crate::random::tests::Counter;
    use proptest::prelude::*;

    fn secrets() -> [Secret; 2] {
        let phrase = Mnemonic::from_entropy(&[7; 32]).unwrap();
        [Secret::random(&mut Counter(0)).unwrap(), Secret::phrase(phrase, "more").unwrap()]
    }

    /// Each chain's key is the secret's own, also after a way through bytes.
    #[test]
    fn ring_has_every_key_of_its_secret() {
        for secret in secrets() {
            let bytes = KeyRing::of(&secret).unwrap().to_bytes();
            let ring = KeyRing::from_bytes(&bytes).unwrap();
            for chain in public::chains() {
                let (found, expected) = (ring.key(chain).unwrap(), secret.key(chain).unwrap());
                assert_eq!(found.public(), expected.public(), "{secret:?} {chain}");
            }
            assert_eq!(*ring.tool_secrets_key(), secret.tool_secrets_key().unwrap());
            let error = ring.key(Chain::Qbtc).unwrap_err();
            assert_eq!(error, SecretError::Derive(DeriveError::Unsupported { chain: Chain::Qbtc }));
        }
    }

    /// What is held while a vault is open does not give its phrase away.
    #[test]
    fn ring_holds_no_phrase() {
        let [_, secret] = secrets();
        let (ring, all) = (KeyRing::of(&secret).unwrap().to_bytes(), secret.to_bytes());
        // Its first and second half: after version, kind and length.
        for half in [&all[3..19], &all[19..35]] {
            assert!(!ring.windows(half.len()).any(|window| window == half));
        }
    }

    #[test]
    fn secret_is_no_ring() {
        for secret in secrets() {
            assert_eq!(KeyRing::from_bytes(&secret.to_bytes()).unwrap_err(), SecretError::Malformed);
        }
    }

    #[test]
    fn ring_of_shares_signs_nothing() {
        let ring = KeyRing { tool_secrets: Zeroizing::new([3; 32]), keys: ChainKeys::Shares };
        let ring = KeyRing::from_bytes(&ring.to_bytes()).unwrap();
        assert_eq!(**ring.tool_secrets_key(), [3; 32]);
        assert_eq!(ring.key(Chain::Bitcoin).unwrap_err(), SecretError::Shares);
        assert_eq!(format!("{ring:?}"), "KeyRing(shares)");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..80), tag in 0_u8..8) {
            let _ = KeyRing::from_bytes(&bytes);
            let bytes: Vec<u8> = [VERSION, tag].into_iter().chain(bytes).collect();
            if let Ok(ring) = KeyRing::from_bytes(&bytes) {
                for chain in public::chains() {
                    let _ = ring.key(chain);
                }
            }
        }

        /// No beginning of the bytes is taken for the whole of them.
        #[test]
        fn cut_bytes_have_fewer_keys(cut in 2_usize..1_000) {
            let [secret, _] = secrets();
            let bytes = KeyRing::of(&secret).unwrap().to_bytes();
            let part = KeyRing::from_bytes(&bytes[..cut.min(bytes.len() - 1)]);
            let all = public::chains().count();
            prop_assert!(part.map_or(true, |ring| matches!(ring.keys, ChainKeys::Keys(keys) if keys.len() < all)));
        }
    }
}
