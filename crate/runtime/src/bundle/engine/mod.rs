//! The state machine of a running bundle, without I/O: [`Engine::next`] says what to do, [`Engine::apply`] takes the
//! outcome and says what to store.
//!
//! A transaction goes `queued → signing → signed → sent → confirmed | failed | timeout | pending`. The signed bytes are
//! stored before they are broadcast, and the same bytes are broadcast each time. At most one transaction is in flight:
//! the next begins when the one before is confirmed, or sent without waiting for its receipt.
//!
//! Only the chain's own word is a failure. A transaction whose state is unknown is looked up and, if no node knows it,
//! broadcast again until the deadline; after the deadline it is `timeout`, not `failed`.

mod error;
mod poll;
#[cfg(test)]
mod tests;

pub use error::TransmissionError;

use super::rows::Place;
use super::rows::Transmission;
use poll::{EAGER_POLLS, pause};
use wire::api::Millis;
use wire::failure::Failure;
use wire::node::{Broadcast, Checked, FindingCode, SignedBytes, Status};
use wire::run::StepStatus;

/// How often in a row a chain must neither know a transaction nor be able to take it before it counts as failed.
const GONE_FOR_GOOD: u32 = 4;
/// A pause longer than this is stored, so that a worker that starts meanwhile keeps to it.
const WORTH_STORING: Millis = 10_000;

/// What does not change of a step while it runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Plan {
    /// Canonical name of its chain.
    pub chain: String,
    /// How many transactions it has.
    pub transactions: usize,
    /// Whether the next step waits for its receipt.
    pub wait: bool,
    /// How long to wait for a receipt.
    pub timeout: Millis,
    /// The chain's polling interval.
    pub interval: Millis,
    /// Whether it ends with its signature: the signed bytes go to a page, and to no node.
    pub for_page: bool,
}

/// A running bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Engine {
    steps: Vec<(Plan, Vec<Transmission>)>,
    /// Why no further step begins.
    stop: Option<Stop>,
    /// What this worker knows of one transaction beyond its record.
    phase: Option<(Place, Phase)>,
    /// When a node may be asked again, collected since the last record.
    not_before: Millis,
}

/// Why a bundle begins no further step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stop {
    /// The user stopped this bundle.
    ByUser,
    /// The kill switch is on.
    KillSwitch,
    /// The web page that asked for it is no longer connected.
    Disconnected,
}

impl Stop {
    /// Whether it ends the bundle before this transaction. An approval without its swap is half a step: the user's stop
    /// waits for the end of the step, the kill switch for nothing.
    pub const fn ends_before(self, at: Place) -> bool {
        at.index == 0 || matches!(self, Self::KillSwitch)
    }
}

/// What to do next.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask the nodes whether the transaction can be sent. Answered with [`Outcome::Checked`].
    Check(Place),
    /// Sign it. Answered with [`Outcome::Signed`] or [`Outcome::NotSigned`].
    Sign(Place),
    /// Broadcast the stored bytes. Answered with [`Outcome::Broadcast`].
    Broadcast(Place),
    /// Look the transaction up. Answered with [`Outcome::Found`].
    LookUp {
        /// The transaction.
        at: Place,
        /// The transaction to check in the same exchange; its outcome goes to [`Engine::prechecked`].
        next: Option<Place>,
    },
    /// Do nothing before this time.
    Wait {
        /// When there is something to do.
        until: Millis,
    },
    /// End the bundle.
    End(Ending),
}

/// How a bundle ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// Every step ran.
    Complete,
    /// A step failed, or its deadline passed.
    Broken,
    /// It was stopped between two steps.
    Stopped(Stop),
}

/// The outcome of an effect.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// The check is about to begin.
    Began,
    /// What the nodes say of a transaction that is not signed, or that no node knows.
    Checked(Checked),
    /// The signer refused, and why.
    NotSigned(Failure),
    /// The signed transaction.
    Signed(SignedBytes),
    /// What the nodes did with the bytes.
    Broadcast(Broadcast),
    /// Where the transaction is.
    Found(Status),
}

/// When an outcome was had, and what else decides when to ask again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Moment {
    /// The clock.
    pub now: Millis,
    /// When a node may be asked again.
    pub not_before: Millis,
    /// Spreads the polls of many wallets.
    pub chance: u8,
}

