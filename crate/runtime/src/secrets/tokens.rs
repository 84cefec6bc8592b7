//! Tokens that OAuth 2 servers give for tools: sealed like secrets, fetched and refreshed by the core itself.
//!
//! A tool names its server; an MCP server's is found at sign-in, and kept beside the tokens that it gave ([`Granted`]).
//!
//! A refresh token may be good for one use (RFC 9700 §2.2.2). So one call refreshes while others wait for it, and what the
//! server gave is on disk before it is used. A worker that dies in between tries the earlier token again: a server that
//! does not take it any more says so, and the user signs in anew.

use super::client::{self, TokenServer};
use super::{FillError, TOKENS, committed, expect_vault, fill, key, noted, seal};
use crate::Core;
use crate::agent::within;
use crate::ports::{NetError, NetResponse};
use crate::store::{self, Batch, Durability, StoreError, Stored};
use derive::Record;
use serde_json::Value;
use wire::api::Millis;
use wire::event::Event;
use wire::json::wipe;
use wire::pieces::Piece;
use wire::secret::SecretText;
use wire::secrets::SignInState;
use wire::signer::{KeyRequest, Opened, SealedTokens};
use wire::toolbox::OAuthServer;

/// How long a server may take.
const TIMEOUT: Millis = 30_000;
/// A token that is good for less is refreshed first.
const LEEWAY: Millis = 30_000;
/// The largest answer of a server, in bytes.
const MAX_ANSWER: usize = 64 * 1024;

/// A tool's tokens on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokensRow {
    pub(super) sealed: String,
    /// Until when the access token is good, where the server said so.
    pub(super) expires_at: Option<Millis>,
    /// Whether there is a refresh token.
    pub(super) refreshable: bool,
    pub(super) scopes: Vec<String>,
    pub(super) updated_at: Millis,
    /// Who gave them and for what, where no tool says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) granted: Option<Granted>,
}

/// Who gave tokens, and for what. They are sent nowhere else, and refreshed nowhere else.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Granted {
    /// The address of the server that they are sent to.
    pub(crate) audience: String,
    /// The authorization server that gave them.
    pub(crate) issuer: String,
    /// What was asked for, be it granted or not.
    pub(crate) asked: Vec<String>,
    /// Where they are refreshed.
    pub(crate) server: TokenServer,
}

/// Whose tokens.
#[derive(Clone, Copy)]
pub(crate) struct Holder<'a> {
    pub(crate) vault_id: &'a str,
    /// The tool, or the MCP server.
    pub(crate) tool_id: &'a str,
}

impl Holder<'_> {
    pub(crate) fn key(self) -> String {
        key(self.vault_id, self.tool_id)
    }

    pub(crate) async fn tokens(self, core: &Core) -> Result<Option<Stored<TokensRow>>, StoreError> {
        store::get(core.database.store(), TOKENS, &self.key()).await
    }
}

/// What a server gave.
pub(super) struct Grant {
    access: SecretText,
    refresh: Option<SecretText>,
    expires_in: Option<u64>,
    scopes: Option<Vec<String>>,
}

impl TokensRow {
    /// What the server granted.
    pub(crate) fn scopes(&self) -> &[String] {
        &self.scopes
    }

    /// Whether there is a refresh token.
    pub(crate) const fn is_refreshable(&self) -> bool {
        self.refreshable
    }

    /// As pages see it.
    pub(super) fn state(self) -> SignInState {
        SignInState { signed_in: true, expires_at: self.expires_at, scopes: self.scopes }
    }
}

impl Grant {
    /// A server that names no scopes gave those that were asked for (RFC 6749 §5.1).
    pub(super) fn with_scopes(self, asked: Vec<String>) -> Self {
        Self { scopes: self.scopes.or(Some(asked)), ..self }
    }
}

