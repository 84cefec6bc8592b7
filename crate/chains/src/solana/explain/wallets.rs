//! Whose token accounts are, and of which mint.
//!
//! Tokens move between token accounts. Owner and mint of one are known to the network; the bytes show them where the
//! message makes the account, or where its address is the one associated with the signer and a mint that the message
//! names or everybody knows. Of the others a node is asked. (An owner can give an associated account away. That takes
//! the owner's signature and is not seen here.)

use super::call::{Call, as_key, spell};
use super::{calls, token};
use crate::explain::Asset;
use crate::facts::Facts;
use crate::solana::message::{Key, Message, Named};
use crate::solana::{base58, parse_key, program};
use crate::{Chain, token as known};
use std::cell::{OnceCell, RefCell};

/// What a token account is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wallet {
    pub(super) account: Key,
    pub(super) owner: Key,
    pub(super) mint: Key,
}

/// The token accounts of a message.
pub(super) struct Wallets<'a> {
    message: &'a Message,
    own: Key,
    facts: Facts<'a>,
    /// Those that the message makes.
    made: Vec<Wallet>,
    /// The signer's associated ones. Found when first needed: every address is a hash and a point.
    associated: OnceCell<Vec<Wallet>>,
    /// Those of which nothing is known.
    unproven: RefCell<Vec<Key>>,
}

impl<'a> Wallets<'a> {
    pub(super) fn new(message: &'a Message, own: Key, facts: Facts<'a>) -> Self {
        let made = calls(message).filter_map(|call| made(&call)).collect();
        let (associated, unproven) = (OnceCell::new(), RefCell::new(Vec::new()));
        Self { message, own, facts, made, associated, unproven }
    }

    /// What is known of an account.
    pub(super) fn find(&self, account: Named<'_>) -> Option<Wallet> {
        let account = as_key(account)?;
        let is = |wallet: &&Wallet| wallet.account == account;
        let made = self.made.iter().find(is).or_else(|| self.associated().iter().find(is)).copied();
        let found = made.or_else(|| self.by_node(account));
        let mut unproven = self.unproven.borrow_mut();
        if found.is_none() && !unproven.contains(&account) {
            unproven.push(account);
        }
        found
    }

    /// Whose an account is; the account itself where that is not known.
    pub(super) fn owner(&self, account: Named<'_>) -> String {
        self.find(account).map_or_else(|| spell(account), |wallet| base58(&wallet.owner))
    }

    /// The token of an account, by the mint that an instruction names or else by what is known of the account.
    pub(super) fn asset(&self, account: Named<'_>, mint: Option<Key>) -> Option<Asset> {
        mint.or_else(|| self.find(account).map(|wallet| wallet.mint)).map(asset)
    }

    /// Whether coins that go to an account become wrapped coins of the signer's.
    pub(super) fn wraps(&self, account: Named<'_>) -> bool {
        let Some(account) = as_key(account) else { return false };
        let (owner, mint) = (self.own, program::WRAPPED_SOL);
        self.made.contains(&Wallet { account, owner, mint })
            || program::associated_token(&owner, &program::TOKEN, &mint) == Some(account)
    }

    /// The accounts that were looked for in vain.
    pub(super) fn unproven(&self) -> Vec<Key> {
        self.unproven.borrow().clone()
    }

    fn associated(&self) -> &[Wallet] {
        self.associated.get_or_init(|| {
            let mints = known_mints().chain(self.message.keys.iter().copied());
            let wallets = |mint: Key| {
                [program::TOKEN, program::TOKEN_2022].into_iter().filter_map(move |program| {
                    let account = program::associated_token(&self.own, &program, &mint)?;
                    Some(Wallet { account, owner: self.own, mint })
                })
            };
            mints.flat_map(wallets).collect()
        })
    }

    fn by_node(&self, account: Key) -> Option<Wallet> {
        let fact = self.facts.token_account(&base58(&account))?;
        let (owner, mint) = (parse_key("owner", fact.owner).ok()?, parse_key("mint", fact.token).ok()?);
        Some(Wallet { account, owner, mint })
    }
}

/// The token account that an instruction makes.
fn made(call: &Call<'_>) -> Option<Wallet> {
    match *call.program {
        program::ASSOCIATED_TOKEN => token::created(call),
        program::TOKEN | program::TOKEN_2022 => token::initialised(call),
        _ => None,
    }
}

fn asset(mint: Key) -> Asset {
    if mint == program::WRAPPED_SOL { Asset::Native } else { Asset::Token { id: base58(&mint) } }
}

fn known_mints() -> impl Iterator<Item = Key> {
    let mints = known::on(Chain::Solana).iter();
    [program::WRAPPED_SOL].into_iter().chain(mints.filter_map(|token| parse_key("", token.contract).ok()))
}
