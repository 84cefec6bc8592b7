//! Saved addresses. The only writer of `contacts`, and of the one text that a large book is also kept as.
//!
//! Reading ten thousand records costs fifty milliseconds in the browser, reading one text of them three. So a large
//! book is kept once more as one text, sorted by title. Every change deletes the text in its own batch; it is made
//! anew in the background ([`Contacts::keep`]), never by a read.

mod book;

pub(crate) use book::{Book, Contact, Filter, Selection};

use crate::id::time_of;
use crate::policy::KnownContact;
use crate::store::{Batch, Durability, Range, Store, StoreError, Table, read};
use derive::Record;
use std::cell::Cell;
use std::rc::Rc;

/// A book up to this size is read record by record.
const FEW: u32 = 256;
/// Where the text of a large book is, in `snapshots`.
const TEXT: &str = "contacts/sorted";
/// Where the last change of the book is, in `snapshots`.
const CHANGE: &str = "contacts/change";

/// The last change of the book: the text may be written only if no other came meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
struct Change {
    /// Names the change: a contact is added once and deleted once.
    id: String,
    /// Whether the text was made after it.
    kept: bool,
}

/// Saved addresses.
pub(crate) struct Contacts {
    store: Rc<dyn Store>,
    /// Whether a change was staged that the text does not hold yet.
    changed: Cell<bool>,
}

impl Contacts {
    /// Over a store.
    pub(crate) const fn new(store: Rc<dyn Store>) -> Self {
        // The first look finds out what an earlier worker left.
        Self { store, changed: Cell::new(true) }
    }

    /// All contacts.
    pub(crate) async fn book(&self) -> Result<Book, StoreError> {
        book(&*self.store).await
    }

    /// Stages a new contact.
    pub(crate) fn add(&self, batch: &mut Batch, contact: &Contact<'_>) {
        batch.put(Table::Contacts, &contact.id, contact);
        self.stage_change(batch, format!("added {}", contact.id));
    }

    /// Stages the deletion of a contact, if it is still as it was read.
    pub(crate) fn delete(&self, batch: &mut Batch, id: &str, text: &str) {
        batch.expect(Table::Contacts, id, Some(text));
        batch.delete(Table::Contacts, id);
        self.stage_change(batch, format!("deleted {id}"));
    }

    fn stage_change(&self, batch: &mut Batch, id: String) {
        batch.delete(Table::Snapshots, TEXT);
        batch.put(Table::Snapshots, CHANGE, &Change { id, kept: false });
        self.changed.set(true);
    }

    /// Whether [`Contacts::keep`] may have something to do.
    pub(crate) fn is_outdated(&self) -> bool {
        self.changed.get()
    }

    /// Keeps a large book as one text, unless it is kept. A change that comes meanwhile wins.
    pub(crate) async fn keep(&self) -> Result<(), StoreError> {
        self.changed.set(false);
        let change = read::<Change>(&*self.store, Table::Snapshots, CHANGE).await?;
        let few = self.store.scan(Table::Contacts, Range::all().first(FEW + 1)).await?;
        if few.len() <= FEW as usize || change.as_ref().is_some_and(|change| change.record.kept) {
            return Ok(());
        }
        // Read after the change's name: what came in between makes the batch fail.
        let sorted = Book::of_records(self.store.lines(Table::Contacts).await?).into_sorted()?;
        let mut batch = Batch::new(Durability::Relaxed);
        batch.expect(Table::Snapshots, CHANGE, change.as_ref().map(|change| change.text.as_str()));
        let id = change.map_or_else(String::new, |change| change.record.id);
        batch.put(Table::Snapshots, CHANGE, &Change { id, kept: true });
        batch.put_text(Table::Snapshots, TEXT, sorted);
        match self.store.commit(batch).await {
            Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// All contacts: from the one text if the book is kept as one, else record by record.
async fn book(store: &dyn Store) -> Result<Book, StoreError> {
    if let Some(lines) = store.get(Table::Snapshots, TEXT).await? {
        return Ok(Book::of_sorted(lines));
    }
    Ok(Book::of_records(store.lines(Table::Contacts).await?))
}

/// Every saved address, as the policy sees it.
pub(crate) async fn known(store: &dyn Store) -> Result<Vec<KnownContact>, StoreError> {
    let book = book(store).await?;
    let known = |contact: Result<(&str, Contact<'_>), StoreError>| {
        let (_, Contact { id, title, address, chain, added_by }) = contact?;
        let by_agent = added_by != "user";
        Ok(KnownContact {
            chain: chain.into_owned(),
            address: address.into_owned(),
            title: title.into_owned(),
            by_agent_at: by_agent.then(|| time_of(&id)).flatten(),
        })
    };
    book.contacts().map(known).collect()
}
