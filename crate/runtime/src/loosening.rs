//! A change of the user's rules or settings that lets more happen than before. It needs the password: a person at an
//! unlocked computer, or a page gone wrong, must not take the guards down for good.

/// The first way in which a change lets more happen than before, and where it stands in the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct Loosening {
    /// JSON pointer into the request's body; to the list where something is missing from it.
    pub path: String,
    /// What it does.
    pub kind: LooseningKind,
}

/// What a loosening change does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum LooseningKind {
    /// The kill switch goes off.
    #[error("this turns the emergency stop off")]
    KillSwitchOff,
    /// A limit goes, or is about something else from now on.
    #[error("this removes a limit")]
    LimitRemoved,
    /// A limit allows more.
    #[error("this raises a limit")]
    LimitRaised,
    /// A limit holds for fewer senders.
    #[error("this limits fewer senders")]
    LimitNarrowed,
    /// A list goes: every address is allowed.
    #[error("this removes a list of allowed addresses")]
    ListRemoved,
    /// A list gets an address that was not in it.
    #[error("this allows another address")]
    AddressAllowed,
    /// A tool runs without a prompt, more often or for longer than before.
    #[error("this allows an action without asking you")]
    ToolAllowed,
    /// A bound on a tool's arguments goes, with its permission.
    #[error("this lifts a bound on an action")]
    BoundLifted,
    /// A tool is no longer denied.
    #[error("this lifts a denial")]
    DenialLifted,
    /// More approvals are skipped.
    #[error("this skips more of your approvals")]
    SkipApproval,
    /// Vaults stay open for longer.
    #[error("this keeps vaults unlocked for longer")]
    LongerUnlock,
    /// Another agent proposes.
    #[error("this lets another agent propose")]
    NewBackend,
    /// Another node sends transactions and reports on them.
    #[error("this uses another node")]
    NewNode,
    /// Tools reach another host.
    #[error("this lets tools reach another host")]
    NewHost,
}

impl LooseningKind {
    /// A change of this kind at a place.
    pub(crate) fn at(self, path: impl Into<String>) -> Loosening {
        Loosening { path: path.into(), kind: self }
    }
}
