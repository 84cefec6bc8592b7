//! `/api/vaults/{id}/coins`: what a vault holds, and the user's word on its tokens.

use super::connections::unescaped;
use super::{ApiError, Reply, RouteError};
use crate::connection::is_offered;
use crate::{Core, coins};
use chains::{Chain, Kind};
use wire::coins::Coins;
use wire::connection::{PageAddress, PageAddresses};

pub(super) async fn list(core: &Core, vault: &str) -> Result<Reply, ApiError> {
    let vault = core.vaults.named(vault).await?.record;
    let coins = coins::view(&core.coins, &*core.ports.signer, vault.id()).await?;
    Ok(Reply::json(200, &Coins { coins }))
}

/// The vault's addresses that a web page can be granted: on the chains of the families that have a provider.
pub(super) async fn accounts(core: &Core, vault: &str) -> Result<Reply, ApiError> {
    let vault = core.vaults.named(vault).await?.record;
    let accounts = Chain::ALL.iter().filter(|chain| is_offered(**chain)).filter_map(|chain| {
        let address = vault.address(chain.name())?.to_owned();
        Some(PageAddress { chain: chain.name().to_owned(), address, is_evm: chain.kind() == Kind::Evm })
    });
    Ok(Reply::json(200, &PageAddresses { accounts: accounts.collect() }))
}

/// The user confirms a token that the agent or a page added.
pub(super) async fn confirm(core: &Core, vault: &str, token: [&str; 2]) -> Result<Reply, ApiError> {
    let vault = core.vaults.named(vault).await?.record;
    let (chain, contract) = named(token)?;
    Ok(Reply::json(200, &coins::confirm(core, vault.id(), chain, &contract).await?))
}

/// The user removes a token; answers with what is left.
pub(super) async fn remove(core: &Core, vault: &str, token: [&str; 2]) -> Result<Reply, ApiError> {
    let stored = core.vaults.named(vault).await?.record;
    let (chain, contract) = named(token)?;
    coins::remove(core, stored.id(), chain, &contract).await?;
    list(core, vault).await
}

/// Chain and contract, each one segment of the path with its reserved characters escaped.
fn named([chain, contract]: [&str; 2]) -> Result<(Chain, String), ApiError> {
    let (Some(chain), Some(contract)) = (unescaped(chain), unescaped(contract)) else {
        let message = "the path is not escaped as it must be";
        return Err(ApiError::new(400, RouteError::InvalidRequest.code(), message));
    };
    let chain = Chain::parse(&chain).ok_or(RouteError::UnknownChain)?;
    Ok((chain, contract))
}
