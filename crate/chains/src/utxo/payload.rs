//! From a keysign payload: a payment or swap whose coins, fee and change are planned here, or a transaction that
//! others built (`sign_bitcoin`, a PSBT of SwapKit).

use super::plan::{Coin, Order, memo_script, plan};
use super::script::pay_to;
use super::spend::{Owner, Spend};
use super::tx::{Input, OutPoint, Output, Tx, ZCASH_VERSION};
use super::{psbt, rules, sign_bitcoin};
use crate::address::payee::Payee;
use crate::amount::parse_u64;
use crate::encoding::array_from_hex;
use crate::facts::Facts;
use crate::transaction::{Account, NetworkFacts, Role, Transaction};
use crate::{TransactionError, keysign, swap_claims};
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{KeysignPayload, SwapKitSwapPayload, UtxoInfo};

/// Says that an input is final: no replacement, no relative lock.
const FINAL: u32 = 0xffff_ffff;

/// The one transaction of a payload.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
    facts: &NetworkFacts,
) -> Result<Vec<Transaction>, TransactionError> {
    let owner = Owner::of(account)?;
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    if payload.erc20_approve_payload.is_some() || payload.contract_payload.is_some() {
        return Err(TransactionError::Unsupported { what: "a contract on a chain without contracts" });
    }
    let spend = match (&payload.sign_data, &payload.swap_payload) {
        (Some(SignData::SignBitcoin(data)), None) => sign_bitcoin::spend(data, &owner, facts)?,
        (data, Some(SwapPayload::SwapkitSwapPayload(swap))) if is_psbt(&swap.tx_type) => {
            let spend = swapkit(swap, &owner, facts)?;
            if let Some(data) = data {
                same_transaction(data, &spend, &owner, facts)?;
            }
            spend
        }
        (None, _) => payment(payload, &owner, facts)?,
        _ => return Err(TransactionError::Unsupported { what: "sign_data of another chain" }),
    };
    Ok(vec![Transaction::new(account, Role::Main, spend).with_claims(swap_claims::of(payload))])
}

/// Plans and builds a payment.
fn payment(payload: &KeysignPayload, owner: &Owner, facts: &NetworkFacts) -> Result<Spend, TransactionError> {
    let Some(BlockchainSpecific::UtxoSpecific(specific)) = &payload.blockchain_specific else {
        return Err(TransactionError::Missing { field: "utxo_specific" });
    };
    let target = Target::of(payload)?;
    let to = Payee::parse(&owner.prefixes, target.address)
        .map_err(|error| TransactionError::Address { field: target.address_field, error })?;
    let to = pay_to(&to);
    let coins = payload.utxo_info.iter().map(coin).collect::<Result<Vec<_>, _>>()?;
    if coins.is_empty() {
        return Err(TransactionError::Missing { field: "utxo_info" });
    }
    let memo = memo_script(payload.memo.as_deref().unwrap_or_default())?;
    let plan = plan(&Order {
        rules: owner.rules,
        coins: &coins,
        amount: parse_u64(target.amount_field, target.amount)?,
        everything: specific.send_max_amount,
        byte_fee: parse_u64("utxo_specific.byte_fee", &specific.byte_fee)?,
        to: &to,
        change: &owner.script,
        memo: memo.as_deref(),
    })?;
    let change = (plan.change > 0).then(|| Output { value: plan.change, script: owner.script.clone() });
    let memo = memo.map(|script| Output { value: 0, script });
    let outputs = [Some(Output { value: plan.amount, script: to }), change, memo];
    let zcash = owner.rules.digest == rules::Digest::Zcash;
    let tx = Tx {
        version: if zcash { ZCASH_VERSION } else { 1 },
        inputs: plan.coins.iter().map(|coin| Input::unsigned(coin.previous, FINAL)).collect(),
        outputs: outputs.into_iter().flatten().collect(),
        lock_time: 0,
        expiry: zcash.then_some(0),
    };
    let lock = owner.lock(&owner.script);
    let spent = plan.coins.iter().map(|coin| owner.spent(coin.value, owner.script.clone(), lock)).collect();
    owner.spend("utxo_info", owner.branch(facts)?, tx, spent)
}

