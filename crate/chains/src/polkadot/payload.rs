//! A keysign payload as a transfer of the native coin, mortal for 64 blocks. There is no other form: neither chain has
//! memos, and wallets sign no swaps and no tokens here.

use super::{Transfer, prefix};
use crate::address::polkadot;
use crate::transaction::{Account, Role, Transaction};
use crate::{Chain, TransactionError, amount, encoding, keysign};
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{Coin, KeysignPayload};

/// The era's code for a period of 64 blocks; the block's place in the period stands above it.
const PERIOD_64: u16 = 5;

/// The one transaction of a payload.
pub(crate) fn transactions(
    payload: &KeysignPayload,
    account: &Account,
) -> Result<Vec<Transaction>, TransactionError> {
    let (chain, coin) = keysign::coin(payload)?;
    check_form(payload, coin)?;
    check_owner(coin, account)?;
    let Some(BlockchainSpecific::PolkadotSpecific(specific)) = &payload.blockchain_specific else {
        return Err(TransactionError::Missing { field: "polkadot_specific" });
    };
    let nonce = u32::try_from(specific.nonce);
    let block = amount::parse_u64("current_block_number", &specific.current_block_number)?;
    let transfer = Transfer {
        chain,
        to: key("to_address", chain, &payload.to_address)?,
        amount: amount::parse_u128("to_amount", &payload.to_amount)?,
        era: mortal_64(block),
        nonce: nonce.map_err(|_| TransactionError::Amount { field: "nonce" })?,
        spec_version: specific.spec_version,
        transaction_version: specific.transaction_version,
        genesis_hash: hash("genesis_hash", &specific.genesis_hash)?,
        block_hash: hash("recent_block_hash", &specific.recent_block_hash)?,
    };
    // Read back from what will be signed, so that nothing is explained that is not in it.
    let transfer = Transfer::decode(chain, &transfer.encode())?;
    Ok(vec![Transaction::new(account, Role::Main, transfer)])
}

/// What could not be in the bytes is refused, not left out.
fn check_form(payload: &KeysignPayload, coin: &Coin) -> Result<(), TransactionError> {
    let what = if payload.memo.as_ref().is_some_and(|memo| !memo.is_empty()) {
        "a memo on a Substrate chain"
    } else if !coin.is_native_token || !coin.contract_address.is_empty() {
        "tokens on a Substrate chain"
    } else if payload.swap_payload.is_some() {
        "swaps on a Substrate chain"
    } else if payload.contract_payload.is_some()
        || payload.sign_data.is_some()
        || payload.erc20_approve_payload.is_some()
    {
        "a Substrate payload with another chain's fields"
    } else {
        return Ok(());
    };
    Err(TransactionError::Unsupported { what })
}

/// Compared by key: on Bittensor the same account is met with two prefixes.
fn check_owner(coin: &Coin, account: &Account) -> Result<(), TransactionError> {
    let own = key("coin.address", account.chain, &account.address)?;
    if key("coin.address", account.chain, &coin.address)? == own {
        Ok(())
    } else {
        Err(TransactionError::NotOwned { address: coin.address.clone() })
    }
}

/// The key in an address. Besides the chain's own prefix that of Polkadot is taken: wallets derive Bittensor accounts
/// as Polkadot's and some hand them over in that spelling. The key, and so who is paid, is the same.
fn key(field: &'static str, chain: Chain, text: &str) -> Result<[u8; 32], TransactionError> {
    let text = text.trim();
    if text.is_empty() {
        return Err(TransactionError::Missing { field });
    }
    let error = |error| TransactionError::Address { field, error };
    match polkadot::decode(text).map_err(error)? {
        (found, key) if found == prefix(chain) || found == prefix(Chain::Polkadot) => Ok(key),
        (found, _) => Err(error(crate::AddressError::Ss58Prefix { expected: prefix(chain), found })),
    }
}

fn hash(field: &'static str, text: &str) -> Result<[u8; 32], TransactionError> {
    if text.is_empty() {
        return Err(TransactionError::Missing { field });
    }
    encoding::array_from_hex(field, text)
}

/// Valid from `block` for 64 blocks.
fn mortal_64(block: u64) -> [u8; 2] {
    let phase = u16::try_from(block % 64).unwrap_or_default();
    (PERIOD_64 | phase << 4).to_le_bytes()
}
