//! Placeholders in a body of JSON.
//!
//! In a text of the template, `"${city}"`, an argument becomes a part of the text; as a value of its own, `${days}`, it
//! becomes its own JSON. The rest of the template is taken as it stands, without the space between, so that numbers keep
//! their digits and members their order.

use super::PrepareError;
use super::pieces::Pieces;
use super::text::missing;
use crate::bounds::VALUE_DEPTH;
use crate::error::AnswerError;
use crate::record::RecordError;
use crate::template::{Filling, Hole, Scope, Special, special, text_of};
use wire::json::to_text;
use wire::pieces::{Encoding, Piece};

/// Fails if a template gives no JSON.
pub(crate) fn check_json_body(template: &str) -> Result<(), RecordError> {
    if template.trim().is_empty() {
        return Ok(());
    }
    let mut reader = Reader { rest: template, scope: Scope::Sample };
    match reader.document() {
        Ok(_) => Ok(()),
        Err(FillError::NotJson(problem)) => Err(RecordError::BodyNotJson { problem }),
        Err(FillError::Prepare(_)) => Err(RecordError::BodyNotJson { problem: "a placeholder is wrong" }),
    }
}

/// Fills a template.
pub(super) fn fill(template: &str, scope: Scope<'_>) -> Result<Pieces, PrepareError> {
    let mut reader = Reader { rest: template, scope };
    reader.document().map_err(|error| match error {
        FillError::NotJson(problem) => {
            AnswerError::InvalidTool { path: "/impl/bodyTemplate".to_owned(), problem: problem.to_owned() }
                .into()
        }
        FillError::Prepare(error) => error,
    })
}

enum FillError {
    NotJson(&'static str),
    Prepare(PrepareError),
}

impl From<PrepareError> for FillError {
    fn from(error: PrepareError) -> Self {
        Self::Prepare(error)
    }
}

struct Reader<'a> {
    rest: &'a str,
    scope: Scope<'a>,
}

impl<'a> Reader<'a> {
    fn document(&mut self) -> Result<Pieces, FillError> {
        let value = self.value(VALUE_DEPTH)?;
        self.blanks();
        match (value, self.rest) {
            (_, rest) if !rest.is_empty() => Err(FillError::NotJson("something follows its end")),
            (Value::Present(pieces), _) => Ok(pieces),
            (Value::Absent(path), _) => Err(missing(&path).into()),
        }
    }

    /// A value; absent where it is made of nothing but arguments that were not given.
    fn value(&mut self, depth: usize) -> Result<Value, FillError> {
        let Some(left) = depth.checked_sub(1) else {
            return Err(FillError::NotJson("it is nested too deep"));
        };
        self.blanks();
        match self.rest.chars().next() {
            Some('{') => self.members(left).map(Value::Present),
            Some('[') => self.elements(left).map(Value::Present),
            Some('"') => self.text(),
            Some('$') => {
                let hole = self.hole()?.ok_or(FillError::NotJson("a $ stands alone"))?;
                self.bare(&hole)
            }
            Some(_) => self.plain().map(Value::Present),
            None => Err(FillError::NotJson("a value is missing")),
        }
    }

    /// An object. A member whose value is absent is left out.
    fn members(&mut self, depth: usize) -> Result<Pieces, FillError> {
        let mut pieces = Pieces::default();
        self.sign('{')?;
        pieces.text("{");
        let (mut first, mut written) = (true, false);
        while !self.closes('}') {
            if !first {
                self.sign(',')?;
            }
            first = false;
            self.blanks();
            let Value::Present(name) = self.text()? else {
                return Err(FillError::NotJson("a member has no name"));
            };
            self.sign(':')?;
            if let Value::Present(value) = self.value(depth)? {
                if written {
                    pieces.text(",");
                }
                written = true;
                pieces.append(name);
                pieces.text(":");
                pieces.append(value);
            }
        }
        pieces.text("}");
        Ok(pieces)
    }

    /// An array. Its elements must be there: another length would be another meaning.
    fn elements(&mut self, depth: usize) -> Result<Pieces, FillError> {
        let mut pieces = Pieces::default();
        self.sign('[')?;
        pieces.text("[");
        let mut first = true;
        while !self.closes(']') {
            if !first {
                self.sign(',')?;
                pieces.text(",");
            }
            first = false;
            match self.value(depth)? {
                Value::Present(value) => pieces.append(value),
                Value::Absent(path) => return Err(missing(&path).into()),
            }
        }
        pieces.text("]");
        Ok(pieces)
    }

