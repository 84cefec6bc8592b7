//! The protobuf messages, and how their bytes are read back: strictly.

use crate::TransactionError;
use crate::address::tron;
use prost::Message;

/// The field that errors name: what is signed, built here or not.
const FIELD: &str = "raw_data";
const TYPE_URL: &str = "type.googleapis.com/protocol.";

/// `Transaction.raw`. Fields that wallets leave empty (scripts, auths, a second contract, another permission) are not
/// here on purpose: bytes that have them do not encode to themselves and are refused.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Raw {
    /// The last two bytes of the height of a recent block.
    #[prost(bytes = "vec", tag = "1")]
    pub(super) ref_block_bytes: Vec<u8>,
    /// Bytes 8 to 16 of that block's id.
    #[prost(bytes = "vec", tag = "4")]
    pub(super) ref_block_hash: Vec<u8>,
    /// Milliseconds since 1970.
    #[prost(int64, tag = "8")]
    pub(super) expiration: i64,
    /// The memo.
    #[prost(bytes = "vec", tag = "10")]
    pub(super) data: Vec<u8>,
    /// Repeated in the chain's own schema, and always exactly one.
    #[prost(message, optional, tag = "11")]
    pub(super) contract: Option<Contract>,
    /// Milliseconds since 1970.
    #[prost(int64, tag = "14")]
    pub(super) timestamp: i64,
    /// The most that is burnt for energy.
    #[prost(int64, tag = "18")]
    pub(super) fee_limit: i64,
}

/// `Transaction.Contract`: a number and an `Any` that say the same type twice.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Contract {
    #[prost(int32, tag = "1")]
    kind: i32,
    #[prost(message, optional, tag = "2")]
    parameter: Option<Any>,
}

#[derive(Clone, PartialEq, Eq, Message)]
struct Any {
    #[prost(string, tag = "1")]
    type_url: String,
    #[prost(bytes = "vec", tag = "2")]
    value: Vec<u8>,
}

/// TRX to an account.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Transfer {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) owner: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) to: Vec<u8>,
    #[prost(int64, tag = "3")]
    pub(super) amount: i64,
}

/// A TRC-10 token to an account.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct TransferAsset {
    /// The token's number, as text.
    #[prost(bytes = "vec", tag = "1")]
    pub(super) asset_name: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) owner: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) to: Vec<u8>,
    #[prost(int64, tag = "4")]
    pub(super) amount: i64,
}

/// A call of a contract.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Trigger {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) owner: Vec<u8>,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) contract: Vec<u8>,
    #[prost(int64, tag = "3")]
    pub(super) call_value: i64,
    #[prost(bytes = "vec", tag = "4")]
    pub(super) data: Vec<u8>,
    #[prost(int64, tag = "5")]
    pub(super) call_token_value: i64,
    #[prost(int64, tag = "6")]
    pub(super) token_id: i64,
}

/// Stakes TRX, or takes it back: two contracts of one shape.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Stake {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) owner: Vec<u8>,
    #[prost(int64, tag = "2")]
    pub(super) amount: i64,
    #[prost(int32, tag = "3")]
    pub(super) resource: i32,
}

/// Returns to the balance what was taken back long enough ago.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct Withdraw {
    #[prost(bytes = "vec", tag = "1")]
    pub(super) owner: Vec<u8>,
}

/// `BlockHeader.raw`, whose hash is the block's.
#[derive(Clone, PartialEq, Eq, Message)]
pub(super) struct BlockHeader {
    #[prost(int64, tag = "1")]
    pub(super) timestamp: i64,
    #[prost(bytes = "vec", tag = "2")]
    pub(super) tx_trie_root: Vec<u8>,
    #[prost(bytes = "vec", tag = "3")]
    pub(super) parent_hash: Vec<u8>,
    #[prost(int64, tag = "7")]
    pub(super) number: i64,
    #[prost(bytes = "vec", tag = "9")]
    pub(super) witness_address: Vec<u8>,
    #[prost(int32, tag = "10")]
    pub(super) version: i32,
}

/// What a transaction asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Operation {
    Transfer(Transfer),
    TransferAsset(TransferAsset),
    Trigger(Trigger),
    Freeze(Stake),
    Unfreeze(Stake),
    Withdraw(Withdraw),
}

impl Operation {
    /// Number and name in the chain's schema.
    const fn kind(&self) -> (i32, &'static str) {
        match self {
            Self::Transfer(_) => (1, "TransferContract"),
            Self::TransferAsset(_) => (2, "TransferAssetContract"),
            Self::Trigger(_) => (31, "TriggerSmartContract"),
            Self::Freeze(_) => (54, "FreezeBalanceV2Contract"),
            Self::Unfreeze(_) => (55, "UnfreezeBalanceV2Contract"),
            Self::Withdraw(_) => (56, "WithdrawExpireUnfreezeContract"),
        }
    }

