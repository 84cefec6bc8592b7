//! What a transaction does, decoded from the bytes that are signed. What cannot be decoded is shown as unknown.

use crate::{Amount, Chain};

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
    /// The text that goes with it, where the chain has one.
    pub memo: Option<String>,
    /// The most that can be paid for inclusion, in the native coin's smallest unit; unknown where the chain sets it.
    pub fee: Option<Amount>,
    /// The gas or compute limit, where there is one.
    pub gas_limit: Option<u64>,
    /// Nonce, sequence or seqno, where there is one.
    pub nonce: Option<u64>,
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
    /// Something with a name that none of the above fits: a delegation, a trust line, a deposit.
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
    /// Something with a name, and its fields in the chain's order.
    pub(crate) fn other<'a>(name: &str, fields: impl IntoIterator<Item = (&'a str, String)>) -> Self {
        let fields = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        Self::Other { name: name.to_owned(), fields }
    }
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
    /// Who runs it: a router's name, THORChain, …
    pub provider: String,
    /// The contract or account that receives what is sold.
    pub router: String,
    /// What is given.
    pub sell: Asset,
    /// How much is given.
    pub amount: Amount,
    /// What is wanted, as far as the bytes or the payload state it.
    pub buy: Option<String>,
    /// The least that is taken for it, where stated.
    pub minimum_out: Option<Amount>,
    /// Who receives it, where stated.
    pub recipient: Option<String>,
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
