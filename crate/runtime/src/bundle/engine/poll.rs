//! From one poll of a transaction to the next.

use wire::api::Millis;

/// The first pause; each further one is twice as long until the chain's own interval.
pub(super) const FIRST_PAUSE: Millis = 4;
/// Polls that follow each other so fast that the next transaction is checked in the same exchange.
pub(super) const EAGER_POLLS: u32 = 4;
/// Polls at the chain's own interval before they become rarer.
const STEADY_POLLS: u32 = 120;
/// The longest pause.
pub(super) const LONGEST_PAUSE: Millis = 60_000;

/// The pause after so many polls: short at first, then the chain's interval, then ever longer; up to a tenth longer by
/// chance, so that many wallets do not poll in the same moment.
pub(in crate::bundle) fn pause(polls: u32, interval: Millis, chance: u8) -> Millis {
    let short = FIRST_PAUSE.saturating_mul(1 << polls.min(20));
    let rare = interval.saturating_mul(u64::from(polls / STEADY_POLLS) + 1).min(LONGEST_PAUSE.max(interval));
    let pause = short.min(rare);
    pause + pause * Millis::from(chance) / 2_550
}
