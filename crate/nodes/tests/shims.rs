//! The wallet's requests to the nodes and virtual machines behind scripts: valid transactions are accepted once,
//! invalid ones never, and their status is reported correctly.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod client;
mod wallet;

use chains::explain::Asset;
use chains::rpc::{Broadcast, Change, Status, Trial};
use chains::{Amount, Chain};
use nodes::{Cosmos, Litecoin, Proxy, Shim, Solana, Ton};
use serde_json::json;
use wallet::{Ours, account, broadcast, changed, check, payment, signed, status, trial};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{CosmosSpecific, SolanaSpecific, TonSpecific, UtxoInfo, UtxoSpecific};
use wire::node::{Checked, FindingCode};
use wire::trial::Direction;

/// Sends a valid transaction that waits for a block at first, and is mined once.
async fn confirms_once(shim: &Shim, chain: Chain, ours: &Ours) {
    let proxy = Proxy::start(shim.url()).await.unwrap();
    shim.set_automine(false).await.unwrap();
    assert_eq!(check(&proxy.url(), ours).await, Checked::Sendable { findings: vec![] });
    assert_eq!(status(&proxy.url(), chain, &ours.id).await, Status::NotFound);
    assert_eq!(broadcast(&proxy.url(), chain, ours).await, Broadcast::Accepted);
    let waits = status(&proxy.url(), chain, &ours.id).await;
    assert!(matches!(waits, Status::Pending | Status::NotFound), "{waits:?}");
    shim.mine().await.unwrap();
    shim.set_automine(true).await.unwrap();
    let confirmed = status(&proxy.url(), chain, &ours.id).await;
    assert!(matches!(confirmed, Status::Confirmed { block: Some(_) }), "{confirmed:?}");
    let again = broadcast(&proxy.url(), chain, ours).await;
    assert!(matches!(again, Broadcast::AlreadyKnown | Broadcast::Ambiguous { .. }), "{again:?}");
    let included = shim.transactions().await.unwrap();
    let seen: Vec<_> = included.iter().map(|included| (&included.id, &included.failure)).collect();
    assert_eq!(seen, [(&ours.id, &None)]);
    assert_eq!(proxy.sent_raw(), [included[0].raw.clone()]);
}

/// A transaction that can no longer be mined.
async fn assert_stale(shim: &Shim, ours: &Ours) {
    let checked = check(shim.url(), ours).await;
    assert!(matches!(checked, Checked::Stale { .. }), "{checked:?}");
}

/// A transaction for which the node's simulation or its accounts give a warning.
async fn assert_warns(shim: &Shim, ours: &Ours, code: FindingCode) {
    let checked = check(shim.url(), ours).await;
    let Checked::Sendable { findings } = &checked else { panic!("{checked:?}") };
    assert!(findings.iter().any(|finding| finding.code == code), "{findings:?}");
}

async fn assert_rejected(shim: &Shim, chain: Chain, wrong: &chains::transaction::Signed, code: &str) {
    let answer = broadcast(shim.url(), chain, wrong).await;
    assert!(matches!(&answer, Broadcast::Rejected { code: found, .. } if found == code), "{answer:?}");
}

fn utxo(coin: &nodes::Coin, amount: u64, chain: Chain) -> Ours {
    let specific = UtxoSpecific { byte_fee: "20".to_owned(), send_max_amount: false };
    let mut payload = payment(chain, amount, BlockchainSpecific::UtxoSpecific(specific));
    payload.utxo_info = vec![UtxoInfo {
        hash: coin.id.clone(),
        amount: i64::try_from(coin.value).unwrap(),
        index: coin.index,
        ..UtxoInfo::default()
    }];
    signed(chain, &payload)
}

