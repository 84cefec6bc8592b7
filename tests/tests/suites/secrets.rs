//! Secrets of tools: saved and never read back, sealed for one vault, in nothing but the request that they are for.
#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "a test fails by panicking")]

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use countersign_tests::world::*;
use runtime::call::CallRow;
use runtime::ports::NetRequest;
use runtime::secrets::{FillError, ForTool, ask_for_password, fill};
use runtime::store::{Batch, Durability, Stored, Table, Write};
use serde_json::{Value, json};
use wire::pieces::{DigestEncoding, Encoding, HashAlgorithm, HeaderPieces, Piece, RequestPieces};

const PASSWORD: &str = "correct horse battery";
const VALUE: &str = "sk-live/Zq7+43 \u{e9}";

/// A world with an open vault.
async fn with_open_vault() -> World {
    let world = with_locked_vault().await;
    world.unlock(PASSWORD).await;
    world
}

async fn with_locked_vault() -> World {
    let world = World::new().await;
    world.browser.use_fast_signer();
    world.make_vault(PASSWORD).await;
    world
}

async fn put(world: &World, name: &str, body: Value) -> (u16, Value) {
    world.call("PUT", &format!("/api/secrets/{name}"), body).await
}

async fn save(world: &World, name: &str, value: &str) {
    let (status, answer) = put(world, name, json!({"value": value})).await;
    assert!(status == 200 || status == 201, "{answer}");
}

/// The id of the vault that can sign.
async fn signer_id(world: &World) -> String {
    let vaults = world.get("/api/vaults").await;
    let signer = vaults["vaults"].as_array().unwrap().iter().find(|vault| vault["name"] == "Signer");
    signer.unwrap()["id"].as_str().unwrap().to_owned()
}

async fn names(world: &World) -> Vec<String> {
    let secrets = world.get("/api/secrets").await;
    let named = secrets["secrets"].as_array().unwrap().iter();
    named.map(|secret| secret["name"].as_str().unwrap().to_owned()).collect()
}

/// A request with a secret in its path.
fn request(name: &str) -> RequestPieces {
    let url = vec![
        Piece::Text("https://api.example/v1/".to_owned()),
        Piece::Secret { name: name.to_owned(), encoding: Encoding::Percent },
    ];
    RequestPieces { url, headers: Vec::new(), body: None }
}

/// A tool without tokens.
const fn tool(call_id: Option<&str>) -> ForTool<'_> {
    ForTool { call_id, tool_id: "tool", server: None }
}

async fn filled(world: &World, request: RequestPieces) -> Result<NetRequest, FillError> {
    let core = world.core();
    world.run(fill(&core, tool(None), request)).await.map(|filled| filled.request("GET"))
}

/// Every spelling in which a value would give itself away.
fn spellings(value: &str) -> Vec<String> {
    let bytes = value.as_bytes();
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let percent = url_escaped(value);
    let json = json!(value).to_string().trim_matches('"').to_owned();
    vec![
        value.to_owned(),
        hex.to_uppercase(),
        hex,
        STANDARD.encode(bytes),
        URL_SAFE_NO_PAD.encode(bytes),
        percent.to_lowercase(),
        percent,
        json,
    ]
}

fn url_escaped(text: &str) -> String {
    let escaped = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(escaped).collect()
}

/// Everything that is kept or told: records, events, the audit log, the session, requests to the backend.
async fn kept(world: &World) -> String {
    let audit = world.get("/api/audit/export").await;
    format!(
        "{:?}{:?}{audit}{:?}{:?}{}",
        world.records().await,
        world.events().await,
        world.browser.secrets(),
        world.sent(),
        world.get("/api/secrets").await,
    )
}

fn assert_hidden(text: &str, value: &str) {
    for spelling in spellings(value) {
        assert!(!text.contains(&spelling), "{spelling:?} is in {text}");
    }
}

