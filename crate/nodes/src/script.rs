//! A script of `scripts/` in front of a node: one JSON line in, one JSON line out, and HTTP for the wallet.

use crate::Error;
use crate::process::{PATIENCE, folder};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, Lines};
use tokio::process::{ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;
use tokio::time::timeout;

/// A running script. It ends when its input is closed, by a drop or by the end of this process.
#[derive(Debug)]
pub(crate) struct Script {
    name: &'static str,
    lines: Mutex<(ChildStdin, Lines<BufReader<ChildStdout>>)>,
}

impl Script {
    /// Starts `scripts/<name>.mjs` and waits until its node is ready.
    pub(crate) async fn start(name: &'static str) -> Result<Self, Error> {
        let failed = |problem: String| Error::Start { node: name.to_owned(), problem };
        // The libraries' own log output is hidden by default.
        let log = std::env::var_os("COUNTERSIGN_NODES_LOG").map_or_else(Stdio::null, |_| Stdio::inherit());
        let mut child = Command::new("node")
            .arg(folder().join("scripts").join(name).with_extension("mjs"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|error| failed(format!("node: {error}")))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed("it has no pipes".to_owned()));
        };
        let script = Self { name, lines: Mutex::new((input, BufReader::new(output).lines())) };
        match script.read().await {
            Ok(ready) if ready == json!({ "ready": true }) => Ok(script),
            Ok(other) => Err(failed(other.to_string())),
            Err(error) => Err(failed(error.to_string())),
        }
    }

    async fn read(&self) -> Result<Value, Error> {
        let mut lines = self.lines.lock().await;
        read(self.name, &mut lines.1).await
    }

    /// Sends a request and waits for the answer.
    pub(crate) async fn ask(&self, request: Value) -> Result<Value, Error> {
        let mut lines = self.lines.lock().await;
        lines.0.write_all(format!("{request}\n").as_bytes()).await?;
        let answer = read(self.name, &mut lines.1).await?;
        match answer.get("error").and_then(Value::as_str) {
            Some(message) => Err(Error::Refused { method: request.to_string(), message: message.to_owned() }),
            None => Ok(answer),
        }
    }
}

async fn read(name: &str, lines: &mut Lines<BufReader<ChildStdout>>) -> Result<Value, Error> {
    let line = timeout(PATIENCE, lines.next_line()).await.map_err(|_| Error::Timeout {
        what: format!("an answer of {name}"),
        timeout: PATIENCE,
        seen: "no answer".to_owned(),
    })??;
    let line = line.ok_or_else(|| Error::shape(name, "its output ended (is everything installed?)"))?;
    serde_json::from_str(&line).map_err(|_| Error::shape(name, line))
}
