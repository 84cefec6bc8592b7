//! Input that is made to take forever, or to take all memory. Each is refused, or ends soon.

use crate::{refused, violations};
use countersign_toolbox::{answer, answer_text};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use wire::toolbox::{Encoding, Reply, Request};

/// Runs something that must not take long. Without optimisation it is some ten times slower than it will be.
fn soon<T>(what: &str, run: impl FnOnce() -> T) -> T {
    let begun = Instant::now();
    let result = run();
    let took = begun.elapsed();
    assert!(took < Duration::from_secs(20), "{what} took {took:?}");
    result
}

fn check(schema: &Value) -> Reply {
    answer(Request::CheckSchema { schema: schema.clone() })
}

fn validate(schema: &Value, value: &Value) -> Reply {
    answer(Request::Validate { schema: schema.clone(), value: value.clone() })
}

/// Thirty schemas, each of which applies the one before it twice.
fn doubling(keyword: &str) -> Value {
    let mut definitions = json!({"s0": {"type": "string"}});
    for number in 1..=40 {
        let inner = json!({"$ref": format!("#/$defs/s{}", number - 1)});
        definitions[format!("s{number}")] = match keyword {
            "not" => json!({"not": {"anyOf": [{"not": inner}, {"not": inner}]}}),
            "if" => json!({"if": inner, "then": inner, "else": inner}),
            "dependentSchemas" => json!({"dependentSchemas": {"a": inner, "b": inner}}),
            keyword => json!({ keyword: [inner, inner] }),
        };
    }
    json!({"$defs": definitions, "$ref": "#/$defs/s40"})
}

/// Trees of `allOf` and its like with 2^40 leaves are refused when they are saved.
#[test]
fn exponential_schemas_are_refused() {
    for keyword in ["allOf", "anyOf", "oneOf", "not", "if", "dependentSchemas"] {
        let schema = doubling(keyword);
        assert_eq!(soon(keyword, || refused(check(&schema))).0, "too_expensive", "{keyword}");
    }
}

/// Schemas that refer to themselves on the same value are refused; through a part of the value they are fine.
#[test]
fn loops_are_refused() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"allOf": [{"$ref": "#"}]}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"not": {"$ref": "#/$defs/a"}}}, "$ref": "#/$defs/a"}),
        json!({"$dynamicAnchor": "x", "anyOf": [{"$dynamicRef": "#x"}]}),
        json!({"$schema": "http://json-schema.org/draft-07/schema#", "if": {"$ref": "#"}}),
    ] {
        assert_eq!(soon("a loop", || refused(check(&schema))).0, "invalid_schema", "{schema}");
    }
    let tree = json!({"properties": {"next": {"$ref": "#"}}, "additionalProperties": false});
    assert_eq!(violations(&tree, &json!({"next": {"next": {}}})), []);
    assert_eq!(violations(&tree, &json!({"next": {"other": 1}})).len(), 1);
}

/// A schema that is applied twice as often at each level of the value: refused for the value that is deep.
#[test]
fn growth_with_the_depth_is_counted() {
    let schema = json!({
        "$defs": {"n": {"additionalProperties": {"allOf": [{"$ref": "#/$defs/n"}, {"$ref": "#/$defs/n"}]}}},
        "$ref": "#/$defs/n",
    });
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({ "a": inner }));
    assert_eq!(violations(&schema, &nested(6)), []);
    assert_eq!(soon("a deep value", || refused(validate(&schema, &nested(50)))).0, "too_expensive");
}

/// Chains of schemas are bounded: each link is a part of the stack.
#[test]
fn long_chains_are_refused() {
    let mut definitions = json!({"s0": true});
    for number in 1..=300 {
        definitions[format!("s{number}")] = json!({"$ref": format!("#/$defs/s{}", number - 1)});
    }
    let chain = |length: usize| json!({"$defs": definitions.clone(), "$ref": format!("#/$defs/s{length}")});
    assert_eq!(refused(check(&chain(300))).0, "too_expensive");
    let mut short = chain(8);
    short["$defs"].as_object_mut().unwrap().retain(|name, _| name.len() < 3);
    short["additionalProperties"] = json!({"$ref": "#"});
    let nested = |depth: usize| (0..depth).fold(json!(1), |inner, _| json!({ "a": inner }));
    assert_eq!(violations(&short, &nested(10)), []);
    assert_eq!(refused(validate(&short, &nested(60))).0, "too_expensive");
}

