//! The effects of the engine: check, sign, broadcast, look up. Decides nothing: each outcome goes back to the engine.

use super::engine::{Effect, Moment, Outcome, Storing};
use super::error::BundleError;
use super::review::with_step;
use super::rows::{FIRST, Place, Transmission};
use super::run::{Permission, Permit, Progress, Running, permission};
use crate::Core;
use crate::node::{Answers, same_nodes};
use crate::store::{Batch, Durability, StoreError};
use std::future::Future;
use std::pin::pin;
use std::task::Poll;
use wire::api::Millis;
use wire::node::{Broadcast, CheckRequest, Checked, NodeQuery, NodeResult, Status};
use wire::run::TxStatus;
use wire::signer::{KeyRequest, Reply};

/// While nodes take longer than this to answer, what is staged is stored, so that pages see it.
const STORE_AFTER: Millis = 20;

/// What must hold before a transaction is signed.
enum Gate {
    /// It may be signed.
    Open(Box<Permit>),
    /// It may not.
    Closed(Progress),
}

/// Performs one effect that needs a node or a key.
pub(super) async fn perform(
    core: &Core,
    running: &mut Running,
    effect: Effect,
) -> Result<Progress, StoreError> {
    match effect {
        Effect::Check(at) => return check(core, running, at).await,
        Effect::Sign(at) => return sign(core, running, at).await,
        Effect::Broadcast(at) => broadcast(core, running, at).await?,
        Effect::LookUp { at, next } => look_up(core, running, at, next).await?,
        Effect::Wait { .. } | Effect::End(_) => {}
    }
    Ok(Progress::Continue)
}

/// Asks whether a transaction can be sent.
async fn check(core: &Core, running: &mut Running, at: Place) -> Result<Progress, StoreError> {
    let unsigned = running.engine.transmission(at).is_none_or(|one| one.signed.is_none());
    if unsigned {
        if !std::mem::take(&mut running.just_permitted)
            && let Gate::Closed(progress) = gate(core, running, at).await?
        {
            return Ok(progress);
        }
        if running.engine.transmission(at).is_none() {
            apply_outcome(core, running, at, Outcome::Began, 0).await?;
        }
    }
    let Some(query) = running.check_query(at) else {
        return Ok(Progress::End(BundleError::BundleGone.into()));
    };
    let (results, not_before) = match running.early_check.take() {
        Some(Answers { results, not_before }) => (results, not_before),
        None => ask_nodes(core, running, at, vec![query]).await?,
    };
    let checked = match results.into_iter().next() {
        Some(NodeResult::Checked(checked)) => checked,
        _ => Checked::Unclear { reason: senseless() },
    };
    apply_outcome(core, running, at, Outcome::Checked(checked), not_before).await?;
    Ok(Progress::Continue)
}

/// Asks whether the first transaction can be sent, for [`check`].
pub(super) async fn check_early(core: &Core, running: &Running) -> Option<Answers> {
    let (chain, query) = (running.chain(FIRST), running.check_query(FIRST)?);
    Some(core.nodes.query(chain, running.endpoints.get(chain), vec![query]).await)
}

/// Signs a transaction. The bytes are on the medium before a node can have them.
async fn sign(core: &Core, running: &mut Running, at: Place) -> Result<Progress, StoreError> {
    let Permit { opening, records } = match gate(core, running, at).await? {
        Gate::Open(permit) => *permit,
        Gate::Closed(progress) => return Ok(progress),
    };
    let step = running.requests.get(at.step).cloned();
    let account = running.vault.account(running.chain(at)).cloned();
    let (Some(step), Some(digest), Some(account)) = (step, running.digest(at), account) else {
        return Ok(Progress::End(BundleError::BundleGone.into()));
    };
    if running.engine.transmission(at).is_none() {
        apply_outcome(core, running, at, Outcome::Began, 0).await?;
    }
    let request = KeyRequest::Sign { opened: opening.opened, account, step, index: at.index, digest };
    let outcome = match core.ports.signer.ask(request.into()).await {
        Ok(Reply::Signed(signed)) => Outcome::Signed(signed),
        Ok(_) => Outcome::NotSigned(BundleError::SignerUnavailable.into()),
        Err(mut refusal) => {
            refusal.step = Some(at.step);
            Outcome::NotSigned(with_step(&refusal, &running.requests))
        }
    };
    if matches!(outcome, Outcome::Signed(_)) {
        running.relied_on = records;
    }
    let upcoming = running.queries_after(at, &outcome);
    let chain = running.chain(at).to_owned();
    // While the bytes are stored, the requests that follow are built.
    let stored = apply_outcome(core, running, at, outcome, 0);
    match upcoming {
        Some(upcoming) => both(stored, core.nodes.prepare(&chain, upcoming)).await.0?,
        None => stored.await?,
    }
    Ok(Progress::Continue)
}

