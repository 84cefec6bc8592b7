//! Credentials of tools over the browser's `fetch`: tokens, keys, signatures, and a real OAuth 2 server.

use crate::world::tools::{ToolWorld, picture};
use crate::world::vault::PASSWORD;
use nodes::tools::{Answer, credentials};
use nodes::{Oidc, OidcOptions};
use serde_json::{Value, json};
use webdriver::HttpTool;

/// T002-79: every way to prove oneself is accepted by a server that checks it; a secret that is not there sends nothing.
#[tokio::test]
async fn credentials_are_sent() {
    let it = ToolWorld::start().await;
    for (name, value) in [
        ("TOKEN", credentials::TOKEN),
        ("API_PASSWORD", credentials::PASSWORD),
        ("API_KEY", credentials::API_KEY),
        ("HMAC_KEY", credentials::HMAC_KEY),
    ] {
        it.popup.put_secret(name, value, None).await.unwrap();
    }
    let hmac = |algorithm: &str, encoding: &str| {
        json!({"type": "hmac", "algorithm": algorithm, "key": "${HMAC_KEY}", "header": "X-Signature", "encoding": encoding,
            "timestampHeader": "X-Timestamp", "message": "${method}\n${path}\n${timestamp}\n${body}"})
    };
    let ways: [(&str, &str, Value); 6] = [
        ("bearer", "/bearer", json!({"type": "bearer", "token": "${TOKEN}"})),
        (
            "basic",
            "/basic",
            json!({"type": "basic", "username": credentials::USER, "password": "${API_PASSWORD}"}),
        ),
        (
            "key-header",
            "/key",
            json!({"type": "apiKey", "in": "header", "name": "X-Api-Key", "value": "${API_KEY}"}),
        ),
        (
            "key-query",
            "/key",
            json!({"type": "apiKey", "in": "query", "name": "api_key", "value": "${API_KEY}"}),
        ),
        ("hmac-hex", "/hmac/sha256/hex?from=here", hmac("sha256", "hex")),
        ("hmac-base64", "/hmac/sha512/base64", hmac("sha512", "base64")),
    ];
    for (slug, path, auth) in ways {
        let tool = HttpTool::post(slug, &it.server.url(path), r#"{"text":"${text}"}"#)
            .argument("text", json!({"type": "string"}))
            .with("auth", auth);
        it.put(&tool).await;
        let value = it.value(&tool, json!({"text": "grüß dich"})).await;
        assert!(value.is_ok(), "{slug}: {value:?}");
    }
    let missing = HttpTool::get("missing", &it.server.url("/bearer"))
        .with("auth", json!({"type": "bearer", "token": "${NOT_SAVED}"}));
    it.put(&missing).await;
    let before = it.server.requests().len();
    assert_eq!((it.code(&missing).await.as_str(), it.server.requests().len()), ("secret_missing", before));
}

/// T002-79: a tool is logged in at a real server from its row on the Tools page, called with its token, which is refreshed once
/// when the server no longer takes it and when it is over, and is logged out.
#[tokio::test]
async fn tool_signs_in() {
    let it = ToolWorld::start().await;
    let redirect = format!("https://{}.chromiumapp.org/", it.browser.extension_id());
    let options = OidcOptions { auto_consent: false, ..OidcOptions::new(redirect) };
    let oidc = Oidc::start(&options).await.unwrap();
    it.server.trust(&oidc);
    let tool = HttpTool::get("get-mine", &it.server.url("/oauth")).with("extractExpr", "$.secret").with(
        "auth",
        json!({"type": "oauth2", "authorizationUrl": oidc.authorization_url(), "tokenUrl": oidc.token_url(),
            "clientId": Oidc::CLIENT_ID, "scopes": ["openid", "offline_access", "weather.read"]}),
    );
    it.put(&tool).await;
    // Neither are there tokens, nor may the wallet ask for them.
    assert_eq!(it.code(&tool).await, "host_not_allowed");

    let page = it.browser.open(&it.browser.extension_url("tools.html")).await.unwrap();
    page.click("tool-open").await.unwrap();
    page.says("oauth-state", "Not logged in").await.unwrap();
    page.click("oauth-connect").await.unwrap();
    // The host of the tokens is not allowed yet.
    page.confirm_with_password(PASSWORD).await.unwrap();
    // The user says no at the server, and then yes.
    let consent = it.browser.page_at(oidc.url()).await.unwrap();
    consent.click("oidc-deny").await.unwrap();
    page.element("gate-error").await.unwrap();
    assert_eq!(it.code(&tool).await, "tokens_missing");
    page.click("gate-submit").await.unwrap();
    let consent = it.browser.page_at(oidc.url()).await.unwrap();
    consent.click("oidc-allow").await.unwrap();
    page.says("oauth-state", "Logged in").await.unwrap();
    picture(&page, "signed-in").await;
    assert_eq!(it.value(&tool, json!({})).await, Ok(json!("for you")));
    assert_eq!((oidc.refreshes().await.unwrap(), it.server.count("/oauth")), (0, 1));

    // From here on tokens are over as soon as they are given out.
    oidc.set_access_token_seconds(5).await.unwrap();
    it.server.next(1, "/oauth", Answer::empty(401));
    assert_eq!(it.value(&tool, json!({})).await, Ok(json!("for you")));
    assert_eq!((oidc.refreshes().await.unwrap(), it.server.count("/oauth")), (1, 3));
    assert_eq!(it.value(&tool, json!({})).await, Ok(json!("for you")));
    assert_eq!((oidc.refreshes().await.unwrap(), it.server.count("/oauth")), (2, 4));

    page.click("oauth-disconnect").await.unwrap();
    page.says("oauth-state", "Not logged in").await.unwrap();
    assert_eq!((it.code(&tool).await.as_str(), it.server.count("/oauth")), ("tokens_missing", 4));
}
