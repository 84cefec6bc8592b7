//! Version 11: web pages. Their requests, what was seen of them, messages, batches of calls, descriptions of contracts.

use crate::store::Migration;

pub(in crate::store) const STEP: Migration = Migration {
    version: 11,
    creates: &["page_requests", "sites", "messages", "call_batches", "descriptors"],
    rewrites: &[],
    joins: &[],
    derives: &[],
    drops: &[],
};

#[cfg(test)]
mod tests {
    use super::STEP;
    use crate::store::SCHEMA;

    /// What version 10 held stays as it is: the step adds tables that no earlier version had, and touches no record.
    /// On a real database: `harness::version`, "version 11 adds web pages and keeps what version 10 held".
    #[test]
    fn adds_to_version_10_and_changes_nothing_of_it() {
        let earlier = || SCHEMA.iter().filter(|step| step.version < 11);
        assert_eq!((earlier().count(), STEP.version, STEP.creates.len()), (10, 11, 5));
        assert!(earlier().all(|step| STEP.creates.iter().all(|name| !step.creates.contains(name))));
        assert!(STEP.rewrites.is_empty() && STEP.joins.is_empty());
        assert!(STEP.derives.is_empty() && STEP.drops.is_empty());
    }
}
