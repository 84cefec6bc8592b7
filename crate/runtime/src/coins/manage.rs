//! What pages do with coins: `/api/vaults/{id}/coins`.

use super::{
    CoinRow, Coins, TokenError, TokenFacts, against_chain, against_table, ask_table, stage_changed,
    stage_removed,
};
use crate::Core;
use crate::address::Unavailable;
use crate::http::ApiError;
use crate::ports::Signer;
use crate::store::{Batch, Durability, Keyed, StoreError};
use chains::Chain;
use derive::Code;
use wire::audit::AuditRecord;
use wire::coins::{Coin, DecimalsSource};
use wire::event::Event;
use wire::signer::TokenToCheck;

/// Why a coin is not confirmed or not removed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum CoinError {
    /// The vault does not hold it.
    #[error("the vault does not hold this token")]
    CoinNotFound,
    /// Tokens are checked by the signer, which does not answer.
    #[error("tokens cannot be checked at the moment")]
    SignerUnavailable,
    /// What is wrong with it.
    #[error(transparent)]
    #[code(transparent)]
    Token(#[from] TokenError),
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl From<Unavailable> for CoinError {
    fn from(_: Unavailable) -> Self {
        Self::SignerUnavailable
    }
}

impl From<CoinError> for ApiError {
    fn from(error: CoinError) -> Self {
        let status = match &error {
            CoinError::CoinNotFound => 404,
            CoinError::SignerUnavailable => 503,
            CoinError::Token(_) => 409,
            CoinError::Store(error) => return error.clone().into(),
        };
        Self::new(status, error.code(), error.to_string())
    }
}

/// A vault's coins as pages see them. Of tokens that an earlier version stored, those of our table are confirmed; without
/// the signer none is.
pub(crate) async fn view(
    coins: &Coins,
    signer: &dyn Signer,
    vault_id: &str,
) -> Result<Vec<Coin>, StoreError> {
    let mut coins = coins.of_vault(vault_id).await?;
    let earlier = |coin: &Coin| coin.added_by.is_none() && !coin.confirmed;
    let asked = coins.iter().filter(|coin| earlier(coin)).map(to_check).collect();
    let checked = ask_table(signer, asked).await.unwrap_or_default();
    for (coin, checked) in coins.iter_mut().filter(|coin| earlier(coin)).zip(checked) {
        let same = |listed: &&_| is_listed(coin, listed);
        if checked.listed.as_ref().filter(same).is_some() {
            (coin.confirmed, coin.decimals_from) = (true, DecimalsSource::Table);
        }
    }
    Ok(coins)
}

fn is_listed(coin: &Coin, listed: &wire::signer::ListedToken) -> bool {
    listed.decimals == coin.decimals && listed.ticker.eq_ignore_ascii_case(&coin.ticker)
}

fn to_check(coin: &Coin) -> TokenToCheck {
    let Coin { chain, ticker, contract_address, .. } = coin;
    TokenToCheck { chain: chain.clone(), ticker: ticker.clone(), contract: contract_address.clone() }
}

/// A token that a vault holds.
async fn held(
    core: &Core,
    vault_id: &str,
    chain: Chain,
    contract: &str,
) -> Result<Keyed<CoinRow>, CoinError> {
    if contract.is_empty() {
        return Err(TokenError::NativeCoin { path: "it".to_owned() }.into());
    }
    let rows = core.coins.rows(vault_id).await?;
    rows.into_iter().find(|row| row.record.is(chain, contract)).ok_or(CoinError::CoinNotFound)
}

/// The user confirms a token: from now on its name is the user's word. It is checked as a new one is.
pub(crate) async fn confirm(
    core: &Core,
    vault_id: &str,
    chain: Chain,
    contract: &str,
) -> Result<Coin, CoinError> {
    let held = held(core, vault_id, chain, contract).await?;
    let mut row = held.record.clone();
    if row.confirmed {
        return Ok(row.into());
    }
    let asked = vec![to_check(&row.clone().into())];
    let checked = ask_table(&*core.ports.signer, asked).await?;
    let checked = checked.first().ok_or(CoinError::SignerUnavailable)?;
    if let Some(listed) = against_table(checked, row.decimals, "")? {
        row.ticker.clone_from(&listed.ticker);
        row.decimals_from = DecimalsSource::Table;
    } else {
        let contract = row.contract_address.clone().unwrap_or_default();
        let fact = TokenFacts::new(core).ask(&[Some((chain, contract))]).await.into_iter().next().flatten();
        let found = against_chain(fact, row.decimals, "")?;
        if found == DecimalsSource::Node {
            row.decimals_from = found;
        }
    }
    row.confirmed = true;
    let mut batch = Batch::new(Durability::Strict);
    stage_changed(&held, &row, &mut batch);
    stage_told("token_confirmed", contract, &mut batch);
    core.commit(batch).await?;
    Ok(row.into())
}

/// The user removes a token.
pub(crate) async fn remove(
    core: &Core,
    vault_id: &str,
    chain: Chain,
    contract: &str,
) -> Result<(), CoinError> {
    let held = held(core, vault_id, chain, contract).await?;
    let mut batch = Batch::new(Durability::Strict);
    stage_removed(&held, &mut batch);
    stage_told("token_removed", contract, &mut batch);
    Ok(core.commit(batch).await?)
}

fn stage_told(what: &str, contract: &str, batch: &mut Batch) {
    batch.note(AuditRecord::Change { what: what.to_owned(), subject: Some(contract.to_owned()) });
    batch.tell(&Event::VaultModified {});
}
