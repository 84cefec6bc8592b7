//! Records of tools and bundles.

use countersign_toolbox::answer;
use serde_json::{Value, json};
use wire::toolbox::{CheckedTool, Reply, Request};

const BUNDLE: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af101";

/// The seed's own example, with its arguments.
pub(crate) fn weather() -> Value {
    json!({
        "displayName": "Weather report",
        "description": "Fetches the current weather for a city. Use when the user asks for the weather.",
        "type": "http",
        "argSchema": {
            "type": "object",
            "properties": {"city": {"type": "string"}, "days": {"type": "integer", "default": 3}},
            "required": ["city"],
        },
        "outputSchema": {"type": "string"},
        "impl": {
            "method": "GET",
            "urlTemplate": "https://api.weatherapi.com/v1/current.json?q=${city}&key=${WEATHER_API_KEY}",
            "headers": {"User-Agent": "MyApp/${version}"},
            "bodyTemplate": "",
            "successCodes": [200],
            "timeoutMs": 10000,
            "responseEncoding": "json",
            "extractExpr": "$.current.condition.text",
            "errorMode": "fail",
        },
    })
}

fn check_as(slug: &str, version: &str, body: &Value) -> Reply {
    answer(Request::CheckTool {
        bundle_id: BUNDLE.to_owned(),
        slug: slug.to_owned(),
        version: version.to_owned(),
        body: body.clone(),
        functions: vec!["get_address_book".to_owned()],
        reserved: vec!["add_coin".to_owned(), "get_address_book".to_owned()],
    })
}

pub(crate) fn checked(body: &Value) -> CheckedTool {
    match check_as("get-weather", "v1", body) {
        Reply::Tool(tool) => *tool,
        other => panic!("{other:#?}"),
    }
}

fn errors_of(reply: Reply) -> Vec<(String, String)> {
    match reply {
        Reply::Rejected { errors } => {
            assert!(!errors.is_empty());
            errors.into_iter().map(|error| (error.code, error.path.unwrap_or_default())).collect()
        }
        other => panic!("was not rejected: {other:#?}"),
    }
}

fn errors(body: &Value) -> Vec<(String, String)> {
    errors_of(check_as("get-weather", "v1", body))
}

/// The record with something else at a place.
fn with(path: &str, value: Value) -> Value {
    let mut record = weather();
    let (parent, name) = path.rsplit_once('/').expect("a pointer");
    record
        .pointer_mut(parent)
        .and_then(Value::as_object_mut)
        .expect("an object")
        .insert(name.to_owned(), value);
    record
}

/// The one error of the record with something else at a place.
fn error_with(path: &str, value: Value) -> (String, String) {
    let found = errors(&with(path, value.clone()));
    assert_eq!(found.len(), 1, "{path} {value}: {found:?}");
    found.into_iter().next().expect("one")
}

fn pair(code: &str, path: &str) -> (String, String) {
    (code.to_owned(), path.to_owned())
}

/// T002-16: every field of the seed is stored, defaults are filled in, and what has no meaning is not.
#[test]
fn a_record_round_trips() {
    let mut body = weather();
    body["unknown"] = json!(1);
    body["impl"]["unknown"] = json!(1);
    body["id"] = json!("mine");
    body["createdAt"] = json!("yesterday");
    let CheckedTool { record, name, origin, secrets, warnings } = checked(&body);
    let mut expected = weather();
    for (field, value) in [
        ("schemaVersion", json!("2026-11-01")),
        ("bundleID", json!(BUNDLE)),
        ("slug", json!("get-weather")),
        ("version", json!("v1")),
        ("tags", json!([])),
        ("isEnabled", json!(true)),
        ("isBuiltIn", json!(false)),
        ("category", json!("side_effect")),
        ("consequenceLevel", json!("medium")),
        ("requiresConfirmation", json!(false)),
        ("timeout", json!(15_000)),
        ("dependsOn", json!([])),
        ("maxCallsPerMinute", json!(null)),
    ] {
        expected[field] = value;
    }
    for (field, value) in [
        ("maxRetries", json!(2)),
        ("maxRequestBytes", json!(262_144)),
        ("maxResponseBytes", json!(1_048_576)),
        ("stream", json!(false)),
    ] {
        expected["impl"][field] = value;
    }
    assert_eq!(Value::from(record.clone()), expected);
    assert_eq!(name.as_deref(), Some("get_weather"));
    assert_eq!(origin.as_deref(), Some("https://api.weatherapi.com"));
    assert_eq!(secrets, ["WEATHER_API_KEY"]);
    // T002-23: the browser sends a `User-Agent` of its own, and the person who writes the tool is told.
    let told: Vec<_> =
        warnings.iter().map(|warning| (warning.code.as_str(), warning.path.as_deref())).collect();
    assert_eq!(told, [("header_not_sent", Some("/impl/headers/User-Agent"))]);
    // What was stored can be put again.
    assert_eq!(checked(&record.clone().into()).record, record);
}

