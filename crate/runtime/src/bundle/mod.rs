//! `sign_transaction_bundle`: transactions on one or several chains, signed one after the other (specification 000 §1).
//!
//! The whole bundle is read, decoded and judged before the approval ([`review`]); what the user approves is bound to a
//! digest of every byte that would be signed; then the vault is opened and the bundle runs ([`run`]): the state machine
//! ([`engine`]) says what to do, [`perform`] does it; then it ends, once ([`ending`]). What is not settled by then is
//! polled in the background ([`late`]).

mod arguments;
mod check;
mod ending;
pub mod engine;
pub(crate) mod error;
mod facts;
mod in_flight;
mod late;
mod owner;
mod paid;
mod perform;
mod records;
mod replace;
pub(crate) mod request;
mod review;
pub mod rows;
mod run;
mod stop;
mod tool;
mod trial;
mod view;

pub(crate) use ending::{after_bundle, close_bundle, refused};
pub(crate) use facts::ask_nodes;
pub(crate) use in_flight::{InFlight, in_flight};
pub(crate) use late::follow;
pub(crate) use owner::{Bundles, Trimmed, WithCall};
pub(crate) use replace::replace_bytes;
pub(crate) use review::consent;
pub(crate) use rows::BundleRow;
use run::run_bundle;
pub(crate) use stop::{stop_bundle, stop_by_user};
pub(crate) use tool::{SignTransaction, SignTransactionBundle};

use crate::call::CallRow;
use crate::id::digest;
use crate::store::owned_tables;
use crate::tool::{About, Category, Consequence, Definition};
use late::Watch;
use rows::{Run, Transmission};
use wire::api::Millis;
use wire::bundle::Step;

owned_tables! {
    /// Call id → what was asked for, decoded and judged.
    BUNDLES: BundlesRight = Bundles, BundleRow;
    /// Call id → how far it is.
    RUNS: RunsRight = Runs, Run;
    /// Call id, place of the step, place of the transaction → the transaction on its way.
    TRANSMISSIONS: TransmissionsRight = Transmissions, Transmission;
    /// Chain and address → the bundle that uses the account now.
    ACCOUNTS: AccountsRight = Accounts, String;
    /// The key of a transmission → when it is polled after its bundle's end.
    WATCHED: WatchedRight = Watched, Watch;
}

/// No step waits longer for its receipt than a day, and a bundle has at most 256 of them.
const LONGEST_RUN: Millis = 256 * 86_400_000;

/// Signing.
pub static SIGN_TRANSACTION_BUNDLE: Definition = Definition::built_in(About {
    name: "sign_transaction_bundle",
    description: "Signs transactions on one or several chains, one after the other, and stops at the first that \
                  fails. The user sees what each does and approves the whole.",
    category: Category::SideEffect,
    consequence: Consequence::High,
    requires_confirmation: true,
    timeout: LONGEST_RUN,
    tags: &["signing"],
    arguments: &arguments::ARGUMENTS,
});

/// Signing without sending.
pub(crate) static SIGN_TRANSACTION: Definition = Definition::built_in(About {
    name: "sign_transaction",
    description: "Signs transactions for a web page, which sends them itself. The user sees what each does and \
                  approves the whole.",
    category: Category::SideEffect,
    consequence: Consequence::High,
    requires_confirmation: true,
    timeout: LONGEST_RUN,
    tags: &["signing"],
    arguments: &arguments::ARGUMENTS,
});

/// Whether what a call signs goes to the page that asked, and to no node.
fn is_for_page(call: &CallRow) -> bool {
    call.tool.as_deref() == Some(&*SIGN_TRANSACTION.name)
}

/// The definition of a call's tool.
fn definition(call: &CallRow) -> &'static Definition {
    if is_for_page(call) { &SIGN_TRANSACTION } else { &SIGN_TRANSACTION_BUNDLE }
}

/// What consent is bound to: the vault, and every byte to be signed, in order (D3).
fn consent_digest(vault_id: &str, steps: &[Step]) -> String {
    let transactions = steps.iter().flat_map(|step| &step.transactions).map(|one| one.digest.as_str());
    let words: Vec<&str> = ["bundle", vault_id].into_iter().chain(transactions).collect();
    digest(&words)
}
