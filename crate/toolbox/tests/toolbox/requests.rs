//! From a tool and its arguments to a request, and from a response to a value.

use crate::records::{checked, weather};
use crate::refused;
use countersign_toolbox::answer;
use serde_json::{Value, json};
use wire::pieces::{Piece, masked};
use wire::toolbox::{Encoding, ErrorMode, HttpPlan, Reply, Request};

/// A record with another block; its arguments may be anything.
fn tool(block: Value) -> Value {
    let mut body = weather();
    body["argSchema"] = json!({
        "type": "object",
        "properties": {
            "a": {}, "b": {}, "c": {"default": "dee"}, "city": {"type": "string"}, "at": {"type": "object"},
        },
    });
    body["outputSchema"] = json!(null);
    body["impl"] = block;
    checked(&body).record.into()
}

fn ask(tool: &Value, args: Value, hosts: &[&str]) -> Reply {
    let allowed_hosts = hosts.iter().map(|&host| host.to_owned()).collect();
    answer(Request::Prepare { tool: tool.clone(), args, allowed_hosts })
}

fn plan(tool: &Value, args: Value) -> HttpPlan {
    match ask(tool, args, &["a.org", "*.a.org", "localhost:8080", "api.weatherapi.com"]) {
        Reply::Prepared(plan) => *plan,
        other => panic!("{other:?}"),
    }
}

fn url_of(template: &str, args: Value) -> String {
    masked(&plan(&tool(json!({ "urlTemplate": template })), args).request.url)
}

/// Where the arguments cannot be used.
fn argument_error(block: Value, args: Value) -> String {
    match ask(&tool(block), args, &["a.org", "*.a.org"]) {
        Reply::Validated { violations } => {
            assert_eq!(violations.len(), 1, "{violations:?}");
            violations[0].path.clone()
        }
        other => panic!("{other:?}"),
    }
}

/// T002-22, T002-23, T002-34: the seed's example, with a hole for its secret and the name shown in its place.
#[test]
fn the_example_of_the_specification() {
    let record: Value = checked(&weather()).record.into();
    let plan = plan(&record, json!({"city": "São Paulo & co"}));
    let url = [
        Piece::Text(
            "https://api.weatherapi.com/v1/current.json?q=S%C3%A3o%20Paulo%20%26%20co&key=".to_owned(),
        ),
        Piece::Secret { name: "WEATHER_API_KEY".to_owned(), encoding: wire::pieces::Encoding::Percent },
    ];
    assert_eq!(plan.request.url, url);
    assert_eq!(plan.request.headers[0].name, "User-Agent");
    assert_eq!(masked(&plan.request.headers[0].value), "MyApp/v1");
    assert_eq!((plan.request.body, plan.method.as_str()), (None, "GET"));
    assert_eq!(
        (plan.host.as_str(), plan.origin.as_str()),
        ("api.weatherapi.com", "https://api.weatherapi.com")
    );
    assert_eq!(plan.secrets, ["WEATHER_API_KEY"]);
    let shown = "GET https://api.weatherapi.com/v1/current.json?q=S%C3%A3o%20Paulo%20%26%20co&key=‹WEATHER_API_KEY›\n\
                 User-Agent: MyApp/v1\n";
    assert_eq!(plan.shown, shown);
    assert_eq!((plan.timeout_ms, plan.max_retries, plan.is_idempotent), (10_000, 2, true));
    assert_eq!(
        (plan.success_codes, plan.encoding, plan.error_mode),
        (vec![200], Encoding::Json, ErrorMode::Fail)
    );
    assert_eq!((plan.max_request_bytes, plan.max_response_bytes, plan.stream), (262_144, 1_048_576, false));
    assert_eq!(Value::from(plan.args), json!({"city": "São Paulo & co", "days": 3}));
}

