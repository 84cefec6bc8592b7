//! Bundles: a step against viem, how its time grows with their number, and memory.
//!
//! viem asks for number, gas and fees, signs, sends and looks for the receipt at once. Ours asks before signing whether the
//! node would take the transaction, and has the signed bytes on the medium before a node can have them.

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
    let of_three = Row {
        target: Some(Target::at_most(2.5, ours / peer)),
        ..row("a step of 3, with its receipt / viem", ours, peer)
    };
    let mut rows = vec![
        row(
            "a step, from check to sent / viem sendTransaction",
            time("/oursSending")?,
            time("/peerSending")?,
        ),
        of_three,
        row("the same, beyond the node's own time / viem", ours - node, peer - node),
    ];
    let sizes = sizes(measured)?;
    // A bundle's own beginning and end weigh on one of a single step.
    let ten = sizes.iter().find(|(steps, _)| *steps == 10).context("no bundle of 10")?.1;
    rows.push(Row {
        target: Some(Target::at_most(1.6, ten / peer)),
        ..row("a step of 10, with its receipt / viem", ten, peer)
    });
    rows.extend(sizes.into_iter().map(|size| growth(size, ten)));
    // Where the browser did not say, there is no row.
    if measured.pointer("/memory/afterOne/wasm").and(measured.pointer("/memory/afterAll/wasm")).is_some() {
        rows.push(memory(measured)?);
    }
    Ok(rows)
}

/// Bundles by their number of steps, and the time of a step in each.
fn sizes(measured: &Value) -> Result<Vec<(u64, f64)>> {
    let sizes = measured.get("growth").and_then(Value::as_array).context("no growth")?;
    let size = |size: &Value| {
        let steps = size.get("steps").and_then(Value::as_u64).context("a size without steps")?;
        Ok((steps, median(&times(size, "/times")?)))
    };
    sizes.iter().map(size).collect()
}

/// A step among many takes as long as one among ten.
fn growth((steps, time): (u64, f64), ten: f64) -> Row {
    Row {
        what: format!("a step of a bundle of {steps} / of 10"),
        ours: millis(time),
        peer: millis(ten),
        ratio: Some(time / ten),
        target: (steps > 10).then(|| Target::at_most(1.5, time / ten)),
    }
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
