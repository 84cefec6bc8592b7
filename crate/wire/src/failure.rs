//! A failed call: a stable code for programs and, mostly, a sentence for people.
//!
//! On the wire it is one text, `code` or `code: sentence` (D13). Inside, the two are apart: the text is written and read
//! here and nowhere else.

use crate::json::{FromJson, Reader, ToJson, Writer};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use std::borrow::Cow;
use std::fmt::{self, Display};

/// Why a call, an entry of it or a step failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failure {
    code: Cow<'static, str>,
    message: Option<String>,
}

impl Failure {
    /// With a sentence.
    pub fn new(code: impl Into<Cow<'static, str>>, message: impl Into<String>) -> Self {
        let message = Some(message.into()).filter(|message| !message.is_empty());
        Self { code: code.into(), message }
    }

    /// Where the code says all.
    pub fn bare(code: impl Into<Cow<'static, str>>) -> Self {
        Self { code: code.into(), message: None }
    }

    /// An error of ours: its code, and its own words as the sentence. An error without words has its code alone.
    pub fn of(code: &'static str, error: &dyn Display) -> Self {
        Self::new(code, error.to_string())
    }

    /// Reads the wire's text. What has no `: ` is a code alone.
    pub fn parse(text: &str) -> Self {
        match text.split_once(": ") {
            Some((code, message)) => Self::new(code.to_owned(), message),
            None => Self::bare(text.to_owned()),
        }
    }

    /// What programs read: stable, snake_case.
    pub fn code(&self) -> &str {
        &self.code
    }

    /// What people read.
    pub fn message(&self) -> Option<&str> {
        self.message.as_deref()
    }
}

/// The wire's text.
impl Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.code)?;
        match &self.message {
            Some(message) => write!(f, ": {message}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Failure {}

impl ToJson for Failure {
    fn to_json(&self, out: &mut Writer) {
        out.text(&self.to_string());
    }
}

impl FromJson for Failure {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        Self::parse(&String::from_json(value, reader))
    }
}

impl Serialize for Failure {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Failure {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(|text| Self::parse(&text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// D13: a code, or a code and a sentence.
    #[test]
    fn text_is_written_and_read() {
        let cases = [
            (Failure::bare("not_found"), "not_found"),
            (Failure::new("no_vault", "there is no vault yet"), "no_vault: there is no vault yet"),
            (Failure::new("refused", "the node says: no"), "refused: the node says: no"),
            (Failure::new("not_found", ""), "not_found"),
            (Failure::of("busy", &"later"), "busy: later"),
        ];
        for (failure, text) in cases {
            assert_eq!(failure.to_string(), text);
            assert_eq!(Failure::parse(text), failure);
        }
    }

    #[test]
    fn json_is_the_text() {
        let failure = Failure::new("no_vault", "there is \"none\"");
        let text = serde_json::to_string(&failure).unwrap();
        assert_eq!(text, r#""no_vault: there is \"none\"""#);
        assert_eq!(serde_json::from_str::<Failure>(&text).unwrap(), failure);
    }
}
