//! What became of each case.

use serde_json::{Value, json};
use std::time::Instant;

/// All cases so far, in order.
#[derive(Default)]
pub(crate) struct Report {
    cases: Vec<Value>,
}

/// A case before it is run: what the table says of it if it passes.
pub(crate) struct Case<'a> {
    pub(crate) judge: &'a str,
    pub(crate) name: &'a str,
    pub(crate) method: &'a str,
    pub(crate) result: &'a str,
}

impl Report {
    /// Records the end of a case that was begun at this time.
    pub(crate) fn record(&mut self, case: &Case<'_>, begun: Instant, ended: anyhow::Result<()>) {
        let seconds = begun.elapsed().as_secs_f64();
        let mark = if ended.is_ok() { "ok    " } else { "FAILED" };
        eprintln!("{mark} {}: {} {seconds:.1} s", case.judge, case.name);
        let problem = ended.as_ref().err().map(|error| format!("{error:#}"));
        if let Some(problem) = &problem {
            eprintln!("       {problem}");
        }
        self.cases.push(json!({
            "judge": case.judge, "case": case.name, "method": case.method, "result": case.result,
            "passed": ended.is_ok(), "problem": problem, "seconds": seconds,
        }));
    }

    /// Records that a judge could not be heard to its end; the next ones are.
    pub(crate) fn judged(&mut self, judge: &str, ended: anyhow::Result<()>) {
        if ended.is_err() {
            let case = Case { judge, name: "the judge itself", method: "", result: "" };
            self.record(&case, Instant::now(), ended);
        }
    }

    pub(crate) fn cases(&self) -> &[Value] {
        &self.cases
    }
}
