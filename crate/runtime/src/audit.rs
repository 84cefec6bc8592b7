//! The audit log: a chain of entries, each written in the very batch that changes what it tells of.
//!
//! An entry is one line of JSON. Its last field is `hash`: the SHA-256, in lower-case hex, of that line with the field
//! taken out again — of its bytes without the last 75, and a `}` after them:
//!
//! ```text
//! {"number":2,"at":…,"kind":…,…,"previous":"<hash of line 1>","hash":"<64 digits>"}     the line
//! {"number":2,"at":…,"kind":…,…,"previous":"<hash of line 1>"}                          what is hashed
//! ```
//!
//! The first entry's `previous` is 64 zeros; where older entries were trimmed, the hash of the last one that was. An export can be checked with nothing but that rule; a copy of
//! the newest hash, kept elsewhere, shows later whether anything before it was rewritten.

use crate::ports::Host;
use crate::signal::Signal;
use crate::store::{
    self, Batch, Durability, Owned, Range, Reads, Row, Store, StoreError, Stored, json, number_key,
    owned_tables,
};
use chains::encoding::hex;
use derive::{Record, ToJson};
use sha2::{Digest, Sha256};
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use wire::api::Millis;
use wire::audit::{AuditCheck, AuditRecord};
use wire::json::from_text;

owned_tables! {
    /// Number → an entry's line, sealed to the one before it.
    AUDIT: AuditRight = Audit, Link;
    /// The end of the chain.
    HEAD: AuditHeadRight = AuditHead, Head;
    /// The last entry that was removed, to which the first that is kept is sealed.
    ANCHOR: AuditAnchorRight = AuditAnchor, Head;
}

/// So many entries are kept; older ones are removed from the chain's beginning.
pub(crate) const KEPT: u64 = 100_000;
/// How often a batch is sealed anew because another worker's entry came first.
const MAX_SEALS: u32 = 50;
/// So many entries are looked at in one go.
const PAGE: u32 = 500;

/// SHA-256 in hex: what the log keeps of a text that it does not keep.
pub(crate) fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

/// The end of the chain.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct Head {
    number: u64,
    hash: String,
}

impl Head {
    /// Of no entries.
    fn nothing() -> Self {
        Self { number: 0, hash: "0".repeat(64) }
    }

    /// As it is stored; before the first entry there is none.
    fn of(stored: Option<Stored<Self>>) -> Self {
        stored.map_or_else(Self::nothing, |stored| *stored.record)
    }

    /// Seals what happened to the chain: its line, and the end that the line makes.
    fn seal(&self, at: Millis, record: &AuditRecord) -> (Self, String) {
        let number = self.number + 1;
        let mut line = json(&Unsealed { number, at, record, previous: &self.hash });
        let hash = digest(&line);
        line.pop();
        line.push_str(&format!(r#","hash":"{hash}"}}"#));
        (Self { number, hash }, line)
    }

    /// The end that a stored entry makes, if it is the next one and was not changed.
    fn follow(&self, row: &Row) -> Option<Self> {
        let entry = Link::of(&row.text)?;
        let body = row.text.strip_suffix(&format!(r#","hash":"{}"}}"#, entry.hash))?;
        let number = self.number + 1;
        let fits = row.key == number_key(number)
            && entry.number == number
            && entry.previous == self.hash
            && entry.hash == digest(&format!("{body}}}"));
        fits.then_some(Self { number, hash: entry.hash })
    }
}

/// What ties an entry to the one before it: all that is looked into here. What happened is for the log's reader.
#[derive(Record)]
pub(crate) struct Link {
    number: u64,
    previous: String,
    hash: String,
}

impl Link {
    /// Of an entry's line, if it is one.
    pub(crate) fn of(line: &str) -> Option<Self> {
        from_text(line).ok()
    }
}

/// A [`wire::audit::AuditEntry`] before it has its hash.
#[derive(ToJson)]
struct Unsealed<'a> {
    number: u64,
    at: Millis,
    #[serde(flatten)]
    record: &'a AuditRecord,
    previous: &'a str,
}

/// The audit log. The only writer of `audit` and of the chain's end.
pub(crate) struct Audit {
    store: Rc<dyn Store>,
    host: Rc<dyn Host>,
    /// The chain's end as it was last written or read; gone after a failure.
    head: RefCell<Option<Head>>,
    /// One batch is sealed at a time: of two that are sealed to the same end, one is sealed for nothing.
    busy: Cell<bool>,
    freed: Signal,
}

struct Turn<'a>(&'a Audit);

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.0.busy.set(false);
        self.0.freed.raise();
    }
}

impl Audit {
    pub(crate) fn new(store: Rc<dyn Store>, host: Rc<dyn Host>) -> Self {
        Self { store, host, head: RefCell::default(), busy: Cell::default(), freed: Signal::default() }
    }

