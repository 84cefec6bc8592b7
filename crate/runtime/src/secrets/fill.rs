//! Fills a tool's request: gathers what is sealed, and hands it to the signer.

use super::{FillError, SECRETS, SecretsRight, key};
use crate::Core;
use crate::ports::NetRequest;
use crate::store::{One, Reads};
use crate::vault::{Opening, SessionCopy};
use wire::pieces::{Piece, RequestPieces};
use wire::secret::SecretText;
use wire::signer::{FilledHeader, FilledRequest, KeyRequest, Refusal, Reply, SealedSecret};

/// What an answer shows instead of a secret that it repeats.
const MASK: &str = "***";

/// A request with its secrets, on its way out. Prints as nothing.
#[derive(Debug)]
pub struct Filled {
    request: Box<FilledRequest>,
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

/// Fills a request with the secrets of the active vault, which must be open, or have been opened for this call. A request
/// without secrets needs no vault.
pub async fn fill(core: &Core, call_id: Option<&str>, request: RequestPieces) -> Result<Filled, FillError> {
    if request.is_plain() {
        return Ok(plain(request));
    }
    let timestamp = (core.now() / 1000).to_string();
    let names = request.secret_names();
    let (mut opened, mut secrets) = (None, Vec::new());
    if !names.is_empty() {
        let vault = core.vaults.active().await?.ok_or(FillError::NoVault)?.record;
        if vault.sealed.is_none() {
            return Err(FillError::WatchOnly);
        }
        let mut reads = Reads::new();
        let opening = Opening::read(&mut reads, vault.id(), call_id, false);
        let sealed: Vec<One<SecretsRight>> =
            names.iter().map(|name| reads.get(SECRETS, &key(vault.id(), name))).collect();
        let snapshot = reads.from(core.database.store()).await?;
        for (name, slot) in names.iter().zip(sealed) {
            let name = (*name).to_owned();
            let Some(row) = snapshot.one(slot)? else { return Err(FillError::SecretMissing { name }) };
            secrets.push(SealedSecret { name, sealed: row.record.sealed });
        }
        let open = core.vaults.open_copy(opening, &snapshot, &mut SessionCopy::default()).await?;
        let Some(open) = open else {
            let (vault_id, vault_name) = (vault.id().to_owned(), vault.name);
            return Err(FillError::Locked { vault_id, vault_name });
        };
        opened = Some(open.opened);
    }
    let request = KeyRequest::FillRequest { opened, secrets, tokens: None, request, timestamp };
    match core.ports.signer.ask(request.into()).await? {
        Reply::Filled(request) => Ok(Filled { request }),
        _ => Err(unexpected().into()),
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
    Filled { request: Box::new(FilledRequest { url, headers, body, masks: Vec::new() }) }
}

/// The signer is of another version.
fn unexpected() -> Refusal {
    Refusal {
        code: "signer_unavailable".to_owned(),
        message: "the signer answered something else".to_owned(),
        step: None,
        field: None,
    }
}
