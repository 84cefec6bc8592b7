//! What a router does with what it is given, over all steps of one call.
//!
//! Uniswap's later routers keep what one step leaves and hand it to the next: coins become wrapped coins, a swap pays
//! into the router, the router pays out. Whether the sender gets what is bought can be told from all steps together only.
//! Each amount that the sender gives is followed from step to step as a [`Flow`]; what ends with the router is lost to
//! the sender, since anyone may take it from there.

use super::Address;
use super::call::{Call, Coin, Reading};
use super::swap::{BASIS_POINTS, without};
use crate::Amount;
use crate::address::evm;
use crate::explain::{Asset, Bought, Effect, PartyRole, Swap};

/// Who holds something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holder {
    Router,
    Sender,
    Other(Address),
}

/// Something that the sender gave, and what has become of it.
#[derive(Debug, Clone, Copy)]
struct Flow {
    sold: Coin,
    amount: Amount,
    now: Coin,
    at: Holder,
    /// How much there is of it now, at least.
    least: Amount,
    /// Whether there is exactly `least`.
    exact: bool,
}

/// The flows through a router.
pub(super) struct Ledger<'a> {
    call: &'a Call<'a>,
    flows: Vec<Flow>,
    /// What the router may still hold, if a swap needed less than it was given.
    left: Vec<Coin>,
    pub(super) reading: Reading,
}

impl<'a> Ledger<'a> {
    /// The router holds the coins that come with the call.
    pub(super) fn new(call: &'a Call<'a>) -> Self {
        let (flows, left) = (Vec::new(), Vec::new());
        let mut ledger = Self { call, flows, left, reading: Reading::whole(Vec::new()) };
        if !call.value.is_zero() {
            ledger.give(Coin::Native, call.value);
        }
        ledger
    }

    /// The router gets something from the sender.
    pub(super) fn give(&mut self, coin: Coin, amount: Amount) {
        let (at, exact) = (Holder::Router, true);
        self.flows.push(Flow { sold: coin, amount, now: coin, at, least: amount, exact });
    }

    /// How many coins the router holds, if they are all that the sender gave.
    pub(super) fn coins(&self) -> Amount {
        let held = self.flows.iter().filter(|flow| flow.at == Holder::Router && flow.now == Coin::Native);
        held.map(|flow| flow.least).fold(Amount::ZERO, Amount::saturating_add)
    }

    /// Takes all of a coin out of the router's hands, or just so much. `None` where what is taken cannot be told from
    /// what is left, or from something else that the sender gave.
    fn take(&mut self, coin: Coin, amount: Option<Amount>) -> Option<Flow> {
        let held = |flow: &Flow| flow.at == Holder::Router && flow.now == coin;
        let mut flows = self.flows.iter().copied().filter(held);
        let first = flows.next()?;
        let mut all = first;
        for flow in flows {
            if flow.sold != first.sold {
                return None;
            }
            all.amount = all.amount.checked_add(flow.amount)?;
            all.least = all.least.checked_add(flow.least)?;
            all.exact &= flow.exact;
        }
        let taken = amount.unwrap_or(all.least);
        let rest = all.least.checked_sub(taken)?;
        // So much of what was given is in what is taken, where nothing was swapped or paid to anyone yet.
        let unchanged = all.exact && all.amount == all.least;
        if all.exact && !rest.is_zero() && !unchanged {
            return None;
        }
        self.flows.retain(|flow| !held(flow));
        if all.exact && !rest.is_zero() {
            self.flows.push(Flow { amount: rest, least: rest, ..all });
            return Some(Flow { amount: taken, least: taken, ..all });
        }
        if amount.is_some() && !all.exact {
            self.left.push(coin);
        }
        Some(Flow { least: taken, ..all })
    }

    /// Swaps what the sender has.
    pub(super) fn sell(&mut self, sell: Coin, amount: Amount, buy: Coin, least: Amount, to: Holder) {
        self.flows.push(Flow { sold: sell, amount, now: buy, at: to, least, exact: false });
    }

    /// Swaps what the router holds: all of it, or an amount of which something may be left.
    pub(super) fn trade(
        &mut self,
        (sell, amount): (Coin, Option<Amount>),
        (buy, least): (Coin, Amount),
        to: Holder,
        leaves: bool,
    ) -> Option<()> {
        let flow = self.take(sell, amount)?;
        if leaves {
            self.left.push(sell);
        }
        self.flows.push(Flow { now: buy, at: to, least, exact: false, ..flow });
        Some(())
    }

    /// Wraps coins that the router holds.
    pub(super) fn wrap(&mut self, amount: Option<Amount>, wrapped: Address, to: Holder) -> Option<()> {
        let flow = self.take(Coin::Native, amount)?;
        self.flows.push(Flow { now: Coin::Token(wrapped), at: to, ..flow });
        Some(())
    }

