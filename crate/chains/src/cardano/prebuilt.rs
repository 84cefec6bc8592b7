//! A transaction that a swap service built: `[body, witnesses, true, auxiliary data]`, signed as it is.
//!
//! The service chooses inputs, change and fee, so the body must be compared with what was quoted: it pays back to the
//! vault, except one deposit of coins that is not more than the swap's amount, and its fee is one that payments have.

use super::Payment;
use super::body::Body;
use super::cbor::{Items, NULL, TRUE};
use super::payload::address_bytes;
use crate::hash::blake2b256;
use crate::transaction::Account;
use crate::{TransactionError, amount};
use wire::keysign::{KeysignPayload, SwapKitSwapPayload};

const FIELD: &str = "swapkit_swap_payload.tx_payload";
/// The largest transaction that the network takes pays less than half of this.
const MAX_FEE: u64 = 2_000_000;

pub(super) fn payment(
    payload: &KeysignPayload,
    account: &Account,
    swap: &SwapKitSwapPayload,
) -> Result<Payment, TransactionError> {
    if payload.coin.as_ref().is_some_and(|coin| !coin.contract_address.is_empty()) {
        return Err(TransactionError::Unsupported { what: "a built Cardano transaction that swaps a token" });
    }
    let quoted = amount::parse_u64("swapkit_swap_payload.from_amount", &swap.from_amount)?;
    let (body, auxiliary) = parts(&swap.tx_payload)?;
    let read = Body::decode(FIELD, body)?;
    if read.auxiliary != auxiliary.map(blake2b256) {
        return Err(Items::new(FIELD, body).malformed("has auxiliary data that its body does not name"));
    }
    check(&read, &address_bytes("account", &account.address)?, quoted)?;
    Ok(Payment { body: body.to_vec(), auxiliary: auxiliary.map(<[u8]>::to_vec) })
}

/// Body and auxiliary data. Witnesses that were put there by others are dropped: ours is the only key that pays.
fn parts(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), TransactionError> {
    let mut items = Items::new(FIELD, bytes);
    if items.array()? != 4 {
        return Err(items.malformed("is not a transaction of four parts"));
    }
    let (body, _) = (items.item()?, items.item()?);
    let valid = items.item()?;
    let auxiliary = items.item()?;
    let unusual = items.malformed("says of itself that it is not valid");
    items.finish()?;
    if valid != [TRUE] {
        return Err(unusual);
    }
    Ok((body, (auxiliary != [NULL]).then_some(auxiliary)))
}

fn check(body: &Body, own: &[u8], quoted: u64) -> Result<(), TransactionError> {
    let mut deposits = body.outputs.iter().filter(|output| output.address != own);
    let what = match (deposits.next(), deposits.next()) {
        (_, Some(_)) => "the swap pays more than one stranger",
        (Some(deposit), None) if deposit.extra > 0 || !deposit.tokens.is_empty() => {
            "the swap's deposit is more than coins"
        }
        (Some(deposit), None) if deposit.coins > quoted => "the swap's deposit is more than was quoted",
        (None, None) => "the swap has no recipient",
        _ if body.fee > MAX_FEE => "the swap's fee is more than any payment costs",
        _ => return Ok(()),
    };
    Err(TransactionError::Unsafe { what })
}
