//! What bundles that have not ended do to an account of an EVM chain.

use super::{BUNDLES, TRANSMISSIONS};
use crate::Core;
use crate::call;
use crate::store::{Range, Reads, StoreError};
use wire::api::CallState;

/// The bundles on an account that have not ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct InFlight {
    /// Whether a bundle that the wallet numbered has transactions that are not signed yet: whether their numbers will be
    /// used is not known.
    pub(crate) undecided: bool,
    /// The first number after those that are in use.
    pub(crate) next: u64,
}

/// Reads which numbers of an account are in use.
pub(crate) async fn in_flight(core: &Core, chain: &str, address: &str) -> Result<InFlight, StoreError> {
    let store = core.database.store();
    let mut reads = Reads::new();
    let pending = call::read_pending(&mut reads);
    let keys = reads.from(store).await?.keys(pending);
    let mut reads = Reads::new();
    let slots: Vec<_> = keys
        .iter()
        .filter_map(|key| key.rsplit_once('/'))
        .map(|(_, id)| {
            let signed = reads.scan(TRANSMISSIONS, Range::prefix(format!("{id}/")));
            (call::read(&mut reads, id), reads.get(BUNDLES, id), signed)
        })
        .collect();
    let snapshot = reads.from(store).await?;
    let mut found = InFlight::default();
    for (call, bundle, transmissions) in slots {
        let Some(call) = snapshot.one(call)?.map(|stored| stored.record) else { continue };
        let filled = call.filled.as_ref().filter(|filled| filled.chain == chain && filled.address == address);
        let Some(bundle) = snapshot.one(bundle)?.map(|stored| stored.record) else {
            // It is being read.
            found.undecided |= filled.is_some();
            continue;
        };
        let signed = snapshot.many(transmissions)?.iter().filter(|one| one.record.signed.is_some()).count();
        let own = bundle.steps.iter().flat_map(|step| &step.transactions).map(|one| &one.explanation);
        let total = bundle.steps.iter().map(|step| step.transactions.len()).sum::<usize>();
        // What others numbered counts once it is approved: their numbers do not become ours if it is not.
        let counts = filled.is_some() || call.state == CallState::Approved || signed > 0;
        let own = own.filter(|one| counts && one.chain == chain && one.from == address);
        let numbers = own.filter_map(|one| one.nonce.as_ref()?.parse::<u64>().ok());
        found.next = numbers.fold(found.next, |next, number| next.max(number.saturating_add(1)));
        found.undecided |= filled.is_some() && signed < total;
    }
    Ok(found)
}
