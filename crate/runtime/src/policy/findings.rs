//! What the rules found, as it is told.

use chains::encoding::readable;
use wire::policy::{Reason, ReasonCode, Severity};

/// More reasons are cut; the gravest are kept.
const MAX_REASONS: usize = 100;

/// The longest quotation of a sender's text in a message.
const MAX_QUOTE: usize = 100;

/// Collects what the rules find.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Reason>);

impl Findings {
    /// A finding about one step, or about the whole call.
    pub(super) fn add(&mut self, code: ReasonCode, sequence: Option<u32>, message: String) {
        let reason = Reason { code, severity: severity(code), message, sequence };
        if !self.0.contains(&reason) {
            let place = self.0.partition_point(|graver| graver.severity >= reason.severity);
            self.0.insert(place, reason);
        }
    }

    /// How grave the gravest is.
    pub(super) fn gravest(&self) -> Option<Severity> {
        self.0.first().map(|reason| reason.severity)
    }

    /// All of them, gravest first: a call that is blocked ends with the first one's code.
    pub(super) fn into_reasons(mut self) -> Vec<Reason> {
        self.0.truncate(MAX_REASONS);
        self.0
    }
}

/// How grave each finding is: the one place that says so.
const fn severity(code: ReasonCode) -> Severity {
    match code {
        ReasonCode::TapWanted
        | ReasonCode::ToolAsks
        | ReasonCode::Signing
        | ReasonCode::Unverified
        | ReasonCode::BoundsUsedUp
        | ReasonCode::NotChecked
        | ReasonCode::AlreadyApproved => Severity::Info,
        ReasonCode::UnlimitedApproval
        | ReasonCode::FirstTimeRecipient
        | ReasonCode::LookAlike
        | ReasonCode::FreshContact
        | ReasonCode::UnknownCalldata
        | ReasonCode::UnweighedEffect
        | ReasonCode::HighFee
        | ReasonCode::SimulationFailed
        | ReasonCode::TrialLosesMore
        | ReasonCode::TrialGivesLess
        | ReasonCode::LowMinimumOutput
        | ReasonCode::TrialDisagrees
        | ReasonCode::InsufficientBalance
        | ReasonCode::NonceGap
        | ReasonCode::DuplicateBundle
        | ReasonCode::ContractCreation => Severity::Warn,
        ReasonCode::Contradiction
        | ReasonCode::NotOwned
        | ReasonCode::ChainMismatch
        | ReasonCode::OverTransactionLimit
        | ReasonCode::OverDailyLimit
        | ReasonCode::RecipientNotAllowed
        | ReasonCode::ContractNotAllowed
        | ReasonCode::KillSwitch
        | ReasonCode::ToolDenied
        | ReasonCode::NotConnected
        | ReasonCode::RuleError => Severity::Block,
    }
}

/// A sender's text inside a message of ours: cut where it is long, in hex where it could deceive.
pub(super) fn quote(text: &str) -> String {
    let cut: String = text.chars().take(MAX_QUOTE).collect();
    let rest = if cut.len() < text.len() { "…" } else { "" };
    format!("“{}{rest}”", readable(cut.as_bytes()))
}
