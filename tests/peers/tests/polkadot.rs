//! Polkadot and Bittensor. A library checks the bytes of both; the runtime of Asset Hub, in a node without a network,
//! takes or refuses those of Polkadot. There is no runtime of Bittensor to be had.
//!
//! The node is large and installed by itself (`npm ci --ignore-scripts` in `polkadot/`); its test is passed over where it is missing.

use chains::rpc::{self, Broadcast, Method, Response};
use chains::transaction::{NetworkFacts, Signed};
use chains::{Chain, encoding, keysign};
use countersign_peers::{Peer, account, key, sign};
use serde_json::{Value, json};
use std::path::Path;
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, KeysignPayload, PolkadotSpecific};

fn address(chain: Chain, seed: u8) -> String {
    account(chain, &key(chain, seed)).address
}

/// From the account of seed 1 to that of seed 2.
fn payload(chain: Chain, amount: &str, specific: PolkadotSpecific) -> KeysignPayload {
    KeysignPayload {
        coin: Some(Coin {
            chain: chain.to_string(),
            address: address(chain, 1),
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: address(chain, 2),
        to_amount: amount.to_owned(),
        blockchain_specific: Some(BlockchainSpecific::PolkadotSpecific(specific)),
        ..KeysignPayload::default()
    }
}

fn signed(payload: &KeysignPayload) -> Signed {
    let (chain, _) = keysign::coin(payload).expect("a coin");
    let key = key(chain, 1);
    let account = account(chain, &key);
    let transactions = keysign::transactions(payload, &account, &NetworkFacts::default()).expect("a payload");
    sign(&transactions[0], &key)
}

/// Chain, the prefix of its addresses, its call, a runtime's version and what it expects beyond the usual.
const RUNTIMES: [(Chain, u16, [u8; 2], u32, &[&str]); 3] = [
    (Chain::Polkadot, 0, [10, 3], 1_005_001, &["ChargeAssetTxPayment", "CheckMetadataHash"]),
    (Chain::Polkadot, 0, [10, 3], 1_002_004, &["ChargeAssetTxPayment"]),
    (Chain::Bittensor, 42, [5, 0], 260, &["ChargeTransactionPayment", "CheckMetadataHash"]),
];

fn question(
    extrinsic: &[u8],
    (_, prefix, _, version, extensions): (Chain, u16, [u8; 2], u32, &[&str]),
) -> Value {
    json!({
        "extrinsic": format!("0x{}", encoding::hex(extrinsic)),
        "prefix": prefix,
        "extensions": extensions,
        "specVersion": version,
        "transactionVersion": 15,
        "genesisHash": format!("0x{}", "5a".repeat(32)),
        "blockHash": format!("0x{}", "a5".repeat(32)),
    })
}

fn by_hand(chain: Chain, version: u32) -> Signed {
    let specific = PolkadotSpecific {
        recent_block_hash: "a5".repeat(32),
        nonce: 70,
        current_block_number: "27313159".to_owned(),
        spec_version: version,
        transaction_version: 15,
        genesis_hash: "5a".repeat(32),
        gas: 0,
    };
    signed(&payload(chain, "12345678901234567890", specific))
}

#[test]
fn a_library_finds_signer_id_and_effect() {
    let mut peer = Peer::start("polkadot.mjs");
    for runtime in RUNTIMES {
        let (chain, _, call, version, _) = runtime;
        let ours = by_hand(chain, version);
        let expected = json!({
            "accepted": true,
            "id": ours.id,
            "signer": address(chain, 1),
            "call": call,
            "to": address(chain, 2),
            "amount": "12345678901234567890",
            "nonce": 70,
            "era": [64, 7],
            "tip": "0",
        });
        assert_eq!(peer.ask(&question(&ours.bytes, runtime)), expected);
    }
}

#[test]
fn a_flipped_bit_is_not_signed() {
    let mut peer = Peer::start("polkadot.mjs");
    for runtime in RUNTIMES {
        let ours = by_hand(runtime.0, runtime.3).bytes;
        for place in 0..ours.len() {
            let mut changed = ours.clone();
            changed[place] ^= 1;
            let seen = peer.ask(&question(&changed, runtime));
            assert_ne!(seen["accepted"], true, "byte {place}: {seen}");
        }
    }
}

/// Asset Hub's runtime behind its JSON-RPC, spoken to in the dialect of `chains::rpc`.
struct AssetHub(Peer);

impl AssetHub {
    fn start() -> Option<Self> {
        let installed = Path::new(env!("CARGO_MANIFEST_DIR")).join("polkadot/node_modules");
        if !installed.exists() {
            println!("passed over: the node is not installed (npm ci --ignore-scripts in tests/peers/polkadot)");
            return None;
        }
        Some(Self(Peer::start("polkadot/node.mjs")))
    }

    fn ask(&mut self, ask: &str, account: &str) -> Value {
        self.0.ask(&json!({ "ask": ask, "account": account, "amount": "50000000000000" }))
    }

    fn specific(&mut self) -> PolkadotSpecific {
        let state = self.ask("state", &address(Chain::Polkadot, 1));
        let text = |name: &str| state[name].as_str().unwrap_or_else(|| panic!("{state}")).to_owned();
        let number = |name: &str| u32::try_from(state[name].as_u64().expect("a number")).expect("32 bits");
        PolkadotSpecific {
            recent_block_hash: text("block_hash"),
            nonce: text("nonce").parse().expect("a nonce"),
            current_block_number: text("block_number"),
            spec_version: number("spec_version"),
            transaction_version: number("transaction_version"),
            genesis_hash: text("genesis_hash"),
            gas: 0,
        }
    }

    fn broadcast(&mut self, signed: &Signed) -> Broadcast {
        let Method::Post(body) = rpc::broadcast(Chain::Polkadot, signed).method else { panic!("a POST") };
        let answer = self.0.ask(&json!({ "ask": "post", "body": body }));
        let status = u16::try_from(answer["status"].as_u64().expect("a status")).expect("16 bits");
        let body = answer["body"].as_str().expect("a body").as_bytes().to_vec();
        rpc::read_broadcast(Chain::Polkadot, &Response { status, body })
    }

    fn free(&mut self, seed: u8) -> u128 {
        let balance = self.ask("balance", &address(Chain::Polkadot, seed));
        balance["free"].as_str().unwrap_or_else(|| panic!("{balance}")).parse().expect("an amount")
    }
}

/// In a block, with the effect that was signed; neither a changed copy nor a second time.
#[test]
fn the_runtime_takes_our_transfer_once_and_unchanged() {
    const AMOUNT: u128 = 12_345_678_901;
    let Some(mut hub) = AssetHub::start() else { return };
    hub.ask("fund", &address(Chain::Polkadot, 1));
    let before = (hub.free(1), hub.free(2));
    let specific = hub.specific();
    let ours = signed(&payload(Chain::Polkadot, &AMOUNT.to_string(), specific));

    for place in [40, 100, ours.bytes.len() - 1] {
        let mut changed = ours.clone();
        changed.bytes[place] ^= 1;
        let refused = hub.broadcast(&changed);
        assert!(format!("{refused:?}").contains("badProof"), "byte {place}: {refused:?}");
    }

    assert_eq!(hub.broadcast(&ours), Broadcast::Accepted);
    let block = hub.ask("block", "");
    let has = |list: &str, name: &str| block[list].as_array().is_some_and(|list| list.contains(&json!(name)));
    assert!(has("extrinsics", &ours.id), "{block}");
    assert!(has("events", "balances.Transfer"), "{block}");
    assert!(!has("events", "system.ExtrinsicFailed"), "{block}");
    assert_eq!(hub.free(2), before.1 + AMOUNT);
    assert!(hub.free(1) < before.0 - AMOUNT, "the fee is paid");

    // Its nonce is used up, by itself: that alone must not be read as a failure.
    let again = hub.broadcast(&ours);
    assert!(matches!(again, Broadcast::Ambiguous { .. } | Broadcast::AlreadyKnown), "{again:?}");
    assert_eq!(hub.free(2), before.1 + AMOUNT);
    let next = hub.specific();
    assert_eq!(next.nonce, 1);
    assert_eq!(hub.broadcast(&signed(&payload(Chain::Polkadot, "1000000000", next))), Broadcast::Accepted);
}
