//! The query of a request, and the token that asks for the next page.
//!
//! A token holds everything that the first request said, and where its page ended: the place in an order of fields that
//! never change. What comes or goes between two pages moves no other row, so that none is skipped and none comes twice.

use super::IndexError;
use derive::Record;
use wire::json::{from_text, to_text};

const DEFAULT_SIZE: i64 = 25;
const MAX_SIZE: i64 = 256;
/// The longest `q`, in characters.
const MAX_WORDS: usize = 256;
/// The longest token, in bytes.
const MAX_TOKEN: usize = 64 << 10;

/// What pages are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub(super) enum Kind {
    List,
    Search,
    Bundles,
}

/// What a request asks for.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(super) struct Query {
    pub(super) kind: Kind,
    #[record(default)]
    pub(super) q: String,
    /// Any of them; all tools if there is none.
    #[record(default)]
    pub(super) tags: Vec<String>,
    /// Of these bundles; of all if there is none.
    #[record(default)]
    pub(super) bundles: Vec<String>,
    /// Whether also what is switched off.
    #[record(default)]
    pub(super) disabled: bool,
    pub(super) size: usize,
    /// Where the page before ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) after: Option<Place>,
}

/// The place of a row in its order: smaller classes first, then later times, then smaller ids.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub(super) struct Place {
    pub(super) class: u8,
    pub(super) time: String,
    pub(super) id: String,
}

impl Place {
    /// Whether a row comes after this place.
    pub(super) fn is_before(&self, class: u8, time: &str, id: &str) -> bool {
        (self.class, time, self.id.as_str()) < (class, self.time.as_str(), id)
    }
}

impl Query {
    /// Reads the query of a request. With a token, that says all.
    pub(super) fn read(kind: Kind, text: &str) -> Result<Self, IndexError> {
        let parameters = Parameters::read(text)?;
        if let Some(token) = parameters.last("pageToken").filter(|token| !token.is_empty()) {
            return Self::of_token(kind, token).ok_or(IndexError::InvalidPageToken);
        }
        let size = match kind {
            Kind::List => parameters.last("recommendedPageSize").or_else(|| parameters.last("pageSize")),
            Kind::Search | Kind::Bundles => parameters.last("pageSize"),
        };
        let disabled = match parameters.last("includeDisabled") {
            None | Some("" | "false") => false,
            Some("true") => true,
            Some(_) => return Err(IndexError::query("includeDisabled", "must be true or false")),
        };
        let q = parameters.last("q").filter(|_| kind == Kind::Search).unwrap_or_default().trim().to_owned();
        if kind == Kind::Search && q.is_empty() {
            return Err(IndexError::query("q", "must not be empty"));
        }
        if q.chars().count() > MAX_WORDS {
            return Err(IndexError::query("q", "has more than 256 characters"));
        }
        let (tags, bundles) = (parameters.all("tags"), parameters.all("bundleIDs"));
        let bundles = bundles.into_iter().map(|id| id.to_ascii_lowercase()).collect();
        Ok(Self { kind, q, tags, bundles, disabled, size: page_size(size)?, after: None })
    }

    fn of_token(kind: Kind, token: &str) -> Option<Self> {
        let text = (token.len() <= MAX_TOKEN).then(|| decode(token))??;
        let query: Self = from_text(&text).ok()?;
        let fits = query.kind == kind
            && (1..=MAX_SIZE as usize).contains(&query.size)
            && query.after.is_some()
            && (kind == Kind::Search) != query.q.is_empty()
            && query.q.chars().count() <= MAX_WORDS;
        fits.then_some(query)
    }

    /// The token for the page after a place.
    pub(super) fn next(&self, after: Place) -> String {
        encode(&to_text(&Self { after: Some(after), ..self.clone() }))
    }
}

fn page_size(text: Option<&str>) -> Result<usize, IndexError> {
    let size = match text {
        None | Some("") => DEFAULT_SIZE,
        Some(text) => match text.parse::<i64>() {
            Ok(size) if size > 0 => size.min(MAX_SIZE),
            Ok(_) => DEFAULT_SIZE,
            Err(_) if text.bytes().all(|byte| byte.is_ascii_digit()) => MAX_SIZE,
            Err(_) => return Err(IndexError::query("pageSize", "must be a whole number")),
        },
    };
    Ok(usize::try_from(size).unwrap_or_default())
}

/// The parameters of a query, unescaped.
struct Parameters(Vec<(String, String)>);

impl Parameters {
    fn read(text: &str) -> Result<Self, IndexError> {
        let mut pairs = Vec::new();
        for pair in text.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value =
                unescape(value).ok_or_else(|| IndexError::query(name, "is not escaped as it must be"))?;
            pairs.push((name.to_owned(), value));
        }
        Ok(Self(pairs))
    }

    fn last(&self, name: &str) -> Option<&str> {
        self.0.iter().rev().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }

    /// The values of a list, separated by commas or given several times.
    fn all(&self, name: &str) -> Vec<String> {
        let values = self.0.iter().filter(|(own, _)| own == name);
        let values = values.flat_map(|(_, value)| value.split(',')).map(str::trim);
        values.filter(|value| !value.is_empty()).map(str::to_owned).collect()
    }
}

