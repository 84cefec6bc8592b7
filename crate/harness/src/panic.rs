//! What a bug does: a panic is a trap, and a trap in a task reaches only the global scope.

use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::spawn_local;

/// Panics in a task that is not awaited, after this call has returned.
#[wasm_bindgen]
pub fn panic_in_a_task() {
    #[expect(clippy::panic, reason = "it is what a test asks for")]
    spawn_local(async { panic!("as asked") });
}
