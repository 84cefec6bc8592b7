//! Version 10: the tool system. Calls that wait for a result from outside, what agents keep, MCP servers.

use crate::store::Migration;

pub(in crate::store) const STEP: Migration = Migration {
    version: 10,
    creates: &["pending_calls", "agent_notes", "mcp"],
    rewrites: &[],
    joins: &[],
    derives: &[],
    drops: &[],
};

#[cfg(test)]
mod tests {
    use super::STEP;
    use crate::store::SCHEMA;

    /// What version 9 held stays as it is: the step adds tables that no earlier version had, and touches no record.
    /// On a real database: `harness::version`, "version 10 adds the tool system and keeps what version 9 held".
    #[test]
    fn adds_to_version_9_and_changes_nothing_of_it() {
        let earlier = || SCHEMA.iter().filter(|step| step.version < 10);
        assert_eq!((earlier().count(), STEP.version, STEP.creates.len()), (9, 10, 3));
        assert!(earlier().all(|step| STEP.creates.iter().all(|name| !step.creates.contains(name))));
        assert!(STEP.rewrites.is_empty() && STEP.joins.is_empty());
        assert!(STEP.derives.is_empty() && STEP.drops.is_empty());
    }
}
