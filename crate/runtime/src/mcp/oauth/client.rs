//! Who we are at an authorization server: registered by the user, named by the address of a metadata document, or
//! registered by the server itself (RFC 7591), in this order.

use super::address::Address;
use super::fetch::Fetch;
use super::metadata::Metadata;
use super::{AuthError, NotRegistered, ServerAuth};
use crate::Core;
use crate::secrets::client::{ClientProof, ClientSecret, registration};
use crate::secrets::sign_in::{Attempt, Registered};
use crate::secrets::tokens::{Holder, is_error_code};
use serde_json::{Value, json};
use wire::json::wipe;
use wire::secret::SecretText;

const NONE: &str = "none";
const BASIC: &str = "client_secret_basic";
const POST: &str = "client_secret_post";

/// The longest id of a client, in bytes.
const MAX_ID: usize = 4096;
/// The longest secret of one.
const MAX_SECRET: usize = 4096;

/// Who we are.
pub(super) struct Client {
    pub(super) id: String,
    /// What proves it; `None` for a client whose secret is not sealed yet.
    pub(super) proof: ClientProof,
    /// What the server gave if it registered us just now.
    pub(super) registered: Option<Registered>,
}

impl Client {
    const fn new(id: String, proof: ClientProof) -> Self {
        Self { id, proof, registered: None }
    }
}

/// Who we are at an authorization server. What another one gave is not looked at.
pub(super) async fn choose(
    (core, fetch): (&Core, &Fetch<'_>),
    (server, holder): (&ServerAuth, Holder<'_>),
    metadata: &Metadata,
    redirect_uri: &str,
) -> Result<Client, AuthError> {
    let known = registration(core, holder).await?.map(|known| *known.record);
    if let Some(id) = &server.client_id {
        let is_moved = known.is_some_and(|known| known.client_id == *id && known.issuer != metadata.issuer);
        return if is_moved { Err(AuthError::IssuerChanged) } else { by_user(server, id, metadata) };
    }
    if let Some(url) = server.client_metadata_url.as_deref().filter(|_| metadata.reads_client_metadata) {
        let is_document =
            |address: &Address<'_>| address.has_path() && address.origin().starts_with("https://");
        let refused = AuthError::AddressRefused { what: "the client's metadata document" };
        let document = Address::parse(url).filter(is_document).ok_or(refused)?;
        return Ok(Client::new(document.text().to_owned(), ClientProof::None));
    }
    let known = known.filter(|known| {
        known.issuer == metadata.issuer
            && known.redirect_uri.as_deref() == Some(redirect_uri)
            && known.expires_at.is_none_or(|at| at > core.now())
    });
    if let Some(known) = known {
        return Ok(Client::new(known.client_id, known.proof));
    }
    // An attempt that the user gave up registered us already.
    if let Some(Attempt { server, redirect_uri: same, found: Some(found), .. }) =
        Attempt::read(core, holder).await
        && found.issuer == metadata.issuer
        && found.registered.is_some()
        && same == redirect_uri
    {
        return Ok(Client { id: server.client_id, proof: ClientProof::None, registered: found.registered });
    }
    register((core, fetch), metadata, redirect_uri).await
}

/// The client that the user registered.
fn by_user(server: &ServerAuth, id: &str, metadata: &Metadata) -> Result<Client, AuthError> {
    let proof = match server.client_secret_name.clone().map(ClientSecret::Named) {
        None => ClientProof::None,
        Some(secret) if metadata.takes(BASIC) => ClientProof::Basic(secret),
        Some(secret) if metadata.takes(POST) => ClientProof::Post(secret),
        Some(_) => return Err(AuthError::NotSupported { what: "secrets of clients" }),
    };
    Ok(Client::new(id.to_owned(), proof))
}

/// Registers us at the server.
async fn register(
    (core, fetch): (&Core, &Fetch<'_>),
    metadata: &Metadata,
    redirect_uri: &str,
) -> Result<Client, AuthError> {
    let endpoint = metadata.registration_endpoint.as_deref().and_then(Address::parse);
    let endpoint = endpoint.ok_or(AuthError::ClientIdRequired)?;
    let wanted = [NONE, BASIC, POST].into_iter().find(|proof| metadata.takes(proof));
    let wanted = wanted.ok_or(AuthError::NotSupported { what: "secrets of clients" })?;
    let body = json!({
        "client_name": "Countersign",
        "redirect_uris": [redirect_uri],
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": wanted,
        // The browser comes back to an https address, which OpenID Connect gives to web clients alone.
        "application_type": "web",
    });
    let (status, text) = fetch.post(&endpoint, body.to_string()).await?;
    let mut answer = wire::json::parse(text.expose()).unwrap_or_default();
    let client = match status {
        200 | 201 => read(core, &answer, wanted),
        _ => {
            let code = answer.get("error").and_then(Value::as_str).filter(|code| is_error_code(code));
            Err(NotRegistered::Refused(code.map(str::to_owned)))
        }
    };
    wipe(&mut answer);
    client.map_err(AuthError::NotRegistered)
}

/// What the server gave (RFC 7591 §3.2.1). It may have chosen another proof than was asked for.
fn read(core: &Core, answer: &Value, wanted: &str) -> Result<Client, NotRegistered> {
    let text = |name: &str| answer.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let id = text("client_id").filter(|id| id.len() <= MAX_ID && !id.chars().any(char::is_control));
    let id = id.ok_or(NotRegistered::NoClientId)?.to_owned();
    let secret = text("client_secret").filter(|secret| secret.len() <= MAX_SECRET);
    let secret = match text("token_endpoint_auth_method").unwrap_or(wanted) {
        NONE => None,
        BASIC | POST => Some(secret.ok_or(NotRegistered::NoSecret)?),
        _ => return Err(NotRegistered::UnknownProof),
    };
    // Zero is never (RFC 7591 §3.2.1).
    let expires_at = answer.get("client_secret_expires_at").and_then(Value::as_u64).filter(|at| *at > 0);
    let expires_at = expires_at.map(|at| at.saturating_mul(1000)).filter(|_| secret.is_some());
    if expires_at.is_some_and(|at| at <= core.now()) {
        return Err(NotRegistered::SecretOver);
    }
    let registered = Registered {
        secret: secret.map(|secret| SecretText::new(secret.to_owned())),
        in_form: text("token_endpoint_auth_method").unwrap_or(wanted) == POST,
        expires_at,
    };
    Ok(Client { id, proof: ClientProof::None, registered: Some(registered) })
}
