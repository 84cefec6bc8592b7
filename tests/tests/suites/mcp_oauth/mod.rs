//! Signing in to MCP servers: what each revision of the protocol asks of a client, against authorization servers in memory.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test fails by panicking"
)]

mod client;
mod hostile;
mod services;

use countersign_tests::world::*;
use runtime::mcp::oauth::{AuthError, Next, ServerAuth, authorize};
use runtime::secrets::{FillError, SignInError};
use serde_json::{Value, json};
use services::*;

const HOUR: u64 = 3_600_000;

fn sign_in_for(scopes: &[&str]) -> Next {
    Next::SignIn { scopes: scopes.iter().map(|&scope| scope.to_owned()).collect() }
}

/// `auth/metadata-default`, `-var1`, `-var2`, `-var3`: metadata are asked for where the revision says, in its order, and no
/// further; the resource is named in both requests as its metadata name it.
#[tokio::test(start_paused = true)]
async fn metadata_at_every_place() {
    let root = "https://mcp.example/.well-known/oauth-protected-resource";
    let tenant = "https://auth.example/tenant1";
    let insert = |kind: &str| format!("https://auth.example/.well-known/{kind}/tenant1");
    let append = "https://auth.example/tenant1/.well-known/openid-configuration";
    let openid = "https://auth.example/.well-known/openid-configuration";
    let cases = [
        (RESOURCE, true, MCP, AUTH, AUTH_METADATA.to_owned(), vec![RESOURCE, AUTH_METADATA]),
        (RESOURCE, false, MCP, AUTH, openid.to_owned(), vec![RESOURCE, AUTH_METADATA, openid]),
        (
            root,
            false,
            "https://mcp.example",
            tenant,
            insert("oauth-authorization-server"),
            vec![RESOURCE, root, &insert("oauth-authorization-server")],
        ),
        (
            "https://mcp.example/custom/metadata.json",
            true,
            MCP,
            tenant,
            append.to_owned(),
            vec![
                "https://mcp.example/custom/metadata.json",
                &insert("oauth-authorization-server"),
                &insert("openid-configuration"),
                append,
            ],
        ),
    ]
    .map(|(place, told, name, issuer, metadata, asked)| {
        let asked: Vec<String> = asked.into_iter().map(str::to_owned).collect();
        (place, told, name, issuer, metadata, asked)
    });
    for (place, told, name, issuer, at, asked) in cases {
        let fixture = Fixture::empty().await;
        fixture.put(place, &resource(name, &[issuer]));
        fixture.put(&at, &metadata(issuer, json!({})));
        fixture.auth(issuer);
        let header = if told { format!("Bearer resource_metadata=\"{place}\"") } else { "Bearer".to_owned() };
        assert_eq!(fixture.challenge(401, &header, false).await, sign_in_for(&[]));
        let query = fixture.sign_in().await;
        assert_eq!(fixture.asked_for(), asked);
        assert_eq!((query["resource"].as_str(), query.get("scope")), (name, None));
        let exchange = fixture.auth(issuer).exchanges[0].clone();
        assert_eq!((exchange["resource"].as_str(), exchange["client_id"].as_str()), (name, "client-1"));
        assert_eq!(bearer(&fixture.fill().await.unwrap().unwrap()), "Bearer access-1");
        fixture.assert_hidden(&[]).await;
    }
}

