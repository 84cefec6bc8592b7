//! The token programs. An instruction begins with one byte; Token-2022 has those of the first program and more.

use super::call::as_key;
use super::wallets::Wallet;
use super::{Args, Call, Moved, Read, Told, View};
use crate::Amount;
use crate::explain::{Asset, Effect, PartyRole};
use crate::solana::message::{Key, Named};
use crate::solana::{base58, program};

/// The account that an instruction of the associated-token program makes, if its address is right.
pub(super) fn created(call: &Call<'_>) -> Option<Wallet> {
    let (account, owner, mint, program) = (call.key(1)?, call.key(2)?, call.key(3)?, call.key(5)?);
    let right = [program::TOKEN, program::TOKEN_2022].contains(&program)
        && program::associated_token(&owner, &program, &mint) == Some(account);
    right.then_some(Wallet { account, owner, mint })
}

/// The account that an instruction of a token program makes ready for an owner.
pub(super) fn initialised(call: &Call<'_>) -> Option<Wallet> {
    let mut args = call.args();
    let owner = match args.u8()? {
        1 => call.key(2)?,
        16 | 18 => args.key()?,
        _ => return None,
    };
    args.end()?;
    Some(Wallet { account: call.key(0)?, owner, mint: call.key(1)? })
}

/// `create` and `createIdempotent` of the associated-token program. One for another owner costs what the chain asks for
/// storage, which that owner gets when the account is closed.
pub(super) fn read_create(view: &View<'_>, call: &Call<'_>) -> Read {
    let name = match call.data {
        [] | [0] => "createTokenAccount",
        [1] => "createTokenAccountIfAbsent",
        _ => return None,
    };
    let Wallet { account, owner, mint } = created(call)?;
    let payer = call.key(0)?;
    let fields = [("account", account), ("owner", owner), ("mint", mint), ("payer", payer)];
    let told = Told::note(name, fields.map(|(name, key)| (name, base58(&key))));
    let gives = view.is_own(&payer) && !view.is_own(&owner);
    Some(if gives { told.and(base58(&owner), PartyRole::Recipient) } else { told })
}

pub(super) fn read(view: &View<'_>, call: &Call<'_>) -> Read {
    let mut args = call.args();
    let told = match args.u8()? {
        1 => ready(view, call, call.key(2)?)?,
        3 => transfer(view, call, args.u64()?, 1)?,
        4 => approve(view, call, args.u64()?, 1)?,
        5 => Told::note("revoke", call.fields(&["account"])?),
        6 => set_authority(call, &mut args)?,
        7 => mint_to(view, call, args.u64()?)?,
        8 => burn(call, args.u64()?)?,
        9 => close(view, call)?,
        10 => Told::other("freezeTokenAccount", call.fields(&["account", "mint"])?),
        11 => Told::other("thawTokenAccount", call.fields(&["account", "mint"])?),
        12 => transfer(view, call, checked(&mut args)?, 2)?,
        13 => approve(view, call, checked(&mut args)?, 2)?,
        14 => mint_to(view, call, checked(&mut args)?)?,
        15 => burn(call, checked(&mut args)?)?,
        16 | 18 => {
            let owner = args.key()?;
            ready(view, call, owner)?
        }
        17 => Told::note("syncNative", call.fields(&["account"])?),
        22 => Told::note("initializeImmutableOwner", call.fields(&["account"])?),
        26 if *call.program == program::TOKEN_2022 => with_fee(view, call, &mut args)?,
        _ => return None,
    };
    args.end()?;
    Some(told)
}

/// Amount and decimals; the program refuses decimals that are not the mint's.
fn checked(args: &mut Args<'_>) -> Option<u64> {
    let amount = args.u64()?;
    args.u8()?;
    Some(amount)
}

/// A new token account. One of another owner is not the signer's, even if the signer pays for it.
fn ready(view: &View<'_>, call: &Call<'_>, owner: Key) -> Read {
    let mut fields = call.fields(&["account", "mint"])?;
    fields.push(("owner", base58(&owner)));
    let name = "initializeTokenAccount";
    Some(if view.is_own(&owner) {
        Told::note(name, fields)
    } else {
        Told::other(name, fields).and(base58(&owner), PartyRole::Authority)
    })
}

