//! Version 5: the deadlines in a table of their own, derived from the records that are due.

use crate::alarm::{self, Due};
use crate::store::Migration;
use serde_json::Value;

pub(in crate::store) const STEP: Migration = Migration {
    version: 5,
    creates: &["deadlines"],
    rewrites: &[],
    joins: &[],
    derives: &[
        ("prompts", "deadlines", prompt),
        ("unlocks", "deadlines", unlock),
        ("outbox", "deadlines", delivery),
        ("transmissions", "deadlines", step),
        ("watched", "deadlines", receipt),
    ],
    drops: &[],
};

/// The deadline that a record holds under a name, if there is one.
fn deadline(due: Due, key: &str, record: &Value, name: &str) -> Option<(String, String)> {
    let at = record.get(name)?.as_u64().filter(|at| *at > 0)?;
    Some((alarm::key(at, due, key), "null".to_owned()))
}

fn read(text: &str) -> Option<Value> {
    serde_json::from_str(text).ok()
}

fn prompt(key: &str, text: &str) -> Option<(String, String)> {
    let record = read(text)?;
    let open = record.get("outcome").is_none_or(Value::is_null);
    if open { deadline(Due::Prompt, key, &record, "expiresAt") } else { None }
}

fn unlock(key: &str, text: &str) -> Option<(String, String)> {
    deadline(Due::Unlock, key, &read(text)?, "until")
}

fn delivery(key: &str, text: &str) -> Option<(String, String)> {
    deadline(Due::Delivery, key, &read(text)?, "notBefore")
}

fn step(key: &str, text: &str) -> Option<(String, String)> {
    let record = read(text)?;
    let settled = record.get("settledAt").is_some_and(|at| !at.is_null());
    if settled { None } else { deadline(Due::Step, key, &record, "nextLook") }
}

fn receipt(key: &str, text: &str) -> Option<(String, String)> {
    deadline(Due::Receipt, key, &read(text)?, "at")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn derived(text: &str) -> [Option<(String, String)>; 5] {
        STEP.derives.iter().map(|(.., derive)| derive("k", text)).collect::<Vec<_>>().try_into().unwrap()
    }

    #[test]
    fn what_is_due_has_a_deadline() {
        let row = |at: u64, due: &str| Some((format!("{at:016}/{due}/k"), "null".to_owned()));
        assert_eq!(derived(r#"{"expiresAt":5,"outcome":null}"#)[0], row(5, "prompt"));
        assert_eq!(derived(r#"{"expiresAt":5,"outcome":"approved"}"#)[0], None);
        assert_eq!(derived(r#"{"until":6}"#)[1], row(6, "unlock"));
        assert_eq!(derived(r#"{"notBefore":7}"#)[2], row(7, "delivery"));
        assert_eq!(derived(r#"{"notBefore":0}"#)[2], None);
        assert_eq!(derived(r#"{"nextLook":8,"settledAt":null}"#)[3], row(8, "step"));
        assert_eq!(derived(r#"{"nextLook":8,"settledAt":9}"#)[3], None);
        assert_eq!(derived(r#"{"at":10}"#)[4], row(10, "receipt"));
    }

    #[test]
    fn damaged_records_have_none() {
        for text in ["", "nonsense", "[]", "{}", r#"{"until":"soon","expiresAt":-1}"#] {
            assert_eq!(derived(text), [const { None }; 5], "{text}");
        }
    }
}
