//! Version 4: bundles that run. What they sent, which accounts they use, what is still looked for.

use crate::store::Migration;

pub(in crate::store) const STEP: Migration = Migration {
    version: 4,
    creates: &["runs", "transmissions", "accounts", "watched", "proposals"],
    rewrites: &[],
    joins: &[],
    derives: &[],
    drops: &[],
};
