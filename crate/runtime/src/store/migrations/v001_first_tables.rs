//! Version 1: calls and their journal, contacts, conversations, the outbox and the events.

use crate::store::Migration;

pub(in crate::store) const STEP: Migration = Migration {
    version: 1,
    creates: &[
        "calls",
        "actions",
        "pending",
        "contacts",
        "outbox",
        "events",
        "conversations",
        "timeline",
        "prompts",
        "settings",
        "counters",
        "snapshots",
    ],
    rewrites: &[],
    joins: &[],
    derives: &[],
    drops: &[],
};
