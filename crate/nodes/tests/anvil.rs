//! Anvil and the contracts on it, directly and behind the proxy.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod client;

use chains::Chain;
use chains::rpc::{self, Response, Status};
use nodes::contracts::{BridgeTransfer, Swap, approve, bridge, swap};
use nodes::{Anvil, Arg, Fault, Proxy, When};
use serde_json::{Value, json};

const ETHER: u128 = 1_000_000_000_000_000_000;

/// An account whose key the node has.
async fn account(anvil: &Anvil, index: usize) -> String {
    anvil.rpc("eth_accounts", json!([])).await.unwrap()[index].as_str().unwrap().to_owned()
}

/// A signed and unsent transaction of such an account.
async fn signed(anvil: &Anvil, from: &str, nonce: u64, to: &str, data: &str) -> String {
    let transaction = json!({
        "from": from, "to": to, "data": data, "nonce": format!("{nonce:#x}"), "gas": "0x30d40",
        "maxFeePerGas": "0x77359400", "maxPriorityFeePerGas": "0x1", "chainId": format!("{:#x}", anvil.chain_id()),
    });
    anvil.rpc("eth_signTransaction", json!([transaction])).await.unwrap().as_str().unwrap().to_owned()
}

/// A transaction's status as the wallet reads it through a proxy.
async fn status(url: &str, hash: &str) -> Status {
    let mut answers = Vec::new();
    for request in rpc::status(Chain::Ethereum, hash) {
        let rpc::Method::Post(body) = &request.method else { panic!("a POST") };
        let reply = client::send(url, "POST", "/", body).await.unwrap();
        answers.push(Response { status: reply.status, body: reply.body.into_bytes() });
    }
    rpc::read_status(Chain::Ethereum, &answers)
}

/// The committed contracts are up to date with their sources.
#[test]
fn committed_contracts_match_their_sources() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/contracts/compile.mjs");
    let checked = std::process::Command::new("node").args([script, "--check"]).output().unwrap();
    assert!(checked.status.success(), "{}", String::from_utf8_lossy(&checked.stderr));
}

#[tokio::test]
async fn approve_bridge_and_swap() {
    let anvil = Anvil::start(1).await.unwrap();
    let owner = account(&anvil, 1).await;
    let usdc = anvil.deploy("Token", &[Arg::Bytes(b"USDC"), Arg::Uint(6)]).await.unwrap();
    let arb = anvil.deploy("Token", &[Arg::Bytes(b"ARB"), Arg::Uint(18)]).await.unwrap();
    let far = anvil.deploy("Bridge", &[Arg::Address(&usdc), Arg::Uint(1_000)]).await.unwrap();
    let router = anvil.deploy("Router", &[Arg::Uint(3), Arg::Uint(2)]).await.unwrap();
    anvil.mint(&usdc, &owner, 900).await.unwrap();
    anvil.mint(&arb, &router, 10_000).await.unwrap();

    let send = |to: &str, value: u128, data: String| {
        let transaction = json!({ "from": owner, "to": to, "data": data, "value": format!("{value:#x}") });
        let anvil = &anvil;
        async move {
            let hash = anvil.rpc("eth_sendTransaction", json!([transaction])).await.unwrap();
            anvil.wait_receipt(hash.as_str().unwrap()).await.unwrap()
        }
    };
    send(&usdc, 0, approve(&far, Some(500)).unwrap()).await;
    send(&usdc, 0, approve(&router, None).unwrap()).await;
    assert_eq!(anvil.erc20_allowance(&usdc, &owner, &far).await.unwrap(), 500);
    assert_eq!(anvil.erc20_allowance(&usdc, &owner, &router).await.unwrap(), u128::MAX);

    let transfer = BridgeTransfer { endpoint: 30_110, to: &owner, amount: 500, fee: 1_000, refund: &owner };
    let receipt = send(&far, 1_000, bridge(&transfer).unwrap()).await;
    let topics: Vec<&Value> =
        receipt["logs"].as_array().unwrap().iter().map(|log| &log["topics"][0]).collect();
    // keccak256("OFTSent(bytes32,uint32,address,uint256,uint256)")
    let sent = "0x85496b760a4b7f8d66384b9df21b381f5d1b1e79f229a47aaf4c232edc2fe59a";
    assert_eq!((topics.len(), topics[1].as_str()), (2, Some(sent)));

    let asked = Swap { sell: &usdc, buy: &arb, amount: 400, at_least: 600, to: &owner, deadline: u64::MAX };
    send(&router, 0, swap(&asked).unwrap()).await;
    let balances =
        [anvil.erc20_balance(&usdc, &owner).await.unwrap(), anvil.erc20_balance(&arb, &owner).await.unwrap()];
    assert_eq!(balances, [0, 600]);
    assert_eq!(anvil.erc20_allowance(&usdc, &owner, &far).await.unwrap(), 0);

    let mined = anvil.transactions_from(&owner).await.unwrap();
    let seen: Vec<_> = mined.iter().map(|mined| (mined.nonce, mined.succeeded, &mined.input[..10])).collect();
    let (approval, crossed, swapped) = ("0x095ea7b3", "0xc7c7f5b3", "0x38ed1739");
    assert_eq!(seen, [(0, true, approval), (1, true, approval), (2, true, crossed), (3, true, swapped)]);
    assert_eq!(anvil.nonce(&owner).await.unwrap(), 4);
}

