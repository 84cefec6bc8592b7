//! Requests of pages that wait for the user: one that is sent again finds what it became, and so does the same request of
//! the document that a reload put in the place of the one that asked.

use super::error::RpcError;
use super::page::Page;
use super::sites::Site;
use crate::Core;
use crate::database::Database;
use crate::id::digest;
use crate::store::{self, Batch, Durability, Keyed, Range, StoreError, Stored, owned_tables};
use derive::Record;
use serde_json::Value;
use std::rc::Rc;
use wire::api::Millis;

owned_tables! {
    /// Origin and request id → a request.
    REQUESTS: RequestsRight = PageRequests, RequestRow;
}

/// Requests of one origin that may wait for the user at once.
const MAX_OPEN: usize = 10;
/// Requests that may wait for one prompt about the connection.
const MAX_JOINED: usize = 8;
/// A request waits for the user no longer than a prompt is open.
const WAITING: Millis = 11 * 60 * 1_000;
/// An answer that no document received is given to the one that asks again within this time.
const ADOPTED: Millis = 5 * 60 * 1_000;
/// A request is recognised for so long.
const KEPT: Millis = 24 * 60 * 60 * 1_000;

/// A request on disk.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct RequestRow {
    pub(crate) id: String,
    pub(crate) document: String,
    pub(crate) tab: u32,
    pub(crate) method: String,
    /// Digest of the parameters.
    pub(crate) params: String,
    pub(crate) asked_at: Millis,
    /// The prompt about the connection that it waits for.
    #[record(default)]
    pub(crate) prompt_id: Option<String>,
    /// The request of an earlier document that it goes on with.
    #[record(default)]
    pub(crate) continues: Option<String>,
    #[record(default)]
    pub(crate) answered_at: Option<Millis>,
    /// Whether its document was gone before it was answered.
    #[record(default)]
    pub(crate) gone: bool,
}

impl RequestRow {
    fn is_open(&self, now: Millis) -> bool {
        self.answered_at.is_none() && now < self.asked_at.saturating_add(WAITING)
    }

    /// Whether its answer came when its document was gone, and not long ago.
    fn is_unreceived(&self, now: Millis) -> bool {
        self.gone && self.answered_at.is_some_and(|at| now < at.saturating_add(ADOPTED))
    }
}

/// Requests of pages. The only writer of `page_requests`.
pub(crate) struct PageRequests {
    database: Rc<Database>,
}

/// The key of a request; `origin/` is the beginning of the keys of one origin and of no other.
fn key(origin: &str, id: &str) -> String {
    [origin, "/", id].concat()
}

/// What a request asks for.
pub(super) fn params_digest(method: &str, params: &Value) -> String {
    digest(&["page-request", method, &params.to_string()])
}

impl PageRequests {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// A request of an origin.
    pub(super) async fn get(&self, origin: &str, id: &str) -> Result<Option<Stored<RequestRow>>, StoreError> {
        store::get(self.database.store(), REQUESTS, &key(origin, id)).await
    }

    /// All requests of an origin.
    async fn of(&self, origin: &str) -> Result<Vec<Keyed<RequestRow>>, StoreError> {
        store::scan(self.database.store(), REQUESTS, Range::prefix(key(origin, ""))).await
    }

    /// Whether another request of the origin may wait for the user.
    pub(super) async fn check_room(&self, core: &Core, page: &Page) -> Result<(), RpcError> {
        let now = self.database.now();
        let others = |row: &RequestRow| row.id != page.request_id && row.continues.is_none();
        let mut open: Vec<RequestRow> =
            self.of(&page.origin).await?.into_iter().map(|row| row.record).collect();
        open.retain(|row| others(row) && row.is_open(now));
        if open.len() < MAX_OPEN {
            return Ok(());
        }
        // Some may have their answer, which no page has fetched.
        let mut waiting = 0;
        for row in &open {
            waiting += usize::from(waits(core, &page.origin, row).await?);
        }
        match waiting < MAX_OPEN {
            true => Ok(()),
            false => Err(RpcError::LimitExceeded {
                why: "too many requests of this site wait for the user",
                retry_after: None,
            }),
        }
    }

    /// Whether another request of the origin may wait for a prompt.
    pub(super) async fn check_joined(&self, origin: &str, prompt_id: &str) -> Result<(), RpcError> {
        let waits = |row: &&Keyed<RequestRow>| {
            row.record.answered_at.is_none() && row.record.prompt_id.as_deref() == Some(prompt_id)
        };
        match self.of(origin).await?.iter().filter(waits).count() < MAX_JOINED {
            true => Ok(()),
            false => Err(RpcError::AlreadyPending),
        }
    }

    /// Stages that a request waits for the user, for a prompt about the connection or for a call of its own id.
    pub(super) fn stage_open(&self, page: &Page, prompt_id: Option<&str>, batch: &mut Batch) {
        if page.is_nobody() {
            return;
        }
        let row = RequestRow {
            id: page.request_id.clone(),
            document: page.document.clone(),
            tab: page.tab,
            method: page.method.clone(),
            params: page.params.clone(),
            asked_at: self.database.now(),
            prompt_id: prompt_id.map(str::to_owned),
            continues: None,
            answered_at: None,
            gone: false,
        };
        batch.put(REQUESTS, &key(&page.origin, &row.id), &row);
    }

