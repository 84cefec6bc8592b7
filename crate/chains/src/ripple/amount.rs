//! Amounts. XRP is a number of drops; an issued currency is a decimal with 16 digits, a currency and an issuer.
//!
//! ```text
//! XRP      0 ‖ sign ‖ 62 bits                                   (sign 1 means positive)
//! issued   1 ‖ sign ‖ exponent + 97 (8 bits) ‖ digits (54 bits) ‖ currency (20 bytes) ‖ issuer (20 bytes)
//! ```
//!
//! The digits are a number of exactly 16, the exponent is from −96 to 80; zero is all zero bits behind the first.
//! A currency is three letters in the middle of zeros, or 20 bytes that begin otherwise. Rule: xrpl.org, "Serialization
//! Format", "Currency Formats".

use super::{AccountId, account_id, account_text};
use crate::reader::Reader;
use crate::{Amount, TransactionError, encoding};

/// A currency.
pub(super) type Currency = [u8; 20];

/// All XRP there is, in drops.
const MAX_DROPS: u64 = 100_000_000_000_000_000;
const ISSUED: u64 = 1 << 63;
const POSITIVE: u64 = 1 << 62;
const DIGITS_BITS: u32 = 54;
const MIN_DIGITS: u64 = 1_000_000_000_000_000;
const MAX_DIGITS: u64 = 9_999_999_999_999_999;
const DIGITS: usize = 16;
/// Explanations count issued currencies in 10⁻¹⁵, as wallets do.
const DECIMALS: i32 = 15;
/// The currency of XRP where one must be written.
pub(super) const XRP: Currency = [0; 20];

/// An amount of something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Money {
    /// Millionths of an XRP.
    Drops(u64),
    /// What an issuer owes.
    Issued {
        /// How much.
        value: Decimal,
        /// Of what.
        currency: Currency,
        /// Who owes it.
        issuer: AccountId,
    },
}

/// A decimal number in its one form: 16 digits or zero.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Decimal {
    negative: bool,
    digits: u64,
    exponent: i32,
}

impl Money {
    pub(super) fn read(reader: &mut Reader<'_>) -> Result<Self, TransactionError> {
        let word = u64::from_be_bytes(reader.array()?);
        if word & ISSUED != 0 {
            let value =
                Decimal::from_word(word).ok_or_else(|| reader.malformed("has an amount out of form"))?;
            let (currency, issuer) = (reader.array()?, reader.array()?);
            return Ok(Self::Issued { value, currency, issuer });
        }
        let drops = word & !POSITIVE;
        if word & POSITIVE == 0 || drops > MAX_DROPS {
            return Err(reader.malformed("has an amount that is negative, too large, or of another kind"));
        }
        Ok(Self::Drops(drops))
    }

    pub(super) fn write(&self, out: &mut Vec<u8>) {
        match self {
            Self::Drops(drops) => out.extend((POSITIVE | drops).to_be_bytes()),
            Self::Issued { value, currency, issuer } => {
                out.extend(value.to_word().to_be_bytes());
                out.extend(currency);
                out.extend(issuer);
            }
        }
    }

    /// Drops from decimal digits.
    pub(super) fn drops(field: &'static str, text: &str) -> Result<Self, TransactionError> {
        Self::from_drops(field, crate::amount::parse_u64(field, text)?)
    }

    /// Drops, as many as there can be.
    pub(super) const fn from_drops(field: &'static str, drops: u64) -> Result<Self, TransactionError> {
        if drops > MAX_DROPS { Err(TransactionError::Amount { field }) } else { Ok(Self::Drops(drops)) }
    }

    /// Of what it is, as `currency.issuer`; nothing for XRP.
    pub(super) fn token(&self) -> Option<String> {
        match self {
            Self::Drops(_) => None,
            Self::Issued { currency, issuer, .. } => Some(token_id(currency, issuer)),
        }
    }

    /// How much: drops, or 10⁻¹⁵ of an issued currency where that is a whole number.
    pub(super) fn units(&self) -> Option<Amount> {
        match self {
            Self::Drops(drops) => Some(Amount::from(*drops)),
            Self::Issued { value, .. } => value.units(),
        }
    }

    /// For a person.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Drops(drops) => format!("{drops} drops"),
            Self::Issued { value, currency, issuer } => {
                format!("{} {}", value.text(), token_id(currency, issuer))
            }
        }
    }
}

impl Decimal {
    /// `[±]digits[.digits][e±digits]` with at most 16 significant digits; one side of the point may be empty, as the
    /// ledger's own library allows.
    pub(super) fn parse(text: &str) -> Option<Self> {
        if text.len() > 128 {
            return None;
        }
        let (number, exponent) = match text.split_once(['e', 'E']) {
            Some((number, exponent)) => (number, exponent.parse::<i16>().ok()?),
            None => (text, 0),
        };
        let negative = number.starts_with('-');
        let number = number.strip_prefix(['-', '+']).unwrap_or(number);
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let shift = i32::try_from(fraction.len()).ok()?;
        Self::from_digits(&format!("{whole}{fraction}"), i32::from(exponent).checked_sub(shift)?)
            .map(|value| Self { negative: negative && value.digits != 0, ..value })
    }

