//! `/api/vaults`: making vaults and looking after them. Passwords, phrases and keys go from the body into
//! [`SecretText`] and from there to the signer; no answer and no record has anything of them.

use super::fields::Fields;
use super::{ApiError, Reply};
use crate::Core;
use crate::tool::coins;
use crate::vault::{LONGEST, MAX_NAME};
use wire::coins::Coins;
use wire::secret::SecretText;
use wire::signer::{Origin, Request};
use wire::vault::{ChainPublicKey, PublicKeys};

/// No password is shorter, in characters.
const SHORTEST_PASSWORD: usize = 8;

impl Core {
    pub(super) async fn get_vaults(&self) -> Result<Reply, ApiError> {
        Ok(Reply::json(200, &self.vaults().await?))
    }

    pub(super) async fn post_vault(&self, body: &str) -> Result<Reply, ApiError> {
        let request = read_vault(Fields::of(body)?)?;
        Ok(Reply::json(201, &self.create_vault(request).await?))
    }

    pub(super) async fn patch_vault(&self, id: &str, body: &str) -> Result<Reply, ApiError> {
        let mut fields = Fields::of(body)?;
        let name = read_name(&mut fields)?;
        fields.end()?;
        Ok(Reply::json(200, &self.rename_vault(id, &name).await?))
    }

    pub(super) async fn activate(&self, id: &str) -> Result<Reply, ApiError> {
        Ok(Reply::json(200, &self.activate_vault(id).await?))
    }

    pub(super) async fn post_unlock(&self, id: &str, body: &str) -> Result<Reply, ApiError> {
        let mut fields = Fields::of(body)?;
        let password = fields.required_secret("password")?;
        let minutes = fields.number("minutes", 1, LONGEST)?;
        fields.end()?;
        Ok(Reply::json(200, &self.unlock_vault(id, &password, minutes).await?))
    }

    pub(super) async fn post_lock(&self, id: &str) -> Result<Reply, ApiError> {
        let id = self.vault(id).await?.record.id().to_owned();
        self.lock_vault(&id).await?;
        Ok(Reply::json(200, &self.vault_view(&id).await?))
    }

    pub(super) async fn post_export(&self, id: &str, body: &str) -> Result<Reply, ApiError> {
        let mut fields = Fields::of(body)?;
        let password = fields.required_secret("password")?;
        fields.end()?;
        Ok(Reply::json(200, &self.export_vault(id, password).await?))
    }

    pub(super) async fn post_password(&self, id: &str, body: &str) -> Result<Reply, ApiError> {
        let mut fields = Fields::of(body)?;
        let password = fields.required_secret("password")?;
        let new_password = fields.required_secret("newPassword")?;
        fields.end()?;
        check_password(&new_password, "/newPassword")?;
        Ok(Reply::json(200, &self.change_password(id, password, new_password).await?))
    }

    /// Answers with the vaults that are left. A vault without a password needs no body.
    pub(super) async fn delete(&self, id: &str, body: &str) -> Result<Reply, ApiError> {
        let mut fields = Fields::of(if body.is_empty() { "{}" } else { body })?;
        let password = fields.secret("password")?;
        fields.end()?;
        self.delete_vault(id, password).await?;
        Ok(Reply::json(200, &self.vaults().await?))
    }

    pub(super) async fn get_coins(&self, id: &str) -> Result<Reply, ApiError> {
        let vault = self.vault(id).await?.record;
        Ok(Reply::json(200, &Coins { coins: coins::of_vault(&*self.ports.store, vault.id()).await? }))
    }
}

/// What the signer is to make, by the vault's kind.
fn read_vault(mut fields: Fields) -> Result<Request, ApiError> {
    match fields.required_text("kind")?.as_str() {
        "local" => read_local(fields),
        "watch" => read_watch(fields),
        "file" => read_file(fields),
        "fast" => {
            let message = "vaults that sign with a server cannot be made in this version";
            Err(ApiError::new(400, "unsupported_kind", message).at("/kind"))
        }
        _ => Err(ApiError::invalid("/kind", "must be local, watch or file")),
    }
}

fn read_local(mut fields: Fields) -> Result<Request, ApiError> {
    let name = read_name(&mut fields)?;
    let password = fields.required_secret("password")?;
    let origin = match (fields.secret("mnemonic")?, fields.object("keys")?) {
        (None, None) => Origin::Random,
        (Some(words), None) => {
            Origin::Phrase { words, passphrase: fields.secret("passphrase")?.unwrap_or_default() }
        }
        (None, Some(mut keys)) => {
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
    Ok(Request::NewVault { name, password, origin })
}

fn read_watch(mut fields: Fields) -> Result<Request, ApiError> {
    let name = read_name(&mut fields)?;
    let chain_key = |mut entry: Fields| {
        let key = ChainPublicKey {
            chain: entry.required_text("chain")?,
            public_key: entry.required_text("publicKey")?,
        };
        entry.end().map(|()| key)
    };
    let keys = PublicKeys {
        public_key_ecdsa: fields.required_text("publicKeyEcdsa")?,
        public_key_eddsa: fields.required_text("publicKeyEddsa")?,
        hex_chain_code: fields.required_text("hexChainCode")?,
        chain_public_keys: fields
            .objects("chainPublicKeys")?
            .into_iter()
            .map(chain_key)
            .collect::<Result<_, _>>()?,
    };
    fields.end()?;
    Ok(Request::WatchVault { name, keys })
}

/// Without a name of its own the vault has the file's, and without a password the file's.
fn read_file(mut fields: Fields) -> Result<Request, ApiError> {
    let name = fields.text("name")?.unwrap_or_default();
    let name = if name.trim().is_empty() { String::new() } else { check_name(&name)? };
    let text = fields.required_secret("file")?;
    let file_password = fields.secret("filePassword")?.unwrap_or_default();
    let password = fields.secret("password")?.unwrap_or_else(|| file_password.clone());
    fields.end()?;
    check_password(&password, "/password")?;
    Ok(Request::NewVault { name, password, origin: Origin::File { text, file_password } })
}

fn read_name(fields: &mut Fields) -> Result<String, ApiError> {
    check_name(&fields.text("name")?.unwrap_or_default())
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
        return Err(ApiError::new(400, "weak_password", "must have at least 8 characters").at(path));
    }
    Ok(())
}
