//! Tron: a protobuf `Transaction` of `raw_data` (1) and signatures (2).
//!
//! `raw_data` refers to a recent block, expires, and holds one contract: a type number and an `Any` with the message of
//! that type, such as `TransferContract`. Addresses in it are 21 bytes, `0x41` and an EVM account's 20; amounts are in
//! sun, a millionth of a TRX. The schema is `core/Tron.proto` of java-tron.
//!
//! SHA-256 of `raw_data` is both what is signed and the transaction's id. A signature is `r ‖ s ‖ recovery id`, the
//! recovery id being 0 or 1.

mod check;
mod explain;
mod message;
pub(crate) mod payload;
mod swapkit;
mod trc20;

use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::hash::sha256;
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response};
use crate::signing::{Image, Verified};
use crate::transaction::{Account, Signed, Unsigned};
use crate::{TransactionError, encoding};
use message::{Operation, Raw};
use prost::Message as _;
use wire::node::Checked;

/// A transaction that was read back from the bytes that are signed.
#[derive(Debug)]
struct Tron {
    bytes: Vec<u8>,
    raw: Raw,
    operation: Operation,
}

impl Tron {
    /// Reads `raw_data`; the account that pays must be `account`.
    fn read(bytes: Vec<u8>, account: &Account) -> Result<Self, TransactionError> {
        let (raw, operation) = Raw::read(&bytes)?;
        let owner = crate::address::tron::from_bytes(operation.owner()).unwrap_or_default();
        account.check(&owner)?;
        Ok(Self { bytes, raw, operation })
    }
}

impl Unsigned for Tron {
    fn images(&self) -> Vec<Image> {
        vec![Image::Ecdsa(sha256(&self.bytes))]
    }

    fn assemble(&self, _: &Account, signatures: &[Verified]) -> Signed {
        let signature = signatures.iter().map(|signature| match signature {
            Verified::Ecdsa { r, s, recovery } => [r.as_slice(), s, &[*recovery]].concat(),
            Verified::Eddsa(bytes) => bytes.to_vec(),
        });
        let transaction = Envelope { raw_data: self.bytes.clone(), signature: signature.collect() };
        Signed { bytes: transaction.encode_to_vec(), detached: None, id: encoding::hex(&sha256(&self.bytes)) }
    }

    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        explain::explain(self, account, facts)
    }

    fn wanted(&self, _: &Account) -> Vec<Wanted> {
        explain::wanted(self)
    }

    fn check(&self, account: &Account, ahead: u32) -> Vec<Request> {
        check::ask(self, account, ahead)
    }

    fn read_check(&self, account: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, account, ahead, answers))
    }
}

/// `Transaction`, with `raw_data` as the bytes that were signed.
#[derive(Clone, PartialEq, Eq, prost::Message)]
struct Envelope {
    #[prost(bytes = "vec", tag = "1")]
    raw_data: Vec<u8>,
    #[prost(bytes = "vec", repeated, tag = "2")]
    signature: Vec<Vec<u8>>,
}
