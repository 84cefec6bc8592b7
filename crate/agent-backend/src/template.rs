//! `{{name}}` in a script's text and JSON: fresh ids, counters, and values of results.
//!
//! | written | becomes |
//! |---|---|
//! | `{{uuid}}` | a new id, at every occurrence |
//! | `{{uuid:label}}` | a new id for every answer, the same for the label throughout that answer |
//! | `{{last:label}}` | the id last issued under the label in this conversation |
//! | `{{n}}` | how many answers the conversation has had, this one included |
//! | `{{conversation}}` | the conversation's id |
//! | `{{message}}` | what the user wrote |
//! | `{{succeeded}}`, `{{failed}}` | how many results of either kind there are since the user wrote |
//! | `{{rest:words}}` | what follows these words in the user's message, without spaces and punctuation around it |
//! | `{{result:label:/pointer}}` | a value out of `data` of the result of the action issued under the label |
//! | `{{error:label}}` | the error of that result |
//! | `{{inbox:/pointer}}` | a value out of the first item of the inbox that is being answered |
//! | `{{pending:label}}` | the id of the pending call that the result of the action issued under the label named |
//! | `{{tools}}` | the names of the tools that the client declared last |
//! | `{{tool:name:/pointer}}` | a value out of a declaration: `/description`, `/schema/…`, `/asks` |
//!
//! `{{` that is not followed by a letter is left unchanged, so that broken JSON can be written.

use std::collections::BTreeMap;

/// The source of a template's values.
pub(crate) trait Values {
    /// A new id.
    fn fresh(&mut self) -> String;
    /// The value of a name other than `uuid`; `argument` is the part after the first colon.
    fn value(&self, name: &str, argument: Option<&str>) -> Option<String>;
}

/// How a value is inserted into the surrounding text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Into {
    /// Unchanged.
    Text,
    /// Escaped for the inside of a JSON string.
    Json,
}

const PLAIN: [&str; 7] = ["uuid", "n", "conversation", "message", "succeeded", "failed", "tools"];
const WITH_ARGUMENT: [&str; 8] = ["uuid", "last", "rest", "result", "error", "tool", "inbox", "pending"];

/// The first unknown name in `text`, if there is one.
pub(crate) fn unknown_name(text: &str) -> Option<&str> {
    parts(text).find_map(|part| match part {
        Part::Text(_) => None,
        Part::Name { whole, name, argument } => {
            let known = if argument.is_some() { WITH_ARGUMENT.as_slice() } else { PLAIN.as_slice() };
            (!known.contains(&name)).then_some(whole)
        }
    })
}

/// The labels of `{{uuid:label}}` in one answer, and their ids.
pub(crate) type Labels = BTreeMap<String, String>;

/// `text` with every name replaced. A missing value becomes a visible `?`.
pub(crate) fn fill(text: &str, into: Into, labels: &mut Labels, values: &mut dyn Values) -> String {
    let mut filled = String::with_capacity(text.len());
    for part in parts(text) {
        let value = match part {
            Part::Text(text) => {
                filled.push_str(text);
                continue;
            }
            Part::Name { name: "uuid", argument: None, .. } => values.fresh(),
            Part::Name { name: "uuid", argument: Some(label), .. } => match labels.get(label) {
                Some(id) => id.clone(),
                None => {
                    let id = values.fresh();
                    labels.insert(label.to_owned(), id.clone());
                    id
                }
            },
            Part::Name { name, argument, .. } => {
                values.value(name, argument).unwrap_or_else(|| "?".to_owned())
            }
        };
        match into {
            Into::Text => filled.push_str(&value),
            Into::Json => {
                let quoted = serde_json::Value::from(value).to_string();
                let inside = quoted.strip_prefix('"').and_then(|open| open.strip_suffix('"'));
                filled.push_str(inside.unwrap_or_default());
            }
        }
    }
    filled
}