    /// Finds the request that an earlier document of the same tab left, if there is one, and notes that this one goes on
    /// with it. The id under which it runs.
    pub(super) async fn resume(&self, core: &Core, page: &Page) -> Result<String, StoreError> {
        let own = page.request_id.clone();
        if let Some(known) = self.get(&page.origin, &own).await? {
            let continues = known.record.continues.clone();
            if known.record.gone {
                self.put(&page.origin, &known, RequestRow { gone: false, ..(*known.record).clone() }).await?;
            }
            return Ok(continues.unwrap_or(own));
        }
        let now = self.database.now();
        let same = |row: &RequestRow| {
            (row.tab, row.method.as_str(), row.params.as_str())
                == (page.tab, page.method.as_str(), page.params.as_str())
                && row.document != page.document
                && row.continues.is_none()
        };
        let mut left = None;
        for row in self.of(&page.origin).await?.into_iter().filter(|row| same(&row.record)) {
            // One that waits, or whose answer no document fetched.
            let is_left = match row.record.answered_at {
                Some(_) => row.record.is_unreceived(now),
                None => row.record.is_open(now) || waits(core, &page.origin, &row.record).await?,
            };
            if is_left {
                left = Some(Stored::from(row));
            }
        }
        let Some(left) = left else { return Ok(own) };
        let id = left.record.id.clone();
        let mut batch = Batch::new(Durability::Strict);
        // It is this document's from now on: no other goes on with it.
        let moved = RequestRow { document: page.document.clone(), gone: false, ..(*left.record).clone() };
        let row = RequestRow { id: own.clone(), continues: Some(id.clone()), ..moved.clone() };
        batch.expect(REQUESTS, &key(&page.origin, &id), Some(&left.text));
        batch.put(REQUESTS, &key(&page.origin, &id), &moved);
        batch.put(REQUESTS, &key(&page.origin, &own), &row);
        match self.database.commit(batch).await {
            Ok(()) => Ok(id),
            Err(StoreError::Conflict { .. }) => Ok(own),
            Err(error) => Err(error),
        }
    }

    /// Notes that a request has its answer.
    pub(super) async fn answered(&self, page: &Page) -> Result<(), StoreError> {
        for id in [&page.request_id, &page.sent_as] {
            if let Some(row) = self.get(&page.origin, id).await?
                && row.record.answered_at.is_none()
            {
                let now = Some(self.database.now());
                self.put(&page.origin, &row, RequestRow { answered_at: now, ..(*row.record).clone() })
                    .await?;
            }
            if page.request_id == page.sent_as {
                break;
            }
        }
        Ok(())
    }

    /// Writes a request that was read, unless it changed: then what another wrote counts.
    async fn put(&self, origin: &str, was: &Stored<RequestRow>, row: RequestRow) -> Result<(), StoreError> {
        let key = key(origin, &row.id);
        let mut batch = Batch::new(Durability::Relaxed);
        batch.expect(REQUESTS, &key, Some(&was.text));
        batch.put(REQUESTS, &key, &row);
        match self.database.commit(batch).await {
            Ok(()) | Err(StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Notes that a document is gone; its open requests, by origin.
    pub(super) async fn document_gone(
        &self,
        origin: &str,
        document: &str,
    ) -> Result<Vec<RequestRow>, StoreError> {
        let mut open = Vec::new();
        for row in self.of(origin).await? {
            if row.record.document == document && row.record.answered_at.is_none() {
                let row = Stored::from(row);
                self.put(origin, &row, RequestRow { gone: true, ..(*row.record).clone() }).await?;
                open.push(*row.record);
            }
        }
        Ok(open)
    }

    /// The requests of an origin that wait for a prompt, or for a call.
    pub(super) async fn open_of(&self, origin: &str) -> Result<Vec<RequestRow>, StoreError> {
        let rows = self.of(origin).await?.into_iter().map(|row| row.record);
        Ok(rows.filter(|row| row.answered_at.is_none()).collect())
    }

    /// Stages the removal of requests that are older than a day.
    pub(crate) async fn stage_trimmed(&self, batch: &mut Batch) -> Result<(), StoreError> {
        let old = self.database.now().saturating_sub(KEPT);
        for row in store::scan(self.database.store(), REQUESTS, Range::all()).await? {
            if row.record.asked_at < old {
                batch.delete(REQUESTS, &row.key);
            }
        }
        Ok(())
    }
}

/// Whether a request still waits for the user: its prompt or its call is open.
async fn waits(core: &Core, origin: &str, row: &RequestRow) -> Result<bool, StoreError> {
    if let Some(prompt_id) = &row.prompt_id {
        return core.prompts.is_open(prompt_id).await;
    }
    // Without a call yet, it waits for its turn.
    Ok(core.journal.is_open_action(origin, &row.id).await?.unwrap_or(true))
}

/// Lets a request wait for the user, if its site may ask. Everything is staged: nothing holds before the commit.
pub(super) async fn admit(core: &Rc<Core>, page: &Page) -> Result<Site, RpcError> {
    let mut site = core.sites.get(&page.origin).await?;
    if let Err(why) = site.row.ask(core.now()) {
        let mut batch = Batch::new(Durability::Relaxed);
        site.stage(&mut batch);
        // A count that is lost to another request is no loss.
        let _ = core.commit(batch).await;
        return Err(why.into());
    }
    core.page_requests.check_room(core, page).await?;
    Ok(site)
}
