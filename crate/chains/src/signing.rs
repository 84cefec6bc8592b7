//! Keys, what they sign, and signatures that have been checked.

use crate::Algorithm;
use derive::Code;
use ed25519_dalek::VerifyingKey as EdKey;
use k256::ecdsa::{RecoveryId, Signature as K256Signature, VerifyingKey};
use k256::elliptic_curve::ops::{LinearCombination as _, Reduce};
use k256::elliptic_curve::point::AffineCoordinates as _;
use k256::{FieldBytes, ProjectivePoint, Scalar};

/// A public key as a chain's account has it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PublicKey {
    /// secp256k1, compressed.
    Secp256k1([u8; 33]),
    /// Ed25519.
    Ed25519([u8; 32]),
}

/// The bytes that one signature must cover.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Image {
    /// ECDSA signs a digest.
    Ecdsa([u8; 32]),
    /// Ed25519 signs a message; on some chains the message is itself a digest.
    Eddsa(Vec<u8>),
    /// What QBTC's ML-DSA-44 signs. No key here does: nothing verifies against it.
    MlDsa44([u8; 32]),
}

/// What a signer returns: `r ‖ s` of ECDSA, `R ‖ S` of Ed25519. Not yet checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature(pub [u8; 64]);

/// A signature that covers its image under the account's key. ECDSA is low-S.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verified {
    /// ECDSA over secp256k1.
    Ecdsa {
        /// The x coordinate of the nonce point.
        r: [u8; 32],
        /// The proof, at most half the group order.
        s: [u8; 32],
        /// Which of the possible nonce points it was: 0 or 1, and 2 or 3 in one case of 2¹²⁷.
        recovery: u8,
    },
    /// Ed25519, `R ‖ S`.
    Eddsa([u8; 64]),
}

/// Why signatures were not built into a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum SignatureError {
    /// As many signatures as images are needed.
    #[error("{expected} signatures are needed, {found} were given")]
    #[code("signature_count")]
    Count {
        /// Images of the transaction.
        expected: usize,
        /// Signatures given.
        found: usize,
    },
    /// The chain's scheme is one that is not checked here, so that nothing is built for it.
    #[error("signatures of this chain's scheme are not built in here")]
    #[code("unsupported_signature_scheme")]
    Scheme,
    /// A signature does not cover its image under the account's key.
    #[error("signature {index} is not by this account's key over this transaction")]
    #[code("invalid_signature")]
    Invalid {
        /// Its place.
        index: usize,
    },
}

impl PublicKey {
    /// The key's bytes: 33 or 32.
    pub const fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Secp256k1(bytes) => bytes,
            Self::Ed25519(bytes) => bytes,
        }
    }

    /// The scheme it signs with.
    pub const fn algorithm(&self) -> Algorithm {
        match self {
            Self::Secp256k1(_) => Algorithm::Ecdsa,
            Self::Ed25519(_) => Algorithm::Eddsa,
        }
    }

    /// Checks a signature; a high S is turned low.
    pub fn verify(&self, image: &Image, signature: &Signature) -> Option<Verified> {
        match (self, image) {
            (Self::Secp256k1(key), Image::Ecdsa(digest)) => verify_ecdsa(key, digest, signature),
            (Self::Ed25519(key), Image::Eddsa(message)) => verify_eddsa(key, message, signature),
            _ => None,
        }
    }
}

impl Image {
    /// The bytes themselves.
    pub fn as_bytes(&self) -> &[u8] {
        match self {
            Self::Ecdsa(digest) | Self::MlDsa44(digest) => digest,
            Self::Eddsa(message) => message,
        }
    }
}

