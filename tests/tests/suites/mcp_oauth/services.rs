//! The hosts of a sign-in in memory: the metadata of an MCP server, and authorization servers that are honest unless a test
//! says otherwise.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use countersign_tests::world::*;
use runtime::mcp::oauth::{AuthError, Next, ServerAuth, authorization, authorize, challenge};
use runtime::secrets::{FillError, Filled, ForTool, fill, refill};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::cell::{RefCell, RefMut};
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::mcp::McpSignIn;
use wire::pieces::{Piece, RequestPieces};
use wire::secret::SecretText;
use wire::secrets::SignInState;

pub(super) const PASSWORD: &str = "correct horse battery";
pub(super) const ID: &str = "019a0000-0000-7000-8000-00000000bbbb";
pub(super) const MCP: &str = "https://mcp.example/mcp";
pub(super) const RESOURCE: &str = "https://mcp.example/.well-known/oauth-protected-resource/mcp";
pub(super) const AUTH: &str = "https://auth.example";
pub(super) const OTHER: &str = "https://second.example";
pub(super) const AUTH_METADATA: &str = "https://auth.example/.well-known/oauth-authorization-server";
pub(super) const OTHER_METADATA: &str = "https://second.example/.well-known/oauth-authorization-server";
pub(super) const REDIRECT: &str = "https://abcdef.chromiumapp.org/";

pub(super) type Form = BTreeMap<String, String>;

/// All hosts.
#[derive(Default)]
pub(super) struct Services {
    /// What is at an address; 404 at any other.
    pub(super) documents: BTreeMap<String, Answer>,
    /// By what the addresses of their endpoints begin with.
    pub(super) servers: BTreeMap<String, AuthServer>,
}

/// An authorization server.
#[derive(Default)]
pub(super) struct AuthServer {
    /// Ids of clients, with their secrets.
    pub(super) clients: BTreeMap<String, Option<String>>,
    /// The bodies of registrations.
    pub(super) registrations: Vec<Value>,
    /// Fields of the answer to a registration.
    pub(super) registers: Value,
    /// The forms of token requests, with the client under `client_id` and how it proved itself under `proof`.
    pub(super) exchanges: Vec<Form>,
    /// What it grants; what was asked for if empty.
    pub(super) grants: String,
    /// Whether it gives no refresh tokens.
    pub(super) without_refresh: bool,
    /// What its token endpoint answers instead.
    pub(super) instead: Option<Answer>,
    /// The queries of authorizations, by code.
    codes: BTreeMap<String, Form>,
    refresh: Option<String>,
    /// How many access tokens it gave.
    pub(super) given: u32,
}

pub(super) fn refusal(code: &str) -> Answer {
    let body = json!({"error": code, "error_description": "<b>not shown</b>"});
    Answer::Http(400, "application/json", body.to_string())
}

impl Services {
    pub(super) fn answer(&mut self, call: &NodeCall) -> Answer {
        if call.method == "GET" {
            assert!(call.header("authorization").is_none(), "{call:?}");
            return self.documents.get(&call.url).cloned().unwrap_or(Answer::status(404));
        }
        for (base, server) in &mut self.servers {
            match call.url.strip_prefix(base.as_str()) {
                Some("/register") => return server.register(&call.body),
                Some("/token") => return server.exchange(call),
                _ => {}
            }
        }
        panic!("a request to nowhere: {call:?}")
    }
}

impl AuthServer {
    fn register(&mut self, body: &Value) -> Answer {
        self.registrations.push(body.clone());
        if let Some(error) = self.registers["error"].as_str() {
            return refusal(error);
        }
        let id = format!("client-{}", self.registrations.len());
        let mut answer = json!({"client_id": id, "redirect_uris": body["redirect_uris"]});
        if let Some(fields) = self.registers.as_object() {
            answer.as_object_mut().unwrap().extend(fields.clone());
        }
        let secret = answer["client_secret"].as_str().map(str::to_owned);
        self.clients.insert(answer["client_id"].as_str().unwrap_or_default().to_owned(), secret);
        Answer::Http(201, "application/json", answer.to_string())
    }

