//! Programs are run step by step with balances, and what was said of them before is held against what came out.

use super::*;
use crate::Account;
use crate::address::evm;
use crate::explain::{Asset, Bought};
use crate::facts::Facts;
use crate::signing::PublicKey;
use crate::{Chain, known};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::BTreeMap;

const ROUTER: Address = [
    0x66, 0xa9, 0x89, 0x3c, 0xc0, 0x7d, 0x91, 0xd9, 0x56, 0x44, 0xae, 0xdd, 0x05, 0xd0, 0x3f, 0x95, 0xe1,
    0xdb, 0xa8, 0xaf,
];
const SENDER: Address = [0xaa; 20];
const STRANGER: Address = [0xbb; 20];
const TOKENS: [Address; 2] = [[0x11; 20], [0x22; 20]];

fn constant(number: u8) -> Address {
    let mut address = [0; 20];
    address[19] = number;
    address
}

fn wrapped() -> Address {
    known::wrapped_coin(Chain::Ethereum).unwrap()
}

/// Zero is the coin, as the Universal Router writes it.
fn coin(index: u8) -> Address {
    match index {
        0 => [0; 20],
        1 => wrapped(),
        2 => TOKENS[0],
        _ => TOKENS[1],
    }
}

/// A step with its arguments, and how many more than promised a swap pays or how many fewer it takes.
#[derive(Debug, Clone)]
struct Command {
    step: Step,
    arguments: Vec<(&'static str, Value<'static>)>,
    luck: u64,
}

fn commands_of_all_kinds() -> impl Strategy<Value = Command> {
    let place = prop_oneof![3 => Just(constant(1)), 4 => Just(constant(2)), 1 => Just(STRANGER), 1 => Just(ROUTER), 1 => Just(SENDER)];
    let given = prop_oneof![3 => (1_u64..50).prop_map(Amount::from), 2 => Just(Amount::ONE << 255)];
    let kinds = (0..8_u8, 0..4_u8, 1..4_u8, place, given, any::<bool>(), 0..30_u64, 0..5_u64);
    kinds.prop_map(|(kind, first, second, to, amount, yes, least, luck)| {
        let (to, number) = (("recipient", Value::Address(to)), Value::Number);
        let token = ("token", Value::Address(coin(first)));
        let minimum = ("minimum", number(Amount::from(if yes { 0 } else { least })));
        let (step, arguments) = match kind {
            0..3 => {
                let path = [coin(first.max(1)), coin(second)].map(Value::Address).to_vec();
                let least = number(Amount::from(least));
                let exact = kind == 2;
                let bought = (if exact { "exactOut" } else { "minimumOut" }, least);
                let payer = ("payerIsUser", Value::Bool(yes));
                (
                    Step::Trade,
                    vec![to, ("amount", number(amount)), bought, ("path", Value::List(path)), payer],
                )
            }
            3 => (Step::Wrap, vec![to, ("amount", number(amount))]),
            4 => (Step::Unwrap, vec![to, minimum]),
            5 => (Step::Sweep, vec![token, to, minimum]),
            6 if yes => (Step::Portion, vec![token, to, ("basisPoints", number(Amount::from(least * 100)))]),
            6 => (Step::Pay, vec![token, to, ("amount", number(amount))]),
            _ => (
                Step::Pull,
                vec![
                    ("token", Value::Address(coin(first.max(1)))),
                    to,
                    ("amount", number(Amount::from(least))),
                ],
            ),
        };
        Command { step, arguments, luck }
    })
}

/// Balances of the router, the sender's losses, and what strangers got. `None` where the program fails.
#[derive(Default)]
struct World {
    router: BTreeMap<Address, u128>,
    given: BTreeMap<Address, u128>,
    got: BTreeMap<Address, u128>,
    strangers: bool,
}

impl World {
    fn run(&mut self, command: &Command) -> Option<()> {
        let arguments = Arguments(command.arguments.clone());
        let number = |name| arguments.number(name).and_then(|number| u128::try_from(number).ok());
        let to = arguments.address("recipient")?;
        let token = arguments.address("token");
        let held = |coin: Address, world: &Self| world.router.get(&coin).copied().unwrap_or_default();
        let all = arguments.number("amount") == Some(Amount::ONE << 255);
        let amount =
            |coin: Address, world: &Self| if all { Some(held(coin, world)) } else { number("amount") };
        match command.step {
            Step::Trade => {
                let Some([Value::Address(sell), Value::Address(buy)]) = arguments.list("path") else {
                    return None;
                };
                let of_sender = arguments.first("payerIsUser") == Some(&Value::Bool(true));
                let exact = number("exactOut");
                let most = if all && exact.is_some() { u128::MAX } else { amount(*sell, self)? };
                let luck = u128::from(command.luck);
                let paid = if exact.is_some() { most.min(20).saturating_sub(luck) } else { most };
                if of_sender {
                    *self.given.entry(*sell).or_default() += paid;
                } else {
                    self.take(*sell, paid)?;
                }
                let bought = exact.unwrap_or_else(|| number("minimumOut").unwrap_or_default() + luck);
                self.pay(to, *buy, bought);
            }
            Step::Wrap => {
                let amount = amount([0; 20], self)?;
                self.take([0; 20], amount)?;
                self.pay(to, wrapped(), amount);
            }
            Step::Unwrap => {
                let amount = held(wrapped(), self);
                (amount >= number("minimum")?).then_some(())?;
                self.take(wrapped(), amount)?;
                self.pay(to, [0; 20], amount);
            }
            Step::Sweep => {
                let amount = held(token?, self);
                (amount >= number("minimum")?).then_some(())?;
                self.take(token?, amount)?;
                self.pay(to, token?, amount);
            }
            Step::Portion => {
                let part =
                    held(token?, self) * number("basisPoints").filter(|points| *points <= 10_000)? / 10_000;
                self.take(token?, part)?;
                self.pay(to, token?, part);
            }
            Step::Pay => {
                let amount = amount(token?, self)?;
                self.take(token?, amount)?;
                self.pay(to, token?, amount);
            }
            _ => {
                *self.given.entry(token?).or_default() += number("amount")?;
                self.pay(to, token?, number("amount")?);
            }
        }
        Some(())
    }

