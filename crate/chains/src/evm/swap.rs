//! Swaps that are one call: what is sold, for what, to whom, found by the names of the arguments.

use super::abi::{Arguments, Value};
use super::call::{Call, Coin, Reading, Rest, native};
use super::functions::Deposits;
use super::{Address, bridge};
use crate::Amount;
use crate::address::evm;
use crate::explain::{Bought, Effect, Swap};

/// One hundred percent in basis points.
pub(super) const BASIS_POINTS: u64 = 10_000;
/// ParaSwap V6 takes at most this for a partner, also if the call says more.
const MOST_OF_PARASWAP: u64 = 200;

/// What a swap says of itself, before anything is known of who pays and who receives.
#[derive(Debug, Clone, Copy)]
pub(super) struct Trade {
    pub(super) sell: Coin,
    /// At most; `None` for the coins that come with the call.
    pub(super) amount: Option<Amount>,
    /// `None` where the call does not say it.
    pub(super) buy: Option<Coin>,
    pub(super) least: Option<Amount>,
    /// Whether no more than `least` is bought, so that some of `amount` may not be sold.
    pub(super) exact_out: bool,
}

impl Trade {
    /// `None` where something is there and cannot be read, such as a path with half a token in it.
    pub(super) fn read(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Self> {
        let packed = |name| arguments.number(name).map(unpack);
        let (first, last) = ends(call, arguments)?;
        let sell = arguments.address("sell").or_else(|| packed("sellPacked")).map(Coin::named).or(first);
        let buy = match arguments.last("buy") {
            Some(Value::Address(token)) => Some(Coin::named(*token)),
            _ => last,
        };
        let exact = arguments.number("exactOut");
        Some(Self {
            sell: sell.unwrap_or(Coin::Native),
            amount: arguments.number("amount"),
            buy,
            least: arguments.number("minimumOut").or(exact),
            exact_out: exact.is_some(),
        })
    }
}

/// A swap, or several of the same kind.
pub(super) fn read(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Reading> {
    let Some(paths) = arguments.list("paths") else { return one(call, arguments, arguments) };
    let mut all = Reading::whole(Vec::new());
    for path in paths {
        let Value::Tuple(path) = path else { return None };
        let one = one(call, path, arguments)?;
        all.effects.extend(one.effects);
        (all.whole, all.rest) = (all.whole && one.whole, one.rest);
    }
    all.whole &= native(&all.effects) <= call.value;
    (!all.effects.is_empty()).then_some(all)
}

/// One swap, whose own arguments are among all those of the call.
fn one(call: &Call<'_>, own: &Arguments<'_>, all: &Arguments<'_>) -> Option<Reading> {
    let mut trade = Trade::read(call, own)?;
    // Balancer V3 takes and pays the coin for its wrapped form, if asked to, and returns what is left of it.
    let unwraps = matches!(all.first("wethIsEth"), Some(Value::Bool(true)));
    let wrapped = call.wrapped().filter(|_| unwraps).map(Coin::Token);
    let unwrapped = |coin: Coin| if Some(coin) == wrapped { Coin::Native } else { coin };
    (trade.sell, trade.buy) = (unwrapped(trade.sell), trade.buy.map(unwrapped));
    let (recipient, amount) = (recipient(call, all)?, trade.amount.unwrap_or(call.value));
    let swap = Swap {
        buy: trade.buy.map(|buy| Bought::Here(buy.asset())),
        minimum_out: trade.least.map(|least| after_fees(least, all)),
        recipient: Some(evm_text(call, recipient)),
        ..call.swap(trade.sell, amount)
    };
    let mut reading = Reading::whole(vec![Effect::Swap(swap)]);
    let rest = call.value.saturating_sub(if trade.sell == Coin::Native { amount } else { Amount::ZERO });
    reading.whole = trade.buy.is_some()
        && is_covered(call, trade.sell, amount)
        && recipient != Some(call.contract)
        && !has_unread(call, all)
        && (rest.is_zero() || unwraps);
    reading.rest = if unwraps { Rest::Returned } else { Rest::Kept };
    for payee in fee_payees(all) {
        reading.fee_payee(call, payee);
    }
    Some(reading)
}

/// Whether the coins that come with the call are as many as are sold. The largest number of a token stands for all that
/// there is: how many that is, the call does not say.
pub(super) fn is_covered(call: &Call<'_>, sell: Coin, amount: Amount) -> bool {
    match sell {
        Coin::Native => amount <= call.value,
        Coin::Token(_) => amount != Amount::MAX,
    }
}

/// Who gets what is bought: `Some(None)` is the sender.
pub(super) fn recipient(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Option<Address>> {
    let packed = arguments.number("recipientPacked").map(unpack);
    let or_sender = arguments.address("recipientOrSender").filter(|address| *address != [0; 20]);
    let named = arguments.address("recipient").or(packed).or(or_sender);
    let sender = arguments.address("sender");
    // Tokens of another account are not the sender's to sell.
    (sender.is_none_or(|sender| call.is_sender(&sender)))
        .then(|| named.filter(|named| !call.is_sender(named)))
}

fn evm_text(call: &Call<'_>, address: Option<Address>) -> String {
    address.map_or_else(|| call.account.address.clone(), |address| evm::encode(&address))
}

/// The first and the last token of a path; `None` where there is one that cannot be read.
fn ends(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<(Option<Coin>, Option<Coin>)> {
    let ends = |name| arguments.first(name).map(path_ends);
    let token = |token| Some(Coin::Token(token));
    let is_wrapped = |token| Some(token) == call.wrapped();
    if let Some(ends) = ends("path") {
        let (first, last) = ends?;
        return Some((token(first), token(last)));
    }
    if let Some(ends) = ends("pathBackwards") {
        let (first, last) = ends?;
        return Some((token(last), token(first)));
    }
    if let Some(ends) = ends("pathFromNative") {
        let (first, last) = ends?;
        return is_wrapped(first).then_some((Some(Coin::Native), token(last)));
    }
    if let Some(ends) = ends("pathToNative") {
        let (first, last) = ends?;
        return is_wrapped(last).then_some((token(first), Some(Coin::Native)));
    }
    if let Some(ends) = ends("coins") {
        let (first, last) = ends?;
        return Some((Some(Coin::named(first)), Some(Coin::named(last))));
    }
    if let Some(route) = arguments.list("route") {
        let (first, last) = route_ends(route)?;
        return Some((Some(Coin::named(first)), Some(Coin::named(last))));
    }
    Some((None, None))
}

/// A list of tokens, or token, fee of three bytes, token, …
fn path_ends(path: &Value<'_>) -> Option<(Address, Address)> {
    match path {
        Value::List(list) => match (list.first()?, list.get(1..)?.last()?) {
            (Value::Address(first), Value::Address(last)) => Some((*first, *last)),
            _ => None,
        },
        Value::Bytes(path) if path.len() > 20 && path.len() % 23 == 20 => {
            Some((*path.first_chunk()?, *path.last_chunk()?))
        }
        _ => None,
    }
}

/// Token, pool, token, …, up to the first pool that is zero.
fn route_ends(route: &[Value<'_>]) -> Option<(Address, Address)> {
    let at = |index: usize| match route.get(index) {
        Some(Value::Address(address)) => Some(*address),
        _ => None,
    };
    let mut last = 2;
    while at(last + 1).is_some_and(|pool| pool != [0; 20]) {
        last += 2;
    }
    Some((at(0)?, at(last)?))
}

/// The address in the low bytes of a number whose high bytes carry flags.
fn unpack(number: Amount) -> Address {
    let bytes: [u8; 32] = number.to_be_bytes();
    bytes.last_chunk().copied().unwrap_or_default()
}

/// Of what a contract checks that it got, what it hands on at least. ParaSwap keeps what is above the quoted amount,
/// which the call states as well, and a partner's fee; version 6 leaves one unit behind.
fn after_fees(least: Amount, arguments: &Arguments<'_>) -> Amount {
    let Some(quoted) = arguments.number("quoted") else { return least };
    let least = least.min(quoted);
    let share = |number: Amount| u64::try_from(number & Amount::from(0x3fff)).unwrap_or(BASIS_POINTS);
    if let Some(packed) = arguments.number("partnerAndFee") {
        let fee = if unpack(packed >> 96) == [0; 20] { 0 } else { share(packed).min(MOST_OF_PARASWAP) };
        return without(least, fee).saturating_sub(Amount::ONE);
    }
    let fee = match (arguments.number("feePercent"), arguments.address("partner")) {
        (Some(fee), Some(partner)) if partner != [0; 20] && (fee >> 248_usize).is_zero() => {
            u64::try_from(fee).unwrap_or(BASIS_POINTS)
        }
        (Some(fee), Some(partner)) if partner != [0; 20] => share(fee),
        _ => 0,
    };
    without(least, fee.min(BASIS_POINTS))
}

/// What is left of an amount when so many basis points of it, rounded down, are taken.
pub(super) fn without(amount: Amount, basis_points: u64) -> Amount {
    let (all, taken) = (Amount::from(BASIS_POINTS), Amount::from(basis_points));
    let share = amount
        .checked_mul(taken)
        .map_or_else(|| (amount / all + Amount::ONE).saturating_mul(taken), |product| product / all);
    amount.saturating_sub(share)
}

fn fee_payees(arguments: &Arguments<'_>) -> Vec<Address> {
    let listed = arguments.list("feeReceivers").unwrap_or_default().iter().filter_map(|value| match value {
        Value::Address(address) => Some(*address),
        _ => None,
    });
    let partner = arguments.address("partner");
    let packed = arguments.number("partnerAndFee").map(|number| unpack(number >> 96));
    listed.chain(partner).chain(packed).collect()
}

/// Whether there is something in the arguments that is not read: a message for a contract, a signature that permits
/// something, an account inside of a contract.
pub(super) fn has_unread(call: &Call<'_>, arguments: &Arguments<'_>) -> bool {
    arguments.0.iter().any(|(name, value)| match (*name, value) {
        ("permit" | "message" | "composeMsg" | "hookData", Value::Bytes(bytes)) => !bytes.is_empty(),
        ("extraOptions", Value::Bytes(bytes)) => !bridge::only_gas(bytes),
        ("oftCmd", Value::Bytes(bytes)) => !bridge::is_plain(call, bytes),
        ("hasDestinationCall" | "fromInternalBalance" | "toInternalBalance", value) => {
            *value != Value::Bool(false)
        }
        ("lzTokenFee", value) => *value != Value::Number(Amount::ZERO),
        ("destinationChains", _) => true,
        (_, Value::Tuple(arguments)) => has_unread(call, arguments),
        _ => false,
    })
}

/// Balancer V2: the limits say how much of which asset. What is left of the coins that come with the call returns.
pub(super) fn balance(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Reading> {
    let recipient = recipient(call, arguments)?;
    let (sell, amount, buy, least) = match arguments.list("limits") {
        Some(limits) => batch(arguments, limits)?,
        None => {
            let (given, limit) = (arguments.number("given")?, arguments.number("limit")?);
            let (amount, least) = match arguments.number("kind")? {
                Amount::ZERO => (given, limit),
                _ => (limit, given),
            };
            (arguments.address("sell")?, amount, arguments.address("buy")?, least)
        }
    };
    let (sell, buy) = (zero_is_native(sell), zero_is_native(buy));
    let swap = Swap {
        buy: Some(Bought::Here(buy.asset())),
        minimum_out: Some(least),
        recipient: Some(evm_text(call, recipient)),
        ..call.swap(sell, amount)
    };
    let mut reading = Reading::whole(vec![Effect::Swap(swap)]);
    reading.whole = is_covered(call, sell, amount)
        && recipient != Some(call.contract)
        && !has_unread(call, arguments)
        && arguments.number("kind").is_some_and(|kind| kind <= Amount::ONE);
    reading.rest = Rest::Returned;
    Some(reading)
}

fn zero_is_native(token: Address) -> Coin {
    if token == [0; 20] { Coin::Native } else { Coin::Token(token) }
}

/// Several swaps that end in one: of one asset no more than its limit is taken, of one other no less than its limit is
/// paid, and of the others nothing is taken.
fn batch(arguments: &Arguments<'_>, limits: &[Value<'_>]) -> Option<(Address, Amount, Address, Amount)> {
    let assets = arguments.list("assets").filter(|assets| assets.len() == limits.len())?;
    let (mut sold, mut bought) = (Vec::new(), Vec::new());
    for (asset, limit) in assets.iter().zip(limits) {
        match (asset, limit) {
            (Value::Address(asset), Value::Negative(limit)) => bought.push((*asset, *limit)),
            (Value::Address(_), Value::Number(limit)) if limit.is_zero() => {}
            (Value::Address(asset), Value::Number(limit)) => sold.push((*asset, *limit)),
            _ => return None,
        }
    }
    match (sold.as_slice(), bought.as_slice()) {
        ([(sell, amount)], [(buy, least)]) => Some((*sell, *amount, *buy, *least)),
        _ => None,
    }
}

/// LI.FI: swaps one after the other, then perhaps a bridge. Each may take something from the sender; if that is more than
/// one asset, what belongs to what cannot be told.
pub(super) fn aggregate(call: &Call<'_>, deposits: Deposits, arguments: &Arguments<'_>) -> Option<Reading> {
    let swaps: Vec<&Arguments<'_>> = match arguments.first("swaps")? {
        Value::Tuple(swap) => vec![swap],
        Value::List(list) => list
            .iter()
            .map(|swap| match swap {
                Value::Tuple(swap) => Some(swap),
                _ => None,
            })
            .collect::<Option<_>>()?,
        _ => return None,
    };
    let (sell, amount) = deposited(call, deposits, &swaps)?;
    if arguments.first("destinationChainId").is_some() {
        return bridge::after_swaps(call, arguments, sell, amount);
    }
    let recipient = recipient(call, arguments)?;
    let buy = Coin::named(swaps.last()?.address("buy")?);
    let swap = Swap {
        buy: Some(Bought::Here(buy.asset())),
        minimum_out: arguments.number("minimumOut"),
        recipient: Some(evm_text(call, recipient)),
        ..call.swap(sell, amount)
    };
    let mut reading = Reading::whole(vec![Effect::Swap(swap)]);
    let rest = call.value.saturating_sub(if sell == Coin::Native { amount } else { Amount::ZERO });
    reading.whole = is_covered(call, sell, amount) && recipient != Some(call.contract) && rest.is_zero();
    Some(reading)
}

/// What is taken from the sender, if it is one asset.
fn deposited(call: &Call<'_>, deposits: Deposits, swaps: &[&Arguments<'_>]) -> Option<(Coin, Amount)> {
    if deposits == Deposits::Value {
        return Some((Coin::Native, call.value));
    }
    let mut taken: Option<(Coin, Amount)> = None;
    for swap in swaps {
        if deposits == Deposits::Marked && swap.first("requiresDeposit") != Some(&Value::Bool(true)) {
            continue;
        }
        let (coin, amount) = (Coin::named(swap.address("sell")?), swap.number("amount")?);
        taken = Some(match taken {
            None => (coin, amount),
            Some((same, before)) if same == coin => (coin, before.checked_add(amount)?),
            Some(_) => return None,
        });
    }
    taken
}
