//! Which changes of the rules need the password.

use super::properties::{rules, severity, world};
use super::*;
use crate::loosening::LooseningKind as Kind;
use crate::policy::{Spent, loosens};
use chains::Amount;
use proptest::prelude::*;
use proptest::sample::select;

fn deny(who: Who) -> ToolRule {
    rule(who, ToolDecision::Deny)
}

fn page() -> Who {
    Who::Dapp { origin: ORIGIN.to_owned() }
}

/// A limit and a rule of every kind.
fn usual() -> Policy {
    Policy {
        kill_switch: false,
        limits: vec![limit(Who::Agent, None, Some(10), Some(100))],
        recipients: listed(&[("Ethereum", ALICE), ("Base", OWN)]),
        contracts: listed(&[("Ethereum", ROUTER)]),
        tools: vec![
            rule(Who::Agent, allow(5, Some(NOW))),
            ToolRule { tool: "other".to_owned(), ..deny(page()) },
        ],
    }
}

/// A name, a change of the usual rules, and what it loosens.
type Change = (&'static str, fn(&mut Policy), Option<(&'static str, Kind)>);

const CHANGES: &[Change] = &[
    ("nothing", |_| {}, None),
    ("stop everything", |new| new.kill_switch = true, None),
    // Limits.
    ("one more limit", |new| new.limits.push(Limit { id: "l2".to_owned(), ..new.limits[0].clone() }), None),
    ("no limit", |new| new.limits.clear(), Some(("/limits", Kind::LimitRemoved))),
    ("another id", |new| new.limits[0].id = "l2".to_owned(), Some(("/limits", Kind::LimitRemoved))),
    ("another chain", |new| new.limits[0].chain = "Base".to_owned(), Some(("/limits", Kind::LimitRemoved))),
    (
        "another token",
        |new| new.limits[0].token = Some(USDC.to_owned()),
        Some(("/limits", Kind::LimitRemoved)),
    ),
    ("for everyone", |new| new.limits[0].who = Who::Anybody, None),
    ("for a page", |new| new.limits[0].who = page(), Some(("/limits/0/who", Kind::LimitNarrowed))),
    ("lower", |new| new.limits[0].per_transaction = Some("9".to_owned()), None),
    (
        "higher",
        |new| new.limits[0].per_transaction = Some("11".to_owned()),
        Some(("/limits/0/perTransaction", Kind::LimitRaised)),
    ),
    (
        "more digits, and less as a text",
        |new| new.limits[0].per_day = Some("1000".to_owned()),
        Some(("/limits/0/perDay", Kind::LimitRaised)),
    ),
    ("no daily limit", |new| new.limits[0].per_day = None, Some(("/limits/0/perDay", Kind::LimitRaised))),
    (
        "at another place",
        |new| {
            let other = Limit { id: "l2".to_owned(), ..new.limits[0].clone() };
            new.limits[0].per_day = Some("101".to_owned());
            new.limits.insert(0, other);
        },
        Some(("/limits/1/perDay", Kind::LimitRaised)),
    ),
    // Lists.
    ("a recipient less", |new| new.recipients = listed(&[("Ethereum", ALICE)]), None),
    ("no recipient at all", |new| new.recipients = Some(Vec::new()), None),
    ("every recipient", |new| new.recipients = None, Some(("/recipients", Kind::ListRemoved))),
    (
        "another recipient",
        |new| new.recipients = listed(&[("Base", OWN), ("Ethereum", STRANGER)]),
        Some(("/recipients/1", Kind::AddressAllowed)),
    ),
    ("every contract", |new| new.contracts = None, Some(("/contracts", Kind::ListRemoved))),
    (
        "a contract on another chain",
        |new| new.contracts = listed(&[("Base", ROUTER)]),
        Some(("/contracts/0", Kind::AddressAllowed)),
    ),
    // Tools.
    ("no permission", |new| drop(new.tools.remove(0)), None),
    ("a denial instead of a permission", |new| new.tools[0] = deny(Who::Agent), None),
    ("denied to everyone", |new| new.tools[1].who = Who::Anybody, None),
    ("no denial", |new| drop(new.tools.remove(1)), Some(("/tools", Kind::DenialLifted))),
    ("denied to another", |new| new.tools[1].who = Who::Agent, Some(("/tools", Kind::DenialLifted))),
    (
        "a permission instead of a denial",
        |new| new.tools[1].decision = allow(1, None),
        Some(("/tools", Kind::DenialLifted)),
    ),
    ("less often, not as long", |new| new.tools[0].decision = allow(4, Some(NOW - 1)), None),
    ("more often", |new| new.tools[0].decision = allow(6, Some(NOW)), Some(("/tools/0", Kind::ToolAllowed))),
    (
        "for longer",
        |new| new.tools[0].decision = allow(5, Some(NOW + 1)),
        Some(("/tools/0", Kind::ToolAllowed)),
    ),
    ("for ever", |new| new.tools[0].decision = allow(5, None), Some(("/tools/0", Kind::ToolAllowed))),
    ("to everyone", |new| new.tools[0].who = Who::Anybody, Some(("/tools/0", Kind::ToolAllowed))),
    ("another tool", |new| new.tools[0].tool = "third".to_owned(), Some(("/tools/0", Kind::ToolAllowed))),
    (
        "one more permission",
        |new| new.tools.push(rule(Who::Anybody, allow(1, Some(NOW)))),
        Some(("/tools/2", Kind::ToolAllowed)),
    ),
];

