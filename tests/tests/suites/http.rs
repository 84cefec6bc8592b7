//! The HTTP API of the extension's own pages: what is answered, what is refused, and that a refusal changes nothing.

use agent_backend::{Script, ScriptedAgent};
use countersign_tests::world::*;
use serde_json::{Value, json};

fn error(code: &str, message: &str, path: Option<&str>) -> Value {
    let detail = json!({"code": code, "message": message});
    json!({"error": match path {
        Some(path) => with(detail, "path", json!(path)),
        None => detail,
    }})
}

#[tokio::test(start_paused = true)]
async fn health_has_a_new_boot_id_for_each_start() {
    let world = World::new().await;
    world.pass(5_000).await;
    let first = world.get("/api/health").await;
    assert_eq!(
        first,
        json!({"version": "0.0.1", "bootId": first["bootId"], "startedAt": START, "wasmBytes": 7, "work": []})
    );
    world.restart().await;
    let second = world.get("/api/health").await;
    assert_ne!(first["bootId"], second["bootId"]);
    assert_eq!(second["startedAt"], START + 5_000);
}

#[tokio::test(start_paused = true)]
async fn settings_are_stored() {
    let world = World::new().await;
    let empty = json!({"backend": {"url": "", "hasToken": false}, "endpoints": {},
        "skipApproval": "confirmed", "autoLockMinutes": 15, "allowedHosts": [],
        "pages": {"mode": "off", "sites": [], "setEthereum": false, "extensions": []}});
    assert_eq!(world.get("/api/settings").await, empty);
    let patch = json!({"backend": {"url": " https://agent.example/v1/ ", "token": "t0ken"},
        "skipApproval": "always", "autoLockMinutes": 1_440});
    let kept = json!({"backend": {"url": "https://agent.example/v1", "hasToken": true}, "endpoints": {},
        "skipApproval": "always", "autoLockMinutes": 1_440, "allowedHosts": [],
        "pages": {"mode": "off", "sites": [], "setEthereum": false, "extensions": []}});
    assert_eq!(world.call("PATCH", "/api/settings", patch).await, (200, kept.clone()));
    assert_eq!(world.call("PATCH", "/api/settings", json!({})).await, (200, kept.clone()));
    world.restart().await;
    assert_eq!(world.get("/api/settings").await, kept);
    let (_, changed) = world.call("PATCH", "/api/settings", json!({"backend": {"token": null}})).await;
    assert_eq!(changed["backend"], json!({"url": "https://agent.example/v1", "hasToken": false}));
    world.call("PATCH", "/api/settings", json!({"backend": {"token": "again"}})).await;
    let (_, changed) = world.call("PATCH", "/api/settings", json!({"backend": {"url": ""}})).await;
    assert_eq!(changed, with(kept, "backend", json!({"url": "", "hasToken": false})));
    let without_address = json!({"backend": {"token": "t0ken"}});
    let refused = (400, error("invalid_request", "needs the agent's address", Some("/backend/token")));
    assert_eq!(world.call("PATCH", "/api/settings", without_address).await, refused);
    let rest = json!({"skipApproval": "confirmed", "autoLockMinutes": 15});
    assert_eq!(world.call("PATCH", "/api/settings", rest).await, (200, empty));
}

/// Each chain has its own endpoints; a patch changes only the chains it names, and unset values are absent.
#[tokio::test(start_paused = true)]
async fn endpoints_are_stored() {
    let world = World::new().await;
    let patch = json!({
        "ethereum": {"url": "http://127.0.0.1:8545/", "others": ["https://node-b.example/v3/key"]},
        "Polkadot": {"url": "https://node-c.example", "statusUrl": "https://index.example"},
    });
    let ethereum = json!({"url": "http://127.0.0.1:8545", "others": ["https://node-b.example/v3/key"]});
    let polkadot =
        json!({"url": "https://node-c.example", "others": [], "statusUrl": "https://index.example"});
    let (status, kept) = world.call("PATCH", "/api/settings", json!({"endpoints": patch})).await;
    assert_eq!((status, &kept["endpoints"]), (200, &json!({"Ethereum": ethereum, "Polkadot": polkadot})));
    world.reopen().await;
    assert_eq!(world.get("/api/settings").await, kept);
    let patch = json!({"endpoints": {"POLKADOT": null, "Bitcoin": null}});
    let (status, left) = world.call("PATCH", "/api/settings", patch).await;
    assert_eq!((status, left), (200, with(kept, "endpoints", json!({"Ethereum": ethereum}))));
    assert_eq!(world.node_calls(), []);
}

