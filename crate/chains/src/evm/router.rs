//! Swaps over routers, and the Universal Router's programs.
//!
//! `execute(bytes commands, bytes[] inputs)`: each byte of `commands` names a step, whose arguments are the input at the
//! same place. The highest bit lets a step fail, the lowest six name it.
//! Source: Uniswap's documentation of the Universal Router.

use super::abi::{Arguments, Signature, Value};
use super::call::Call;
use super::functions::Meaning;
use super::swaps::UNISWAP_V3;
use super::{Address, Amount};
use crate::Chain;
use crate::address::evm;
use crate::explain::{Asset, Bought, Effect, Swap};

/// What aggregators write for the native coin; others write zeros.
const NATIVE: Address = [0xee; 20];

/// What LI.FI writes where the receiver is not on an EVM chain.
const NOT_EVM: Address = [
    0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11,
    0xf1, 0x11, 0xf1,
];

/// The steps of a program that are understood.
const COMMANDS: &[(u8, Meaning, &str)] = &[
    (
        0x00,
        Meaning::Swap(UNISWAP_V3),
        "V3_SWAP_EXACT_IN(address recipient,uint256 amount,uint256 minimumOut,bytes path,bool payerIsUser)",
    ),
    (
        0x01,
        Meaning::Swap(UNISWAP_V3),
        "V3_SWAP_EXACT_OUT(address recipient,uint256 minimumOut,uint256 amount,bytes pathBackwards,\
         bool payerIsUser)",
    ),
    (0x02, Meaning::Transfer, "PERMIT2_TRANSFER_FROM(address token,address to,uint160 amount)"),
    (0x04, Meaning::Call, "SWEEP(address token,address recipient,uint256 minimum)"),
    (0x05, Meaning::Call, "TRANSFER(address token,address recipient,uint256 amount)"),
    (0x06, Meaning::Call, "PAY_PORTION(address token,address recipient,uint256 basisPoints)"),
    (
        0x08,
        Meaning::Swap("Uniswap V2"),
        "V2_SWAP_EXACT_IN(address recipient,uint256 amount,uint256 minimumOut,address[] path,bool payerIsUser)",
    ),
    (
        0x09,
        Meaning::Swap("Uniswap V2"),
        "V2_SWAP_EXACT_OUT(address recipient,uint256 minimumOut,uint256 amount,address[] path,bool payerIsUser)",
    ),
    (
        0x0a,
        Meaning::Approve,
        "PERMIT2_PERMIT(((address token,uint160 amount,uint48 expiration,uint48 nonce) details,address spender,\
         uint256 sigDeadline) permitSingle,bytes signature)",
    ),
    (0x0b, Meaning::Call, "WRAP_ETH(address recipient,uint256 amount)"),
    (0x0c, Meaning::Call, "UNWRAP_WETH(address recipient,uint256 minimum)"),
];

