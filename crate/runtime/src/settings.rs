//! What the person set: where the agent is, and which vault's public key names the person to it.
//!
//! The backend's token is a secret: it is kept in memory beside the worker, never in the store, until a vault
//! can seal it.

use crate::Core;
use crate::http::ApiError;
use crate::store::{self, Batch, Durability, Store, StoreError, Table};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::{BackendSettings, PublicVault, Settings, SkipApproval};
use wire::event::Event;

const KEY: &str = "settings";
const TOKEN: &str = "backend-token";

/// The settings on disk.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    #[serde(default)]
    pub(crate) backend_url: String,
    #[serde(default)]
    pub(crate) vault: Option<PublicVault>,
    /// Names this installation to the backend until there is a vault.
    #[serde(default)]
    guest_id: Option<String>,
}

/// The vault in use, if there is one.
pub(crate) async fn active_vault(store: &dyn Store) -> Result<Option<PublicVault>, StoreError> {
    let stored = store::read::<Record>(store, Table::Settings, KEY).await?;
    Ok(stored.and_then(|stored| stored.record.vault))
}

impl Core {
    async fn stored_settings(&self) -> Result<(Option<String>, Record), StoreError> {
        let stored = store::read::<Record>(&*self.ports.store, Table::Settings, KEY).await?;
        Ok(stored.map_or_else(Default::default, |stored| (Some(stored.text), stored.record)))
    }

    /// Writes the settings, unless they changed since they were read. Another vault has other coins.
    async fn write_settings(
        &self,
        before: Option<&str>,
        record: &Record,
        other_vault: bool,
    ) -> Result<(), StoreError> {
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(Table::Settings, KEY, before);
        batch.put(Table::Settings, KEY, record);
        if other_vault {
            batch.tell(&Event::VaultModified {});
        }
        self.commit(batch).await
    }

    pub(crate) async fn settings(&self) -> Result<Record, StoreError> {
        Ok(self.stored_settings().await?.1)
    }

    pub(crate) async fn backend_token(&self) -> Option<String> {
        self.ports.host.secret(TOKEN).await
    }

    /// Who we are to the backend: the vault's key, or a name of this installation while there is no vault.
    pub(crate) async fn public_key(&self) -> Result<String, StoreError> {
        loop {
            let (before, mut record) = self.stored_settings().await?;
            if let Some(vault) = record.vault {
                return Ok(vault.public_key_ecdsa);
            }
            if let Some(guest) = record.guest_id {
                return Ok(guest);
            }
            record.guest_id = Some(format!("guest-{}", self.ids.next()));
            match self.write_settings(before.as_deref(), &record, false).await {
                // Read again: what was written, by us or by somebody faster.
                Ok(()) | Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error),
            }
        }
    }

    pub(crate) async fn settings_view(&self) -> Result<Settings, StoreError> {
        let record = self.settings().await?;
        let has_token = self.backend_token().await.is_some();
        Ok(Settings {
            backend: BackendSettings { url: record.backend_url, has_token },
            skip_approval: SkipApproval::default(),
            auto_lock_minutes: 15,
        })
    }

    /// Changes what the patch names, or nothing. What waited for a better address or token goes out again.
    pub(crate) async fn patch_settings(
        self: &Rc<Self>,
        patch: &Map<String, Value>,
    ) -> Result<Settings, ApiError> {
        let token = loop {
            let (before, mut record) = self.stored_settings().await?;
            let vault = record.vault.clone();
            let token = apply(patch, &mut record)?;
            match self.write_settings(before.as_deref(), &record, record.vault != vault).await {
                Err(StoreError::Conflict { .. }) => {}
                other => break other.map(|()| token)?,
            }
        };
        if let Some(token) = token {
            self.ports.host.set_secret(TOKEN, token.as_deref()).await;
        }
        self.deliver_now().await?;
        Ok(self.settings_view().await?)
    }
}

/// A token to keep, or to forget.
type TokenChange = Option<Option<String>>;

/// Changes what the patch names; gives what it says of the token.
fn apply(patch: &Map<String, Value>, record: &mut Record) -> Result<TokenChange, ApiError> {
    let mut token = None;
    for (name, value) in patch {
        match (name.as_str(), value) {
            ("backend", Value::Object(fields)) => read_backend(fields, record, &mut token)?,
            ("vault", Value::Null) => record.vault = None,
            ("vault", value) => record.vault = Some(read_vault(value)?),
            _ => return Err(unknown(format!("/{name}"))),
        }
    }
    Ok(token)
}

fn unknown(path: String) -> ApiError {
    ApiError::invalid(path, "is not a setting, or not of its type")
}

fn read_backend(
    fields: &Map<String, Value>,
    record: &mut Record,
    token: &mut TokenChange,
) -> Result<(), ApiError> {
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("url", Value::String(url)) => record.backend_url = check_url(url)?,
            ("token", Value::Null) => *token = Some(None),
            ("token", Value::String(text)) => *token = Some(Some(check_token(text)?)),
            _ => return Err(unknown(format!("/backend/{name}"))),
        }
    }
    Ok(())
}

/// `https`, or plain `http` to this machine only: actions decide over money and must not be altered on the way.
fn check_url(url: &str) -> Result<String, ApiError> {
    let url = url.trim().trim_end_matches('/');
    let local = ["http://127.0.0.1", "http://localhost"]
        .iter()
        .filter_map(|host| url.strip_prefix(host))
        .any(|rest| rest.is_empty() || rest.starts_with([':', '/']));
    let remote = url.strip_prefix("https://").is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    let clean =
        !url.contains(['?', '#', '@', '\\']) && !url.chars().any(|c| c.is_whitespace() || c.is_control());
    if url.is_empty() || ((local || remote) && clean && url.len() <= 2_000) {
        return Ok(url.to_owned());
    }
    Err(ApiError::invalid("/backend/url", "must be an https:// address, or http:// on this machine"))
}

fn check_token(token: &str) -> Result<String, ApiError> {
    let fits = !token.is_empty() && token.len() <= 8_192 && token.bytes().all(|byte| byte.is_ascii_graphic());
    if fits {
        Ok(token.to_owned())
    } else {
        Err(ApiError::invalid("/backend/token", "must be printable ASCII"))
    }
}

fn read_vault(value: &Value) -> Result<PublicVault, ApiError> {
    let vault: PublicVault = serde_json::from_value(value.clone())
        .map_err(|error| ApiError::invalid("/vault", error.to_string()))?;
    vault::check(vault)
        .map_err(|error| ApiError::invalid(format!("/vault{}", error.path()), error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_cannot_be_altered_on_the_way() {
        for good in [
            "",
            "https://agent.example",
            "https://agent.example/v1/",
            "http://127.0.0.1:8080",
            "http://localhost",
        ] {
            assert!(check_url(good).is_ok(), "{good}");
        }
        for bad in [
            "http://agent.example",
            "http://127.0.0.1.evil.example",
            "http://localhost@evil.example",
            "ftp://x",
            "https://",
            "https:///x",
            "https://a b",
            "https://user@host",
            "https://host?x",
            "javascript:alert(1)",
        ] {
            assert!(check_url(bad).is_err(), "{bad}");
        }
        assert_eq!(check_url(" https://a.example/ ").unwrap(), "https://a.example");
    }
}
