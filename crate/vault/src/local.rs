//! A private key held here: signs what a chain's transaction asks for.
//!
//! ECDSA nonces follow RFC 6979, so the same key and digest give the same signature; S is low. Ed25519 is RFC 8032.

use chains::signing::{Image, PublicKey, Signature};
use ed25519_dalek::Signer as _;
use std::fmt;
use zeroize::Zeroizing;

/// A private key. Its bytes are wiped when it goes.
#[derive(Clone)]
pub struct LocalKey {
    scheme: Scheme,
    secret: Zeroizing<[u8; 32]>,
}

/// Which curve the bytes are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Scheme {
    Secp256k1,
    Ed25519,
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
    pub fn secp256k1(secret: Zeroizing<[u8; 32]>) -> Result<Self, KeyError> {
        k256::ecdsa::SigningKey::from_slice(secret.as_slice()).map_err(|_| KeyError::OutOfRange)?;
        Ok(Self { scheme: Scheme::Secp256k1, secret })
    }

    /// A key of Ed25519, as RFC 8032 has it: any 32 bytes.
    pub const fn ed25519(secret: Zeroizing<[u8; 32]>) -> Self {
        Self { scheme: Scheme::Ed25519, secret }
    }

    /// The key others know it by.
    pub fn public(&self) -> Result<PublicKey, KeyError> {
        Ok(match self.scheme {
            Scheme::Secp256k1 => {
                let point = self.ecdsa()?.verifying_key().to_sec1_point(true);
                PublicKey::Secp256k1(point.as_bytes().try_into().map_err(|_| KeyError::OutOfRange)?)
            }
            Scheme::Ed25519 => PublicKey::Ed25519(self.eddsa().verifying_key().to_bytes()),
        })
    }

    /// Signs one image.
    pub fn sign(&self, image: &Image) -> Result<Signature, KeyError> {
        match (self.scheme, image) {
            (Scheme::Secp256k1, Image::Ecdsa(digest)) => {
                let (signature, _) = self.ecdsa()?.sign_prehash_recoverable(digest);
                Ok(Signature(signature.to_bytes().into()))
            }
            (Scheme::Ed25519, Image::Eddsa(message)) => Ok(Signature(self.eddsa().sign(message).to_bytes())),
            _ => Err(KeyError::WrongScheme),
        }
    }

    fn ecdsa(&self) -> Result<k256::ecdsa::SigningKey, KeyError> {
        k256::ecdsa::SigningKey::from_slice(self.secret.as_slice()).map_err(|_| KeyError::OutOfRange)
    }

    fn eddsa(&self) -> ed25519_dalek::SigningKey {
        ed25519_dalek::SigningKey::from_bytes(&self.secret)
    }
}

/// Says which kind of key it is, and nothing of the key.
impl fmt::Debug for LocalKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LocalKey").field(&self.scheme).finish()
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
        let key = LocalKey::secp256k1(one()).unwrap();
        let image = Image::Ecdsa([7; 32]);
        let signature = key.sign(&image).unwrap();
        assert!(key.public().unwrap().verify(&image, &signature).is_some());
        assert!(key.public().unwrap().verify(&Image::Ecdsa([8; 32]), &signature).is_none());

        let key = LocalKey::ed25519(one());
        let image = Image::Eddsa(b"message".to_vec());
        let signature = key.sign(&image).unwrap();
        assert!(key.public().unwrap().verify(&image, &signature).is_some());
        assert_eq!(key.sign(&Image::Ecdsa([0; 32])), Err(KeyError::WrongScheme));
    }

    #[test]
    fn zero_and_the_group_order_are_no_keys() {
        assert_eq!(LocalKey::secp256k1(Zeroizing::new([0; 32])).unwrap_err(), KeyError::OutOfRange);
        assert_eq!(LocalKey::secp256k1(Zeroizing::new([0xff; 32])).unwrap_err(), KeyError::OutOfRange);
    }

    #[test]
    fn a_key_prints_nothing_of_itself() {
        assert_eq!(format!("{:?}", LocalKey::ed25519(Zeroizing::new([0xab; 32]))), "LocalKey(Ed25519)");
    }
}
