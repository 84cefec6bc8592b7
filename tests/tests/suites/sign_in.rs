//! Tools that sign in to an OAuth 2 server: PKCE, sealed tokens, refreshes that happen once and survive a worker's death.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use countersign_tests::tools::{BUNDLE, bundle_body, bundle_path, tool_body, tool_path};
use countersign_tests::world::*;
use runtime::ports::NetRequest;
use runtime::secrets::{
    FillError, Filled, ForTool, SignInError, begin, fill, finish, refill, sign_out, state,
};
use runtime::store::Table;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::pieces::{HeaderPieces, Piece, RequestPieces};
use wire::secret::SecretText;
use wire::secrets::SignInState;
use wire::toolbox::OAuthServer;

const PASSWORD: &str = "correct horse battery";
const TOOL: &str = "019a0000-0000-7000-8000-00000000aaaa";
const REDIRECT: &str = "https://abcdef.chromiumapp.org/";
const CLIENT_SECRET: &str = "client secret/1";
const HOUR: u64 = 3_600_000;

/// A server that gives tokens. A code and a rotated refresh token are good for one use.
struct Server {
    /// The challenge of the authorization, by its code.
    codes: BTreeMap<String, String>,
    refresh: String,
    /// Whether a refresh gives another refresh token.
    rotates: bool,
    /// Whether it gives refresh tokens at all.
    refreshes: bool,
    /// Whether it proves who asks.
    secret: bool,
    given: u32,
    refreshed: u32,
    /// What it answers instead.
    instead: Option<Answer>,
}

type Shared = Rc<RefCell<Server>>;

fn form(call: &NodeCall) -> BTreeMap<String, String> {
    let body = call.body.as_str().expect("a form is a text");
    url::form_urlencoded::parse(body.as_bytes()).into_owned().collect()
}

impl Server {
    fn answer(&mut self, call: &NodeCall) -> Answer {
        assert_eq!((call.method.as_str(), call.url.as_str()), ("POST", "https://tokens.example/token"));
        assert_eq!(call.header("content-type"), Some("application/x-www-form-urlencoded"));
        if let Some(instead) = &self.instead {
            return instead.clone();
        }
        let form = form(call);
        let pair = STANDARD.encode("me%20too:client%20secret%2F1");
        let proof = call.header("authorization").map(str::to_owned);
        let is_proven = match self.secret {
            true => proof == Some(format!("Basic {pair}")),
            false => proof.is_none() && form["client_id"] == "me too",
        };
        if !is_proven {
            return refusal("invalid_client");
        }
        match form["grant_type"].as_str() {
            "authorization_code" => {
                let Some(challenge) = self.codes.remove(&form["code"]) else {
                    return refusal("invalid_grant");
                };
                let hash = Sha256::digest(form["code_verifier"].as_bytes());
                if challenge != URL_SAFE_NO_PAD.encode(hash) || form["redirect_uri"] != REDIRECT {
                    return refusal("invalid_grant");
                }
                self.refresh = "refresh/0".to_owned();
                self.give(true)
            }
            "refresh_token" if form["refresh_token"] == self.refresh => {
                self.refreshed += 1;
                if self.rotates {
                    self.refresh = format!("refresh/{}", self.refreshed);
                }
                self.give(self.rotates)
            }
            _ => refusal("invalid_grant"),
        }
    }

    fn give(&mut self, with_refresh: bool) -> Answer {
        self.given += 1;
        let mut answer = json!({"access_token": format!("access-{}", self.given), "token_type": "bearer", "expires_in": 3600});
        if with_refresh && self.refreshes {
            answer["refresh_token"] = json!(self.refresh);
        }
        Answer::json(&answer)
    }
}

fn refusal(code: &str) -> Answer {
    Answer::Http(
        400,
        "application/json",
        json!({"error": code, "error_description": "\u{1b}[31m<b>"}).to_string(),
    )
}

