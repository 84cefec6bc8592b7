//! Who we are at a server that gives tokens, and how a request there proves it.

use super::tokens::{Holder, escaped};
use super::{REGISTRATIONS, VaultError, committed, expect_vault, seal};
use crate::Core;
use crate::store::{self, Batch, Durability, StoreError, Stored};
use derive::Record;
use wire::api::Millis;
use wire::pieces::{Encoding, HeaderPieces, Piece, RequestPieces};
use wire::secret::SecretText;
use wire::signer::{KeyRequest, Opened, SealedSecret};
use wire::toolbox::OAuthServer;

/// A server that gives tokens, and who we are there.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TokenServer {
    /// Where tokens are given.
    pub(crate) url: String,
    /// Who we are there. No secret (RFC 6749 §2.2).
    pub(crate) client_id: String,
    /// What proves it.
    pub(crate) proof: ClientProof,
    /// What the tokens are for (RFC 8707), where the server is told so.
    pub(crate) resource: Option<String>,
}

/// What proves who asks.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClientProof {
    /// Nothing: a public client.
    None,
    /// The secret in the header `Authorization`.
    Basic(ClientSecret),
    /// The secret in the form.
    Post(ClientSecret),
}

/// The secret of a client.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ClientSecret {
    /// The user's: saved under this name.
    Named(String),
    /// The server's: given when it registered us, and sealed.
    Given(SealedSecret),
}

impl From<&OAuthServer> for TokenServer {
    fn from(server: &OAuthServer) -> Self {
        let secret = server.client_secret.clone().map(ClientSecret::Named);
        Self {
            url: server.token_url.clone(),
            client_id: server.client_id.clone(),
            proof: secret.map_or(ClientProof::None, ClientProof::Basic),
            resource: None,
        }
    }
}

impl ClientSecret {
    /// Where it stands in a form, or before that in the pair of `Authorization`.
    fn piece(&self) -> Piece {
        let (Self::Named(name) | Self::Given(SealedSecret { name, .. })) = self;
        Piece::Secret { name: name.clone(), encoding: Encoding::Percent }
    }
}

impl TokenServer {
    /// A request with a form, and the secret that it needs beyond those of the user.
    pub(super) fn request(&self, mut form: Vec<Piece>) -> (RequestPieces, Option<SealedSecret>) {
        let text = |text: &str| Piece::Text(text.to_owned());
        let header = |name: &str, value| HeaderPieces { name: name.to_owned(), value };
        let mut headers = vec![
            header("Content-Type", vec![text("application/x-www-form-urlencoded")]),
            header("Accept", vec![text("application/json")]),
        ];
        if let Some(resource) = &self.resource {
            form.push(Piece::Text(["&resource=", &escaped(resource)].concat()));
        }
        let client_id = escaped(&self.client_id);
        let id_in_form = Piece::Text(["&client_id=", &client_id].concat());
        match &self.proof {
            ClientProof::None => form.push(id_in_form),
            ClientProof::Basic(secret) => {
                let pair =
                    Piece::Basic { username: vec![Piece::Text(client_id)], password: vec![secret.piece()] };
                headers.push(header("Authorization", vec![text("Basic "), pair]));
            }
            ClientProof::Post(secret) => form.extend([id_in_form, text("&client_secret="), secret.piece()]),
        }
        let given = match &self.proof {
            ClientProof::Basic(ClientSecret::Given(sealed))
            | ClientProof::Post(ClientSecret::Given(sealed)) => Some(sealed.clone()),
            _ => None,
        };
        (RequestPieces { url: vec![text(&self.url)], headers, body: Some(form) }, given)
    }
}

/// Who we are at the authorization server of an MCP server, on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RegistrationRow {
    /// The authorization server. A registration is never used at another.
    pub(crate) issuer: String,
    /// Who we are there.
    pub(crate) client_id: String,
    /// What proves it.
    pub(crate) proof: ClientProof,
    /// Where the browser comes back to, if the server itself registered us.
    pub(crate) redirect_uri: Option<String>,
    /// Until when the server takes the secret, where it said so.
    pub(crate) expires_at: Option<Millis>,
}

/// Whether a server's code says that it does not know the client (any more).
pub(super) fn is_unknown(code: &str) -> bool {
    matches!(code, "invalid_client" | "unauthorized_client")
}

/// Seals the secret that a server gave. It opens for this MCP server and this issuer only.
pub(super) async fn sealed(
    core: &Core,
    (holder, opened): (Holder<'_>, &Opened),
    issuer: &str,
    value: SecretText,
) -> Result<SealedSecret, VaultError> {
    // No name that the user can give a secret.
    let name = ["client/", holder.tool_id, "/", issuer].concat();
    let request = KeyRequest::SealSecret { opened: opened.clone(), name: name.clone(), value };
    Ok(SealedSecret { name, sealed: seal(core, request).await? })
}

/// Who we are at the authorization server of an MCP server.
pub(crate) async fn registration(
    core: &Core,
    holder: Holder<'_>,
) -> Result<Option<Stored<RegistrationRow>>, StoreError> {
    store::get(core.database.store(), REGISTRATIONS, &holder.key()).await
}

/// Keeps who we are.
pub(super) async fn keep(core: &Core, holder: Holder<'_>, row: &RegistrationRow) -> Result<(), VaultError> {
    loop {
        let (key, mut batch) = (holder.key(), Batch::new(Durability::Strict));
        let earlier = registration(core, holder).await?;
        if earlier.as_ref().is_some_and(|earlier| *earlier.record == *row) {
            return Ok(());
        }
        expect_vault(core, holder.vault_id, &mut batch).await?;
        batch.expect(REGISTRATIONS, &key, earlier.as_ref().map(|earlier| earlier.text.as_str()));
        batch.put(REGISTRATIONS, &key, row);
        if committed(core, batch).await? {
            return Ok(());
        }
    }
}

/// Forgets who we are, if that is still this client.
pub(crate) async fn forget(core: &Core, holder: Holder<'_>, client_id: &str) -> Result<(), StoreError> {
    loop {
        let row = registration(core, holder).await?.filter(|row| row.record.client_id == client_id);
        let Some(row) = row else { return Ok(()) };
        let (key, mut batch) = (holder.key(), Batch::new(Durability::Strict));
        batch.expect(REGISTRATIONS, &key, Some(&row.text));
        batch.delete(REGISTRATIONS, &key);
        if committed(core, batch).await? {
            return Ok(());
        }
    }
}
