//! What pages learn as it happens: appended to the store with the change it tells of, read with `after`.

use crate::database::Database;
use crate::store::{
    Batch, Durability, Owned, Range, Reads, Store, StoreError, Table, json, number_key, owned_tables, parse,
};
use serde_json::Value;
use std::cell::Cell;
use std::rc::Rc;
use wire::event::Event;

owned_tables! {
    /// Appended: an event for every open page.
    EVENTS: EventsRight = Events, Event;
}

/// How many events are kept for pages that come back.
const KEPT: u64 = 2_000;
/// So many more may come before the oldest go.
pub(crate) const SLACK: u64 = KEPT / 4;
/// At most so many are sent at once.
const PAGE: u32 = 500;

/// The events. The only writer of `events`.
pub(crate) struct Events {
    database: Rc<Database>,
    trimmed_at: Cell<u64>,
}

impl Batch {
    /// Tells the pages, if and when the batch is committed.
    pub(crate) fn tell(&mut self, event: &Event) {
        self.append(EVENTS, event);
    }
}

impl Events {
    pub(crate) fn new(database: Rc<Database>) -> Self {
        Self { database, trimmed_at: Cell::default() }
    }

    /// The id of the newest event.
    pub(crate) async fn last_id(&self) -> Result<u64, StoreError> {
        last_id(self.database.store()).await
    }

    /// Events after `after` as text of an event stream; waits until there is at least one.
    pub(crate) async fn after(&self, after: u64) -> Result<String, StoreError> {
        loop {
            let seen = self.database.changed.version();
            let last = self.last_id().await?;
            if after > last {
                // The page knows of events that this store never had: it was cleared.
                return Ok(frame(last, "gap", "{}"));
            }
            let text = self.page(after, last).await?;
            self.trim(last).await?;
            if !text.is_empty() {
                return Ok(text);
            }
            self.database.changed.changed_since(seen).await;
        }
    }

    /// The next events as text of an event stream; a gap comes first where some are no longer kept.
    async fn page(&self, after: u64, last: u64) -> Result<String, StoreError> {
        let mut reads = Reads::new();
        let range = Range { after: Some(number_key(after)), ..Range::all() }.first(PAGE);
        let events = reads.scan(EVENTS, range);
        let snapshot = reads.from(self.database.store()).await?;
        let mut text = String::new();
        for row in snapshot.rows(&events) {
            let id = row.key.parse::<u64>().unwrap_or(last);
            if id > after + 1 && text.is_empty() {
                text.push_str(&frame(id - 1, "gap", "{}"));
            }
            let event: Value = parse(EventsRight::TABLE, &row.key, &row.text)?;
            let name = event.get("event").and_then(Value::as_str).unwrap_or("message");
            let data = event.get("data").map_or_else(|| "{}".to_owned(), |data| json(data));
            text.push_str(&frame(id, name, &data));
        }
        Ok(text)
    }

    /// Drops events that are older than any page needs, now and then.
    pub(crate) async fn trim(&self, last: u64) -> Result<(), StoreError> {
        if last < self.trimmed_at.get() + SLACK {
            return Ok(());
        }
        self.trimmed_at.set(last);
        drop_before(self.database.store(), last).await
    }
}

/// Drops what is too old by now, after [`SLACK`] events were written.
pub(crate) async fn trim(store: &dyn Store) -> Result<(), StoreError> {
    drop_before(store, last_id(store).await?).await
}

async fn drop_before(store: &dyn Store, last: u64) -> Result<(), StoreError> {
    let mut batch = Batch::new(Durability::Relaxed);
    batch.delete_before(EVENTS, &number_key(last.saturating_sub(KEPT) + 1));
    store.commit(batch).await.map(|_| ())
}

async fn last_id(store: &dyn Store) -> Result<u64, StoreError> {
    let counter = store.get(Table::Counters, EventsRight::TABLE.name()).await?;
    Ok(counter.and_then(|text| text.parse().ok()).unwrap_or(0))
}

fn frame(id: u64, name: &str, data: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {data}\n\n")
}
