//! How much may be moved: by one transaction, and within a day.
//!
//! What leaves the vault counts, and what a spender may take. What a router takes by an allowance of the same
//! bundle was counted with the allowance and is not counted again.

use super::Case;
use super::findings::{Findings, quote};
use super::party::Party;
use super::spent::Spent;
use super::tools::applies;
use super::transaction::{self, Fault, Held, Move, ReadError, Transaction, Way, may_move_native, weighed};
use chains::{Amount, Chain};
use wire::explain::Effect;
use wire::policy::{Limit, ReasonCode};

/// A limit, read.
struct Bound<'a> {
    limit: &'a Limit,
    chain: Chain,
    per_transaction: Option<Amount>,
    per_day: Option<Amount>,
}

/// Moving more than a limit allows is blocked.
pub(super) fn limits(case: &Case<'_>, findings: &mut Findings) {
    for bound in bounds(case) {
        match bound {
            Ok(bound) => {
                bound.per_transaction(case, findings);
                bound.per_day(case, findings);
                bound.uncounted(case, findings);
            }
            Err(fault) => findings.add(ReasonCode::RuleError, fault.sequence, fault.message),
        }
    }
}

/// What the call uses of every daily limit: its record's key, and the record afterwards.
pub(super) fn uses(case: &Case<'_>) -> Vec<(String, Spent)> {
    let daily = bounds(case).filter_map(Result::ok).filter(|bound| bound.per_day.is_some());
    let used = daily.map(|bound| (key(bound.limit), bound.total(case)));
    used.filter(|(_, total)| !total.is_zero())
        .map(|(key, total)| {
            let spent = case.spent(&key).add(case.input.now, total);
            (key, spent)
        })
        .collect()
}

/// Under which key the use of a limit is kept.
fn key(limit: &Limit) -> String {
    format!("limit/{}", limit.id)
}

/// The limits that hold for the sender, where something is signed.
fn bounds<'a>(case: &Case<'a>) -> impl Iterator<Item = Result<Bound<'a>, Fault>> {
    let (source, signs) = (case.input.source, case.input.signing.is_some());
    case.input.rules.limits.iter().filter(move |limit| signs && applies(&limit.who, source)).map(|limit| {
        let read = |text: &Option<String>| text.as_deref().map(transaction::digits).transpose();
        let bound = || {
            Ok(Bound {
                limit,
                chain: transaction::chain(&limit.chain)?,
                per_transaction: read(&limit.per_transaction)?,
                per_day: read(&limit.per_day)?,
            })
        };
        bound().map_err(|problem: ReadError| {
            let message = format!("The limit {} cannot be read. {problem}", quote(&limit.id));
            Fault { sequence: None, message }
        })
    })
}

impl<'a> Bound<'a> {
    fn per_transaction(&self, case: &Case<'a>, findings: &mut Findings) {
        let Some(most) = self.per_transaction else { return };
        for transaction in self.transactions(case) {
            let endless = self.moves(transaction).any(Move::unlimited);
            let sum =
                self.moves(transaction).fold(Amount::ZERO, |sum, moved| sum.saturating_add(moved.amount));
            if endless || sum > most {
                let message =
                    format!("More is moved at once than the limit {} allows.", quote(&self.limit.id));
                findings.add(ReasonCode::OverTransactionLimit, Some(transaction.sequence), message);
            }
        }
    }

    fn per_day(&self, case: &Case<'a>, findings: &mut Findings) {
        let Some(most) = self.per_day else { return };
        let endless = self.transactions(case).any(|transaction| self.moves(transaction).any(Move::unlimited));
        let total = self.total(case);
        let before = case.spent(&key(self.limit)).within_day(case.input.now);
        if endless || (!total.is_zero() && before.saturating_add(total) > most) {
            let message =
                format!("More would be moved within a day than the limit {} allows.", quote(&self.limit.id));
            findings.add(ReasonCode::OverDailyLimit, None, message);
        }
    }

    /// What no limit can be held against: an effect that was not read whole and may move the asset.
    fn uncounted(&self, case: &Case<'a>, findings: &mut Findings) {
        for transaction in self.transactions(case) {
            let mut effects = transaction.decoded.explanation.effects.iter();
            let blind = |effect: &Effect| match self.limit.token {
                None => may_move_native(self.chain, effect),
                Some(_) => !weighed(effect),
            };
            if effects.any(blind) {
                let message = format!("The limit {} cannot be held against this.", quote(&self.limit.id));
                findings.add(ReasonCode::RuleError, Some(transaction.sequence), message);
            }
        }
    }

    /// Everything that the bundle moves, or lets others take.
    fn total(&self, case: &Case<'a>) -> Amount {
        let mut total = Amount::ZERO;
        let mut allowances: Vec<(Party<'a>, Amount)> = Vec::new();
        let moves = |transaction| self.moves(transaction).map(move |moved| (transaction, moved));
        for (transaction, moved) in self.transactions(case).flat_map(moves) {
            let mut amount = moved.amount;
            match moved.way {
                Way::Sent => {}
                Way::Allowed { spender, .. } => allowances.push((transaction.party(spender), amount)),
                Way::Sold(router) => {
                    for (spender, left) in &mut allowances {
                        if spender.is(self.chain, router) {
                            let taken = amount.min(*left);
                            *left -= taken;
                            amount -= taken;
                        }
                    }
                }
            }
            total = total.saturating_add(amount);
        }
        total
    }

    fn transactions<'c>(
        &self,
        case: &'c Case<'a>,
    ) -> impl Iterator<Item = &'c Transaction<'a>> + use<'c, 'a> {
        let chain = self.chain;
        case.transactions.iter().filter(move |transaction| transaction.chain == chain)
    }

    fn moves<'c>(&self, transaction: &'c Transaction<'a>) -> impl Iterator<Item = &'c Move<'a>> {
        transaction.moves.iter().filter(|moved| self.is(transaction, moved.asset))
    }

    fn is(&self, transaction: &Transaction<'a>, asset: Held<'a>) -> bool {
        match (asset, self.limit.token.as_deref()) {
            (Held::Native, None) => true,
            (Held::Token(found), Some(token)) => {
                found == token || transaction.party(found).is(self.chain, token)
            }
            _ => false,
        }
    }
}
