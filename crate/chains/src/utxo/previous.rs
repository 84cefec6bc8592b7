//! Earlier transactions, whose outputs are spent. The bytes prove themselves: their hash is the id that is spent from.
//!
//! What is hashed is the transaction without its witnesses: `version ‖ inputs ‖ outputs ‖ lock time`. Behind that, Dash
//! hashes more (DIP-2), and Litecoin sends more without hashing it (MWEB); neither changes what the outputs are.

use super::tx::{Output, read_inputs, read_outputs, u32_le};
use crate::TransactionError;
use crate::encoding::{array_from_hex, from_hex};
use crate::facts::Facts;
use crate::hash::sha256d;
use crate::reader::Reader;

const FIELD: &str = "earlier transaction";

/// The bytes that are hashed, if their hash is this id as people spell it.
pub(crate) fn hashed(bytes: &[u8], id: &[u8; 32]) -> Option<Vec<u8>> {
    let (hashed, _) = parts(bytes).ok()?;
    let mut found = sha256d(&hashed);
    found.reverse();
    (found == *id).then_some(hashed)
}

/// An output of the transaction with this id, in the order of the bytes that are hashed. `None` if the bytes are not
/// that transaction, or it has no such output.
pub(super) fn output(bytes: &[u8], id: &[u8; 32], index: u32) -> Option<Output> {
    let (_, outputs) = parts(bytes).ok().filter(|(hashed, _)| sha256d(hashed) == *id)?;
    outputs.into_iter().nth(usize::try_from(index).ok()?)
}

/// What a node said an output is, by the bytes of its transaction.
pub(super) fn known(facts: Facts<'_>, id: &[u8; 32], index: u32) -> Option<Output> {
    let mut shown = *id;
    shown.reverse();
    facts.previous_transactions().find_map(|(name, bytes)| {
        array_from_hex("id", name).ok().filter(|name| *name == shown)?;
        output(&from_hex(FIELD, bytes).ok()?, id, index)
    })
}

/// What is hashed, and the outputs.
fn parts(bytes: &[u8]) -> Result<(Vec<u8>, Vec<Output>), TransactionError> {
    let mut reader = Reader::new(FIELD, bytes);
    let version = u32_le(&mut reader)?;
    // No transaction has no inputs: a zero in their place is the mark of what follows the outputs.
    let marked = reader.peek() == Some(0);
    if marked {
        reader.take(2)?;
    }
    let body = reader.rest();
    read_inputs(&mut reader)?;
    let outputs = read_outputs(&mut reader)?;
    let after = reader.rest();
    let lock_time: &[u8; 4] = after.last_chunk().ok_or_else(|| reader.malformed("ends too early"))?;
    if !marked {
        return Ok((bytes.to_vec(), outputs));
    }
    let body = body.get(..body.len().saturating_sub(after.len())).unwrap_or_default();
    Ok(([&version.to_le_bytes(), body, lock_time].concat(), outputs))
}
