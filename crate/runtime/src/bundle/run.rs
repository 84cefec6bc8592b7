//! After the approval: performs the effects of the engine, one after the other, until the bundle ends or has to wait.
//!
//! Everything needed to go on is stored: a worker that stops is followed by one that reads the same records.

use super::ending::{end_bundle, end_running};
use super::engine::{Effect, Ending, Engine, Plan, Stop};
use super::error::BundleError;
use super::owner::{self, InUse, OnDisk};
use super::perform::{both, check_early, perform, save};
use super::records::{Kept, Records};
use super::rows::BundleRow;
use super::{RUNS, RunsRight, facts, request};
use crate::Core;
use crate::call::CallRow;
use crate::connection::{self, ConnectionsRight};
use crate::node::Answers;
use crate::policy::{self, RulesRight};
use crate::prompt::{self, Ask};
use crate::settings::{self, StoredSettings};
use crate::store::{Batch, Durability, Expectation, One, Reads, Snapshot, StoreError, Stored};
use crate::tool::{Context, Outcome};
use crate::vault::{OpenVault, Opening, SessionCopy};
use chains::Chain;
use std::rc::Rc;
use wire::api::{Endpoint, Millis, Source};
use wire::bundle::{Step, StepRequest};
use wire::failure::Failure;
use wire::prompt::{PasswordReason, Question};
use wire::sorted::SortedMap;
use wire::vault::Vault;

/// A worker is kept alive for a wait of at most this long; a longer one is left to the alarm.
const LONGEST_TIMER: Millis = 25_000;

/// After a pause of at least this long the settings are read again.
const REREAD_AFTER: Millis = 1_000;

/// A bundle in hand.
pub(super) struct Running {
    pub(super) call: Stored<CallRow>,
    pub(super) bundle: BundleRow,
    pub(super) vault: Vault,
    /// The steps as they were asked for: what is signed is made from them.
    pub(super) requests: Vec<StepRequest>,
    pub(super) engine: Engine,
    pub(super) records: Records,
    /// The nodes that the user chose, by chain.
    pub(super) endpoints: SortedMap<String, Endpoint>,
    /// What is at hand of the vault's opened secret.
    pub(super) copy: SessionCopy,
    /// Whether it was begun before.
    begun: bool,
    /// Whether the permission was read just now: the first check need not read it again.
    pub(super) just_permitted: bool,
    /// The permission, and which state of the database it is of.
    permission: Option<(u64, Permission)>,
    /// What nodes said of the first transaction while the accounts were taken.
    pub(super) early_check: Option<Answers>,
    /// What the next commit relies on.
    pub(super) relied_on: Vec<Expectation>,
}

