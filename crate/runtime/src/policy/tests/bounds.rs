//! Bounds on arguments: what they hold for, what is asked about, and which changes of them need the password.

use super::properties::severity;
use super::*;
use crate::loosening::LooseningKind as Kind;
use crate::policy::bounds::{at_least_as_tight, outside};
use crate::policy::loosens;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::json;
use wire::policy::{ArgumentBound, BoundRule};

fn bound(path: &str, rule: BoundRule) -> ArgumentBound {
    ArgumentBound { path: path.to_owned(), rule }
}

fn one_of(values: Value) -> BoundRule {
    BoundRule::OneOf { values: values.as_array().unwrap().clone() }
}

fn at_most(value: &str) -> BoundRule {
    BoundRule::AtMost { value: value.to_owned() }
}

fn at_least(value: &str) -> BoundRule {
    BoundRule::AtLeast { value: value.to_owned() }
}

fn begins_with(text: &str) -> BoundRule {
    BoundRule::BeginsWith { text: text.to_owned() }
}

fn within(arguments: &Value, path: &str, rule: BoundRule) -> bool {
    outside(arguments.as_object().unwrap(), &[bound(path, rule)]).is_none()
}

fn bounded(who: Who, arguments: Vec<ArgumentBound>) -> ToolRule {
    rule(who, ToolDecision::Allow { per_day: 2, until: None, arguments })
}

/// One of a list: the same value of the same type, texts by their code points, numbers by their value.
#[test]
fn one_of_a_list() {
    let cities = || one_of(json!(["Berlin", "Köln", "", 7, 0.5, true, null]));
    for city in [
        json!("Berlin"),
        json!("Köln"),
        json!(""),
        json!(7),
        json!(7.0),
        json!(0.5),
        json!(true),
        Value::Null,
    ] {
        assert!(within(&json!({"city": city}), "/city", cities()), "{city}");
    }
    for city in [
        json!("berlin"),
        json!("Berlin "),
        // A Cyrillic letter, a zero-width space, and the same letter in two code points.
        json!("Веrlin"),
        json!("Berlin\u{200b}"),
        json!("Ko\u{308}ln"),
        json!("7"),
        json!("true"),
        json!(false),
        json!(8),
        json!(["Berlin"]),
        json!({"0": "Berlin"}),
        json!([]),
    ] {
        assert!(!within(&json!({"city": city}), "/city", cities()), "{city}");
    }
}

/// Numbers and texts of numbers of any size and spelling are compared exactly.
#[test]
fn numbers_are_compared_as_decimals() {
    let numbers = [
        "-1e3",
        "-1000000000000000000000.5e-20",
        "-0.1",
        "0",
        "1e-400",
        "0.1",
        "0.10000000000000000000000000001",
        "1",
        "9.99",
        "1e1",
        "999999999999999999999",
        "1000000000000000000000",
        "1000000000000000000001",
        "1e300",
    ];
    for (place, value) in numbers.iter().enumerate() {
        for (other, limit) in numbers.iter().enumerate() {
            let call = json!({"amount": value});
            assert_eq!(within(&call, "/amount", at_most(limit)), place <= other, "{value} at most {limit}");
            assert_eq!(within(&call, "/amount", at_least(limit)), place >= other, "{value} at least {limit}");
        }
    }
    for (one, other) in
        [("0", "-0.0e9"), ("1e3", "1000"), ("1E+3", "1000.000"), ("0.00120", "12e-4"), ("10", "0.1e2")]
    {
        assert!(within(&json!({"amount": one}), "/amount", at_most(other)), "{one} = {other}");
        assert!(within(&json!({"amount": one}), "/amount", at_least(other)), "{one} = {other}");
    }
    for (value, limit, fits) in [
        (json!(0.1), "0.1", true),
        (json!(0.1), "0.0999999999999999999999", false),
        (json!(1e3), "1000", true),
        (json!(u64::MAX), "18446744073709551615", true),
        (json!(u64::MAX), "18446744073709551614", false),
        (json!(i64::MIN), "-9223372036854775808", true),
        (json!(1e21), "1000000000000000000000", true),
    ] {
        assert_eq!(within(&json!({"amount": value}), "/amount", at_most(limit)), fits, "{value} {limit}");
    }
}

