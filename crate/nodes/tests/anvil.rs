//! Anvil and the contracts on it, directly and behind the proxy.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod client;

use chains::explain::Asset;
use chains::rpc::{self, Change, Failure, Ran, Response, Status, Trial};
use chains::signing::Image;
use chains::unsigned::{self, Context};
use chains::{Amount, Chain, Transaction};
use nodes::contracts::{BridgeTransfer, Swap, approve, bridge, call, swap, transfer};
use nodes::evm::Unsigned;
use nodes::{Anvil, Arg, Fault, Proxy, When};
use serde_json::{Value, json};
use vault::LocalKey;
use wire::trial::{Direction, NoTrialReason};
use zeroize::Zeroizing;

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

/// A wallet's key and account on a node with coins and two tokens that a router swaps, three of the second for two of
/// the first.
struct Trader {
    anvil: Anvil,
    key: LocalKey,
    account: chains::Account,
    usdc: String,
    arb: String,
    router: String,
}

impl Trader {
    async fn new() -> Self {
        let key = LocalKey::secp256k1(&Zeroizing::new([7; 32])).unwrap();
        let account = chains::derive::account(Chain::Ethereum, key.public()).unwrap();
        let anvil = Anvil::start(1).await.unwrap();
        let usdc = anvil.deploy("Token", &[Arg::Bytes(b"USDC"), Arg::Uint(6)]).await.unwrap();
        let arb = anvil.deploy("Token", &[Arg::Bytes(b"ARB"), Arg::Uint(18)]).await.unwrap();
        let router = anvil.deploy("Router", &[Arg::Uint(3), Arg::Uint(2)]).await.unwrap();
        anvil.set_balance(&account.address, ETHER).await.unwrap();
        anvil.mint(&usdc, &account.address, 900).await.unwrap();
        anvil.mint(&arb, &router, 10_000).await.unwrap();
        Self { anvil, key, account, usdc, arb, router }
    }

    fn transaction(&self, nonce: u64, to: &str, value: u128, data: &str) -> Transaction {
        let unsigned = Unsigned { chain_id: 1, nonce, gas: 200_000, to: Some(to), value, data };
        unsigned::transaction(&unsigned.hex().unwrap(), &self.account, &Context::default()).unwrap()
    }

    /// An approval for a router, and a swap of 400 USDC by it.
    fn approve_and_swap(&self, router: &str, allowance: u128) -> Vec<Transaction> {
        let Self { usdc, arb, account, .. } = self;
        let to = &account.address;
        let asked = Swap { sell: usdc, buy: arb, amount: 400, at_least: 590, to, deadline: u64::MAX };
        vec![
            self.transaction(0, usdc, 0, &approve(router, Some(allowance)).unwrap()),
            self.transaction(1, router, 0, &swap(&asked).unwrap()),
        ]
    }

    async fn trial(&self, transactions: &[Transaction]) -> Trial {
        let requests = rpc::trial(transactions);
        let [rpc::Request { method: rpc::Method::Post(body), .. }] = requests.as_slice() else {
            panic!("one POST")
        };
        let reply = client::send(self.anvil.url(), "POST", "/", body).await.unwrap();
        rpc::read_trial(transactions, &[Response { status: reply.status, body: reply.body.into_bytes() }])
    }

    async fn ran(&self, transactions: &[Transaction]) -> Ran {
        match self.trial(transactions).await {
            Trial::Ran(ran) => ran,
            Trial::NotRun(reason) => panic!("{reason:?}"),
        }
    }

    async fn send(&self, transaction: &Transaction) {
        let sign = |image: &Image| self.key.sign(image).unwrap();
        let signatures: Vec<_> = transaction.images().iter().map(sign).collect();
        let signed = transaction.compile(&signatures).unwrap();
        let raw: String = signed.bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        self.anvil.rpc("eth_sendRawTransaction", json!([format!("0x{raw}")])).await.unwrap();
        assert_eq!(self.anvil.wait_receipt(&signed.id).await.unwrap()["status"], "0x1");
    }
}

fn change(asset: Asset, direction: Direction, amount: u128) -> Change {
    Change { asset, direction, amount: Amount::from(amount) }
}

/// The spelling with a checksum, as explanations have it.
fn token(address: &str) -> Asset {
    Asset::Token { id: chains::address::normalise(Chain::Ethereum, address).unwrap() }
}

