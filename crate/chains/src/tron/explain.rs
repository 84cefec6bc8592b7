//! What a transaction does, from the message that was read back.

use super::Tron;
use super::message::{Operation, Stake, TransferAsset, Trigger};
use super::trc20::{self, Call};
use crate::address::tron;
use crate::amount::is_unlimited;
use crate::encoding::readable;
use crate::explain::{Asset, Effect, Explanation, Fee, Function, Party, PartyRole};
use crate::facts::{Facts, Wanted};
use crate::transaction::Account;
use crate::{Amount, Chain, thorchain_memo};
use std::borrow::Cow;

pub(super) fn explain(transaction: &Tron, account: &Account, facts: Facts<'_>) -> Explanation {
    let raw = &transaction.raw;
    let memo = memo(transaction);
    let effects = effects(&transaction.operation).into_iter();
    let effects = effects.map(|effect| paid(effect, &memo, facts)).collect();
    let mut parties = thorchain_memo::parties(&memo);
    if let Operation::TransferAsset(message) = &transaction.operation {
        parties.push(Party::new(address(&message.to), PartyRole::Recipient));
    }
    Explanation {
        chain: Chain::Tron,
        from: account.address.clone(),
        target: None,
        effects,
        parties,
        memo: (!raw.data.is_empty()).then(|| readable(&raw.data)),
        // For energy. Bandwidth and a memo cost what the chain says, a TRX or two at most.
        fee: if raw.fee_limit > 0 { Fee::AtMost(amount(raw.fee_limit)) } else { Fee::SetByChain },
        gas_limit: None,
        nonce: None,
    }
}

/// What is asked of nodes about a payment with this memo.
pub(super) fn wanted(transaction: &Tron) -> Vec<Wanted> {
    match transaction.operation {
        Operation::Transfer(_) | Operation::Trigger(_) => thorchain_memo::wanted(&memo(transaction)),
        _ => Vec::new(),
    }
}

/// The memo as a swap network reads it.
fn memo(transaction: &Tron) -> Cow<'_, str> {
    String::from_utf8_lossy(&transaction.raw.data)
}

/// A payment, or the swap that it is if a network takes deposits there.
fn paid(effect: Effect, memo: &str, facts: Facts<'_>) -> Effect {
    match effect {
        Effect::Transfer { asset, to, amount } => {
            thorchain_memo::payment(Chain::Tron, facts, memo, &to, asset, amount)
        }
        other => other,
    }
}

fn effects(operation: &Operation) -> Vec<Effect> {
    match operation {
        Operation::Transfer(message) => {
            vec![transfer(Asset::Native, address(&message.to), amount(message.amount))]
        }
        Operation::TransferAsset(message) => {
            vec![numbered_token(message)]
        }
        Operation::Trigger(message) => call(message),
        Operation::Freeze(message) => vec![stake("FreezeBalanceV2", message)],
        Operation::Unfreeze(message) => vec![stake("UnfreezeBalanceV2", message)],
        Operation::Withdraw(_) => {
            vec![Effect::note("WithdrawExpireUnfreeze", [])]
        }
    }
}

/// A TRC-10 token is named by its number; another name could be taken for a contract's.
fn numbered_token(message: &TransferAsset) -> Effect {
    let (id, to) = (readable(&message.asset_name), address(&message.to));
    if id.bytes().all(|byte| byte.is_ascii_digit()) {
        return transfer(Asset::Token { id }, to, amount(message.amount));
    }
    let fields = [("asset_name", id), ("to", to), ("amount", message.amount.to_string())];
    Effect::other("TransferAsset", fields)
}

/// A call of a token, if nothing else goes with it; otherwise the function it calls.
fn call(message: &Trigger) -> Vec<Effect> {
    let contract = address(&message.contract);
    let plain = message.call_value == 0 && message.call_token_value == 0 && message.token_id == 0;
    if let Some(call) = trc20::read(&message.data).filter(|_| plain) {
        return vec![token(contract, call)];
    }
    let function =
        Function::Unknown { selector: message.data.first_chunk().copied(), bytes: message.data.len() };
    let mut effects = Vec::new();
    if message.call_token_value > 0 {
        let asset = Asset::Token { id: message.token_id.to_string() };
        effects.push(transfer(asset, contract.clone(), amount(message.call_token_value)));
    }
    effects.push(Effect::Call { contract, value: amount(message.call_value), function });
    effects
}

fn token(contract: String, call: Call) -> Effect {
    let asset = Asset::Token { id: contract };
    match call {
        Call::Transfer { to, amount } => transfer(asset, to, amount),
        Call::TransferFrom { from, to, amount } => Effect::TransferFrom { asset, from, to, amount },
        Call::Approve { spender, amount } => {
            Effect::Approve { asset, spender, amount, unlimited: is_unlimited(amount) }
        }
    }
}

fn stake(name: &str, message: &Stake) -> Effect {
    let resource = match message.resource {
        0 => "BANDWIDTH".to_owned(),
        1 => "ENERGY".to_owned(),
        other => other.to_string(),
    };
    Effect::note(name, [("amount", message.amount.to_string()), ("resource", resource)])
}

const fn transfer(asset: Asset, to: String, amount: Amount) -> Effect {
    Effect::Transfer { asset, to, amount }
}

/// Addresses and numbers were checked when the message was read.
fn address(bytes: &[u8]) -> String {
    tron::from_bytes(bytes).unwrap_or_default()
}

pub(super) fn amount(number: i64) -> Amount {
    Amount::from(number.unsigned_abs())
}