/// What a program does, step by step.
pub(super) fn commands(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Vec<Effect>> {
    let commands = arguments.bytes("commands")?;
    let inputs = arguments.list("inputs")?;
    if commands.is_empty() || commands.len() != inputs.len() {
        return None;
    }
    let step = |(command, input): (&u8, &Value<'_>)| match input {
        Value::Bytes(input) => Some(command_effects(call, command & 0x3f, input)),
        _ => None,
    };
    let effects: Option<Vec<Vec<Effect>>> = commands.iter().zip(inputs).map(step).collect();
    Some(effects?.concat())
}

fn command_effects(call: &Call<'_>, command: u8, input: &[u8]) -> Vec<Effect> {
    known_command(call, command, input).unwrap_or_else(|| {
        vec![Effect::Unknown {
            what: format!("Universal Router command 0x{command:02x}"),
            bytes: input.len(),
        }]
    })
}

fn known_command(call: &Call<'_>, command: u8, input: &[u8]) -> Option<Vec<Effect>> {
    let (_, meaning, text) = COMMANDS.iter().find(|(code, ..)| *code == command)?;
    let signature = Signature::parse(text)?;
    let arguments = signature.decode(input)?;
    call.meaning(*meaning, &arguments).or_else(|| {
        let name = text.split('(').next().unwrap_or_default().to_owned();
        Some(vec![Effect::Other { name, fields: arguments.shown() }])
    })
}

/// A swap from its arguments, found by name.
pub(super) fn swap(call: &Call<'_>, provider: &'static str, arguments: &Arguments<'_>) -> Option<Effect> {
    let (first, last) = ends(arguments);
    let asset = |token: Address| if is_native(&token) { Asset::Native } else { token_of(&token) };
    let packed = |name| arguments.number(name).map(unpack);
    let token = arguments.address("sell").or_else(|| packed("sellPacked")).or(first);
    let amount = arguments.number("amount").unwrap_or(call.value);
    let wrapped = provider == UNISWAP_V3 && amount == call.value && !call.value.is_zero();
    let sell = if wrapped { Asset::Native } else { token.map_or(Asset::Native, asset) };
    let buy = match arguments.last("buy") {
        Some(Value::Address(token)) => Some(*token),
        _ => last,
    };
    let buy = buy.map(|token| Bought::Here(asset(token)));
    let recipient = arguments.address("recipient").or_else(|| packed("recipientPacked"));
    Some(Effect::Swap(Swap {
        provider: Some(provider),
        router: evm::encode(&call.contract),
        sell,
        amount,
        buy: destination(arguments).or(buy),
        minimum_out: arguments.number("minimumOut"),
        recipient: recipient.and_then(|recipient| self::recipient(call, recipient)),
    }))
}

/// The first and the last token of a path; `None` at an end that is the native coin or that no path names.
fn ends(arguments: &Arguments<'_>) -> (Option<Address>, Option<Address>) {
    let listed = |name| {
        let list = arguments.list(name)?;
        let token = |value: Option<&Value<'_>>| match value {
            Some(Value::Address(token)) => Some(*token),
            _ => None,
        };
        Some((token(list.first()), token(list.last())))
    };
    if let Some(ends) = listed("path") {
        return ends;
    }
    if let Some((_, last)) = listed("pathFromNative") {
        return (None, last);
    }
    if let Some((first, _)) = listed("pathToNative") {
        return (first, Some(NATIVE));
    }
    // Token, fee of three bytes, token, …
    let packed = |name| {
        let path = arguments.bytes(name)?;
        (path.len() % 23 == 20).then_some((path.first_chunk().copied(), path.last_chunk().copied()))
    };
    let backwards = || packed("pathBackwards").map(|(first, last)| (last, first));
    packed("path").or_else(backwards).unwrap_or_default()
}

/// Where a bridge ends; which token is paid out there is not said in a form that all bridges share.
fn destination(arguments: &Arguments<'_>) -> Option<Bought> {
    let id = arguments.number("destinationChainId")?;
    let chain = u64::try_from(id).ok().and_then(Chain::from_evm_id);
    let place = chain.map_or_else(|| format!("chain {id}"), |chain| chain.to_string());
    Some(Bought::Elsewhere { place, asset: None })
}

/// Routers write 1 for the sender, 2 for themselves, and zero for one of the two.
fn recipient(call: &Call<'_>, address: Address) -> Option<String> {
    match u64::try_from(Amount::try_from_be_slice(&address)?) {
        Ok(0) => None,
        Ok(1) => Some(call.account.address.clone()),
        Ok(2) => Some(evm::encode(&call.contract)),
        _ => (address != NOT_EVM).then(|| evm::encode(&address)),
    }
}

fn is_native(token: &Address) -> bool {
    *token == NATIVE || *token == [0; 20]
}

fn token_of(token: &Address) -> Asset {
    Asset::Token { id: evm::encode(token) }
}

/// The address in the low bytes of a number whose high bytes carry flags.
fn unpack(number: Amount) -> Address {
    let bytes: [u8; 32] = number.to_be_bytes();
    bytes.last_chunk().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_command_can_be_read() {
        for (code, _, text) in COMMANDS {
            assert!(Signature::parse(text).is_some(), "0x{code:02x}");
        }
    }
}