/// T002-14: ids of version 7, in lower case.
#[test]
fn bundle_ids_are_uuid_v7() {
    for id in [
        "",
        "mine",
        "018FAF50-B7B6-7A01-9A05-A22A6E0AF101",
        "018faf50-b7b6-4a01-9a05-a22a6e0af101",
        "018faf50-b7b6-7a01-ca05-a22a6e0af101",
        "018faf50b7b67a019a05a22a6e0af101",
        "018faf50-b7b6-7a01-9a05-a22a6e0af10",
    ] {
        let reply = answer(Request::CheckBundle {
            bundle_id: id.into(),
            body: json!({"slug": "a", "displayName": "A"}),
        });
        assert_eq!(errors_of(reply), [pair("invalid_id", "/bundleID")], "{id}");
    }
}

/// T002-17, T002-46: bundles.
#[test]
fn bundles_are_checked() {
    let check = |body: Value| answer(Request::CheckBundle { bundle_id: BUNDLE.into(), body });
    let Reply::Bundle { record } = check(json!({"slug": "mine", "displayName": " Mine ", "x": 1})) else {
        panic!("a bundle");
    };
    let expected = json!({"slug": "mine", "displayName": "Mine", "isEnabled": true, "description": ""});
    assert_eq!(Value::from(record), expected);
    for (body, errors) in [
        (json!([]), vec![pair("invalid_field", "")]),
        (json!({}), vec![pair("missing_field", "/slug"), pair("missing_field", "/displayName")]),
        (
            json!({"slug": "a.b", "displayName": " "}),
            vec![pair("invalid_field", "/slug"), pair("invalid_field", "/displayName")],
        ),
        (json!({"slug": "a", "displayName": "a\nb"}), vec![pair("invalid_field", "/displayName")]),
        (
            json!({"slug": "a", "displayName": "a", "isEnabled": 1, "description": 2, "isBuiltIn": true}),
            vec![
                pair("invalid_field", "/isEnabled"),
                pair("invalid_field", "/description"),
                pair("invalid_field", "/isBuiltIn"),
            ],
        ),
    ] {
        assert_eq!(errors_of(check(body.clone())), errors, "{body}");
    }
}

/// T002-36, T002-38: letters, digits and `-`; a dot in versions only; 64 letters, not bytes; NFC.
#[test]
fn slugs_and_versions_have_rules() {
    let long = "ü".repeat(64);
    for slug in ["a", "get-weather", "Wetter", "天気", "погода-2", "٣", "-", long.as_str()] {
        assert!(matches!(check_as(slug, "v1", &weather()), Reply::Tool(_)), "{slug}");
    }
    let too_long = "ü".repeat(65);
    for slug in
        ["", "a_b", "a b", "a/b", "a.b", "a\u{0}", "a+", "a😀", "½", "Ⅷ", "a\u{200b}b", too_long.as_str()]
    {
        assert_eq!(errors_of(check_as(slug, "v1", &weather())), [pair("invalid_field", "/slug")], "{slug}");
    }
    for version in ["v1", "1.0.0", "2024-05", "v1.2-beta", "β"] {
        assert!(matches!(check_as("a-b", version, &weather()), Reply::Tool(_)), "{version}");
    }
    for version in ["", "v 1", "v_1", "v/1", ".", "..", "1+2", too_long.as_str()] {
        assert_eq!(
            errors_of(check_as("a-b", version, &weather())),
            [pair("invalid_field", "/version")],
            "{version}"
        );
    }
    let Reply::Tool(tool) = check_as("cafe\u{301}", "v1", &weather()) else { panic!("a tool") };
    assert_eq!(tool.record["slug"], "caf\u{e9}");
    // 64 letters once composed.
    assert!(matches!(check_as(&"e\u{301}".repeat(64), "v1", &weather()), Reply::Tool(_)));
}