/// T002-34: a secret is written, replaced, listed by name and deleted; no answer ever has its value.
#[tokio::test(start_paused = true)]
async fn secrets_are_write_only() {
    let world = with_open_vault().await;
    assert_eq!(world.get("/api/secrets").await, json!({"secrets": []}));
    let (status, first) = put(&world, "API_KEY", json!({"value": VALUE})).await;
    assert_eq!((status, &first["name"]), (201, &json!("API_KEY")));
    world.pass(5_000).await;
    let (status, second) = put(&world, "API_KEY", json!({"value": "another one"})).await;
    assert_eq!(status, 200);
    assert!(second["updatedAt"].as_u64() > first["updatedAt"].as_u64());
    save(&world, "OTHER", "x").await;
    let listed = world.get("/api/secrets").await;
    assert_eq!(listed["secrets"][0], second);
    assert_eq!(names(&world).await, ["API_KEY", "OTHER"]);
    assert_eq!(world.call("GET", "/api/secrets/API_KEY", Value::Null).await.0, 405);
    let reply = world.reply("DELETE", "/api/secrets/API_KEY", "").await;
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
    let (status, gone) = world.call("DELETE", "/api/secrets/API_KEY", Value::Null).await;
    assert_eq!((status, &gone["error"]["code"]), (404, &json!("secret_not_found")));
    assert_eq!(names(&world).await, ["OTHER"]);
    let audit = world.get("/api/audit").await;
    let changes: Vec<(&Value, &Value)> = audit["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["what"].as_str().is_some_and(|what| what.starts_with("secret")))
        .map(|entry| (&entry["what"], &entry["subject"]))
        .collect();
    let (saved, deleted) = (json!("secret_saved"), json!("secret_deleted"));
    let (key, other) = (json!("API_KEY"), json!("OTHER"));
    assert_eq!(changes, [(&deleted, &key), (&saved, &other), (&saved, &key), (&saved, &key)]);
    assert_hidden(&kept(&world).await, VALUE);
}

/// Names and values have bounds, and a refused request changes nothing and repeats nothing.
#[tokio::test(start_paused = true)]
async fn names_and_values_have_bounds() {
    let world = with_open_vault().await;
    let before = world.records().await;
    let long = "A".repeat(65);
    for name in ["a", "1A", "A-B", "A%20B", "%41", "\u{c4}", &long] {
        let (status, answer) = put(&world, name, json!({"value": VALUE})).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("invalid_name")), "{name}");
    }
    let bodies = [
        json!({}),
        json!({"value": ""}),
        json!({"value": "v".repeat(16_385)}),
        json!({"value": [VALUE]}),
        json!({"value": VALUE, "valeu": VALUE}),
        json!({"value": VALUE, "password": 7}),
        json!([VALUE]),
    ];
    for body in bodies {
        let (status, answer) = put(&world, "KEY", body.clone()).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!("invalid_request")), "{body}");
        assert_hidden(&answer.to_string(), VALUE);
    }
    let (status, answer) =
        world.call_text("PUT", "/api/secrets/KEY", &format!("{{\"value\":\"{VALUE}")).await;
    assert_eq!(status, 400);
    assert_hidden(&answer.to_string(), VALUE);
    assert_eq!(world.records().await, before);
    let longest = format!("{}{}", "A".repeat(60), "_234");
    assert_eq!(put(&world, &longest, json!({"value": "v".repeat(16_384)})).await.0, 201);
}

/// The vault must be open, or its password comes with the secret: then it is not left open.
#[tokio::test(start_paused = true)]
async fn a_locked_vault_needs_the_password() {
    let world = with_locked_vault().await;
    let (status, answer) = put(&world, "KEY", json!({"value": VALUE})).await;
    let refused = (&answer["error"]["code"], &answer["error"]["path"]);
    assert_eq!((status, refused), (403, (&json!("password_required"), &json!("/password"))));
    let (status, answer) = put(&world, "KEY", json!({"value": VALUE, "password": "wrong"})).await;
    assert_eq!((status, &answer["error"]["code"]), (403, &json!("wrong_password")));
    assert!(names(&world).await.is_empty());
    assert_eq!(put(&world, "KEY", json!({"value": VALUE, "password": PASSWORD})).await.0, 201);
    assert_eq!(world.get("/api/vaults").await["vaults"][0]["unlockedUntil"], Value::Null);
    assert!(world.table(Table::Unlocks).await.is_empty() && world.browser.secrets().is_empty());
    let locked = filled(&world, request("KEY")).await.unwrap_err();
    assert!(matches!(&locked, FillError::Locked { vault_name, .. } if vault_name == "Signer"), "{locked:?}");
    world.unlock(PASSWORD).await;
    let sent = filled(&world, request("KEY")).await.unwrap();
    assert_eq!(sent.url, format!("https://api.example/v1/{}", url_escaped(VALUE)));
    // A wrong password is refused although the vault is open.
    assert_eq!(put(&world, "KEY", json!({"value": "v", "password": "wrong"})).await.0, 403);
}

