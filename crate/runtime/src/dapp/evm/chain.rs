//! EIP-3326 `wallet_switchEthereumChain` and EIP-3085 `wallet_addEthereumChain`. The wallet's chains are fixed: what is
//! added is one of them, to the vault and to the page's grant. No address of a node is ever taken from a page.

use super::current;
use crate::Core;
use crate::connection::Grant;
use crate::dapp::asked::{begin, finish};
use crate::dapp::connect::{Wanted, connect};
use crate::dapp::error::RpcError;
use crate::dapp::page::{Page, not_connected};
use crate::dapp::params::{chain_id, no_others, only_object, text};
use crate::store::StoreError;
use chains::Chain;
use serde_json::{Map, Value, json};
use std::rc::Rc;

const MAX_URLS: usize = 20;
const MAX_URL: usize = 2_000;

/// On to a chain of the grant at once; on to another of ours after the user let the page use it.
pub(in crate::dapp) async fn switch_chain(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let grant = page.grant.as_ref().ok_or_else(not_connected)?;
    let (fields, place) = only_object(&params)?;
    no_others(place, fields, &["chainId"])?;
    let chain = chain_id(place, fields)?.chain()?;
    if !grant.has(chain) {
        connect(core, page, &Wanted::Chains(vec![chain])).await?;
    }
    switch(core, page, chain).await?;
    Ok(Value::Null)
}

async fn switch(core: &Core, page: &Page, chain: Chain) -> Result<(), RpcError> {
    let apply = |grant: &mut Grant| {
        if grant.has(chain) {
            grant.switch(chain);
        }
        Ok::<(), StoreError>(())
    };
    let grant = core.connections.change(&page.origin, apply).await?.ok_or_else(not_connected)?;
    if current(&grant) != chain {
        return Err(not_connected());
    }
    if page.chain() != chain {
        core.ports.host.pages_changed(Some(&page.origin));
    }
    Ok(())
}

/// Adds one of the wallet's chains to the vault and to the page's grant; the page is on it then, as clients expect.
pub(in crate::dapp) async fn add_chain(
    core: &Rc<Core>,
    page: &Page,
    params: Value,
) -> Result<Value, RpcError> {
    let grant = page.grant.as_ref().ok_or_else(not_connected)?;
    let chain = proposed(&params)?;
    let vault = page.vault(core).await?;
    let held = core.coins.of_vault(vault.id()).await?;
    let is_held = held.iter().any(|coin| coin.is_native && coin.chain == chain.name());
    // A request that was sent again finds the call that it became, also where that added the chain already.
    let known = core.page_requests.get(&page.origin, &page.request_id).await?;
    if !is_held || known.is_some_and(|row| row.record.prompt_id.is_none()) {
        let title = format!("Add {} to the vault and let {} use it", chain.name(), page.origin);
        let mut fields = Map::new();
        fields.insert("chains".to_owned(), json!([{"chain": chain.name()}]));
        let call = begin(core, page, "add_chain", &title, fields).await?;
        match finish(core, &call).await {
            // Another request added it first.
            Err(RpcError::Failed(failure)) if failure.code() == "already_exists" => {}
            other => drop(other?),
        }
        allow(core, page, chain).await?;
    } else if !grant.has(chain) {
        connect(core, page, &Wanted::Chains(vec![chain])).await?;
    }
    switch(core, page, chain).await?;
    Ok(Value::Null)
}

/// The user agreed that the page uses a chain.
async fn allow(core: &Core, page: &Page, chain: Chain) -> Result<(), RpcError> {
    let apply = |grant: &mut Grant| {
        if !grant.has(chain) {
            grant.chains.push(chain.name().to_owned());
        }
        Ok::<(), StoreError>(())
    };
    core.connections.change(&page.origin, apply).await?.ok_or_else(not_connected)?;
    Ok(())
}