#[test]
fn loosening_changes_are_told_with_their_place() {
    for (name, change, expected) in CHANGES {
        let (old, mut new) = (usual(), usual());
        change(&mut new);
        assert_eq!(loosens(&old, &new), expected.map(|(path, kind)| kind.at(path)), "{name}");
    }
    let stopped = Policy { kill_switch: true, ..usual() };
    assert_eq!(loosens(&stopped, &usual()), Some(Kind::KillSwitchOff.at("/killSwitch")));
}

#[test]
fn first_rules_loosen_nothing_but_permissions() {
    let mut first = usual();
    assert_eq!(loosens(&Policy::default(), &first), Some(Kind::ToolAllowed.at("/tools/0")));
    first.tools.remove(0);
    assert_eq!(loosens(&Policy::default(), &first), None);
}

/// An amount about as large as what is moved.
fn near() -> impl Strategy<Value = Option<String>> {
    prop::option::weighted(0.7, (0_u64..12).prop_map(|amount| amount.to_string()))
}

fn a_sender() -> impl Strategy<Value = Who> {
    prop_oneof![Just(Who::Anybody), Just(Who::Agent), Just(page())]
}

/// A limit that what is moved may break.
fn a_near_limit() -> impl Strategy<Value = Limit> {
    let asset = prop::option::weighted(0.3, Just(USDC.to_owned()));
    (select(vec!["a", "b"]), a_sender(), asset, near(), near()).prop_map(
        |(id, who, token, per_transaction, per_day)| Limit {
            id: id.to_owned(),
            who,
            chain: "Ethereum".to_owned(),
            token,
            per_transaction,
            per_day,
        },
    )
}

fn a_near_list() -> impl Strategy<Value = Option<Vec<ListedAddress>>> {
    let entry =
        select(vec![("Ethereum", ALICE), ("Base", ALICE), ("Ethereum", STRANGER), ("Ethereum", ROUTER)]);
    prop::option::weighted(0.4, prop::collection::vec(entry, 0..4)).prop_map(|list| listed(&list?))
}

fn a_near_rule() -> impl Strategy<Value = ToolRule> {
    let until = select(vec![None, Some(NOW - 1), Some(NOW + 1)]);
    let decision = prop_oneof![
        1 => Just(ToolDecision::Deny),
        4 => (0_u32..4, until).prop_map(|(per_day, until)| allow(per_day, until)),
    ];
    (a_sender(), decision).prop_map(|(who, decision)| rule(who, decision))
}

/// Rules under which the verdict on [`a_call`] hangs on their details. Told apart by id or by sender, as rules that were
/// checked are.
fn near_rules() -> impl Strategy<Value = Policy> {
    let limits = prop::collection::vec(a_near_limit(), 0..3);
    let tools = prop::collection::vec(a_near_rule(), 0..3);
    (prop::bool::weighted(0.05), limits, a_near_list(), a_near_list(), tools).prop_map(
        |(kill_switch, mut limits, recipients, contracts, mut tools)| {
            limits.dedup_by(|one, other| one.id == other.id);
            tools.dedup_by(|one, other| one.who == other.who);
            Policy { kill_switch, limits, recipients, contracts, tools }
        },
    )
}

