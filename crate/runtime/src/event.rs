//! What pages learn as it happens: appended to the store with the change it tells of, read with `after`.

use crate::Core;
use crate::store::{Batch, Durability, Range, StoreError, Table, Write, number_key, parse};
use std::cell::Cell;
use wire::event::Event;

/// How many events are kept for pages that come back.
const KEPT: u64 = 2_000;
/// At most so many are sent at once.
const PAGE: u32 = 500;

/// The log's upkeep.
#[derive(Debug, Default)]
pub(crate) struct Events {
    trimmed_at: Cell<u64>,
}

impl Batch {
    /// Tells the pages, if and when the batch is committed.
    pub(crate) fn tell(&mut self, event: &Event) {
        self.append(Table::Events, event);
    }
}

impl Core {
    /// The id of the newest event.
    pub(crate) async fn last_event_id(&self) -> Result<u64, StoreError> {
        let counter = self.ports.store.get(Table::Counters, Table::Events.name()).await?;
        Ok(counter.and_then(|text| text.parse().ok()).unwrap_or(0))
    }

    /// Events after `after` as text of an event stream; waits until there is at least one.
    pub async fn events_after(&self, after: u64) -> Result<String, StoreError> {
        let mut after = after;
        loop {
            let seen = self.changed.version();
            let last = self.last_event_id().await?;
            if after > last {
                // The page knows of events that this store never had: it was cleared.
                return Ok(frame(last, "gap", "{}"));
            }
            let range = Range { after: Some(number_key(after)), ..Range::all() }.first(PAGE);
            let rows = self.ports.store.scan(Table::Events, range).await?;
            let mut text = String::new();
            for row in &rows {
                let id = row.key.parse::<u64>().unwrap_or(last);
                if id > after + 1 && text.is_empty() {
                    text.push_str(&frame(id - 1, "gap", "{}"));
                }
                let event: serde_json::Value = parse(Table::Events, &row.key, &row.text)?;
                let name = event.get("event").and_then(|name| name.as_str()).unwrap_or("message");
                let data = event.get("data").map_or_else(|| "{}".to_owned(), ToString::to_string);
                text.push_str(&frame(id, name, &data));
                after = id;
            }
            self.trim_events(last).await?;
            if !text.is_empty() {
                return Ok(text);
            }
            self.changed.changed_since(seen).await;
        }
    }

    /// Drops events that are older than any page needs, now and then.
    pub(crate) async fn trim_events(&self, last: u64) -> Result<(), StoreError> {
        if last < self.events.trimmed_at.get() + KEPT / 4 {
            return Ok(());
        }
        self.events.trimmed_at.set(last);
        let mut batch = Batch::new(Durability::Relaxed);
        batch.writes.push(Write::DeleteBefore(Table::Events, number_key(last.saturating_sub(KEPT) + 1)));
        self.ports.store.commit(batch).await.map(|_| ())
    }
}

fn frame(id: u64, name: &str, data: &str) -> String {
    format!("id: {id}\nevent: {name}\ndata: {data}\n\n")
}
