//! Texts of others as a person reads them: what cannot be seen, or turns the direction of reading, is spelled out.

/// A text with every deceiving character spelled out, and whether there was one. Line ends and tabs stay.
pub(super) fn visible(text: &str) -> (String, bool) {
    let mut hidden = false;
    let mut out = String::with_capacity(text.len());
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            // A line end of two characters is one.
            '\r' if rest.peek() == Some(&'\n') => {}
            '\n' | '\t' => out.push(c),
            _ if deceives(c) => {
                hidden = true;
                out.push_str(&format!("⟨U+{:04X}⟩", u32::from(c)));
            }
            _ => out.push(c),
        }
    }
    (out, hidden)
}

/// Control characters, directions, joiners, blanks without width, tags and private letters.
fn deceives(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200c}' | '\u{200e}'..='\u{200f}' | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e000}'..='\u{f8ff}' | '\u{e0000}'..='\u{e0fff}' | '\u{f0000}'..='\u{10ffff}')
}

#[cfg(test)]
mod tests {
    use super::visible;

    #[test]
    fn deceiving_characters_are_spelled_out() {
        assert_eq!(visible("two\r\nlines\tand ünï 🍜"), ("two\nlines\tand ünï 🍜".to_owned(), false));
        assert_eq!(visible("a\u{202e}b\u{0}"), ("a⟨U+202E⟩b⟨U+0000⟩".to_owned(), true));
        assert_eq!(visible("\r").0, "⟨U+000D⟩");
        assert_eq!(visible("pay\u{200b}pal").0, "pay⟨U+200B⟩pal");
    }
}
