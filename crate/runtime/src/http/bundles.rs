//! `/api/bundles`: what was asked to be signed, decoded.

use super::routes::parameter;
use super::{ApiError, Reply};
use crate::Core;
use crate::bundle::view::view;
use crate::store::{Table, parse, read};
use wire::bundle::Bundle;
use wire::run::Bundles;

impl Core {
    /// Newest first.
    pub(super) async fn get_bundles(&self, query: &str) -> Result<Reply, ApiError> {
        let before = parameter(query, "cursor").filter(|cursor| !cursor.is_empty()).map(str::to_owned);
        let (rows, more) = self.newest(Table::Bundles, before).await?;
        let cursor = rows.last().filter(|_| more).map(|row| row.key.clone());
        let mut bundles = Vec::with_capacity(rows.len());
        for row in &rows {
            let bundle = parse(Table::Bundles, &row.key, &row.text)?;
            bundles.push(view(&*self.ports.store, bundle).await?);
        }
        Ok(Reply::json(200, &Bundles { bundles, cursor }))
    }

    /// By the id of its call.
    pub(super) async fn get_bundle(&self, id: &str) -> Result<Reply, ApiError> {
        let bundle = read::<Bundle>(&*self.ports.store, Table::Bundles, id)
            .await?
            .ok_or_else(|| ApiError::not_found("bundle_not_found", "there is no such bundle"))?;
        Ok(Reply::json(200, &view(&*self.ports.store, bundle.record).await?))
    }
}