/// What is no number is outside of every bound on one.
#[test]
fn what_is_no_number_is_outside() {
    let long = "1".repeat(401);
    for value in [
        json!(""),
        json!(" 1"),
        json!("1 "),
        json!("+1"),
        json!(".5"),
        json!("5."),
        json!("01"),
        json!("1,000"),
        json!("1_000"),
        json!("0x1"),
        json!("1e"),
        json!("1e99999999999"),
        json!("1e1e1"),
        json!("--1"),
        json!("NaN"),
        json!("Infinity"),
        json!("１"),
        json!("٣"),
        json!(long),
        json!(true),
        Value::Null,
        json!([1]),
        json!({"value": 1}),
    ] {
        let call = json!({"amount": value});
        assert!(!within(&call, "/amount", at_most("1e9")), "{value}");
        assert!(!within(&call, "/amount", at_least("-1e9")), "{value}");
    }
}

#[test]
fn texts_begin_and_fields_are_absent() {
    let path = |url: &str| within(&json!({"url": url}), "/url", begins_with("/v1/"));
    assert!(path("/v1/") && path("/v1/x") && !path("/v1") && !path("/V1/x") && !path(" /v1/"));
    assert!(!within(&json!({"url": ["/v1/"]}), "/url", begins_with("/v1/")));
    assert!(!within(&json!({"url": 1}), "/url", begins_with("1")));

    let without = |call: Value, path: &str| within(&call, path, BoundRule::Absent);
    assert!(without(json!({}), "/token") && without(json!({"other": 1}), "/token"));
    assert!(!without(json!({"token": null}), "/token") && !without(json!({"token": {}}), "/token"));
    assert!(without(json!({"a": {}}), "/a/token") && without(json!({"a": []}), "/a/*/token"));
    assert!(without(json!({"a": [{}, {"b": 1}]}), "/a/*/token"));
    assert!(!without(json!({"a": [{}, {"token": 1}]}), "/a/*/token"));
    // Something else than the bound is about.
    assert!(!without(json!({"a": "text"}), "/a/token") && !without(json!({"a": {"x": {}}}), "/a/*/token"));
}

/// A path is a JSON pointer, of which `*` is every element; what is not there is outside.
#[test]
fn paths_name_places() {
    let berlin = || one_of(json!(["Berlin"]));
    let call = json!({
        "a": {"b": ["Berlin", "Köln"]}, "all": ["Berlin", "Berlin"], "none": [], "x/y": "Berlin", "m~n": "Berlin",
        "*": "Berlin", "": "Berlin", "deep": [{"c": ["Berlin"]}, {"c": ["Berlin", "Berlin"]}],
        "uneven": [{"c": "Berlin"}, {}],
    });
    for path in ["/a/b/0", "/all/*", "/all/1", "/x~1y", "/m~0n", "/deep/*/c/*", "/uneven/0/c", "/"] {
        assert!(within(&call, path, berlin()), "{path}");
    }
    for path in [
        "",
        "a",
        "/a",
        "/a/b",
        "/a/b/*",
        "/a/b/1",
        "/a/b/2",
        "/a/b/-",
        "/a/*",
        "/none/*",
        "/none",
        "/*",
        "/x/y",
        "/all/*/0",
        "/deep/*/c",
        "/uneven/*/c",
        "/missing",
        "/missing/*",
        "/all/99999999999999999999999",
    ] {
        assert!(!within(&call, path, berlin()), "{path}");
    }
}

