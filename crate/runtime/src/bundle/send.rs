//! The tasks of the engine: check and sign, send, look up. Each ends in one record on disk.

use super::engine::Event as Became;
use super::review::in_words;
use super::rows::{self, Place};
use super::run::{Done, Running};
use crate::Core;
use crate::store::{Batch, Durability, StoreError, Table, json};
use wire::api::Millis;
use wire::event::Event;
use wire::node::{Broadcast, CheckRequest, Checked, FindingCode, NodeQuery, NodeResult, SignedBytes, Status};
use wire::run::{StepStatus, Transmission, TxStatus};
use wire::signer::{Reply, Request};

/// A rest that is longer than this is written down, so that a worker which dies meanwhile keeps to it.
const WORTH_WRITING: Millis = 10_000;

impl Core {
    /// Checks a transaction against the chain and signs it. The bytes are on disk before anybody else can have them.
    pub(super) async fn sign(&self, running: &mut Running, at: Place) -> Result<Done, StoreError> {
        if at.index == 0
            && let Some(why) = self.stopped(&running.bundle.id).await?
        {
            return Ok(Done::Ends(why));
        }
        let bundle = &running.bundle;
        let fresh_only = bundle.skipped_approval;
        let Some(opened) = self.vaults.opened(&bundle.vault_id, Some(&bundle.id), fresh_only).await? else {
            return Ok(Done::Locked);
        };
        let step = running.requests.get(at.step).cloned();
        let account = running.vault.account(running.chain(at)).cloned();
        let (Some(step), Some(digest), Some(account)) = (step, running.digest(at), account) else {
            return Ok(Done::Ends("bundle_gone: its records do not fit together".to_owned()));
        };
        if running.engine.transmission(at).is_none() {
            self.note(running, at, Became::Began, 0).await?;
        }
        if !self.check_before_signing(running, at).await? {
            return Ok(Done::Further);
        }
        let request = Request::Sign { opened, account, step, index: at.index, digest };
        let became = match self.ports.signer.ask(request).await {
            Ok(Reply::Signed(signed)) => Became::Signed(signed),
            Ok(_) => Became::Refused("signer_unavailable: the signer's answer made no sense".to_owned()),
            Err(mut refusal) => {
                refusal.step = Some(at.step);
                Became::Refused(in_words(&refusal, &running.requests))
            }
        };
        self.note(running, at, became, 0).await?;
        Ok(Done::Further)
    }

    /// Whether a transaction can be sent, by the chain's own word. What came of it instead is noted.
    async fn check_before_signing(&self, running: &mut Running, at: Place) -> Result<bool, StoreError> {
        // Earlier ones that nobody waited for may be in a block by now or not: counted from the chain's own number.
        let (checked, not_before) = self.check(running, at).await;
        let became = match checked {
            Checked::Sendable { findings } => {
                let gapped = findings.iter().any(|finding| finding.code == FindingCode::Gapped);
                return match gapped {
                    true => Ok(!self.recall(running, at).await?),
                    false => Ok(true),
                };
            }
            Checked::Stale { reason } => Became::Refused(format!("stale_transaction: {reason}")),
            Checked::WrongNetwork { reason } => Became::Refused(format!("wrong_network: {reason}")),
            Checked::Unclear { reason } => Became::Unready(reason),
        };
        self.note(running, at, became, not_before).await?;
        Ok(false)
    }

    /// A number is missing on the chain: perhaps blocks with earlier transactions of this bundle are gone. Whether
    /// some are, and are waited for again. The latest is asked for first; below one that stands all others do.
    async fn recall(&self, running: &mut Running, at: Place) -> Result<bool, StoreError> {
        let mut recalled = false;
        for earlier in running.confirmed_before(at) {
            let (status, not_before) = self.whereabouts(running, earlier).await;
            if !matches!(status, Status::NotFound | Status::Pending) {
                break;
            }
            self.note(running, earlier, Became::Reorganised, not_before).await?;
            recalled = true;
        }
        Ok(recalled)
    }

