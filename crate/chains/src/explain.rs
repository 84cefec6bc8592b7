//! What a transaction does, decoded from the bytes that are signed. What cannot be decoded is shown as unknown.
//!
//! An explanation is made of facts alone: of what is signed, of what nodes said ([`crate::facts::Facts`]) and of our own
//! tables. What a payload says beside that is a [`crate::transaction::Claim`], which no function here is given.

use crate::{Amount, Chain};
pub use wire::explain::{PartyRole, Source};

/// What a transaction does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Explanation {
    /// Where.
    pub chain: Chain,
    /// The account that signs and pays.
    pub from: String,
    /// The contract that is called, where the transaction is one call that has all the effects.
    pub target: Option<String>,
    /// What happens, in order.
    pub effects: Vec<Effect>,
    /// Ways out that no effect names: the target of a memo, a refund address, an authority, a fee payee.
    pub parties: Vec<Party>,
    /// The text that goes with it, where the chain has one.
    pub memo: Option<String>,
    /// What is paid for inclusion.
    pub fee: Fee,
    /// The gas or compute limit, where there is one.
    pub gas_limit: Option<u64>,
    /// Nonce, sequence or seqno, where there is one.
    pub nonce: Option<u64>,
}

/// What is paid for inclusion, in the native coin's smallest unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fee {
    /// No more than this.
    AtMost(Amount),
    /// What the chain's rules say; nothing in the transaction can raise it.
    SetByChain,
    /// It depends on values that are neither signed nor known.
    Unknown,
}

impl Fee {
    /// The most that is known to be paid.
    pub const fn known(self) -> Option<Amount> {
        match self {
            Self::AtMost(amount) => Some(amount),
            Self::SetByChain | Self::Unknown => None,
        }
    }
}

/// An address that gets something, or is put in a position to take it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Party {
    /// The address as the bytes have it.
    pub address: String,
    /// What it gets to do.
    pub role: PartyRole,
}

impl Party {
    /// A party in a role.
    pub fn new(address: impl Into<String>, role: PartyRole) -> Self {
        Self { address: address.into(), role }
    }
}

impl Explanation {
    /// Whether something in it was not decoded, and may do more than the effects say.
    pub fn is_open(&self) -> bool {
        self.effects.iter().any(|effect| {
            matches!(
                effect,
                Effect::Call { .. } | Effect::Create { .. } | Effect::Other { .. } | Effect::Unknown { .. }
            )
        })
    }

    /// Every way out: those that effects name and the others, each address once a role. Coins for the contract that is
    /// called are no gift where it is paid for its service.
    pub fn every_party(&self) -> Vec<Party> {
        let mut parties: Vec<Party> = Vec::new();
        let paid = self.parties.iter().filter(|party| party.role == PartyRole::FeePayee);
        let paid =
            paid.map(|party| party.address.as_str()).find(|paid| self.target.as_deref() == Some(*paid));
        let is_fee =
            |party: &Party| party.role == PartyRole::Recipient && Some(party.address.as_str()) == paid;
        let of_effects = self.effects.iter().flat_map(Effect::parties).filter(|party| !is_fee(party));
        for party in of_effects.chain(self.parties.iter().cloned()) {
            if !party.address.is_empty() && !parties.contains(&party) {
                parties.push(party);
            }
        }
        parties
    }
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// An asset goes from the signer to another account.
    Transfer {
        /// What.
        asset: Asset,
        /// To whom.
        to: String,
        /// How much.
        amount: Amount,
    },
    /// An asset of another account is moved, by an allowance.
    TransferFrom {
        /// What.
        asset: Asset,
        /// From whom.
        from: String,
        /// To whom.
        to: String,
        /// How much.
        amount: Amount,
    },
    /// What is left over returns to the signer.
    Change {
        /// The signer's own address.
        to: String,
        /// How much.
        amount: Amount,
    },
    /// A spender may take tokens from now on.
    Approve {
        /// Which.
        asset: Asset,
        /// Who may.
        spender: String,
        /// Up to this many.
        amount: Amount,
        /// So many that there is no limit in effect.
        unlimited: bool,
    },
    /// An operator may take every token of a collection, or no longer.
    ApproveAll {
        /// The collection's contract.
        collection: String,
        /// Who may.
        operator: String,
        /// Given or taken back.
        approved: bool,
    },
    /// One asset for another.
    Swap(Swap),
    /// A function of a contract.
    Call {
        /// The contract or program.
        contract: String,
        /// Native coins that go with it.
        value: Amount,
        /// Which function.
        function: Function,
    },
    /// A new contract.
    Create {
        /// Native coins that go with it.
        value: Amount,
        /// Length of its code.
        bytes: usize,
    },
    /// Says more of another effect, or gives nothing away: the decoder has read all of it.
    Note {
        /// Its name on the chain.
        name: String,
        /// Its fields, in the chain's order.
        fields: Vec<(String, String)>,
    },
    /// Something with a name that none of the above fits, and whose worth is not read: a trust line, a new owner.
    Other {
        /// Its name on the chain.
        name: String,
        /// Its fields, in the chain's order.
        fields: Vec<(String, String)>,
    },
    /// Something that could not be decoded.
    Unknown {
        /// What it is called, as far as that can be seen.
        what: String,
        /// How many bytes are not understood.
        bytes: usize,
    },
}

