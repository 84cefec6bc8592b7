//! Coins of UTXO chains, an index that knows the transactions they come from, and transactions field by field.

use super::payment;
use crate::signer::fast_signer_account;
use crate::world::{Answer, NodeCall};
use chains::encoding::hex;
use chains::hash::{hash160, sha256d};
use chains::{Chain, Network};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::SignData;
use wire::keysign::{BitcoinInput, BitcoinOutput, KeysignPayload, SignBitcoin, UtxoInfo};

/// What a coin of [`coin`] has.
pub const VALUE: u64 = 900_000_000;

/// A transaction that pays the vault, in its first output.
pub fn earlier(chain: Chain, value: u64) -> Vec<u8> {
    transaction(&[[7; 32]], &[(own_script(chain), value)])
}

/// A transaction's id as explorers spell it.
pub fn id(transaction: &[u8]) -> String {
    let mut id = sha256d(transaction);
    id.reverse();
    hex(&id)
}

/// A coin of the vault.
pub fn coin(chain: Chain) -> UtxoInfo {
    let amount = i64::try_from(VALUE).expect("fits");
    UtxoInfo { hash: id(&earlier(chain, VALUE)), amount, ..UtxoInfo::default() }
}

/// An index that knows the transactions of [`coin`], and nothing else.
pub fn index(call: &NodeCall) -> Answer {
    raw_transaction(call).unwrap_or(Answer::Down)
}

/// The answer of such an index, if it is asked for a transaction.
pub fn raw_transaction(call: &NodeCall) -> Option<Answer> {
    let (_, asked) = call.url.split_once("/raw/transaction/")?;
    let known = Chain::ALL.iter().filter(|chain| chain.kind() == chains::Kind::Utxo);
    let mut known = known.map(|chain| earlier(*chain, VALUE));
    let found = known.find(|transaction| id(transaction) == asked);
    let data = found.map_or(Value::Null, |found| json!({asked: {"raw_transaction": hex(&found)}}));
    Some(Answer::json(&json!({"data": data, "context": {"code": 200}})))
}

/// Whether wallets of the chain keep their coins behind a witness program.
const fn is_segwit(chain: Chain) -> bool {
    matches!(chain, Chain::Bitcoin | Chain::Litecoin)
}

/// The script that pays to the vault.
pub fn own_script(chain: Chain) -> Vec<u8> {
    let hash = hash160(fast_signer_account(chain).key.as_bytes());
    if is_segwit(chain) { witness_script(&hash) } else { key_script(&hash) }
}

/// The script that pays to an address of a key.
pub fn script(chain: Chain, address: &str) -> Vec<u8> {
    if is_segwit(chain) {
        return witness_script(&bech32::segwit::decode(address).expect("is an address").2);
    }
    let bytes = bs58::decode(address).into_vec().expect("is an address");
    key_script(bytes.get(1..21).expect("has a hash"))
}

fn witness_script(hash: &[u8]) -> Vec<u8> {
    [&[0x00, 0x14], hash].concat()
}

fn key_script(hash: &[u8]) -> Vec<u8> {
    [&[0x76, 0xa9, 0x14], hash, &[0x88, 0xac]].concat()
}

/// A script that carries data and pays nobody.
pub fn data_script(data: &[u8]) -> Vec<u8> {
    let length = u8::try_from(data.len()).expect("is short");
    [&[0x6a, length], data].concat()
}

/// Length and bytes; no list of the rows is long.
fn counted(bytes: &[u8]) -> Vec<u8> {
    [&[u8::try_from(bytes.len()).expect("is short")], bytes].concat()
}

fn transaction(inputs: &[[u8; 32]], outputs: &[(Vec<u8>, u64)]) -> Vec<u8> {
    let count = |length: usize| vec![u8::try_from(length).expect("are few")];
    let mut bytes = [1_u32.to_le_bytes().to_vec(), count(inputs.len())].concat();
    for id in inputs {
        bytes.extend([id.as_slice(), &[0; 4], &[0], &[0xff; 4]].concat());
    }
    bytes.extend(count(outputs.len()));
    for (script, value) in outputs {
        bytes.extend([value.to_le_bytes().to_vec(), counted(script)].concat());
    }
    bytes.extend([0; 4]);
    bytes
}

/// A transaction with one input of the vault, and these outputs.
pub fn built(chain: Chain, outputs: Vec<BitcoinOutput>) -> KeysignPayload {
    let Network::Utxo(_) = chain.network() else { panic!("{chain} has no such transactions") };
    let (version, inputs) = (2, vec![input(chain)]);
    let sign = SignBitcoin { version, inputs, outputs, ..SignBitcoin::default() };
    KeysignPayload { sign_data: Some(SignData::SignBitcoin(sign)), ..payment(chain, "") }
}

/// An input of the vault.
pub fn input(chain: Chain) -> BitcoinInput {
    BitcoinInput {
        hash: "ab".repeat(32),
        amount: i64::try_from(VALUE).expect("is small"),
        script_pub_key: hex(&own_script(chain)),
        script_type: "p2wpkh".to_owned(),
        is_ours: true,
        ..BitcoinInput::default()
    }
}

/// An output to an address.
pub fn output(chain: Chain, to: &str, value: u64) -> BitcoinOutput {
    let script_pub_key = hex(&script(chain, to));
    BitcoinOutput { address: to.to_owned(), script_pub_key, ..scripted(&[], value) }
}

/// An output with this script.
pub fn scripted(script: &[u8], value: u64) -> BitcoinOutput {
    let amount = i64::try_from(value).expect("is small");
    BitcoinOutput { amount, script_pub_key: hex(script), ..BitcoinOutput::default() }
}

/// A PSBT with one SegWit input of the vault, and these outputs.
pub fn psbt(chain: Chain, outputs: &[(Vec<u8>, u64)]) -> Vec<u8> {
    let unsigned = transaction(&[[0xab; 32]], outputs);
    let spent = [VALUE.to_le_bytes().to_vec(), counted(&own_script(chain))].concat();
    let pair = |kind: u8, value: &[u8]| [vec![1, kind], counted(value)].concat();
    let ends = vec![0; outputs.len()];
    [b"psbt\xff".to_vec(), pair(0, &unsigned), vec![0], pair(1, &spent), vec![0], ends].concat()
}
