//! `bench`: how we do beside others, in one table. A target that is missed is shown, not failed: figures depend on
//! the machine.

mod bundle;
mod dapps;
mod mcp;
mod target;
mod tools;
mod vault;

use crate::process::{cargo, output, run as execute};
use crate::project::{Project, write};
use crate::{build, harness, setup};
use anyhow::{Context, Result};
use serde_json::{Value, json};
use target::Target;

/// A row of the table.
struct Row {
    what: String,
    ours: String,
    peer: String,
    /// Ours to the peer's.
    ratio: Option<f64>,
    target: Option<Target>,
}

/// The budget of the core, in bytes: what every start compiles.
const CORE_BUDGET: usize = 800_000;
/// The budget of the core and the signer together, in bytes.
const BUDGET: usize = 2_000_000;

/// Builds, measures in Chromium, prints the table and writes it with every single time to `dist/bench.json`.
pub(crate) fn run(project: &Project) -> Result<()> {
    setup::all(project)?;
    build::extension(project)?;
    harness::build(project)?;
    let example = ["--package", "countersign-webdriver", "--example", "bench"];
    execute(cargo(project, "build").args(example))?;
    let mut bench = cargo(project, "run");
    bench
        .env("COUNTERSIGN_EXTENSION", project.dist_extension())
        .env("COUNTERSIGN_HARNESS", project.dist_harness());
    let measured: Value = serde_json::from_slice(&output(bench.arg("--quiet").args(example))?)
        .context("the measurements are not JSON")?;
    let mut rows = cold_start(&measured)?;
    let (mut weights, mut both) = (serde_json::Map::new(), 0);
    for name in build::MODULES.iter().flat_map(build::Shipped::parts) {
        let sizes = build::sizes(&build::path(project, name))?;
        rows.extend(wasm(name, &sizes));
        if name == build::CORE.name || name == build::SIGNER.name {
            both += sizes.raw;
        }
        let build::Sizes { raw, gzip, brotli } = sizes;
        weights.insert(name.to_owned(), json!({ "raw": raw, "gzip": gzip, "brotli": brotli }));
    }
    rows.push(Row {
        what: "core and signer".to_owned(),
        ours: format!("{both} B"),
        peer: String::new(),
        ratio: None,
        target: Some(Target::bytes(BUDGET, both)),
    });
    rows.extend(decoding(&measured)?);
    rows.extend(contacts(&measured)?);
    rows.extend(chains(&measured)?);
    rows.extend(vault::rows(&measured)?);
    rows.extend(bundle::rows(&measured)?);
    rows.extend(tools::rows(&measured)?);
    rows.extend(mcp::rows(&measured)?);
    rows.extend(dapps::rows(&measured)?);
    println!("\n{}", table(&rows));
    let report = json!({
        "rows": rows.iter().map(Row::json).collect::<Vec<_>>(),
        "wasm": weights,
        "measured": measured,
    });
    let path = project.dist().join("bench.json");
    write(&path, format!("{report:#}\n"))?;
    println!("\nall times are medians in Chromium; every one of them is in dist/bench.json");
    Ok(())
}

fn cold_start(measured: &Value) -> Result<Vec<Row>> {
    let of = |name: &str| times(measured, &format!("/coldStart/{name}"));
    let shown = |times: &[f64]| format!("{:.1} ms ({:.1}–{:.1})", median(times), least(times), p90(times));
    let row = |what: &str, ours: &[f64], peer: &[f64], target: Option<f64>| {
        let ratio = median(ours) / median(peer);
        Row {
            what: format!("killed worker to {what} (min–p90 of {})", ours.len()),
            ours: shown(ours),
            peer: shown(peer),
            ratio: Some(ratio),
            target: target.map(|most| Target::at_most(most, ratio)),
        }
    };
    let (ours, grown, call, peer) = (of("ours")?, of("grown")?, of("call")?, of("peer")?);
    Ok(vec![
        row("first answer / empty worker", &ours, &peer, Some(1.8)),
        row("first call's result / empty worker", &call, &peer, None),
        row("first answer, 10 000 contacts and calls / none", &grown, &ours, Some(1.3)),
    ])
}

fn wasm(name: &str, sizes: &build::Sizes) -> Vec<Row> {
    let row = |what: &str, bytes: usize, target| Row {
        what: format!("{name}.wasm{what}"),
        ours: format!("{bytes} B"),
        peer: String::new(),
        ratio: None,
        target,
    };
    let is_core = name == build::CORE.name;
    vec![
        row("", sizes.raw, is_core.then(|| Target::bytes(CORE_BUDGET, sizes.raw))),
        row(", gzip", sizes.gzip, None),
        row(", brotli", sizes.brotli, None),
    ]
}

fn decoding(measured: &Value) -> Result<Vec<Row>> {
    let streams = measured.get("decoding").and_then(Value::as_array).context("no decoding")?;
    let row = |stream: &Value| {
        let (ours, peer) = (median(&times(stream, "/ours")?), median(&times(stream, "/peer")?));
        let number = |name| stream.get(name).and_then(Value::as_f64).with_context(|| format!("no {name}"));
        let (bytes, chunk) = (number("bytes")?, number("chunk")?);
        let speed = |millis: f64| format!("{:.0} MB/s", bytes / millis / 1_000.0);
        Ok(Row {
            what: format!("SSE in pieces of {chunk} B / eventsource-parser"),
            ours: speed(ours),
            peer: speed(peer),
            ratio: Some(peer / ours),
            target: Some(Target::at_least(1.0, peer / ours)),
        })
    };
    streams.iter().map(row).collect()
}