/// `TransferCheckedWithFee`: part of the amount is kept for the mint.
fn with_fee(view: &View<'_>, call: &Call<'_>, args: &mut Args<'_>) -> Read {
    if args.u8()? != 1 {
        return None;
    }
    let amount = checked(args)?;
    args.u64()?;
    transfer(view, call, amount, 2)
}

/// Source, destination, authority. `to` is the destination's place: 1, or 2 behind the mint. More accounts are of a
/// program that the mint calls.
fn transfer(view: &View<'_>, call: &Call<'_>, amount: u64, to: usize) -> Read {
    let (source, destination, authority) = (call.account(0)?, call.account(to)?, call.account(to + 1)?);
    let mut told = Moved {
        asset: asset(view, call, to)?,
        by_signer: authority == Named::Key(&view.own),
        from: super::spell(source),
        to: as_key(destination).map(|_| view.wallets.owner(destination)),
        amount,
    }
    .told(super::spell(destination));
    if *call.program == program::TOKEN_2022 && call.accounts.len() > to + 2 {
        let count = call.accounts.len() - to - 2;
        told.effects.push(Effect::other("transferHook", [("accounts", count.to_string())]));
    }
    Some(told)
}

/// Source, delegate, owner. `spender` is the delegate's place: 1, or 2 behind the mint.
fn approve(view: &View<'_>, call: &Call<'_>, amount: u64, spender: usize) -> Read {
    let unlimited = amount > u64::MAX / 2;
    let asset = asset(view, call, spender)?;
    let spender = base58(&call.key(spender)?);
    Some(match asset {
        Some(asset) => Effect::Approve { asset, spender, amount: Amount::from(amount), unlimited }.into(),
        None => {
            let account = call.name(0)?;
            let fields = [("account", account), ("spender", spender.clone()), ("amount", amount.to_string())];
            Told::other("approve", fields).and(spender, PartyRole::Spender)
        }
    })
}

/// The token that an instruction is about: the mint it names, or that of the source where it names none.
fn asset(view: &View<'_>, call: &Call<'_>, behind: usize) -> Option<Option<Asset>> {
    let mint = if behind == 1 { None } else { as_key(call.account(1)?) };
    Some(view.wallets.asset(call.account(0)?, mint))
}

/// New tokens, which their receiver did not pay for.
fn mint_to(view: &View<'_>, call: &Call<'_>, amount: u64) -> Read {
    let mut fields = call.fields(&["mint", "to"])?;
    fields.push(("amount", amount.to_string()));
    let owner = view.wallets.owner(call.account(1)?);
    Some(Told::other("mint", fields).and(owner, PartyRole::Recipient))
}

fn burn(call: &Call<'_>, amount: u64) -> Read {
    let mut fields = call.fields(&["account", "mint"])?;
    fields.push(("amount", amount.to_string()));
    Some(Told::other("burn", fields))
}

/// All coins that the account holds go to the destination, wrapped ones included.
fn close(view: &View<'_>, call: &Call<'_>) -> Read {
    let fields = call.fields(&["account", "to"])?;
    let to = call.key(1)?;
    Some(if view.is_own(&to) {
        Told::note("closeTokenAccount", fields)
    } else {
        Told::other("closeTokenAccount", fields).and(base58(&to), PartyRole::Recipient)
    })
}

/// Gives an account or a mint to another authority, or to none.
fn set_authority(call: &Call<'_>, args: &mut Args<'_>) -> Read {
    let role = match args.u8()? {
        0 => "mint",
        1 => "freeze",
        2 => "owner",
        3 => "close",
        _ => return None,
    };
    let authority = match args.u8()? {
        0 => None,
        1 => Some(base58(&args.key()?)),
        _ => return None,
    };
    let named = authority.clone().unwrap_or_else(|| "none".to_owned());
    let fields = [("account", call.name(0)?), ("role", role.to_owned()), ("authority", named)];
    let told = Told::other("setAuthority", fields);
    Some(match authority {
        Some(authority) => told.and(authority, PartyRole::Authority),
        None => told,
    })
}
