//! What the commands of a transaction do, as far as its bytes and the nodes tell.
//!
//! Coins are followed through splits, merges and the calls of `known.rs`. What a coin is of is known for the coin that
//! pays, by the type arguments of a known call, and for an object by a node's word: a reference to an object says
//! neither type nor balance. An amount is stated only while nothing could have changed it: a call may take any part of
//! a coin it is given, and a result of a call may be anything.

use super::command::{Argument, Command, MoveCall};
use super::data::{Input, TransactionData, WithdrawFrom, Withdrawal, full};
use super::type_tag::{TypeTag, texts};
use super::{NATIVE, select};
use crate::explain::{Asset, Effect, Explanation, Fee, Function, Party, PartyRole};
use crate::facts::Facts;
use crate::transaction::Account;
use crate::{Amount, encoding};

/// A coin, or several of one kind in a vector.
#[derive(Debug, Clone, Default)]
pub(super) struct Coin {
    /// Which, where it is known.
    pub(super) asset: Option<Asset>,
    /// How much, where it is known.
    pub(super) amount: Option<u64>,
}

/// Follows coins through the commands.
pub(super) struct Trace<'a> {
    pub(super) data: &'a TransactionData,
    /// The inputs that are coins by a node's word, in the order of the inputs.
    inputs: Vec<Coin>,
    /// What each command made.
    results: Vec<Vec<Coin>>,
    pub(super) effects: Vec<Effect>,
    pub(super) parties: Vec<Party>,
}

pub(super) fn explain(data: &TransactionData, account: &Account, facts: Facts<'_>) -> Explanation {
    let inputs = data.inputs.iter().map(|input| held(input, facts)).collect();
    let mut trace = Trace { data, inputs, results: Vec::new(), effects: Vec::new(), parties: Vec::new() };
    if !account.owns(&full(&data.sender)) {
        let what = format!("what the signature is worth: the sender is {}", full(&data.sender));
        trace.effects.push(Effect::Unknown { what, bytes: 0 });
    }
    let withdrawals = data.inputs.iter().filter_map(|input| match input {
        Input::Withdrawal(withdrawal) => Some(withdrawal_effect(withdrawal)),
        _ => None,
    });
    trace.effects.extend(withdrawals);
    for command in &data.commands {
        let made = trace.run(command);
        trace.results.push(made);
    }
    Explanation {
        chain: account.chain,
        from: full(&data.sender),
        target: None,
        effects: trace.effects,
        parties: trace.parties,
        memo: None,
        fee: Fee::AtMost(Amount::from(data.gas.budget)),
        gas_limit: None,
        nonce: None,
    }
}

/// What a node says that an object holds.
fn held(input: &Input, facts: Facts<'_>) -> Coin {
    let Input::Owned(object) = input else { return Coin::default() };
    facts.coin_object(&full(&object.id)).map_or_else(Coin::default, |coin| Coin {
        asset: Some(named(coin.coin_type)),
        amount: Some(coin.balance),
    })
}

pub(super) fn named(coin_type: &str) -> Asset {
    if select::same_type(coin_type, NATIVE) {
        Asset::Native
    } else {
        Asset::Token { id: coin_type.to_owned() }
    }
}