    /// Waits for its turn, and has it until dropped.
    async fn turn(&self) -> Turn<'_> {
        loop {
            let seen = self.freed.version();
            if !self.busy.replace(true) {
                return Turn(self);
            }
            self.freed.changed_since(seen).await;
        }
    }

    /// Commits a batch, its notes sealed to the chain. If another worker's entry came first, they are sealed anew to
    /// that one; every other conflict is the caller's.
    pub(crate) async fn commit(&self, batch: Batch) -> Result<(), StoreError> {
        if !batch.is_noted() {
            return self.store.commit(batch).await.map(|_| ());
        }
        let _turn = self.turn().await;
        for _ in 0..MAX_SEALS {
            let known = self.head.take();
            let end = match known {
                Some(head) => head,
                None => self.stored_head().await?,
            };
            let mut sealed = batch.clone();
            let head = seal(&mut sealed, &end, self.host.now());
            match self.store.commit(sealed).await {
                Ok(_) => {
                    *self.head.borrow_mut() = Some(head);
                    return Ok(());
                }
                Err(StoreError::Conflict(place))
                    if place.table == AuditHeadRight::TABLE.name() && place.key == HEAD.key("") => {}
                Err(conflict @ StoreError::Conflict { .. }) => {
                    *self.head.borrow_mut() = Some(end);
                    return Err(conflict);
                }
                Err(error) => return Err(error),
            }
        }
        Err(StoreError::unavailable("the audit log is never at rest"))
    }

    /// Walks the whole chain.
    pub(crate) async fn check(&self) -> Result<AuditCheck, StoreError> {
        loop {
            let anchor = self.anchor().await?;
            let check = self.check_after(&anchor).await?;
            // Entries that were trimmed meanwhile are not missing.
            if check.broken_at.is_none() || self.anchor().await? == anchor {
                return Ok(check);
            }
        }
    }

    /// Removes the oldest entries but so many, and keeps the hash of the last one. A chain that is broken there stays: the
    /// check is to name the place.
    pub(crate) async fn trim(&self, kept: u64) -> Result<(), StoreError> {
        let mut reads = Reads::new();
        let (anchor, head) = (reads.get(ANCHOR, ""), reads.get(HEAD, ""));
        let snapshot = reads.from(&*self.store).await?;
        let (mut end, head) = (Head::of(snapshot.one(anchor)?), Head::of(snapshot.one(head)?));
        let (trimmed, cut) = (end.number, head.number.saturating_sub(kept));
        while end.number < cut {
            let after = Some(number_key(end.number));
            let rows = self.rows(Range { after, ..Range::all() }.first(PAGE)).await?;
            let wanted = usize::try_from(cut - end.number).unwrap_or(usize::MAX);
            if rows.is_empty() {
                return Ok(());
            }
            for row in rows.iter().take(wanted) {
                let Some(next) = end.follow(row) else { return Ok(()) };
                end = next;
            }
        }
        if end.number == trimmed {
            return Ok(());
        }
        let mut batch = Batch::new(Durability::Strict);
        batch.put(ANCHOR, "", &end);
        batch.delete_before(AUDIT, &number_key(cut + 1));
        self.store.commit(batch).await.map(|_| ())
    }

    /// Walks the chain from an entry on, a page at a time.
    async fn check_after(&self, anchor: &Head) -> Result<AuditCheck, StoreError> {
        let (mut end, mut last_key) = (anchor.clone(), None);
        let trimmed = Some(anchor.number).filter(|number| *number > 0);
        let mut looked_at = None;
        loop {
            // Read before the entries: of these there may be more meanwhile, but not fewer.
            let head = self.stored_head().await?;
            let check = |broken_at| AuditCheck {
                entries: head.number.saturating_sub(anchor.number),
                head: head.hash.clone(),
                broken_at,
                trimmed,
            };
            let rows = self.rows(Range { after: last_key.clone(), ..Range::all() }.first(PAGE)).await?;
            for row in &rows {
                match end.follow(row) {
                    Some(next) => end = next,
                    None => return Ok(check(Some(end.number + 1))),
                }
            }
            last_key = rows.last().map(|row| row.key.clone()).or(last_key);
            if rows.len() == PAGE as usize {
                continue;
            }
            if end == head {
                return Ok(check(None));
            }
            if end.number > head.number && looked_at.as_ref() != Some(&head) {
                // Written since the head was read, or slipped in behind it: another look tells.
                looked_at = Some(head);
                continue;
            }
            let broken = if end.number == head.number { end.number } else { end.number.min(head.number) + 1 };
            return Ok(check(Some(broken)));
        }
    }

    /// Entries as they are on disk: their keys and lines.
    async fn rows(&self, range: Range) -> Result<Vec<Row>, StoreError> {
        let mut reads = Reads::new();
        let entries = reads.scan(AUDIT, range);
        Ok(reads.from(&*self.store).await?.rows(&entries).to_vec())
    }

    /// At most `limit` entries before a number, newest first, and whether there are more.
    pub(crate) async fn newest(
        &self,
        before: Option<u64>,
        limit: u32,
    ) -> Result<(Vec<Row>, bool), StoreError> {
        let before = before.map(number_key);
        let range = Range { before, descending: true, limit: Some(limit + 1), ..Range::all() };
        let mut rows = self.rows(range).await?;
        let more = rows.len() > limit as usize;
        rows.truncate(limit as usize);
        Ok((rows, more))
    }

    /// All entries, a line each.
    pub(crate) async fn lines(&self) -> Result<String, StoreError> {
        self.store.lines(AuditRight::TABLE).await
    }

    async fn anchor(&self) -> Result<Head, StoreError> {
        Ok(Head::of(store::get(&*self.store, ANCHOR, "").await?))
    }

    async fn stored_head(&self) -> Result<Head, StoreError> {
        Ok(Head::of(store::get(&*self.store, HEAD, "").await?))
    }
}

