//! Signing a tool in to its OAuth 2 server, in two requests of a page: one for the address that the browser opens, one with
//! the address that it came back to. By PKCE with `S256` (RFC 7636); what belongs to one attempt is in the browser's
//! session, and is used once.

use super::tokens::{self, GrantError, Holder, escaped, is_error_code};
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
use wire::toolbox::{OAuthServer, Reply, Request};

/// An attempt that takes longer is begun anew.
const LIFETIME: Millis = 10 * 60_000;
/// The longest address of a redirection, in bytes.
const MAX_URL: usize = 8192;

/// An attempt, kept until the browser comes back.
#[derive(Debug, Record)]
#[serde(rename_all = "camelCase")]
struct Attempt {
    server: OAuthServer,
    redirect_uri: String,
    state: String,
    verifier: SecretText,
    begun_at: Millis,
}

/// Begins an attempt for the active vault; the address that the browser opens. An earlier attempt ends with it.
pub async fn begin(
    core: &Core,
    tool_id: &str,
    tool: Value,
    redirect_uri: &str,
) -> Result<String, SignInError> {
    if !redirect_uri.starts_with("https://")
        || redirect_uri.contains(['#', '?'])
        || redirect_uri.len() > MAX_URL
    {
        return Err(SignInError::InvalidRedirect { path: "/redirectUri" });
    }
    let vault = active(core).await?;
    let (state, verifier) = (random(core), random(core));
    let request = Request::SignIn {
        tool,
        allowed_hosts: core.settings.read().await?.allowed_hosts,
        redirect_uri: redirect_uri.to_owned(),
        state: state.clone(),
        challenge: base64_url(&Sha256::digest(verifier.as_bytes())),
    };
    let Reply::SignIn { authorization_url, server } = core.ports.toolbox.ask(request).await? else {
        return Err(wire::toolbox::ToolboxError::unavailable().into());
    };
    let attempt = Attempt {
        server,
        redirect_uri: redirect_uri.to_owned(),
        state,
        verifier: SecretText::new(verifier),
        begun_at: core.now(),
    };
    core.ports.host.set_secret(&name(vault.id(), tool_id), Some(&to_text(&attempt))).await;
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
    let name = name(vault.id(), tool_id);
    let attempt = core.ports.host.secret(&name).await.map(SecretText::new);
    let attempt = attempt.and_then(|text| from_text::<Attempt>(text.expose()).ok());
    let attempt = attempt.filter(|attempt| core.now().saturating_sub(attempt.begun_at) < LIFETIME);
    let attempt = attempt.ok_or(SignInError::NotBegun)?;
    let query = redirect_url.strip_prefix(&attempt.redirect_uri).and_then(|rest| rest.strip_prefix('?'));
    let query =
        query.filter(|query| query.len() <= MAX_URL).map(|query| query.split('#').next().unwrap_or_default());
    let query = query.ok_or(SignInError::InvalidRedirect { path: "/redirectUrl" })?;
    if parameter(query, "state").as_deref() != Some(attempt.state.as_str()) {
        return Err(SignInError::StateMismatch);
    }
    let mut proven = Batch::new(Durability::Strict);
    let opened = open(core, &vault, password, &mut proven).await?;
    // A code is good for one use: whatever comes of it, the attempt is over.
    core.ports.host.set_secret(&name, None).await;
    if !proven.writes().is_empty() {
        core.commit(proven).await?;
    }
    let Some(code) = parameter(query, "code").filter(|code| !code.is_empty()) else {
        let error = parameter(query, "error").filter(|error| is_error_code(error));
        return Err(SignInError::Denied { error: error.unwrap_or_else(|| "no code".to_owned()) });
    };
    let form = [
        "grant_type=authorization_code&code=",
        &escaped(&code),
        "&redirect_uri=",
        &escaped(&attempt.redirect_uri),
        "&code_verifier=",
        attempt.verifier.expose(),
    ];
    let holder = Holder { vault_id: vault.id(), tool_id };
    let form = vec![Piece::Text(form.concat())];
    let grant = tokens::request(core, (holder, &opened), &attempt.server, form, None).await;
    let grant = grant.map_err(|error| match error {
        GrantError::Refused(error) => SignInError::Denied { error },
        other => FillError::from(other).into(),
    })?;
    let grant = grant.with_scopes(attempt.server.scopes);
    // Earlier tokens are another sign-in's: nothing of them is taken over.
    let row = tokens::sealed(core, (holder, &opened), grant, None).await?;
    loop {
        let earlier = holder.tokens(core).await?;
        let earlier = earlier.as_ref().map(|earlier| earlier.text.as_str());
        if tokens::put(core, holder, &row, earlier, Some("tool_signed_in")).await? {
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
    core.ports.host.set_secret(&name(vault.id(), tool_id), None).await;
    while let Some(row) = holder.tokens(core).await? {
        if tokens::forget(core, holder, &row).await? {
            break;
        }
    }
    Ok(())
}

/// The session's name of an attempt.
fn name(vault_id: &str, tool_id: &str) -> String {
    ["sign-in/", vault_id, "/", tool_id].concat()
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
