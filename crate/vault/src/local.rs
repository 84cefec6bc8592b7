//! A private key held here: signs what a chain's transaction asks for.
//!
//! ECDSA nonces follow RFC 6979, so the same key and digest give the same signature; S is low. Ed25519 is RFC 8032;
//! Cardano's extended keys are what RFC 8032 hashes a key into, without a key that would hash into them.

use chains::Algorithm;
use chains::signing::{Image, PublicKey, Signature};
use derive::Code;
use ed25519_dalek::hazmat::{ExpandedSecretKey, raw_sign};
use ed25519_dalek::{Signer as _, VerifyingKey};
use k256::CompressedPoint;
use sha2::Sha512;
use std::fmt;
use zeroize::Zeroizing;

/// A private key. Its bytes are wiped on drop.
#[derive(Clone)]
pub struct LocalKey(Key);

/// Each wipes itself. They hold the public key too, which costs as much to compute as a signature.
#[derive(Clone)]
enum Key {
    Secp256k1(k256::ecdsa::SigningKey),
    Ed25519(ed25519_dalek::SigningKey),
    Extended(Zeroizing<[u8; 64]>, VerifyingKey),
}

/// Why bytes are not a key, or a key cannot sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum KeyError {
    /// Zero, or not below the group order.
    #[error("not a private key of secp256k1")]
    #[code("invalid_private_key")]
    OutOfRange,
    /// The image is for the other scheme.
    #[error("this key does not sign with that scheme")]
    WrongScheme,
}

impl LocalKey {
    /// A key of secp256k1.
    pub fn secp256k1(secret: &Zeroizing<[u8; 32]>) -> Result<Self, KeyError> {
        let key = k256::ecdsa::SigningKey::from_slice(secret.as_slice()).map_err(|_| KeyError::OutOfRange)?;
        Ok(Self(Key::Secp256k1(key)))
    }

    /// A key of Ed25519, as RFC 8032 has it: any 32 bytes.
    pub fn ed25519(secret: &Zeroizing<[u8; 32]>) -> Self {
        Self(Key::Ed25519(ed25519_dalek::SigningKey::from_bytes(secret)))
    }

    /// An extended key of Ed25519: a scalar, clamped as RFC 8032 has it, and the key of its nonces.
    pub fn ed25519_extended(secret: &Zeroizing<[u8; 64]>) -> Self {
        let public = VerifyingKey::from(&ExpandedSecretKey::from_bytes(secret));
        Self(Key::Extended(secret.clone(), public))
    }

    /// The key of a chain of this scheme: 64 bytes are an extended key.
    pub(crate) fn from_bytes(algorithm: Algorithm, bytes: &[u8]) -> Result<Self, KeyError> {
        let half = || bytes.try_into().map(Zeroizing::new).map_err(|_| KeyError::OutOfRange);
        match (algorithm, bytes.try_into()) {
            (Algorithm::Eddsa, Ok(extended)) => Ok(Self::ed25519_extended(&Zeroizing::new(extended))),
            (Algorithm::Eddsa, Err(_)) => Ok(Self::ed25519(&half()?)),
            (Algorithm::Ecdsa, _) => Self::secp256k1(&half()?),
            (Algorithm::MlDsa44, _) => Err(KeyError::WrongScheme),
        }
    }

    /// The public key.
    pub fn public(&self) -> PublicKey {
        match &self.0 {
            Key::Secp256k1(key) => PublicKey::Secp256k1(CompressedPoint::from(key.verifying_key()).into()),
            Key::Ed25519(key) => PublicKey::Ed25519(key.verifying_key().to_bytes()),
            Key::Extended(_, public) => PublicKey::Ed25519(public.to_bytes()),
        }
    }

    /// Signs one image.
    pub fn sign(&self, image: &Image) -> Result<Signature, KeyError> {
        match (&self.0, image) {
            (Key::Secp256k1(key), Image::Ecdsa(digest)) => {
                let (signature, _) = key.sign_prehash_recoverable(digest);
                Ok(Signature(signature.to_bytes().into()))
            }
            (Key::Ed25519(key), Image::Eddsa(message)) => Ok(Signature(key.sign(message).to_bytes())),
            (Key::Extended(secret, public), Image::Eddsa(message)) => {
                let key = ExpandedSecretKey::from_bytes(secret);
                Ok(Signature(raw_sign::<Sha512>(&key, message, public).to_bytes()))
            }
            _ => Err(KeyError::WrongScheme),
        }
    }
}

/// Says which kind of key it is, and nothing of the key.
impl fmt::Debug for LocalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Key::Secp256k1(_) => "LocalKey(Secp256k1)",
            Key::Ed25519(_) => "LocalKey(Ed25519)",
            Key::Extended(..) => "LocalKey(Ed25519, extended)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sha2::Digest as _;

    fn one() -> Zeroizing<[u8; 32]> {
        let mut bytes = [0; 32];
        bytes[31] = 1;
        Zeroizing::new(bytes)
    }

    #[test]
    fn a_signature_verifies_under_its_own_key_only() {
        let key = LocalKey::secp256k1(&one()).unwrap();
        let image = Image::Ecdsa([7; 32]);
        let signature = key.sign(&image).unwrap();
        assert!(key.public().verify(&image, &signature).is_some());
        assert!(key.public().verify(&Image::Ecdsa([8; 32]), &signature).is_none());

        let key = LocalKey::ed25519(&one());
        let image = Image::Eddsa(b"message".to_vec());
        let signature = key.sign(&image).unwrap();
        assert!(key.public().verify(&image, &signature).is_some());
        assert_eq!(key.sign(&Image::Ecdsa([0; 32])), Err(KeyError::WrongScheme));
    }

    /// RFC 6979 for secp256k1, the well-known example: key 1, SHA-256 of "Satoshi Nakamoto".
    #[test]
    fn nonces_follow_rfc_6979() {
        let key = LocalKey::secp256k1(&one()).unwrap();
        let signature = key.sign(&Image::Ecdsa(chains::hash::sha256(b"Satoshi Nakamoto"))).unwrap();
        assert_eq!(
            chains::encoding::hex(&signature.0),
            "934b1ea10a4b3c1757e2b0c017d0b6143ce3c9a7e6a4a49860d7a6ab210ee3d8\
             2442ce9d2b916064108014783e923ec36b49743e2ffa1c4496f01a512aafd9e5"
        );
    }

    /// A key and its extended form make the same signature.
    #[test]
    fn an_extended_key_is_what_a_key_is_hashed_into() {
        let key = LocalKey::ed25519(&one());
        let hash: [u8; 64] = Sha512::digest(one().as_slice()).into();
        let extended = LocalKey::ed25519_extended(&Zeroizing::new(hash));
        let image = Image::Eddsa(b"message".to_vec());
        assert_eq!((extended.public(), extended.sign(&image)), (key.public(), key.sign(&image)));
    }

    #[test]
    fn zero_and_the_group_order_are_no_keys() {
        assert_eq!(LocalKey::secp256k1(&Zeroizing::new([0; 32])).unwrap_err(), KeyError::OutOfRange);
        assert_eq!(LocalKey::secp256k1(&Zeroizing::new([0xff; 32])).unwrap_err(), KeyError::OutOfRange);
    }

    #[test]
    fn a_key_prints_nothing_of_itself() {
        assert_eq!(format!("{:?}", LocalKey::ed25519(&Zeroizing::new([0xab; 32]))), "LocalKey(Ed25519)");
        let extended = LocalKey::ed25519_extended(&Zeroizing::new([0xab; 64]));
        assert_eq!(format!("{extended:?}"), "LocalKey(Ed25519, extended)");
    }
}