/// The body may repeat what the path says, and nothing else.
#[test]
fn the_body_agrees_with_the_path() {
    let same = with("/slug", json!("get-weather"));
    assert!(matches!(check_as("get-weather", "v1", &same), Reply::Tool(_)));
    assert_eq!(error_with("/slug", json!("other")), pair("invalid_field", "/slug"));
    assert_eq!(error_with("/version", json!("v2")), pair("invalid_field", "/version"));
    assert_eq!(error_with("/bundleID", json!("x")), pair("invalid_field", "/bundleID"));
    assert_eq!(error_with("/schemaVersion", json!("2099-01-01")), pair("invalid_field", "/schemaVersion"));
}

/// T002-17, T002-18, T003-3, T003-4: required fields, and what a caller cannot set.
#[test]
fn required_fields() {
    let found = errors(&json!({}));
    let expected =
        ["/displayName", "/description", "/argSchema", "/type"].map(|path| pair("missing_field", path));
    assert_eq!(found, expected);
    assert_eq!(errors(&json!([])), [pair("invalid_field", "")]);
    assert_eq!(error_with("/displayName", json!("")), pair("invalid_field", "/displayName"));
    assert_eq!(error_with("/isBuiltIn", json!(true)), pair("invalid_field", "/isBuiltIn"));
    assert_eq!(error_with("/type", json!("mcp")), pair("invalid_field", "/type"));
    assert_eq!(error_with("/impl", json!(null)), pair("missing_field", "/impl"));
    assert_eq!(error_with("/impl", json!(7)), pair("invalid_field", "/impl"));
}

/// T002-19: schemas are schemas; the pointer leads into the record.
#[test]
fn schemas_of_a_tool_are_checked() {
    let wrong = json!({"properties": {"a": {"type": "text"}}});
    assert_eq!(
        errors(&with("/argSchema", wrong.clone()))[0],
        pair("invalid_schema", "/argSchema/properties/a/type")
    );
    assert_eq!(error_with("/outputSchema", wrong), pair("invalid_schema", "/outputSchema/properties/a/type"));
}

/// T002-39, T003-10: tags.
#[test]
fn tags_have_rules() {
    assert_eq!(
        checked(&with("/tags", json!(["a", "_b", "C-d_3"]))).record["tags"],
        json!(["a", "_b", "C-d_3"])
    );
    for tags in
        [json!("a"), json!(["a", "a"]), json!(["1a"]), json!([""]), json!(["a b"]), json!([7]), json!(["é"])]
    {
        let errors = errors(&with("/tags", tags.clone()));
        assert!(errors[0].1.starts_with("/tags"), "{tags}: {errors:?}");
    }
    assert_eq!(errors(&with("/tags", json!(["a".repeat(65)])))[0].1, "/tags/0");
}

/// T003-5, T003-6, T003-7, T003-8, T003-12: fields of a definition, with their defaults and bounds.
#[test]
fn fields_of_a_definition() {
    for (path, value) in [
        ("/category", json!("create")),
        ("/consequenceLevel", json!("none")),
        ("/requiresConfirmation", json!("yes")),
        ("/timeout", json!(0)),
        ("/timeout", json!(300_001)),
        ("/timeout", json!(1.5)),
        ("/maxCallsPerMinute", json!(0)),
        ("/isEnabled", json!("yes")),
    ] {
        assert_eq!(error_with(path, value), pair("invalid_field", path));
    }
    assert_eq!(error_with("/dependsOn", json!(["Get"])), pair("invalid_field", "/dependsOn/0"));
    assert_eq!(error_with("/dependsOn", json!(["get_weather"])), pair("invalid_field", "/dependsOn"));
    assert_eq!(checked(&with("/maxCallsPerMinute", json!(6))).record["maxCallsPerMinute"], 6);
}

