//! Saved addresses. The only writer of `contacts`, and of the one text that a large book is also kept as.
//!
//! Reading ten thousand records costs fifty milliseconds in the browser, reading one text of them three. So a large
//! book is kept once more as one text, sorted by title, and its beginning apart. Every change deletes both in its own
//! batch; they are made anew in the background ([`Contacts::keep`]), never by a read.
//!
//! What the agent or a page saves is not confirmed. Under a name that the user has, or had, for another address, it says
//! which address it takes the place of ([`earlier`]), until the user confirms it.

mod book;
pub(crate) mod earlier;
mod lowercase;
mod name;

pub(crate) use book::{Book, Contact, Filter, Selection};
pub(crate) use lowercase::lowercase;

use crate::Core;
use crate::plain::Need;
use crate::policy::KnownContact;
use crate::store::{
    Batch, Durability, Many, One, Owned, Range, Reads, Snapshot, Store, StoreError, Table, get, json,
    owned_tables,
};
use derive::Record;
use std::cell::Cell;
use std::rc::Rc;
use wire::address_book::Entry;
use wire::api::Millis;
use wire::json::Value;

owned_tables! {
    /// Contact id → [`Contact`], which is read from its text without a copy.
    CONTACTS: ContactRows = Contacts, Value;
    /// The texts that a large book is also kept as, and its last change.
    KEPT: KeptBook = ContactsSnapshot, Change;
    /// Realm and folded name → the address that the user had under it last.
    DELETED: DeletedContacts = DeletedContacts, Deleted;
}

/// A book up to this size is read record by record.
const FEW: u32 = 256;
/// Where the text of a large book is, among [`KEPT`].
const TEXT: &str = "/sorted";
/// Where the beginning of a large book is, among [`KEPT`].
const FIRST: &str = "/first";
/// Where the last change of the book is, among [`KEPT`].
const CHANGE: &str = "/change";

/// What a book is read from for a filter: the text of a large one, and the records if they are few.
pub(crate) fn needs(filter: &Filter) -> [Need; 2] {
    let key = KEPT.key(if filter.wants_first() { FIRST } else { TEXT });
    let records = Need { table: Table::Contacts, key: String::new(), most: FEW + 1, otherwise: true };
    [Need { table: Table::Snapshots, key, most: 1, otherwise: false }, records]
}

/// The last change of the book: the text may be written only if no other came meanwhile.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct Change {
    /// Names the change: a contact is added, confirmed and deleted once.
    id: String,
    /// Whether the text was made after it.
    kept: bool,
}

