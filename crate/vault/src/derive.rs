//! Private keys along a path such as `m/44'/60'/0'/0/0`, where an apostrophe makes a step hardened.
//!
//! Three trees grow from one seed phrase: BIP-32 for secp256k1, SLIP-0010 for Ed25519, and for Cardano the one of
//! CIP-3 (Icarus), whose keys have public children although they are of Ed25519.

pub(crate) mod bip32;
pub(crate) mod icarus;
pub(crate) mod slip10;

use chains::derive::DeriveError;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha512;
use zeroize::{Zeroize as _, Zeroizing};

/// A private key, or the chain code that goes with it.
pub(crate) type Half = Zeroizing<[u8; 32]>;

/// Steps from here on are hardened.
pub(crate) const HARDENED: u32 = 1 << 31;

/// The numbers of a path's steps, with [`HARDENED`] added to those that have an apostrophe.
pub(crate) fn steps(path: &str) -> impl Iterator<Item = Result<u32, DeriveError>> {
    let below = path.strip_prefix("m/");
    let misplaced = (below.is_none() && path != "m").then_some(Err(DeriveError::Path));
    misplaced.into_iter().chain(below.into_iter().flat_map(|steps| steps.split('/')).map(step))
}

fn step(text: &str) -> Result<u32, DeriveError> {
    let (digits, hardened) = text.strip_suffix('\'').map_or((text, 0), |digits| (digits, HARDENED));
    let index: u32 = digits.parse().map_err(|_| DeriveError::Path)?;
    if index >= HARDENED { Err(DeriveError::Path) } else { Ok(index | hardened) }
}

/// HMAC-SHA-512, in halves.
fn hmac(key: &[u8], parts: &[&[u8]]) -> Result<(Half, Half), DeriveError> {
    let mut mac = Hmac::<Sha512>::new_from_slice(key).map_err(|_| DeriveError::NoChild)?;
    parts.iter().for_each(|part| mac.update(part));
    let mut digest: [u8; 64] = mac.finalize().into_bytes().into();
    let mut halves = (Half::default(), Half::default());
    let both = halves.0.iter_mut().chain(halves.1.iter_mut());
    both.zip(&digest).for_each(|(to, from)| *to = *from);
    digest.zeroize();
    Ok(halves)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(path: &str) -> Result<Vec<u32>, DeriveError> {
        steps(path).collect()
    }

    #[test]
    fn path_is_numbers_below_2_31() {
        assert_eq!(read("m"), Ok(vec![]));
        assert_eq!(read("m/44'/0/2147483647'"), Ok(vec![HARDENED | 44, 0, u32::MAX]));
        for bad in ["", "44", "n/1", "m/", "m//1", "m/1''", "m/'", "m/-1", "m/2147483648", "m/1/x"] {
            assert_eq!(read(bad), Err(DeriveError::Path), "{bad}");
        }
    }
}
