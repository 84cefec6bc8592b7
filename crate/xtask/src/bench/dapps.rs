//! Requests of web pages against an extension that only echoes, and the weight of what every page gets.

use super::{Row, Target, median, millis, times};
use anyhow::{Context, Result};
use serde_json::Value;

/// The budget of the in-page script, in bytes.
const INPAGE_BUDGET: usize = 12_000;
/// What it may cost the main thread of a page that loads, in milliseconds.
const LOAD_BUDGET: f64 = 1.0;

/// All rows.
pub(super) fn rows(measured: &Value) -> Result<Vec<Row>> {
    let measured = measured.get("dapps").context("no dapps")?;
    // The echo before and after ours: the machine's speed changes from minute to minute.
    let echo = |name: &str| -> Result<f64> {
        let mut all = times(measured, &format!("/echo/0/{name}"))?;
        all.extend(times(measured, &format!("/echo/1/{name}"))?);
        all.sort_by(f64::total_cmp);
        Ok(median(&all))
    };
    let row = |what: &str, ours: f64, peer: f64| Row {
        what: what.to_owned(),
        ours: millis(ours),
        peer: millis(peer),
        ratio: Some(ours / peer),
        target: Some(Target::at_most(1.5, ours / peer)),
    };
    let load = median(&times(measured, "/load")?);
    let bytes = measured.get("inpageBytes").and_then(Value::as_u64).context("no inpageBytes")?;
    let bytes = usize::try_from(bytes)?;
    Ok(vec![
        row("eth_accounts of a page / echo", median(&times(measured, "/accounts")?), echo("echo")?),
        row(
            "eth_blockNumber of a page / echo that asks the node",
            median(&times(measured, "/block")?),
            echo("node")?,
        ),
        Row {
            what: "request of a page to its prompt, painted".to_owned(),
            ours: millis(median(&times(measured, "/prompts")?)),
            peer: String::new(),
            ratio: None,
            target: None,
        },
        Row {
            what: "inpage.js".to_owned(),
            ours: format!("{bytes} B"),
            peer: String::new(),
            ratio: None,
            target: Some(Target::bytes(INPAGE_BUDGET, bytes)),
        },
        Row {
            what: "inpage.js on the main thread of a page that loads".to_owned(),
            ours: millis(load),
            peer: millis(LOAD_BUDGET),
            ratio: Some(load / LOAD_BUDGET),
            target: Some(Target::at_most(1.0, load / LOAD_BUDGET)),
        },
    ])
}

#[cfg(test)]
mod tests {
    use super::rows;
    use serde_json::json;

    #[test]
    fn rows_of_measurements() {
        let echo = json!({ "echo": [2.0], "node": [4.0] });
        let measured = json!({ "dapps": {
            "accounts": [2.4], "block": [5.0], "echo": [echo, echo], "prompts": [180.0], "load": [0.5],
            "inpageBytes": 9_000,
        } });
        let cells: Vec<String> = rows(&measured).unwrap().iter().map(|row| row.cells().join(" | ")).collect();
        assert_eq!(cells.len(), 5);
        assert_eq!(
            cells.first().map(String::as_str),
            Some("eth_accounts of a page / echo | 2.4 ms | 2.0 ms | 1.20× | ≤ 1.5× | 20 % left")
        );
        assert!(cells.iter().any(|row| row.starts_with("inpage.js | 9000 B")), "{cells:?}");
    }
}
