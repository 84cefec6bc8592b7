//! Bitcoin and its likes before those who decide: a Litecoin node (and on it the same kind of bytes that Dogecoin and
//! Dash take), a Bitcoin Cash node, Bitcoin Core's own script checks, and for Zcash a library.

use bitcoinconsensus as consensus;
use chains::transaction::{NetworkFacts, Signed};
use chains::unsigned::{self, Context};
use chains::{Chain, encoding, keysign, rpc};
use countersign_peers::{Peer, account, key, sign};
use ripemd::Ripemd160;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use std::process::Command;
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, KeysignPayload, UtxoInfo, UtxoSpecific};

/// NU6.1, as its four bytes enter the signature hash.
const BRANCH: [u8; 4] = [0xf0, 0x4d, 0xec, 0x4d];
const AMOUNT: u64 = 1_000_000_000;
const MEMO: &str = "=:ETH.ETH:0x1234567890123456789012345678901234567890:123456789/1/0:va:50:padding";

/// The branch as it is read from a node's answer to `getblockchaininfo`.
fn branch() -> [u8; 4] {
    let consensus = json!({ "chaintip": "c8e71055", "nextblock": "4dec4df0" });
    let body = json!({ "result": { "consensus": consensus } }).to_string().into_bytes();
    rpc::read_zcash_branch(&rpc::Response { status: 200, body }).expect("a branch")
}

/// What a peer says of a coin.
struct Funds {
    id: String,
    index: u32,
    value: u64,
    transaction: String,
}

fn public(chain: Chain, seed: u8) -> Vec<u8> {
    account(chain, &key(chain, seed)).key.as_bytes().to_vec()
}

fn hash160(bytes: &[u8]) -> Vec<u8> {
    Ripemd160::digest(Sha256::digest(bytes)).to_vec()
}

fn p2pkh(seed: u8) -> Vec<u8> {
    [&[0x76, 0xa9, 0x14], hash160(&public(Chain::Bitcoin, seed)).as_slice(), &[0x88, 0xac]].concat()
}

fn p2wpkh(seed: u8) -> Vec<u8> {
    [&[0x00, 0x14], hash160(&public(Chain::Bitcoin, seed)).as_slice()].concat()
}

fn nested(seed: u8) -> Vec<u8> {
    [&[0xa9, 0x14], hash160(&p2wpkh(seed)).as_slice(), &[0x87]].concat()
}

/// The script of an account's address.
fn script(chain: Chain, seed: u8) -> Vec<u8> {
    if matches!(chain, Chain::Bitcoin | Chain::Litecoin) { p2wpkh(seed) } else { p2pkh(seed) }
}

fn fund(peer: &mut Peer, scripts: &[Vec<u8>]) -> Vec<Funds> {
    let scripts: Vec<String> = scripts.iter().map(|script| encoding::hex(script)).collect();
    let answer = peer.ask(&json!({ "fund": scripts }));
    let coin = |coin: &Value| Funds {
        id: coin["id"].as_str().expect("an id").to_owned(),
        index: coin["index"].as_u64().and_then(|index| u32::try_from(index).ok()).expect("an index"),
        value: coin["value"].as_u64().expect("a value"),
        transaction: coin["hex"].as_str().expect("bytes").to_owned(),
    };
    answer.as_array().unwrap_or_else(|| panic!("no coins: {answer}")).iter().map(coin).collect()
}

/// Coins that no peer knows, for peers that only look at scripts.
fn made_up(count: u8) -> Vec<Funds> {
    let coin = |at: u8| Funds {
        id: encoding::hex(&[at + 1; 32]),
        index: u32::from(at),
        value: 3 * AMOUNT / 5,
        transaction: String::new(),
    };
    (0..count).map(coin).collect()
}

