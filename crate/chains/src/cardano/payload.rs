//! From a keysign payload to the payment: coins, a token, everything, or a transaction that a swap service built.

use super::body::{Body, OutPoint, TokenId, Tokens};
use super::plan::{Request, Spendable, plan};
use super::{Payment, metadata, prebuilt};
use crate::address::cardano as address;
use crate::encoding::{array_from_hex, from_hex};
use crate::hash::blake2b256;
use crate::signing::PublicKey;
use crate::transaction::{Account, Role, Transaction};
use crate::{TransactionError, amount, keysign, swap_claims};
use std::collections::BTreeSet;
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{CardanoChainSpecific, KeysignPayload, SwapKitSwapPayload, UtxoInfo};

/// Coins that go with a token: more than an output with one token needs.
const COINS_WITH_TOKEN: u64 = 1_500_000;

/// The one transaction of a payload.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let Some(BlockchainSpecific::Cardano(specific)) = &payload.blockchain_specific else {
        return Err(TransactionError::Missing { field: "cardano" });
    };
    let PublicKey::Ed25519(_) = account.key else {
        return Err(TransactionError::Unsupported {
            what: "a Cardano account with a key that is not Ed25519",
        });
    };
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    if payload.sign_data.is_some()
        || payload.contract_payload.is_some()
        || payload.erc20_approve_payload.is_some()
    {
        return Err(TransactionError::Unsupported { what: "a contract call or sign_data on Cardano" });
    }
    let payment = match &payload.swap_payload {
        None => payment(payload, account, specific)?,
        Some(SwapPayload::SwapkitSwapPayload(swap)) => swap_payment(payload, account, specific, swap)?,
        Some(_) => return Err(TransactionError::Unsupported { what: "this kind of swap on Cardano" }),
    };
    Ok(vec![Transaction::new(account, Role::Main, payment).with_claims(swap_claims::of(payload))])
}

/// Either a deposit that is built here, or a transaction that the service built.
fn swap_payment(
    payload: &KeysignPayload,
    account: &Account,
    specific: &CardanoChainSpecific,
    swap: &SwapKitSwapPayload,
) -> Result<Payment, TransactionError> {
    match swap.tx_type.as_str() {
        "CARDANO" if swap.tx_payload.is_empty() => {
            let to = address_bytes("to_address", &payload.to_address)?;
            let target = address_bytes("swapkit_swap_payload.target_address", &swap.target_address)?;
            let quoted = amount::parse_u64("swapkit_swap_payload.from_amount", &swap.from_amount)?;
            let sent = amount::parse_u64("to_amount", &payload.to_amount)?;
            if to != target || quoted != sent {
                return Err(TransactionError::Unsafe { what: "the swap was quoted for another transfer" });
            }
            payment(payload, account, specific)
        }
        "CARDANO" | "CARDANO_PREBUILT" => prebuilt::payment(payload, account, swap),
        other => Err(TransactionError::UnsupportedTxType { what: other.to_owned() }),
    }
}

fn payment(
    payload: &KeysignPayload,
    account: &Account,
    specific: &CardanoChainSpecific,
) -> Result<Payment, TransactionError> {
    let fee = u64::try_from(specific.byte_fee).ok().filter(|fee| *fee > 0);
    let fee = fee.ok_or(TransactionError::Amount { field: "cardano.byte_fee" })?;
    let spendable = spendable(&payload.utxo_info)?;
    let request = request(payload, account, specific.send_max_amount, fee, &spendable)?;
    let (inputs, outputs) = plan(&spendable, request)?;
    let memo = payload.memo.as_deref().filter(|memo| !memo.is_empty());
    let auxiliary = memo.map(metadata::encode);
    let hash = auxiliary.as_deref().map(blake2b256);
    let body = Body { inputs, outputs, fee, last_slot: Some(specific.ttl), auxiliary: hash };
    Ok(Payment { body: body.encode(), auxiliary })
}

fn request(
    payload: &KeysignPayload,
    account: &Account,
    everything: bool,
    fee: u64,
    spendable: &[Spendable],
) -> Result<Request, TransactionError> {
    let number = amount::parse_u64("to_amount", &payload.to_amount)?;
    let contract = payload.coin.as_ref().map_or("", |coin| coin.contract_address.as_str());
    let token = if contract.is_empty() { None } else { Some((token_id(contract)?, number)) };
    let coins = match token {
        Some(_) => COINS_WITH_TOKEN,
        None if everything => {
            let sum = spendable.iter().try_fold(0_u64, |sum, output| sum.checked_add(output.coins));
            let sum = sum.ok_or(TransactionError::Amount { field: "utxo_info" })?;
            sum.checked_sub(fee).ok_or(TransactionError::InsufficientFunds)?
        }
        None => number,
    };
    if number == 0 && (token.is_some() || !everything) {
        return Err(TransactionError::Amount { field: "to_amount" });
    }
    let to = address_bytes("to_address", &payload.to_address)?;
    Ok(Request { to, change: address_bytes("account", &account.address)?, coins, token, fee })
}

pub(super) fn address_bytes(field: &'static str, text: &str) -> Result<Vec<u8>, TransactionError> {
    address::decode(text).map_err(|error| TransactionError::Address { field, error })
}

/// `policy.name`, both in hex; the name may be empty.
fn token_id(text: &str) -> Result<TokenId, TransactionError> {
    let field = "coin.contract_address";
    let reason = "is not a policy and a name with a dot between them";
    let (policy, name) = text.split_once('.').ok_or(TransactionError::Malformed { field, reason })?;
    named(field, policy, name)
}

fn named(field: &'static str, policy: &str, name: &str) -> Result<TokenId, TransactionError> {
    let name = from_hex(field, name)?;
    if name.len() > 32 {
        return Err(TransactionError::Malformed { field, reason: "has a name of more than 32 bytes" });
    }
    Ok(TokenId::new(array_from_hex(field, policy)?, name))
}

fn spendable(list: &[UtxoInfo]) -> Result<Vec<Spendable>, TransactionError> {
    if list.is_empty() {
        return Err(TransactionError::Missing { field: "utxo_info" });
    }
    let mut points = BTreeSet::new();
    let spendable = |info: &UtxoInfo| {
        let transaction = array_from_hex("utxo_info.hash", &info.hash)?;
        let point = OutPoint { transaction, index: u64::from(info.index) };
        if !points.insert(point) {
            return Err(TransactionError::Malformed { field: "utxo_info", reason: "names an output twice" });
        }
        let coins =
            u64::try_from(info.amount).map_err(|_| TransactionError::Amount { field: "utxo_info.amount" })?;
        Ok(Spendable { point, coins, tokens: tokens(info)? })
    };
    list.iter().map(spendable).collect()
}

fn tokens(info: &UtxoInfo) -> Result<Tokens, TransactionError> {
    let field = "utxo_info.cardano_tokens";
    let mut tokens = Tokens::new();
    for token in &info.cardano_tokens {
        let id = named(field, &token.policy_id, &token.asset_name_hex)?;
        let sum = tokens.entry(id).or_insert(0_u64);
        let added = sum.checked_add(amount::parse_u64(field, &token.amount)?);
        *sum = added.ok_or(TransactionError::Amount { field })?;
    }
    Ok(tokens)
}
