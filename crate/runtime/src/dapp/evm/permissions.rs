//! EIP-2255: `wallet_requestPermissions`, `wallet_getPermissions`, `wallet_revokePermissions`. Permissions are a view of the
//! page's grant: its EVM accounts, and the EVM chains that it may use.

use super::addresses;
use crate::Core;
use crate::connection::{Grant, leave};
use crate::dapp::connect::{Wanted, connect, evm_chains};
use crate::dapp::error::RpcError;
use crate::dapp::page::{Page, chain_id};
use crate::dapp::params::{ChainId, no_others, only_object};
use crate::dapp::send::params::is_address;
use crate::id::derived;
use chains::{Chain, Kind};
use serde_json::{Map, Value, json};
use std::rc::Rc;
use wire::vault::Vault;

const ACCOUNTS: &str = "eth_accounts";
const CHAINS: &str = "endowment:permitted-chains";
const ONLY_ACCOUNTS: &str = "restrictReturnedAccounts";
const ONLY_CHAINS: &str = "restrictNetworkSwitching";
/// Chains that a request may name.
const MAX_CHAINS: usize = 100;

/// What the page may do now; nothing before it was let in.
pub(in crate::dapp) async fn get_permissions(core: &Core, page: &Page) -> Result<Value, RpcError> {
    match (&page.grant, page.vault(core).await) {
        (Some(grant), Ok(vault)) => Ok(view(grant, &vault)),
        (_, Err(error @ RpcError::Store(_))) => Err(error),
        _ => Ok(Value::Array(Vec::new())),
    }
}

/// Asks for accounts, on the chains that are named where some are. Refuses what is not a permission of this wallet.
pub(in crate::dapp) async fn request_permissions(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let asked = asked(&params)?;
    let wanted = if asked.is_empty() { Wanted::Evm } else { Wanted::Chains(asked) };
    let (grant, vault) = connect(core, page, &wanted).await?;
    Ok(view(&grant, &vault))
}

/// The page gives up its EVM accounts, or some chains. One that has none is answered alike.
pub(in crate::dapp) async fn revoke_permissions(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let chains = asked(&params)?;
    let all = chains.is_empty() || named(&params)?.0.contains_key(ACCOUNTS);
    leave(core, &page.origin, |chain| match all {
        true => chain.kind() == Kind::Evm,
        false => chains.contains(&chain),
    })
    .await?;
    Ok(Value::Null)
}

fn named(params: &Value) -> Result<(&Map<String, Value>, &'static str), RpcError> {
    let (fields, place) = only_object(params)?;
    if fields.is_empty() {
        return Err(RpcError::invalid(place, "names no permission"));
    }
    no_others(place, fields, &[ACCOUNTS, CHAINS])?;
    Ok((fields, place))
}

/// The chains that permissions name; none where they name accounts alone.
fn asked(params: &Value) -> Result<Vec<Chain>, RpcError> {
    let (fields, place) = named(params)?;
    if let Some(accounts) = fields.get(ACCOUNTS) {
        let at = format!("{place}/{ACCOUNTS}");
        for (index, value) in caveats(&at, accounts, ONLY_ACCOUNTS)? {
            accounts_of(&format!("{at}/caveats/{index}/value"), value)?;
        }
        if let Some(value) = accounts.get(ONLY_ACCOUNTS) {
            accounts_of(&format!("{at}/{ONLY_ACCOUNTS}"), value)?;
        }
    }
    let Some(permission) = fields.get(CHAINS) else { return Ok(Vec::new()) };
    let at = format!("{place}/{CHAINS}");
    let mut chains: Vec<Chain> = Vec::new();
    for (index, value) in caveats(&at, permission, ONLY_CHAINS)? {
        let at = format!("{at}/caveats/{index}/value");
        let Value::Array(ids) = value else { return Err(RpcError::invalid(at, "must be an array")) };
        if ids.len() > MAX_CHAINS {
            return Err(RpcError::invalid(at, "names more chains than there are"));
        }
        for (place, id) in ids.iter().enumerate() {
            let id = id.as_str().and_then(ChainId::parse);
            let id =
                id.ok_or_else(|| RpcError::invalid(format!("{at}/{place}"), "must be a chain id in hex"))?;
            let chain = id.chain()?;
            if !chains.contains(&chain) {
                chains.push(chain);
            }
        }
    }
    Ok(chains)
}

/// The accounts of a caveat must be addresses. Which account the page gets, the user chooses.
fn accounts_of(at: &str, value: &Value) -> Result<(), RpcError> {
    let is_account = |value: &Value| value.as_str().is_some_and(is_address);
    match value {
        Value::Array(accounts) if accounts.iter().all(is_account) => Ok(()),
        _ => Err(RpcError::invalid(at, "must be an array of addresses")),
    }
}