/// `auth/2025-03-26-oauth-metadata-backcompat`, `-endpoint-fallback`: a server without metadata of its own is its own
/// authorization server, if need be at the usual paths. One that could not be asked is not.
#[tokio::test(start_paused = true)]
async fn servers_of_the_first_revision() {
    let origin = "https://mcp.example";
    let at_origin = "https://mcp.example/.well-known/oauth-authorization-server";
    for (issuer, base) in
        [(origin, "https://mcp.example/oauth"), ("https://mcp.example/", "https://mcp.example/oauth")]
    {
        let fixture = Fixture::empty().await;
        let mut document = metadata(base, json!({"code_challenge_methods_supported": null}));
        document["issuer"] = json!(issuer);
        fixture.put(at_origin, &document);
        fixture.auth(base);
        fixture.sign_in().await;
        assert_eq!(fixture.auth(base).exchanges[0]["resource"], MCP);
    }
    let fixture = Fixture::empty().await;
    fixture.auth(origin).registers = json!({"client_secret": "s3cret"});
    let query = fixture.sign_in().await;
    assert_eq!(query["client_id"], "client-1");
    assert_eq!(fixture.auth(origin).exchanges[0]["proof"], "basic");
    fixture.assert_hidden(&["s3cret"]).await;
    // A failure is no proof of absence, and neither is a challenge that names metadata.
    for (url, answer) in
        [(RESOURCE, Answer::Down), (RESOURCE, Answer::status(503)), (at_origin, Answer::status(500))]
    {
        let fixture = Fixture::empty().await;
        fixture.answer(url, answer);
        let unreachable = AuthError::Unreachable { origin: origin.to_owned() };
        assert_eq!(fixture.begin().await, Err(unreachable), "{url}");
    }
    let fixture = Fixture::empty().await;
    fixture.challenge(401, &format!("Bearer resource_metadata=\"{RESOURCE}\""), false).await;
    assert_eq!(fixture.begin().await, Err(AuthError::NoMetadata { origin: origin.to_owned() }));
    // Where it names no authorization server, it is its own.
    let fixture = Fixture::empty().await;
    fixture.put(RESOURCE, &json!({"resource": MCP, "scopes_supported": ["a"]}));
    fixture.auth(origin).registers = json!({"client_secret": "s3cret"});
    assert_eq!(fixture.sign_in().await["scope"], "a");
}

/// `auth/scope-from-www-authenticate`, `-from-scopes-supported`, `-omitted-when-undefined`, `auth/offline-access-scope`,
/// `-not-supported`: what is asked for.
#[tokio::test(start_paused = true)]
async fn scopes_of_the_request() {
    for (challenged, of_resource, of_server, expected) in [
        ("mcp:basic", json!(["mcp:basic", "mcp:read"]), json!(null), Some("mcp:basic")),
        ("", json!(["mcp:basic", "mcp:read"]), json!(null), Some("mcp:basic mcp:read")),
        ("", json!(null), json!(null), None),
        ("", json!(null), json!(["offline_access"]), None),
        ("", json!(["mcp:basic"]), json!(["mcp:basic", "offline_access"]), Some("mcp:basic offline_access")),
        ("", json!(["mcp:basic", "offline_access"]), json!(["mcp:basic"]), Some("mcp:basic")),
    ] {
        let fixture = Fixture::new(json!({"scopes_supported": of_server})).await;
        let mut document = resource(MCP, &[AUTH]);
        if !of_resource.is_null() {
            document["scopes_supported"] = of_resource;
        }
        fixture.put(RESOURCE, &document);
        if !challenged.is_empty() {
            fixture.challenge(401, &format!("Bearer scope=\"{challenged}\""), false).await;
        }
        // What was asked for is not forgotten with the worker.
        fixture.world.restart().await;
        let query = fixture.sign_in().await;
        assert_eq!(query.get("scope").map(String::as_str), expected);
        let consent = query.get("prompt").map(String::as_str);
        assert_eq!(consent, expected.filter(|scope| scope.contains("offline_access")).map(|_| "consent"));
        let scopes: Vec<&str> = expected.map(|scope| scope.split(' ').collect()).unwrap_or_default();
        assert_eq!(fixture.state().await.scopes, scopes);
    }
}

/// `auth/scope-step-up`: a token that is good for too little is replaced by one for the union of scopes.
#[tokio::test(start_paused = true)]
async fn step_up_asks_for_the_union() {
    let fixture = Fixture::new(json!({})).await;
    fixture.challenge(401, "Bearer scope=\"mcp:basic\"", false).await;
    assert_eq!(fixture.sign_in().await["scope"], "mcp:basic");
    fixture.auth(AUTH).grants.clear();
    let next =
        fixture.challenge(403, "Bearer scope=\"mcp:write\", error=\"insufficient_scope\"", false).await;
    assert_eq!(next, sign_in_for(&["mcp:basic", "mcp:write"]));
    assert_eq!(fixture.sign_in().await["scope"], "mcp:basic mcp:write");
    assert_eq!(fixture.auth(AUTH).registrations.len(), 1, "we are registered already");
    assert_eq!(fixture.state().await.scopes, ["mcp:basic", "mcp:write"]);
}

