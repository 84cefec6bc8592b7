//! The steps of Uniswap's routers: the functions that `multicall` takes together, and the Universal Router's programs.
//!
//! `execute(bytes commands, bytes[] inputs)`: each byte of `commands` names a step, whose arguments are the input at the
//! same place. The highest bit lets a step fail without the others; the bit below it means nothing to early versions and
//! belongs to the name in later ones.
//!
//! | router | recipient 0 | 1 | 2 | amount that stands for all that the router holds |
//! |---|---|---|---|---|
//! | first of V3, in swaps | the router | | | |
//! | second of V3, in swaps | | the sender | the router | 0 |
//! | Universal Router | | the sender | the router | 2²⁵⁵ |
//!
//! The routers of V3 pay with coins that came with the call where the wrapped coin is sold, if there are enough.
//! Source: Uniswap's documentation and the contracts `SwapRouter`, `SwapRouter02`, `UniversalRouter`.

use super::abi::{Arguments, Signature, Value};
use super::call::{Call, Coin, Reading};
use super::functions::uniswap::COMMANDS;
use super::functions::{self, Meaning, Step};
use super::ledger::{Holder, Ledger};
use super::swap::Trade;
use super::{Address, token};
use crate::Amount;
use crate::explain::Effect;
use crate::known::Protocol;

/// Calls inside of calls are followed so far.
const MAX_DEPTH: u8 = 3;
/// A step that may fail.
const MAY_FAIL: u8 = 0x80;

/// One step as a call of its own.
pub(super) fn single(call: &Call<'_>, step: Step, arguments: &Arguments<'_>) -> Option<Reading> {
    let mut ledger = Ledger::new(call);
    run(&mut ledger, call, step, arguments)?;
    Some(ledger.finish())
}

