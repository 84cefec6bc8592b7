//! What is fixed about each chain's transactions: one row per chain.

use crate::Chain;

/// How a chain moves its own coin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Style {
    /// Accounts as text, the fee in coins: the SDK's own modules.
    Sdk,
    /// Accounts as bytes, a fee that the chain takes by itself: THORChain and its likeness.
    Thor,
}

/// One row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Row {
    /// The denom of the native coin, in which fees are paid.
    pub(super) denom: &'static str,
    /// The gas limit where the payload names none.
    pub(super) gas_limit: u64,
    /// How coins are moved.
    pub(super) style: Style,
}

/// The chain's row; `None` for chains of other kinds.
pub(super) fn row(chain: Chain) -> Option<Row> {
    let sdk = |denom, gas_limit| Some(Row { denom, gas_limit, style: Style::Sdk });
    let thor = |denom, gas_limit| Some(Row { denom, gas_limit, style: Style::Thor });
    match chain {
        Chain::Cosmos => sdk("uatom", 200_000),
        Chain::Osmosis => sdk("uosmo", 300_000),
        Chain::Dydx => sdk("adydx", 200_000),
        Chain::Kujira => sdk("ukuji", 200_000),
        Chain::Terra | Chain::TerraClassic => sdk("uluna", 300_000),
        Chain::Noble => sdk("uusdc", 200_000),
        Chain::Akash => sdk("uakt", 200_000),
        Chain::Qbtc => sdk("qbtc", 300_000),
        Chain::ThorChain => thor("rune", 20_000_000),
        Chain::MayaChain => thor("cacao", 2_000_000_000),
        _ => None,
    }
}

/// The chain id that is signed.
pub(super) const fn chain_id(chain: Chain) -> Option<&'static str> {
    match chain {
        Chain::Qbtc => Some("qbtc"),
        _ => chain.cosmos_id(),
    }
}
