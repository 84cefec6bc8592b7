//! What a keysign payload asks of Sui.
//!
//! Native: `SplitCoins(gas coin, [amount])`, `TransferObjects([the part], to)`, paid with as many coins as amount and
//! budget need. Token: the token's coins are merged into the first, split and transferred, and one separate coin of
//! SUI pays. `sign_sui` and a SwapKit route bring whole transactions.

use super::command::{Argument, Command};
use super::data::{Expiration, Gas, Input, ObjectRef, TransactionData};
use super::select::{self, Coin};
use super::{NATIVE, Programmable, address};
use crate::transaction::{Account, Role, Transaction};
use crate::{TransactionError, amount, encoding, keysign, swap_claims};
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{KeysignPayload, SuiSpecific, SwapKitSwapPayload};

/// What a payload that names no budget is given.
const DEFAULT_BUDGET: u64 = 3_000_000;

/// The one transaction of a payload.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    if payload.erc20_approve_payload.is_some() || payload.contract_payload.is_some() {
        return Err(TransactionError::Unsupported { what: "an allowance or a contract payload on Sui" });
    }
    let specific = specific(payload)?;
    let unsigned = match (&payload.sign_data, &payload.swap_payload) {
        (None, None) => send(payload, account, specific)?,
        (Some(SignData::SignSui(sign)), None) => {
            let bytes = encoding::from_base64("sign_sui.unsigned_tx_msg", &sign.unsigned_tx_msg)?;
            Programmable::read_any("sign_sui.unsigned_tx_msg", &bytes, account)?
        }
        (sign, Some(SwapPayload::SwapkitSwapPayload(swap))) => swapkit(swap, sign.as_ref(), account)?,
        (Some(_), _) => return Err(TransactionError::Unsupported { what: "sign data of another chain" }),
        (None, Some(_)) => return Err(TransactionError::Unsupported { what: "this swap on Sui" }),
    };
    Ok(vec![Transaction::new(account, Role::Main, unsigned).with_claims(swap_claims::of(payload))])
}

/// Sui's part of the payload; another chain's is an error even where none is needed.
fn specific(payload: &KeysignPayload) -> Result<Option<&SuiSpecific>, TransactionError> {
    match &payload.blockchain_specific {
        None => Ok(None),
        Some(BlockchainSpecific::SuicheSpecific(specific)) => Ok(Some(specific)),
        Some(_) => {
            Err(TransactionError::Malformed { field: "blockchain_specific", reason: "is not that of Sui" })
        }
    }
}

/// A route of SwapKit: a whole transaction, which `sign_sui` may repeat.
fn swapkit(
    swap: &SwapKitSwapPayload,
    sign: Option<&SignData>,
    account: &Account,
) -> Result<Programmable, TransactionError> {
    const FIELD: &str = "swapkit_swap_payload.tx_payload";
    if swap.tx_type != "SUI" {
        return Err(TransactionError::Unsupported { what: "a SwapKit route of this type on Sui" });
    }
    if swap.tx_payload.is_empty() {
        return Err(TransactionError::Missing { field: FIELD });
    }
    match sign {
        None => {}
        Some(SignData::SignSui(sign)) => {
            let bytes = encoding::from_base64("sign_sui.unsigned_tx_msg", &sign.unsigned_tx_msg)?;
            if bytes != swap.tx_payload {
                return Err(TransactionError::Unsafe {
                    what: "sign_sui and the route are not the same bytes",
                });
            }
        }
        Some(_) => return Err(TransactionError::Unsupported { what: "sign data of another chain" }),
    }
    Programmable::read(FIELD, &swap.tx_payload, account)
}

/// A payment of SUI or of a token.
fn send(
    payload: &KeysignPayload,
    account: &Account,
    specific: Option<&SuiSpecific>,
) -> Result<Programmable, TransactionError> {
    let (_, coin) = keysign::coin(payload)?;
    let specific = specific.ok_or(TransactionError::Missing { field: "suiche_specific" })?;
    if payload.memo.as_ref().is_some_and(|memo| !memo.is_empty()) {
        return Err(TransactionError::Unsupported { what: "a memo on Sui" });
    }
    let to = address("to_address", &payload.to_address)?;
    let amount = amount::parse_u64("to_amount", &payload.to_amount)?;
    let budget = match specific.gas_budget.as_str() {
        "" => DEFAULT_BUDGET,
        text => amount::parse_u64("gas_budget", text)?,
    };
    let coins = specific.coins.iter().map(Coin::read).collect::<Result<Vec<_>, _>>()?;
    let Paid { mut inputs, mut commands, from, payment } = if coin.is_native_token {
        native(&coin.contract_address, &coins, amount, budget)?
    } else {
        token(&coin.contract_address, &coins, amount, budget)?
    };
    let first = u16::try_from(inputs.len()).map_err(|_| TransactionError::Amount { field: "coins" })?;
    let split = u16::from(!commands.is_empty());
    inputs.extend([Input::Pure(amount.to_le_bytes().to_vec()), Input::Pure(to.to_vec())]);
    commands.push(Command::SplitCoins { coin: from, amounts: vec![Argument::Input(first)] });
    commands.push(Command::TransferObjects {
        objects: vec![Argument::Nested(split, 0)],
        address: Argument::Input(first.saturating_add(1)),
    });
    let sender = address("coin.address", &account.address)?;
    let price = amount::parse_u64("reference_gas_price", &specific.reference_gas_price)?;
    let gas = Gas { payment, owner: sender, price, budget };
    let data = TransactionData { inputs, commands, sender, gas, expiration: Expiration::None };
    Ok(Programmable(data))
}

/// How a payment begins: what it is taken from, and what pays for it.
struct Paid {
    inputs: Vec<Input>,
    commands: Vec<Command>,
    from: Argument,
    payment: Vec<ObjectRef>,
}

fn native(contract: &str, coins: &[Coin], amount: u64, budget: u64) -> Result<Paid, TransactionError> {
    if !contract.is_empty() && !select::same_type(contract, NATIVE) {
        let field = "coin.contract_address";
        return Err(TransactionError::Malformed { field, reason: "is set although the coin is native" });
    }
    let coins: Vec<Coin> = coins.iter().filter(|coin| coin.is(NATIVE)).cloned().collect();
    let target = amount.checked_add(budget).ok_or(TransactionError::Amount { field: "to_amount" })?;
    let spent = select::covering(&coins, target)?;
    let payment = spent.iter().map(|coin| coin.object.clone()).collect();
    Ok(Paid { inputs: Vec::new(), commands: Vec::new(), from: Argument::GasCoin, payment })
}

fn token(contract: &str, coins: &[Coin], amount: u64, budget: u64) -> Result<Paid, TransactionError> {
    let field = "coin.contract_address";
    if contract.is_empty() {
        return Err(TransactionError::Missing { field });
    }
    if select::same_type(contract, NATIVE) {
        return Err(TransactionError::Malformed { field, reason: "is SUI although the coin is a token" });
    }
    let tokens: Vec<Coin> = coins.iter().filter(|coin| coin.is(contract)).cloned().collect();
    let spent = select::covering(&tokens, amount)?;
    let payment = vec![select::gas(coins, budget)?.object];
    let inputs: Vec<Input> = spent.iter().map(|coin| Input::Owned(coin.object.clone())).collect();
    let sources: Vec<Argument> = (1..).take(inputs.len().saturating_sub(1)).map(Argument::Input).collect();
    let destination = Argument::Input(0);
    let merge = (!sources.is_empty()).then_some(Command::MergeCoins { destination, sources });
    Ok(Paid { inputs, commands: merge.into_iter().collect(), from: destination, payment })
}