/// `auth/scope-retry-limit`: a server that always wants more is refused at last; at once if it wants what the token has.
#[tokio::test(start_paused = true)]
async fn step_ups_end() {
    let fixture = Fixture::new(json!({})).await;
    let more = "Bearer scope=\"mcp:admin\", error=\"insufficient_scope\"";
    fixture.challenge(401, "Bearer scope=\"mcp:admin\"", false).await;
    fixture.sign_in().await;
    assert_eq!(fixture.challenge(403, more, false).await, Next::Refused);
    // One that grants less than was asked for.
    let fixture = Fixture::new(json!({})).await;
    fixture.auth(AUTH).grants = "mcp:basic".to_owned();
    fixture.sign_in().await;
    for round in 0..5 {
        let next = fixture.challenge(403, more, false).await;
        assert_eq!(next == Next::Refused, round >= 3, "{round}");
        if round < 3 {
            fixture.sign_in().await;
        }
    }
    fixture.world.pass(10 * 60_000).await;
    fixture.world.unlock(PASSWORD).await;
    assert_eq!(fixture.challenge(403, more, false).await, sign_in_for(&["mcp:admin"]));
    // Other refusals are none of ours.
    for (status, header) in
        [(403, "Bearer"), (403, "Bearer error=\"access_denied\""), (404, "Bearer"), (500, more)]
    {
        assert_eq!(fixture.challenge(status, header, false).await, Next::Refused, "{status} {header}");
    }
}

/// `auth/token-endpoint-auth-basic`, `-post`, `-none`: the wallet registers, and proves who it is as the server wants it.
/// The body says what kind of client it is; the secret is sealed.
#[tokio::test(start_paused = true)]
async fn registration_and_proofs() {
    for (supported, answer, wanted, proof) in [
        (json!(["none"]), json!({}), "none", "none"),
        // A secret that no proof needs is not kept.
        (json!(["none"]), json!({"client_secret": "s3cret/1"}), "none", "none"),
        (
            json!(["client_secret_basic"]),
            json!({"client_secret": "s3cret/1"}),
            "client_secret_basic",
            "basic",
        ),
        (json!(["client_secret_post"]), json!({"client_secret": "s3cret/1"}), "client_secret_post", "post"),
        (json!(null), json!({"client_secret": "s3cret/1"}), "client_secret_basic", "basic"),
        (
            json!(["client_secret_basic", "client_secret_post"]),
            json!({"client_secret": "s3cret/1", "token_endpoint_auth_method": "client_secret_post"}),
            "client_secret_basic",
            "post",
        ),
    ] {
        let fixture = Fixture::new(json!({"token_endpoint_auth_methods_supported": supported})).await;
        fixture.auth(AUTH).registers = answer;
        fixture.sign_in().await;
        let body = fixture.auth(AUTH).registrations[0].clone();
        let expected = json!({
            "client_name": "Countersign", "redirect_uris": [REDIRECT],
            "grant_types": ["authorization_code", "refresh_token"], "response_types": ["code"],
            "token_endpoint_auth_method": wanted, "application_type": "web",
        });
        assert_eq!(body, expected);
        fixture.assert_hidden(&["s3cret/1"]).await;
        // The refresh proves it in the same way, after the worker's death.
        fixture.world.pass(HOUR).await;
        fixture.world.restart().await;
        fixture.world.unlock(PASSWORD).await;
        assert_eq!(bearer(&fixture.fill().await.unwrap().unwrap()), "Bearer access-2");
        let proofs: Vec<String> =
            fixture.auth(AUTH).exchanges.iter().map(|form| form["proof"].clone()).collect();
        assert_eq!(proofs, [proof, proof]);
        assert_eq!(fixture.auth(AUTH).exchanges[1]["resource"], MCP);
        fixture.assert_hidden(&["s3cret/1"]).await;
    }
}

