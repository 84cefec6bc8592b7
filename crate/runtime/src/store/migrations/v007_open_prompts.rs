//! Version 7: `prompts` holds the open prompts alone, so that a start reads those and no others.

use super::v006_settled_prompts::settled;
use crate::store::Migration;

pub(in crate::store) const STEP: Migration = Migration {
    version: 7,
    creates: &[],
    rewrites: &[("prompts", open)],
    joins: &[],
    derives: &[],
    drops: &[],
};

/// The prompt as it is, unless it is settled. One that cannot be read stays.
fn open(key: &str, text: &str) -> Option<String> {
    settled(key, text).is_none().then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::open;

    #[test]
    fn removes_settled_prompts() {
        let asked = r#"{"id":"p1","outcome":null}"#;
        assert_eq!(open("p1", asked).as_deref(), Some(asked));
        assert_eq!(open("p1", "no JSON").as_deref(), Some("no JSON"));
        assert_eq!(open("p2", r#"{"id":"p2","outcome":"expired"}"#), None);
    }
}