impl Effect {
    /// Something with a name whose worth is not read, and its fields in the chain's order.
    pub(crate) fn other<'a>(name: &str, fields: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Self::Other { name: name.to_owned(), fields: named(fields) }
    }

    /// Something that says more of another effect or gives nothing away, and its fields in the chain's order.
    pub(crate) fn note<'a>(name: &str, fields: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        Self::Note { name: name.to_owned(), fields: named(fields) }
    }

    /// The ways out that it names.
    fn parties(&self) -> Vec<Party> {
        let party = |address: &String, role| vec![Party::new(address.clone(), role)];
        match self {
            Self::Transfer { to, .. } | Self::TransferFrom { to, .. } => party(to, PartyRole::Recipient),
            Self::Approve { spender, .. } => party(spender, PartyRole::Spender),
            Self::ApproveAll { operator, approved: true, .. } => party(operator, PartyRole::Spender),
            Self::Swap(swap) => {
                let recipient = swap.recipient.iter();
                let role = swap.receives_as();
                let router = Party::new(swap.router.clone(), PartyRole::Router);
                recipient.map(|to| Party::new(to.clone(), role)).chain([router]).collect()
            }
            Self::Call { contract, .. } => party(contract, PartyRole::Contract),
            Self::ApproveAll { .. }
            | Self::Change { .. }
            | Self::Create { .. }
            | Self::Note { .. }
            | Self::Other { .. }
            | Self::Unknown { .. } => Vec::new(),
        }
    }
}

fn named<'a>(fields: impl IntoIterator<Item = (&'a str, String)>) -> Vec<(String, String)> {
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// What is moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Asset {
    /// The chain's own coin.
    Native,
    /// A token: contract, mint, denom, policy and name, or currency and issuer.
    Token {
        /// As the chain names it.
        id: String,
    },
    /// One piece of a collection.
    Item {
        /// The collection's contract.
        collection: String,
        /// Its number.
        id: Amount,
    },
}

/// One asset for another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Swap {
    /// Who runs it. The name is one of ours, found by the router's address or proven by a node: never a sender's.
    pub provider: Option<&'static str>,
    /// The contract or account that receives what is sold.
    pub router: String,
    /// What is given.
    pub sell: Asset,
    /// How much is given.
    pub amount: Amount,
    /// What is wanted, as far as the bytes state it.
    pub buy: Option<Bought>,
    /// The least that is taken for it, where stated.
    pub minimum_out: Option<Amount>,
    /// Who receives it, where stated.
    pub recipient: Option<String>,
}

/// What is bought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Bought {
    /// An asset of the same chain.
    Here(Asset),
    /// Something on another chain.
    Elsewhere {
        /// That chain, as far as it is known here; otherwise its number.
        place: String,
        /// What it is there, where stated.
        asset: Option<String>,
    },
    /// An asset in the words of a swap network, such as `BTC.BTC`; amounts of it count 10⁻⁸.
    Named(String),
}

impl Swap {
    /// What the recipient is: one on this chain, or the target of a bridge.
    const fn receives_as(&self) -> PartyRole {
        match self.buy {
            Some(Bought::Elsewhere { .. } | Bought::Named(_)) => PartyRole::Destination,
            Some(Bought::Here(_)) | None => PartyRole::Recipient,
        }
    }
}

/// A function call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Function {
    /// Decoded.
    Known {
        /// Its name and parameter types.
        signature: String,
        /// Names (or positions) and values.
        arguments: Vec<(String, String)>,
    },
    /// Not decoded.
    Unknown {
        /// The first bytes, by which contracts tell functions apart.
        selector: Option<[u8; 4]>,
        /// Length of the call's data.
        bytes: usize,
    },
}