#[tokio::test]
async fn litecoin_node() {
    let node = Litecoin::start().await.unwrap();
    let coin = node.fund(&account(Chain::Litecoin, 1).address).await.unwrap();
    let ours = utxo(&coin, 1_000_000, Chain::Litecoin);
    // The node's mempool rule is stricter than the block rule and comes first; the wallet looks such a transaction
    // up.
    let wrong = changed(&ours, 50);
    let refused = broadcast(node.url(), Chain::Litecoin, &wrong).await;
    assert!(
        matches!(&refused, Broadcast::Ambiguous { reason } if reason.contains("script-verify-flag")),
        "{refused:?}"
    );
    let nothing = utxo(&nodes::Coin { id: "ab".repeat(32), ..coin.clone() }, 1_000_000, Chain::Litecoin);
    let refused = broadcast(node.url(), Chain::Litecoin, &nothing).await;
    assert!(matches!(&refused, Broadcast::Ambiguous { reason } if reason.contains("missing")), "{refused:?}");
    let spent = async |id: &str| {
        let path = format!("/dashboards/transactions/{id},{}", "00".repeat(32));
        let body = client::send(node.url(), "GET", &path, "").await.unwrap().json();
        let output = &body["data"][id]["outputs"][coin.index as usize];
        (output["is_spent"].clone(), output["spending_block_id"].clone())
    };
    assert_eq!(spent(&coin.id).await, (json!(false), json!(null)));
    node.set_automine(false).await.unwrap();
    confirms_once(&node, Chain::Litecoin, &ours).await;
    assert_eq!(spent(&coin.id).await, (json!(true), json!(102)));
    assert_stale(&node, &ours).await;

    // Addresses of other chains are known by their scripts only.
    for chain in [Chain::Bitcoin, Chain::Dogecoin, Chain::Dash] {
        let coin = node.fund(&account(chain, 1).address).await.unwrap();
        let ours = utxo(&coin, 2_000_000, chain);
        assert_eq!(broadcast(node.url(), chain, &ours).await, Broadcast::Accepted, "{chain}");
        assert!(matches!(status(node.url(), chain, &ours.id).await, Status::Confirmed { .. }), "{chain}");
    }
}

#[tokio::test]
async fn pending_spend_differs_from_a_mined_one() {
    let node = Litecoin::start().await.unwrap();
    let coin = node.fund(&account(Chain::Litecoin, 1).address).await.unwrap();
    node.set_automine(false).await.unwrap();
    let first = utxo(&coin, 1_000_000, Chain::Litecoin);
    assert_eq!(broadcast(node.url(), Chain::Litecoin, &first).await, Broadcast::Accepted);
    let body = client::send(node.url(), "GET", &format!("/dashboards/transaction/{}", coin.id), "").await;
    let output = body.unwrap().json()["data"][&coin.id]["outputs"][coin.index as usize].clone();
    assert_eq!((&output["is_spent"], &output["spending_block_id"]), (&json!(true), &json!(-1)));
    let second = utxo(&coin, 3_000_000, Chain::Litecoin);
    assert_warns(&node, &second, FindingCode::SimulationFailed).await;
    let conflict = broadcast(node.url(), Chain::Litecoin, &second).await;
    assert!(
        matches!(&conflict, Broadcast::Ambiguous { reason } if reason.contains("conflict")),
        "{conflict:?}"
    );
    assert_eq!(status(node.url(), Chain::Litecoin, &second.id).await, Status::NotFound);
}

async fn solana(node: &Solana, amount: u64) -> Ours {
    let recent_block_hash = node.blockhash().await.unwrap();
    let specific =
        SolanaSpecific { recent_block_hash, priority_fee: "0".to_owned(), ..SolanaSpecific::default() };
    signed(Chain::Solana, &payment(Chain::Solana, amount, BlockchainSpecific::SolanaSpecific(specific)))
}

#[tokio::test]
async fn solana_virtual_machine() {
    let node = Solana::start().await.unwrap();
    node.fund(&account(Chain::Solana, 1).address, 1_000_000_000).await.unwrap();
    let ours = solana(&node, 5_000_000).await;
    assert_rejected(&node, Chain::Solana, &changed(&ours, 5), "-32003").await;
    let much = solana(&node, 5_000_000_000).await;
    assert_warns(&node, &much, FindingCode::SimulationFailed).await;
    assert_rejected(&node, Chain::Solana, &much, "InstructionError").await;
    confirms_once(&node, Chain::Solana, &ours).await;
    assert_eq!(node.balance(&account(Chain::Solana, 2).address).await.unwrap(), 5_000_000);
}

