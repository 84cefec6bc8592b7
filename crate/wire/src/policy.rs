//! The user's rules, and the policy's verdict on a call with its reasons.

use crate::api::Millis;
use derive::Record;
use serde_json::Value;

/// What the policy says of a call.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "name")]
pub enum Verdict {
    /// It may run.
    Allow,
    /// The user is prompted.
    Ask {
        /// Why.
        reasons: Vec<Reason>,
    },
    /// It does not run, and no prompt opens.
    Block {
        /// Why.
        reasons: Vec<Reason>,
    },
}

impl Verdict {
    /// Why, where there is a why.
    pub fn reasons(&self) -> &[Reason] {
        match self {
            Self::Allow => &[],
            Self::Ask { reasons } | Self::Block { reasons } => reasons,
        }
    }
}

/// One finding of one rule.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Reason {
    /// Which rule.
    pub code: ReasonCode,
    /// How grave it is.
    pub severity: Severity,
    /// A whole sentence for users.
    pub message: String,
    /// The step it is about.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub sequence: Option<u32>,
}

/// How grave a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The usual reason to ask.
    Info,
    /// A risk: prompts also where the sender asked to skip it.
    Warn,
    /// It does not run.
    Block,
}

/// Every rule that can speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum ReasonCode {
    /// The sender's hint, or its absence, asks for an approval.
    TapWanted,
    /// The tool always asks.
    ToolAsks,
    /// Signing is asked for.
    Signing,
    /// A claim is not true.
    Contradiction,
    /// The transaction pays from an account that is not the vault's.
    NotOwned,
    /// The transaction is for another chain than the step says.
    ChainMismatch,
    /// Unlimited token approval.
    UnlimitedApproval,
    /// Nothing was sent to this address before, and it is no contact.
    FirstTimeRecipient,
    /// The address looks like one that is known, and is another.
    LookAlike,
    /// A contact that the agent saved, and that the user has not confirmed.
    FreshContact,
    /// A contact whose address was replaced, and the user has not confirmed that.
    ReplacedContact,
    /// An address that nothing is known of may take tokens.
    UnknownSpender,
    /// A token of a contract that nothing is known of.
    UnknownToken,
    /// A swap that takes no least amount for what it gives, or far too little.
    LowMinimumOutput,
    /// The fee cannot be known.
    FeeUnknown,
    /// There is more to warn of than a person can read.
    TooManyRisks,
    /// The call data could not be decoded.
    UnknownCalldata,
    /// Something happens whose worth no rule can weigh: a key or an owner is changed, an account is closed, …
    UnweighedEffect,
    /// The fee is higher than it should be.
    HighFee,
    /// A contract is created.
    ContractCreation,
    /// A claim could not be checked.
    Unverified,
    /// One transaction moves more than a limit allows.
    OverTransactionLimit,
    /// The day's limit would be passed.
    OverDailyLimit,
    /// The recipient is not in the list of those allowed.
    RecipientNotAllowed,
    /// The contract is not in the list of those allowed.
    ContractNotAllowed,
    /// The user stopped everything.
    KillSwitch,
    /// The user permanently denied this tool.
    ToolDenied,
    /// The user allowed this tool, and its bounds are used up.
    BoundsUsedUp,
    /// The user allowed this tool, and not with such arguments.
    OutsideBounds,
    /// The tool sends to a host that the user has not approved for it yet.
    NewHost,
    /// A tool of an MCP server that the user has not allowed yet.
    NewTool,
    /// A tool of an MCP server whose description or schema is no longer what the user allowed.
    DefinitionChanged,
    /// A web page that is not connected.
    NotConnected,
    /// A site that the user's list warns of.
    ListedSite,
    /// The name of the site looks like that of another.
    LookAlikeSite,
    /// The name of the site is written with letters of several scripts.
    MixedScripts,
    /// The name of the site is not in plain letters.
    EncodedName,
    /// The user has not let this site in before.
    NewSite,
    /// The page that asked is gone.
    PageGone,
    /// The same bytes were approved within ten minutes.
    AlreadyApproved,
    /// Run as a trial on a node, the transaction fails.
    SimulationFailed,
    /// Run as a trial on a node, more leaves the vault than was decoded.
    TrialLosesMore,
    /// Run as a trial on a node, a swap gives less than its minimum.
    TrialGivesLess,
    /// What a node says of a trial run and what was decoded do not fit together.
    TrialDisagrees,
    /// The account has less than the transaction takes.
    InsufficientBalance,
    /// The transaction's number is higher than the account's next one.
    NonceGap,
    /// No node could say whether the transaction can be sent.
    NotChecked,
    /// The same bytes were proposed within ten minutes under another id.
    DuplicateBundle,
    /// What a message allows lasts unusually long.
    LongLasting,
    /// A sign-in is malformed, expired, or for another address or chain than the page's.
    DoubtfulSignIn,
    /// A text has characters that cannot be seen.
    HiddenCharacters,
    /// A message names no chain.
    AnyChain,
    /// A rule could not be evaluated.
    RuleError,
}