impl Trace<'_> {
    /// Notes what a command does and returns the coins it makes.
    fn run(&mut self, command: &Command) -> Vec<Coin> {
        match command {
            Command::SplitCoins { coin, amounts } => return self.split(*coin, amounts),
            Command::MergeCoins { destination, sources } => self.merge(*destination, sources),
            Command::TransferObjects { objects, address } => {
                objects.iter().for_each(|object| self.transfer("TransferObjects", *object, *address, None));
            }
            Command::MoveCall(call) => {
                return super::known::run(self, call).unwrap_or_else(|| self.call(call));
            }
            Command::MakeMoveVec { elements, .. } => return vec![self.gather(elements)],
            Command::Publish(package) => {
                self.effects.push(Effect::Create { value: Amount::ZERO, bytes: package.len() });
            }
            Command::Upgrade { code, package, .. } => {
                let fields = [("package", full(package)), ("bytes", code.len().to_string())];
                self.effects.push(Effect::other("Upgrade", fields));
            }
        }
        Vec::new()
    }

    /// New coins of these amounts, out of one.
    pub(super) fn split(&mut self, from: Argument, amounts: &[Argument]) -> Vec<Coin> {
        let asset = self.asset(from);
        let parts: Vec<Option<u64>> = amounts.iter().map(|amount| self.number(*amount)).collect();
        let taken = sum(parts.iter().copied());
        if let Some(coin) = self.coin(from) {
            coin.amount = coin.amount.zip(taken).and_then(|(held, taken)| held.checked_sub(taken));
        }
        parts.into_iter().map(|amount| Coin { asset: asset.clone(), amount }).collect()
    }

    /// Merging the sender's own coins moves nothing; merging into anything else might.
    pub(super) fn merge(&mut self, destination: Argument, sources: &[Argument]) {
        let own = matches!(self.input(destination), Some(Input::Owned(_)))
            || destination == Argument::GasCoin
            || self.is_made(destination);
        if !own {
            let fields = [("into", self.text(destination)), ("coins", self.list(sources))];
            self.effects.push(Effect::other("MergeCoins", fields));
            if let Some(Input::Shared { id, .. }) = self.input(destination) {
                self.parties.push(Party::new(full(id), PartyRole::Recipient));
            }
        }
        let gathered = self.gather(sources);
        if let Some(coin) = self.coin(destination) {
            // What is merged is of one type, or the network refuses it.
            coin.asset = coin.asset.take().or(gathered.asset);
            coin.amount = sum([coin.amount, gathered.amount].into_iter());
        }
    }

    /// Gives an object away. `kind` is its type, where the command says it.
    pub(super) fn transfer(&mut self, name: &str, object: Argument, to: Argument, kind: Option<&TypeTag>) {
        let (shown, to) = (self.text(object), self.address(to));
        let mut coin = self.take(object);
        if let Some(kind) = kind {
            coin.asset = kind.coin().map(|coin| named(&coin.text()));
        }
        self.pay(name, &shown, coin, to);
    }

    /// A coin goes to an address.
    pub(super) fn pay(&mut self, name: &str, shown: &str, coin: Coin, to: Option<String>) {
        let effect = match (coin, to) {
            (Coin { asset: Some(asset), amount: Some(amount) }, Some(to)) => {
                Effect::Transfer { asset, to, amount: Amount::from(amount) }
            }
            (Coin { amount, .. }, to) => {
                self.parties.extend(to.clone().map(|to| Party::new(to, PartyRole::Recipient)));
                let to = to.unwrap_or_else(|| "an address that is not stated".to_owned());
                let amount = amount.map(|amount| ("units", amount.to_string()));
                Effect::other(name, [("object", shown.to_owned()), ("to", to)].into_iter().chain(amount))
            }
        };
        self.effects.push(effect);
    }

    /// A call of a function that is not known here: it may do anything with what it is given.
    fn call(&mut self, call: &MoveCall) -> Vec<Coin> {
        let name = |index: usize| index.to_string();
        let arguments: Vec<(String, String)> = call
            .arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| (name(index), self.text(*argument)))
            .collect();
        let gas = call.arguments.contains(&Argument::GasCoin);
        let named = call.arguments.iter().filter_map(|argument| self.address(*argument));
        let named: Vec<Party> = named.map(|to| Party::new(to, PartyRole::Destination)).collect();
        self.parties.extend(named);
        let coins: Vec<Coin> = call.arguments.iter().map(|argument| self.take(*argument)).collect();
        let native = coins.iter().filter(|coin| coin.asset == Some(Asset::Native));
        let value = native.clone().filter_map(|coin| coin.amount).map(Amount::from).sum();
        let open = native.clone().any(|coin| coin.amount.is_none());
        let signature = format!("{}::{}{}", call.module, call.function, texts(&call.types));
        let function = Function::Known { signature, arguments };
        self.effects.push(Effect::Call { contract: full(&call.package), value, function });
        if gas || open {
            let what = "how much SUI the call takes".to_owned();
            self.effects.push(Effect::Unknown { what, bytes: 0 });
        }
        Vec::new()
    }

    /// Several coins as one: of one kind, and together so much.
    pub(super) fn gather(&mut self, coins: &[Argument]) -> Coin {
        let coins: Vec<Coin> = coins.iter().map(|coin| self.take(*coin)).collect();
        let asset = coins.first().and_then(|coin| coin.asset.clone());
        let same = coins.iter().all(|coin| coin.asset == asset);
        Coin { asset: asset.filter(|_| same), amount: sum(coins.iter().map(|coin| coin.amount)) }
    }

    /// The coin that an argument is, which is then gone or no longer of a known amount.
    pub(super) fn take(&mut self, argument: Argument) -> Coin {
        let asset = self.asset(argument);
        let amount = self.coin(argument).and_then(|coin| coin.amount.take());
        Coin { asset, amount }
    }

    /// Whether an argument is a coin that an earlier command made.
    fn is_made(&mut self, argument: Argument) -> bool {
        matches!(argument, Argument::Result(_) | Argument::Nested(..)) && self.coin(argument).is_some()
    }

    /// The coin that is an input, or that an earlier command made.
    pub(super) fn coin(&mut self, argument: Argument) -> Option<&mut Coin> {
        let (command, index) = match argument {
            Argument::Result(command) => (command, 0),
            Argument::Nested(command, index) => (command, index),
            Argument::Input(index) => return self.inputs.get_mut(usize::from(index)),
            Argument::GasCoin => return None,
        };
        self.results.get_mut(usize::from(command))?.get_mut(usize::from(index))
    }

    pub(super) fn input(&self, argument: Argument) -> Option<&Input> {
        match argument {
            Argument::Input(index) => self.data.inputs.get(usize::from(index)),
            _ => None,
        }
    }

    /// Of what a coin is. The coin that pays is SUI.
    fn asset(&mut self, argument: Argument) -> Option<Asset> {
        match argument {
            Argument::GasCoin => Some(Asset::Native),
            _ => self.coin(argument)?.asset.clone(),
        }
    }

    /// A value of 64 bits.
    pub(super) fn number(&self, argument: Argument) -> Option<u64> {
        match self.input(argument)? {
            Input::Pure(bytes) => bytes.as_slice().try_into().ok().map(u64::from_le_bytes),
            _ => None,
        }
    }

    /// A value that is an address.
    pub(super) fn address(&self, argument: Argument) -> Option<String> {
        match self.input(argument)? {
            Input::Pure(bytes) => bytes.as_slice().try_into().ok().map(full),
            _ => None,
        }
    }

    /// An argument as a person may read it.
    pub(super) fn text(&self, argument: Argument) -> String {
        match argument {
            Argument::GasCoin => "the gas coin".to_owned(),
            Argument::Input(_) => self.input(argument).map(input_text).unwrap_or_default(),
            Argument::Result(command) | Argument::Nested(command, 0) => self.origin(command),
            Argument::Nested(command, index) => format!("result {index} of command {command}"),
        }
    }

    /// What a command's first result is: a part of a coin, or something that is not known.
    fn origin(&self, command: u16) -> String {
        match self.data.commands.get(usize::from(command)) {
            Some(Command::SplitCoins { coin: coin @ (Argument::GasCoin | Argument::Input(_)), .. }) => {
                format!("a part of {}", self.text(*coin))
            }
            _ => format!("result of command {command}"),
        }
    }

    fn list(&self, arguments: &[Argument]) -> String {
        let texts: Vec<String> = arguments.iter().map(|argument| self.text(*argument)).collect();
        texts.join(", ")
    }
}

