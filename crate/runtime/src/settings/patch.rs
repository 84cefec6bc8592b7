//! PATCH `/api/settings`: what a patch may name, and what it must look like.

use super::{SettingsRow, hosts, pages};
use crate::http::ApiError;
use crate::vault::LONGEST;
use chains::Chain;
use serde_json::{Map, Value};
use wire::api::{Endpoint, SkipApproval};
use wire::sorted::SortedMap;

/// How many nodes a chain can have beside the first.
const MAX_OTHERS: usize = 5;
const ADDRESS_RULE: &str = "must be an https:// address, or http:// on this machine";

/// What a patch does to the token: nothing, `Some(None)` removes it, `Some(Some(_))` replaces it.
pub(super) type TokenChange = Option<Option<String>>;

/// Changes the settings that the patch names; returns the change of the token, which is not in the row.
pub(super) fn apply(patch: &Map<String, Value>, row: &mut SettingsRow) -> Result<TokenChange, ApiError> {
    let mut token = None;
    for (name, value) in patch {
        match (name.as_str(), value) {
            ("backend", Value::Object(fields)) => read_backend(fields, row, &mut token)?,
            ("endpoints", Value::Object(chains)) => read_endpoints(chains, &mut row.endpoints)?,
            ("skipApproval", value) => row.skip_approval = read_skip_approval(value)?,
            ("autoLockMinutes", value) => row.auto_lock_minutes = read_minutes(value)?,
            ("allowedHosts", Value::Array(entries)) => row.allowed_hosts = hosts::read(entries)?,
            ("pages", Value::Object(fields)) => pages::read(fields, &mut row.pages)?,
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
    row: &mut SettingsRow,
    token: &mut TokenChange,
) -> Result<(), ApiError> {
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("url", Value::String(url)) if url.trim().is_empty() => row.backend_url.clear(),
            ("url", Value::String(url)) => row.backend_url = check_url("/backend/url", url)?,
            ("token", Value::Null) => *token = Some(None),
            ("token", Value::String(text)) => *token = Some(Some(check_token(text)?)),
            _ => return Err(unknown(format!("/backend/{name}"))),
        }
    }
    // A token belongs to an address: without one it would be the next one's.
    if matches!(token, Some(Some(_))) && row.backend_url.is_empty() {
        return Err(ApiError::invalid("/backend/token", "needs the agent's address"));
    }
    Ok(())
}

/// Replaces the nodes of the chains that the patch names; `null` restores the built-in ones.
fn read_endpoints(
    chains: &Map<String, Value>,
    endpoints: &mut SortedMap<String, Endpoint>,
) -> Result<(), ApiError> {
    for (name, value) in chains {
        let path = format!("/endpoints/{name}");
        let Some(chain) = Chain::parse(name) else {
            return Err(ApiError::invalid(path, "is not the name of a supported chain"));
        };
        match value {
            Value::Null => endpoints.remove(chain.name()),
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

/// Accepts `https`, and plain `http` to this machine only: what the agent and the nodes send must not be altered in
/// transit.
pub(crate) fn check_url(path: &str, url: &str) -> Result<String, ApiError> {
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
    fn urls_must_be_https_or_local() {
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
        let mut row = SettingsRow { endpoints: before.collect(), ..SettingsRow::default() };
        let patch = json!({"endpoints": patch});
        match apply(patch.as_object().unwrap(), &mut row) {
            Ok(_) => Ok(row.endpoints.iter().map(|(chain, one)| (chain.clone(), one.clone())).collect()),
            Err(error) => Err(json!([error.path, error.message])),
        }
    }

    #[test]
    fn endpoints_use_canonical_chain_names() {
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
    fn endpoint_errors_name_their_path() {
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