/// The chain that the parameters describe, if it is one of ours and nothing of the description is wrong.
fn proposed(params: &Value) -> Result<Chain, RpcError> {
    let (fields, at) = only_object(params)?;
    let known = ["chainId", "chainName", "nativeCurrency", "rpcUrls", "blockExplorerUrls", "iconUrls"];
    no_others(at, fields, &known)?;
    let id = chain_id(at, fields)?;
    let name = match fields.get("chainName") {
        None => None,
        Some(_) => Some(text(at, fields, "chainName", 100)?),
    };
    urls(at, fields, "rpcUrls", true)?;
    urls(at, fields, "blockExplorerUrls", false)?;
    urls(at, fields, "iconUrls", false)?;
    let currency = currency(at, fields)?;
    let chain = id.chain()?;
    if let Some(other) = name.and_then(|name| contradicts(chain, name)) {
        let problem = format!("names {other}, and the chain id is that of {}", chain.name());
        return Err(RpcError::invalid(format!("{at}/chainName"), problem));
    }
    if let Some((symbol, decimals)) = currency {
        let native = chain.native();
        if !chain.is_native_ticker(symbol) {
            let problem = format!("must be {}, the coin of {}", native.ticker, chain.name());
            return Err(RpcError::invalid(format!("{at}/nativeCurrency/symbol"), problem));
        }
        if decimals != u64::from(native.decimals) {
            let problem = format!("must be {}, as {} has them", native.decimals, native.ticker);
            return Err(RpcError::invalid(format!("{at}/nativeCurrency/decimals"), problem));
        }
    }
    Ok(chain)
}

/// Another chain that a name means: it names one of ours, and not this one.
fn contradicts(chain: Chain, name: &str) -> Option<&'static str> {
    let words: Vec<String> = name.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase).collect();
    let names = |chain: &Chain| {
        let facts = chain.facts();
        std::iter::once(&facts.name).chain(facts.aliases).any(|known| words.contains(&known.to_lowercase()))
    };
    // `Ethereum` stands in the names of many chains: it says nothing.
    let others = Chain::ALL.iter().filter(|other| **other != chain && **other != Chain::Ethereum);
    if names(&chain) { None } else { others.copied().find(names).map(Chain::name) }
}

fn currency<'a>(at: &str, fields: &'a Map<String, Value>) -> Result<Option<(&'a str, u64)>, RpcError> {
    let at = format!("{at}/nativeCurrency");
    let currency = match fields.get("nativeCurrency") {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Object(currency)) => currency,
        Some(_) => return Err(RpcError::invalid(at, "must be an object")),
    };
    no_others(&at, currency, &["name", "symbol", "decimals"])?;
    text(&at, currency, "name", 100)?;
    let symbol = text(&at, currency, "symbol", 6)?;
    let decimals = currency.get("decimals").and_then(Value::as_u64).filter(|decimals| *decimals <= 36);
    let rule = "must be a whole number from 0 to 36";
    Ok(Some((symbol, decimals.ok_or_else(|| RpcError::invalid(format!("{at}/decimals"), rule))?)))
}