/// T002-68: arguments are checked first; a failure tells where, and nothing is built.
#[test]
fn arguments_are_checked_first() {
    let record: Value = checked(&weather()).record.into();
    let hosts = &["api.weatherapi.com"];
    for (args, path) in [
        (json!({}), "/city"),
        (json!({"city": 7}), "/city"),
        (json!({"city": "x", "days": "many"}), "/days"),
        (json!(null), ""),
    ] {
        let Reply::Validated { violations } = ask(&record, args.clone(), hosts) else { panic!("{args}") };
        assert_eq!(violations[0].path, path, "{args}");
    }
}

/// D11: defaults of the top level are applied to what is absent, after the check; nothing deeper is.
#[test]
fn defaults_are_applied_after_the_check() {
    let schema = json!({
        "type": "object",
        "minProperties": 1,
        "properties": {
            "a": {"type": "integer", "default": "not one"},
            "b": {"default": 2},
            "c": {"properties": {"d": {"default": 1}}},
        },
    });
    let check = |args: Value| answer(Request::CheckArguments { schema: schema.clone(), args });
    let Reply::Arguments { args } = check(json!({"b": null, "c": {}})) else { panic!("arguments") };
    assert_eq!(Value::from(args), json!({"a": "not one", "b": null, "c": {}}));
    assert!(matches!(check(json!({})), Reply::Validated { violations } if violations.len() == 1));
    assert!(matches!(check(json!([])), Reply::Validated { violations } if violations.len() == 1));
}

/// T002-33: an argument stays inside of its segment or its pair.
#[test]
fn arguments_are_encoded_for_their_position() {
    let hostile = "a/b?c=d&e#f%2Fg h\u{e9}\r\n@:[]";
    let encoded = "a%2Fb%3Fc%3Dd%26e%23f%252Fg%20h%C3%A9%0D%0A%40%3A%5B%5D";
    assert_eq!(
        url_of("https://a.org/x/${a}/y", json!({ "a": hostile })),
        format!("https://a.org/x/{encoded}/y")
    );
    assert_eq!(
        url_of("https://a.org/?q=${a}&z=1", json!({ "a": hostile })),
        format!("https://a.org/?q={encoded}&z=1")
    );
    assert_eq!(url_of("https://a.org/?${a}=${a}", json!({"a": "x=y"})), "https://a.org/?x%3Dy=x%3Dy");
    assert_eq!(url_of("https://a.org/${a}-${b}", json!({"a": 1.5, "b": true})), "https://a.org/1.5-true");
    assert_eq!(url_of("https://a.org/?q=${a}", json!({"a": [1, "x"]})), "https://a.org/?q=%5B1%2C%22x%22%5D");
    assert_eq!(url_of("https://a.org/${at.x[1]}", json!({"at": {"x": [1, 2]}})), "https://a.org/2");
    assert_eq!(url_of("https://a.org/$${a}", json!({})), "https://a.org/$%7Ba%7D");
    assert_eq!(url_of("https://a.org?q=${c}", json!({})), "https://a.org/?q=dee");
    assert_eq!(url_of("https://a.org/a/../b/${c}", json!({})), "https://a.org/b/dee");
    assert_eq!(url_of("https://a.org./${c}", json!({})), "https://a.org/dee");
}

/// T002-33: a path that an argument would turn into another is refused.
#[test]
fn an_argument_takes_no_step_up() {
    for value in ["..", ".", ""] {
        assert_eq!(
            argument_error(json!({"urlTemplate": "https://a.org/x/${a}/y"}), json!({ "a": value })),
            "/a"
        );
    }
    assert_eq!(argument_error(json!({"urlTemplate": "https://a.org/x/.${a}/y"}), json!({"a": "."})), "/a");
    assert_eq!(argument_error(json!({"urlTemplate": "https://a.org/x/%2e${a}/y"}), json!({"a": "."})), "/a");
    assert_eq!(url_of("https://a.org/x/${a}/y", json!({"a": "..."})), "https://a.org/x/.../y");
    assert_eq!(url_of("https://a.org/x/${a}/y", json!({"a": "%2e%2e"})), "https://a.org/x/%252e%252e/y");
}

