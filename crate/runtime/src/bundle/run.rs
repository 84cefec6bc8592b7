//! After the approval: does what the engine says, one task after the other, until the bundle ends or has to wait.
//!
//! Nothing here is needed to go on: a worker that died is followed by one that reads the same records.

use super::engine::{Ending, Engine, Plan, Task};
use super::rows::{self, Place};
use super::{facts, request};
use crate::Core;
use crate::call::Advance;
use crate::prompt::{self, Ask};
use crate::store::{Batch, Durability, Range, Store, StoreError, Stored, Table, parse, read};
use crate::tool::Output;
use chains::Chain;
use std::rc::Rc;
use wire::api::{Call, Millis};
use wire::bundle::{Bundle, Step, StepRequest};
use wire::failure::Failure;
use wire::prompt::{PasswordReason, Question};
use wire::run::Run;
use wire::vault::Vault;

/// A worker is kept alive for a rest of at most this long; beyond it the alarm rings, which a dead one hears too.
const LONGEST_TIMER: Millis = 25_000;

/// A bundle in hand.
pub(super) struct Running {
    pub(super) call: Stored<Call>,
    pub(super) bundle: Bundle,
    pub(super) vault: Vault,
    /// The steps as they were asked for: what is signed is made from them anew.
    pub(super) requests: Vec<StepRequest>,
    pub(super) engine: Engine,
    /// The records' texts on disk.
    pub(super) texts: Vec<(Place, String)>,
}

/// What a task came to.
pub(super) enum Done {
    /// There is more to do.
    Further,
    /// The bundle ends here, and why: `code: sentence`.
    Ends(String),
    /// A person must give the password first.
    Locked,
}

impl Core {
    /// Brings an approved bundle as far as it gets now.
    pub(crate) async fn run_bundle(self: &Rc<Self>, call: Stored<Call>) -> Result<Advance, StoreError> {
        let mut running = match self.take_up_bundle(&call).await? {
            Ok(running) => running,
            Err(gone) => return self.end_bundle(call, Some(gone)).await,
        };
        if let Some(advance) = self.before_start(&running).await? {
            return Ok(advance);
        }
        loop {
            let now = self.now();
            let done = match running.engine.next(now) {
                Task::End(ending) => return self.end_bundle(running.call, words(ending)).await,
                Task::Rest { until } if until - now > LONGEST_TIMER => return Ok(Advance::Waits),
                Task::Rest { until } => {
                    self.ports.host.sleep(until - now).await;
                    Done::Further
                }
                Task::Sign(at) => self.sign(&mut running, at).await?,
                Task::Send { at, untried } => self.send(&mut running, at, untried).await?,
                Task::Look(at) => self.look_up(&mut running, at).await?,
            };
            match done {
                Done::Further => {}
                Done::Ends(why) => return self.end_bundle(running.call, Some(why)).await,
                Done::Locked => return self.ask_for_password(running.call, running.bundle).await,
            }
        }
    }

    /// Reads everything that is known of a bundle; or what is missing, as `code: sentence`.
    async fn take_up_bundle(&self, call: &Stored<Call>) -> Result<Result<Running, String>, StoreError> {
        let store = &*self.ports.store;
        let Some(bundle) = read::<Bundle>(store, Table::Bundles, &call.record.id).await? else {
            return Ok(Err("bundle_gone: its record is no longer there".to_owned()));
        };
        let bundle = bundle.record;
        let Some(vault) = self.vaults.get(&bundle.vault_id).await? else {
            return Ok(Err("no_vault: the vault is no longer here".to_owned()));
        };
        let mut requests = match request::parse(&call.record.params) {
            Ok(request) => request.steps,
            Err(error) => return Ok(Err(Failure::from(error).to_string())),
        };
        facts::restore(&mut requests, &bundle.steps);
        let (engine, texts) = restore(store, &bundle).await?;
        Ok(Ok(Running { call: call.clone(), bundle, vault: vault.record, requests, engine, texts }))
    }

    /// What must hold before the first step: nobody stopped it, the vault is open, and no other bundle uses the
    /// accounts. Where it got instead, if that does not hold.
    async fn before_start(self: &Rc<Self>, running: &Running) -> Result<Option<Advance>, StoreError> {
        let Running { call, bundle, vault, .. } = running;
        let run = read::<Run>(&*self.ports.store, Table::Runs, &bundle.id).await?;
        let run = run.map(|stored| stored.record).unwrap_or_default();
        if run.started_at.is_some() {
            return Ok(None);
        }
        if let Some(why) = self.stopped(&bundle.id).await? {
            return self.end_bundle(call.clone(), Some(why)).await.map(Some);
        }
        // Whoever skipped the approval must be there now: an open vault is not enough.
        if self.vaults.opened(&bundle.vault_id, Some(&bundle.id), bundle.skipped_approval).await?.is_none() {
            return self.ask_for_password(call.clone(), bundle.clone()).await.map(Some);
        }
        match self.take_accounts(bundle, vault).await? {
            true => Ok(None),
            false => Ok(Some(Advance::Waits)),
        }
    }

