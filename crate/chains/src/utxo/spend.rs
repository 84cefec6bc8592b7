//! A transaction with everything that its signatures depend on: the transaction and what each input spends.

use super::rules::{self, Rules};
use super::script::{address, pay_to, pay_to_key, pay_to_nested_key, pay_to_witness_key, read_text};
use super::tx::{OutPoint, Tx};
use super::{check, explain, previous, sighash};
use crate::address::payee::Payee;
use crate::encoding::{hex, plain_text};
use crate::explain::Explanation;
use crate::facts::{Facts, Wanted};
use crate::order;
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response};
use crate::signing::{Image, Verified, der};
use crate::thorchain_memo;
use crate::transaction::{Account, NetworkFacts, Signed, Unsigned};
use crate::{TransactionError, UtxoPrefixes};
use wire::node::{Checked, FactQuery};

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
}

/// An output that an input spends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) value: u64,
    pub(super) value_from: ValueFrom,
    pub(super) script: Vec<u8>,
    pub(super) lock: Lock,
}

/// Where the value of an output is known from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ValueFrom {
    /// The signature covers it: with another value it is worthless.
    Signature,
    /// The transaction that made the output is in the request, and its hash is the id that is spent from.
    EarlierTransaction,
    /// The request says so.
    Claim,
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

    /// An output of the account's or of another's, whose value is stated in the request.
    pub(super) const fn spent(&self, value: u64, script: Vec<u8>, lock: Lock) -> Spent {
        let value_from = match (self.rules.digest, lock) {
            (rules::Digest::Bitcoin, Lock::Key(_)) | (_, Lock::Foreign) => ValueFrom::Claim,
            _ => ValueFrom::Signature,
        };
        Spent { value, value_from, script, lock }
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
        let what = || "the Zcash consensus branch".to_owned();
        facts.zcash_branch.ok_or_else(|| TransactionError::NetworkFactMissing { what: what() })
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
        Ok(Spend { rules: self.rules, prefixes: self.prefixes, branch, tx, spent })
    }
}

/// A sum that the network can carry.
pub(super) fn sum(values: impl Iterator<Item = u64>) -> Option<u64> {
    let total = values.into_iter().try_fold(0_u64, u64::checked_add)?;
    i64::try_from(total).is_ok().then_some(total)
}

impl Spend {
    /// What the miner gets, where every value is known. With inputs of other accounts it is not: nothing proves theirs.
    pub(super) fn fee(&self, facts: Facts<'_>) -> Option<u64> {
        let values = self.tx.inputs.iter().zip(&self.spent).map(|(input, spent)| match spent.value_from {
            ValueFrom::Signature | ValueFrom::EarlierTransaction => Some(spent.value),
            ValueFrom::Claim if spent.lock == Lock::Foreign => None,
            ValueFrom::Claim => {
                let OutPoint { id, index } = &input.previous;
                previous::known(facts, id, *index).map(|output| output.value)
            }
        });
        let paid = sum(values.collect::<Option<Vec<_>>>()?.into_iter())?;
        paid.checked_sub(sum(self.tx.outputs.iter().map(|output| output.value))?)
    }

    /// The account's inputs whose values are claims.
    fn unproven(&self) -> impl Iterator<Item = (&OutPoint, &Spent)> {
        let inputs = self.tx.inputs.iter().map(|input| &input.previous).zip(&self.spent);
        inputs.filter(|(_, spent)| spent.value_from == ValueFrom::Claim && spent.lock != Lock::Foreign)
    }

    /// The texts that it carries.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.tx.outputs.iter().filter_map(|output| read_text(&output.script)).filter_map(plain_text)
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

    fn explain(&self, account: &Account, facts: Facts<'_>) -> Explanation {
        explain::explain(self, account, facts)
    }

    fn wanted(&self, account: &Account) -> Vec<Wanted> {
        let asked = |(coin, _): (&OutPoint, _)| {
            let query = FactQuery::PreviousTransaction { id: coin.shown_id(), json_rpc: false };
            Wanted { chain: account.chain, query }
        };
        self.unproven().map(asked).chain(self.texts().flat_map(thorchain_memo::wanted)).collect()
    }

    /// A signature that does not cover what is spent would let any value between the claimed and the real one go to the
    /// miner: the earlier transactions must say what the request says.
    fn check_facts(&self, _: &Account, facts: Facts<'_>) -> Result<(), TransactionError> {
        for (coin, spent) in self.unproven() {
            let what = || format!("the value of the coin {}:{}", coin.shown_id(), coin.index);
            let output = previous::known(facts, &coin.id, coin.index);
            let output = output.ok_or_else(|| TransactionError::NetworkFactMissing { what: what() })?;
            if output.script != spent.script {
                let address = address(&self.prefixes, &output.script);
                let address = address.unwrap_or_else(|| hex(&output.script));
                return Err(TransactionError::NotOwned { address });
            }
            if output.value != spent.value {
                return Err(TransactionError::Unsafe {
                    what: "a coin has another value than the request says",
                });
            }
        }
        Ok(())
    }

    fn check(&self, _: &Account, _: u32) -> Vec<Request> {
        check::ask(self)
    }

    fn read_check(&self, account: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, account, ahead, answers))
    }
}
