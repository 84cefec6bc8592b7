//! JSON of others, read so that nothing hides in it: readers differ in which of two fields of one name they take, so an
//! object that has a name twice is not read.

use crate::encoding;
use crate::explain::{Party, PartyRole};
use serde_json::Value;

/// So many texts are looked at; what has more is not read.
const MAX_TEXTS: usize = 512;
/// No address is longer.
const MAX_ADDRESS: usize = 256;
/// JSON inside a text inside JSON, and so on, as deep as this.
const MAX_DEPTH: u8 = 8;

/// A JSON text.
pub(super) struct Json {
    /// Its value; `None` where readers could differ about it.
    pub(super) value: Option<Value>,
    /// Whom it names, as far as fields tell by their names; also where the value is not read.
    pub(super) parties: Vec<Party>,
}

impl Json {
    pub(super) fn read(text: &str) -> Self {
        let mut parties = Vec::new();
        let value = read(text, MAX_DEPTH, &mut parties);
        Self { value, parties }
    }
}

fn read(text: &str, depth: u8, parties: &mut Vec<Party>) -> Option<Value> {
    let value: Option<Value> = serde_json::from_str(text).ok();
    let mut name = String::new();
    let (mut names, mut count) = (0, 0);
    for token in Texts(text).take(MAX_TEXTS) {
        count += 1;
        if token.is_name {
            names += 1;
            name = token.text;
        } else {
            told(&name, &token.text, depth, parties);
        }
    }
    value.filter(|value| count < MAX_TEXTS && names == count_names(value))
}

/// Whom a field names, itself or in the JSON that it holds: a message for a contract is often JSON in a text, or base64.
fn told(name: &str, text: &str, depth: u8, parties: &mut Vec<Party>) {
    let inner = if text.trim_start().starts_with('{') {
        Some(text.to_owned())
    } else if name == "msg" {
        encoding::from_base64("msg", text).ok().and_then(|bytes| String::from_utf8(bytes).ok())
    } else {
        None
    };
    match (inner, depth.checked_sub(1)) {
        (Some(inner), Some(depth)) => drop(read(&inner, depth, parties)),
        (Some(_), None) => {}
        (None, _) => {
            let role = role(name).filter(|_| (1..=MAX_ADDRESS).contains(&text.len()));
            parties.extend(role.map(|role| Party::new(text, role)));
        }
    }
}

/// How many fields there are, where each name stands once.
fn count_names(value: &Value) -> usize {
    match value {
        Value::Array(values) => values.iter().map(count_names).sum(),
        Value::Object(fields) => fields.len() + fields.values().map(count_names).sum::<usize>(),
        _ => 0,
    }
}

/// A text in JSON.
struct Token {
    text: String,
    /// Whether it names a field.
    is_name: bool,
}

/// The texts in what is left of some JSON, in their order.
struct Texts<'a>(&'a str);

impl Iterator for Texts<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        let (_, rest) = self.0.split_once('"')?;
        let mut escaped = false;
        let end = rest.bytes().position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        let (inner, rest) = rest.split_at_checked(end)?;
        let rest = rest.strip_prefix('"')?;
        self.0 = rest;
        let text = serde_json::from_str(&format!("\"{inner}\"")).unwrap_or_else(|_| inner.to_owned());
        Some(Token { text, is_name: rest.trim_start().starts_with(':') })
    }
}

/// What a field of this name says of the address in it.
fn role(name: &str) -> Option<PartyRole> {
    Some(match name.to_ascii_lowercase().as_str() {
        "receiver"
        | "recipient"
        | "to"
        | "to_address"
        | "address"
        | "contract"
        | "destination"
        | "destination_address"
        | "recover_address"
        | "beneficiary"
        | "ibc_callback" => PartyRole::Destination,
        "refund_address" | "fallback_address" => PartyRole::Refund,
        "spender" | "operator" => PartyRole::Spender,
        "owner" | "new_owner" | "admin" | "new_admin" => PartyRole::Authority,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn named(text: &str) -> (bool, Vec<(String, PartyRole)>) {
        let json = Json::read(text);
        let parties = json.parties.into_iter().map(|party| (party.address, party.role));
        (json.value.is_some(), parties.collect())
    }

    #[test]
    fn a_name_that_stands_twice_makes_it_unreadable_and_hides_nobody() {
        let (read, parties) = named(r#"{"a":{"recipient":"good","recipient":"evil"},"b":{"to":"third"}}"#);
        assert!(!read);
        let expected = ["good", "evil", "third"].map(|who| (who.to_owned(), PartyRole::Destination));
        assert_eq!(parties, expected);
        assert!(named(r#"{"a":{"b":1},"c":{"b":1}}"#).0, "in two objects");
    }

    #[test]
    fn whom_a_message_inside_a_message_names() {
        let inner = encoding::base64(br#"{"swap":{"to":"thief"}}"#);
        let (read, parties) = named(&format!(r#"{{"send":{{"contract":"pool","msg":"{inner}"}}}}"#));
        assert!(read);
        let names = parties.iter().map(|(who, _)| who.as_str()).collect::<Vec<_>>();
        assert_eq!(names, ["pool", "thief"]);
        let (_, parties) = named(r#"{"next":"{\"forward\":{\"receiver\":\"last\"}}"}"#);
        assert_eq!(parties, [("last".to_owned(), PartyRole::Destination)]);
    }

    #[test]
    fn more_texts_than_anybody_reads_are_not_read() {
        let text = format!("[{}]", vec![r#""x""#; 512].join(","));
        assert!(!named(&text).0);
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_not(text in "[\\[\\]{}\":,0-9a-z\\\\ ]{0,80}") {
            let json = Json::read(&text);
            prop_assert!(json.value.is_none() || serde_json::from_str::<Value>(&text).is_ok());
        }
    }
}
