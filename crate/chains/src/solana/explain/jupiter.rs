//! Jupiter's aggregator, version 6: an Anchor program, so an instruction begins with eight bytes of
//! `sha256("global:" ‖ name)`. Bytes behind the arguments are ignored by the program; here they make it unknown, as a
//! second set of amounts could stand there.

use super::pools::{Sale, sold};
use super::{Args, Call, Read, View};
use crate::Amount;
use crate::explain::{Effect, PartyRole};
use crate::solana::message::Named;
use crate::solana::program;

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
    /// Who gets the fee; the newer routes do not say.
    fee: Option<usize>,
}

const ROUTES: [Route; 8] = [
    Route { discriminator: [229, 23, 203, 151, 122, 227, 173, 42], ..PLAIN },
    Route {
        discriminator: [208, 51, 239, 151, 123, 43, 237, 92],
        exact_out: true,
        forwarded: Some(4),
        sell: Some(5),
        buy: 6,
        fee: Some(7),
        ..PLAIN
    },
    Route { discriminator: [193, 32, 155, 51, 65, 214, 156, 129], ..SHARED },
    Route { discriminator: [176, 209, 105, 168, 154, 125, 69, 62], exact_out: true, ..SHARED },
    Route { discriminator: [187, 100, 250, 204, 49, 196, 175, 20], ..PLAIN_V2 },
    Route { discriminator: [157, 138, 184, 82, 21, 244, 243, 36], exact_out: true, ..PLAIN_V2 },
    Route { discriminator: [209, 152, 83, 147, 124, 254, 216, 233], ..SHARED_V2 },
    Route { discriminator: [53, 96, 229, 202, 216, 187, 250, 24], exact_out: true, ..SHARED_V2 },
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
    fee: Some(6),
};

const PLAIN_V2: Route = Route {
    amounts_first: true,
    authority: 0,
    source: 1,
    destination: 2,
    forwarded: Some(7),
    sell: Some(3),
    buy: 4,
    fee: None,
    ..PLAIN
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
    fee: Some(9),
};

const SHARED_V2: Route = Route {
    amounts_first: true,
    authority: 1,
    source: 2,
    destination: 5,
    sell: Some(6),
    buy: 7,
    fee: None,
    ..SHARED
};

/// `in` and `out` are both amounts of the quote; the slippage applies to the one that is not exact.
struct Amounts {
    first: u64,
    quoted: u64,
    slippage_bps: u16,
    /// Of what is bought, to the platform.
    fee_bps: u16,
    /// Of what is gained beyond the quote.
    gain_bps: u16,
}

pub(super) fn read(view: &View<'_>, call: &Call<'_>) -> Read {
    let discriminator: &[u8; 8] = call.data.first_chunk()?;
    let route = ROUTES.iter().find(|route| route.discriminator == *discriminator)?;
    let mut args = call.args();
    args.skip(discriminator.len() + usize::from(route.shared))?;
    let amounts = if route.amounts_first { amounts_then_plan(args) } else { plan_then_amounts(args) }?;
    if call.account(route.authority)? != Named::Key(&view.own) {
        return None;
    }
    let forwarded = route.forwarded.and_then(|place| call.account(place));
    let kept = call.account(route.destination)?;
    let forwarded = forwarded.filter(|account| *account != Named::Key(&program::JUPITER));
    let (amount, minimum) = amounts.bounds(route.exact_out);
    let mut told = sold(
        view,
        call,
        Sale {
            source: call.account(route.source)?,
            sell: route.sell.and_then(|place| call.key(place)),
            destination: forwarded.unwrap_or(kept),
            buy: call.key(route.buy),
            amount,
            minimum,
        },
    );
    let payee = route.fee.and_then(|place| call.account(place)).filter(|_| amounts.fee_bps != 0);
    match payee {
        // The program's own address stands for no account.
        Some(Named::Key(key)) if *key != program::JUPITER => {
            told = told.and(view.wallets.owner(Named::Key(key)), PartyRole::FeePayee);
        }
        _ if amounts.fee_bps != 0 || amounts.gain_bps != 0 => {
            let share = |bps: u16| format!("{bps} basis points");
            let fields =
                [("of what is bought", share(amounts.fee_bps)), ("of gains", share(amounts.gain_bps))];
            told.effects.push(Effect::other("platform fee", fields));
        }
        _ => {}
    }
    Some(told)
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
    let amounts = Amounts {
        first: args.u64()?,
        quoted: args.u64()?,
        slippage_bps: args.u16()?,
        fee_bps: args.u8()?.into(),
        gain_bps: 0,
    };
    args.end()?;
    Some(amounts)
}

/// The plan is what is left; nothing that it says changes the amounts before it.
fn amounts_then_plan(mut args: Args<'_>) -> Option<Amounts> {
    Some(Amounts {
        first: args.u64()?,
        quoted: args.u64()?,
        slippage_bps: args.u16()?,
        fee_bps: args.u16()?,
        gain_bps: args.u16()?,
    })
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
