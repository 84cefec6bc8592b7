//! The authorization server: code with PKCE, refresh with rotation, and a resource that accepts its tokens.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

#[allow(dead_code, reason = "other tests use the rest")]
mod client;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use client::exchange;
use nodes::oidc::Exchange;
use nodes::{Oidc, OidcOptions, Proxy, ToolServer, When};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::collections::BTreeMap;
use std::time::Duration;
use url::Url;

/// Where an extension is sent back to.
const REDIRECT: &str = "https://abcdefghijklmnopabcdefghijklmnop.chromiumapp.org/oauth";
const VERIFIER: &str = "a-verifier-of-at-least-forty-three-characters-0123456789";

fn form(fields: &[(&str, &str)]) -> String {
    url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish()
}

fn authorization(oidc: &Oidc, redirect: &str) -> String {
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER));
    let query = form(&[
        ("response_type", "code"),
        ("client_id", Oidc::CLIENT_ID),
        ("redirect_uri", redirect),
        ("scope", "weather.read"),
        ("state", "a state"),
        ("code_challenge", &challenge),
        ("code_challenge_method", "S256"),
    ]);
    format!("{}?{query}", oidc.authorization_url())
}

fn fields(url: &str) -> BTreeMap<String, String> {
    Url::parse(url).unwrap().query_pairs().into_owned().collect()
}

/// A form sent to the token endpoint as the extension sends it.
async fn token(url: &str, headers: &str, fields: &[(&str, &str)]) -> Option<(u16, Value)> {
    let (host, path) = (url.strip_suffix("/token").unwrap(), "/token");
    let headers = format!(
        "{headers}origin: chrome-extension://x\r\ncontent-type: application/x-www-form-urlencoded\r\n"
    );
    let (head, body) = exchange(host, "POST", path, &headers, &form(fields)).await?;
    Some((head.split(' ').nth(1)?.parse().ok()?, serde_json::from_slice(&body).ok()?))
}

async fn redeem(oidc: &Oidc, code: &str, verifier: &str) -> (u16, Value) {
    let fields = [
        ("grant_type", "authorization_code"),
        ("client_id", Oidc::CLIENT_ID),
        ("redirect_uri", REDIRECT),
        ("code", code),
        ("code_verifier", verifier),
    ];
    token(&oidc.token_url(), "", &fields).await.unwrap()
}

async fn refresh(url: &str, tokens: &Value) -> Option<(u16, Value)> {
    let refresh_token = tokens["refresh_token"].as_str().unwrap();
    let fields =
        [("grant_type", "refresh_token"), ("client_id", Oidc::CLIENT_ID), ("refresh_token", refresh_token)];
    token(url, "", &fields).await
}

async fn sign_in(oidc: &Oidc) -> Value {
    let sent_to = oidc.visit(&authorization(oidc, REDIRECT), true).await.unwrap();
    assert!(sent_to.starts_with(REDIRECT), "{sent_to}");
    let fields = fields(&sent_to);
    assert_eq!(fields["state"], "a state");
    let (status, tokens) = redeem(oidc, &fields["code"], VERIFIER).await;
    assert_eq!(status, 200, "{tokens}");
    tokens
}

/// The status of the protected path for the access token.
async fn ask(server: &ToolServer, tokens: &Value) -> u16 {
    let header = format!("Authorization: Bearer {}\r\n", tokens["access_token"].as_str().unwrap());
    let url = format!("http://{}", server.host());
    let (head, _) = exchange(&url, "GET", "/oauth", &header, "").await.unwrap();
    head.split(' ').nth(1).unwrap().parse().unwrap()
}

/// The whole flow: a code, tokens, an expiry, a refresh that replaces the refresh token, and the end of the grant when
/// the replaced one is used again.
#[tokio::test]
async fn code_and_refresh() {
    let options = OidcOptions { access_token_seconds: 2, ..OidcOptions::new(REDIRECT) };
    let (oidc, server) = tokio::join!(Oidc::start(&options), ToolServer::start());
    let (oidc, server) = (oidc.unwrap(), server.unwrap());
    let tokens = sign_in(&oidc).await;
    assert_eq!((&tokens["token_type"], &tokens["expires_in"]), (&json!("Bearer"), &json!(2)));
    assert_eq!(ask(&server, &tokens).await, 500, "no server is trusted yet");
    server.trust(&oidc);
    assert_eq!(ask(&server, &tokens).await, 200);
    tokio::time::sleep(Duration::from_secs(3)).await;
    assert_eq!(ask(&server, &tokens).await, 401);

    oidc.set_access_token_seconds(300).await.unwrap();
    let (status, second) = refresh(&oidc.token_url(), &tokens).await.unwrap();
    assert_eq!((status, &second["expires_in"]), (200, &json!(300)), "{second}");
    assert_ne!(second["refresh_token"], tokens["refresh_token"]);
    assert_eq!(ask(&server, &second).await, 200);

    let (status, refused) = refresh(&oidc.token_url(), &tokens).await.unwrap();
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")));
    assert_eq!(ask(&server, &second).await, 401, "the whole grant has ended");
    let of = |grant_type: &str, error: Option<&str>| Exchange {
        grant_type: Some(grant_type.to_owned()),
        error: error.map(str::to_owned),
    };
    assert_eq!(
        oidc.exchanges().await.unwrap(),
        [
            of("authorization_code", None),
            of("refresh_token", None),
            of("refresh_token", Some("invalid_grant"))
        ]
    );
    assert_eq!(oidc.refreshes().await.unwrap(), 1);
}

