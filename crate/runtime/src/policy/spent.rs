//! How much was used within a day, in hourly buckets: a record whose size does not grow with use.

use chains::{Amount, amount};
use derive::Record;
use serde_json::Value;
use wire::api::Millis;
use wire::json::{FromJson, Reader, ToJson, Writer};

const HOUR: Millis = 60 * 60 * 1000;

/// A day has parts of 25 clock hours.
const BUCKETS: u64 = 25;

/// What was used of a limit or of a tool rule's bounds. On disk `[{"at":…,"amount":"…"}]`, oldest first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[serde(transparent)]
pub struct Spent(Vec<Bucket>);

/// What was used within one clock hour.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
struct Bucket {
    /// When the hour began.
    at: Millis,
    amount: Digits,
}

impl Spent {
    /// The sum of the last 24 hours. A bucket counts as long as any of its uses may; one that lies in the future,
    /// since the clock was put back, counts too.
    pub fn within_day(&self, now: Millis) -> Amount {
        let counts = self.0.iter().filter(|bucket| live(bucket.at, now));
        counts.fold(Amount::ZERO, |sum, bucket| sum.saturating_add(bucket.amount.0))
    }

    /// Whether nothing of it counts any more.
    pub(super) fn is_over(&self, now: Millis) -> bool {
        !self.0.iter().any(|bucket| live(bucket.at, now))
    }

    /// The record after a use. Where the clock was put back the use goes to the newest bucket, so that buckets stay in
    /// order and few.
    #[must_use]
    pub fn add(&self, now: Millis, amount: Amount) -> Self {
        let newest = self.0.iter().map(|bucket| bucket.at).max().unwrap_or_default();
        let at = now.max(newest);
        let at = at - at % HOUR;
        let mut buckets: Vec<Bucket> = self.0.iter().filter(|bucket| live(bucket.at, at)).cloned().collect();
        match buckets.iter_mut().find(|bucket| bucket.at == at) {
            Some(bucket) => bucket.amount.0 = bucket.amount.0.saturating_add(amount),
            None => buckets.push(Bucket { at, amount: Digits(amount) }),
        }
        Self(buckets)
    }
}

/// Whether something of the hour that began at `at` may be less than a day old.
const fn live(at: Millis, now: Millis) -> bool {
    at / HOUR + BUCKETS > now / HOUR
}

/// An amount on disk: decimal digits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Digits(Amount);

impl ToJson for Digits {
    fn to_json(&self, out: &mut Writer) {
        out.text(&self.0.to_string());
    }
}

impl FromJson for Digits {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        let text = String::from_json(value, reader);
        Self(amount::parse("amount", &text).unwrap_or_else(|_| {
            reader.rule("must be decimal digits");
            Amount::ZERO
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn on_disk() {
        let spent = Spent::default().add(2 * HOUR + 5, Amount::from(7)).add(4 * HOUR, Amount::MAX);
        let text = format!(r#"[{{"at":7200000,"amount":"7"}},{{"at":14400000,"amount":"{}"}}]"#, Amount::MAX);
        assert_eq!(serde_json::to_string(&spent).unwrap(), text);
        assert_eq!(serde_json::from_str::<Spent>(&text).unwrap(), spent);
        assert!(serde_json::from_str::<Spent>(r#"[{"at":1,"amount":"-7"}]"#).is_err());
    }

    #[test]
    fn forgets_after_a_day_and_not_before() {
        let spent = Spent::default().add(HOUR - 1, Amount::from(7));
        let sums = [HOUR, 25 * HOUR - 2, 25 * HOUR - 1, 25 * HOUR].map(|now| spent.within_day(now));
        assert_eq!(sums, [7, 7, 7, 0].map(Amount::from));
    }

    /// A clock that is put back makes nothing forgotten.
    #[test]
    fn the_clock_is_put_back() {
        let spent = Spent::default().add(100 * HOUR, Amount::from(3)).add(5, Amount::from(4));
        assert_eq!(spent.within_day(5), Amount::from(7));
        assert_eq!(spent.within_day(101 * HOUR), Amount::from(7));
    }

    proptest! {
        /// After any uses: at most 25 buckets, and never less than the true sum of the last day, nor more than the
        /// last 25 hours'.
        #[test]
        fn bounded_and_never_too_little(uses in prop::collection::vec((0..6 * HOUR, 0u64..1000), 0..200)) {
            let (mut now, mut spent, mut all) = (0, Spent::default(), Vec::new());
            for (pause, amount) in uses {
                now += pause;
                spent = spent.add(now, Amount::from(amount));
                all.push((now, amount));
                let since = |age: Millis| -> u64 {
                    all.iter().filter(|(at, _)| at + age > now).map(|(_, amount)| amount).sum()
                };
                let sum = spent.within_day(now);
                prop_assert!(spent.0.len() <= 25);
                prop_assert!(sum >= Amount::from(since(24 * HOUR)));
                prop_assert!(sum <= Amount::from(since(25 * HOUR)));
            }
        }

        /// Any text of the store is read or refused, and one that is read stays usable with any clock.
        #[test]
        fn any_record(text in ".{0,80}", buckets in prop::collection::vec((any::<u64>(), "[0-9]{1,90}"), 0..60), now: u64) {
            let _ = serde_json::from_str::<Spent>(&text);
            let rows: Vec<_> = buckets.iter().map(|(at, amount)| serde_json::json!({"at": at, "amount": amount})).collect();
            if let Ok(spent) = serde_json::from_value::<Spent>(rows.into()) {
                let next = spent.add(now, Amount::from(1));
                prop_assert!(!next.within_day(now).is_zero());
            }
        }
    }
}
