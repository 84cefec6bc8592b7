//! Connected web pages: by origin, each let in by the user, for some vaults and chains and for a time.

mod grant;
mod origin;
mod revoke;

pub(crate) use grant::{Choice, is_offered, patch, stage_grant};
pub(crate) use origin::is_origin;
pub(crate) use revoke::{expire, forget_vault, leave, revoke};

use crate::alarm::Due;
use crate::database::Database;
use crate::http::ApiError;
use crate::store::{self, Batch, Durability, One, Range, Reads, Snapshot, StoreError, Stored, owned_tables};
use crate::{Core, dapp};
use chains::Chain;
use derive::{Code, Record};
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::connection::Connection;

owned_tables! {
    /// Origin → a connected page.
    CONNECTIONS: ConnectionsRight = Connections, ConnectionRow;
}

/// That a page was used is noted at most so often.
const NOTED_USE: Millis = 60 * 60 * 1_000;

/// What the user granted a page.
pub(crate) type Grant = ConnectionRow;

/// A connected page on disk. One that version 10 wrote has no vaults and no chains: it may submit results of tools, and
/// knows no account.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConnectionRow {
    pub(crate) origin: String,
    pub(crate) connected_at: Millis,
    /// The vaults whose accounts it may know.
    #[record(default)]
    pub(crate) vault_ids: Vec<String>,
    /// The chains that it may use: canonical names.
    #[record(default)]
    pub(crate) chains: Vec<String>,
    /// The EVM chain that it is on.
    #[record(default)]
    pub(crate) current_chain: Option<String>,
    /// Until then; `None` until it is revoked.
    #[record(default)]
    pub(crate) expires_at: Option<Millis>,
    /// When it last asked for something, within an hour.
    #[record(default)]
    pub(crate) used_at: Option<Millis>,
}

impl ConnectionRow {
    /// Whether its time is not over.
    pub(crate) fn is_live(&self, now: Millis) -> bool {
        self.expires_at.is_none_or(|until| now < until)
    }

    /// Whether it has a chain.
    pub(crate) fn has(&self, chain: Chain) -> bool {
        self.chains.iter().any(|name| name == chain.name())
    }
}

impl From<ConnectionRow> for Connection {
    fn from(row: ConnectionRow) -> Self {
        let ConnectionRow { origin, connected_at, vault_ids, chains, current_chain, expires_at, used_at } =
            row;
        Self { origin, connected_at, vault_ids, chains, current_chain, expires_at, used_at }
    }
}

/// Connected pages. The only writer of `connections`.
pub(crate) struct Connections {
    database: Rc<Database>,
}

impl Connections {
    pub(crate) fn new(database: &Rc<Database>) -> Self {
        Self { database: Rc::clone(database) }
    }

    /// What the user granted a page; nothing if it is not connected, or no longer.
    pub(crate) async fn grant(&self, origin: &str) -> Result<Option<Grant>, StoreError> {
        Ok(self.stored(origin).await?.map(|row| *row.record).filter(|row| row.is_live(self.database.now())))
    }

    /// The row of a page, live or not.
    async fn stored(&self, origin: &str) -> Result<Option<Stored<ConnectionRow>>, StoreError> {
        store::get(self.database.store(), CONNECTIONS, origin).await
    }

    /// All connected pages, by origin.
    pub(crate) async fn all(&self) -> Result<Vec<Connection>, StoreError> {
        let rows = store::scan(self.database.store(), CONNECTIONS, Range::all()).await?;
        let now = self.database.now();
        Ok(rows.into_iter().filter(|row| row.record.is_live(now)).map(|row| row.record.into()).collect())
    }

    /// Changes a live grant, as often as it takes. `None` if there is none; what the function refuses is not written.
    pub(crate) async fn change<E: From<StoreError>>(
        &self,
        origin: &str,
        change: impl Fn(&mut Grant) -> Result<(), E>,
    ) -> Result<Option<Grant>, E> {
        loop {
            let Some(Stored { text, record }) = self.stored(origin).await? else { return Ok(None) };
            if !record.is_live(self.database.now()) {
                return Ok(None);
            }
            let mut row = (*record).clone();
            change(&mut row)?;
            if row == *record {
                return Ok(Some(row));
            }
            let mut batch = Batch::new(Durability::Strict);
            batch.expect(CONNECTIONS, origin, Some(&text));
            put(Some(&record), &row, &mut batch);
            match self.database.commit(batch).await {
                Ok(()) => return Ok(Some(row)),
                Err(StoreError::Conflict { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Notes that a page asked for something.
    pub(crate) async fn note_use(&self, grant: &Grant) -> Result<(), StoreError> {
        let now = self.database.now();
        if grant.used_at.is_some_and(|at| now.saturating_sub(at) < NOTED_USE) {
            return Ok(());
        }
        let noted = |row: &mut Grant| {
            row.used_at = Some(now);
            Ok::<(), StoreError>(())
        };
        self.change(&grant.origin, noted).await.map(drop)
    }
}

/// Stages a row with its deadline.
fn put(before: Option<&ConnectionRow>, row: &ConnectionRow, batch: &mut Batch) {
    batch.due(Due::Connection, &row.origin, before.and_then(|row| row.expires_at), row.expires_at);
    batch.put(CONNECTIONS, &row.origin, row);
}

/// Declares a read of whether a page is connected.
pub(crate) fn read(origin: &str, reads: &mut Reads) -> One<ConnectionsRight> {
    reads.get(CONNECTIONS, origin)
}

/// What the user granted a page that was read; nothing if it is not connected, or no longer.
pub(crate) fn granted(
    snapshot: &Snapshot,
    slot: One<ConnectionsRight>,
    now: Millis,
) -> Result<Option<Grant>, StoreError> {
    Ok(snapshot.one(slot)?.map(|row| *row.record).filter(|row| row.is_live(now)))
}

/// Whether a page that was read is connected.
pub(crate) fn is_connected(
    snapshot: &Snapshot,
    slot: One<ConnectionsRight>,
    now: Millis,
) -> Result<bool, StoreError> {
    Ok(granted(snapshot, slot, now)?.is_some())
}

/// Why a page is not connected or disconnected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum ConnectionError {
    /// Not an origin in the spelling of browsers, or of a page that could be altered in transit.
    #[error("must be the origin of an https:// page, or of an http:// page on this machine")]
    #[code("invalid_request")]
    InvalidOrigin,
    /// The page is not connected.
    #[error("this page is not connected")]
    ConnectionNotFound,
    /// The store failed.
    #[error(transparent)]
    #[code(transparent)]
    Store(#[from] StoreError),
}

impl From<ConnectionError> for ApiError {
    fn from(error: ConnectionError) -> Self {
        match &error {
            ConnectionError::InvalidOrigin => Self::new(400, error.code(), error.to_string()).at("/origin"),
            ConnectionError::ConnectionNotFound => Self::new(404, error.code(), error.to_string()),
            ConnectionError::Store(error) => error.clone().into(),
        }
    }
}

fn change(what: &str, origin: &str) -> AuditRecord {
    AuditRecord::Change { what: what.to_owned(), subject: Some(origin.to_owned()) }
}

/// Whether a page is connected. If not, asks the user and waits for the answer; requests of one page share its open
/// prompt.
pub(crate) async fn connect(core: &Rc<Core>, origin: &str) -> Result<bool, ConnectionError> {
    if !is_origin(origin) {
        return Err(ConnectionError::InvalidOrigin);
    }
    Ok(dapp::let_in(core, origin).await?)
}
