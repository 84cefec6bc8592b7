//! Version 3: vaults and what keeps them; bundles, consent, the policy's memory, connected pages, the audit log.
//!
//! Questions asked before have none of the fields that an answer is held against now: they are dropped, and the calls
//! that wait for them are asked about again.

use crate::store::Migration;
use serde_json::{Value, json};

pub(in crate::store) const STEP: Migration = Migration {
    version: 3,
    creates: &["vaults", "unlocks", "bundles", "consents", "spending", "payees", "connections", "audit"],
    rewrites: &[("prompts", drop_record), ("calls", ask_again)],
    joins: &[],
    derives: &[],
    drops: &[],
};

fn drop_record(_: &str, _: &str) -> Option<String> {
    None
}

/// A call that waits is received anew; every other stays as it is.
fn ask_again(_: &str, text: &str) -> Option<String> {
    let Ok(mut call) = serde_json::from_str::<Value>(text) else {
        return Some(text.to_owned());
    };
    match call.get_mut("state") {
        Some(state) if state.get("name").is_some_and(|name| name == "waiting") => {
            *state = json!({"name": "received"});
            Some(call.to_string())
        }
        _ => Some(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{STEP, ask_again, drop_record};

    /// On a real database: `harness::version`, "version 3 adds vaults and asks again what version 2 asked".
    #[test]
    fn adds_to_version_2_and_keeps_every_call() {
        assert_eq!((STEP.version, STEP.drops), (3, &[][..]));
        let waiting = r#"{"id":"c1","lane":"l","state":{"name":"waiting","promptId":"p1"},"receivedAt":5}"#;
        let received = r#"{"id":"c1","lane":"l","receivedAt":5,"state":{"name":"received"}}"#;
        assert_eq!(ask_again("c1", waiting).as_deref(), Some(received));
        assert_eq!(ask_again("c1", received).as_deref(), Some(received));
        assert_eq!(drop_record("p1", "{}"), None);
    }
}
