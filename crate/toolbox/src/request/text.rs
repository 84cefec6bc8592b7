//! Placeholders in headers, forms and plain text.

use super::PrepareError;
use super::pieces::Pieces;
use super::url::{percent, split};
use crate::template::{Filling, Part, Scope, text_of};
use wire::pieces::{Encoding, Piece};

/// What came of a list of parts.
struct Filled {
    pieces: Pieces,
    /// Whether there is more in it than arguments that were not given.
    has_content: bool,
    /// The first argument that was not given.
    absent: Option<String>,
}

impl Filled {
    /// Nothing where all of it is absent; an error where only a part is.
    fn whole(self) -> Result<Option<Pieces>, PrepareError> {
        match self.absent {
            None => Ok(Some(self.pieces)),
            Some(_) if !self.has_content => Ok(None),
            Some(path) => Err(missing(&path)),
        }
    }
}

pub(super) fn missing(path: &str) -> PrepareError {
    PrepareError::argument(path, "is required: the request has a place for it")
}

/// Fills parts; `write` puts an argument's text down, or says why it cannot stand there.
fn fill(
    parts: &[Part],
    scope: Scope<'_>,
    encoding: Encoding,
    write: &dyn Fn(&str) -> Result<String, &'static str>,
) -> Result<Filled, PrepareError> {
    let mut filled = Filled { pieces: Pieces::default(), has_content: false, absent: None };
    for part in parts {
        let hole = match part {
            Part::Text(text) => {
                filled.has_content = true;
                filled.pieces.text(text);
                continue;
            }
            Part::Hole(hole) => hole,
        };
        match hole.fill(scope) {
            Filling::Secret(name) => {
                filled.has_content = true;
                filled.pieces.push(Piece::Secret { name: name.to_owned(), encoding });
            }
            Filling::Value(value) => match text_of(&value) {
                Some(text) => {
                    let text =
                        write(&text).map_err(|problem| PrepareError::argument(&hole.pointer(), problem))?;
                    filled.has_content = true;
                    filled.pieces.text(&text);
                }
                None => filled.absent = filled.absent.or_else(|| Some(hole.pointer())),
            },
            Filling::Absent(path) => filled.absent = filled.absent.or(Some(path)),
        }
    }
    Ok(filled)
}

/// T002-33: a header's value; nothing where the header is left out.
pub(super) fn header(parts: &[Part], scope: Scope<'_>) -> Result<Option<Pieces>, PrepareError> {
    let printable = |text: &str| match text.bytes().all(|byte| matches!(byte, b'\t' | 0x20..=0x7e)) {
        true => Ok(text.to_owned()),
        false => Err("cannot stand in a header: only printable ASCII can, in one line"),
    };
    fill(parts, scope, Encoding::Header, &printable)?.whole()
}

/// A text as it stands; every argument must be given.
pub(super) fn plain(parts: &[Part], scope: Scope<'_>) -> Result<Pieces, PrepareError> {
    let filled = fill(parts, scope, Encoding::Plain, &|text| Ok(text.to_owned()))?;
    match filled.absent {
        None => Ok(filled.pieces),
        Some(path) => Err(missing(&path)),
    }
}

/// `name=value&…`: pairs whose values were not given are left out.
pub(super) fn form(parts: &[Part], scope: Scope<'_>) -> Result<Pieces, PrepareError> {
    let mut form = Pieces::default();
    for pair in split(parts, '&') {
        if let Some(pieces) = self::pair(&pair, scope)? {
            if form.text_bytes() > 0 {
                form.text("&");
            }
            form.append(pieces);
        }
    }
    Ok(form)
}

/// A pair of a query or a form; nothing where its value was not given.
pub(super) fn pair(parts: &[Part], scope: Scope<'_>) -> Result<Option<Pieces>, PrepareError> {
    let encode = |text: &str| Ok(percent(text));
    let mut halves = split(parts, '=').into_iter();
    let name = fill(&halves.next().unwrap_or_default(), scope, Encoding::Percent, &encode)?;
    let Some(mut pieces) = name.whole()? else { return Ok(None) };
    let values: Vec<_> = halves.collect();
    if values.is_empty() {
        return Ok(Some(pieces));
    }
    // What follows the first sign is the value, with the signs that are in it.
    let value: Vec<Part> = values.join(&Part::Text("=".to_owned()));
    let Some(value) = fill(&value, scope, Encoding::Percent, &encode)?.whole()? else { return Ok(None) };
    pieces.text("=");
    pieces.append(value);
    Ok(Some(pieces))
}