/// The bytes of a value do not say its type: 64 bits are shown as a number, everything else in hex.
fn input_text(input: &Input) -> String {
    match input {
        Input::Pure(bytes) => match bytes.as_slice().try_into() {
            Ok(number) => u64::from_le_bytes(number).to_string(),
            Err(_) => {
                let shown = bytes.get(..64).unwrap_or(bytes);
                let more = if shown.len() < bytes.len() { "…" } else { "" };
                format!("0x{}{more}", encoding::hex(shown))
            }
        },
        Input::Owned(object) | Input::Receiving(object) => format!("object {}", full(&object.id)),
        Input::Shared { id, .. } => format!("shared object {}", full(id)),
        Input::Withdrawal(withdrawal) => format!("up to {} {}", withdrawal.maximum, withdrawal.kind.text()),
    }
}

fn withdrawal_effect(withdrawal: &Withdrawal) -> Effect {
    let from = match &withdrawal.from {
        WithdrawFrom::Sender => "sender".to_owned(),
        WithdrawFrom::Sponsor => "sponsor".to_owned(),
        WithdrawFrom::Allowance { funder, .. } => full(funder),
    };
    let amount = withdrawal.maximum.to_string();
    Effect::other("FundsWithdrawal", [("maximum", amount), ("type", withdrawal.kind.text()), ("from", from)])
}

/// A sum is known if every part is.
fn sum(amounts: impl Iterator<Item = Option<u64>>) -> Option<u64> {
    let mut total = 0u64;
    for amount in amounts {
        total = total.checked_add(amount?)?;
    }
    Some(total)
}