/// What was not given is left out with its pair, its header or its member, and is an error anywhere else.
#[test]
fn absent_arguments() {
    assert_eq!(url_of("https://a.org/?x=${a}&y=${b}&z", json!({"b": 1})), "https://a.org/?y=1&z");
    assert_eq!(url_of("https://a.org/?x=${a}", json!({"a": null})), "https://a.org/");
    assert_eq!(url_of("https://a.org/?x=${a}", json!({"a": ""})), "https://a.org/?x=");
    for url in
        ["https://a.org/${a}", "https://a.org/?x=1${a}", "https://a.org/?x=${a}${b}", "https://${a}.a.org/"]
    {
        assert_eq!(argument_error(json!({ "urlTemplate": url }), json!({"b": 1})), "/a", "{url}");
    }
    let block = json!({"urlTemplate": "https://a.org/", "headers": {"X": "${a}", "Y": "${b}"}});
    let headers = plan(&tool(block), json!({"b": 1})).request.headers;
    assert_eq!(headers.iter().map(|header| header.name.as_str()).collect::<Vec<_>>(), ["Y"]);
    let block = json!({"urlTemplate": "https://a.org/", "headers": {"X": "a=${a}"}});
    assert_eq!(argument_error(block, json!({})), "/a");
}

/// T002-33: an argument cannot end a header.
#[test]
fn headers_are_one_line() {
    let block = || json!({"urlTemplate": "https://a.org/", "headers": {"X": "v ${a}"}});
    for value in ["a\r\nB: c", "a\nb", "\u{0}", "\u{7f}", "ü", "😀"] {
        assert_eq!(argument_error(block(), json!({ "a": value })), "/a");
    }
    assert_eq!(masked(&plan(&tool(block()), json!({"a": "x\ty"})).request.headers[0].value), "v x\ty");
}

fn body_of(headers: Value, template: &str, args: Value) -> (String, Vec<String>) {
    let block = json!({"method": "POST", "urlTemplate": "https://a.org/", "headers": headers, "bodyTemplate": template});
    let request = plan(&tool(block), args).request;
    let headers =
        request.headers.iter().map(|header| format!("{}: {}", header.name, masked(&header.value))).collect();
    (masked(&request.body.expect("a body")), headers)
}

