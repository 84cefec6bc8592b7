//! Sui: a programmable transaction in BCS, and beside it one signature.
//!
//! ```text
//! TransactionData   00 (V1) ‖ 00 (programmable) ‖ inputs ‖ commands ‖ sender ‖ gas ‖ expiration
//! inputs            values (BCS inside BCS) and references to objects: id ‖ version ‖ digest
//! commands          MoveCall, TransferObjects, SplitCoins, MergeCoins, Publish, MakeMoveVec, Upgrade
//! gas               coins that pay ‖ owner ‖ price ‖ budget
//! signed            blake2b-256(00 00 00 ‖ TransactionData): the intent "transaction, version 0, Sui"
//! signature         00 (Ed25519) ‖ 64 bytes ‖ public key
//! id                base58(blake2b-256("TransactionData::" ‖ TransactionData))
//! ```
//!
//! The types are those of `sui-types/src/transaction.rs`; BCS is at <https://github.com/diem/bcs>.

#[cfg(test)]
mod arbitrary;
mod bcs;
mod check;
mod command;
mod data;
mod explain;
pub mod json;
mod known;
pub(crate) mod payload;
pub(crate) mod raw;
mod select;
#[cfg(test)]
mod tests;
mod trial;
mod type_tag;

use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response, Trial};
use crate::signing::{Image, Verified};
use crate::transaction::{Account, Signed, Transaction, Unsigned};
use crate::{TransactionError, encoding, hash};
use data::{Address, Input, TransactionData, full};
use wire::node::{Checked, FactQuery};

/// The intent of a transaction: scope, version, application.
const INTENT: [u8; 3] = [0, 0, 0];
/// The flag of an Ed25519 signature.
const ED25519: u8 = 0x00;
/// What the id's digest begins with.
const ID_PREFIX: &[u8] = b"TransactionData::";
/// The digest of mainnet's first checkpoint, by which newer expirations name the chain.
const MAINNET: &str = "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S";
/// SUI as a coin type.
const NATIVE: &str = "0x2::sui::SUI";

/// A transaction to sign.
#[derive(Debug)]
struct Programmable(TransactionData);

impl Programmable {
    /// Reads prebuilt bytes. They must be sent and paid for by `account`.
    fn read(field: &'static str, bytes: &[u8], account: &Account) -> Result<Self, TransactionError> {
        let transaction = Self::read_any(field, bytes, account)?;
        account.check(&full(&transaction.0.sender))?;
        Ok(transaction)
    }

    /// As [`read`](Self::read), for any sender: `sign_sui` is signed as it stands. A signature by another key
    /// than the sender's moves nothing but as a part of a multisignature, so the explanation names the sender.
    fn read_any(field: &'static str, bytes: &[u8], account: &Account) -> Result<Self, TransactionError> {
        let data = TransactionData::decode(field, bytes)?;
        if data.gas.owner != data.sender {
            return Err(TransactionError::Unsupported { what: "a sponsored Sui transaction" });
        }
        if let Some(chain) = data.expiration.chain() {
            let found = bs58::encode(chain).into_string();
            if found != MAINNET {
                let expected = account.chain.to_string();
                return Err(TransactionError::ChainMismatch { expected, found });
            }
        }
        Ok(Self(data))
    }
}

impl Unsigned for Programmable {
    fn images(&self) -> Vec<Image> {
        let message = [&INTENT[..], &self.0.encode()].concat();
        vec![Image::Eddsa(hash::blake2b256(&message).to_vec())]
    }

    fn payer(&self, _: &Account) -> String {
        full(&self.0.sender)
    }

    fn assemble(&self, account: &Account, signatures: &[Verified]) -> Signed {
        let bytes = self.0.encode();
        let mut detached = vec![ED25519];
        for signature in signatures {
            if let Verified::Eddsa(signature) = signature {
                detached.extend(signature);
            }
        }
        detached.extend(account.key.as_bytes());
        let id = bs58::encode(hash::blake2b256(&[ID_PREFIX, &bytes].concat())).into_string();
        Signed { bytes, detached: Some(detached), id }
    }

    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        explain::explain(&self.0, account, facts)
    }

    /// A reference to an object says neither what it is nor how much is in it.
    fn wanted(&self, account: &Account) -> Vec<Wanted> {
        let objects = self.0.inputs.iter().filter_map(|input| match input {
            Input::Owned(object) => Some(full(&object.id)),
            _ => None,
        });
        objects.map(|id| Wanted { chain: account.chain, query: FactQuery::CoinObject { id } }).collect()
    }

    fn check(&self, _: &Account, _: u32) -> Vec<Request> {
        check::ask(&self.0)
    }

    fn read_check(&self, _: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(&self.0, ahead, answers))
    }

    fn trial(&self, _: &Account, _: &[Transaction]) -> Vec<Request> {
        trial::ask(&self.0)
    }

    fn read_trial(&self, _: &Account, later: &[Transaction], answers: &[Response]) -> Trial {
        trial::read(&self.0, later.len(), answers)
    }
}

/// Whether bytes are a transaction, with or without the intent before it.
pub(crate) fn is_transaction(bytes: &[u8]) -> bool {
    let behind = bytes.strip_prefix(&INTENT).unwrap_or_default();
    [bytes, behind].into_iter().any(|bytes| TransactionData::decode("message", bytes).is_ok())
}

/// A type of coin in the spelling that explanations use; `None` if it is none.
pub(crate) fn type_name(text: &str) -> Option<String> {
    match type_tag::TypeTag::parse(text)? {
        tag @ type_tag::TypeTag::Struct(_) => Some(tag.text()),
        _ => None,
    }
}

/// The type of coin that an object of this type holds, in the spelling that explanations use; `None` if it is no coin.
pub(crate) fn coin_type(object_type: &str) -> Option<String> {
    type_tag::TypeTag::parse(object_type)?.coin().map(type_tag::TypeTag::text)
}

/// The bytes of an address or of an object's name in full length.
fn address(field: &'static str, text: &str) -> Result<Address, TransactionError> {
    let text = crate::address::normalise(crate::Chain::Sui, text)
        .map_err(|error| TransactionError::Address { field, error })?;
    encoding::array_from_hex(field, &text)
}
