//! `sign_bitcoin`: a transaction field by field, as a page's PSBT was taken apart. Only SegWit inputs, whose
//! signatures cover the values that are stated here; only hash type ALL; only inputs of the account are signed.
//!
//! The fields repeat each other (type and script, address and script). The scripts are what is signed; everything
//! that stands beside them must agree.

use super::script::{address, read_text};
use super::spend::{Lock, Owner, Spend, Spent};
use super::tx::{Input, OutPoint, Output, Tx};
use crate::TransactionError;
use crate::address::payee::Payee;
use crate::encoding::{array_from_hex, from_hex};
use crate::transaction::NetworkFacts;
use wire::keysign::{BitcoinInput, BitcoinOutput, SignBitcoin};

const FIELD: &str = "sign_bitcoin";

pub(super) fn spend(
    data: &SignBitcoin,
    owner: &Owner,
    facts: &NetworkFacts,
) -> Result<Spend, TransactionError> {
    if !owner.rules.segwit {
        return Err(TransactionError::Unsupported { what: "sign_bitcoin on a chain without SegWit" });
    }
    if data.inputs.is_empty() {
        return Err(TransactionError::Missing { field: "sign_bitcoin.inputs" });
    }
    let (mut inputs, mut spent) = (Vec::new(), Vec::new());
    for entry in &data.inputs {
        let (input, coin) = input(entry, owner)?;
        inputs.push(input);
        spent.push(coin);
    }
    if spent.iter().all(|spent| spent.lock == Lock::Foreign) {
        return Err(owner.not_owned(&spent.first().map(|spent| spent.script.clone()).unwrap_or_default()));
    }
    let outputs = data.outputs.iter().map(|entry| output(entry, owner)).collect::<Result<_, _>>()?;
    let tx = Tx { version: data.version, inputs, outputs, lock_time: data.locktime, expiry: None };
    owner.spend(FIELD, owner.branch(facts)?, tx, spent)
}

fn input(entry: &BitcoinInput, owner: &Owner) -> Result<(Input, Spent), TransactionError> {
    let mut id: [u8; 32] = array_from_hex("sign_bitcoin.inputs.hash", &entry.hash)?;
    id.reverse();
    let previous = OutPoint { id, index: entry.index };
    let input = Input::unsigned(previous, entry.sequence.unwrap_or(0xffff_ffff));
    let value = value("sign_bitcoin.inputs.amount", entry.amount)?;
    let script = from_hex("sign_bitcoin.inputs.script_pub_key", &entry.script_pub_key)?;
    if !entry.is_ours {
        return Ok((input, owner.spent(value, script, Lock::Foreign)));
    }
    let lock = owner.lock(&script);
    match (lock, entry.script_type.to_ascii_lowercase().as_str()) {
        (Lock::WitnessKey(_), "p2wpkh") | (Lock::NestedKey(_), "p2sh-p2wpkh") => {}
        (Lock::Foreign, _) => return Err(owner.not_owned(&script)),
        _ => {
            return Err(TransactionError::Unsupported { what: "an input that is not p2wpkh or p2sh-p2wpkh" });
        }
    }
    if entry.sighash_type.is_some_and(|hash_type| hash_type != u32::from(owner.rules.hash_type)) {
        return Err(TransactionError::Unsupported { what: "a hash type other than ALL" });
    }
    if let (Lock::NestedKey(hash), Some(redeem)) = (lock, entry.redeem_script.as_deref())
        && from_hex("sign_bitcoin.inputs.redeem_script", redeem)? != super::script::pay_to_witness_key(&hash)
    {
        return Err(TransactionError::Malformed {
            field: "sign_bitcoin.inputs.redeem_script",
            reason: "is not the script behind the hash",
        });
    }
    Ok((input, owner.spent(value, script, lock)))
}

fn output(entry: &BitcoinOutput, owner: &Owner) -> Result<Output, TransactionError> {
    let value = value("sign_bitcoin.outputs.amount", entry.amount)?;
    let script = from_hex("sign_bitcoin.outputs.script_pub_key", &entry.script_pub_key)?;
    let differs = TransactionError::Unsafe { what: "an output's address or data is not that of its script" };
    if script.is_empty() {
        return Err(TransactionError::Missing { field: "sign_bitcoin.outputs.script_pub_key" });
    }
    if !entry.address.is_empty() {
        let stated = Payee::parse(&owner.prefixes, &entry.address)
            .map_err(|error| TransactionError::Address { field: "sign_bitcoin.outputs.address", error })?;
        if stated.spell(&owner.prefixes) != address(&owner.prefixes, &script) {
            return Err(differs);
        }
    }
    if entry.is_change && script != owner.script {
        return Err(TransactionError::Unsafe { what: "an output marked as change pays another account" });
    }
    if let Some(data) = entry.op_return_data.as_deref().filter(|data| !data.is_empty())
        && read_text(&script) != Some(from_hex("sign_bitcoin.outputs.op_return_data", data)?.as_slice())
    {
        return Err(differs);
    }
    Ok(Output { value, script })
}

fn value(field: &'static str, amount: i64) -> Result<u64, TransactionError> {
    u64::try_from(amount).map_err(|_| TransactionError::Amount { field })
}
