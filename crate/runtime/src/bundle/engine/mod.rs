//! The state machine of a bundle under way, without I/O: what is to be done next ([`Engine::next`]), and what became of
//! it ([`Engine::apply`]).
//!
//! A transaction goes `queued → signing → signed → sent → confirmed | failed | timeout | pending`. Each arrow is one
//! record on disk before the effect that follows it: the bytes are stored before they are sent, and the same bytes are
//! sent each time. Never two transactions are under way: the next begins when the one before is confirmed, or sent and
//! nobody waits for its receipt.
//!
//! Only the chain's own word is a failure. Whoever died, or heard nothing, looks the transaction up and asks again
//! until the deadline; then nobody knows, which is `timeout` and not `failed`.

#[cfg(test)]
mod tests;

use super::rows::Place;
use wire::api::Millis;
use wire::node::{SignedBytes, Status};
use wire::run::{StepStatus, Transmission};

/// The first look is this soon, and each further one twice as late until the chain's own interval.
const FIRST_LOOK: Millis = 50;
/// Looks at the chain's own pace, before they become rarer: nobody stares at a chain for a day.
const STEADY_LOOKS: u32 = 120;
/// The longest pause between two looks.
const LONGEST_PAUSE: Millis = 60_000;
/// How often in a row a chain must neither know a transaction nor be able to take it, before that is its last word.
const GONE_FOR_GOOD: u32 = 4;

/// What does not change of a step while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// How many transactions it has.
    pub transactions: usize,
    /// Whether the next step waits for its receipt.
    pub wait: bool,
    /// How long a receipt is waited for.
    pub timeout: Millis,
    /// The chain's pace.
    pub interval: Millis,
}

/// A bundle under way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    steps: Vec<(Plan, Vec<Transmission>)>,
    /// The person wants it to end before its next step.
    stop: bool,
    /// Signed in this life and not tried yet: no node can have it.
    untried: Option<Place>,
}

/// What is to be done next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Task {
    /// Check the transaction, and sign it.
    Sign(Place),
    /// Send what is signed; look it up first unless it is known that nobody has tried.
    Send {
        /// Which.
        at: Place,
        /// Whether no node can have it.
        untried: bool,
    },
    /// Ask where it is.
    Look(Place),
    /// Nothing before this time.
    Rest {
        /// When there is something to do.
        until: Millis,
    },
    /// Nothing more.
    End(Ending),
}

/// How a bundle ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every step ran.
    Complete,
    /// A step failed, or its deadline passed.
    Broken,
    /// The person stopped it between two steps.
    Stopped,
}

/// What became of a task.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It is about to be checked and signed.
    Began,
    /// Nobody could say whether it can be sent; it is not signed yet.
    Unready(String),
    /// It was not signed, and why: `code: sentence`.
    Refused(String),
    /// It is signed.
    Signed(SignedBytes),
    /// A node has it.
    Accepted,
    /// The first node that ever saw it refuses it, and it is not known by its id.
    Rejected(String),
    /// Where it is, as far as anybody knows.
    Seen(Status),
    /// It is not known, and the chain could not take it any more: why, a whole sentence.
    Gone(String),
    /// It was confirmed, and is no longer.
    Reorganised,
}

impl Engine {
    /// A bundle of these steps, as far as it got.
    pub fn new(plans: Vec<Plan>, stop: bool) -> Self {
        let steps = plans.into_iter().map(|plan| (plan, Vec::new())).collect();
        Self { steps, stop, untried: None }
    }

    /// Puts a record from disk in its place; they come in the order of their places.
    pub fn restore(&mut self, at: Place, transmission: Transmission) {
        self.put(at, transmission);
    }

    /// The person wants it to end before its next step.
    pub const fn stop(&mut self) {
        self.stop = true;
    }

    /// The record of a transaction that has begun.
    pub fn transmission(&self, at: Place) -> Option<&Transmission> {
        self.steps.get(at.step)?.1.get(at.index)
    }

    /// The records of a step.
    pub fn transmissions(&self, step: usize) -> &[Transmission] {
        self.steps.get(step).map_or(&[], |(_, transmissions)| transmissions)
    }

    /// What is to be done next.
    pub fn next(&self, now: Millis) -> Task {
        for (step, (plan, transmissions)) in self.steps.iter().enumerate() {
            for index in 0..plan.transactions {
                let at = Place { step, index };
                let Some(transmission) = transmissions.get(index) else {
                    // An approval without its swap is half a step: only between steps is a place to stop.
                    let stop = self.stop && index == 0;
                    return if stop { Task::End(Ending::Stopped) } else { Task::Sign(at) };
                };
                match transmission.status {
                    StepStatus::Confirmed | StepStatus::Pending => {}
                    StepStatus::Failed | StepStatus::Timeout => return Task::End(Ending::Broken),
                    _ if transmission.next_look > now => {
                        return Task::Rest { until: transmission.next_look };
                    }
                    StepStatus::Queued | StepStatus::Signing => return Task::Sign(at),
                    StepStatus::Signed => {
                        return Task::Send { at, untried: self.untried == Some(at) };
                    }
                    StepStatus::Sent => return Task::Look(at),
                }
            }
        }
        Task::End(Ending::Complete)
    }

