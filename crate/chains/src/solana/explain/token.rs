//! The token programs. An instruction begins with one byte; Token-2022 has those of the first program and more.
//!
//! Tokens move between token accounts. Whose such an account is, and of which mint, is known to the network; the bytes
//! show it only where the address is the one associated with an owner and a mint. (An owner can give such an account
//! away. That takes the owner's signature and is not seen here.)

use super::{Args, Call, Effects, View, plain};
use crate::explain::{Asset, Effect};
use crate::solana::message::{Key, Message, Named};
use crate::solana::{base58, program};
use crate::{Amount, Chain, token};

/// What a token account is.
#[derive(Debug, Clone, Copy)]
struct Wallet {
    account: Key,
    owner: Key,
    mint: Key,
}

/// Owners that may be met, and accounts that are proven.
pub(super) struct Wallets {
    /// The signer first.
    owners: Vec<Key>,
    proven: Vec<Wallet>,
}

/// Who may own token accounts of this message, and which of them it creates.
pub(super) fn wallets(message: &Message, own: Key, receiver: Option<Key>) -> Wallets {
    let proven: Vec<Wallet> = message
        .instructions
        .iter()
        .filter_map(|instruction| Call::new(message, instruction))
        .filter(|call| *call.program == program::ASSOCIATED_TOKEN)
        .filter_map(|call| created(&call))
        .collect();
    let owners = [own].into_iter().chain(receiver).chain(proven.iter().map(|wallet| wallet.owner)).collect();
    Wallets { owners, proven }
}

/// The account that an instruction of the associated-token program makes, if its address is right.
fn created(call: &Call<'_>) -> Option<Wallet> {
    let key = |place| match call.account(place)? {
        Named::Key(key) => Some(*key),
        Named::Entry { .. } => None,
    };
    let (account, owner, mint, program) = (key(1)?, key(2)?, key(3)?, key(5)?);
    proves(&account, &owner, &mint, &program).then_some(Wallet { account, owner, mint })
}

fn proves(account: &Key, owner: &Key, mint: &Key, program: &Key) -> bool {
    program::associated_token(owner, program, mint).as_ref() == Some(account)
}

impl Wallets {
    fn created(&self, account: &Key) -> Option<&Wallet> {
        self.proven.iter().find(|wallet| wallet.account == *account)
    }

    /// The mint of a token account: one that is created here, or the signer's own for a well-known mint.
    fn mint(&self, account: Named<'_>) -> Option<Key> {
        let account = as_key(account)?;
        let own = |mint: &Key| self.owners.first().is_some_and(|own| is_associated(&account, own, mint));
        let created = self.created(&account).map(|wallet| wallet.mint);
        created.or_else(|| known_mints().into_iter().find(own))
    }

    /// The owner of a token account where that is proven, else the token account itself.
    pub(super) fn owner(&self, account: Named<'_>, mint: Option<Key>) -> String {
        let proven = || {
            let account = as_key(account)?;
            let created = self.created(&account).map(|wallet| wallet.owner);
            let associated = |owner: &&Key| mint.is_some_and(|mint| is_associated(&account, owner, &mint));
            created.or_else(|| self.owners.iter().find(associated).copied())
        };
        proven().map_or_else(|| super::spell(account), |owner| base58(&owner))
    }

    /// The token of an account. Where it is not proven, the account stands for it.
    pub(super) fn asset(&self, account: Named<'_>) -> Asset {
        let unproven = || format!("of token account {}", super::spell(account));
        Asset::Token { id: self.mint(account).map_or_else(unproven, |mint| base58(&mint)) }
    }
}

/// Whether `account` is the associated one, for either program.
fn is_associated(account: &Key, owner: &Key, mint: &Key) -> bool {
    [program::TOKEN, program::TOKEN_2022].iter().any(|program| proves(account, owner, mint, program))
}

fn known_mints() -> Vec<Key> {
    let known = token::on(Chain::Solana).iter();
    let mints = known.filter_map(|token| super::super::parse_key("", token.contract).ok());
    [program::WRAPPED_SOL].into_iter().chain(mints).collect()
}

pub(super) fn as_key(account: Named<'_>) -> Option<Key> {
    match account {
        Named::Key(key) => Some(*key),
        Named::Entry { .. } => None,
    }
}

/// `create` and `createIdempotent` of the associated-token program.
pub(super) fn create_effects(call: &Call<'_>) -> Effects {
    let name = match call.data {
        [] | [0] => "createTokenAccount",
        [1] => "createTokenAccountIfAbsent",
        _ => return None,
    };
    let fields = [("account", 1), ("owner", 2), ("mint", 3), ("payer", 0)];
    let field = |(label, place): (&str, usize)| Some((label.to_owned(), call.name(place)?));
    let fields = fields.into_iter().map(field).collect::<Option<_>>()?;
    Some(vec![Effect::Other { name: name.to_owned(), fields }])
}

