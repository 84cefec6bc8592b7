//! A bundle as the rules see it: chains, amounts and addresses read once. What cannot be read is a fault, and a fault
//! blocks: no rule may pass over what it did not understand.

use super::Input;
use super::findings::quote;
use super::party::{Known, Party, Relation};
use chains::{Amount, Chain, Kind, amount};
use wire::bundle::{Decoded, Step};
use wire::explain::{Asset, Effect, PartyRole, Quantity, TokenContract};

/// One transaction of a step.
pub(super) struct Transaction<'a> {
    /// The step's place.
    pub(super) sequence: u32,
    /// Which of the steps, and which of its transactions, counted from 0.
    pub(super) place: (usize, usize),
    pub(super) chain: Chain,
    pub(super) decoded: &'a Decoded,
    /// What leaves the vault, or may.
    pub(super) moves: Vec<Move<'a>>,
    /// Every way out.
    pub(super) parties: Vec<Concerned<'a>>,
    pub(super) fee: Option<Amount>,
}

/// A party of a transaction, and what is known of it.
pub(super) struct Concerned<'a> {
    pub(super) address: Party<'a>,
    pub(super) role: PartyRole,
    /// Whether it is a contract of our table in a role that contracts are there for.
    pub(super) known_contract: bool,
    pub(super) relation: Relation<'a>,
}

impl Concerned<'_> {
    /// Whether it receives something.
    pub(super) const fn is_paid(&self) -> bool {
        matches!(self.role, PartyRole::Recipient | PartyRole::Destination)
    }
}

/// Something that leaves the vault, or may.
pub(super) struct Move<'a> {
    pub(super) asset: Held<'a>,
    pub(super) amount: Amount,
    pub(super) way: Way<'a>,
}

/// What is moved, as limits name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Held<'a> {
    Native,
    /// A token, or the collection of an item.
    Token(&'a str),
}

/// How something leaves.
#[derive(Debug, Clone, Copy)]
pub(super) enum Way<'a> {
    Sent,
    /// Through this router, by an allowance where it is a token.
    Sold(&'a str),
    /// Not at once: this spender may take it.
    Allowed {
        spender: &'a str,
        unlimited: bool,
    },
}

/// What a rule could not read, and in which step.
pub(super) struct Fault {
    pub(super) sequence: Option<u32>,
    pub(super) message: String,
}

/// Why a rule cannot read what it looks at. The user is told under [`wire::policy::ReasonCode::RuleError`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum ReadError {
    /// No chain has this name.
    #[error("No chain is called {}.", quote(.0))]
    UnknownChain(String),
    /// Not decimal digits.
    #[error("{} is not an amount.", quote(.0))]
    NotAnAmount(String),
}

/// Every transaction that can be read, in the order of the steps, and what cannot.
pub(super) fn read<'a>(input: &'a Input<'a>, known: &Known<'a>) -> (Vec<Transaction<'a>>, Vec<Fault>) {
    let mut steps: Vec<(usize, &Step)> = Vec::new();
    for (index, step) in input.signing.iter().flat_map(|signing| signing.steps.iter().enumerate()) {
        let place = steps.partition_point(|(_, earlier)| earlier.sequence <= step.sequence);
        steps.insert(place, (index, step));
    }
    let (mut transactions, mut faults) = (Vec::new(), Vec::new());
    for (step_index, step) in steps {
        for (index, decoded) in step.transactions.iter().enumerate() {
            match transaction(step, (step_index, index), decoded, known) {
                Ok(transaction) => transactions.push(transaction),
                Err(error) => {
                    faults.push(Fault { sequence: Some(step.sequence), message: error.to_string() });
                }
            }
        }
    }
    (transactions, faults)
}

fn transaction<'a>(
    step: &'a Step,
    place: (usize, usize),
    decoded: &'a Decoded,
    known: &Known<'a>,
) -> Result<Transaction<'a>, ReadError> {
    let found = &decoded.explanation;
    let chain = chain(&found.chain)?;
    let mut moves = Vec::new();
    for effect in &found.effects {
        let own = |address| known.relation(&Party::new(chain, address, decoded)).own;
        moves.extend(moved(effect, own)?.filter(|moved| !moved.amount.is_zero() || moved.unlimited()));
    }
    let parties = found.parties.iter().map(|party| concerned(party, chain, decoded, known)).collect();
    let fee = found.fee.as_ref().map(units).transpose()?;
    Ok(Transaction { sequence: step.sequence, place, chain, decoded, moves, parties, fee })
}

