//! Finds what looks like a secret in clear. A guess: what it names is told to the person who exports, and stays.

use crate::curl::is_secret;
use crate::template::{Part, child, parse};
use regex::Regex;
use serde_json::Value;
use std::sync::LazyLock;

/// Tells the places of a record where a text looks like a secret.
pub(super) fn literal_secrets(record: &Value, tell: &mut dyn FnMut(&str)) {
    walk(record, "", false, tell);
}

/// `named`: whether the name of the field is that of a secret.
fn walk(value: &Value, place: &str, named: bool, tell: &mut dyn FnMut(&str)) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                // In a schema the values of a property stand below its name.
                let is_value = matches!(name.as_str(), "default" | "const" | "enum" | "examples" | "example");
                walk(value, &child(place, name), is_secret_field(name) || (named && is_value), tell);
            }
        }
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                walk(value, &format!("{place}/{index}"), named, tell);
            }
        }
        Value::String(text) => {
            let is_pair = || place.starts_with("/impl/") && has_pair(text);
            if (named && is_literal(text)) || has_token(text) || has_user(text) || is_pair() {
                tell(place);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

fn is_secret_field(name: &str) -> bool {
    ["authorization", "cookie"].iter().any(|header| name.eq_ignore_ascii_case(header)) || is_secret(name)
}

/// Whether a value stands there as it is sent. A number is a count, and an address is a place.
fn is_literal(text: &str) -> bool {
    let has_hole = || parse(text).is_ok_and(|parts| parts.iter().any(|part| matches!(part, Part::Hole(_))));
    let is_number = || text.bytes().all(|byte| byte.is_ascii_digit());
    let is_address = || text.starts_with("https://") || text.starts_with("http://");
    !text.trim().is_empty() && !is_number() && !is_address() && !has_hole()
}

/// Tokens that are known by how they begin, and what follows `Bearer` and `Basic`.
fn has_token(text: &str) -> bool {
    static TOKENS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(
            r"(?x) \b(?:sk|pk|rk)[-_][A-Za-z0-9_-]{20} | \bgh[oprsu]_[A-Za-z0-9]{30} | \bgithub_pat_[A-Za-z0-9_]{20}
            | \bglpat-[A-Za-z0-9_-]{20} | \bxox[abeprs]-[A-Za-z0-9-]{10} | \bA(?:KIA|SIA)[A-Z0-9]{16}\b | \bAIza[A-Za-z0-9_-]{35}
            | \beyJ[A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10} | -----BEGIN\x20[A-Z\x20]*PRIVATE\x20KEY
            | \b(?i:bearer|basic)\x20+[A-Za-z0-9._~+/-]{20}",
        )
        .ok()
    });
    TOKENS.as_ref().is_some_and(|tokens| tokens.is_match(text))
}

/// `https://user:password@host`.
fn has_user(text: &str) -> bool {
    static USER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"://([^/?#\s@]+)@").ok());
    let users = USER.as_ref().into_iter().flat_map(|user| user.captures_iter(text));
    users.filter_map(|found| found.get(1)).any(|user| is_literal(user.as_str()))
}

/// `key=value` in an address or a form, `"key": "value"` in a body of JSON.
fn has_pair(text: &str) -> bool {
    static PAIRS: LazyLock<Option<Regex>> = LazyLock::new(|| {
        Regex::new(r#"(?:^|[?&;\s])([\w.\[\]-]+)=([^&;\s#]+)|"([^"\\]+)"\s*:\s*"([^"\\]+)""#).ok()
    });
    let pairs = PAIRS.as_ref().into_iter().flat_map(|pairs| pairs.captures_iter(text));
    pairs.into_iter().any(|found| {
        let part = |one, other| found.get(one).or_else(|| found.get(other)).map_or("", |part| part.as_str());
        is_secret_field(part(1, 3)) && is_literal(part(2, 4))
    })
}
