//! Configurations of specification 004, and the records that they become.

use countersign_toolbox::answer;
use serde_json::{Value, json};
use wire::pieces::masked;
use wire::toolbox::{CheckedTool, HttpPlan, Reply, Request};

const BUNDLE: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af101";

/// A configuration with these fields of its own; one that is `null` is left out.
fn config(fields: Value) -> Value {
    let mut config = json!({
        "name": "confirmAction",
        "description": "Ask the user to confirm an action",
        "inputSchema": {"type": "object", "properties": {"text": {"type": "string"}}},
        "executionType": "space",
    });
    for (name, value) in fields.as_object().unwrap() {
        config[name] = value.clone();
    }
    config.as_object_mut().unwrap().retain(|_, value| !value.is_null());
    config
}

fn check(config: &Value) -> Reply {
    answer(Request::CheckConfig { config: config.clone(), reserved: vec!["enter_space".to_owned()] })
}

fn errors(fields: Value) -> Vec<(String, String)> {
    match check(&config(fields)) {
        Reply::Rejected { errors } => {
            errors.into_iter().map(|error| (error.code, error.path.unwrap_or_default())).collect()
        }
        other => panic!("was not rejected: {other:#?}"),
    }
}

/// The slug and the body that a configuration becomes.
fn body(fields: Value) -> (String, Value) {
    match check(&config(fields)) {
        Reply::Config { slug, body, .. } => (slug, body),
        other => panic!("was rejected: {other:#?}"),
    }
}

/// The record that a configuration becomes.
fn record(fields: Value) -> Value {
    let (slug, body) = body(fields);
    let request = Request::CheckTool {
        bundle_id: BUNDLE.to_owned(),
        slug,
        version: "v1".to_owned(),
        body,
        functions: Vec::new(),
        reserved: Vec::new(),
    };
    match answer(request) {
        Reply::Tool(tool) => {
            let CheckedTool { record, .. } = *tool;
            Value::Object(record)
        }
        other => panic!("was rejected: {other:#?}"),
    }
}

/// T004-3, T004-5, T004-8: the eight fields become a record; a space tool is visible and waits for half a minute.
#[test]
fn eight_fields_become_a_record() {
    let record = record(json!({
        "visible": true, "isAsync": true, "timeout": 20_000, "execution": {"method": "POST"},
    }));
    let fields = ["name", "slug", "displayName", "description", "argSchema", "type", "visible", "impl"];
    let found: Vec<Value> = fields.iter().map(|name| record[*name].clone()).collect();
    assert_eq!(
        json!(found),
        json!(["confirmAction", "confirm-action", "confirmAction", "Ask the user to confirm an action",
            {"type": "object", "properties": {"text": {"type": "string"}}}, "space", true,
            {"isAsync": true, "timeout": 20_000, "expiresIn": 86_400_000}])
    );
}

/// T004-13, T004-17, T004-22, T004-73: the decision is internal, then the address, then who gives the result; `isAsync` and
/// `timeout` change none of it, nor each other.
#[test]
fn decision_order() {
    for kind in ["gateway", "external", "space", "internal"] {
        for url in [Value::Null, json!("https://a.org/x")] {
            for (is_async, timeout) in
                [(false, json!(null)), (false, json!(5_000)), (true, json!(null)), (true, json!(5_000))]
            {
                let execution = json!({"url": url, "method": "GET"});
                let record = record(json!({
                    "executionType": kind, "isAsync": is_async, "timeout": timeout, "execution": execution,
                }));
                let expected = match (kind, url.is_null()) {
                    ("internal", _) => "internal",
                    (_, false) => "http",
                    ("space", true) => "space",
                    _ => "external",
                };
                let what = format!("{kind} {url} {is_async} {timeout}");
                assert_eq!(
                    (&record["type"], &record["visible"]),
                    (&json!(expected), &json!(kind != "internal")),
                    "{what}"
                );
                if matches!(expected, "space" | "external") {
                    let waits = timeout.as_u64().unwrap_or(30_000);
                    assert_eq!(
                        (&record["impl"]["isAsync"], &record["impl"]["timeout"]),
                        (&json!(is_async), &json!(waits)),
                        "{what}"
                    );
                }
                // The three time-outs of three layers stay what they are.
                assert_eq!(record["timeout"], 15_000, "{what}");
                if expected == "http" {
                    assert_eq!(record["impl"]["timeoutMs"], 10_000, "{what}");
                }
            }
        }
    }
}