    /// Takes note of what became of a transaction; gives the record that is to be stored. `not_before` is when a node
    /// may be asked again, `chance` spreads the looks of many wallets.
    pub fn apply(
        &mut self,
        at: Place,
        event: Event,
        now: Millis,
        not_before: Millis,
        chance: u8,
    ) -> Option<Transmission> {
        let (plan, transmissions) = self.steps.get(at.step)?;
        let known = transmissions.get(at.index).cloned();
        let waits = plan.wait || at.index + 1 < plan.transactions;
        let mut next = known.unwrap_or_else(begun);
        let settled = |transmission: &mut Transmission, status, error| {
            transmission.status = status;
            transmission.error = error;
            transmission.settled_at = Some(now);
        };
        match event {
            Event::Began => {
                next.status = StepStatus::Signing;
                next.deadline = Some(now + plan.timeout);
            }
            Event::Unready(reason) if now >= next.deadline.unwrap_or(now) => {
                settled(&mut next, StepStatus::Failed, Some(format!("node_unreachable: {reason}")));
            }
            Event::Unready(reason) => {
                next.error = Some(format!("no_answer: {reason}"));
                self.look_again(at, &mut next, now, not_before, chance);
            }
            Event::Refused(error) => settled(&mut next, StepStatus::Failed, Some(error)),
            Event::Signed(signed) => {
                next.status = StepStatus::Signed;
                next.signed = Some(signed);
                next.signed_at = Some(now);
                next.deadline = Some(now + plan.timeout);
                (next.error, next.looks, next.next_look) = (None, 0, 0);
            }
            Event::Rejected(reason) => {
                let error = format!("broadcast_rejected: {reason}");
                settled(&mut next, StepStatus::Failed, Some(error));
            }
            Event::Accepted | Event::Seen(Status::Pending) => {
                next.error = None;
                next.gone = 0;
                if next.sent_at.is_none() {
                    next.sent_at = Some(now);
                    next.looks = 0;
                }
                if waits {
                    next.status = StepStatus::Sent;
                    self.look_again(at, &mut next, now, not_before, chance);
                } else {
                    settled(&mut next, StepStatus::Pending, None);
                }
            }
            Event::Seen(Status::Confirmed { .. }) => {
                next.sent_at = next.sent_at.or(Some(now));
                settled(&mut next, StepStatus::Confirmed, None);
            }
            Event::Seen(Status::Failed { reason }) => {
                let error = format!("transaction_failed: {reason}");
                settled(&mut next, StepStatus::Failed, Some(error));
            }
            Event::Seen(Status::NotFound) => {
                next.gone = 0;
                next.error = Some("not_found: no node knows it at the moment".to_owned());
                self.look_again(at, &mut next, now, not_before, chance);
            }
            Event::Seen(Status::Unclear { reason }) => {
                next.error = Some(format!("no_answer: {reason}"));
                self.look_again(at, &mut next, now, not_before, chance);
            }
            Event::Gone(reason) => {
                next.gone += 1;
                next.error = Some(format!("stale_transaction: {reason}"));
                if next.gone >= GONE_FOR_GOOD {
                    let error = next.error.take();
                    settled(&mut next, StepStatus::Failed, error);
                } else {
                    // Not in a hurry: a node that is behind would say the same for a while.
                    let later = (now + plan.interval).max(not_before);
                    self.look_again(at, &mut next, now, later, chance);
                }
            }
            Event::Reorganised => {
                next.status = StepStatus::Sent;
                next.settled_at = None;
                next.error = Some("reorganised: the block it was in is gone".to_owned());
                next.deadline = Some(now + plan.timeout);
                (next.looks, next.next_look) = (0, 0);
            }
        }
        self.untried = (next.status == StepStatus::Signed && next.looks == 0).then_some(at);
        self.put(at, next.clone());
        Some(next)
    }

    /// When to look next; or, if the deadline is over, that nobody knows.
    fn look_again(&self, at: Place, next: &mut Transmission, now: Millis, not_before: Millis, chance: u8) {
        let interval = self.steps.get(at.step).map_or(FIRST_LOOK, |(plan, _)| plan.interval);
        let deadline = next.deadline.unwrap_or(now);
        if now >= deadline {
            next.status = StepStatus::Timeout;
            next.settled_at = Some(now);
            let unknown = "nobody knows yet whether it will be part of the chain";
            next.error = Some(format!("receipt_timeout: {}", next.error.as_deref().unwrap_or(unknown)));
            return;
        }
        let pause = pause(next.looks, interval, chance);
        next.looks += 1;
        // The deadline itself is a time to look, whatever else is.
        next.next_look = (now + pause).max(not_before).min(deadline);
    }

    fn put(&mut self, at: Place, transmission: Transmission) {
        if let Some((_, transmissions)) = self.steps.get_mut(at.step) {
            match transmissions.get_mut(at.index) {
                Some(known) => *known = transmission,
                None => transmissions.push(transmission),
            }
        }
    }
}

/// From one look to the next: soon at first, then at the chain's pace, then ever rarer; up to a tenth later by chance.
pub(super) fn pause(looks: u32, interval: Millis, chance: u8) -> Millis {
    let soon = FIRST_LOOK.saturating_mul(1 << looks.min(16));
    let rare = interval.saturating_mul(u64::from(looks / STEADY_LOOKS) + 1).min(LONGEST_PAUSE.max(interval));
    let pause = soon.min(rare);
    pause + pause * Millis::from(chance) / 2_550
}

/// Where a step is, given the records of its transactions.
pub fn status(transmissions: &[Transmission], transactions: usize) -> StepStatus {
    match transmissions.last().map(|last| last.status) {
        None => StepStatus::Queued,
        // One more to come.
        Some(StepStatus::Confirmed) if transmissions.len() < transactions => StepStatus::Signing,
        Some(status) => status,
    }
}

const fn begun() -> Transmission {
    Transmission {
        status: StepStatus::Signing,
        signed: None,
        error: None,
        signed_at: None,
        sent_at: None,
        deadline: None,
        settled_at: None,
        late: false,
        looks: 0,
        next_look: 0,
        gone: 0,
    }
}
