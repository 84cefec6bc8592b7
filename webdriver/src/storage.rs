//! The extension's storage, seen from one of its pages: for assertions, and to move a deadline.

use crate::{Error, Page};
use serde_json::Value;

/// Every area; one that the browser refuses to read is an error and not an empty one.
const AREAS: &str = "return Object.fromEntries(await Promise.all(['local', 'session', 'sync', 'managed'].map(
    async (name) => [name, await chrome.storage[name].get(null)])))";

const LOCAL: &str = "return [Object.entries(localStorage), Object.entries(sessionStorage)]";

impl Page {
    /// `chrome.storage`: the content of each area.
    pub async fn storage(&self) -> Result<Value, Error> {
        self.run(AREAS, vec![]).await
    }

    /// The page's own `localStorage` and `sessionStorage`.
    pub async fn web_storage(&self) -> Result<Value, Error> {
        self.run(LOCAL, vec![]).await
    }

    /// When the alarm with this name fires next, in milliseconds since 1970.
    pub async fn alarm(&self, name: &str) -> Result<Option<f64>, Error> {
        let body = "return (await chrome.alarms.get(args[0]))?.scheduledTime ?? null";
        Ok(self.run(body, vec![name.into()]).await?.as_f64())
    }
}
