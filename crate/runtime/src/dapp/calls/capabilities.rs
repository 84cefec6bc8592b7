//! `wallet_getCapabilities` (EIP-5792): what a page can ask of the wallet, chain by chain.

use super::BUNDLE_METHOD;
use super::params::chain_of;
use crate::Core;
use crate::dapp::send::params::is_address;
use crate::dapp::{Page, RpcError, page::chain_id};
use chains::{Chain, Kind};
use serde_json::{Map, Value};

/// All chains.
const ALL: &str = "0x0";
/// Chain ids in one request, at most.
const MOST: usize = 1_000;

/// `wallet_getCapabilities`.
pub(crate) async fn get_capabilities(core: &Core, page: &Page, params: &Value) -> Result<Value, RpcError> {
    let (address, filter) = match params.as_array().map(Vec::as_slice) {
        Some([Value::String(address)]) => (address, None),
        Some([Value::String(address), Value::Null]) => (address, None),
        Some([Value::String(address), Value::Array(ids)]) if ids.len() <= MOST => (address, Some(ids)),
        _ => return Err(RpcError::invalid("", "must be an address and, if wanted, chain ids")),
    };
    if !is_address(address) {
        return Err(RpcError::invalid("/0", "must be an address: 0x and 40 hex digits"));
    }
    for (index, id) in filter.into_iter().flatten().enumerate() {
        if !id.as_str().is_some_and(|id| id.starts_with("0x")) {
            return Err(RpcError::invalid(format!("/1/{index}"), "must be a chain id in hex"));
        }
    }
    let vault = page.vault(core).await?;
    let granted =
        |chain: &Chain| page.grant.iter().any(|grant| grant.chains.iter().any(|name| name == chain.name()));
    let own = |chain: &Chain| {
        vault.account(chain.name()).is_some_and(|account| account.address.eq_ignore_ascii_case(address))
    };
    let mut chains = Chain::ALL.iter().copied().filter(|chain| chain.kind() == Kind::Evm && granted(chain));
    let known: Vec<Chain> = chains.by_ref().filter(own).collect();
    if known.is_empty() {
        return Err(RpcError::Unauthorized(format!("the user has not allowed this page to use {address}")));
    }
    let wanted = |chain: &Chain| {
        filter.is_none_or(|ids| {
            ids.iter().filter_map(Value::as_str).any(|id| chain_of(&shorten(id)) == Some(*chain))
        })
    };
    let mut answer = Map::new();
    let names: Vec<Value> =
        page.grant.iter().flat_map(|grant| &grant.chains).map(|name| name.clone().into()).collect();
    answer.insert(ALL.to_owned(), object(&[(BUNDLE_METHOD, bundle(Some(names)))]));
    for chain in known.into_iter().filter(wanted) {
        // The account is a plain key: no code of a contract runs several calls as one.
        let atomic = object(&[("status", "unsupported".into())]);
        answer.insert(chain_id(chain), object(&[("atomic", atomic), (BUNDLE_METHOD, bundle(None))]));
    }
    Ok(Value::Object(answer))
}

/// Without leading zeros.
fn shorten(id: &str) -> String {
    format!("0x{}", id.trim_start_matches("0x").trim_start_matches('0'))
}

fn bundle(chains: Option<Vec<Value>>) -> Value {
    let mut fields = vec![("supported", true.into()), ("maxTransactions", 256.into())];
    fields.extend(chains.map(|chains| ("chains", Value::Array(chains))));
    object(&fields)
}

fn object(fields: &[(&str, Value)]) -> Value {
    Value::Object(fields.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}
