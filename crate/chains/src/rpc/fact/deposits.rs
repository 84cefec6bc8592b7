//! The accounts at which THORChain and MayaChain take deposits now, by the word of their own nodes. They change every few
//! days; a row that the network has stopped is left out.

use super::{get, json};
use crate::rpc::{Request, Response};
use crate::{Chain, address};
use serde_json::Value;
use wire::node::NodeFact;

/// More rows than there are chains are not read.
const MOST_ROWS: usize = 64;

/// What the networks call the chains.
const CHAINS: [(&str, Chain); 24] = [
    ("BTC", Chain::Bitcoin),
    ("ETH", Chain::Ethereum),
    ("AVAX", Chain::Avalanche),
    ("BSC", Chain::Bsc),
    ("BASE", Chain::Base),
    ("ARB", Chain::Arbitrum),
    ("OP", Chain::Optimism),
    ("POL", Chain::Polygon),
    ("DOGE", Chain::Dogecoin),
    ("LTC", Chain::Litecoin),
    ("BCH", Chain::BitcoinCash),
    ("DASH", Chain::Dash),
    ("ZEC", Chain::Zcash),
    ("GAIA", Chain::Cosmos),
    ("KUJI", Chain::Kujira),
    ("NOBLE", Chain::Noble),
    ("THOR", Chain::ThorChain),
    ("MAYA", Chain::MayaChain),
    ("XRP", Chain::Ripple),
    ("TRON", Chain::Tron),
    ("SOL", Chain::Solana),
    ("SUI", Chain::Sui),
    ("ADA", Chain::Cardano),
    ("TON", Chain::Ton),
];

pub(super) fn ask(network: Chain) -> Vec<Request> {
    match network {
        Chain::ThorChain => vec![get("/thorchain/inbound_addresses".to_owned())],
        Chain::MayaChain => vec![get("/mayachain/inbound_addresses".to_owned())],
        _ => Vec::new(),
    }
}

pub(super) fn read(network: Chain, responses: &[Response]) -> Vec<NodeFact> {
    if ask(network).is_empty() {
        return Vec::new();
    }
    let rows = json(responses.first()).and_then(|answer| answer.as_array().cloned()).unwrap_or_default();
    rows.iter().take(MOST_ROWS).filter_map(|row| deposit(network, row)).collect()
}

fn deposit(network: Chain, row: &Value) -> Option<NodeFact> {
    let text = |name: &str| row.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let stopped = |name: &&str| row.get(*name).and_then(Value::as_bool) == Some(true);
    if ["halted", "global_trading_paused", "chain_trading_paused"].iter().any(stopped) {
        return None;
    }
    let name = text("chain")?;
    let (_, chain) = CHAINS.iter().find(|(theirs, _)| *theirs == name)?;
    let account = |text| address::normalise(*chain, text).ok();
    Some(NodeFact::DepositAddress {
        network: network.name().to_owned(),
        chain: chain.name().to_owned(),
        address: account(text("address")?)?,
        router: text("router").and_then(account),
    })
}