/// The hosts that tools may reach are one list in one spelling, which a patch replaces.
#[tokio::test(start_paused = true)]
async fn allowed_hosts_are_stored() {
    let world = World::new().await;
    let patch =
        json!({"allowedHosts": ["API.example.org", " host:8443 ", "*.example.org", "api.example.org"]});
    let (status, kept) = world.call("PATCH", "/api/settings", patch).await;
    let hosts = json!(["api.example.org", "host:8443", "*.example.org"]);
    assert_eq!((status, &kept["allowedHosts"]), (200, &hosts));
    world.reopen().await;
    assert_eq!(world.get("/api/settings").await, kept);
    let (_, left) = world.call("PATCH", "/api/settings", json!({"allowedHosts": ["host:8443"]})).await;
    assert_eq!(left, with(kept, "allowedHosts", json!(["host:8443"])));
    let log = world.get("/api/audit").await;
    assert_eq!(log["entries"][0]["what"], "settings_changed");
}

/// An invalid setting is refused with its path, and nothing of the patch is stored.
#[tokio::test(start_paused = true)]
async fn invalid_settings_are_refused_as_a_whole() {
    let world = World::new().await;
    let patch = json!({"backend": {"url": URL, "token": "old"}, "autoLockMinutes": 7});
    assert_eq!(world.call("PATCH", "/api/settings", patch).await.0, 200);
    let before = (world.records().await, world.get("/api/settings").await);
    let url = "must be an https:// address, or http:// on this machine";
    let token = "must be printable ASCII";
    let other = "is not a setting, or not of its type";
    let skip = "must be confirmed, always or never";
    let minutes = "must be from 1 to 1440";
    let host = "must be a host such as api.example.org, host:8443 or *.example.org";
    let mut table = vec![
        (json!({"backend": {"token": ""}}), "/backend/token", token),
        (json!({"backend": {"token": "a b"}}), "/backend/token", token),
        (json!({"backend": {"token": "a\nb"}}), "/backend/token", token),
        (json!({"backend": {"token": "é"}}), "/backend/token", token),
        (json!({"backend": {"token": "x".repeat(8_193)}}), "/backend/token", token),
        (json!({"backend": {"token": 7}}), "/backend/token", other),
        (json!({"backend": {"url": null}}), "/backend/url", other),
        (json!({"backend": {"hasToken": false}}), "/backend/hasToken", other),
        (json!({"backend": null}), "/backend", other),
        (json!({"token": "x"}), "/token", other),
        (json!({"skipApproval": "Always"}), "/skipApproval", skip),
        (json!({"skipApproval": null}), "/skipApproval", skip),
        (json!({"autoLockMinutes": 0}), "/autoLockMinutes", minutes),
        (json!({"autoLockMinutes": 1_441}), "/autoLockMinutes", minutes),
        (json!({"autoLockMinutes": 4_294_967_297_u64}), "/autoLockMinutes", minutes),
        (json!({"autoLockMinutes": 1.5}), "/autoLockMinutes", minutes),
        (json!({"autoLockMinutes": "15"}), "/autoLockMinutes", minutes),
        (json!({"vault": null}), "/vault", other),
        (json!({"allowedHosts": "a.example"}), "/allowedHosts", other),
        (json!({"allowedHosts": ["a.example", "https://b.example"]}), "/allowedHosts/1", host),
        (json!({"endpoints": null}), "/endpoints", other),
        (json!({"endpoints": {"Ethereum": {"url": "http://a.example"}}}), "/endpoints/Ethereum/url", url),
        (
            json!({"endpoints": {"Bitcoin": {"url": URL}, "Moon": {"url": URL}}}),
            "/endpoints/Moon",
            "is not the name of a supported chain",
        ),
    ];
    for bad in [
        "http://agent.example",
        "agent.example",
        "ftp://a.example",
        "https://a.example?x=1",
        "https://u@a.example",
    ] {
        table.push((json!({"backend": {"url": bad}}), "/backend/url", url));
    }
    for (patch, path, message) in table {
        let refused = (400, error("invalid_request", message, Some(path)));
        assert_eq!(world.call("PATCH", "/api/settings", patch.clone()).await, refused, "{patch}");
        let mixed = if patch.get("backend").is_some() {
            with(patch, "autoLockMinutes", json!(5))
        } else {
            with(patch, "backend", json!({"url": "https://good.example", "token": "good"}))
        };
        assert_eq!(world.call("PATCH", "/api/settings", mixed.clone()).await, refused, "{mixed}");
    }
    assert_eq!((world.records().await, world.get("/api/settings").await), before);
}

