//! Signing in to an MCP server and out again, for the active vault: what pages ask for.

use super::client::{self, Client};
use super::discover::{self, Discovered};
use super::fetch::Fetch;
use super::metadata::Metadata;
use super::{AuthError, ServerAuth, challenge, scope};
use crate::Core;
use crate::secrets::client::{TokenServer, forget as forget_client, registration};
use crate::secrets::sign_in::{Attempt, FoundServer, Proof, check_redirect};
use crate::secrets::tokens::{self, Holder, escaped};
use crate::secrets::{self, SignInError, active};
use wire::mcp::McpSignIn;
use wire::secret::SecretText;
use wire::secrets::SignInState;

/// The origins of the authorization servers that a server names. The browser asks the user for them before [`begin`].
pub async fn origins(core: &Core, server: &ServerAuth) -> Result<Vec<String>, AuthError> {
    let _working = core.working("sign-in");
    let asked = challenge::asked(core, server).await?;
    discover::origins(&Fetch::new(core), server, asked.metadata_url.as_deref()).await
}

/// Begins a sign-in: finds the authorization server, and who we are there. An earlier attempt ends with it.
pub async fn begin(core: &Core, server: &ServerAuth, redirect_uri: &str) -> Result<McpSignIn, AuthError> {
    check_redirect(redirect_uri)?;
    let _working = core.working("sign-in");
    let vault = active(core).await?;
    let holder = Holder { vault_id: vault.id(), tool_id: &server.id };
    let asked = challenge::asked(core, server).await?;
    let known = registration(core, holder).await?.map(|known| known.record.issuer);
    let fetch = Fetch::new(core);
    let places = (asked.metadata_url.as_deref(), known.as_deref());
    let Discovered { resource, scopes, metadata } = discover::discover(&fetch, server, places).await?;
    let before = asked_before(core, (server, holder), &metadata.issuer).await?;
    let scopes = scope::choose((&asked.scopes, &scopes), &before, &metadata.scopes);
    let client = client::choose((core, &fetch), (server, holder), &metadata, redirect_uri).await?;
    let proof = Proof::new(core);
    let authorization_url = address(&metadata, &client.id, (&resource, &scopes), (&proof, redirect_uri));
    let Client { id: client_id, proof: client_proof, registered } = client;
    let Metadata { issuer, token_endpoint, tells_issuer, .. } = metadata;
    let token_server =
        TokenServer { url: token_endpoint, client_id, proof: client_proof, resource: Some(resource) };
    let sign_in =
        McpSignIn { authorization_url, issuer: issuer.clone(), token_url: token_server.url.clone() };
    let found = FoundServer { audience: server.url.clone(), issuer, tells_issuer, registered };
    let attempt = Attempt::new(core, proof, (token_server, scopes), redirect_uri, Some(found));
    attempt.keep(core, holder).await;
    Ok(sign_in)
}

/// Ends a sign-in with the address that the browser came back to. The vault must be open, unless its password comes with it.
pub async fn finish(
    core: &Core,
    server: &ServerAuth,
    redirect_url: &str,
    password: &SecretText,
) -> Result<SignInState, AuthError> {
    let vault = active(core).await?;
    let holder = Holder { vault_id: vault.id(), tool_id: &server.id };
    let found = Attempt::read(core, holder).await.and_then(|attempt| attempt.found);
    // The user gave the server another address meanwhile.
    if found.is_none_or(|found| found.audience != server.url) {
        return Err(SignInError::NotBegun.into());
    }
    let state = secrets::finish(core, &server.id, redirect_url, password).await?;
    challenge::done(core, server).await?;
    Ok(state)
}

/// Whether a server is signed in.
pub async fn state(core: &Core, server: &ServerAuth) -> Result<SignInState, AuthError> {
    match challenge::authorization(core, server).await? {
        Some(_) => Ok(secrets::state(core, &server.id).await?),
        None => Ok(SignInState::default()),
    }
}

/// Signs a server out: its tokens are removed, and the user's client id may be used at another authorization server. The
/// server is not told.
pub async fn sign_out(core: &Core, server: &ServerAuth) -> Result<(), AuthError> {
    secrets::sign_out(core, &server.id).await?;
    let vault = active(core).await?;
    let holder = Holder { vault_id: vault.id(), tool_id: &server.id };
    if let Some(client_id) = &server.client_id {
        forget_client(core, holder, client_id).await?;
    }
    Ok(())
}

/// What was asked for in the last sign-in. Tokens of another authorization server, or for another address, are discarded.
async fn asked_before(
    core: &Core,
    (server, holder): (&ServerAuth, Holder<'_>),
    issuer: &str,
) -> Result<Vec<String>, AuthError> {
    while let Some(row) = holder.tokens(core).await? {
        if let Some(granted) = &row.record.granted
            && granted.issuer == issuer
            && granted.audience == server.url
        {
            return Ok(granted.asked.clone());
        }
        if tokens::forget(core, holder, &row).await? {
            break;
        }
    }
    Ok(Vec::new())
}

/// The address that the browser opens (RFC 6749 §4.1.1, RFC 7636 §4.3, RFC 8707 §2.1).
fn address(
    metadata: &Metadata,
    client_id: &str,
    (resource, scopes): (&str, &[String]),
    (proof, redirect_uri): (&Proof, &str),
) -> String {
    let endpoint = metadata.authorization_endpoint.as_str();
    let mut url = [endpoint, if endpoint.contains('?') { "&" } else { "?" }, "response_type=code"].concat();
    let mut add = |name: &str, value: &str| url.extend(["&", name, "=", &escaped(value)]);
    add("client_id", client_id);
    add("redirect_uri", redirect_uri);
    add("state", &proof.state);
    add("code_challenge", &proof.challenge);
    add("code_challenge_method", "S256");
    add("resource", resource);
    if !scopes.is_empty() {
        add("scope", &scopes.join(" "));
    }
    // OpenID Connect gives refresh tokens only to those who were asked (Core §11).
    if scopes.iter().any(|scope| scope == scope::OFFLINE) {
        add("prompt", "consent");
    }
    url
}
