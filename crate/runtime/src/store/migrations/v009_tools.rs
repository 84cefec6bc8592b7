//! Version 9: the tool store. Bundles, tools, their documents, switches and metrics; secrets.

use crate::store::Migration;

pub(in crate::store) const STEP: Migration = Migration {
    version: 9,
    creates: &[
        "tool_bundles",
        "tools",
        "tool_documents",
        "tool_ids",
        "tool_switches",
        "tool_metrics",
        "tool_uses",
        "secrets",
    ],
    rewrites: &[],
    joins: &[],
    derives: &[],
    drops: &[],
};

#[cfg(test)]
mod tests {
    use super::STEP;
    use crate::store::SCHEMA;

    /// What version 8 held stays as it is: the step adds tables that no earlier version had, and touches no record.
    /// On a real database: `harness::version`, "version 9 adds the tool store and keeps what version 8 held".
    #[test]
    fn adds_to_version_8_and_changes_nothing_of_it() {
        let earlier = || SCHEMA.iter().filter(|step| step.version < 9);
        assert_eq!((earlier().count(), STEP.version, STEP.creates.len()), (8, 9, 8));
        assert!(earlier().all(|step| STEP.creates.iter().all(|name| !step.creates.contains(name))));
        assert!(STEP.rewrites.is_empty() && STEP.joins.is_empty());
        assert!(STEP.derives.is_empty() && STEP.drops.is_empty());
    }
}