    /// Why nothing more is to be begun, as `code: sentence`.
    pub(super) async fn stopped(&self, bundle_id: &str) -> Result<Option<String>, StoreError> {
        let store = &*self.ports.store;
        if self.policy.rules().await?.kill_switch {
            return Ok(Some("kill_switch: everything was stopped before it was signed".to_owned()));
        }
        let run = read::<Run>(store, Table::Runs, bundle_id).await?;
        Ok(run.filter(|run| run.record.stop).and_then(|_| words(Ending::Stopped)))
    }

    async fn ask_for_password(
        self: &Rc<Self>,
        call: Stored<Call>,
        bundle: Bundle,
    ) -> Result<Advance, StoreError> {
        let why = match bundle.skipped_approval {
            true => PasswordReason::ApprovalSkipped,
            false if self.prompts.password_given(&call.record.id).await? => PasswordReason::LockedMeanwhile,
            false => PasswordReason::Sign,
        };
        let Bundle { vault_id, vault_name, digest, label, .. } = bundle;
        let ask = Ask {
            question: Question::PasswordRequired {
                call_id: call.record.id.clone(),
                vault_id,
                vault_name,
                why,
            },
            title: label.unwrap_or_else(|| call.record.title.clone()),
            reasons: Vec::new(),
            digest,
        };
        let mut batch = Batch::new(Durability::Strict);
        let prompt = prompt::ask_for_call(self, call, ask, &mut batch);
        self.commit(batch).await?;
        prompt::notify(self, &prompt).await?;
        Ok(Advance::Waits)
    }

    /// When a bundle that rests is to be looked after again.
    pub(crate) async fn next_look(&self) -> Result<Option<Millis>, StoreError> {
        let store = &*self.ports.store;
        let mut earliest = None;
        for row in store.scan(Table::Pending, Range::all()).await? {
            let Some((_, call_id)) = row.key.split_once('/') else { continue };
            let range = Range { descending: true, ..Range::prefix(format!("{call_id}/")) }.first(1);
            for row in store.scan(Table::Transmissions, range).await? {
                let last: wire::run::Transmission = parse(Table::Transmissions, &row.key, &row.text)?;
                let unsettled = last.settled_at.is_none() && last.next_look > self.now();
                earliest = earliest.into_iter().chain(unsettled.then_some(last.next_look)).min();
            }
        }
        Ok(earliest)
    }
}

/// The engine of a bundle as far as it got, and its records' texts.
pub(super) async fn restore(
    store: &dyn Store,
    bundle: &Bundle,
) -> Result<(Engine, Vec<(Place, String)>), StoreError> {
    let run = read::<Run>(store, Table::Runs, &bundle.id).await?;
    let stop = run.is_some_and(|run| run.record.stop);
    let mut engine = Engine::new(bundle.steps.iter().map(plan).collect(), stop);
    let mut texts = Vec::new();
    for (at, Stored { text, record }) in rows::load(store, &bundle.id).await? {
        engine.restore(at, record);
        texts.push((at, text));
    }
    Ok((engine, texts))
}

/// How a step's receipt is waited for: as long as the sender says, or as is usual on the chain (T000-37).
fn plan(step: &Step) -> Plan {
    let polling = Chain::parse(&step.chain).map(|chain| chain.facts().polling);
    let (interval, usual) = polling.map_or((5, 180), |facts| (facts.interval_seconds, facts.timeout_seconds));
    Plan {
        transactions: step.transactions.len(),
        wait: step.wait_for_receipt,
        timeout: Millis::from(step.receipt_timeout_seconds.unwrap_or(usual)) * 1000,
        interval: Millis::from(interval) * 1000,
    }
}

/// Why a bundle ends before its time; a step that broke speaks for itself.
fn words(ending: Ending) -> Option<String> {
    match ending {
        Ending::Complete | Ending::Broken => None,
        Ending::Stopped => Some("stopped_by_user: the rest was not begun".to_owned()),
    }
}

/// A call that ended without ever running.
pub(super) fn unrun(why: Option<String>) -> Output {
    Output::failed(why.unwrap_or_else(|| "bundle_gone: its record is no longer there".to_owned()))
}
