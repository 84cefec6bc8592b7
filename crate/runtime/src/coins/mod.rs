//! What the vaults hold: chains and tokens.

mod check;
mod manage;

pub(crate) use check::TokenError;
pub(crate) use check::{TokenFact, TokenFacts, against_chain, against_table, ask_table};
pub(crate) use manage::{CoinError, confirm, remove, view};

use crate::database::Database;
use crate::store::{Batch, Keyed, Range, Reads, StoreError, owned_tables, scan};
use chains::{Chain, Kind};
use derive::Record;
use std::rc::Rc;
use wire::address_book::AddedBy;
use wire::coins::{Coin, DecimalsSource};

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
    /// Absent in rows of earlier versions, which count as the agent's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) added_by: Option<AddedBy>,
    /// Whether the user added or confirmed it, or it is well known.
    #[serde(default)]
    pub(crate) confirmed: bool,
    #[serde(default)]
    pub(crate) decimals_from: DecimalsSource,
}

impl CoinRow {
    /// Whether it is this token: EVM contracts are the same in any case.
    pub(crate) fn is(&self, chain: Chain, contract: &str) -> bool {
        let same = |own: &String| match chain.kind() {
            Kind::Evm => own.eq_ignore_ascii_case(contract),
            _ => own == contract,
        };
        self.chain == chain.name() && self.contract_address.as_ref().is_some_and(same)
    }

    /// Whether it is this chain's own coin.
    pub(crate) fn is_native_of(&self, chain: Chain) -> bool {
        self.is_native && self.chain == chain.name()
    }
}

impl From<CoinRow> for Coin {
    fn from(row: CoinRow) -> Self {
        let CoinRow { chain, ticker, address, contract_address, decimals, is_native, .. } = row;
        let CoinRow { logo, price_provider_id, added_by, confirmed, decimals_from, .. } = row;
        // A chain's own coin is known from the table, also if an earlier version stored something else.
        let (confirmed, decimals_from) =
            if is_native { (true, DecimalsSource::Table) } else { (confirmed, decimals_from) };
        Self {
            chain,
            ticker,
            address,
            contract_address,
            decimals,
            is_native,
            logo,
            price_provider_id,
            added_by,
            confirmed,
            decimals_from,
        }
    }
}

/// Coins of the vaults. The only writer of `coins`.
pub(crate) struct Coins {
    database: Rc<Database>,
}

/// The key of a coin. A chain's own coin has no contract.
pub(crate) fn key(vault_id: &str, chain: Chain, contract: &str) -> String {
    let id = if chain.kind() == Kind::Evm { contract.to_ascii_lowercase() } else { contract.to_owned() };
    [vault_id, "/", chain.name(), "/", &id].concat()
}

/// Stages a coin; a conflict if the vault holds it already.
pub(crate) fn stage_new(key: &str, coin: &CoinRow, batch: &mut Batch) {
    batch.expect(COINS, key, None);
    batch.put(COINS, key, coin);
}

/// Stages the removal of a coin, if it is still as it was read.
pub(crate) fn stage_removed(coin: &Keyed<CoinRow>, batch: &mut Batch) {
    batch.expect(COINS, &coin.key, Some(&coin.text));
    batch.delete(COINS, &coin.key);
}

/// Stages a change of a coin, if it is still as it was read.
fn stage_changed(coin: &Keyed<CoinRow>, now: &CoinRow, batch: &mut Batch) {
    batch.expect(COINS, &coin.key, Some(&coin.text));
    batch.put(COINS, &coin.key, now);
}

impl Coins {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// A vault's rows, in the order of their chains, each chain's own coin first.
    pub(crate) async fn rows(&self, vault_id: &str) -> Result<Vec<Keyed<CoinRow>>, StoreError> {
        scan(self.database.store(), COINS, of(vault_id)).await
    }

    /// A vault's coins, in the same order. Tokens that an earlier version stored are not confirmed.
    pub(crate) async fn of_vault(&self, vault_id: &str) -> Result<Vec<Coin>, StoreError> {
        Ok(self.rows(vault_id).await?.into_iter().map(|row| row.record.into()).collect())
    }

    /// Stages the removal of a vault's coins.
    pub(crate) async fn stage_removal(&self, vault_id: &str, batch: &mut Batch) -> Result<(), StoreError> {
        let mut reads = Reads::new();
        let coins = reads.scan(COINS, of(vault_id));
        for key in reads.from(self.database.store()).await?.keys(coins) {
            batch.delete(COINS, &key);
        }
        Ok(())
    }
}

fn of(vault_id: &str) -> Range {
    Range::prefix(format!("{vault_id}/"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wire::json::from_text;

    /// A row of version 0.1.0: a token counts as the agent's, a chain's own coin is known from the table.
    #[test]
    fn rows_of_earlier_versions() {
        let token = r#"{"chain":"Base","ticker":"ABC","address":"0x1","contractAddress":"0x2","decimals":6,"isNative":false}"#;
        let native = r#"{"chain":"Base","ticker":"ETH","address":"0x1","decimals":18,"isNative":true}"#;
        let read = |text| Coin::from(from_text::<CoinRow>(text).unwrap());
        let (token, native) = (read(token), read(native));
        assert_eq!(
            (token.added_by, token.confirmed, token.decimals_from),
            (None, false, DecimalsSource::Request)
        );
        assert_eq!(
            (native.added_by, native.confirmed, native.decimals_from),
            (None, true, DecimalsSource::Table)
        );
    }
}