/// The token is sent only to the backend: it is in no record, event, answer or error.
#[tokio::test(start_paused = true)]
async fn token_is_sent_only_to_the_backend() {
    let token = "s3cret-t0ken";
    let script = Script { name: String::new(), turns: vec![turn(when_said("go"), json!([read_book("a1")]))] };
    let world = World::with_agent(ScriptedAgent::new(script, 1).with_token("another")).await;
    let mut seen = Vec::new();
    for body in [
        json!({"backend": {"token": token}}),
        json!({"backend": {"token": format!("{token} ")}}),
        json!({"backend": {"token": [token]}}),
        json!({"backend": {"token": token, "url": "nowhere"}}),
    ] {
        seen.push(world.call("PATCH", "/api/settings", body).await.1.to_string());
    }
    seen.push(
        world
            .call_text("PATCH", "/api/settings", &format!("{{\"backend\":{{\"token\":\"{token}\""))
            .await
            .1
            .to_string(),
    );
    world.say("go").await;
    world.set_down(true);
    world.pass(600_000).await;
    assert!(
        world.sent().iter().any(|sent| sent.token.as_deref() == Some(token)),
        "it is sent to the backend"
    );
    for target in ["/api/settings", "/api/health", "/api/calls", "/api/conversations", "/api/prompts"] {
        seen.push(world.get(target).await.to_string());
    }
    seen.push(format!("{:?}", world.timeline().await));
    seen.push(format!("{:?}", world.events().await));
    seen.push(format!("{:?}", world.records().await));
    assert!(seen.iter().all(|text| text.len() > 2 && !text.contains(token)), "{seen:#?}");
}

/// Concurrent patches of different settings are both stored.
#[tokio::test(start_paused = true)]
async fn concurrent_patches() {
    let world = World::new().await;
    let (first, second, conversation) = tokio::join!(
        world.call("PATCH", "/api/settings", json!({"backend": {"url": URL}})),
        world.call("PATCH", "/api/settings", json!({"autoLockMinutes": 5})),
        world.call("POST", "/api/conversations", json!({})),
    );
    assert_eq!((first.0, second.0, conversation.0), (200, 200, 201));
    let both = json!({"backend": {"url": URL, "hasToken": false}, "endpoints": {},
        "skipApproval": "confirmed", "autoLockMinutes": 5, "allowedHosts": [],
        "pages": {"mode": "off", "sites": [], "setEthereum": false, "extensions": []}});
    assert_eq!(world.get("/api/settings").await, both);
}

/// A vault's public key identifies the user from the next conversation on; a started conversation keeps its key.
#[tokio::test(start_paused = true)]
async fn vault_key_identifies_the_user() {
    let world = World::proposing(json!([])).await;
    world.say("before").await;
    world.use_vault(0).await;
    world.say("after").await;
    let (_, conversation) = world.call("POST", "/api/conversations", json!({})).await;
    let target = format!("/api/conversations/{}/messages", conversation["id"].as_str().unwrap());
    world.call("POST", &target, json!({"content": "new"})).await;
    world.settle().await;
    let names: Vec<String> =
        world.messages_sent().iter().map(|sent| sent.body["public_key"].to_string()).collect();
    assert!(names[0].starts_with("\"guest-") && names[0] == names[1], "{names:?}");
    assert_eq!(names[2], json!(vault_id(0)).to_string());
}

