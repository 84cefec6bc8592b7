//! Any text and any JSON in any request: an answer, never a crash, and soon.

use crate::records::{checked, weather};
use countersign_toolbox::{answer, answer_text};
use proptest::prelude::*;
use serde_json::{Map, Value, json};
use std::time::{Duration, Instant};
use wire::pieces::Piece;
use wire::toolbox::{Encoding, Reply, Request};

/// Any JSON; names and texts are often words that mean something here.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any_word().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((any_word(), inner), 0..4)
                .prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
}

const WORDS: &[&str] = &[
    "type",
    "properties",
    "items",
    "$ref",
    "#",
    "#/$defs/a",
    "$defs",
    "a",
    "allOf",
    "anyOf",
    "not",
    "if",
    "then",
    "pattern",
    "enum",
    "const",
    "required",
    "$schema",
    "http://json-schema.org/draft-07/schema#",
    "$id",
    "$dynamicRef",
    "#a",
    "$anchor",
    "$dynamicAnchor",
    "additionalProperties",
    "unevaluatedProperties",
    "unevaluatedItems",
    "prefixItems",
    "contains",
    "string",
    "object",
    "array",
    "(a|b)*",
    "[",
    "minLength",
    "default",
    "impl",
    "urlTemplate",
    "https://a.org/${a}",
    "${a}",
    "${",
    "${API_KEY}",
    "headers",
    "bodyTemplate",
    "{\"a\":${a}}",
    "auth",
    "hmac",
    "bearer",
    "token",
    "steps",
    "id",
    "tool",
    "args",
    "output",
    "http",
    "local",
    "successCodes",
    "slug",
    "version",
    "displayName",
    "description",
    "argSchema",
    "tags",
    "dependencies",
    "$comment",
];

fn any_word() -> impl Strategy<Value = String> {
    prop_oneof![4 => prop::sample::select(WORDS).prop_map(str::to_owned), 1 => ".{0,12}"]
}

const PATH_PARTS: &[&str] = &[
    "$",
    "@",
    ".a",
    "..b",
    "[*]",
    "[0]",
    "[-1]",
    "[1:5:2]",
    "[?",
    "]",
    "(",
    ")",
    "@.a",
    " == ",
    " && ",
    "!",
    "'x'",
    "\"y\"",
    "1",
    "..*",
    "count(",
    "match(",
    "length(",
    "value(",
    ", ",
    "null",
    "['a','b']",
    "..",
    "[",
    "\\",
    "ü",
];

fn any_path() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PATH_PARTS), 0..14)
        .prop_map(|parts| format!("${}", parts.concat()))
}

/// The answer, which must come soon. The time is that of code without optimisation on a busy machine.
fn soon(request: Request) -> Reply {
    let begun = Instant::now();
    let reply = answer(request.clone());
    assert!(begun.elapsed() < Duration::from_secs(20), "{request:?}");
    reply
}

const PLACES: &[&str] =
    &["", "/impl", "/impl/headers", "/argSchema", "/argSchema/properties", "/argSchema/properties/city"];

/// Any text gets a reply, which can be read.
fn assert_answered(text: &str) {
    assert!(wire::json::from_text::<Reply>(&answer_text(text)).is_ok(), "{text}");
}

