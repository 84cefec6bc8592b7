//! Which coins are spent, what the miner gets and what comes back: the same for every signer of a payload.
//!
//! The rules are those of the library that the other signers use; two signers who plan differently sign different
//! transactions. Sizes are estimates: a SegWit input counts 101.25 bytes, another 148, an output 31 or 34.
//!
//! 1. Coins below dust are left alone. An amount of all there is, or more, means everything.
//! 2. Ascending by value, the fewest neighbours that cover amount, fee and dust, those closest to twice the amount
//!    first; without dust if there are none; else all.
//! 3. The fee is that of the transaction as it would be with change (SegWit: its real size), and change below dust
//!    goes to the miner as well.
//!
//! Zcash pays by actions (ZIP-317) and not by bytes; where a memo makes more actions of one output than the estimate
//! knows of, the plan is recomputed by bytes with a rate that covers them.

use super::rules::{Digest, Rules};
use super::script;
use super::spend::sum;
use super::tx::{OutPoint, size_length};
use crate::TransactionError;
use crate::order;

/// Above this, coins are taken in their order instead of compared.
const MANY: usize = 1000;
/// No transaction has more inputs.
const MOST: usize = 3000;
/// ZIP-317: what an action costs, and how many are charged at least.
const ACTION_FEE: u64 = 5000;
const FREE_ACTIONS: u64 = 2;
/// How often Zcash's rate is raised before it is given up.
const RAISES: usize = 5;

/// A coin that may be spent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Coin {
    pub(super) previous: OutPoint,
    pub(super) value: u64,
}

/// What is wanted.
#[derive(Debug, Clone)]
pub(super) struct Order<'a> {
    pub(super) rules: &'static Rules,
    pub(super) coins: &'a [Coin],
    pub(super) amount: u64,
    pub(super) everything: bool,
    pub(super) byte_fee: u64,
    /// The script that is paid.
    pub(super) to: &'a [u8],
    /// The script of the change.
    pub(super) change: &'a [u8],
    /// The script of the memo, where there is one.
    pub(super) memo: Option<&'a [u8]>,
}

/// What is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Plan {
    pub(super) coins: Vec<Coin>,
    pub(super) amount: u64,
    pub(super) fee: u64,
    /// Zero: no change.
    pub(super) change: u64,
}

/// How a fee is found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tariff {
    Bytes(u64),
    Actions,
}

/// Plans a payment.
pub(super) fn plan(order: &Order<'_>) -> Result<Plan, TransactionError> {
    if order.rules.digest != Digest::Zcash {
        return by(order, Tariff::Bytes(order.byte_fee));
    }
    let mut plan = by(order, Tariff::Actions)?;
    let mut rate = 1;
    for _ in 0..RAISES {
        if plan.fee >= due_actions(order, &plan) {
            return Ok(plan);
        }
        plan = by(order, Tariff::Bytes(rate))?;
        let size = (plan.fee / rate).max(1);
        rate = due_actions(order, &plan).div_ceil(size).max(rate + 1);
    }
    if plan.fee >= due_actions(order, &plan) { Ok(plan) } else { Err(TransactionError::InsufficientFunds) }
}

fn by(order: &Order<'_>, tariff: Tariff) -> Result<Plan, TransactionError> {
    if order.amount == 0 && !order.everything {
        return Err(TransactionError::Amount { field: "to_amount" });
    }
    let total = sum(order.coins.iter().map(|coin| coin.value));
    let total = total.ok_or(TransactionError::Amount { field: "utxo_info.amount" })?;
    let everything = order.everything || order.amount >= total;
    let outputs = if everything { 1 } else { 2 } + usize::from(order.memo.is_some());
    let mut coins = if everything {
        order.spendable()
    } else if order.coins.len() > MANY {
        order.in_order(tariff, outputs)
    } else {
        order.closest(tariff, outputs)
    };
    coins.truncate(MOST);
    order.settle(coins, everything, tariff, outputs)
}

