//! Fees of transactions that the wallet fills in: what can be chosen, and within which bounds. Pure.
//!
//! With a base fee (EIP-1559) the most that is paid leaves room for it to rise, by an eighth a block: slow survives two
//! full blocks, normal six, fast eight. Without one, the node's proposal is the slowest.

use super::params::PagePrice;
use chains::{Amount, Chain, amount};
use wire::evm::{
    EvmNetwork, EvmPrice, EvmTransaction, FeeChoice, FeeMarket, FeeOption, Filled, GasNeed, OwnFee, Speed,
};
use wire::explain::Quantity;

/// What a transaction that only pays needs.
pub(super) const LEAST_GAS: u64 = 21_000;
/// The limit of a call of which no node says what it needs. What is not used is not paid.
const GENEROUS_GAS: u64 = 1_500_000;
/// No limit is higher, also where the node does not say what a block takes.
const MOST_GAS: u64 = 60_000_000;
/// An own fee, or a page's, is at most so many times the fast one.
const MOST_TIMES: u64 = 20;
/// Where fees are nearly nothing, an own fee may be as high as this: 100 gwei.
const ALWAYS_ALLOWED: u64 = 100_000_000_000;

/// Why a fee of the user's own is refused: which field, and what is wrong with it.
pub(crate) type FeeProblem = (&'static str, &'static str);

fn read(digits: &str) -> Amount {
    Amount::from_str_radix(digits, 10).unwrap_or_default()
}

/// Times a fraction, rounded up.
fn times(amount: Amount, over: u64, under: u64) -> Amount {
    let under = Amount::from(under.max(1));
    amount.saturating_mul(Amount::from(over)).saturating_add(under - Amount::from(1)) / under
}

/// The price of a speed. That of the page or the user is no speed of the market: normal is.
pub(crate) fn price(market: &FeeMarket, speed: Speed) -> EvmPrice {
    match market {
        FeeMarket::Legacy { gas_price } => {
            let (over, under) = match speed {
                Speed::Slow => (1, 1),
                Speed::Fast => (13, 10),
                Speed::Normal | Speed::Own | Speed::Page => (11, 10),
            };
            EvmPrice::Legacy { gas_price: times(read(gas_price), over, under).to_string() }
        }
        FeeMarket::Dynamic { base_fee, slow, normal, fast } => {
            let (tip, (over, under)) = match speed {
                Speed::Slow => (slow, (5, 4)),
                Speed::Fast => (fast, (5, 2)),
                Speed::Normal | Speed::Own | Speed::Page => (normal, (2, 1)),
            };
            let most = times(read(base_fee), over, under).saturating_add(read(tip));
            EvmPrice::Dynamic { max_fee: most.to_string(), priority_fee: tip.clone() }
        }
    }
}

/// The most that is paid for a unit of gas.
fn most(price: &EvmPrice) -> Amount {
    match price {
        EvmPrice::Legacy { gas_price } => read(gas_price),
        EvmPrice::Dynamic { max_fee, .. } => read(max_fee),
    }
}

/// What a unit of gas would cost in the next block.
fn likely(market: &FeeMarket, price: &EvmPrice) -> Amount {
    match (market, price) {
        (FeeMarket::Dynamic { base_fee, .. }, EvmPrice::Dynamic { max_fee, priority_fee }) => {
            read(base_fee).saturating_add(read(priority_fee)).min(read(max_fee))
        }
        (_, price) => most(price),
    }
}

/// What a price may be at most.
fn bound(market: &FeeMarket) -> Amount {
    let fast = most(&price(market, Speed::Fast));
    fast.saturating_mul(Amount::from(MOST_TIMES)).max(Amount::from(ALWAYS_ALLOWED))
}

/// The price that a page names, if it can be meant: the next block would take it, and it is not far beyond what others pay.
pub(super) fn sane_price(market: &FeeMarket, named: PagePrice) -> Option<EvmPrice> {
    let bound = bound(market);
    match (market, named) {
        (FeeMarket::Legacy { gas_price }, PagePrice::Legacy(price)) => {
            // Half of what the node proposes may still be taken.
            let least = read(gas_price) / Amount::from(2);
            (least..=bound).contains(&price).then(|| EvmPrice::Legacy { gas_price: price.to_string() })
        }
        (FeeMarket::Dynamic { base_fee, .. }, PagePrice::Legacy(price)) => {
            let sane = price >= read(base_fee) && price <= bound;
            sane.then(|| EvmPrice::Legacy { gas_price: price.to_string() })
        }
        (FeeMarket::Dynamic { base_fee, normal, .. }, PagePrice::Dynamic(most, tip)) => {
            let tip = tip.unwrap_or_else(|| read(normal));
            let most = most.unwrap_or_else(|| times(read(base_fee), 2, 1).saturating_add(tip));
            let tip = tip.min(most);
            let sane = most >= read(base_fee) && most <= bound;
            sane.then(|| EvmPrice::Dynamic { max_fee: most.to_string(), priority_fee: tip.to_string() })
        }
        // The chain has no base fee.
        (FeeMarket::Legacy { .. }, PagePrice::Dynamic(..)) => None,
    }
}