    fn take(&mut self, coin: Address, amount: u128) -> Option<()> {
        let held = self.router.entry(coin).or_default();
        *held = held.checked_sub(amount)?;
        Some(())
    }

    fn pay(&mut self, to: Address, coin: Address, amount: u128) {
        let purse = match to {
            to if to == constant(1) || to == SENDER => &mut self.got,
            to if to == constant(2) || to == ROUTER => &mut self.router,
            _ => {
                self.strangers |= amount > 0;
                return;
            }
        };
        *purse.entry(coin).or_default() += amount;
    }
}

fn small(amount: Amount) -> i128 {
    i128::try_from(amount).unwrap_or(i128::MAX)
}

fn address_of(asset: &Asset) -> Address {
    match asset {
        Asset::Native => [0; 20],
        Asset::Token { id } => evm::decode(id).unwrap(),
        Asset::Item { .. } => panic!("no item"),
    }
}

/// The most that the sender loses of a coin, by what is said.
fn loss(effects: &[Effect], coin: Address, sender: &str) -> i128 {
    let mut loss = 0_i128;
    for effect in effects {
        match effect {
            Effect::Transfer { asset, amount, .. } if address_of(asset) == coin => {
                loss = loss.saturating_add(small(*amount));
            }
            Effect::Swap(swap) => {
                if address_of(&swap.sell) == coin {
                    loss = loss.saturating_add(small(swap.amount));
                }
                let here = matches!(&swap.buy, Some(Bought::Here(asset)) if address_of(asset) == coin);
                if here && swap.recipient.as_deref() == Some(sender) {
                    loss = loss.saturating_sub(small(swap.minimum_out.unwrap()));
                }
            }
            _ => {}
        }
    }
    loss
}

fn names_a_stranger(reading: &Reading) -> bool {
    let stranger = evm::encode(&STRANGER);
    let named = |effect: &Effect| match effect {
        Effect::Transfer { to, .. } => *to == stranger,
        Effect::Swap(swap) => swap.recipient.as_ref() == Some(&stranger),
        _ => false,
    };
    reading.effects.iter().any(named) || reading.parties.iter().any(|party| party.address == stranger)
}

/// What is said of a program, and whether all of it was read.
fn read(call: &Call<'_>, program: &[Command]) -> Reading {
    let mut ledger = Ledger::new(call);
    for command in program {
        if run(&mut ledger, call, command.step, &Arguments(command.arguments.clone())).is_none() {
            ledger.reading.whole = false;
        }
    }
    let mut reading = ledger.finish();
    reading.whole &= !reading.effects.iter().any(super::super::call::is_unweighed);
    reading
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5_000))]

    /// Of a program that is read whole, no account loses more than it says, no stranger gets anything unnamed, and nothing is
    /// left in the router.
    #[test]
    fn nothing_is_lost_that_is_not_said(
        program in prop::collection::vec(commands_of_all_kinds(), 1..5), value in prop_oneof![Just(0_u64), 1_u64..50],
    ) {
        let sender = evm::encode(&SENDER);
        let account = Account { chain: Chain::Ethereum, key: PublicKey::Secp256k1([2; 33]), address: sender.clone() };
        let call = Call::new(&account, Facts::default(), ROUTER, Amount::from(value));
        let reading = read(&call, &program);
        let mut world = World::default();
        *world.router.entry([0; 20]).or_default() += u128::from(value);
        *world.given.entry([0; 20]).or_default() += u128::from(value);
        if reading.whole && program.iter().try_for_each(|command| world.run(command)).is_some() {
            prop_assert!(world.router.values().all(|held| *held == 0), "left: {:?} {reading:?}", world.router);
            prop_assert!(!world.strangers || names_a_stranger(&reading), "a stranger: {reading:?}");
            for coin in [0, 1, 2, 3].map(coin) {
                let lost = |purse: &BTreeMap<Address, u128>| purse.get(&coin).copied().unwrap_or_default() as i128;
                let lost = lost(&world.given) - lost(&world.got);
                let said = loss(&reading.effects, coin, &sender);
                prop_assert!(lost <= said, "lost {lost} of {coin:?}, said {said}: {reading:?}");
            }
        }
    }
}

/// Enough programs of that kind are read whole and run to their end for the property above to mean something.
#[test]
fn programs_are_read_whole() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let sender = evm::encode(&SENDER);
    let account = Account { chain: Chain::Ethereum, key: PublicKey::Secp256k1([2; 33]), address: sender };
    let (mut whole, mut longer) = (0, 0);
    for _ in 0..5_000 {
        let program = prop::collection::vec(commands_of_all_kinds(), 1..5);
        let program = program.new_tree(&mut runner).unwrap().current();
        let call = Call::new(&account, Facts::default(), ROUTER, Amount::ZERO);
        let mut world = World::default();
        if read(&call, &program).whole && program.iter().try_for_each(|command| world.run(command)).is_some()
        {
            whole += 1;
            longer += usize::from(program.len() > 1 && world.router.len() > 1);
        }
    }
    assert!(whole > 200 && longer > 10, "{whole} {longer}");
}