/// A world with an open vault, a server, and where the test can ask it.
async fn with_server(secret: bool) -> (World, Shared) {
    let world = World::new().await;
    world.browser.use_fast_signer();
    world.make_vault(PASSWORD).await;
    world.unlock(PASSWORD).await;
    let hosts = json!({"allowedHosts": ["api.example", "tokens.example"], "password": PASSWORD});
    assert_eq!(world.call("PATCH", "/api/settings", hosts).await.0, 200);
    if secret {
        let (status, _) = world.call("PUT", "/api/secrets/CLIENT", json!({"value": CLIENT_SECRET})).await;
        assert_eq!(status, 201);
    }
    let server = Server {
        codes: BTreeMap::new(),
        refresh: String::new(),
        rotates: true,
        refreshes: true,
        secret,
        given: 0,
        refreshed: 0,
        instead: None,
    };
    let server = Rc::new(RefCell::new(server));
    let answering = Rc::clone(&server);
    world.set_nodes(move |call| answering.borrow_mut().answer(call));
    (world, server)
}

fn record(secret: bool) -> Value {
    let mut auth = json!({"type": "oauth2", "authorizationUrl": "https://login.example/authorize",
        "tokenUrl": "https://tokens.example/token", "clientId": "me too", "scopes": ["read", "write"]});
    if secret {
        auth["clientSecret"] = json!("${CLIENT}");
    }
    json!({"type": "http", "argSchema": {}, "impl": {"urlTemplate": "https://api.example/me", "auth": auth}})
}

fn server_of(secret: bool) -> OAuthServer {
    OAuthServer {
        authorization_url: "https://login.example/authorize".to_owned(),
        token_url: "https://tokens.example/token".to_owned(),
        client_id: "me too".to_owned(),
        client_secret: secret.then(|| "CLIENT".to_owned()),
        scopes: vec!["read".to_owned(), "write".to_owned()],
    }
}

/// Begins a sign-in, and lets the person agree; the address that the browser comes back to.
async fn agreed(world: &World, server: &Shared) -> String {
    let secret = server.borrow().secret;
    let core = world.core();
    let url = world.run(begin(&core, TOOL, record(secret), REDIRECT)).await.unwrap();
    let url = url::Url::parse(&url).unwrap();
    let sent: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
    assert_eq!((url.host_str(), sent["redirect_uri"].as_str()), (Some("login.example"), REDIRECT));
    assert_eq!((sent["response_type"].as_str(), sent["code_challenge_method"].as_str()), ("code", "S256"));
    assert_eq!((sent["scope"].as_str(), sent["client_id"].as_str()), ("read write", "me too"));
    server.borrow_mut().codes.insert("co/de".to_owned(), sent["code_challenge"].clone());
    format!("{REDIRECT}?code=co%2Fde&state={}", sent["state"])
}

async fn ended(world: &World, redirect_url: &str, password: &str) -> Result<SignInState, SignInError> {
    let (core, password) = (world.core(), SecretText::new(password.to_owned()));
    world.run(finish(&core, TOOL, redirect_url, &password)).await
}

async fn sign_in(world: &World, server: &Shared) {
    let back = agreed(world, server).await;
    ended(world, &back, "").await.unwrap();
}

async fn signed_in(world: &World) -> bool {
    let core = world.core();
    world.run(state(&core, TOOL)).await.unwrap().signed_in
}

fn request() -> RequestPieces {
    let value = vec![Piece::Text("Bearer ".to_owned()), Piece::OAuthToken];
    let headers = vec![HeaderPieces { name: "Authorization".to_owned(), value }];
    RequestPieces { url: vec![Piece::Text("https://api.example/me".to_owned())], headers, body: None }
}

async fn filled(world: &World, server: &OAuthServer) -> Result<Filled, FillError> {
    let core = world.core();
    let tool = ForTool { call_id: None, tool_id: TOOL, server: Some(server) };
    world.run(fill(&core, tool, request())).await
}

