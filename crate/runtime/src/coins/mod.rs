//! What the vaults hold: chains and tokens.

use crate::database::Database;
use crate::store::{Batch, Range, Reads, StoreError, owned_tables, scan};
use chains::Chain;
use derive::Record;
use std::rc::Rc;
use wire::coins::Coin;
use wire::sorted::SortedSet;

owned_tables! {
    /// Vault id, chain and contract → a coin; a chain's own coin has no contract.
    COINS: CoinsRight = Coins, CoinRow;
}

/// A coin on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CoinRow {
    pub(crate) chain: String,
    pub(crate) ticker: String,
    /// The vault's address on the chain.
    pub(crate) address: String,
    /// What tells a token apart on its chain.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) contract_address: Option<String>,
    pub(crate) decimals: u8,
    pub(crate) is_native: bool,
    /// As given when it was added.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) logo: Option<String>,
    /// Under which name its price is looked up.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) price_provider_id: Option<String>,
}

impl From<CoinRow> for Coin {
    fn from(row: CoinRow) -> Self {
        let CoinRow { chain, ticker, address, contract_address, .. } = row;
        let CoinRow { decimals, is_native, logo, price_provider_id, .. } = row;
        Self { chain, ticker, address, contract_address, decimals, is_native, logo, price_provider_id }
    }
}

/// Coins of the vaults. The only writer of `coins`.
pub(crate) struct Coins {
    database: Rc<Database>,
}

/// The key of a coin. `id` is the contract, empty for the chain's own coin.
pub(crate) fn key(vault_id: &str, chain: Chain, id: &str) -> String {
    [vault_id, "/", chain.name(), "/", id].concat()
}

/// Stages a coin; a conflict if the vault holds it already.
pub(crate) fn stage_new(key: &str, coin: &CoinRow, batch: &mut Batch) {
    batch.expect(COINS, key, None);
    batch.put(COINS, key, coin);
}

impl Coins {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// A vault's coins, in the order of their chains, each chain's own coin first.
    pub(crate) async fn of_vault(&self, vault_id: &str) -> Result<Vec<Coin>, StoreError> {
        let rows = scan(self.database.store(), COINS, of(vault_id)).await?;
        Ok(rows.into_iter().map(|row| row.record.into()).collect())
    }

    /// The keys of a vault's coins.
    pub(crate) async fn keys_of(&self, vault_id: &str) -> Result<SortedSet<String>, StoreError> {
        let mut reads = Reads::new();
        let coins = reads.scan(COINS, of(vault_id));
        Ok(reads.from(self.database.store()).await?.keys(coins).into_iter().collect())
    }

    /// Stages the removal of a vault's coins.
    pub(crate) async fn stage_removal(&self, vault_id: &str, batch: &mut Batch) -> Result<(), StoreError> {
        for key in self.keys_of(vault_id).await?.iter() {
            batch.delete(COINS, key);
        }
        Ok(())
    }
}

fn of(vault_id: &str) -> Range {
    Range::prefix(format!("{vault_id}/"))
}
