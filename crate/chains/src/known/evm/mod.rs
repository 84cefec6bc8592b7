//! Known contracts of the EVM chains.
//!
//! Addresses are written in EIP-55's spelling, which a test checks, and kept as 20 bytes. An address that several chains
//! share is one row; that it is the same on one more is never assumed.

mod bridges;
mod lending;
pub(super) mod pools;
mod swaps;
mod wrapped;

use super::{KnownContract, Protocol};
use crate::{Chain, Kind};

/// The known contract at this address of this chain.
pub fn evm(chain: Chain, address: &[u8; 20]) -> Option<KnownContract> {
    let here = |place: &Place| place.chains.has(chain) && place.address == *address;
    let group = groups().find(|group| group.places.iter().any(here));
    let known = group.map(|group| KnownContract { name: group.name, protocol: group.protocol });
    known.or_else(|| pools::contract(chain, address))
}

/// The contract of the chain's wrapped coin.
pub fn wrapped_coin(chain: Chain) -> Option<[u8; 20]> {
    let mut places = wrapped::GROUPS.iter().flat_map(|group| group.places);
    places.find(|place| place.chains.has(chain)).map(|place| place.address)
}

/// Every group of rows.
pub(super) fn groups() -> impl Iterator<Item = &'static Group> {
    [wrapped::GROUPS, swaps::GROUPS, bridges::GROUPS, lending::GROUPS].into_iter().flatten()
}

/// Contracts with one name and one meaning.
pub(super) struct Group {
    pub(super) name: &'static str,
    pub(super) protocol: Protocol,
    pub(super) places: &'static [Place],
}

/// One address, on the chains that have it.
pub(super) struct Place {
    pub(super) address: [u8; 20],
    pub(super) chains: Chains,
}

/// A set of EVM chains: one bit each.
#[derive(Clone, Copy)]
pub(super) struct Chains(u16);

impl Chains {
    const fn of(chains: &[Chain]) -> Self {
        let (mut bits, mut left) = (0, chains);
        while let [first, rest @ ..] = left {
            assert!(matches!(first.kind(), Kind::Evm), "not an EVM chain");
            bits |= 1 << *first as u32;
            left = rest;
        }
        Self(bits)
    }

    pub(super) const fn has(self, chain: Chain) -> bool {
        matches!(chain.kind(), Kind::Evm) && self.0 >> chain as u32 & 1 == 1
    }
}

const fn group(name: &'static str, protocol: Protocol, places: &'static [Place]) -> Group {
    Group { name, protocol, places }
}

const fn at(address: &str, chains: &[Chain]) -> Place {
    Place { address: bytes(address), chains: Chains::of(chains) }
}

/// The bytes of an address. Evaluated at compile time, where a wrong digit is an error.
pub(super) const fn bytes(text: &str) -> [u8; 20] {
    let mut address = [0; 20];
    let digits = match text.as_bytes() {
        [b'0', b'x', digits @ ..] => digits,
        _ => &[],
    };
    assert!(digits.len() == 40, "is not 0x and 40 digits");
    let (mut left, mut free): (&[u8], &mut [u8]) = (digits, &mut address);
    while let ([high, low, digits @ ..], [byte, rest @ ..]) = (left, free) {
        *byte = digit(*high) << 4 | digit(*low);
        (left, free) = (digits, rest);
    }
    address
}

const fn digit(character: u8) -> u8 {
    assert!(character.is_ascii_hexdigit(), "is no hexadecimal digit");
    match character {
        b'0'..=b'9' => character - b'0',
        _ => (character | 0x20) - b'a' + 10,
    }
}
