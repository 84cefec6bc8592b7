//! The running core: the owners of everything that is stored, and what lives as long as the worker.

use crate::agent::deliver;
use crate::agent::outbox::Outbox;
use crate::agent::timeline::Conversations;
use crate::alarm::{Alarm, Due};
use crate::bundle::{self, Bundles};
use crate::call::{self, Cancels, Journal};
use crate::coins::Coins;
use crate::connection::{self, Connections};
use crate::contacts::{self, Contacts};
use crate::dapp::{CallBatches, KnownPages, PageRequests, SiteLists, Sites};
use crate::database::Database;
use crate::event::Events;
use crate::id::Ids;
use crate::later::LaterPart;
use crate::mcp::{self, OpenStreams};
use crate::message::Messages;
use crate::node::Nodes;
use crate::notes::{self, Notes};
use crate::pending::{self, PendingCalls};
use crate::policy::Policy;
use crate::ports::{Ports, Presence, Task};
use crate::prompt::{self, Prompts};
use crate::secrets::Secrets;
use crate::settings::Settings;
use crate::spaces::Spaces;
use crate::store::{Batch, StoreError};
use crate::tools::{self, ToolStore};
use crate::trim::Trimming;
use crate::vault::{self, Vaults};
use crate::work::{Work, Working};
use std::pin::Pin;
use std::rc::Rc;
use wire::api::{Health, Millis};

/// What the shell waits for. Boxed in this crate: a plain future is compiled in the crate that awaits it, and the module
/// would hold a second copy of everything that it calls.
pub type Awaited<'a, T> = Pin<Box<dyn Future<Output = T> + 'a>>;

/// Who this start of the worker is.
#[derive(Debug, Clone)]
pub struct Boot {
    /// The extension's version.
    pub version: String,
    /// Size of the wasm module.
    pub wasm_bytes: u64,
}

/// The running core. Cheap to clone by `Rc`; one per start of the worker.
pub struct Core {
    pub(crate) ports: Ports,
    pub(crate) later: LaterPart,
    pub(crate) ids: Rc<Ids>,
    pub(crate) database: Rc<Database>,
    pub(crate) journal: Journal,
    pub(crate) cancels: Cancels,
    pub(crate) outbox: Outbox,
    pub(crate) conversations: Conversations,
    pub(crate) events: Events,
    pub(crate) contacts: Contacts,
    pub(crate) settings: Settings,
    /// Vaults, and which of them are open.
    pub vaults: Vaults,
    /// What tools send and no page reads.
    pub(crate) secrets: Secrets,
    pub(crate) prompts: Prompts,
    pub(crate) policy: Policy,
    pub(crate) connections: Connections,
    /// What was seen of web pages.
    pub(crate) sites: Sites,
    /// The list of sites that the user brought.
    pub(crate) site_lists: SiteLists,
    /// Requests of web pages that wait for the user.
    pub(crate) page_requests: PageRequests,
    /// What is known of web pages, as it was read last.
    pub(crate) known_pages: KnownPages,
    pub(crate) bundles: Bundles,
    pub(crate) messages: Messages,
    /// Batches of calls of web pages.
    pub(crate) call_batches: CallBatches,
    pub(crate) coins: Coins,
    pub(crate) tools: ToolStore,
    pub(crate) spaces: Spaces,
    pub(crate) notes: Notes,
    /// Calls whose result comes from outside.
    pub(crate) pending: PendingCalls,
    /// Answers of MCP servers that wait for a person.
    pub(crate) mcp_streams: OpenStreams,
    pub(crate) alarm: Rc<Alarm>,
    pub(crate) work: Rc<Work>,
    pub(crate) trimming: Trimming,
    /// Which of the chains' nodes failed lately.
    pub(crate) nodes: Nodes,
    health: Health,
}