pub(super) fn effects(view: &View, call: &Call<'_>) -> Effects {
    let mut args = call.args();
    let effect = match args.u8()? {
        1 => plain(call, "initializeTokenAccount", &["account", "mint", "owner"])?,
        3 => transfer(view, call, args.u64()?, 1)?,
        4 => approve(view, call, args.u64()?, 1)?,
        5 => plain(call, "revoke", &["account"])?,
        6 => set_authority(call, &mut args)?,
        7 => counted(call, "mint", ["mint", "to"], args.u64()?)?,
        8 => counted(call, "burn", ["account", "mint"], args.u64()?)?,
        9 => plain(call, "closeTokenAccount", &["account", "to"])?,
        10 => plain(call, "freezeTokenAccount", &["account", "mint"])?,
        11 => plain(call, "thawTokenAccount", &["account", "mint"])?,
        12 => checked(&mut args, |amount| transfer(view, call, amount, 2))?,
        13 => checked(&mut args, |amount| approve(view, call, amount, 2))?,
        14 => checked(&mut args, |amount| counted(call, "mint", ["mint", "to"], amount))?,
        15 => checked(&mut args, |amount| counted(call, "burn", ["account", "mint"], amount))?,
        16 | 18 => {
            let owner = base58(&args.key()?);
            let fields = [("account", call.name(0)?), ("mint", call.name(1)?), ("owner", owner)];
            Effect::other("initializeTokenAccount", fields)
        }
        17 => plain(call, "syncNative", &["account"])?,
        22 => plain(call, "initializeImmutableOwner", &["account"])?,
        26 if *call.program == program::TOKEN_2022 => with_fee(view, call, &mut args)?,
        _ => return None,
    };
    args.end()?;
    Some(vec![effect])
}

/// Amount and decimals; the program refuses decimals that are not the mint's.
fn checked(args: &mut Args<'_>, effect: impl FnOnce(u64) -> Option<Effect>) -> Option<Effect> {
    let amount = args.u64()?;
    args.u8()?;
    effect(amount)
}

/// `TransferCheckedWithFee`: part of the amount is kept for the mint.
fn with_fee(view: &View, call: &Call<'_>, args: &mut Args<'_>) -> Option<Effect> {
    if args.u8()? != 1 {
        return None;
    }
    let effect = checked(args, |amount| transfer(view, call, amount, 2));
    args.u64()?;
    effect
}

/// Source, destination, authority. `to` is the destination's place: 1, or 2 behind the mint.
fn transfer(view: &View, call: &Call<'_>, amount: u64, to: usize) -> Option<Effect> {
    let (source, destination, authority) = (call.account(0)?, call.account(to)?, call.account(to + 1)?);
    let mint = if to == 1 { view.wallets.mint(source) } else { as_key(call.account(1)?) };
    let owner = view.wallets.owner(destination, mint);
    Some(view.moved(asset(view, call, to)?, authority, super::spell(source), owner, amount))
}

/// Source, delegate, owner. `spender` is the delegate's place: 1, or 2 behind the mint.
fn approve(view: &View, call: &Call<'_>, amount: u64, spender: usize) -> Option<Effect> {
    let asset = asset(view, call, spender)?;
    let (spender, unlimited) = (call.name(spender)?, amount > u64::MAX / 2);
    Some(Effect::Approve { asset, spender, amount: Amount::from(amount), unlimited })
}

/// The token that an instruction is about: the mint it names, or that of the source where it names none.
fn asset(view: &View, call: &Call<'_>, behind: usize) -> Option<Asset> {
    match behind {
        1 => Some(view.wallets.asset(call.account(0)?)),
        _ => Some(Asset::Token { id: call.name(1)? }),
    }
}

fn counted(call: &Call<'_>, name: &str, accounts: [&str; 2], amount: u64) -> Option<Effect> {
    let [first, second] = accounts;
    let fields = [(first, call.name(0)?), (second, call.name(1)?), ("amount", amount.to_string())];
    Some(Effect::other(name, fields))
}

/// Gives an account or a mint to another authority, or to none.
fn set_authority(call: &Call<'_>, args: &mut Args<'_>) -> Option<Effect> {
    let role = match args.u8()? {
        0 => "mint",
        1 => "freeze",
        2 => "owner",
        3 => "close",
        _ => return None,
    };
    let authority = match args.u8()? {
        0 => "none".to_owned(),
        1 => base58(&args.key()?),
        _ => return None,
    };
    let fields = [("account", call.name(0)?), ("role", role.to_owned()), ("authority", authority)];
    Some(Effect::other("setAuthority", fields))
}