    /// All that the router holds of a coin goes to a holder, perhaps as another coin, and not less than a minimum.
    pub(super) fn sweep(&mut self, coin: Coin, becomes: Coin, minimum: Amount, to: Holder) {
        let held = |flow: &Flow| flow.at == Holder::Router && flow.now == coin;
        let sold: Vec<Coin> = self.flows.iter().filter(|flow| held(flow)).map(|flow| flow.sold).collect();
        // The minimum is one for all together: it says nothing of the parts.
        if sold.iter().all(|one| sold.first() == Some(one)) {
            if let Some(flow) = self.take(coin, None) {
                let least = flow.least.max(minimum);
                self.flows.push(Flow { now: becomes, at: to, least, ..flow });
            }
        } else {
            for flow in self.flows.iter_mut().filter(|flow| held(flow)) {
                (flow.now, flow.at) = (becomes, to);
            }
        }
        if self.left.contains(&coin) {
            self.left.retain(|left| *left != coin);
            match to {
                Holder::Sender => {}
                Holder::Router => self.left.push(becomes),
                Holder::Other(other) => {
                    self.reading.whole = false;
                    self.reading.party(Some(other), PartyRole::Recipient);
                }
            }
        }
    }

    fn holds(&self, coin: Coin) -> bool {
        self.flows.iter().any(|flow| flow.at == Holder::Router && flow.now == coin)
    }

    /// A part of what the router holds of a coin goes to a payee. A part for the sender is not lost, only not counted.
    pub(super) fn portion(&mut self, coin: Coin, basis_points: Amount, to: Holder) -> Option<()> {
        let basis_points = u64::try_from(basis_points).ok().filter(|points| *points <= BASIS_POINTS)?;
        if self.left.contains(&coin) {
            return None;
        }
        if to != Holder::Router && self.holds(coin) {
            let flow = self.take(coin, None)?;
            self.flows.push(Flow { least: without(flow.least, basis_points), ..flow });
            self.payee(to);
        }
        Some(())
    }

    /// An amount that the router holds of a coin goes to a payee.
    pub(super) fn pay(&mut self, coin: Coin, amount: Amount, to: Holder) -> Option<()> {
        let flow = self.take(coin, None)?;
        let Some(rest) = flow.least.checked_sub(amount).filter(|_| !self.left.contains(&coin)) else {
            self.flows.push(flow);
            return None;
        };
        if to == Holder::Router {
            self.flows.push(flow);
        } else if flow.exact && flow.amount == flow.least {
            self.flows.push(Flow { amount, least: amount, at: to, ..flow });
            self.flows.push(Flow { amount: rest, least: rest, ..flow });
        } else {
            self.flows.push(Flow { least: rest, ..flow });
            self.payee(to);
        }
        Some(())
    }

    fn payee(&mut self, to: Holder) {
        if let Holder::Other(payee) = to {
            self.reading.party(Some(payee), PartyRole::FeePayee);
        }
    }

    /// What the steps come to.
    pub(super) fn finish(mut self) -> Reading {
        let mut merged: Vec<Flow> = Vec::new();
        for flow in self.flows.iter().copied() {
            let same = |one: &&mut Flow| (one.sold, one.now, one.at) == (flow.sold, flow.now, flow.at);
            if let Some(one) = merged.iter_mut().find(same) {
                one.amount = one.amount.saturating_add(flow.amount);
                one.least = one.least.saturating_add(flow.least);
            } else {
                merged.push(flow);
            }
        }
        self.reading.whole &= self.left.is_empty();
        for flow in merged {
            self.end(flow);
        }
        self.reading
    }

    fn end(&mut self, flow: Flow) {
        let router = self.call.contract;
        let (sender, to) = match flow.at {
            Holder::Router => (false, evm::encode(&router)),
            Holder::Sender => (true, self.call.account.address.clone()),
            Holder::Other(address) => (false, evm::encode(&address)),
        };
        self.reading.whole &= flow.at != Holder::Router;
        let amount = flow.amount;
        let effect = match flow.sold {
            sold if sold != flow.now => Effect::Swap(Swap {
                buy: Some(Bought::Here(flow.now.asset())),
                minimum_out: Some(flow.least),
                recipient: Some(to),
                ..self.call.swap(sold, amount)
            }),
            // What nothing was done with is the call's own: see what is left of its value.
            Coin::Native if flow.at == Holder::Router => return,
            sold if sender => {
                self.reading.whole &= flow.least == amount;
                match sold {
                    Coin::Native => Effect::Change { to, amount },
                    Coin::Token(_) => return,
                }
            }
            Coin::Native => Effect::Transfer { asset: Asset::Native, to, amount },
            sold => Effect::Transfer { asset: sold.asset(), to, amount },
        };
        self.reading.effects.push(effect);
    }
}
