//! Version 6: prompts that have their outcome, in a table of their own. Version 7 takes them out of the old one.

use crate::store::Migration;
use serde_json::Value;

pub(in crate::store) const STEP: Migration = Migration {
    version: 6,
    creates: &["settled_prompts"],
    rewrites: &[],
    joins: &[],
    derives: &[("prompts", "settled_prompts", settled)],
    drops: &[],
};

/// The prompt, if it is settled. One that cannot be read is not.
pub(super) fn settled(key: &str, text: &str) -> Option<(String, String)> {
    let prompt: Value = serde_json::from_str(text).ok()?;
    let settled = prompt.get("outcome").is_some_and(|outcome| !outcome.is_null());
    settled.then(|| (key.to_owned(), text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::settled;

    /// On a real database: `harness::version`, "version 7 keeps open and settled prompts apart".
    #[test]
    fn copies_settled_prompts() {
        let open = r#"{"id":"p1","kind":"connect_dapp","outcome":null}"#;
        let answered = r#"{"id":"p2","kind":"connect_dapp","outcome":"approved"}"#;
        assert_eq!([open, "{}", "no JSON"].map(|text| settled("p1", text)), [None, None, None]);
        assert_eq!(settled("p2", answered), Some(("p2".to_owned(), answered.to_owned())));
    }
}
