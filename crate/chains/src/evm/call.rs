//! From a contract, a value and calldata to what happens.
//!
//! A function means something at a contract of our table, or if it is one that all tokens have. Elsewhere it is a call
//! with a name: anyone can deploy a contract with the same functions.

use super::abi::{Arguments, Signature};
use super::functions::{self, Conversion, Converted, Meaning};
use super::{Address, bridge, deposit, lending, program, swap, token};
use crate::address::evm;
use crate::explain::{Asset, Bought, Effect, Function, Party, PartyRole, Swap};
use crate::facts::Facts;
use crate::known::{self, KnownContract, Protocol};
use crate::{Account, Amount, Chain, thorchain_memo};
use wire::node::NodeFact;

/// What aggregators write for the native coin; others write zeros.
const NATIVE: Address = [0xee; 20];

/// Where calldata goes, and from whom.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    pub(super) account: &'a Account,
    pub(super) facts: Facts<'a>,
    pub(super) contract: Address,
    /// What our table says of the contract.
    pub(super) known: Option<KnownContract>,
    /// Native coins that come with it.
    pub(super) value: Amount,
}

/// What a call does, as far as it was read.
#[derive(Debug, Default)]
pub(super) struct Reading {
    pub(super) effects: Vec<Effect>,
    /// Ways out that no effect names.
    pub(super) parties: Vec<Party>,
    /// Whether every asset, amount and party was read.
    pub(super) whole: bool,
    /// Whether coins that no effect accounts for come back to the sender.
    pub(super) refunds: bool,
}

/// A coin or a token, by its address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Coin {
    Native,
    Token(Address),
}

impl Coin {
    /// As aggregators write it: they have addresses that stand for the native coin.
    pub(super) fn named(address: Address) -> Self {
        if address == NATIVE || address == [0; 20] { Self::Native } else { Self::Token(address) }
    }

    pub(super) fn asset(self) -> Asset {
        match self {
            Self::Native => Asset::Native,
            Self::Token(address) => Asset::Token { id: evm::encode(&address) },
        }
    }
}

impl Reading {
    /// All of it was read.
    pub(super) fn whole(effects: Vec<Effect>) -> Self {
        Self { effects, whole: true, ..Self::default() }
    }

    /// The same with a way out that no effect names, if it is an account at all.
    pub(super) fn party(&mut self, address: Option<Address>, role: PartyRole) {
        let address = address.filter(|address| *address != [0; 20]);
        self.parties.extend(address.map(|address| Party::new(evm::encode(&address), role)));
    }
}

impl<'a> Call<'a> {
    pub(super) fn new(account: &'a Account, facts: Facts<'a>, contract: Address, value: Amount) -> Self {
        let known = known::evm(account.chain, &contract);
        let known = known.or_else(|| proven_router(account.chain, facts, &contract));
        Self { account, facts, contract, known, value }
    }

    /// What a call of a known function does; `None` where the function is not known or its arguments cannot be read.
    pub(super) fn read(&self, data: &[u8]) -> Option<Reading> {
        let (selector, data) = data.split_first_chunk()?;
        let found = functions::find(self.known.map(|known| known.protocol), *selector);
        let (meaning, text) = found.or_else(|| Some((Meaning::Call, functions::named(*selector)?)))?;
        let signature = Signature::parse(text)?;
        let arguments = signature.decode(data)?;
        let mut reading = self.meaning(meaning, &arguments).unwrap_or_default();
        if reading.effects.is_empty() {
            match reading.whole {
                true => reading.effects.push(note(&arguments)),
                false => reading.parties.extend(told_parties(&arguments)),
            }
        }
        let provider = self.known.map_or("", |known| known.name);
        for effect in &mut reading.effects {
            if let Effect::Note { name, .. } = effect
                && name.is_empty()
            {
                *name = format!("{provider}: {}", signature.name());
            }
        }
        self.account_for_value(&mut reading, &signature, &arguments);
        Some(reading)
    }

    /// A call that nothing is known of.
    pub(super) fn unknown(&self, data: &[u8], value: Amount) -> Effect {
        let function = Function::Unknown { selector: data.first_chunk().copied(), bytes: data.len() };
        Effect::Call { contract: evm::encode(&self.contract), value, function }
    }

    /// A call with a name.
    pub(super) fn named(&self, signature: &Signature, arguments: &Arguments<'_>, value: Amount) -> Effect {
        let function = Function::Known { signature: signature.canonical(), arguments: arguments.shown() };
        Effect::Call { contract: evm::encode(&self.contract), value, function }
    }

    /// What a function does with these arguments; `None` where they do not fit together.
    fn meaning(&self, meaning: Meaning, arguments: &Arguments<'_>) -> Option<Reading> {
        match meaning {
            Meaning::Transfer => token::transfers(self, arguments).map(Reading::whole),
            Meaning::Approve => token::approvals(self, arguments).map(Reading::whole),
            // An increase is no total, so the function is named too.
            Meaning::Increase => {
                token::approvals(self, arguments).map(|effects| Reading { effects, ..Reading::default() })
            }
            Meaning::ApproveAll => token::approve_all(self, arguments).map(Reading::whole),
            Meaning::Convert(conversion) => self.convert(conversion, arguments),
            Meaning::Swap => swap::read(self, arguments),
            Meaning::Balance => swap::balance(self, arguments),
            Meaning::Aggregate(deposits) => swap::aggregate(self, deposits, arguments),
            Meaning::Bridge => bridge::read(self, arguments),
            Meaning::Step(step) => program::single(self, step, arguments),
            Meaning::Multicall => program::multicall(self, arguments),
            Meaning::Commands => program::commands(self, arguments),
            Meaning::Deposit => deposit::read(self, arguments),
            Meaning::Supply(token) => lending::supply(self, token, arguments),
            Meaning::Withdraw => lending::withdraw(self, arguments),
            Meaning::Lend => Some(lend(self, arguments)?),
            Meaning::Note => Some(Reading::whole(vec![note(arguments)])),
            Meaning::Call => None,
        }
    }

