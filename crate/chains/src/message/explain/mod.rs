//! What a message allows, in the effects and parties of transactions.
//!
//! A meaning is taken from the exact `encodeType` of the signed struct, which is what a contract compares, and from the
//! contract that accepts it: a struct of the same name with other members is unknown, and so is the right one for a
//! contract that is not in our table where the meaning depends on the contract. What is unknown warns.

mod orders;
mod others;
mod permits;

use super::sign_in::{self, Reading};
use super::text::visible;
use super::typed::{TypedData, Value};
use super::{Body, Message};
use crate::address::evm;
use crate::explain::{Asset, Effect, Explanation, Fee, Party, PartyRole};
use crate::facts::{Facts, Wanted};
use crate::known::{self, KnownContract, Protocol};
use crate::transaction::Account;
use crate::{Amount, encoding};
use wire::api::Millis;
use wire::message::{MessageDomain, MessageKind, MessageNotice, SignIn};
use wire::policy::ReasonCode;

/// What a permit allows may last so long: the usual thirty days, and a little.
const LONG_PERMIT: Millis = 35 * 86_400_000;
/// An order may stand so long: the usual half a year, and a little.
const LONG_ORDER: Millis = 190 * 86_400_000;
/// The end of the year 9999 stands for no end.
const NO_END: Millis = 253_402_300_799_000;

/// What a message allows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explained {
    /// What it is.
    pub kind: MessageKind,
    /// What it does.
    pub explanation: Explanation,
    /// The message as a person reads it.
    pub text: Option<String>,
    /// The domain of typed data.
    pub domain: Option<MessageDomain>,
    /// The name of the signed struct.
    pub primary_type: Option<String>,
    /// The sign-in that it is.
    pub sign_in: Option<SignIn>,
    /// Every field of typed data by its path.
    pub fields: Vec<(String, String)>,
    /// Until when what it allows holds.
    pub until: Option<Millis>,
    /// What warns.
    pub notices: Vec<MessageNotice>,
    /// What the explanation needs from nodes, besides the names of tokens.
    pub wanted: Vec<Wanted>,
}

/// Typed data whose meaning is looked for.
struct Case<'a> {
    data: &'a TypedData,
    account: &'a Account,
    facts: Facts<'a>,
    /// The contract that accepts the signature.
    contract: [u8; 20],
    /// What our table says of it.
    known: Option<KnownContract>,
}

/// A meaning.
struct Meaning {
    kind: MessageKind,
    effects: Vec<Effect>,
    parties: Vec<Party>,
    /// Until when it holds.
    until: Option<Millis>,
    notices: Vec<MessageNotice>,
    wanted: Vec<Wanted>,
}

impl Meaning {
    const fn new(kind: MessageKind, effects: Vec<Effect>, until: Option<Millis>) -> Self {
        Self { kind, effects, parties: Vec::new(), until, notices: Vec::new(), wanted: Vec::new() }
    }

    fn party(mut self, address: [u8; 20], role: PartyRole) -> Self {
        if address != [0; 20] {
            self.parties.push(Party::new(evm::encode(&address), role));
        }
        self
    }
}

impl Case<'_> {
    fn is_own(&self, address: [u8; 20]) -> bool {
        evm::encode(&address) == self.account.address
    }

    /// The contract in a spelling of ours.
    fn here(&self) -> String {
        evm::encode(&self.contract)
    }

    /// The contract's name, if it is of this protocol.
    fn known_as(&self, protocol: Protocol) -> Option<&'static str> {
        self.known.filter(|known| known.protocol == protocol).map(|known| known.name)
    }
}