/// An unknown path is 404; an unsupported method is 405.
#[tokio::test(start_paused = true)]
async fn routes_and_methods() {
    let world = World::new().await;
    let routes = [
        ("/api/health", "GET"),
        ("/api/settings", "GET PATCH"),
        ("/api/actions", "POST"),
        ("/api/calls", "GET"),
        ("/api/calls/x", "GET"),
        ("/api/conversations", "GET POST"),
        ("/api/conversations/x/messages", "GET POST"),
        ("/api/prompts", "GET"),
        ("/api/prompts/x", "GET POST"),
        ("/api/vaults", "GET POST"),
        ("/api/vaults/active", "PATCH DELETE"),
        ("/api/vaults/active/activate", "POST"),
        ("/api/vaults/active/unlock", "POST"),
        ("/api/vaults/active/lock", "POST"),
        ("/api/vaults/active/export", "POST"),
        ("/api/vaults/active/password", "POST"),
        ("/api/vaults/active/coins", "GET"),
        ("/api/events", "GET"),
    ];
    for (path, allowed) in routes {
        for method in ["GET", "POST", "PUT", "PATCH", "DELETE", "get"] {
            let answer = world.call(method, &format!("{path}?x=1"), json!({})).await;
            if allowed.split(' ').any(|one| one == method) {
                assert!(
                    answer.0 != 405 && answer.1["error"]["code"] != "no_such_route",
                    "{method} {path} {answer:?}"
                );
            } else {
                let message = format!("{method} {path} is not a route");
                assert_eq!(answer, (405, error("method_not_allowed", &message, None)));
            }
        }
    }
    for path in [
        "",
        "/",
        "/api",
        "/api/",
        "/api/healthy",
        "/health",
        "/x/api/health",
        "/api/health/",
        "/api/health/x",
        "/api/settings/backend",
        "/api/conversations/x",
        "/api/conversations/x/messages/y",
        "/api/prompts/x/y",
        "/api/vaults/active/sign",
        "/api/vaults/active/coins/x",
    ] {
        for method in ["GET", "POST"] {
            let message = format!("{method} {path} is not a route");
            let not_found = (404, error("no_such_route", &message, None));
            assert_eq!(world.call(method, path, json!({})).await, not_found, "{method} {path}");
        }
    }
}

/// A body that is not a JSON object, or too large, changes nothing.
#[tokio::test(start_paused = true)]
async fn invalid_bodies_are_refused() {
    let world = World::new().await;
    let before = world.records().await;
    let large = format!("{{\"x\":\"{}\"}}", "x".repeat(8 << 20));
    let posts = [
        ("PATCH", "/api/settings"),
        ("POST", "/api/actions"),
        ("POST", "/api/conversations"),
        ("POST", "/api/conversations/x/messages"),
        ("POST", "/api/prompts/x"),
        ("POST", "/api/vaults"),
        ("PATCH", "/api/vaults/x"),
        ("POST", "/api/vaults/x/unlock"),
        ("POST", "/api/vaults/x/export"),
        ("POST", "/api/vaults/x/password"),
    ];
    for (method, target) in posts {
        for body in ["", "{", "nonsense", "{\"a\":1}x"] {
            let (status, answer) = world.call_text(method, target, body).await;
            assert_eq!(
                (status, &answer["error"]["code"]),
                (400, &json!("invalid_request")),
                "{target} {body}"
            );
            assert!(answer["error"]["message"].as_str().unwrap().starts_with("is not JSON: "), "{answer}");
        }
        for body in ["[]", "null", "7", "\"text\""] {
            let refused = (400, error("invalid_request", "must be a JSON object", Some("")));
            assert_eq!(world.call_text(method, target, body).await, refused, "{target} {body}");
        }
        let refused = (413, error("body_too_large", "a body may have 8388608 bytes", None));
        assert_eq!(world.call_text(method, target, &large).await, refused, "{target}");
    }
    assert_eq!(world.records().await, before);
}

