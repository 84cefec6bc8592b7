//! What the person set: where the agent is, which vault is in use and how it is looked after.
//!
//! The backend's token is a secret: it is kept in memory beside the worker, never in the store, until a vault
//! can seal it.

use crate::Core;
use crate::http::ApiError;
use crate::store::{self, Batch, Durability, Store, StoreError, Table};
use crate::vault::{EarlierVault, LONGEST};
use serde::Serialize;
use serde_json::{Map, Value};
use std::rc::Rc;
use wire::api::{BackendSettings, Settings, SkipApproval};
use wire::audit::AuditRecord;
use wire::fields::{FieldError, Fields, FromFields, FromValue};
use wire::read_by_fields;

/// Where the record is.
pub(crate) const KEY: &str = "settings";
const TOKEN: &str = "backend-token";

/// The settings on disk.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    pub(crate) backend_url: String,
    /// The vault in use, by its id.
    pub(crate) active_vault: Option<String>,
    /// Where the last version kept the vault; until it is taken up among the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) vault: Option<EarlierVault>,
    /// Names this installation to the backend until there is a vault.
    guest_id: Option<String>,
    pub(crate) skip_approval: SkipApproval,
    pub(crate) auto_lock_minutes: u32,
}

impl Default for Record {
    fn default() -> Self {
        Self {
            backend_url: String::new(),
            active_vault: None,
            vault: None,
            guest_id: None,
            skip_approval: SkipApproval::default(),
            auto_lock_minutes: 15,
        }
    }
}

read_by_fields!(Record);

impl FromFields for Record {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        let minutes: Option<u32> = fields.take("autoLockMinutes")?;
        Ok(Self {
            backend_url: fields.take_or_default("backendUrl")?,
            active_vault: fields.take("activeVault")?,
            vault: fields.take("vault")?,
            guest_id: fields.take("guestId")?,
            skip_approval: fields.take_or_default("skipApproval")?,
            auto_lock_minutes: minutes.unwrap_or_else(|| Self::default().auto_lock_minutes),
        })
    }
}

/// The settings, with the text that a precondition can name.
pub(crate) async fn stored(store: &dyn Store) -> Result<(Option<String>, Record), StoreError> {
    let stored = store::read::<Record>(store, Table::Settings, KEY).await?;
    Ok(stored.map_or_else(Default::default, |stored| (Some(stored.text), stored.record)))
}

/// Writes the settings, unless they changed since they were read.
fn staged(before: Option<&str>, record: &Record) -> Batch {
    let mut batch = Batch::new(Durability::Strict);
    batch.expect(Table::Settings, KEY, before);
    batch.put(Table::Settings, KEY, record);
    batch
}

impl Core {
    pub(crate) async fn stored_settings(&self) -> Result<(Option<String>, Record), StoreError> {
        stored(&*self.ports.store).await
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
            let earlier = record.vault.as_ref().map(|vault| &vault.keys.public_key_ecdsa);
            if let Some(name) = record.active_vault.as_ref().or(earlier).or(record.guest_id.as_ref()) {
                return Ok(name.clone());
            }
            record.guest_id = Some(format!("guest-{}", self.ids.next()));
            match self.commit(staged(before.as_deref(), &record)).await {
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
            skip_approval: record.skip_approval,
            auto_lock_minutes: record.auto_lock_minutes,
        })
    }

    /// Changes what the patch names, or nothing. What waited for a better address or token goes out again.
    pub(crate) async fn patch_settings(
        self: &Rc<Self>,
        patch: &Map<String, Value>,
    ) -> Result<Settings, ApiError> {
        let token = loop {
            let (before, mut record) = self.stored_settings().await?;
            let token = apply(patch, &mut record)?;
            let mut batch = staged(before.as_deref(), &record);
            batch.note(AuditRecord::Change { what: "settings_changed".to_owned(), subject: None });
            match self.commit(batch).await {
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
            ("skipApproval", value) => record.skip_approval = read_skip_approval(value)?,
            ("autoLockMinutes", value) => record.auto_lock_minutes = read_minutes(value)?,
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

fn read_skip_approval(value: &Value) -> Result<SkipApproval, ApiError> {
    SkipApproval::from_value(value.clone(), "skipApproval")
        .map_err(|_| ApiError::invalid("/skipApproval", "must be confirmed, always or never"))
}

fn read_minutes(value: &Value) -> Result<u32, ApiError> {
    value
        .as_u64()
        .and_then(|minutes| u32::try_from(minutes).ok())
        .filter(|minutes| (1..=LONGEST).contains(minutes))
        .ok_or_else(|| ApiError::invalid("/autoLockMinutes", "must be from 1 to 1440"))
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
