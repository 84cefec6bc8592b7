//! Version 2: the coins of vaults.

use crate::store::Migration;

pub(in crate::store) const STEP: Migration =
    Migration { version: 2, creates: &["coins"], rewrites: &[], joins: &[], derives: &[], drops: &[] };

#[cfg(test)]
mod tests {
    use super::STEP;
    use crate::store::migrations::v001_first_tables;

    /// What version 1 held stays as it is: the step adds a table that version 1 did not have, and touches no record.
    /// On a real database: `harness::version`, "version 2 adds coins and keeps what version 1 held".
    #[test]
    fn adds_to_version_1_and_changes_nothing_of_it() {
        let before = v001_first_tables::STEP;
        assert_eq!((before.version, STEP.version, STEP.creates), (1, 2, &["coins"][..]));
        assert!(STEP.creates.iter().all(|name| !before.creates.contains(name)));
        assert!(STEP.rewrites.is_empty() && STEP.drops.is_empty());
    }
}
