//! Connected web pages: by origin, each approved by the user.

mod origin;

pub(crate) use origin::is_origin;

use crate::Core;
use crate::database::Database;
use crate::http::ApiError;
use crate::prompt::{self, Ask};
use crate::store::{self, Batch, Durability, One, Range, Reads, StoreError, owned_tables};
use derive::{Code, Record};
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::AuditRecord;
use wire::connection::Connection;
use wire::prompt::{PromptOutcome, Question};

owned_tables! {
    /// Origin → a connected page.
    CONNECTIONS: ConnectionsRight = Connections, ConnectionRow;
}

/// A connected page on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConnectionRow {
    origin: String,
    connected_at: Millis,
}

impl From<ConnectionRow> for Connection {
    fn from(ConnectionRow { origin, connected_at }: ConnectionRow) -> Self {
        Self { origin, connected_at }
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

    async fn has(&self, origin: &str) -> Result<bool, StoreError> {
        Ok(store::get(self.database.store(), CONNECTIONS, origin).await?.is_some())
    }

    /// All connected pages, by origin.
    pub(crate) async fn all(&self) -> Result<Vec<Connection>, StoreError> {
        let rows = store::scan(self.database.store(), CONNECTIONS, Range::all()).await?;
        Ok(rows.into_iter().map(|row| row.record.into()).collect())
    }

    /// Disconnects a page.
    pub(crate) async fn disconnect(&self, origin: &str) -> Result<(), ConnectionError> {
        let row = store::get(self.database.store(), CONNECTIONS, origin).await?;
        let row = row.ok_or(ConnectionError::ConnectionNotFound)?;
        let mut batch = Batch::new(Durability::Strict);
        batch.expect(CONNECTIONS, origin, Some(&row.text));
        batch.delete(CONNECTIONS, origin);
        batch.note(change("dapp_disconnected", origin));
        Ok(self.database.commit(batch).await?)
    }
}

/// Declares a read of whether a page is connected.
pub(crate) fn read(origin: &str, reads: &mut Reads) -> One<ConnectionsRight> {
    reads.get(CONNECTIONS, origin)
}

/// Stages that a page is connected.
pub(crate) fn stage(origin: &str, now: Millis, batch: &mut Batch) {
    let row = ConnectionRow { origin: origin.to_owned(), connected_at: now };
    batch.put(CONNECTIONS, origin, &row);
    batch.note(change("dapp_connected", origin));
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
    let prompt_id = {
        // Two requests at once must not both find no prompt and make one each.
        let _alone = core.ports.host.lock(&format!("connect/{origin}")).await;
        if core.connections.has(origin).await? {
            return Ok(true);
        }
        match open_prompt(core, origin).await? {
            Some(id) => id,
            None => ask(core, origin).await?,
        }
    };
    Ok(prompt::wait_for_outcome(core, &prompt_id).await? == Some(PromptOutcome::Approved))
}

/// The open prompt about a page.
async fn open_prompt(core: &Rc<Core>, origin: &str) -> Result<Option<String>, StoreError> {
    // One that is due expires first: it gets no other answer.
    prompt::expire_due(core).await?;
    let about =
        |question: &Question| matches!(question, Question::ConnectDapp { origin: asked } if asked == origin);
    let open = core.prompts.open().await?;
    Ok(open.into_iter().find(|prompt| about(&prompt.record.question)).map(|prompt| prompt.record.id))
}

async fn ask(core: &Rc<Core>, origin: &str) -> Result<String, StoreError> {
    let ask = Ask {
        question: Question::ConnectDapp { origin: origin.to_owned() },
        title: format!("Connect {origin}"),
        reasons: Vec::new(),
        subject: None,
        hosts: Vec::new(),
        pin: None,
    };
    let mut batch = Batch::new(Durability::Strict);
    let prompt = core.prompts.stage(ask, &mut batch);
    core.commit(batch).await?;
    prompt::notify(core, &prompt).await?;
    Ok(prompt.id)
}
