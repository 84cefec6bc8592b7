//! `/api/vaults`: the user's vaults. Passwords, phrases and keys go from the body into [`SecretText`] and from there to
//! the signer; no answer and no record holds any of them.

use super::routes::object;
use super::{ApiError, Reply, RouteError};
use crate::Core;
use crate::vault::{self, LONGEST, MAX_NAME};
use std::rc::Rc;
use wire::json::{Body, FieldError, Object};
use wire::secret::SecretText;
use wire::signer::{DecodeRequest, KeyRequest, Origin, Request};
use wire::vault::{ChainPublicKey, PublicKeys};

/// The shortest password, in characters.
const SHORTEST_PASSWORD: usize = 8;

pub(super) async fn list(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &vault::view_all(core).await?))
}

pub(super) async fn create(core: &Core, body: &str) -> Result<Reply, ApiError> {
    let request = read_vault(&read(body)?.object())?;
    Ok(Reply::json(201, &vault::create(core, request).await?))
}

pub(super) async fn rename(core: &Core, id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = read(body)?;
    let fields = body.object();
    let name = read_name(&fields)?;
    fields.end()?;
    Ok(Reply::json(200, &vault::rename(core, id, &name).await?))
}

pub(super) async fn activate(core: &Core, id: &str) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &vault::activate(core, id).await?))
}

pub(super) async fn unlock(core: &Core, id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = read(body)?;
    let fields = body.object();
    let password = fields.required_secret("password")?;
    let minutes = fields.number("minutes", 1, LONGEST)?;
    fields.end()?;
    Ok(Reply::json(200, &vault::unlock(core, id, &password, minutes).await?))
}

pub(super) async fn lock(core: &Core, id: &str) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &vault::lock(core, id).await?))
}

pub(super) async fn export(core: &Core, id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = read(body)?;
    let fields = body.object();
    let password = fields.required_secret("password")?;
    fields.end()?;
    Ok(Reply::json(200, &vault::export(core, id, password).await?))
}

pub(super) async fn change_password(core: &Core, id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = read(body)?;
    let fields = body.object();
    let password = fields.required_secret("password")?;
    let new_password = fields.required_secret("newPassword")?;
    fields.end()?;
    check_password(&new_password, "/newPassword")?;
    Ok(Reply::json(200, &vault::change_password(core, id, password, new_password).await?))
}

/// Answers with the remaining vaults. A vault without a password needs no body.
pub(super) async fn delete(core: &Rc<Core>, id: &str, body: &str) -> Result<Reply, ApiError> {
    let body = read(if body.is_empty() { "{}" } else { body })?;
    let fields = body.object();
    let password = fields.secret("password")?;
    fields.end()?;
    vault::delete(core, id, password).await?;
    list(core).await
}

/// The body, wiped when it goes.
fn read(body: &str) -> Result<Body, ApiError> {
    object(body).map(Body::new)
}

/// The request to the signer, by the vault's kind.
fn read_vault(fields: &Object<'_>) -> Result<Request, ApiError> {
    match fields.required_text("kind")? {
        "local" => read_local(fields),
        "watch" => read_watch(fields),
        "file" => read_file(fields),
        "fast" => Err(ApiError::from(RouteError::UnsupportedKind).at("/kind")),
        _ => Err(ApiError::invalid("/kind", "must be local, watch or file")),
    }
}

fn read_local(fields: &Object<'_>) -> Result<Request, ApiError> {
    let name = read_name(fields)?;
    let password = fields.required_secret("password")?;
    let origin = match (fields.secret("mnemonic")?, fields.object("keys")?) {
        (None, None) => Origin::Random,
        (Some(words), None) => {
            Origin::Phrase { words, passphrase: fields.secret("passphrase")?.unwrap_or_default() }
        }
        (None, Some(keys)) => {
            let origin = Origin::Keys {
                ecdsa: keys.required_secret("ecdsa")?,
                eddsa: keys.required_secret("eddsa")?,
                chain_code: keys.required_secret("chainCode")?,
            };
            keys.end()?;
            origin
        }
        (Some(_), Some(_)) => {
            return Err(ApiError::invalid("/keys", "a vault is made of a phrase or of keys, not of both"));
        }
    };
    fields.end()?;
    check_password(&password, "/password")?;
    Ok(KeyRequest::NewVault { name, password, origin }.into())
}

fn read_watch(fields: &Object<'_>) -> Result<Request, ApiError> {
    let name = read_name(fields)?;
    let chain_key = |entry: Object<'_>| {
        let key = ChainPublicKey {
            chain: entry.required_text("chain")?.to_owned(),
            public_key: entry.required_text("publicKey")?.to_owned(),
        };
        entry.end().map(|()| key)
    };
    let keys = PublicKeys {
        public_key_ecdsa: fields.required_text("publicKeyEcdsa")?.to_owned(),
        public_key_eddsa: fields.required_text("publicKeyEddsa")?.to_owned(),
        hex_chain_code: fields.required_text("hexChainCode")?.to_owned(),
        chain_public_keys: fields
            .objects("chainPublicKeys")?
            .into_iter()
            .map(chain_key)
            .collect::<Result<_, FieldError>>()?,
    };
    fields.end()?;
    Ok(DecodeRequest::WatchVault { name, keys }.into())
}

/// Without a name of its own the vault has the file's, and without a password the file's.
fn read_file(fields: &Object<'_>) -> Result<Request, ApiError> {
    let name = fields.text("name")?.unwrap_or_default();
    let name = if name.trim().is_empty() { String::new() } else { check_name(name)? };
    let text = fields.required_secret("file")?;
    let file_password = fields.secret("filePassword")?.unwrap_or_default();
    let password = fields.secret("password")?.unwrap_or_else(|| file_password.clone());
    fields.end()?;
    check_password(&password, "/password")?;
    Ok(KeyRequest::NewVault { name, password, origin: Origin::File { text, file_password } }.into())
}

fn read_name(fields: &Object<'_>) -> Result<String, ApiError> {
    check_name(fields.text("name")?.unwrap_or_default())
}

fn check_name(name: &str) -> Result<String, ApiError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME {
        return Err(ApiError::invalid("/name", "a vault needs a name of at most 100 characters"));
    }
    Ok(name.to_owned())
}

fn check_password(password: &SecretText, path: &str) -> Result<(), ApiError> {
    if password.expose().chars().count() < SHORTEST_PASSWORD {
        return Err(ApiError::from(RouteError::WeakPassword).at(path));
    }
    Ok(())
}