fn concerned<'a>(
    party: &'a wire::explain::Party,
    chain: Chain,
    decoded: &'a Decoded,
    known: &Known<'a>,
) -> Concerned<'a> {
    let address = Party::new(chain, &party.address, decoded);
    let relation = known.relation(&address);
    // A contract of our table is known as a contract: what is sent to it as to a person is lost.
    let in_place = matches!(
        party.role,
        PartyRole::Spender | PartyRole::Router | PartyRole::Contract | PartyRole::FeePayee
    );
    Concerned { address, role: party.role, known_contract: in_place && party.name.is_some(), relation }
}

impl<'a> Transaction<'a> {
    /// One of its addresses.
    pub(super) fn party(&self, text: &'a str) -> Party<'a> {
        Party::new(self.chain, text, self.decoded)
    }
}

/// A chain by its canonical name.
pub(super) fn chain(name: &str) -> Result<Chain, ReadError> {
    Chain::parse(name).ok_or_else(|| ReadError::UnknownChain(name.to_owned()))
}

/// Decimal digits.
pub(super) fn digits(text: &str) -> Result<Amount, ReadError> {
    amount::parse("amount", text).map_err(|_| ReadError::NotAnAmount(text.to_owned()))
}

fn units(quantity: &Quantity) -> Result<Amount, ReadError> {
    digits(&quantity.units)
}

/// What an effect takes from the vault. A transfer of another account's coins takes nothing.
fn moved<'a>(effect: &'a Effect, own: impl Fn(&'a str) -> bool) -> Result<Option<Move<'a>>, ReadError> {
    let (asset, amount, way) = match effect {
        Effect::Transfer { asset, amount, .. } => (held(asset), amount, Way::Sent),
        Effect::TransferFrom { asset, from, amount, .. } if own(from) => (held(asset), amount, Way::Sent),
        Effect::Swap { sell, amount, router, .. } => (held(sell), amount, Way::Sold(router)),
        Effect::Approve { asset, spender, amount, unlimited } => {
            (held(asset), amount, Way::Allowed { spender, unlimited: *unlimited })
        }
        Effect::ApproveAll { collection, operator, approved: true } => {
            let way = Way::Allowed { spender: operator, unlimited: true };
            return Ok(Some(Move { asset: Held::Token(collection), amount: Amount::ZERO, way }));
        }
        Effect::Call { value, .. } | Effect::UnknownCall { value, .. } | Effect::Create { value, .. } => {
            (Held::Native, value, Way::Sent)
        }
        Effect::TransferFrom { .. }
        | Effect::ApproveAll { .. }
        | Effect::Change { .. }
        | Effect::Note { .. }
        | Effect::Other { .. }
        | Effect::Unknown { .. } => return Ok(None),
    };
    Ok(Some(Move { asset, amount: units(amount)?, way }))
}

fn held(asset: &Asset) -> Held<'_> {
    match asset {
        Asset::Native { .. } => Held::Native,
        Asset::Token { id, .. } => Held::Token(id),
        Asset::Item { collection, .. } => Held::Token(collection),
    }
}

impl Move<'_> {
    /// Whether there is no end to it.
    pub(super) const fn unlimited(&self) -> bool {
        matches!(self.way, Way::Allowed { unlimited: true, .. })
    }
}

/// Whether every asset, amount and party of an effect was read, of a function that is known for what it does. What is
/// not weighed may do anything.
pub(super) fn weighed(effect: &Effect) -> bool {
    match effect {
        Effect::Change { .. } | Effect::Note { .. } => true,
        Effect::Transfer { asset, .. }
        | Effect::TransferFrom { asset, .. }
        | Effect::Approve { asset, .. } => vouched(asset),
        Effect::Swap { provider, sell, .. } => provider.is_some() && vouched(sell),
        Effect::ApproveAll { .. }
        | Effect::Call { .. }
        | Effect::UnknownCall { .. }
        | Effect::Create { .. }
        | Effect::Other { .. }
        | Effect::Unknown { .. } => false,
    }
}

/// Whether the code that moves an asset is known.
pub(super) const fn vouched(asset: &Asset) -> bool {
    match asset {
        Asset::Native { .. } => true,
        Asset::Token { contract, .. } => matches!(contract, TokenContract::Ledger | TokenContract::Known),
        Asset::Item { .. } => false,
    }
}

/// Whether an effect can move more of the chain's own coin than its form says.
pub(super) fn may_move_native(chain: Chain, effect: &Effect) -> bool {
    // The coins that go with a call are in the transaction there, and nothing takes others.
    let stated = matches!(chain.kind(), Kind::Evm | Kind::Tron | Kind::Cosmos | Kind::Ton);
    match effect {
        Effect::Call { .. } | Effect::UnknownCall { .. } | Effect::Create { .. } => !stated,
        Effect::Transfer { .. }
        | Effect::TransferFrom { .. }
        | Effect::Approve { .. }
        | Effect::ApproveAll { .. }
        | Effect::Swap { .. } => !stated && !weighed(effect),
        effect => !weighed(effect),
    }
}
