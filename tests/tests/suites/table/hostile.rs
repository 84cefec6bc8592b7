//! Ways to make a person sign what they would not.

use super::Hostile;
use chains::Chain;
use countersign_tests::proposals::{Proposal, payload, payment, stranger};

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [strangers(), super::hostile_evm::rows(), super::hostile_ledger::rows()].into_iter().flatten().collect()
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