/// T003-14, T003-15: all 24 combinations can be stored as they are; none is inferred from another.
#[test]
fn category_level_and_confirmation_are_independent() {
    for category in ["read", "write", "delete", "side_effect"] {
        for level in ["low", "medium", "high"] {
            for confirm in [true, false] {
                let mut body = weather();
                body["category"] = json!(category);
                body["consequenceLevel"] = json!(level);
                body["requiresConfirmation"] = json!(confirm);
                let record = checked(&body).record;
                let stored =
                    (&record["category"], &record["consequenceLevel"], &record["requiresConfirmation"]);
                assert_eq!(stored, (&json!(category), &json!(level), &json!(confirm)));
            }
        }
    }
}

/// T003-2: the name of a slug, none where it gives none, and no built-in's.
#[test]
fn slugs_become_names() {
    let name = |slug: &str| match check_as(slug, "v1", &weather()) {
        Reply::Tool(tool) => tool.name,
        other => panic!("{other:?}"),
    };
    assert_eq!(name("get-weather-2").as_deref(), Some("get_weather_2"));
    for slug in ["Weather", "2weather", "-a", "a--b", "a-", "wetter-für-dich"] {
        assert_eq!(name(slug), None, "{slug}");
    }
    assert_eq!(errors_of(check_as("add-coin", "v1", &weather())), [pair("name_taken", "/slug")]);
    assert_eq!(errors_of(check_as("get-address-book", "v1", &weather())), [pair("name_taken", "/slug")]);
    let found = errors_of(check_as("add-coin", "v 1", &weather()));
    assert_eq!(found, [pair("invalid_field", "/version"), pair("name_taken", "/slug")]);
    let mut body = weather();
    body["description"] = json!("Weather.");
    body["impl"]["headers"] = json!({});
    let Reply::Tool(tool) = check_as("weather", "v1", &body) else { panic!("a tool") };
    let advice: Vec<_> =
        tool.warnings.iter().map(|warning| warning.path.clone().unwrap_or_default()).collect();
    assert_eq!(advice, ["/slug", "/description"]);
}

/// T002-2, T002-20: local functions; `go` is stored as `local`.
#[test]
fn local_functions_are_known() {
    for (kind, field) in [("go", "goFunc"), ("local", "function")] {
        let mut body = with("/type", json!(kind));
        body["impl"] = json!({ field: "get_address_book" });
        let record = checked(&body).record;
        assert_eq!(
            (&record["type"], &record["impl"]),
            (&json!("local"), &json!({"goFunc": "get_address_book"}))
        );
        body["impl"] = json!({ field: "github.com/acme/agent/tools.Weather" });
        assert_eq!(errors(&body), [pair("unknown_function", &format!("/impl/{field}"))]);
    }
}

/// T002-21, T002-25, T002-26, T002-27, T002-80: methods, codes, limits.
#[test]
fn http_fields_have_bounds() {
    for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"] {
        assert_eq!(checked(&with("/impl/method", json!(method))).record["impl"]["method"], method);
    }
    let mut body = weather();
    body["impl"] = json!({"urlTemplate": "https://a.org/"});
    assert_eq!(checked(&body).record["impl"]["method"], "GET");
    for (path, value) in [
        ("/impl/method", json!("get")),
        ("/impl/method", json!("TRACE")),
        ("/impl/method", json!("CONNECT")),
        ("/impl/timeoutMs", json!(0)),
        ("/impl/timeoutMs", json!(300_001)),
        ("/impl/maxRetries", json!(11)),
        ("/impl/maxRetries", json!(-1)),
        ("/impl/maxRequestBytes", json!((1 << 20) + 1)),
        ("/impl/maxResponseBytes", json!((4 << 20) + 1)),
        ("/impl/maxResponseBytes", json!(0)),
        ("/impl/responseEncoding", json!("xml")),
        ("/impl/errorMode", json!("ignore")),
        ("/impl/stream", json!(1)),
        ("/impl/successCodes", json!(200)),
    ] {
        assert_eq!(error_with(path, value), pair("invalid_field", path));
    }
    for code in [99, 600, -200] {
        assert_eq!(
            error_with("/impl/successCodes", json!([200, code])),
            pair("invalid_field", "/impl/successCodes/1")
        );
    }
    for edge in [json!([100, 599, 100]), json!([])] {
        checked(&with("/impl/successCodes", edge));
    }
}