    /// Who pays.
    pub(super) fn owner(&self) -> &[u8] {
        match self {
            Self::Transfer(message) => &message.owner,
            Self::TransferAsset(message) => &message.owner,
            Self::Trigger(message) => &message.owner,
            Self::Freeze(message) | Self::Unfreeze(message) => &message.owner,
            Self::Withdraw(message) => &message.owner,
        }
    }

    /// As it stands in a transaction.
    pub(super) fn to_contract(&self) -> Contract {
        let (kind, name) = self.kind();
        let value = match self {
            Self::Transfer(message) => message.encode_to_vec(),
            Self::TransferAsset(message) => message.encode_to_vec(),
            Self::Trigger(message) => message.encode_to_vec(),
            Self::Freeze(message) | Self::Unfreeze(message) => message.encode_to_vec(),
            Self::Withdraw(message) => message.encode_to_vec(),
        };
        Contract { kind, parameter: Some(Any { type_url: format!("{TYPE_URL}{name}"), value }) }
    }

    /// Reads a contract. Its addresses are addresses and its numbers are not negative.
    fn from_contract(contract: &Contract) -> Result<Self, TransactionError> {
        let parameter = contract.parameter.as_ref().ok_or_else(|| malformed("has no contract"))?;
        let value = parameter.value.as_slice();
        let operation = match contract.kind {
            1 => Self::Transfer(message(value)?),
            2 => Self::TransferAsset(message(value)?),
            31 => Self::Trigger(message(value)?),
            54 => Self::Freeze(message(value)?),
            55 => Self::Unfreeze(message(value)?),
            56 => Self::Withdraw(message(value)?),
            _ => {
                let what = parameter.type_url.trim_start_matches(TYPE_URL).chars().take(60).collect();
                return Err(TransactionError::UnsupportedTxType { what });
            }
        };
        let (_, name) = operation.kind();
        if parameter.type_url.strip_prefix(TYPE_URL) != Some(name) {
            return Err(malformed("names one contract and carries another"));
        }
        operation.check()?;
        Ok(operation)
    }

    fn check(&self) -> Result<(), TransactionError> {
        let (account, numbers) = match self {
            Self::Transfer(message) => (Some(&message.to), [message.amount, 0, 0]),
            Self::TransferAsset(message) => (Some(&message.to), [message.amount, 0, 0]),
            Self::Trigger(message) => {
                let numbers = [message.call_value, message.call_token_value, message.token_id];
                (Some(&message.contract), numbers)
            }
            Self::Freeze(message) | Self::Unfreeze(message) => {
                (None, [message.amount, message.resource.into(), 0])
            }
            Self::Withdraw(_) => (None, [0; 3]),
        };
        if numbers.iter().any(|number| *number < 0) {
            return Err(malformed("has a negative number"));
        }
        let accounts = account.map(Vec::as_slice).into_iter().chain([self.owner()]);
        if accounts.map(tron::from_bytes).any(|address| address.is_none()) {
            return Err(malformed("has an address that is none"));
        }
        Ok(())
    }
}

impl Raw {
    /// Reads what is signed. Bytes that this crate would not write again in the same way are refused: a node might
    /// read in them what is not shown here.
    pub(super) fn read(bytes: &[u8]) -> Result<(Self, Operation), TransactionError> {
        let raw: Self = message(bytes)?;
        if raw.ref_block_bytes.len() != 2 || raw.ref_block_hash.len() != 8 {
            return Err(malformed("does not refer to a block"));
        }
        if raw.expiration <= 0 || raw.timestamp < 0 || raw.fee_limit < 0 {
            return Err(malformed("has a negative number"));
        }
        let contract = raw.contract.as_ref().ok_or_else(|| malformed("has no contract"))?;
        let operation = Operation::from_contract(contract)?;
        Ok((raw, operation))
    }
}

fn message<M: Message + Default>(bytes: &[u8]) -> Result<M, TransactionError> {
    let message = M::decode(bytes).map_err(|_| malformed("is not the protobuf message it must be"))?;
    if message.encode_to_vec() == bytes {
        Ok(message)
    } else {
        Err(malformed("is not written in the one canonical way, or has fields that are not read here"))
    }
}

pub(super) const fn malformed(reason: &'static str) -> TransactionError {
    TransactionError::Malformed { field: FIELD, reason }
}

#[cfg(test)]
mod tests;