/// Undoes `encodeURIComponent`, and `+` for a blank.
fn unescape(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let plain =
        |part: &str| part.bytes().map(|byte| if byte == b'+' { b' ' } else { byte }).collect::<Vec<u8>>();
    let mut bytes = plain(parts.next()?);
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(plain(part.get(2..)?));
    }
    String::from_utf8(bytes).ok()
}

const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// Base64 for addresses, without padding.
fn encode(text: &str) -> String {
    let mut token = String::with_capacity(text.len() * 4 / 3 + 4);
    for some in text.as_bytes().chunks(3) {
        let number = (0..3)
            .fold(0_usize, |number, place| number << 8 | usize::from(some.get(place).copied().unwrap_or(0)));
        for place in 0..=some.len() {
            let digit = DIGITS.get(number >> (18 - 6 * place) & 63).copied().unwrap_or_default();
            token.push(char::from(digit));
        }
    }
    token
}

/// Undoes [`encode`]; nothing for a text that it does not write.
fn decode(token: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(token.len());
    for some in token.as_bytes().chunks(4) {
        let mut number = 0_usize;
        for place in 0..4 {
            let digit = match some.get(place) {
                Some(byte) => DIGITS.iter().position(|digit| digit == byte)?,
                None => 0,
            };
            number = number << 6 | digit;
        }
        let whole = number.to_be_bytes();
        let tail = whole.get(whole.len() - 3..)?;
        bytes.extend_from_slice(tail.get(..some.len().checked_sub(1)?)?);
    }
    String::from_utf8(bytes).ok().filter(|text| encode(text) == token)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn list(text: &str) -> Query {
        Query::read(Kind::List, text).unwrap()
    }

    fn refused(kind: Kind, text: &str) -> String {
        Query::read(kind, text).unwrap_err().to_string()
    }

    /// T002-58: 25 a page, at most 256; what is not above zero is the default.
    #[test]
    fn page_sizes_are_bounded() {
        for (text, size) in [
            ("", 25),
            ("recommendedPageSize=", 25),
            ("recommendedPageSize=0", 25),
            ("recommendedPageSize=-7", 25),
            ("recommendedPageSize=1", 1),
            ("pageSize=256", 256),
            ("recommendedPageSize=257", 256),
            ("recommendedPageSize=99999999999999999999", 256),
        ] {
            assert_eq!(list(text).size, size, "{text}");
        }
        assert_eq!(refused(Kind::Bundles, "pageSize=many"), "pageSize must be a whole number");
    }

    #[test]
    fn filters_are_lists() {
        let query = list("tags=a,b&tags=c%2C&bundleIDs=0A,,&includeDisabled=true&unknown=1&&");
        assert_eq!(
            (query.tags, query.bundles),
            (vec!["a".into(), "b".into(), "c".into()], vec!["0a".to_owned()])
        );
        assert!(query.disabled);
        assert_eq!(refused(Kind::List, "includeDisabled=yes"), "includeDisabled must be true or false");
        assert_eq!(refused(Kind::List, "tags=%zz"), "tags is not escaped as it must be");
    }

    /// T002-56: a search without words is refused.
    #[test]
    fn words_are_needed() {
        for text in ["", "q=", "q=+%20"] {
            assert_eq!(refused(Kind::Search, text), "q must not be empty");
        }
        assert_eq!(Query::read(Kind::Search, "q=caf%C3%A9+au").unwrap().q, "café au");
        let long = format!("q={}", "x".repeat(257));
        assert_eq!(refused(Kind::Search, &long), "q has more than 256 characters");
    }

    fn place() -> Place {
        Place { class: 1, time: "2026".to_owned(), id: "i".to_owned() }
    }

    /// T002-57: the token says all that the request said, and wins over what stands beside it.
    #[test]
    fn a_token_carries_the_filters() {
        let query = list("tags=a&bundleIDs=b&includeDisabled=true&pageSize=3");
        let token = query.next(place());
        let read = list(&format!("pageToken={token}&tags=z&pageSize=9"));
        assert_eq!(read, Query { after: Some(place()), ..query });
    }

    /// T002-57: what is no token is refused.
    #[test]
    fn a_token_of_another_kind_or_none_is_refused() {
        let bundles = Query::read(Kind::Bundles, "").unwrap().next(place());
        let endless = Query { size: 1_000, ..list("") }.next(place());
        let short = bundles.get(1..).unwrap();
        for token in [bundles.as_str(), &endless, short, "x", "====", "e30", "🦀", &"A".repeat(70_000)] {
            assert_eq!(refused(Kind::List, &format!("pageToken={token}")), "this is not a token of a page");
        }
    }

    #[test]
    fn places_are_in_order() {
        let after = place();
        assert!(
            after.is_before(2, "2027", "a")
                && after.is_before(1, "2025", "a")
                && after.is_before(1, "2026", "j")
        );
        assert!(
            !after.is_before(0, "2025", "z")
                && !after.is_before(1, "2027", "z")
                && !after.is_before(1, "2026", "i")
        );
    }

    proptest! {
        #[test]
        fn any_query_is_read_or_refused(text in "[a-zA-Z&=%+0-9é_-]{0,80}", noise in "\\PC{0,60}") {
            for text in [text.clone(), noise.clone(), format!("q={text}"), format!("pageToken={text}")] {
                for kind in [Kind::List, Kind::Search, Kind::Bundles] {
                    let _ = Query::read(kind, &text);
                }
            }
            prop_assert_eq!(decode(&encode(&noise)), Some(noise));
        }
    }
}
