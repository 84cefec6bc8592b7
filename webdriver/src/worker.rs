//! The extension's service worker: kill it, or evaluate code in it.

use crate::wait::{not_yet, until};
use crate::{Browser, DevTools, Error, Target};
use serde_json::{Value, json};
use std::time::Duration;
use tokio::time::timeout;

/// How long a worker may take to stop; one in a busy loop takes two seconds.
const STOP_TIMEOUT: Duration = Duration::from_secs(8);

impl Browser {
    /// Stops the worker as the browser would, and waits until it is gone. `false`: none was running.
    ///
    /// An event may start it again at once; then it is a new worker with a new boot id.
    pub async fn kill_worker(&self) -> Result<bool, Error> {
        let mut devtools = self.devtools().await?;
        let Some(worker) = self.worker(&mut devtools).await? else {
            return Ok(false);
        };

        // The path of the browser's own idle timer; it needs a page of the extension.
        let of_extension =
            |target: &Target| target.kind == "page" && target.url.starts_with(&self.extension_url(""));
        if let Some(page) = devtools.targets().await?.into_iter().find(of_extension) {
            let session = devtools.attach(&page).await?;
            devtools.send(Some(&session), "ServiceWorker.enable", json!({})).await?;
            devtools.send(Some(&session), "ServiceWorker.stopAllWorkers", json!({})).await?;
            if timeout(STOP_TIMEOUT, stopped(&mut devtools, &worker.url)).await.is_ok_and(|seen| seen.is_ok())
            {
                return Ok(true);
            }
        }
        // Refused if the worker stopped by itself at this moment, which is the goal.
        let _ = devtools.call(None, "Target.closeTarget", json!({ "targetId": worker.id })).await;
        gone(&mut devtools, &worker).await?;
        Ok(true)
    }

    /// Whether the worker is running now.
    pub async fn worker_is_running(&self) -> Result<bool, Error> {
        let mut devtools = self.devtools().await?;
        Ok(self.worker(&mut devtools).await?.is_some())
    }

    /// The value of an expression in the worker's global scope; a promise is awaited.
    ///
    /// Fails with [`Error::NoWorker`] if it is not running: an evaluation must not start it.
    pub async fn evaluate_in_worker(&self, expression: &str) -> Result<Value, Error> {
        let mut devtools = self.devtools().await?;
        let worker = self.worker(&mut devtools).await?.ok_or(Error::NoWorker)?;
        let session = devtools.attach(&worker).await?;
        let method = "Runtime.evaluate";
        let params = json!({ "expression": expression, "awaitPromise": true, "returnByValue": true });
        let mut answer = devtools.call(Some(&session), method, params).await?;
        devtools.detach(&session).await?;
        if let Some(exception) = answer.get("exceptionDetails") {
            let thrown = exception.get("exception").and_then(|thrown| thrown.get("description"));
            let text = thrown.or_else(|| exception.get("text")).and_then(Value::as_str);
            return Err(Error::devtools(method, text.unwrap_or("the expression threw")));
        }
        Ok(answer.pointer_mut("/result/value").map(Value::take).unwrap_or_default())
    }

    async fn worker(&self, devtools: &mut DevTools) -> Result<Option<Target>, Error> {
        let prefix = self.extension_url("");
        let targets = devtools.targets().await?.into_iter();
        Ok(targets
            .into_iter()
            .find(|target| target.kind == "service_worker" && target.url.starts_with(&prefix)))
    }
}

/// Waits for the browser to say that the worker stopped. Its targets do not show it: a page that connects again at
/// once starts the next worker under the same target id.
async fn stopped(devtools: &mut DevTools, script: &str) -> Result<(), Error> {
    loop {
        let event = devtools.event().await?;
        let versions = event.pointer("/params/versions").and_then(Value::as_array);
        let is_stopped = |version: &Value| {
            version.get("scriptURL").is_some_and(|url| url == script)
                && version.get("runningStatus").is_some_and(|status| status == "stopped")
        };
        if versions.is_some_and(|versions| versions.iter().any(is_stopped)) {
            return Ok(());
        }
    }
}

async fn gone(devtools: &mut DevTools, worker: &Target) -> Result<(), Error> {
    until("the service worker to be gone", STOP_TIMEOUT, async || {
        match devtools.targets().await?.into_iter().find(|target| target.id == worker.id) {
            Some(target) => Err(not_yet(target)),
            None => Ok(()),
        }
    })
    .await
}