/// T004-10: a wait has an end, and no longer one than ten minutes.
#[test]
fn waits_end() {
    for (given, kept) in [
        (json!(null), 30_000),
        (json!(0), 30_000),
        (json!(-1), 30_000),
        (json!(1), 1),
        (json!(10_000), 10_000),
        (json!(600_001), 600_000),
        (json!(u64::MAX), 600_000),
    ] {
        assert_eq!(record(json!({"timeout": given}))["impl"]["timeout"], kept, "{given}");
    }
    assert_eq!(errors(json!({"timeout": "soon"})), [("invalid_field".to_owned(), "/timeout".to_owned())]);
}

/// T004-4, T004-5, T004-6, T004-7: what is missing or wrong is said with its place in the configuration.
#[test]
fn refusals_have_a_place() {
    let missing = |path: &str| ("missing_field".to_owned(), path.to_owned());
    let invalid = |path: &str| ("invalid_field".to_owned(), path.to_owned());
    for name in ["name", "description", "inputSchema", "executionType"] {
        assert_eq!(errors(json!({ name: null })), [missing(&format!("/{name}"))]);
    }
    for kind in [json!("http"), json!("Space"), json!(""), json!(7)] {
        assert_eq!(errors(json!({ "executionType": kind })), [invalid("/executionType")]);
    }
    for name in ["1st", "", "a b", "_a", "ä", &"a".repeat(65)] {
        assert_eq!(errors(json!({ "name": name })), [invalid("/name")], "{name}");
    }
    assert_eq!(errors(json!({"name": "enter_space"})), [("name_taken".to_owned(), "/name".to_owned())]);
    assert_eq!(errors(json!({"visible": "yes"})), [invalid("/visible")]);
    assert_eq!(errors(json!({"isAsync": 1})), [invalid("/isAsync")]);
    assert_eq!(errors(json!({"execution": 1})), [invalid("/execution")]);
    assert_eq!(
        errors(json!({"inputSchema": {"type": "nothing"}})),
        [("invalid_schema".to_owned(), "/inputSchema/type".to_owned())]
    );
    let with = |execution: Value| errors(json!({"executionType": "gateway", "execution": execution}));
    assert_eq!(
        with(json!({"url": "ftp://a.org"})),
        [("invalid_url".to_owned(), "/execution/url".to_owned())]
    );
    assert_eq!(with(json!({"url": "https://a.org", "method": "SEND"})), [invalid("/execution/method")]);
    assert_eq!(
        with(json!({"url": "https://a.org", "headers": {"Cookie": "a"}})),
        [("forbidden_header".to_owned(), "/execution/headers/Cookie".to_owned())]
    );
}

/// How long a result is taken, who submits it and what it must be are fields of our own.
#[test]
fn results_have_bounds() {
    let schema = json!({"type": "boolean"});
    let own = json!({"executionType": "external", "expiresIn": 60_000, "submitters": ["https://a.org"], "outputSchema": schema});
    let record = record(own);
    assert_eq!(
        (&record["impl"], &record["outputSchema"]),
        (
            &json!({"isAsync": false, "timeout": 30_000, "expiresIn": 60_000, "submitters": ["https://a.org"]}),
            &schema
        )
    );
    assert_eq!(
        errors(json!({"expiresIn": 31_u64 * 86_400_000})),
        [("invalid_field".to_owned(), "/expiresIn".to_owned())]
    );
    assert_eq!(
        errors(json!({"submitters": ["https://a.org"]})),
        [("invalid_field".to_owned(), "/submitters".to_owned())]
    );
}

/// T004-6, T004-12: an empty schema is a tool without parameters; keys that have no meaning are ignored.
#[test]
fn unknown_keys_are_ignored() {
    let record = record(json!({"inputSchema": {}, "display": {"customUI": "x"}, "other": [1]}));
    assert_eq!(record["argSchema"], json!({"type": "object", "properties": {}}));
    assert_eq!((record.get("display"), record.get("other")), (None, None));
}