/// GET, PUT `/api/policy`: the user's own rules.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[record(deny_unknown_fields)]
pub struct Policy {
    /// While on, nothing is signed, and only the user can change anything.
    #[record(default)]
    pub kill_switch: bool,
    /// How much may be moved.
    #[record(default)]
    pub limits: Vec<Limit>,
    /// Where set, only these may receive, or be put in a position to take: addresses. One of an EVM chain holds on all
    /// of them.
    #[record(default)]
    pub recipients: Option<Vec<ListedAddress>>,
    /// Where set, only these may be called or given an allowance, each on its chain: addresses.
    #[record(default)]
    pub contracts: Option<Vec<ListedAddress>>,
    /// What was decided once and for all about tools.
    #[record(default)]
    pub tools: Vec<ToolRule>,
}

/// An address in a list of those allowed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[record(deny_unknown_fields)]
pub struct ListedAddress {
    /// Canonical name of the chain.
    pub chain: String,
    /// In canonical spelling.
    pub address: String,
}

/// Whom a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "kind")]
#[record(deny_unknown_fields)]
pub enum Who {
    /// Every sender, including the user.
    Anybody,
    /// The agent's backend.
    Agent,
    /// One web page.
    Dapp {
        /// Its origin.
        origin: String,
    },
}

/// How much of an asset may be moved. Moving more is blocked.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[record(deny_unknown_fields)]
pub struct Limit {
    /// Names it; what was spent under it is counted by this.
    pub id: String,
    /// By whose wish.
    pub who: Who,
    /// On which chain: canonical name.
    pub chain: String,
    /// Which token, as the chain names it; `null` for the chain's own coin.
    pub token: Option<String>,
    /// Largest amount of one transaction: decimal digits in the smallest unit; `null` for no such limit.
    pub per_transaction: Option<String>,
    /// Largest sum of any 24 hours; `null` for no such limit.
    pub per_day: Option<String>,
}

/// What was decided once and for all about a tool.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[record(deny_unknown_fields)]
pub struct ToolRule {
    /// The tool's name.
    pub tool: String,
    /// By whose wish.
    pub who: Who,
    /// What was decided.
    pub decision: ToolDecision,
}

/// What was decided about a tool.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
#[record(deny_unknown_fields)]
pub enum ToolDecision {
    /// Runs without a prompt, within bounds.
    Allow {
        /// At most so many calls in any 24 hours.
        per_day: u32,
        /// Until then; `null` for ever.
        #[cfg_attr(feature = "ts", ts(type = "number | null"))]
        until: Option<Millis>,
        /// Only calls with such arguments; a call with others is asked about.
        #[record(default, skip_serializing_if = "Vec::is_empty")]
        #[cfg_attr(feature = "ts", ts(as = "Option<Vec<ArgumentBound>>", optional))]
        arguments: Vec<ArgumentBound>,
    },
    /// Never runs.
    Deny,
}

/// What an argument must be.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
#[record(deny_unknown_fields)]
pub struct ArgumentBound {
    /// JSON pointer into the arguments; the segment `*` is every element of an array. What is not there is outside.
    pub path: String,
    /// What must be there.
    pub rule: BoundRule,
}

/// What must be at a place in the arguments.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "kind")]
#[record(deny_unknown_fields)]
pub enum BoundRule {
    /// One of these.
    OneOf {
        /// Texts, numbers, `true`, `false` and `null`.
        #[cfg_attr(feature = "ts", ts(type = "Array<string | number | boolean | null>"))]
        values: Vec<Value>,
    },
    /// A number, or a text that is one, up to this.
    AtMost {
        /// A decimal number.
        value: String,
    },
    /// A number, or a text that is one, from this on.
    AtLeast {
        /// A decimal number.
        value: String,
    },
    /// A text that begins with this.
    BeginsWith {
        /// By its code points.
        text: String,
    },
    /// Nothing, not even `null`.
    Absent,
}