/// An error for each of a million elements would take all memory: only the first one is told.
#[test]
fn large_values_have_one_violation() {
    let value = Value::Array(vec![json!(1); 200_000]);
    let found = soon("a large array", || violations(&json!({"items": {"type": "string"}}), &value));
    assert_eq!(found.len(), 1);
    let small = Value::Array(vec![json!(1); 20]);
    assert_eq!(violations(&json!({"items": {"type": "string"}}), &small).len(), 20);
    let many: Vec<Value> = (0..100).map(|number| json!(number)).collect();
    assert_eq!(violations(&json!({"items": {"type": "string"}}), &many.into()).len(), 32);
}

/// Many schemas for each of many elements are refused.
#[test]
fn wide_schemas_on_large_values_are_refused() {
    let parts: Vec<Value> = (0..1000).map(|number| json!({"minLength": number})).collect();
    let schema = json!({"items": {"anyOf": parts}});
    let value = Value::Array(vec![json!("x"); 100_000]);
    assert_eq!(soon("a wide schema", || refused(validate(&schema, &value))).0, "too_expensive");
}

/// A long text under many patterns is refused; under one it is not.
#[test]
fn patterns_on_long_texts_are_counted() {
    let parts: Vec<Value> = (0..50).map(|number| json!({"pattern": format!("(a|b|c{number})*d$")})).collect();
    let text = json!("abc".repeat(100_000));
    assert_eq!(soon("patterns", || refused(validate(&json!({ "anyOf": parts }), &text))).0, "too_expensive");
    let one = json!({"pattern": "^(a|b|c)*$"});
    assert_eq!(soon("a pattern", || violations(&one, &text)), []);
}

/// Marks of what was evaluated are collected again at each level.
#[test]
fn nested_unevaluated_is_counted() {
    let mut schema = json!({"properties": {"a": true}});
    for _ in 0..28 {
        schema = json!({"allOf": [schema], "unevaluatedProperties": false});
    }
    let reply = soon("unevaluatedProperties", || validate(&schema, &json!({"a": 1})));
    assert_eq!(refused(reply).0, "too_expensive");
}

/// Too many parts.
#[test]
fn schemas_of_too_many_parts_are_refused() {
    let parts = vec![json!({}); 5000];
    assert_eq!(refused(check(&json!({ "anyOf": parts }))).0, "schema_too_large");
}

fn extract(expr: &str, body: &Value) -> Reply {
    answer(Request::Extract { expr: expr.to_owned(), encoding: Encoding::Json, body: body.to_string() })
}

/// Paths with more ways to a node than there is time for are refused; usual ones on large documents are not.
#[test]
fn paths_that_blow_up_are_refused() {
    let deep = (0..60).fold(json!([1]), |inner, _| json!([inner, 1]));
    for expr in
        ["$..*..*..*..*..*..*", "$..[?@..*]..[?@..*]..*..*", "$..[0,0,0,0]..[0,0,0,0]..[0,0,0,0]..[0,0,0,0]"]
    {
        assert_eq!(soon(expr, || refused(extract(expr, &deep))).0, "too_expensive", "{expr}");
    }
    let doubling = format!("${}", "[0,0]".repeat(50));
    assert_eq!(soon("selectors", || refused(extract(&doubling, &deep))).0, "too_expensive");
    let wide = Value::Array((0..20_000).map(|number| json!({"id": number, "tags": ["a", "b"]})).collect());
    for expr in ["$[?count($..*) > 1]", "$[?$[?$[?@.id == 1]]]", "$..[?$..id == $..id]", "$[?$ == $]"] {
        let (code, _) = soon(expr, || refused(extract(expr, &wide)));
        assert!(matches!(code.as_str(), "too_expensive" | "invalid_expression"), "{expr}: {code}");
    }
    for expr in [
        "$..id",
        "$[?@.id > 19990].id",
        "$[?@.tags[?@ == 'b'] && @.id < 3]",
        "$..[?@.id == 7]",
        "$[-1:].tags[*]",
    ] {
        let reply = soon(expr, || extract(expr, &wide));
        assert!(matches!(reply, Reply::Extracted { .. }), "{expr}: {reply:?}");
    }
}

