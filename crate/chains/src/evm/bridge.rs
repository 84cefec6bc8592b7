//! What goes to another chain: which chain, to whom there, and how much of it arrives at least.

use super::Address;
use super::abi::{Arguments, Value};
use super::call::{Call, Coin, Reading};
use super::swap::{has_unread, is_covered};
use crate::address::{cosmos, evm, solana, tron};
use crate::explain::{Bought, Effect, Party, PartyRole, Swap};
use crate::known::{self, BridgedAsset, Protocol};
use crate::{Amount, Chain, Kind, encoding};

/// What LI.FI writes where the receiver is not on an EVM chain.
const NOT_EVM: Address = [
    0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11, 0xf1, 0x11,
    0xf1, 0x11, 0xf1,
];

/// Chains that have no number of Ethereum's kind, and what bridges write for them.
/// LI.FI's documentation of its chains; Across' documentation of its chain ids.
const NUMBERED: &[(u64, Chain)] = &[
    (1_151_111_081_099_710, Chain::Solana),
    (34_268_394_551_451, Chain::Solana),
    (728_126_428, Chain::Tron),
];

/// Options of LayerZero's third kind.
const OPTIONS: &[u8] = &[0x00, 0x03];
/// One option: gas for the executor's call, 16 bytes of it.
const GAS: &[u8] = &[0x01, 0x00, 0x11, 0x01];

/// A bridge that takes what the call or our table says.
pub(super) fn read(call: &Call<'_>, arguments: &Arguments<'_>) -> Option<Reading> {
    let amount = arguments.number("amount").or_else(|| arguments.number("sent"))?;
    let sell = match (arguments.address("sell"), arguments.account("sell32")) {
        (None, None) => match known::pool_token(call.account.chain, &call.contract)? {
            BridgedAsset::Native => Coin::Native,
            BridgedAsset::Token(token) => Coin::Token(token),
        },
        (token, long) => token.or_else(|| short(long?)).map(|token| sold(call, token, amount))?,
    };
    let mut reading = cross(call, arguments, sell, amount)?;
    // What LI.FI takes must be what the bridge behind it is told to send.
    reading.whole &= arguments.number("sent").is_none_or(|sent| sent == amount);
    Some(reading)
}

/// A bridge that takes what the swaps before it end in.
pub(super) fn after_swaps(
    call: &Call<'_>,
    arguments: &Arguments<'_>,
    sell: Coin,
    amount: Amount,
) -> Option<Reading> {
    let mut reading = cross(call, arguments, sell, amount)?;
    // How much goes over the bridge is known only when it happens.
    reading.whole &= arguments.first("sent").is_none();
    if let Some(Effect::Swap(swap)) = reading.effects.first_mut() {
        swap.minimum_out = None;
    }
    Some(reading)
}

/// Zero is the coin. Across takes the coin for its wrapped form, if as much of it comes with the call.
fn sold(call: &Call<'_>, token: Address, amount: Amount) -> Coin {
    let takes_coin = call.known.is_some_and(|known| known.protocol == Protocol::AcrossSpokePool)
        && Some(token) == call.wrapped()
        && call.value == amount;
    if takes_coin || token == [0; 20] { Coin::Native } else { Coin::Token(token) }
}

fn cross(call: &Call<'_>, arguments: &Arguments<'_>, sell: Coin, amount: Amount) -> Option<Reading> {
    let (place, chain) = destination(arguments)?;
    let recipient = recipient(chain, arguments)?;
    let bought =
        arguments.address("buyThere").map(|buy| abi_word(&buy)).or_else(|| arguments.account("buyThere32"));
    let asset = bought.filter(|buy| *buy != [0; 32]).and_then(|buy| account(chain?, &buy));
    let fee = arguments.number("maxFee").unwrap_or_default();
    let burnt = arguments.first("destinationDomain").map(|_| amount.saturating_sub(fee));
    let swap = Swap {
        buy: Some(Bought::Elsewhere { place, asset }),
        minimum_out: arguments.number("minimumOut").or(burnt),
        recipient: Some(recipient.text),
        ..call.swap(sell, amount)
    };
    let mut reading = Reading::whole(vec![Effect::Swap(swap)]);
    reading.whole =
        chain.is_some() && recipient.whole && is_covered(call, sell, amount) && !has_unread(call, arguments);
    let refund = arguments.address("refundAddress");
    reading.party(refund.or_else(|| short(arguments.account("refundAddress32")?)), PartyRole::Refund);
    let caller = arguments.account("destinationCaller").filter(|caller| *caller != [0; 32]);
    let caller =
        caller.map(|caller| chain.and_then(|chain| account(chain, &caller)).unwrap_or_else(|| long(&caller)));
    reading.parties.extend(caller.map(|caller| Party::new(caller, PartyRole::Authority)));
    Some(reading)
}

