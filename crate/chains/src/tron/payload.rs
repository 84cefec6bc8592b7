//! A keysign payload as `raw_data`. What a payload may stand for, the first that fits:
//!
//! - a staking operation, if the memo is `FREEZE:`, `UNFREEZE:` with a resource, or `WITHDRAW_EXPIRE_UNFREEZE`;
//! - a contract that a page made: a transfer, a TRC-10 transfer, a call;
//! - a swap: a transfer to the vault of THORChain or MayaChain with its memo, or what SwapKit made;
//! - a transfer of TRX or of a TRC-20 token.

use super::message::{BlockHeader, Operation, Raw, Stake, Transfer, TransferAsset, Trigger, Withdraw};
use super::{Tron, swapkit, trc20};
use crate::explain::Asset;
use crate::hash::sha256;
use crate::transaction::{Account, Role, Transaction};
use crate::{TransactionError, address, amount, encoding, keysign, swap_claims};
use prost::Message as _;
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, ThorChainSwapPayload, TronSpecific};
use wire::keysign::{
    TronTransferAssetContractPayload, TronTransferContractPayload, TronTriggerSmartContractPayload,
};

const FREEZE: &str = "FREEZE:";
const UNFREEZE: &str = "UNFREEZE:";
const WITHDRAW: &str = "WITHDRAW_EXPIRE_UNFREEZE";

/// A contract and what of the transaction around it depends on its type.
struct Draft {
    operation: Operation,
    /// The energy that is paid for; only contracts burn energy.
    limited: bool,
    /// Staking reads the memo and does not write it.
    memo: bool,
}

/// The one transaction of a Tron payload.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let (_, coin) = keysign::coin(payload)?;
    account.check(&coin.address)?;
    if payload.sign_data.is_some() || payload.erc20_approve_payload.is_some() {
        return Err(TransactionError::Unsupported { what: "a Tron payload with another chain's fields" });
    }
    if let Some(SwapPayload::SwapkitSwapPayload(swap)) = &payload.swap_payload {
        let transaction = Transaction::new(account, Role::Main, swapkit::transaction(swap, account)?);
        return Ok(vec![transaction.with_claims(swap_claims::of(payload))]);
    }
    let raw = raw(&draft(payload, coin, account)?, payload)?;
    // Read back from what will be signed, so that nothing is explained that is not in it.
    let transaction = Transaction::new(account, Role::Main, Tron::read(raw.encode_to_vec(), account)?);
    Ok(vec![transaction.with_claims(swap_claims::of(payload))])
}

fn draft(payload: &KeysignPayload, coin: &Coin, account: &Account) -> Result<Draft, TransactionError> {
    let staking = staking(payload, coin, account)?;
    match (staking, &payload.contract_payload, &payload.swap_payload) {
        (Some(operation), None, None) => Ok(Draft { operation, limited: false, memo: false }),
        (None, Some(contract), None) => contract_draft(contract, account),
        (None, None, Some(swap)) => swap_draft(swap, payload, coin, account),
        (None, None, None) => {
            let to = recipient("to_address", &payload.to_address)?;
            plain_draft(coin, account, to, &payload.to_amount)
        }
        _ => Err(TransactionError::Unsafe { what: "the payload asks for two operations at once" }),
    }
}

fn raw(draft: &Draft, payload: &KeysignPayload) -> Result<Raw, TransactionError> {
    let Some(BlockchainSpecific::TronSpecific(specific)) = &payload.blockchain_specific else {
        return Err(TransactionError::Missing { field: "tron_specific" });
    };
    let (ref_block_bytes, ref_block_hash) = reference(specific)?;
    let time = |field, number| match signed(field, number)? {
        // A wallet that finds none takes its own clock; two of them would sign different bytes.
        0 => Err(TransactionError::Missing { field }),
        number => Ok(number),
    };
    let memo = payload.memo.as_deref().filter(|_| draft.memo).unwrap_or_default();
    let fee_limit = if draft.limited { signed("gas_estimation", specific.gas_estimation)? } else { 0 };
    Ok(Raw {
        ref_block_bytes,
        ref_block_hash,
        expiration: time("expiration", specific.expiration)?,
        data: memo.as_bytes().to_vec(),
        contract: Some(draft.operation.to_contract()),
        timestamp: time("timestamp", specific.timestamp)?,
        fee_limit,
    })
}

