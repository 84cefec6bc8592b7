//! What the commands of a transaction do, as far as its bytes tell.
//!
//! Coins are followed through splits and merges. An amount is stated only while nothing could have changed it: a call
//! may take any part of a coin it is given, and a result of a call may be anything.

use super::command::{Argument, Command, MoveCall};
use super::data::{Input, WithdrawFrom, Withdrawal, full};
use super::type_tag::texts;
use super::{NATIVE, Programmable, select};
use crate::explain::{Asset, Effect, Explanation, Fee, Function};
use crate::transaction::Account;
use crate::{Amount, encoding};

/// A coin that a command made.
#[derive(Debug, Clone, Default)]
struct Coin {
    /// Which, where it can be seen.
    asset: Option<Asset>,
    /// How much, where it can be seen.
    amount: Option<u64>,
}

/// Follows coins through the commands.
struct Trace<'a> {
    transaction: &'a Programmable,
    /// What each command made.
    results: Vec<Vec<Coin>>,
    effects: Vec<Effect>,
}

pub(super) fn explain(transaction: &Programmable, account: &Account) -> Explanation {
    let mut trace = Trace { transaction, results: Vec::new(), effects: Vec::new() };
    let data = &transaction.data;
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
        parties: Vec::new(),
        memo: None,
        fee: Fee::AtMost(Amount::from(data.gas.budget)),
        gas_limit: None,
        nonce: None,
    }
}

impl Trace<'_> {
    /// Notes what a command does and returns the coins it makes.
    fn run(&mut self, command: &Command) -> Vec<Coin> {
        match command {
            Command::SplitCoins { coin, amounts } => return self.split(*coin, amounts),
            Command::MergeCoins { destination, sources } => self.merge(*destination, sources),
            Command::TransferObjects { objects, address } => {
                let to = self.address(*address);
                objects.iter().for_each(|object| self.transfer(*object, to.as_deref()));
            }
            Command::MoveCall(call) => self.call(call),
            Command::MakeMoveVec { elements, .. } => {
                let coins: Vec<Coin> = elements.iter().map(|element| self.take(*element)).collect();
                let asset = coins.first().and_then(|coin| coin.asset.clone());
                let same = coins.iter().all(|coin| coin.asset == asset);
                return vec![Coin {
                    asset: asset.filter(|_| same),
                    amount: sum(coins.iter().map(|coin| coin.amount)),
                }];
            }
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

    fn split(&mut self, from: Argument, amounts: &[Argument]) -> Vec<Coin> {
        let asset = self.asset(from);
        let parts: Vec<Option<u64>> = amounts.iter().map(|amount| self.number(*amount)).collect();
        let taken = sum(parts.iter().copied());
        if let Some(coin) = self.made(from) {
            coin.amount = coin.amount.zip(taken).and_then(|(held, taken)| held.checked_sub(taken));
        }
        parts.into_iter().map(|amount| Coin { asset: asset.clone(), amount }).collect()
    }

    /// Merging the sender's own coins moves nothing; merging into anything else might.
    fn merge(&mut self, destination: Argument, sources: &[Argument]) {
        let coins: Vec<Coin> = sources.iter().map(|source| self.take(*source)).collect();
        if let Some(coin) = self.made(destination) {
            coin.amount = sum(coins.iter().map(|coin| coin.amount).chain([coin.amount]));
            return;
        }
        if !matches!(self.input(destination), Some(Input::Owned(_))) && destination != Argument::GasCoin {
            let fields = [("into", self.text(destination)), ("coins", self.list(sources))];
            self.effects.push(Effect::other("MergeCoins", fields));
        }
    }

    fn transfer(&mut self, object: Argument, to: Option<&str>) {
        let text = self.text(object);
        let coin = self.take(object);
        let effect = match (coin, to) {
            (Coin { asset: Some(asset), amount: Some(amount) }, Some(to)) => {
                Effect::Transfer { asset, to: to.to_owned(), amount: Amount::from(amount) }
            }
            (_, to) => {
                let to = to.unwrap_or("an address that is not stated").to_owned();
                Effect::other("TransferObjects", [("object", text), ("to", to)])
            }
        };
        self.effects.push(effect);
    }

    fn call(&mut self, call: &MoveCall) {
        let name = |index: usize| index.to_string();
        let arguments: Vec<(String, String)> = call
            .arguments
            .iter()
            .enumerate()
            .map(|(index, argument)| (name(index), self.text(*argument)))
            .collect();
        let gas = call.arguments.contains(&Argument::GasCoin);
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
    }

    /// The coin that an argument is, which is then gone or no longer of a known amount.
    fn take(&mut self, argument: Argument) -> Coin {
        let asset = self.asset(argument);
        let amount = self.made(argument).and_then(|coin| coin.amount.take());
        Coin { asset, amount }
    }

    /// The coin that an earlier command made.
    fn made(&mut self, argument: Argument) -> Option<&mut Coin> {
        let (command, index) = match argument {
            Argument::Result(command) => (command, 0),
            Argument::Nested(command, index) => (command, index),
            Argument::GasCoin | Argument::Input(_) => return None,
        };
        self.results.get_mut(usize::from(command))?.get_mut(usize::from(index))
    }

    fn input(&self, argument: Argument) -> Option<&Input> {
        match argument {
            Argument::Input(index) => self.transaction.data.inputs.get(usize::from(index)),
            _ => None,
        }
    }

    /// Of what a coin is. A reference to an object does not say; the payload may.
    fn asset(&mut self, argument: Argument) -> Option<Asset> {
        match argument {
            Argument::GasCoin => Some(Asset::Native),
            Argument::Input(_) => match self.input(argument)? {
                Input::Owned(object) => {
                    let known = self.transaction.coin_types.iter().find(|(id, _)| *id == object.id);
                    Some(match known {
                        Some((_, kind)) if select::same_type(kind, NATIVE) => Asset::Native,
                        Some((_, kind)) => Asset::Token { id: kind.clone() },
                        None => Asset::Token { id: format!("coin object {}", full(&object.id)) },
                    })
                }
                _ => None,
            },
            Argument::Result(_) | Argument::Nested(..) => self.made(argument)?.asset.clone(),
        }
    }

    /// A value of 64 bits.
    fn number(&self, argument: Argument) -> Option<u64> {
        match self.input(argument)? {
            Input::Pure(bytes) => bytes.as_slice().try_into().ok().map(u64::from_le_bytes),
            _ => None,
        }
    }

    /// A value that is an address.
    fn address(&self, argument: Argument) -> Option<String> {
        match self.input(argument)? {
            Input::Pure(bytes) => bytes.as_slice().try_into().ok().map(full),
            _ => None,
        }
    }

    /// An argument as a person may read it.
    fn text(&self, argument: Argument) -> String {
        match argument {
            Argument::GasCoin => "the gas coin".to_owned(),
            Argument::Input(_) => self.input(argument).map(input_text).unwrap_or_default(),
            Argument::Result(command) => format!("result of command {command}"),
            Argument::Nested(command, index) => format!("result {index} of command {command}"),
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
