//! The address book as it was read: which of its contacts are wanted, in which order. No I/O.

use super::lowercase;
use chains::Chain;
use chains::order::sort_by;
use derive::ToJson;
use serde::Deserialize;
use std::borrow::Cow;
use wire::address_book::{AddedBy, Entry};

/// So many contacts are kept apart as the beginning of a large book.
const FIRST: usize = 256;

/// A saved address on disk. Borrowed where it can be: a book of ten thousand is read through for each query.
#[derive(Debug, Clone, PartialEq, Eq, ToJson, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Contact<'a> {
    #[serde(borrow)]
    pub(crate) id: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) title: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) address: Cow<'a, str>,
    #[serde(borrow)]
    pub(crate) chain: Cow<'a, str>,
    /// `user`, `agent`, or `dapp:` and its origin.
    #[serde(borrow)]
    pub(crate) added_by: Cow<'a, str>,
    /// Whether the user confirmed what the agent or a page saved.
    #[serde(default, skip_serializing_if = "is_not")]
    pub(crate) confirmed: bool,
    /// The address that the user had under this name, until the user confirms this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) replaces: Option<String>,
}

const fn is_not(flag: &bool) -> bool {
    !*flag
}

impl<'a> Contact<'a> {
    /// Reads a record.
    pub(crate) fn parse(text: &'a str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }

    /// Whether the user saved or confirmed it.
    pub(crate) fn is_confirmed(&self) -> bool {
        self.confirmed || self.added_by == "user"
    }

    /// As pages and agents see it.
    pub(crate) fn entry(&self) -> Entry {
        Entry {
            id: self.id.to_string(),
            title: self.title.to_string(),
            address: self.address.to_string(),
            chain: self.chain.to_string(),
            chain_kind: Chain::parse(&self.chain).map_or("", |chain| chain.kind().name()).to_owned(),
            added_by: match (self.added_by.as_ref(), self.added_by.strip_prefix("dapp:")) {
                (_, Some(origin)) => AddedBy::Dapp { origin: origin.to_owned() },
                ("agent", _) => AddedBy::Agent,
                _ => AddedBy::User,
            },
            confirmed: self.is_confirmed(),
            replaces: self.replaces.clone(),
        }
    }

    /// The order of people: by title without regard to case, then as it is spelled, then by age.
    fn place(&self) -> (String, Cow<'a, str>, Cow<'a, str>) {
        (lowercase(&self.title), self.title.clone(), self.id.clone())
    }
}

/// Which contacts are wanted. All conditions hold together.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    /// Only those of this chain.
    pub(crate) chain: Option<Chain>,
    /// Only those whose title or address contains this, in lower case.
    pub(crate) query: Option<String>,
    /// Whether the query may also be in the chain's name, as people search.
    pub(crate) in_chain: bool,
    /// No more than these, the first in order.
    pub(crate) limit: Option<usize>,
}

/// What a filter found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Selection {
    /// Sorted by title.
    pub(crate) entries: Vec<Entry>,
    /// How many match, with those over the limit.
    pub(crate) total: usize,
}

/// The contacts of one moment, a record a line.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Book {
    lines: String,
    /// Whether the lines are in the order of [`Contact::place`].
    sorted: bool,
    /// How many contacts there are, where the lines are only the first of them.
    total: Option<usize>,
}

impl Book {
    /// Records in any order.
    pub(crate) const fn of_records(lines: String) -> Self {
        Self { lines, sorted: false, total: None }
    }

    /// The text that [`Book::into_sorted`] made.
    pub(crate) const fn of_sorted(lines: String) -> Self {
        Self { lines, sorted: true, total: None }
    }

    /// The beginning of a sorted book, as [`Book::first`] made it.
    pub(crate) fn of_first(text: &str) -> Option<Self> {
        let (total, lines) = text.split_once('\n')?;
        Some(Self { lines: lines.to_owned(), sorted: true, total: Some(total.parse().ok()?) })
    }

    /// From a text that a large book is kept as (empty: none), and its first records ([`super::needs`]). `None` if
    /// these are not all.
    pub(crate) fn of_needs(filter: &Filter, text: String, records: String) -> Option<Self> {
        match text.is_empty() {
            false if filter.wants_first() => Self::of_first(&text),
            false => Some(Self::of_sorted(text)),
            true => (records.lines().count() <= super::FEW as usize).then(|| Self::of_records(records)),
        }
    }

    /// The beginning of sorted lines, and how many there are in all: what most reads want.
    pub(crate) fn first(sorted: &str) -> String {
        let mut text = sorted.lines().count().to_string();
        for line in sorted.lines().take(FIRST) {
            text.push('\n');
            text.push_str(line);
        }
        text
    }

    /// The same contacts as lines sorted by title.
    pub(crate) fn into_sorted(self) -> Result<String, serde_json::Error> {
        if self.sorted {
            return Ok(self.lines);
        }
        let mut contacts = self
            .lines
            .lines()
            .map(|line| Ok((Contact::parse(line)?.place(), line)))
            .collect::<Result<Vec<_>, serde_json::Error>>()?;
        sort_by(&mut contacts, |(one, _), (other, _)| one.cmp(other));
        let lines: Vec<&str> = contacts.into_iter().map(|(_, line)| line).collect();
        Ok(lines.join("\n"))
    }