/// A call outside of the bounds is asked about and says which argument; one within runs, and counts.
#[test]
fn calls_outside_are_asked_about() {
    const OUTSIDE: &str = "ask: warn outside_bounds, info tap_wanted";
    fn start() -> World {
        let mut world = World::calling(Category::Write);
        let city = bound("/city", one_of(json!(["Berlin"])));
        world.rules.tools = vec![bounded(Who::Agent, vec![city, bound("/amount", at_most("5"))])];
        world.arguments = json!({"city": "Berlin", "amount": "5"}).as_object().unwrap().clone();
        world
    }
    fn set(world: &mut World, name: &str, value: Value) {
        world.arguments.insert(name.to_owned(), value);
    }
    run(
        start,
        &[
            ("within", |_| {}, "allow"),
            ("another city", |w| set(w, "city", json!("Paris")), OUTSIDE),
            ("more", |w| set(w, "amount", json!(5.01)), OUTSIDE),
            ("no city", |w| drop(w.arguments.remove("city")), OUTSIDE),
            ("more than was asked for", |w| set(w, "other", json!("Paris")), "allow"),
            (
                "the hint does not spare the tap",
                |w| {
                    w.auto_execute = Some(true);
                    set(w, "city", json!("Paris"));
                },
                "ask: warn outside_bounds",
            ),
            (
                "nor does looking",
                |w| {
                    w.tool.category = Category::Read;
                    set(w, "city", json!("Paris"));
                },
                "ask: warn outside_bounds",
            ),
            (
                "another sender",
                |w| {
                    w.source = dapp();
                    set(w, "city", json!("Paris"));
                },
                "ask: info tap_wanted",
            ),
            (
                "another permission covers it",
                |w| {
                    set(w, "city", json!("Paris"));
                    let paris = bound("/city", one_of(json!(["Paris"])));
                    w.rules.tools.push(bounded(Who::Anybody, vec![paris]));
                },
                "allow",
            ),
            (
                "a denial beats every permission",
                |w| w.rules.tools.push(rule(Who::Anybody, ToolDecision::Deny)),
                "block: block tool_denied",
            ),
            (
                "signing is approved by its bytes",
                |w| {
                    set(w, "city", json!("Paris"));
                    w.steps = World::signing().steps;
                },
                ASK,
            ),
        ],
    );
    let mut world = start();
    assert_eq!(world.conclude().uses.len(), 1);
    world.arguments.insert("city".to_owned(), json!("Paris"));
    assert_eq!(world.conclude().uses, []);
    let verdict = world.verdict();
    assert_eq!(verdict.reasons()[0].message, "“/city” is not what you allowed of tool for good.");
}

