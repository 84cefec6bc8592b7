//! A time that an agent names: milliseconds since 1970, or ISO 8601 with its zone (`2026-11-18T09:30:00Z`, `…+01:00`).

use serde_json::Value;
use wire::api::Millis;

const MINUTE: i64 = 60_000;
const DAY: i64 = 24 * 60 * MINUTE;

/// The time that a value names, if it names one.
pub(crate) fn instant(value: &Value) -> Option<Millis> {
    match value {
        Value::Number(number) => number.as_u64().filter(|at| *at < 1 << 48),
        Value::String(text) => iso(text.trim()),
        _ => None,
    }
}

/// Reads ISO 8601 with date, time and zone. Seconds and their fraction may be absent.
fn iso(text: &str) -> Option<Millis> {
    let (date, time) = text.split_once(['T', 't', ' '])?;
    let (year, rest) = digits(date, 4)?;
    let (month, rest) = digits(rest.strip_prefix('-')?, 2)?;
    let (day, rest) = digits(rest.strip_prefix('-')?, 2)?;
    if !rest.is_empty() || !(1..=12).contains(&month) || day < 1 || day > days_of(year, month) {
        return None;
    }
    let (hour, rest) = digits(time, 2)?;
    let (minute, rest) = digits(rest.strip_prefix(':')?, 2)?;
    let (second, milli, rest) = match rest.strip_prefix(':') {
        Some(rest) => {
            let (second, rest) = digits(rest, 2)?;
            let (milli, rest) = fraction(rest)?;
            (second, milli, rest)
        }
        None => (0, 0, rest),
    };
    // A second that is inserted counts as the one before it.
    if hour > 23 || minute > 59 || second > 60 {
        return None;
    }
    let in_day = (hour * 60 + minute) * MINUTE + second.min(59) * 1000 + milli;
    let at = days_since_1970(year, month, day) * DAY + in_day - zone(rest)? * MINUTE;
    Millis::try_from(at).ok()
}

/// So many digits at the beginning, and what follows.
fn digits(text: &str, count: usize) -> Option<(i64, &str)> {
    let (number, rest) = text.split_at_checked(count)?;
    let all = number.bytes().all(|byte| byte.is_ascii_digit());
    Some((number.parse().ok().filter(|_| all)?, rest))
}

/// Milliseconds of a fraction of a second, if there is one.
fn fraction(text: &str) -> Option<(i64, &str)> {
    let Some(rest) = text.strip_prefix(['.', ',']) else { return Some((0, text)) };
    let length = rest.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = rest.split_at_checked(length)?;
    if number.is_empty() {
        return None;
    }
    let digit = |place: usize| number.as_bytes().get(place).map_or(0, |byte| i64::from(byte - b'0'));
    Some((digit(0) * 100 + digit(1) * 10 + digit(2), rest))
}

/// Minutes that a zone is ahead of UTC.
fn zone(text: &str) -> Option<i64> {
    if text.eq_ignore_ascii_case("z") {
        return Some(0);
    }
    let (sign, rest) = match text.split_at_checked(1)? {
        ("+", rest) => (1, rest),
        ("-", rest) => (-1, rest),
        _ => return None,
    };
    let (hours, rest) = digits(rest, 2)?;
    let rest = rest.strip_prefix(':').unwrap_or(rest);
    let (minutes, rest) = if rest.is_empty() { (0, rest) } else { digits(rest, 2)? };
    (rest.is_empty() && hours <= 18 && minutes <= 59).then_some(sign * (hours * 60 + minutes))
}

const fn days_of(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days since 1970-01-01; the year begins in March, so that the odd day is its last.
const fn days_since_1970(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let in_era = year.rem_euclid(400);
    let from_march = if month > 2 { month - 3 } else { month + 9 };
    let in_year = (153 * from_march + 2) / 5 + day - 1;
    era * 146_097 + in_era * 365 + in_era / 4 - in_era / 100 + in_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;
    use wire::tool::iso_time;

    /// T004-39: a plan's time is milliseconds, or ISO 8601 with a zone.
    #[test]
    fn times_that_are_read() {
        for (value, at) in [
            (json!(1_736_937_000_000_u64), Some(1_736_937_000_000)),
            (json!("2025-01-15T10:30:00Z"), Some(1_736_937_000_000)),
            (json!("2025-01-15T10:30Z"), Some(1_736_937_000_000)),
            (json!(" 2025-01-15 11:30:00.250+01:00 "), Some(1_736_937_000_250)),
            (json!("2025-01-15T05:00:00-0530"), Some(1_736_937_000_000)),
            (json!("2000-02-29T00:00:00.001Z"), Some(951_782_400_001)),
            (json!("1970-01-01T00:00:00Z"), Some(0)),
            (json!("2025-01-15T10:30:00"), None),
            (json!("2025-02-29T10:30:00Z"), None),
            (json!("2025-13-01T10:30:00Z"), None),
            (json!("2025-01-15T24:30:00Z"), None),
            (json!("2025-01-15"), None),
            (json!("1969-12-31T23:59:59Z"), None),
            (json!("+025-01-15T10:30:00Z"), None),
            (json!("tomorrow"), None),
            (json!(-1), None),
            (json!(1.5), None),
            (json!(null), None),
        ] {
            assert_eq!(instant(&value), at, "{value}");
        }
    }

    proptest! {
        /// What is written is read as it was, and no text is a panic.
        #[test]
        fn times_are_read_as_written(at in 0u64..4_102_444_800_000, text in "\\PC{0,30}") {
            prop_assert_eq!(instant(&json!(iso_time(at))), Some(at));
            instant(&json!(text));
        }
    }
}
