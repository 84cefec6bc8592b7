//! The client with tokens: what pages do, and what comes of calls.

use super::services::*;
use countersign_tests::mcp::{Peer, Speaks, text};
use countersign_tests::world::*;
use runtime::mcp::oauth::ServerAuth;
use serde_json::{Value, json};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wire::mcp::McpSignIn;

/// Puts the server behind tokens of the authorization server: calls need `mcp:write`, all else `mcp:basic`. Returns the
/// number of the first token that is taken.
fn guard(fixture: &Fixture, peer: &Rc<RefCell<Peer>>) -> Rc<Cell<u32>> {
    let first = Rc::new(Cell::new(1));
    let (services, peer, least) = (Rc::clone(&fixture.services), Rc::clone(peer), Rc::clone(&first));
    fixture.world.set_nodes(move |call| {
        if call.url != MCP {
            return services.borrow_mut().answer(call);
        }
        let refused = |status, more: &str| {
            let header = format!("Bearer resource_metadata=\"{RESOURCE}\", {more}");
            Answer::With(vec![("www-authenticate", header)], Box::new(Answer::status(status)))
        };
        let number = call.header("authorization").and_then(|value| value.strip_prefix("Bearer access-"));
        if number.and_then(|number| number.parse::<u32>().ok()).is_none_or(|number| number < least.get()) {
            return refused(401, "scope=\"mcp:basic\"");
        }
        let granted = services.borrow().servers[AUTH].grants.clone();
        if call.body["method"] == "tools/call" && !granted.contains("mcp:write") {
            return refused(403, "scope=\"mcp:write\", error=\"insufficient_scope\"");
        }
        peer.borrow_mut().handle(call)
    });
    first
}

/// What a page does to sign in. Returns the query of the authorization request.
async fn sign_in(fixture: &Fixture, path: &str) -> Form {
    let (status, begun) = fixture.world.call("POST", path, json!({"redirectUri": REDIRECT})).await;
    assert_eq!(status, 200, "{begun}");
    let text = |name: &str| begun[name].as_str().unwrap().to_owned();
    let query = fixture.agree(&McpSignIn {
        authorization_url: text("authorizationUrl"),
        issuer: text("issuer"),
        token_url: text("tokenUrl"),
    });
    let url = format!("{REDIRECT}?code=co%2Fde&state={}", query["state"]);
    let (status, state) =
        fixture.world.call("POST", &format!("{path}/finish"), json!({"redirectUrl": url})).await;
    assert_eq!((status, &state["signedIn"]), (200, &json!(true)), "{state}");
    query
}