/// The node runs the swap on top of its approval, which is on no chain yet; and then the chain does what the node said.
#[tokio::test]
async fn trial_run_of_a_swap_on_top_of_its_approval() {
    let trader = Trader::new().await;
    let Trader { anvil, account, usdc, arb, router, .. } = &trader;
    let transactions = trader.approve_and_swap(router, 400);
    let ran = trader.ran(&transactions).await;
    let changes = vec![change(token(usdc), Direction::Less, 400), change(token(arb), Direction::More, 600)];
    assert_eq!((ran.changes, ran.failure, ran.transactions, ran.gaps), (changes, None, 2, vec![]));
    assert_eq!(anvil.erc20_balance(usdc, &account.address).await.unwrap(), 900, "nothing happened");
    assert_eq!(anvil.nonce(&account.address).await.unwrap(), 0);

    let before = anvil.balance(&account.address).await.unwrap();
    for transaction in &transactions {
        trader.send(transaction).await;
    }
    let held = [
        anvil.erc20_balance(usdc, &account.address).await.unwrap(),
        anvil.erc20_balance(arb, &account.address).await.unwrap(),
    ];
    assert_eq!(held, [500, 600]);
    let paid = Amount::from(before - anvil.balance(&account.address).await.unwrap());
    let most = ran.fee.unwrap();
    assert!(paid <= most && paid * Amount::from(100) > most, "paid {paid} of at most {most}");
}

#[tokio::test]
async fn trial_run_fails_with_the_contracts_words() {
    let trader = Trader::new().await;
    let mut transactions = trader.approve_and_swap(&trader.router, 399);
    let reason = "ERC20: insufficient allowance".to_owned();
    let ran = trader.ran(&transactions).await;
    assert_eq!(
        (ran.changes, ran.failure),
        (vec![], Some(Failure { place: Some(1), reason: reason.clone() }))
    );
    // The swap alone, at a nonce that is not its turn.
    let alone = trader.ran(&transactions.split_off(1)).await;
    assert_eq!(alone.failure, Some(Failure { place: Some(0), reason }));
    let too_much = [trader.transaction(0, &trader.usdc, 2 * ETHER, "")];
    let failed = trader.ran(&too_much).await;
    let failure = failed.failure.unwrap();
    assert!(failure.place.is_none() && failure.reason.contains("Insufficient funds"), "{failure:?}");
}

/// A router that takes all it is allowed to: the run shows it, although the call says less.
#[tokio::test]
async fn trial_run_shows_what_a_thief_takes() {
    let trader = Trader::new().await;
    let thief = trader.anvil.deploy("Thief", &[]).await.unwrap();
    let ran = trader.ran(&trader.approve_and_swap(&thief, 5_000)).await;
    assert_eq!(ran.changes, [change(token(&trader.usdc), Direction::Less, 900)]);
    assert_eq!(ran.failure, None);
}

/// Coins are traced, and a wrapped coin is asked for its balance, since wrapping emits no transfer.
#[tokio::test]
async fn trial_run_counts_coins_and_wrapped_coins() {
    let trader = Trader::new().await;
    let wrapped = trader.anvil.deploy("WrappedCoin", &[]).await.unwrap();
    let deposit = call("WrappedCoin", "deposit", &[]).unwrap();
    let withdraw = call("WrappedCoin", "withdraw", &[Arg::Uint(3)]).unwrap();
    let stranger = "0x00000000000000000000000000000000000000aa";
    let transactions = [
        trader.transaction(0, &wrapped, 10, &deposit),
        trader.transaction(1, &wrapped, 0, &withdraw),
        trader.transaction(2, stranger, 5, ""),
        trader.transaction(3, &trader.usdc, 0, &transfer(stranger, 7).unwrap()),
    ];
    let ran = trader.ran(&transactions).await;
    let changes = [
        change(Asset::Native, Direction::Less, 12),
        change(token(&trader.usdc), Direction::Less, 7),
        change(token(&wrapped), Direction::More, 7),
    ];
    assert_eq!((ran.changes.as_slice(), ran.failure), (&changes[..], None));
}

/// A node that lacks the method is told from one that fails.
#[tokio::test]
async fn trial_run_on_a_node_without_them() {
    let trader = Trader::new().await;
    let proxy = Proxy::start(trader.anvil.url()).await.unwrap();
    let reply = client::rpc(&proxy.url(), "eth_simulateV2", json!([])).await.unwrap();
    let transactions = trader.approve_and_swap(&trader.router, 400);
    let answer = Response { status: reply.status, body: reply.body.into_bytes() };
    assert_eq!(rpc::read_trial(&transactions, &[answer]), Trial::NotRun(NoTrialReason::NodeHasNone));
}
