//! Servers that lie, and servers in between.

use super::services::*;
use countersign_tests::world::*;
use runtime::mcp::oauth::{AuthError, NotRegistered};
use runtime::secrets::SignInError;
use serde_json::json;

/// `auth/resource-mismatch`: metadata about another server lead nowhere.
#[tokio::test(start_paused = true)]
async fn metadata_of_another_resource() {
    for name in
        ["https://evil.example/mcp", "https://mcp.example/mcp/deeper", "https://mcp.example/mc", "mcp"]
    {
        let fixture = Fixture::new(json!({})).await;
        fixture.put(RESOURCE, &resource(name, &[AUTH]));
        assert_eq!(fixture.begin().await, Err(AuthError::WrongResource), "{name}");
        assert_eq!(fixture.asked_for(), [RESOURCE]);
        assert_eq!(fixture.posts(), 0);
    }
}

/// `auth/metadata-issuer-mismatch`: what says that it is of another issuer is not used, and nothing else in its place.
#[tokio::test(start_paused = true)]
async fn metadata_of_another_issuer() {
    for issuer in ["https://attacker.example", "https://auth.example/", "https://auth.example:443", ""] {
        let fixture = Fixture::new(json!({"issuer": issuer})).await;
        fixture.put("https://auth.example/.well-known/openid-configuration", &metadata(AUTH, json!({})));
        assert_eq!(fixture.begin().await, Err(AuthError::WrongIssuer), "{issuer}");
        assert_eq!(fixture.asked_for(), [RESOURCE, AUTH_METADATA]);
        assert_eq!(fixture.posts(), 0);
    }
    // Another that the server names may be honest.
    let fixture = Fixture::new(json!({"issuer": "https://attacker.example"})).await;
    fixture.put(RESOURCE, &resource(MCP, &[AUTH, OTHER]));
    fixture.put(OTHER_METADATA, &metadata(OTHER, json!({})));
    fixture.auth(OTHER);
    assert_eq!(fixture.begin().await.unwrap().issuer, OTHER);
}

/// A challenge that names metadata on another host, or none at all, does not change where they are asked for.
#[tokio::test(start_paused = true)]
async fn metadata_on_another_host() {
    for hint in [
        "https://evil.example/metadata",
        "https://mcp.example:8443/metadata",
        "http://127.0.0.1:8080/admin",
        "javascript:alert(1)",
        "https://mcp.example@evil.example/",
        "",
    ] {
        let fixture = Fixture::new(json!({})).await;
        fixture.challenge(401, &format!("Bearer resource_metadata=\"{hint}\""), false).await;
        fixture.sign_in().await;
        assert_eq!(fixture.asked_for(), [RESOURCE, AUTH_METADATA], "{hint}");
    }
}

/// Addresses that are no place for a code, a page or a secret: plain http, this machine, scripts.
#[tokio::test(start_paused = true)]
async fn endpoints_elsewhere() {
    for url in [
        "javascript:alert(1)//",
        "http://auth.example/x",
        "http://localhost:9/x",
        "https://169.254.169.254/x",
        "https://user:pw@auth.example/x",
        "file:///x",
    ] {
        for name in ["authorization_endpoint", "token_endpoint", "registration_endpoint"] {
            let fixture = Fixture::new(json!({name: url})).await;
            let refused = fixture.begin().await;
            assert!(matches!(refused, Err(AuthError::AddressRefused { .. })), "{name} {url} {refused:?}");
            assert_eq!(fixture.posts(), 0);
        }
        let fixture = Fixture::empty().await;
        fixture.put(RESOURCE, &resource(MCP, &[url]));
        let refused = AuthError::AddressRefused { what: "the authorization server" };
        assert_eq!(fixture.begin().await, Err(refused), "{url}");
        assert_eq!(fixture.asked_for(), [RESOURCE]);
    }
    let mut fixture = Fixture::empty().await;
    fixture.server.url = "http://mcp.example/mcp".to_owned();
    assert_eq!(fixture.begin().await, Err(AuthError::AddressRefused { what: "the server" }));
    // On this machine all of it may be plain.
    let local = "http://localhost:3001";
    fixture.server.url = "http://127.0.0.1:3000/mcp".to_owned();
    fixture.put(
        "http://127.0.0.1:3000/.well-known/oauth-protected-resource/mcp",
        &resource("http://127.0.0.1:3000/mcp", &[local]),
    );
    fixture.put("http://localhost:3001/.well-known/oauth-authorization-server", &metadata(local, json!({})));
    fixture.auth(local);
    fixture.sign_in().await;
}