    /// Sends the bytes that are on disk, the same each time. Whoever does not know whether they went out before looks
    /// them up first.
    pub(super) async fn send(
        &self,
        running: &mut Running,
        at: Place,
        untried: bool,
    ) -> Result<Done, StoreError> {
        if !untried {
            let (status, not_before) = self.whereabouts(running, at).await;
            if is_known(&status) {
                self.note(running, at, Became::Seen(status), not_before).await?;
                return Ok(Done::Further);
            }
        }
        let (outcome, mut not_before) = self.broadcast(running, at).await;
        let first_word = untried && matches!(outcome, Broadcast::Rejected { .. });
        let became = match outcome {
            Broadcast::Accepted => Became::Accepted,
            Broadcast::Rejected { reason } | Broadcast::Ambiguous { reason } => {
                let (status, later) = self.whereabouts(running, at).await;
                not_before = not_before.max(later);
                match status {
                    known if is_known(&known) => Became::Seen(known),
                    Status::NotFound if first_word => Became::Rejected(reason),
                    Status::NotFound => self.lost(running, at).await,
                    _ => Became::Seen(Status::Unclear { reason }),
                }
            }
        };
        self.note(running, at, became, not_before).await?;
        Ok(Done::Further)
    }

    /// Asks where a transaction is. One that nobody knows any more is sent again.
    pub(super) async fn look_up(&self, running: &mut Running, at: Place) -> Result<Done, StoreError> {
        let (status, mut not_before) = self.whereabouts(running, at).await;
        let became = match status {
            Status::NotFound => {
                let (outcome, later) = self.broadcast(running, at).await;
                not_before = not_before.max(later);
                match outcome {
                    Broadcast::Accepted => Became::Accepted,
                    Broadcast::Rejected { .. } | Broadcast::Ambiguous { .. } => self.lost(running, at).await,
                }
            }
            status => Became::Seen(status),
        };
        self.note(running, at, became, not_before).await?;
        Ok(Done::Further)
    }

    /// Nobody knows a transaction: because it can no longer be part of the chain, or for the moment.
    async fn lost(&self, running: &Running, at: Place) -> Became {
        match self.check(running, at).await.0 {
            Checked::Stale { reason } => Became::Gone(reason),
            _ => Became::Seen(Status::NotFound),
        }
    }

    async fn check(&self, running: &Running, at: Place) -> (Checked, Millis) {
        let unclear = || Checked::Unclear { reason: "the nodes' answer made no sense".to_owned() };
        let step = running.requests.get(at.step).cloned();
        let account = running.vault.account(running.chain(at)).cloned();
        let (Some(step), Some(account)) = (step, account) else {
            return (unclear(), 0);
        };
        let check = CheckRequest { account, step, index: at.index, ahead: 0 };
        let told = self.query_nodes(running.chain(at), &NodeQuery::Check(Box::new(check))).await;
        match told.result {
            NodeResult::Checked(checked) => (checked, told.not_before),
            _ => (unclear(), told.not_before),
        }
    }

    async fn whereabouts(&self, running: &Running, at: Place) -> (Status, Millis) {
        let id = running.signed(at).map(|signed| signed.id).unwrap_or_default();
        let told = self.query_nodes(running.chain(at), &NodeQuery::Status { id }).await;
        let status = match told.result {
            NodeResult::Status(status) => status,
            _ => Status::Unclear { reason: "the nodes' answer made no sense".to_owned() },
        };
        (status, told.not_before)
    }

    async fn broadcast(&self, running: &Running, at: Place) -> (Broadcast, Millis) {
        let ambiguous = |reason: &str| Broadcast::Ambiguous { reason: reason.to_owned() };
        let Some(signed) = running.signed(at) else {
            return (ambiguous("nothing is signed"), 0);
        };
        let told = self.query_nodes(running.chain(at), &NodeQuery::Broadcast(signed)).await;
        let outcome = match told.result {
            NodeResult::Broadcast(outcome) => outcome,
            _ => ambiguous("the nodes' answer made no sense"),
        };
        (outcome, told.not_before)
    }

