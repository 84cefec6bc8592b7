//! Partially signed transactions, version 0 (BIP-174), read strictly and signed as they are.
//!
//! ```text
//! 70736274ff ‖ global map ‖ one map per input ‖ one map per output
//! map    pairs ‖ 00
//! pair   n key ‖ n value; the key begins with its type, and no key stands in a map twice
//! ```
//!
//! Read are the unsigned transaction (global 00), the version (global fb), and of inputs: the transaction that is
//! spent from (00), the output that is spent (01), the hash type (03), the script behind a hash (04). Everything
//! else (derivations, signatures by others, proprietary and unknown pairs) is allowed and does not enter what is
//! signed, except an input that is already final (07, 08) or has a witness script (05): that is not ours to sign.
//!
//! A value is believed where the signature covers it (SegWit, Bitcoin Cash, Zcash: a wrong value makes the signature
//! worthless) or where the whole earlier transaction is there and has the id that is spent. Any other is refused.

use super::previous;
use super::rules::Digest;
use super::script::pay_to_witness_key;
use super::spend::{Lock, Owner, Spend, Spent, ValueFrom};
use super::tx::{Input, Output, Tx, read_bytes};
use crate::TransactionError;
use crate::reader::Reader;
use std::collections::BTreeMap;

const MAGIC: [u8; 5] = *b"psbt\xff";

type Map<'a> = BTreeMap<&'a [u8], &'a [u8]>;

/// The transaction in a PSBT, if every input is the owner's.
pub(super) fn spend(
    field: &'static str,
    bytes: &[u8],
    owner: &Owner,
    branch: [u8; 4],
) -> Result<Spend, TransactionError> {
    let mut reader = Reader::new(field, bytes);
    if reader.array()? != MAGIC {
        return Err(reader.malformed("is not a PSBT"));
    }
    let global = read_map(&mut reader)?;
    let tx = unsigned_tx(field, &global, owner)?;
    let mut spent = Vec::new();
    for input in &tx.inputs {
        spent.push(read_input(field, &read_map(&mut reader)?, input, owner)?);
    }
    for _ in &tx.outputs {
        read_map(&mut reader)?;
    }
    reader.finish()?;
    owner.spend(field, branch, tx, spent)
}

fn unsigned_tx(field: &'static str, global: &Map<'_>, owner: &Owner) -> Result<Tx, TransactionError> {
    let malformed = |reason| TransactionError::Malformed { field, reason };
    single_keys(field, global, &[0x00, 0xfb])?;
    match global.get([0xfb].as_slice()) {
        None | Some([0, 0, 0, 0]) => {}
        Some(_) => {
            return Err(TransactionError::UnsupportedTxType { what: "newer PSBT".to_owned() });
        }
    }
    let bytes = global.get([0].as_slice()).ok_or(malformed("has no unsigned transaction"))?;
    let tx = match owner.rules.digest {
        Digest::Zcash => Tx::decode_zcash(field, bytes)?,
        Digest::Bitcoin | Digest::ForkId => Tx::decode(field, bytes)?,
    };
    if tx.inputs.iter().any(|input| !input.script.is_empty()) {
        return Err(malformed("has an unsigned transaction with signatures"));
    }
    Ok(tx)
}

fn read_input(
    field: &'static str,
    map: &Map<'_>,
    input: &Input,
    owner: &Owner,
) -> Result<Spent, TransactionError> {
    single_keys(field, map, &[0, 1, 3, 4, 5, 7, 8])?;
    let value = |kind: u8| map.get([kind].as_slice()).copied();
    if value(7).is_some() || value(8).is_some() {
        return Err(TransactionError::Unsupported { what: "a PSBT input that is already signed" });
    }
    let covered = match value(1) {
        Some(bytes) => {
            let mut reader = Reader::new(field, bytes);
            let output = Output::read(&mut reader)?;
            reader.finish()?;
            Some(output)
        }
        None => None,
    };
    let proven = match value(0) {
        Some(bytes) => Some(spent_from(field, bytes, input, owner)?),
        None => None,
    };
    if let (Some(covered), Some(proven)) = (&covered, &proven)
        && covered != proven
    {
        return Err(TransactionError::Malformed { field, reason: "has two different outputs for one input" });
    }
    let is_proven = proven.is_some();
    let output = proven.or(covered).ok_or(TransactionError::Missing { field: "witness_utxo" })?;
    let lock = owner.lock(&output.script);
    if lock == Lock::Foreign {
        return Err(owner.not_owned(&output.script));
    }
    if matches!((owner.rules.digest, lock), (Digest::Bitcoin, Lock::Key(_))) && !is_proven {
        return Err(TransactionError::Missing { field: "non_witness_utxo" });
    }
    check_scripts(field, lock, value(4), value(5))?;
    let hash_type = u32::from(owner.rules.hash_type).to_le_bytes();
    if value(3).is_some_and(|stated| stated != hash_type) {
        return Err(TransactionError::Unsupported { what: "a hash type other than ALL" });
    }
    let spent = owner.spent(output.value, output.script, lock);
    let proven = is_proven && spent.value_from == ValueFrom::Claim;
    Ok(if proven { Spent { value_from: ValueFrom::EarlierTransaction, ..spent } } else { spent })
}

/// The output that is spent, from the whole transaction that made it.
fn spent_from(
    field: &'static str,
    bytes: &[u8],
    input: &Input,
    owner: &Owner,
) -> Result<Output, TransactionError> {
    if owner.rules.digest == Digest::Zcash {
        return Err(TransactionError::Unsupported { what: "earlier transactions in a PSBT of Zcash" });
    }
    let output = previous::output(bytes, &input.previous.id, input.previous.index);
    let reason = "has a transaction that is not the one it spends from";
    output.ok_or(TransactionError::Malformed { field, reason })
}

/// The scripts behind a hash, as far as the lock has any.
fn check_scripts(
    field: &'static str,
    lock: Lock,
    redeem: Option<&[u8]>,
    witness: Option<&[u8]>,
) -> Result<(), TransactionError> {
    let expected = match lock {
        Lock::NestedKey(hash) => Some(pay_to_witness_key(&hash)),
        _ => None,
    };
    if witness.is_some() || redeem.is_some_and(|redeem| Some(redeem) != expected.as_deref()) {
        return Err(TransactionError::Malformed {
            field,
            reason: "has a script that its input does not need",
        });
    }
    Ok(())
}

/// Of some types there is one pair at most, and its key is the type alone.
fn single_keys(field: &'static str, map: &Map<'_>, kinds: &[u8]) -> Result<(), TransactionError> {
    let longer = |key: &&[u8]| key.len() > 1 && key.first().is_some_and(|kind| kinds.contains(kind));
    if map.keys().any(longer) {
        return Err(TransactionError::Malformed { field, reason: "has a key that is too long" });
    }
    Ok(())
}

/// Pairs until an empty key.
fn read_map<'a>(reader: &mut Reader<'a>) -> Result<Map<'a>, TransactionError> {
    let mut map = Map::new();
    loop {
        let key = read_bytes(reader)?;
        if key.is_empty() {
            return Ok(map);
        }
        if map.insert(key, read_bytes(reader)?).is_some() {
            return Err(reader.malformed("has a key twice"));
        }
    }
}
