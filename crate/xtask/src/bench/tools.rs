//! Tools: calls against a page that fetches and checks by itself, and the toolbox against libraries for the same.

use super::{Row, Target, median, millis, of, times};
use anyhow::{Context, Result};
use serde_json::Value;

/// All rows.
pub(super) fn rows(measured: &Value) -> Result<Vec<Row>> {
    let measured = measured.get("tools").context("no tools")?;
    let time = |path: &str| Ok::<_, anyhow::Error>(median(&times(measured, path)?));
    let row = |what: &str, ours: f64, peer: f64, most: Option<f64>| Row {
        what: what.to_owned(),
        ours: millis(ours),
        peer: millis(peer),
        ratio: Some(ours / peer),
        target: most.map(|most| Target::at_most(most, ours / peer)),
    };
    let alone = |what: &str, ours: f64| Row {
        what: what.to_owned(),
        ours: millis(ours),
        peer: String::new(),
        ratio: None,
        target: None,
    };
    // Before and after ours: the machine's speed changes from minute to minute.
    let fetch = |name: &str| {
        let both = [0, 1].map(|run| times(measured, &format!("/fetch/{run}/{name}")));
        let both: Result<Vec<Vec<f64>>> = both.into_iter().collect();
        both.map(|both| median(&both.concat()))
    };
    let http = time("/http")?;
    let first_use = measured.get("firstUse").and_then(Value::as_array).context("no first use")?;
    let mut rows = vec![
        alone("call of a built-in tool, recorded", time("/builtIn")?),
        row("call of an HTTP tool / fetch, ajv and a durable write", http, fetch("durable")?, Some(1.3)),
        row("call of an HTTP tool / fetch and ajv", http, fetch("plain")?, None),
        alone("toolbox.wasm compiled and instantiated", median(&of(first_use, "load"))),
        alone("its first answer", median(&of(first_use, "first"))),
    ];
    for (what, name) in [("arguments", "arguments"), ("an answer of 200 orders", "answer")] {
        let (ours, peer) =
            (time(&format!("/validation/{name}/ours"))?, time(&format!("/validation/{name}/peer"))?);
        rows.push(row(&format!("{what} checked / ajv"), ours, peer, None));
    }
    let build = (time("/search/build/ours")?, time("/search/build/peer")?);
    rows.push(row("10 000 tools indexed / minisearch", build.0, build.1, None));
    for query in measured.pointer("/search/queries").and_then(Value::as_array).context("no queries")? {
        let words = query.get("query").and_then(Value::as_str).context("a query without words")?;
        let (ours, peer) = (median(&times(query, "/ours")?), median(&times(query, "/peer")?));
        rows.push(row(
            &format!("search \u{201c}{words}\u{201d} among them / minisearch"),
            ours,
            peer,
            Some(1.0),
        ));
    }
    Ok(rows)
}
