//! TON: a signed letter to one's own wallet contract, which then sends messages.
//!
//! The wallet (V4R2) takes an external message whose body is
//! `signature (512) ‖ subwallet (32) ‖ valid until (32) ‖ sequence number (32) ‖ 0 (8) ‖ {mode (8), ^message}`, with
//! one to four messages. What is signed is the hash of the cell that holds the body without its signature. The first
//! letter brings the contract's code and data along, because the contract is not there yet.
//!
//! Layouts are those of TON's `block.tlb` and of the wallet's source; comments, jettons and items are TEP-74 and
//! TEP-62. A body stands in a cell of its own, also where it would fit: another form has another hash.

mod boc;
mod cell;
mod check;
mod explain;
mod message;
pub(crate) mod payload;
mod wallet;

use crate::encoding::hex;
use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response};
use crate::signing::{Image, Verified};
use crate::transaction::{Account, Signed, Unsigned};
use cell::{AccountId, Builder, Cell};
use wire::node::Checked;

/// The letter to the wallet contract.
#[derive(Debug, Clone)]
pub(crate) struct Letter {
    /// What is signed.
    body: Cell,
    /// The wallet that it is sent to.
    wallet: AccountId,
    /// Its code and data, as long as it has sent nothing.
    state_init: Option<Cell>,
}

impl Unsigned for Letter {
    fn images(&self) -> Vec<Image> {
        vec![Image::Eddsa(self.body.hash().to_vec())]
    }

    /// `ext_in_msg_info$10`, no source, the wallet, no import fee; state and body by reference.
    fn assemble(&self, _: &Account, signatures: &[Verified]) -> Signed {
        let signature = match signatures {
            [Verified::Eddsa(signature)] => signature.as_slice(),
            _ => &[],
        };
        let body = Builder::new().bytes(signature).slice(&self.body.slice()).fixed();
        let head = Builder::new().uint(0b1000, 4).address(&self.wallet).coins(0);
        let head = match &self.state_init {
            Some(state) => head.bit(true).bit(true).reference(state),
            None => head.bit(false),
        };
        let message = head.bit(true).reference(&body).fixed();
        Signed { bytes: boc::encode(&message), detached: None, id: hex(&message.hash()) }
    }

    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        explain::explain(self, account, facts)
    }

    fn wanted(&self, _: &Account) -> Vec<Wanted> {
        explain::wanted(self)
    }

    fn check(&self, account: &Account, _: u32) -> Vec<Request> {
        check::ask(account)
    }

    fn read_check(&self, account: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, account, ahead, answers))
    }
}

#[cfg(test)]
mod tests;
