//! Nodes that answer what the rows' explanations need.

use super::{own, utxo};
use crate::world::{Answer, NodeCall, address_of};
use chains::encoding::{base64, from_hex};
use chains::{Chain, token};
use serde_json::{Value, json};

/// The account at which a swap network takes deposits on a chain.
pub fn vault(chain: Chain) -> String {
    address_of(3, chain.name())
}

/// A router of a swap network on Ethereum.
pub const THORCHAIN_ROUTER: &str = "0xD37BbE5744D730a1d98d8DC97c42F0Ca46aD7146";

/// Nodes of THORChain and MayaChain that say where they take deposits, and the index of [`utxo::index`].
pub fn networks(call: &NodeCall) -> Answer {
    use Chain::{Bitcoin, Cosmos, Dash, Dogecoin, Ethereum, Litecoin, Ripple, Solana, Tron};
    let row = |(name, chain): &(&str, Chain)| {
        let router = if *chain == Ethereum { THORCHAIN_ROUTER } else { "" };
        json!({"chain": name, "address": vault(*chain), "router": router, "halted": false})
    };
    let rows = |chains: &[(&str, Chain)]| Answer::json(&chains.iter().map(row).collect::<Value>());
    if call.url.ends_with("/thorchain/inbound_addresses") {
        return rows(&[
            ("BTC", Bitcoin),
            ("ETH", Ethereum),
            ("LTC", Litecoin),
            ("DOGE", Dogecoin),
            ("GAIA", Cosmos),
            ("XRP", Ripple),
            ("TRON", Tron),
            ("SOL", Solana),
        ]);
    }
    if call.url.ends_with("/mayachain/inbound_addresses") {
        return rows(&[("DASH", Dash)]);
    }
    utxo::raw_transaction(call).unwrap_or_else(|| Answer::status(404))
}

/// A node of Solana that knows one token account: of the first contact of [`super::friend`], for USDC.
pub fn solana(call: &NodeCall) -> Answer {
    use super::solana::{TOKEN, USDC, associated};
    let friend = super::friend(Chain::Solana);
    if call.body["method"] != "getAccountInfo" || call.body["params"][0] != associated(&friend, USDC) {
        return Answer::json(&json!({"jsonrpc": "2.0", "id": 1, "error": {"code": -32601, "message": "no"}}));
    }
    let info = json!({"owner": friend, "mint": USDC, "state": "initialized"});
    let data = json!({"program": "spl-token", "parsed": {"type": "account", "info": info}, "space": 165});
    let value = json!({"owner": TOKEN, "data": data, "lamports": 2_039_280});
    Answer::json(&json!({"jsonrpc": "2.0", "id": 1, "result": {"context": {"slot": 1}, "value": value}}))
}

/// An index of UTXO chains that says that a coin has more than it is signed with.
pub fn richer_coins(call: &NodeCall) -> Answer {
    let Some((_, ids)) = call.url.split_once("/dashboards/transactions/") else { return Answer::status(404) };
    let output = json!({"index": 0, "value": utxo::VALUE + 1, "is_spent": false});
    let known = json!({ids: {"transaction": {"block_id": 7}, "outputs": [output]}});
    Answer::json(&json!({"data": known, "context": {"code": 200, "state": 800_000}}))
}

/// A node of Sui that says what every object holds: 500 USDC.
pub fn sui(call: &NodeCall) -> Answer {
    sui_objects(call, super::sui::USDC)
}

/// A node of Sui that says that every object holds SUI.
pub fn sui_knows_better(call: &NodeCall) -> Answer {
    sui_objects(call, super::sui::SUI)
}

fn sui_objects(call: &NodeCall, coin_type: &str) -> Answer {
    let id = call.body["variables"]["id"].as_str().unwrap_or_default();
    if !call.body["query"].as_str().unwrap_or_default().contains("asMoveObject") {
        return Answer::json(&json!({"errors": [{"message": "not known"}]}));
    }
    let id = from_hex("id", id).expect("is hex");
    let contents = base64(&[id.as_slice(), &500_000_000_u64.to_le_bytes()].concat());
    let kind = format!("0x{:064x}::coin::Coin<{coin_type}>", 2);
    let contents = json!({"type": {"repr": kind}, "bcs": contents});
    Answer::json(&json!({"data": {"object": {"asMoveObject": {"contents": contents}}}}))
}

/// A node of TON that knows one jetton wallet: the vault's own for USDT, at [`vault`].
pub fn ton(call: &NodeCall) -> Answer {
    let wallet = super::ton::raw(&vault(Chain::Ton));
    if !call.url.contains(&format!("/jetton/wallets?address={wallet}")) {
        return Answer::status(404);
    }
    let usdt = token::known(Chain::Ton, "USDT").expect("is well known").contract;
    let (owner, jetton) = (super::ton::raw(&own(Chain::Ton)), super::ton::raw(usdt));
    let entry = json!({"address": wallet, "owner": owner, "jetton": jetton, "balance": "900000000"});
    Answer::json(&json!({"jetton_wallets": [entry], "metadata": {}}))
}

/// The memo of a swap into ether for the vault itself, with a limit.
pub fn for_own_ether() -> String {
    format!("=:ETH.ETH:{}:31000000", own(Chain::Ethereum))
}