    /// What is left of the coins that come with the call is an effect too; a call that was not read whole is named.
    fn account_for_value(&self, reading: &mut Reading, signature: &Signature, arguments: &Arguments<'_>) {
        let rest = self.value.saturating_sub(native(&reading.effects));
        let to = evm::encode(&self.contract);
        let effects = &mut reading.effects;
        if reading.whole {
            if rest.is_zero() {
                return;
            }
            let to_sender = Effect::Change { to: self.account.address.clone(), amount: rest };
            let to_contract = Effect::Transfer { asset: Asset::Native, to, amount: rest };
            effects.push(if reading.refunds { to_sender } else { to_contract });
        } else if let Some(Effect::Call { value, .. }) =
            effects.iter_mut().find(|effect| matches!(effect, Effect::Call { .. }))
        {
            *value = value.saturating_add(rest);
        } else if !rest.is_zero() || !effects.iter().any(is_unweighed) {
            effects.push(self.named(signature, arguments, rest));
        }
    }

    pub(super) fn wrapped(&self) -> Option<Address> {
        known::wrapped_coin(self.account.chain)
    }

    pub(super) fn is_sender(&self, address: &Address) -> bool {
        evm::encode(address) == self.account.address
    }

    /// A swap with the contract, for the provider that it is known to be of.
    pub(super) fn swap(&self, sell: Coin, amount: Amount) -> Swap {
        Swap {
            provider: self.known.map(|known| known.name),
            router: evm::encode(&self.contract),
            sell: sell.asset(),
            amount,
            buy: None,
            minimum_out: None,
            recipient: None,
        }
    }

    fn convert(&self, conversion: Conversion, arguments: &Arguments<'_>) -> Option<Reading> {
        let coin = |converted| match converted {
            Converted::Native => Coin::Native,
            Converted::Contract => Coin::Token(self.contract),
            Converted::Token(token) => Coin::Token(token),
        };
        let amount = match conversion.sell {
            Converted::Native => self.value,
            _ => arguments.number("amount")?,
        };
        let short_by = conversion.short_by.map(Amount::from);
        Some(Reading::whole(vec![Effect::Swap(Swap {
            buy: Some(Bought::Here(coin(conversion.buy).asset())),
            minimum_out: short_by.map(|units| amount.saturating_sub(units)),
            recipient: Some(self.account.address.clone()),
            ..self.swap(coin(conversion.sell), amount)
        })]))
    }
}

/// Says which function it was, where other effects say what it does. The name is that of the function.
pub(super) fn note(arguments: &Arguments<'_>) -> Effect {
    Effect::Note { name: String::new(), fields: arguments.shown() }
}

/// The router of a swap network, by the word of that network's own nodes.
fn proven_router(chain: Chain, facts: Facts<'_>, contract: &Address) -> Option<KnownContract> {
    let contract = evm::encode(contract);
    facts.0.iter().find_map(|fact| match fact {
        NodeFact::DepositAddress { network, chain: on, router: Some(router), .. }
            if on == chain.name() && router.eq_ignore_ascii_case(&contract) =>
        {
            let name = Chain::parse(network)?.name();
            Some(KnownContract { name, protocol: Protocol::ThorchainRouter })
        }
        _ => None,
    })
}

/// A spender may take tokens while a target is called with something that is not read: no more of them than that.
fn lend(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Reading> {
    let mut reading = Reading::default();
    let token = Coin::named(arguments.address("token")?);
    if token != Coin::Native && !arguments.number("amount")?.is_zero() {
        reading.effects = token::approvals(call, arguments)?;
    }
    reading.party(arguments.address("target"), PartyRole::Contract);
    Some(reading)
}

/// The accounts in the arguments of a call that nothing else is known of: those that a memo names, and who gets what goes
/// with the memo.
fn told_parties(arguments: &Arguments<'_>) -> Vec<Party> {
    let Some(memo) = arguments.text("memo") else { return Vec::new() };
    let vault = arguments.address("vault").map(|vault| Party::new(evm::encode(&vault), PartyRole::Recipient));
    thorchain_memo::parties(memo).into_iter().chain(vault).collect()
}

/// Native coins that the effects account for.
pub(super) fn native(effects: &[Effect]) -> Amount {
    let amount = |effect: &Effect| match effect {
        Effect::Swap(swap) if swap.sell == Asset::Native => swap.amount,
        Effect::Transfer { asset: Asset::Native, amount, .. } | Effect::Change { amount, .. } => *amount,
        Effect::Call { value, .. } => *value,
        _ => Amount::ZERO,
    };
    effects.iter().map(amount).fold(Amount::ZERO, Amount::saturating_add)
}

/// Whether an effect says itself that something was not read.
pub(super) const fn is_unweighed(effect: &Effect) -> bool {
    matches!(
        effect,
        Effect::Call { .. } | Effect::Other { .. } | Effect::Unknown { .. } | Effect::Create { .. }
    )
}

#[cfg(test)]
mod tests;
