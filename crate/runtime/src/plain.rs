//! Plain reads: GETs whose answer is made of rows alone. No core, no store, no future, so that a module of their own
//! can answer them before the core is there. The core's routes use the same functions.

use crate::agent::timeline;
use crate::contacts::{self, Book, Filter};
use crate::http::contacts_filter;
use crate::prompt;
use crate::store::{StoreError, Table, json};
use wire::api::Contacts;
use wire::json::ToJson;

/// What pages ask for first, by path. Their rows are read while the module is loaded that makes the answer; a read of the
/// same path with other needs waits for it.
pub const FIRST_READS: [(&str, &str); 3] = [
    ("/api/contacts", "/api/contacts?limit=100"),
    ("/api/conversations", "/api/conversations"),
    ("/api/prompts", "/api/prompts"),
];

/// Rows that an answer is made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Need {
    /// Their table.
    pub(crate) table: Table,
    /// The key of one row; empty for all of the table, in order of keys.
    pub(crate) key: String,
    /// No more rows than this.
    pub(crate) most: u32,
    /// Whether it is read only where the need before it found nothing.
    pub(crate) otherwise: bool,
}

impl Need {
    /// All rows of a table.
    const fn all(table: Table) -> Self {
        Self { table, key: String::new(), most: u32::MAX, otherwise: false }
    }
}

/// A read that needs nothing but rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PlainRead {
    /// GET `/api/contacts`.
    Contacts(PlainFilter),
    /// GET `/api/conversations`.
    Conversations,
    /// GET `/api/prompts`.
    Prompts,
}

/// Which contacts are wanted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainFilter(Filter);

impl PlainRead {
    /// The read that a path with its query asks for; `None` for one that needs more than rows, or is wrong.
    pub fn parse(target: &str) -> Option<Self> {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        match path {
            "/api/contacts" => Some(Self::Contacts(PlainFilter(contacts_filter(query).ok()?))),
            "/api/conversations" => Some(Self::Conversations),
            "/api/prompts" => Some(Self::Prompts),
            _ => None,
        }
    }

    /// Whether it needs the rows of its path in [`FIRST_READS`].
    pub fn is_usual(&self) -> bool {
        match self {
            Self::Contacts(PlainFilter(filter)) => filter.wants_first(),
            Self::Conversations | Self::Prompts => true,
        }
    }

    /// The rows that the answer is made of, a line each: table, key (empty: all keys in order), most rows, and
    /// `otherwise` if they are read only where the line before found nothing.
    pub fn needs(&self) -> String {
        let needs = match self {
            Self::Contacts(PlainFilter(filter)) => Vec::from(contacts::needs(filter)),
            Self::Conversations => vec![Need::all(Table::Conversations)],
            Self::Prompts => vec![Need::all(Table::Prompts)],
        };
        let mut lines = String::new();
        for Need { table, key, most, otherwise } in needs {
            let otherwise = if otherwise { "otherwise" } else { "" };
            for part in [table.name(), &key, &most.to_string(), otherwise] {
                lines.push_str(part);
                lines.push('\t');
            }
            lines.push('\n');
        }
        lines
    }

    /// The body of the answer, of the rows of each need, a row a line. `None` where a row cannot be read or more are
    /// needed: the core says why, or reads them.
    pub fn answer(&self, rows: Vec<String>) -> Option<String> {
        let mut rows = rows.into_iter();
        match self {
            Self::Contacts(PlainFilter(filter)) => {
                let book = Book::of_needs(filter, rows.next()?, rows.next()?)?;
                let selection = book.select(filter).ok()?;
                Some(json(&Contacts { contacts: selection.entries, total: selection.total }))
            }
            Self::Conversations => body(timeline::view_rows(rows.next()?.lines())),
            Self::Prompts => body(prompt::view_rows(rows.next()?.lines())),
        }
    }
}

/// The text of an answer that its owner made of rows.
fn body(answer: Result<impl ToJson, StoreError>) -> Option<String> {
    answer.ok().map(|answer| json(&answer))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_reads_are_left_to_the_core() {
        for target in ["/api/health", "/api/contacts/1", "/api/contacts?limit=x", "/api/prompts/1", "/", ""] {
            assert_eq!(PlainRead::parse(target), None, "{target}");
        }
        assert!(PlainRead::parse("/api/contacts?query=a&limit=5").is_some());
    }

    #[test]
    fn needs_are_lines() {
        let needs = |target: &str| PlainRead::parse(target).unwrap().needs();
        assert_eq!(needs("/api/prompts"), format!("prompts\t\t{}\t\t\n", u32::MAX));
        let first = needs("/api/contacts?limit=100");
        let lines: Vec<&str> = first.lines().collect();
        assert!(lines[0].starts_with("snapshots\t") && lines[1].ends_with("\totherwise\t"), "{first}");
    }

    /// As the popup asks, with a smaller limit and no word: the rows are there already. With a word they are not.
    #[test]
    fn usual_reads_need_the_usual_rows() {
        let targets = ["?query=&limit=50", "?query=a&limit=50", "", "?limit=100", "?limit=256", "?limit=257"];
        let contacts = targets.map(|query| format!("/api/contacts{query}"));
        for (path, usual) in FIRST_READS {
            let usual = PlainRead::parse(usual).unwrap();
            assert!(usual.is_usual(), "{path}");
            let own = contacts.iter().filter(|target| target.starts_with(path));
            for read in own.map(|target| PlainRead::parse(target).unwrap()) {
                assert_eq!(read.is_usual(), read.needs() == usual.needs(), "{read:?}");
            }
        }
        assert!(PlainRead::parse(&contacts[0]).unwrap().is_usual());
        assert!(!PlainRead::parse(&contacts[1]).unwrap().is_usual());
    }

    #[test]
    fn damaged_rows_are_left_to_the_core() {
        let read = PlainRead::parse("/api/contacts").unwrap();
        assert_eq!(read.answer(vec![String::new(), "{".to_owned()]), None);
        assert_eq!(read.answer(vec![String::new()]), None);
        assert_eq!(
            read.answer(vec![String::new(), String::new()]).as_deref(),
            Some(r#"{"contacts":[],"total":0}"#)
        );
        let read = PlainRead::parse("/api/conversations").unwrap();
        assert_eq!(read.answer(vec!["{".to_owned()]), None);
        assert_eq!(read.answer(vec![String::new()]).as_deref(), Some(r#"{"conversations":[]}"#));
        let read = PlainRead::parse("/api/prompts").unwrap();
        assert_eq!(read.answer(vec!["{".to_owned()]), None);
        assert_eq!(read.answer(vec![String::new()]).as_deref(), Some(r#"{"prompts":[]}"#));
    }
}