#[tokio::test]
async fn solana_answers_queries_before_signing() {
    let node = Solana::start().await.unwrap();
    let own = account(Chain::Solana, 1).address;
    node.fund(&own, 1_000_000_000).await.unwrap();
    let ours = solana(&node, 5_000_000).await;
    let blockhash = node.blockhash().await.unwrap();
    let ask = async |method: &str, params| {
        client::rpc(node.url(), method, params).await.unwrap().json()["result"]["value"].clone()
    };
    let trial = async |signed: &Ours| {
        // Without a signature, as before signing.
        let mut bytes = signed.bytes.clone();
        bytes[1..65].fill(0);
        let options = json!({ "encoding": "base64", "sigVerify": false });
        ask("simulateTransaction", json!([chains::encoding::base64(&bytes), options])).await["err"].clone()
    };
    assert_eq!(ask("isBlockhashValid", json!([blockhash])).await, json!(true));
    assert_eq!(ask("getLatestBlockhash", json!([])).await["blockhash"], json!(blockhash));
    assert_eq!(ask("getBalance", json!([own])).await, json!(1_000_000_000));
    assert_eq!(trial(&ours).await, json!(null));
    let poor = json!({ "InstructionError": [0, { "Custom": 1 }] });
    let much = trial(&solana(&node, 5_000_000_000).await).await;
    assert_eq!(much["InstructionError"][1], poor["InstructionError"][1], "{much}");
    // The simulation did not make signatures optional.
    assert_rejected(&node, Chain::Solana, &changed(&ours, 5), "-32003").await;
    node.expire_blockhash().await.unwrap();
    assert_eq!(ask("isBlockhashValid", json!([blockhash])).await, json!(false));
    assert_stale(&node, &ours).await;
    assert!(matches!(broadcast(node.url(), Chain::Solana, &ours).await, Broadcast::Ambiguous { .. }));
    assert_eq!(node.transactions().await.unwrap(), []);
}

/// Coins, tokens and the rent for the receiver's new token account, as the machine that runs the transaction has them
/// before and after; the fee is told apart. The chain then does what the run said.
#[tokio::test]
async fn solana_trial_run() {
    const MINT: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    let node = Solana::start().await.unwrap();
    let own = account(Chain::Solana, 1).address;
    node.fund(&own, 1_000_000_000).await.unwrap();
    let held = node.mint(MINT, &own, 900).await.unwrap();
    let ran = async |ours: &Ours| match trial(node.url(), ours).await {
        Trial::Ran(ran) => ran,
        Trial::NotRun(reason) => panic!("{reason:?}"),
    };
    let less =
        |asset, amount: u64| Change { asset, direction: Direction::Less, amount: Amount::from(amount) };
    let coins = ran(&solana(&node, 5_000_000).await).await;
    assert_eq!((coins.changes, coins.failure), (vec![less(Asset::Native, 5_000_000)], None));

    let specific = SolanaSpecific {
        recent_block_hash: node.blockhash().await.unwrap(),
        priority_fee: "0".to_owned(),
        from_token_associated_address: Some(held),
        ..SolanaSpecific::default()
    };
    let mut payload = payment(Chain::Solana, 400, BlockchainSpecific::SolanaSpecific(specific));
    let coin = payload.coin.as_mut().unwrap();
    (coin.contract_address, coin.is_native_token, coin.decimals) = (MINT.to_owned(), false, 6);
    let tokens = signed(Chain::Solana, &payload);
    let run = ran(&tokens).await;
    let rent = 2_039_280;
    let usdc = Asset::Token { id: MINT.to_owned() };
    assert_eq!((run.changes, run.failure), (vec![less(Asset::Native, rent), less(usdc, 400)], None));
    assert_eq!(broadcast(node.url(), Chain::Solana, &tokens).await, Broadcast::Accepted);
    let left = Amount::from(node.balance(&own).await.unwrap());
    assert_eq!(left + run.fee.unwrap(), Amount::from(1_000_000_000 - rent));

    let much = ran(&solana(&node, 5_000_000_000).await).await;
    let failure = much.failure.unwrap();
    assert!(failure.place == Some(0) && failure.reason.contains("InstructionError"), "{failure:?}");
    assert_eq!(much.changes, []);
}

fn ton(sequence: u64, expire_at: u64) -> Ours {
    let specific = TonSpecific { sequence_number: sequence, expire_at, ..TonSpecific::default() };
    signed(Chain::Ton, &payment(Chain::Ton, 250_000_000, BlockchainSpecific::TonSpecific(specific)))
}

#[tokio::test]
async fn ton_virtual_machine() {
    let node = Ton::start().await.unwrap();
    node.set_time(1_800_000_000).await.unwrap();
    let own = account(Chain::Ton, 1).address;
    node.fund(&own, 3_000_000_000).await.unwrap();
    let information = async || {
        let path = format!("/v2/getWalletInformation?address={own}");
        client::send(node.url(), "GET", &path, "").await.unwrap().json()["result"].clone()
    };
    assert_eq!(information().await["account_state"], json!("uninitialized"));
    confirms_once(&node, Chain::Ton, &ton(0, 1_800_000_600)).await;
    assert_eq!(node.balance(&account(Chain::Ton, 2).address).await.unwrap(), 250_000_000);
    assert_eq!(information().await["seqno"], json!(1));
    assert_stale(&node, &ton(0, 1_800_000_600)).await;
    assert_stale(&node, &ton(1, 1_799_999_999)).await;
    assert_warns(&node, &ton(3, 1_800_000_600), FindingCode::Gapped).await;
    // Expired, and with a sequence gap: neither can be told from an accepted message.
    for wrong in [ton(1, 1_799_999_999), ton(3, 1_800_000_600)] {
        let answer = broadcast(node.url(), Chain::Ton, &wrong).await;
        assert!(
            matches!(&answer, Broadcast::Ambiguous { reason } if reason.contains("exitcode=")),
            "{answer:?}"
        );
    }
    assert_eq!(node.transactions().await.unwrap().len(), 1);
}

