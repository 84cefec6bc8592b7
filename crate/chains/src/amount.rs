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
    fn an_amount_is_shown_with_its_point() {
        assert_eq!(show(Amount::from(1_500_000), 6, "USDC"), "1.5 USDC");
        assert_eq!(show(Amount::from(7), 8, "BTC"), "0.00000007 BTC");
        assert_eq!(show(Amount::from(7), 0, "X"), "7 X");
    }
}
