//! What a call leaves behind: uses of limits, payees, and the rules as they are taken.

use super::*;
use crate::policy::Spent;
use chains::Amount;

fn once(amount: u64) -> Spent {
    Spent::default().add(NOW, Amount::from(amount))
}

/// Every daily limit that holds for the sender is used by what the bundle moves; what was used before is kept.
#[test]
fn limits_are_used() {
    let mut world = World::signing();
    let mut daily = |id: &str, who, token| {
        world.rules.limits.push(Limit { id: id.to_owned(), ..limit(who, token, None, Some(9)) });
    };
    daily("coins", Who::Anybody, None);
    daily("tokens", Who::Agent, Some(USDC));
    daily("pages", Who::Dapp { origin: ORIGIN.to_owned() }, None);
    daily("others", Who::Anybody, Some(ROUTER));
    world.rules.limits.push(Limit { id: "single".to_owned(), ..limit(Who::Anybody, None, Some(9), None) });
    world.history.spent.insert("limit/tokens".to_owned(), once(3));
    world.steps =
        Some(vec![step(1, &[transfer(ALICE, 4), approve(5, false)]), step(2, &[swap(token(), 6, None)])]);
    let expected = [("limit/coins".to_owned(), once(4)), ("limit/tokens".to_owned(), once(9))];
    assert_eq!(world.conclude().uses, expected);
}

/// A permission is used only where a tap would have been due, and never by signing.
#[test]
fn permissions_are_used() {
    let mut world = World::calling(Category::Write);
    world.rules.tools = vec![rule(Who::Agent, allow(2, None)), rule(Who::Anybody, allow(2, None))];
    assert_eq!(world.conclude().uses, [("tool/tool/agent".to_owned(), once(1))]);
    world.history.spent.insert("tool/tool/agent".to_owned(), once(2));
    assert_eq!(world.conclude().uses, [("tool/tool/anybody".to_owned(), once(1))]);
    world.auto_execute = Some(true);
    assert_eq!(world.conclude().uses, []);
    world.steps = Some(Vec::new());
    world.auto_execute = None;
    assert_eq!(world.conclude().uses, []);
}

/// A recipient of a confirmed payment is known afterwards, on every EVM chain.
#[test]
fn payees_become_known() {
    let mut world = World::signing();
    let to = STRANGER.to_uppercase();
    world.pays(&[transfer(&to, 1), transfer(OWN, 1), swap(native(), 1, Some(OWN_BTC)), send_token(&to, 1)]);
    let found = world.conclude().payees;
    let (chain, address) = ("Ethereum".to_owned(), STRANGER.to_owned());
    assert_eq!(found, [Payee { step: 0, index: 0, chain, address }]);
    world.history.payees.extend(found.into_iter().map(|payee| (payee.chain, payee.address)));
    assert_eq!(world.told(), "ask: info signing");
}

/// Names, addresses and amounts are kept in one spelling.
#[test]
fn rules_are_taken_in_canonical_spelling() {
    let usdc = "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48";
    let canonical = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
    let spelled = |chain: &str, address: &str, amount: &str| Policy {
        kill_switch: true,
        limits: vec![Limit {
            chain: chain.to_owned(),
            token: Some(address.to_owned()),
            per_day: Some(amount.to_owned()),
            ..limit(Who::Agent, None, None, None)
        }],
        recipients: listed(&[(chain, address)]),
        contracts: listed(&[]),
        tools: vec![rule(Who::Dapp { origin: ORIGIN.to_owned() }, allow(3, None))],
    };
    let taken = check(spelled("ethereum", usdc, "007")).unwrap();
    assert_eq!(taken, spelled("Ethereum", canonical, "7"));
    let twice =
        Policy { recipients: listed(&[("Ethereum", usdc), ("ethereum", canonical)]), ..Policy::default() };
    assert_eq!(check(twice).unwrap().recipients, listed(&[("Ethereum", canonical)]));
}

/// Code, place, and what is wrong.
type Refused = (&'static str, &'static str, fn(&mut Policy));

/// Every refusal has a code and names its place.
#[test]
fn rules_are_refused() {
    let cases: [Refused; 13] = [
        ("unknown_chain", "/limits/0/chain", |p| p.limits[0].chain = "Etherium".to_owned()),
        ("invalid_name", "/limits/0/id", |p| p.limits[0].id = String::new()),
        ("invalid_name", "/limits/0/id", |p| p.limits[0].id = "a".repeat(129)),
        ("invalid_amount", "/limits/0/perTransaction", |p| {
            p.limits[0].per_transaction = Some("1.5".to_owned())
        }),
        ("invalid_amount", "/limits/0/perDay", |p| p.limits[0].per_day = Some("9".repeat(80))),
        ("empty_limit", "/limits/0", |p| p.limits[0].per_transaction = None),
        ("invalid_address", "/limits/0/token", |p| p.limits[0].token = Some("USDC".to_owned())),
        ("duplicate_rule", "/limits/1/id", |p| p.limits.push(p.limits[0].clone())),
        ("too_many_rules", "/limits", |p| p.limits = vec![p.limits[0].clone(); 101]),
        ("invalid_address", "/recipients/1/address", |p| {
            p.recipients = listed(&[("Base", ALICE), ("Base", "x")])
        }),
        ("unknown_chain", "/contracts/0/chain", |p| p.contracts = listed(&[("", ALICE)])),
        ("invalid_origin", "/tools/0/who/origin", |p| {
            p.tools = vec![rule(Who::Dapp { origin: "https://a.b/c".to_owned() }, ToolDecision::Deny)];
        }),
        ("duplicate_rule", "/tools/1", |p| {
            p.tools = vec![rule(Who::Agent, ToolDecision::Deny), rule(Who::Agent, allow(1, None))];
        }),
    ];
    for (code, path, change) in cases {
        let mut policy = Policy { limits: vec![limit(Who::Agent, None, Some(1), None)], ..Policy::default() };
        assert_eq!(check(policy.clone()), Ok(policy.clone()));
        change(&mut policy);
        let error = check(policy).unwrap_err();
        assert_eq!((error.code(), error.path()), (code, path), "{error}");
    }
}