    fn exchange(&mut self, call: &NodeCall) -> Answer {
        assert_eq!(call.header("content-type"), Some("application/x-www-form-urlencoded"));
        assert!(!call.url.contains('?'));
        let body = call.body.as_str().expect("a form is a text");
        let mut form: Form = url::form_urlencoded::parse(body.as_bytes()).into_owned().collect();
        let basic = call.header("authorization").map(basic_pair);
        let (id, secret, proof) = match (basic, form.get("client_secret").cloned()) {
            (Some((id, secret)), _) => (id, Some(secret), "basic"),
            (None, Some(secret)) => (form["client_id"].clone(), Some(secret), "post"),
            (None, None) => (form["client_id"].clone(), None, "none"),
        };
        let is_known = self.clients.get(&id).is_some_and(|known| proof == "none" || *known == secret);
        form.insert("client_id".to_owned(), id.clone());
        form.insert("proof".to_owned(), proof.to_owned());
        self.exchanges.push(form.clone());
        if let Some(instead) = &self.instead {
            return instead.clone();
        }
        if !is_known {
            return refusal("invalid_client");
        }
        match form["grant_type"].as_str() {
            "authorization_code" => {
                let Some(asked) = self.codes.remove(&form["code"]) else { return refusal("invalid_grant") };
                let hash = URL_SAFE_NO_PAD.encode(Sha256::digest(form["code_verifier"].as_bytes()));
                let same = |name: &str| asked.get(name) == form.get(name);
                if asked["code_challenge"] != hash
                    || asked["client_id"] != id
                    || !same("redirect_uri")
                    || !same("resource")
                {
                    return refusal("invalid_grant");
                }
                self.give(asked.get("scope").cloned().unwrap_or_default())
            }
            "refresh_token" if form.get("refresh_token") == self.refresh.as_ref() => {
                self.give(self.grants.clone())
            }
            _ => refusal("invalid_grant"),
        }
    }

    fn give(&mut self, asked: String) -> Answer {
        self.given += 1;
        if self.grants.is_empty() {
            self.grants = asked;
        }
        let mut answer = json!({
            "access_token": format!("access-{}", self.given), "token_type": "Bearer", "expires_in": 3600,
        });
        if !self.grants.is_empty() {
            answer["scope"] = json!(self.grants);
        }
        if !self.without_refresh {
            self.refresh = Some(format!("refresh/{}", self.given));
            answer["refresh_token"] = json!(self.refresh);
        }
        Answer::json(&answer)
    }
}

fn basic_pair(value: &str) -> (String, String) {
    let bytes = STANDARD.decode(value.strip_prefix("Basic ").unwrap()).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (id, secret) = text.split_once(':').unwrap();
    let plain = |text: &str| {
        let pair = format!("x={text}");
        url::form_urlencoded::parse(pair.as_bytes()).next().unwrap().1.into_owned()
    };
    (plain(id), plain(secret))
}

/// The metadata of the MCP server.
pub(super) fn resource(name: &str, issuers: &[&str]) -> Value {
    json!({"resource": name, "authorization_servers": issuers})
}

/// The metadata of an authorization server.
pub(super) fn metadata(issuer: &str, changes: Value) -> Value {
    let mut fields = json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "registration_endpoint": format!("{issuer}/register"),
        "response_types_supported": ["code"],
        "grant_types_supported": ["authorization_code", "refresh_token"],
        "token_endpoint_auth_methods_supported": ["none"],
        "code_challenge_methods_supported": ["S256"],
    });
    for (name, value) in changes.as_object().unwrap() {
        match value {
            Value::Null => drop(fields.as_object_mut().unwrap().remove(name)),
            value => fields[name] = value.clone(),
        }
    }
    fields
}

/// A wallet with an open vault, the hosts, and the server's settings.
pub(super) struct Fixture {
    pub(super) world: World,
    pub(super) services: Rc<RefCell<Services>>,
    pub(super) server: ServerAuth,
}

impl Fixture {
    /// Without any document.
    pub(super) async fn empty() -> Self {
        let world = World::new().await;
        world.browser.use_fast_signer();
        world.make_vault(PASSWORD).await;
        world.unlock(PASSWORD).await;
        let services = Rc::new(RefCell::new(Services::default()));
        let answering = Rc::clone(&services);
        world.set_nodes(move |call| answering.borrow_mut().answer(call));
        let server = ServerAuth { id: ID.to_owned(), url: MCP.to_owned(), ..ServerAuth::default() };
        Self { world, services, server }
    }

    /// With a server whose authorization server has these fields in its metadata.
    pub(super) async fn new(changes: Value) -> Self {
        let fixture = Self::empty().await;
        fixture.put(RESOURCE, &resource(MCP, &[AUTH]));
        fixture.put(AUTH_METADATA, &metadata(AUTH, changes));
        fixture.auth(AUTH);
        fixture
    }

    pub(super) fn put(&self, url: &str, document: &Value) {
        self.answer(url, Answer::json(document));
    }

    pub(super) fn answer(&self, url: &str, answer: Answer) {
        self.services.borrow_mut().documents.insert(url.to_owned(), answer);
    }