#[tokio::test]
async fn reverted_transaction_is_mined_and_failed() {
    let anvil = Anvil::start(42_161).await.unwrap();
    let owner = account(&anvil, 1).await;
    let reverter = anvil.deploy("Reverter", &[]).await.unwrap();
    let token = anvil.deploy("Token", &[Arg::Bytes(b"T"), Arg::Uint(6)]).await.unwrap();
    let bridge_data =
        bridge(&BridgeTransfer { endpoint: 1, to: &owner, amount: 1, fee: 0, refund: &owner }).unwrap();
    let far = anvil.deploy("Bridge", &[Arg::Address(&token), Arg::Uint(0)]).await.unwrap();
    for (nonce, to, data) in [(0, &reverter, "0x12345678"), (1, &far, bridge_data.as_str())] {
        let raw = signed(&anvil, &owner, nonce, to, data).await;
        let hash = anvil.rpc("eth_sendRawTransaction", json!([raw])).await.unwrap();
        let hash = hash.as_str().unwrap();
        anvil.wait_receipt(hash).await.unwrap();
        assert!(matches!(status(anvil.url(), hash).await, Status::Failed { .. }));
    }
    let worked: Vec<bool> =
        anvil.transactions_from(&owner).await.unwrap().iter().map(|mined| mined.succeeded).collect();
    assert_eq!(worked, [false, false]);
    let error = anvil.send(json!({ "to": reverter, "gas": "0x30d40" })).await.unwrap_err();
    assert_eq!(error.code(), "refused");
}

#[tokio::test]
async fn mining_on_demand() {
    let anvil = Anvil::start(1).await.unwrap();
    let owner = account(&anvil, 1).await;
    let stranger = "0x00000000000000000000000000000000000000aa";
    anvil.set_balance(stranger, 5 * ETHER).await.unwrap();
    assert_eq!(anvil.balance(stranger).await.unwrap(), 5 * ETHER);
    let snapshot = anvil.snapshot().await.unwrap();

    anvil.set_automine(false).await.unwrap();
    let mut hashes = Vec::new();
    for nonce in 0..2 {
        let raw = signed(&anvil, &owner, nonce, stranger, "0x").await;
        let hash = anvil.rpc("eth_sendRawTransaction", json!([raw])).await.unwrap();
        hashes.push(hash.as_str().unwrap().to_owned());
    }
    assert_eq!(status(anvil.url(), &hashes[0]).await, Status::Pending);
    assert!(anvil.drop_transaction(&hashes[1]).await.unwrap());
    assert_eq!(status(anvil.url(), &hashes[1]).await, Status::NotFound);
    assert!(!anvil.drop_transaction(&hashes[1]).await.unwrap());
    anvil.mine().await.unwrap();
    assert!(matches!(status(anvil.url(), &hashes[0]).await, Status::Confirmed { .. }));
    assert_eq!(anvil.nonce(&owner).await.unwrap(), 1);

    anvil.revert(&snapshot).await.unwrap();
    assert_eq!(status(anvil.url(), &hashes[0]).await, Status::NotFound);
    assert_eq!(
        (anvil.nonce(&owner).await.unwrap(), anvil.transactions_from(&owner).await.unwrap()),
        (0, vec![])
    );
    assert_eq!(anvil.revert("0x99").await.unwrap_err().code(), "shape");
}