#[tokio::test]
async fn consent_by_hand_and_refusals() {
    let oidc = Oidc::start(&OidcOptions { auto_consent: false, ..OidcOptions::new(REDIRECT) }).await.unwrap();
    let denied = oidc.visit(&authorization(&oidc, REDIRECT), false).await.unwrap();
    assert_eq!(fields(&denied)["error"], "access_denied");
    let allowed = fields(&oidc.visit(&authorization(&oidc, REDIRECT), true).await.unwrap());
    let (status, refused) = redeem(&oidc, &allowed["code"], &VERIFIER.replace('a', "b")).await;
    assert_eq!((status, &refused["error"]), (400, &json!("invalid_grant")), "the verifier is another one");
    let elsewhere = authorization(&oidc, "https://elsewhere.example/");
    assert_eq!(oidc.visit(&elsewhere, true).await.unwrap_err().code(), "refused");
    let without_pkce = authorization(&oidc, REDIRECT).split("&code_challenge").next().unwrap().to_owned();
    assert_eq!(fields(&oidc.visit(&without_pkce, true).await.unwrap())["error"], "invalid_request");
}

#[tokio::test]
async fn revoked_grant() {
    let (oidc, server) =
        tokio::join!(async { Oidc::start(&OidcOptions::new(REDIRECT)).await.unwrap() }, async {
            ToolServer::start().await.unwrap()
        });
    server.trust(&oidc);
    let tokens = sign_in(&oidc).await;
    assert_eq!(ask(&server, &tokens).await, 200);
    oidc.revoke().await.unwrap();
    assert_eq!(ask(&server, &tokens).await, 401);
    assert_eq!(refresh(&oidc.token_url(), &tokens).await.unwrap().1["error"], "invalid_grant");
}

/// A client with a secret must give it, in either place.
#[tokio::test]
async fn client_with_a_secret() {
    let options = OidcOptions { has_secret: true, ..OidcOptions::new(REDIRECT) };
    let oidc = Oidc::start(&options).await.unwrap();
    let redeem = async |headers: &str, more: &[(&str, &str)]| {
        let code = fields(&oidc.visit(&authorization(&oidc, REDIRECT), true).await.unwrap())["code"].clone();
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("redirect_uri", REDIRECT),
            ("code", &code),
            ("code_verifier", VERIFIER),
        ];
        fields.extend(more);
        token(&oidc.token_url(), headers, &fields).await.unwrap().0
    };
    let encoded: String = url::form_urlencoded::byte_serialize(Oidc::CLIENT_SECRET.as_bytes()).collect();
    let basic = STANDARD.encode(format!("{}:{encoded}", Oidc::CLIENT_ID));
    let id = ("client_id", Oidc::CLIENT_ID);
    assert_eq!(redeem(&format!("authorization: Basic {basic}\r\n"), &[]).await, 200);
    assert_eq!(redeem("", &[id, ("client_secret", Oidc::CLIENT_SECRET)]).await, 200);
    assert_eq!(redeem("", &[id, ("client_secret", "another")]).await, 401);
    assert_eq!(redeem("", &[id]).await, 401);
}

/// A proxy holds a refresh at the token endpoint. A lost answer is a used refresh token.
#[tokio::test]
async fn refresh_behind_a_proxy() {
    let oidc = Oidc::start(&OidcOptions::new(REDIRECT)).await.unwrap();
    let proxy = Proxy::start(oidc.url()).await.unwrap();
    let tokens = sign_in(&oidc).await;
    let mut held = proxy.hold("/token", When::After);
    let sent = tokio::spawn({
        let (url, tokens) = (format!("{}/token", proxy.url()), tokens.clone());
        async move { refresh(&url, &tokens).await }
    });
    held.wait_arrived().await.unwrap();
    held.drop_connection();
    assert_eq!(sent.await.unwrap(), None);
    assert_eq!(oidc.refreshes().await.unwrap(), 1);
    assert_eq!(refresh(&oidc.token_url(), &tokens).await.unwrap().0, 400);
}
