//! Signing a tool or an MCP server in to its OAuth 2 server, in two requests of a page: one for the address that the browser
//! opens, one with the address that it came back to. By PKCE with `S256` (RFC 7636); what belongs to one attempt is in the
//! browser's session, and is used once.

use super::client::{self, ClientProof, ClientSecret, RegistrationRow, TokenServer};
use super::tokens::{self, Grant, GrantError, Granted, Holder, escaped, is_error_code};
use super::{FillError, SecretError, SignInError, active, open};
use crate::Core;
use crate::store::{Batch, Durability};
use derive::Record;
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use wire::api::Millis;
use wire::json::{from_text, to_text};
use wire::pieces::Piece;
use wire::secret::SecretText;
use wire::secrets::SignInState;
use wire::signer::Opened;
use wire::toolbox::{Reply, Request};

/// An attempt that takes longer is begun anew.
const LIFETIME: Millis = 10 * 60_000;
/// The longest address of a redirection, in bytes.
const MAX_URL: usize = 8192;

/// An attempt, kept until the browser comes back.
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Attempt {
    /// Where the code becomes tokens.
    pub(crate) server: TokenServer,
    /// What is asked for.
    pub(crate) scopes: Vec<String>,
    /// Where the browser comes back to.
    pub(crate) redirect_uri: String,
    state: String,
    verifier: SecretText,
    begun_at: Millis,
    /// The authorization server, where it was found and not named by a tool.
    #[serde(default)]
    pub(crate) found: Option<FoundServer>,
}

/// The authorization server of an MCP server, as it was found.
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundServer {
    /// The MCP server's address.
    pub(crate) audience: String,
    /// Which one it is.
    pub(crate) issuer: String,
    /// Whether it says with every answer which one it is (RFC 9207).
    pub(crate) tells_issuer: bool,
    /// What it gave when it registered us for this attempt.
    pub(crate) registered: Option<Registered>,
}

/// What an authorization server gave when it registered us. Sealed once the vault is open.
#[derive(Debug, Clone, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Registered {
    /// The client's secret, if it got one.
    pub(crate) secret: Option<SecretText>,
    /// Whether the secret goes into the form, and not into a header.
    pub(crate) in_form: bool,
    /// Until when the server takes the secret, where it said so.
    pub(crate) expires_at: Option<Millis>,
}

/// An attempt's own: what the browser must bring back, and what proves that it was us who asked.
pub(crate) struct Proof {
    /// Comes back with the answer.
    pub(crate) state: String,
    /// `S256` of the verifier.
    pub(crate) challenge: String,
    verifier: SecretText,
}

impl Proof {
    /// A new one.
    pub(crate) fn new(core: &Core) -> Self {
        let (state, verifier) = (random(core), random(core));
        let challenge = base64_url(&Sha256::digest(verifier.as_bytes()));
        Self { state, challenge, verifier: SecretText::new(verifier) }
    }
}

impl Attempt {
    /// An attempt that begins now.
    pub(crate) fn new(
        core: &Core,
        proof: Proof,
        (server, scopes): (TokenServer, Vec<String>),
        redirect_uri: &str,
        found: Option<FoundServer>,
    ) -> Self {
        let Proof { state, verifier, .. } = proof;
        let redirect_uri = redirect_uri.to_owned();
        Self { server, scopes, redirect_uri, state, verifier, begun_at: core.now(), found }
    }

    /// Keeps it. An earlier attempt ends with it.
    pub(crate) async fn keep(&self, core: &Core, holder: Holder<'_>) {
        let text = SecretText::new(to_text(self));
        core.ports.host.set_secret(&name(holder), Some(text.expose())).await;
    }

    /// The attempt that is under way.
    pub(crate) async fn read(core: &Core, holder: Holder<'_>) -> Option<Self> {
        let text = core.ports.host.secret(&name(holder)).await.map(SecretText::new)?;
        let attempt = from_text::<Self>(text.expose()).ok()?;
        Some(attempt).filter(|attempt| core.now().saturating_sub(attempt.begun_at) < LIFETIME)
    }

    /// Ends the attempt that is under way.
    pub(crate) async fn end(core: &Core, holder: Holder<'_>) {
        core.ports.host.set_secret(&name(holder), None).await;
    }

