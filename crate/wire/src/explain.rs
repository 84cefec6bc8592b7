//! What a transaction does, as pages and the policy see it: decoded from the bytes that would be signed.
//!
//! Amounts are decimal digits in the asset's smallest unit, with a text for people beside them.

use derive::Record;

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
    /// The text that goes with it.
    pub memo: Option<String>,
    /// The most that can be paid for inclusion; `null` where the chain sets it.
    pub fee: Option<Quantity>,
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
        for address in own.into_iter().chain(self.effects.iter().flat_map(Effect::addresses)).flatten() {
            if !found.contains(&address) {
                found.push(address);
            }
        }
        found
    }
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
#[serde(rename_all = "snake_case", tag = "kind")]
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
    },
    /// One piece of a collection.
    Item {
        /// The collection's contract.
        collection: String,
        /// Its number, decimal digits.
        id: String,
    },
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
        /// Who runs it.
        provider: String,
        /// The contract or account that receives what is sold.
        router: String,
        /// What is given.
        sell: Asset,
        /// How much is given.
        amount: Quantity,
        /// What is wanted, as far as it is stated.
        buy: Option<String>,
        /// The least that is taken for it, decimal digits.
        minimum_out: Option<String>,
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
    /// Something with a name that none of the above fits.
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
            Self::Create { .. } | Self::Other { .. } | Self::Unknown { .. } => [None; 3],
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