/// Seals a batch's notes to the chain's end; gives the new end. The last precondition is that the chain still ends
/// there: a conflict about anything that the batch itself relies on is found first.
fn seal(batch: &mut Batch, end: &Head, at: Millis) -> Head {
    let before = (end.number > 0).then(|| json(end));
    let mut head = end.clone();
    for record in batch.take_notes() {
        let (next, line) = head.seal(at, &record);
        batch.put_text(AUDIT, &number_key(next.number), line);
        head = next;
    }
    batch.expect(HEAD, "", before.as_deref());
    batch.put(HEAD, "", &head);
    head
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::Table;
    use wire::audit::AuditEntry;

    fn record(what: &str) -> AuditRecord {
        AuditRecord::Change { what: what.to_owned(), subject: None }
    }

    /// The very bytes, so that nothing here can change what an export means.
    #[test]
    fn a_line_is_its_body_and_the_bodys_hash() {
        let (head, line) = Head::nothing().seal(7, &record("vault_locked"));
        let zeros = "0".repeat(64);
        let body = format!(
            r#"{{"number":1,"at":7,"kind":"change","what":"vault_locked","subject":null,"previous":"{zeros}"}}"#
        );
        assert_eq!(digest("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
        assert_eq!(line, format!(r#"{},"hash":"{}"}}"#, body.strip_suffix('}').unwrap(), digest(&body)));
        let entry: AuditEntry = serde_json::from_str(&line).unwrap();
        assert_eq!((json(&entry), entry.hash), (line, head.hash));
    }

    #[test]
    fn only_the_next_line_follows() {
        let (first, one) = Head::nothing().seal(1, &record("a"));
        let (second, two) = first.seal(2, &record("b"));
        let row = |number, text: &str| Row { key: number_key(number), text: text.to_owned() };
        assert_eq!(Head::nothing().follow(&row(1, &one)), Some(first.clone()));
        assert_eq!(first.follow(&row(2, &two)), Some(second));
        for (key, text) in [
            (2, one.clone()),
            (3, two.clone()),
            (2, two.replace(r#""at":2"#, r#""at":3"#)),
            (2, format!("{two} ")),
            (2, String::new()),
            (2, first.clone().seal(2, &record("b")).1.replace("\"b\"", "\"c\"")),
        ] {
            assert_eq!(first.follow(&row(key, &text)), None, "{key} {text}");
        }
    }

    async fn noted(audit: &Audit, count: u64) {
        for number in 0..count {
            let mut batch = Batch::new(Durability::Relaxed);
            batch.note(record(&number.to_string()));
            audit.commit(batch).await.unwrap();
        }
    }

    async fn checked(audit: &Audit) -> (u64, Option<u64>, Option<u64>) {
        let AuditCheck { entries, broken_at, trimmed, .. } = audit.check().await.unwrap();
        (entries, trimmed, broken_at)
    }

    /// The chain is whole after its beginning was removed, and goes on; a broken beginning is not removed.
    #[tokio::test(start_paused = true)]
    async fn a_trimmed_log_is_checked_from_its_anchor() {
        let store = Rc::new(crate::store::memory::Memory::new());
        let host = crate::node::tests::host();
        let audit = Audit::new(store.clone(), host);
        noted(&audit, 12).await;
        audit.trim(20).await.unwrap();
        assert_eq!(checked(&audit).await, (12, None, None));
        audit.trim(5).await.unwrap();
        audit.trim(5).await.unwrap();
        assert_eq!(checked(&audit).await, (5, Some(7), None));
        noted(&audit, 3).await;
        assert_eq!(checked(&audit).await, (8, Some(7), None));
        let first = audit.rows(Range::all().first(1)).await.unwrap().remove(0);
        assert_eq!(first.key, number_key(8));

        let damaged = store::Write::Put(AuditRight::TABLE, first.key, first.text.replace("change", "chance"));
        store.commit(Batch::unowned(Durability::Relaxed, Vec::new(), vec![damaged])).await.unwrap();
        audit.trim(2).await.unwrap();
        assert_eq!(checked(&audit).await, (8, Some(7), Some(8)));
        let removed = store::Write::Delete(Table::Counters, "audit-anchor".to_owned());
        store.commit(Batch::unowned(Durability::Relaxed, Vec::new(), vec![removed])).await.unwrap();
        assert_eq!(checked(&audit).await.2, Some(1));
    }
}
