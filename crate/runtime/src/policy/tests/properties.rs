//! What holds for every input: random texts, and texts close to valid ones.

use super::*;
use proptest::prelude::*;
use proptest::sample::select;

fn text() -> impl Strategy<Value = String> {
    let near = [
        OWN, OWN_BTC, ALICE, MALLORY, STRANGER, ROUTER, USDC, ORIGIN, "Ethereum", "Base", "Bitcoin", "Ton",
        "0", "1", "memo",
    ];
    prop_oneof![6 => select(near.to_vec()).prop_map(str::to_owned), 1 => ".{0,12}"]
}

fn address() -> impl Strategy<Value = String> {
    prop_oneof![9 => select(vec![OWN, ALICE, MALLORY, STRANGER, ROUTER]).prop_map(str::to_owned), 1 => text()]
}

fn chain() -> impl Strategy<Value = String> {
    prop_oneof![20 => select(vec!["Ethereum", "Base"]).prop_map(str::to_owned), 1 => text()]
}

fn quantity() -> impl Strategy<Value = Quantity> {
    prop_oneof![30 => (0_u64..20).prop_map(units), 1 => "[0-9]{70,80}".prop_map(units), 1 => text().prop_map(units)]
}

fn asset() -> impl Strategy<Value = Asset> {
    prop_oneof![
        Just(native()),
        Just(token()),
        Just(of_contract(TokenContract::Unknown)),
        text().prop_map(|id| Asset::Token {
            id,
            ticker: None,
            source: None,
            contract: TokenContract::Ledger,
            agent_ticker: None
        }),
        (text(), text()).prop_map(|(collection, id)| Asset::Item { collection, id }),
    ]
}

fn effect() -> impl Strategy<Value = Effect> {
    let parts = (asset(), address(), address(), quantity(), any::<bool>(), text(), 0_usize..12);
    parts.prop_map(|(asset, to, from, amount, flag, name, which)| match which {
        0 => Effect::Transfer { asset, to, amount },
        1 => Effect::TransferFrom { asset, from, to, amount },
        2 => Effect::Change { to, amount },
        3 => Effect::Approve { asset, spender: to, amount, unlimited: flag },
        4 => Effect::ApproveAll { collection: from, operator: to, approved: flag },
        5 => Effect::Swap {
            provider: (!name.is_empty()).then_some(name),
            router: to,
            sell: asset,
            amount,
            buy: None,
            bought: None,
            minimum_out: Some("1".to_owned()),
            minimum_shown: None,
            recipient: flag.then_some(from),
        },
        6 => Effect::Call { contract: to, value: amount, signature: name, arguments: Vec::new() },
        7 => Effect::UnknownCall { contract: to, value: amount, selector: None, bytes: 4 },
        8 => Effect::Create { value: amount, bytes: 1 },
        9 => other(&name),
        10 => note(&name),
        _ => Effect::Unknown { what: name, bytes: 1 },
    })
}

fn steps() -> impl Strategy<Value = Option<Vec<Step>>> {
    let one = (
        chain(),
        prop_oneof![20 => Just(OWN.to_owned()), 1 => text()],
        prop::collection::vec(effect(), 0..4),
    );
    let target = prop::option::of(address());
    let rest = (target, prop::option::of(quantity()), prop::bool::weighted(0.05), any::<bool>());
    let step = (one, rest).prop_map(|((chain, from, effects), (target, fee, lies, doubts))| {
        let mut step = on(&chain, &from, 0, &effects);
        let decoded = &mut step.transactions[0];
        (decoded.explanation.target, decoded.explanation.fee) = (target, fee);
        decoded.contradictions.extend(lies.then(contradiction));
        decoded.unverified.extend(doubts.then(|| "contract_name".to_owned()));
        step
    });
    let numbered = prop::collection::vec(step, 0..4).prop_map(|mut steps| {
        for (sequence, step) in (0..).zip(&mut steps) {
            step.sequence = sequence;
        }
        steps
    });
    prop::option::weighted(0.9, numbered)
}

