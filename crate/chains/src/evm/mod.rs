//! EVM chains: fourteen networks, one form of transaction, distinguished by the signed chain id.
//!
//! | envelope | bytes that are hashed | rule |
//! |---|---|---|
//! | legacy | `rlp [nonce, gasPrice, gas, to, value, data, chainId, 0, 0]` | EIP-155 |
//! | `01` | `01 ‖ rlp [chainId, nonce, gasPrice, gas, to, value, data, accessList]` | EIP-2930 |
//! | `02` | `02 ‖ rlp [chainId, nonce, maxPriorityFee, maxFee, gas, to, value, data, accessList]` | EIP-1559 |
//!
//! Unsigned legacy bytes may also come without their last three items; the chain id then stands beside them (D16) and
//! the nine items are hashed.
//!
//! The image is keccak256 of these bytes. Signed, a typed envelope has `[yParity, r, s]` at the end of its list; a
//! legacy one has `[v, r, s]` with `v = chainId·2 + 35 + yParity` in place of its last three items. The id is keccak256
//! of the signed bytes. The sender is not written anywhere: it follows from the signature. `to` is empty where a
//! contract is created.
//!
//! An access list is `[[address, [storage key, …]], …]`.

mod abi;
mod bridge;
mod build;
mod call;
mod check;
mod deposit;
mod effects;
mod functions;
mod ledger;
mod lending;
pub(crate) mod logs;
pub(crate) mod payload;
mod program;
pub(crate) mod raw;
mod rlp;
mod swap;
mod token;
mod trial;

pub use build::unsigned;
pub(crate) use check::{reason, verdict};

use crate::explain::{Explanation, Fee};
use crate::facts::{Facts, Wanted};
use crate::hash::keccak256;
use crate::rpc::{Request, Response, Trial, check::conclude};
use crate::signing::{Image, Verified};
use crate::transaction::{Account, Signed, Transaction, Unsigned};
use crate::{Amount, TransactionError, encoding};
use rlp::{Items, List};
use wire::node::Checked;

/// What the raw bytes are called in errors.
const FIELD: &str = "unsigned_tx_hex";

/// An account or a contract.
type Address = [u8; 20];

/// Which of the three envelopes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Envelope {
    Legacy,
    AccessList,
    DynamicFee,
}

/// A contract whose storage is read, paid for in advance.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Access {
    address: Address,
    keys: Vec<[u8; 32]>,
}

/// Everything that is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Fields {
    envelope: Envelope,
    chain_id: u64,
    nonce: u64,
    /// The most that is paid to the block's maker for one unit of gas; only with [`Envelope::DynamicFee`].
    priority_fee: Amount,
    /// The most that is paid for one unit of gas.
    max_fee: Amount,
    gas_limit: u64,
    to: Option<Address>,
    value: Amount,
    data: Vec<u8>,
    access_list: Vec<Access>,
}

impl Fields {
    /// The call that it is; none without data, or without a contract.
    pub(crate) fn contract_call(&self, from: &str) -> Option<wire::descriptor::CallData> {
        let to = self.to.filter(|_| !self.data.is_empty())?;
        Some(wire::descriptor::CallData {
            chain_id: self.chain_id,
            from: from.to_owned(),
            to: crate::address::evm::encode(&to),
            value: self.value.to_string(),
            data: format!("0x{}", crate::encoding::hex(&self.data)),
        })
    }
}

/// A transaction to be signed.
#[derive(Debug)]
struct EvmTransaction {
    fields: Fields,
}

impl Envelope {
    /// As `chain_context.tx_type` names it.
    const fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::AccessList => "eip2930",
            Self::DynamicFee => "eip1559",
        }
    }
}

impl Fields {
    /// Reads the bytes that are hashed. Types that are known and not signed here have their own error. `stated` is the
    /// chain id beside the bytes: legacy bytes of six items have none of their own (D16).
    fn decode(bytes: &[u8], stated: Option<u64>) -> Result<Self, TransactionError> {
        let reason = "is not an EVM transaction";
        match bytes.split_first() {
            Some((0x01, list)) => Self::decode_typed(Envelope::AccessList, list),
            Some((0x02, list)) => Self::decode_typed(Envelope::DynamicFee, list),
            Some((kind @ 0x00..=0x7f, list)) => Err(raw::unsupported(*kind, list)),
            Some((0xc0..=0xff, _)) => Self::decode_legacy(bytes, stated),
            _ => Err(TransactionError::Malformed { field: FIELD, reason }),
        }
    }

