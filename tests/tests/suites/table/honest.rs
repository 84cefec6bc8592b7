//! What people do every day, with contracts and people they know.

use chains::Chain;
use countersign_tests::proposals::{Proposal, friend, own, payload, payment};

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    let groups = [
        payments(),
        super::honest_evm::rows(),
        super::honest_routers::rows(),
        super::honest_utxo::rows(),
        super::honest_cosmos::rows(),
        super::honest_solana::rows(),
        super::honest_ton::rows(),
        super::honest_ledger::rows(),
    ];
    groups.into_iter().flatten().collect()
}

/// The chain's own coin to a contact, on every chain.
fn payments() -> Vec<Proposal> {
    let chains = Chain::ALL.iter().copied().filter(|chain| *chain != Chain::Qbtc && *chain != Chain::Zcash);
    chains
        .map(|chain| {
            Proposal::new(chain.name(), vec![payload(&payment(chain, &friend(chain)))])
                .knowing(chain, friend(chain))
        })
        .chain([Proposal::new("to oneself", vec![payload(&payment(Chain::Base, &own(Chain::Base)))])])
        .collect()
}