    /// Each record's text and what it says.
    pub(crate) fn contacts(&self) -> impl Iterator<Item = Result<(&str, Contact<'_>), serde_json::Error>> {
        self.lines.lines().map(|line| Ok((line, Contact::parse(line)?)))
    }

    /// The contacts that a filter wants, sorted by title.
    pub(crate) fn select(&self, filter: &Filter) -> Result<Selection, serde_json::Error> {
        let limit = filter.limit.unwrap_or(usize::MAX);
        if self.sorted && filter.wants_all() {
            let first = self.lines.lines().take(limit).map(|line| Ok(Contact::parse(line)?.entry()));
            let total = self.total.unwrap_or_else(|| self.lines.lines().count());
            return Ok(Selection { entries: first.collect::<Result<_, serde_json::Error>>()?, total });
        }
        let mut folded = String::new();
        let mut found = Vec::new();
        for contact in self.contacts() {
            let (_, contact) = contact?;
            if filter.matches(&contact, &mut folded) {
                found.push(contact);
            }
        }
        if !self.sorted {
            found = in_order(found);
        }
        let total = found.len();
        Ok(Selection { entries: found.iter().take(limit).map(Contact::entry).collect(), total })
    }
}

/// Contacts sorted by title.
fn in_order(contacts: Vec<Contact<'_>>) -> Vec<Contact<'_>> {
    let mut keyed: Vec<_> = contacts.into_iter().map(|contact| (contact.place(), contact)).collect();
    sort_by(&mut keyed, |(one, _), (other, _)| one.cmp(other));
    keyed.into_iter().map(|(_, contact)| contact).collect()
}

impl Filter {
    /// Whether every contact matches.
    const fn wants_all(&self) -> bool {
        self.chain.is_none() && self.query.is_none()
    }

    /// Whether the beginning of the book is enough.
    pub(crate) fn wants_first(&self) -> bool {
        self.wants_all() && self.limit.is_some_and(|limit| limit <= FIRST)
    }

    fn matches(&self, contact: &Contact<'_>, folded: &mut String) -> bool {
        self.chain.is_none_or(|chain| contact.chain == chain.name())
            && self.query.as_ref().is_none_or(|query| {
                contains(folded, &contact.title, query)
                    || contains(folded, &contact.address, query)
                    || self.in_chain && contains(folded, &contact.chain, query)
            })
    }
}

/// Whether `text` contains the lower-case `query`, without regard to its own case.
fn contains(folded: &mut String, text: &str, query: &str) -> bool {
    if !text.is_ascii() {
        return lowercase(text).contains(query);
    }
    folded.clear();
    folded.push_str(text);
    folded.make_ascii_lowercase();
    folded.contains(query)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(id: &str, title: &str, chain: &str) -> String {
        format!(r#"{{"id":"{id}","title":"{title}","address":"0x{id}","chain":"{chain}","addedBy":"user"}}"#)
    }

    /// A record of version 0.1.0: the user's own is confirmed, the agent's and a page's are not.
    #[test]
    fn records_of_earlier_versions() {
        let confirmed = |added_by: &str| {
            let text = line("1", "Alice", "Base").replace(r#""user""#, &format!("{added_by:?}"));
            let entry = Contact::parse(&text).unwrap().entry();
            (entry.confirmed, entry.replaces)
        };
        assert_eq!(confirmed("user"), (true, None));
        assert_eq!(confirmed("agent"), (false, None));
        assert_eq!(confirmed("dapp:https://app.example"), (false, None));
    }

    fn titles(book: &Book, filter: &Filter) -> (Vec<String>, usize) {
        let Selection { entries, total } = book.select(filter).unwrap();
        (entries.into_iter().map(|entry| entry.title).collect(), total)
    }

    /// A book that is kept sorted answers every filter as the records do.
    #[test]
    fn sorted_book_answers_as_records_do() {
        let lines = [line("3", "bob", "Base"), line("1", "Alice", "Ethereum"), line("2", "alice", "Base")];
        let records = Book::of_records(lines.join("\n"));
        let sorted = Book::of_sorted(records.clone().into_sorted().unwrap());
        let base = Some(Chain::parse("Base").unwrap());
        for filter in [
            Filter::default(),
            Filter { limit: Some(2), ..Filter::default() },
            Filter { chain: base, ..Filter::default() },
            Filter { query: Some("ali".to_owned()), limit: Some(1), ..Filter::default() },
            Filter { query: Some("0x3".to_owned()), chain: base, ..Filter::default() },
            Filter { query: Some("base".to_owned()), in_chain: true, ..Filter::default() },
        ] {
            assert_eq!(records.select(&filter).unwrap(), sorted.select(&filter).unwrap(), "{filter:?}");
        }
        assert_eq!(
            titles(&sorted, &Filter { limit: Some(2), ..Filter::default() }),
            (vec!["Alice".into(), "alice".into()], 3)
        );
        let first = Book::of_first(&Book::first(&sorted.lines)).unwrap();
        let two = Filter { limit: Some(2), ..Filter::default() };
        assert_eq!((first.select(&two).unwrap(), two.wants_first()), (sorted.select(&two).unwrap(), true));
        assert_eq!(Book::default().select(&Filter::default()).unwrap().total, 0);
    }
}
