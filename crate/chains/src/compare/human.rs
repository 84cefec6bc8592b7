//! Amounts and addresses as people write them: `1,000 USDC`, `Unlimited DAI`, `0x12ab…9f`.

use crate::Amount;

/// An amount as a person wrote it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Claimed {
    size: Size,
    /// The word behind the number.
    unit: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
enum Size {
    /// `digits` with the point `places` from the right.
    Number {
        digits: Amount,
        places: u8,
        pointed: bool,
    },
    Unlimited,
}

/// Words for an approval without a limit.
const UNLIMITED: [&str; 4] = ["unlimited", "infinite", "max", "∞"];

/// How far a rounded claim may be off: one part in fifty.
const TOLERANCE: u64 = 50;

/// Reads the first number and the word behind it. What follows (`→ 3000 USDC`) is not looked at.
pub(super) fn parse(text: &str) -> Option<Claimed> {
    let mut words = text.split_whitespace();
    let first = words.next()?;
    let unit = words.next().filter(|word| word.chars().any(char::is_alphabetic)).map(str::to_owned);
    if UNLIMITED.iter().any(|word| first.eq_ignore_ascii_case(word)) {
        return Some(Claimed { size: Size::Unlimited, unit });
    }
    let (number, glued) = first.split_at(first.find(|c: char| c.is_alphabetic()).unwrap_or(first.len()));
    let unit = if glued.is_empty() { unit } else { Some(glued.to_owned()) };
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let digits: String = whole.chars().filter(|c| *c != ',').chain(fraction.chars()).collect();
    let is_number =
        !digits.is_empty() && digits.len() <= 77 && digits.bytes().all(|byte| byte.is_ascii_digit());
    let digits = is_number.then(|| Amount::from_str_radix(&digits, 10).ok()).flatten()?;
    let size =
        Size::Number { digits, places: u8::try_from(fraction.len()).ok()?, pointed: number.contains('.') };
    Some(Claimed { size, unit })
}

impl Claimed {
    /// Whether it is digits and nothing else: a number in the smallest unit.
    pub(super) const fn is_plain(&self) -> bool {
        matches!(self.size, Size::Number { pointed: false, .. }) && self.unit.is_none()
    }

    /// Whether it says that there is no limit.
    pub(super) const fn is_unlimited(&self) -> bool {
        matches!(self.size, Size::Unlimited)
    }

    /// Whether the word behind the number, if any, is this ticker.
    pub(super) fn unit_may_be(&self, ticker: &str) -> bool {
        self.unit.as_ref().is_none_or(|unit| unit.eq_ignore_ascii_case(ticker))
    }

    /// Whether the word behind the number is this ticker.
    pub(super) fn has_unit(&self, ticker: &str) -> bool {
        self.unit.as_ref().is_some_and(|unit| unit.eq_ignore_ascii_case(ticker))
    }

    /// Whether the number is `amount`, exactly or rounded to the digits that were written.
    pub(super) fn equals(&self, amount: Amount, decimals: u8) -> bool {
        let Size::Number { digits, places, .. } = self.size else {
            return false;
        };
        if places >= decimals {
            return amount.checked_mul(power(places - decimals)) == Some(digits);
        }
        let unit = power(decimals - places);
        let (quotient, rest) = amount.div_rem(unit);
        let rounded =
            digits == quotient || (!rest.is_zero() && digits == quotient.saturating_add(Amount::from(1)));
        let Some(claimed) = digits.checked_mul(unit) else {
            return false;
        };
        rounded && claimed.abs_diff(amount).saturating_mul(Amount::from(TOLERANCE)) <= amount
    }
}

fn power(exponent: u8) -> Amount {
    Amount::from(10).saturating_pow(Amount::from(exponent))
}

/// The two ends of a shortened address, as `0x12ab…9f` or `0x12ab...9f`.
pub(super) fn abbreviation(text: &str) -> Option<(&str, &str)> {
    let (head, tail) = text.split_once('…').or_else(|| text.split_once("..."))?;
    (head.len() >= 4).then_some((head, tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn equals(text: &str, amount: u64, decimals: u8) -> bool {
        parse(text).unwrap().equals(Amount::from(amount), decimals)
    }

    #[test]
    fn a_number_is_exact_or_rounded_to_its_own_digits() {
        assert!(equals("1,000 USDC", 1_000_000_000, 6));
        assert!(equals("1000.0", 1_000_000_000, 6));
        assert!(equals("0.33", 333_333, 6));
        assert!(!equals("0.33", 343_333, 6));
        assert!(!equals("1000", 1_001_000_000, 6));
        assert!(!equals("1", 1_400_000, 6), "rounding does not hide two fifths");
        assert!(!equals("0", 400_000, 6));
        assert!(equals("0", 0, 6));
        assert!(equals("5.000", 5, 0));
        assert!(!equals("5.001", 5, 0));
    }

    #[test]
    fn words_and_units_are_told_apart() {
        assert!(parse("Unlimited USDC").unwrap().is_unlimited());
        assert!(parse("1.5ETH").unwrap().unit_may_be("eth"));
        assert!(!parse("1.5 ETH").unwrap().unit_may_be("USDC"));
        assert!(parse("12").unwrap().is_plain());
        assert!(!parse("12 ETH").unwrap().is_plain());
        assert_eq!(parse("some"), None);
        assert_eq!(parse(""), None);
    }
}
