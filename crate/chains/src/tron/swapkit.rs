//! A transaction that SwapKit made: the JSON text of an object whose `raw_data_hex` is what is signed. It is signed as
//! it is, if it is ours and pays what the swap says.

use super::explain::amount;
use super::message::Operation;
use super::payload::asset;
use super::{Tron, trc20};
use crate::address::tron;
use crate::explain::Asset;
use crate::hash::sha256;
use crate::transaction::Account;
use crate::{TransactionError, encoding};
use wire::keysign::SwapKitSwapPayload;

const FIELD: &str = "swapkit_swap_payload.tx_payload";

pub(super) fn transaction(swap: &SwapKitSwapPayload, account: &Account) -> Result<Tron, TransactionError> {
    if swap.tx_type != "TRON" {
        return Err(TransactionError::UnsupportedTxType { what: swap.tx_type.chars().take(60).collect() });
    }
    let malformed = |reason| TransactionError::Malformed { field: FIELD, reason };
    let object: serde_json::Value =
        serde_json::from_slice(&swap.tx_payload).map_err(|_| malformed("is not JSON"))?;
    let text = |name: &str| object.get(name).and_then(serde_json::Value::as_str);
    let raw = text("raw_data_hex").ok_or_else(|| malformed("has no raw_data_hex"))?;
    let raw = encoding::from_hex(FIELD, raw)?;
    if text("txID").is_some_and(|id| !id.eq_ignore_ascii_case(&encoding::hex(&sha256(&raw)))) {
        return Err(malformed("has an id that is not that of its raw_data_hex"));
    }
    let transaction = Tron::read(raw, account)?;
    check_payment(&transaction.operation, swap)?;
    Ok(transaction)
}

/// Refuses a payment to another account, or of another amount, than the payload says. A call of another contract is
/// left to be shown as the call it is.
fn check_payment(operation: &Operation, swap: &SwapKitSwapPayload) -> Result<(), TransactionError> {
    let (sell, router, paid) = match operation {
        Operation::Transfer(message) => {
            (Asset::Native, tron::from_bytes(&message.to), amount(message.amount))
        }
        Operation::Trigger(message) => match trc20::read(&message.data) {
            Some(trc20::Call::Transfer { to, amount }) if message.call_value == 0 => {
                let id = tron::from_bytes(&message.contract).unwrap_or_default();
                (Asset::Token { id }, Some(to), amount)
            }
            _ => return Ok(()),
        },
        _ => return Err(TransactionError::Unsafe { what: "the swap's transaction is not a payment" }),
    };
    let router = router.unwrap_or_default();
    let expected = [Some(swap.target_address.as_str()), swap.inbound_address.as_deref()];
    let differs = !expected.contains(&Some(router.as_str()))
        || paid.to_string() != swap.from_amount
        || swap.from_coin.as_ref().is_none_or(|coin| asset(coin) != sell);
    if differs {
        return Err(TransactionError::Unsafe {
            what: "the swap's transaction pays something else than the swap",
        });
    }
    Ok(())
}
