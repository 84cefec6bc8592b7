//! Fills a tool's request: gathers what is sealed, and hands it to the signer.

use super::tokens::{self, Holder};
use super::{FillError, SECRETS, SecretsRight, key};
use crate::Core;
use crate::ports::NetRequest;
use crate::store::{One, Reads};
use crate::vault::VaultError;
use wire::pieces::{Piece, RequestPieces};
use wire::secret::SecretText;
use wire::signer::{FilledHeader, FilledRequest, KeyRequest, Opened, Reply, SealedSecret, SealedTokens};
use wire::toolbox::OAuthServer;

/// What an answer shows instead of a secret that it repeats.
const MASK: &str = "***";

/// A request with its secrets, on its way out. Prints as nothing.
#[derive(Debug)]
pub struct Filled {
    request: Box<FilledRequest>,
    /// The record of the tokens that it has.
    tokens: Option<String>,
}

impl Filled {
    /// The request as it is sent.
    pub fn request(&self, method: &str) -> NetRequest {
        let FilledRequest { url, headers, body, .. } = &*self.request;
        let header = |header: &FilledHeader| (header.name.clone(), header.value.expose().to_owned());
        NetRequest {
            method: method.to_owned(),
            url: url.expose().to_owned(),
            headers: headers.iter().map(header).collect(),
            body: body.as_ref().map(|body| body.expose().to_owned()),
        }
    }

    /// The size of the body, in bytes.
    pub fn body_bytes(&self) -> usize {
        self.request.body.as_ref().map_or(0, |body| body.expose().len())
    }

    /// A text of the host's, in which no secret of the request is left: a host may repeat what it was sent.
    pub fn masked(&self, text: String) -> String {
        let masks = self.request.masks.iter();
        masks.fold(text, |text, mask| match text.contains(mask.expose()) {
            true => text.replace(mask.expose(), MASK),
            false => text,
        })
    }
}

/// For what a request is filled.
#[derive(Clone, Copy)]
pub struct ForTool<'a> {
    /// The call, which the password may have been given for.
    pub call_id: Option<&'a str>,
    /// The tool, whose tokens are filled in.
    pub tool_id: &'a str,
    /// The server that gave them.
    pub server: Option<&'a OAuthServer>,
}

/// Fills a request with the secrets of the active vault, which must be open, or have been opened for this call. A token
/// that is over is refreshed first. A request without secrets needs no vault.
pub async fn fill(core: &Core, tool: ForTool<'_>, request: RequestPieces) -> Result<Filled, FillError> {
    fill_unless(core, tool, request, None).await
}

/// Fills a request anew after the host did not take its token (status 401): with another token. `None` if the request had
/// none.
pub async fn refill(
    core: &Core,
    tool: ForTool<'_>,
    request: RequestPieces,
    refused: &Filled,
) -> Result<Option<Filled>, FillError> {
    match &refused.tokens {
        Some(tokens) => fill_unless(core, tool, request, Some(tokens)).await.map(Some),
        None => Ok(None),
    }
}

async fn fill_unless(
    core: &Core,
    tool: ForTool<'_>,
    request: RequestPieces,
    refused: Option<&str>,
) -> Result<Filled, FillError> {
    if request.is_plain() {
        return Ok(plain(request));
    }
    let oauth = request.uses_oauth();
    if request.secret_names().is_empty() && !oauth {
        return ask(core, None, Vec::new(), None, request).await;
    }
    let vault = core.vaults.active().await?.ok_or(FillError::NoVault)?.record;
    if vault.sealed.is_none() {
        return Err(FillError::WatchOnly);
    }
    // What is missing is said before the user is asked for a password.
    let holder = Holder { vault_id: vault.id(), tool_id: tool.tool_id };
    sealed(core, vault.id(), &request).await?;
    if oauth && holder.tokens(core).await?.is_none() {
        return Err(FillError::TokensMissing);
    }
    let Some(opened) = core.vaults.opened(vault.id(), tool.call_id, false).await? else {
        let (vault_id, vault_name) = (vault.id().to_owned(), vault.name);
        return Err(FillError::Locked { vault_id, vault_name });
    };
    if !oauth {
        return with(core, vault.id(), &opened, request, (None, None)).await;
    }
    let row = tokens::fresh(core, holder, &opened, tool.server, refused).await?;
    let tokens = SealedTokens { tool_id: tool.tool_id.to_owned(), sealed: row.record.sealed };
    let mut filled = with(core, vault.id(), &opened, request, (None, Some(tokens))).await?;
    filled.tokens = Some(row.text);
    Ok(filled)
}

/// The sealed secrets that a request names.
async fn sealed(
    core: &Core,
    vault_id: &str,
    request: &RequestPieces,
) -> Result<Vec<SealedSecret>, FillError> {
    let mut reads = Reads::new();
    let names = request.secret_names();
    let slots: Vec<One<SecretsRight>> =
        names.iter().map(|name| reads.get(SECRETS, &key(vault_id, name))).collect();
    let snapshot = reads.from(core.database.store()).await?;
    let mut secrets = Vec::with_capacity(names.len());
    for (name, slot) in names.into_iter().zip(slots) {
        let name = name.to_owned();
        match snapshot.one(slot)? {
            Some(row) => secrets.push(SealedSecret { name, sealed: row.record.sealed }),
            None => return Err(FillError::SecretMissing { name }),
        }
    }
    Ok(secrets)
}

/// Fills a request with the secrets of an opened vault, with tokens, and with a secret that is not the user's: a client's
/// that a server gave.
pub(super) async fn with(
    core: &Core,
    vault_id: &str,
    opened: &Opened,
    request: RequestPieces,
    (given, tokens): (Option<SealedSecret>, Option<SealedTokens>),
) -> Result<Filled, FillError> {
    let secrets = match given {
        Some(given) => vec![given],
        None => sealed(core, vault_id, &request).await?,
    };
    ask(core, Some(opened.clone()), secrets, tokens, request).await
}

async fn ask(
    core: &Core,
    opened: Option<Opened>,
    secrets: Vec<SealedSecret>,
    tokens: Option<SealedTokens>,
    request: RequestPieces,
) -> Result<Filled, FillError> {
    let timestamp = (core.now() / 1000).to_string();
    let request = KeyRequest::FillRequest { opened, secrets, tokens, request, timestamp };
    match core.ports.signer.ask(request.into()).await? {
        Reply::Filled(request) => Ok(Filled { request, tokens: None }),
        _ => Err(VaultError::UnexpectedReply.into()),
    }
}

/// A request of text alone.
fn plain(request: RequestPieces) -> Filled {
    let join = |pieces: Vec<Piece>| {
        let text = |piece| if let Piece::Text(text) = piece { text } else { String::new() };
        SecretText::new(pieces.into_iter().map(text).collect())
    };
    let RequestPieces { url, headers, body } = request;
    let headers =
        headers.into_iter().map(|header| FilledHeader { name: header.name, value: join(header.value) });
    let (url, headers, body) = (join(url), headers.collect(), body.map(join));
    Filled { request: Box::new(FilledRequest { url, headers, body, masks: Vec::new() }), tokens: None }
}
