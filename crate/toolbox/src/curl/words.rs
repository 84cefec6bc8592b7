//! A command as a POSIX shell would cut it into words.

use crate::curl::CurlError;

/// Cuts at blanks outside of quotes. Nothing is looked up or run: `$NAME` stays as it is, and what a shell would run is
/// refused.
pub(super) fn words(line: &str) -> Result<Vec<String>, CurlError> {
    let (mut words, mut word) = (Vec::new(), None::<String>);
    let mut letters = line.trim().chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            ' ' | '\t' | '\n' | '\r' => words.extend(word.take()),
            '\\' => match letters.next() {
                // A line that goes on.
                Some('\n') | None => {}
                Some('\r') => drop(letters.next_if_eq(&'\n')),
                Some(next) => word.get_or_insert_default().push(next),
            },
            '\'' => {
                let text = word.get_or_insert_default();
                quoted(&mut letters, '\'', |_, letter| text.push(letter))?;
            }
            '"' => {
                let text = word.get_or_insert_default();
                double(&mut letters, text)?;
            }
            '$' if letters.next_if_eq(&'\'').is_some() => {
                let text = word.get_or_insert_default();
                ansi(&mut letters, text)?;
            }
            '`' | ';' | '|' | '<' | '>' => return Err(CurlError::NotOneCommand),
            '&' if word.is_none() => return Err(CurlError::NotOneCommand),
            other => word.get_or_insert_default().push(other),
        }
    }
    words.extend(word);
    Ok(words)
}

type Letters<'a> = std::iter::Peekable<std::str::Chars<'a>>;

fn quoted(
    letters: &mut Letters<'_>,
    end: char,
    mut take: impl FnMut(&mut Letters<'_>, char),
) -> Result<(), CurlError> {
    while let Some(letter) = letters.next() {
        if letter == end {
            return Ok(());
        }
        take(letters, letter);
    }
    Err(CurlError::Unclosed)
}

/// `"…"`: a backslash takes the meaning of `"`, `\`, `$`, a backquote and a line break, and is itself before others.
fn double(letters: &mut Letters<'_>, text: &mut String) -> Result<(), CurlError> {
    quoted(letters, '"', |letters, letter| {
        if letter != '\\' {
            return text.push(letter);
        }
        match letters.next_if(|next| matches!(next, '"' | '\\' | '$' | '`' | '\n')) {
            Some('\n') => {}
            Some(next) => text.push(next),
            None => text.push('\\'),
        }
    })
}

/// `$'…'`, as browsers copy it: the escapes of C.
fn ansi(letters: &mut Letters<'_>, text: &mut String) -> Result<(), CurlError> {
    quoted(letters, '\'', |letters, letter| {
        if letter != '\\' {
            return text.push(letter);
        }
        let digits = |letters: &mut Letters<'_>, most: usize| {
            let mut code = 0;
            for _ in 0..most {
                let Some(digit) = letters.peek().and_then(|letter| letter.to_digit(16)) else { break };
                letters.next();
                code = code * 16 + digit;
            }
            char::from_u32(code).unwrap_or('\u{fffd}')
        };
        let letter = match letters.next() {
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => digits(letters, 4),
            Some('U') => digits(letters, 8),
            Some('x') => digits(letters, 2),
            Some(other) => other,
            None => '\\',
        };
        text.push(letter);
    })
}