/// The block that the transaction refers to: the end of its height, and the middle of its id. The first eight bytes of
/// an id are the height, the others the hash of the header.
fn reference(specific: &TronSpecific) -> Result<(Vec<u8>, Vec<u8>), TransactionError> {
    let version = i32::try_from(specific.block_header_version);
    let header = BlockHeader {
        timestamp: signed("block_header_timestamp", specific.block_header_timestamp)?,
        tx_trie_root: hash("block_header_tx_trie_root", &specific.block_header_tx_trie_root)?,
        parent_hash: hash("block_header_parent_hash", &specific.block_header_parent_hash)?,
        number: signed("block_header_number", specific.block_header_number)?,
        witness_address: hash("block_header_witness_address", &specific.block_header_witness_address)?,
        version: version.map_err(|_| TransactionError::Amount { field: "block_header_version" })?,
    };
    let hash = sha256(&header.encode_to_vec());
    let [.., high, low] = header.number.to_be_bytes();
    let middle = hash.iter().copied().skip(8).take(8).collect();
    Ok((vec![high, low], middle))
}

fn staking(
    payload: &KeysignPayload,
    coin: &Coin,
    account: &Account,
) -> Result<Option<Operation>, TransactionError> {
    let memo = payload.memo.as_deref().unwrap_or_default();
    let (frozen, unfrozen) = (memo.strip_prefix(FREEZE), memo.strip_prefix(UNFREEZE));
    if frozen.is_none() && unfrozen.is_none() && !memo.starts_with(WITHDRAW) {
        return Ok(None);
    }
    if !coin.is_native_token {
        return Err(TransactionError::Unsafe { what: "only TRX can be staked" });
    }
    if !payload.to_address.is_empty() && !account.owns(&payload.to_address) {
        return Err(TransactionError::Unsafe { what: "staking that names a receiver" });
    }
    let owner = owner(account)?;
    let stake = |resource: &str| {
        let resource = match resource {
            "BANDWIDTH" => 0,
            "ENERGY" => 1,
            _ => {
                return Err(TransactionError::Malformed {
                    field: "memo",
                    reason: "names no resource of Tron",
                });
            }
        };
        Ok(Stake { owner: owner.clone(), amount: positive("to_amount", &payload.to_amount)?, resource })
    };
    Ok(Some(match (frozen, unfrozen) {
        (Some(resource), _) => Operation::Freeze(stake(resource)?),
        (_, Some(resource)) => Operation::Unfreeze(stake(resource)?),
        // The amount is for people: everything that may be withdrawn is.
        _ if memo == WITHDRAW => Operation::Withdraw(Withdraw { owner }),
        _ => return Err(TransactionError::Malformed { field: "memo", reason: "names no operation of Tron" }),
    }))
}

fn contract_draft(contract: &ContractPayload, account: &Account) -> Result<Draft, TransactionError> {
    let (operation, limited) = match contract {
        ContractPayload::TronTransferContractPayload(value) => (transfer(value, account)?, false),
        ContractPayload::TronTransferAssetContractPayload(value) => (transfer_asset(value, account)?, true),
        ContractPayload::TronTriggerSmartContractPayload(value) => (trigger(value, account)?, true),
        ContractPayload::WasmExecuteContractPayload(_) => {
            return Err(TransactionError::Unsupported { what: "a Cosmos contract on Tron" });
        }
    };
    Ok(Draft { operation, limited, memo: true })
}

fn transfer(value: &TronTransferContractPayload, account: &Account) -> Result<Operation, TransactionError> {
    account.check(&value.owner_address)?;
    Ok(Operation::Transfer(Transfer {
        owner: owner(account)?,
        to: recipient("to_address", &value.to_address)?.to_vec(),
        amount: positive("amount", &value.amount)?,
    }))
}

fn transfer_asset(
    value: &TronTransferAssetContractPayload,
    account: &Account,
) -> Result<Operation, TransactionError> {
    account.check(&value.owner_address)?;
    if value.asset_name.is_empty() {
        return Err(TransactionError::Missing { field: "asset_name" });
    }
    Ok(Operation::TransferAsset(TransferAsset {
        asset_name: value.asset_name.clone().into_bytes(),
        owner: owner(account)?,
        to: recipient("to_address", &value.to_address)?.to_vec(),
        amount: positive("amount", &value.amount)?,
    }))
}

