//! Times of RFC 3339 as milliseconds since 1970.

use wire::api::Millis;

/// Reads `2021-09-30T16:25:24.000Z`, or with an offset such as `+02:00`.
pub(super) fn parse(text: &str) -> Option<Millis> {
    let bytes = text.as_bytes();
    let number = |from: usize, to: usize| -> Option<i64> {
        let digits = text.get(from..to)?;
        digits.bytes().all(|digit| digit.is_ascii_digit()).then(|| digits.parse().ok()).flatten()
    };
    let sign = |at: usize, options: &[u8]| bytes.get(at).is_some_and(|byte| options.contains(byte));
    let shaped = sign(4, b"-") && sign(7, b"-") && sign(10, b"Tt") && sign(13, b":") && sign(16, b":");
    let (year, month, day) = (number(0, 4)?, number(5, 7)?, number(8, 10)?);
    let (hour, minute, second) = (number(11, 13)?, number(14, 16)?, number(17, 19)?);
    let in_range = (1..=12).contains(&month)
        && (1..=days_in(year, month)).contains(&day)
        && hour < 24
        && minute < 60
        && second <= 60;
    if !shaped || !in_range {
        return None;
    }
    let rest = text.get(19..)?;
    let (fraction, zone) = match rest.strip_prefix('.') {
        Some(rest) => {
            let end = rest.bytes().position(|byte| !byte.is_ascii_digit())?;
            let (digits, zone) = rest.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())?;
            let thousandths = format!("{digits:0<3}");
            (thousandths.get(..3)?.parse::<i64>().ok()?, zone)
        }
        None => (0, rest),
    };
    let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute - offset(zone)?) * 60 + second;
    u64::try_from(seconds * 1000 + fraction).ok()
}

/// Minutes by which a zone is ahead.
fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "Z" | "z") {
        return Some(0);
    }
    let (ahead, clock) = match zone.split_at_checked(1)? {
        ("+", clock) => (1, clock),
        ("-", clock) => (-1, clock),
        _ => return None,
    };
    let (hours, minutes) = clock.split_once(':').filter(|_| clock.len() == 5)?;
    let (hours, minutes): (u8, u8) = (hours.parse().ok()?, minutes.parse().ok()?);
    (hours < 24 && minutes < 60).then(|| ahead * (i64::from(hours) * 60 + i64::from(minutes)))
}

const fn days_in(year: i64, month: i64) -> i64 {
    match month {
        4 | 6 | 9 | 11 => 30,
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        _ => 31,
    }
}

/// Days from 1970 on, by the calendar with years that begin in March.
const fn days(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

#[cfg(test)]
mod tests {
    use super::parse;

    #[test]
    fn times_of_rfc_3339() {
        assert_eq!(parse("1970-01-01T00:00:00Z"), Some(0));
        assert_eq!(parse("2021-09-30T16:25:24.000Z"), Some(1_633_019_124_000));
        assert_eq!(parse("2021-09-30T18:25:24.5+02:00"), Some(1_633_019_124_500));
        assert_eq!(parse("2024-02-29T00:00:00-00:00"), Some(1_709_164_800_000));
        for bad in [
            "",
            "2021-09-30",
            "2023-02-29T00:00:00Z",
            "2021-13-01T00:00:00Z",
            "2021-09-30T16:25:24",
            "2021-09-30 16:25:24Z",
            "2021-09-30T16:25:24.Z",
            "2021-09-30T16:25:24+2:00",
            "é021-09-30T16:25:24Z",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