/// A record that changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// Which transaction.
    pub at: Place,
    /// Its record.
    pub record: Transmission,
    /// How it is stored.
    pub store: Storing,
    /// Whether pages are notified: it got further, or waits for another reason than before.
    pub news: bool,
}

/// How a change is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Storing {
    /// On the medium before the next effect: signed bytes.
    Before,
    /// With the next commit, or while a node is waited for: a worker that starts meanwhile finds out again.
    Soon,
    /// Not at all: another poll without news.
    Never,
}

/// What this worker knows of a transaction beyond its record; a worker that starts anew begins without.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Phase {
    /// The nodes say that it can be sent.
    Sendable,
    /// Its number leaves a gap: earlier transactions are looked up, the last of these first.
    Recall(Vec<Place>),
    /// Signed by this worker and not broadcast yet: no node can have it.
    Untried,
    /// No node knows it.
    Unknown,
    /// The broadcast was refused, or its outcome is ambiguous or disputed. [`TransmissionError::BroadcastRejected`] only
    /// if the first nodes that ever saw it refused it.
    Doubtful(TransmissionError),
    /// No node knows it, and none takes it; what the nodes said.
    Lost(TransmissionError),
}

impl Engine {
    /// A bundle of these steps, none of which has begun.
    pub fn new(plans: Vec<Plan>) -> Self {
        let steps = plans.into_iter().map(|plan| (plan, Vec::new())).collect();
        Self { steps, stop: None, phase: None, not_before: 0 }
    }

    /// Adds a stored record; records come in the order of their places.
    pub fn restore(&mut self, at: Place, transmission: Transmission) {
        self.put(at, transmission);
    }

    /// Ends the bundle before its next step, or its next transaction.
    pub const fn stop(&mut self, stop: Stop) {
        self.stop = Some(stop);
    }

    /// The record of a transaction that has begun.
    pub fn transmission(&self, at: Place) -> Option<&Transmission> {
        self.steps.get(at.step)?.1.get(at.index)
    }

    /// The records of a step.
    pub fn transmissions(&self, step: usize) -> &[Transmission] {
        self.steps.get(step).map_or(&[], |(_, transmissions)| transmissions)
    }

    /// What to do next.
    pub fn next(&self, now: Millis) -> Effect {
        if let Some((_, Phase::Recall(earlier))) = &self.phase
            && let Some(at) = earlier.last()
        {
            return Effect::LookUp { at: *at, next: None };
        }
        let Some((at, status, next_look)) = self.current() else {
            return Effect::End(Ending::Complete);
        };
        let unsigned = matches!(status, StepStatus::Queued | StepStatus::Signing);
        match (status, self.stop) {
            (StepStatus::Failed | StepStatus::Timeout, _) => return Effect::End(Ending::Broken),
            (_, Some(stop)) if unsigned && stop.ends_before(at) => return Effect::End(Ending::Stopped(stop)),
            _ => {}
        }
        match self.phase_of(at) {
            Some(Phase::Sendable | Phase::Recall(_)) => Effect::Sign(at),
            Some(Phase::Untried | Phase::Unknown) => Effect::Broadcast(at),
            Some(Phase::Doubtful(_)) => Effect::LookUp { at, next: None },
            Some(Phase::Lost(_)) => Effect::Check(at),
            None if next_look > now => Effect::Wait { until: next_look },
            None if unsigned && self.is_for_page(at) => Effect::Sign(at),
            None if unsigned => Effect::Check(at),
            None => Effect::LookUp { at, next: self.next_to_check(at) },
        }
    }

    /// Takes an outcome; gives the record that changed, if one did.
    pub fn apply(&mut self, at: Place, outcome: Outcome, moment: Moment) -> Option<Change> {
        let before = self.transmission(at).map(|one| (one.status, code(one).to_owned()));
        self.not_before = self.not_before.max(moment.not_before);
        let phase = match &self.phase {
            // An earlier transaction is looked up because of a gap before a later one.
            Some((gapped, Phase::Recall(earlier))) if earlier.last() == Some(&at) => {
                let gapped = *gapped;
                return self.recall(gapped, at, outcome, moment);
            }
            Some((place, _)) if *place == at => self.phase.take().map(|(_, phase)| phase),
            _ => None,
        };
        let next = self.advance(at, phase, outcome, moment)?;
        self.not_before = 0;
        self.put(at, next.clone());
        let news =
            before.as_ref().is_none_or(|(status, before)| *status != next.status || before != code(&next));
        let store = match next.status {
            StepStatus::Signed if before.is_none_or(|(status, _)| status != StepStatus::Signed) => {
                Storing::Before
            }
            _ if news || next.next_look.saturating_sub(moment.now) >= WORTH_STORING => Storing::Soon,
            _ => Storing::Never,
        };
        Some(Change { at, record: next, store, news })
    }