    /// A text in quotes, with placeholders in it.
    fn text(&mut self) -> Result<Value, FillError> {
        let mut pieces = Pieces::default();
        let (mut absent, mut has_content) = (None, false);
        self.sign('"')?;
        pieces.text("\"");
        loop {
            let end = self.rest.find(['"', '\\', '$']).ok_or(FillError::NotJson("a text is not closed"))?;
            let (plain, from) = self.rest.split_at(end);
            if plain.bytes().any(|byte| byte < 0x20) {
                return Err(FillError::NotJson("a text has a line break or a control character"));
            }
            has_content |= !plain.is_empty();
            pieces.text(plain);
            self.rest = from;
            if let Some(rest) = from.strip_prefix('"') {
                self.rest = rest;
                break;
            }
            if from.starts_with('\\') {
                let escape = escape(from).ok_or(FillError::NotJson("an escape is wrong"))?;
                let (escape, rest) = from.split_at(escape);
                pieces.text(escape);
                has_content = true;
                self.rest = rest;
                continue;
            }
            let Some(hole) = self.hole()? else {
                pieces.text("$");
                has_content = true;
                self.rest = self.rest.get(1..).unwrap_or_default();
                continue;
            };
            let Some(hole) = hole.hole() else {
                pieces.text("${");
                has_content = true;
                continue;
            };
            match hole.fill(self.scope) {
                Filling::Secret(name) => {
                    has_content = true;
                    pieces.push(Piece::Secret { name: name.to_owned(), encoding: Encoding::Json });
                }
                Filling::Value(value) => match text_of(&value) {
                    Some(text) => {
                        has_content = true;
                        pieces.text(inside_quotes(&to_text(&text)));
                    }
                    None => absent = absent.or_else(|| Some(hole.pointer())),
                },
                Filling::Absent(path) => absent = absent.or(Some(path)),
            }
        }
        pieces.text("\"");
        match absent {
            None => Ok(Value::Present(pieces)),
            Some(path) if !has_content => Ok(Value::Absent(path)),
            Some(path) => Err(missing(&path).into()),
        }
    }

    /// A placeholder as a value of its own.
    fn bare(&self, read: &Read) -> Result<Value, FillError> {
        let hole = read.hole().ok_or(FillError::NotJson("a $ stands alone"))?;
        let mut pieces = Pieces::default();
        match hole.fill(self.scope) {
            Filling::Secret(name) => {
                pieces.text("\"");
                pieces.push(Piece::Secret { name: name.to_owned(), encoding: Encoding::Json });
                pieces.text("\"");
            }
            Filling::Value(value) => pieces.text(&to_text(&*value)),
            Filling::Absent(path) => return Ok(Value::Absent(path)),
        }
        Ok(Value::Present(pieces))
    }

    /// A number, `true`, `false` or `null`.
    fn plain(&mut self) -> Result<Pieces, FillError> {
        let is_end = |letter: char| letter.is_ascii_whitespace() || matches!(letter, ',' | ']' | '}' | ':');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        if serde_json::from_str::<serde_json::Value>(word).is_err() {
            return Err(FillError::NotJson("a value is neither a text, a number nor a word of JSON"));
        }
        self.rest = rest;
        let mut pieces = Pieces::default();
        pieces.text(word);
        Ok(pieces)
    }

    /// What a `$` begins; nothing where it is plain text.
    fn hole(&mut self) -> Result<Option<Read>, FillError> {
        let read = special(self.rest).map_err(|_| FillError::NotJson("a placeholder is wrong"))?;
        let Some((special, rest)) = read else { return Ok(None) };
        self.rest = rest;
        Ok(Some(Read(special)))
    }

    fn blanks(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }

    fn sign(&mut self, sign: char) -> Result<(), FillError> {
        self.blanks();
        self.rest = self.rest.strip_prefix(sign).ok_or(FillError::NotJson("a sign is missing"))?;
        Ok(())
    }

    fn closes(&mut self, sign: char) -> bool {
        self.blanks();
        match self.rest.strip_prefix(sign) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }
}

/// A value of the template.
enum Value {
    Present(Pieces),
    Absent(String),
}

/// What a `$` began.
struct Read(Special);

impl Read {
    const fn hole(&self) -> Option<&Hole> {
        match &self.0 {
            Special::Hole(hole) => Some(hole),
            Special::Escaped => None,
        }
    }
}

/// The length of an escape.
fn escape(text: &str) -> Option<usize> {
    match text.as_bytes().get(1)? {
        b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Some(2),
        b'u' => text.get(2..6)?.bytes().all(|byte| byte.is_ascii_hexdigit()).then_some(6),
        _ => None,
    }
}

/// A JSON text without its quotes.
fn inside_quotes(text: &str) -> &str {
    text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or_default()
}
