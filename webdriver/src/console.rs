//! The consoles of pages and workers, and the browser's log about them.

use crate::{Browser, DevTools, Error, Target};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex, PoisonError};
use tokio::task::JoinHandle;

/// Records from its creation until it is dropped, also for pages and workers that start meanwhile.
///
/// It is attached to all of them, and an attached worker is not stopped when idle.
#[derive(Debug)]
pub struct Console {
    lines: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Browser {
    /// Starts to record every console.
    pub async fn console(&self) -> Result<Console, Error> {
        let mut devtools = self.devtools().await?;
        let lines = Arc::new(Mutex::new(Vec::new()));
        let received = Arc::clone(&lines);
        devtools.send(None, "Target.setDiscoverTargets", json!({ "discover": true })).await?;
        // Ends with the browser.
        let task = tokio::spawn(async move { while record(&mut devtools, &received).await.is_ok() {} });
        Ok(Console { lines, task })
    }
}

impl Console {
    /// Every line so far: console calls, uncaught exceptions and entries of the browser's log, as the browser reports
    /// them, with all arguments.
    pub fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Console {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn record(devtools: &mut DevTools, lines: &Mutex<Vec<String>>) -> Result<(), Error> {
    let event = devtools.event().await?;
    let text = |path: &str| event.pointer(path).and_then(Value::as_str).unwrap_or_default().to_owned();
    match text("/method").as_str() {
        "Target.targetCreated" => {
            let target = Target {
                id: text("/params/targetInfo/targetId"),
                kind: text("/params/targetInfo/type"),
                url: text("/params/targetInfo/url"),
            };
            if matches!(target.kind.as_str(), "page" | "service_worker") {
                let params = json!({ "targetId": target.id, "flatten": true });
                devtools.send(None, "Target.attachToTarget", params).await?;
            }
        }
        "Target.attachedToTarget" => {
            let session = text("/params/sessionId");
            devtools.send(Some(&session), "Runtime.enable", json!({})).await?;
            devtools.send(Some(&session), "Log.enable", json!({})).await?;
        }
        "Runtime.consoleAPICalled" | "Runtime.exceptionThrown" | "Log.entryAdded" => {
            let line = event.get("params").map(Value::to_string).unwrap_or_default();
            lines.lock().unwrap_or_else(PoisonError::into_inner).push(line);
        }
        _ => {}
    }
    Ok(())
}
