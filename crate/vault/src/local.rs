//! A private key held here: signs what a chain's transaction asks for.
//!
//! ECDSA nonces follow RFC 6979, so the same key and digest give the same signature; S is low. Ed25519 is RFC 8032.

use chains::signing::{Image, PublicKey, Signature};
use ed25519_dalek::Signer as _;
use k256::CompressedPoint;
use std::fmt;
use zeroize::Zeroizing;

/// A private key. Its bytes are wiped when it goes.
#[derive(Clone)]
pub struct LocalKey(Secret);

/// Both types wipe themselves. They hold the public key too, which costs as much to compute as a signature.
#[derive(Clone)]
enum Secret {
    Secp256k1(k256::ecdsa::SigningKey),
    Ed25519(ed25519_dalek::SigningKey),
}

/// Why bytes are no key, or a key did not sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    /// Zero, or not below the group order.
    #[error("not a private key of secp256k1")]
    OutOfRange,
    /// The image is for the other scheme.
    #[error("this key does not sign with that scheme")]
    WrongScheme,
}

impl LocalKey {
    /// A key of secp256k1.
    pub fn secp256k1(secret: &Zeroizing<[u8; 32]>) -> Result<Self, KeyError> {
        let key = k256::ecdsa::SigningKey::from_slice(secret.as_slice()).map_err(|_| KeyError::OutOfRange)?;
        Ok(Self(Secret::Secp256k1(key)))
    }

    /// A key of Ed25519, as RFC 8032 has it: any 32 bytes.
    pub fn ed25519(secret: &Zeroizing<[u8; 32]>) -> Self {
        Self(Secret::Ed25519(ed25519_dalek::SigningKey::from_bytes(secret)))
    }

    /// The key others know it by.
    pub fn public(&self) -> PublicKey {
        match &self.0 {
            Secret::Secp256k1(key) => PublicKey::Secp256k1(CompressedPoint::from(key.verifying_key()).into()),
            Secret::Ed25519(key) => PublicKey::Ed25519(key.verifying_key().to_bytes()),
        }
    }

    /// Signs one image.
    pub fn sign(&self, image: &Image) -> Result<Signature, KeyError> {
        match (&self.0, image) {
            (Secret::Secp256k1(key), Image::Ecdsa(digest)) => {
                let (signature, _) = key.sign_prehash_recoverable(digest);
                Ok(Signature(signature.to_bytes().into()))
            }
            (Secret::Ed25519(key), Image::Eddsa(message)) => Ok(Signature(key.sign(message).to_bytes())),
            _ => Err(KeyError::WrongScheme),
        }
    }
}

/// Says which kind of key it is, and nothing of the key.
impl fmt::Debug for LocalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.0 {
            Secret::Secp256k1(_) => "LocalKey(Secp256k1)",
            Secret::Ed25519(_) => "LocalKey(Ed25519)",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn zero_and_the_group_order_are_no_keys() {
        assert_eq!(LocalKey::secp256k1(&Zeroizing::new([0; 32])).unwrap_err(), KeyError::OutOfRange);
        assert_eq!(LocalKey::secp256k1(&Zeroizing::new([0xff; 32])).unwrap_err(), KeyError::OutOfRange);
    }

    #[test]
    fn a_key_prints_nothing_of_itself() {
        assert_eq!(format!("{:?}", LocalKey::ed25519(&Zeroizing::new([0xab; 32]))), "LocalKey(Ed25519)");
    }
}
