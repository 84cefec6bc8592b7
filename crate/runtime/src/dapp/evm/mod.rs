//! EVM: EIP-1193 with 2255, 3326, 3085 and 747, and reads that are passed on to the user's node.

mod asset;
mod chain;
mod permissions;
mod reads;

pub(super) use asset::watch_asset;
pub(super) use chain::{add_chain, switch_chain};
pub(super) use permissions::{get_permissions, request_permissions, revoke_permissions};
pub(super) use reads::{is_read, pass_on, refusal};

use super::connect::{Wanted, connect};
use super::error::RpcError;
use super::page::{self, FIRST_CHAIN, Page, not_connected};
use crate::Core;
use crate::connection::Grant;
use chains::Chain;
use serde_json::Value;
use std::rc::Rc;
use wire::vault::Vault;

/// The EVM chain that a grant's page is on.
pub(super) fn current(grant: &Grant) -> Chain {
    grant.current_chain.as_deref().and_then(Chain::parse).unwrap_or(FIRST_CHAIN)
}

/// The EVM accounts of a grant.
pub(super) fn addresses(grant: &Grant, vault: &Vault) -> Vec<String> {
    page::account(grant, vault, current(grant)).map(|account| account.address).into_iter().collect()
}

/// `eth_accounts`: without a grant there are none, and no prompt opens.
pub(super) async fn accounts(core: &Core, page: &Page) -> Result<Value, RpcError> {
    match (&page.grant, page.vault(core).await) {
        (Some(grant), Ok(vault)) => Ok(addresses(grant, &vault).into()),
        (_, Err(error @ RpcError::Store(_))) => Err(error),
        _ => Ok(Value::Array(Vec::new())),
    }
}

/// `eth_coinbase`: the account, or nothing.
pub(super) async fn coinbase(core: &Core, page: &Page) -> Result<Value, RpcError> {
    let accounts = accounts(core, page).await?;
    Ok(accounts.get(0).cloned().unwrap_or_default())
}

/// `eth_requestAccounts`.
pub(super) async fn request_accounts(core: &Rc<Core>, page: &Page) -> Result<Value, RpcError> {
    let (grant, vault) = connect(core, page, &Wanted::Evm).await?;
    Ok(addresses(&grant, &vault).into())
}

/// `web3_clientVersion`.
pub(super) async fn client_version(core: &Core, page: &Page) -> Result<Value, RpcError> {
    page.grant.as_ref().ok_or_else(not_connected)?;
    Ok(["Countersign/v", core.version()].concat().into())
}