/// Fewer and wider bounds need the password, also where they go with their permission: a call outside of them was asked
/// about also where its sender said otherwise.
#[test]
fn wider_bounds_loosen() {
    let start = || {
        let city = bound("/city", one_of(json!(["Berlin", "Paris"])));
        let limits = [bound("/amount", at_most("5")), bound("/amount", at_least("1"))];
        let texts = [bound("/url", begins_with("/v1/")), bound("/token", BoundRule::Absent)];
        [vec![city], limits.to_vec(), texts.to_vec()].concat()
    };
    type Change = (&'static str, fn(&mut Vec<ArgumentBound>), bool);
    let changes: &[Change] = &[
        ("nothing", |_| {}, false),
        ("another order", |all| all.reverse(), false),
        ("one more", |all| all.push(bound("/other", BoundRule::Absent)), false),
        ("one fewer", |all| drop(all.pop()), true),
        ("none", |all| all.clear(), true),
        ("a city less", |all| all[0].rule = one_of(json!(["Paris"])), false),
        ("another city", |all| all[0].rule = one_of(json!(["Berlin", "Rome"])), true),
        ("another place", |all| all[0].path = "/town".to_owned(), true),
        ("less", |all| all[1].rule = at_most("4.99"), false),
        ("as much, otherwise spelled", |all| all[1].rule = at_most("0.5e1"), false),
        ("more", |all| all[1].rule = at_most("5.0000000000000000000001"), true),
        ("a higher least", |all| all[2].rule = at_least("2"), false),
        ("a lower least", |all| all[2].rule = at_least("0.99"), true),
        ("a list within the limits", |all| all[1].rule = one_of(json!([1, "5", 2.5])), false),
        ("a list beyond the limits", |all| all[1].rule = one_of(json!([1, "6"])), true),
        ("a longer beginning", |all| all[3].rule = begins_with("/v1/cities"), false),
        ("a shorter beginning", |all| all[3].rule = begins_with("/v1"), true),
        ("something else that begins so", |all| all[3].rule = one_of(json!(["/v1/x"])), false),
        ("not absent", |all| all[4].rule = at_most("1"), true),
    ];
    for (name, change, expected) in changes {
        let mut new = start();
        change(&mut new);
        assert_eq!(!at_least_as_tight(&new, &start()), *expected, "{name}");
        let policy = |arguments| Policy { tools: vec![bounded(Who::Agent, arguments)], ..Policy::default() };
        let found = loosens(&policy(start()), &policy(new));
        assert_eq!(found, expected.then(|| Kind::ToolAllowed.at("/tools/0")), "{name}");
    }
    let old = Policy { tools: vec![bounded(Who::Agent, start())], ..Policy::default() };
    let to = |tools: Vec<ToolRule>| loosens(&old, &Policy { tools, ..Policy::default() });
    assert_eq!(to(Vec::new()), Some(Kind::BoundLifted.at("/tools")));
    assert_eq!(to(vec![rule(Who::Anybody, ToolDecision::Deny)]), None);
    assert_eq!(to(vec![rule(Who::Agent, ToolDecision::Deny)]), None);
    let page = Who::Dapp { origin: ORIGIN.to_owned() };
    assert_eq!(to(vec![rule(page, ToolDecision::Deny)]), Some(Kind::BoundLifted.at("/tools")));
}

/// What cannot be held is refused, at its place.
#[test]
fn bounds_are_checked() {
    let refused = |bounds: Vec<ArgumentBound>| {
        let policy = Policy { tools: vec![bounded(Who::Agent, bounds)], ..Policy::default() };
        match check(policy.clone()) {
            Ok(taken) => {
                assert_eq!(taken, policy);
                String::new()
            }
            Err(error) => {
                assert_eq!(error.code(), "invalid_bound");
                error.path().replace("/tools/0/decision/arguments", "@")
            }
        }
    };
    let one = |path: &str, rule: BoundRule| refused(vec![bound(path, rule)]);
    assert_eq!(one("/city", one_of(json!(["Berlin", 7, 1.5, true, null]))), "");
    assert_eq!(one("/entries/*/chain", begins_with("Eth")), "");
    for path in ["", "/", "city", &"/a".repeat(129)] {
        assert_eq!(one(path, BoundRule::Absent), "@/0/path", "{path}");
    }
    for values in
        [json!([]), json!([["Berlin"]]), json!([{}]), json!(["a".repeat(1_001)]), json!(vec![0; 101])]
    {
        assert_eq!(one("/city", one_of(values)), "@/0/rule/values");
    }
    for value in ["", "five", "1,5", "+5", "0x5"] {
        assert_eq!(one("/amount", at_most(value)), "@/0/rule/value", "{value}");
        assert_eq!(one("/amount", at_least(value)), "@/0/rule/value", "{value}");
    }
    assert_eq!(one("/url", begins_with("")), "@/0/rule/text");
    let absent = || bound("/a", BoundRule::Absent);
    assert_eq!(refused(vec![absent(), bound("/b", at_most("x"))]), "@/1/rule/value");
    assert_eq!(refused(vec![absent(); 20]), "");
    assert_eq!(refused(vec![absent(); 21]), "@");
}

/// Rules of an earlier version have no bounds, and read as before.
#[test]
fn earlier_rules_are_read() {
    let text =
        r#"{"tool":"tool","who":{"kind":"agent"},"decision":{"kind":"allow","perDay":3,"until":null}}"#;
    let read: ToolRule = wire::json::from_value(serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(read, rule(Who::Agent, allow(3, None)));
    assert_eq!(crate::store::json(&read), text);
    let text = r#"{"kind":"allow","perDay":3,"until":null,"arguments":[{"path":"/city","rule":{"kind":"one_of","values":["a",1]}},{"path":"/b","rule":{"kind":"absent"}}]}"#;
    let read: ToolDecision = wire::json::from_value(serde_json::from_str(text).unwrap()).unwrap();
    assert_eq!(crate::store::json(&read), text);
    for bad in ["{}", r#"{"kind":"less"}"#, r#"{"kind":"at_most"}"#, r#"{"kind":"at_most","value":5}"#] {
        assert!(wire::json::from_value::<BoundRule>(serde_json::from_str(bad).unwrap()).is_err(), "{bad}");
    }
}

/// A number in small units, and one of its spellings.
fn a_number() -> impl Strategy<Value = (i64, Value)> {
    (-40_i64..40, 0..4).prop_map(|(quarters, spelling)| {
        let exact = quarters as f64 / 4.0;
        let value = match spelling {
            0 => json!(exact),
            1 => json!(exact.to_string()),
            2 => json!(format!("{}e-2", quarters * 25)),
            _ if quarters % 4 == 0 => json!(quarters / 4),
            _ => json!(format!("{exact:.5}")),
        };
        (quarters, value)
    })
}

fn an_argument() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        a_number().prop_map(|(_, value)| value),
        select(vec![json!("Berlin"), json!("Bern"), json!(""), Value::Null, json!(true), json!("1e400")]),
    ];
    scalar.prop_recursive(2, 12, 3, |inner| {
        let named = prop::collection::vec((select(vec!["a", "b", "0", "*"]), inner.clone()), 0..3);
        prop_oneof![
            prop::collection::vec(inner, 0..3).prop_map(Value::Array),
            named.prop_map(|fields| Value::Object(
                fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
            )),
        ]
    })
}