/// The values of the caveats of a kind, with their places. Another kind of caveat is refused: it would seem to hold.
fn caveats<'a>(at: &str, permission: &'a Value, kind: &str) -> Result<Vec<(usize, &'a Value)>, RpcError> {
    let Value::Object(fields) = permission else { return Err(RpcError::invalid(at, "must be an object")) };
    no_others(at, fields, &["caveats", ONLY_ACCOUNTS])?;
    let caveats = match fields.get("caveats") {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(caveats)) => caveats,
        Some(_) => return Err(RpcError::invalid(format!("{at}/caveats"), "must be an array")),
    };
    let mut values = Vec::new();
    for (index, caveat) in caveats.iter().enumerate() {
        let at = format!("{at}/caveats/{index}");
        let Value::Object(caveat) = caveat else { return Err(RpcError::invalid(at, "must be an object")) };
        if caveat.get("type").and_then(Value::as_str) != Some(kind) {
            return Err(RpcError::invalid(format!("{at}/type"), format!("must be {kind}")));
        }
        values.push((index, caveat.get("value").unwrap_or(&Value::Null)));
    }
    Ok(values)
}

/// A grant as permissions.
fn view(grant: &Grant, vault: &Vault) -> Value {
    let chains: Vec<String> = evm_chains(grant).map(chain_id).collect();
    if chains.is_empty() {
        return Value::Array(Vec::new());
    }
    let permission = |name: &str, kind: &str, value: Vec<String>| {
        json!({
            "id": derived(&["permission", &grant.origin, name]),
            "parentCapability": name,
            "invoker": grant.origin,
            "caveats": [{"type": kind, "value": value}],
            "date": grant.connected_at,
        })
    };
    Value::Array(vec![
        permission(ACCOUNTS, ONLY_ACCOUNTS, addresses(grant, vault)),
        permission(CHAINS, ONLY_CHAINS, chains),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn permissions_are_checked() {
        let chains = |ids: Value| json!([{CHAINS: {"caveats": [{"type": ONLY_CHAINS, "value": ids}]}}]);
        assert_eq!(asked(&json!([{ACCOUNTS: {}}])), Ok(vec![]));
        assert_eq!(asked(&json!({ACCOUNTS: {}})), Ok(vec![]));
        assert_eq!(asked(&chains(json!(["0x1", "0x2105", "0x1"]))), Ok(vec![Chain::Ethereum, Chain::Base]));
        for (bad, code, path) in [
            (json!(null), -32_602, "/0"),
            (json!([]), -32_602, "/0"),
            (json!([7]), -32_602, "/0"),
            (json!([{}]), -32_602, "/0"),
            (json!([{ACCOUNTS: {}}, {}]), -32_602, "/1"),
            (json!([{"eth_sign": {}}]), -32_602, "/0/eth_sign"),
            (json!([{ACCOUNTS: 7}]), -32_602, "/0/eth_accounts"),
            (json!([{ACCOUNTS: {"caveats": 7}}]), -32_602, "/0/eth_accounts/caveats"),
            (json!([{ACCOUNTS: {"caveats": [{"type": "x"}]}}]), -32_602, "/0/eth_accounts/caveats/0/type"),
            (
                json!([{ACCOUNTS: {"caveats": [{"type": ONLY_ACCOUNTS, "value": ["me"]}]}}]),
                -32_602,
                "/0/eth_accounts/caveats/0/value",
            ),
            (json!([{ACCOUNTS: {ONLY_ACCOUNTS: 7}}]), -32_602, "/0/eth_accounts/restrictReturnedAccounts"),
            (json!([{ACCOUNTS: {"requiredMethods": []}}]), -32_602, "/0/eth_accounts/requiredMethods"),
            (chains(json!(7)), -32_602, "/0/endowment:permitted-chains/caveats/0/value"),
            (chains(json!(["0x01"])), -32_602, "/0/endowment:permitted-chains/caveats/0/value/0"),
        ] {
            let refused = asked(&bad).unwrap_err();
            assert_eq!((refused.code(), &refused.to_value()["data"]["path"]), (code, &json!(path)), "{bad}");
        }
        assert_eq!(asked(&chains(json!(["0x539"]))).unwrap_err().code(), 4_902);
    }

    proptest! {
        #[test]
        fn any_parameters_are_read_or_refused(text in "[\\[{].{0,60}[\\]}]") {
            if let Ok(params) = serde_json::from_str(&text) {
                let _ = asked(&params);
            }
        }
    }
}
