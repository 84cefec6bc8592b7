//! What the rules found, as it is told: one line for each risk of each step, the gravest first.

use chains::encoding::readable;
use wire::policy::{Reason, ReasonCode, Severity};

/// More lines than a person reads: what has more is refused, so that no warning hides behind others.
pub(super) const MAX_REASONS: usize = 100;

/// The longest quotation of a sender's text in a message.
const MAX_QUOTE: usize = 100;

/// How many findings of the same kind in the same step are told in words; of the others the number is told.
const MAX_TOLD: u32 = 3;

/// Collects what the rules find.
#[derive(Debug, Default)]
pub(super) struct Findings(Vec<Line>);

/// Every finding of one kind in one step.
#[derive(Debug)]
struct Line {
    reason: Reason,
    count: u32,
}

impl Findings {
    /// A finding about one step, or about the whole call.
    pub(super) fn add(&mut self, code: ReasonCode, sequence: Option<u32>, message: String) {
        let same = |line: &&mut Line| line.reason.code == code && line.reason.sequence == sequence;
        if let Some(line) = self.0.iter_mut().find(same) {
            line.add(&message);
            return;
        }
        let reason = Reason { code, severity: severity(code), message, sequence };
        let place = self.0.partition_point(|graver| rank(graver.reason.code) <= rank(code));
        self.0.insert(place, Line { reason, count: 1 });
    }

    /// How grave the gravest is.
    pub(super) fn gravest(&self) -> Option<Severity> {
        self.0.first().map(|line| line.reason.severity)
    }

    /// How many lines warn or block. What only informs hides nothing: it stands behind them.
    pub(super) fn warnings(&self) -> usize {
        self.0.iter().filter(|line| line.reason.severity >= Severity::Warn).count()
    }

    /// All of them, gravest first: a call that is blocked ends with the first one's code.
    pub(super) fn into_reasons(self) -> Vec<Reason> {
        self.0.into_iter().map(Line::told).take(MAX_REASONS).collect()
    }
}

impl Line {
    /// The same sentence twice is one finding.
    fn add(&mut self, message: &str) {
        if self.count <= MAX_TOLD && self.reason.message.contains(message) {
            return;
        }
        self.count = self.count.saturating_add(1);
        if self.count <= MAX_TOLD {
            self.reason.message.push(' ');
            self.reason.message.push_str(message);
        }
    }

    fn told(mut self) -> Reason {
        if let Some(more @ 1..) = self.count.checked_sub(MAX_TOLD) {
            self.reason.message.push_str(&format!(" And {more} more of the kind."));
        }
        self.reason
    }
}

/// Where a finding stands among the others: the gravest first.
fn rank(code: ReasonCode) -> (std::cmp::Reverse<Severity>, usize) {
    let place = GRAVEST_FIRST.iter().position(|graver| *graver == code).unwrap_or(GRAVEST_FIRST.len());
    (std::cmp::Reverse(severity(code)), place)
}

/// Of the same severity, these come first, in this order: what can cost everything, then what can cost what is at stake.
const GRAVEST_FIRST: &[ReasonCode] = &[
    ReasonCode::KillSwitch,
    ReasonCode::NotConnected,
    ReasonCode::ListedSite,
    ReasonCode::ToolDenied,
    ReasonCode::TooManyRisks,
    ReasonCode::Contradiction,
    ReasonCode::LookAlikeSite,
    ReasonCode::MixedScripts,
    ReasonCode::PageGone,
    ReasonCode::EncodedName,
    ReasonCode::UnlimitedApproval,
    ReasonCode::LookAlike,
    ReasonCode::ReplacedContact,
    ReasonCode::UnknownSpender,
    ReasonCode::UnknownCalldata,
    ReasonCode::UnweighedEffect,
    ReasonCode::UnknownToken,
    ReasonCode::FreshContact,
    ReasonCode::FirstTimeRecipient,
    ReasonCode::NewHost,
    ReasonCode::DefinitionChanged,
    ReasonCode::NewTool,
    ReasonCode::OutsideBounds,
];

/// How grave each finding is: the one place that says so.
pub(crate) const fn severity(code: ReasonCode) -> Severity {
    match code {
        ReasonCode::TapWanted
        | ReasonCode::ToolAsks
        | ReasonCode::Signing
        | ReasonCode::Unverified
        | ReasonCode::BoundsUsedUp
        | ReasonCode::NotChecked
        | ReasonCode::NewSite
        | ReasonCode::AlreadyApproved => Severity::Info,
        ReasonCode::UnlimitedApproval
        | ReasonCode::LongLasting
        | ReasonCode::DoubtfulSignIn
        | ReasonCode::HiddenCharacters
        | ReasonCode::AnyChain
        | ReasonCode::FirstTimeRecipient
        | ReasonCode::LookAlike
        | ReasonCode::FreshContact
        | ReasonCode::ReplacedContact
        | ReasonCode::UnknownSpender
        | ReasonCode::UnknownToken
        | ReasonCode::UnknownCalldata
        | ReasonCode::UnweighedEffect
        | ReasonCode::HighFee
        | ReasonCode::FeeUnknown
        | ReasonCode::SimulationFailed
        | ReasonCode::TrialLosesMore
        | ReasonCode::TrialGivesLess
        | ReasonCode::LowMinimumOutput
        | ReasonCode::TrialDisagrees
        | ReasonCode::InsufficientBalance
        | ReasonCode::NonceGap
        | ReasonCode::DuplicateBundle
        | ReasonCode::OutsideBounds
        | ReasonCode::NewHost
        | ReasonCode::NewTool
        | ReasonCode::DefinitionChanged
        | ReasonCode::LookAlikeSite
        | ReasonCode::MixedScripts
        | ReasonCode::EncodedName
        | ReasonCode::PageGone
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
        | ReasonCode::ListedSite
        | ReasonCode::TooManyRisks
        | ReasonCode::RuleError => Severity::Block,
    }
}

/// A sender's text inside a message of ours: cut where it is long, in hex where it could deceive.
pub(super) fn quote(text: &str) -> String {
    let cut: String = text.chars().take(MAX_QUOTE).collect();
    let rest = if cut.len() < text.len() { "…" } else { "" };
    format!("“{}{rest}”", readable(cut.as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Many steps without a node's word are no many warnings, and none of the warnings is cut off by them.
    #[test]
    fn what_informs_is_not_counted() {
        let mut findings = Findings::default();
        for step in 0..150 {
            findings.add(ReasonCode::NotChecked, Some(step), "No node answered.".to_owned());
        }
        for step in 0..3 {
            findings.add(ReasonCode::FirstTimeRecipient, Some(step), "Nothing was sent before.".to_owned());
        }
        assert_eq!(findings.warnings(), 3);
        let reasons = findings.into_reasons();
        assert_eq!(reasons.len(), MAX_REASONS);
        assert!(reasons.iter().take(3).all(|reason| reason.severity == Severity::Warn));
    }
}
