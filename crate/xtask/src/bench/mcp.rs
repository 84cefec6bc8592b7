//! Calls of MCP tools against the MCP project's own client, and a thousand calls that wait for a result from outside.

use super::{Row, Target, median, millis, of, times};
use anyhow::{Context, Result};
use serde_json::Value;

/// So many calls at each end of a thousand are compared.
const ENDS: usize = 50;

/// All rows.
pub(super) fn rows(measured: &Value) -> Result<Vec<Row>> {
    let mut rows = calls(measured.get("mcp").context("no mcp")?)?;
    rows.extend(pending(measured.get("pending").context("no pending")?)?);
    Ok(rows)
}

fn calls(measured: &Value) -> Result<Vec<Row>> {
    let ours = median(&times(measured, "/ours/calls")?);
    // Before and after ours: the machine's speed changes from minute to minute.
    let mut peers = [times(measured, "/peer/0/calls")?, times(measured, "/peer/1/calls")?].concat();
    peers.sort_by(f64::total_cmp);
    let peer = median(&peers);
    Ok(vec![Row {
        what: "call of an MCP tool, recorded / @modelcontextprotocol/client".to_owned(),
        ours: millis(ours),
        peer: millis(peer),
        ratio: Some(ours / peer),
        target: Some(Target::at_most(1.5, ours / peer)),
    }])
}

fn pending(measured: &Value) -> Result<Vec<Row>> {
    let calls: Vec<f64> = list(measured, "calls")?.iter().filter_map(Value::as_f64).collect();
    let end = |from: usize| {
        let mut some: Vec<f64> = calls.iter().skip(from).take(ENDS).copied().collect();
        some.sort_by(f64::total_cmp);
        median(&some)
    };
    let (first, last) = (end(0), end(calls.len().saturating_sub(ENDS)));
    let alone =
        |what: String, ours: String| Row { what, ours, peer: String::new(), ratio: None, target: None };
    let late = list(measured, "late")?;
    let count = median(&of(late, "events"));
    Ok(vec![
        Row {
            what: format!("a call among {} pending ones / among the first {ENDS}", calls.len()),
            ours: millis(last),
            peer: millis(first),
            ratio: Some(last / first),
            target: Some(Target::at_most(1.5, last / first)),
        },
        alone(format!("{} pending calls listed", calls.len()), millis(median(&times(measured, "/list")?))),
        alone(
            format!("{} of them expire after a start of the worker", calls.len()),
            millis(median(&times(measured, "/expiry")?)),
        ),
        alone("a late page to its first event".to_owned(), millis(median(&of(late, "first")))),
        alone(format!("a late page to the last of {count:.0} events"), millis(median(&of(late, "all")))),
    ])
}

fn list<'a>(measured: &'a Value, name: &str) -> Result<&'a Vec<Value>> {
    measured.get(name).and_then(Value::as_array).with_context(|| format!("no {name}"))
}

#[cfg(test)]
mod tests {
    use super::rows;
    use serde_json::json;

    #[test]
    fn rows_of_measurements() {
        let calls: Vec<f64> = (0..1_000).map(|call| 10.0 + f64::from(call / 500)).collect();
        let measured = json!({
            "mcp": { "ours": { "calls": [6.0, 6.0] }, "peer": [{ "calls": [4.0] }, { "calls": [4.0] }] },
            "pending": { "calls": calls, "list": [3.0], "expiry": [700.0],
                "late": [{ "first": 2.0, "all": 90.0, "events": 2_000 }] },
        });
        let cells: Vec<String> = rows(&measured).unwrap().iter().map(|row| row.cells().join(" | ")).collect();
        assert_eq!(
            cells.first().map(String::as_str),
            Some(
                "call of an MCP tool, recorded / @modelcontextprotocol/client | 6.0 ms | 4.0 ms | 1.50× | ≤ 1.5× | 0 % left"
            )
        );
        assert_eq!(cells.len(), 6);
        assert!(cells.iter().any(|row| row.contains("11.0 ms | 10.0 ms | 1.10×")), "{cells:?}");
    }
}
