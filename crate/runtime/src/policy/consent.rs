//! Whether a call that nothing blocks runs at once, or a person is asked.

use super::findings::Findings;
use super::tools::{Standing, standing};
use super::{Case, Signing};
use crate::tool::{Category, Definition};
use wire::api::{Millis, SkipApproval, Source};
use wire::policy::{ReasonCode, Severity, Verdict as Outcome};

/// As long as this the user's consent to the same bytes counts (D3).
const CONSENT: Millis = 10 * 60 * 1000;

/// The verdict on a call that nothing blocks.
pub(super) fn consent(case: &Case<'_>, findings: Findings) -> Outcome {
    match &case.input.signing {
        Some(signing) => signed(case, signing, findings),
        None => plain(case, findings),
    }
}

/// The tool's own demand or the sender's hint asks for a tap, unless the user allowed the tool for good. A risk is asked
/// about in any case.
fn plain(case: &Case<'_>, mut findings: Findings) -> Outcome {
    let risky = findings.gravest() >= Some(Severity::Warn);
    let standing = standing(case);
    let due = match standing {
        Standing::Allowed(..) => None,
        _ => tap(case.input.tool, case.input.auto_execute),
    };
    if let Some(code) = due {
        let name = &case.input.tool.name;
        if matches!(standing, Standing::UsedUp) {
            let message = format!("What was allowed of {name} for good is used up.");
            findings.add(ReasonCode::BoundsUsedUp, None, message);
        }
        let message = match code {
            ReasonCode::ToolAsks => format!("{name} always asks."),
            _ => format!("{name} is not run without a tap."),
        };
        findings.add(code, None, message);
    }
    match due.is_some() || risky {
        true => Outcome::Ask { reasons: findings.into_reasons() },
        false => Outcome::Allow,
    }
}

/// Whether the call counts against what the user allowed of the tool: it does where it would be asked about otherwise.
pub(super) fn permission<'a>(case: &Case<'a>) -> Standing<'a> {
    match tap(case.input.tool, case.input.auto_execute) {
        Some(_) => standing(case),
        None => Standing::None,
    }
}

/// Why a tap is due. The hint can spare the tap for a tool that does not demand one, and nothing else; category and
/// consequence demand nothing by themselves (T000-7, T000-8, D2). What is about the sender's own records is no change of the
/// user's, and needs no tap either.
fn tap(tool: &Definition, auto_execute: Option<bool>) -> Option<ReasonCode> {
    match auto_execute {
        _ if tool.requires_confirmation => Some(ReasonCode::ToolAsks),
        Some(true) => None,
        None if tool.category == Category::Read || tool.own_records => None,
        Some(false) | None => Some(ReasonCode::TapWanted),
    }
}

/// Signing is always asked about, unless the sender's wish to skip that is one that the user honours (D3).
fn signed(case: &Case<'_>, signing: &Signing<'_>, mut findings: Findings) -> Outcome {
    let approved = case.input.history.consents.iter().any(|consent| {
        let age = case.input.now.checked_sub(consent.at);
        consent.digest == signing.digest && age.is_some_and(|age| age <= CONSENT)
    });
    let risky = findings.gravest() >= Some(Severity::Warn);
    let honoured = match (signing.setting, case.input.source) {
        (SkipApproval::Never, _) | (_, Source::Dapp { .. }) => false,
        // The user saw these bytes with the same warnings.
        (SkipApproval::Confirmed, Source::Agent { .. } | Source::User) => approved,
        (SkipApproval::Always, Source::Agent { .. }) => !risky,
        (SkipApproval::Always, Source::User) => false,
    };
    if signing.skip_approval && honoured {
        return Outcome::Allow;
    }
    let what = if case.input.tool.name == "sign_message" { "A message is" } else { "Transactions are" };
    findings.add(ReasonCode::Signing, None, format!("{what} to be signed."));
    if approved {
        let message = "The same bytes were approved within the last ten minutes.".to_owned();
        findings.add(ReasonCode::AlreadyApproved, None, message);
    }
    Outcome::Ask { reasons: findings.into_reasons() }
}