impl Order<'_> {
    fn spendable(&self) -> Vec<Coin> {
        self.coins.iter().copied().filter(|coin| coin.value >= self.rules.dust).collect()
    }

    /// As many coins as cover a tenth more than the amount, the fee of all, and a little.
    fn in_order(&self, tariff: Tariff, outputs: usize) -> Vec<Coin> {
        let target = self.amount.saturating_add(self.amount / 10);
        let fee = self.estimate(tariff, self.coins.len(), outputs);
        let target = target.saturating_add(fee).saturating_add(1000);
        let mut covered = 0_u64;
        let mut chosen = Vec::new();
        for coin in self.coins.iter().filter(|coin| coin.value > self.rules.dust) {
            if covered >= target {
                break;
            }
            chosen.push(*coin);
            covered = covered.saturating_add(coin.value);
        }
        chosen
    }

    /// The fewest neighbours that do.
    fn closest(&self, tariff: Tariff, outputs: usize) -> Vec<Coin> {
        let mut coins = self.spendable();
        order::sort_by_key(&mut coins, |coin| coin.value);
        let wanted = self.amount.saturating_mul(2);
        let need = |count| self.amount.saturating_add(self.estimate(tariff, count, outputs));
        for count in 1..=coins.len() {
            let need = need(count).saturating_add(self.rules.dust);
            let enough = windows(&coins, count).filter(|(value, _)| *value >= need);
            if let Some((_, chosen)) = enough.min_by_key(|(value, _)| value.abs_diff(wanted)) {
                return chosen.to_vec();
            }
        }
        for count in 1..=coins.len() {
            let need = need(count);
            if let Some((_, chosen)) = windows(&coins, count).find(|(value, _)| *value >= need) {
                return chosen.to_vec();
            }
        }
        coins
    }

    fn settle(
        &self,
        coins: Vec<Coin>,
        everything: bool,
        tariff: Tariff,
        outputs: usize,
    ) -> Result<Plan, TransactionError> {
        let short = TransactionError::InsufficientFunds;
        let available = sum(coins.iter().map(|coin| coin.value));
        let available = available.filter(|value| *value > 0).ok_or(short.clone())?;
        let before_fee = if everything { available } else { self.amount };
        let rest = available.checked_sub(before_fee).ok_or(short.clone())?;
        let fee = match tariff {
            Tariff::Bytes(rate) if self.rules.segwit => {
                rate.saturating_mul(self.virtual_size(coins.len(), rest > 0))
            }
            _ => self.estimate(tariff, coins.len(), outputs),
        };
        let amount = if everything { available.checked_sub(fee).ok_or(short.clone())? } else { self.amount };
        let rest = amount.checked_add(fee).and_then(|spent| available.checked_sub(spent)).ok_or(short)?;
        if amount < self.rules.dust {
            let all_gone = everything && self.everything;
            return Err(if all_gone {
                TransactionError::InsufficientFunds
            } else {
                TransactionError::BelowDust
            });
        }
        let change = if rest >= self.rules.dust { rest } else { 0 };
        Ok(Plan { coins, amount, fee: fee + (rest - change), change })
    }

    fn estimate(&self, tariff: Tariff, inputs: usize, outputs: usize) -> u64 {
        let (inputs, outputs) = (as_u64(inputs), as_u64(outputs));
        match tariff {
            Tariff::Actions => ACTION_FEE.saturating_mul(inputs.max(outputs).max(FREE_ACTIONS)),
            Tariff::Bytes(rate) if self.rules.segwit => {
                rate.saturating_mul((405 * inputs + 4 * (31 * outputs + 10)).div_ceil(4))
            }
            Tariff::Bytes(rate) => rate.saturating_mul(148 * inputs + 34 * outputs + 10),
        }
    }

    /// The size that a SegWit transaction is charged for: a witness byte counts a quarter. Signatures count 72 bytes.
    fn virtual_size(&self, inputs: usize, change: bool) -> u64 {
        let sizes = [Some(self.to), change.then_some(self.change), self.memo];
        let sizes: Vec<usize> = sizes.into_iter().flatten().map(output_size).collect();
        let outputs: usize = size_length(sizes.len()) + sizes.iter().sum::<usize>();
        let stripped = 4 + size_length(inputs) + 41 * inputs + outputs + 4;
        as_u64(stripped + (2 + 108 * inputs).div_ceil(4))
    }
}

/// ZIP-317's fee for a plan of Zcash, by the bytes that its inputs and outputs really have.
fn due_actions(order: &Order<'_>, plan: &Plan) -> u64 {
    let scripts = [Some(order.to), (plan.change > 0).then_some(order.change), order.memo];
    let outputs: usize = scripts.into_iter().flatten().map(output_size).sum();
    let inputs = (148 * plan.coins.len()).div_ceil(150);
    ACTION_FEE.saturating_mul(as_u64(inputs.max(outputs.div_ceil(34))).max(FREE_ACTIONS))
}

fn output_size(script: &[u8]) -> usize {
    8 + size_length(script.len()) + script.len()
}

fn as_u64(size: usize) -> u64 {
    u64::try_from(size).unwrap_or(u64::MAX)
}

/// Neighbours and their sums.
fn windows(coins: &[Coin], count: usize) -> impl Iterator<Item = (u64, &[Coin])> {
    let first: u64 = coins.iter().take(count).map(|coin| coin.value).sum();
    coins.windows(count).scan((first, None), |(value, before), window| {
        if let (Some(gone), Some(come)) = (*before, window.last()) {
            let gone: u64 = gone;
            *value = *value - gone + come.value;
        }
        *before = window.first().map(|coin| coin.value);
        Some((*value, window))
    })
}

/// The scripts that a memo needs, if it is short enough to be relayed.
pub(super) fn memo_script(memo: &str) -> Result<Option<Vec<u8>>, TransactionError> {
    match memo.len() {
        0 => Ok(None),
        1..=script::MAX_TEXT => Ok(Some(script::text(memo.as_bytes()))),
        _ => Err(TransactionError::Malformed { field: "memo", reason: "is longer than 80 bytes" }),
    }
}
