//! Which owner may write which table, held by the compiler.
//!
//! A part of a table (all of it, or the keys under a prefix) has a name in [`part`]. One module claims it with
//! [`owned_tables`]: the macro makes a value that only this module and those below it can have, and
//! [`super::Batch`] writes nothing without it. A second claim of the same part does not compile.
//!
//! ```compile_fail
//! use countersign_runtime::store::{Batch, Durability, Table};
//! let mut batch = Batch::new(Durability::Strict);
//! batch.delete(Table::Calls, "id"); // a table alone is no right to write it
//! ```

use super::Table;
use wire::json::{FromJson, ToJson};

/// The right to write a part of a table, and what its rows are. Made by [`owned_tables`].
pub trait Owned: Copy {
    /// What is under each key.
    type Row: ToJson + FromJson;
    /// The table.
    const TABLE: Table;
    /// What the keys of this part begin with; not part of the keys that its owner uses.
    const PREFIX: &'static str;

    /// The key in the table.
    fn key(self, key: &str) -> String {
        [Self::PREFIX, key].concat()
    }
}

/// A part of a table that has one owner.
pub trait Claimed {
    /// The right to write it.
    type Right: Owned;
}

/// What names a place in a table: a right, or (while tables are moved to their owners) a table.
pub trait Place: Copy {
    /// The table.
    fn table(self) -> Table;
    /// The key in the table.
    fn full_key(self, key: &str) -> String;
}

/// A place that holds rows of this type.
pub trait Target<R: ?Sized>: Place {}

impl<T: Owned> Place for T {
    fn table(self) -> Table {
        T::TABLE
    }

    fn full_key(self, key: &str) -> String {
        self.key(key)
    }
}

impl<T: Owned> Target<T::Row> for T {}

impl Place for Table {
    fn table(self) -> Table {
        self
    }

    fn full_key(self, key: &str) -> String {
        key.to_owned()
    }
}

impl<R: ToJson + ?Sized> Target<R> for Table {}

/// The parts of tables that have an owner each: a table and the beginning of its keys.
pub(crate) mod part {
    macro_rules! parts {
        ($($(#[$doc:meta])* $name:ident = $table:ident / $prefix:literal;)+) => {$(
            $(#[$doc])*
            #[derive(Debug)]
            #[allow(dead_code, reason = "tables are moved to their owners one by one")]
            pub(crate) struct $name;

            #[allow(dead_code, reason = "tables are moved to their owners one by one")]
            impl $name {
                pub(crate) const TABLE: super::Table = super::Table::$table;
                pub(crate) const PREFIX: &'static str = $prefix;
            }
        )+};
    }

    parts! {
        Calls = Calls / "";
        Actions = Actions / "";
        Pending = Pending / "";
        Contacts = Contacts / "";
        ContactsSnapshot = Snapshots / "contacts";
        Coins = Coins / "";
        Outbox = Outbox / "";
        Events = Events / "";
        Conversations = Conversations / "";
        Timeline = Timeline / "";
        Prompts = Prompts / "";
        SettledPrompts = SettledPrompts / "";
        Vaults = Vaults / "";
        Unlocks = Unlocks / "";
        Bundles = Bundles / "";
        Runs = Runs / "";
        Transmissions = Transmissions / "";
        Accounts = Accounts / "";
        Watched = Watched / "";
        Proposals = Proposals / "";
        Consents = Consents / "";
        Spending = Spending / "";
        Payees = Payees / "";
        Connections = Connections / "";
        Audit = Audit / "";
        Deadlines = Deadlines / "";
        /// The user's settings.
        Settings = Settings / "settings";
        /// The policy's rules.
        Rules = Settings / "policy";
        /// The end of the audit chain.
        AuditHead = Counters / "audit-head";
        /// How often a result went out again.
        Repeats = Counters / "repeats/";
        /// The message that the answer to a result becomes.
        Replies = Counters / "reply/";
        /// The call of a conversation's last `tx_ready`.
        TxReady = Counters / "tx_ready/";
        /// Wrong passwords since the last right one.
        Attempts = Counters / "attempts/";
    }
}

/// Claims parts of tables for the module it stands in: `NAME: Right = part, Row;`. Writing needs the constant, which is
/// private to the module and those below it.
macro_rules! owned_tables {
    ($($(#[$doc:meta])* $constant:ident: $right:ident = $part:ident, $row:ty;)+) => {$(
        #[doc = concat!("The right to write `", stringify!($part), "`.")]
        #[derive(Debug, Clone, Copy)]
        pub(crate) struct $right(());

        $(#[$doc])*
        const $constant: $right = $right(());

        impl $crate::store::Owned for $right {
            type Row = $row;
            const TABLE: $crate::store::Table = $crate::store::part::$part::TABLE;
            const PREFIX: &'static str = $crate::store::part::$part::PREFIX;
        }

        impl $crate::store::Claimed for $crate::store::part::$part {
            type Right = $right;
        }
    )+};
}

pub(crate) use owned_tables;
