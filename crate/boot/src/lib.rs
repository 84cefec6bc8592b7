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

/// The body of the answer to GET `target`, of the rows of each of its needs, a row a line. Nothing if it has other needs,
/// or is left to the core.
#[wasm_bindgen]
pub fn answer(target: &str, needs: &str, rows: Vec<String>) -> Option<String> {
    let read = PlainRead::parse(target)?;
    if read.needs() == needs { read.answer(rows) } else { None }
}