/// A server that wants a sign-in gets one from a page; its calls have tokens, which are renewed and widened where it wants
/// that; nothing is executed without. With the server all that was kept for it goes.
#[tokio::test(start_paused = true)]
async fn a_server_behind_tokens() {
    for speaks in [Speaks::Modern, Speaks::Legacy] {
        let fixture = Fixture::new(json!({})).await;
        let (world, peer) = (&fixture.world, Peer::new(speaks));
        let first = guard(&fixture, &peer);
        let body = json!({"name": "Peer", "url": MCP, "transport": "http", "password": PASSWORD});
        let (status, server) = world.call("POST", "/api/mcp/servers", body).await;
        assert_eq!((status, &server["state"]["name"]), (201, &json!("sign_in_required")), "{server}");
        let at_server = format!("/api/mcp/servers/{}", server["id"].as_str().unwrap());
        let path = format!("{at_server}/sign-in");
        assert_eq!(world.get(&path).await["signedIn"], false);
        let (status, origins) = world.call("POST", &format!("{path}/origins"), Value::Null).await;
        assert_eq!((status, origins), (200, json!({"origins": [AUTH]})));
        assert_eq!(sign_in(&fixture, &path).await["scope"], "mcp:basic");
        let server = world.get(&at_server).await;
        assert_eq!(server["state"]["name"], "ready", "{server}");
        // More is wanted of a call.
        fixture.auth(AUTH).grants.clear();
        world.allow_mcp("echo").await;
        let refused = world.act_once("peer__echo", json!({"text": "hi"})).await;
        assert!(refused["error"].as_str().unwrap().starts_with("sign_in_required"), "{refused}");
        assert_eq!(world.get(&at_server).await["state"]["name"], "sign_in_required");
        assert_eq!(sign_in(&fixture, &path).await["scope"], "mcp:basic mcp:write");
        let echo = async || world.act_once("peer__echo", json!({"text": "hi"})).await["data"].clone();
        assert_eq!(echo().await, text(r#"{"text":"hi"}"#));
        // A token that is not taken any more is renewed, and the call is made once.
        let given = fixture.auth(AUTH).given;
        first.set(given + 1);
        assert_eq!(echo().await, text(r#"{"text":"hi"}"#));
        assert_eq!((fixture.auth(AUTH).given, peer.borrow().executed.len()), (given + 1, 2));
        // One that is never taken ends in a sign-in, and not in a loop.
        first.set(100);
        let refused = world.act_once("peer__echo", json!({"text": "hi"})).await;
        assert!(refused["error"].as_str().unwrap().starts_with("sign_in_required"), "{refused}");
        assert_eq!((fixture.auth(AUTH).given, peer.borrow().executed.len()), (given + 2, 2));
        fixture.assert_hidden(&[]).await;
        assert_eq!(world.call("DELETE", &path, Value::Null).await.0, 204);
        assert_eq!(world.get(&path).await["signedIn"], false);
        assert_eq!(world.get(&at_server).await["state"]["name"], "sign_in_required");
        first.set(1);
        sign_in(&fixture, &path).await;
        assert_eq!(world.call("DELETE", &at_server, Value::Null).await.0, 204);
        let records = world.records().await;
        assert!(records["secrets"].is_empty() && records["mcp"].is_empty(), "{records:?}");
        assert_eq!(world.refused("GET", &path, Value::Null).await, (404, "mcp_server_not_found".to_owned()));
        assert_eq!(peer.borrow().violations, [""; 0]);
    }
}

/// The user's own client of a server: its secret is sealed like all secrets, and goes with the server.
#[tokio::test(start_paused = true)]
async fn a_client_in_the_settings() {
    let changes = json!({
        "registration_endpoint": null, "client_id_metadata_document_supported": true,
        "token_endpoint_auth_methods_supported": ["client_secret_basic"],
    });
    let fixture = Fixture::new(changes).await;
    let (world, peer) = (&fixture.world, Peer::new(Speaks::Modern));
    guard(&fixture, &peer);
    let body = json!({"name": "Peer", "url": MCP, "transport": "http", "password": PASSWORD,
        "clientId": "mine", "clientSecret": "pre/secret"});
    let (status, server) = world.call("POST", "/api/mcp/servers", body).await;
    assert_eq!(status, 201, "{server}");
    assert!(!server.to_string().contains("pre/secret"));
    let id = server["id"].as_str().unwrap().to_owned();
    let at_server = format!("/api/mcp/servers/{id}");
    let names = world.get("/api/secrets").await;
    assert_eq!(names["secrets"][0]["name"], ServerAuth::secret_name(&id));
    fixture.auth(AUTH).clients.insert("mine".to_owned(), Some("pre/secret".to_owned()));
    let path = format!("{at_server}/sign-in");
    assert_eq!(sign_in(&fixture, &path).await["client_id"], "mine");
    assert_eq!(fixture.auth(AUTH).exchanges[0]["proof"], "basic");
    fixture.assert_hidden(&["pre/secret"]).await;
    // A document in its place.
    let document = "https://wallet.example/client.json";
    fixture.auth(AUTH).clients.insert(document.to_owned(), None);
    let change = json!({"clientId": "", "clientMetadataUrl": document});
    assert_eq!(world.call("PATCH", &at_server, change).await.0, 200);
    assert_eq!(sign_in(&fixture, &path).await["client_id"], document);
    let refused =
        world.call("PATCH", &at_server, json!({"clientMetadataUrl": "http://wallet.example/"})).await;
    assert_eq!(refused.0, 400);
    assert_eq!(world.call("DELETE", &at_server, Value::Null).await.0, 204);
    assert_eq!(world.get("/api/secrets").await["secrets"], json!([]));
}

/// A call whose vault is locked asks for the password, as tools with secrets do.
#[tokio::test(start_paused = true)]
async fn a_locked_vault_asks() {
    let fixture = Fixture::new(json!({})).await;
    let (world, peer) = (&fixture.world, Peer::new(Speaks::Modern));
    guard(&fixture, &peer);
    let body = json!({"name": "Peer", "url": MCP, "transport": "http", "password": PASSWORD});
    let (_, server) = world.call("POST", "/api/mcp/servers", body).await;
    let path = format!("/api/mcp/servers/{}/sign-in", server["id"].as_str().unwrap());
    sign_in(&fixture, &path).await;
    fixture.auth(AUTH).grants = "mcp:basic mcp:write".to_owned();
    world.allow_mcp("echo").await;
    world.call("POST", "/api/vaults/active/lock", Value::Null).await;
    let action = action("a1", "peer__echo", json!({"text": "hi"}));
    let (status, _) = world.call("POST", "/api/actions?wait=false", json!({"actions": [action]})).await;
    assert_eq!(status, 202);
    world.settle().await;
    let prompts = world.prompts().await;
    assert_eq!(prompts.len(), 1, "{prompts:?}");
    assert!(prompts[0].to_string().contains("password_required"), "{prompts:?}");
    assert!(peer.borrow().executed.is_empty());
}
