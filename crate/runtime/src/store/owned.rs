//! Which owner may write which table, held by the compiler.
//!
//! A part of a table (all of it, or the keys under a prefix) has a name in [`part`]. One module claims it with
//! [`owned_tables`]: the macro makes a value that only this module and those below it can have, and
//! [`super::Batch`] writes nothing without it. A second claim of the same part does not compile.
//!
//! What a batch writes to must be `Owned`, and a table alone is not:
//!
//! ```compile_fail,E0277
//! fn write(_: impl countersign_runtime::store::Owned) {}
//! write(countersign_runtime::store::Table::Calls);
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

/// The parts of tables that have an owner each: a table and the beginning of its keys.
pub(crate) mod part {
    macro_rules! parts {
        ($($(#[$doc:meta])* $name:ident = $table:ident / $prefix:literal;)+) => {$(
            $(#[$doc])*
            #[derive(Debug)]
            pub(crate) struct $name;

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
        /// Secrets of tools.
        Secrets = Secrets / "secret/";
        /// Tokens that OAuth 2 servers gave for tools.
        Tokens = Secrets / "tokens/";
        /// Who we are at the authorization servers of MCP servers.
        Registrations = Secrets / "registration/";
        Bundles = Bundles / "";
        Runs = Runs / "";
        Transmissions = Transmissions / "";
        Accounts = Accounts / "";
        Watched = Watched / "";
        Proposals = Proposals / "";
        Consents = Consents / "";
        /// Batches of calls of web pages.
        CallBatches = CallBatches / "";
        Spending = Spending / "";
        Payees = Payees / "";
        Connections = Connections / "";
        Audit = Audit / "";
        Deadlines = Deadlines / "";
        ToolBundles = ToolBundles / "";
        Tools = Tools / "";
        ToolDocuments = ToolDocuments / "";
        ToolIds = ToolIds / "";
        ToolSwitches = ToolSwitches / "";
        ToolMetrics = ToolMetrics / "";
        ToolUses = ToolUses / "";
        /// Calls whose result comes from outside.
        PendingCalls = PendingCalls / "";
        /// Goals of agents.
        Goals = AgentNotes / "goal/";
        /// Memories of agents.
        Memories = AgentNotes / "memory/";
        /// Plans of agents.
        Plans = AgentNotes / "plan/";
        /// The space that an agent is in.
        ActiveSpaces = AgentNotes / "space/";
        /// MCP servers.
        McpServers = Mcp / "server/";
        /// Definitions of MCP tools that the user allowed.
        McpPins = Mcp / "pin/";
        /// Calls of MCP tools that have not ended.
        McpRuns = Mcp / "run/";
        /// What MCP servers last said of the sign-in that they want.
        McpChallenges = Mcp / "challenge/";
        /// Requests of web pages.
        PageRequests = PageRequests / "";
        /// What was seen of web pages.
        Sites = Sites / "site/";
        /// Sites that the user's list names.
        SiteList = Sites / "list/";
        /// What the user's list is.
        SiteListHead = Sites / "head";
        /// Messages that web pages asked to have signed.
        Messages = Messages / "";
        /// Packs of descriptors.
        DescriptorPacks = Descriptors / "pack/";
        /// Their documents.
        DescriptorDocuments = Descriptors / "document/";
        /// What they are about.
        DescriptorKeys = Descriptors / "key/";
        /// Arguments of actions that are still on their way.
        ToolInputs = Counters / "tool-input/";
        /// The user's settings.
        Settings = Settings / "settings";
        /// The policy's rules.
        Rules = Settings / "policy";
        /// The end of the audit chain.
        AuditHead = Counters / "audit-head";
        /// The last entry of the audit chain that was removed.
        AuditAnchor = Counters / "audit-anchor";
        /// The state of the tool store.
        ToolState = Counters / "tool-state";
        /// When everything was last trimmed.
        Trimmed = Counters / "trimmed";
        /// How often a result went out again.
        Repeats = Counters / "repeats/";
        /// The message that the answer to a result becomes.
        Replies = Counters / "reply/";
        /// The requests of calls that have not ended.
        ToolRuns = Counters / "tool-run/";
        /// When tools were called within the last minute.
        ToolWindows = Counters / "tool-window/";
        /// The tools that a conversation's backend was last told of.
        DeclaredTools = Counters / "declared/";
        /// The call of a conversation's last `tx_ready`.
        TxReady = Counters / "tx_ready/";
        /// The addresses of deleted contacts.
        DeletedContacts = Counters / "deleted-contact/";
        /// Hosts that the user approved for a tool.
        ToolHosts = Counters / "tool-host/";
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
