//! Whether a change of the user's rules lets more happen than before. Pure.
//!
//! A change that loosens nothing keeps every restriction: under the new rules no call gets a milder verdict than under
//! the old ones. Where two rules cannot be compared, the change counts as loosening.

use super::bounds::at_least_as_tight;
use super::transaction::digits;
use crate::loosening::{Loosening, LooseningKind as Kind};
use wire::api::Millis;
use wire::policy::{Limit, ListedAddress, Policy as Rules, ToolDecision, ToolRule, Who};

/// The first way in which `new` lets more happen than `old`; both in canonical spelling.
pub fn loosens(old: &Rules, new: &Rules) -> Option<Loosening> {
    if old.kill_switch && !new.kill_switch {
        return Some(Kind::KillSwitchOff.at("/killSwitch"));
    }
    old.limits
        .iter()
        .find_map(|limit| limit_loosened(limit, &new.limits))
        .or_else(|| list_loosened("/recipients", old.recipients.as_deref(), new.recipients.as_deref()))
        .or_else(|| list_loosened("/contracts", old.contracts.as_deref(), new.contracts.as_deref()))
        .or_else(|| tools_loosened(&old.tools, &new.tools))
}

/// What was spent is counted by a limit's id: under another id the count would begin anew.
fn limit_loosened(old: &Limit, new: &[Limit]) -> Option<Loosening> {
    let same = |limit: &Limit| limit.id == old.id && limit.chain == old.chain && limit.token == old.token;
    let Some((index, limit)) = new.iter().enumerate().find(|(_, limit)| same(limit)) else {
        return Some(Kind::LimitRemoved.at("/limits"));
    };
    let at = |field: &str| format!("/limits/{index}/{field}");
    if !covers(&limit.who, &old.who) {
        return Some(Kind::LimitNarrowed.at(at("who")));
    }
    let amounts = [
        ("perTransaction", &old.per_transaction, &limit.per_transaction),
        ("perDay", &old.per_day, &limit.per_day),
    ];
    let raised = amounts.into_iter().find(|(_, old, new)| is_raised(old.as_deref(), new.as_deref()));
    raised.map(|(field, ..)| Kind::LimitRaised.at(at(field)))
}

/// Whether a rule about `wide` is also about everyone whom a rule about `narrow` is about.
fn covers(wide: &Who, narrow: &Who) -> bool {
    *wide == Who::Anybody || wide == narrow
}

/// An amount that cannot be read blocks everything: nothing is stricter.
fn is_raised(old: Option<&str>, new: Option<&str>) -> bool {
    match (old, new) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(old), Some(new)) if old == new => false,
        (Some(old), Some(new)) => match (digits(old), digits(new)) {
            (Ok(old), Ok(new)) => new > old,
            (_, Err(_)) => false,
            (Err(_), Ok(_)) => true,
        },
    }
}

fn list_loosened(
    path: &str,
    old: Option<&[ListedAddress]>,
    new: Option<&[ListedAddress]>,
) -> Option<Loosening> {
    let old = old?;
    let Some(new) = new else { return Some(Kind::ListRemoved.at(path)) };
    let added = new.iter().position(|entry| !old.contains(entry));
    added.map(|index| Kind::AddressAllowed.at(format!("{path}/{index}")))
}

fn tools_loosened(old: &[ToolRule], new: &[ToolRule]) -> Option<Loosening> {
    let denies = |rule: &&ToolRule| rule.decision == ToolDecision::Deny;
    let kept = |denial: &ToolRule| {
        new.iter().filter(denies).any(|rule| rule.tool == denial.tool && covers(&rule.who, &denial.who))
    };
    if !old.iter().filter(denies).all(kept) {
        return Some(Kind::DenialLifted.at("/tools"));
    }
    // A call outside of a permission's bounds is asked about also where its sender says otherwise: without the bounds it
    // might not be.
    let held = |bounded: &ToolRule| match &bounded.decision {
        ToolDecision::Allow { arguments: bounds, .. } if !bounds.is_empty() => new.iter().any(|rule| {
            let about = rule.tool == bounded.tool && covers(&rule.who, &bounded.who);
            about
                && match &rule.decision {
                    ToolDecision::Deny => true,
                    ToolDecision::Allow { arguments, .. } => at_least_as_tight(arguments, bounds),
                }
        }),
        _ => true,
    };
    let allowed = |rule: &ToolRule| {
        match &rule.decision {
        ToolDecision::Deny => true,
        // What was used is counted by tool and sender.
        ToolDecision::Allow { per_day, until, arguments } => old.iter().any(|before| {
            let same = before.tool == rule.tool && before.who == rule.who;
            same && matches!(&before.decision, ToolDecision::Allow { per_day: most, until: end, arguments: bounds }
                if per_day <= most && ends_by(*until, *end) && at_least_as_tight(arguments, bounds))
        }),
    }
    };
    let added = new.iter().position(|rule| !allowed(rule));
    let added = added.map(|index| Kind::ToolAllowed.at(format!("/tools/{index}")));
    added.or_else(|| (!old.iter().all(held)).then(|| Kind::BoundLifted.at("/tools")))
}

/// Whether what holds until `until` has ended by `end`; `None` is for ever.
fn ends_by(until: Option<Millis>, end: Option<Millis>) -> bool {
    end.is_none_or(|end| until.is_some_and(|until| until <= end))
}