/// What was read, at one moment, to decide whether a bundle may start.
struct Start {
    asked: AskedPermission,
    used: InUse,
    snapshot: Snapshot,
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

/// Brings an approved bundle as far as it gets now.
pub(super) async fn run_bundle(
    call: &Stored<CallRow>,
    context: &mut Context<'_>,
) -> Result<Outcome, StoreError> {
    let core = context.wallet.core;
    let (mut running, start) = match take_up_bundle(core, call).await? {
        Ok(taken) => taken,
        Err(failure) => return end_bundle(call, Some(failure), context).await,
    };
    if !running.begun
        && let Some(outcome) = before_start(&mut running, start, context).await?
    {
        return Ok(outcome);
    }
    loop {
        let effect = running.engine.next(core.now());
        let progress = match effect {
            Effect::End(ending) => return end_running(running, failure(ending), context).await,
            Effect::Wait { until } => {
                save(core, &mut running, Durability::Relaxed).await?;
                let pause = until.saturating_sub(core.now());
                if pause > LONGEST_TIMER {
                    return Ok(Outcome::Suspended);
                }
                core.ports.host.sleep(pause).await;
                if pause >= REREAD_AFTER {
                    // The user may have chosen another node meanwhile.
                    running.endpoints = core.settings.read().await?.endpoints;
                }
                Progress::Continue
            }
            effect => perform(core, &mut running, effect).await?,
        };
        match progress {
            Progress::Continue => {}
            Progress::End(failure) => return end_running(running, Some(failure), context).await,
            Progress::Locked => {
                save(core, &mut running, Durability::Relaxed).await?;
                return ask_for_password(core, running.call, running.bundle).await;
            }
        }
    }
}

/// Reads everything that is known of a bundle; or what is missing.
async fn take_up_bundle(
    core: &Core,
    call: &Stored<CallRow>,
) -> Result<Result<(Running, Start), Failure>, StoreError> {
    let mut reads = Reads::new();
    let (slots, settings) = (owner::read(&mut reads, &call.record.id), settings::read(&mut reads));
    let approved = core.bundles.approved(&call.record.id);
    let early = approved.map(|bundle| start_reads(&mut reads, &bundle));
    let snapshot = reads.from(core.database.store()).await?;
    let Some(on_disk) = slots.found(&snapshot)? else {
        return Ok(Err(BundleError::BundleGone.into()));
    };
    let endpoints = StoredSettings::from(snapshot.one(settings)?).row.endpoints;
    let begun = on_disk.is_begun();
    let (engine, records) = on_disk.restore();
    let bundle = on_disk.bundle;
    let (asked, used, snapshot) = match early {
        Some((asked, used)) => (asked, used, snapshot),
        None => {
            let mut reads = Reads::new();
            let (asked, used) = start_reads(&mut reads, &bundle);
            (asked, used, reads.from(core.database.store()).await?)
        }
    };
    let Some(vault) = asked.opening.vault(&snapshot)? else {
        return Ok(Err(BundleError::NoVault("the vault is no longer here").into()));
    };
    let mut requests = match request::parse(&call.record.params) {
        Ok(request) => request.steps,
        Err(error) => return Ok(Err(error.into())),
    };
    facts::restore(&mut requests, &bundle.steps);
    let running = Running {
        call: call.clone(),
        bundle,
        vault,
        requests,
        engine,
        records,
        endpoints,
        copy: SessionCopy::default(),
        begun,
        just_permitted: false,
        permission: None,
        early_check: None,
        relied_on: Vec::new(),
    };
    Ok(Ok((running, Start { asked, used, snapshot })))
}

/// Declares what is read to decide whether a bundle may start.
fn start_reads(reads: &mut Reads, bundle: &BundleRow) -> (AskedPermission, InUse) {
    (AskedPermission::read(reads, bundle), InUse::read(reads, &bundle.id))
}

/// What must hold before the first step: the bundle is not stopped, the vault is open, and no other bundle uses the
/// accounts. How far it gets, if that does not hold.
async fn before_start(
    running: &mut Running,
    Start { asked, used, snapshot }: Start,
    context: &mut Context<'_>,
) -> Result<Option<Outcome>, StoreError> {
    let core = context.wallet.core;
    let permission = asked.found(core, &snapshot, &mut running.copy).await?;
    let Running { call, bundle, vault, .. } = &*running;
    if let Some(stop) = permission.stop {
        let failure = failure(Ending::Stopped(stop));
        return end_bundle(call, failure, context).await.map(Some);
    }
    if permission.permit.is_none() {
        return ask_for_password(core, call.clone(), bundle.clone()).await.map(Some);
    }
    // No other bundle uses an account: then the first transaction can be checked while the accounts are taken.
    let free = used.is_free(&snapshot) && !bundle.for_page;
    let taking = core.bundles.take_accounts(bundle, vault, used, &snapshot);
    let (taken, checked) = match free {
        true => both(taking, check_early(core, running)).await,
        false => (taking.await, None),
    };
    if !taken? {
        return Ok(Some(Outcome::Suspended));
    }
    running.just_permitted = true;
    running.early_check = checked;
    Ok(None)
}

/// What a signature needs, by what is stored now.
pub(super) struct Permission {
    /// Why no further step begins.
    pub(super) stop: Option<Stop>,
    /// What may sign, if the vault is open.
    pub(super) permit: Option<Permit>,
}

/// What signs, and the records that say that it may. A signature is stored on condition that they are still the same: one
/// that is made while the user locks the vault, stops the bundle or sets the kill switch is thrown away.
#[derive(Clone)]
pub(super) struct Permit {
    pub(super) opening: OpenVault,
    pub(super) records: Vec<Expectation>,
}

/// The places of what a permission depends on in a snapshot.
struct AskedPermission {
    rules: One<RulesRight>,
    run: One<RunsRight>,
    /// What the user granted the web page that asked, if one did.
    grant: Option<One<ConnectionsRight>>,
    opening: Opening,
}

impl AskedPermission {
    /// Declares the reads.
    fn read(reads: &mut Reads, bundle: &BundleRow) -> Self {
        Self {
            rules: policy::read_rules(reads),
            run: reads.get(RUNS, &bundle.id),
            grant: match &bundle.source {
                Source::Dapp { origin } => Some(connection::read(origin, reads)),
                Source::Agent { .. } | Source::User => None,
            },
            // Where the approval was skipped, the password is given for this bundle: an open vault is not enough.
            opening: Opening::read(reads, &bundle.vault_id, Some(&bundle.id), bundle.skipped_approval),
        }
    }

