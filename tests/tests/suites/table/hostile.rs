//! Ways to make a person sign what they would not.

use super::Hostile;
use chains::Chain;
use countersign_tests::proposals::{Proposal, payload, payment, stranger};

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    let groups = [
        strangers(),
        super::hostile_evm::rows(),
        super::hostile_routers::rows(),
        super::hostile_utxo::rows(),
        super::hostile_cosmos::rows(),
        super::hostile_solana::rows(),
        super::hostile_ton::rows(),
        super::hostile_ripple::rows(),
        super::hostile_ledger::rows(),
    ];
    groups.into_iter().flatten().collect()
}

/// The chain's own coin to an address that was never seen, on chains of every kind.
fn strangers() -> Vec<Hostile> {
    use Chain::{Bitcoin, Cardano, Cosmos, Ethereum, Polkadot, Ripple, Solana, Sui, ThorChain, Ton, Tron};
    let chains = [Bitcoin, Cardano, Cosmos, Ethereum, Polkadot, Ripple, Solana, Sui, ThorChain, Ton, Tron];
    let row = |chain| {
        (
            Proposal::new(chain_name(chain), vec![payload(&payment(chain, &stranger(chain)))]),
            "first_time_recipient",
        )
    };
    chains.map(row).into()
}

const fn chain_name(chain: Chain) -> &'static str {
    chain.facts().name
}