    /// `digits × 10^exponent`.
    pub(super) fn from_digits(digits: &str, exponent: i32) -> Option<Self> {
        if !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        let digits = digits.trim_start_matches('0');
        let significant = digits.trim_end_matches('0');
        if significant.is_empty() {
            return Some(Self { negative: false, digits: 0, exponent: 0 });
        }
        let missing = DIGITS.checked_sub(significant.len())?;
        let dropped = i32::try_from(digits.len().checked_sub(significant.len())?).ok()?;
        let exponent = exponent.checked_add(dropped)?.checked_sub(i32::try_from(missing).ok()?)?;
        let digits = format!("{significant}{}", "0".repeat(missing)).parse().ok()?;
        (-96..=80).contains(&exponent).then_some(Self { negative: false, digits, exponent })
    }

    fn from_word(word: u64) -> Option<Self> {
        if word == ISSUED {
            return Some(Self { negative: false, digits: 0, exponent: 0 });
        }
        let negative = word & POSITIVE == 0;
        let exponent = i32::try_from((word >> DIGITS_BITS) & 0xff).ok()?.checked_sub(97)?;
        let digits = word & ((1 << DIGITS_BITS) - 1);
        let in_form = (MIN_DIGITS..=MAX_DIGITS).contains(&digits) && (-96..=80).contains(&exponent);
        in_form.then_some(Self { negative, digits, exponent })
    }

    fn to_word(self) -> u64 {
        if self.digits == 0 {
            return ISSUED;
        }
        let exponent = u64::try_from(self.exponent.saturating_add(97)).unwrap_or_default();
        let sign = if self.negative { 0 } else { POSITIVE };
        ISSUED | sign | exponent << DIGITS_BITS | self.digits
    }

    /// In 10⁻¹⁵, where that is a whole number that fits.
    fn units(self) -> Option<Amount> {
        let digits = Amount::from(self.digits);
        let shift = self.exponent.checked_add(DECIMALS)?;
        let ten = Amount::from(10u8).checked_pow(Amount::from(shift.unsigned_abs()))?;
        match (self.negative, shift >= 0) {
            (true, _) => None,
            (false, true) => digits.checked_mul(ten),
            (false, false) => {
                let (whole, rest) = digits.div_rem(ten);
                rest.is_zero().then_some(whole)
            }
        }
    }

    /// Without an exponent and without zeros that say nothing.
    fn text(self) -> String {
        let digits = self.digits.to_string();
        let places = usize::try_from(self.exponent.saturating_neg()).unwrap_or_default();
        let zeros = usize::try_from(self.exponent).unwrap_or_default();
        let digits = format!("{}{digits}{}", "0".repeat(places), "0".repeat(zeros));
        let (whole, fraction) = digits.split_at(digits.len().saturating_sub(places));
        let (whole, fraction) = (whole.trim_start_matches('0'), fraction.trim_end_matches('0'));
        let whole = if whole.is_empty() { "0" } else { whole };
        let sign = if self.negative { "-" } else { "" };
        if fraction.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{fraction}") }
    }
}

/// A currency from three characters, from 40 hexadecimal digits, or from a longer name of at most 20 bytes, which
/// stands at the beginning.
pub(super) fn currency(field: &'static str, text: &str) -> Result<Currency, TransactionError> {
    let malformed = TransactionError::Malformed { field, reason: "is not a currency" };
    let bytes = text.as_bytes();
    let mut code = [0; 20];
    match bytes.len() {
        3 if letters(bytes) => {
            let (_, rest) = code.split_at_mut(12);
            rest.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        }
        40 => code = encoding::array_from_hex(field, text)?,
        4..=20 if bytes.iter().all(u8::is_ascii_graphic) => {
            code.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
        }
        _ => return Err(malformed),
    }
    // XRP is not issued, and nothing may look as if it were.
    if code == XRP || standard(&code).as_deref() == Some("XRP") { Err(malformed) } else { Ok(code) }
}

/// The characters that a standard code may have.
fn letters(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| byte.is_ascii_alphanumeric() || b"?!@#$%^&*<>(){}[]|".contains(byte))
}

/// The three letters of a standard currency.
fn standard(currency: &Currency) -> Option<String> {
    let (before, rest) = currency.split_at_checked(12)?;
    let (code, after) = rest.split_at_checked(3)?;
    let zero = |bytes: &[u8]| bytes.iter().all(|byte| *byte == 0);
    (zero(before) && zero(after) && letters(code)).then(|| code.iter().copied().map(char::from).collect())
}

/// Three letters, or 40 hexadecimal digits.
pub(super) fn currency_text(currency: &Currency) -> String {
    if *currency == XRP {
        return "XRP".to_owned();
    }
    standard(currency)
        .filter(|code| code != "XRP")
        .unwrap_or_else(|| encoding::hex(currency).to_ascii_uppercase())
}

/// A token as wallets name it: `currency.issuer`.
pub(super) fn token_id(currency: &Currency, issuer: &AccountId) -> String {
    format!("{}.{}", currency_text(currency), account_text(issuer))
}

/// Reads `currency.issuer`.
pub(super) fn parse_token_id(
    field: &'static str,
    text: &str,
) -> Result<(Currency, AccountId), TransactionError> {
    let malformed = TransactionError::Malformed { field, reason: "is not currency.issuer" };
    let (code, issuer) = text.split_once('.').ok_or(malformed)?;
    Ok((currency(field, code)?, account_id(field, issuer)?))
}