async fn filled_again(world: &World, server: &OAuthServer, refused: &Filled) -> Result<String, FillError> {
    let core = world.core();
    let tool = ForTool { call_id: None, tool_id: TOOL, server: Some(server) };
    world.run(refill(&core, tool, request(), refused)).await.map(|filled| bearer(&filled.unwrap()))
}

fn bearer(filled: &Filled) -> String {
    let NetRequest { headers, .. } = filled.request("GET");
    headers[0].1.clone()
}

/// No token, code or verifier is anywhere but in the request that it is for.
async fn assert_hidden(world: &World) {
    let audit = world.get("/api/audit/export").await;
    let kept =
        format!("{:?}{:?}{audit}{:?}", world.records().await, world.events().await, world.browser.secrets());
    for secret in ["access-", "refresh/", CLIENT_SECRET, "co/de"] {
        for spelling in [secret.to_owned(), STANDARD.encode(secret), secret.replace('/', "%2F")] {
            assert!(!kept.contains(&spelling), "{spelling} is in {kept}");
        }
    }
}

/// T002-79: a person agrees at the server, the code becomes tokens, the tokens are sealed, and the request has one.
#[tokio::test(start_paused = true)]
async fn signing_in_by_pkce() {
    for secret in [false, true] {
        let (world, server) = with_server(secret).await;
        assert_eq!(filled(&world, &server_of(secret)).await.unwrap_err(), FillError::TokensMissing);
        let back = agreed(&world, &server).await;
        let state = ended(&world, &back, "").await.unwrap();
        assert_eq!((state.signed_in, state.scopes), (true, vec!["read".to_owned(), "write".to_owned()]));
        assert_eq!(state.expires_at, Some(world.browser.now() + HOUR));
        assert_eq!(bearer(&filled(&world, &server_of(secret)).await.unwrap()), "Bearer access-1");
        assert_hidden(&world).await;
        assert!(
            world.browser.secrets().keys().all(|name| !name.starts_with("sign-in")),
            "the attempt is over"
        );
        assert_eq!(ended(&world, &back, "").await, Err(SignInError::NotBegun), "a code is used once");
        world.restart().await;
        assert!(signed_in(&world).await);
        // Another sign-in replaces the tokens.
        sign_in(&world, &server).await;
        assert_eq!(bearer(&filled(&world, &server_of(secret)).await.unwrap()), "Bearer access-2");
        let core = world.core();
        world.run(sign_out(&core, TOOL)).await.unwrap();
        assert!(!signed_in(&world).await);
        let audit = world.get("/api/audit").await.to_string();
        assert!(audit.contains("tool_signed_in") && audit.contains("tool_signed_out"));
    }
}