    fn decode_typed(envelope: Envelope, list: &[u8]) -> Result<Self, TransactionError> {
        let mut items = Items::of_list(FIELD, list)?;
        let chain_id = items.number64()?;
        let nonce = nonce(&mut items)?;
        let tip = matches!(envelope, Envelope::DynamicFee).then(|| items.number()).transpose()?;
        let fields = Self {
            envelope,
            chain_id,
            nonce,
            priority_fee: tip.unwrap_or_default(),
            max_fee: items.number()?,
            gas_limit: items.number64()?,
            to: to(&mut items)?,
            value: items.number()?,
            data: items.string()?.to_vec(),
            access_list: access_list(items.list()?)?,
        };
        if items.is_empty() { Ok(fields) } else { Err(items.malformed("has more fields than its type")) }
    }

    fn decode_legacy(bytes: &[u8], stated: Option<u64>) -> Result<Self, TransactionError> {
        let mut items = Items::of_list(FIELD, bytes)?;
        let mut fields = Self {
            envelope: Envelope::Legacy,
            chain_id: 0,
            nonce: nonce(&mut items)?,
            priority_fee: Amount::ZERO,
            max_fee: items.number()?,
            gas_limit: items.number64()?,
            to: to(&mut items)?,
            value: items.number()?,
            data: items.string()?.to_vec(),
            access_list: Vec::new(),
        };
        if items.is_empty() {
            fields.chain_id = stated.ok_or(TransactionError::Missing { field: "chain_context.chain_id" })?;
            return Ok(fields);
        }
        fields.chain_id = items.number64()?;
        if !items.string()?.is_empty() || !items.string()?.is_empty() {
            return Err(items.malformed("is signed already"));
        }
        items.finish()?;
        Ok(fields)
    }

    /// The list that both the hashed and the signed bytes begin with.
    fn list(&self) -> List {
        let mut list = List::default();
        if self.envelope != Envelope::Legacy {
            list.number(Amount::from(self.chain_id));
        }
        list.number(Amount::from(self.nonce));
        if self.envelope == Envelope::DynamicFee {
            list.number(self.priority_fee);
        }
        list.number(self.max_fee).number(Amount::from(self.gas_limit));
        list.string(self.to.as_ref().map_or(&[], Address::as_slice)).number(self.value).string(&self.data);
        if self.envelope != Envelope::Legacy {
            list.list(&self.encode_access_list());
        }
        list
    }

    fn encode_access_list(&self) -> List {
        let mut list = List::default();
        for access in &self.access_list {
            let mut keys = List::default();
            access.keys.iter().for_each(|key| {
                keys.string(key);
            });
            let mut entry = List::default();
            entry.string(&access.address).list(&keys);
            list.list(&entry);
        }
        list
    }

    /// Puts the list behind the byte that names its type.
    fn envelop(&self, list: &List) -> Vec<u8> {
        let mut bytes = match self.envelope {
            Envelope::Legacy => Vec::new(),
            Envelope::AccessList => vec![0x01],
            Envelope::DynamicFee => vec![0x02],
        };
        list.write(&mut bytes);
        bytes
    }

    /// The bytes that are hashed.
    fn encode(&self) -> Vec<u8> {
        let mut list = self.list();
        if self.envelope == Envelope::Legacy {
            list.number(Amount::from(self.chain_id)).string(&[]).string(&[]);
        }
        self.envelop(&list)
    }

    fn hash(&self) -> [u8; 32] {
        keccak256(&self.encode())
    }

    /// The bytes that are sent.
    fn encode_signed(&self, odd: bool, r: &[u8; 32], s: &[u8; 32]) -> Vec<u8> {
        let parity = Amount::from(u8::from(odd));
        let v = match self.envelope {
            Envelope::Legacy => Amount::from(self.chain_id) * Amount::from(2) + Amount::from(35) + parity,
            Envelope::AccessList | Envelope::DynamicFee => parity,
        };
        let mut list = self.list();
        list.number(v).number(Amount::from_be_bytes(*r)).number(Amount::from_be_bytes(*s));
        self.envelop(&list)
    }
}

/// EIP-2681: no account gets as far as 2⁶⁴ − 1.
fn nonce(items: &mut Items<'_>) -> Result<u64, TransactionError> {
    match items.number64()? {
        u64::MAX => Err(items.malformed("has a nonce that no account can have")),
        nonce => Ok(nonce),
    }
}

