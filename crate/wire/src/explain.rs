//! What a transaction does, as pages and the policy see it: decoded from the bytes that would be signed.
//!
//! Everything in an [`Explanation`] is a fact with a [`Source`]. What a sender says and no signature covers is a
//! [`Claim`], another type, which stands beside the explanation and never in it.
//!
//! Amounts are decimal digits in the asset's smallest unit, with a text for people beside them.

use derive::Record;

/// Where a fact is known from. There is no variant for what a sender says: that is a [`Claim`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename = "FactSource"))]
#[serde(rename_all = "snake_case")]
pub enum Source {
    /// The bytes that would be signed.
    Bytes,
    /// A node of the chain.
    Node,
    /// Our own table of known contracts and tokens.
    Table,
    /// The user: their contacts, their tokens.
    User,
}

/// What a sender says of a transaction and no signature covers: a field of the payload.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Claim {
    /// What it is about, in words for people: `swap provider`.
    pub about: String,
    /// In the sender's words.
    pub text: String,
}

/// What a transaction does.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Explanation {
    /// Canonical name of the chain.
    pub chain: String,
    /// The account that signs and pays.
    pub from: String,
    /// The contract that is called, where the transaction is one call.
    pub target: Option<String>,
    /// What happens, in order.
    pub effects: Vec<Effect>,
    /// Every way out: who receives, may take, is called, or is paid later. Each address once a role.
    #[record(default)]
    pub parties: Vec<Party>,
    /// The text that goes with it.
    pub memo: Option<String>,
    /// The most that can be paid for inclusion; `null` where the chain sets it, or where it is not known.
    pub fee: Option<Quantity>,
    /// Whether the fee cannot be known from what is signed.
    #[record(default)]
    pub fee_unknown: bool,
    /// The gas or compute limit, decimal digits.
    pub gas_limit: Option<String>,
    /// Nonce, sequence or seqno, decimal digits.
    pub nonce: Option<String>,
}

impl Explanation {
    /// Every address in it, and every token, each once.
    pub fn addresses(&self) -> Vec<&str> {
        let own = [Some(self.from.as_str()), self.target.as_deref()];
        let mut found = Vec::new();
        let parties = self.parties.iter().map(|party| Some(party.address.as_str()));
        let all = own.into_iter().chain(parties).chain(self.effects.iter().flat_map(Effect::addresses));
        for address in all.flatten() {
            if !found.contains(&address) {
                found.push(address);
            }
        }
        found
    }
}

/// An address that a transaction gives something to, or puts in a position to take it.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Party {
    /// The address as the bytes have it.
    pub address: String,
    /// What it gets to do.
    pub role: PartyRole,
    /// Its name in our table of known contracts.
    pub name: Option<String>,
    /// What the user has to do with it; `null` until the policy has looked.
    #[record(default)]
    pub standing: Option<Standing>,
}

/// What a party gets to do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum PartyRole {
    /// Receives an asset.
    Recipient,
    /// May take tokens from now on.
    Spender,
    /// Takes what is sold, and pays out what is bought.
    Router,
    /// Is called.
    Contract,
    /// Receives on another chain, or when a message is read later: the target of a bridge, a memo, a hook.
    Destination,
    /// Gets back what is not used.
    Refund,
    /// Is paid for the service.
    FeePayee,
    /// May decide over an account, a stake or a token account from now on.
    Authority,
}

/// What the user has to do with a party.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", tag = "kind")]
pub enum Standing {
    /// One of the user's own accounts.
    Own,
    /// A contact that the user saved or confirmed.
    Contact {
        /// Its name.
        title: String,
    },
    /// A contact that the agent saved and the user has not confirmed.
    AgentContact {
        /// Its name.
        title: String,
    },
    /// A contract of our table, used for what it is there for.
    KnownContract,
    /// A payment to it was confirmed before.
    SeenBefore,
    /// Not known, and easily taken for an address that is.
    LookAlike {
        /// The known address.
        other: String,
    },
    /// Not known.
    Stranger,
}

/// How much of something.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Quantity {
    /// Decimal digits, in the smallest unit.
    pub units: String,
    /// For people: `1.5 ETH`.
    pub shown: String,
}

