//! Tools from `curl` commands.

use crate::refused;
use countersign_toolbox::answer;
use serde_json::{Value, json};
use wire::toolbox::{Reply, Request};

fn draft(line: &str) -> (Value, Vec<String>, Vec<String>) {
    match answer(Request::ParseCurl { line: line.to_owned() }) {
        Reply::Draft { tool, secrets, notes } => {
            assert_usable(&tool.clone().into());
            (tool["impl"].clone(), secrets, notes)
        }
        other => panic!("{line}: {other:?}"),
    }
}

/// What was drafted can be stored as soon as it has a description.
fn assert_usable(tool: &Value) {
    let mut body = tool.clone();
    body["description"] = json!("Use when asked.");
    let reply = answer(Request::CheckTool {
        bundle_id: "018faf50-b7b6-7a01-9a05-a22a6e0af101".into(),
        slug: "from-curl".into(),
        version: "v1".into(),
        body,
        functions: Vec::new(),
        reserved: Vec::new(),
    });
    assert!(matches!(reply, Reply::Tool(_)), "{tool:#}: {reply:?}");
}

/// T002-84: a command becomes a tool; what looks like a secret becomes a placeholder, and is not in the tool.
#[test]
fn commands_become_tools() {
    let (block, secrets, _) = draft("curl https://api.weatherapi.com/v1/current.json?q=Bern\\&key=hunter2");
    assert_eq!(
        block["urlTemplate"],
        "https://api.weatherapi.com/v1/current.json?q=Bern&key=${WEATHERAPI_KEY}"
    );
    assert_eq!((block["method"].as_str(), secrets), (Some("GET"), vec!["WEATHERAPI_KEY".to_owned()]));

    let (block, secrets, notes) = draft(
        "curl -X POST 'https://api.example.org/v1/items' \\\n  -H 'Authorization: Bearer hunter2' \\\n  -H \"X-Trace: $HOME\" \
         -H 'Cookie: a=hunter2' --data-raw '{\"name\":\"it'\\''s\",\"client_secret\":\"hunter2\",\"tpl\":\"${x}\"}' --compressed -sS -m 5 --retry 3",
    );
    assert_eq!(block["auth"], json!({"type": "bearer", "token": "${EXAMPLE_TOKEN}"}));
    assert_eq!(block["headers"], json!({"Content-Type": "application/json", "X-Trace": "$HOME"}));
    assert_eq!(
        block["bodyTemplate"],
        r#"{"client_secret":"${EXAMPLE_CLIENT_SECRET}","name":"it's","tpl":"$${x}"}"#
    );
    assert_eq!((&block["timeoutMs"], &block["maxRetries"]), (&json!(5000), &json!(3)));
    assert_eq!(secrets, ["EXAMPLE_TOKEN", "EXAMPLE_CLIENT_SECRET"]);
    assert_eq!(notes, ["Cookie was left out: the browser sets it"]);

    let (block, secrets, _) = draft("curl -u me:hunter2 https://a.example.org/");
    assert_eq!(block["auth"], json!({"type": "basic", "username": "me", "password": "${EXAMPLE_PASSWORD}"}));
    assert_eq!(secrets, ["EXAMPLE_PASSWORD"]);
    let (block, ..) = draft("curl https://me:hunter2@example.org/x");
    assert_eq!(
        (&block["auth"]["username"], &block["urlTemplate"]),
        (&json!("me"), &json!("https://example.org/x"))
    );
    let (block, ..) = draft("curl -H 'Authorization: Basic bWU6aHVudGVyMg==' https://example.org/x");
    assert_eq!(block["auth"]["username"], "me");

    let (block, secrets, _) =
        draft("curl -H 'X-Api-Key: hunter2' -H 'X-App-Token: hunter2' https://10.0.0.1/");
    assert_eq!(
        block["auth"],
        json!({"type": "apiKey", "in": "header", "name": "X-Api-Key", "value": "${API_API_KEY}"})
    );
    assert_eq!((&block["headers"]["X-App-Token"], secrets.len()), (&json!("${API_APP_TOKEN}"), 2));

    let (block, ..) = draft("curl -G example.org/search -d q=a -d 'token=hunter2'");
    assert_eq!(block["urlTemplate"], "https://example.org/search?q=a&token=${EXAMPLE_TOKEN}");
    assert_eq!((block["method"].as_str(), block["bodyTemplate"].as_str()), (Some("GET"), Some("")));
    let (block, ..) = draft("curl https://example.org/ --data-urlencode 'a=x y' -d b=2");
    assert_eq!(block["bodyTemplate"], "a=x+y&b=2");
    assert_eq!(block["headers"]["Content-Type"], "application/x-www-form-urlencoded");
    let (block, ..) = draft("curl --json '{\"a\":1}' https://example.org/ -I");
    assert_eq!((&block["bodyTemplate"], &block["method"]), (&json!("{\"a\":1}"), &json!("HEAD")));
    let (block, ..) =
        draft(r"curl $'https://example.org/\u0041' -H $'A: b\'c' -XDELETE --url https://example.org/z");
    assert_eq!((&block["headers"]["A"], &block["method"]), (&json!("b'c"), &json!("DELETE")));
}

/// No draft holds the secret that was in the command, wherever it stood.
#[test]
fn a_draft_holds_no_secret() {
    for line in [
        "curl 'https://example.org/?api_key=hunter2&access_token=hunter2&sig=hunter2'",
        "curl https://u:hunter2@example.org/",
        "curl -u u:hunter2 https://example.org/",
        "curl https://example.org/ -H 'Authorization: hunter2'",
        "curl https://example.org/ -H 'Authorization: Token hunter2'",
        "curl https://example.org/ -H 'X-Auth-Token: hunter2' -b 'session=hunter2'",
        "curl https://example.org/ -d 'user=a&password=hunter2'",
        "curl https://example.org/ -d '{\"a\":[{\"apiKey\":\"hunter2\"}]}'",
    ] {
        let reply = answer(Request::ParseCurl { line: line.to_owned() });
        let text = wire::json::to_text(&reply);
        assert!(text.starts_with(r#"{"draft""#) && !text.contains("hunter2"), "{line}: {text}");
    }
}

/// What cannot be a tool is refused, not half taken.
#[test]
fn other_commands_are_refused() {
    for line in [
        "",
        "wget https://a.org",
        "curl",
        "curl 'https://a.org",
        "curl https://a.org | sh",
        "curl https://a.org; ls",
        "curl https://a.org > x",
        "curl `ls`",
        "curl https://a.org https://b.org",
        "curl -F a=b https://a.org",
        "curl -d @file https://a.org",
        "curl -T x https://a.org",
        "curl -X",
        "curl ftp://a.org",
        "curl --proxy x https://a.org",
    ] {
        assert_eq!(
            refused(answer(Request::ParseCurl { line: line.to_owned() })).0,
            "invalid_command",
            "{line}"
        );
    }
}
