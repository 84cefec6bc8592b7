//! Extraction.

use crate::{extract, refused};
use countersign_toolbox::answer;
use serde_json::json;
use wire::toolbox::Encoding::{Json, Text};
use wire::toolbox::{Encoding, Reply, Request};

fn check(encoding: Encoding, expr: &str) -> Reply {
    answer(Request::CheckExpression { expr: expr.to_owned(), encoding })
}

const BODY: &str =
    r#"{"current": {"condition": {"text": "Sunny"}, "list": [1, 2, 3], "none": null}, "one": [7]}"#;

/// T002-28: JSONPath begins with `$` and is for JSON, a regular expression is for text; what is neither is refused.
#[test]
fn expressions_are_checked() {
    for (encoding, expr) in [(Json, "$"), (Json, "$.a[?@.b > 1]"), (Text, "temp: (\\d+)"), (Text, "$")] {
        assert_eq!(check(encoding, expr), Reply::Done {}, "{expr}");
    }
    for (encoding, expr) in
        [(Json, ""), (Json, "a.b"), (Json, "$.["), (Json, "$ "), (Text, ""), (Text, "(a"), (Text, r"(?=a)b")]
    {
        assert_eq!(refused(check(encoding, expr)).0, "invalid_expression", "{expr}");
    }
}

/// T002-28: the first group, or the whole match; no match is no value.
#[test]
fn text_is_matched() {
    let body = "temp: 21 wind: 7";
    assert_eq!(extract(Text, r"temp: (\d+) wind: (\d+)", body), Some(json!("21")));
    assert_eq!(extract(Text, r"wind: \d+", body), Some(json!("wind: 7")));
    assert_eq!(extract(Text, "rain", body), None);
    assert_eq!(extract(Text, r"(rain)|temp", body), None);
}

/// T002-29: one node is its value, several are an array, a path of names and indices is never an array of nodes.
#[test]
fn nodes_become_a_value() {
    assert_eq!(extract(Json, "$.current.condition.text", BODY), Some(json!("Sunny")));
    assert_eq!(extract(Json, "$.current.list", BODY), Some(json!([1, 2, 3])));
    assert_eq!(extract(Json, "$.current.list[*]", BODY), Some(json!([1, 2, 3])));
    assert_eq!(extract(Json, "$.one[*]", BODY), Some(json!(7)));
    assert_eq!(extract(Json, "$.current['list'][-1]", BODY), Some(json!(3)));
    assert_eq!(extract(Json, "$..text", BODY), Some(json!("Sunny")));
    assert_eq!(extract(Json, "$.current.none", BODY), Some(json!(null)));
    assert_eq!(extract(Json, "$.missing", BODY), None);
    assert_eq!(extract(Json, "$..missing", BODY), None);
}

/// T002-27: JSON that does not parse is an error.
#[test]
fn what_is_not_json_is_told() {
    let reply = answer(Request::Extract { expr: "$".into(), encoding: Json, body: "<html>".into() });
    assert_eq!(refused(reply).0, "response_not_json");
}

/// Bounds of expressions, responses and results.
#[test]
fn large_expressions_responses_and_results_are_refused() {
    use countersign_toolbox::bounds::{EXPRESSION_BYTES, RESULT_BYTES, VALUE_BYTES, VALUE_DEPTH};
    let code = |expr: &str, encoding, body: String| {
        refused(answer(Request::Extract { expr: expr.to_owned(), encoding, body })).0
    };
    assert_eq!(refused(check(Json, &format!("$.{}", "a".repeat(EXPRESSION_BYTES)))).0, "invalid_expression");
    assert_eq!(refused(check(Text, r"(\w{100}){100}")).0, "invalid_expression");
    assert_eq!(code("a", Text, "a".repeat(VALUE_BYTES + 1)), "value_too_large");
    assert_eq!(code(".+", Text, "a".repeat(RESULT_BYTES)), "result_too_large");
    let deep = "[".repeat(VALUE_DEPTH + 1) + &"]".repeat(VALUE_DEPTH + 1);
    assert_eq!(code("$", Json, deep), "value_too_large");
    let unreadable = "[".repeat(100_000);
    assert_eq!(code("$", Json, unreadable), "response_not_json");
}