/// A name gives its slug.
#[test]
fn slugs_of_names() {
    for (name, slug) in [
        ("confirmAction", "confirm-action"),
        ("fetch_weather", "fetch-weather"),
        ("fetch-weather", "fetch-weather"),
        ("HTTPGet", "httpget"),
        ("a_-b-", "a-b"),
        ("get2Things", "get2-things"),
    ] {
        assert_eq!(body(json!({ "name": name })).0, slug, "{name}");
    }
}

fn plan(fields: Value, args: Value) -> HttpPlan {
    let tool = record(fields);
    let request = Request::Prepare { tool, args, allowed_hosts: vec!["a.org".to_owned()] };
    match answer(request) {
        Reply::Prepared(plan) => *plan,
        other => panic!("{other:?}"),
    }
}

/// T004-11, T004-24: a GET carries its arguments as pairs of the query, each encoded; what the address says stays.
#[test]
fn get_has_arguments_in_its_query() {
    let url = |url: &str, args: Value| {
        let fields = json!({"executionType": "gateway", "inputSchema": {}, "execution": {"url": url, "method": "GET",
            "headers": {"X-Key": "${API_KEY}"}}});
        let plan = plan(fields, args);
        assert_eq!((plan.request.body.is_none(), plan.secrets), (true, vec!["API_KEY".to_owned()]));
        masked(&plan.request.url)
    };
    assert_eq!(url("https://a.org/current", json!({})), "https://a.org/current");
    assert_eq!(
        url(
            "https://a.org/current?units=m",
            json!({"city": "Rom & Köln", "days": 3, "units": "k", "no": null})
        ),
        "https://a.org/current?units=m&city=Rom%20%26%20K%C3%B6ln&days=3"
    );
    assert_eq!(
        url("https://a.org/", json!({"a=b&c": "x#y", "list": [1, {"a": "b"}]})),
        "https://a.org/?a%3Db%26c=x%23y&list=%5B1%2C%7B%22a%22%3A%22b%22%7D%5D"
    );
}

/// T004-11: a POST carries them as JSON; what stands in the address is not repeated.
#[test]
fn post_has_arguments_in_its_body() {
    let schema = json!({"type": "object", "properties": {"id": {"type": "string"}, "note": {}}});
    let execution = json!({"url": "https://a.org/items/${id}", "method": "POST"});
    let fields = json!({"executionType": "external", "inputSchema": schema, "execution": execution});
    let plan = plan(fields, json!({"id": "7", "note": {"a": [1, "\""]}}));
    assert_eq!(masked(&plan.request.url), "https://a.org/items/7");
    assert_eq!(masked(&plan.request.body.unwrap()), r#"{"note":{"a":[1,"\""]}}"#);
    let headers: Vec<_> = plan.request.headers.iter().map(|header| masked(&header.value)).collect();
    assert_eq!(headers, ["application/json"]);
}

/// T004-14: who may submit is an origin as a browser spells it, of external tools only.
#[test]
fn submitters_are_origins() {
    let submitters = |kind: &str, submitters: Value| {
        let body = json!({"name": "fetchData", "displayName": "d", "description": "d", "argSchema": {}, "type": kind,
            "impl": {"submitters": submitters, "expiresIn": 1_000}});
        let request = Request::CheckTool {
            bundle_id: BUNDLE.to_owned(),
            slug: "fetch-data".to_owned(),
            version: "v1".to_owned(),
            body,
            functions: Vec::new(),
            reserved: Vec::new(),
        };
        matches!(answer(request), Reply::Tool(_))
    };
    let extension = format!("chrome-extension://{}", "abcdefghijklmnop".repeat(2));
    assert!(submitters(
        "external",
        json!(["https://a.org", "http://127.0.0.1:8080", "http://localhost", extension])
    ));
    for bad in
        ["https://a.org/", "https://A.org", "http://a.org", "a.org", "*", "null", "chrome-extension://x"]
    {
        assert!(!submitters("external", json!([bad])), "{bad}");
    }
    assert!(submitters("space", json!([])) && !submitters("space", json!(["https://a.org"])));
}
