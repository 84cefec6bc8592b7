//! The token programs. An instruction begins with one byte; Token-2022 has those of the first program and more.
//!
//! Tokens move between token accounts. Whose such an account is, and of which mint, is known to the network; the bytes
//! prove it only where the address is the one associated with an owner and a mint.

use super::{Args, Call, Effects, View, other, plain};
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
    /// What the token account is: one that is created here, or the associated one of an owner at hand for `mint` or,
    /// where the instruction does not name it, for a well-known one.
    fn find(&self, account: Named<'_>, mint: Option<Key>) -> Option<Wallet> {
        let Named::Key(account) = account else { return None };
        let here = self.proven.iter().find(|wallet| wallet.account == *account);
        if let Some(wallet) = here.filter(|wallet| mint.is_none_or(|mint| mint == wallet.mint)) {
            return Some(*wallet);
        }
        let mints = match mint {
            Some(mint) => vec![mint],
            None => known_mints(),
        };
        let associated = |owner: &Key, mint: &Key| {
            let programs = [program::TOKEN, program::TOKEN_2022];
            let found = programs.iter().any(|program| proves(account, owner, mint, program));
            found.then_some(Wallet { account: *account, owner: *owner, mint: *mint })
        };
        self.owners.iter().find_map(|owner| mints.iter().find_map(|mint| associated(owner, mint)))
    }

    /// The owner of a token account where that is proven, else the token account itself.
    pub(super) fn owner(&self, account: Named<'_>, mint: Option<Named<'_>>) -> String {
        let wallet = self.find(account, mint.and_then(as_key));
        wallet.map_or_else(|| super::spell(account), |wallet| base58(&wallet.owner))
    }

    /// The token of an account. Where it is not proven, the account stands for it.
    pub(super) fn asset(&self, account: Named<'_>) -> Asset {
        let wallet = self.find(account, None);
        let named = |wallet: Wallet| base58(&wallet.mint);
        Asset::Token {
            id: wallet.map_or_else(|| format!("of token account {}", super::spell(account)), named),
        }
    }
}

fn known_mints() -> Vec<Key> {
    let known = token::on(Chain::Solana).iter();
    let mints = known.filter_map(|token| super::super::parse_key("", token.contract).ok());
    [program::WRAPPED_SOL].into_iter().chain(mints).collect()
}

fn as_key(account: Named<'_>) -> Option<Key> {
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
        3 => transfer(view, call, args.u64()?, None)?,
        4 => approve(view, call, args.u64()?, None)?,
        5 => plain(call, "revoke", &["account"])?,
        6 => set_authority(call, &mut args)?,
        7 => counted(call, "mint", ["mint", "to"], args.u64()?)?,
        8 => counted(call, "burn", ["account", "mint"], args.u64()?)?,
        9 => plain(call, "closeTokenAccount", &["account", "to"])?,
        10 => plain(call, "freezeTokenAccount", &["account", "mint"])?,
        11 => plain(call, "thawTokenAccount", &["account", "mint"])?,
        12 => checked(&mut args, |amount| transfer(view, call, amount, Some(1)))?,
        13 => checked(&mut args, |amount| approve(view, call, amount, Some(1)))?,
        14 => checked(&mut args, |amount| counted(call, "mint", ["mint", "to"], amount))?,
        15 => checked(&mut args, |amount| counted(call, "burn", ["account", "mint"], amount))?,
        16 | 18 => {
            let owner = base58(&args.key()?);
            let fields = [("account", call.name(0)?), ("mint", call.name(1)?), ("owner", owner)];
            other("initializeTokenAccount", fields)
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
    let effect = checked(args, |amount| transfer(view, call, amount, Some(1)));
    args.u64()?;
    effect
}

/// Source, the mint where the instruction has it, destination, authority.
fn transfer(view: &View, call: &Call<'_>, amount: u64, mint: Option<usize>) -> Option<Effect> {
    let behind = 1 + usize::from(mint.is_some());
    let (source, to, authority) = (call.account(0)?, call.account(behind)?, call.account(behind + 1)?);
    let (asset, mint) = asset(view, call, mint)?;
    let to = view.wallets.owner(to, mint);
    Some(view.moved(asset, authority, super::spell(source), to, amount))
}

/// Source, the mint where the instruction has it, delegate, owner.
fn approve(view: &View, call: &Call<'_>, amount: u64, mint: Option<usize>) -> Option<Effect> {
    let spender = call.name(1 + usize::from(mint.is_some()))?;
    let (asset, _) = asset(view, call, mint)?;
    Some(Effect::Approve { asset, spender, amount: Amount::from(amount), unlimited: amount == u64::MAX })
}

/// The token that an instruction is about, and its mint where that is known.
fn asset<'a>(view: &View, call: &Call<'a>, mint: Option<usize>) -> Option<(Asset, Option<Named<'a>>)> {
    match mint {
        Some(place) => {
            let mint = call.account(place)?;
            Some((Asset::Token { id: super::spell(mint) }, Some(mint)))
        }
        None => Some((view.wallets.asset(call.account(0)?), None)),
    }
}

fn counted(call: &Call<'_>, name: &str, accounts: [&str; 2], amount: u64) -> Option<Effect> {
    let [first, second] = accounts;
    let fields = [(first, call.name(0)?), (second, call.name(1)?), ("amount", amount.to_string())];
    Some(other(name, fields))
}

/// Gives an account or a mint to somebody else, or to nobody.
fn set_authority(call: &Call<'_>, args: &mut Args<'_>) -> Option<Effect> {
    let role = match args.u8()? {
        0 => "mint",
        1 => "freeze",
        2 => "owner",
        3 => "close",
        _ => return None,
    };
    let authority = match args.u8()? {
        0 => "nobody".to_owned(),
        1 => base58(&args.key()?),
        _ => return None,
    };
    let fields = [("account", call.name(0)?), ("role", role.to_owned()), ("authority", authority)];
    Some(other("setAuthority", fields))
}