    /// The query of the address that the browser came back to, if it answers this attempt.
    fn answer<'a>(&self, redirect_url: &'a str) -> Result<&'a str, SignInError> {
        let query = redirect_url.strip_prefix(&self.redirect_uri).and_then(|rest| rest.strip_prefix('?'));
        let query = query.filter(|query| query.len() <= MAX_URL);
        let query = query.map(|query| query.split('#').next().unwrap_or_default());
        let query = query.ok_or(SignInError::InvalidRedirect { path: "/redirectUrl" })?;
        if parameter(query, "state").as_deref() != Some(self.state.as_str()) {
            return Err(SignInError::StateMismatch);
        }
        Ok(query)
    }

    /// Whether the answer comes from the server that was asked (RFC 9207 §2.4): the same characters, and nothing of another
    /// server's answer is looked at.
    fn is_from_issuer(&self, query: &str) -> bool {
        let Some(found) = &self.found else { return true };
        match parameter(query, "iss") {
            Some(issuer) => issuer == found.issuer,
            // One that stands there twice, or cannot be read, is not absent.
            None => !found.tells_issuer && !names(query, "iss"),
        }
    }

    /// Keeps who we are at the server, now that its secret can be sealed.
    async fn registered(
        mut self,
        core: &Core,
        (holder, opened): (Holder<'_>, &Opened),
    ) -> Result<Self, SignInError> {
        let Some(found) = &mut self.found else { return Ok(self) };
        let mut row = RegistrationRow {
            issuer: found.issuer.clone(),
            client_id: self.server.client_id.clone(),
            proof: self.server.proof.clone(),
            redirect_uri: None,
            expires_at: None,
        };
        if let Some(Registered { secret, in_form, expires_at }) = found.registered.take() {
            (row.redirect_uri, row.expires_at) = (Some(self.redirect_uri.clone()), expires_at);
            if let Some(secret) = secret {
                let sealed = client::sealed(core, (holder, opened), &found.issuer, secret).await;
                let secret = ClientSecret::Given(sealed.map_err(FillError::from)?);
                row.proof = if in_form { ClientProof::Post(secret) } else { ClientProof::Basic(secret) };
            }
            self.server.proof = row.proof.clone();
        } else if client::registration(core, holder)
            .await?
            .is_some_and(|known| known.record.client_id == row.client_id && known.record.issuer == row.issuer)
        {
            return Ok(self);
        }
        client::keep(core, holder, &row).await.map_err(FillError::from)?;
        Ok(self)
    }

    /// Exchanges the code for tokens.
    async fn exchange(
        &self,
        core: &Core,
        (holder, opened): (Holder<'_>, &Opened),
        code: &str,
    ) -> Result<Grant, SignInError> {
        let form = [
            "grant_type=authorization_code&code=",
            &escaped(code),
            "&redirect_uri=",
            &escaped(&self.redirect_uri),
            "&code_verifier=",
            self.verifier.expose(),
        ];
        let form = vec![Piece::Text(form.concat())];
        match tokens::request(core, (holder, opened), &self.server, form, None).await {
            Ok(grant) => Ok(grant.with_scopes(self.scopes.clone())),
            Err(GrantError::Refused(error)) => {
                if self.found.is_some() && client::is_unknown(&error) {
                    client::forget(core, holder, &self.server.client_id).await?;
                }
                Err(SignInError::Denied { error })
            }
            Err(other) => Err(FillError::from(other).into()),
        }
    }
}

/// Refuses what is not an address of the browser's own.
pub(crate) fn check_redirect(redirect_uri: &str) -> Result<(), SignInError> {
    if !redirect_uri.starts_with("https://")
        || redirect_uri.contains(['#', '?'])
        || redirect_uri.len() > MAX_URL
    {
        return Err(SignInError::InvalidRedirect { path: "/redirectUri" });
    }
    Ok(())
}

/// Begins an attempt for the active vault; the address that the browser opens. An earlier attempt ends with it.
pub async fn begin(
    core: &Core,
    tool_id: &str,
    tool: Value,
    redirect_uri: &str,
) -> Result<String, SignInError> {
    check_redirect(redirect_uri)?;
    let vault = active(core).await?;
    let proof = Proof::new(core);
    let request = Request::SignIn {
        tool,
        allowed_hosts: core.settings.read().await?.allowed_hosts,
        redirect_uri: redirect_uri.to_owned(),
        state: proof.state.clone(),
        challenge: proof.challenge.clone(),
    };
    let Reply::SignIn { authorization_url, server } = core.ports.toolbox.ask(request).await? else {
        return Err(wire::toolbox::ToolboxError::unavailable().into());
    };
    let asked = (TokenServer::from(&server), server.scopes);
    let attempt = Attempt::new(core, proof, asked, redirect_uri, None);
    attempt.keep(core, Holder { vault_id: vault.id(), tool_id }).await;
    Ok(authorization_url)
}

/// Ends an attempt with the address that the browser came back to: exchanges its code for tokens, and seals them. The vault
/// must be open, unless its password comes with it.
pub async fn finish(
    core: &Core,
    tool_id: &str,
    redirect_url: &str,
    password: &SecretText,
) -> Result<SignInState, SignInError> {
    let _working = core.working("sign-in");
    let vault = active(core).await?;
    let holder = Holder { vault_id: vault.id(), tool_id };
    let attempt = Attempt::read(core, holder).await.ok_or(SignInError::NotBegun)?;
    let query = attempt.answer(redirect_url)?;
    if !attempt.is_from_issuer(query) {
        Attempt::end(core, holder).await;
        return Err(SignInError::WrongIssuer);
    }
    let mut proven = Batch::new(Durability::Strict);
    let opened = open(core, &vault, password, &mut proven).await?;
    // A code is good for one use: whatever comes of it, the attempt is over.
    Attempt::end(core, holder).await;
    if !proven.writes().is_empty() {
        core.commit(proven).await?;
    }
    let attempt = attempt.registered(core, (holder, &opened)).await?;
    let Some(code) = parameter(query, "code").filter(|code| !code.is_empty()) else {
        let error = parameter(query, "error").filter(|error| is_error_code(error));
        return Err(SignInError::Denied { error: error.unwrap_or_else(|| "no code".to_owned()) });
    };
    let grant = attempt.exchange(core, (holder, &opened), &code).await?;
    // Earlier tokens are another sign-in's: nothing of them is taken over.
    let mut row = tokens::sealed(core, (holder, &opened), grant, None).await?;
    let note = if attempt.found.is_some() { "mcp_signed_in" } else { "tool_signed_in" };
    row.granted = attempt.found.map(|FoundServer { audience, issuer, .. }| Granted {
        audience,
        issuer,
        asked: attempt.scopes,
        server: attempt.server,
    });
    loop {
        let earlier = holder.tokens(core).await?;
        let earlier = earlier.as_ref().map(|earlier| earlier.text.as_str());
        if tokens::put(core, holder, &row, earlier, Some(note)).await? {
            return Ok(row.state());
        }
    }
}

/// Whether a tool is signed in for the active vault.
pub async fn state(core: &Core, tool_id: &str) -> Result<SignInState, SignInError> {
    let row = match core.vaults.active().await? {
        Some(vault) => Holder { vault_id: vault.record.id(), tool_id }.tokens(core).await?,
        None => None,
    };
    Ok(row.map_or_else(SignInState::default, |row| row.record.state()))
}

/// Signs a tool out: its tokens are removed. The server is not told.
pub async fn sign_out(core: &Core, tool_id: &str) -> Result<(), SignInError> {
    let vault = core.vaults.active().await?.ok_or(SecretError::NoVault)?.record;
    let holder = Holder { vault_id: vault.id(), tool_id };
    Attempt::end(core, holder).await;
    while let Some(row) = holder.tokens(core).await? {
        if tokens::forget(core, holder, &row).await? {
            break;
        }
    }
    Ok(())
}

/// The session's name of an attempt.
fn name(holder: Holder<'_>) -> String {
    ["sign-in/", &holder.key()].concat()
}

/// 32 random bytes, in characters that need no escape.
fn random(core: &Core) -> String {
    let mut bytes = [0; 32];
    core.ports.host.random(&mut bytes);
    base64_url(&bytes)
}

/// Base64 for addresses, without padding (RFC 4648 §5).
fn base64_url(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for chunk in bytes.chunks(3) {
        let group =
            chunk.iter().fold(0_u32, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for place in 0..=chunk.len() {
            let digit = group >> (18 - 6 * place) & 63;
            text.extend(DIGITS.get(digit as usize).map(|digit| char::from(*digit)));
        }
    }
    text
}

/// Whether a query has a parameter, readable or not.
fn names(query: &str, name: &str) -> bool {
    query.split('&').any(|pair| pair.split('=').next() == Some(name))
}

/// A parameter of a query, unescaped. One that comes twice, or is not escaped as it must be, is none.
fn parameter(query: &str, name: &str) -> Option<String> {
    let mut values = query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(key, _)| *key == name);
    let (_, value) = values.next()?;
    if values.next().is_some() {
        return None;
    }
    crate::http::unescaped(&value.replace('+', " "))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// T002-79: the example of RFC 7636, appendix B.
    #[test]
    fn challenge_of_the_specification() {
        let verifier: [u8; 32] = [
            116, 24, 223, 180, 151, 153, 224, 37, 79, 250, 96, 125, 216, 173, 187, 186, 22, 212, 37, 77, 105,
            214, 191, 240, 91, 88, 5, 88, 83, 132, 141, 121,
        ];
        let verifier = base64_url(&verifier);
        assert_eq!(verifier, "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk");
        let challenge = base64_url(&Sha256::digest(verifier.as_bytes()));
        assert_eq!(challenge, "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn base64_of_every_length() {
        for (bytes, expected) in [("", ""), ("f", "Zg"), ("fo", "Zm8"), ("foo", "Zm9v"), ("foob", "Zm9vYg")] {
            assert_eq!(base64_url(bytes.as_bytes()), expected);
        }
        assert_eq!(base64_url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn parameters_are_read_once() {
        let query = "code=a%2Fb+c&state=x&state=y&bad=%zz&empty=";
        let read = |name| parameter(query, name);
        assert_eq!(read("code").as_deref(), Some("a/b c"));
        assert_eq!((read("state"), read("bad"), read("none")), (None, None, None));
        assert_eq!(read("empty").as_deref(), Some(""));
    }
}