/// The user's own price, or what is wrong with it.
pub(crate) fn own_price(market: &FeeMarket, own: &OwnFee) -> Result<EvmPrice, FeeProblem> {
    let number =
        |field, text: &str| amount::parse(field, text).map_err(|_| (field, "must be decimal digits"));
    let most = number("/own/maxFeePerGas", &own.max_fee_per_gas)?;
    if most > bound(market) {
        return Err(("/own/maxFeePerGas", "is more than twenty times the fast fee"));
    }
    match market {
        FeeMarket::Legacy { .. } if most.is_zero() => Err(("/own/maxFeePerGas", "must be more than nothing")),
        FeeMarket::Legacy { .. } => Ok(EvmPrice::Legacy { gas_price: most.to_string() }),
        FeeMarket::Dynamic { base_fee, normal, .. } => {
            if most < read(base_fee) {
                return Err(("/own/maxFeePerGas", "is less than the base fee: no block would take it"));
            }
            let tip = match &own.max_priority_fee_per_gas {
                Some(tip) => number("/own/maxPriorityFeePerGas", tip)?,
                None => read(normal).min(most),
            };
            if tip > most {
                return Err(("/own/maxPriorityFeePerGas", "is higher than maxFeePerGas"));
            }
            Ok(EvmPrice::Dynamic { max_fee: most.to_string(), priority_fee: tip.to_string() })
        }
    }
}

/// The user's own limit, or what is wrong with it.
pub(crate) fn own_limit(filled: &Filled, text: &str) -> Result<u64, FeeProblem> {
    let field = "/own/gasLimit";
    let limit = amount::parse_u64(field, text).map_err(|_| (field, "must be decimal digits"))?;
    if filled.transactions.len() != 1 {
        return Err((field, "can be set for one transaction only"));
    }
    if limit < LEAST_GAS {
        return Err((field, "must be at least 21000"));
    }
    if limit > ceiling(filled.block_gas_limit) {
        return Err((field, "is more than a block takes"));
    }
    Ok(limit)
}

/// No limit is higher.
pub(super) fn ceiling(block_gas_limit: Option<u64>) -> u64 {
    block_gas_limit.map_or(MOST_GAS, |limit| limit.clamp(LEAST_GAS, MOST_GAS))
}

/// The limit of a call: what it needs and a margin, for the state of the chain may change before it runs.
pub(super) fn gas_limit(need: &GasNeed, network: &EvmNetwork) -> u64 {
    let with_margin = |gas: u64, over: u64, under: u64| gas.saturating_mul(over) / under;
    let limit = match need {
        // A payment runs no code.
        GasNeed::Estimated { gas: LEAST_GAS } => LEAST_GAS,
        GasNeed::Estimated { gas } => with_margin(*gas, 5, 4),
        // What was used is after refunds, of up to a fifth, and without what calls keep back, a 64th each.
        GasNeed::Used { gas: LEAST_GAS } => LEAST_GAS,
        GasNeed::Used { gas } => with_margin(*gas, 3, 2).saturating_add(30_000),
        GasNeed::Fails { .. } | GasNeed::Unknown => GENEROUS_GAS,
    };
    limit.clamp(LEAST_GAS, ceiling(network.block_gas_limit))
}

/// What the transactions cost at most at a price, with what they send.
pub(super) fn most_spent(transactions: &[EvmTransaction]) -> Amount {
    transactions.iter().fold(Amount::ZERO, |sum, one| {
        let fee = most(&one.price).saturating_mul(Amount::from(one.gas_limit));
        sum.saturating_add(fee).saturating_add(read(&one.call.value))
    })
}