/// Why a server gave nothing.
#[derive(Debug)]
pub(super) enum GrantError {
    /// It said so, with this code of RFC 6749 §5.2.
    Refused(String),
    /// It gave no answer that could be read.
    Failed(&'static str),
    /// The request could not be filled.
    Fill(FillError),
}

impl From<GrantError> for FillError {
    fn from(error: GrantError) -> Self {
        match error {
            GrantError::Refused(code) => Self::TokenServer { problem: code },
            GrantError::Failed(problem) => Self::TokenServer { problem: problem.to_owned() },
            GrantError::Fill(error) => error,
        }
    }
}

/// Tokens that are good for a while, refreshed if need be. `refused` are tokens that the tool's host did not take.
pub(super) async fn fresh(
    core: &Core,
    holder: Holder<'_>,
    opened: &Opened,
    server: Option<&OAuthServer>,
    refused: Option<&str>,
) -> Result<Stored<TokensRow>, FillError> {
    let usable = |row: &Stored<TokensRow>| {
        let expired = row.record.expires_at.is_some_and(|at| at <= core.now() + LEEWAY);
        !expired && refused != Some(row.text.as_str())
    };
    let row = holder.tokens(core).await?.ok_or(FillError::TokensMissing)?;
    if usable(&row) {
        return Ok(row);
    }
    // One call refreshes; those that waited find what it got.
    let _alone = core.ports.host.lock(&["oauth/", &holder.key()].concat()).await;
    loop {
        let row = holder.tokens(core).await?.ok_or(FillError::TokensMissing)?;
        if usable(&row) {
            return Ok(row);
        }
        let own = row.record.granted.as_ref().map(|granted| granted.server.clone());
        let server = own.or_else(|| server.map(TokenServer::from)).filter(|_| row.record.refreshable);
        let server = server.ok_or(FillError::TokensMissing)?;
        let form =
            vec![Piece::Text("grant_type=refresh_token&refresh_token=".to_owned()), Piece::OAuthRefreshToken];
        let tokens = SealedTokens { tool_id: holder.tool_id.to_owned(), sealed: row.record.sealed.clone() };
        let grant = match request(core, (holder, opened), &server, form, Some(tokens)).await {
            Ok(grant) => grant,
            // The user took the permission back, or another program used the token up.
            Err(GrantError::Refused(code)) if code == "invalid_grant" => {
                forget(core, holder, &row).await?;
                return Err(FillError::TokensMissing);
            }
            // The server does not know us any more: the next sign-in registers anew.
            Err(GrantError::Refused(code)) if row.record.granted.is_some() && client::is_unknown(&code) => {
                client::forget(core, holder, &server.client_id).await?;
                forget(core, holder, &row).await?;
                return Err(FillError::TokensMissing);
            }
            Err(error) => return Err(error.into()),
        };
        // On disk before it is used.
        let next = sealed(core, (holder, opened), grant, Some(&row.record)).await?;
        // Used even if it is over soon: a server whose tokens are short-lived is not asked again and again.
        if put(core, holder, &next, Some(&row.text), None).await? {
            return Ok(Stored { text: store::json(&next), record: Box::new(next) });
        }
    }
}

/// What a server gave, as it is stored. Where it gave no refresh token, that of `earlier` stays.
pub(super) async fn sealed(
    core: &Core,
    (holder, opened): (Holder<'_>, &Opened),
    grant: Grant,
    earlier: Option<&TokensRow>,
) -> Result<TokensRow, FillError> {
    let refreshable = grant.refresh.is_some() || earlier.is_some_and(|row| row.refreshable);
    let request = KeyRequest::SealTokens {
        opened: opened.clone(),
        tool_id: holder.tool_id.to_owned(),
        access: grant.access,
        refresh: grant.refresh,
        earlier: earlier.map(|row| row.sealed.clone()),
    };
    let scopes = grant.scopes.or_else(|| earlier.map(|row| row.scopes.clone()));
    let now = core.now();
    Ok(TokensRow {
        sealed: seal(core, request).await?,
        expires_at: grant.expires_in.map(|seconds| now.saturating_add(seconds.saturating_mul(1000))),
        refreshable,
        scopes: scopes.unwrap_or_default(),
        updated_at: now,
        granted: earlier.and_then(|row| row.granted.clone()),
    })
}

/// Stores tokens in the place of those that were read as `earlier`; whether these were still there.
pub(super) async fn put(
    core: &Core,
    holder: Holder<'_>,
    row: &TokensRow,
    earlier: Option<&str>,
    note: Option<&str>,
) -> Result<bool, FillError> {
    let (key, mut batch) = (holder.key(), Batch::new(Durability::Strict));
    expect_vault(core, holder.vault_id, &mut batch).await?;
    batch.expect(TOKENS, &key, earlier);
    batch.put(TOKENS, &key, row);
    if let Some(what) = note {
        batch.note(noted(what, holder.tool_id));
        batch.tell(&Event::VaultModified {});
    }
    Ok(committed(core, batch).await?)
}

/// Removes tokens, if they are still these.
pub(crate) async fn forget(
    core: &Core,
    holder: Holder<'_>,
    row: &Stored<TokensRow>,
) -> Result<bool, StoreError> {
    let (key, mut batch) = (holder.key(), Batch::new(Durability::Strict));
    batch.expect(TOKENS, &key, Some(&row.text));
    batch.delete(TOKENS, &key);
    let what = if row.record.granted.is_some() { "mcp_signed_out" } else { "tool_signed_out" };
    batch.note(noted(what, holder.tool_id));
    batch.tell(&Event::VaultModified {});
    committed(core, batch).await
}

/// Sends a form to the server, with the proof of who asks (RFC 6749 §2.3.1), and reads what it gives.
pub(super) async fn request(
    core: &Core,
    (holder, opened): (Holder<'_>, &Opened),
    server: &TokenServer,
    form: Vec<Piece>,
    tokens: Option<SealedTokens>,
) -> Result<Grant, GrantError> {
    let (request, sealed) = server.request(form);
    let filled = fill::with(core, holder.vault_id, opened, request, (sealed, tokens))
        .await
        .map_err(GrantError::Fill)?;
    let answer = async {
        let response = core.ports.net.send(filled.request("POST")).await?;
        read(response, MAX_ANSWER).await
    };
    match within(&*core.ports.host, TIMEOUT, answer).await {
        Ok(text) => grant(&text),
        Err(_) => Err(GrantError::Failed("no answer")),
    }
}

/// The text of an answer that has at most so many bytes.
pub(crate) async fn read(mut response: NetResponse, most: usize) -> Result<SecretText, NetError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = response.body.chunk().await? {
        if bytes.len() + chunk.len() > most {
            return Err(NetError(String::new()));
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(SecretText::new(String::from_utf8(bytes).map_err(|_| NetError(String::new()))?))
}

/// What an answer says (RFC 6749 §5). Some servers refuse with status 200, so the fields decide.
fn grant(text: &SecretText) -> Result<Grant, GrantError> {
    let mut answer =
        wire::json::parse(text.expose()).map_err(|_| GrantError::Failed("an answer that is not JSON"))?;
    let secret = |name: &str| {
        let text = answer.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.map(|text| SecretText::new(text.to_owned()))
    };
    let seconds = |value: &Value| value.as_u64().or_else(|| value.as_str()?.parse().ok());
    let word = |name: &str| answer.get(name).and_then(Value::as_str);
    let granted = match secret("access_token") {
        _ if word("token_type").is_some_and(|kind| !kind.eq_ignore_ascii_case("bearer")) => {
            Err(GrantError::Failed("a token that is not a bearer's"))
        }
        Some(access) => Ok(Grant {
            access,
            refresh: secret("refresh_token"),
            expires_in: answer.get("expires_in").and_then(seconds),
            scopes: word("scope").map(|scope| scope.split(' ').map(str::to_owned).collect()),
        }),
        None => match word("error").filter(|code| is_error_code(code)) {
            Some(code) => Err(GrantError::Refused(code.to_owned())),
            None => Err(GrantError::Failed("an answer without a token")),
        },
    };
    wipe(&mut answer);
    granted
}

/// Whether a text of a server is a code and not a sentence, or worse.
pub(crate) fn is_error_code(text: &str) -> bool {
    (1..=64).contains(&text.len()) && text.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase())
}

/// Everything but RFC 3986's unreserved characters as `%XX`.
pub(crate) fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => escaped.push(byte.into()),
            _ => {
                escaped.push('%');
                for digit in [byte >> 4, byte & 15] {
                    escaped
                        .extend(char::from_digit(digit.into(), 16).map(|digit| digit.to_ascii_uppercase()));
                }
            }
        }
    }
    escaped
}