fn who() -> impl Strategy<Value = Who> {
    prop_oneof![Just(Who::Anybody), Just(Who::Agent), text().prop_map(|origin| Who::Dapp { origin })]
}

fn a_limit() -> impl Strategy<Value = Limit> {
    let amount = || prop::option::of(quantity().prop_map(|quantity| quantity.units));
    (text(), who(), chain(), prop::option::of(text()), amount(), amount()).prop_map(
        |(id, who, chain, token, per_transaction, per_day)| Limit {
            id,
            who,
            chain,
            token,
            per_transaction,
            per_day,
        },
    )
}

fn a_list() -> impl Strategy<Value = Vec<ListedAddress>> {
    let entry = (chain(), address()).prop_map(|(chain, address)| ListedAddress { chain, address });
    prop::collection::vec(entry, 0..5)
}

fn a_rule() -> impl Strategy<Value = ToolRule> {
    let decision = prop_oneof![
        1 => Just(ToolDecision::Deny),
        4 => (0_u32..3, prop::option::of(any::<u64>())).prop_map(|(per_day, until)| allow(per_day, until)),
    ];
    (who(), decision).prop_map(|(who, decision)| rule(who, decision))
}

pub(super) fn rules() -> impl Strategy<Value = Policy> {
    let lists = (prop::option::weighted(0.2, a_list()), prop::option::weighted(0.2, a_list()));
    let limits = prop::collection::vec(a_limit(), 0..2);
    (prop::bool::weighted(0.05), limits, lists, prop::collection::vec(a_rule(), 0..2)).prop_map(
        |(kill_switch, limits, (recipients, contracts), tools)| Policy {
            kill_switch,
            limits,
            recipients,
            contracts,
            tools,
        },
    )
}

prop_compose! {
    fn history()(
        payees in prop::collection::btree_set((chain(), address()), 0..3),
        contacts in prop::collection::vec((chain(), address(), any::<bool>()), 0..3),
        own in prop::collection::vec((chain(), address()), 0..2),
        consented: bool,
        connected in prop::bool::weighted(0.9),
    ) -> History {
        let contact = |(chain, address, confirmed)| {
            KnownContact { chain, address, title: String::new(), confirmed, replaces: None }
        };
        History {
            payees: payees.into_iter().collect(),
            contacts: contacts.into_iter().map(contact).collect(),
            own,
            consents: if consented { consent(MINUTE) } else { Vec::new() },
            connected: connected.then(|| ORIGIN.to_owned()).into_iter().collect(),
            ..History::default()
        }
    }
}

prop_compose! {
    pub(super) fn world()(
        category in select(vec![Category::Read, Category::Write]),
        auto_execute: Option<bool>,
        source in select(vec![agent(), Source::User, dapp()]),
        steps in steps(),
        skip_approval in prop::bool::weighted(0.8),
        setting in select(vec![SkipApproval::Confirmed, SkipApproval::Always, SkipApproval::Never]),
        rules in rules(),
        history in history(),
    ) -> World {
        World { auto_execute, source, steps, skip_approval, setting, rules, history, ..World::calling(category) }
    }
}

pub(super) fn severity(verdict: &Verdict) -> u8 {
    match verdict {
        Verdict::Allow => 0,
        Verdict::Ask { .. } => 1,
        Verdict::Block { .. } => 2,
    }
}

/// Something that can only forbid.
#[derive(Debug, Clone)]
enum Restriction {
    KillSwitch,
    Limit(Limit),
    Recipients(Vec<ListedAddress>),
    Contracts(Vec<ListedAddress>),
    Deny(Who),
    Lie,
    Risk,
}

fn restriction() -> impl Strategy<Value = Restriction> {
    prop_oneof![
        Just(Restriction::KillSwitch),
        a_limit().prop_map(Restriction::Limit),
        a_list().prop_map(Restriction::Recipients),
        a_list().prop_map(Restriction::Contracts),
        who().prop_map(Restriction::Deny),
        Just(Restriction::Lie),
        Just(Restriction::Risk),
    ]
}

