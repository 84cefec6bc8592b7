//! Version 9: the tool store. The secrets of tools.

use crate::store::Migration;

pub(in crate::store) const STEP: Migration =
    Migration { version: 9, creates: &["secrets"], rewrites: &[], joins: &[], derives: &[], drops: &[] };
