//! Swaps with one pool: Raydium's two kinds and Orca's. Raydium's older program numbers its instructions with a byte;
//! the others are Anchor programs, whose instructions begin with eight bytes of `sha256("global:" ‖ name)`.
//! (Raydium `raydium-amm`, `raydium-cp-swap`; Orca `whirlpools`.)

use super::{Args, Call, Read, Told, View};
use crate::explain::{Bought, Effect, Party, PartyRole, Swap};
use crate::solana::message::{Key, Named};
use crate::solana::{base58, program};
use crate::{Amount, known};

/// `swap_base_input` and `swap_base_output`.
const CPMM_INPUT: [u8; 8] = [143, 190, 90, 218, 196, 30, 51, 222];
const CPMM_OUTPUT: [u8; 8] = [55, 217, 98, 86, 163, 74, 180, 173];
/// `swap` and `swap_v2`.
const ORCA: [u8; 8] = [248, 198, 158, 145, 225, 117, 135, 200];
const ORCA_V2: [u8; 8] = [43, 4, 237, 11, 26, 201, 30, 98];

/// What a program is told to sell.
pub(super) struct Sale<'a> {
    pub(super) source: Named<'a>,
    /// The mints, where the instruction names them by their keys.
    pub(super) sell: Option<Key>,
    pub(super) destination: Named<'a>,
    pub(super) buy: Option<Key>,
    /// The most that is given and the least that is taken.
    pub(super) amount: Amount,
    pub(super) minimum: Amount,
}

/// The swap. Where it is not known what is sold, or who receives, it stays a call that names the receiver.
pub(super) fn sold(view: &View<'_>, call: &Call<'_>, sale: Sale<'_>) -> Told {
    let recipient = view.wallets.owner(sale.destination);
    let sell = view.wallets.asset(sale.source, sale.sell);
    match sell.filter(|_| matches!(sale.destination, Named::Key(_))) {
        Some(sell) => Effect::Swap(Swap {
            provider: known::solana(call.program).map(|known| known.name),
            router: base58(call.program),
            sell,
            amount: sale.amount,
            buy: view.wallets.asset(sale.destination, sale.buy).map(Bought::Here),
            minimum_out: Some(sale.minimum),
            recipient: Some(recipient),
        })
        .into(),
        None => {
            let parties = vec![Party::new(recipient, PartyRole::Recipient)];
            Told { effects: vec![call.unknown()], parties }
        }
    }
}

pub(super) fn read(view: &View<'_>, call: &Call<'_>) -> Read {
    match *call.program {
        program::RAYDIUM_AMM => raydium_amm(view, call),
        program::RAYDIUM_CPMM => raydium_cpmm(view, call),
        _ => orca(view, call),
    }
}

/// Two amounts. Raydium states what goes in and then what comes out; one of them is exact, the other a bound.
fn amounts(args: &mut Args<'_>) -> Option<(Amount, Amount)> {
    Some((Amount::from(args.u64()?), Amount::from(args.u64()?)))
}

/// 17 accounts, or 18 with one that is no longer used; source, destination and owner are the last three.
fn raydium_amm(view: &View<'_>, call: &Call<'_>) -> Read {
    let mut args = call.args();
    if !matches!(args.u8()?, 9 | 11) {
        return None;
    }
    let (amount, minimum) = amounts(&mut args)?;
    args.end()?;
    let [source, destination, owner] = match call.accounts.as_slice() {
        accounts if matches!(accounts.len(), 17 | 18) => *accounts.last_chunk()?,
        _ => return None,
    };
    if owner != Named::Key(&view.own) {
        return None;
    }
    let sale = Sale { source, sell: None, destination, buy: None, amount, minimum };
    Some(sold(view, call, sale))
}

fn raydium_cpmm(view: &View<'_>, call: &Call<'_>) -> Read {
    let mut args = call.args();
    let discriminator: &[u8; 8] = call.data.first_chunk()?;
    args.skip(discriminator.len())?;
    if ![CPMM_INPUT, CPMM_OUTPUT].contains(discriminator) || call.account(0)? != Named::Key(&view.own) {
        return None;
    }
    let (amount, minimum) = amounts(&mut args)?;
    args.end()?;
    let sale = Sale {
        source: call.account(4)?,
        sell: call.key(10),
        destination: call.account(5)?,
        buy: call.key(11),
        amount,
        minimum,
    };
    Some(sold(view, call, sale))
}

/// Where an instruction of Orca has what.
struct Places {
    authority: usize,
    accounts: [usize; 2],
    mints: Option<[usize; 2]>,
}

fn orca(view: &View<'_>, call: &Call<'_>) -> Read {
    let mut args = call.args();
    let discriminator: &[u8; 8] = call.data.first_chunk()?;
    args.skip(discriminator.len())?;
    let places = match *discriminator {
        ORCA => Places { authority: 1, accounts: [3, 5], mints: None },
        ORCA_V2 => Places { authority: 3, accounts: [7, 9], mints: Some([5, 6]) },
        _ => return None,
    };
    let (first, second) = amounts(&mut args)?;
    args.skip(16)?;
    let (exact_in, first_to_second) = (flag(&mut args)?, flag(&mut args)?);
    // Further accounts, for tokens that call programs of their own, are not read.
    if *discriminator == ORCA_V2 && args.u8()? != 0 {
        return None;
    }
    args.end()?;
    if call.account(places.authority)? != Named::Key(&view.own) {
        return None;
    }
    let (amount, minimum) = if exact_in { (first, second) } else { (second, first) };
    let (from, to) = if first_to_second { (0, 1) } else { (1, 0) };
    let account = |side: usize| places.accounts.get(side).and_then(|place| call.account(*place));
    let mint = |side: usize| places.mints.as_ref()?.get(side).and_then(|place| call.key(*place));
    let sale = Sale {
        source: account(from)?,
        sell: mint(from),
        destination: account(to)?,
        buy: mint(to),
        amount,
        minimum,
    };
    Some(sold(view, call, sale))
}

fn flag(args: &mut Args<'_>) -> Option<bool> {
    match args.u8()? {
        0 => Some(false),
        1 => Some(true),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::sha256;

    #[test]
    fn instructions_are_known_by_the_hash_of_their_names() {
        let names = [
            (CPMM_INPUT, "swap_base_input"),
            (CPMM_OUTPUT, "swap_base_output"),
            (ORCA, "swap"),
            (ORCA_V2, "swap_v2"),
        ];
        for (discriminator, name) in names {
            assert_eq!(sha256(format!("global:{name}").as_bytes())[..8], discriminator, "{name}");
        }
    }
}
