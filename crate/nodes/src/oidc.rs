//! An OAuth 2 and OpenID Connect server with its own rules: authorization code with PKCE, refresh tokens that are
//! replaced at every use, short-lived access tokens.
//!
//! Its consent page has the test ids `oidc-scope`, `oidc-allow` and `oidc-deny`. The scopes are `openid`,
//! `offline_access`, `weather.read` and `weather.write`. For faults and holds at the token endpoint, put a
//! [`crate::Proxy`] in front.

use crate::Error;
use crate::http::Http;
use crate::script::Script;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bytes::Bytes;
use http_body_util::Full;
use hyper::Request;
use hyper::header::{COOKIE, HeaderMap, LOCATION, SET_COOKIE};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use url::Url;

/// The redirects of a sign-in are fewer.
const MOST_REDIRECTS: usize = 12;

/// How the server is started.
#[derive(Debug, Clone)]
pub struct OidcOptions {
    /// Where the client may be sent back to, for an extension `https://<id>.chromiumapp.org/…`.
    pub redirect_uris: Vec<String>,
    /// How long an access token is valid.
    pub access_token_seconds: u32,
    /// Whether consent is given at once. Otherwise its page waits for a press.
    pub auto_consent: bool,
    /// Whether a refresh token is replaced when it is used. The use of a replaced one ends the grant.
    pub rotation: bool,
    /// Whether the client has a secret; the token endpoint takes it in `Authorization: Basic` or in the body. Without one
    /// the client is public and identifies itself by its id alone.
    pub has_secret: bool,
}

impl OidcOptions {
    /// A public client, five minutes for an access token, rotation, consent at once.
    pub fn new(redirect_uri: impl Into<String>) -> Self {
        Self {
            redirect_uris: vec![redirect_uri.into()],
            access_token_seconds: 300,
            auto_consent: true,
            rotation: true,
            has_secret: false,
        }
    }
}

/// An exchange at the token endpoint.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Exchange {
    /// `authorization_code` or `refresh_token`.
    pub grant_type: Option<String>,
    /// The OAuth error code; `None` if tokens were given out.
    pub error: Option<String>,
}

/// A running server; dropping it stops it.
#[derive(Debug)]
pub struct Oidc {
    script: Script,
    http: Http,
    url: String,
}

impl Oidc {
    /// The client's id.
    pub const CLIENT_ID: &str = "countersign";
    /// The client's secret, if it has one. In `Authorization: Basic` it must be encoded as in a form (RFC 6749 §2.3.1).
    pub const CLIENT_SECRET: &str = "s3cret/of+the:client";

    /// Starts the server.
    pub async fn start(options: &OidcOptions) -> Result<Self, Error> {
        let script = Script::start("oidc").await?;
        let request = json!({
            "command": "start",
            "client_id": Self::CLIENT_ID,
            "client_secret": Self::CLIENT_SECRET,
            "client_auth": if options.has_secret { "client_secret_basic" } else { "none" },
            "redirect_uris": options.redirect_uris,
            "access_token_seconds": options.access_token_seconds,
            "auto_consent": options.auto_consent,
            "rotation": options.rotation,
        });
        let answer = script.ask(request).await?;
        let url = answer.get("url").and_then(Value::as_str).map(str::to_owned);
        let url = url.ok_or_else(|| Error::shape("an address", answer))?;
        Ok(Self { script, http: Http::new(), url })
    }

    /// Its issuer and URL, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Where a person is sent to give consent.
    pub fn authorization_url(&self) -> String {
        format!("{}/auth", self.url)
    }

    /// Where a code or a refresh token is exchanged.
    pub fn token_url(&self) -> String {
        format!("{}/token", self.url)
    }

    /// Where a resource server asks about a token.
    pub fn introspection_url(&self) -> String {
        format!("{}/token/introspection", self.url)
    }

    /// The `Authorization` of a resource server there.
    pub fn resource_authorization(&self) -> String {
        format!("Basic {}", STANDARD.encode("tool-server:tool-server-secret"))
    }

    /// From the next exchange on, access tokens are valid this long.
    pub async fn set_access_token_seconds(&self, seconds: u32) -> Result<(), Error> {
        self.script.ask(json!({ "command": "set", "access_token_seconds": seconds })).await.map(drop)
    }

    /// Whether consent is given at once.
    pub async fn set_auto_consent(&self, auto_consent: bool) -> Result<(), Error> {
        self.script.ask(json!({ "command": "set", "auto_consent": auto_consent })).await.map(drop)
    }

    /// Ends every grant: access tokens are no longer active, refresh tokens are refused.
    pub async fn revoke(&self) -> Result<(), Error> {
        self.script.ask(json!({ "command": "revoke" })).await.map(drop)
    }

    /// Every exchange at the token endpoint, oldest first.
    pub async fn exchanges(&self) -> Result<Vec<Exchange>, Error> {
        let answer = self.script.ask(json!({ "command": "exchanges" })).await?;
        let list = answer.get("exchanges").cloned().unwrap_or_default();
        serde_json::from_value(list).map_err(|error| Error::shape("the exchanges", error))
    }

    /// The number of refreshes that gave out tokens.
    pub async fn refreshes(&self) -> Result<usize, Error> {
        let is_refresh = |one: &&Exchange| one.grant_type.as_deref() == Some("refresh_token");
        let exchanges = self.exchanges().await?;
        Ok(exchanges.iter().filter(is_refresh).filter(|one| one.error.is_none()).count())
    }

    /// Visits an authorization URL as a browser does, and returns the URL outside of this server that it is sent to:
    /// the redirect URI, with a code or an error. A page on the way is answered with `consent`.
    pub async fn visit(&self, authorization_url: &str, consent: bool) -> Result<String, Error> {
        let mut at = parsed(authorization_url)?;
        let mut cookies = BTreeMap::new();
        for _ in 0..MOST_REDIRECTS {
            let jar: Vec<String> = cookies.iter().map(|(name, value)| format!("{name}={value}")).collect();
            let request =
                Request::get(at.as_str()).header(COOKIE, jar.join("; ")).body(Full::<Bytes>::default());
            let answer = self.http.send(request.map_err(|error| Error::http(at.as_str(), error))?).await?;
            keep(&mut cookies, answer.headers());
            let location = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            at = match location {
                Some(location) => at.join(location).map_err(|error| Error::http(location, error))?,
                None if answer.status() == 200 => {
                    let mut pressed = at.clone();
                    pressed.set_query(Some(if consent { "answer=allow" } else { "answer=deny" }));
                    pressed
                }
                None => {
                    let text = String::from_utf8_lossy(answer.body()).into_owned();
                    return Err(Error::Refused { method: at.into(), message: text });
                }
            };
            if !at.as_str().starts_with(&format!("{}/", self.url)) {
                return Ok(at.into());
            }
        }
        Err(Error::http(at.as_str(), "too many redirects"))
    }
}

fn parsed(url: &str) -> Result<Url, Error> {
    Url::parse(url).map_err(|error| Error::http(url, error))
}

fn keep(cookies: &mut BTreeMap<String, String>, headers: &HeaderMap) {
    for cookie in headers.get_all(SET_COOKIE).iter().filter_map(|cookie| cookie.to_str().ok()) {
        let pair = cookie.split(';').next().unwrap_or_default();
        if let Some((name, value)) = pair.split_once('=') {
            cookies.insert(name.to_owned(), value.to_owned());
        }
    }
}