enum Part<'a> {
    Text(&'a str),
    Name { whole: &'a str, name: &'a str, argument: Option<&'a str> },
}

fn parts(text: &str) -> impl Iterator<Item = Part<'_>> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if let Some((part, after)) = name_at_start(rest) {
            rest = after;
            return Some(part);
        }
        // At least one character is text here; the next name can only start after it.
        let end = rest
            .char_indices()
            .skip(1)
            .map(|(at, _)| at)
            .find(|at| rest.get(*at..).is_some_and(|tail| name_at_start(tail).is_some()))
            .unwrap_or(rest.len());
        let (text, after) = rest.split_at(end);
        rest = after;
        Some(Part::Text(text))
    })
}

fn name_at_start(text: &str) -> Option<(Part<'_>, &str)> {
    let inner = text.strip_prefix("{{")?;
    if !inner.starts_with(|first: char| first.is_ascii_lowercase()) {
        return None;
    }
    let (whole, after) = inner.split_once("}}")?;
    if whole.contains(['{', '"', '\n']) {
        return None;
    }
    let (name, argument) = match whole.split_once(':') {
        Some((name, argument)) => (name, Some(argument)),
        None => (whole, None),
    };
    Some((Part::Name { whole, name, argument }, after))
}

/// An id in the form of a version 4 UUID, the same for the same inputs, so that runs are repeatable.
pub(crate) fn uuid(seed: u64, inputs: &[u64]) -> String {
    let mut state = seed;
    for input in inputs {
        state = mix(state ^ input.wrapping_mul(0x9E37_79B9_7F4A_7C15));
    }
    let (high, low) = (mix(state.wrapping_add(1)), mix(state.wrapping_add(2)));
    format!(
        "{:08x}-{:04x}-4{:03x}-{:04x}-{:012x}",
        high >> 32,
        (high >> 16) & 0xffff,
        high & 0xfff,
        0x8000 | ((low >> 48) & 0x3fff),
        low & 0xffff_ffff_ffff
    )
}

/// The finaliser of SplitMix64: every input bit reaches every output bit.
fn mix(value: u64) -> u64 {
    let value = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Counting(u32);

    impl Values for Counting {
        fn fresh(&mut self) -> String {
            self.0 += 1;
            format!("id{}", self.0)
        }
        fn value(&self, name: &str, argument: Option<&str>) -> Option<String> {
            match (name, argument) {
                ("n", None) => Some("7".into()),
                ("message", None) => Some("say \"hi\"".into()),
                _ => None,
            }
        }
    }

    #[test]
    fn names_are_replaced_and_the_rest_is_kept() {
        let mut labels = Labels::new();
        let text =
            "{{uuid}} {{uuid}} {{uuid:a}} {{uuid:b}} {{uuid:a}} {{n}} {{last:x}} {{}} {{ {\"a\":{\"b\":1}}";
        let filled = fill(text, Into::Text, &mut labels, &mut Counting(0));
        assert_eq!(filled, "id1 id2 id3 id4 id3 7 ? {{}} {{ {\"a\":{\"b\":1}}");
    }

    #[test]
    fn values_are_escaped_inside_json() {
        let filled = fill("\"{{message}}\"", Into::Json, &mut Labels::new(), &mut Counting(0));
        assert_eq!(filled, r#""say \"hi\"""#);
    }

    #[test]
    fn unknown_names_are_found() {
        assert_eq!(unknown_name("a {{n}} {{uuid:x}} {{nope}}"), Some("nope"));
        assert_eq!(unknown_name("{{last}}"), Some("last"));
        assert_eq!(unknown_name("{{n}} {{{\"a\":1}}"), None);
    }

    #[test]
    fn ids_look_like_uuids_and_differ() {
        let id = uuid(1, &[1, 1, 1]);
        assert_eq!(id.len(), 36);
        assert_eq!(id.split('-').map(str::len).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
        assert_eq!(id, uuid(1, &[1, 1, 1]));
        assert_ne!(id, uuid(1, &[1, 1, 2]));
        assert_ne!(id, uuid(1, &[1, 2, 1]));
        assert_ne!(id, uuid(2, &[1, 1, 1]));
    }
}