/// `auth/basic-cimd`, `auth/pre-registration`: who we are, where the user or a document says so.
#[tokio::test(start_paused = true)]
async fn clients_of_the_user() {
    let document = "https://wallet.example/client.json";
    for supported in [true, false] {
        let mut fixture = Fixture::new(json!({"client_id_metadata_document_supported": supported})).await;
        fixture.server.client_metadata_url = Some(document.to_owned());
        fixture.auth(AUTH).clients.insert(document.to_owned(), None);
        let expected = if supported { document } else { "client-1" };
        assert_eq!(fixture.sign_in().await["client_id"], expected);
        assert_eq!(fixture.auth(AUTH).registrations.len(), usize::from(!supported));
    }
    let (name, secret) = (ServerAuth::secret_name(ID), "pre/secret");
    for (proof, method) in [("basic", "client_secret_basic"), ("post", "client_secret_post")] {
        let changes =
            json!({"registration_endpoint": null, "token_endpoint_auth_methods_supported": [method]});
        let mut fixture = Fixture::new(changes).await;
        assert_eq!(fixture.begin().await, Err(AuthError::ClientIdRequired));
        let saved =
            fixture.world.call("PUT", &format!("/api/secrets/{name}"), json!({"value": secret})).await;
        assert_eq!(saved.0, 201);
        fixture.server.client_id = Some("me too".to_owned());
        fixture.server.client_secret_name = Some(name.clone());
        fixture.auth(AUTH).clients.insert("me too".to_owned(), Some(secret.to_owned()));
        assert_eq!(fixture.sign_in().await["client_id"], "me too");
        let exchange = fixture.auth(AUTH).exchanges[0].clone();
        assert_eq!((exchange["client_id"].as_str(), exchange["proof"].as_str()), ("me too", proof));
        fixture.assert_hidden(&[secret]).await;
    }
    let mut fixture =
        Fixture::new(json!({"token_endpoint_auth_methods_supported": ["private_key_jwt"]})).await;
    let unsupported = Err(AuthError::NotSupported { what: "secrets of clients" });
    assert_eq!(fixture.begin().await, unsupported);
    fixture.server.client_id = Some("me too".to_owned());
    fixture.server.client_secret_name = Some(name);
    assert_eq!(fixture.begin().await, unsupported);
}

/// `auth/iss-supported`, `-not-advertised`, `-supported-missing`, `-wrong-issuer`, `-unexpected`, `-normalized`: an answer of
/// another issuer ends the attempt before its code goes anywhere, and nothing of it is repeated.
#[tokio::test(start_paused = true)]
async fn answers_name_their_issuer() {
    let escaped = "https%3A%2F%2Fauth.example";
    for (advertised, iss, taken) in [
        (json!(true), format!("&iss={escaped}"), true),
        (json!(true), format!("&iss={AUTH}"), true),
        (json!(null), String::new(), true),
        (json!(null), format!("&iss={escaped}"), true),
        (json!(true), String::new(), false),
        (json!(true), "&iss=".to_owned(), false),
        (json!(true), "&iss=https://evil.example".to_owned(), false),
        (json!(null), "&iss=https://evil.example".to_owned(), false),
        (json!(true), format!("&iss={AUTH}/"), false),
        (json!(true), "&iss=https://AUTH.example".to_owned(), false),
        (json!(null), format!("&iss={AUTH}:443"), false),
        (json!(null), format!("&iss={AUTH}&iss=https://evil.example"), false),
        (json!(null), "&iss=%zz".to_owned(), false),
    ] {
        let fixture =
            Fixture::new(json!({"authorization_response_iss_parameter_supported": advertised})).await;
        let query = fixture.agree(&fixture.begin().await.unwrap());
        let outcome = fixture.back(&query, &iss).await;
        if taken {
            assert!(outcome.unwrap().signed_in, "{iss}");
            continue;
        }
        assert_eq!(outcome, Err(SignInError::WrongIssuer.into()), "{iss}");
        assert!(fixture.auth(AUTH).exchanges.is_empty());
        let over = fixture.back(&query, "").await;
        assert_eq!(over, Err(SignInError::NotBegun.into()), "the attempt is over");
        let query = fixture.agree(&fixture.begin().await.unwrap());
        let url = format!("{REDIRECT}?error=evil_words&error_description=evil&state={}{iss}", query["state"]);
        let refused = fixture.finish(&url, "").await.unwrap_err();
        assert!(!format!("{refused:?} {refused}").contains("evil"), "{refused:?}");
    }
}

