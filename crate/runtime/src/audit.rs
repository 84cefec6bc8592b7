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
//! The first entry's `previous` is 64 zeros. Where older entries were trimmed, it is the hash of the last one that was, and
//! a later entry, the *checkpoint*, says so: the number and the hash of that last one, how many went, and when. The check
//! begins at the last checkpoint of the log, and an export can be checked with nothing but these rules:
//!
//! | what was done to the log | what is found |
//! |---|---|
//! | an entry changed, removed or added in the middle | the next one does not fit |
//! | the newest taken away | the end that is kept beside the log does not fit |
//! | the oldest taken away, the anchor changed or both | no checkpoint names that place |
//! | every entry from some place on written anew, with the end | nothing: code that can write the whole log can hash it too |
//!
//! The last is shown by a copy of the newest hash that is kept elsewhere, and by nothing else: there is no key here that
//! the log's writer has and an intruder has not.

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
use wire::audit::{AuditCheck, AuditCheckpoint, AuditRecord};
use wire::json::from_text;

owned_tables! {
    /// Number → an entry's line, sealed to the one before it.
    AUDIT: AuditRight = Audit, Link;
    /// The end of the chain.
    HEAD: AuditHeadRight = AuditHead, Head;
    /// The last entry that was removed, to which the first that is kept is sealed, and the checkpoint that says so.
    ANCHOR: AuditAnchorRight = AuditAnchor, Anchor;
}

/// So many entries are kept; older ones are removed from the chain's beginning, a twentieth of as many at a time.
pub(crate) const KEPT: u64 = 100_000;

/// How many entries there may be before some are removed.
const fn most(kept: u64) -> u64 {
    kept + kept / 20
}
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

/// The last entry that was removed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct Anchor {
    number: u64,
    hash: String,
    /// The number of the entry that says so; an earlier version wrote none.
    checkpoint: Option<u64>,
}

impl Anchor {
    /// The end of what was removed.
    fn end(&self) -> Head {
        Head { number: self.number, hash: self.hash.clone() }
    }

    /// Whether a checkpoint is the one of this anchor.
    fn is_said_by(&self, checkpoint: &AuditCheckpoint) -> bool {
        self.checkpoint == Some(checkpoint.number)
            && (self.number, &self.hash) == (checkpoint.through, &checkpoint.last_hash)
    }
}

