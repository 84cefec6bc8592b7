//! One bundle over as many kinds of chains as are available on this machine.

use crate::world::World;
use crate::world::bundle::{bundle_of, proposing, transfer};
use crate::world::chains::Node;
use crate::world::run::{hashes, rows};
use crate::world::vault::{address, phrase};
use nodes::example::encoded;
use nodes::{Coin, Cosmos, Error, Litecoin, Proxy, Shim, Solana, Ton};
use serde_json::{Value, json};
use std::time::{SystemTime, UNIX_EPOCH};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{
    Coin as PayloadCoin, CosmosSpecific, KeysignPayload, SolanaSpecific, TonSpecific, UtxoInfo, UtxoSpecific,
};

/// The amount paid on each chain, in its smallest unit.
const LITECOINS: u64 = 1_000_000;
const LAMPORTS: u64 = 5_000_000;
const NANOTONS: u64 = 250_000_000;
const MICROATOMS: u64 = 1_500_000;

/// The vault's address on a chain.
fn own(chain: &str) -> String {
    address(&phrase("12 words"), chain)
}

/// The recipient's address.
fn payee(chain: &str) -> String {
    address(&phrase("24 words"), chain)
}

/// A step with a payment payload on a chain, with `wait_for_receipt`.
fn step(chain: &str, ticker: &str, decimals: i32, amount: u64, specific: BlockchainSpecific) -> Value {
    step_with(chain, ticker, decimals, amount, specific, Vec::new())
}

fn step_with(
    chain: &str,
    ticker: &str,
    decimals: i32,
    amount: u64,
    specific: BlockchainSpecific,
    utxo_info: Vec<UtxoInfo>,
) -> Value {
    let coin = PayloadCoin {
        chain: chain.to_owned(),
        ticker: ticker.to_owned(),
        address: own(chain),
        decimals,
        is_native_token: true,
        ..PayloadCoin::default()
    };
    let payload = KeysignPayload {
        coin: Some(coin),
        to_address: payee(chain),
        to_amount: amount.to_string(),
        blockchain_specific: Some(specific),
        utxo_info,
        ..KeysignPayload::default()
    };
    let mode = if matches!(chain, "Solana" | "Ton") { "eddsa_ed25519" } else { "ecdsa_secp256k1" };
    json!({"chain": chain, "action": format!("Pay on {chain}"), "signing_mode": mode,
        "keysign_payload": encoded(&payload), "wait_for_receipt": true})
}

fn litecoin(coin: &Coin) -> Value {
    let spent = UtxoInfo {
        hash: coin.id.clone(),
        amount: i64::try_from(coin.value).unwrap(),
        index: coin.index,
        ..UtxoInfo::default()
    };
    let specific = UtxoSpecific { byte_fee: "20".to_owned(), send_max_amount: false };
    step_with("Litecoin", "LTC", 8, LITECOINS, BlockchainSpecific::UtxoSpecific(specific), vec![spent])
}

async fn solana(node: &Solana) -> Value {
    let specific = SolanaSpecific {
        recent_block_hash: node.blockhash().await.unwrap(),
        priority_fee: "0".to_owned(),
        ..SolanaSpecific::default()
    };
    step("Solana", "SOL", 9, LAMPORTS, BlockchainSpecific::SolanaSpecific(specific))
}

fn ton() -> Value {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    let specific = TonSpecific { sequence_number: 0, expire_at: now + 600, ..TonSpecific::default() };
    step("Ton", "TON", 9, NANOTONS, BlockchainSpecific::TonSpecific(specific))
}

fn cosmos(account_number: u64) -> Value {
    let specific = CosmosSpecific { account_number, sequence: 0, gas: 7500, ..CosmosSpecific::default() };
    step("Cosmos", "ATOM", 6, MICROATOMS, BlockchainSpecific::CosmosSpecific(specific))
}