/// `auth/authorization-server-migration`: tokens and registrations of one authorization server are nothing to another.
#[tokio::test(start_paused = true)]
async fn another_issuer_gets_nothing_of_the_first() {
    let fixture = Fixture::new(json!({})).await;
    fixture.put(OTHER_METADATA, &metadata(OTHER, json!({})));
    fixture.auth(OTHER).registers = json!({"client_id": "other-client"});
    fixture.auth(AUTH).without_refresh = true;
    fixture.sign_in().await;
    fixture.put(RESOURCE, &resource(MCP, &[OTHER]));
    assert_eq!(fixture.challenge(401, "Bearer error=\"invalid_token\"", false).await, sign_in_for(&[]));
    let sign_in = fixture.begin().await.unwrap();
    assert_eq!(sign_in.issuer, OTHER);
    assert!(!fixture.state().await.signed_in, "its tokens are gone");
    let query = fixture.agree(&sign_in);
    fixture.back(&query, "").await.unwrap();
    assert_eq!((query["client_id"].as_str(), fixture.auth(OTHER).registrations.len()), ("other-client", 1));
    assert_eq!(fixture.auth(OTHER).exchanges[0]["client_id"], "other-client");
    assert_eq!(fixture.auth(AUTH).exchanges.len(), 1);
    // Back again, it registers anew.
    fixture.put(RESOURCE, &resource(MCP, &[AUTH]));
    assert_eq!(fixture.sign_in().await["client_id"], "client-2");
    // With several, the one that is known stays.
    fixture.put(RESOURCE, &resource(MCP, &[OTHER, AUTH]));
    assert_eq!(fixture.begin().await.unwrap().issuer, AUTH);
    // The user's own client is not taken elsewhere before the user signs out.
    let mut fixture = Fixture::new(json!({})).await;
    fixture.put(OTHER_METADATA, &metadata(OTHER, json!({})));
    fixture.server.client_id = Some("mine".to_owned());
    fixture.auth(AUTH).clients.insert("mine".to_owned(), None);
    fixture.sign_in().await;
    fixture.put(RESOURCE, &resource(MCP, &[OTHER]));
    assert_eq!(fixture.begin().await, Err(AuthError::IssuerChanged));
    let core = fixture.world.core();
    fixture.world.run(authorize::sign_out(&core, &fixture.server)).await.unwrap();
    assert_eq!(fixture.begin().await.unwrap().issuer, OTHER);
}

/// A refused token is renewed once; what its server does not renew any more is signed in again.
#[tokio::test(start_paused = true)]
async fn refused_tokens_are_renewed() {
    let fixture = Fixture::new(json!({})).await;
    assert_eq!(fixture.challenge(401, "Bearer", false).await, sign_in_for(&[]), "there is no token");
    assert!(fixture.fill().await.unwrap().is_none());
    fixture.sign_in().await;
    let sent = fixture.fill().await.unwrap().unwrap();
    assert_eq!(fixture.challenge(401, "Bearer error=\"invalid_token\"", false).await, Next::Renew);
    assert_eq!(fixture.refill(&sent).await.unwrap(), "Bearer access-2");
    let form = fixture.auth(AUTH).exchanges[1].clone();
    assert_eq!((form["refresh_token"].as_str(), form["resource"].as_str()), ("refresh/1", MCP));
    assert_eq!(fixture.challenge(401, "Bearer", true).await, sign_in_for(&[]), "once");
    // Rotated: the next refresh sends the next token.
    fixture.world.pass(HOUR).await;
    fixture.world.unlock(PASSWORD).await;
    assert_eq!(bearer(&fixture.fill().await.unwrap().unwrap()), "Bearer access-3");
    assert_eq!(fixture.auth(AUTH).exchanges[2]["refresh_token"], "refresh/2");
    fixture.auth(AUTH).instead = Some(refusal("invalid_grant"));
    fixture.world.pass(HOUR).await;
    fixture.world.unlock(PASSWORD).await;
    assert_eq!(fixture.fill().await.unwrap_err(), FillError::TokensMissing);
    assert!(!fixture.state().await.signed_in && fixture.fill().await.unwrap().is_none());
    fixture.auth(AUTH).instead = None;
    fixture.sign_in().await;
    assert_eq!(fixture.auth(AUTH).registrations.len(), 1);
    // A server that does not know us any more registers us again.
    fixture.auth(AUTH).clients.clear();
    fixture.world.pass(HOUR).await;
    fixture.world.unlock(PASSWORD).await;
    assert_eq!(fixture.fill().await.unwrap_err(), FillError::TokensMissing);
    assert_eq!(fixture.sign_in().await["client_id"], "client-2");
    // A server that is away loses nothing.
    fixture.auth(AUTH).instead = Some(Answer::Down);
    fixture.world.pass(HOUR).await;
    fixture.world.unlock(PASSWORD).await;
    assert!(matches!(fixture.fill().await.unwrap_err(), FillError::TokenServer { .. }));
    fixture.auth(AUTH).instead = None;
    assert!(fixture.fill().await.unwrap().is_some());
}

