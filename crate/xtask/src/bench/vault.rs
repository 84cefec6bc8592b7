//! Vaults and the policy: unlocking against browser-passworder, sealing, a verdict.
//!
//! A new vault is sealed with as much work as the device does in about half a second, so how long an unlock takes says
//! little by itself. What a guess costs an attacker is told as a multiple of what OWASP asks at least of the hash that each
//! side uses, and the last row of the three divides the one by the other. The scale flatters the peer: a graphics card
//! computes PBKDF2 for thousands of guesses at once, and has 64 MiB for some hundreds.

use super::{Row, Target, median, millis, of, times};
use anyhow::{Context, Result};
use serde_json::Value;

/// OWASP's least for Argon2id in one lane: 19 MiB, two passes. As blocks of 1 KiB that are written.
const LEAST_ARGON2ID: f64 = 19.0 * 1024.0 * 2.0;
/// OWASP's least for PBKDF2-HMAC-SHA-256: iterations.
const LEAST_PBKDF2: f64 = 600_000.0;

/// All rows.
pub(super) fn rows(measured: &Value) -> Result<Vec<Row>> {
    let mut rows = unlock(measured)?;
    for (what, peer) in [("seal", "encryptWithKey"), ("open", "decryptWithKey")] {
        let ours = median(&times(measured, &format!("/seal/{what}/ours"))?);
        let theirs = median(&times(measured, &format!("/seal/{what}/peer"))?);
        rows.push(Row {
            what: format!("{what} a phrase with a key / {peer}"),
            ours: micros(ours),
            peer: micros(theirs),
            ratio: Some(ours / theirs),
            target: Some(Target::at_most(1.0, ours / theirs)),
        });
    }
    rows.push(verdict(measured)?);
    Ok(rows)
}

fn unlock(measured: &Value) -> Result<Vec<Row>> {
    let pages = measured.get("unlock").and_then(Value::as_array).context("no unlock")?;
    let cost = |name| number(measured, &format!("/sealed/cost/{name}"));
    let (memory, passes, iterations) = (cost("memoryKib")?, cost("passes")?, cost("iterations")?);
    let (work, peer_work) = (memory * passes / LEAST_ARGON2ID, iterations / LEAST_PBKDF2);
    let (ours, peer) = (median(&all(pages, "/ours")?), median(&all(pages, "/peer")?));
    let load = median(&of(pages, "load"));
    let first = load + median(&of(pages, "first"));
    let row = |what: &str, ours: f64, peer: f64, target| Row {
        what: what.to_owned(),
        ours: millis(ours),
        peer: millis(peer),
        ratio: Some(ours / peer),
        target,
    };
    let hashes = format!("Argon2id {:.0} MiB × {passes} / PBKDF2 × {iterations}", memory / 1024.0);
    // By the first: workers are stopped all day, and most of them open a vault once.
    let equal = (first / work, peer / peer_work);
    Ok(vec![
        Row {
            what: "signer.wasm, compiled and instantiated".to_owned(),
            ours: millis(load),
            peer: String::new(),
            ratio: None,
            target: None,
        },
        Row {
            what: format!("a guess in OWASP's least: {hashes}"),
            ours: format!("{work:.1}"),
            peer: format!("{peer_work:.1}"),
            ratio: Some(work / peer_work),
            target: Some(Target::at_least(1.0, work / peer_work)),
        },
        row("unlock, the first of a worker / browser-passworder", first, peer, None),
        row("unlock, another / browser-passworder", ours, peer, None),
        row(
            "the first, for OWASP's least work / browser-passworder",
            equal.0,
            equal.1,
            Some(Target::at_most(1.0, equal.0 / equal.1)),
        ),
    ])
}

fn verdict(measured: &Value) -> Result<Row> {
    let count = |name| number(measured, &format!("/policy/{name}"));
    let (steps, limits) = (count("steps")?, count("limits")?);
    let (payees, contacts) = (count("payees")?, count("contacts")?);
    Ok(Row {
        what: format!("verdict: {steps} steps, {limits} limits, {payees} payees, {contacts} contacts"),
        ours: micros(median(&times(measured, "/policy/ours")?)),
        peer: String::new(),
        ratio: None,
        target: None,
    })
}

fn number(measured: &Value, path: &str) -> Result<f64> {
    measured.pointer(path).and_then(Value::as_f64).with_context(|| format!("no {path}"))
}

/// The times of all pages, sorted.
fn all(pages: &[Value], path: &str) -> Result<Vec<f64>> {
    let lists = pages.iter().map(|page| times(page, path)).collect::<Result<Vec<_>>>()?;
    let mut all: Vec<f64> = lists.into_iter().flatten().collect();
    all.sort_by(f64::total_cmp);
    Ok(all)
}

fn micros(millis: f64) -> String {
    format!("{:.1} µs", millis * 1_000.0)
}