/// PKCE is not given up: a server that does not say that it knows `S256` is refused, unless its revision did not ask for it.
#[tokio::test(start_paused = true)]
async fn downgrades_of_pkce() {
    let refused = Err(AuthError::NotSupported { what: "PKCE with S256" });
    for (methods, version, is_refused) in [
        (json!(null), None, true),
        (json!(null), Some("2025-11-25"), true),
        (json!(null), Some("2026-07-28"), true),
        (json!(null), Some("2025-06-18"), false),
        (json!(["plain"]), Some("2025-06-18"), true),
        (json!([]), None, true),
    ] {
        let mut fixture = Fixture::new(json!({"code_challenge_methods_supported": methods})).await;
        fixture.server.protocol_version = version.map(str::to_owned);
        let begun = fixture.begin().await;
        assert_eq!(begun == refused, is_refused, "{methods} {version:?} {begun:?}");
    }
}

/// Documents without an end, hosts without an answer, redirects and pages in place of documents.
#[tokio::test(start_paused = true)]
async fn answers_that_are_no_documents() {
    let unreachable = |origin: &str| Err(AuthError::Unreachable { origin: origin.to_owned() });
    let none = |origin: &str| Err(AuthError::NoMetadata { origin: origin.to_owned() });
    let endless = Answer::Drip((0..400).map(|_| (1, " ".repeat(1024))).collect());
    let page = Answer::Http(200, "text/html", "<h1>sign in</h1>".to_owned());
    let openid = "https://auth.example/.well-known/openid-configuration";
    for (answer, is_silent) in [
        (endless, true),
        (Answer::Silent, true),
        (Answer::Down, true),
        (Answer::status(500), true),
        (Answer::Redirect, false),
        (page, false),
        (Answer::json(&json!([1])), false),
    ] {
        let fixture = Fixture::new(json!({})).await;
        fixture.answer(AUTH_METADATA, answer.clone());
        fixture.answer(openid, answer.clone());
        let began = fixture.world.browser.now();
        let expected = if is_silent { unreachable(AUTH) } else { none(AUTH) };
        assert_eq!(fixture.begin().await, expected, "{answer:?}");
        assert!(fixture.world.browser.now() - began <= 60_000);
        // The other place will do.
        fixture.put(openid, &metadata(AUTH, json!({})));
        assert!(fixture.begin().await.is_ok(), "{answer:?}");
        assert!(fixture.world.work().await.as_array().unwrap().is_empty());
    }
    // All together have an end, too.
    let fixture = Fixture::empty().await;
    let issuers: Vec<String> = (0..50).map(|number| format!("https://a{number}.example/t")).collect();
    let names: Vec<&str> = issuers.iter().map(String::as_str).collect();
    fixture.put(RESOURCE, &resource(MCP, &names));
    for issuer in &issuers {
        let host = issuer.strip_suffix("/t").unwrap();
        for place in [
            format!("{host}/.well-known/oauth-authorization-server/t"),
            format!("{host}/.well-known/openid-configuration/t"),
            format!("{host}/t/.well-known/openid-configuration"),
        ] {
            fixture.answer(&place, Answer::Silent);
        }
    }
    let began = fixture.world.browser.now();
    assert_eq!(fixture.begin().await, unreachable("https://a0.example"));
    assert!(fixture.world.browser.now() - began <= 60_001);
    assert!(fixture.asked_for().len() <= 10, "{:?}", fixture.asked_for());
}

