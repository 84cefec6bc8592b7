//! Bundles: a step against viem, how its time grows with their number, and memory.
//!
//! viem asks for number, gas and fees, signs, sends and looks for the receipt at once. Ours asks before signing whether the
//! node would take the transaction, writes every state to disk before the effect that follows, and gives the chain a fifth
//! of a second before the first look: on a network, a receipt is never there sooner.

use super::{Row, Target, median, millis, times};
use anyhow::{Context, Result};
use serde_json::Value;

/// All rows.
pub(super) fn rows(measured: &Value) -> Result<Vec<Row>> {
    let measured = measured.get("bundle").context("no bundle")?;
    let time = |path: &str| Ok::<_, anyhow::Error>(median(&times(measured, path)?));
    let (ours, peer, node) = (time("/ours")?, time("/peer")?, time("/node")?);
    let row = |what: &str, ours: f64, peer: f64| Row {
        what: what.to_owned(),
        ours: millis(ours),
        peer: millis(peer),
        ratio: Some(ours / peer),
        target: None,
    };
    let mut rows = vec![
        row(
            "a step, from check to sent / viem sendTransaction",
            time("/oursSending")?,
            time("/peerSending")?,
        ),
        row("a step of 3, with its receipt / viem", ours, peer),
        row("the same, beyond the node's own time / viem", ours - node, peer - node),
    ];
    rows.extend(growth(measured)?);
    rows.push(memory(measured)?);
    Ok(rows)
}

/// A step among many takes as long as one among few.
fn growth(measured: &Value) -> Result<Vec<Row>> {
    let sizes = measured.get("growth").and_then(Value::as_array).context("no growth")?;
    let mut found = Vec::new();
    for size in sizes {
        let steps = size.get("steps").and_then(Value::as_u64).context("a size without steps")?;
        found.push((steps, median(&times(size, "/times")?)));
    }
    // A bundle's own beginning and end weigh on one of a single step.
    let ten =
        found.iter().find(|(steps, _)| *steps == 10).map(|(_, time)| *time).context("no bundle of 10")?;
    let row = |(steps, time): (u64, f64)| Row {
        what: format!("a step of a bundle of {steps} / of 10"),
        ours: millis(time),
        peer: millis(ten),
        ratio: Some(time / ten),
        target: (steps > 10).then_some(Target { text: "≤ 1.5×", met: time <= 1.5 * ten }),
    };
    Ok(found.into_iter().map(row).collect())
}

/// What is left in the worker after all those steps, against after one.
fn memory(measured: &Value) -> Result<Row> {
    let bytes = |when: &str| {
        let of = |name: &str| {
            let found = measured.pointer(&format!("/memory/{when}/{name}")).and_then(Value::as_f64);
            found.with_context(|| format!("no {name} {when}"))
        };
        Ok::<_, anyhow::Error>(of("wasm")? + of("heap")?)
    };
    let (one, all) = (bytes("afterOne")?, bytes("afterAll")?);
    let steps = measured.pointer("/memory/steps").and_then(Value::as_u64).context("no number of steps")?;
    Ok(Row {
        what: format!("the worker's memory after {steps} steps / after 1"),
        ours: format!("{:.1} MB", all / 1e6),
        peer: format!("{:.1} MB", one / 1e6),
        ratio: Some(all / one),
        target: None,
    })
}
