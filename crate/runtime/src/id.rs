//! Ids that sort by time: UUID version 7 with a counter inside one millisecond (RFC 9562 §5.7, §6.2).

use crate::ports::Host;
use sha2::{Digest, Sha256};
use std::cell::Cell;
use std::rc::Rc;
use wire::api::Millis;

/// Makes ids; each sorts after the one before, even when the clock stands still or goes back.
pub struct Ids {
    host: Rc<dyn Host>,
    last: Cell<(u64, u16)>,
}

impl Ids {
    /// A maker of ids.
    pub fn new(host: Rc<dyn Host>) -> Self {
        Self { host, last: Cell::new((0, 0)) }
    }

    /// A new id.
    pub fn next(&self) -> String {
        let (last_time, counter) = self.last.get();
        let now = self.host.now();
        let (time, count) = match counter.checked_add(1).filter(|count| *count < 0x1000) {
            _ if now > last_time => (now, 0),
            Some(count) => (last_time, count),
            None => (last_time + 1, 0),
        };
        self.last.set((time, count));
        let mut random = [0; 8];
        self.host.random(&mut random);
        let tail = u64::from_be_bytes(random) & 0x3fff_ffff_ffff_ffff | 0x8000_0000_0000_0000;
        spell(
            (time as u128 & 0xffff_ffff_ffff) << 80
                | 0x7000 << 64
                | u128::from(count) << 64
                | u128::from(tail),
        )
    }
}

impl Ids {
    /// Whether a page has just made this id: it sorts among ours by its time.
    pub(crate) fn is_recent(&self, id: &str) -> bool {
        let now = self.host.now();
        let (first, last) = (earliest(now.saturating_sub(RECENT)), earliest(now + RECENT));
        let shape = |(place, byte): (usize, u8)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'7',
            _ => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        };
        id.len() == 36 && id.bytes().enumerate().all(shape) && (first.as_str()..last.as_str()).contains(&id)
    }
}

/// As far as this an id of a page may be from now.
const RECENT: Millis = 60 * 60 * 1000;

/// No id made at this time or later sorts before this one.
pub(crate) fn earliest(time: Millis) -> String {
    spell((u128::from(time) & 0xffff_ffff_ffff) << 80)
}

/// The digest of words, hex: the same for the same words only, however they are divided.
pub(crate) fn digest(words: &[&str]) -> String {
    hash(words).iter().map(|byte| format!("{byte:02x}")).collect()
}

fn hash(words: &[&str]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for word in words {
        hash.update((word.len() as u64).to_be_bytes());
        hash.update(word.as_bytes());
    }
    hash.finalize().into()
}

/// The same id for the same words: for what a backend sends without one, so that a re-read is recognised.
pub(crate) fn derived(words: &[&str]) -> String {
    let digest = hash(words);
    let number = digest.iter().take(16).fold(0u128, |number, byte| number << 8 | u128::from(*byte));
    // Version 8: made by our own rule.
    spell(number & !(0xf << 76) & !(0x3 << 62) | 0x8 << 76 | 0x2 << 62)
}

fn spell(number: u128) -> String {
    let hex = format!("{number:032x}");
    let part = |from: usize, to: usize| hex.get(from..to).unwrap_or_default();
    format!("{}-{}-{}-{}-{}", part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ports::{Lock, Presence, Task};
    use crate::store::StoreError;
    use async_trait::async_trait;

    struct Still(Cell<u64>);

    #[async_trait(?Send)]
    impl Host for Still {
        fn now(&self) -> u64 {
            self.0.get()
        }
        fn monotonic(&self) -> u64 {
            0
        }
        fn random(&self, bytes: &mut [u8]) {
            bytes.fill(0xff);
        }
        fn spawn(&self, _: Task) {}
        async fn sleep(&self, _: u64) {}
        fn wake_at(&self, _: Option<u64>) {}
        fn keep_alive(&self, _: bool) {}
        fn attention(&self, _: usize) {}
        fn summon(&self, _: &str, _: &str) {}
        fn show_bundle(&self, _: &str) {}
        async fn lock(&self, _: &str) -> Lock {
            Lock::new(())
        }
        async fn secret(&self, _: &str) -> Option<String> {
            None
        }
        async fn set_secret(&self, _: &str, _: Option<&str>) {}
        fn watch_presence(&self, _: u32) {}
        async fn presence(&self, _: u32) -> Presence {
            Presence::Active
        }
        fn pages_changed(&self, _: Option<&str>) {}
        async fn load_later(&self) -> Result<(), StoreError> {
            Ok(())
        }
    }

    #[test]
    fn ids_grow_while_the_clock_stands_still_or_goes_back() {
        let host = Rc::new(Still(Cell::new(1_700_000_000_000)));
        let ids = Ids::new(host.clone());
        let mut last = ids.next();
        assert_eq!(last, "018bcfe5-6800-7000-bfff-ffffffffffff");
        for step in 0..10_000 {
            if step == 5_000 {
                host.0.set(1_600_000_000_000);
            }
            let next = ids.next();
            assert!(next > earliest(1_700_000_000_000) && next < earliest(1_700_000_000_100));
            assert!(next > last && next.len() == 36, "{last} {next}");
            last = next;
        }
    }

    #[test]
    fn derived_ids_depend_on_every_word_and_its_bounds() {
        let id = derived(&["turn", "ab", "c"]);
        assert_eq!(id, derived(&["turn", "ab", "c"]));
        assert_ne!(id, derived(&["turn", "a", "bc"]));
        assert_eq!((id.len(), id.as_bytes()[14]), (36, b'8'));
    }
}