/// Without a vault, or with one that only watches, there is nothing to seal a secret for.
#[tokio::test(start_paused = true)]
async fn secrets_need_a_vault_of_their_own() {
    let world = World::new().await;
    assert_eq!(world.get("/api/secrets").await, json!({"secrets": []}));
    let (status, answer) = put(&world, "KEY", json!({"value": VALUE})).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("no_vault")));
    assert_eq!(world.call("DELETE", "/api/secrets/KEY", Value::Null).await.0, 409);
    assert_eq!(filled(&world, request("KEY")).await, Err(FillError::NoVault));
    let world = world.with_vault().await;
    let (status, answer) = put(&world, "KEY", json!({"value": VALUE})).await;
    assert_eq!((status, &answer["error"]["code"]), (409, &json!("watch_only")));
    assert_eq!(filled(&world, request("KEY")).await, Err(FillError::WatchOnly));
    let plain =
        RequestPieces { url: vec![Piece::Text("https://a.example/".to_owned())], ..RequestPieces::default() };
    assert_eq!(filled(&world, plain).await.unwrap().url, "https://a.example/");
}

/// T002-32: a secret that is not saved is named, and is never another vault's.
#[tokio::test(start_paused = true)]
async fn vaults_have_their_own_secrets() {
    let world = with_open_vault().await;
    save(&world, "KEY", "of the first").await;
    world.use_vault(0).await;
    assert!(names(&world).await.is_empty());
    let first = signer_id(&world).await;
    world.call("POST", &format!("/api/vaults/{first}/activate"), Value::Null).await;
    let missing = FillError::SecretMissing { name: "NOPE".to_owned() };
    assert_eq!(filled(&world, request("NOPE")).await, Err(missing.clone()));
    assert_eq!(missing.failure().to_string(), "secret_missing: there is no secret NOPE");
    assert_eq!(filled(&world, request("KEY")).await.unwrap().url, "https://api.example/v1/of%20the%20first");
    // Rows moved under another name, or another vault, do not open.
    let row = world.table(Table::Secrets).await.remove(0);
    world.write(Table::Secrets, &row.key.replace("KEY", "MOVED"), &row.text).await;
    let moved = filled(&world, request("MOVED")).await.unwrap_err().failure();
    assert_eq!(moved.code(), "secret_unreadable");
    let (status, _) =
        world.call("DELETE", &format!("/api/vaults/{first}"), json!({"password": PASSWORD})).await;
    assert_eq!((status, world.table(Table::Secrets).await.len()), (200, 0));
}

/// A change of the password keeps them; a backup has none of them.
#[tokio::test(start_paused = true)]
async fn secrets_stay_with_the_vault_and_out_of_its_backup() {
    let world = World::new().await;
    world.make_vault(PASSWORD).await;
    assert_eq!(put(&world, "KEY", json!({"value": VALUE, "password": PASSWORD})).await.0, 201);
    let body = json!({"password": PASSWORD, "newPassword": "another horse battery"});
    assert_eq!(world.call("POST", "/api/vaults/active/password", body).await.0, 200);
    world.unlock("another horse battery").await;
    assert!(filled(&world, request("KEY")).await.is_ok());
    let sealed = world.table(Table::Secrets).await.remove(0).text;
    let sealed: Value = serde_json::from_str(&sealed).unwrap();
    let body = json!({"password": "another horse battery"});
    let (status, file) = world.call("POST", "/api/vaults/active/export", body.clone()).await;
    assert_eq!(status, 200);
    let text = file["text"].as_str().unwrap();
    assert!(!text.contains("KEY") && !text.contains(sealed["sealed"].as_str().unwrap()));
    assert_hidden(text, VALUE);
    // A vault that comes back from its backup has none, but opens what it sealed.
    let row = world.table(Table::Secrets).await.remove(0);
    assert_eq!(world.call("DELETE", "/api/vaults/active", body).await.0, 200);
    let body = json!({"kind": "file", "file": text, "filePassword": "another horse battery"});
    assert_eq!(world.call("POST", "/api/vaults", body).await.0, 201);
    assert!(names(&world).await.is_empty());
    world.unlock("another horse battery").await;
    world.write(Table::Secrets, &row.key, &row.text).await;
    assert!(filled(&world, request("KEY")).await.is_ok());
}

