//! Which outputs are spent, and what is left over.
//!
//! Wallets that sign together must find the same answer, so the rule is Wallet Core's, with its oddities: the largest
//! outputs until there are four thirds of the amount and some more, then the richest in the token that is sent.
//!
//! Equals keep the order of the payload. Wallet Core's sorting does the same up to 23 outputs; beyond, its order of
//! equals is that of the C++ library it was built with, and wallets that then differ find no common signature.

use super::body::{OutPoint, Output, TokenId, Tokens};
use crate::TransactionError;
use crate::order;

/// An output that may be spent.
#[derive(Debug, Clone)]
pub(super) struct Spendable {
    pub(super) point: OutPoint,
    pub(super) coins: u64,
    pub(super) tokens: Tokens,
}

/// What is to be sent.
#[derive(Debug)]
pub(super) struct Request {
    pub(super) to: Vec<u8>,
    pub(super) change: Vec<u8>,
    pub(super) coins: u64,
    pub(super) token: Option<(TokenId, u64)>,
    pub(super) fee: u64,
}

/// Room for a fee and for a little more when outputs are chosen; the fee itself is given.
const TYPICAL_FEE: u64 = 170_000;
const SPARE: u64 = 500_000;
/// The least that an output had to carry when the rule was made, and its share for each of eight bytes.
const LEAST: u64 = 1_000_000;
const LEAST_PER_WORD: u64 = LEAST / 27;

/// The inputs and the outputs: the recipient's, and the change if there is any.
pub(super) fn plan(
    spendable: &[Spendable],
    request: Request,
) -> Result<(Vec<OutPoint>, Vec<Output>), TransactionError> {
    let target = u128::from(request.coins) * 4 / 3 + u128::from(TYPICAL_FEE + SPARE + least(&request));
    let mut chosen = largest(spendable, target);
    if let Some((id, amount)) = &request.token {
        add_richest(&mut chosen, spendable, id, *amount);
    }
    let mut tokens = Tokens::new();
    for (id, amount) in chosen.iter().flat_map(|output| &output.tokens) {
        let sum = tokens.entry(id.clone()).or_insert(0_u64);
        *sum = sum.checked_add(*amount).ok_or(TOO_MUCH)?;
    }
    let coins = chosen.iter().try_fold(0_u64, |sum, output| sum.checked_add(output.coins)).ok_or(TOO_MUCH)?;
    let spent = request.coins.checked_add(request.fee).ok_or(TransactionError::InsufficientFunds)?;
    let change = coins.checked_sub(spent).ok_or(TransactionError::InsufficientFunds)?;
    let sent = match request.token {
        None => Tokens::new(),
        Some((id, amount)) => {
            let left = tokens.get(&id).and_then(|sum| sum.checked_sub(amount));
            tokens.insert(id.clone(), left.ok_or(TransactionError::InsufficientFunds)?);
            Tokens::from([(id, amount)])
        }
    };
    tokens.retain(|_, amount| *amount > 0);
    let mut outputs = vec![Output { address: request.to, coins: request.coins, tokens: sent, extra: 0 }];
    if change > 0 || !tokens.is_empty() {
        outputs.push(Output { address: request.change, coins: change, tokens, extra: 0 });
    }
    if outputs.iter().any(|output| output.coins == 0) {
        return Err(TransactionError::BelowDust);
    }
    Ok((chosen.iter().map(|output| output.point).collect(), outputs))
}

const TOO_MUCH: TransactionError = TransactionError::Amount { field: "utxo_info" };

/// The coins that go with the change, as the rule estimates them from what is sent.
fn least(request: &Request) -> u64 {
    let Some((id, _)) = &request.token else {
        return LEAST;
    };
    let name = u64::try_from(id.name.len()).unwrap_or(u64::MAX).min(64);
    let bytes = 28 + name + if name == 0 { 0 } else { 12 };
    LEAST.max(LEAST_PER_WORD * (27 + 6 + bytes.div_ceil(8)))
}

fn largest(spendable: &[Spendable], target: u128) -> Vec<Spendable> {
    let mut ordered = spendable.to_vec();
    order::sort_by_key(&mut ordered, |output| std::cmp::Reverse(output.coins));
    let mut sum = 0_u128;
    let enough = ordered.iter().position(|output| {
        sum += u128::from(output.coins);
        sum >= target
    });
    ordered.truncate(enough.map_or(ordered.len(), |place| place + 1));
    ordered
}

/// Adds outputs until there is enough of a token, or so the rule believes: of those chosen before it counts only the
/// last, and of those it adds it counts the coins. What is really there is checked afterwards.
fn add_richest(chosen: &mut Vec<Spendable>, spendable: &[Spendable], id: &TokenId, amount: u64) {
    let of = |output: &Spendable| output.tokens.get(id).copied().unwrap_or(0);
    let mut counted = chosen.last().map_or(0, of);
    if counted >= amount {
        return;
    }
    let mut ordered = spendable.to_vec();
    order::sort_by_key(&mut ordered, |output| std::cmp::Reverse(of(output)));
    for output in ordered {
        if chosen.iter().any(|other| other.point == output.point) {
            continue;
        }
        counted = counted.saturating_add(output.coins);
        chosen.push(output);
        if counted >= amount {
            return;
        }
    }
}