/// The purpose of the proxy: the node has the transaction, the wallet does not know, and sends the same bytes again.
#[tokio::test]
async fn lost_answer_leaves_one_transaction_on_chain() {
    let anvil = Anvil::start(1).await.unwrap();
    let proxy = Proxy::start(anvil.url()).await.unwrap();
    let owner = account(&anvil, 1).await;
    let raw = signed(&anvil, &owner, 0, "0x00000000000000000000000000000000000000aa", "0x").await;
    proxy.next(1, "eth_sendRawTransaction", Fault::LoseAnswer);
    assert_eq!(client::rpc(&proxy.url(), "eth_sendRawTransaction", json!([raw])).await, None);
    let hash = proxy.calls()[0].answer.clone().unwrap().body["result"].as_str().unwrap().to_owned();
    anvil.wait_receipt(&hash).await.unwrap();
    assert!(matches!(status(&proxy.url(), &hash).await, Status::Confirmed { .. }));
    let again = client::rpc(&proxy.url(), "eth_sendRawTransaction", json!([raw])).await.unwrap();
    assert!(again.json()["error"]["message"].as_str().unwrap().contains("nonce too low"), "{}", again.body);
    assert_eq!((proxy.count("eth_sendRawTransaction"), proxy.sent_raw()), (2, vec![raw]));
    assert_eq!(anvil.transactions_from(&owner).await.unwrap().len(), 1);

    proxy.next(
        1,
        "eth_getTransactionReceipt",
        Fault::Answer(json!({ "blockNumber": "0x1", "status": "0x0" })),
    );
    assert!(matches!(status(&proxy.url(), &hash).await, Status::Failed { .. }));
}

#[tokio::test]
async fn held_transaction_is_before_or_after_the_node() {
    let anvil = Anvil::start(1).await.unwrap();
    let proxy = Proxy::start(anvil.url()).await.unwrap();
    let owner = account(&anvil, 1).await;
    for (nonce, when, on_chain) in [(0, When::Before, 0), (0, When::After, 1)] {
        let raw = signed(&anvil, &owner, nonce, "0x00000000000000000000000000000000000000aa", "0x").await;
        let mut held = proxy.hold("eth_sendRawTransaction", when);
        let url = proxy.url();
        let request =
            tokio::spawn(async move { client::rpc(&url, "eth_sendRawTransaction", json!([raw])).await });
        let call = held.wait_arrived().await.unwrap();
        if let Some(answer) = &call.answer {
            anvil.wait_receipt(answer.body["result"].as_str().unwrap()).await.unwrap();
        }
        assert_eq!(anvil.nonce(&owner).await.unwrap(), on_chain, "{when:?}");
        held.drop_connection();
        assert_eq!(request.await.unwrap(), None);
    }
    assert_eq!(anvil.nonce(&owner).await.unwrap(), 1);
}

#[tokio::test]
async fn stopped_node_does_not_answer() {
    let anvil = Anvil::start(8_453).await.unwrap();
    let url = anvil.url().to_owned();
    assert_eq!(client::rpc(&url, "eth_chainId", json!([])).await.unwrap().json()["result"], json!("0x2105"));
    anvil.stop().await.unwrap();
    assert_eq!(client::rpc(&url, "eth_chainId", json!([])).await, None);
}

/// A browser lets a page read the node's answers only if the node's CORS headers allow it.
#[tokio::test]
async fn pages_may_use_the_proxy() {
    let anvil = Anvil::start(1).await.unwrap();
    let proxy = Proxy::start(anvil.url()).await.unwrap();
    let reply = client::rpc(&proxy.url(), "eth_chainId", json!([])).await.unwrap();
    assert!(reply.head.contains("access-control-allow-origin: *"), "{}", reply.head);
}