/// T002-34: the value, in any spelling, is in the request that it is for and nowhere else.
#[tokio::test(start_paused = true)]
async fn nothing_else_holds_a_secret() {
    let world = with_open_vault().await;
    save(&world, "KEY", VALUE).await;
    save(&world, "SIGN", "hmac key 0123456789").await;
    save(&world, "LINES", "two\nlines of a secret").await;
    let slot = |name: &str, encoding| Piece::Secret { name: name.to_owned(), encoding };
    let header = |name: &str, value| HeaderPieces { name: name.to_owned(), value };
    let hmac = Piece::Hmac {
        algorithm: HashAlgorithm::Sha256,
        key: vec![slot("SIGN", Encoding::Plain)],
        message: vec![Piece::Body, Piece::Path],
        encoding: DigestEncoding::Hex,
    };
    let pair = Piece::Basic {
        username: vec![Piece::Text("user".to_owned())],
        password: vec![slot("KEY", Encoding::Plain)],
    };
    let whole = RequestPieces {
        url: request("KEY").url,
        headers: vec![header("x-sign", vec![hmac]), header("authorization", vec![pair])],
        body: Some(vec![
            Piece::Text("{\"k\":\"".to_owned()),
            slot("KEY", Encoding::Json),
            Piece::Text("\"}".to_owned()),
        ]),
    };
    let core = world.core();
    let filled_request = world.run(fill(&core, tool(None), whole)).await.unwrap();
    let sent = filled_request.request("POST");
    assert_eq!(sent.body.as_deref(), Some(json!({"k": VALUE}).to_string().as_str()));
    assert!(sent.url.ends_with(&url_escaped(VALUE)));
    let printed = format!("{filled_request:?}");
    assert_hidden(&printed, VALUE);
    // What a host repeats is masked, in every spelling in which it was sent.
    let echo = format!("{} {} {:?} {}", VALUE, sent.url, sent.headers, sent.body.clone().unwrap());
    let masked = filled_request.masked(echo);
    assert_hidden(&masked, VALUE);
    assert!(!masked.contains(&STANDARD.encode(format!("user:{VALUE}"))), "{masked}");
    // Errors.
    let lines = RequestPieces {
        headers: vec![header("authorization", vec![slot("LINES", Encoding::Header)])],
        ..RequestPieces {
            url: vec![Piece::Text("https://a.example/".to_owned())],
            ..RequestPieces::default()
        }
    };
    let error = filled(&world, lines).await.unwrap_err();
    assert_eq!(error.failure().code(), "secret_not_sendable");
    let told = format!("{error} {error:?} {}{}", error.failure(), kept(&world).await);
    for value in [VALUE, "hmac key 0123456789", "two\nlines of a secret"] {
        assert_hidden(&told, value);
    }
}

/// A worker that dies while a secret is saved has saved it whole or not at all; the page tries again.
#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_while_saving() {
    let mut lost = 0;
    for steps in 0..40 {
        let world = with_open_vault().await;
        save(&world, "OLD", "stays").await;
        let (core, body) = (world.core(), json!({"value": VALUE}).to_string());
        let answered = world
            .run(async {
                tokio::select! {
                    biased;
                    reply = core.handle("PUT", "/api/secrets/KEY", &body) => Some(reply.status),
                    () = yields(steps) => None,
                }
            })
            .await;
        drop(core);
        world.restart().await;
        let saved = names(&world).await.contains(&"KEY".to_owned());
        assert!(answered.is_none() || saved, "{steps}: answered, and lost");
        lost += usize::from(!saved);
        if saved {
            assert!(filled(&world, request("KEY")).await.is_ok(), "{steps}");
        }
        let (status, _) = put(&world, "KEY", json!({"value": VALUE})).await;
        assert_eq!(status, if saved { 200 } else { 201 }, "{steps}");
        assert!(filled(&world, request("KEY")).await.is_ok() && filled(&world, request("OLD")).await.is_ok());
        assert_hidden(&kept(&world).await, VALUE);
    }
    assert!(0 < lost && lost < 40, "deaths before and after the commit: {lost}");
}

