//! How the data on disk got their shape: one step a version, one file a step, never changed once released.
//!
//! A step is data, not code that talks to a database: tables to create, tables to drop, and a pure function over
//! the records of a table. A back end performs the missing steps in one transaction, so a death in the middle
//! leaves the old version whole.

use super::migrations;

/// A pure function over one record: its key and text in, its new text out (`None` removes it).
pub type Rewrite = fn(&str, &str) -> Option<String>;

/// A pure function over one record: the key and text of a record that follows from it, in another table.
pub type Derive = fn(&str, &str) -> Option<(String, String)>;

/// A pure function over one record and one of another table, which is empty where it is missing: the record's new text
/// (`None` leaves it as it is).
pub type Join = fn(&str, &str) -> Option<String>;

/// One step.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// The version it leads to; steps are numbered from 1 without gaps.
    pub version: u32,
    /// Names of the tables it adds.
    pub creates: &'static [&'static str],
    /// Records it changes, after the tables are there.
    pub rewrites: &'static [(&'static str, Rewrite)],
    /// Records that it changes by a record of another table: of which table, the other's table and key, and how.
    pub joins: &'static [(&'static str, (&'static str, &'static str), Join)],
    /// Records that follow from those of another table: from where, to where, and which.
    pub derives: &'static [(&'static str, &'static str, Derive)],
    /// Names of the tables it removes, last.
    pub drops: &'static [&'static str],
}

/// Every step up to the shape that this version of the code knows.
pub const SCHEMA: &[Migration] = &[
    migrations::v001_first_tables::STEP,
    migrations::v002_coins::STEP,
    migrations::v003_vaults::STEP,
    migrations::v004_runs::STEP,
    migrations::v005_deadlines::STEP,
    migrations::v006_settled_prompts::STEP,
    migrations::v007_open_prompts::STEP,
    migrations::v008_backends::STEP,
    migrations::v009_tools::STEP,
    migrations::v010_tool_system::STEP,
    migrations::v011_dapps::STEP,
];

/// The version of the shape that this version of the code knows. A number of its own: who needs no more than that
/// should not be linked with what the steps do.
pub const VERSION: u32 = version(SCHEMA);

/// The version that a list of steps leads to.
pub const fn version(steps: &[Migration]) -> u32 {
    match steps.last() {
        Some(step) => step.version,
        None => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Table;

    #[test]
    fn steps_are_numbered_without_gaps_and_make_every_table() {
        let mut names = Vec::new();
        for (step, number) in SCHEMA.iter().zip(1..) {
            assert_eq!(step.version, number);
            names.extend_from_slice(step.creates);
            names.retain(|name| !step.drops.contains(name));
        }
        names.sort_unstable();
        let mut expected = Table::ALL.map(Table::name);
        expected.sort_unstable();
        assert_eq!(names, expected);
    }
}
