//! The XRP ledger: a transaction is an object of numbered fields, and the signature is one of them.
//!
//! ```text
//! transaction   fields in the order of their numbers (see `object`)
//! signed        first half of SHA-512("STX\0" ‖ transaction without TxnSignature)
//! signature     ECDSA in DER, low S, as the field TxnSignature; the key is the field SigningPubKey
//! id            first half of SHA-512("TXN\0" ‖ transaction), in upper case
//! ```
//!
//! Rule: xrpl.org, "Serialization Format" and "Cryptographic Keys". There is no raw form here (D14): another sender's
//! transaction comes as JSON in `sign_ripple`.

mod amount;
#[cfg(test)]
mod arbitrary;
mod check;
mod explain;
mod fields;
mod json;
mod object;
mod parties;
pub(crate) mod payload;
mod payment;
#[cfg(test)]
mod tests;

use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response};
use crate::signing::{Image, Verified, der};
use crate::transaction::{Account, Signed, Unsigned};
use crate::{TransactionError, encoding, hash};
use object::{Object, Value};
use wire::node::Checked;

/// An account's 20 bytes.
type AccountId = [u8; 20];

const SIGN_PREFIX: &[u8] = b"STX\0";
const ID_PREFIX: &[u8] = b"TXN\0";

/// A transaction to sign: its bytes, and what was read back from them.
#[derive(Debug)]
struct Prepared {
    bytes: Vec<u8>,
    object: Object,
}

impl Prepared {
    /// Writes the fields and reads them back: what is shown comes from the bytes.
    fn new(mut fields: Object) -> Result<Self, TransactionError> {
        object::sort(&mut fields);
        let bytes = object::encode(&fields);
        let object = object::decode(&bytes)?;
        if object != fields {
            let field = "transaction";
            return Err(TransactionError::Malformed { field, reason: "is not the same when read back" });
        }
        Ok(Self { bytes, object })
    }
}

impl Unsigned for Prepared {
    fn images(&self) -> Vec<Image> {
        vec![Image::Ecdsa(hash::sha512_half(&[SIGN_PREFIX, &self.bytes].concat()))]
    }

    fn payer(&self, _: &Account) -> String {
        explain::address(&self.object, "Account")
    }

    fn assemble(&self, _: &Account, signatures: &[Verified]) -> Signed {
        let mut fields = self.object.clone();
        if let (Some(Verified::Ecdsa { r, s, .. }), Some(field)) =
            (signatures.first(), fields::named("TxnSignature"))
        {
            fields.push((field, Value::Blob(der(r, s))));
        }
        object::sort(&mut fields);
        let bytes = object::encode(&fields);
        let id = encoding::hex(&hash::sha512_half(&[ID_PREFIX, &bytes].concat())).to_ascii_uppercase();
        Signed { bytes, detached: None, id }
    }

    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        explain::explain(&self.object, account, facts)
    }

    fn wanted(&self, _: &Account) -> Vec<Wanted> {
        explain::wanted(&self.object)
    }

    fn check(&self, account: &Account, _: u32) -> Vec<Request> {
        check::ask(account)
    }

    fn read_check(&self, account: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, account, ahead, answers))
    }
}

fn account_id(field: &'static str, text: &str) -> Result<AccountId, TransactionError> {
    crate::address::ripple::decode(text).map_err(|error| TransactionError::Address { field, error })
}

fn account_text(account: &AccountId) -> String {
    crate::address::ripple::of_key_hash(account)
}