    /// Takes the check that was made in the same exchange as a lookup. Of the next transaction it counts only if it finds
    /// nothing: the node may have answered it before the block that the lookup found. Of a transaction that was sent, only
    /// a gap counts.
    pub fn prechecked(&mut self, at: Place, checked: &Checked) {
        let Checked::Sendable { findings } = checked else { return };
        let status = self.current().filter(|(place, ..)| *place == at).map(|(_, status, _)| status);
        match status {
            Some(StepStatus::Queued | StepStatus::Signing)
                if self.transmission(at).is_none() && !gapped(findings) =>
            {
                self.phase = Some((at, Phase::Sendable));
            }
            Some(StepStatus::Sent) if gapped(findings) && self.phase.is_none() => {
                let earlier = self.confirmed_before(at);
                self.phase = (!earlier.is_empty()).then_some((at, Phase::Recall(earlier)));
            }
            _ => {}
        }
    }

    /// The next state of a transaction; `None` if only the phase changed.
    fn advance(
        &mut self,
        at: Place,
        phase: Option<Phase>,
        outcome: Outcome,
        moment: Moment,
    ) -> Option<Transmission> {
        let next = self.transmission(at).cloned();
        let signed = next.as_ref().is_some_and(|next| next.signed.is_some());
        let next = next.unwrap_or_else(|| begun(self.deadline(at, moment)));
        match outcome {
            Outcome::Began => {
                self.phase = phase.map(|phase| (at, phase));
                Some(next)
            }
            Outcome::NotSigned(failure) => {
                Some(settled(next, StepStatus::Failed, Some(failure.to_string()), moment))
            }
            Outcome::Signed(bytes) if self.is_for_page(at) => {
                let next = self.signed(at, next, bytes, moment);
                Some(settled(next, StepStatus::Signed, None, moment))
            }
            Outcome::Signed(bytes) => {
                self.phase = Some((at, Phase::Untried));
                Some(self.signed(at, next, bytes, moment))
            }
            Outcome::Checked(checked) if signed => Some(match (checked, phase) {
                (Checked::Stale { reason }, _) => self.gone(at, next, &reason, moment),
                (Checked::Disputed { reason }, _) => {
                    self.not_found(at, next, TransmissionError::NodesDisagree(reason), moment)
                }
                (_, Some(Phase::Lost(error @ TransmissionError::NodesDisagree(_)))) => {
                    self.not_found(at, next, error, moment)
                }
                _ => self.not_found(at, next, TransmissionError::NotFound, moment),
            }),
            Outcome::Checked(Checked::Sendable { findings }) => {
                let earlier = if gapped(&findings) { self.confirmed_before(at) } else { Vec::new() };
                let phase = if earlier.is_empty() { Phase::Sendable } else { Phase::Recall(earlier) };
                self.phase = Some((at, phase));
                // The record of a transaction that has just begun is stored with what follows.
                self.transmission(at).is_none().then_some(next)
            }
            Outcome::Checked(Checked::Stale { reason }) => {
                Some(failed(next, TransmissionError::StaleTransaction(reason), moment))
            }
            Outcome::Checked(Checked::WrongNetwork { reason }) => {
                Some(failed(next, TransmissionError::WrongNetwork(reason), moment))
            }
            Outcome::Checked(Checked::Unclear { reason }) => {
                Some(self.unready(at, next, TransmissionError::NoAnswer(reason), moment))
            }
            Outcome::Checked(Checked::Disputed { reason }) => {
                Some(self.unready(at, next, TransmissionError::NodesDisagree(reason), moment))
            }
            Outcome::Broadcast(Broadcast::Accepted) => Some(self.accepted(at, next, moment)),
            // A transaction that was sent before and is refused now is lost, or in a block after all.
            Outcome::Broadcast(refused) if next.status == StepStatus::Sent => {
                self.enter(at, Phase::Lost(doubt(refused, false)))
            }
            Outcome::Broadcast(refused) => {
                self.enter(at, Phase::Doubtful(doubt(refused, phase == Some(Phase::Untried))))
            }
            Outcome::Found(status) => self.found(at, phase, next, status, moment),
        }
    }