    async fn found(
        self,
        core: &Core,
        snapshot: &Snapshot,
        copy: &mut SessionCopy,
    ) -> Result<Permission, StoreError> {
        let stop = if snapshot.one(self.rules)?.is_some_and(|rules| rules.record.kill_switch) {
            Some(Stop::KillSwitch)
        } else if let Some(grant) = self.grant
            && !connection::is_connected(snapshot, grant, core.now())?
        {
            Some(Stop::Disconnected)
        } else {
            snapshot.one(self.run)?.filter(|run| run.record.stop).map(|_| Stop::ByUser)
        };
        let grant = self.grant.and_then(|grant| snapshot.expectation(grant));
        let own = [snapshot.expectation(self.rules), snapshot.expectation(self.run), grant];
        let opening = core.vaults.open_copy(self.opening, snapshot, copy).await?;
        let permit = opening.map(|opening| {
            let records = own.into_iter().flatten().chain(opening.record.clone()).collect();
            Permit { opening, records }
        });
        Ok(Permission { stop, permit })
    }
}

/// What a signature needs. Read anew whenever this worker may have changed it; what another worker changed is found when
/// the signature is stored ([`Permit`]).
pub(super) async fn permission<'a>(
    core: &Core,
    running: &'a mut Running,
) -> Result<&'a Permission, StoreError> {
    let version = core.database.permissions.version();
    let known = running.permission.take().filter(|(of, known)| {
        *of == version && known.permit.as_ref().is_some_and(|permit| permit.opening.is_open(core.now()))
    });
    let permission = match known {
        Some((_, known)) => known,
        None => {
            let mut reads = Reads::new();
            let asked = AskedPermission::read(&mut reads, &running.bundle);
            let snapshot = reads.from(core.database.store()).await?;
            asked.found(core, &snapshot, &mut running.copy).await?
        }
    };
    Ok(&running.permission.insert((version, permission)).1)
}

async fn ask_for_password(
    core: &Rc<Core>,
    call: Stored<CallRow>,
    bundle: BundleRow,
) -> Result<Outcome, StoreError> {
    let why = match bundle.skipped_approval {
        true => PasswordReason::ApprovalSkipped,
        false if core.prompts.password_given(&call.record.id).await? => PasswordReason::LockedMeanwhile,
        false => PasswordReason::Sign,
    };
    let BundleRow { vault_id, vault_name, shown, label, .. } = bundle;
    let ask = Ask {
        question: Question::PasswordRequired { call_id: call.record.id.clone(), vault_id, vault_name, why },
        title: label.unwrap_or_else(|| call.record.title.clone()),
        reasons: Vec::new(),
        subject: Some(shown),
        hosts: Vec::new(),
        pin: None,
    };
    let mut batch = Batch::new(Durability::Strict);
    let prompt = prompt::ask_for_call(core, call, ask, &mut batch);
    core.commit(batch).await?;
    prompt::notify(core, &prompt).await?;
    Ok(Outcome::Suspended)
}

impl OnDisk {
    /// The engine of the bundle as far as it got, and its records.
    pub(super) fn restore(&self) -> (Engine, Records) {
        let mut engine =
            Engine::new(self.bundle.steps.iter().map(|step| plan(step, self.bundle.for_page)).collect());
        let mut kept = Vec::with_capacity(self.transmissions.len());
        for (at, Stored { text, record }) in &self.transmissions {
            kept.push((*at, Kept::new(text.clone(), record)));
            engine.restore(*at, (**record).clone());
        }
        (engine, Records::new(kept))
    }
}

/// How a step's receipt is waited for: as long as the sender says, or as is usual on the chain (T000-37).
fn plan(step: &Step, for_page: bool) -> Plan {
    let polling = Chain::parse(&step.chain).map(|chain| chain.facts().polling);
    let (interval, usual) = polling.map_or((5, 180), |facts| (facts.interval_seconds, facts.timeout_seconds));
    Plan {
        chain: step.chain.clone(),
        transactions: step.transactions.len(),
        wait: step.wait_for_receipt,
        timeout: Millis::from(step.receipt_timeout_seconds.unwrap_or(usual)) * 1000,
        interval: Millis::from(interval) * 1000,
        for_page,
    }
}

/// Why a bundle ends before its last step; a step that failed has its own error.
fn failure(ending: Ending) -> Option<Failure> {
    match ending {
        Ending::Complete | Ending::Broken => None,
        Ending::Stopped(Stop::ByUser) => Some(BundleError::StoppedByUser.into()),
        Ending::Stopped(Stop::KillSwitch) => Some(BundleError::KillSwitch.into()),
        Ending::Stopped(Stop::Disconnected) => Some(BundleError::NotConnected.into()),
    }
}