fn some_arguments() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((select(vec!["a", "b"]), an_argument()), 0..3)
        .prop_map(|fields| fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect())
}

fn a_bound() -> impl Strategy<Value = ArgumentBound> {
    let rule = prop_oneof![
        prop::collection::vec(an_argument(), 0..3).prop_map(|values| BoundRule::OneOf { values }),
        a_number().prop_map(|(quarters, _)| at_most(&(quarters as f64 / 4.0).to_string())),
        a_number().prop_map(|(quarters, _)| at_least(&(quarters as f64 / 4.0).to_string())),
        select(vec!["B", "Ber", "Bern", "x"]).prop_map(begins_with),
        Just(BoundRule::Absent),
    ];
    (select(vec!["/a", "/b", "/a/*", "/a/b", "/a/0", "/a/*/b", "/b/*", ""]), rule)
        .prop_map(|(path, rule)| bound(path, rule))
}

/// Every place that a path means, found another way: as plain pointers. `None` where it means none.
fn pointers(arguments: &Value, path: &str) -> Option<Vec<String>> {
    let mut found = vec![String::new()];
    for segment in path.split('/').skip(1) {
        let mut next = Vec::new();
        for place in found {
            match (arguments.pointer(&place)?, segment) {
                (Value::Array(items), "*") => {
                    next.extend((0..items.len()).map(|index| format!("{place}/{index}")))
                }
                (_, "*") => return None,
                _ => next.push(format!("{place}/{segment}")),
            }
        }
        found = next;
    }
    (!path.is_empty() && !found.is_empty()).then_some(found)
}

fn as_number(value: &Value) -> Option<f64> {
    value.as_f64().or_else(|| value.as_str()?.parse().ok())
}