    /// Writes down what became of a transaction, and tells the pages. That there is no news is written only where it
    /// matters to the next worker.
    async fn note(
        &self,
        running: &mut Running,
        at: Place,
        became: Became,
        not_before: Millis,
    ) -> Result<(), StoreError> {
        let mut chance = [0];
        self.ports.host.random(&mut chance);
        let now = self.now();
        let before = running.engine.transmission(at).map(|one| (one.status, one.error.is_some()));
        let Some(next) = running.engine.apply(at, became, now, not_before, u8::from_be_bytes(chance)) else {
            return Ok(());
        };
        let further = before.map(|(status, _)| status) != Some(next.status);
        // Also that a node gives no answer, or does again: the person should not wonder what is going on.
        let news = before != Some((next.status, next.error.is_some()));
        if !news && next.next_look.saturating_sub(now) < WORTH_WRITING {
            return Ok(());
        }
        let key = rows::key(&running.bundle.id, at);
        let mut batch = Batch::new(if further { Durability::Strict } else { Durability::Relaxed });
        batch.expect(Table::Transmissions, &key, running.text(at));
        batch.put(Table::Transmissions, &key, &next);
        if news && let Some(step) = running.bundle.steps.get(at.step) {
            batch.tell(&Event::TxStatus(told(&running.bundle.id, step, at, &next)));
        }
        self.commit(batch).await?;
        running.keep(at, json(&next));
        Ok(())
    }
}

/// What the pages are told of a transaction.
pub(super) fn told(bundle_id: &str, step: &wire::bundle::Step, at: Place, next: &Transmission) -> TxStatus {
    TxStatus {
        bundle_id: bundle_id.to_owned(),
        step_id: step.id.clone(),
        sequence: step.sequence,
        index: at.index,
        chain: step.chain.clone(),
        label: step.action.clone(),
        tx_hash: next.signed.as_ref().map(|signed| signed.id.clone()),
        status: next.status,
        error: next.error.clone(),
        late: next.late,
    }
}

/// Whether some node has the transaction.
fn is_known(status: &Status) -> bool {
    matches!(status, Status::Pending | Status::Confirmed { .. } | Status::Failed { .. })
}

impl Running {
    fn chain(&self, at: Place) -> &str {
        self.bundle.steps.get(at.step).map_or("", |step| &step.chain)
    }

    /// Transactions on the same chain that are confirmed, the latest first.
    fn confirmed_before(&self, at: Place) -> Vec<Place> {
        let chain = self.chain(at);
        let steps = (0..=at.step)
            .rev()
            .filter(|step| self.bundle.steps.get(*step).is_some_and(|step| step.chain == chain));
        let places = steps.flat_map(|step| {
            (0..self.engine.transmissions(step).len()).rev().map(move |index| Place { step, index })
        });
        let confirmed = |place: &Place| {
            self.engine.transmission(*place).is_some_and(|one| one.status == StepStatus::Confirmed)
        };
        places.filter(confirmed).collect()
    }

    /// A record's text on disk.
    fn text(&self, at: Place) -> Option<&str> {
        self.texts.iter().rev().find(|(place, _)| *place == at).map(|(_, text)| text.as_str())
    }

    fn keep(&mut self, at: Place, text: String) {
        match self.texts.iter_mut().rev().find(|(place, _)| *place == at) {
            Some((_, known)) => *known = text,
            None => self.texts.push((at, text)),
        }
    }

    fn digest(&self, at: Place) -> Option<String> {
        let decoded = self.bundle.steps.get(at.step)?.transactions.get(at.index)?;
        Some(decoded.digest.clone())
    }

    fn signed(&self, at: Place) -> Option<SignedBytes> {
        self.engine.transmission(at)?.signed.clone()
    }
}
