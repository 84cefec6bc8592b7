//! Lists: pages with cursors, and how long they hold.

use super::definition::Definition;
use serde_json::Value;
use wire::api::Millis;

/// Pages of one list (M3: a guard against lists without an end).
pub(crate) const MAX_PAGES: usize = 100;
/// Tools of one server.
pub(crate) const MAX_TOOLS: usize = 1_000;
/// How long a list holds of which the server says nothing.
const DEFAULT_TTL: Millis = 60 * 60 * 1000;
/// A list that would hold longer is asked for again after this.
const MAX_TTL: Millis = 24 * 60 * 60 * 1000;
/// The longest cursor that is sent back.
const MAX_CURSOR: usize = 64 << 10;

/// A page of `tools/list`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Page {
    /// What could be read of it.
    pub(crate) tools: Vec<Definition>,
    /// Where the next page begins; an empty text is a cursor too.
    pub(crate) next: Option<String>,
    /// How long it holds.
    pub(crate) ttl: Millis,
}

/// Why a list is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ListError {
    /// The result has no `tools`.
    #[error("the list of tools has no tools")]
    NoTools,
    /// The cursor is no text, or too long.
    #[error("the cursor of the list is not a text, or too long")]
    InvalidCursor,
    /// A cursor came twice, or there are more pages than a list has.
    #[error("the list of tools has no end")]
    Endless,
    /// There are more tools than a server has.
    #[error("the server has more than {MAX_TOOLS} tools")]
    TooMany,
}

impl Page {
    /// Reads a result of `tools/list`.
    pub(crate) fn read(mut result: Value) -> Result<Self, ListError> {
        let tools = match result.get_mut("tools").map(Value::take) {
            Some(Value::Array(tools)) if tools.len() <= MAX_TOOLS => tools,
            Some(Value::Array(_)) => return Err(ListError::TooMany),
            _ => return Err(ListError::NoTools),
        };
        let next = match result.get("nextCursor") {
            None | Some(Value::Null) => None,
            Some(Value::String(cursor)) if cursor.len() <= MAX_CURSOR => Some(cursor.clone()),
            Some(_) => return Err(ListError::InvalidCursor),
        };
        let ttl = result.get("ttlMs").and_then(Value::as_u64).unwrap_or(DEFAULT_TTL).min(MAX_TTL);
        Ok(Self { tools: tools.into_iter().filter_map(Definition::read).collect(), next, ttl })
    }
}

/// The pages of a list so far.
#[derive(Debug, Default)]
pub(crate) struct Pages {
    /// Every tool so far.
    pub(crate) tools: Vec<Definition>,
    /// The shortest time for which a page holds.
    pub(crate) ttl: Option<Millis>,
    cursors: Vec<String>,
}

impl Pages {
    /// Adds a page; the cursor of the next one, if there is one.
    pub(crate) fn add(&mut self, page: Page) -> Result<Option<String>, ListError> {
        self.ttl = Some(self.ttl.map_or(page.ttl, |ttl| ttl.min(page.ttl)));
        self.tools.extend(page.tools);
        if self.tools.len() > MAX_TOOLS {
            return Err(ListError::TooMany);
        }
        let Some(cursor) = page.next else { return Ok(None) };
        if self.cursors.contains(&cursor) || self.cursors.len() + 1 >= MAX_PAGES {
            return Err(ListError::Endless);
        }
        self.cursors.push(cursor.clone());
        Ok(Some(cursor))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    fn page(next: Value) -> Page {
        Page::read(json!({"tools": [{"name": "a"}, 7], "nextCursor": next})).unwrap()
    }

    /// M3: an empty text is a cursor, nothing is the end, and the same cursor twice has no end.
    #[test]
    fn cursors() {
        let mut pages = Pages::default();
        assert_eq!(pages.add(page(json!(""))), Ok(Some(String::new())));
        assert_eq!(pages.add(page(json!("x"))), Ok(Some("x".to_owned())));
        assert_eq!(pages.add(page(json!(null))), Ok(None));
        assert_eq!(pages.tools.len(), 3);
        assert_eq!(pages.add(page(json!(""))), Err(ListError::Endless));
        let mut endless = Pages::default();
        let count = (0..).take_while(|number| endless.add(page(json!(number.to_string()))).is_ok()).count();
        assert_eq!(count, MAX_PAGES - 1);
        assert_eq!(Page::read(json!({"tools": [], "nextCursor": 7})), Err(ListError::InvalidCursor));
        assert_eq!(Page::read(json!({})), Err(ListError::NoTools));
    }

    /// M4: the shortest time counts. M17: a server has a thousand tools at most.
    #[test]
    fn bounds() {
        let ttl = |ttl: Value| Page::read(json!({"tools": [], "ttlMs": ttl})).unwrap().ttl;
        assert_eq!([ttl(json!(5)), ttl(json!(null)), ttl(json!(-1))], [5, DEFAULT_TTL, DEFAULT_TTL]);
        assert_eq!(ttl(json!(u64::MAX)), MAX_TTL);
        let mut pages = Pages::default();
        pages.add(Page { ttl: 9, ..page(json!("a")) }).unwrap();
        pages.add(Page { ttl: 20, ..page(json!("b")) }).unwrap();
        assert_eq!(pages.ttl, Some(9));
        let many: Vec<Value> = (0..=MAX_TOOLS).map(|number| json!({"name": format!("t{number}")})).collect();
        assert_eq!(Page::read(json!({"tools": many})), Err(ListError::TooMany));
    }

    proptest! {
        /// No result makes the reader panic.
        #[test]
        fn any_result(text in r#"\{"tools":(\[[a-z0-9",{}:]{0,20}\]|\PC{0,10}),"nextCursor":\PC{0,10}\}|\PC{0,20}"#) {
            if let Ok(value) = serde_json::from_str(&text) {
                let _ = Page::read(value);
            }
        }
    }
}