/// The recovery id is found here and not taken from the signer: it describes the point that the verification computes,
/// so one computation gives both. (SEC 1, 4.1.4 and 4.1.6.)
fn verify_ecdsa(key: &[u8; 33], digest: &[u8; 32], signature: &Signature) -> Option<Verified> {
    let key = VerifyingKey::from_sec1_bytes(key).ok()?;
    let signature = K256Signature::from_slice(&signature.0).ok()?.normalize_s();
    let (r, s) = signature.split_scalars();
    let inverse = Option::<Scalar>::from(s.as_ref().invert())?;
    let of_generator = <Scalar as Reduce<FieldBytes>>::reduce(&(*digest).into()) * inverse;
    let terms = [
        (ProjectivePoint::GENERATOR, of_generator),
        (ProjectivePoint::from(*key.as_affine()), *r.as_ref() * inverse),
    ];
    let point = ProjectivePoint::lincomb_vartime(&terms).to_affine();
    let x = point.x();
    if <Scalar as Reduce<FieldBytes>>::reduce(&x) != *r.as_ref() {
        return None;
    }
    let (r, s) = signature.split_bytes();
    let recovery = RecoveryId::new(point.y_is_odd().into(), x != r);
    Some(Verified::Ecdsa { r: r.into(), s: s.into(), recovery: recovery.to_byte() })
}

fn verify_eddsa(key: &[u8; 32], message: &[u8], signature: &Signature) -> Option<Verified> {
    let key = EdKey::from_bytes(key).ok()?;
    key.verify_strict(message, &ed25519_dalek::Signature::from_bytes(&signature.0)).ok()?;
    Some(Verified::Eddsa(signature.0))
}

/// An ECDSA signature in DER: a sequence of two integers, each in as few bytes as keep it positive.
pub(crate) fn der(r: &[u8; 32], s: &[u8; 32]) -> Vec<u8> {
    let body = [integer(r), integer(s)].concat();
    [&[0x30, length(&body)], body.as_slice()].concat()
}

fn integer(bytes: &[u8; 32]) -> Vec<u8> {
    let zeros = bytes.iter().take(31).take_while(|byte| **byte == 0).count();
    let digits = bytes.get(zeros..).unwrap_or_default();
    let sign: &[u8] = if digits.first().is_some_and(|first| *first >= 0x80) { &[0] } else { &[] };
    let body = [sign, digits].concat();
    [&[2, length(&body)], body.as_slice()].concat()
}

/// At most 70, so one byte.
fn length(bytes: &[u8]) -> u8 {
    u8::try_from(bytes.len()).unwrap_or(u8::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn der_drops_leading_zeros_and_keeps_integers_positive() {
        let mut r = [0; 32];
        r[31] = 0x80;
        let mut s = [0; 32];
        s[30] = 1;
        assert_eq!(der(&r, &s), [0x30, 8, 2, 2, 0, 0x80, 2, 2, 1, 0]);
        assert_eq!(der(&[0; 32], &[0xff; 32]).len(), 2 + 3 + 35);
    }

    /// The recovery id is the one that the library of the curve finds by trying; a high S is turned low; another digest
    /// or key is refused.
    #[test]
    fn recovery_id_follows_from_key_digest_and_signature() {
        for number in 1..=40_u8 {
            let signer = k256::ecdsa::SigningKey::from_slice(&[number; 32]).unwrap();
            let digest = crate::hash::sha256(&[number]);
            let (made, recovery) = signer.sign_prehash_recoverable(&digest);
            let key = PublicKey::Secp256k1(k256::CompressedPoint::from(signer.verifying_key()).into());
            let low: [u8; 64] = made.to_bytes().into();
            let (r, s) = made.split_scalars();
            let high = K256Signature::from_scalars(r.to_bytes(), (-*s.as_ref()).to_bytes()).unwrap();
            for signature in [low, high.to_bytes().into()] {
                let verified = key.verify(&Image::Ecdsa(digest), &Signature(signature)).unwrap();
                let Verified::Ecdsa { r, s, recovery: found } = verified else { unreachable!() };
                assert_eq!((r.as_slice(), s.as_slice()), low.split_at(32));
                assert_eq!(found, recovery.to_byte());
            }
            assert_eq!(key.verify(&Image::Ecdsa([number; 32]), &Signature(low)), None);
            let other = k256::ecdsa::SigningKey::from_slice(&[number + 1; 32]).unwrap();
            let other = PublicKey::Secp256k1(k256::CompressedPoint::from(other.verifying_key()).into());
            assert_eq!(other.verify(&Image::Ecdsa(digest), &Signature(low)), None);
        }
    }
}
