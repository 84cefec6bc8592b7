//! What the browser runs of the native suites and benches, as a module of its own.
//!
//! - [`store::run_store_suite`]: the suite of the store, and its migrations, on IndexedDB;
//! - [`sse::Sse`]: the decoder, chunk by chunk as `fetch` gives them;
//! - [`policy::Judge`]: a verdict on a bundle; [`seal::SealingKey`]: a secret sealed and opened;
//! - [`panic::panic_in_a_task`]: what a bug does;
//! - and all that `worker` exports: the very `Core` of the extension, so that a page can be its shell.

mod database;
pub mod migration;
pub mod panic;
pub mod policy;
pub mod seal;
pub mod sse;
pub mod store;
mod version;

/// Linked for its exports as much as for its store.
pub use worker::Core;