impl Core {
    /// A core over an opened store. Call [`Core::resume`] next.
    pub fn new(ports: Ports, boot: Boot) -> Rc<Self> {
        let ids = Rc::new(Ids::new(ports.host.clone()));
        let health = Health {
            version: boot.version,
            boot_id: ids.next(),
            started_at: ports.host.now(),
            wasm_bytes: boot.wasm_bytes,
            work: Vec::new(),
        };
        let database = Database::new(Rc::clone(&ports.store), Rc::clone(&ports.host));
        let alarm = Alarm::new(Rc::clone(&database), Rc::clone(&ports.host));
        let work = Work::new(Rc::clone(&ports.host), Rc::clone(&alarm));
        Rc::new(Self {
            settings: Settings::new(&database, &ports, &ids),
            vaults: Vaults::new(&database, &ports, &ids, &work),
            secrets: Secrets::new(&database),
            prompts: Prompts::new(&database, &ids),
            policy: Policy::new(&database),
            connections: Connections::new(&database),
            sites: Sites::new(Rc::clone(&database)),
            site_lists: SiteLists::new(Rc::clone(&database)),
            page_requests: PageRequests::new(Rc::clone(&database)),
            known_pages: KnownPages::default(),
            bundles: Bundles::new(Rc::clone(&database)),
            messages: Messages::new(&database),
            call_batches: CallBatches::new(Rc::clone(&database)),
            coins: Coins::new(Rc::clone(&database)),
            tools: ToolStore::new(Rc::clone(&database)),
            spaces: Spaces::new(Rc::clone(&database)),
            notes: Notes::new(Rc::clone(&database)),
            pending: PendingCalls::new(Rc::clone(&database)),
            mcp_streams: OpenStreams::default(),
            later: LaterPart::new(Rc::clone(&ports.host)),
            ids,
            contacts: Contacts::new(Rc::clone(&ports.store)),
            events: Events::new(Rc::clone(&database)),
            journal: Journal::new(Rc::clone(&database)),
            cancels: Cancels::default(),
            outbox: Outbox::new(Rc::clone(&database)),
            conversations: Conversations::new(Rc::clone(&database)),
            database,
            alarm,
            work,
            trimming: Trimming::default(),
            nodes: Nodes::new(&ports),
            health,
            ports,
        })
    }

    /// Takes up everything that an earlier worker left: calls, questions, deliveries. Called on every start, by
    /// the alarm, and when the network comes back.
    pub fn resume(self: &Rc<Self>) -> Awaited<'_, Result<(), StoreError>> {
        Box::pin(resume(self))
    }

    /// The browser noticed that the user left the computer or came back: open vaults are locked.
    pub fn presence_changed(self: &Rc<Self>, presence: Presence) -> Awaited<'_, Result<(), StoreError>> {
        Box::pin(vault::lock_if_away(self, presence))
    }

    pub(crate) fn now(&self) -> Millis {
        self.ports.host.now()
    }

    pub(crate) fn health(&self) -> Health {
        Health { work: self.work.names(), ..self.health.clone() }
    }

    /// The extension's version.
    pub(crate) fn version(&self) -> &str {
        &self.health.version
    }

    /// Names this start of the worker.
    pub(crate) fn boot_id(&self) -> &str {
        &self.health.boot_id
    }

    /// Events after `after` as text of an event stream; waits until there is at least one.
    pub fn events_after(&self, after: u64) -> Awaited<'_, Result<String, StoreError>> {
        Box::pin(self.events.after(after))
    }

    /// Commits a batch.
    pub(crate) async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        self.database.commit(batch).await
    }

    /// Keeps the worker alive, under a name, until dropped.
    pub(crate) fn working(&self, name: &str) -> Working {
        self.work.begin(name)
    }

    /// Spawns a task of which only one runs at a time.
    pub(crate) fn spawn_single<F>(self: &Rc<Self>, name: String, task: impl Fn(Rc<Self>) -> F + 'static)
    where
        F: Future<Output = ()> + 'static,
    {
        let core = Rc::clone(self);
        self.work.spawn_single(name, Box::new(move || Box::pin(task(Rc::clone(&core))) as Task));
    }

    /// After a piece of work: what failed for lack of storage is tried again soon, what waits at its time.
    pub(crate) async fn wake_after(&self, outcome: Result<(), StoreError>) {
        if outcome.is_err() || self.alarm.schedule().await.is_err() {
            self.alarm.retry();
        }
    }
}

async fn resume(core: &Rc<Core>) -> Result<(), StoreError> {
    let _working = core.working("resumption");
    core.alarm.rang();
    core.work.watch();
    let outcome = take_up(core).await;
    if outcome.is_err() {
        core.alarm.retry();
    }
    outcome
}

/// Takes up what an earlier worker left, owner by owner.
async fn take_up(core: &Rc<Core>) -> Result<(), StoreError> {
    let began = core.now();
    vault::adopt(core).await?;
    core.vaults.lock_due().await?;
    vault::notice_presence(core).await?;
    prompt::expire_due(core).await?;
    core.alarm.drop_ignored(began).await?;
    for lane in core.journal.open_lanes().await? {
        call::run_lane(core, &lane);
    }
    deliver::deliver_everything(core).await?;
    let passed = core.alarm.passed_now().await?;
    if passed.contains(&Due::Receipt) {
        bundle::follow(core);
    }
    if passed.contains(&Due::PendingCall) {
        pending::expire(core);
    }
    if passed.contains(&Due::Reap) {
        tools::reap(core);
    }
    if passed.contains(&Due::Plan) {
        notes::fire(core);
    }
    if passed.contains(&Due::Connection) {
        connection::expire(core);
    }
    mcp::refresh_stale(core);
    prompt::notify_open(core).await?;
    core.events.trim(core.events.last_id().await?).await?;
    contacts::keep(core);
    core.alarm.schedule().await
}
