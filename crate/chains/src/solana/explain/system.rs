//! The system program: lamports, new accounts, nonces. Its instructions begin with a number of 32 bits.

use super::call::as_key;
use super::{Args, Call, Moved, Read, Told, View, spell};
use crate::explain::{Asset, Effect, PartyRole};
use crate::solana::message::{Key, Message, Named};
use crate::solana::{base58, program};

const ADVANCE_NONCE: u32 = 4;
const INITIALISE_NONCE: u32 = 6;

/// Whether the blockhash is not one of a block but what a nonce account stores: then it does not grow old.
pub(crate) fn advances_nonce(message: &Message) -> bool {
    let first = message.instructions.first();
    first.is_some_and(|first| {
        message.program(first) == Some(&program::SYSTEM)
            && first.data.starts_with(&ADVANCE_NONCE.to_le_bytes())
    })
}

/// The account that an instruction makes a nonce account of this signer's.
pub(super) fn initialised_nonce(call: &Call<'_>, own: &Key) -> Option<Key> {
    let mut args = call.args();
    args.u32().filter(|number| *number == INITIALISE_NONCE)?;
    let authority = args.key()?;
    args.end()?;
    call.key(0).filter(|_| authority == *own)
}

pub(super) fn read(view: &View<'_>, call: &Call<'_>) -> Read {
    let mut args = call.args();
    let told = match args.u32()? {
        0 => create(view, call, &mut args)?,
        1 => {
            let program = base58(&args.key()?);
            let fields = [("account", call.name(0)?), ("program", program.clone())];
            Told::other("assign", fields).and(program, PartyRole::Authority)
        }
        2 => transfer(view, call, args.u64()?)?,
        3 => {
            seed(&mut args)?;
            create(view, call, &mut args)?
        }
        ADVANCE_NONCE => {
            let fields = [("account", call.name(0)?), ("authority", call.name(2)?)];
            Told::note("advanceNonce", fields)
        }
        5 => withdraw_nonce(view, call, args.u64()?)?,
        INITIALISE_NONCE => authority(view, call, "initializeNonce", args.key()?)?,
        7 => authority(view, call, "authorizeNonce", args.key()?)?,
        8 => {
            let space = args.u64()?.to_string();
            Told::other("allocate", [("account", call.name(0)?), ("space", space)])
        }
        11 => transfer_with_seed(view, call, &mut args)?,
        12 => Told::note("upgradeNonce", call.fields(&["account"])?),
        _ => return None,
    };
    args.end()?;
    Some(told)
}

fn transfer(view: &View<'_>, call: &Call<'_>, lamports: u64) -> Read {
    let (from, to) = (call.account(0)?, call.account(1)?);
    let by_signer = from == Named::Key(&view.own);
    if by_signer && view.wallets.wraps(to) {
        let fields = [("account", spell(to)), ("lamports", lamports.to_string())];
        return Some(Told::note("wrapSol", fields));
    }
    Some(moved(by_signer, from, to, lamports))
}

fn moved(by_signer: bool, from: Named<'_>, to: Named<'_>, amount: u64) -> Told {
    let (asset, named) = (Some(Asset::Native), as_key(to).map(|to| base58(&to)));
    Moved { asset, by_signer, from: spell(from), to: named, amount }.told(spell(to))
}

/// Lamports of an account whose address follows from another one's, which signs.
fn transfer_with_seed(view: &View<'_>, call: &Call<'_>, args: &mut Args<'_>) -> Read {
    let lamports = args.u64()?;
    args.text()?;
    args.key()?;
    let (from, to) = (call.account(0)?, call.account(2)?);
    Some(moved(from == Named::Key(&view.own), from, to, lamports))
}

/// A new account: the lamports that it needs, and what becomes of it. If this message makes it the signer's, nothing is
/// given away; otherwise it belongs to the account that makes it ready.
fn create(view: &View<'_>, call: &Call<'_>, args: &mut Args<'_>) -> Read {
    let (lamports, space, owner) = (args.u64()?, args.u64()?, args.key()?);
    let account = call.key(1)?;
    let known = [program::SYSTEM, program::STAKE, program::TOKEN, program::TOKEN_2022].contains(&owner);
    let mut fields = call.fields(&["from", "account"])?;
    fields.push(("program", base58(&owner)));
    fields.push(("space", space.to_string()));
    fields.push(("lamports", lamports.to_string()));
    if known && view.held.contains(&account) {
        return Some(Told::note("createAccount", fields));
    }
    let from = call.account(0)?;
    let mut told = moved(from == Named::Key(&view.own), from, Named::Key(&account), lamports);
    told.effects.push(Effect::other("createAccount", fields));
    Some(if known { told } else { told.and(base58(&owner), PartyRole::Authority) })
}

fn withdraw_nonce(view: &View<'_>, call: &Call<'_>, lamports: u64) -> Read {
    let mut fields = call.fields(&["account", "to"])?;
    fields.push(("lamports", lamports.to_string()));
    let to = call.key(1)?;
    Some(if view.is_own(&to) {
        Told::note("withdrawNonce", fields)
    } else {
        Told::other("withdrawNonce", fields).and(base58(&to), PartyRole::Recipient)
    })
}

fn authority(view: &View<'_>, call: &Call<'_>, name: &str, authority: Key) -> Read {
    let fields = [("account", call.name(0)?), ("authority", base58(&authority))];
    Some(if view.is_own(&authority) {
        Told::note(name, fields)
    } else {
        Told::other(name, fields).and(base58(&authority), PartyRole::Authority)
    })
}

/// Base and seed from which an address was made; the address itself is among the accounts.
fn seed(args: &mut Args<'_>) -> Option<()> {
    args.key()?;
    args.text().map(drop)
}
