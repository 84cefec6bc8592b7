//! A table of honest bundles and one of hostile ones, over all kinds of chains, through the whole core.
//!
//! Honest: known contracts, known people, no warning. Hostile: each row is a way to make a person sign what they would
//! not; none is signed without an approval, and each says what is wrong with it.
#![allow(clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test fails by panicking")]

mod honest;
mod honest_cosmos;
mod honest_evm;
mod honest_ledger;
mod honest_routers;
mod honest_solana;
mod honest_ton;
mod honest_utxo;
mod hostile;
mod hostile_cosmos;
mod hostile_evm;
mod hostile_ledger;
mod hostile_ripple;
mod hostile_routers;
mod hostile_solana;
mod hostile_ton;
mod hostile_utxo;

use countersign_tests::proposals::{Judgement, Proposal};
use serde_json::Value;

/// A hostile bundle, and what must be said of it: the code of a warning, of a block, or of a refusal.
type Hostile = (Proposal, &'static str);

/// A hostile bundle of one step.
fn caught(name: &'static str, step: Value, code: &'static str) -> Hostile {
    (Proposal::new(name, vec![step]), code)
}

/// An honest bundle is signed under `always` without a word.
#[tokio::test(start_paused = true)]
async fn honest_bundles_give_no_warning() {
    let rows = honest::rows();
    let mut wrong = Vec::new();
    let (mut warned, mut asked) = (0, 0);
    for row in &rows {
        let judgement = row.judge().await;
        warned += usize::from(matches!(&judgement, Judgement::Asked(codes) if !codes.is_empty()));
        asked += usize::from(judgement != Judgement::Skipped);
        if judgement != Judgement::Skipped {
            wrong.push(format!("{}: {judgement:?}", row.name));
        }
    }
    println!("honest bundles: {} in all, {warned} warn, {asked} are asked about", rows.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows.len() >= 90, "{} rows", rows.len());
}

/// A hostile bundle is never signed without an approval, and what is wrong with it is said.
#[tokio::test(start_paused = true)]
async fn hostile_bundles_are_caught() {
    let rows = hostile::rows();
    let mut wrong = Vec::new();
    let (mut warned, mut refused) = (0, 0);
    for (row, expected) in &rows {
        let judgement = row.judge().await;
        warned += usize::from(matches!(&judgement, Judgement::Asked(codes) if !codes.is_empty()));
        refused += usize::from(matches!(&judgement, Judgement::Refused(_)));
        let caught = match &judgement {
            Judgement::Skipped => false,
            Judgement::Asked(codes) => codes.iter().any(|code| code == expected),
            Judgement::Refused(code) => code == expected,
        };
        if !caught {
            wrong.push(format!("{}: {judgement:?}, not {expected}", row.name));
        }
    }
    let asked = rows.len() - refused;
    println!(
        "hostile bundles: {} in all, {warned} warn, {asked} are asked about, {refused} refused",
        rows.len()
    );
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows.len() >= 90, "{} rows", rows.len());
}
