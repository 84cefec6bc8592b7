//! What a transaction does, as pages and the policy see it: decoded from the bytes that would be signed.
//!
//! Amounts are decimal digits in the asset's smallest unit, with a text for people beside them.

use crate::fields::{FieldError, Fields, FromFields};
use crate::read_by_fields;
use serde::Serialize;

/// What a transaction does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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

/// How much of something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Quantity {
    /// Decimal digits, in the smallest unit.
    pub units: String,
    /// For people: `1.5 ETH`.
    pub shown: String,
}

/// What is moved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct NamedText {
    /// Its name.
    pub name: String,
    /// What it says.
    pub value: String,
}

/// One thing that happens.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "kind")]
pub enum Effect {
    /// An asset goes from the signer to somebody.
    Transfer {
        /// What.
        asset: Asset,
        /// To whom.
        to: String,
        /// How much.
        amount: Quantity,
    },
    /// An asset of somebody else is moved, by an allowance.
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
    /// Somebody may take tokens from now on.
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
    /// Somebody may take every token of a collection, or no longer.
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

read_by_fields!(Explanation, Quantity, Asset, NamedText, Effect);

impl FromFields for Explanation {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(Self {
            chain: fields.take("chain")?,
            from: fields.take("from")?,
            target: fields.take("target")?,
            effects: fields.take("effects")?,
            memo: fields.take("memo")?,
            fee: fields.take("fee")?,
            gas_limit: fields.take("gasLimit")?,
            nonce: fields.take("nonce")?,
        })
    }
}

impl FromFields for Quantity {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(Self { units: fields.take("units")?, shown: fields.take("shown")? })
    }
}

impl FromFields for Asset {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(match fields.take::<String>("kind")?.as_str() {
            "native" => Self::Native { ticker: fields.take("ticker")? },
            "token" => Self::Token { id: fields.take("id")?, ticker: fields.take("ticker")? },
            "item" => Self::Item { collection: fields.take("collection")?, id: fields.take("id")? },
            _ => return Err(FieldError::Invalid("kind")),
        })
    }
}

impl FromFields for NamedText {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(Self { name: fields.take("name")?, value: fields.take("value")? })
    }
}

impl FromFields for Effect {
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError> {
        Ok(match fields.take::<String>("kind")?.as_str() {
            "transfer" => Self::Transfer {
                asset: fields.take("asset")?,
                to: fields.take("to")?,
                amount: fields.take("amount")?,
            },
            "transfer_from" => Self::TransferFrom {
                asset: fields.take("asset")?,
                from: fields.take("from")?,
                to: fields.take("to")?,
                amount: fields.take("amount")?,
            },
            "change" => Self::Change { to: fields.take("to")?, amount: fields.take("amount")? },
            "approve" => Self::Approve {
                asset: fields.take("asset")?,
                spender: fields.take("spender")?,
                amount: fields.take("amount")?,
                unlimited: fields.take("unlimited")?,
            },
            "approve_all" => Self::ApproveAll {
                collection: fields.take("collection")?,
                operator: fields.take("operator")?,
                approved: fields.take("approved")?,
            },
            "swap" => Self::Swap {
                provider: fields.take("provider")?,
                router: fields.take("router")?,
                sell: fields.take("sell")?,
                amount: fields.take("amount")?,
                buy: fields.take("buy")?,
                minimum_out: fields.take("minimumOut")?,
                recipient: fields.take("recipient")?,
            },
            "call" => Self::Call {
                contract: fields.take("contract")?,
                value: fields.take("value")?,
                signature: fields.take("signature")?,
                arguments: fields.take("arguments")?,
            },
            "unknown_call" => Self::UnknownCall {
                contract: fields.take("contract")?,
                value: fields.take("value")?,
                selector: fields.take("selector")?,
                bytes: fields.take("bytes")?,
            },
            "create" => Self::Create { value: fields.take("value")?, bytes: fields.take("bytes")? },
            "other" => Self::Other { name: fields.take("name")?, fields: fields.take("fields")? },
            "unknown" => Self::Unknown { what: fields.take("what")?, bytes: fields.take("bytes")? },
            _ => return Err(FieldError::Invalid("kind")),
        })
    }
}
