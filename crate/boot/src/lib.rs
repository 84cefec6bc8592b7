//! The first wasm module of a start: plain reads answered from rows, while the core's module is loaded.
//!
//! A worker is started for one request, and most are reads. The core is large because it does everything; this module
//! does one thing, so it is loaded and compiled in a fraction of the time. It has no store: the shell reads the rows
//! that [`needs`] names in one transaction, and [`answer`] makes the body of them. What it leaves out is left to the
//! core, which answers the same by the same functions.

use runtime::plain::PlainRead;
use wasm_bindgen::prelude::*;

/// The rows that the answer to GET `target` is made of, as [`PlainRead::needs`] writes them. Nothing if it is left to the
/// core.
#[wasm_bindgen]
pub fn needs(target: &str) -> Option<String> {
    Some(PlainRead::parse(target)?.needs())
}

/// The body of the answer to GET `target`, of the rows of each need, a row a line: of its own, or of the usual read of its
/// path. Nothing if it needs other rows than the usual, or is left to the core.
#[wasm_bindgen]
pub fn answer(target: &str, usual: bool, rows: Vec<String>) -> Option<String> {
    let read = PlainRead::parse(target)?;
    if usual && !read.is_usual() { None } else { read.answer(rows) }
}