/// Registrations that give nothing of use.
#[tokio::test(start_paused = true)]
async fn registrations_that_fail() {
    let methods = json!({"token_endpoint_auth_methods_supported": ["client_secret_basic"]});
    for (answer, problem) in [
        (
            json!({"error": "invalid_redirect_uri"}),
            NotRegistered::Refused(Some("invalid_redirect_uri".to_owned())),
        ),
        (json!({"error": "<script>"}), NotRegistered::Refused(None)),
        (json!({"client_id": ""}), NotRegistered::NoClientId),
        (json!({"client_id": 7, "client_secret": "s3cret"}), NotRegistered::NoClientId),
        (json!({}), NotRegistered::NoSecret),
        (
            json!({"client_secret": "s3cret", "token_endpoint_auth_method": "private_key_jwt"}),
            NotRegistered::UnknownProof,
        ),
        (json!({"client_secret": "s3cret", "client_secret_expires_at": 1}), NotRegistered::SecretOver),
    ] {
        let fixture = Fixture::new(methods.clone()).await;
        fixture.auth(AUTH).registers = answer;
        let refused = fixture.begin().await;
        assert_eq!(refused, Err(AuthError::NotRegistered(problem)));
        fixture.assert_hidden(&["s3cret"]).await;
    }
    // A secret that is over is asked for again.
    let fixture = Fixture::new(methods).await;
    let expires_at = fixture.world.browser.now() / 1000 + 7200;
    let answer = json!({"client_secret": "s3cret", "client_secret_expires_at": expires_at});
    fixture.auth(AUTH).registers = answer;
    fixture.sign_in().await;
    fixture.sign_in().await;
    assert_eq!(fixture.auth(AUTH).registrations.len(), 1);
    fixture.world.pass(7_200_000).await;
    fixture.world.unlock(PASSWORD).await;
    fixture.auth(AUTH).registers = json!({"client_secret": "s3cret"});
    fixture.sign_in().await;
    assert_eq!(fixture.auth(AUTH).registrations.len(), 2);
}

/// What the token endpoint gives is a bearer's token or nothing; its words are not repeated.
#[tokio::test(start_paused = true)]
async fn tokens_that_are_none() {
    let text = |text: &str| Answer::Http(200, "application/json", text.to_owned());
    for answer in [
        text(r#"{"access_token":"stolen","token_type":"DPoP"}"#),
        text(r#"{"access_token":"stolen","token_type":"mac"}"#),
        text(r#"{"token_type":"Bearer"}"#),
        text(&format!(r#"{{"access_token":"stolen","pad":"{}"}}"#, "x".repeat(100_000))),
        refusal("invalid_grant"),
        Answer::Redirect,
        Answer::Silent,
    ] {
        let fixture = Fixture::new(json!({})).await;
        fixture.auth(AUTH).instead = Some(answer.clone());
        let query = fixture.agree(&fixture.begin().await.unwrap());
        let refused = fixture.back(&query, "").await.unwrap_err();
        assert!(!format!("{refused:?} {refused}").contains("not shown"), "{refused:?}");
        assert!(!fixture.state().await.signed_in, "{answer:?}");
        fixture.assert_hidden(&["stolen"]).await;
    }
    // A client that is not known is forgotten, and registered again.
    let fixture = Fixture::new(json!({})).await;
    fixture.auth(AUTH).instead = Some(refusal("invalid_client"));
    let query = fixture.agree(&fixture.begin().await.unwrap());
    let denied = SignInError::Denied { error: "invalid_client".to_owned() };
    assert_eq!(fixture.back(&query, "").await, Err(denied.into()));
    fixture.auth(AUTH).instead = None;
    assert_eq!(fixture.sign_in().await["client_id"], "client-2");
}

/// A mix-up: the answer of one server's attempt, or of an earlier one, ends no other.
#[tokio::test(start_paused = true)]
async fn answers_to_other_attempts() {
    let fixture = Fixture::new(json!({})).await;
    let first = fixture.agree(&fixture.begin().await.unwrap());
    let second = fixture.agree(&fixture.begin().await.unwrap());
    assert_ne!((&first["state"], &first["code_challenge"]), (&second["state"], &second["code_challenge"]));
    assert_eq!(fixture.back(&first, "").await, Err(SignInError::StateMismatch.into()));
    for url in ["https://evil.example/?code=1&state=1", "https://abcdef.chromiumapp.org.evil.example/?code=1"]
    {
        let refused = fixture.finish(url, "").await;
        assert_eq!(refused, Err(SignInError::InvalidRedirect { path: "/redirectUrl" }.into()));
    }
    assert!(fixture.auth(AUTH).exchanges.is_empty());
    // The code of another server is of no use, since its verifier is another.
    fixture.put(OTHER_METADATA, &metadata(OTHER, json!({})));
    fixture.auth(OTHER);
    fixture.put(RESOURCE, &resource(MCP, &[OTHER]));
    let moved = fixture.agree(&fixture.begin().await.unwrap());
    assert_eq!(fixture.back(&second, "").await, Err(SignInError::StateMismatch.into()));
    assert_eq!(fixture.back(&moved, &format!("&iss={AUTH}")).await, Err(SignInError::WrongIssuer.into()));
    assert!(fixture.auth(AUTH).exchanges.is_empty() && fixture.auth(OTHER).exchanges.is_empty());
}
