//! Cardano: a body of inputs, outputs, fee and last slot, and beside it the witnesses.
//!
//! A transaction is the CBOR list `[body, {0: [[key, signature]]}, true, auxiliary data or null]`; its id and what is
//! signed is BLAKE2b-256 of the body's bytes (the ledger's `conway.cddl`). The fee is what inputs have more than
//! outputs, and the body must say the same.
//!
//! An account is one enterprise address, so one signature covers all inputs.

mod body;
mod cbor;
mod check;
mod explain;
mod metadata;
pub(crate) mod payload;
mod plan;
mod prebuilt;

use crate::encoding::hex;
use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::hash::blake2b256;
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response};
use crate::signing::{Image, Verified};
use crate::thorchain_memo;
use crate::transaction::{Account, Signed, Unsigned};
use cbor::{NULL, TRUE, Writer};
use wire::node::Checked;

/// A transaction that pays. The bytes are kept as they are: they are what is hashed.
#[derive(Debug, Clone)]
pub(crate) struct Payment {
    body: Vec<u8>,
    auxiliary: Option<Vec<u8>>,
}

impl Unsigned for Payment {
    fn images(&self) -> Vec<Image> {
        vec![Image::Eddsa(blake2b256(&self.body).to_vec())]
    }

    fn assemble(&self, account: &Account, signatures: &[Verified]) -> Signed {
        let signature = match signatures {
            [Verified::Eddsa(signature)] => signature.as_slice(),
            _ => &[],
        };
        let witness = Writer::new().map(1).uint(0).array(1).array(2);
        let witness = witness.bytes(account.key.as_bytes()).bytes(signature).finish();
        let auxiliary = self.auxiliary.as_deref().unwrap_or(&[NULL]);
        let bytes = Writer::new().array(4).raw(&self.body).raw(&witness).raw(&[TRUE]).raw(auxiliary).finish();
        Signed { bytes, detached: None, id: hex(&blake2b256(&self.body)) }
    }

    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        explain::explain(self, account, facts)
    }

    fn wanted(&self, _: &Account) -> Vec<Wanted> {
        explain::memo(self).map(|memo| thorchain_memo::wanted(&memo)).unwrap_or_default()
    }

    fn check(&self, _: &Account, _: u32) -> Vec<Request> {
        check::ask(self)
    }

    fn read_check(&self, _: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, ahead, answers))
    }
}

#[cfg(test)]
mod tests;
