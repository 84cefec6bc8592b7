//! What only nodes know of a bundle: asked before the approval, kept with the step, and signed with.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use chains::encoding::hex;
use chains::{Chain, Kind};
use countersign_tests::evm::{Evm, bundle};
use countersign_tests::proposals::utxo::{VALUE, coin, earlier, id, raw_transaction};
use countersign_tests::proposals::{friend, own, payload, payment};
use countersign_tests::world::*;
use serde_json::{Value, json};
use wire::keysign::KeysignPayload;
use wire::keysign::keysign_payload::SwapPayload;

/// What answers for a node.
type Node = Box<dyn FnMut(&NodeCall) -> Answer>;

const PASSWORD: &str = "correct horse battery";
const NODE: &str = "https://dogecoin-node.example";
/// Two tokens that no table knows.
const TOKENS: [&str; 2] =
    ["0x1111111111111111111111111111111111111111", "0x2222222222222222222222222222222222222222"];

async fn world(steps: Value, nodes: impl FnMut(&NodeCall) -> Answer + 'static) -> World {
    let world = World::proposing(json!([bundle("a1", steps)])).await;
    world.browser.use_fast_signer();
    world.make_vault(PASSWORD).await;
    world.set_nodes(nodes);
    world
}

/// A step that sends a token to the vault itself.
fn sends(token: &'static str, place: u32) -> Value {
    let sent = Evm::sends(token, &own(Chain::Ethereum), 1_500).nonce(7 + u64::from(place));
    sent.step(&format!("s{place}"), place)
}

fn dogecoin() -> KeysignPayload {
    payment(Chain::Dogecoin, &friend(Chain::Dogecoin))
}

fn paying(payment: &KeysignPayload) -> Value {
    json!([with(with(payload(payment), "id", json!("s0")), "sequence", json!(0))])
}

/// The steps of the bundle that is asked about.
async fn asked_about(world: &World) -> Vec<Value> {
    let prompts = world.prompts().await;
    assert_eq!(prompts.len(), 1, "{:?}", world.results());
    let id = prompts[0]["callId"].as_str().unwrap();
    world.get(&format!("/api/bundles/{id}")).await["steps"].as_array().unwrap().clone()
}

fn explained(step: &Value) -> &Value {
    &step["transactions"][0]["explanation"]
}

/// The rest of Blockchair, for a payment that is sent.
fn index(call: &NodeCall) -> Answer {
    if call.url.ends_with("/push/transaction") {
        return Answer::json(&json!({"data": {"transaction_hash": "ab"}, "context": {"code": 200}}));
    }
    raw_transaction(call).unwrap_or_else(|| {
        let output = json!({"index": 0, "value": VALUE, "is_spent": false});
        let known =
            json!({coin(Chain::Dogecoin).hash: {"transaction": {"block_id": 7}, "outputs": [output]}});
        Answer::json(&json!({"data": known, "context": {"code": 200, "state": 5_000_000}}))
    })
}

/// The fee of a Dogecoin payment is shown from the transaction that is spent from, which is asked for once: a worker that
/// starts anew signs with what was approved.
#[tokio::test(start_paused = true)]
async fn values_that_are_not_signed_are_asked_for_once() {
    let world = world(paying(&dogecoin()), index).await;
    world.say("go").await;
    let steps = asked_about(&world).await;
    let fee: u64 = explained(&steps[0])["fee"]["units"].as_str().unwrap().parse().unwrap();
    assert!((100..100_000).contains(&fee), "{steps:?}");
    assert_eq!(explained(&steps[0])["feeUnknown"], false);
    assert_eq!(world.answer(json!({"approve": true})).await.0, 200);
    world.restart().await;
    world.answer(json!({"approve": true, "password": PASSWORD})).await;
    let results = world.results();
    assert_eq!(results[0]["success"], true, "{results:?}");
    let calls = world.node_calls();
    assert_eq!(calls.iter().filter(|call| call.url.contains("/raw/transaction/")).count(), 1);
}

/// Without the transaction, with another one in its place, and where the payload says another value: nobody is asked.
#[tokio::test(start_paused = true)]
async fn values_that_nothing_proves_are_refused_before_a_prompt() {
    let chain = Chain::Dogecoin;
    let missing = format!(
        "network_fact_missing: step 0: keysign_payload the value of the coin {}:0 is not known: no node of the chain \
         that was asked tells it",
        coin(chain).hash
    );
    let silent = |_: &NodeCall| Answer::Down;
    let lying = |call: &NodeCall| match call.url.split_once("/raw/transaction/") {
        Some((_, asked)) => {
            let raw = hex(&earlier(Chain::Dogecoin, VALUE + 1));
            Answer::json(&json!({"data": {asked: {"raw_transaction": raw}}, "context": {"code": 200}}))
        }
        None => index(call),
    };
    let mut more = dogecoin();
    more.utxo_info[0].amount -= 1;
    let other =
        "unsafe_transaction: step 0: keysign_payload refused: a coin has another value than the request says";
    let nodes: [Node; 3] = [Box::new(silent), Box::new(lying), Box::new(index)];
    let cases = [(dogecoin(), missing.as_str()), (dogecoin(), &missing), (more, other)];
    for (nodes, (payment, refused)) in nodes.into_iter().zip(cases) {
        let world = world(paying(&payment), nodes).await;
        world.say("go").await;
        assert_eq!(world.results()[0]["error"], refused);
        assert_eq!(world.prompts().await, Vec::<Value>::new());
    }
}

