//! Version 8: a conversation belongs to its backend's origin, and an action of the agent's is known by its conversation and
//! its id.
//!
//! A conversation that a backend has an id for is with that backend; any other is with the one that is set now.

use crate::settings::origin;
use crate::store::Migration;
use serde_json::{Value, json};

pub(in crate::store) const STEP: Migration = Migration {
    version: 8,
    creates: &[],
    rewrites: &[("actions", of_others)],
    joins: &[("conversations", ("settings", "settings"), with_backend)],
    derives: &[("calls", "actions", of_agent)],
    drops: &[],
};

/// The action, unless it is known by the agent's id alone: that is derived anew from its call.
fn of_others(key: &str, text: &str) -> Option<String> {
    (!key.starts_with("agent/id/")).then(|| text.to_owned())
}

/// The key of the agent's action that became a call. One without an id is known by its turn, as before.
fn of_agent(key: &str, text: &str) -> Option<(String, String)> {
    let call: Value = serde_json::from_str(text).ok()?;
    let source = call.get("source")?;
    let by_agent = source.get("kind")?.as_str() == Some("agent");
    let conversation = source.get("conversationId")?.as_str().filter(|_| by_agent)?;
    let action = call.get("actionId")?.as_str().filter(|id| !id.is_empty())?;
    Some((format!("agent:{conversation}/id/{action}"), json!(key).to_string()))
}

fn with_backend(text: &str, settings: &str) -> Option<String> {
    let mut record: Value = serde_json::from_str(text).ok()?;
    let settings: Value = serde_json::from_str(settings).unwrap_or_default();
    let remote = record.get("remote").and_then(|remote| remote.get("backendUrl"));
    let backend = origin(remote.or_else(|| settings.get("backendUrl"))?.as_str()?)?;
    record.get_mut("conversation")?.as_object_mut()?.insert("backend".to_owned(), backend.into());
    Some(record.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On a real database: `harness::version`, "version 8 gives conversations and actions to their backend".
    #[test]
    fn conversations_get_the_origin_of_their_backend() {
        let settings = r#"{"backendUrl":"https://Agent.example:443/v1"}"#;
        let with = |remote: &str, settings: &str| {
            with_backend(&format!(r#"{{"conversation":{{"id":"c"}},"remote":{remote}}}"#), settings)
        };
        let expected = |backend: &str, remote: &str| {
            Some(format!(r#"{{"conversation":{{"backend":"{backend}","id":"c"}},"remote":{remote}}}"#))
        };
        assert_eq!(with("null", settings), expected("https://agent.example", "null"));
        let remote = r#"{"backendUrl":"http://127.0.0.1:9/x","id":"r"}"#;
        assert_eq!(with(remote, settings), expected("http://127.0.0.1:9", remote));
        assert_eq!(with(remote, ""), expected("http://127.0.0.1:9", remote));
        for none in ["", "no JSON", "{}", r#"{"backendUrl":""}"#, r#"{"backendUrl":7}"#] {
            assert_eq!(with("null", none), None, "{none}");
        }
        assert_eq!(with_backend("no JSON", settings), None);
        assert_eq!(with_backend(r#"{"remote":null}"#, settings), None);
    }

    #[test]
    fn actions_of_the_agent_are_known_by_their_conversation() {
        let call = r#"{"actionId":"a/1","source":{"kind":"agent","conversationId":"c"}}"#;
        let known = Some(("agent:c/id/a/1".to_owned(), r#""call""#.to_owned()));
        assert_eq!(of_agent("call", call), known);
        for other in [
            r#"{"actionId":"","source":{"kind":"agent","conversationId":"c"}}"#,
            r#"{"actionId":"a","source":{"kind":"user"}}"#,
            r#"{"actionId":"a","source":{"kind":"dapp","origin":"https://app.example"}}"#,
            "no JSON",
            "{}",
        ] {
            assert_eq!(of_agent("call", other), None, "{other}");
        }
        let kept = |key: &str| of_others(key, "x").is_some();
        assert_eq!(
            ["agent/id/a", "agent/turn/t", "user/id/a", "dapp:https://app.example/id/a"].map(kept),
            [false, true, true, true]
        );
    }
}
