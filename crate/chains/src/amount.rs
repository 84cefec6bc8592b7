//! Amounts in a chain's smallest unit, up to 256 bits. Text is decimal digits and nothing else.

use crate::TransactionError;

/// An amount in the smallest unit.
pub type Amount = ruint::aliases::U256;

/// Reads decimal digits: no sign, no blank, no separator, not empty.
pub fn parse(field: &'static str, text: &str) -> Result<Amount, TransactionError> {
    let digits = !text.is_empty() && text.len() <= 78 && text.bytes().all(|byte| byte.is_ascii_digit());
    let amount = digits.then(|| Amount::from_str_radix(text, 10).ok()).flatten();
    amount.ok_or(TransactionError::Amount { field })
}

/// As [`parse`], for chains whose amounts have 64 bits.
pub fn parse_u64(field: &'static str, text: &str) -> Result<u64, TransactionError> {
    u64::try_from(parse(field, text)?).map_err(|_| TransactionError::Amount { field })
}

/// As [`parse`], for chains whose amounts have 128 bits.
pub fn parse_u128(field: &'static str, text: &str) -> Result<u128, TransactionError> {
    u128::try_from(parse(field, text)?).map_err(|_| TransactionError::Amount { field })
}

/// Whether an allowance of so much has no limit in effect. No token has 2^120 smallest units in all; and a number of
/// ones alone, 64 or more, is what programs write for everything that a field can say.
pub fn is_unlimited(allowance: Amount) -> bool {
    let bits = allowance.bit_len();
    bits > 120 || (bits >= 64 && allowance.count_ones() == bits)
}

/// An amount for people: with its point and unit.
pub fn show(amount: Amount, decimals: u8, unit: &str) -> String {
    let digits = format!("{amount:0>width$}", width = usize::from(decimals) + 1);
    let (whole, fraction) = digits.split_at(digits.len() - usize::from(decimals));
    let fraction = fraction.trim_end_matches('0');
    let point = if fraction.is_empty() { "" } else { "." };
    format!("{whole}{point}{fraction} {unit}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_no_supply_reaches_is_unlimited() {
        let power = |bits: usize| Amount::from(1) << bits;
        let one = Amount::from(1);
        for (unlimited, allowance) in [
            (true, Amount::MAX),
            (true, Amount::MAX - one),
            (true, power(255) - one),
            (true, power(200)),
            (true, power(160) - one),
            (true, power(96) - one),
            (true, power(64) - one),
            (false, power(64) - one - one),
            (false, power(96)),
            // A quadrillion tokens with 18 decimals, the largest supplies that there are.
            (false, Amount::from(10).pow(Amount::from(33))),
            (false, Amount::ZERO),
        ] {
            assert_eq!(is_unlimited(allowance), unlimited, "{allowance}");
        }
    }

    #[test]
    fn an_amount_is_shown_with_its_point() {
        assert_eq!(show(Amount::from(1_500_000), 6, "USDC"), "1.5 USDC");
        assert_eq!(show(Amount::from(7), 8, "BTC"), "0.00000007 BTC");
        assert_eq!(show(Amount::from(7), 0, "X"), "7 X");
    }
}