    /// The next state of a transaction that was looked up.
    fn found(
        &mut self,
        at: Place,
        phase: Option<Phase>,
        next: Transmission,
        status: Status,
        moment: Moment,
    ) -> Option<Transmission> {
        match (status, phase) {
            (Status::Pending, _) => Some(self.accepted(at, next, moment)),
            (Status::Confirmed { .. }, _) => Some(confirmed(next, moment)),
            (Status::Failed { reason }, _) => {
                Some(failed(next, TransmissionError::TransactionFailed(reason), moment))
            }
            (Status::NotFound, Some(Phase::Doubtful(error @ TransmissionError::BroadcastRejected(_)))) => {
                Some(failed(next, error, moment))
            }
            (Status::NotFound, Some(Phase::Doubtful(error))) => self.enter(at, Phase::Lost(error)),
            (Status::NotFound, _) => self.enter(at, Phase::Unknown),
            (Status::Unclear { .. }, Some(Phase::Doubtful(error))) => {
                Some(self.unclear(at, next, waiting(error), moment))
            }
            // The bytes may never have been broadcast: unclear is no reason to keep them back.
            (Status::Unclear { .. } | Status::Disputed { .. }, phase)
                if next.status == StepStatus::Signed && !matches!(phase, Some(Phase::Doubtful(_))) =>
            {
                self.enter(at, Phase::Unknown)
            }
            (Status::Unclear { reason }, _) => {
                Some(self.unclear(at, next, TransmissionError::NoAnswer(reason), moment))
            }
            (Status::Disputed { reason }, _) => {
                Some(self.unclear(at, next, TransmissionError::NodesDisagree(reason), moment))
            }
        }
    }

    /// Only the phase changes.
    fn enter(&mut self, at: Place, phase: Phase) -> Option<Transmission> {
        self.phase = Some((at, phase));
        None
    }

    /// The chain has a gap before a transaction: its block, or the blocks of several, may have been reorganised away.
    /// What is no longer in a block is waited for again. The latest is looked up first; if it stands, so do all before.
    fn recall(&mut self, gapped: Place, at: Place, outcome: Outcome, moment: Moment) -> Option<Change> {
        let Some((_, Phase::Recall(mut earlier))) = self.phase.take() else { return None };
        earlier.pop();
        if !matches!(outcome, Outcome::Found(Status::NotFound | Status::Pending)) {
            // Nothing to wait for: the gap is another sender's, or one of this bundle's that is waited for already.
            let waits = self.current().is_some_and(|(place, ..)| place < gapped);
            let signed = self.transmission(gapped).is_some_and(|one| one.signed.is_some());
            self.phase = (!waits && !signed).then_some((gapped, Phase::Sendable));
            return None;
        }
        let next = self.transmission(at).cloned()?;
        let record = Transmission {
            status: StepStatus::Sent,
            settled_at: None,
            error: TransmissionError::Reorganised.text(),
            deadline: Some(self.deadline(at, moment)),
            looks: 0,
            next_look: 0,
            ..next
        };
        self.put(at, record.clone());
        // Where it is the last of them, `current` is the earliest that is waited for again.
        self.phase = (!earlier.is_empty()).then_some((gapped, Phase::Recall(earlier)));
        Some(Change { at, record, store: Storing::Soon, news: true })
    }

    fn signed(&self, at: Place, next: Transmission, signed: SignedBytes, moment: Moment) -> Transmission {
        Transmission {
            status: StepStatus::Signed,
            signed: Some(signed),
            error: None,
            signed_at: Some(moment.now),
            deadline: Some(self.deadline(at, moment)),
            looks: 0,
            next_look: 0,
            ..next
        }
    }

    /// The nodes cannot say whether it can be sent; it is not signed yet.
    fn unready(
        &self,
        at: Place,
        next: Transmission,
        error: TransmissionError,
        moment: Moment,
    ) -> Transmission {
        if moment.now < next.deadline.unwrap_or(moment.now) {
            return self.unclear(at, next, error, moment);
        }
        let error = match error {
            TransmissionError::NoAnswer(reason) => TransmissionError::NodeUnreachable(reason),
            error => error,
        };
        failed(next, error, moment)
    }