#[tokio::test(start_paused = true)]
async fn actions_are_answered_now_or_later() {
    let world = World::new().await;
    let invalid = |message: &str| (400, error("invalid_request", message, Some("/actions")));
    let many: Vec<Value> = (0..101).map(|n| read_book(&n.to_string())).collect();
    assert_eq!(world.call("POST", "/api/actions", json!({})).await, invalid("must be an array"));
    assert_eq!(world.call("POST", "/api/actions", json!({"actions": {}})).await, invalid("must be an array"));
    assert_eq!(
        world.call("POST", "/api/actions", json!({"actions": many})).await,
        invalid("has more than 100 elements")
    );
    assert_eq!(world.records().await["calls"].len(), 0);
    assert_eq!(
        world.call("POST", "/api/actions", json!({"actions": []})).await,
        (200, json!({"results": []}))
    );

    let later = json!({"actions": [save_entry("1", "A"), 7]});
    let (status, accepted) = world.call("POST", "/api/actions?wait=false", later).await;
    let ids: Vec<&str> = accepted["callIds"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
    assert_eq!((status, ids.len()), (202, 2));
    world.settle().await;
    let call = world.get(&format!("/api/calls/{}", ids[0])).await;
    let id = &call["state"]["result"]["data"]["results"][0]["id"];
    let row = json!({"id": id, "title": "A", "address": ALICE, "chain": "Ethereum", "success": true, "error": null});
    assert_eq!(
        call,
        json!({"id": ids[0], "actionId": "1", "type": "add_address_book", "tool": "add_address_book",
            "title": "Title of 1", "legacy": false, "autoExecute": true, "source": {"kind": "user"}, "runId": call["lane"],
            "params": {"entries": [{"title": "A", "address": ALICE, "chain": "Ethereum"}]},
            "lane": call["lane"], "runId": call["lane"], "receivedAt": call["receivedAt"], "delivery": "none",
            "state": {"name": "done", "at": call["state"]["at"], "result": {"action": "add_address_book",
                "action_id": "1", "success": true, "data": {"results": [row]}}},
            "toolResult": {"tool": "add_address_book", "fetchedAt": "2026-01-01T00:00:00.000Z",
                "data": {"results": [row]}}})
    );
    let malformed = world.get(&format!("/api/calls/{}", ids[1])).await;
    assert_eq!(malformed["problem"], "malformed_action: is not an object");
    let unknown = (404, error("call_not_found", "there is no such call", None));
    assert_eq!(world.call("GET", "/api/calls/unknown", json!({})).await, unknown);
}

/// The list of calls is paged: every call once, newest first, with an end.
#[tokio::test(start_paused = true)]
async fn calls_are_paged() {
    let world = World::new().await;
    assert_eq!(world.get("/api/calls").await, json!({"calls": [], "cursor": null}));
    let mut newest_first = Vec::new();
    for (from, to) in [(0, 100), (100, 120)] {
        let actions: Vec<Value> = (from..to).map(|n| read_book(&n.to_string())).collect();
        world.act(json!(actions)).await;
        newest_first.splice(0..0, (from..to).rev().map(|n| n.to_string()));
        let mut pages: Vec<Vec<String>> = Vec::new();
        let mut target = "/api/calls".to_owned();
        loop {
            let page = world.get(&target).await;
            let calls = page["calls"].as_array().unwrap();
            pages.push(calls.iter().map(|call| call["actionId"].as_str().unwrap().to_owned()).collect());
            let Some(cursor) = page["cursor"].as_str() else { break };
            target = format!("/api/calls?cursor={cursor}");
        }
        let sizes: Vec<usize> = pages.iter().map(Vec::len).collect();
        assert_eq!(sizes, if to == 100 { vec![50, 50] } else { vec![50, 50, 20] });
        assert_eq!(pages.concat(), newest_first);
    }
    assert_eq!(world.get("/api/calls?cursor=").await["calls"][0]["actionId"], "119");
    assert_eq!(world.get("/api/calls?cursor=0").await, json!({"calls": [], "cursor": null}));
}

#[tokio::test(start_paused = true)]
async fn conversations() {
    let world = World::new().await;
    assert_eq!(world.get("/api/conversations").await, json!({"conversations": []}));
    let mut begun = Vec::new();
    for (body, title) in [
        (json!({}), "New conversation".to_owned()),
        (json!({"title": "  "}), "New conversation".to_owned()),
        (json!({"title": " Friends "}), "Friends".to_owned()),
        (json!({"title": "é".repeat(201)}), "é".repeat(200)),
    ] {
        let (status, conversation) = world.call("POST", "/api/conversations", body).await;
        let expected =
            json!({"id": conversation["id"], "title": title, "createdAt": conversation["createdAt"]});
        assert_eq!((status, &conversation), (201, &expected));
        let timeline =
            world.get(&format!("/api/conversations/{}/messages", conversation["id"].as_str().unwrap())).await;
        let last = timeline["lastEventId"].clone();
        assert_eq!(
            timeline,
            json!({"conversation": conversation, "items": [], "inputs": [], "lastEventId": last})
        );
        assert!(last.as_u64() > Some(0));
        begun.insert(0, conversation);
        world.settle().await;
    }
    assert_eq!(world.get("/api/conversations").await, json!({"conversations": begun}));
    let refused = (400, error("invalid_request", "must be a string", Some("/title")));
    assert_eq!(world.call("POST", "/api/conversations", json!({"title": 7})).await, refused);
    assert_eq!(world.get("/api/conversations").await["conversations"].as_array().unwrap().len(), 4);
}

#[tokio::test(start_paused = true)]
async fn messages() {
    let world = World::proposing(json!([])).await;
    let target = format!("/api/conversations/{}/messages", world.conversation_id());
    let before = world.records().await;
    let unknown = (404, error("conversation_not_found", "there is no such conversation", None));
    let nowhere = "/api/conversations/unknown/messages";
    assert_eq!(world.call("POST", nowhere, json!({"content": "x"})).await, unknown);
    assert_eq!(world.call("GET", nowhere, json!({})).await, unknown);
    let invalid =
        (400, error("invalid_request", "must be a text of at most 100 000 bytes", Some("/content")));
    for body in [
        json!({}),
        json!({"content": null}),
        json!({"content": " \n"}),
        json!({"content": "x".repeat(100_001)}),
    ] {
        assert_eq!(world.call("POST", &target, body).await, invalid);
    }
    let wrong = (400, error("invalid_request", "must be a string", Some("/content")));
    assert_eq!(world.call("POST", &target, json!({"content": ["x"]})).await, wrong);
    assert_eq!(
        (world.records().await, world.sent()),
        (before, vec![]),
        "a refused request stores and sends nothing"
    );
    world.call("PATCH", "/api/settings", json!({"backend": {"url": ""}})).await;
    let before = world.records().await;
    let no_backend = error("no_backend", "no agent is set: enter its address in the settings", None);
    assert_eq!(world.call("POST", &target, json!({"content": "x"})).await, (409, no_backend));
    assert_eq!(
        (world.records().await, world.sent()),
        (before, vec![]),
        "a refused request stores and sends nothing"
    );
    world.call("PATCH", "/api/settings", json!({"backend": {"url": URL}})).await;

    let (status, message) = world.call("POST", &target, json!({"content": " hello \n"})).await;
    let expected = json!({"id": message["id"], "conversationId": world.conversation_id(), "role": "user",
        "content": "hello", "state": "sending", "createdAt": world.browser.now()});
    assert_eq!((status, &message), (202, &expected));
    world.settle().await;
    let items = world.timeline().await;
    assert_eq!(items, [json!({"kind": "message", "message": with(expected, "state", json!("done"))})]);
}

#[tokio::test(start_paused = true)]
async fn event_stream_starts_at_the_given_number() {
    let world = World::proposing(json!([])).await;
    let last = world.events().await.len() as u64;
    let reply =
        |after: u64| runtime::http::Reply { status: 200, body: String::new(), events_after: Some(after) };
    assert_eq!(world.reply("GET", "/api/events", "").await, reply(last));
    assert_eq!(world.reply("GET", "/api/events?after=0", "").await, reply(0));
    assert_eq!(world.reply("GET", "/api/events?x=y&after=12", "").await, reply(12));
    for bad in ["", "x", "-1", "1.5", "99999999999999999999999"] {
        let refused = (400, error("invalid_request", "must be a number", Some("?after")));
        assert_eq!(world.call("GET", &format!("/api/events?after={bad}"), json!({})).await, refused, "{bad}");
    }
}
