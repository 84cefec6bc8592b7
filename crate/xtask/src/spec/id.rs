//! Ids of checklist items, as they stand in prose: `T000-47`, `T000-1, T000-3`, `T000-76…T000-79`, `T000-76…79`; `M3` for the
//! rules of an MCP client.

use std::fmt;

/// What an item is part of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Spec {
    /// A specification by its number: `T000`.
    Numbered(u16),
    /// The rules of an MCP client: `M`.
    Mcp,
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Numbered(number) => write!(f, "T{number:03}"),
            Self::Mcp => write!(f, "M"),
        }
    }
}

/// An item of a specification's checklist; ordered by specification, then by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Id {
    /// Which specification.
    pub(crate) spec: Spec,
    /// Which of its items.
    pub(crate) item: u16,
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.spec {
            Spec::Numbered(_) => write!(f, "{}-{}", self.spec, self.item),
            Spec::Mcp => write!(f, "{}{}", self.spec, self.item),
        }
    }
}

impl Id {
    /// Reads an id at the start of a text; returns what follows it.
    fn read(text: &str) -> Option<(Self, &str)> {
        if let Some(rest) = text.strip_prefix('M') {
            let (item, rest) = number(rest)?;
            // `M2Ultra`, `M4-x` and the like are words.
            let ends = !rest.starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-'));
            return ends.then_some((Self { spec: Spec::Mcp, item }, rest));
        }
        let (spec, rest) = number(text.strip_prefix('T')?)?;
        let (item, rest) = number(rest.strip_prefix('-')?)?;
        Some((Self { spec: Spec::Numbered(spec), item }, rest))
    }
}

/// All ids that a text names, ranges written out.
pub(crate) fn ids(text: &str) -> Vec<Id> {
    let mut found = Vec::new();
    let mut rest = text;
    let mut inside_word = false;
    while let Some(letter) = rest.chars().next() {
        let named = if inside_word { None } else { Id::read(rest) };
        let Some((first, after)) = named else {
            inside_word = letter.is_alphanumeric() || letter == '_' || letter == '-';
            rest = rest.get(letter.len_utf8()..).unwrap_or_default();
            continue;
        };
        let (last, after) = range_end(first, after).unwrap_or((first.item, after));
        found.extend((first.item..=last).map(|item| Id { item, ..first }));
        rest = after;
        inside_word = true;
    }
    found
}

/// The end of a range that begins with `first`: the number of its last item, and what follows.
fn range_end(first: Id, text: &str) -> Option<(u16, &str)> {
    let text = text.trim_start_matches(' ');
    let text = ["…", "...", "..=", "..", "–"].into_iter().find_map(|sign| text.strip_prefix(sign))?;
    let text = text.trim_start_matches(' ');
    match Id::read(text) {
        Some((last, rest)) => (last.spec == first.spec).then_some((last.item, rest)),
        None => number(text),
    }
}

fn number(text: &str) -> Option<(u16, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at_checked(end)?;
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::ids;

    fn names(text: &str) -> Vec<String> {
        ids(text).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lists_and_ranges_are_read() {
        assert_eq!(names("T000-1, T000-3: order"), ["T000-1", "T000-3"]);
        assert_eq!(names("(T000-76…T000-79)"), ["T000-76", "T000-77", "T000-78", "T000-79"]);
        assert_eq!(
            names("T000-8…9, T002-1..=T002-2, T003-7 – 8"),
            ["T000-8", "T000-9", "T002-1", "T002-2", "T003-7", "T003-8"]
        );
        assert_eq!(names("T000-4. Next sentence 5."), ["T000-4"]);
        assert_eq!(names("M2, T004-9 (M5…M7): both"), ["M2", "T004-9", "M5", "M6", "M7"]);
    }

    #[test]
    fn other_words_are_not_ids() {
        assert_eq!(names("XT000-1 T-1 T00x-1 aT000-2 T000- D7 M M3x EM4 M5-6 M-7"), Vec::<String>::new());
        // A range over two specifications names its ends only.
        assert_eq!(names("T000-3…T002-1"), ["T000-3", "T002-1"]);
        assert_eq!(names("T000-5…T000-4"), Vec::<String>::new());
    }
}