/// Broadcasts the bytes that are on disk, the same each time.
async fn broadcast(core: &Core, running: &mut Running, at: Place) -> Result<(), StoreError> {
    let ambiguous = |reason: String| Broadcast::Ambiguous { reason };
    let signed = running.engine.transmission(at).and_then(|one| one.signed.clone());
    let Some(signed) = signed else {
        return apply_outcome(core, running, at, Outcome::Broadcast(ambiguous(senseless())), 0).await;
    };
    let (results, not_before) = ask_nodes(core, running, at, vec![NodeQuery::Broadcast(signed)]).await?;
    let outcome = match results.into_iter().next() {
        Some(NodeResult::Broadcast(outcome)) => outcome,
        _ => ambiguous(senseless()),
    };
    apply_outcome(core, running, at, Outcome::Broadcast(outcome), not_before).await
}

/// Asks where a transaction is and, in the same exchange, whether the next one can be sent.
async fn look_up(
    core: &Core,
    running: &mut Running,
    at: Place,
    next: Option<Place>,
) -> Result<(), StoreError> {
    let signed = running.engine.transmission(at).and_then(|one| one.signed.as_ref());
    let id = signed.map_or_else(String::new, |one| one.id.clone());
    let queries = running.lookup_queries(at, id, next);
    let (results, not_before) = ask_nodes(core, running, at, queries).await?;
    let mut results = results.into_iter();
    let status = match results.next() {
        Some(NodeResult::Status(status)) => status,
        _ => Status::Unclear { reason: senseless() },
    };
    apply_outcome(core, running, at, Outcome::Found(status), not_before).await?;
    if let (Some(next), Some(NodeResult::Checked(checked))) = (next, results.next()) {
        running.engine.prechecked(next, &checked);
    }
    Ok(())
}

/// What must hold before a signature: nothing stops the bundle between two steps, and the vault is open.
async fn gate(core: &Core, running: &mut Running, at: Place) -> Result<Gate, StoreError> {
    let Permission { stop, permit } = permission(core, running).await?;
    if let Some(stop) = stop.filter(|stop| stop.ends_before(at)) {
        running.engine.stop(stop);
        return Ok(Gate::Closed(Progress::Continue));
    }
    Ok(match permit {
        Some(permit) => Gate::Open(Box::new(permit.clone())),
        None => Gate::Closed(Progress::Locked),
    })
}

/// Asks the nodes of a transaction's chain. If they take their time, what is staged is stored meanwhile.
async fn ask_nodes(
    core: &Core,
    running: &mut Running,
    at: Place,
    queries: Vec<NodeQuery>,
) -> Result<(Vec<NodeResult>, Millis), StoreError> {
    let chain = running.chain(at).to_owned();
    let chosen = running.endpoints.get(&chain).cloned();
    let mut asked = pin!(core.nodes.query(&chain, chosen.as_ref(), queries));
    if running.records.is_staged() {
        let mut patience = pin!(core.ports.host.sleep(STORE_AFTER));
        let answered = std::future::poll_fn(|context| match asked.as_mut().poll(context) {
            Poll::Ready(answers) => Poll::Ready(Some(answers)),
            Poll::Pending => patience.as_mut().poll(context).map(|()| None),
        });
        if let Some(answers) = answered.await {
            return Ok((answers.results, answers.not_before));
        }
        save(core, running, Durability::Relaxed).await?;
    }
    let answers = asked.await;
    Ok((answers.results, answers.not_before))
}