fn restrict(world: &mut World, restriction: Restriction) {
    let rules = &mut world.rules;
    let first = world.steps.iter_mut().flatten().next();
    match restriction {
        Restriction::KillSwitch => rules.kill_switch = true,
        Restriction::Limit(limit) => rules.limits.push(limit),
        Restriction::Recipients(list) => rules.recipients = rules.recipients.take().or(Some(list)),
        Restriction::Contracts(list) => rules.contracts = rules.contracts.take().or(Some(list)),
        Restriction::Deny(who) => rules.tools.push(rule(who, ToolDecision::Deny)),
        Restriction::Lie => {
            first.into_iter().for_each(|step| step.transactions[0].contradictions.push(contradiction()))
        }
        Restriction::Risk => {
            first
                .into_iter()
                .for_each(|step| step.transactions[0].explanation.effects.push(unknown_call(ROUTER, 0)));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    /// Every input gets a verdict: no panic, reasons with every question and block, and few of them.
    #[test]
    fn every_input_has_a_verdict(world in world()) {
        let verdict = world.verdict();
        let reasons = verdict.reasons();
        prop_assert_eq!(reasons.is_empty(), verdict == Verdict::Allow);
        prop_assert!(reasons.len() <= 100);
        let blocked = reasons.first().is_some_and(|reason| reason.severity == Severity::Block);
        prop_assert_eq!(blocked, matches!(verdict, Verdict::Block { .. }));
        prop_assert!(world.conclude().uses.len() <= world.rules.limits.len() + 1);
        prop_assert!(world.steps.is_some() || world.conclude().payees.is_empty());
    }

    /// What can only forbid never makes anything easier.
    #[test]
    fn restrictions_restrict(world in world(), more in restriction()) {
        let mut restricted = world.clone();
        restrict(&mut restricted, more);
        prop_assert!(severity(&restricted.verdict()) >= severity(&world.verdict()));
    }

    /// No rule of any kind lifts a block.
    #[test]
    fn nothing_lifts_a_block(mut world in world(), more in a_rule()) {
        let before = world.verdict();
        world.rules.tools.push(more);
        prop_assert!(severity(&before) < 2 || severity(&world.verdict()) == 2);
    }

    /// The order in which things are listed says nothing; steps run by their numbers.
    #[test]
    fn order_does_not_matter(world in world()) {
        let mut turned = world.clone();
        turned.steps.iter_mut().for_each(|steps| steps.reverse());
        turned.rules.limits.reverse();
        turned.rules.tools.reverse();
        turned.rules.recipients.iter_mut().for_each(|list| list.reverse());
        turned.history.contacts.reverse();
        prop_assert_eq!(severity(&turned.verdict()), severity(&world.verdict()));
    }

    /// Signing is never waved through: without a wish to skip, or from a page, a person is asked at least.
    #[test]
    fn signing_is_asked_about(world in world(), page: bool) {
        let world = World {
            skip_approval: world.skip_approval && page,
            source: if page { dapp() } else { world.source.clone() },
            ..world
        };
        prop_assert!(world.steps.is_none() || world.verdict() != Verdict::Allow);
    }

    /// `always` never skips an effect that was not read whole, and where a limit on a token or a list is set, no such
    /// effect is signed at all.
    #[test]
    fn an_unweighed_effect_is_never_skipped(
        mut world in world(),
        unread in effect().prop_filter("is weighed", |effect| !super::super::transaction::weighed(effect)),
        bounded: bool,
    ) {
        (world.source, world.skip_approval, world.setting) = (agent(), true, SkipApproval::Always);
        let steps = world.steps.get_or_insert_default();
        steps.push(step(9, &[unread]));
        if bounded {
            world.rules.recipients = Some(Vec::new());
        }
        let verdict = world.verdict();
        prop_assert!(verdict != Verdict::Allow);
        prop_assert!(!bounded || severity(&verdict) == 2);
    }

    /// Rules of any texts are taken or refused; what is taken is taken again as it is.
    #[test]
    fn rules_are_taken_once_and_for_all(rules in rules()) {
        match check(rules) {
            Ok(taken) => prop_assert_eq!(check(taken.clone()), Ok(taken)),
            Err(error) => prop_assert!(error.path().starts_with('/')),
        }
    }
}