/// A record with something else in one place.
fn changed_record() -> impl Strategy<Value = Value> {
    (prop::sample::select(PLACES), any_word(), any_json()).prop_map(|(place, name, value)| {
        let mut record = weather();
        if let Some(fields) = record.pointer_mut(place).and_then(Value::as_object_mut) {
            let names: Vec<String> = fields.keys().cloned().collect();
            // A field that is there, as often as not.
            let index = name.len() % (2 * names.len()).max(1);
            fields.insert(names.get(index).cloned().unwrap_or(name), value);
        }
        record
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_text_is_answered(text in ".{0,200}") {
        assert_answered(&text);
    }

    #[test]
    fn any_json_is_answered(value in any_json(), name in "[a-z_]{1,12}") {
        assert_answered(&value.to_string());
        assert_answered(&json!({ name: value }).to_string());
    }

    #[test]
    fn any_schema_is_answered(schema in any_json(), value in any_json()) {
        soon(Request::CheckSchema { schema: schema.clone() });
        match soon(Request::Validate { schema: schema.clone(), value: value.clone() }) {
            Reply::Validated { violations } => prop_assert!(violations.len() <= 32),
            Reply::Refused(_) => {}
            other => prop_assert!(false, "{other:?}"),
        }
        soon(Request::CheckArguments { schema, args: value });
    }

    #[test]
    fn any_expression_is_answered(path in any_path(), pattern in ".{0,40}", body in any_json()) {
        for (expr, encoding) in [(path, Encoding::Json), (pattern, Encoding::Text)] {
            soon(Request::CheckExpression { expr: expr.clone(), encoding });
            soon(Request::Extract { expr, encoding, body: body.to_string() });
        }
    }

    /// What is stored was checked, and can be checked again: the same record comes out.
    #[test]
    fn any_record_is_answered(body in changed_record(), slug in "[a-zA-Zü0-9-]{0,8}", version in ".{0,4}", id in ".{0,4}") {
        let check = |slug: &str, version: &str, body: Value| soon(Request::CheckTool {
            bundle_id: "018faf50-b7b6-7a01-9a05-a22a6e0af101".into(),
            slug: slug.into(),
            version: version.into(),
            body,
            functions: vec!["f".into()],
            reserved: vec!["a".into()],
        });
        check("get-weather", &version, body.clone());
        match check(&slug, "v1", body.clone()) {
            Reply::Tool(tool) => {
                let slug = tool.record["slug"].as_str().unwrap_or_default().to_owned();
                let Reply::Tool(again) = check(&slug, "v1", tool.record.clone().into()) else {
                    return Err(TestCaseError::fail("not taken again"));
                };
                prop_assert_eq!(again.record, tool.record);
            }
            Reply::Rejected { errors } => prop_assert!(!errors.is_empty() && errors.len() <= 32),
            other => prop_assert!(false, "{other:?}"),
        }
        soon(Request::CheckBundle { bundle_id: id, body: body.clone() });
    }

    #[test]
    fn any_call_is_answered(record in changed_record(), args in any_json(), host in ".{0,12}", body in any_json(), status: u16) {
        let allowed_hosts = vec![host.clone(), "api.weatherapi.com".to_owned()];
        soon(Request::CheckHosts { hosts: vec![host] });
        soon(Request::Prepare { tool: record.clone(), args: args.clone(), allowed_hosts });
        soon(Request::Finish { tool: record, status, content_type: String::new(), body: body.to_string(), events: None });
        soon(Request::Expand { template: body, scope: json!({"args": args, "steps": {"a": 1}}) });
    }

    #[test]
    fn any_command_is_answered(
        words in prop::collection::vec(prop::sample::select(&[
            "curl", "-X", "POST", "-H", "'A: b'", "-d", "a=b", "'", "\"", "\\", "\n", "-u", "me:x", "https://a.org/?key=1",
            "--json", "{}", "$'\\u00e9'", "-G", "&", "--max-time=3", "-I", "${x}", "--", "-",
        ][..]), 0..12),
        rest in ".{0,20}",
    ) {
        match soon(Request::ParseCurl { line: format!("curl {} {rest}", words.join(" ")) }) {
            Reply::Draft { tool, .. } => prop_assert!(tool.contains_key("impl")),
            Reply::Refused(error) => prop_assert_eq!(error.code, "invalid_command"),
            other => prop_assert!(false, "{other:?}"),
        }
    }

    /// T002-33: whatever an argument is, the address has the segments and the pairs of its template, and its host.
    #[test]
    fn an_argument_stays_where_it_stands(a in ".{0,20}", b in any_json()) {
        let mut body = weather();
        body["argSchema"] = json!({"properties": {"a": {}, "b": {}}});
        body["impl"] = json!({"urlTemplate": "https://a.org/x/${a}/y-${a}/z?p=${b}&q=${a}&k=${KEY}", "headers": {"X": "h ${b}"}});
        let tool: Value = checked(&body).record.into();
        let mut args = Map::new();
        args.insert("a".to_owned(), a.clone().into());
        args.insert("b".to_owned(), b.clone());
        match soon(Request::Prepare { tool, args: args.into(), allowed_hosts: vec!["a.org".to_owned()] }) {
            Reply::Prepared(plan) => {
                let text: String = plan.request.url.iter().map(|piece| match piece {
                    Piece::Text(text) => text.as_str(),
                    _ => "KEY",
                }).collect();
                let url = url::Url::parse(&text).unwrap();
                prop_assert_eq!(url.as_str(), &text);
                prop_assert_eq!(url.origin().ascii_serialization(), "https://a.org");
                prop_assert!(url.username().is_empty() && url.fragment().is_none());
                let decode = |text: &str| percent(text);
                let segments: Vec<String> = url.path_segments().unwrap().map(decode).collect();
                prop_assert_eq!(segments, ["x".to_owned(), a.clone(), format!("y-{a}"), "z".to_owned()]);
                let pairs: Vec<(String, String)> = url
                    .query().unwrap().split('&').map(|pair| pair.split_once('=').unwrap())
                    .map(|(name, value)| (name.to_owned(), percent(value))).collect();
                prop_assert_eq!(pairs.last().unwrap().clone(), ("k".to_owned(), "KEY".to_owned()));
                prop_assert!(pairs.contains(&("q".to_owned(), a)));
                prop_assert_eq!(pairs.len(), if b.is_null() { 2 } else { 3 });
                for header in &plan.request.headers {
                    for piece in &header.value {
                        if let Piece::Text(text) = piece {
                            prop_assert!(text.bytes().all(|byte| byte == b'\t' || (0x20..0x7f).contains(&byte)));
                        }
                    }
                }
            }
            Reply::Validated { violations } => prop_assert!(!violations.is_empty()),
            other => prop_assert!(false, "{other:?}"),
        }
    }

    /// T002-24: whatever an argument is, the body is the JSON of its template.
    #[test]
    fn a_json_body_stays_json(a in any_word(), b in any_json()) {
        let mut body = weather();
        body["argSchema"] = json!({"properties": {"a": {}, "b": {}}});
        body["impl"] = json!({
            "method": "POST", "urlTemplate": "https://a.org/", "bodyTemplate": r#"{"t": "<${a}>", "v": ${b}, "k": "${KEY}"}"#,
        });
        let tool: Value = checked(&body).record.into();
        let args = json!({"a": a, "b": b});
        let Reply::Prepared(plan) = soon(Request::Prepare { tool, args, allowed_hosts: vec!["a.org".to_owned()] }) else {
            return Err(TestCaseError::fail("no plan"));
        };
        let text: String = plan.request.body.unwrap().iter().map(|piece| match piece {
            Piece::Text(text) => text.as_str(),
            _ => "KEY",
        }).collect();
        let sent: Value = serde_json::from_str(&text).unwrap();
        prop_assert_eq!(sent, json!({"t": format!("<{a}>"), "v": b, "k": "KEY"}));
    }
}

/// A text without its percent-encoding.
fn percent(text: &str) -> String {
    let pair = format!("x={}", text.replace('+', "%2B"));
    url::form_urlencoded::parse(pair.as_bytes()).next().unwrap().1.into_owned()
}