/// From the account of seed 1 to that of seed 2.
fn payment(chain: Chain, coins: &[Funds], everything: bool) -> KeysignPayload {
    let address = |seed| account(chain, &key(chain, seed)).address;
    let info = |coin: &Funds| UtxoInfo {
        hash: coin.id.clone(),
        amount: i64::try_from(coin.value).expect("less than all coins"),
        index: coin.index,
        ..UtxoInfo::default()
    };
    KeysignPayload {
        coin: Some(Coin {
            chain: chain.to_string(),
            address: address(1),
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: address(2),
        to_amount: AMOUNT.to_string(),
        blockchain_specific: Some(BlockchainSpecific::UtxoSpecific(UtxoSpecific {
            byte_fee: "20".to_owned(),
            send_max_amount: everything,
        })),
        utxo_info: coins.iter().map(info).collect(),
        memo: Some(MEMO.to_owned()),
        ..KeysignPayload::default()
    }
}

fn signed(payload: &KeysignPayload) -> Signed {
    let (chain, _) = keysign::coin(payload).expect("a coin");
    let key = key(chain, 1);
    let facts = NetworkFacts { zcash_branch: Some(branch()) };
    let transactions = keysign::transactions(payload, &account(chain, &key), &facts).expect("a payload");
    sign(&transactions[0], &key)
}

/// The bytes with one bit of the last signature changed.
fn flipped(bytes: &[u8]) -> Vec<u8> {
    let key = public(Chain::Bitcoin, 1);
    let at = bytes.windows(key.len()).rposition(|window| window == key).expect("our key is shown");
    let mut bytes = bytes.to_vec();
    // Before the key: its length, the hash type, and the end of the signature.
    bytes[at - 12] ^= 1;
    bytes
}

fn send(peer: &mut Peer, bytes: &[u8]) -> Value {
    peer.ask(&json!({ "send": encoding::hex(bytes) }))
}

/// Sends our bytes and nothing else is taken: not with a changed bit before, not again after they are in a block.
fn confirm(peer: &mut Peer, ours: &Signed) -> Vec<(u64, String)> {
    let refused = send(peer, &flipped(&ours.bytes));
    assert!(refused["refused"].is_string(), "a flipped bit: {refused}");
    let accepted = send(peer, &ours.bytes);
    assert_eq!(accepted["accepted"], json!(ours.id), "{accepted}");
    let seen = peer.ask(&json!({ "block": ours.id }));
    assert_eq!(seen["confirmations"], json!(1), "{seen}");
    let again = send(peer, &ours.bytes);
    assert!(again["refused"].is_string(), "a second time: {again}");
    outputs(&seen)
}

fn outputs(seen: &Value) -> Vec<(u64, String)> {
    let output = |output: &Value| {
        (output["value"].as_u64().expect("a value"), output["script"].as_str().expect("a script").to_owned())
    };
    seen["outputs"].as_array().expect("outputs").iter().map(output).collect()
}

/// The payment, the change and the memo, in this order.
fn check_outputs(chain: Chain, outputs: &[(u64, String)]) {
    let [payment, change, memo] = outputs else { panic!("{chain}: {outputs:?}") };
    assert_eq!(*payment, (AMOUNT, encoding::hex(&script(chain, 2))), "{chain}");
    assert_eq!(change.1, encoding::hex(&script(chain, 1)), "{chain}");
    let text = [&[0x6a, 0x4c, 80], MEMO.as_bytes()].concat();
    assert_eq!(*memo, (0, encoding::hex(&text)), "{chain}");
}

/// The node, or a note that there is none.
fn litecoin() -> Option<Peer> {
    if Command::new("litecoind").arg("-version").output().is_err() {
        println!("passed over: litecoind is not installed (the Debian package litecoind)");
        return None;
    }
    Some(Peer::start("../../crate/nodes/scripts/litecoin.mjs"))
}

#[test]
fn a_litecoin_node_confirms_payments() {
    let Some(mut peer) = litecoin() else { return };
    let coins = fund(&mut peer, &[p2wpkh(1), p2wpkh(1), p2wpkh(1)]);
    let ours = signed(&payment(Chain::Litecoin, &coins[..1], false));
    check_outputs(Chain::Litecoin, &confirm(&mut peer, &ours));
    let everything = signed(&payment(Chain::Litecoin, &coins[1..], true));
    let outputs = confirm(&mut peer, &everything);
    assert_eq!(outputs.len(), 2, "no change: {outputs:?}");
    assert!(outputs[0].0 < coins[1].value + coins[2].value && outputs[0].0 > 2 * AMOUNT);
}

/// Not their own nodes, but the same bytes and digests: a payment of version 1 to and from the hash of a key.
#[test]
fn a_litecoin_node_takes_what_dogecoin_and_dash_sign() {
    let Some(mut peer) = litecoin() else { return };
    let coins = fund(&mut peer, &[p2pkh(1), p2pkh(1)]);
    for (chain, coin) in [Chain::Dogecoin, Chain::Dash].into_iter().zip(coins.chunks(1)) {
        let ours = signed(&payment(chain, coin, false));
        check_outputs(chain, &confirm(&mut peer, &ours));
    }
}

/// One input of each kind that a key opens.
#[test]
fn a_litecoin_node_confirms_a_psbt() {
    let Some(mut peer) = litecoin() else { return };
    let scripts = [p2wpkh(1), nested(1), p2pkh(1)];
    let coins = fund(&mut peer, &scripts);
    let key = key(Chain::Litecoin, 1);
    let bytes = encoding::hex(&psbt(&coins, &scripts));
    let account = account(Chain::Litecoin, &key);
    let transaction = unsigned::transaction(&bytes, &account, &Context::default()).expect("a PSBT");
    let outputs = confirm(&mut peer, &sign(&transaction, &key));
    let total: u64 = coins.iter().map(|coin| coin.value).sum();
    let change = total - AMOUNT - 10_000;
    assert_eq!(outputs, [(AMOUNT, encoding::hex(&p2wpkh(2))), (change, encoding::hex(&p2wpkh(1)))]);
}

/// Pays seed 2 and returns the rest but a fee. The last coin is behind a bare key and needs its whole transaction.
fn psbt(coins: &[Funds], scripts: &[Vec<u8>]) -> Vec<u8> {
    let total: u64 = coins.iter().map(|coin| coin.value).sum();
    let mut tx = [2, 0, 0, 0, 3].to_vec();
    for coin in coins {
        let mut id = encoding::from_hex("id", &coin.id).expect("hex");
        id.reverse();
        tx.extend(id);
        tx.extend(coin.index.to_le_bytes());
        tx.extend([0, 0xfd, 0xff, 0xff, 0xff]);
    }
    tx.push(2);
    let output = |value: u64, script: &[u8]| {
        [&value.to_le_bytes(), [u8::try_from(script.len()).expect("short")].as_slice(), script].concat()
    };
    tx.extend(output(AMOUNT, &p2wpkh(2)));
    tx.extend(output(total - AMOUNT - 10_000, &p2wpkh(1)));
    tx.extend([0; 4]);
    let mut bytes = b"psbt\xff".to_vec();
    bytes.extend(pair(0, &tx));
    bytes.push(0);
    for ((coin, script), legacy) in coins.iter().zip(scripts).zip([false, false, true]) {
        if legacy {
            bytes.extend(pair(0, &encoding::from_hex("transaction", &coin.transaction).expect("hex")));
        } else {
            bytes.extend(pair(1, &output(coin.value, script)));
        }
        bytes.push(0);
    }
    bytes.extend([0, 0]);
    bytes
}

fn pair(kind: u8, value: &[u8]) -> Vec<u8> {
    let length = match u8::try_from(value.len()) {
        Ok(length) if length < 0xfd => vec![length],
        _ => [&[0xfd], u16::try_from(value.len()).expect("short").to_le_bytes().as_slice()].concat(),
    };
    [&[1, kind], length.as_slice(), value].concat()
}

#[test]
fn a_bitcoin_cash_node_confirms_payments() {
    let mut peer = Peer::start("utxo/bitcoin-cash.mjs");
    let coins = fund(&mut peer, &[p2pkh(1)]);
    let ours = signed(&payment(Chain::BitcoinCash, &coins, false));
    check_outputs(Chain::BitcoinCash, &confirm(&mut peer, &ours));
}

/// The same payment signed without FORKID, as the chains before the fork do, is nothing to Bitcoin Cash.
#[test]
fn a_bitcoin_cash_node_refuses_what_dash_signs() {
    let mut peer = Peer::start("utxo/bitcoin-cash.mjs");
    let coins = fund(&mut peer, &[p2pkh(1)]);
    let refused = send(&mut peer, &signed(&payment(Chain::Dash, &coins, false)).bytes);
    assert!(refused["refused"].is_string(), "{refused}");
}

/// Bitcoin Core's script checks accept every input, and none with a changed bit or another value.
#[test]
fn bitcoin_core_accepts_our_inputs() {
    let coins = made_up(3);
    let ours = signed(&payment(Chain::Bitcoin, &coins, false));
    let check = |bytes: &[u8], value| {
        let inputs = (0..coins.len()).map(|at| consensus::verify(&p2wpkh(1), value, bytes, None, at));
        inputs.filter(Result::is_ok).count()
    };
    assert_eq!(check(&ours.bytes, coins[0].value), 2, "two of the coins are spent, both rightly");
    assert_eq!(check(&flipped(&ours.bytes), coins[0].value), 1);
    assert_eq!(check(&ours.bytes, coins[0].value + 1), 0);
    for chain in [Chain::Dogecoin, Chain::Dash] {
        let ours = signed(&payment(chain, &coins, false));
        let check = |bytes: &[u8]| consensus::verify(&p2pkh(1), 0, bytes, None, 1).is_ok();
        assert!(check(&ours.bytes) && !check(&flipped(&ours.bytes)), "{chain}");
    }
}

#[test]
fn bitcoin_core_accepts_every_kind_of_input_of_a_psbt() {
    let scripts = [p2wpkh(1), nested(1), p2pkh(1)];
    let mut coins = made_up(3);
    let earlier = earlier(&scripts[2]);
    let mut id: Vec<u8> = Sha256::digest(Sha256::digest(&earlier)).to_vec();
    id.reverse();
    (coins[2].id, coins[2].index, coins[2].transaction) = (encoding::hex(&id), 0, encoding::hex(&earlier));
    let key = key(Chain::Bitcoin, 1);
    let account = account(Chain::Bitcoin, &key);
    let bytes = encoding::hex(&psbt(&coins, &scripts));
    let transaction = unsigned::transaction(&bytes, &account, &Context::default()).expect("a PSBT");
    let ours = sign(&transaction, &key);
    for (at, (coin, script)) in coins.iter().zip(&scripts).enumerate() {
        let check = |bytes: &[u8], value| consensus::verify(script, value, bytes, None, at).is_ok();
        assert!(check(&ours.bytes, coin.value), "input {at}");
        let mut other = ours.bytes.clone();
        let lock_time = other.len() - 1;
        other[lock_time] ^= 1;
        assert!(!check(&other, coin.value), "input {at} covers the lock time");
    }
}

/// A transaction with one coin behind a script.
fn earlier(script: &[u8]) -> Vec<u8> {
    let mut tx = [1, 0, 0, 0, 1].to_vec();
    tx.extend([7; 32]);
    tx.extend([0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 1]);
    tx.extend((3 * AMOUNT / 5).to_le_bytes());
    tx.push(u8::try_from(script.len()).expect("short"));
    tx.extend(script);
    tx.extend([0; 4]);
    tx
}

/// No node: a library that computes ZIP-243 by itself. It must refuse another branch and another value.
#[test]
fn a_zcash_library_accepts_our_signatures() {
    let mut peer = Peer::start("utxo/zcash.mjs");
    let coins = made_up(2);
    let ours = signed(&payment(Chain::Zcash, &coins, false));
    let mut ask = |bytes: &[u8], branch: [u8; 4], value: u64| {
        let spent = json!({ "script": encoding::hex(&p2pkh(1)), "value": value });
        peer.ask(&json!({
            "transaction": encoding::hex(bytes), "branch": encoding::hex(&branch), "spent": [&spent, &spent],
        }))
    };
    let value = coins[0].value;
    let seen = ask(&ours.bytes, BRANCH, value);
    assert_eq!((&seen["accepted"], &seen["id"]), (&json!(true), &json!(ours.id)), "{seen}");
    check_outputs(Chain::Zcash, &outputs(&seen));
    for (bytes, branch, value) in [
        (flipped(&ours.bytes), BRANCH, value),
        (ours.bytes.clone(), [0x55, 0x10, 0xe7, 0xc8], value),
        (ours.bytes.clone(), BRANCH, value + 1),
    ] {
        let seen = ask(&bytes, branch, value);
        assert_ne!(seen["accepted"], json!(true), "{seen}");
    }
}
