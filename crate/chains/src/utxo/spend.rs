//! A transaction with everything that its signatures depend on: the transaction and what each input spends.

use super::rules::{self, Rules};
use super::script::{address, pay_to, pay_to_key, pay_to_nested_key, pay_to_witness_key};
use super::tx::{OutPoint, Tx};
use super::{check, explain, sighash};
use crate::address::payee::Payee;
use crate::encoding::hex;
use crate::explain::Explanation;
use crate::facts::Facts;
use crate::order;
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response};
use crate::signing::{Image, Verified, der};
use crate::transaction::{Account, NetworkFacts, Signed, Unsigned};
use crate::{Chain, TransactionError, UtxoPrefixes};
use wire::node::Checked;

/// A transaction to be signed.
#[derive(Debug)]
pub(super) struct Spend {
    pub(super) rules: &'static Rules,
    pub(super) prefixes: UtxoPrefixes,
    /// The consensus branch of Zcash; nothing elsewhere.
    pub(super) branch: [u8; 4],
    pub(super) tx: Tx,
    /// What the inputs spend, in their order.
    pub(super) spent: Vec<Spent>,
    /// What the payload says that it is for, where it is a swap.
    pub(super) swap: Option<Purpose>,
}

/// An output that an input spends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) value: u64,
    pub(super) script: Vec<u8>,
    pub(super) lock: Lock,
}

/// What opens an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Lock {
    /// A signature by the key with this hash.
    Key([u8; 20]),
    /// The same, in the witness.
    WitnessKey([u8; 20]),
    /// The same, in the witness, with the program in the script.
    NestedKey([u8; 20]),
    /// Of another account; not signed here.
    Foreign,
}

/// Who runs a swap.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Purpose {
    /// THORChain or MayaChain: what is wanted stands in the memo.
    Memo(Chain),
    /// Others, who know it by the address that is paid.
    Deposit {
        /// Their name.
        provider: String,
        /// What is wanted.
        buy: Option<String>,
        /// For whom.
        recipient: Option<String>,
    },
}

/// The chain's rules and the account's own scripts.
#[derive(Debug)]
pub(super) struct Owner {
    pub(super) rules: &'static Rules,
    pub(super) prefixes: UtxoPrefixes,
    /// The script that the account's address stands for.
    pub(super) script: Vec<u8>,
    hash: [u8; 20],
}

impl Owner {
    /// From the account's address, which must pay to a key.
    pub(super) fn of(account: &Account) -> Result<Self, TransactionError> {
        let (rules, prefixes) = rules::of(account.chain)?;
        let payee = Payee::parse(&prefixes, &account.address)
            .map_err(|error| TransactionError::Address { field: "coin.address", error })?;
        let hash = match &payee {
            Payee::Key(hash) => Some(*hash),
            Payee::Witness { version: 0, program } => program.as_slice().try_into().ok(),
            _ => None,
        };
        let field = "coin.address";
        let hash = hash.ok_or(TransactionError::Malformed { field, reason: "does not pay to a key" })?;
        Ok(Self { rules, prefixes, script: pay_to(&payee), hash })
    }

    /// What opens an output with this script.
    pub(super) fn lock(&self, script: &[u8]) -> Lock {
        if script == pay_to_key(&self.hash) {
            Lock::Key(self.hash)
        } else if self.rules.segwit && script == pay_to_witness_key(&self.hash) {
            Lock::WitnessKey(self.hash)
        } else if self.rules.segwit && script == pay_to_nested_key(&self.hash) {
            Lock::NestedKey(self.hash)
        } else {
            Lock::Foreign
        }
    }

    /// The error that an output with this script is not the account's.
    pub(super) fn not_owned(&self, script: &[u8]) -> TransactionError {
        TransactionError::NotOwned { address: address(&self.prefixes, script).unwrap_or_else(|| hex(script)) }
    }

    /// The branch that enters Zcash's hashes; none is needed elsewhere.
    pub(super) fn branch(&self, facts: &NetworkFacts) -> Result<[u8; 4], TransactionError> {
        if self.rules.digest != rules::Digest::Zcash {
            return Ok([0; 4]);
        }
        facts.zcash_branch.ok_or(TransactionError::NetworkFactMissing { what: "the Zcash consensus branch" })
    }

    /// Puts a transaction together with what it spends, if the sums are right.
    pub(super) fn spend(
        &self,
        field: &'static str,
        branch: [u8; 4],
        tx: Tx,
        spent: Vec<Spent>,
    ) -> Result<Spend, TransactionError> {
        let malformed = |reason| TransactionError::Malformed { field, reason };
        let mut coins: Vec<OutPoint> = tx.inputs.iter().map(|input| input.previous).collect();
        order::sort_by_key(&mut coins, |coin| *coin);
        coins.dedup();
        if coins.len() != tx.inputs.len() {
            return Err(malformed("spends the same coin twice"));
        }
        if spent.len() != tx.inputs.len() || tx.outputs.is_empty() {
            return Err(malformed("has no outputs"));
        }
        let sent = sum(tx.outputs.iter().map(|output| output.value));
        let paid = sum(spent.iter().map(|spent| spent.value));
        match (sent, paid) {
            (Some(sent), Some(paid)) if sent <= paid => {}
            (Some(_), Some(_)) => return Err(TransactionError::InsufficientFunds),
            _ => return Err(TransactionError::Amount { field }),
        }
        Ok(Spend { rules: self.rules, prefixes: self.prefixes, branch, tx, spent, swap: None })
    }
}

/// A sum that the network can carry.
pub(super) fn sum(values: impl Iterator<Item = u64>) -> Option<u64> {
    let total = values.into_iter().try_fold(0_u64, u64::checked_add)?;
    i64::try_from(total).is_ok().then_some(total)
}

impl Spend {
    /// What the miner gets. Unknown with inputs of other accounts: their values are not signed.
    pub(super) fn fee(&self) -> Option<u64> {
        if self.spent.iter().any(|spent| spent.lock == Lock::Foreign) {
            return None;
        }
        let paid = sum(self.spent.iter().map(|spent| spent.value))?;
        paid.checked_sub(sum(self.tx.outputs.iter().map(|output| output.value))?)
    }
}

impl Unsigned for Spend {
    fn images(&self) -> Vec<Image> {
        sighash::digests(self).into_iter().map(Image::Ecdsa).collect()
    }

    fn assemble(&self, account: &Account, signatures: &[Verified]) -> Signed {
        let mut tx = self.tx.clone();
        let own = tx.inputs.iter_mut().zip(&self.spent).filter(|(_, spent)| spent.lock != Lock::Foreign);
        for ((input, spent), signature) in own.zip(signatures) {
            if let Verified::Ecdsa { r, s, .. } = signature {
                let signature = [der(r, s), vec![self.rules.hash_type]].concat();
                (input.script, input.witness) = sighash::show(spent.lock, &signature, account.key.as_bytes());
            }
        }
        let mut id = tx.id();
        id.reverse();
        Signed { bytes: tx.encode(), detached: None, id: hex(&id) }
    }

    fn explain(&self, account: &Account, _: Facts<'_>) -> Explanation {
        explain::explain(self, account)
    }

    fn check(&self, _: &Account, _: u32) -> Vec<Request> {
        check::ask(self)
    }

    fn read_check(&self, _: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, ahead, answers))
    }
}