async fn yields(count: usize) {
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
}

/// Two windows save the same name at once: both are answered, and the later one holds.
#[tokio::test(start_paused = true)]
async fn two_windows_save_at_once() {
    let world = with_open_vault().await;
    let (first, second) = tokio::join!(
        put(&world, "KEY", json!({"value": "one"})),
        put(&world, "KEY", json!({"value": "two"}))
    );
    let mut statuses = [first.0, second.0];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 201]);
    let url = filled(&world, request("KEY")).await.unwrap().url;
    assert!(url.ends_with("/one") || url.ends_with("/two"), "{url}");
}

/// A call of the agent that waits, and its record.
async fn with_waiting_call() -> (World, Stored<CallRow>) {
    let action = json!([{"id": "a1", "type": "add_address_book", "title": "Save Bob",
        "params": {"entries": [{"title": "Bob", "address": BOB, "chain": "Ethereum"}]}}]);
    let world = World::proposing(action).await;
    world.browser.use_fast_signer();
    world.make_vault(PASSWORD).await;
    world.say("go").await;
    // The question of another kind is taken away: here it is about the password alone.
    let asked = world.table(Table::Prompts).await.remove(0);
    let gone = Write::Delete(Table::Prompts, asked.key);
    world.commit(Batch::unowned(Durability::Strict, Vec::new(), vec![gone])).await;
    let row = world.table(Table::Calls).await.remove(0);
    let record = Box::new(wire::json::from_text(&row.text).unwrap());
    (world, Stored { text: row.text, record })
}

/// Asks for the password of the active vault, as a call does whose request needs secrets.
async fn ask(world: &World, call: Stored<CallRow>) {
    let (id, core) = (signer_id(world).await, world.core());
    world.run(ask_for_password(&core, call, (id, "Signer".to_owned()))).await.unwrap();
}

/// The password is asked for one call: it opens the vault for that call, which goes on, also after the worker died.
#[tokio::test(start_paused = true)]
async fn the_password_lets_a_call_go_on() {
    let (world, call) = with_waiting_call().await;
    let call_id = world.table(Table::Calls).await.remove(0).key;
    put(&world, "KEY", json!({"value": VALUE, "password": PASSWORD})).await;
    ask(&world, call).await;
    world.restart().await;
    let prompt = world.prompts().await.remove(0);
    let facts = ["kind", "why", "vaultName", "title"].map(|name| prompt[name].as_str().unwrap());
    assert_eq!(facts, ["password_required", "secrets", "Signer", "Save Bob"]);
    let shown = world.get(&format!("/api/calls/{call_id}")).await["shown"].clone();
    assert_eq!(prompt["subject"], shown);
    let (status, refused) = world.answer_prompt(&prompt, json!({"approve": true, "password": "wrong"})).await;
    assert_eq!((status, &refused["error"]["code"]), (403, &json!("wrong_password")));
    assert_eq!(world.answer(json!({"approve": true, "password": PASSWORD})).await.0, 200);
    assert_eq!(world.results()[0]["success"], json!(true));
    // For the call, and for nothing else.
    let core = world.core();
    assert!(world.run(fill(&core, tool(Some(&call_id)), request("KEY"))).await.is_ok());
    assert!(matches!(filled(&world, request("KEY")).await, Err(FillError::Locked { .. })));
    assert_hidden(&kept(&world).await, VALUE);
}

/// Without the password the call ends, with the reason that every tool gives.
#[tokio::test(start_paused = true)]
async fn without_the_password_the_call_ends() {
    let (world, call) = with_waiting_call().await;
    ask(&world, call).await;
    assert_eq!(world.answer(json!({"approve": false, "reason": "not now"})).await.0, 200);
    let result = world.results().remove(0);
    assert_eq!((&result["success"], &result["error"]), (&json!(false), &json!("rejected_by_user: not now")));
    assert_eq!(result.get("data"), None, "no bundle's rows");
    let (world, call) = with_waiting_call().await;
    ask(&world, call).await;
    world.pass(11 * 60_000).await;
    assert_eq!(world.results()[0]["error"], json!("consent_expired: no answer in time"));
}