/// T002-28: an expression that is none is refused.
#[test]
fn expressions_of_a_tool_are_checked() {
    assert_eq!(
        error_with("/impl/extractExpr", json!("$.[")),
        pair("invalid_expression", "/impl/extractExpr")
    );
    let mut body = with("/impl/responseEncoding", json!("text"));
    body["impl"]["extractExpr"] = json!("(\\d+");
    assert_eq!(errors(&body), [pair("invalid_expression", "/impl/extractExpr")]);
}

/// T002-23: headers that the browser sets are refused by name, not dropped.
#[test]
fn forbidden_headers_are_refused() {
    for name in [
        "Host",
        "Cookie",
        "Origin",
        "Content-Length",
        "Sec-Fetch-Site",
        "sec-x",
        "Proxy-Authorization",
        "Referer",
        "Connection",
        "Accept-Encoding",
        "Accept-Charset",
        "Date",
        "DNT",
        "Expect",
        "Keep-Alive",
        "TE",
        "Trailer",
        "Transfer-Encoding",
        "Upgrade",
        "Via",
        "Set-Cookie",
        "Access-Control-Request-Method",
        "X-HTTP-Method-Override",
    ] {
        let reply = check_as("get-weather", "v1", &with("/impl/headers", json!({ name: "x" })));
        let Reply::Rejected { errors } = reply else { panic!("{name} is taken") };
        assert_eq!((errors.len(), errors[0].code.as_str()), (1, "forbidden_header"), "{name}");
        assert!(errors[0].message.contains(name), "{}", errors[0].message);
    }
    for (headers, path) in [
        (json!({"a b": "x"}), "/impl/headers/a b"),
        (json!({"": "x"}), "/impl/headers/"),
        (json!({"A": "x\r\nB: y"}), "/impl/headers/A"),
        (json!({"A": "ü"}), "/impl/headers/A"),
        (json!({"A": 7}), "/impl/headers/A"),
        (json!({"A": "1", "a": "2"}), "/impl/headers/a"),
        (json!([]), "/impl/headers"),
    ] {
        assert_eq!(error_with("/impl/headers", headers), pair("invalid_field", path));
    }
    let long: serde_json::Map<String, Value> =
        (0..33).map(|number| (format!("x-{number}"), json!("1"))).collect();
    assert_eq!(error_with("/impl/headers", long.into()), pair("invalid_field", "/impl/headers"));
}

/// T002-31: the scheme is literal, `http` is for this machine, and no secret is part of where a request goes.
#[test]
fn addresses_have_rules() {
    for url in [
        "https://a.org",
        "https://a.org/x/${city}?y=${API_KEY}",
        "https://${city}.a.org/",
        "http://localhost:8080/x",
        "http://127.0.0.1/",
        "http://[::1]:9/",
        "http://${city}/",
        "https://bücher.example/ä?ö",
    ] {
        assert!(
            matches!(check_as("a-b", "v1", &with("/impl/urlTemplate", json!(url))), Reply::Tool(_)),
            "{url}"
        );
    }
    for url in [
        "ftp://a.org/",
        "${city}://a.org/",
        "//a.org/",
        "a.org",
        "HTTPS://a.org",
        "https:/a.org",
        "https://",
        "https:///x",
        "https://a.org/#x",
        "https://a.org/ x",
        "https://a.org\\x",
        "https://user@a.org/",
        "https://user:pass@a.org/",
        "https://${API_KEY}.a.org/",
        "https://a.org:${API_KEY}/",
        "https://a.org:99999/",
        "https://a b/",
        "http://a.org/",
        "http://10.0.0.1/",
    ] {
        let (code, path) = error_with("/impl/urlTemplate", json!(url));
        assert_eq!((code.as_str(), path.as_str()), ("invalid_url", "/impl/urlTemplate"), "{url}");
    }
    assert_eq!(error_with("/impl/urlTemplate", json!("")), pair("invalid_field", "/impl/urlTemplate"));
}

