//! Channels of IBC between the chains that are known here.
//!
//! Anyone can open a channel to a chain of their own, and what went there comes back at the word of that chain alone. So
//! only a channel of this table says where coins go. Source: the Cosmos chain registry, `_IBC`.

use crate::Chain::{self, Akash, Cosmos, Dydx, Kujira, Noble, Osmosis, Terra, TerraClassic};

/// Chain and number of a channel at one end, and at the other.
type Channel = ((Chain, u32), (Chain, u32));

pub(super) const CHANNELS: &[Channel] = &[
    ((Cosmos, 141), (Osmosis, 0)),
    ((Cosmos, 343), (Kujira, 0)),
    ((Cosmos, 536), (Noble, 4)),
    ((Cosmos, 339), (Terra, 0)),
    ((Cosmos, 184), (Akash, 17)),
    ((Osmosis, 1), (Akash, 9)),
    ((Osmosis, 259), (Kujira, 3)),
    ((Osmosis, 750), (Noble, 1)),
    ((Osmosis, 6787), (Dydx, 3)),
    ((Osmosis, 251), (Terra, 1)),
    ((Osmosis, 72), (TerraClassic, 1)),
    ((Noble, 33), (Dydx, 0)),
    ((Noble, 2), (Kujira, 62)),
    ((Noble, 30), (Terra, 253)),
    ((Kujira, 5), (Terra, 10)),
    ((Kujira, 64), (Akash, 63)),
];

/// The chain at the other end of a channel of the transfer module.
pub fn ibc_channel(chain: Chain, channel: &str) -> Option<Chain> {
    let is = |end: &(Chain, u32)| end.0 == chain && format!("channel-{}", end.1) == channel;
    CHANNELS.iter().find_map(|(one, other)| if is(one) { Some(other.0) } else { is(other).then_some(one.0) })
}