/// Hands an outcome to the engine, and stores what must be stored before the next effect.
async fn apply_outcome(
    core: &Core,
    running: &mut Running,
    at: Place,
    outcome: Outcome,
    not_before: Millis,
) -> Result<(), StoreError> {
    let mut chance = [0];
    core.ports.host.random(&mut chance);
    let moment = Moment { now: core.now(), not_before, chance: u8::from_be_bytes(chance) };
    let Some(change) = running.engine.apply(at, outcome, moment) else { return Ok(()) };
    let step = running.bundle.steps.get(change.at.step);
    let event = step.map(|step| tx_status(&running.bundle.id, step, change.at, &change.record));
    running.records.stage(&change, event);
    match change.store {
        Storing::Before => save(core, running, Durability::Strict).await,
        Storing::Soon | Storing::Never => Ok(()),
    }
}

/// Stores what is staged.
pub(super) async fn save(
    core: &Core,
    running: &mut Running,
    durability: Durability,
) -> Result<(), StoreError> {
    if !running.records.is_staged() {
        return Ok(());
    }
    let mut batch = Batch::new(durability);
    batch.expect_all(&std::mem::take(&mut running.relied_on));
    running.records.write(core, &running.bundle, &mut batch).await?;
    core.commit(batch).await?;
    running.records.written();
    Ok(())
}

/// Runs two futures side by side.
pub(super) async fn both<A, B>(first: impl Future<Output = A>, second: impl Future<Output = B>) -> (A, B) {
    let (mut first, mut second) = (pin!(first), pin!(second));
    let (mut one, mut other) = (None, None);
    std::future::poll_fn(|context| {
        if one.is_none()
            && let Poll::Ready(ready) = first.as_mut().poll(context)
        {
            one = Some(ready);
        }
        if other.is_none()
            && let Poll::Ready(ready) = second.as_mut().poll(context)
        {
            other = Some(ready);
        }
        match (one.take(), other.take()) {
            (Some(one), Some(other)) => Poll::Ready((one, other)),
            unfinished => {
                (one, other) = unfinished;
                Poll::Pending
            }
        }
    })
    .await
}

fn senseless() -> String {
    "the nodes' answer made no sense".to_owned()
}

/// What pages are notified of.
pub(super) fn tx_status(
    bundle_id: &str,
    step: &wire::bundle::Step,
    at: Place,
    next: &Transmission,
) -> TxStatus {
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

impl Running {
    pub(super) fn chain(&self, at: Place) -> &str {
        self.bundle.steps.get(at.step).map_or("", |step| &step.chain)
    }

    /// Where a transaction is and, if it goes to the same nodes, whether the next can be sent.
    fn lookup_queries(&self, at: Place, id: String, next: Option<Place>) -> Vec<NodeQuery> {
        let chain = self.chain(at);
        let next = next.filter(|_| same_nodes(chain, self.endpoints.get(chain)));
        let check = next.and_then(|next| self.check_query(next));
        [NodeQuery::Status { id }].into_iter().chain(check).collect()
    }

    /// What the nodes are asked after a signature: the broadcast, then the lookup.
    fn queries_after(&self, at: Place, outcome: &Outcome) -> Option<[Vec<NodeQuery>; 2]> {
        let Outcome::Signed(signed) = outcome else { return None };
        let lookup = self.lookup_queries(at, signed.id.clone(), self.engine.follower(at));
        Some([vec![NodeQuery::Broadcast(signed.clone())], lookup])
    }

    /// Earlier transactions may be in a block by now or not: counted from the chain's own number.
    fn check_query(&self, at: Place) -> Option<NodeQuery> {
        let step = self.requests.get(at.step)?.clone();
        let account = self.vault.account(self.chain(at))?.clone();
        let check = CheckRequest { account, step, index: at.index, ahead: 0 };
        Some(NodeQuery::Check(Box::new(check)))
    }

    fn digest(&self, at: Place) -> Option<String> {
        let decoded = self.bundle.steps.get(at.step)?.transactions.get(at.index)?;
        Some(decoded.digest.clone())
    }
}