/// What can be chosen for a bundle.
pub(crate) fn choice(filled: &Filled) -> FeeChoice {
    let native = Chain::parse(&filled.chain).map(Chain::native);
    let quantity = |amount: Amount| Quantity {
        units: amount.to_string(),
        shown: native
            .map_or_else(|| amount.to_string(), |coin| amount::show(amount, coin.decimals, coin.ticker)),
    };
    let gas_limit = filled.transactions.iter().fold(0_u64, |sum, one| sum.saturating_add(one.gas_limit));
    let gas = Amount::from(gas_limit);
    let option = |speed, price: EvmPrice| FeeOption {
        speed,
        at_most: quantity(most(&price).saturating_mul(gas)),
        likely: quantity(likely(&filled.market, &price).saturating_mul(gas)),
        price,
    };
    let now = filled.transactions.first().map(|one| one.price.clone());
    let now = now.unwrap_or_else(|| price(&filled.market, filled.speed));
    let speeds = [Speed::Slow, Speed::Normal, Speed::Fast];
    FeeChoice {
        chosen: filled.speed,
        now: option(filled.speed, now),
        options: speeds.into_iter().map(|speed| option(speed, price(&filled.market, speed))).collect(),
        gas_limit,
        transactions: filled.transactions.len() as u64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dynamic() -> FeeMarket {
        let [base_fee, slow, normal, fast] = ["1000000000", "1", "20", "300"].map(str::to_owned);
        FeeMarket::Dynamic { base_fee, slow, normal, fast }
    }

    fn legacy() -> FeeMarket {
        FeeMarket::Legacy { gas_price: "5000000000".to_owned() }
    }

    fn own(most: &str, tip: Option<&str>) -> OwnFee {
        OwnFee {
            max_fee_per_gas: most.to_owned(),
            max_priority_fee_per_gas: tip.map(str::to_owned),
            gas_limit: None,
        }
    }

    #[test]
    fn faster_is_dearer() {
        for market in [dynamic(), legacy()] {
            let [slow, normal, fast] =
                [Speed::Slow, Speed::Normal, Speed::Fast].map(|speed| most(&price(&market, speed)));
            assert!(slow < normal && normal < fast, "{slow} {normal} {fast}");
        }
        let normal = EvmPrice::Dynamic { max_fee: "2000000020".to_owned(), priority_fee: "20".to_owned() };
        assert_eq!(price(&dynamic(), Speed::Normal), normal);
    }

    #[test]
    fn a_page_names_a_price_within_reason() {
        let amount = Amount::from::<u64>;
        let named = |most: u64, tip: u64| PagePrice::Dynamic(Some(amount(most)), Some(amount(tip)));
        assert!(sane_price(&dynamic(), named(2_000_000_000, 5)).is_some());
        // No block would take it, or it is far more than others pay.
        assert_eq!(sane_price(&dynamic(), named(999_999_999, 5)), None);
        assert_eq!(sane_price(&dynamic(), named(1_000_000_000_000, 5)), None);
        assert_eq!(sane_price(&legacy(), named(2_000_000_000, 5)), None);
        assert!(sane_price(&legacy(), PagePrice::Legacy(amount(5_000_000_000))).is_some());
        assert_eq!(sane_price(&legacy(), PagePrice::Legacy(amount(1))), None);
        // A tip alone leaves room for the base fee.
        let tip = sane_price(&dynamic(), PagePrice::Dynamic(None, Some(amount(7)))).unwrap();
        assert_eq!(tip, EvmPrice::Dynamic { max_fee: "2000000007".to_owned(), priority_fee: "7".to_owned() });
    }

    #[test]
    fn own_fees_have_bounds() {
        let path = |fee: &OwnFee| own_price(&dynamic(), fee).unwrap_err().0;
        assert!(own_price(&dynamic(), &own("1500000000", Some("3"))).is_ok());
        assert_eq!(path(&own("999999999", None)), "/own/maxFeePerGas");
        assert_eq!(path(&own("0x10", None)), "/own/maxFeePerGas");
        assert_eq!(path(&own("900000000000", None)), "/own/maxFeePerGas");
        assert_eq!(path(&own("1500000000", Some("1500000001"))), "/own/maxPriorityFeePerGas");
        assert_eq!(own_price(&legacy(), &own("0", None)).unwrap_err().0, "/own/maxFeePerGas");
        assert!(own_price(&legacy(), &own("1", None)).is_ok());
    }

    #[test]
    fn limits_have_a_margin_and_a_bound() {
        let network = EvmNetwork {
            nonce: 0,
            pending_nonce: 0,
            balance: None,
            block_gas_limit: Some(2_000_000),
            market: dynamic(),
            gas: Vec::new(),
        };
        let limit = |need| gas_limit(&need, &network);
        assert_eq!(limit(GasNeed::Estimated { gas: 21_000 }), 21_000);
        assert_eq!(limit(GasNeed::Estimated { gas: 100_000 }), 125_000);
        assert_eq!(limit(GasNeed::Used { gas: 100_000 }), 180_000);
        assert_eq!(limit(GasNeed::Unknown), 1_500_000);
        assert_eq!(limit(GasNeed::Used { gas: u64::MAX }), 2_000_000);
        assert_eq!(ceiling(Some(0)), LEAST_GAS);
        assert_eq!(ceiling(None), MOST_GAS);
    }
}
