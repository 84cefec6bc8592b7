//! `sign_transaction_bundle`: transactions on one or several chains, signed one after the other (specification 000 §1).
//!
//! The whole bundle is read, decoded and judged before anybody is asked ([`review`]); what a person approves is bound
//! to a digest of every byte that would be signed; then the vault is opened and it runs ([`run`]), one transaction after
//! the other, as the state machine says ([`engine`]); then it ends, once ([`ending`]). What was not settled by then is
//! looked for in the background ([`late`]).

mod accounts;
mod check;
mod ending;
pub mod engine;
mod facts;
mod late;
pub(crate) mod request;
mod review;
pub mod rows;
mod run;
mod send;
mod stop;
pub(crate) mod view;

pub(crate) use review::consent;

use crate::id::digest;
use crate::tool::{Category, Consequence, Definition};
use wire::bundle::Step;

/// Signing.
pub const SIGN_TRANSACTION_BUNDLE: Definition = Definition {
    name: "sign_transaction_bundle",
    description: "Signs transactions on one or several chains, one after the other, and stops at the first that \
                  fails. The user sees what each does and approves the whole.",
    category: Category::SideEffect,
    consequence: Consequence::High,
    requires_confirmation: true,
};

/// What consent is bound to: the vault, and every byte to be signed, in order (D3).
fn consent_digest(vault_id: &str, steps: &[Step]) -> String {
    let transactions = steps.iter().flat_map(|step| &step.transactions).map(|one| one.digest.as_str());
    let words: Vec<&str> = ["bundle", vault_id].into_iter().chain(transactions).collect();
    digest(&words)
}
