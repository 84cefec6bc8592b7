//! Text as it is compared: one spelling for letters in any case and composition, and the words of a text.

use icu_normalizer::ComposingNormalizerBorrowed;

/// The text in NFC: what looks the same is the same.
fn nfc(text: &str) -> String {
    ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned()
}

/// The text without the difference of case: by way of upper case, in which `ß` is `SS` and `ς` is `Σ`.
pub(crate) fn fold(text: &str) -> String {
    if text.is_ascii() {
        return text.to_ascii_lowercase();
    }
    nfc(&nfc(text).chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).collect::<String>())
}

/// The words of a folded text: what stands between characters that are neither letters nor digits.
pub(crate) fn words(folded: &str) -> impl Iterator<Item = &str> {
    let part = |letter: char| letter.is_alphanumeric() || is_mark(letter);
    folded.split(move |letter| !part(letter)).filter(|word| !word.is_empty())
}

/// Marks that stand in the middle of words and that no composition takes away, as in Devanagari or Thai. Of those of other
/// scripts a word is divided at the mark, in the query as in the text.
fn is_mark(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{93a}'..='\u{94f}' | '\u{e31}'..='\u{e3a}' | '\u{e47}'..='\u{e4e}')
}

/// The words of a text with one blank between them, so that `get-weather`, `get_weather` and `Get weather` are the same.
pub(crate) fn joined(folded: &str) -> String {
    let mut joined = String::with_capacity(folded.len());
    for word in words(folded) {
        if !joined.is_empty() {
            joined.push(' ');
        }
        joined.push_str(word);
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_and_composition_make_no_difference() {
        for (one, other) in [
            ("Weather", "wEATHER"),
            ("Straße", "STRASSE"),
            ("ΟΔΟΣ", "οδος"),
            ("Cafe\u{301}", "CAFÉ"),
            ("İstanbul", "i\u{307}stanbul"),
        ] {
            assert_eq!(fold(one), fold(other), "{one} {other}");
        }
        assert_ne!(fold("cafe"), fold("café"));
    }

    #[test]
    fn words_are_letters_and_digits() {
        let of = |text: &str| words(&fold(text)).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(of("get-Weather_v2, für Köln!"), ["get", "weather", "v2", "für", "köln"]);
        assert_eq!(of("天気予報 2026"), ["天気予報", "2026"]);
        assert_eq!(of("हिन्दी"), ["हिन्दी"]);
        assert_eq!(of(" -_- "), [""; 0]);
        assert_eq!(joined(&fold("Get--Weather ")), "get weather");
    }
}
