//! What the person set: where the agent and the chains' nodes are, which vault is in use and how it is looked after.
//!
//! The backend's token is a secret: it is kept in memory beside the worker, never in the store, until a vault
//! can seal it.

use crate::Core;
use crate::http::ApiError;
use crate::store::{self, Batch, Durability, Store, StoreError, Table};
use crate::vault::{EarlierVault, LONGEST};
use chains::Chain;
use derive::Record;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::api::{BackendSettings, Endpoint, Settings, SkipApproval};
use wire::audit::AuditRecord;

/// Where the record is.
pub(crate) const KEY: &str = "settings";
const TOKEN: &str = "backend-token";
/// How many nodes a chain can have beside the first.
const MAX_OTHERS: usize = 5;
const ADDRESS_RULE: &str = "must be an https:// address, or http:// on this machine";

/// The settings on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Record {
    #[record(default)]
    pub(crate) backend_url: String,
    /// The vault in use, by its id.
    pub(crate) active_vault: Option<String>,
    /// Where the last version kept the vault; until it is taken up among the others.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) vault: Option<EarlierVault>,
    /// Names this installation to the backend until there is a vault.
    guest_id: Option<String>,
    #[record(default)]
    pub(crate) skip_approval: SkipApproval,
    #[record(default = "auto_lock_minutes")]
    pub(crate) auto_lock_minutes: u32,
    /// The nodes that the person chose, by the chain's canonical name.
    #[record(default)]
    pub(crate) endpoints: BTreeMap<String, Endpoint>,
}

const fn auto_lock_minutes() -> u32 {
    15
}

impl Default for Record {
    fn default() -> Self {
        Self {
            backend_url: String::new(),
            active_vault: None,
            vault: None,
            guest_id: None,
            skip_approval: SkipApproval::default(),
            auto_lock_minutes: auto_lock_minutes(),
            endpoints: BTreeMap::new(),
        }
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
            endpoints: record.endpoints,
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
            ("endpoints", Value::Object(chains)) => read_endpoints(chains, &mut record.endpoints)?,
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
            ("url", Value::String(url)) if url.trim().is_empty() => record.backend_url.clear(),
            ("url", Value::String(url)) => record.backend_url = check_url("/backend/url", url)?,
            ("token", Value::Null) => *token = Some(None),
            ("token", Value::String(text)) => *token = Some(Some(check_token(text)?)),
            _ => return Err(unknown(format!("/backend/{name}"))),
        }
    }
    Ok(())
}

/// Changes the nodes of the chains that the patch names; `null` gives a chain back the table's.
fn read_endpoints(
    chains: &Map<String, Value>,
    endpoints: &mut BTreeMap<String, Endpoint>,
) -> Result<(), ApiError> {
    for (name, value) in chains {
        let path = format!("/endpoints/{name}");
        let Some(chain) = Chain::parse(name) else {
            return Err(ApiError::invalid(path, "is not the name of a supported chain"));
        };
        match value {
            Value::Null => drop(endpoints.remove(chain.name())),
            Value::Object(fields) => {
                endpoints.insert(chain.name().to_owned(), read_endpoint(chain, &path, fields)?);
            }
            _ => return Err(unknown(path)),
        }
    }
    Ok(())
}

/// The first node is the table's where only the JSON-RPC node is named.
fn read_endpoint(chain: Chain, path: &str, fields: &Map<String, Value>) -> Result<Endpoint, ApiError> {
    let (mut url, mut others, mut status_url, mut rpc_url) = (None, Vec::new(), None, None);
    for (name, value) in fields {
        let path = format!("{path}/{name}");
        match (name.as_str(), value) {
            ("url", Value::String(text)) if text.trim().is_empty() => {}
            ("url", Value::String(text)) => url = Some(check_url(&path, text)?),
            ("others", Value::Array(texts)) if texts.len() > MAX_OTHERS => {
                return Err(ApiError::invalid(path, format!("must be at most {MAX_OTHERS} addresses")));
            }
            ("others", Value::Array(texts)) => others = read_urls(&path, texts)?,
            ("statusUrl", Value::String(text)) => status_url = Some(check_url(&path, text)?),
            ("rpcUrl", Value::String(text)) => rpc_url = Some(check_url(&path, text)?),
            ("others" | "statusUrl" | "rpcUrl", Value::Null) => {}
            _ => return Err(unknown(path)),
        }
    }
    let missing = || ApiError::invalid(format!("{path}/url"), ADDRESS_RULE);
    let table = rpc_url.as_ref().map(|_| chain.facts().endpoint.to_owned());
    Ok(Endpoint { url: url.or(table).ok_or_else(missing)?, others, status_url, rpc_url })
}

fn read_urls(path: &str, texts: &[Value]) -> Result<Vec<String>, ApiError> {
    let mut urls = Vec::with_capacity(texts.len());
    for (index, text) in texts.iter().enumerate() {
        urls.push(check_url(&format!("{path}/{index}"), text.as_str().unwrap_or_default())?);
    }
    Ok(urls)
}

