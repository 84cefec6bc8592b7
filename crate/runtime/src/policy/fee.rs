//! Fees that are higher than they should be.

use super::Case;
use super::findings::{Findings, quote};
use super::transaction::{Held, Transaction};
use chains::{Amount, Chain};
use wire::policy::ReasonCode;

/// A fee this many times smaller than the highest sensible one is too small to talk about.
const FLOOR: u64 = 100;

/// Above what is sensible on the chain, or more than half of the coins that are moved, where nothing else is: beside
/// tokens, coins are often no more than a fee themselves.
pub(super) fn high_fee(case: &Case<'_>, findings: &mut Findings) {
    for transaction in &case.transactions {
        let Some(fee) = transaction.fee else { continue };
        let highest = highest(transaction.chain);
        let native = native(transaction);
        // Multiplied, not divided: division of large numbers weighs 8 kB.
        let matters = fee.checked_mul(Amount::from(FLOOR)).is_none_or(|much| much > highest);
        let alone = transaction.moves.iter().all(|moved| moved.asset == Held::Native);
        let eats = alone && !native.is_zero() && fee > native >> 1 && matters;
        if fee > highest || eats {
            let shown = transaction.decoded.explanation.fee.as_ref().map(|fee| quote(&fee.shown));
            let message = format!("The fee may be up to {}.", shown.unwrap_or_default());
            findings.add(ReasonCode::HighFee, Some(transaction.sequence), message);
        }
    }
}

/// The fee depends on values that are neither signed nor known.
pub(super) fn unknown_fee(case: &Case<'_>, findings: &mut Findings) {
    for transaction in &case.transactions {
        if transaction.decoded.explanation.fee_unknown {
            let message = "What it pays for inclusion cannot be known.".to_owned();
            findings.add(ReasonCode::FeeUnknown, Some(transaction.sequence), message);
        }
    }
}

fn native(transaction: &Transaction<'_>) -> Amount {
    let moves = transaction.moves.iter().filter(|moved| moved.asset == Held::Native);
    moves.fold(Amount::ZERO, |sum, moved| sum.saturating_add(moved.amount))
}

/// In the smallest unit. Every native coin has six decimal places or more.
pub(super) fn highest(chain: Chain) -> Amount {
    let units = u32::from(chain.native().decimals).saturating_sub(6);
    Amount::from(millionths(chain)).saturating_mul(Amount::from(10).saturating_pow(Amount::from(units)))
}

/// The highest sensible fee in millionths of a coin. What is known of a fee is its upper bound (gas limit times the
/// highest price, a budget), so each is several times what a large transaction costs on a busy day, and little enough
/// that a person with any balance would want to be asked: some tens of dollars where block space is scarce, a few
/// dollars elsewhere. A price that changes tenfold moves the border between a silent and a shown fee and nothing else.
const fn millionths(chain: Chain) -> u64 {
    match chain {
        // 500 000 gas at 100 gwei.
        Chain::Ethereum => 50_000,
        // The same ether, where gas costs a hundredth and data for the chain below is paid too.
        Chain::Arbitrum | Chain::Base | Chain::Blast | Chain::Optimism | Chain::Robinhood | Chain::Zksync => {
            5_000
        }
        Chain::Bsc => 20_000,
        Chain::Hyperliquid => 200_000,
        Chain::Avalanche => 500_000,
        Chain::Mantle => 10_000_000,
        Chain::Polygon | Chain::Sei => 20_000_000,
        Chain::CronosChain => 50_000_000,
        // A thousand virtual bytes at 100 satoshi.
        Chain::Bitcoin => 1_000,
        Chain::BitcoinCash | Chain::Zcash => 10_000,
        Chain::Dash => 50_000,
        Chain::Litecoin => 50_000,
        Chain::Dogecoin => 20_000_000,
        Chain::Cosmos | Chain::ThorChain => 1_000_000,
        Chain::Akash | Chain::Dydx | Chain::Kujira | Chain::Noble | Chain::Osmosis | Chain::Terra => {
            5_000_000
        }
        Chain::MayaChain => 10_000_000,
        // The chain's tax on what is sent is part of the fee.
        Chain::TerraClassic => 50_000_000_000,
        Chain::Solana => 20_000,
        Chain::Bittensor | Chain::Qbtc => 10_000,
        Chain::Sui => 1_000_000,
        Chain::Polkadot => 500_000,
        Chain::Ton | Chain::Ripple => 1_000_000,
        Chain::Cardano => 5_000_000,
        // Wallets set 100 as the limit for a call that costs thirty.
        Chain::Tron => 150_000_000,
    }
}
