//! Jupiter's aggregator, version 6: an Anchor program, so an instruction begins with eight bytes of
//! `sha256("global:" ‖ name)`. Bytes behind the arguments are ignored by the program; here they make it unknown, as a
//! second set of amounts could stand there.

use super::token::as_key;
use super::{Args, Call, Effects, View};
use crate::Amount;
use crate::explain::{Asset, Bought, Effect, Swap};
use crate::solana::message::Named;
use crate::solana::{base58, program};

/// Where an instruction has what. A route without shared accounts does not name the mint that it sells.
struct Route {
    discriminator: [u8; 8],
    /// A byte before the plan says which of the program's accounts are used.
    shared: bool,
    exact_out: bool,
    /// The plan comes behind the amounts.
    amounts_first: bool,
    authority: usize,
    source: usize,
    /// Where what is bought goes.
    destination: usize,
    /// And from there, unless this is the program's own address.
    forwarded: Option<usize>,
    sell: Option<usize>,
    buy: usize,
}

const ROUTES: [Route; 6] = [
    Route { discriminator: [229, 23, 203, 151, 122, 227, 173, 42], ..PLAIN },
    Route {
        discriminator: [208, 51, 239, 151, 123, 43, 237, 92],
        exact_out: true,
        forwarded: Some(4),
        sell: Some(5),
        buy: 6,
        ..PLAIN
    },
    Route { discriminator: [193, 32, 155, 51, 65, 214, 156, 129], ..SHARED },
    Route { discriminator: [176, 209, 105, 168, 154, 125, 69, 62], exact_out: true, ..SHARED },
    Route {
        discriminator: [187, 100, 250, 204, 49, 196, 175, 20],
        amounts_first: true,
        authority: 0,
        source: 1,
        destination: 2,
        forwarded: Some(7),
        sell: Some(3),
        buy: 4,
        ..PLAIN
    },
    Route {
        discriminator: [209, 152, 83, 147, 124, 254, 216, 233],
        amounts_first: true,
        authority: 1,
        source: 2,
        destination: 5,
        sell: Some(6),
        buy: 7,
        ..SHARED
    },
];

const PLAIN: Route = Route {
    discriminator: [0; 8],
    shared: false,
    exact_out: false,
    amounts_first: false,
    authority: 1,
    source: 2,
    destination: 3,
    forwarded: Some(4),
    sell: None,
    buy: 5,
};

const SHARED: Route = Route {
    discriminator: [0; 8],
    shared: true,
    exact_out: false,
    amounts_first: false,
    authority: 2,
    source: 3,
    destination: 6,
    forwarded: None,
    sell: Some(7),
    buy: 8,
};

/// `in` and `out` are both amounts of the quote; the slippage applies to the one that is not exact.
struct Amounts {
    first: u64,
    quoted: u64,
    slippage_bps: u16,
}

pub(super) fn effects(view: &View, call: &Call<'_>) -> Effects {
    let discriminator: &[u8; 8] = call.data.first_chunk()?;
    let route = ROUTES.iter().find(|route| route.discriminator == *discriminator)?;
    let mut args = call.args();
    args.skip(discriminator.len() + usize::from(route.shared))?;
    let amounts = if route.amounts_first { amounts_then_plan(args) } else { plan_then_amounts(args) }?;
    if call.account(route.authority)? != Named::Key(&view.own) {
        return None;
    }
    let sell = match route.sell {
        Some(place) => Asset::Token { id: call.name(place)? },
        None => view.wallets.asset(call.account(route.source)?),
    };
    let forwarded = route.forwarded.and_then(|place| call.account(place));
    let kept = call.account(route.destination)?;
    let destination = forwarded.filter(|account| *account != Named::Key(&program::JUPITER)).unwrap_or(kept);
    let buy = call.account(route.buy)?;
    let (amount, minimum) = amounts.bounds(route.exact_out);
    Some(vec![Effect::Swap(Swap {
        provider: Some("Jupiter"),
        router: base58(&program::JUPITER),
        sell,
        amount,
        buy: call.name(route.buy).map(|id| Bought::Here(Asset::Token { id })),
        minimum_out: Some(minimum),
        recipient: Some(view.wallets.owner(destination, as_key(buy))),
    })])
}

impl Amounts {
    /// The most that is given and the least that is taken.
    fn bounds(&self, exact_out: bool) -> (Amount, Amount) {
        let whole = Amount::from(10_000);
        let (first, quoted) = (Amount::from(self.first), Amount::from(self.quoted));
        let slippage = Amount::from(self.slippage_bps);
        if exact_out {
            ((quoted * (whole + slippage)).div_ceil(whole), first)
        } else {
            (first, quoted * whole.saturating_sub(slippage) / whole)
        }
    }
}

fn plan_then_amounts(mut args: Args<'_>) -> Option<Amounts> {
    for _ in 0..args.u32()? {
        step(&mut args)?;
        args.skip(3)?;
    }
    let amounts = Amounts { first: args.u64()?, quoted: args.u64()?, slippage_bps: args.u16()? };
    args.u8()?;
    args.end()?;
    Some(amounts)
}

/// The plan is what is left; nothing that it says changes the amounts before it.
fn amounts_then_plan(mut args: Args<'_>) -> Option<Amounts> {
    let amounts = Amounts { first: args.u64()?, quoted: args.u64()?, slippage_bps: args.u16()? };
    args.skip(4)?;
    Some(amounts)
}

/// A flag and perhaps a list of further accounts.
const FLAG_AND_SLICES: u8 = 254;
/// A list of further accounts.
const SLICES: u8 = 255;

/// How many bytes follow the number of a market, by that number; what is not here has no certain length.
#[rustfmt::skip]
const MARKETS: [u8; 111] = [
    0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1, 0,
    0, 1, 0, 1, 1, 0, 0, 1, 1, 16, 0, 0, 0, 4, 0, 0, 0, 0, 0, 1,
    0, 4, 3, 10, 5, 5, 0, FLAG_AND_SLICES, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0,
    1, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, SLICES, 0, 0, 0, 0,
    0, 8, 8, 0, 0, 1, 2, 9, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0,
    0, 0, 0, FLAG_AND_SLICES, 1, 0, 1, 1, 0, 0, 1,
];

/// One market on the way.
fn step(args: &mut Args<'_>) -> Option<()> {
    match *MARKETS.get(usize::from(args.u8()?))? {
        FLAG_AND_SLICES => {
            args.u8()?;
            match args.u8()? {
                0 => Some(()),
                1 => slices(args),
                _ => None,
            }
        }
        SLICES => slices(args),
        count => args.skip(usize::from(count)),
    }
}

fn slices(args: &mut Args<'_>) -> Option<()> {
    let count = usize::try_from(args.u32()?).ok()?;
    args.skip(count.checked_mul(2)?)
}