fn contacts(measured: &Value) -> Result<Vec<Row>> {
    let median_of = |path: &str| Ok::<_, anyhow::Error>(median(&times(measured, path)?));
    let row = |what: &str, ours: f64, peer: f64, target| Row {
        what: what.to_owned(),
        ours: format!("{ours:.1} ms"),
        peer: format!("{peer:.1} ms"),
        ratio: Some(ours / peer),
        target,
    };
    let add = median_of("/contacts/add/ours")?;
    let query = median_of("/contacts/query/ours")?;
    let peer_query = median_of("/contacts/query/peer")?.min(median_of("/contacts/query/peerCursor")?);
    let target = Target::at_most(1.0, query / peer_query);
    Ok(vec![
        row("add 1 000 contacts, journaled / dexie bulkAdd", add, median_of("/contacts/add/peer")?, None),
        row(
            "add 1 000 contacts, journaled / dexie bulkAdd, strict",
            add,
            median_of("/contacts/add/peerStrict")?,
            None,
        ),
        row("query among 10 000, journaled / dexie, its faster way", query, peer_query, Some(target)),
    ])
}

/// The whole chains crate against wallet-core, whose module holds more chains and the same kinds of work.
fn chains(measured: &Value) -> Result<Vec<Row>> {
    let loads = measured.get("instantiation").and_then(Value::as_array).context("no instantiation")?;
    let (size, peer_size) = (median(&of(loads, "oursBytes")), median(&of(loads, "peerBytes")));
    let mut rows = vec![Row {
        what: "all chains, one module / wallet-core".to_owned(),
        ours: format!("{size:.0} B"),
        peer: format!("{peer_size:.0} B"),
        ratio: Some(size / peer_size),
        target: Some(Target::at_most(0.1, size / peer_size)),
    }];
    let row = |what: String, ours: f64, peer: f64| Row {
        what,
        ours: millis(ours),
        peer: millis(peer),
        ratio: Some(ours / peer),
        target: Some(Target::at_most(1.0, ours / peer)),
    };
    rows.push(row(
        "instantiate / wallet-core".to_owned(),
        median(&of(loads, "ours")),
        median(&of(loads, "peer")),
    ));
    for measured in measured.get("chains").and_then(Value::as_array).context("no chains")? {
        let what = measured.get("what").and_then(Value::as_str).context("a row without a name")?;
        let (ours, peer) = (median(&times(measured, "/ours")?), median(&times(measured, "/peer")?));
        rows.push(row(format!("{what} / wallet-core"), ours, peer));
    }
    Ok(rows)
}

/// Short times keep their digits.
fn millis(time: f64) -> String {
    if time < 1.0 { format!("{time:.3} ms") } else { format!("{time:.1} ms") }
}

impl Row {
    fn cells(&self) -> [String; 6] {
        [
            self.what.clone(),
            self.ours.clone(),
            self.peer.clone(),
            self.ratio.map(|ratio| format!("{ratio:.2}×")).unwrap_or_default(),
            self.target.as_ref().map(Target::text).unwrap_or_default(),
            self.target.as_ref().map(Target::margin).unwrap_or_default(),
        ]
    }

    fn json(&self) -> Value {
        json!({
            "what": self.what, "ours": self.ours, "peer": self.peer, "ratio": self.ratio,
            "target": self.target.as_ref().map(Target::text),
            "met": self.target.as_ref().map(Target::met),
            "percentLeft": self.target.as_ref().map(Target::left),
        })
    }
}

fn table(rows: &[Row]) -> String {
    let head = ["what / peer", "ours", "peer", "ratio", "target", "to the bound"].map(str::to_owned);
    let lines: Vec<[String; 6]> = std::iter::once(head).chain(rows.iter().map(Row::cells)).collect();
    let width = |column: usize| {
        let lengths = lines.iter().filter_map(|line| line.get(column)).map(|cell| cell.chars().count());
        lengths.max().unwrap_or(0)
    };
    let shown = |line: &[String; 6]| {
        let cells =
            line.iter().enumerate().map(|(column, cell)| format!("{cell:<width$}", width = width(column)));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    lines.iter().map(shown).collect::<Vec<_>>().join("\n")
}

/// A list of times, sorted.
fn times(measured: &Value, path: &str) -> Result<Vec<f64>> {
    let list = measured.pointer(path).and_then(Value::as_array);
    let list =
        list.filter(|list| !list.is_empty()).with_context(|| format!("nothing was measured at {path}"))?;
    let mut times: Vec<f64> = list.iter().filter_map(Value::as_f64).collect();
    times.sort_by(f64::total_cmp);
    Ok(times)
}

/// A time of each page, sorted.
fn of(pages: &[Value], name: &str) -> Vec<f64> {
    let mut times: Vec<f64> = pages.iter().filter_map(|page| page.get(name)?.as_f64()).collect();
    times.sort_by(f64::total_cmp);
    times
}

fn at(sorted: &[f64], part: f64) -> f64 {
    let index = (sorted.len().saturating_sub(1) as f64 * part).round() as usize;
    sorted.get(index).copied().unwrap_or(f64::NAN)
}

fn median(sorted: &[f64]) -> f64 {
    at(sorted, 0.5)
}

fn least(sorted: &[f64]) -> f64 {
    at(sorted, 0.0)
}

fn p90(sorted: &[f64]) -> f64 {
    at(sorted, 0.9)
}