fn cosmos(number: u64, sequence: u64, amount: u64) -> Ours {
    let specific =
        CosmosSpecific { account_number: number, sequence, gas: 7500, ..CosmosSpecific::default() };
    signed(Chain::Cosmos, &payment(Chain::Cosmos, amount, BlockchainSpecific::CosmosSpecific(specific)))
}

async fn cosmos_hub() -> Cosmos {
    let (id, hrp) = (Chain::Cosmos.cosmos_id().unwrap(), Chain::Cosmos.bech32_hrp().unwrap());
    Cosmos::start(id, hrp).await.unwrap()
}

#[tokio::test]
async fn cosmos_ledger() {
    let node = cosmos_hub().await;
    let own = account(Chain::Cosmos, 1).address;
    assert_rejected(&node, Chain::Cosmos, &cosmos(1, 0, 1_000), "sdk 9").await;
    let known = node.fund(&own, "uatom", 2_000_000).await.unwrap();
    assert_rejected(&node, Chain::Cosmos, &cosmos(known.number + 1, 0, 1_000), "sdk 4").await;
    let ours = cosmos(known.number, 0, 1_500_000);
    assert_rejected(&node, Chain::Cosmos, &changed(&ours, 5), "sdk 4").await;
    let gap = broadcast(node.url(), Chain::Cosmos, &cosmos(known.number, 1, 1_000)).await;
    assert!(
        matches!(&gap, Broadcast::Ambiguous { reason } if reason.contains("sequence mismatch")),
        "{gap:?}"
    );
    confirms_once(&node, Chain::Cosmos, &ours).await;
    assert_eq!(node.account(&own).await.unwrap().sequence, 1);
    assert_stale(&node, &ours).await;
    assert_warns(&node, &cosmos(known.number, 2, 1_000), FindingCode::Gapped).await;
    assert_eq!(node.balance(&account(Chain::Cosmos, 2).address, "uatom").await.unwrap(), 1_500_000);
    assert_eq!(node.balance(&own, "uatom").await.unwrap(), 2_000_000 - 1_500_000 - 7_500);

    // More than the balance: mined and failed; the fee and the sequence are used.
    let much = cosmos(known.number, 1, 1_500_000);
    assert_eq!(broadcast(node.url(), Chain::Cosmos, &much).await, Broadcast::Accepted);
    let failed = status(node.url(), Chain::Cosmos, &much.id).await;
    assert!(
        matches!(&failed, Status::Failed { reason } if reason.contains("insufficient funds")),
        "{failed:?}"
    );
    assert_eq!(node.account(&own).await.unwrap().sequence, 2);
}

#[tokio::test]
async fn cosmos_answers_queries_before_signing() {
    let node = cosmos_hub().await;
    let own = account(Chain::Cosmos, 1).address;
    let get = async |path: String| {
        let reply = client::send(node.url(), "GET", &path, "").await.unwrap();
        (reply.status, reply.json())
    };
    let path = format!("/cosmos/auth/v1beta1/accounts/{own}");
    let (status, missing) = get(path.clone()).await;
    assert_eq!((status, &missing["code"]), (404, &json!(5)));
    node.fund(&own, "uatom", 1).await.unwrap();
    let (_, found) = get(path).await;
    assert_eq!(
        (&found["account"]["account_number"], &found["account"]["sequence"]),
        (&json!("1"), &json!("0"))
    );
    let (_, info) = get("/cosmos/base/tendermint/v1beta1/node_info".to_owned()).await;
    assert_eq!(info["default_node_info"]["network"], json!(Chain::Cosmos.cosmos_id()));
    let (_, balances) = get(format!("/cosmos/bank/v1beta1/balances/{own}")).await;
    assert_eq!(balances["balances"], json!([{ "denom": "uatom", "amount": "1" }]));
}
