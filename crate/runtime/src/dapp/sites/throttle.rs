//! How often a site may ask, without I/O: every rejection counts, and a site that is rejected twice in a row must wait, each
//! time twice as long.

use derive::Record;
use wire::api::Millis;

/// Rejections in a row after which a site must wait.
const PATIENCE: u32 = 2;
/// How long it must wait the first time.
const FIRST_PAUSE: Millis = 60_000;
/// How long at most.
const LONGEST_PAUSE: Millis = 60 * 60 * 1_000;
/// After so long without a rejection a site begins anew.
const FORGOTTEN: Millis = 24 * 60 * 60 * 1_000;

/// What the wallet has seen of a site, and what the user said of it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SiteRow {
    pub(crate) origin: String,
    /// When it first asked the user for something.
    pub(crate) first_asked_at: Millis,
    /// When it last did, in vain or not.
    pub(crate) last_asked_at: Millis,
    /// What the user approved.
    #[record(default)]
    pub(crate) approvals: u32,
    /// Rejections since the last approval.
    #[record(default)]
    pub(crate) rejections: u32,
    /// When the last of them was.
    #[record(default)]
    pub(crate) rejected_at: Millis,
    /// How long the last pause is.
    #[record(default)]
    pub(crate) pause: Millis,
    /// Until then nothing of it reaches the user.
    #[record(default)]
    pub(crate) paused_until: Millis,
    /// Requests that were refused in the last pause.
    #[record(default)]
    pub(crate) refused: u32,
    /// The user wants to see nothing of it.
    #[record(default)]
    pub(crate) blocked: bool,
    /// The user lets it in though a list names it.
    #[record(default)]
    pub(crate) let_in: bool,
    /// The open prompt about its connection.
    #[record(default)]
    pub(crate) connect_prompt: Option<String>,
}

/// Why a site is not heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NotHeard {
    /// The user blocked it.
    Blocked,
    /// It was rejected too often lately, and may ask again after so long.
    Paused(Millis),
}

impl SiteRow {
    pub(crate) fn new(origin: &str, now: Millis) -> Self {
        Self {
            origin: origin.to_owned(),
            first_asked_at: now,
            last_asked_at: now,
            approvals: 0,
            rejections: 0,
            rejected_at: 0,
            pause: 0,
            paused_until: 0,
            refused: 0,
            blocked: false,
            let_in: false,
            connect_prompt: None,
        }
    }

    /// Whether it must wait now. A clock that was set back does not make the pause longer than it is.
    pub(crate) fn paused_for(&self, now: Millis) -> Option<Millis> {
        self.paused_until.checked_sub(now).filter(|left| *left > 0).map(|left| left.min(self.pause))
    }

    /// It asks for something that the user would see.
    pub(crate) fn ask(&mut self, now: Millis) -> Result<(), NotHeard> {
        self.last_asked_at = now;
        if self.blocked {
            return Err(NotHeard::Blocked);
        }
        match self.paused_for(now) {
            Some(left) => {
                self.refused = self.refused.saturating_add(1);
                Err(NotHeard::Paused(left))
            }
            None => Ok(()),
        }
    }

    /// The user said no.
    pub(crate) fn reject(&mut self, now: Millis) {
        if now.saturating_sub(self.rejected_at) > FORGOTTEN {
            (self.rejections, self.pause) = (0, 0);
        }
        self.rejections = self.rejections.saturating_add(1);
        self.rejected_at = now;
        if self.rejections >= PATIENCE {
            self.pause = match self.pause {
                0 => FIRST_PAUSE,
                pause => pause.saturating_mul(2).min(LONGEST_PAUSE),
            };
            (self.paused_until, self.refused) = (now.saturating_add(self.pause), 0);
        }
    }

    /// The user said yes.
    pub(crate) fn approve(&mut self) {
        self.approvals = self.approvals.saturating_add(1);
        self.forgive();
    }

    /// It begins anew.
    pub(crate) fn forgive(&mut self) {
        (self.rejections, self.pause, self.paused_until, self.refused) = (0, 0, 0, 0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const MINUTE: Millis = 60_000;

    #[test]
    fn two_rejections_in_a_row_pause_a_site() {
        let mut site = SiteRow::new("https://a.example", 0);
        assert_eq!(site.ask(0), Ok(()));
        site.reject(1);
        assert_eq!(site.ask(2), Ok(()));
        site.reject(3);
        assert_eq!(site.ask(1_003), Err(NotHeard::Paused(59_000)));
        assert_eq!(site.ask(1_003), Err(NotHeard::Paused(59_000)));
        assert_eq!(site.refused, 2);
        assert_eq!(site.ask(3 + MINUTE), Ok(()));
        // From now on each rejection is a pause, each twice as long, up to an hour.
        let mut now = 3 + MINUTE;
        for minutes in [2, 4, 8, 16, 32, 60, 60] {
            site.reject(now);
            assert_eq!(site.ask(now), Err(NotHeard::Paused(minutes * MINUTE)));
            now += minutes * MINUTE;
            assert_eq!(site.ask(now), Ok(()));
        }
        site.approve();
        site.reject(now);
        assert_eq!(site.ask(now), Ok(()));
    }

    #[test]
    fn a_rejection_of_long_ago_does_not_count() {
        let mut site = SiteRow::new("https://a.example", 0);
        site.reject(1);
        site.reject(2 + FORGOTTEN);
        assert_eq!(site.ask(2 + FORGOTTEN), Ok(()));
    }

    #[test]
    fn a_blocked_site_is_never_heard() {
        let mut site = SiteRow { blocked: true, ..SiteRow::new("https://a.example", 0) };
        assert_eq!(site.ask(5), Err(NotHeard::Blocked));
        site.approve();
        assert_eq!(site.ask(6), Err(NotHeard::Blocked));
    }

    proptest! {
        /// However a site is answered, and however the clock moves, it waits an hour at most.
        #[test]
        fn never_paused_longer_than_an_hour(steps in prop::collection::vec((0_u64..10_000_000, 0_u8..3), 0..60)) {
            let mut site = SiteRow::new("https://a.example", 0);
            for (now, step) in steps {
                match step {
                    0 => site.reject(now),
                    1 => site.approve(),
                    _ => if let Err(NotHeard::Paused(left)) = site.ask(now) {
                        prop_assert!(left <= LONGEST_PAUSE && left > 0);
                    },
                }
            }
        }
    }
}
