//! Trial runs: the transactions of a chain for its dialect, and what a node says of them in the wire's types, with the
//! names that effects have.

use super::transaction;
use crate::error::AnswerError;
use crate::explain::Words;
use crate::inspect;
use chains::facts::Facts;
use chains::names::Names;
use chains::rpc::{Change, Failure, Ran, Trial};
use chains::{Chain, Transaction, TransactionError};
use wire::node::{CheckRequest, NodeFact};
use wire::trial::{BalanceChange, TrialFailure, TrialOutcome};

/// The transactions of a trial run, all of them of one account of the chain.
pub(super) fn transactions(chain: Chain, requests: &[CheckRequest]) -> Result<Vec<Transaction>, AnswerError> {
    let transactions: Vec<Transaction> = requests.iter().map(transaction).collect::<Result<_, _>>()?;
    let first = transactions.first().map(Transaction::account);
    match transactions.iter().find(|one| one.account().chain != chain || Some(one.account()) != first) {
        Some(other) => {
            let (expected, found) = (chain.to_string(), other.account().chain.to_string());
            Err(TransactionError::ChainMismatch { expected, found }.into())
        }
        None => Ok(transactions),
    }
}

/// What came of it. A failure is of the step whose transaction fails.
pub(super) fn outcome(
    chain: Chain,
    trial: Trial,
    requests: &[CheckRequest],
    tokens: &[wire::signer::TokenName],
) -> TrialOutcome {
    let Ran { changes, fee, failure, transactions, gaps } = match trial {
        Trial::Ran(ran) => ran,
        Trial::NotRun(reason) => return TrialOutcome::NotRun { reason },
    };
    let own = inspect::own_names(chain, tokens);
    let facts: Vec<NodeFact> =
        requests.iter().flat_map(|request| request.step.network_facts.facts.iter().cloned()).collect();
    let words = Words(Names { chain, own: &own, facts: Facts(&facts) });
    let change = |Change { asset, direction, amount }: Change| BalanceChange {
        asset: words.asset(&asset),
        amount: words.quantity(&asset, amount),
        direction,
    };
    TrialOutcome::Ran {
        changes: changes.into_iter().map(change).collect(),
        fee: fee.map(|fee| words.coins(fee)),
        failure: failure.map(|Failure { place, reason }| TrialFailure {
            sequence: place.and_then(|place| requests.get(place)).map(|request| request.step.sequence),
            reason,
        }),
        transactions: u32::try_from(transactions).unwrap_or(u32::MAX),
        gaps,
    }
}