fn to(items: &mut Items<'_>) -> Result<Option<Address>, TransactionError> {
    match items.string()? {
        [] => Ok(None),
        bytes => bytes.try_into().map(Some).map_err(|_| items.malformed("has a receiver that is no address")),
    }
}

fn access_list(mut list: Items<'_>) -> Result<Vec<Access>, TransactionError> {
    let mut accesses = Vec::new();
    while !list.is_empty() {
        let mut entry = list.list()?;
        let address = entry.array()?;
        let mut keys = Vec::new();
        let mut items = entry.list()?;
        while !items.is_empty() {
            keys.push(items.array()?);
        }
        entry.finish()?;
        accesses.push(Access { address, keys });
    }
    Ok(accesses)
}

impl Unsigned for EvmTransaction {
    fn images(&self) -> Vec<Image> {
        vec![Image::Ecdsa(self.fields.hash())]
    }

    /// A recovery id of 2 or 3 has no place on these chains; the network would refuse it.
    fn assemble(&self, _: &Account, signatures: &[Verified]) -> Signed {
        let bytes = match signatures {
            [Verified::Ecdsa { r, s, recovery }] => self.fields.encode_signed(recovery & 1 == 1, r, s),
            _ => Vec::new(),
        };
        let id = format!("0x{}", encoding::hex(&keccak256(&bytes)));
        Signed { bytes, detached: None, id }
    }

    /// The fee is what the gas limit allows; rollups charge a little more for their data on the chain below.
    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        let fields = &self.fields;
        let (reading, memo) = effects::of(fields, account, facts);
        Explanation {
            chain: account.chain,
            from: account.address.clone(),
            target: fields.to.filter(|_| !fields.data.is_empty()).map(|to| crate::address::evm::encode(&to)),
            effects: reading.effects,
            memo,
            parties: reading.parties,
            fee: Fee::AtMost(fields.max_fee.saturating_mul(Amount::from(fields.gas_limit))),
            gas_limit: Some(fields.gas_limit),
            nonce: Some(fields.nonce),
        }
    }

    fn wanted(&self, account: &Account) -> Vec<Wanted> {
        effects::wanted(&self.fields, account)
    }

    fn check(&self, account: &Account, ahead: u32) -> Vec<Request> {
        check::ask(&self.fields, account, ahead)
    }

    fn read_check(&self, account: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(&self.fields, account, ahead, answers))
    }

    fn trial(&self, account: &Account, later: &[Transaction]) -> Vec<Request> {
        trial::ask(self, account, later)
    }

    fn read_trial(&self, account: &Account, later: &[Transaction], answers: &[Response]) -> Trial {
        trial::read(self, account, later, answers)
    }

    fn evm_fields(&self) -> Option<&Fields> {
        Some(&self.fields)
    }
}

/// How many items the bytes have, if they are one list of RLP and nothing else.
pub(crate) fn list_items(bytes: &[u8]) -> Option<usize> {
    Items::of_list(FIELD, bytes).ok()?.count().ok()
}

/// Whether bytes have the form of a transaction, of any type, signed or not.
pub(crate) fn looks_like_transaction(bytes: &[u8]) -> bool {
    let list = match bytes.split_first() {
        Some((0x00..=0x7f, list)) => list,
        _ => bytes,
    };
    list_items(list).is_some_and(|items| items >= 6)
}

/// What a call of a contract does that another account than the signer's own makes.
pub(crate) fn explain_call(
    account: &Account,
    facts: Facts<'_>,
    (to, value, data): (Address, Amount, &[u8]),
) -> (Vec<crate::explain::Effect>, Vec<crate::explain::Party>) {
    let (reading, _) = effects::of(&plain_call(to, value, data), account, facts);
    (reading.effects, reading.parties)
}

/// What nodes are asked about such a call.
pub(crate) fn wanted_by_call(account: &Account, (to, value, data): (Address, Amount, &[u8])) -> Vec<Wanted> {
    effects::wanted(&plain_call(to, value, data), account)
}

fn plain_call(to: Address, value: Amount, data: &[u8]) -> Fields {
    Fields {
        envelope: Envelope::Legacy,
        chain_id: 0,
        nonce: 0,
        priority_fee: Amount::ZERO,
        max_fee: Amount::ZERO,
        gas_limit: 0,
        to: Some(to),
        value,
        data: data.to_vec(),
        access_list: Vec::new(),
    }
}

#[cfg(test)]
mod tests;
