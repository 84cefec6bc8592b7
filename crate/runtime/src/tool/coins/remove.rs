//! Removing tokens: every entry is attempted; what is removed by an earlier one is not there for a later one.

use super::Wallet;
use crate::coins::{self, CoinRow, TokenError};
use crate::tool::{Context, Output, Params, RequestError, ToolError, resolve};
use serde_json::Value;
use wire::address_book::Rows;
use wire::coins::RemovedToken;
use wire::json::Object;

/// Removes tokens from the vault's list. A chain's own coin stays with its chain.
pub(super) async fn remove_token(params: &Params, context: &mut Context<'_>) -> Result<Output, ToolError> {
    let params = Object::new(params);
    let entries = params.some("tokens", "entry")?;
    let mut wallet = Wallet::open(context).await?;
    let mut results = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let mut row = RemovedToken::default();
        let removed = wallet.remove_token(params.element("tokens", index), entry, &mut row);
        row.error = removed.err().map(Into::into);
        row.success = row.error.is_none();
        results.push(row);
    }
    let rows = Rows { results };
    Ok(Output::rows(&rows, rows.results.iter().map(|row| row.error.as_ref())))
}

impl Wallet<'_, '_> {
    fn remove_token(
        &mut self,
        path: String,
        entry: &Value,
        row: &mut RemovedToken,
    ) -> Result<(), RequestError> {
        let fields = Object::at(path.clone(), entry)?;
        row.chain = fields.given("chain");
        row.ticker = fields.given("ticker");
        row.contract_address = fields.given("contract_address");
        let position = self.position(&fields, path)?;
        let coin = self.held.swap_remove(position);
        coins::stage_removed(&coin, &mut self.context.batch);
        self.context.vault_modified = true;
        row.chain = Some(coin.record.chain);
        row.ticker = Some(coin.record.ticker);
        row.contract_address = coin.record.contract_address;
        Ok(())
    }

    /// The one token that is meant: by its contract, else by a ticker that only one token of the chain has.
    fn position(&self, fields: &Object<'_>, path: String) -> Result<usize, RequestError> {
        let chain = resolve(fields.required_word("chain")?)?;
        let native = TokenError::NativeCoin { path };
        if fields.flag("is_native")? {
            return Err(native.into());
        }
        let (contract, ticker) = (fields.word("contract_address")?, fields.word("ticker")?);
        let named = |coin: &CoinRow, ticker: &str| {
            coin.chain == chain.name() && !coin.is_native && coin.ticker.eq_ignore_ascii_case(ticker)
        };
        let meant = |coin: &CoinRow| match (contract, ticker) {
            (Some(contract), _) => coin.is(chain, contract),
            (None, Some(ticker)) => named(coin, ticker),
            (None, None) => false,
        };
        let mut found = self.held.iter().enumerate().filter(|(_, coin)| meant(&coin.record));
        match (found.next(), found.next()) {
            (Some((position, _)), None) => Ok(position),
            (Some(_), Some(_)) => Err(RequestError::AmbiguousMatch),
            (None, _) => Err(match (contract, ticker) {
                (None, None) => fields.broken_itself("needs a contract_address or a ticker").into(),
                (None, Some(ticker)) if chain.is_native_ticker(ticker) => native.into(),
                _ => RequestError::NotFound,
            }),
        }
    }
}