/// Whom a payload pays, and how much.
struct Target<'a> {
    address: &'a str,
    address_field: &'static str,
    amount: &'a str,
    amount_field: &'static str,
}

impl<'a> Target<'a> {
    fn of(payload: &'a KeysignPayload) -> Result<Self, TransactionError> {
        let by_memo = |swap: &'a wire::keysign::ThorChainSwapPayload| {
            // Without a memo the network would keep what it cannot place, or return it less a fee.
            if payload.memo.as_deref().unwrap_or_default().is_empty() {
                return Err(TransactionError::Missing { field: "memo" });
            }
            Ok(Self {
                address: &swap.vault_address,
                address_field: "swap_payload.vault_address",
                amount: &swap.from_amount,
                amount_field: "swap_payload.from_amount",
            })
        };
        match &payload.swap_payload {
            None => Ok(Self {
                address: &payload.to_address,
                address_field: "to_address",
                amount: &payload.to_amount,
                amount_field: "to_amount",
            }),
            Some(SwapPayload::ThorchainSwapPayload(swap) | SwapPayload::MayachainSwapPayload(swap)) => {
                by_memo(swap)
            }
            Some(_) => Err(TransactionError::Unsupported { what: "a swap of this kind from this chain" }),
        }
    }
}

fn coin(info: &UtxoInfo) -> Result<Coin, TransactionError> {
    let mut id: [u8; 32] = array_from_hex("utxo_info.hash", &info.hash)?;
    id.reverse();
    let value = u64::try_from(info.amount);
    let value = value.map_err(|_| TransactionError::Amount { field: "utxo_info.amount" })?;
    Ok(Coin { previous: OutPoint { id, index: info.index }, value })
}

/// The plain name, or with the chain's ticker behind it.
fn is_psbt(tx_type: &str) -> bool {
    let tx_type = tx_type.to_ascii_uppercase();
    tx_type == "PSBT" || tx_type.starts_with("PSBT_")
}

/// A transaction that SwapKit built: its only payment must be the deposit that the payload names.
fn swapkit(
    swap: &SwapKitSwapPayload,
    owner: &Owner,
    facts: &NetworkFacts,
) -> Result<Spend, TransactionError> {
    let field = "swap_payload.tx_payload";
    let spend = psbt::spend(field, &swap.tx_payload, owner, owner.branch(facts)?)?;
    let target = Payee::parse(&owner.prefixes, &swap.target_address)
        .map_err(|error| TransactionError::Address { field: "swap_payload.target_address", error })?;
    let target = pay_to(&target);
    let amount = parse_u64("swap_payload.from_amount", &swap.from_amount)?;
    let elsewhere = |output: &&Output| output.value > 0 && output.script != owner.script;
    let payments: Vec<&Output> = spend.tx.outputs.iter().filter(elsewhere).collect();
    let [payment] = payments.as_slice() else {
        return Err(TransactionError::Unsafe { what: "the swap does not make exactly one payment" });
    };
    if payment.script != target {
        return Err(TransactionError::Unsafe { what: "the swap pays another address than it states" });
    }
    if payment.value > amount || spend.fee(Facts::default()).is_none_or(|fee| fee > amount) {
        return Err(TransactionError::Unsafe { what: "the swap pays more than it says" });
    }
    Ok(spend)
}

/// Where a payload carries a transaction in two forms, both must be the same one.
fn same_transaction(
    data: &SignData,
    spend: &Spend,
    owner: &Owner,
    facts: &NetworkFacts,
) -> Result<(), TransactionError> {
    let SignData::SignBitcoin(data) = data else {
        return Err(TransactionError::Unsupported { what: "sign_data of another chain" });
    };
    let other = sign_bitcoin::spend(data, owner, facts)?;
    if other.tx == spend.tx && other.spent == spend.spent {
        return Ok(());
    }
    Err(TransactionError::Unsafe { what: "sign_bitcoin and the swap's PSBT are different transactions" })
}
