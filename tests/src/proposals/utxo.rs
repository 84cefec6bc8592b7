//! Coins of UTXO chains, and an index that knows the transactions they come from.

use crate::signer::fast_signer_account;
use crate::world::{Answer, NodeCall};
use chains::Chain;
use chains::encoding::hex;
use chains::hash::{hash160, sha256d};
use serde_json::{Value, json};
use wire::keysign::UtxoInfo;

/// What a coin of [`coin`] has.
pub const VALUE: u64 = 900_000_000;

/// A transaction that pays the vault, in its first output.
pub fn earlier(chain: Chain, value: u64) -> Vec<u8> {
    let key = hash160(fast_signer_account(chain).key.as_bytes());
    let script = match chain {
        Chain::Bitcoin | Chain::Litecoin => [&[0, 20], key.as_slice()].concat(),
        _ => [&[0x76, 0xa9, 20], key.as_slice(), &[0x88, 0xac]].concat(),
    };
    let input = [vec![1], vec![7; 36], vec![0], vec![0xff; 4]].concat();
    let length = u8::try_from(script.len()).expect("is short");
    let output = [&[1], value.to_le_bytes().as_slice(), &[length], &script].concat();
    [vec![1, 0, 0, 0], input, output, vec![0; 4]].concat()
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
