//! Arguments that no template has a place for: in the query, or as a body of JSON (T004-24).

use super::pieces::Pieces;
use super::url::{Address, percent};
use super::{Body, PrepareError, invalid_tool};
use crate::bounds::REQUEST_BYTES;
use crate::error::AnswerError;
use crate::record::HttpRecord;
use crate::template::{Part, Scope, parse, text_of};
use serde_json::{Map, Value};
use wire::json::to_text;

/// An argument and its value.
type Argument<'a> = (&'a String, &'a Value);

/// The arguments without a place in the address or in a header. A name that the query of the record has is not taken from
/// an argument: the record's own value would be another one.
pub(super) fn unplaced<'a>(
    record: &HttpRecord,
    address: &Address,
    args: &'a Map<String, Value>,
) -> Result<impl Iterator<Item = Argument<'a>> + use<'a>, PrepareError> {
    let mut placed = address.names();
    for template in record.headers.values().chain([&record.url_template]) {
        let parts = parse(template).map_err(|error| PrepareError::from(invalid_tool(error.into())))?;
        placed.extend(parts.into_iter().filter_map(|part| match part {
            Part::Hole(hole) => Some(hole.name),
            Part::Text(_) => None,
        }));
    }
    Ok(args.iter().filter(move |(name, value)| !value.is_null() && !placed.contains(name)))
}

/// A pair of the query. What is no text is written as JSON.
pub(super) fn pair((name, value): Argument<'_>) -> Vec<Part> {
    let value = text_of(value).unwrap_or_default();
    vec![Part::Text([&percent(name), "=", &percent(&value)].concat())]
}

/// A body of JSON, of all arguments without another place.
pub(super) fn body(record: &HttpRecord, scope: Scope<'_>) -> Result<Body, PrepareError> {
    let Scope::Call { args, .. } = scope else { return Ok((Vec::new(), None)) };
    let address = super::url::read(&record.url_template).map_err(invalid_tool)?;
    let sent: Map<String, Value> =
        unplaced(record, &address, args)?.map(|(name, value)| (name.clone(), value.clone())).collect();
    let text = to_text(&sent);
    if text.len() as u64 > record.max_request_bytes.min(REQUEST_BYTES) {
        return Err(AnswerError::RequestTooLarge.into());
    }
    let mut pieces = Pieces::default();
    pieces.text(&text);
    let named = record.headers.keys().any(|name| name.eq_ignore_ascii_case("content-type"));
    Ok((pieces.finish(), (!named).then_some("application/json")))
}
