//! Where the transmissions of a bundle are on disk.

use crate::store::{Range, Store, StoreError, Stored, Table, parse};
use wire::run::Transmission;

/// Which transaction of which step, counted from 0 in the order in which they run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// The step.
    pub step: usize,
    /// The transaction of the step.
    pub index: usize,
}

/// The key of a transmission; keys sort as the transmissions run.
pub(crate) fn key(bundle_id: &str, at: Place) -> String {
    format!("{bundle_id}/{:03}/{:03}", at.step, at.index)
}

/// The bundle and the place that a key names.
pub(crate) fn read_key(key: &str) -> Option<(&str, Place)> {
    let (bundle_id, rest) = key.split_once('/')?;
    let (step, index) = rest.split_once('/')?;
    Some((bundle_id, Place { step: step.parse().ok()?, index: index.parse().ok()? }))
}

/// The transmissions of a bundle, in the order in which they run.
pub(crate) async fn load(
    store: &dyn Store,
    bundle_id: &str,
) -> Result<Vec<(Place, Stored<Transmission>)>, StoreError> {
    let rows = store.scan(Table::Transmissions, Range::prefix(format!("{bundle_id}/"))).await?;
    let mut transmissions = Vec::with_capacity(rows.len());
    for row in rows {
        let corrupt = || StoreError::Corrupt {
            table: Table::Transmissions.name(),
            key: row.key.clone(),
            reason: "names no place in a bundle".to_owned(),
        };
        let (_, at) = read_key(&row.key).ok_or_else(corrupt)?;
        let record = parse(Table::Transmissions, &row.key, &row.text)?;
        transmissions.push((at, Stored { text: row.text, record }));
    }
    Ok(transmissions)
}
