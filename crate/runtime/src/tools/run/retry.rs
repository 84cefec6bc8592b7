//! When a request is sent again (T002-70). Pure.

use super::row::Sending;
use wire::api::Millis;

/// The first pause; each is twice as long as the one before.
const FIRST_PAUSE: Millis = 250;
/// The longest pause that the host did not ask for.
const LONGEST_PAUSE: Millis = 8_000;

/// Whether another attempt may be answered otherwise.
pub(super) const fn is_passing(status: u16) -> bool {
    matches!(status, 408 | 425 | 429 | 500 | 502 | 503 | 504)
}

/// What bounds the attempts of a call.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// How many may follow the first.
    pub(super) max_retries: u32,
    /// When the time for all of them is over.
    pub(super) ends_at: Millis,
}

/// When the next attempt is made after one that failed; none if there is none. `chance` is a random number, so that many
/// clients do not come back at the same moment.
pub(super) fn next_attempt(
    run: &Sending,
    bounds: Bounds,
    retry_after: Option<u64>,
    now: Millis,
    chance: u16,
) -> Option<Millis> {
    if !run.is_idempotent || run.attempts > bounds.max_retries {
        return None;
    }
    let doublings = run.attempts.saturating_sub(1).min(16);
    let pause = (FIRST_PAUSE << doublings).min(LONGEST_PAUSE);
    // From half of it to all of it.
    let pause = pause / 2 + (pause / 2) * Millis::from(chance) / Millis::from(u16::MAX);
    let asked = retry_after.unwrap_or(0).saturating_mul(1000);
    let at = now.saturating_add(pause.max(asked));
    (at < bounds.ends_at).then_some(at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(attempts: u32) -> Sending {
        Sending { attempts, is_idempotent: true, ..Sending::default() }
    }

    const BOUNDS: Bounds = Bounds { max_retries: 10, ends_at: 100_000 };

    /// T002-70: the pauses grow, within their bounds, for every random number.
    #[test]
    fn pauses_double() {
        let pause = |attempts, chance| next_attempt(&run(attempts), BOUNDS, None, 0, chance).unwrap();
        let most: Vec<Millis> = (1..=7).map(|attempts| pause(attempts, u16::MAX)).collect();
        assert_eq!(most, [250, 500, 1_000, 2_000, 4_000, 8_000, 8_000]);
        let least: Vec<Millis> = (1..=7).map(|attempts| pause(attempts, 0)).collect();
        assert_eq!(least, [125, 250, 500, 1_000, 2_000, 4_000, 4_000]);
        assert_ne!(pause(3, 1_000), pause(3, 60_000));
    }

    /// T002-70: a host that says when is not asked before, and not at all if the time is over then.
    #[test]
    fn retry_after_is_kept() {
        let at = |seconds| next_attempt(&run(1), BOUNDS, Some(seconds), 1_000, 0);
        assert_eq!((at(0), at(7), at(98)), (Some(1_125), Some(8_000), Some(99_000)));
        assert_eq!((at(99), at(u64::MAX)), (None, None));
    }

    /// T002-70, T002-80: no more attempts than the tool allows, and one only of what cannot be repeated.
    #[test]
    fn attempts_are_bounded() {
        let bounds = |max_retries| Bounds { max_retries, ..BOUNDS };
        for retries in 0..4 {
            let made =
                (1..).take_while(|made| next_attempt(&run(*made), bounds(retries), None, 0, 0).is_some());
            assert_eq!(made.count(), retries as usize);
        }
        let once = Sending { is_idempotent: false, ..run(1) };
        assert_eq!(next_attempt(&once, BOUNDS, Some(1), 0, 0), None);
        assert_eq!(next_attempt(&run(1), BOUNDS, None, 99_900, u16::MAX), None, "the time is over then");
    }

    /// T002-70: these and no others.
    #[test]
    fn statuses_that_pass() {
        let passing: Vec<u16> = (100..600).filter(|status| is_passing(*status)).collect();
        assert_eq!(passing, [408, 425, 429, 500, 502, 503, 504]);
    }
}