/// The checkpoint that an entry's line is, if it is one. No text in a line can look like it: its quotes are escaped.
fn checkpoint_in(line: &str) -> Option<AuditCheckpoint> {
    line.contains(r#""kind":"checkpoint""#).then(|| from_text(line).ok()).flatten()
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
    /// The number of the last entry before some are to be removed, as far as this worker knows.
    full_at: Cell<u64>,
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
        let full_at = Cell::new(u64::MAX);
        Self {
            store,
            host,
            head: RefCell::default(),
            full_at,
            busy: Cell::default(),
            freed: Signal::default(),
        }
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
        // On the heap: every commit's future would be as large as this one.
        Box::pin(self.commit_noted(&|_| batch.clone())).await
    }

    /// Commits a batch with notes that is made for the chain's end to which they are sealed.
    async fn commit_noted(&self, make: &dyn Fn(&Head) -> Batch) -> Result<(), StoreError> {
        let _turn = self.turn().await;
        for _ in 0..MAX_SEALS {
            let known = self.head.take();
            let end = match known {
                Some(head) => head,
                None => self.ends().await?.1,
            };
            let mut sealed = make(&end);
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
            let anchor = self.ends().await?.0;
            let check = self.check_after(anchor.as_ref()).await?;
            // Entries that were trimmed meanwhile are not missing.
            if check.broken_at.is_none() || self.ends().await?.0 == anchor {
                return Ok(check);
            }
        }
    }

    /// Whether there are so many entries that some are to be removed before the day is over.
    pub(crate) fn is_full(&self) -> bool {
        self.head.borrow().as_ref().is_some_and(|head| head.number > self.full_at.get())
    }

    /// Removes the oldest entries but so many, once they are enough, behind a checkpoint. A chain that is broken there
    /// stays: the check is to name the place.
    pub(crate) async fn trim(&self, kept: u64) -> Result<(), StoreError> {
        let (anchor, head) = self.ends().await?;
        // Whatever comes of it, it is not tried again with every entry.
        self.full_at.set(head.number + kept / 20);
        let before = anchor.as_ref().map_or_else(Head::nothing, Anchor::end);
        if let Some(anchor) = &anchor
            && !self.is_said(anchor).await?
        {
            // What an earlier version removed is said now; what a checkpoint denies is left for the check.
            return if anchor.checkpoint.is_none() { self.cut(anchor, &before, 0).await } else { Ok(()) };
        }
        if head.number - before.number.min(head.number) <= most(kept) {
            self.full_at.set(before.number + most(kept));
            return Ok(());
        }
        let Some(end) = self.walk(before.clone(), head.number - kept).await? else { return Ok(()) };
        let removed = end.number - before.number;
        let next = Anchor { number: end.number, hash: end.hash, checkpoint: None };
        self.cut(&next, &before, removed).await?;
        self.full_at.set(next.number + most(kept));
        Ok(())
    }

    /// Whether the log has the checkpoint of an anchor.
    async fn is_said(&self, anchor: &Anchor) -> Result<bool, StoreError> {
        let Some(number) = anchor.checkpoint else { return Ok(false) };
        let line = self.store.get(AuditRight::TABLE, &number_key(number)).await?;
        Ok(line.as_deref().and_then(checkpoint_in).is_some_and(|found| anchor.is_said_by(&found)))
    }

    /// The end that the entries up to a number make, if each fits the one before it.
    async fn walk(&self, mut end: Head, to: u64) -> Result<Option<Head>, StoreError> {
        while end.number < to {
            let after = Some(number_key(end.number));
            let rows = self.rows(Range { after, ..Range::all() }.first(PAGE)).await?;
            if rows.is_empty() {
                return Ok(None);
            }
            let wanted = usize::try_from(to - end.number).unwrap_or(usize::MAX);
            for row in rows.iter().take(wanted) {
                let Some(next) = end.follow(row) else { return Ok(None) };
                end = next;
            }
        }
        Ok(Some(end))
    }

    /// Removes the entries up to an anchor, and says so in the log, at once.
    async fn cut(&self, anchor: &Anchor, before: &Head, removed: u64) -> Result<(), StoreError> {
        let stored = store::get(&*self.store, ANCHOR, "").await?;
        // Another worker was faster.
        if stored.as_ref().is_some_and(|stored| stored.record.number != before.number) {
            return Ok(());
        }
        let text = stored.map(|stored| stored.text);
        let (through, last_hash) = (anchor.number, anchor.hash.clone());
        let batch = |end: &Head| {
            let mut batch = Batch::new(Durability::Strict);
            batch.note(AuditRecord::Checkpoint { through, last_hash: last_hash.clone(), removed });
            batch.expect(ANCHOR, "", text.as_deref());
            batch.put(ANCHOR, "", &Anchor { checkpoint: Some(end.number + 1), ..anchor.clone() });
            batch.delete_before(AUDIT, &number_key(through + 1));
            batch
        };
        match self.commit_noted(&batch).await {
            Err(StoreError::Conflict { .. }) => Ok(()),
            other => other,
        }
    }

    /// Walks the chain from an anchor on, a page at a time.
    async fn check_after(&self, anchor: Option<&Anchor>) -> Result<AuditCheck, StoreError> {
        let begin = anchor.map_or_else(Head::nothing, Anchor::end);
        let (mut end, mut last_key) = (begin.clone(), None);
        let (mut looked_at, mut checkpoint) = (None, None);
        loop {
            // Read before the entries: of these there may be more meanwhile, but not fewer.
            let head = self.ends().await?.1;
            let check = |broken_at, checkpoint| AuditCheck {
                entries: head.number.saturating_sub(begin.number),
                head: head.hash.clone(),
                broken_at,
                trimmed: anchor.map(|anchor| anchor.number),
                checkpoint,
            };
            let rows = self.rows(Range { after: last_key.clone(), ..Range::all() }.first(PAGE)).await?;
            for row in &rows {
                match end.follow(row) {
                    Some(next) => end = next,
                    None => return Ok(check(Some(end.number + 1), None)),
                }
                checkpoint = checkpoint_in(&row.text).or(checkpoint);
            }
            last_key = rows.last().map(|row| row.key.clone()).or(last_key);
            if rows.len() == PAGE as usize {
                continue;
            }
            if end == head {
                // The last checkpoint must name what the first entry is sealed to: otherwise more is gone than it says.
                let said = checkpoint.filter(|found| anchor.is_some_and(|anchor| anchor.is_said_by(found)));
                let denied = anchor.is_some() && said.is_none();
                return Ok(check(denied.then_some(begin.number + 1), said));
            }
            if end.number > head.number && looked_at.as_ref() != Some(&head) {
                // Written since the head was read, or slipped in behind it: another look tells.
                looked_at = Some(head);
                continue;
            }
            let broken = if end.number == head.number { end.number } else { end.number.min(head.number) + 1 };
            return Ok(check(Some(broken), None));
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

    /// What the chain begins after, and its end.
    async fn ends(&self) -> Result<(Option<Anchor>, Head), StoreError> {
        let mut reads = Reads::new();
        let (anchor, head) = (reads.get(ANCHOR, ""), reads.get(HEAD, ""));
        let snapshot = reads.from(&*self.store).await?;
        let anchor = snapshot.one(anchor)?.map(|stored| *stored.record);
        let begin = anchor.as_ref().map_or(0, |anchor| anchor.number);
        if self.full_at.get() == u64::MAX {
            self.full_at.set(begin + most(KEPT));
        }
        Ok((anchor, Head::of(snapshot.one(head)?)))
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
    use crate::store::memory::Memory;
    use crate::store::{Table, Write};
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

    /// A log of some entries over a store that a test can damage.
    async fn log(entries: u64) -> (Rc<Memory>, Audit) {
        let store = Rc::new(Memory::new());
        let audit = Audit::new(store.clone(), crate::node::tests::host());
        noted(&audit, entries).await;
        (store, audit)
    }

    async fn damage(store: &Memory, write: Write) {
        store.commit(Batch::unowned(Durability::Relaxed, Vec::new(), vec![write])).await.unwrap();
    }

    async fn first_line(audit: &Audit) -> Row {
        audit.rows(Range::all().first(1)).await.unwrap().remove(0)
    }

    /// The chain is whole after its beginning was removed, and goes on; the checkpoint says what went, and is an entry.
    #[tokio::test(start_paused = true)]
    async fn a_trimmed_log_is_checked_from_its_checkpoint() {
        let (_, audit) = log(12).await;
        audit.trim(20).await.unwrap();
        assert_eq!(checked(&audit).await, (12, None, None));
        let removed = audit.rows(Range::all()).await.unwrap().remove(6).text;
        audit.trim(5).await.unwrap();
        let check = audit.check().await.unwrap();
        let hash = Link::of(&removed).unwrap().hash;
        let said = AuditCheckpoint {
            number: 13,
            at: check.checkpoint.as_ref().unwrap().at,
            through: 7,
            last_hash: hash,
            removed: 7,
        };
        assert_eq!((check.entries, check.trimmed, check.broken_at), (6, Some(7), None));
        assert_eq!(check.checkpoint, Some(said));
        assert_eq!(first_line(&audit).await.key, number_key(8));
        noted(&audit, 3).await;
        assert_eq!(checked(&audit).await, (9, Some(7), None));
        audit.trim(5).await.unwrap();
        let check = audit.check().await.unwrap();
        assert_eq!((check.entries, check.trimmed, check.broken_at), (6, Some(11), None));
        assert_eq!(check.checkpoint.map(|said| (said.number, said.removed)), Some((17, 4)));
    }

    /// Nothing goes until it is worth a checkpoint: at 105 of 100 not, at 106 all but 100.
    #[tokio::test(start_paused = true)]
    async fn entries_are_removed_at_the_bound() {
        let (_, audit) = log(105).await;
        audit.trim(100).await.unwrap();
        assert_eq!((checked(&audit).await, audit.is_full()), ((105, None, None), false));
        noted(&audit, 1).await;
        assert!(audit.is_full());
        audit.trim(100).await.unwrap();
        assert_eq!((checked(&audit).await, audit.is_full()), ((101, Some(6), None), false));
    }

    /// Whatever part of a trimmed log is changed or taken away is found; a damaged beginning is not removed.
    #[tokio::test(start_paused = true)]
    async fn damage_to_a_trimmed_log_is_found() {
        let anchor = "audit-anchor".to_owned();
        let cut =
            |number: u64| format!(r#"{{"number":{number},"hash":"{}","checkpoint":13}}"#, "0".repeat(64));
        for (what, write, broken) in [
            ("the anchor is gone", Write::Delete(Table::Counters, anchor.clone()), 1),
            ("the anchor's hash", Write::Put(Table::Counters, anchor.clone(), cut(7)), 8),
            ("the anchor's number", Write::Put(Table::Counters, anchor.clone(), cut(9)), 10),
            ("the first entry is gone", Write::Delete(Table::Audit, number_key(8)), 8),
            ("the first entries are gone", Write::DeleteBefore(Table::Audit, number_key(10)), 8),
            ("the checkpoint is gone", Write::Delete(Table::Audit, number_key(13)), 13),
        ] {
            let (store, audit) = log(12).await;
            audit.trim(5).await.unwrap();
            noted(&audit, 10).await;
            damage(&store, write).await;
            assert_eq!(checked(&audit).await.2, Some(broken), "{what}");
            audit.trim(2).await.unwrap();
            assert_eq!(checked(&audit).await.2, Some(broken), "{what}, after another day");
        }
        let (store, audit) = log(12).await;
        audit.trim(5).await.unwrap();
        let first = first_line(&audit).await;
        damage(&store, Write::Put(Table::Audit, first.key, first.text.replace("change", "chance"))).await;
        audit.trim(2).await.unwrap();
        assert_eq!(checked(&audit).await, (6, Some(7), Some(8)));
    }

    /// The oldest taken away with an anchor that fits: every entry fits the one before it, and no checkpoint says so. The
    /// next checkpoint does not cover it up: it says that they were found to be missing.
    #[tokio::test(start_paused = true)]
    async fn entries_taken_from_the_beginning_are_found() {
        for (trimmed, number) in [(false, 4), (true, 9), (true, 13)] {
            let (store, audit) = log(12).await;
            if trimmed {
                audit.trim(5).await.unwrap();
            }
            noted(&audit, 10).await;
            let line = store.get(Table::Audit, &number_key(number)).await.unwrap().unwrap();
            let hash = Link::of(&line).unwrap().hash;
            for checkpoint in ["13", "null"] {
                let anchor = format!(r#"{{"number":{number},"hash":"{hash}","checkpoint":{checkpoint}}}"#);
                damage(&store, Write::Put(Table::Counters, "audit-anchor".to_owned(), anchor)).await;
                damage(&store, Write::DeleteBefore(Table::Audit, number_key(number + 1))).await;
                assert_eq!(checked(&audit).await.2, Some(number + 1), "{trimmed} {number} {checkpoint}");
            }
            audit.trim(100).await.unwrap();
            let check = audit.check().await.unwrap();
            let said = check.checkpoint.map(|said| (said.through, said.removed));
            assert_eq!((check.broken_at, said), (None, Some((number, 0))));
        }
    }

    /// What an earlier version trimmed is read, and gets its checkpoint.
    #[tokio::test(start_paused = true)]
    async fn an_anchor_without_a_checkpoint_gets_one() {
        let (store, audit) = log(12).await;
        let hash = Link::of(&store.get(Table::Audit, &number_key(7)).await.unwrap().unwrap()).unwrap().hash;
        let anchor = format!(r#"{{"number":7,"hash":"{hash}"}}"#);
        damage(&store, Write::Put(Table::Counters, "audit-anchor".to_owned(), anchor)).await;
        damage(&store, Write::DeleteBefore(Table::Audit, number_key(8))).await;
        audit.trim(100).await.unwrap();
        assert_eq!(checked(&audit).await, (6, Some(7), None));
    }
}
