//! Who may call what: the user's switch, pages that are connected, and what was decided about a tool for good.

use super::findings::{Findings, quote};
use super::spent::Spent;
use super::{Case, DefinitionStanding, Input, bounds};
use crate::tool::{Category, Definition};
use chains::Amount;
use wire::api::Source;
use wire::policy::{ReasonCode, ToolDecision, ToolRule, Who};

/// While the kill switch is on, nothing is signed, only the user changes anything, and nothing is sent for others.
pub(super) fn kill_switch(case: &Case<'_>, findings: &mut Findings) {
    let input = case.input;
    let reaches_out = !input.outbound.is_empty();
    let stops = input.signing.is_some() || kill_switch_stops(input.tool, reaches_out, input.source);
    if input.rules.kill_switch && stops {
        findings.add(ReasonCode::KillSwitch, None, "Everything is stopped in the settings.".to_owned());
    }
}

/// Whether the kill switch stops a call that signs nothing. What reads by sending a request to a host tells the host
/// something: it is stopped like a change.
pub(crate) fn kill_switch_stops(tool: &Definition, reaches_out: bool, source: &Source) -> bool {
    (reaches_out || tool.category != Category::Read) && *source != Source::User
}

/// A web page asks for nothing before the user let it in.
pub(super) fn connected(case: &Case<'_>, findings: &mut Findings) {
    if let Source::Dapp { origin } = case.input.source
        && !case.input.history.connected.contains(origin)
    {
        findings.add(ReasonCode::NotConnected, None, "This page is not connected.".to_owned());
    }
}

/// What is to be said of the site that asks: a list warns of it, or its name is not what it seems.
pub(super) fn site(case: &Case<'_>, findings: &mut Findings) {
    for reason in &case.input.history.site {
        findings.add(reason.code, None, reason.message.clone());
    }
}

/// A denial beats every other rule about the tool.
pub(super) fn denied(case: &Case<'_>, findings: &mut Findings) {
    if matching(case).any(|rule| rule.decision == ToolDecision::Deny) {
        let message = format!("{} is denied for good.", case.input.tool.name);
        findings.add(ReasonCode::ToolDenied, None, message);
    }
}

/// What the user allowed with other arguments is asked about, also where the sender's hint would spare the tap: the hint
/// is under the user's rules. A bound holds as long as its rule is there.
pub(super) fn outside_bounds(case: &Case<'_>, findings: &mut Findings) {
    if let Standing::Outside(place) = standing(case) {
        let message =
            format!("{} is not what you allowed of {} for good.", quote(place), case.input.tool.name);
        findings.add(ReasonCode::OutsideBounds, None, message);
    }
}

/// A host that the user has not approved for the tool is asked about, also where the tool is allowed.
pub(super) fn new_host(case: &Case<'_>, findings: &mut Findings) {
    let Input { tool, source, history, .. } = case.input;
    for outbound in case.input.outbound.iter().filter(|outbound| outbound.is_new(source, history)) {
        let (name, host) = (&tool.name, quote(&outbound.host));
        let secrets = match outbound.secrets.as_slice() {
            [] => String::new(),
            secrets => format!(" with the secrets {}", secrets.join(", ")),
        };
        findings.add(
            ReasonCode::NewHost,
            None,
            format!("{name} sends to {host}{secrets} for the first time."),
        );
    }
}

/// A definition that others wrote is asked about before it is first used, and when it is another: also where the tool is
/// allowed for good, since what was allowed is not what it is now.
pub(super) fn definition(case: &Case<'_>, findings: &mut Findings) {
    let name = &case.input.tool.name;
    match case.input.definition {
        DefinitionStanding::Own | DefinitionStanding::Allowed => {}
        DefinitionStanding::New => {
            findings.add(ReasonCode::NewTool, None, format!("{name} is called for the first time."));
        }
        DefinitionStanding::Changed => {
            let message = format!("{name} is no longer what you allowed: its server changed it.");
            findings.add(ReasonCode::DefinitionChanged, None, message);
        }
    }
}

/// What the user allowed of the tool for good.
pub(super) enum Standing<'a> {
    /// Nothing.
    None,
    /// It, with other arguments; the place of one that is outside of the bounds.
    Outside(&'a str),
    /// It runs; the record of its bounds' use, by its key, as it is afterwards.
    Allowed(String, Spent),
    /// As much as was used by now, or until an earlier time.
    UsedUp,
}

/// The first permission of such a call with room left. Never speaks of signing: that is approved by its bytes.
pub(super) fn standing<'a>(case: &Case<'a>) -> Standing<'a> {
    let mut standing = Standing::None;
    let now = case.input.now;
    for rule in matching(case).filter(|_| case.input.signing.is_none()) {
        let ToolDecision::Allow { per_day, until, arguments } = &rule.decision else { continue };
        if let Some(bound) = bounds::outside(case.input.arguments, arguments) {
            if matches!(standing, Standing::None) {
                standing = Standing::Outside(&bound.path);
            }
            continue;
        }
        let key = key(rule);
        let spent = case.spent(&key);
        let in_time = until.is_none_or(|until| now < until);
        if in_time && spent.within_day(now) < Amount::from(*per_day) {
            return Standing::Allowed(key, spent.add(now, Amount::from(1)));
        }
        standing = Standing::UsedUp;
    }
    standing
}

/// Under which key the use of a tool rule's bounds is kept.
fn key(rule: &ToolRule) -> String {
    let who = match &rule.who {
        Who::Anybody => "anybody".to_owned(),
        Who::Agent => "agent".to_owned(),
        Who::Dapp { origin } => format!("dapp:{origin}"),
    };
    format!("tool/{}/{who}", rule.tool)
}

fn matching<'a>(case: &Case<'a>) -> impl Iterator<Item = &'a ToolRule> {
    let (tool, source) = (&case.input.tool.name, case.input.source);
    case.input.rules.tools.iter().filter(move |rule| *tool == rule.tool && applies(&rule.who, source))
}

/// Whether a rule about `who` is about this sender.
pub(super) fn applies(who: &Who, source: &Source) -> bool {
    match (who, source) {
        (Who::Anybody, _) | (Who::Agent, Source::Agent { .. }) => true,
        (Who::Dapp { origin }, Source::Dapp { origin: found }) => origin == found,
        (Who::Agent | Who::Dapp { .. }, _) => false,
    }
}