/// Reads a struct; `None` where it means something else here.
type Reader = fn(&Case<'_>, &Value) -> Option<Meaning>;

fn token(address: [u8; 20]) -> Asset {
    Asset::Token { id: evm::encode(&address) }
}

/// A time in seconds as milliseconds; what no calendar has is no end.
fn millis(seconds: Amount) -> Millis {
    u64::try_from(seconds)
        .ok()
        .and_then(|seconds| seconds.checked_mul(1000))
        .map_or(NO_END, |end| end.min(NO_END))
}

pub(super) fn explain(message: &Message, now: Millis, facts: Facts<'_>) -> Explained {
    match &message.body {
        Body::Typed(data) => typed(data, &message.account, now, facts),
        Body::Bytes { bytes, reading } => plain(message, bytes, reading, now),
    }
}

fn explanation(account: &Account, effects: Vec<Effect>, parties: Vec<Party>) -> Explanation {
    Explanation {
        chain: account.chain,
        from: account.address.clone(),
        target: None,
        effects,
        parties,
        memo: None,
        fee: Fee::SetByChain,
        gas_limit: None,
        nonce: None,
    }
}

fn plain(message: &Message, bytes: &[u8], reading: &Reading, now: Millis) -> Explained {
    let account = &message.account;
    let as_text = str::from_utf8(bytes).ok().map(visible);
    let mut notices = Vec::new();
    if as_text.as_ref().is_some_and(|(_, hidden)| *hidden) {
        let message = "The text has characters that cannot be seen, or that turn it around.".to_owned();
        notices.push(MessageNotice { code: ReasonCode::HiddenCharacters, message });
    }
    let (kind, effect) = match (reading, &as_text) {
        (Reading::SignIn(_), _) => (MessageKind::SignIn, Effect::note("sign in", [])),
        (Reading::Malformed, _) => {
            let message = "It says that it is a sign-in, and does not have the form of one.".to_owned();
            notices.push(MessageNotice { code: ReasonCode::DoubtfulSignIn, message });
            (MessageKind::MalformedSignIn, Effect::note("message", []))
        }
        (Reading::Other, Some(_)) => (MessageKind::Text, Effect::note("message", [])),
        (Reading::Other, None) => {
            (MessageKind::Bytes, Effect::Unknown { what: "message".to_owned(), bytes: bytes.len() })
        }
    };
    let found = match reading {
        Reading::SignIn(found) => Some(&**found),
        _ => None,
    };
    if let Some(found) = found {
        notices.extend(sign_in::doubts(found, &message.origin, account.chain, now));
    }
    let in_hex = || format!("0x{}", encoding::hex(bytes));
    Explained {
        kind,
        explanation: explanation(account, vec![effect], Vec::new()),
        text: Some(as_text.map_or_else(in_hex, |(text, _)| text)),
        domain: None,
        primary_type: None,
        until: found.and_then(sign_in::until),
        sign_in: found.map(shown_sign_in),
        fields: Vec::new(),
        notices,
        wanted: Vec::new(),
    }
}

/// With everything that deceives spelled out.
fn shown_sign_in(found: &SignIn) -> SignIn {
    let show = |text: &Option<String>| text.as_deref().map(|text| visible(text).0);
    SignIn {
        statement: show(&found.statement),
        uri: show(&found.uri),
        request_id: show(&found.request_id),
        resources: found.resources.iter().map(|text| visible(text).0).collect(),
        ..found.clone()
    }
}

fn typed(data: &TypedData, account: &Account, now: Millis, facts: Facts<'_>) -> Explained {
    let contract = data.domain.address("verifyingContract");
    let known = contract.and_then(|contract| known::evm(account.chain, &contract));
    let bound = data.domain.number("chainId").is_some();
    let meaning = contract.and_then(|contract| {
        let case = Case { data, account, facts, contract, known };
        let reader = permits::find(&data.shape).or_else(|| orders::find(&data.shape));
        reader.or_else(|| others::find(&data.shape)).and_then(|read| read(&case, &data.message))
    });
    let mut meaning = meaning.unwrap_or_else(|| unknown(data, contract));
    if !bound {
        let message = "It names no chain: the signature may be used on any.".to_owned();
        meaning.notices.push(MessageNotice { code: ReasonCode::AnyChain, message });
    }
    let longest = if meaning.kind == MessageKind::Order { LONG_ORDER } else { LONG_PERMIT };
    if let Some(until) = meaning.until.filter(|until| *until > now.saturating_add(longest)) {
        let days = until.saturating_sub(now) / 86_400_000;
        let message = match until {
            NO_END.. => "What it allows never ends.".to_owned(),
            _ => format!("What it allows lasts for {days} days."),
        };
        meaning.notices.push(MessageNotice { code: ReasonCode::LongLasting, message });
    }
    let mut fields = Vec::new();
    data.domain.flatten("domain", &mut fields);
    data.message.flatten("message", &mut fields);
    if fields.iter().any(|(_, value)| value.contains("⟨U+")) {
        let message = "A text in it has characters that cannot be seen, or that turn it around.".to_owned();
        meaning.notices.push(MessageNotice { code: ReasonCode::HiddenCharacters, message });
    }
    let text = |name: &str| data.domain.text(name).map(|text| visible(text).0);
    Explained {
        kind: meaning.kind,
        explanation: explanation(account, meaning.effects, meaning.parties),
        text: None,
        domain: Some(MessageDomain {
            name: text("name"),
            version: text("version"),
            chain_id: data.domain.number("chainId").map(|id| id.to_string()),
            verifying_contract: contract.map(|contract| evm::encode(&contract)),
            contract_name: known.map(|known| known.name.to_owned()),
        }),
        primary_type: Some(data.primary.clone()),
        sign_in: None,
        fields,
        until: meaning.until,
        notices: meaning.notices,
        wanted: meaning.wanted,
    }
}

/// Typed data that nothing is known of: it may allow anything that its contract takes it for.
fn unknown(data: &TypedData, contract: Option<[u8; 20]>) -> Meaning {
    let effect = Effect::other(&data.primary, []);
    let meaning = Meaning::new(MessageKind::Unknown, vec![effect], None);
    match contract {
        Some(contract) => meaning.party(contract, PartyRole::Contract),
        None => meaning,
    }
}

/// Whether a form is one that chains of this kind have; used by tests of the table.
#[cfg(test)]
pub(super) fn shapes() -> Vec<&'static str> {
    [permits::SHAPES, orders::SHAPES, others::SHAPES].into_iter().flatten().map(|(shape, _)| *shape).collect()
}