/// Several functions of the router.
pub(super) fn multicall(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Reading> {
    let mut ledger = Ledger::new(call);
    calls(&mut ledger, call, arguments, 1)?;
    Some(ledger.finish())
}

fn calls(ledger: &mut Ledger<'_>, call: &Call<'_>, arguments: &Arguments<'_>, depth: u8) -> Option<()> {
    let list = arguments.list("calls").filter(|_| depth <= MAX_DEPTH)?;
    for inner in list {
        let Value::Bytes(data) = inner else { return None };
        if let Some(effect) = inner_call(ledger, call, data, depth) {
            ledger.reading.whole = false;
            ledger.reading.effects.push(effect);
        }
    }
    Some(())
}

/// Runs one function, or returns it as a call that is not understood.
fn inner_call(ledger: &mut Ledger<'_>, call: &Call<'_>, data: &[u8], depth: u8) -> Option<Effect> {
    let unknown = || Some(call.unknown(data, Amount::ZERO));
    let Some((selector, input)) = data.split_first_chunk() else { return unknown() };
    let found = functions::find(call.known.map(|known| known.protocol), *selector);
    let Some((meaning, text)) = found else { return unknown() };
    let Some(signature) = Signature::parse(text) else { return unknown() };
    let Some(arguments) = signature.decode(input) else { return unknown() };
    let done = match meaning {
        Meaning::Step(step) => run(ledger, call, step, &arguments),
        Meaning::Multicall => calls(ledger, call, &arguments, depth + 1),
        _ => None,
    };
    done.is_none().then(|| call.named(&signature, &arguments, Amount::ZERO))
}

/// The Universal Router's program.
pub(super) fn commands(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Reading> {
    let commands = arguments.bytes("commands")?;
    let inputs = arguments.list("inputs")?;
    if commands.is_empty() || commands.len() != inputs.len() {
        return None;
    }
    let mut ledger = Ledger::new(call);
    for (command, input) in commands.iter().zip(inputs) {
        let Value::Bytes(input) = input else { return None };
        if let Some(effect) = command_step(&mut ledger, call, *command, input) {
            ledger.reading.whole = false;
            ledger.reading.effects.push(effect);
        }
    }
    Some(ledger.finish())
}

/// Runs one command, or returns it as one that is not understood.
fn command_step(ledger: &mut Ledger<'_>, call: &Call<'_>, command: u8, input: &[u8]) -> Option<Effect> {
    let code = command & !MAY_FAIL;
    let unknown = || {
        Some(Effect::Unknown { what: format!("Universal Router command 0x{code:02x}"), bytes: input.len() })
    };
    let Some((_, Meaning::Step(step), text)) = COMMANDS.iter().find(|(found, ..)| *found == u32::from(code))
    else {
        return unknown();
    };
    let Some(signature) = Signature::parse(text) else { return unknown() };
    let Some(arguments) = signature.decode(input) else { return unknown() };
    // What follows a step that may fail cannot be relied on; a permit that fails leaves everything as it was.
    let certain = command & MAY_FAIL == 0 || matches!(step, Step::Permit | Step::Check);
    let done = if certain { run(ledger, call, *step, &arguments) } else { None };
    let name = text.split('(').next().unwrap_or_default();
    done.is_none().then(|| Effect::Other { name: name.to_owned(), fields: arguments.shown() })
}

/// Whose words a router's arguments are in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Dialect {
    First,
    Second,
    Universal,
}

impl Dialect {
    fn of(call: &Call<'_>) -> Option<Self> {
        Some(match call.known?.protocol {
            Protocol::UniswapV3Router => Self::First,
            Protocol::UniswapV3Router02 => Self::Second,
            Protocol::UniversalRouterV1 | Protocol::UniversalRouter | Protocol::UniversalRouterV2_1 => {
                Self::Universal
            }
            _ => return None,
        })
    }

    /// Some addresses stand for the sender or the router: in swaps, and in the Universal Router everywhere.
    fn holder(self, call: &Call<'_>, step: Step, address: Address) -> Holder {
        let constant = match address {
            [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, constant] => Some(constant),
            _ => None,
        };
        match (self, constant) {
            (Self::First, Some(0)) if step == Step::Trade => Holder::Router,
            (Self::Second, Some(1)) if step == Step::Trade => Holder::Sender,
            (Self::Second, Some(2)) if step == Step::Trade => Holder::Router,
            (Self::Universal, Some(1)) => Holder::Sender,
            (Self::Universal, Some(2)) => Holder::Router,
            _ if address == call.contract => Holder::Router,
            _ if call.is_sender(&address) => Holder::Sender,
            _ => Holder::Other(address),
        }
    }

    /// The amount, or `None` for all that the router holds.
    fn amount(self, amount: Amount) -> Option<Amount> {
        let all = match self {
            Self::First => None,
            Self::Second => Some(Amount::ZERO),
            Self::Universal => Some(Amount::ONE << 255),
        };
        Some(amount).filter(|amount| Some(*amount) != all)
    }
}

/// Runs one step; `None` where it is not understood.
fn run(ledger: &mut Ledger<'_>, call: &Call<'_>, step: Step, arguments: &Arguments<'_>) -> Option<()> {
    let dialect = Dialect::of(call)?;
    let to = arguments.address("recipient").map(|address| dialect.holder(call, step, address));
    let coin = || arguments.address("token").map(|token| token_of(dialect, token));
    let number = |name| arguments.number(name);
    match step {
        Step::Trade => return trade(ledger, call, dialect, arguments, to?),
        Step::Pull => pull(ledger, coin()?, number("amount")?, to.unwrap_or(Holder::Router)),
        Step::Wrap => {
            let amount = if dialect == Dialect::Universal {
                dialect.amount(number("amount")?)
            } else {
                number("amount")
            };
            return ledger.wrap(amount, call.wrapped()?, to.unwrap_or(Holder::Router));
        }
        Step::Unwrap => {
            let wrapped = Coin::Token(call.wrapped()?);
            return swept(ledger, wrapped, Coin::Native, arguments, to.unwrap_or(Holder::Sender));
        }
        Step::Sweep => return swept(ledger, coin()?, coin()?, arguments, to.unwrap_or(Holder::Sender)),
        Step::Refund => ledger.sweep(Coin::Native, Coin::Native, Amount::ZERO, Holder::Sender),
        Step::Portion => return ledger.portion(coin()?, number("basisPoints")?, to?),
        Step::Pay => match dialect.amount(number("amount")?) {
            Some(amount) => return ledger.pay(coin()?, amount, to?),
            None => ledger.sweep(coin()?, coin()?, Amount::ZERO, to?),
        },
        Step::Permit => ledger.reading.effects.extend(token::approvals(call, arguments)?),
        Step::Check => {}
    }
    Some(())
}

/// The Universal Router writes zero for the coin.
fn token_of(dialect: Dialect, token: Address) -> Coin {
    if dialect == Dialect::Universal && token == [0; 20] { Coin::Native } else { Coin::Token(token) }
}

fn pull(ledger: &mut Ledger<'_>, coin: Coin, amount: Amount, to: Holder) {
    match to {
        Holder::Router => ledger.give(coin, amount),
        Holder::Sender => {}
        Holder::Other(address) => {
            let to = crate::address::evm::encode(&address);
            ledger.reading.effects.push(Effect::Transfer { asset: coin.asset(), to, amount });
        }
    }
}

/// The minimum is that of the whole, before a fee is taken.
fn swept(
    ledger: &mut Ledger<'_>,
    coin: Coin,
    becomes: Coin,
    arguments: &Arguments<'_>,
    to: Holder,
) -> Option<()> {
    let minimum = arguments.number("minimum")?;
    if let Some(payee) = arguments.address("feePayee") {
        ledger.sweep(coin, coin, minimum, Holder::Router);
        ledger.portion(coin, arguments.number("basisPoints")?, Holder::Other(payee))?;
        ledger.sweep(coin, becomes, Amount::ZERO, to);
    } else {
        ledger.sweep(coin, becomes, minimum, to);
    }
    Some(())
}

fn trade(
    ledger: &mut Ledger<'_>,
    call: &Call<'_>,
    dialect: Dialect,
    arguments: &Arguments<'_>,
    to: Holder,
) -> Option<()> {
    let Trade {
        sell: Coin::Token(sell),
        amount: Some(amount),
        buy: Some(buy),
        least: Some(least),
        exact_out,
    } = Trade::read(call, arguments)?
    else {
        return None;
    };
    // A limit of the price may stop a swap half way: what is bought is then less, and what was paid in is left.
    let limited = arguments.number("sqrtPriceLimitX96").is_some_and(|limit| !limit.is_zero());
    let least = if exact_out && limited { Amount::ZERO } else { least };
    let (bought, leaves) = ((buy, least), exact_out || limited);
    let given = if exact_out { Some(amount) } else { dialect.amount(amount) };
    let coin = Coin::Token(sell);
    if dialect == Dialect::Universal {
        // Zero is what is paid already, to a pool: not something that the router or the sender holds.
        return match arguments.first("payerIsUser")? {
            _ if amount.is_zero() => None,
            Value::Bool(true) => {
                ledger.sell(coin, given?, buy, least, to);
                Some(())
            }
            _ => ledger.trade((coin, given), bought, to, leaves),
        };
    }
    let takes_coins = Some(sell) == call.wrapped() && !ledger.coins().is_zero();
    match given {
        // Which of the two the router takes cannot be told.
        None if takes_coins => None,
        Some(amount) if takes_coins && ledger.coins() < amount => None,
        Some(amount) if takes_coins => ledger.trade((Coin::Native, Some(amount)), bought, to, leaves),
        None => ledger.trade((coin, None), bought, to, leaves),
        Some(amount) => {
            ledger.sell(coin, amount, buy, least, to);
            Some(())
        }
    }
}

#[cfg(test)]
mod tests;
