//! Zcash over the whole pipeline: its signatures cover the consensus branch, which a JSON-RPC node is asked for.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use chains::encoding::{array_from_hex, base64, from_hex};
use chains::transaction::NetworkFacts;
use chains::{Chain, keysign};
use countersign_tests::evm::bundle;
use countersign_tests::signer::fast_signer_account;
use countersign_tests::world::*;
use prost::Message as _;
use serde_json::{Value, json};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, KeysignPayload, UtxoInfo, UtxoSpecific};

const PASSWORD: &str = "correct horse battery";
const NODE: &str = "https://zcash-node.example";
/// NU6.1, as nodes print it.
const BRANCH: &str = "4dec4df0";

fn payload() -> KeysignPayload {
    let account = fast_signer_account(Chain::Zcash);
    KeysignPayload {
        coin: Some(Coin {
            chain: "Zcash".to_owned(),
            ticker: "ZEC".to_owned(),
            address: account.address,
            decimals: 8,
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: "t1KmtBG5yvpzoe487EwnssmR9nh95Xjf3d9".to_owned(),
        to_amount: "2000000".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::UtxoSpecific(UtxoSpecific {
            byte_fee: "10".to_owned(),
            send_max_amount: false,
        })),
        utxo_info: vec![UtxoInfo {
            hash: "ab".repeat(32),
            amount: 3_000_000,
            index: 1,
            ..UtxoInfo::default()
        }],
        ..KeysignPayload::default()
    }
}

fn step() -> Value {
    json!({"id": "s0", "sequence": 0, "chain": "Zcash", "action": "send", "signing_mode": "ecdsa_secp256k1",
        "keysign_payload": base64(&payload().encode_to_vec())})
}

/// A world whose JSON-RPC node answers so, beside an index like the one of the table.
async fn world(consensus: Value, endpoint: Value) -> World {
    let world = World::proposing(json!([bundle("a1", json!([step()]))])).await;
    world.browser.use_fast_signer();
    world.make_vault(PASSWORD).await;
    world.set_nodes(move |call| {
        if call.url.starts_with(NODE) && call.body["method"] == "getblockchaininfo" {
            return Answer::json(&json!({"result": {"consensus": consensus}, "error": null, "id": 1}));
        }
        if call.url.ends_with("/push/transaction") {
            return Answer::json(&json!({"data": {"transaction_hash": "ab"}, "context": {"code": 200}}));
        }
        let coin = json!({"index": 1, "is_spent": false});
        let known = json!({"ab".repeat(32): {"transaction": {"block_id": 7}, "outputs": [coin]}});
        Answer::json(&json!({"data": known, "context": {"code": 200, "state": 3_000_000}}))
    });
    let patch = json!({"endpoints": {"Zcash": endpoint}, "password": PASSWORD});
    let (status, answer) = world.call("PATCH", "/api/settings", patch).await;
    assert_eq!(status, 200, "{answer}");
    world
}

/// The payment is signed for the branch that the node names, and its signature verifies under the vault's key.
#[tokio::test(start_paused = true)]
async fn signed_for_the_branch_that_the_node_names() {
    let world = world(json!({"chaintip": "c8e71055", "nextblock": BRANCH}), json!({"rpcUrl": NODE})).await;
    world.say("go").await;
    assert_eq!(world.answer(json!({"approve": true})).await.0, 200, "{:?}", world.results());
    // The branch belongs to the approval: a worker that starts anew signs for the same one.
    world.restart().await;
    world.answer(json!({"approve": true, "password": PASSWORD})).await;
    let results = world.results();
    assert_eq!(results[0]["success"], true, "{results:?}");

    let calls = world.node_calls();
    assert_eq!(calls.iter().filter(|call| call.url.starts_with(NODE)).count(), 1, "asked once");
    let sent = calls.iter().find(|call| call.url.ends_with("/push/transaction")).unwrap();
    let bytes = from_hex("data", sent.body["data"].as_str().unwrap()).unwrap();
    let mut branch: [u8; 4] = array_from_hex("branch", BRANCH).unwrap();
    branch.reverse();
    let verifies = |branch: [u8; 4]| {
        let facts = NetworkFacts { zcash_branch: Some(branch) };
        let account = fast_signer_account(Chain::Zcash);
        let transaction = keysign::transactions(&payload(), &account, &facts).unwrap().remove(0);
        signature_in(&bytes).is_some_and(|signature| transaction.compile(&[signature]).is_ok())
    };
    assert!(verifies(branch));
    assert!(!verifies([0x55, 0x10, 0xe7, 0xc8]));
}

/// `r ‖ s` of the first signature in the bytes: DER behind its push.
fn signature_in(bytes: &[u8]) -> Option<chains::signing::Signature> {
    let start = bytes.windows(2).position(|window| window == [0x30, 0x44] || window == [0x30, 0x45])?;
    let mut rest = bytes.get(start + 2..)?;
    let mut signature = [0; 64];
    for half in signature.as_chunks_mut::<32>().0 {
        let [2, length, tail @ ..] = rest else { return None };
        let (digits, tail) = tail.split_at_checked(usize::from(*length))?;
        let digits = digits.get(digits.len().saturating_sub(32)..)?;
        half[32 - digits.len()..].copy_from_slice(digits);
        rest = tail;
    }
    Some(chains::signing::Signature(signature))
}

/// Without a node that knows the branch the bundle is refused before a prompt, by a code of its own.
#[tokio::test(start_paused = true)]
async fn refused_where_no_node_knows_the_branch() {
    let refused = "network_fact_missing: step 0: keysign_payload the Zcash consensus branch is not known: no node of the \
                   chain that was asked tells it";
    for (consensus, endpoint) in [
        (json!({"nextblock": BRANCH}), Value::Null),
        (json!({"nextblock": BRANCH}), json!({"url": "https://index.example"})),
        (Value::Null, json!({"rpcUrl": NODE})),
        (json!({"nextblock": "not hex"}), json!({"rpcUrl": NODE})),
    ] {
        let world = world(consensus, endpoint).await;
        world.say("go").await;
        let results = world.results();
        assert_eq!(results[0]["error"], refused, "{results:?}");
        assert_eq!(world.prompts().await, Vec::<Value>::new());
    }
}
