//! Cardano's tree (CIP-3, "Icarus"; BIP32-Ed25519): it grows from the entropy of a phrase, not from its seed.
//!
//! A key is a scalar kL, kept as an integer and never reduced, and the nonce key kR. With `Z` and `C` the
//! HMAC-SHA-512 under the chain code of a tag byte, of the key (kL ‖ kR of a hardened step, the public key of any
//! other) and of the index in little endian, a child is `kL + 8 · (first 28 bytes of Z)`, `kR + (right half of Z)`,
//! and the right half of `C`.

use super::{HARDENED, Half, hmac, steps};
use crate::LocalKey;
use chains::derive::DeriveError;
use pbkdf2::pbkdf2_hmac;
use sha2::Sha512;
use zeroize::Zeroizing;

/// Rounds of PBKDF2, as CIP-3 has it.
const ROUNDS: u32 = 4096;

/// An extended key with the chain code that its children need.
pub(crate) struct Node {
    left: Half,
    right: Half,
    chain_code: Half,
}

impl Node {
    /// The root of a phrase's tree. The passphrase is the password of CIP-3.
    pub(crate) fn master(entropy: &[u8], passphrase: &str) -> Self {
        let mut bytes = Zeroizing::new([0; 96]);
        pbkdf2_hmac::<Sha512>(passphrase.as_bytes(), entropy, ROUNDS, bytes.as_mut_slice());
        let mut node = Self { left: Half::default(), right: Half::default(), chain_code: Half::default() };
        let parts = node.left.iter_mut().chain(node.right.iter_mut()).chain(node.chain_code.iter_mut());
        parts.zip(bytes.iter()).for_each(|(to, from)| *to = *from);
        // As every Ed25519 scalar, and the third highest bit cleared: no sum along a path can overflow.
        if let [first, .., last] = node.left.as_mut_slice() {
            *first &= 0xf8;
            *last = *last & 0x1f | 0x40;
        }
        node
    }

    /// The node that a path leads to.
    pub(crate) fn at(self, path: &str) -> Result<Self, DeriveError> {
        steps(path).try_fold(self, |node, step| node.child(step?))
    }

    /// The bytes of the key that signs.
    pub(crate) fn private(&self) -> Zeroizing<Vec<u8>> {
        Zeroizing::new([self.left.as_slice(), self.right.as_slice()].concat())
    }

    fn key(&self) -> LocalKey {
        let mut bytes = Zeroizing::new([0; 64]);
        bytes.iter_mut().zip(self.left.iter().chain(self.right.iter())).for_each(|(to, from)| *to = *from);
        LocalKey::ed25519_extended(&bytes)
    }

    fn child(&self, index: u32) -> Result<Self, DeriveError> {
        let code = self.chain_code.as_slice();
        let number = index.to_le_bytes();
        let public = self.key().public();
        let (key, tags): ([&[u8]; 2], _) = if index >= HARDENED {
            ([self.left.as_slice(), self.right.as_slice()], [0, 1])
        } else {
            ([public.as_bytes(), &[]], [2, 3])
        };
        let [first, second] = key;
        let digest = |tag: u8| hmac(code, &[&[tag], first, second, &number]);
        let [z_tag, c_tag] = tags;
        let (z_left, z_right) = digest(z_tag)?;
        let (_, chain_code) = digest(c_tag)?;
        let left = sum(&self.left, z_left.iter().take(28), 3);
        Ok(Self { left, right: sum(&self.right, z_right.iter(), 0), chain_code })
    }
}

/// `number + (digits << shift)` modulo 2²⁵⁶, both little endian.
fn sum<'a>(number: &Half, digits: impl Iterator<Item = &'a u8>, shift: u32) -> Half {
    let mut result = Half::default();
    let mut digits = digits.copied();
    let mut carry = 0;
    for (to, from) in result.iter_mut().zip(number.iter()) {
        carry += u16::from(*from) + (u16::from(digits.next().unwrap_or(0)) << shift);
        [*to, _] = carry.to_le_bytes();
        carry >>= 8;
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_carry_and_wrap() {
        let mut number = Half::new([0xff; 32]);
        assert_eq!(*sum(&number, [1].iter(), 0), [0; 32]);
        number[31] = 0;
        let mut expected = [0; 32];
        (expected[0], expected[31]) = (7, 1);
        assert_eq!(*sum(&number, [1].iter(), 3), expected);
    }
}
