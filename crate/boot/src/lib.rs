//! The first wasm module of a start: plain reads answered from rows, while the core's module is loaded.
//!
//! A worker is started for one request, and most are reads. The core is large because it does everything; this module
//! does one thing, so it is loaded and compiled in a fraction of the time. It has no store: the shell reads the rows
//! that [`needs`] names in one transaction, and [`answer`] makes the body of them. What it leaves out is left to the
//! core, which answers the same by the same functions.

use runtime::plain::PlainRead;
use runtime::store::migration::VERSION;
use wasm_bindgen::prelude::*;

/// The version of the database that [`needs`] speaks of.
#[wasm_bindgen]
pub fn version() -> u32 {
    VERSION
}

/// What the answer to GET `target` is made of, a line each: table, key (empty: all keys in order), most rows, and
/// `otherwise` if it is read only where the line before found nothing.
/// Nothing if it is left to the core.
#[wasm_bindgen]
pub fn needs(target: &str) -> Option<String> {
    let mut lines = String::new();
    for need in PlainRead::parse(target)?.needs() {
        for part in [
            need.table.name(),
            &need.key,
            &need.most.to_string(),
            if need.otherwise { "otherwise" } else { "" },
        ] {
            lines.push_str(part);
            lines.push('\t');
        }
        lines.push('\n');
    }
    Some(lines)
}

/// The body of the answer to GET `target`, of the rows of each need, a row a line. Nothing if it is left to the core.
#[wasm_bindgen]
pub fn answer(target: &str, rows: Vec<String>) -> Option<String> {
    PlainRead::parse(target)?.answer(rows)
}