    /// A node has it.
    fn accepted(&self, at: Place, mut next: Transmission, moment: Moment) -> Transmission {
        let first = next.sent_at.is_none();
        (next.error, next.gone) = (None, 0);
        next.sent_at = next.sent_at.or(Some(moment.now));
        if !self.waits(at) {
            return settled(next, StepStatus::Pending, None, moment);
        }
        next.status = StepStatus::Sent;
        if first {
            // A chain that mines at once has the receipt by now.
            (next.looks, next.next_look) = (0, self.not_before.min(deadline_of(&next, moment)));
            return next;
        }
        self.poll_later(at, next, moment)
    }

    fn not_found(
        &self,
        at: Place,
        next: Transmission,
        error: TransmissionError,
        moment: Moment,
    ) -> Transmission {
        self.unclear(at, Transmission { gone: 0, ..next }, error, moment)
    }

    fn unclear(
        &self,
        at: Place,
        mut next: Transmission,
        error: TransmissionError,
        moment: Moment,
    ) -> Transmission {
        next.error = error.text();
        self.poll_later(at, next, moment)
    }

    /// No node knows it, and the chain could not take it any more.
    fn gone(&self, at: Place, mut next: Transmission, reason: &str, moment: Moment) -> Transmission {
        next.gone += 1;
        let error = TransmissionError::StaleTransaction(reason.to_owned());
        if next.gone >= GONE_FOR_GOOD {
            return failed(next, error, moment);
        }
        next.error = error.text();
        // A node that is behind says the same for a while.
        let later = moment.now + self.interval(at);
        let deadline = deadline_of(&next, moment);
        let mut next = self.poll_later(at, next, moment);
        if next.settled_at.is_none() {
            next.next_look = next.next_look.max(later).min(deadline);
        }
        next
    }

    /// Sets the time of the next poll; after the deadline the transaction is `timeout`.
    fn poll_later(&self, at: Place, mut next: Transmission, moment: Moment) -> Transmission {
        let deadline = deadline_of(&next, moment);
        if moment.now >= deadline {
            let unknown = "no node knows yet whether it will be part of the chain";
            let error =
                TransmissionError::ReceiptTimeout(next.error.as_deref().unwrap_or(unknown).to_owned());
            return settled(next, StepStatus::Timeout, error.text(), moment);
        }
        let pause = pause(next.looks, self.interval(at), moment.chance);
        next.looks += 1;
        // The deadline itself is a time to poll.
        next.next_look = (moment.now + pause).max(self.not_before).min(deadline);
        next
    }

    /// The first transaction that is not settled well: its place, its status, and when it is due.
    fn current(&self) -> Option<(Place, StepStatus, Millis)> {
        for (step, (plan, transmissions)) in self.steps.iter().enumerate() {
            for index in 0..plan.transactions {
                let at = Place { step, index };
                match transmissions.get(index) {
                    None => return Some((at, StepStatus::Queued, 0)),
                    Some(one) if matches!(one.status, StepStatus::Confirmed | StepStatus::Pending) => {}
                    Some(one) if plan.for_page && one.status == StepStatus::Signed => {}
                    Some(one) => return Some((at, one.status, one.next_look)),
                }
            }
        }
        None
    }

    /// The transaction to check together with the lookup of this one: the next, while a receipt can be expected at
    /// once; later now and then this one itself, because a reorganisation may have opened a gap before it.
    fn next_to_check(&self, at: Place) -> Option<Place> {
        let one = self.transmission(at)?;
        if one.looks <= EAGER_POLLS {
            return self.follower(at).filter(|_| self.stop.is_none());
        }
        let stuck = one.status == StepStatus::Sent && one.looks.is_power_of_two();
        (stuck && !self.confirmed_before(at).is_empty()).then_some(at)
    }

    /// The transaction that follows this one, if it is on the same chain.
    pub fn follower(&self, at: Place) -> Option<Place> {
        let (plan, _) = self.steps.get(at.step)?;
        if at.index + 1 < plan.transactions {
            return Some(Place { index: at.index + 1, ..at });
        }
        let next = Place { step: at.step + 1, index: 0 };
        self.steps.get(next.step).filter(|(other, _)| other.chain == plan.chain).map(|_| next)
    }