/// T002-22, T002-32: a placeholder is a property of the arguments, a secret or the version.
#[test]
fn placeholders_are_known() {
    for (path, template) in [
        ("/impl/urlTemplate", "https://a.org/${town}"),
        ("/impl/headers", "${town}"),
        ("/impl/bodyTemplate", "${town}"),
    ] {
        let value = if path == "/impl/headers" { json!({ "X": template }) } else { json!(template) };
        let place = if path == "/impl/headers" { "/impl/headers/X" } else { path };
        assert_eq!(error_with(path, value), pair("unknown_placeholder", place));
    }
    for template in ["https://a.org/${", "https://a.org/${}", "https://a.org/${a b}"] {
        let found = errors(&with("/impl/urlTemplate", json!(template)));
        assert_eq!(found[0], pair("invalid_template", "/impl/urlTemplate"), "{template}");
    }
    let mut body = with("/impl/urlTemplate", json!("https://a.org/${a}/${b}/${c.d[0]}"));
    body["argSchema"] = json!({
        "allOf": [{"properties": {"a": {}}}, {"$ref": "#/$defs/b"}],
        "$defs": {"b": {"properties": {"b": {}}}},
        "properties": {"c": {}},
    });
    checked(&body);
}

/// T002-24: a body of JSON is JSON wherever its placeholders are.
#[test]
fn bodies_of_json_are_json() {
    let mut body = with("/impl/method", json!("POST"));
    for template in
        [r#"{"a": ${city}, "b": "x ${city} y", "c": [1.50, true, "${API_KEY}"]}"#, "${city}", "", "[]", "a=b"]
    {
        body["impl"]["bodyTemplate"] = json!(template);
        checked(&body);
    }
    for template in [
        "{",
        r#"{"a": }"#,
        r#"{"a": ${city} ${city}}"#,
        r#"{"a" 1}"#,
        "[1,]",
        r#"{"a": "x}"#,
        "[nul]",
        "[1] 2",
    ] {
        body["impl"]["bodyTemplate"] = json!(template);
        assert_eq!(errors(&body), [pair("invalid_template", "/impl/bodyTemplate")], "{template}");
    }
}

/// T002-79: every kind of `auth`; none holds a secret in clear.
#[test]
fn auth_names_its_secrets() {
    for auth in [
        json!({"type": "bearer", "token": "${API_TOKEN}"}),
        json!({"type": "basic", "username": "me", "password": "${PASSWORD}"}),
        json!({"type": "apiKey", "in": "header", "name": "X-Api-Key", "value": "${API_KEY}"}),
        json!({"type": "apiKey", "in": "query", "name": "key", "value": "${API_KEY}"}),
        json!({"type": "hmac", "algorithm": "sha512", "key": "${API_KEY}", "header": "X-Signature", "encoding": "base64",
               "message": "${method}\n${path}\n${timestamp}\n${body}${city}", "timestampHeader": "X-Time"}),
        json!({"type": "oauth2", "authorizationUrl": "https://a.org/authorize", "tokenUrl": "https://a.org/token",
               "clientId": "me", "clientSecret": "${CLIENT_SECRET}", "scopes": ["read"]}),
    ] {
        let tool = checked(&with("/impl/auth", auth.clone()));
        assert_eq!(tool.record["impl"]["auth"], auth);
        assert!(tool.secrets.len() >= 2, "{auth}: {:?}", tool.secrets);
    }
    for (auth, code, path) in [
        (json!({"type": "bearer", "token": "abc"}), "secret_expected", "token"),
        (json!({"type": "bearer", "token": "${city}"}), "secret_expected", "token"),
        (json!({"type": "bearer"}), "missing_field", "token"),
        (json!({"type": "basic", "username": "me", "password": "x"}), "secret_expected", "password"),
        (json!({"type": "basic", "username": "a:b", "password": "${P}"}), "invalid_field", "username"),
        (json!({"type": "apiKey", "in": "cookie", "name": "X", "value": "${K}"}), "invalid_field", "in"),
        (
            json!({"type": "apiKey", "in": "header", "name": "Cookie", "value": "${K}"}),
            "forbidden_header",
            "name",
        ),
        (
            json!({"type": "hmac", "key": "${K}", "header": "X", "message": "${town}"}),
            "unknown_placeholder",
            "message",
        ),
        (
            json!({"type": "hmac", "key": "${K}", "header": "X", "message": "a", "algorithm": "md5"}),
            "invalid_field",
            "algorithm",
        ),
        (
            json!({"type": "oauth2", "authorizationUrl": "http://a.org", "tokenUrl": "https://a.org", "clientId": "x"}),
            "invalid_url",
            "authorizationUrl",
        ),
        (
            json!({"type": "oauth2", "authorizationUrl": "https://a.org", "tokenUrl": "https://a.org", "clientId": "x",
                "clientSecret": "a${S}"}),
            "secret_expected",
            "clientSecret",
        ),
        (json!({"type": "magic"}), "invalid_field", "type"),
        (json!({}), "missing_field", "type"),
    ] {
        assert_eq!(error_with("/impl/auth", auth), pair(code, &format!("/impl/auth/{path}")));
    }
    let mut body = with("/impl/auth", json!({"type": "bearer", "token": "${T}"}));
    body["impl"]["headers"] = json!({"authorization": "x"});
    assert_eq!(errors(&body), [pair("invalid_field", "/impl/headers/authorization")]);
}

/// T002-85: steps call other tools, with what came before them.
#[test]
fn steps_are_checked() {
    let steps = |block: Value| {
        let mut body = with("/type", json!("steps"));
        body["impl"] = block;
        body
    };
    let block = json!({
        "steps": [
            {"id": "find", "tool": "find_city", "args": {"name": "${args.city}"}},
            {"id": "report", "tool": "get_report", "args": {"at": ["${steps.find.lat}", "x ${steps.find.names[0]}"]}},
        ],
        "output": {"text": "${steps.report}"},
    });
    let record = checked(&steps(block.clone())).record;
    assert_eq!((&record["impl"], &record["dependsOn"]), (&block, &json!(["find_city", "get_report"])));
    let short = checked(&steps(json!({"steps": [{"id": "a", "tool": "b_c"}]}))).record;
    assert_eq!(
        short["impl"],
        json!({"steps": [{"id": "a", "tool": "b_c", "args": {}}], "output": "${steps.a}"})
    );
    for (block, path) in [
        (json!({"steps": []}), "/impl/steps"),
        (json!({"steps": [{"id": "a", "tool": "get_weather"}]}), "/dependsOn"),
        (json!({"steps": [{"id": "A", "tool": "b"}]}), "/impl/steps/0/id"),
        (json!({"steps": [{"id": "a", "tool": "b"}, {"id": "a", "tool": "b"}]}), "/impl/steps/1/id"),
        (json!({"steps": [{"id": "a", "tool": "B c"}]}), "/impl/steps/0/tool"),
        (json!({"steps": [{"id": "a", "tool": "b", "args": []}]}), "/impl/steps/0/args"),
        (json!({"steps": [{"id": "a", "tool": "b", "args": {"x": "${steps.a}"}}]}), "/impl/steps/0/args/x"),
        (json!({"steps": [{"id": "a", "tool": "b", "args": {"x": "${args.town}"}}]}), "/impl/steps/0/args/x"),
        (
            json!({"steps": [{"id": "a", "tool": "b", "args": {"x": ["${API_KEY}"]}}]}),
            "/impl/steps/0/args/x/0",
        ),
        (json!({"steps": [{"id": "a", "tool": "b"}], "output": "${steps.c}"}), "/impl/output"),
    ] {
        assert_eq!(errors(&steps(block.clone())), [pair("invalid_field", path)], "{block}");
    }
    let many: Vec<Value> = (0..17).map(|number| json!({"id": format!("s{number}"), "tool": "b"})).collect();
    assert_eq!(errors(&steps(json!({ "steps": many })))[0], pair("invalid_field", "/impl/steps"));
}

/// T002-35: entries of the list of hosts.
#[test]
fn allowed_hosts_are_checked() {
    let check = |hosts: &[&str]| {
        answer(Request::CheckHosts { hosts: hosts.iter().map(|&host| host.to_owned()).collect() })
    };
    let Reply::Hosts { hosts } =
        check(&["API.example.org.", "api.example.org", "*.Bücher.example", "127.1:8080"])
    else {
        panic!("hosts");
    };
    assert_eq!(hosts, ["api.example.org", "*.xn--bcher-kva.example", "127.0.0.1:8080"]);
    assert_eq!(
        errors_of(check(&["a.org", "https://a.org", "*"])),
        [pair("invalid_host", "/1"), pair("invalid_host", "/2")]
    );
}
