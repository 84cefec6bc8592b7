//! After the approval: performs the effects of the engine, one after the other, until the bundle ends or has to wait.
//!
//! Everything needed to go on is stored: a worker that stops is followed by one that reads the same records.

use super::engine::{Effect, Ending, Engine, Plan, Stop};
use super::error::BundleError;
use super::records::{Kept, Records};
use super::rows;
use super::{facts, request};
use crate::Core;
use crate::call::Advance;
use crate::prompt::{self, Ask};
use crate::store::{Batch, Durability, Store, StoreError, Stored, Table, read};
use chains::Chain;
use std::collections::BTreeMap;
use std::rc::Rc;
use wire::api::{Call, Endpoint, Millis};
use wire::bundle::{Bundle, Step, StepRequest};
use wire::failure::Failure;
use wire::prompt::{PasswordReason, Question};
use wire::run::Run;
use wire::vault::Vault;

/// A worker is kept alive for a wait of at most this long; a longer one is left to the alarm.
const LONGEST_TIMER: Millis = 25_000;

/// After a pause of at least this long the settings are read again.
const REREAD_AFTER: Millis = 1_000;

/// A bundle in hand.
pub(super) struct Running {
    pub(super) call: Stored<Call>,
    pub(super) bundle: Bundle,
    pub(super) vault: Vault,
    /// The steps as they were asked for: what is signed is made from them.
    pub(super) requests: Vec<StepRequest>,
    pub(super) engine: Engine,
    pub(super) records: Records,
    /// The nodes that the user chose, by chain.
    pub(super) endpoints: BTreeMap<String, Endpoint>,
}

/// How far an effect brought the bundle.
pub(super) enum Progress {
    /// There is more to do.
    Continue,
    /// The bundle ends here, and why.
    End(Failure),
    /// The user must give the password first.
    Locked,
}

impl Core {
    /// Brings an approved bundle as far as it gets now.
    pub(crate) async fn run_bundle(self: &Rc<Self>, call: Stored<Call>) -> Result<Advance, StoreError> {
        let mut running = match self.take_up_bundle(&call).await? {
            Ok(running) => running,
            Err(failure) => return self.end_bundle(call, Some(failure)).await,
        };
        if let Some(advance) = self.before_start(&mut running).await? {
            return Ok(advance);
        }
        loop {
            let effect = running.engine.next(self.now());
            let progress = match effect {
                Effect::End(ending) => return self.end_running(running, failure(ending)).await,
                Effect::Wait { until } => {
                    self.save(&mut running, Durability::Relaxed).await?;
                    let pause = until.saturating_sub(self.now());
                    if pause > LONGEST_TIMER {
                        return Ok(Advance::Waits);
                    }
                    self.ports.host.sleep(pause).await;
                    if pause >= REREAD_AFTER {
                        // The user may have chosen another node meanwhile.
                        running.endpoints = self.settings.read().await?.endpoints;
                    }
                    Progress::Continue
                }
                effect => self.perform(&mut running, effect).await?,
            };
            match progress {
                Progress::Continue => {}
                Progress::End(failure) => return self.end_running(running, Some(failure)).await,
                Progress::Locked => {
                    self.save(&mut running, Durability::Relaxed).await?;
                    return self.ask_for_password(running.call, running.bundle).await;
                }
            }
        }
    }

    /// Reads everything that is known of a bundle; or what is missing.
    async fn take_up_bundle(&self, call: &Stored<Call>) -> Result<Result<Running, Failure>, StoreError> {
        let store = &*self.ports.store;
        let Some(bundle) = read::<Bundle>(store, Table::Bundles, &call.record.id).await? else {
            return Ok(Err(BundleError::BundleGone.into()));
        };
        let bundle = bundle.record;
        let Some(vault) = self.vaults.get(&bundle.vault_id).await? else {
            return Ok(Err(BundleError::NoVault("the vault is no longer here").into()));
        };
        let mut requests = match request::parse(&call.record.params) {
            Ok(request) => request.steps,
            Err(error) => return Ok(Err(error.into())),
        };
        facts::restore(&mut requests, &bundle.steps);
        let (engine, records) = restore(store, &bundle).await?;
        let endpoints = self.settings.read().await?.endpoints;
        let vault = vault.record;
        Ok(Ok(Running { call: call.clone(), bundle, vault, requests, engine, records, endpoints }))
    }

    /// What must hold before the first step: the bundle is not stopped, the vault is open, and no other bundle uses the
    /// accounts. How far it gets, if that does not hold.
    async fn before_start(self: &Rc<Self>, running: &mut Running) -> Result<Option<Advance>, StoreError> {
        let run = read::<Run>(&*self.ports.store, Table::Runs, &running.bundle.id).await?;
        if run.is_some_and(|run| run.record.started_at.is_some()) {
            return Ok(None);
        }
        let Running { call, bundle, vault, .. } = running;
        if let Some(stop) = self.stopped(&bundle.id).await? {
            let failure = failure(Ending::Stopped(stop));
            return self.end_bundle(call.clone(), failure).await.map(Some);
        }
        // Where the approval was skipped, the password is given for this bundle: an open vault is not enough.
        if self.vaults.opened(&bundle.vault_id, Some(&bundle.id), bundle.skipped_approval).await?.is_none() {
            return self.ask_for_password(call.clone(), bundle.clone()).await.map(Some);
        }
        match self.take_accounts(bundle, vault).await? {
            true => Ok(None),
            false => Ok(Some(Advance::Waits)),
        }
    }

    /// Why no further step begins, by what is stored now: another worker may have stored it.
    pub(super) async fn stopped(&self, bundle_id: &str) -> Result<Option<Stop>, StoreError> {
        let store = &*self.ports.store;
        if self.policy.rules().await?.kill_switch {
            return Ok(Some(Stop::KillSwitch));
        }
        let run = read::<Run>(store, Table::Runs, bundle_id).await?;
        Ok(run.filter(|run| run.record.stop).map(|_| Stop::ByUser))
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
}

/// The engine of a bundle as far as it got, and its records.
pub(super) async fn restore(store: &dyn Store, bundle: &Bundle) -> Result<(Engine, Records), StoreError> {
    let mut engine = Engine::new(bundle.steps.iter().map(plan).collect());
    let mut kept = Vec::new();
    for (at, Stored { text, record }) in rows::load(store, &bundle.id).await? {
        kept.push((at, Kept::new(text, &record)));
        engine.restore(at, record);
    }
    Ok((engine, Records::new(kept)))
}

/// How a step's receipt is waited for: as long as the sender says, or as is usual on the chain (T000-37).
fn plan(step: &Step) -> Plan {
    let polling = Chain::parse(&step.chain).map(|chain| chain.facts().polling);
    let (interval, usual) = polling.map_or((5, 180), |facts| (facts.interval_seconds, facts.timeout_seconds));
    Plan {
        chain: step.chain.clone(),
        transactions: step.transactions.len(),
        wait: step.wait_for_receipt,
        timeout: Millis::from(step.receipt_timeout_seconds.unwrap_or(usual)) * 1000,
        interval: Millis::from(interval) * 1000,
    }
}

/// Why a bundle ends before its last step; a step that failed has its own error.
fn failure(ending: Ending) -> Option<Failure> {
    match ending {
        Ending::Complete | Ending::Broken => None,
        Ending::Stopped(Stop::ByUser) => Some(BundleError::StoppedByUser.into()),
        Ending::Stopped(Stop::KillSwitch) => Some(BundleError::KillSwitch.into()),
    }
}