/// `https`, or plain `http` to this machine only: actions decide over money, and a chain's word ends them; neither must
/// be altered on the way.
fn check_url(path: &str, url: &str) -> Result<String, ApiError> {
    let url = url.trim().trim_end_matches('/');
    let local = ["http://127.0.0.1", "http://localhost"]
        .iter()
        .filter_map(|host| url.strip_prefix(host))
        .any(|rest| rest.is_empty() || rest.starts_with([':', '/']));
    let remote = url.strip_prefix("https://").is_some_and(|rest| !rest.is_empty() && !rest.starts_with('/'));
    let clean =
        !url.contains(['?', '#', '@', '\\']) && !url.chars().any(|c| c.is_whitespace() || c.is_control());
    if (local || remote) && clean && url.len() <= 2_000 {
        return Ok(url.to_owned());
    }
    Err(ApiError::invalid(path, ADDRESS_RULE))
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
    wire::json::from_value(value.clone())
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
    use serde_json::json;

    #[test]
    fn only_addresses_that_cannot_be_altered_on_the_way() {
        for good in [
            "https://agent.example",
            "https://agent.example/v1/",
            "http://127.0.0.1:8080",
            "http://localhost",
        ] {
            assert!(check_url("/x", good).is_ok(), "{good}");
        }
        for bad in [
            "",
            " ",
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
            assert!(check_url("/x", bad).is_err(), "{bad}");
        }
        assert_eq!(check_url("/x", " https://a.example/ ").unwrap(), "https://a.example");
    }

    fn patched(patch: Value, before: &[(&str, &str)]) -> Result<Vec<(String, Endpoint)>, Value> {
        let endpoint =
            |url: &str| Endpoint { url: url.to_owned(), others: Vec::new(), status_url: None, rpc_url: None };
        let before = before.iter().map(|(chain, url)| ((*chain).to_owned(), endpoint(url)));
        let mut record = Record { endpoints: before.collect(), ..Record::default() };
        let patch = json!({"endpoints": patch});
        match apply(patch.as_object().unwrap(), &mut record) {
            Ok(_) => Ok(record.endpoints.into_iter().collect()),
            Err(error) => Err(json!([error.path, error.message])),
        }
    }

    #[test]
    fn endpoints_are_kept_under_the_chains_own_names() {
        let patch = json!({
            "ETHEREUM": {"url": " https://a.example/v3/key/ ", "others": ["http://127.0.0.1:8545"]},
            "polkadot": {"url": "https://b.example", "statusUrl": "https://s.example", "others": null},
            "Bitcoin": null,
        });
        let ethereum = Endpoint {
            url: "https://a.example/v3/key".to_owned(),
            others: vec!["http://127.0.0.1:8545".to_owned()],
            status_url: None,
            rpc_url: None,
        };
        let polkadot = Endpoint {
            url: "https://b.example".to_owned(),
            others: Vec::new(),
            status_url: Some("https://s.example".to_owned()),
            rpc_url: None,
        };
        let before = [("Bitcoin", "https://gone.example"), ("Ethereum", "https://old.example")];
        let expected = [("Ethereum".to_owned(), ethereum), ("Polkadot".to_owned(), polkadot)];
        assert_eq!(patched(patch, &before).unwrap(), expected);
    }

    /// A JSON-RPC node alone is enough: the other questions go to the table's node.
    #[test]
    fn a_json_rpc_node_stands_beside_the_tables() {
        let patch = json!({"zcash": {"url": "", "rpcUrl": "http://127.0.0.1:8232"}});
        let zcash = Endpoint {
            url: Chain::Zcash.facts().endpoint.to_owned(),
            others: Vec::new(),
            status_url: None,
            rpc_url: Some("http://127.0.0.1:8232".to_owned()),
        };
        assert_eq!(patched(patch, &[]).unwrap(), [("Zcash".to_owned(), zcash)]);
    }

    #[test]
    fn a_mistake_in_an_endpoint_is_named_by_its_place() {
        let good = "https://a.example";
        for (patch, path, message) in [
            (json!({"Ethereum": {"url": "http://a.example"}}), "/endpoints/Ethereum/url", ADDRESS_RULE),
            (json!({"Ethereum": {"url": ""}}), "/endpoints/Ethereum/url", ADDRESS_RULE),
            (json!({"Ethereum": {}}), "/endpoints/Ethereum/url", ADDRESS_RULE),
            (
                json!({"Ethereum": {"url": good, "others": [good, "ftp://x"]}}),
                "/endpoints/Ethereum/others/1",
                ADDRESS_RULE,
            ),
            (json!({"Ethereum": {"url": good, "others": [7]}}), "/endpoints/Ethereum/others/0", ADDRESS_RULE),
            (
                json!({"Ethereum": {"url": good, "others": [good, good, good, good, good, good]}}),
                "/endpoints/Ethereum/others",
                "must be at most 5 addresses",
            ),
            (
                json!({"Ethereum": {"url": good, "statusUrl": "x"}}),
                "/endpoints/Ethereum/statusUrl",
                ADDRESS_RULE,
            ),
            (
                json!({"Ethereum": {"url": good, "key": "x"}}),
                "/endpoints/Ethereum/key",
                "is not a setting, or not of its type",
            ),
            (json!({"Ethereum": 7}), "/endpoints/Ethereum", "is not a setting, or not of its type"),
            (json!({"Moon": null}), "/endpoints/Moon", "is not the name of a supported chain"),
        ] {
            assert_eq!(patched(patch.clone(), &[]).unwrap_err(), json!([path, message]), "{patch}");
        }
    }
}
