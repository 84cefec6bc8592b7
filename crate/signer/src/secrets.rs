//! Secrets of tools: sealed with the vault's scheme under a key that is derived from the vault's secret, and filled into
//! requests that others wrote.
//!
//! What is sealed is bound to its purpose, the vault's id and its name: `countersign secret`, 0, id, 0, name (for tokens
//! `countersign tokens`, 0, id, 0, tool id) is authenticated with it. A text that is moved under another name, another tool
//! or another vault does not open.

mod fill;

pub(crate) use fill::{FillError, fill};

use crate::device::Device;
use crate::error::AnswerError;
use crate::opened::{open, vault_id};
use derive::Record;
use vault::KeyRing;
use vault::seal::{open_with_key, seal_with_key};
use wire::json::{from_text, to_text};
use wire::secret::SecretText;
use wire::signer::{Opened, Reply};
use zeroize::Zeroizing;

const SECRET: &str = "countersign secret";
const TOKENS: &str = "countersign tokens";

/// What an OAuth 2 server gave for a tool.
#[derive(Debug, Record)]
pub(crate) struct Tokens {
    pub(crate) access: SecretText,
    pub(crate) refresh: Option<SecretText>,
}

/// Seals a secret under its name.
pub(crate) fn seal_secret(
    opened: &Opened,
    name: &str,
    value: &SecretText,
    device: &mut dyn Device,
) -> Result<Reply, AnswerError> {
    let bound = bound_to(SECRET, opened, name);
    let keys = open(opened)?;
    let sealed = seal_with_key(keys.tool_secrets_key(), &bound, value.expose().as_bytes(), device)?;
    Ok(Reply::Sealed { sealed })
}

/// Seals the tokens of a tool. Where the server gave no refresh token, the earlier one stays.
pub(crate) fn seal_tokens(
    opened: &Opened,
    tool_id: &str,
    mut tokens: Tokens,
    earlier: Option<&str>,
    device: &mut dyn Device,
) -> Result<Reply, AnswerError> {
    let keys = open(opened)?;
    if tokens.refresh.is_none()
        && let Some(earlier) = earlier
    {
        tokens.refresh = open_tokens(&keys, opened, tool_id, earlier)?.refresh;
    }
    let text = Zeroizing::new(to_text(&tokens));
    let bound = bound_to(TOKENS, opened, tool_id);
    let sealed = seal_with_key(keys.tool_secrets_key(), &bound, text.as_bytes(), device)?;
    Ok(Reply::Sealed { sealed })
}

fn open_tokens(keys: &KeyRing, opened: &Opened, tool_id: &str, sealed: &str) -> Result<Tokens, FillError> {
    let text = unsealed(keys, &bound_to(TOKENS, opened, tool_id), sealed);
    let tokens = text.and_then(|text| from_text(text.expose()).ok());
    tokens.ok_or(FillError::TokensUnreadable)
}

fn open_secret(keys: &KeyRing, opened: &Opened, name: &str, sealed: &str) -> Result<SecretText, FillError> {
    let text = unsealed(keys, &bound_to(SECRET, opened, name), sealed);
    text.ok_or_else(|| FillError::SecretUnreadable { name: name.to_owned() })
}

/// What was sealed for exactly this, as text.
fn unsealed(keys: &KeyRing, bound: &[u8], sealed: &str) -> Option<SecretText> {
    let bytes = open_with_key(keys.tool_secrets_key(), bound, sealed).ok()?;
    str::from_utf8(&bytes).ok().map(|text| SecretText::new(text.to_owned()))
}

/// What a sealed text is good for.
fn bound_to(purpose: &str, opened: &Opened, name: &str) -> Vec<u8> {
    [purpose, vault_id(opened), name].join("\0").into_bytes()
}