/// A deleted contact that the user had saved or confirmed.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(crate) struct Deleted {
    address: String,
    /// When it was deleted: of too many, the oldest go.
    at: Millis,
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

    /// The contacts that a filter wants.
    pub(crate) async fn select(&self, filter: &Filter) -> Result<Selection, StoreError> {
        if filter.wants_first()
            && let Some(text) = self.store.get(Table::Snapshots, &KEPT.key(FIRST)).await?
            && let Some(book) = Book::of_first(&text)
        {
            return book.select(filter).map_err(corrupt);
        }
        self.book().await?.select(filter).map_err(corrupt)
    }

    /// All contacts.
    pub(crate) async fn book(&self) -> Result<Book, StoreError> {
        book(&*self.store).await
    }

    /// Stages a new contact.
    pub(crate) fn add(&self, batch: &mut Batch, contact: &Contact<'_>) {
        batch.put_text(CONTACTS, &contact.id, json(contact));
        self.stage_change(batch, format!("added {}", contact.id));
    }

    /// Stages the deletion of a contact, if it is still as it was read.
    pub(crate) fn delete(&self, batch: &mut Batch, contact: &Contact<'_>, text: &str) {
        let id = &contact.id;
        batch.expect(CONTACTS, id, Some(text));
        batch.delete(CONTACTS, id);
        self.stage_change(batch, format!("deleted {id}"));
    }

    /// Stages that the user confirms a contact; its entry as it is then, or nothing if there is none.
    pub(crate) async fn confirm(&self, batch: &mut Batch, id: &str) -> Result<Option<Entry>, StoreError> {
        let Some(text) = self.store.get(Table::Contacts, &CONTACTS.key(id)).await? else {
            return Ok(None);
        };
        let mut contact = Contact::parse(&text).map_err(corrupt)?;
        if !contact.is_confirmed() {
            contact.confirmed = true;
            contact.replaces = None;
            batch.expect(CONTACTS, id, Some(&text));
            batch.put_text(CONTACTS, id, json(&contact));
            self.stage_change(batch, format!("confirmed {id}"));
        }
        Ok(Some(contact.entry()))
    }

    fn stage_change(&self, batch: &mut Batch, id: String) {
        batch.delete(KEPT, TEXT);
        batch.delete(KEPT, FIRST);
        batch.put(KEPT, CHANGE, &Change { id, kept: false });
        self.changed.set(true);
    }

    /// Whether [`Contacts::keep`] may have something to do.
    fn is_outdated(&self) -> bool {
        self.changed.get()
    }

    /// Keeps a large book as one text, unless it is kept. A change that comes meanwhile wins.
    async fn keep(&self) -> Result<(), StoreError> {
        self.changed.set(false);
        let change = get(&*self.store, KEPT, CHANGE).await?;
        let few = self.store.scan(Table::Contacts, Range::all().first(FEW + 1)).await?;
        if few.len() <= FEW as usize || change.as_ref().is_some_and(|change| change.record.kept) {
            return Ok(());
        }
        // Read after the change's name: what came in between makes the batch fail.
        let sorted =
            Book::of_records(self.store.lines(Table::Contacts).await?).into_sorted().map_err(corrupt)?;
        let mut batch = Batch::new(Durability::Relaxed);
        batch.expect(KEPT, CHANGE, change.as_ref().map(|change| change.text.as_str()));
        let id = change.map_or_else(String::new, |change| change.record.id);
        batch.put(KEPT, CHANGE, &Change { id, kept: true });
        batch.put_text(KEPT, FIRST, Book::first(&sorted));
        batch.put_text(KEPT, TEXT, sorted);
        match self.store.commit(batch).await {
            Ok(_) | Err(StoreError::Conflict { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }
}

/// Makes the one text of a large address book anew, in the background, after a change or a start.
pub(crate) fn keep(core: &Rc<Core>) {
    if core.contacts.is_outdated() {
        core.spawn_single("contacts".to_owned(), |core| async move {
            // Without the text the book is read record by record; the next start tries again.
            let _ = core.contacts.keep().await;
        });
    }
}

/// All contacts: from the one text if the book is kept as one, else record by record.
async fn book(store: &dyn Store) -> Result<Book, StoreError> {
    if let Some(lines) = store.get(Table::Snapshots, &KEPT.key(TEXT)).await? {
        return Ok(Book::of_sorted(lines));
    }
    Ok(Book::of_records(store.lines(Table::Contacts).await?))
}

/// The places of the book in a snapshot: its text if it is large, and its records if they are few.
pub(crate) struct BookSlots {
    text: One<KeptBook>,
    few: Many<ContactRows>,
}

/// Declares a read of the whole book.
pub(crate) fn read(reads: &mut Reads) -> BookSlots {
    BookSlots { text: reads.get(KEPT, TEXT), few: reads.scan(CONTACTS, Range::all().first(FEW + 1)) }
}

impl BookSlots {
    /// The book; read once more where it is large and has no text yet.
    async fn found(self, snapshot: &Snapshot, store: &dyn Store) -> Result<Book, StoreError> {
        let few = snapshot.rows(&self.few);
        match snapshot.text(self.text) {
            Some(text) => Ok(Book::of_sorted(text.clone())),
            None if few.len() <= FEW as usize => {
                let mut lines = String::new();
                for row in few {
                    lines.push_str(&row.text);
                    lines.push('\n');
                }
                Ok(Book::of_records(lines))
            }
            None => book(store).await,
        }
    }
}

/// Every saved address, as the policy sees it.
pub(crate) async fn known(
    slots: BookSlots,
    snapshot: &Snapshot,
    store: &dyn Store,
) -> Result<Vec<KnownContact>, StoreError> {
    let book = slots.found(snapshot, store).await?;
    let known = |contact: Result<(&str, Contact<'_>), serde_json::Error>| {
        let (_, contact) = contact.map_err(corrupt)?;
        let confirmed = contact.is_confirmed();
        let Contact { title, address, chain, replaces, .. } = contact;
        Ok(KnownContact {
            chain: chain.into_owned(),
            address: address.into_owned(),
            title: title.into_owned(),
            confirmed,
            replaces,
        })
    };
    book.contacts().map(known).collect()
}

/// That a contact cannot be read.
pub(crate) fn corrupt(error: serde_json::Error) -> StoreError {
    StoreError::corrupt(Table::Contacts.name(), "", error.to_string())
}