    /// The authorization server of an issuer.
    pub(super) fn auth(&self, issuer: &str) -> RefMut<'_, AuthServer> {
        RefMut::map(self.services.borrow_mut(), |all| all.servers.entry(issuer.to_owned()).or_default())
    }

    pub(super) async fn begin(&self) -> Result<McpSignIn, AuthError> {
        let core = self.world.core();
        self.world.run(authorize::begin(&core, &self.server, REDIRECT)).await
    }

    /// Lets the user agree. Returns the query of the authorization request.
    pub(super) fn agree(&self, sign_in: &McpSignIn) -> Form {
        let url = url::Url::parse(&sign_in.authorization_url).unwrap();
        let query: Form = url.query_pairs().into_owned().collect();
        assert_eq!(
            (query["response_type"].as_str(), query["code_challenge_method"].as_str()),
            ("code", "S256")
        );
        assert_eq!((query["redirect_uri"].as_str(), query["code_challenge"].len()), (REDIRECT, 43));
        let base = sign_in.authorization_url.split_once("/authorize").unwrap().0;
        self.auth(base).codes.insert("co/de".to_owned(), query.clone());
        query
    }

    /// The browser comes back with a code, and this.
    pub(super) async fn back(&self, query: &Form, more: &str) -> Result<SignInState, AuthError> {
        self.finish(&format!("{REDIRECT}?code=co%2Fde&state={}{more}", query["state"]), "").await
    }

    pub(super) async fn finish(&self, url: &str, password: &str) -> Result<SignInState, AuthError> {
        let (core, password) = (self.world.core(), SecretText::new(password.to_owned()));
        self.world.run(authorize::finish(&core, &self.server, url, &password)).await
    }

    /// A whole sign-in. Returns the query of the authorization request.
    pub(super) async fn sign_in(&self) -> Form {
        let query = self.agree(&self.begin().await.unwrap());
        assert!(self.back(&query, "").await.unwrap().signed_in);
        query
    }

    pub(super) async fn challenge(&self, status: u16, header: &str, renewed: bool) -> Next {
        let core = self.world.core();
        self.world.run(challenge(&core, &self.server, (status, Some(header)), renewed)).await.unwrap()
    }

    pub(super) async fn state(&self) -> SignInState {
        let core = self.world.core();
        self.world.run(authorize::state(&core, &self.server)).await.unwrap()
    }

    /// A request to the server; `None` if it would have no token.
    pub(super) async fn fill(&self) -> Result<Option<Filled>, FillError> {
        let core = self.world.core();
        let Some(request) = self.request().await else { return Ok(None) };
        self.world.run(fill(&core, for_server(), request)).await.map(Some)
    }

    /// The request once more, with another token.
    pub(super) async fn refill(&self, refused: &Filled) -> Result<String, FillError> {
        let core = self.world.core();
        let request = self.request().await.expect("it has a token");
        let filled = self.world.run(refill(&core, for_server(), request, refused)).await?;
        Ok(bearer(&filled.expect("it has a token")))
    }

    async fn request(&self) -> Option<RequestPieces> {
        let core = self.world.core();
        let header = self.world.run(authorization(&core, &self.server)).await.unwrap()?;
        Some(RequestPieces { url: vec![Piece::Text(MCP.to_owned())], headers: vec![header], body: None })
    }

    /// The addresses of all documents that were asked for, in order.
    pub(super) fn asked_for(&self) -> Vec<String> {
        let calls = self.world.node_calls().into_iter();
        calls.filter(|call| call.method == "GET").map(|call| call.url).collect()
    }

    /// How many requests were not for documents.
    pub(super) fn posts(&self) -> usize {
        self.world.node_calls().iter().filter(|call| call.method != "GET").count()
    }

    /// None of these, nor a token, is anywhere but in the request that it is for.
    pub(super) async fn assert_hidden(&self, secrets: &[&str]) {
        let audit = self.world.get("/api/audit/export").await;
        let (records, events) = (self.world.records().await, self.world.events().await);
        let kept = format!("{records:?}{events:?}{audit}{:?}", self.world.browser.secrets());
        for secret in secrets.iter().chain(&["access-", "refresh/", "co/de"]) {
            for spelling in [(*secret).to_owned(), STANDARD.encode(secret), secret.replace('/', "%2F")] {
                assert!(!kept.contains(&spelling), "{spelling} is in {kept}");
            }
        }
    }
}

const fn for_server() -> ForTool<'static> {
    ForTool { call_id: None, tool_id: ID, server: None }
}

pub(super) fn bearer(filled: &Filled) -> String {
    filled.request("POST").headers[0].1.clone()
}