/// Whether a bound holds, in the plainest words. Numbers here are small: a float is exact.
fn plainly_holds(arguments: &Value, bound: &ArgumentBound) -> bool {
    let Some(places) = pointers(arguments, &bound.path) else { return false };
    places.iter().all(|place| {
        let Some(value) = arguments.pointer(place) else { return false };
        match &bound.rule {
            BoundRule::OneOf { values } => values.iter().any(|allowed| {
                allowed == value
                    || (allowed.is_number() && value.is_number() && allowed.as_f64() == value.as_f64())
            }),
            BoundRule::AtMost { value: most } => {
                as_number(value) <= most.parse().ok() && as_number(value).is_some()
            }
            BoundRule::AtLeast { value: least } => as_number(value) >= least.parse().ok(),
            BoundRule::BeginsWith { text } => value.as_str().is_some_and(|found| found.starts_with(text)),
            BoundRule::Absent => false,
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, ..ProptestConfig::default() })]

    /// A call that a permission covers satisfies every one of its bounds.
    #[test]
    fn allowed_calls_are_within_every_bound(
        arguments in some_arguments(),
        bounds in prop::collection::vec(a_bound(), 1..3),
        auto_execute in select(vec![None, Some(true), Some(false)]),
    ) {
        let mut world = World { auto_execute, arguments, ..World::calling(Category::Write) };
        world.rules.tools = vec![bounded(Who::Agent, bounds.clone())];
        let call = Value::Object(world.arguments.clone());
        if world.verdict() == Verdict::Allow {
            for bound in bounds {
                let absent = bound.rule == BoundRule::Absent;
                let nothing = || pointers(&call, &bound.path).is_none_or(|all| all.iter().all(|at| call.pointer(at).is_none()));
                prop_assert!(if absent { nothing() } else { plainly_holds(&call, &bound) }, "{bound:?} {call}");
            }
        } else {
            prop_assert!(world.told().starts_with("ask: warn outside_bounds"));
        }
    }

    /// Whether numbers are compared right, against exact arithmetic.
    #[test]
    fn numbers_compare((one, value) in a_number(), (other, limit) in a_number()) {
        let limit = limit.as_str().map_or_else(|| limit.to_string(), str::to_owned);
        let call = json!({"n": value});
        prop_assert_eq!(within(&call, "/n", at_most(&limit)), one <= other, "{} {}", value, limit);
        prop_assert_eq!(within(&call, "/n", at_least(&limit)), one >= other, "{} {}", value, limit);
    }

    /// No text makes the comparison panic.
    #[test]
    fn any_text_is_compared(value in r"\PC{0,12}|-?[0-9.eE+-]{0,14}", limit in r"-?[0-9.eE+-]{0,14}") {
        within(&json!({"n": value}), "/n", at_most(&limit));
    }

    /// Bounds that are at least as tight let no further call through.
    #[test]
    fn tighter_bounds_allow_nothing_new(
        arguments in some_arguments(),
        old in prop::collection::vec(a_bound(), 0..3),
        new in prop::collection::vec(a_bound(), 0..3),
    ) {
        let new = [new, old.clone()].concat();
        for cut in 0..new.len() {
            let new = &new[cut..];
            if at_least_as_tight(new, &old) && outside(&arguments, new).is_none() {
                prop_assert!(outside(&arguments, &old).is_none());
            }
        }
    }

    /// Either the password is asked for, or no call gets a milder verdict than before, with any arguments and any hint.
    #[test]
    fn what_loosens_no_bound_allows_nothing_new(
        arguments in some_arguments(),
        hint in select(vec![None, Some(true), Some(false)]),
        source in select(vec![agent(), dapp(), Source::User]),
        old in prop::collection::vec((select(vec![Who::Anybody, Who::Agent]), prop::collection::vec(a_bound(), 0..2)), 0..3),
        new in prop::collection::vec(a_bound(), 0..2),
        change in 0..5,
    ) {
        let rules = |rules: &[(Who, Vec<ArgumentBound>)]| {
            let tools = rules.iter().map(|(who, bounds)| bounded(who.clone(), bounds.clone())).collect();
            Policy { tools, ..Policy::default() }
        };
        let mut changed = old.clone();
        if let Some((who, bounds)) = changed.first_mut() {
            match change {
                0 => bounds.extend(new),
                1 => *bounds = new,
                2 => drop(bounds.pop()),
                3 => *who = Who::Anybody,
                _ => drop(changed.remove(0)),
            }
        }
        let before = World { arguments, auto_execute: hint, source, rules: rules(&old), ..World::calling(Category::Write) };
        let after = World { rules: rules(&changed), ..before.clone() };
        if loosens(&before.rules, &after.rules).is_none() {
            prop_assert!(severity(&after.verdict()) >= severity(&before.verdict()));
        }
    }
}