/// The parser goes back at every level of nesting; deep ones are refused before it begins.
#[test]
fn nested_paths_are_refused() {
    for (open, close) in
        [("[?@", "]"), ("[?(@", ")]"), ("[?count(@.*", ") > 1]"), ("[?value(@", ") == 1]"), ("[?!(@", ")]")]
    {
        for depth in [3, 20, 60, 90] {
            let expr = format!("${}{}", open.repeat(depth), close.repeat(depth));
            let reply = soon(&expr, || extract(&expr, &json!([[1]])));
            match depth {
                3 => assert!(
                    matches!(reply, Reply::NoMatch {} | Reply::Extracted { .. } | Reply::Refused(_)),
                    "{expr}"
                ),
                _ => assert_eq!(refused(reply).0, "invalid_expression", "{expr}"),
            }
        }
    }
    let parentheses = format!("$[?{}@{}]", "(".repeat(400), ")".repeat(400));
    assert_eq!(soon("parentheses", || refused(extract(&parentheses, &json!([])))).0, "invalid_expression");
    // As deep as is allowed, and wrong at the end, where all ways back are tried.
    for inner in ["@", "count(@.*)", "@.a ==", "value(@.a) == 'x", "!@.a && (@.b || $.c) == 1"] {
        let expr = format!("$[?{}{inner}{}]", "(".repeat(6), ")".repeat(6));
        soon(&expr, || extract(&expr, &json!([1])));
        let expr = format!("${}{inner}{}", "[?@".repeat(6), "]".repeat(6));
        soon(&expr, || extract(&expr, &json!([1])));
        let expr = format!("$[?{}{inner}{}]", "value(".repeat(6), ")".repeat(6));
        soon(&expr, || extract(&expr, &json!([1])));
    }
}

/// Patterns of `match()` and `search()` may come from the document.
#[test]
fn patterns_of_paths_are_bounded() {
    let large =
        json!([{"t": "aaaa", "p": "(a{1000}){1000}"}, {"t": "ab", "p": "a."}, {"t": "x", "p": "a)|(x"}]);
    let reply = soon("a large pattern", || extract("$[?match(@.t, @.p)].t", &large));
    assert_eq!(reply, Reply::Extracted { value: json!("ab") });
    let many: Vec<Value> =
        (0..5000).map(|number| json!({"t": "a", "p": format!("[a-z]{{{number}}}|(x|y)*")})).collect();
    let reply = soon("many patterns", || extract("$[?search(@.t, @.p)].t", &many.into()));
    assert_eq!(refused(reply).0, "too_expensive");
    let long = json!([{"t": "a".repeat(1 << 20)}]);
    assert_eq!(
        soon("a long text", || refused(extract("$[?search(@.t, '(a|b)*c')]", &long))).0,
        "too_expensive"
    );
}

/// A text under a large expression is refused when it is long; the classic that backtracks ends at once.
#[test]
fn expressions_on_long_texts_are_bounded() {
    let text = |expr: &str, body: String| {
        answer(Request::Extract { expr: expr.to_owned(), encoding: Encoding::Text, body })
    };
    let reply = soon("backtracking", || text("^(a+)+$", "a".repeat(1 << 20) + "!"));
    assert_eq!(reply, Reply::NoMatch {});
    assert_eq!(refused(text(r"(?:\w\d){3}", "a".repeat(2 << 20))).0, "too_expensive");
    assert_eq!(refused(text("a{1000}{1000}", String::new())).0, "invalid_expression");
    assert_eq!(
        soon("a usual one", || text(r"<b>(.*?)</b>", "x".repeat(1 << 20) + "<b>1</b>")),
        Reply::Extracted { value: json!("1") }
    );
}

/// The same node many times over is no way to a large result.
#[test]
fn repeated_nodes_are_bounded() {
    let body = json!(["x".repeat(100_000)]);
    let expr = format!("$[{}0]", "0,".repeat(100));
    assert_eq!(soon("repeated nodes", || refused(extract(&expr, &body))).0, "result_too_large");
}

/// A request that is no more than brackets.
#[test]
fn nested_requests_are_refused() {
    for text in
        ["[".repeat(1 << 20), format!(r#"{{"check_schema":{{"schema":{}"#, r#"{"not":"#.repeat(100_000))]
    {
        let reply = soon("brackets", || answer_text(&text));
        assert!(reply.contains("malformed_request"), "{reply}");
    }
}