/// What is moved.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum Asset {
    /// The chain's own coin.
    Native {
        /// Its ticker.
        ticker: String,
    },
    /// A token: contract, mint, denom, policy and name, or currency and issuer.
    Token {
        /// As the chain names it.
        id: String,
        /// Its ticker, where it is known here.
        ticker: Option<String>,
        /// Where ticker and decimals are known from.
        #[record(default)]
        source: Option<Source>,
        /// Whether the chain itself moves it, and if not, who vouches for its contract.
        #[record(default)]
        contract: TokenContract,
        /// The ticker under which the agent added it, where nothing better is known.
        #[record(default)]
        agent_ticker: Option<String>,
    },
    /// One piece of a collection.
    Item {
        /// The collection's contract.
        collection: String,
        /// Its number, decimal digits.
        id: String,
    },
}

/// Whose code moves a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum TokenContract {
    /// The chain's own: a transfer does what it says.
    Ledger,
    /// A contract of our table, or one that the user added.
    Known,
    /// A contract that nothing is known of: what its functions do is its own affair.
    #[default]
    Unknown,
}

/// A field with a name.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NamedText {
    /// Its name.
    pub name: String,
    /// What it says.
    pub value: String,
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum Effect {
    /// An asset goes from the signer to a recipient.
    Transfer {
        /// What.
        asset: Asset,
        /// To whom.
        to: String,
        /// How much.
        amount: Quantity,
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
        amount: Quantity,
    },
    /// What is left over returns to the signer.
    Change {
        /// The signer's own address.
        to: String,
        /// How much.
        amount: Quantity,
    },
    /// A spender may take tokens from now on.
    Approve {
        /// Which.
        asset: Asset,
        /// Who may.
        spender: String,
        /// Up to this many.
        amount: Quantity,
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
    Swap {
        /// Who runs it, where our table or a node says so.
        provider: Option<String>,
        /// The contract or account that receives what is sold.
        router: String,
        /// What is given.
        sell: Asset,
        /// How much is given.
        amount: Quantity,
        /// What is wanted, as far as it is stated, for people.
        buy: Option<String>,
        /// The same, where it is an asset of this chain.
        #[record(default)]
        bought: Option<Asset>,
        /// The least that is taken for it, decimal digits.
        minimum_out: Option<String>,
        /// The same for people.
        #[record(default)]
        minimum_shown: Option<String>,
        /// Who receives it, where stated.
        recipient: Option<String>,
    },
    /// A function of a contract that was decoded.
    Call {
        /// The contract or program.
        contract: String,
        /// Native coins that go with it.
        value: Quantity,
        /// The function's name and parameter types.
        signature: String,
        /// Names (or positions) and values.
        arguments: Vec<NamedText>,
    },
    /// A call of a contract that was not decoded.
    UnknownCall {
        /// The contract or program.
        contract: String,
        /// Native coins that go with it.
        value: Quantity,
        /// The first bytes, by which contracts tell functions apart; hex.
        selector: Option<String>,
        /// Length of the call's data.
        bytes: u32,
    },
    /// A new contract.
    Create {
        /// Native coins that go with it.
        value: Quantity,
        /// Length of its code.
        bytes: u32,
    },
    /// Says more of another effect, or gives nothing away.
    Note {
        /// What it is called on the chain.
        name: String,
        /// Its fields, in the chain's order.
        fields: Vec<NamedText>,
    },
    /// Something with a name that none of the above fits, and whose worth was not read.
    Other {
        /// Its name on the chain.
        name: String,
        /// Its fields, in the chain's order.
        fields: Vec<NamedText>,
    },
    /// Something that could not be decoded.
    Unknown {
        /// What it is called, as far as that can be seen.
        what: String,
        /// How many bytes are not understood.
        bytes: u32,
    },
}

impl Effect {
    /// Whom it concerns, and which token.
    fn addresses(&self) -> [Option<&str>; 3] {
        match self {
            Self::Transfer { asset, to, .. } => [Some(to), asset.id(), None],
            Self::TransferFrom { asset, from, to, .. } => [Some(from), Some(to), asset.id()],
            Self::Change { to, .. } => [Some(to), None, None],
            Self::Approve { asset, spender, .. } => [Some(spender), asset.id(), None],
            Self::ApproveAll { collection, operator, .. } => [Some(operator), Some(collection), None],
            Self::Swap { router, sell, recipient, .. } => [Some(router), recipient.as_deref(), sell.id()],
            Self::Call { contract, .. } | Self::UnknownCall { contract, .. } => [Some(contract), None, None],
            Self::Create { .. } | Self::Note { .. } | Self::Other { .. } | Self::Unknown { .. } => [None; 3],
        }
    }
}

impl Asset {
    /// What the chain names it by; nothing for its own coin.
    fn id(&self) -> Option<&str> {
        match self {
            Self::Native { .. } => None,
            Self::Token { id, .. } => Some(id),
            Self::Item { collection, .. } => Some(collection),
        }
    }
}
