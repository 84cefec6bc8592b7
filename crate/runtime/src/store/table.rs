//! The tables there are. Which owner writes which is declared by [`super::owned_tables`].

/// The tables. Their names are the stores' names on disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Table {
    /// Call id → [`wire::api::Call`].
    Calls,
    /// Sender (of the agent: the conversation) and action id → call id: what has been journaled is never run again.
    Actions,
    /// Lane and call id → nothing: calls that have not ended.
    Pending,
    /// Contact id → contact.
    Contacts,
    /// Vault id, chain and contract → [`wire::coins::Coin`]; a chain's own coin has no contract.
    Coins,
    /// Appended: turns that the backend has not fully answered.
    Outbox,
    /// Appended: [`wire::event::Event`].
    Events,
    /// Conversation id → conversation.
    Conversations,
    /// Conversation id and item id → message, or the mark of a call.
    Timeline,
    /// Prompt id → an open question to the user.
    Prompts,
    /// Prompt id → a question that has its outcome; kept for a day.
    SettledPrompts,
    /// Vault id → [`wire::vault::Vault`], its secrets sealed.
    Vaults,
    /// Vault id, or vault id and call id → what opens the copy of its secret that the session holds.
    Unlocks,
    /// `secret/`, vault id and name → a secret of tools, sealed; `tokens/`, vault id and tool id → its tokens, sealed.
    Secrets,
    /// Call id → [`wire::bundle::Bundle`].
    Bundles,
    /// Call id → [`wire::run::Run`].
    Runs,
    /// Call id, place of the step, place of the transaction → [`wire::run::Transmission`].
    Transmissions,
    /// Chain and address → the bundle that uses the account now.
    Accounts,
    /// The key of a transmission that its bundle no longer waits for → when its outcome is looked for next.
    Watched,
    /// Digest of a bundle → when it was last proposed, and as which call.
    Proposals,
    /// Prompt id → what a person approved, by digest; kept as long as it counts.
    Consents,
    /// Limit or tool rule → what was used of it within a day.
    Spending,
    /// Vault id, chain and address → when a payment to it was last confirmed.
    Payees,
    /// Origin → a web page that may ask.
    Connections,
    /// Number → [`wire::audit::AuditEntry`], sealed to the one before it.
    Audit,
    /// Time, kind and id → nothing: what becomes due when.
    Deadlines,
    /// Bundle id → [`wire::tool_index::BundleRow`].
    ToolBundles,
    /// Bundle id, slug and version → a tool's record.
    Tools,
    /// Bundle id, slug and version → what the toolbox's index keeps of the record.
    ToolDocuments,
    /// Tool id → bundle id, slug and version.
    ToolIds,
    /// Id of a bundle or tool that is switched off → nothing.
    ToolSwitches,
    /// Tool id → how often it was called, up to a moment.
    ToolMetrics,
    /// Appended: calls that are not in the metrics yet.
    ToolUses,
    /// Call id → a call of a tool whose result comes from outside: a person, a page, the agent's backend.
    PendingCalls,
    /// Kind, agent and id → a goal, a memory or a plan of an agent.
    AgentNotes,
    /// Kind and id → an MCP server, or a definition of one of its tools that the user allowed.
    Mcp,
    /// Origin and request id → a request of a web page: which call or prompt it became.
    PageRequests,
    /// Kind and origin → what the wallet has seen of a web page, and what the user said of it.
    Sites,
    /// Call id → a message that a web page asked to have signed, explained.
    Messages,
    /// Origin and batch id → a batch of calls of a web page (EIP-5792).
    CallBatches,
    /// Kind and id → descriptions of contracts that the user brought in (ERC-7730).
    Descriptors,
    /// Name → setting.
    Settings,
    /// Table name → last appended key; and what else is counted, such as wrong passwords.
    Counters,
    /// Table name → all its records as lines, for a back end that reads one text sooner than many; never the
    /// only place of anything.
    Snapshots,
}

impl Table {
    /// All of them.
    pub const ALL: [Self; 44] = [
        Self::Calls,
        Self::Actions,
        Self::Pending,
        Self::Contacts,
        Self::Coins,
        Self::Outbox,
        Self::Events,
        Self::Conversations,
        Self::Timeline,
        Self::Prompts,
        Self::SettledPrompts,
        Self::Vaults,
        Self::Unlocks,
        Self::Secrets,
        Self::Bundles,
        Self::Runs,
        Self::Transmissions,
        Self::Accounts,
        Self::Watched,
        Self::Proposals,
        Self::Consents,
        Self::Spending,
        Self::Payees,
        Self::Connections,
        Self::Audit,
        Self::Deadlines,
        Self::ToolBundles,
        Self::Tools,
        Self::ToolDocuments,
        Self::ToolIds,
        Self::ToolSwitches,
        Self::ToolMetrics,
        Self::ToolUses,
        Self::PendingCalls,
        Self::AgentNotes,
        Self::Mcp,
        Self::PageRequests,
        Self::Sites,
        Self::Messages,
        Self::CallBatches,
        Self::Descriptors,
        Self::Settings,
        Self::Counters,
        Self::Snapshots,
    ];

    /// The store's name on disk.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Calls => "calls",
            Self::Actions => "actions",
            Self::Pending => "pending",
            Self::Contacts => "contacts",
            Self::Coins => "coins",
            Self::Outbox => "outbox",
            Self::Events => "events",
            Self::Conversations => "conversations",
            Self::Timeline => "timeline",
            Self::Prompts => "prompts",
            Self::SettledPrompts => "settled_prompts",
            Self::Vaults => "vaults",
            Self::Unlocks => "unlocks",
            Self::Secrets => "secrets",
            Self::Bundles => "bundles",
            Self::Runs => "runs",
            Self::Transmissions => "transmissions",
            Self::Accounts => "accounts",
            Self::Watched => "watched",
            Self::Proposals => "proposals",
            Self::Consents => "consents",
            Self::Spending => "spending",
            Self::Payees => "payees",
            Self::Connections => "connections",
            Self::Audit => "audit",
            Self::Deadlines => "deadlines",
            Self::ToolBundles => "tool_bundles",
            Self::Tools => "tools",
            Self::ToolDocuments => "tool_documents",
            Self::ToolIds => "tool_ids",
            Self::ToolSwitches => "tool_switches",
            Self::ToolMetrics => "tool_metrics",
            Self::ToolUses => "tool_uses",
            Self::PendingCalls => "pending_calls",
            Self::AgentNotes => "agent_notes",
            Self::Mcp => "mcp",
            Self::PageRequests => "page_requests",
            Self::Sites => "sites",
            Self::Messages => "messages",
            Self::CallBatches => "call_batches",
            Self::Descriptors => "descriptors",
            Self::Settings => "settings",
            Self::Counters => "counters",
            Self::Snapshots => "snapshots",
        }
    }
}