/// What comes back must answer what was asked, and in time.
#[tokio::test(start_paused = true)]
async fn answers_to_something_else_are_refused() {
    let (world, server) = with_server(false).await;
    assert_eq!(ended(&world, REDIRECT, "").await, Err(SignInError::NotBegun));
    let back = agreed(&world, &server).await;
    for url in
        ["https://evil.example/?code=1&state=1", "https://abcdef.chromiumapp.org.evil.example/?state=1", ""]
    {
        let refused = ended(&world, url, "").await.unwrap_err();
        assert_eq!(refused, SignInError::InvalidRedirect { path: "/redirectUrl" }, "{url}");
    }
    let state = back.split_once("state=").unwrap().1.to_owned();
    for query in
        ["?code=x&state=other", "?code=x", "?code=x&state=", &format!("?code=x&state={state}&state={state}")]
    {
        let url = format!("{REDIRECT}{query}");
        assert_eq!(ended(&world, &url, "").await, Err(SignInError::StateMismatch), "{query}");
    }
    assert!(world.node_calls().is_empty());
    // The attempt stands until it is answered.
    world.restart().await;
    assert!(ended(&world, &back, "").await.unwrap().signed_in);
    // The person says no.
    let back = agreed(&world, &server).await;
    let denied = back.replace("code=co%2Fde", "error=access_denied");
    assert_eq!(
        ended(&world, &denied, "").await,
        Err(SignInError::Denied { error: "access_denied".to_owned() })
    );
    assert_eq!(ended(&world, &back, "").await, Err(SignInError::NotBegun));
    // Too late, or after the browser was closed.
    let back = agreed(&world, &server).await;
    world.pass(10 * 60_000).await;
    assert_eq!(ended(&world, &back, "").await, Err(SignInError::NotBegun));
    let back = agreed(&world, &server).await;
    world.reopen().await;
    assert_eq!(ended(&world, &back, PASSWORD).await, Err(SignInError::NotBegun));
    // Pages give the address of the browser's own.
    let core = world.core();
    for redirect in ["http://abcdef.chromiumapp.org/", "https://a.example/?x", "https://a.example/#x", ""] {
        let refused = world.run(begin(&core, TOOL, record(false), redirect)).await.unwrap_err();
        assert_eq!(refused, SignInError::InvalidRedirect { path: "/redirectUri" }, "{redirect}");
    }
}

/// T002-35: the client's secret, codes and tokens go to allowed hosts only.
#[tokio::test(start_paused = true)]
async fn tokens_come_from_allowed_hosts() {
    let (world, _) = with_server(true).await;
    let hosts = json!({"allowedHosts": ["api.example"]});
    assert_eq!(world.call("PATCH", "/api/settings", hosts).await.0, 200);
    let core = world.core();
    let refused = world.run(begin(&core, TOOL, record(true), REDIRECT)).await.unwrap_err();
    assert!(
        matches!(&refused, SignInError::Toolbox(error) if error.code == "host_not_allowed"),
        "{refused:?}"
    );
    let mut plain = record(true);
    plain["impl"].as_object_mut().unwrap().remove("auth");
    let refused = world.run(begin(&core, TOOL, plain, REDIRECT)).await.unwrap_err();
    assert!(
        matches!(&refused, SignInError::Toolbox(error) if error.code == "sign_in_unsupported"),
        "{refused:?}"
    );
    assert!(
        world.node_calls().is_empty()
            && world.browser.secrets().keys().all(|name| !name.starts_with("sign-in"))
    );
}

/// A locked vault needs its password, and keeps the attempt until it is given.
#[tokio::test(start_paused = true)]
async fn a_locked_vault_needs_the_password() {
    let (world, server) = with_server(false).await;
    let back = agreed(&world, &server).await;
    world.call("POST", "/api/vaults/active/lock", Value::Null).await;
    let refused = ended(&world, &back, "").await.unwrap_err();
    assert_eq!(refused.code(), "password_required");
    assert_eq!(ended(&world, &back, "wrong").await.unwrap_err().code(), "wrong_password");
    assert!(ended(&world, &back, PASSWORD).await.unwrap().signed_in);
    assert!(matches!(filled(&world, &server_of(false)).await, Err(FillError::Locked { .. })));
    assert_eq!(world.node_calls().len(), 1);
}