/// Addresses must be addresses. None of them is used.
fn urls(at: &str, fields: &Map<String, Value>, name: &str, required: bool) -> Result<(), RpcError> {
    let at = format!("{at}/{name}");
    let urls = match fields.get(name) {
        None | Some(Value::Null) if !required => return Ok(()),
        None => return Err(RpcError::invalid(at, "is missing")),
        Some(Value::Array(urls)) => urls,
        Some(_) => return Err(RpcError::invalid(at, "must be an array")),
    };
    if required && urls.is_empty() || urls.len() > MAX_URLS {
        return Err(RpcError::invalid(at, format!("must have 1 to {MAX_URLS} addresses")));
    }
    for (index, url) in urls.iter().enumerate() {
        let loopback = ["http://localhost", "http://127.0.0.1", "http://[::1]"];
        let fits = |url: &str| {
            let after = |start: &&str| {
                url.strip_prefix(*start).is_some_and(|rest| rest.is_empty() || rest.starts_with([':', '/']))
            };
            let secure = url.strip_prefix("https://").is_some_and(|rest| !rest.starts_with(['/', '?', '#']));
            let authority = url.split("//").nth(1).and_then(|rest| rest.split(['/', '?', '#']).next());
            // A name or a password before the host is no part of an address that others are told.
            let plain = authority.is_some_and(|authority| !authority.is_empty() && !authority.contains('@'))
                && url.chars().all(|c| c.is_ascii_graphic() && c != '\\');
            url.len() <= MAX_URL && plain && (secure || loopback.iter().any(after))
        };
        if !url.as_str().is_some_and(fits) {
            let rule =
                "must be an https:// address without credentials, or an http:// address on this machine";
            return Err(RpcError::invalid(format!("{at}/{index}"), rule));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn base() -> Value {
        json!({"chainId": "0x2105", "chainName": "Base", "rpcUrls": ["https://mainnet.base.org"],
            "nativeCurrency": {"name": "Ether", "symbol": "ETH", "decimals": 18},
            "blockExplorerUrls": ["https://basescan.org"]})
    }

    fn with(name: &str, value: Value) -> Value {
        let mut fields = base();
        fields[name] = value;
        json!([fields])
    }

    #[test]
    fn descriptions_are_checked() {
        assert_eq!(proposed(&json!([base()])), Ok(Chain::Base));
        assert_eq!(proposed(&with("chainName", json!("Base Mainnet"))), Ok(Chain::Base));
        assert_eq!(proposed(&with("blockExplorerUrls", Value::Null)), Ok(Chain::Base));
        let currency = |symbol: &str, decimals: Value| {
            with("nativeCurrency", json!({"name": "E", "symbol": symbol, "decimals": decimals}))
        };
        for (bad, path) in [
            (json!([]), "/0"),
            (json!([base(), 1]), "/1"),
            (json!(["x"]), "/0"),
            (with("chainId", json!("8453")), "/0/chainId"),
            (with("chainId", json!(8453)), "/0/chainId"),
            (with("chainId", json!("0x02105")), "/0/chainId"),
            (with("chainName", json!("")), "/0/chainName"),
            (with("chainName", json!("Polygon Mainnet")), "/0/chainName"),
            (with("chainName", json!(7)), "/0/chainName"),
            (with("rpcUrls", json!([])), "/0/rpcUrls"),
            (with("rpcUrls", json!(["ftp://x"])), "/0/rpcUrls/0"),
            (with("rpcUrls", json!(["http://base.example"])), "/0/rpcUrls/0"),
            (with("rpcUrls", json!(["http://localhost.evil.example"])), "/0/rpcUrls/0"),
            (with("rpcUrls", json!(["https://"])), "/0/rpcUrls/0"),
            (with("rpcUrls", json!(["https:///rpc"])), "/0/rpcUrls/0"),
            (with("rpcUrls", json!(["https://user:secret@node.example/rpc"])), "/0/rpcUrls/0"),
            (with("rpcUrls", json!(["http://localhost:1@evil.example"])), "/0/rpcUrls/0"),
            (with("rpcUrls", json!(["https://a.example\\@evil.example"])), "/0/rpcUrls/0"),
            (with("rpcUrls", json!(["https://a.example", "https://node\u{202e}.example"])), "/0/rpcUrls/1"),
            (with("rpcUrls", json!("https://x")), "/0/rpcUrls"),
            (with("iconUrls", json!([7])), "/0/iconUrls/0"),
            (with("bogus", json!(1)), "/0/bogus"),
            (with("__proto__", json!({"chainId": "0x1"})), "/0/__proto__"),
            (with("nativeCurrency", json!(7)), "/0/nativeCurrency"),
            (currency("USDC", json!(18)), "/0/nativeCurrency/symbol"),
            (currency("ETH", json!(6)), "/0/nativeCurrency/decimals"),
            (currency("ETH", json!("18")), "/0/nativeCurrency/decimals"),
            (currency("TOOLONG", json!(18)), "/0/nativeCurrency/symbol"),
        ] {
            let refused = proposed(&bad).unwrap_err();
            assert_eq!(
                (refused.code(), &refused.to_value()["data"]["path"]),
                (-32_602, &json!(path)),
                "{bad}"
            );
        }
        assert_eq!(proposed(&with("chainId", json!("0x539"))).unwrap_err().code(), 4_902);
    }

    #[test]
    fn names_of_our_chains_are_usual_ones() {
        for (chain, name) in [
            (Chain::Ethereum, "Ethereum Mainnet"),
            (Chain::Optimism, "OP Mainnet"),
            (Chain::Bsc, "BNB Smart Chain"),
            (Chain::Arbitrum, "Arbitrum One"),
            (Chain::Zksync, "zkSync Era Mainnet"),
            (Chain::Avalanche, "Avalanche Network C-Chain"),
            (Chain::Base, "Base Ethereum L2"),
        ] {
            assert_eq!(contradicts(chain, name), None, "{name}");
        }
        assert_eq!(contradicts(Chain::Ethereum, "Base"), Some("Base"));
    }

    proptest! {
        #[test]
        fn any_description_is_read_or_refused(name in "[a-zA-Z_]{0,12}", text in ".{0,20}", number in any::<i64>()) {
            for value in [json!(text), json!(number), json!([text]), json!({&name: number}), Value::Null] {
                let _ = proposed(&with(&name, value.clone()));
                let _ = proposed(&with("rpcUrls", value.clone()));
                let _ = proposed(&value);
            }
        }
    }
}