/// A payment, a call of a contract or of a tool by anyone, with something used of every limit.
fn a_call() -> impl Strategy<Value = World> {
    let source = select(vec![agent(), Source::User, dapp()]);
    let effect =
        (select(vec![ALICE, STRANGER]), 0_u64..12, 0..3).prop_map(|(to, amount, which)| match which {
            0 => transfer(to, amount),
            1 => send_token(to, amount),
            _ => call(0),
        });
    let steps = prop::option::of(prop::collection::vec(effect, 1..3));
    let used = prop::collection::vec(0_u64..4, 5);
    (source, steps, used, near_rules()).prop_map(|(source, effects, used, rules)| {
        let steps = effects.map(|effects| vec![step(1, &effects)]);
        let mut world = World { source, steps, rules, ..World::calling(Category::Write) };
        let keys = [
            "limit/a",
            "limit/b",
            "tool/tool/agent",
            "tool/tool/anybody",
            "tool/tool/dapp:https://example.org",
        ];
        for (key, used) in keys.into_iter().zip(used) {
            let spent = Spent::default().add(NOW, Amount::from(used));
            world.history.spent.insert(key.to_owned(), spent);
        }
        world
    })
}

/// How the limits change.
#[derive(Debug, Clone, Copy)]
enum LimitChange {
    None,
    All,
    Amounts,
    Ids,
    Senders,
}

/// Other limits, in part the same.
fn changed_limits(limits: &[Limit], other: Vec<Limit>, change: LimitChange) -> Vec<Limit> {
    let changed = |(old, new): (&Limit, Limit)| {
        let old = old.clone();
        match change {
            LimitChange::Amounts => {
                Limit { per_transaction: new.per_transaction, per_day: new.per_day, ..old }
            }
            LimitChange::Ids => Limit { id: new.id, ..old },
            _ => Limit { who: new.who, ..old },
        }
    };
    match change {
        LimitChange::None => limits.to_vec(),
        LimitChange::All => other,
        _ => limits.iter().zip(other).map(changed).collect(),
    }
}

/// Other rules, in part the same.
fn changed(rules: &Policy, other: Policy, limits: LimitChange, kept: [bool; 4]) -> Policy {
    let [switch, recipients, contracts, tools] = kept;
    Policy {
        kill_switch: if switch { rules.kill_switch } else { other.kill_switch },
        limits: changed_limits(&rules.limits, other.limits, limits),
        recipients: if recipients { rules.recipients.clone() } else { other.recipients },
        contracts: if contracts { rules.contracts.clone() } else { other.contracts },
        tools: if tools { rules.tools.clone() } else { other.tools },
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    /// Either the password is asked for, or no call gets a milder verdict than before.
    #[test]
    fn what_loosens_nothing_allows_nothing_new(
        before in a_call(),
        other in near_rules(),
        limits in select(vec![LimitChange::None, LimitChange::All, LimitChange::Amounts, LimitChange::Ids, LimitChange::Senders]),
        kept in prop::array::uniform4(prop::bool::weighted(0.8)),
    ) {
        let after = World { rules: changed(&before.rules, other, limits, kept), ..before.clone() };
        if loosens(&before.rules, &after.rules).is_none() {
            prop_assert!(severity(&after.verdict()) >= severity(&before.verdict()));
        }
    }

    /// The same over any rules and any bundles, however malformed.
    #[test]
    fn malformed_rules_loosen_or_allow_nothing_new(before in world(), other in rules()) {
        let after = World { rules: other, ..before.clone() };
        if loosens(&before.rules, &after.rules).is_none() {
            prop_assert!(severity(&after.verdict()) >= severity(&before.verdict()));
        }
    }

    /// A laxer answer to wishes to skip the approval is one that lets more through, unless the very bytes were approved
    /// just before: then `confirmed` is the one that skips.
    #[test]
    fn stricter_skip_approval_allows_nothing_new(mut before in world()) {
        before.history.consents.clear();
        let order = [SkipApproval::Never, SkipApproval::Confirmed, SkipApproval::Always];
        let verdicts = order.map(|setting| severity(&World { setting, ..before.clone() }.verdict()));
        prop_assert!(verdicts.is_sorted_by(|stricter, laxer| stricter >= laxer), "{verdicts:?}");
    }
}