/// The chain's name, or its number where it is none of ours.
fn destination(arguments: &Arguments<'_>) -> Option<(String, Option<Chain>)> {
    let small = |name| arguments.number(name).and_then(|number| u32::try_from(number).ok());
    let told = |chain: Option<Chain>, what: &str, number: String| {
        (chain.map_or_else(|| format!("{what} {number}"), |chain| chain.to_string()), chain)
    };
    let numbered = arguments.number("destinationChainId").map(|id| {
        let known = u64::try_from(id).ok().and_then(|id| {
            let other = NUMBERED.iter().find(|(number, _)| *number == id).map(|(_, chain)| *chain);
            Chain::from_evm_id(id).or(other)
        });
        told(known, "chain", id.to_string())
    });
    if let Some(eid) = small("destinationEid") {
        let (place, chain) = told(known::layerzero_chain(eid), "LayerZero endpoint", eid.to_string());
        // LI.FI states the chain too; what the bridge is told is where it goes.
        let agree = numbered.is_none_or(|(_, stated)| stated == chain);
        return Some((place, chain.filter(|_| agree)));
    }
    if let Some(domain) = small("destinationDomain") {
        return Some(told(known::cctp_domain_chain(domain), "CCTP domain", domain.to_string()));
    }
    numbered
}

/// Who receives on the other chain.
struct Recipient {
    text: String,
    /// Whether it is an account there for certain.
    whole: bool,
}

fn recipient(chain: Option<Chain>, arguments: &Arguments<'_>) -> Option<Recipient> {
    let other = arguments.account("nonEVMReceiver").or_else(|| arguments.account("receiverAddress"));
    let long_form = |word: [u8; 32]| {
        let found = chain.and_then(|chain| account(chain, &word));
        Recipient { whole: found.is_some(), text: found.unwrap_or_else(|| long(&word)) }
    };
    let stated = arguments.account("recipient32");
    match arguments.address("recipient") {
        Some(NOT_EVM) => other.or(stated).map(long_form),
        Some(short) => {
            // A second place that names the recipient must agree; one bridge writes the address at the other end.
            let (mut padded, front) = ([0; 32], abi_word(&short));
            if let Some(place) = padded.first_chunk_mut() {
                *place = short;
            }
            let agrees = |word: &[u8; 32]| *word == [0; 32] || *word == front || *word == padded;
            let whole = other.iter().chain(&stated).all(agrees)
                && chain.is_none_or(|chain| chain.kind() == Kind::Evm);
            Some(Recipient { text: evm::encode(&short), whole })
        }
        None => stated.map(long_form),
    }
}

/// An account in 32 bytes, as its chain spells it.
fn account(chain: Chain, word: &[u8; 32]) -> Option<String> {
    match chain.kind() {
        Kind::Evm => short(*word).map(|address| evm::encode(&address)),
        Kind::Tron => short(*word).map(|address| tron::encode(&address)),
        Kind::Cosmos => cosmos::encode(chain.bech32_hrp()?, &short(*word)?).ok(),
        Kind::Solana => Some(solana::encode(word)),
        Kind::Sui => Some(long(word)),
        _ => None,
    }
}

/// The account in the last twenty bytes, if the others are zero.
fn short(word: [u8; 32]) -> Option<Address> {
    let (padding, address) = word.split_first_chunk::<12>()?;
    (*padding == [0; 12]).then(|| address.try_into().ok()).flatten()
}

fn long(word: &[u8; 32]) -> String {
    format!("0x{}", encoding::hex(word))
}

fn abi_word(address: &Address) -> [u8; 32] {
    super::abi::word(address)
}

/// Whether options ask for nothing but gas at the other end. Others drop coins there, or call something.
pub(super) fn only_gas(options: &[u8]) -> bool {
    if options.is_empty() {
        return true;
    }
    let Some(list) = options.strip_prefix(OPTIONS) else { return false };
    list.chunks(GAS.len() + 16).all(|option| option.len() == GAS.len() + 16 && option.starts_with(GAS))
}

/// Whether a command asks for nothing: none is there, or that of Stargate to wait for others and go together.
pub(super) fn is_plain(call: &Call<'_>, command: &[u8]) -> bool {
    let waits = call.known.is_some_and(|known| {
        matches!(known.protocol, Protocol::StargatePool | Protocol::StargateOft | Protocol::LiFiDiamond)
    });
    command.is_empty() || (waits && *command == [0])
}

impl Arguments<'_> {
    /// An argument of 32 bytes.
    fn account(&self, name: &str) -> Option<[u8; 32]> {
        match self.first(name) {
            Some(Value::Bytes(bytes)) => (*bytes).try_into().ok(),
            _ => None,
        }
    }
}