/// Whatever a server answers, the wallet says its code at most, and keeps nothing.
#[tokio::test(start_paused = true)]
async fn servers_that_give_nothing() {
    let (world, server) = with_server(false).await;
    let text = |status, text: &str| Answer::Http(status, "text/html", text.to_owned());
    let denied = |error: &str| ("sign_in_denied", format!("the service refused: {error}"));
    let failed = |problem: &str| ("token_server_failed", format!("the server that gives tokens: {problem}"));
    let cases = [
        (refusal("invalid_client"), denied("invalid_client")),
        (text(200, r#"{"error":"bad_verification_code"}"#), denied("bad_verification_code")),
        (text(400, r#"{"error":"<script>"}"#), failed("an answer without a token")),
        (text(200, "{}"), failed("an answer without a token")),
        (text(200, r#"{"access_token":7}"#), failed("an answer without a token")),
        (text(200, r#"{"access_token":"a","token_type":"mac"}"#), failed("a token that is not a bearer's")),
        (text(500, "<h1>no</h1>"), failed("an answer that is not JSON")),
        (text(200, &" ".repeat(70_000)), failed("no answer")),
        (Answer::Down, failed("no answer")),
        (Answer::Silent, failed("no answer")),
    ];
    for (answer, (code, message)) in cases {
        server.borrow_mut().instead = Some(answer.clone());
        let back = agreed(&world, &server).await;
        let error = ended(&world, &back, "").await.unwrap_err();
        assert_eq!((error.code(), error.to_string()), (code, message), "{answer:?}");
        assert!(!signed_in(&world).await);
    }
}

/// A token that is over is refreshed once, however many calls wait for it; a rotated refresh token replaces the other.
#[tokio::test(start_paused = true)]
async fn tokens_are_refreshed_once() {
    for (secret, rotates) in [(false, true), (true, true), (true, false)] {
        let (world, server) = with_server(secret).await;
        server.borrow_mut().rotates = rotates;
        sign_in(&world, &server).await;
        let oauth = server_of(secret);
        for round in 1..4 {
            world.pass(HOUR).await;
            world.unlock(PASSWORD).await;
            let calls = tokio::join!(filled(&world, &oauth), filled(&world, &oauth), filled(&world, &oauth));
            let tokens = [calls.0, calls.1, calls.2].map(|filled| bearer(&filled.unwrap()));
            let expected = format!("Bearer access-{}", round + 1);
            assert!(tokens.iter().all(|token| *token == expected), "{tokens:?}");
            assert_eq!(server.borrow().refreshed, round);
        }
        assert_hidden(&world).await;
        let core = world.core();
        assert_eq!(world.run(state(&core, TOOL)).await.unwrap().scopes, ["read", "write"]);
    }
}

/// A server whose tokens are good for less than the leeway is asked once for each call, and not without end.
#[tokio::test(start_paused = true)]
async fn short_lived_tokens_are_refreshed_once_for_each_call() {
    let (world, server) = with_server(false).await;
    sign_in(&world, &server).await;
    world.pass(HOUR).await;
    world.unlock(PASSWORD).await;
    let short = json!({"access_token": "access-short", "token_type": "bearer", "expires_in": 5});
    server.borrow_mut().instead = Some(Answer::json(&short));
    let before = world.node_calls().len();
    for calls in 1..4 {
        assert_eq!(bearer(&filled(&world, &server_of(false)).await.unwrap()), "Bearer access-short");
        assert_eq!(world.node_calls().len() - before, calls);
    }
}

/// A host that does not take a token (401) gets another one, once for all calls that it refused.
#[tokio::test(start_paused = true)]
async fn a_refused_token_is_refreshed() {
    let (world, server) = with_server(false).await;
    sign_in(&world, &server).await;
    let oauth = server_of(false);
    let (one, two) = (filled(&world, &oauth).await.unwrap(), filled(&world, &oauth).await.unwrap());
    assert_eq!(bearer(&one), "Bearer access-1");
    let (first, second) =
        tokio::join!(filled_again(&world, &oauth, &one), filled_again(&world, &oauth, &two));
    assert_eq!(
        (first.unwrap(), second.unwrap()),
        ("Bearer access-2".to_owned(), "Bearer access-2".to_owned())
    );
    assert_eq!(server.borrow().refreshed, 1);
    let plain = RequestPieces { url: request().url, ..RequestPieces::default() };
    let (core, tool) = (world.core(), ForTool { call_id: None, tool_id: TOOL, server: None });
    let filled = world.run(fill(&core, tool, plain.clone())).await.unwrap();
    assert!(world.run(refill(&core, tool, plain, &filled)).await.unwrap().is_none());
}

/// Without a refresh token, or with one that the server took back, the user signs in again; a server that is away is waited for.
#[tokio::test(start_paused = true)]
async fn tokens_that_cannot_be_refreshed() {
    let (world, server) = with_server(false).await;
    server.borrow_mut().refreshes = false;
    sign_in(&world, &server).await;
    world.pass(HOUR).await;
    world.unlock(PASSWORD).await;
    let oauth = server_of(false);
    assert_eq!(filled(&world, &oauth).await.unwrap_err(), FillError::TokensMissing);
    server.borrow_mut().refreshes = true;
    sign_in(&world, &server).await;
    world.pass(HOUR).await;
    world.unlock(PASSWORD).await;
    server.borrow_mut().instead = Some(Answer::Down);
    let away = filled(&world, &oauth).await.unwrap_err();
    assert_eq!(away.failure().to_string(), "token_server_failed: the server that gives tokens: no answer");
    assert!(signed_in(&world).await);
    server.borrow_mut().instead = None;
    assert_eq!(bearer(&filled(&world, &oauth).await.unwrap()), "Bearer access-3");
    // The person takes the permission back at the server.
    server.borrow_mut().refresh = "another".to_owned();
    world.pass(HOUR).await;
    world.unlock(PASSWORD).await;
    assert_eq!(filled(&world, &oauth).await.unwrap_err(), FillError::TokensMissing);
    assert!(!signed_in(&world).await);
}

/// A worker dies at any moment of a refresh: afterwards the tool has the server's last token, or says that it is signed out.
/// A server that keeps its refresh tokens loses nothing; one that rotates them can be left with one that never arrived.
#[tokio::test(start_paused = true)]
async fn a_worker_that_dies_while_refreshing() {
    for rotates in [false, true] {
        let (mut signed_out, mut kept) = (0, 0);
        for steps in 0..30 {
            let (world, server) = with_server(false).await;
            server.borrow_mut().rotates = rotates;
            sign_in(&world, &server).await;
            world.pass(HOUR).await;
            world.unlock(PASSWORD).await;
            let oauth = server_of(false);
            let core = world.core();
            let tool = ForTool { call_id: None, tool_id: TOOL, server: Some(&oauth) };
            world
                .run(async {
                    tokio::select! {
                        biased;
                        filled = fill(&core, tool, request()) => drop(filled),
                        () = yields(steps) => {}
                    }
                })
                .await;
            drop(core);
            world.restart().await;
            match filled(&world, &oauth).await {
                Ok(filled) => {
                    kept += 1;
                    let last = format!("Bearer access-{}", server.borrow().given);
                    assert_eq!(bearer(&filled), last, "{rotates} {steps}");
                }
                Err(error) => {
                    signed_out += 1;
                    assert_eq!(error, FillError::TokensMissing, "{rotates} {steps}");
                    assert!(!signed_in(&world).await);
                    sign_in(&world, &server).await;
                    assert!(filled(&world, &oauth).await.is_ok());
                }
            }
            assert_hidden(&world).await;
        }
        assert_eq!(signed_out > 0, rotates, "{signed_out} of 30");
        assert!(kept > signed_out, "{kept} of 30");
    }
}

async fn yields(count: usize) {
    for _ in 0..count {
        tokio::task::yield_now().await;
    }
}

/// T002-79, T002-52: the same by the routes, for a stored tool; its tokens go with it.
#[tokio::test(start_paused = true)]
async fn signing_in_by_the_routes() {
    let (world, server) = with_server(false).await;
    assert_eq!(world.call("PUT", &bundle_path(BUNDLE), bundle_body()).await.0, 201);
    let (status, tool) =
        world.call("PUT", &tool_path("me"), tool_body(json!({"impl": record(false)["impl"]}))).await;
    assert_eq!(status, 201, "{tool}");
    let target = |verb: &str| format!("/api/oauth/{}{verb}", tool["id"].as_str().unwrap());
    let signed_out = json!({"signedIn": false, "expiresAt": null, "scopes": []});
    assert_eq!(world.get(&target("")).await, signed_out);
    let (status, begun) = world.call("POST", &target("/begin"), json!({"redirectUri": REDIRECT})).await;
    assert_eq!(status, 200, "{begun}");
    let url = url::Url::parse(begun["authorizationUrl"].as_str().unwrap()).unwrap();
    let sent: BTreeMap<String, String> = url.query_pairs().into_owned().collect();
    server.borrow_mut().codes.insert("c".to_owned(), sent["code_challenge"].clone());
    let back = json!({"redirectUrl": format!("{REDIRECT}?code=c&state={}", sent["state"])});
    let (status, state) = world.call("POST", &target("/finish"), back.clone()).await;
    assert_eq!(
        (status, &state["signedIn"], &state["scopes"]),
        (200, &json!(true), &json!(["read", "write"]))
    );
    assert_eq!(world.get(&target("")).await, state);
    let (status, again) = world.call("POST", &target("/finish"), back.clone()).await;
    assert_eq!((status, &again["error"]["code"]), (409, &json!("sign_in_not_begun")));
    assert_hidden(&world).await;
    let reply = world.reply("DELETE", &target(""), "").await;
    assert_eq!((reply.status, reply.body.as_str()), (204, ""));
    assert_eq!(world.get(&target("")).await, signed_out);
    // Refusals have their status.
    let other = "/api/oauth/019a0000-0000-7000-8000-00000000ffff/begin";
    let (status, unknown) = world.call("POST", other, json!({"redirectUri": REDIRECT})).await;
    assert_eq!((status, &unknown["error"]["code"]), (404, &json!("tool_not_found")));
    for (verb, body, status) in [
        ("/begin", json!({}), 400),
        ("/begin", json!({"redirectUri": "http://a.example/"}), 400),
        ("/begin", json!({"redirectUri": REDIRECT, "more": 1}), 400),
        ("/finish", json!({"redirectUrl": 7}), 400),
        ("/finish", back, 409),
    ] {
        assert_eq!(world.call("POST", &target(verb), body.clone()).await.0, status, "{verb} {body}");
    }
    assert_eq!(world.call("GET", &target("/begin"), Value::Null).await.0, 405);
    // A tool that is deleted leaves no tokens.
    world.call("POST", &target("/begin"), json!({"redirectUri": REDIRECT})).await;
    let row = json!({"sealed": "s", "expiresAt": null, "refreshable": false, "scopes": [], "updatedAt": 1});
    let key = format!("tokens/vault/{}", tool["id"].as_str().unwrap());
    world.write(Table::Secrets, &key, &row.to_string()).await;
    assert_eq!(world.call("DELETE", &tool_path("me"), Value::Null).await.0, 204);
    assert!(world.table(Table::Secrets).await.is_empty());
}

/// Tokens go with their vault, and are another vault's never.
#[tokio::test(start_paused = true)]
async fn tokens_belong_to_a_vault() {
    let (world, server) = with_server(false).await;
    sign_in(&world, &server).await;
    let row = world.table(Table::Secrets).await.remove(0);
    // Moved to another tool they do not open.
    let moved = row.key.replace("aaaa", "bbbb");
    world.write(Table::Secrets, &moved, &row.text).await;
    let core = world.core();
    let tool = ForTool { call_id: None, tool_id: "019a0000-0000-7000-8000-00000000bbbb", server: None };
    let error = world.run(fill(&core, tool, request())).await.unwrap_err();
    assert_eq!(error.failure().code(), "tokens_unreadable");
    assert_eq!(world.call("DELETE", "/api/vaults/active", json!({"password": PASSWORD})).await.0, 200);
    assert!(world.table(Table::Secrets).await.is_empty());
}