/// A Litecoin node, if one is installed.
async fn litecoin_node() -> Option<Litecoin> {
    match Litecoin::start().await {
        Ok(node) => Some(node),
        // The program is not installed; an installed one that does not start is a failure.
        Err(Error::Start { node, problem }) if node == "litecoind" => {
            eprintln!("continuing without litecoind: {problem}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// The id of the chain's only transaction, which succeeded.
async fn only(shim: &Shim) -> Value {
    let included = shim.transactions().await.unwrap();
    assert!(included.len() == 1 && included[0].failure.is_none(), "{included:?}");
    json!(included[0].id)
}

/// T000-18, T000-44, T000-45: payments on five kinds of chains in one bundle, each confirmed by its chain. Ethereum
/// is a real node (anvil), and so is Litecoin (litecoind, behind a script with the API of Blockchair). Solana and TON
/// are the chains' own virtual machines (LiteSVM; TON's sandbox with the real wallet code) behind scripts with the
/// nodes' APIs. Cosmos has no node: CosmJS checks the signature, and a script tracks sequences and balances. Without
/// litecoind, the test says so and runs the other four kinds.
#[tokio::test]
async fn five_kinds_in_one_bundle() {
    let ethereum = Node::start("Ethereum", 1).await;
    let ltc = litecoin_node().await;
    let (sol, letters, hub) =
        tokio::join!(Solana::start(), Ton::start(), Cosmos::start("cosmoshub-4", "cosmos"));
    let (sol, letters, hub) = (sol.unwrap(), letters.unwrap(), hub.unwrap());
    sol.fund(&own("Solana"), 1_000_000_000).await.unwrap();
    letters.fund(&own("Ton"), 3_000_000_000).await.unwrap();
    let account = hub.fund(&own("Cosmos"), "uatom", 2_000_000).await.unwrap();

    let mut endpoints = json!({"Ethereum": {"url": ethereum.proxy.url()}});
    let mut proxies = Vec::new();
    let mut steps = vec![transfer(1, 0), solana(&sol).await, ton(), cosmos(account.number)];
    let mut shims: Vec<(&str, &Shim)> = vec![("Solana", &sol), ("Ton", &letters), ("Cosmos", &hub)];
    if let Some(ltc) = &ltc {
        steps.push(litecoin(&ltc.fund(&own("Litecoin")).await.unwrap()));
        shims.push(("Litecoin", ltc));
    }
    for (chain, shim) in &shims {
        let proxy = Proxy::start(shim.url()).await.unwrap();
        endpoints[*chain] = json!({"url": proxy.url()});
        proxies.push(proxy);
    }
    for (place, step) in steps.iter_mut().enumerate() {
        step["id"] = json!(format!("pay-{place}"));
        step["sequence"] = json!(place);
    }

    let mut world = World::scripted(proposing([])).await;
    world.import_vault(&phrase("12 words")).await;
    world.use_nodes(json!({"endpoints": endpoints})).await;
    world.propose(bundle_of("Many kinds", steps)).await;
    world.approve().await;
    world.give_password().await;

    let result = world.result().await;
    assert_eq!(rows(&result), vec![("confirmed".to_owned(), String::new()); 1 + shims.len()], "{result:?}");
    let on_ethereum = ethereum.hashes().await;
    assert_eq!(on_ethereum.len(), 1);
    let mut expected = vec![json!(on_ethereum[0])];
    for (_, shim) in &shims {
        expected.push(only(shim).await);
    }
    assert_eq!(hashes(&result), expected);
    assert!(proxies.iter().all(|proxy| proxy.sent_raw().len() == 1), "one signature for each step");
    assert_eq!(sol.balance(&payee("Solana")).await.unwrap(), LAMPORTS);
    assert_eq!(letters.balance(&payee("Ton")).await.unwrap(), NANOTONS);
    assert_eq!(hub.balance(&payee("Cosmos"), "uatom").await.unwrap(), MICROATOMS.into());
}