/// A node of the chain that the user has set is asked before the index.
#[tokio::test(start_paused = true)]
async fn the_users_own_node_is_asked_first() {
    let world = world(paying(&dogecoin()), |call| {
        if call.url.starts_with(NODE) && call.body["method"] == "getrawtransaction" {
            assert_eq!(call.body["params"], json!([coin(Chain::Dogecoin).hash]));
            let raw = hex(&earlier(Chain::Dogecoin, VALUE));
            return Answer::json(&json!({"result": raw, "error": null, "id": 1}));
        }
        assert!(!call.url.contains("/raw/transaction/"), "the index is not asked");
        index(call)
    })
    .await;
    let endpoints = json!({"endpoints": {"Dogecoin": {"rpcUrl": NODE}}, "password": PASSWORD});
    let (status, answer) = world.call("PATCH", "/api/settings", endpoints).await;
    assert_eq!(status, 200, "{answer}");
    world.say("go").await;
    assert_eq!(asked_about(&world).await.len(), 1);
}

/// A token's own contract says its ticker and decimals; one that does not answer does not cost the other its name.
#[tokio::test(start_paused = true)]
async fn tokens_are_named_by_their_contracts() {
    let world = world(json!([sends(TOKENS[0], 0), sends(TOKENS[1], 1)]), |call| {
        let answer = |call: &Value| {
            let word = |text: &str| format!("{text:0>64}");
            let symbol = || format!("0x{}{}{:0<64}", word("20"), word("3"), hex(b"NEW"));
            let said = match (call["params"][0]["to"].as_str(), call["params"][0]["data"].as_str()) {
                (Some(to), Some("0x313ce567")) if to == TOKENS[1] => Some(format!("0x{}", word("2"))),
                (Some(to), Some("0x95d89b41")) if to == TOKENS[1] => Some(symbol()),
                _ => None,
            };
            let id = &call["id"];
            said.map_or_else(
                || json!({"jsonrpc": "2.0", "id": id, "error": {"code": 3, "message": "execution reverted"}}),
                |said| json!({"jsonrpc": "2.0", "id": id, "result": said}),
            )
        };
        match &call.body {
            Value::Array(calls) => Answer::json(&calls.iter().map(answer).collect()),
            call => Answer::json(&answer(call)),
        }
    })
    .await;
    world.say("go").await;
    let steps = asked_about(&world).await;
    let [first, second] = [0, 1].map(|place| explained(&steps[place])["effects"][0].clone());
    let shown = format!("1500 units of {} (decimals unknown)", TOKENS[0]);
    assert_eq!((&first["asset"]["ticker"], &first["amount"]["shown"]), (&Value::Null, &json!(shown)));
    assert_eq!((&second["asset"]["ticker"], &second["asset"]["source"]), (&json!("NEW"), &json!("node")));
    assert_eq!(second["amount"]["shown"], "15 NEW");
    assert_eq!(second["asset"]["contract"], "unknown", "a name is no proof of what a contract does");
}

/// A payment with a memo is a swap where the network's own nodes say that it takes deposits at the address.
#[tokio::test(start_paused = true)]
async fn a_swap_network_says_where_it_takes_deposits() {
    for (vault, provider) in
        [(friend(Chain::Bitcoin), json!("THORChain")), (own(Chain::Litecoin), Value::Null)]
    {
        let swap = wire::keysign::ThorChainSwapPayload {
            vault_address: friend(Chain::Bitcoin),
            from_amount: "100000".to_owned(),
            ..Default::default()
        };
        let payment = KeysignPayload {
            memo: Some(format!("=:ETH.ETH:{}:1/1/0", own(Chain::Ethereum))),
            swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap)),
            ..payment(Chain::Bitcoin, "")
        };
        let world = world(paying(&payment), move |call| {
            if call.url.ends_with("/thorchain/inbound_addresses") {
                let row = json!({"chain": "BTC", "address": vault, "halted": false});
                return Answer::json(&json!([row]));
            }
            Answer::Down
        })
        .await;
        world.say("go").await;
        let steps = asked_about(&world).await;
        let effect = &explained(&steps[0])["effects"][0];
        let kind = if provider.is_null() { "transfer" } else { "swap" };
        assert_eq!((&effect["kind"], &effect["provider"]), (&json!(kind), &provider), "{effect}");
        let parties = explained(&steps[0])["parties"].as_array().unwrap();
        let target = parties.iter().find(|party| party["role"] == "destination").unwrap();
        assert_eq!(target["address"], own(Chain::Ethereum));
    }
}

/// Nodes that hang delay the approval by their patience and no longer, however many are asked.
#[tokio::test(start_paused = true)]
async fn facts_are_not_waited_for_long() {
    let token = |place: u32| &*Box::leak(format!("0x{:040x}", 1_000 + place).into_boxed_str());
    let steps: Vec<Value> = (0..10).map(|place| sends(token(place), place)).collect();
    let world = world(json!(steps), |_| Answer::Silent).await;
    world.say("go").await;
    world.pass(17_000).await;
    assert_eq!(asked_about(&world).await.len(), 10);
}

/// All of them are UTXO chains whose signatures leave out what is spent, and no others.
#[test]
fn chains_whose_payments_need_earlier_transactions() {
    let uncovered = [Chain::Dogecoin, Chain::Dash];
    for chain in Chain::ALL.iter().filter(|chain| chain.kind() == Kind::Utxo && **chain != Chain::Zcash) {
        let account = countersign_tests::signer::fast_signer_account(*chain);
        let payment = payment(*chain, &friend(*chain));
        let transactions = chains::keysign::transactions(&payment, &account, &Default::default()).unwrap();
        let asks = !transactions[0].wanted().is_empty();
        assert_eq!(asks, uncovered.contains(chain), "{chain}");
        assert_eq!(id(&earlier(*chain, VALUE)), payment.utxo_info[0].hash);
    }
}