/// T002-24: inside a text of a JSON body an argument is escaped, as a value of its own it is JSON.
#[test]
fn arguments_are_escaped_in_json() {
    let template = r#"{ "a": "x ${a} y", "b": ${b}, "c" : [1.50, 12345678901234567890123, ${c}], "k": "${API_KEY}", "s": ${API_KEY} }"#;
    let (body, headers) =
        body_of(json!({}), template, json!({"a": "\"}\\\n", "b": {"x": [1, "\""]}, "c": "q"}));
    let expected = r#"{"a":"x \"}\\\n y","b":{"x":[1,"\""]},"c":[1.50,12345678901234567890123,"q"],"k":"‹API_KEY›","s":"‹API_KEY›"}"#;
    assert_eq!(body, expected);
    assert_eq!(headers, ["Content-Type: application/json"]);
    let (body, _) = body_of(json!({"content-type": "application/vnd.api+json"}), "${a}", json!({"a": [1]}));
    assert_eq!(body, "[1]");
    let (body, _) =
        body_of(json!({}), r#"{"a":"${a}","b":${b},"c":"${c}","d":{"e":"$${x}$"}}"#, json!({"b": null}));
    assert_eq!(body, r#"{"b":null,"c":"dee","d":{"e":"${x}$"}}"#);
    let block = |template: &str| json!({"method": "POST", "urlTemplate": "https://a.org/", "bodyTemplate": template, "headers": {"Content-Type": "application/json"}});
    for template in [r#"{"a":"x${a}"}"#, "[${a}]", "${a}", r#"{"${a}":1}"#] {
        assert!(
            matches!(
                ask(&tool(block(template)), json!({}), &["a.org"]),
                Reply::Validated { .. } | Reply::Refused(_)
            ),
            "{template}"
        );
    }
}

/// T002-24: forms are percent-encoded, text is as it is, GET and HEAD have no body.
#[test]
fn other_bodies() {
    let form = json!({"Content-Type": "application/x-www-form-urlencoded"});
    let (body, _) = body_of(form, "a=${a}&b=${b}&k=${API_KEY}", json!({"b": "x y&z=1"}));
    assert_eq!(body, "b=x%20y%26z%3D1&k=‹API_KEY›");
    let (body, headers) = body_of(json!({}), "hello ${a}", json!({"a": "\"&\n"}));
    assert_eq!((body.as_str(), headers.len()), ("hello \"&\n", 0));
    for method in ["GET", "HEAD"] {
        let block = json!({"method": method, "urlTemplate": "https://a.org/", "bodyTemplate": "{}"});
        assert_eq!(plan(&tool(block), json!({})).request.body, None);
    }
}

/// T002-32: a secret stays one, whatever the arguments are called.
#[test]
fn an_argument_overrides_no_secret() {
    let mut record = tool(json!({"urlTemplate": "https://a.org/?k=${API_KEY}&v=${version}"}));
    record["argSchema"] = json!({"properties": {"API_KEY": {}, "version": {}}});
    let url = plan(&record, json!({"API_KEY": "mine", "version": "9"})).request.url;
    assert_eq!(masked(&url), "https://a.org/?k=‹API_KEY›&v=v1");
}

/// T002-31, T002-35: what a host is made of must be allowed after it was filled in, as the browser reads it.
#[test]
fn hosts_are_checked_after_expansion() {
    let code =
        |url: &str, args: Value, hosts: &[&str]| match ask(&tool(json!({ "urlTemplate": url })), args, hosts)
        {
            Reply::Prepared(plan) => plan.host,
            Reply::Refused(error) => error.code,
            Reply::Validated { violations } => format!("argument {}", violations[0].path),
            other => panic!("{other:?}"),
        };
    assert_eq!(code("https://a.org/", json!({}), &["a.org"]), "a.org");
    assert_eq!(code("https://A.ORG:443/", json!({}), &["a.org"]), "a.org");
    assert_eq!(code("https://a.org./", json!({}), &["a.org"]), "a.org");
    assert_eq!(code("https://a.org:8443/", json!({}), &["a.org"]), "host_not_allowed");
    assert_eq!(code("https://a.org:8443/", json!({}), &["a.org:8443"]), "a.org:8443");
    assert_eq!(code("https://${a}.a.org/", json!({"a": "eu"}), &["*.a.org"]), "eu.a.org");
    assert_eq!(code("https://${a}/", json!({"a": "evil.net"}), &["*.a.org"]), "host_not_allowed");
    for hostile in
        ["evil.net/", "x@evil.net", "evil.net#", "evil.net:1", "evil.net\\", "%65", "", "a b", "evil.net?"]
    {
        assert_eq!(
            code("https://${a}.a.org/", json!({ "a": hostile }), &["*.a.org"]),
            "argument /a",
            "{hostile}"
        );
    }
    assert_eq!(code("http://${a}/", json!({"a": "a.org"}), &["a.org"]), "invalid_url");
    assert_eq!(code("http://${a}:8080/", json!({"a": "0x7f.1"}), &["127.0.0.1:8080"]), "127.0.0.1:8080");
    assert_eq!(
        code("http://${a}:8080/", json!({"a": "2130706433"}), &["localhost:8080"]),
        "host_not_allowed"
    );
    assert_eq!(code("https://${a}/", json!({"a": "10.1"}), &["*.1", "10.0.0.2"]), "host_not_allowed");
    assert_eq!(code("http://localhost:8080/", json!({}), &["localhost:8080"]), "localhost:8080");
}

/// T002-79: what each kind of `auth` adds.
#[test]
fn auth_is_added() {
    let add = |auth: Value| {
        let block = json!({"method": "POST", "urlTemplate": "https://a.org/x?y=1", "bodyTemplate": "{}", "auth": auth});
        plan(&tool(block), json!({"a": "v"}))
    };
    let header = |plan: &HttpPlan, name: &str| {
        let found = plan.request.headers.iter().find(|header| header.name == name).expect("the header");
        (masked(&found.value), wire::json::to_text(&found.value))
    };
    let plan = add(json!({"type": "bearer", "token": "${T}"}));
    assert_eq!(header(&plan, "Authorization").0, "Bearer ‹T›");
    let plan = add(json!({"type": "basic", "username": "me${a}", "password": "${P}"}));
    let basic = r#"[{"text":"Basic "},{"basic":{"username":[{"text":"mev"}],"password":[{"secret":{"name":"P","encoding":"plain"}}]}}]"#;
    assert_eq!(header(&plan, "Authorization").1, basic);
    let plan = add(json!({"type": "apiKey", "in": "header", "name": "X-Key", "value": "Key ${K}"}));
    assert_eq!(header(&plan, "X-Key").0, "Key ‹K›");
    let plan = add(json!({"type": "apiKey", "in": "query", "name": "the key", "value": "${K}"}));
    assert_eq!(masked(&plan.request.url), "https://a.org/x?y=1&the%20key=‹K›");
    let message = "${method}\n${path}\n${timestamp}\n${body}\n${a}";
    let plan = add(
        json!({"type": "hmac", "key": "${K}", "header": "X-Sign", "message": message, "timestampHeader": "X-Time"}),
    );
    let hmac = r#"[{"hmac":{"algorithm":"sha256","key":[{"secret":{"name":"K","encoding":"plain"}}],"message":[{"text":"POST\n"},"path",{"text":"\n"},"timestamp",{"text":"\n"},"body",{"text":"\nv"}],"encoding":"hex"}}]"#;
    assert_eq!(header(&plan, "X-Sign").1, hmac);
    assert_eq!(header(&plan, "X-Time").1, r#"["timestamp"]"#);
    assert_eq!(plan.secrets, ["K"]);
    let plan =
        add(json!({"type": "oauth2", "authorizationUrl": "https://o.org/a", "tokenUrl": "https://a.org/t",
                          "clientId": "me", "clientSecret": "${S}", "scopes": ["r", "w"]}));
    assert_eq!(header(&plan, "Authorization").1, r#"[{"text":"Bearer "},"oauth_token"]"#);
    let server = plan.oauth.expect("a server");
    assert_eq!((server.client_secret.as_deref(), server.scopes.len()), (Some("S"), 2));
}

/// T002-79, T002-35: the address of a sign-in (RFC 6749, RFC 7636); tokens come from a host that is allowed, or the tool cannot
/// be called at all.
#[test]
fn sign_in_to_an_oauth_server() {
    let auth = |more: Value| {
        let mut auth = json!({"type": "oauth2", "authorizationUrl": "https://login.org/o?x=1",
            "tokenUrl": "https://tokens.org/t", "clientId": "me & you"});
        auth.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        tool(json!({"urlTemplate": "https://a.org/", "auth": auth}))
    };
    let sign_in = |tool: &Value, host: &str| {
        let text = str::to_owned;
        answer(Request::SignIn {
            tool: tool.clone(),
            allowed_hosts: vec![text("a.org"), text(host)],
            redirect_uri: text("https://id.chromiumapp.org/"),
            state: text("s+t"),
            challenge: text("c-h_"),
        })
    };
    let record = auth(json!({"scopes": ["read", "write:all"], "clientSecret": "${S}"}));
    let Reply::SignIn { authorization_url, server } = sign_in(&record, "tokens.org") else {
        panic!("no address")
    };
    assert_eq!(
        authorization_url,
        "https://login.org/o?x=1&response_type=code&client_id=me+%26+you&scope=read+write%3Aall\
         &redirect_uri=https%3A%2F%2Fid.chromiumapp.org%2F&state=s%2Bt&code_challenge=c-h_\
         &code_challenge_method=S256"
    );
    assert_eq!(
        (server.token_url.as_str(), server.client_secret.as_deref()),
        ("https://tokens.org/t", Some("S"))
    );
    let Reply::SignIn { authorization_url, .. } = sign_in(&auth(json!({})), "tokens.org") else {
        panic!("no address")
    };
    assert!(!authorization_url.contains("scope"), "{authorization_url}");
    assert_eq!(refused(sign_in(&record, "login.org")).0, "host_not_allowed");
    assert_eq!(refused(ask(&record, json!({}), &["a.org"])).0, "host_not_allowed");
    let other = tool(json!({"urlTemplate": "https://a.org/"}));
    assert_eq!(refused(sign_in(&other, "tokens.org")).0, "sign_in_unsupported");
}

/// T002-70: what may be sent again.
#[test]
fn idempotent_requests() {
    for (method, header, idempotent) in [
        ("GET", None, true),
        ("HEAD", None, true),
        ("OPTIONS", None, true),
        ("PUT", None, true),
        ("DELETE", None, true),
        ("POST", None, false),
        ("PATCH", None, false),
        ("POST", Some("Idempotency-Key"), true),
    ] {
        let block = json!({"method": method, "urlTemplate": "https://a.org/", "idempotencyHeader": header});
        let plan = plan(&tool(block), json!({}));
        assert_eq!(
            (plan.is_idempotent, plan.idempotency_header.as_deref()),
            (idempotent, header),
            "{method}"
        );
    }
}

/// T002-80: a request that is longer than the tool allows is not built.
#[test]
fn large_requests_are_refused() {
    let block = json!({"method": "POST", "urlTemplate": "https://a.org/", "bodyTemplate": "x${a}", "maxRequestBytes": 10});
    assert_eq!(plan(&tool(block.clone()), json!({"a": "123456789"})).max_request_bytes, 10);
    assert_eq!(refused(ask(&tool(block), json!({"a": "1234567890"}), &["a.org"])).0, "request_too_large");
    let block = json!({"urlTemplate": "https://a.org/?q=${a}"});
    assert_eq!(refused(ask(&tool(block), json!({"a": "x".repeat(9000)}), &["a.org"])).0, "request_too_large");
}

/// A record that is not an HTTP tool, or that another version wrote, is not run.
#[test]
fn other_records_are_refused() {
    for record in [
        json!({}),
        json!({"type": "local", "impl": {}}),
        json!({"type": "http", "impl": {"urlTemplate": "x"}}),
        json!(7),
    ] {
        assert_eq!(refused(ask(&record, json!({}), &["a.org"])).0, "invalid_tool", "{record}");
    }
}

fn finish(block: Value, output: Value, status: u16, body: &str) -> Result<Value, String> {
    let mut record = tool(block);
    record["outputSchema"] = output;
    let reply = answer(Request::Finish {
        tool: record,
        status,
        content_type: String::new(),
        body: body.to_owned(),
        events: None,
    });
    match reply {
        Reply::Finished { value } => Ok(value),
        Reply::Refused(error) => Err(error.code),
        other => panic!("{other:?}"),
    }
}

/// T002-25, T002-27, T002-28, T002-71: success, encoding, extraction and the output's schema, in this order.
#[test]
fn responses_are_read() {
    let block = |more: Value| {
        let mut block = json!({"urlTemplate": "https://a.org/"});
        block.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        block
    };
    let err = |code: &str| Err(code.to_owned());
    let none = Value::Null;
    let plain = || block(json!({}));
    assert_eq!(finish(plain(), none.clone(), 200, r#"{"a":1}"#), Ok(json!({"a": 1})));
    assert_eq!(finish(plain(), none.clone(), 299, "[]"), Ok(json!([])));
    assert_eq!(finish(plain(), none.clone(), 300, "[]"), err("http_status"));
    assert_eq!(finish(plain(), none.clone(), 404, "[]"), err("http_status"));
    assert_eq!(finish(plain(), none.clone(), 204, ""), Ok(json!(null)));
    assert_eq!(finish(plain(), none.clone(), 200, ""), err("response_not_json"));
    assert_eq!(finish(plain(), none.clone(), 200, "{"), err("response_not_json"));
    let codes = || block(json!({"successCodes": [404]}));
    assert_eq!(finish(codes(), none.clone(), 404, "1"), Ok(json!(1)));
    assert_eq!(finish(codes(), none.clone(), 200, "1"), err("http_status"));
    let text = || block(json!({"responseEncoding": "text"}));
    assert_eq!(finish(text(), none.clone(), 200, "{"), Ok(json!("{")));
    let path = || block(json!({"extractExpr": "$.a"}));
    assert_eq!(finish(path(), none.clone(), 200, r#"{"a":1}"#), Ok(json!(1)));
    assert_eq!(finish(path(), none.clone(), 200, r#"{"b":1}"#), err("no_match"));
    let output = json!({"type": "integer"});
    assert_eq!(finish(path(), output.clone(), 200, r#"{"a":1}"#), Ok(json!(1)));
    assert_eq!(finish(path(), output.clone(), 200, r#"{"a":"1"}"#), err("output_mismatch"));
    assert_eq!(finish(plain(), output, 200, r#"{"a":1}"#), err("output_mismatch"));
    let head = || block(json!({"method": "HEAD"}));
    assert_eq!(finish(head(), none, 200, ""), Ok(json!(null)));
}

/// T002-30: `empty` turns failures of HTTP into `null`, and no others.
#[test]
fn failures_can_be_empty() {
    let block =
        |expr: &str| json!({"urlTemplate": "https://a.org/", "errorMode": "empty", "extractExpr": expr});
    assert_eq!(finish(block("$.a"), Value::Null, 500, "x"), Ok(json!(null)));
    assert_eq!(finish(block("$.a"), Value::Null, 200, "x"), Ok(json!(null)));
    assert_eq!(finish(block("$.a"), json!({"type": "integer"}), 200, "{}"), Ok(json!(null)));
    assert_eq!(
        finish(block("$.a"), json!({"type": "integer"}), 200, r#"{"a":"x"}"#),
        Err("output_mismatch".into())
    );
    assert_eq!(
        argument_error(json!({"urlTemplate": "https://a.org/${a}", "errorMode": "empty"}), json!({})),
        "/a"
    );
}

/// T002-85: the arguments of a step are made of the call's arguments and of what came before.
#[test]
fn templates_of_steps_are_filled() {
    let scope = json!({"args": {"city": "Bern", "n": 2, "none": null}, "steps": {"find": {"lat": 46.9, "tags": ["a", "b"]}}});
    let fill = |template: Value| match answer(Request::Expand { template, scope: scope.clone() }) {
        Reply::Expanded { value } => Ok(value),
        other => Err(refused(other)),
    };
    let template = json!({"at": "${steps.find.lat}", "all": ["${steps.find.tags}", "${args.n}"], "text": "in ${args.city}: ${steps.find.tags[1]} $${x}",
                          "left": "${args.missing}", "none": "${args.none}", "n": 1});
    let expected =
        json!({"at": 46.9, "all": [["a", "b"], 2], "text": "in Bern: b ${x}", "none": null, "n": 1});
    assert_eq!(fill(template), Ok(expected));
    for (template, path) in [
        (json!("${args.missing}"), "/args/missing"),
        (json!(["${args.missing}"]), "/args/missing"),
        (json!({"a": "x ${args.missing}"}), "/args/missing"),
        (json!({"a": "${steps.other}"}), "/steps/other"),
    ] {
        assert_eq!(fill(template), Err(("missing_value".into(), path.into())));
    }
    let large = json!({"args": {"a": "x".repeat(300_000)}});
    let reply = answer(Request::Expand {
        template: json!(["${args.a}", "${args.a}", "${args.a}", "${args.a}"]),
        scope: large,
    });
    assert_eq!(refused(reply).0, "result_too_large");
}
