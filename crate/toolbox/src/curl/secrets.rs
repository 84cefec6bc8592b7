//! Finds what looks like a secret and names it.

use super::literal;
use serde_json::{Value, json};
use url::Url;

/// The names that were given so far.
pub(super) struct Secrets {
    /// What names begin with: the host's own word.
    prefix: String,
    names: Vec<String>,
}

/// What a header with a secret becomes.
pub(super) struct Found {
    /// The block `auth`.
    pub(super) auth: Value,
    /// The header itself, where there is such a block already.
    pub(super) template: Option<String>,
}

impl Secrets {
    /// Of a tool that sends to an address.
    pub(super) fn of(url: &Url) -> Self {
        let host = url.host_str().unwrap_or_default();
        let labels: Vec<&str> = host.split('.').collect();
        // `api.weatherapi.com`: the word before the last. An address in numbers has none.
        let word = match labels.as_slice() {
            [.., word, _] if url.domain().is_some() => word,
            [word] => word,
            _ => "",
        };
        let word: String = word.chars().filter(char::is_ascii_alphanumeric).take(32).collect();
        let word = word.to_ascii_uppercase();
        let prefix =
            if word.starts_with(|first: char| first.is_ascii_uppercase()) { word } else { "API".to_owned() };
        Self { prefix, names: Vec::new() }
    }

    /// All names.
    pub(super) fn names(self) -> Vec<String> {
        self.names
    }

    /// A new placeholder.
    fn name(&mut self, kind: &str) -> String {
        let kind: String = kind
            .chars()
            .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_uppercase() } else { '_' })
            .take(24)
            .collect();
        let base = format!("{}_{}", self.prefix, kind.trim_matches('_'));
        let mut name = base.clone();
        let mut number = 2;
        while self.names.contains(&name) {
            name = format!("{base}_{number}");
            number += 1;
        }
        self.names.push(name.clone());
        format!("${{{name}}}")
    }

    /// `user:password`.
    pub(super) fn basic(&mut self, user: &str) -> Value {
        let (user, _) = user.split_once(':').unwrap_or((user, ""));
        json!({ "type": "basic", "username": literal(user), "password": self.name("PASSWORD") })
    }

    /// What becomes of a header that holds a secret; nothing for others.
    pub(super) fn header(&mut self, name: &str, value: &str) -> Option<Found> {
        if !super::is_header(name) {
            return None;
        }
        if name.eq_ignore_ascii_case("authorization") {
            let (scheme, rest) = value.split_once(' ').unwrap_or(("", value));
            let auth = match scheme.to_ascii_lowercase().as_str() {
                "bearer" => json!({ "type": "bearer", "token": self.name("TOKEN") }),
                "basic" => self.basic(&decoded(rest)),
                "" => api_key(name, &self.name("TOKEN")),
                _ => api_key(name, &format!("{} {}", literal(scheme), self.name("TOKEN"))),
            };
            return Some(Found { auth, template: None });
        }
        if !is_secret(name) || value.is_empty() {
            return None;
        }
        let placeholder = self.name(short(name));
        Some(Found { auth: api_key(name, &placeholder), template: Some(placeholder) })
    }

    /// The address, with placeholders for pairs that hold secrets.
    pub(super) fn address(&mut self, url: &Url) -> String {
        let mut plain = url.clone();
        plain.set_query(None);
        let address = literal(plain.as_str());
        match url.query() {
            Some(query) if !query.is_empty() => format!("{address}?{}", self.pairs(query)),
            _ => address,
        }
    }

    /// `name=value&…`, with placeholders for values that are secrets.
    pub(super) fn pairs(&mut self, text: &str) -> String {
        let pair = |pair: &str| match pair.split_once('=') {
            Some((name, value)) if is_secret(name) && !value.is_empty() => {
                format!("{}={}", literal(name), self.name(short(name)))
            }
            _ => literal(pair),
        };
        text.split('&').map(pair).collect::<Vec<_>>().join("&")
    }

    /// A body of JSON, with placeholders for members that are secrets.
    pub(super) fn json(&mut self, text: &str) -> String {
        match serde_json::from_str::<Value>(text) {
            Ok(mut value) => match self.replace(&mut value) {
                true => wire::json::to_text(&value),
                false => literal(text),
            },
            Err(_) => literal(text),
        }
    }

    /// Replaces secrets; all other texts are literal. Whether there was one.
    fn replace(&mut self, value: &mut Value) -> bool {
        let mut found = false;
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    match value {
                        Value::String(text) if is_secret(name) && !text.is_empty() => {
                            *text = self.name(short(name));
                            found = true;
                        }
                        other => found |= self.replace(other),
                    }
                }
            }
            Value::Array(values) => {
                for value in values {
                    found |= self.replace(value);
                }
            }
            Value::String(text) => *text = literal(text),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        found
    }
}

fn api_key(name: &str, value: &str) -> Value {
    json!({ "type": "apiKey", "in": "header", "name": name, "value": value })
}

/// Whether a field of this name holds a secret, as names go.
pub(crate) fn is_secret(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "token",
        "secret",
        "password",
        "passwd",
        "apikey",
        "accesskey",
        "privatekey",
        "appid",
        "authkey",
        "credential",
    ];
    let plain: String =
        name.chars().filter(char::is_ascii_alphanumeric).collect::<String>().to_ascii_lowercase();
    plain == "key" || plain == "auth" || plain == "sig" || WORDS.iter().any(|word| plain.contains(word))
}

/// `X-Api-Key` → `Api-Key`.
fn short(name: &str) -> &str {
    name.get(..2).filter(|start| start.eq_ignore_ascii_case("x-")).and_then(|_| name.get(2..)).unwrap_or(name)
}

/// Base64, as far as it is text.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let (mut bits, mut count) = (0_u32, 0);
    for byte in text.bytes() {
        let value = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' | b'-' => 62,
            b'/' | b'_' => 63,
            _ => break,
        };
        bits = (bits << 6) | u32::from(value);
        count += 6;
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