fn trigger(
    value: &TronTriggerSmartContractPayload,
    account: &Account,
) -> Result<Operation, TransactionError> {
    account.check(&value.owner_address)?;
    let number = |field, text: &Option<String>| match text.as_deref() {
        None | Some("") => Ok(0),
        Some(text) => signed(field, amount::parse_u64(field, text)?),
    };
    let token_id = value.token_id.unwrap_or_default();
    if token_id < 0 {
        return Err(TransactionError::Amount { field: "token_id" });
    }
    Ok(Operation::Trigger(Trigger {
        owner: owner(account)?,
        contract: recipient("contract_address", &value.contract_address)?.to_vec(),
        call_value: number("call_value", &value.call_value)?,
        data: encoding::from_hex("data", value.data.as_deref().unwrap_or_default())?,
        call_token_value: number("call_token_value", &value.call_token_value)?,
        token_id: token_id.into(),
    }))
}

fn swap_draft(
    swap: &SwapPayload,
    payload: &KeysignPayload,
    coin: &Coin,
    account: &Account,
) -> Result<Draft, TransactionError> {
    let swap = match swap {
        SwapPayload::ThorchainSwapPayload(swap) | SwapPayload::MayachainSwapPayload(swap) => swap,
        _ => return Err(TransactionError::Unsupported { what: "this provider's swaps on Tron" }),
    };
    if payload.memo.as_deref().unwrap_or_default().is_empty() {
        return Err(TransactionError::Missing { field: "memo" });
    }
    check_sale(swap, payload, coin)?;
    let vault = recipient("vault_address", &swap.vault_address)?;
    plain_draft(coin, account, vault, &payload.to_amount)
}

/// The coin and the amount stand twice in a payload with a swap; wallets differ in which they sign.
fn check_sale(
    swap: &ThorChainSwapPayload,
    payload: &KeysignPayload,
    coin: &Coin,
) -> Result<(), TransactionError> {
    let other_coin = swap.from_coin.as_ref().is_some_and(|from| asset(from) != asset(coin));
    if other_coin || (!swap.from_amount.is_empty() && swap.from_amount != payload.to_amount) {
        return Err(TransactionError::Unsafe {
            what: "the swap sells something else than the payload sends",
        });
    }
    Ok(())
}

/// A transfer of the payload's coin.
fn plain_draft(coin: &Coin, account: &Account, to: [u8; 21], text: &str) -> Result<Draft, TransactionError> {
    let owner = owner(account)?;
    let operation = if coin.is_native_token {
        Operation::Transfer(Transfer { owner, to: to.to_vec(), amount: positive("to_amount", text)? })
    } else {
        let data = trc20::transfer(&to, amount::parse("to_amount", text)?);
        let contract = recipient("coin.contract_address", &coin.contract_address)?.to_vec();
        Operation::Trigger(Trigger { owner, contract, data, ..Trigger::default() })
    };
    Ok(Draft { operation, limited: !coin.is_native_token, memo: true })
}

pub(super) fn asset(coin: &Coin) -> Asset {
    if coin.is_native_token { Asset::Native } else { Asset::Token { id: coin.contract_address.clone() } }
}

fn owner(account: &Account) -> Result<Vec<u8>, TransactionError> {
    recipient("coin.address", &account.address).map(|bytes| bytes.to_vec())
}

fn recipient(field: &'static str, text: &str) -> Result<[u8; 21], TransactionError> {
    if text.trim().is_empty() {
        return Err(TransactionError::Missing { field });
    }
    address::tron::to_bytes(text.trim()).map_err(|error| TransactionError::Address { field, error })
}

fn hash(field: &'static str, text: &str) -> Result<Vec<u8>, TransactionError> {
    if text.is_empty() {
        return Err(TransactionError::Missing { field });
    }
    encoding::from_hex(field, text)
}

/// The chain's numbers are signed, the payload's are not.
fn signed(field: &'static str, number: u64) -> Result<i64, TransactionError> {
    i64::try_from(number).map_err(|_| TransactionError::Amount { field })
}

/// The chain refuses to move nothing.
fn positive(field: &'static str, text: &str) -> Result<i64, TransactionError> {
    match signed(field, amount::parse_u64(field, text)?)? {
        0 => Err(TransactionError::Amount { field }),
        number => Ok(number),
    }
}