    /// Confirmed transactions on the same chain, the latest last.
    fn confirmed_before(&self, at: Place) -> Vec<Place> {
        let chain = self.steps.get(at.step).map(|(plan, _)| plan.chain.as_str());
        let steps = self.steps.iter().enumerate().take(at.step + 1);
        let on_chain = steps.filter(|(_, (plan, _))| Some(plan.chain.as_str()) == chain);
        let places = on_chain.flat_map(|(step, (_, transmissions))| {
            let confirmed = |(_, one): &(usize, &Transmission)| one.status == StepStatus::Confirmed;
            transmissions.iter().enumerate().filter(confirmed).map(move |(index, _)| Place { step, index })
        });
        places.collect()
    }

    fn phase_of(&self, at: Place) -> Option<&Phase> {
        self.phase.as_ref().filter(|(place, _)| *place == at).map(|(_, phase)| phase)
    }

    /// An approval is always waited for before its swap.
    fn waits(&self, at: Place) -> bool {
        self.steps.get(at.step).is_some_and(|(plan, _)| plan.wait || at.index + 1 < plan.transactions)
    }

    fn is_for_page(&self, at: Place) -> bool {
        self.steps.get(at.step).is_some_and(|(plan, _)| plan.for_page)
    }

    fn interval(&self, at: Place) -> Millis {
        self.steps.get(at.step).map_or(1_000, |(plan, _)| plan.interval)
    }

    fn deadline(&self, at: Place, moment: Moment) -> Millis {
        moment.now + self.steps.get(at.step).map_or(0, |(plan, _)| plan.timeout)
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

const fn deadline_of(next: &Transmission, moment: Moment) -> Millis {
    match next.deadline {
        Some(deadline) => deadline,
        None => moment.now,
    }
}

/// What a broadcast that no node took leaves open. `first` is whether no node can have had the bytes before.
fn doubt(broadcast: Broadcast, first: bool) -> TransmissionError {
    match broadcast {
        Broadcast::Rejected { reason } if first => TransmissionError::BroadcastRejected(reason),
        Broadcast::Rejected { reason } | Broadcast::Ambiguous { reason } => {
            TransmissionError::NoAnswer(reason)
        }
        Broadcast::Disputed { reason } => TransmissionError::NodesDisagree(reason),
        // Taken, so nothing is open.
        Broadcast::Accepted => TransmissionError::NotFound,
    }
}

/// What is said of a rejected transaction while it is not known whether a node has it.
fn waiting(error: TransmissionError) -> TransmissionError {
    match error {
        TransmissionError::BroadcastRejected(reason) => TransmissionError::NoAnswer(reason),
        error => error,
    }
}

fn gapped(findings: &[wire::node::Finding]) -> bool {
    findings.iter().any(|finding| finding.code == FindingCode::Gapped)
}

/// The code of what keeps a transaction waiting, or ended it; empty if nothing does.
fn code(transmission: &Transmission) -> &str {
    transmission.error.as_deref().and_then(|error| error.split(':').next()).unwrap_or_default()
}

fn confirmed(next: Transmission, moment: Moment) -> Transmission {
    let sent_at = next.sent_at.or(Some(moment.now));
    settled(Transmission { sent_at, ..next }, StepStatus::Confirmed, None, moment)
}

fn failed(next: Transmission, error: TransmissionError, moment: Moment) -> Transmission {
    settled(next, StepStatus::Failed, error.text(), moment)
}

fn settled(next: Transmission, status: StepStatus, error: Option<String>, moment: Moment) -> Transmission {
    Transmission { status, error, settled_at: Some(moment.now), ..next }
}

/// The status of a step, by the records of its transactions.
pub fn status(transmissions: &[Transmission], transactions: usize) -> StepStatus {
    match transmissions.last().map(|last| last.status) {
        None => StepStatus::Queued,
        // One more to come.
        Some(StepStatus::Confirmed) if transmissions.len() < transactions => StepStatus::Signing,
        Some(status) => status,
    }
}

const fn begun(deadline: Millis) -> Transmission {
    Transmission {
        status: StepStatus::Signing,
        signed: None,
        error: None,
        signed_at: None,
        sent_at: None,
        deadline: Some(deadline),
        settled_at: None,
        late: false,
        looks: 0,
        next_look: 0,
        gone: 0,
    }
}
