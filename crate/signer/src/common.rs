//! Passwords that are tried first: the most common ten thousand of several lists, with other capitals, with a few digits
//! or signs around them, and repeated.
//!
//! The lists would weigh 100 kB, so the module holds a filter (`passwords/filter.bin`): every entry is hashed to a place in
//! a range that is [`SPREAD`] times as large as there are entries, and the sorted places are kept as gaps, in a Rice
//! code. An entry is always found; another text is taken for one with a probability of one in [`SPREAD`], for each of the
//! forms in which it is looked up (at most six, one for most good passwords). `passwords/list.txt` says where the entries
//! are from, under which licences, and how both files are made.

use chains::hash::sha256;
use zeroize::Zeroizing;

/// The filter: the number of entries (four bytes, little-endian), then the gaps.
static FILTER: &[u8] = include_bytes!("../passwords/filter.bin");

/// How many bits of a gap are written as they are; what is left of it is written in unary.
pub const GAP_BITS: u32 = 13;
/// How many places there are for each entry.
pub const SPREAD: u64 = 1 << GAP_BITS;
/// More digits and signs than this around a word are no longer a common addition to it.
const MOST_AROUND: usize = 6;

/// Whether a password is one of those that are tried first.
pub(crate) fn is_common(password: &str) -> bool {
    let Some((entries, gaps)) = filter() else { return false };
    let lower = Zeroizing::new(password.to_ascii_lowercase());
    let wanted: Vec<u64> = forms(&lower).into_iter().map(|form| place(form, entries)).collect();
    places(gaps).any(|place| wanted.contains(&place))
}

/// The number of entries, and the gaps between their places.
fn filter() -> Option<(u64, &'static [u8])> {
    let (count, gaps) = FILTER.split_first_chunk::<4>()?;
    Some((u64::from(u32::from_le_bytes(*count)), gaps))
}

/// What a password in lower case is looked up as: itself, without the digits and signs around it if they are few, and as
/// the text that each of these repeats.
pub fn forms(lower: &str) -> Vec<&str> {
    let is_sign = |c: char| c.is_ascii() && !c.is_ascii_alphabetic();
    let (front, word) = (lower.trim_end_matches(is_sign), lower.trim_matches(is_sign));
    let mut forms = vec![lower];
    for form in [front, word] {
        let around = lower.len() - form.len();
        if !form.is_empty() && around <= MOST_AROUND && !forms.contains(&form) {
            forms.push(form);
        }
    }
    let repeated: Vec<&str> = forms.iter().filter_map(|form| repeated(form)).collect();
    forms.extend(repeated);
    forms
}

/// The text that this one is a repetition of.
fn repeated(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let repeats = |length: &usize| {
        bytes.len().is_multiple_of(*length)
            && bytes.iter().zip(bytes.iter().skip(*length)).all(|(one, other)| one == other)
    };
    (1..=bytes.len() / 2).find(repeats).and_then(|length| text.get(..length))
}

/// Where a text is among the places for so many entries, counted from 1.
pub fn place(text: &str, entries: u64) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = sha256(text.as_bytes());
    let number = u128::from(u64::from_be_bytes([a, b, c, d, e, f, g, h]));
    let scaled = (number * u128::from(entries * SPREAD)) >> 64;
    u64::try_from(scaled).unwrap_or(u64::MAX - 1) + 1
}

/// The places whose gaps these are.
fn places(gaps: &[u8]) -> impl Iterator<Item = u64> {
    let mut bits = gaps.iter().flat_map(|byte| (0..8).rev().map(move |bit| u64::from(byte >> bit & 1)));
    let mut at = 0;
    std::iter::from_fn(move || {
        at += bits.by_ref().take_while(|bit| *bit == 1).count() as u64 * SPREAD;
        let mut rest = 0;
        for _ in 0..GAP_BITS {
            rest = rest << 1 | bits.next()?;
        }
        at += rest;
        Some(at)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn variants_of_common_passwords_are_refused() {
        for password in [
            "password",
            "PASSWORD",
            "Password1!",
            "password2026",
            "P@ssw0rd",
            "qwertyuiop",
            "Qwerty123!",
            "1q2w3e4r5t",
            "12345678",
            "00000000",
            "aaaaaaaaaaaa",
            "!!Monkey!!",
            "2026dragon",
            "dragondragon",
            "DragonDragon1",
            "iloveyou123456",
            "Summer2026!",
        ] {
            assert!(is_common(password), "{password}");
        }
    }

    #[test]
    fn other_passwords_are_taken() {
        for password in [
            "correct horse battery",
            "Tr0ub4dor&3",
            // The digits are a password of their own.
            "dragon8471930",
            "Plum-Tortoise-4711-Gable",
            "пароль-не-из-списка",
            "f7Gq-02xLm",
            "ab",
            "",
        ] {
            assert!(!is_common(password), "{password}");
        }
    }

    #[test]
    fn forms_are_few() {
        assert_eq!(forms("password1!"), ["password1!", "password"]);
        assert_eq!(forms("12word34"), ["12word34", "12word", "word"]);
        assert_eq!(forms("1234567word"), ["1234567word"]);
        assert_eq!(forms("abab99"), ["abab99", "abab", "ab"]);
        assert_eq!(forms("ёлкаёлка"), ["ёлкаёлка", "ёлка"]);
        assert_eq!(forms("11111111"), ["11111111", "1"]);
        assert_eq!(forms(""), [""]);
    }

    /// Every entry is found; of other texts no more than one in [`SPREAD`], with room for chance.
    #[test]
    fn entries_are_found_and_others_hardly_ever() {
        let (entries, gaps) = filter().unwrap();
        let known: HashSet<u64> = places(gaps).collect();
        let list = include_str!("../passwords/list.txt").split_once("\n\n").unwrap().1;
        assert_eq!(list.lines().count() as u64, entries);
        assert!(list.lines().all(|entry| known.contains(&place(entry, entries))));
        let strangers =
            (0..200_000).filter(|number| known.contains(&place(&format!("no entry {number}"), entries)));
        let found = strangers.count() as u64;
        assert!((1..2 * 200_000 / SPREAD).contains(&found), "{found} of about {}", 200_000 / SPREAD);
    }

    #[test]
    fn truncated_gaps_end() {
        let (_, gaps) = filter().unwrap();
        for length in [0, 1, 2, 3, 100] {
            assert!(places(&gaps[..length]).count() <= length * 8 / (GAP_BITS as usize + 1));
        }
        assert_eq!(places(&[0xff; 9]).count(), 0);
    }
}
