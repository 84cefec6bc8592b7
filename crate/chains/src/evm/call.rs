//! From a contract, a value and calldata to what happens.
//!
//! A function that is not known, or whose arguments cannot be read, stays a call that is not understood. What a known
//! name does on an unread contract is the contract's claim, not ours; the contract is always named.

use super::abi::{Arguments, Signature, Value};
use super::functions::{self, Meaning};
use super::{Address, router};
use crate::address::evm;
use crate::amount::is_unlimited;
use crate::explain::{Asset, Effect, Function};
use crate::{Account, Amount, Chain, thorchain_memo};

/// Calls inside of calls are followed so far.
const MAX_DEPTH: u8 = 3;

/// Where calldata goes, and from whom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) account: &'a Account,
    pub(super) contract: Address,
    /// Native coins that come with it; in an inner call those of the outer one.
    pub(super) value: Amount,
    /// The network behind a memo, where a payload names it.
    pub(super) through: Option<Chain>,
    pub(super) depth: u8,
}

impl Call<'_> {
    /// What a call does.
    pub(super) fn effects(&self, data: &[u8]) -> Vec<Effect> {
        self.known(data).unwrap_or_else(|| vec![self.unknown(data)])
    }

    /// What a call of a known function does; `None` where it is not known or cannot be read.
    pub(super) fn known(&self, data: &[u8]) -> Option<Vec<Effect>> {
        let (selector, data) = data.split_first_chunk()?;
        let (meaning, text) = functions::find(*selector)?;
        let signature = Signature::parse(text)?;
        let arguments = signature.decode(data)?;
        let mut effects = self.meaning(meaning, &arguments).unwrap_or_default();
        // An increase is no total, so the function is named too.
        if effects.is_empty() || meaning == Meaning::Increase {
            effects.push(self.named(&signature, &arguments));
        }
        Some(effects)
    }

    /// What a function does with these arguments; `None` where they do not fit together.
    pub(super) fn meaning(&self, meaning: Meaning, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
        match meaning {
            Meaning::Transfer => self.transfers(arguments),
            Meaning::Approve | Meaning::Increase => self.approvals(arguments),
            Meaning::ApproveAll => self.approve_all(arguments),
            Meaning::Swap(provider) => Some(vec![router::swap(self, provider, arguments)?]),
            Meaning::Multicall => self.multicall(arguments),
            Meaning::Commands => router::commands(self, arguments),
            Meaning::Deposit => self.deposit(arguments),
            Meaning::Call => None,
        }
    }

    fn named(&self, signature: &Signature, arguments: &Arguments<'_>) -> Effect {
        let function = Function::Known { signature: signature.canonical(), arguments: arguments.shown() };
        self.call(function)
    }

    fn unknown(&self, data: &[u8]) -> Effect {
        self.call(Function::Unknown { selector: data.first_chunk().copied(), bytes: data.len() })
    }

    /// The coins are the outer call's; they are named once.
    fn call(&self, function: Function) -> Effect {
        let value = if self.depth == 0 { self.value } else { Amount::ZERO };
        Effect::Call { contract: evm::encode(&self.contract), value, function }
    }

    /// The token of the arguments, or the contract itself.
    fn token(&self, arguments: &Arguments<'_>) -> Asset {
        let id = evm::encode(&arguments.address("token").unwrap_or(self.contract));
        Asset::Token { id }
    }

    fn transfers(&self, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
        if let Some(list) = arguments.list("transfers") {
            let each = |value: &Value<'_>| match value {
                Value::Tuple(arguments) => self.transfer(arguments, self.token(arguments), None),
                _ => None,
            };
            return list.iter().map(each).collect();
        }
        if let (Some(ids), Some(amounts)) = (arguments.list("ids"), arguments.list("amounts")) {
            let each = |pair: (&Value<'_>, &Value<'_>)| match pair {
                (Value::Number(id), Value::Number(amount)) => {
                    self.transfer(arguments, self.item(*id), Some(*amount))
                }
                _ => None,
            };
            return (ids.len() == amounts.len()).then(|| ids.iter().zip(amounts).map(each).collect())?;
        }
        let (asset, one) = match arguments.number("id") {
            Some(id) => (self.item(id), Some(arguments.number("amount").unwrap_or(Amount::ONE))),
            None => (self.token(arguments), None),
        };
        Some(vec![self.transfer(arguments, asset, one)?])
    }

    fn item(&self, id: Amount) -> Asset {
        Asset::Item { collection: evm::encode(&self.contract), id }
    }

    fn transfer(&self, arguments: &Arguments<'_>, asset: Asset, amount: Option<Amount>) -> Option<Effect> {
        let to = evm::encode(&arguments.address("to")?);
        let amount = amount.or_else(|| arguments.number("amount"))?;
        let from = arguments.address("from").map(|from| evm::encode(&from));
        Some(match from.filter(|from| *from != self.account.address) {
            None => Effect::Transfer { asset, to, amount },
            Some(from) => Effect::TransferFrom { asset, from, to, amount },
        })
    }

    /// An allowance of another owner's tokens, which a signature of theirs permits, is not the signer's.
    fn approvals(&self, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
        let owner = arguments.address("owner").map(|owner| evm::encode(&owner));
        if owner.is_some_and(|owner| owner != self.account.address) {
            return None;
        }
        let spender = arguments.address("spender")?;
        let Some(list) = arguments.list("details") else {
            return Some(vec![self.approval(arguments, spender)?]);
        };
        let each = |value: &Value<'_>| match value {
            Value::Tuple(details) => self.approval(details, spender),
            _ => None,
        };
        list.iter().map(each).collect()
    }

    /// Permit2 names the token; some tokens know all or nothing.
    fn approval(&self, arguments: &Arguments<'_>, spender: Address) -> Option<Effect> {
        let amount = match arguments.first("allowed") {
            Some(Value::Bool(true)) => Amount::MAX,
            Some(Value::Bool(false)) => Amount::ZERO,
            _ => arguments.number("amount")?,
        };
        let unlimited = is_unlimited(amount);
        let asset = self.token(arguments);
        Some(Effect::Approve { asset, spender: evm::encode(&spender), amount, unlimited })
    }

    fn approve_all(&self, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
        let Some(Value::Bool(approved)) = arguments.first("approved") else { return None };
        let operator = evm::encode(&arguments.address("operator")?);
        Some(vec![Effect::ApproveAll {
            collection: evm::encode(&self.contract),
            operator,
            approved: *approved,
        }])
    }

    fn multicall(&self, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
        let inner = Self { depth: self.depth + 1, ..*self };
        if inner.depth > MAX_DEPTH {
            return None;
        }
        let mut effects = Vec::new();
        for call in arguments.list("calls")? {
            let Value::Bytes(data) = call else { return None };
            effects.extend(inner.effects(data));
        }
        (!effects.is_empty()).then_some(effects)
    }

    /// The zero address is the native coin. Both networks have the same router; the memo tells which one is meant. The
    /// router hands everything to the vault that the caller names, so the vault is named too.
    fn deposit(&self, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
        let memo = arguments.text("memo")?;
        let of_memo = if memo.contains(":maya1") { Chain::MayaChain } else { Chain::ThorChain };
        let token = arguments.address("asset")?;
        let (sell, amount) = if token == [0; 20] {
            (Asset::Native, self.value)
        } else {
            (Asset::Token { id: evm::encode(&token) }, arguments.number("amount")?)
        };
        let router = evm::encode(&self.contract);
        let network = self.through.unwrap_or(of_memo);
        let swap = thorchain_memo::effect(network, memo, &router, &sell, amount)?;
        let vault = evm::encode(&arguments.address("vault")?);
        Some(vec![swap, Effect::other("deposit", [("vault", vault)])])
    }
}
