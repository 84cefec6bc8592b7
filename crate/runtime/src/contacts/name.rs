//! Names as a reader takes them: what looks like a name that the user gave is that name.

use super::lowercase;

/// Letters of other alphabets that are drawn like those below them.
const DRAWN: &str = "АВСЕНІЈКМОРЅТУХҮаеосрхуѕіјһԁԛԝӏѵΑΒΕΖΗΙΚΜΝΟΡΤΥΧαεικνορυχıƖ";
/// What the letters above are drawn like, one by one.
const LATIN: &str = "abcehijkmopstyxyaeocpxysijhdqwlvabezhikmnoptyxaeikvopuxil";

/// A name without what a reader does not see or see apart: case, blanks around and between words, invisible characters,
/// letters of other alphabets, accents, `0` for `o`, `1` and `i` for `l`. Only for comparison.
pub(crate) fn folded(title: &str) -> String {
    // Before the case is lost, which some letters are told apart by, and after it.
    let drawn = lowercase(&drawn(title));
    let mut name = String::with_capacity(drawn.len());
    for word in self::drawn(&drawn).split_whitespace() {
        if !name.is_empty() {
            name.push(' ');
        }
        name.extend(word.chars().map(|letter| match letter {
            '0' => 'o',
            '1' | 'i' | '|' => 'l',
            other => other,
        }));
    }
    name
}

fn drawn(text: &str) -> String {
    text.chars().filter(|letter| !is_invisible(*letter)).map(latin).collect()
}

fn latin(letter: char) -> char {
    if letter.is_ascii() {
        return letter;
    }
    let wide = u32::from(letter).checked_sub(0xfee0).and_then(char::from_u32);
    if let Some(wide) = wide.filter(|_| ('！'..='～').contains(&letter)) {
        return wide;
    }
    let found = DRAWN.chars().zip(LATIN.chars()).find(|(drawn, _)| *drawn == letter);
    found.map_or(letter, |(_, latin)| latin)
}

/// Marks that are drawn over a letter, that join or part letters, or that change the direction of text.
const fn is_invisible(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{300}'..='\u{36f}' | '\u{61c}' | '\u{180b}'..='\u{180e}' | '\u{200b}'..='\u{200f}'
        | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn both_alphabets_have_the_same_length() {
        assert_eq!(DRAWN.chars().count(), LATIN.chars().count());
    }

    #[test]
    fn names_that_look_alike() {
        let alike = [
            "Alice",
            " alice ",
            "ALICE",
            "AIice",
            "A1ice",
            "Аlice",
            "Alicе",
            "Ａｌｉｃｅ",
            "Al\u{200b}ice",
            "\u{202e}Alice",
            "Alic\u{301}e",
            "Αlice",
            "ALΙCE",
        ];
        for name in alike {
            assert_eq!(folded(name), folded("Alice"), "{name:?}");
        }
        assert_eq!(folded("My  \t Bank"), folded("my bank"));
        assert_eq!(folded("B0b"), folded("Bob"));
        for other in ["Alicia", "Ali ce", "", "Bob", "Алиса"] {
            assert_ne!(folded(other), folded("Alice"), "{other:?}");
        }
    }

    proptest! {
        /// Folding twice is folding once, and no name grows by much.
        #[test]
        fn folded_once(name in "\\PC{0,40}") {
            let once = folded(&name);
            prop_assert_eq!(folded(&once), once.clone());
            prop_assert!(once.len() <= 3 * name.len());
        }
    }
}
