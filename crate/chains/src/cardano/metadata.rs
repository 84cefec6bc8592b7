//! A memo as Cardano carries it: auxiliary data `{674: {"msg": [text…]}}`, no text longer than 64 bytes (CIP-20).

use super::cbor::{Items, Writer};
use crate::TransactionError;

const LABEL: u64 = 674;
const LINES: &str = "msg";
const MAX_LINE: usize = 64;

/// The auxiliary data of a memo. A letter of several bytes is not torn apart.
pub(super) fn encode(memo: &str) -> Vec<u8> {
    let lines = lines(memo);
    let writer = Writer::new().map(1).uint(LABEL).map(1).text(LINES).array(lines.len());
    lines.into_iter().fold(writer, Writer::text).finish()
}

fn lines(memo: &str) -> Vec<&str> {
    let (mut lines, mut rest) = (Vec::new(), memo);
    while !rest.is_empty() {
        let (line, after) = rest.split_at(rest.floor_char_boundary(MAX_LINE));
        lines.push(line);
        rest = after;
    }
    lines
}

/// The memo in auxiliary data, if that is all there is.
pub(super) fn decode(bytes: &[u8]) -> Result<String, TransactionError> {
    let mut items = Items::new("auxiliary data", bytes);
    if items.map()? != 1 || items.uint()? != LABEL || items.map()? != 1 || items.text()? != LINES {
        return Err(items.malformed("is not a memo"));
    }
    let mut memo = String::new();
    for _ in 0..items.array()? {
        memo.push_str(items.text()?);
    }
    items.finish()?;
    Ok(memo)
}
