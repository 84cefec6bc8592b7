//! The protobuf messages, and how their bytes are read back: strictly.

use crate::address::tron;
use crate::{TransactionError, encoding};
use prost::Message;

/// The field that errors name: what is signed, whoever wrote it.
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

/// A memo as text; in hex if it is none.
pub(super) fn text(bytes: &[u8]) -> String {
    let hex = || format!("0x{}", encoding::hex(bytes));
    str::from_utf8(bytes).map_or_else(|_| hex(), str::to_owned)
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
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn account() -> impl Strategy<Value = Vec<u8>> {
        any::<[u8; 20]>().prop_map(|account| [&[0x41], account.as_slice()].concat())
    }

    fn number() -> impl Strategy<Value = i64> {
        0..=i64::MAX
    }

    fn bytes() -> impl Strategy<Value = Vec<u8>> {
        prop::collection::vec(any::<u8>(), 0..100)
    }

    fn operation() -> impl Strategy<Value = Operation> {
        let stake = || {
            (account(), number(), 0..3).prop_map(|(owner, amount, resource)| Stake {
                owner,
                amount,
                resource,
            })
        };
        let trigger = (account(), account(), number(), bytes(), number(), number()).prop_map(
            |(owner, contract, call_value, data, call_token_value, token_id)| Trigger {
                owner,
                contract,
                call_value,
                data,
                call_token_value,
                token_id,
            },
        );
        prop_oneof![
            (account(), account(), number()).prop_map(|(owner, to, amount)| Operation::Transfer(Transfer {
                owner,
                to,
                amount
            })),
            (bytes(), account(), account(), number()).prop_map(|(asset_name, owner, to, amount)| {
                Operation::TransferAsset(TransferAsset { asset_name, owner, to, amount })
            }),
            trigger.prop_map(Operation::Trigger),
            stake().prop_map(Operation::Freeze),
            stake().prop_map(Operation::Unfreeze),
            account().prop_map(|owner| Operation::Withdraw(Withdraw { owner })),
        ]
    }

    fn raw() -> impl Strategy<Value = (Raw, Operation)> {
        let around = (any::<[u8; 2]>(), any::<[u8; 8]>(), 1..=i64::MAX, bytes(), number(), number());
        (around, operation()).prop_map(
            |((block, hash, expiration, data, timestamp, fee_limit), operation)| {
                let raw = Raw {
                    ref_block_bytes: block.to_vec(),
                    ref_block_hash: hash.to_vec(),
                    expiration,
                    data,
                    contract: Some(operation.to_contract()),
                    timestamp,
                    fee_limit,
                };
                (raw, operation)
            },
        )
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back((raw, operation) in raw()) {
            prop_assert_eq!(Raw::read(&raw.encode_to_vec()), Ok((raw, operation)));
        }

        /// What is read is exactly what is signed, or it is refused.
        #[test]
        fn any_bytes_are_refused_or_read_back(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            if let Ok((raw, _)) = Raw::read(&bytes) {
                prop_assert_eq!(raw.encode_to_vec(), bytes);
            }
        }

        #[test]
        fn a_changed_byte_is_refused_or_seen(
            (raw, operation) in raw(), place: prop::sample::Index, other in 1..=u8::MAX,
        ) {
            let mut bytes = raw.encode_to_vec();
            let place = place.index(bytes.len());
            bytes[place] ^= other;
            if let Ok(read) = Raw::read(&bytes) {
                prop_assert_ne!(read, (raw, operation));
            }
        }
    }

    fn refusal(change: impl Fn(&mut Raw)) -> String {
        let owner = [&[0x41], [7; 20].as_slice()].concat();
        let mut raw = Raw {
            ref_block_bytes: vec![1; 2],
            ref_block_hash: vec![2; 8],
            expiration: 9,
            contract: Some(Operation::Withdraw(Withdraw { owner }).to_contract()),
            ..Raw::default()
        };
        change(&mut raw);
        Raw::read(&raw.encode_to_vec()).map_or_else(|error| error.to_string(), |_| "read".to_owned())
    }

    #[test]
    fn each_rule_has_its_refusal() {
        assert_eq!(refusal(|_| ()), "read");
        assert_eq!(refusal(|raw| raw.ref_block_hash.push(0)), "raw_data does not refer to a block");
        assert_eq!(refusal(|raw| raw.expiration = 0), "raw_data has a negative number");
        assert_eq!(refusal(|raw| raw.fee_limit = -1), "raw_data has a negative number");
        assert_eq!(refusal(|raw| raw.contract = None), "raw_data has no contract");
        let foreign = |kind| {
            move |raw: &mut Raw| {
                if let Some(contract) = &mut raw.contract {
                    contract.kind = kind;
                }
            }
        };
        assert_eq!(refusal(foreign(4)), "WithdrawExpireUnfreezeContract transactions are not signed here");
        assert_eq!(refusal(foreign(54)), "raw_data names one contract and carries another");
        let to_nobody = |raw: &mut Raw| {
            let transfer = Transfer { owner: vec![0x41; 21], to: vec![0x42; 21], amount: 1 };
            raw.contract = Some(Operation::Transfer(transfer).to_contract());
        };
        assert_eq!(refusal(to_nobody), "raw_data has an address that is none");
    }

    /// A permission id, a second contract, scripts: a node would read them, so they must not pass unseen.
    #[test]
    fn fields_that_are_not_shown_are_refused() {
        let owner = [&[0x41], [7; 20].as_slice()].concat();
        let contract = Operation::Withdraw(Withdraw { owner }).to_contract();
        let raw = Raw {
            ref_block_bytes: vec![1; 2],
            ref_block_hash: vec![2; 8],
            expiration: 9,
            contract: Some(contract.clone()),
            ..Raw::default()
        };
        let bytes = raw.encode_to_vec();
        let scripts = [bytes.as_slice(), &[0x62, 1, 1]].concat();
        let twice = Raw { contract: Some(contract), ..Raw::default() }.encode_to_vec();
        for added in [scripts, [bytes.as_slice(), &twice].concat(), [bytes.as_slice(), &[0x70, 0]].concat()] {
            assert!(Raw::read(&added).is_err());
        }
    }
}