/// Tokens are for one vault and one address, and a locked vault needs its password.
#[tokio::test(start_paused = true)]
async fn tokens_are_for_one_vault_and_address() {
    let mut fixture =
        Fixture::new(json!({"token_endpoint_auth_methods_supported": ["client_secret_post"]})).await;
    fixture.auth(AUTH).registers = json!({"client_secret": "s3cret/1"});
    // The sign-in may begin while the vault is locked: the client's secret is sealed at its end.
    fixture.world.call("POST", "/api/vaults/active/lock", Value::Null).await;
    let query = fixture.agree(&fixture.begin().await.unwrap());
    assert_eq!(fixture.back(&query, "").await.unwrap_err().code(), "password_required");
    // Begun again, it does not register again.
    let query = fixture.agree(&fixture.begin().await.unwrap());
    assert_eq!((query["client_id"].as_str(), fixture.auth(AUTH).registrations.len()), ("client-1", 1));
    fixture.world.restart().await;
    let url = format!("{REDIRECT}?code=co%2Fde&state={}", query["state"]);
    assert!(fixture.finish(&url, PASSWORD).await.unwrap().signed_in);
    assert!(matches!(fixture.fill().await, Err(FillError::Locked { .. })));
    fixture.assert_hidden(&["s3cret/1"]).await;
    fixture.world.unlock(PASSWORD).await;
    assert!(fixture.fill().await.unwrap().is_some());
    // At another address the server is another.
    let query = fixture.agree(&fixture.begin().await.unwrap());
    fixture.server.url = "https://mcp.example/other".to_owned();
    assert_eq!(fixture.back(&query, "").await, Err(SignInError::NotBegun.into()));
    assert!(fixture.fill().await.unwrap().is_none() && !fixture.state().await.signed_in);
    fixture.server.url = MCP.to_owned();
    assert!(fixture.state().await.signed_in);
    let audit = fixture.world.get("/api/audit").await.to_string();
    assert!(audit.contains("mcp_signed_in"));
    let core = fixture.world.core();
    fixture.world.run(authorize::sign_out(&core, &fixture.server)).await.unwrap();
    assert!(!fixture.state().await.signed_in);
}

/// Pages learn which hosts a sign-in reaches before it begins.
#[tokio::test(start_paused = true)]
async fn hosts_are_told_first() {
    let fixture = Fixture::empty().await;
    let origins = async || {
        let core = fixture.world.core();
        fixture.world.run(authorize::origins(&core, &fixture.server)).await
    };
    assert_eq!(origins().await.unwrap(), ["https://mcp.example"]);
    let issuers = [AUTH, "https://auth.example/tenant", "http://evil.example", "javascript:x", OTHER];
    fixture.put(RESOURCE, &resource(MCP, &issuers[..3]));
    assert_eq!(origins().await.unwrap(), [AUTH]);
    fixture.put(RESOURCE, &resource(MCP, &issuers[2..]));
    assert_eq!(origins().await.unwrap(), [OTHER]);
    let fixture = Fixture::new(json!({"token_endpoint": "https://tokens.example/token"})).await;
    assert_eq!(fixture.begin().await.unwrap().token_url, "https://tokens.example/token");
}
