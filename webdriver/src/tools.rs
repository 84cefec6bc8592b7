//! Tools of the store by the API, as pages use it: made, switched, called; and a worker killed in the middle of a call.

use crate::wait::{TIMEOUT, not_yet, until};
use crate::{Browser, Error, Page, Pending};
use serde_json::{Map, Value, json};
use std::future::Future;

/// The bundle of tools that name no other.
const BUNDLE: &str = "019a0000-0000-7000-8000-00000000b001";

/// An HTTP tool with its place in the store.
#[derive(Debug, Clone, PartialEq)]
pub struct HttpTool {
    bundle: String,
    slug: String,
    version: String,
    record: Map<String, Value>,
    implementation: Map<String, Value>,
    arguments: Map<String, Value>,
}

impl HttpTool {
    /// A tool that sends a GET. It reads, has low consequences, asks for nothing, takes no arguments.
    pub fn get(slug: &str, url: &str) -> Self {
        let tool = Self {
            bundle: BUNDLE.to_owned(),
            slug: slug.to_owned(),
            version: "v1".to_owned(),
            record: Map::new(),
            implementation: Map::new(),
            arguments: Map::new(),
        };
        tool.field("type", "http")
            .field("displayName", slug)
            .field("description", "A tool of the suites.")
            .field("isEnabled", true)
            .field("category", "read")
            .field("consequenceLevel", "low")
            .field("requiresConfirmation", false)
            .with("method", "GET")
            .with("urlTemplate", url)
    }

    /// A tool that sends a POST with a JSON body. It has side effects.
    pub fn post(slug: &str, url: &str, body: &str) -> Self {
        Self::get(slug, url)
            .field("category", "side_effect")
            .with("method", "POST")
            .with("headers", json!({ "Content-Type": "application/json" }))
            .with("bodyTemplate", body)
    }

    /// The same with a required argument of this schema.
    #[must_use]
    pub fn argument(mut self, name: &str, schema: impl Into<Value>) -> Self {
        self.arguments.insert(name.to_owned(), schema.into());
        self
    }

    /// The same with a field of the record.
    #[must_use]
    pub fn field(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.record.insert(name.to_owned(), value.into());
        self
    }

    /// The same with a field of `impl`.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.implementation.insert(name.to_owned(), value.into());
        self
    }

    /// The same in another bundle.
    #[must_use]
    pub fn bundle(self, id: &str) -> Self {
        Self { bundle: id.to_owned(), ..self }
    }

    /// The same with another version.
    #[must_use]
    pub fn version(self, version: &str) -> Self {
        Self { version: version.to_owned(), ..self }
    }

    /// The name that an agent calls it by.
    pub fn name(&self) -> String {
        self.slug.replace('-', "_")
    }

    /// Its route.
    pub fn path(&self) -> String {
        format!("/tools/bundles/{}/tools/{}/version/{}", self.bundle, self.slug, self.version)
    }

    /// The body that makes it.
    pub fn body(&self) -> Value {
        let mut body = self.record.clone();
        let required: Vec<&String> = self.arguments.keys().collect();
        let schema = json!({
            "type": "object", "properties": self.arguments, "required": required, "additionalProperties": false,
        });
        body.entry("argSchema").or_insert(schema);
        body.insert("impl".to_owned(), self.implementation.clone().into());
        body.into()
    }
}

impl Page {
    /// Allows tools to reach exactly these hosts. Where there is a vault, its password is needed.
    pub async fn allow_hosts(&self, hosts: &[&str], password: Option<&str>) -> Result<(), Error> {
        let body = with_password(json!({ "allowedHosts": hosts }), password);
        self.expect(&[200], "PATCH", "/api/settings", body).await.map(drop)
    }

    /// Stores a secret for tools. Its vault must be unlocked, or the password given.
    pub async fn put_secret(&self, name: &str, value: &str, password: Option<&str>) -> Result<(), Error> {
        let body = with_password(json!({ "value": value }), password);
        self.expect(&[200, 201], "PUT", &format!("/api/secrets/{name}"), body).await.map(drop)
    }

    /// Makes a tool, and its bundle where there is none. Returns the record.
    pub async fn put_tool(&self, tool: &HttpTool) -> Result<Value, Error> {
        let bundle = format!("/tools/bundles/{}", tool.bundle);
        let body = json!({
            "slug": "suites", "displayName": "Suites", "isEnabled": true, "description": "Tools of the suites.",
        });
        self.expect(&[200, 201], "PUT", &bundle, body).await?;
        self.expect(&[201], "PUT", &tool.path(), tool.body()).await
    }

    /// Switches a tool on or off.
    pub async fn switch_tool(&self, tool: &HttpTool, on: bool) -> Result<(), Error> {
        self.expect(&[200], "PATCH", &tool.path(), json!({ "isEnabled": on })).await.map(drop)
    }

    /// Calls a tool as a person does. Returns status and body.
    pub async fn invoke(&self, tool: &HttpTool, args: Value) -> Result<(u16, Value), Error> {
        self.fetch("POST", &format!("{}/invoke", tool.path()), Some(json!({ "args": args }))).await
    }

    /// Like [`Page::invoke`], without waiting for the answer.
    pub async fn begin_invoke(&self, tool: &HttpTool, args: Value) -> Result<Pending, Error> {
        self.begin("POST", &format!("{}/invoke", tool.path()), Some(json!({ "args": args }))).await
    }

    /// Sends a request that must be answered with one of these statuses. Returns the body.
    async fn expect(&self, statuses: &[u16], method: &str, path: &str, body: Value) -> Result<Value, Error> {
        let (status, answer) = self.fetch(method, path, Some(body)).await?;
        if statuses.contains(&status) {
            return Ok(answer);
        }
        Err(Error::Answer { request: format!("{method} {path}"), status, body: answer.to_string() })
    }
}

impl Browser {
    /// Kills the worker when something has arrived elsewhere, such as a request that a server holds: what waits for the
    /// answer dies with it. Returns what arrived.
    pub async fn kill_worker_after<T, E>(
        &self,
        arrived: impl Future<Output = Result<T, E>>,
    ) -> Result<T, Error>
    where
        E: std::fmt::Display,
    {
        let arrived = arrived.await.map_err(|error| Error::Input(error.to_string()))?;
        if self.kill_worker().await? { Ok(arrived) } else { Err(Error::NoWorker) }
    }

    /// Waits for a tab or window whose URL begins so, such as the consent page of an authorization server.
    pub async fn page_at(&self, beginning: &str) -> Result<Page, Error> {
        until(&format!("a page at {beginning}"), TIMEOUT, async || {
            let pages = self.pages().await?;
            let urls: Vec<String> = pages.iter().map(|(url, _)| url.clone()).collect();
            let found = pages.into_iter().find(|(url, _)| url.starts_with(beginning));
            found.map(|(_, page)| page).ok_or_else(|| not_yet(urls))
        })
        .await
    }
}

fn with_password(mut body: Value, password: Option<&str>) -> Value {
    if let (Some(password), Some(fields)) = (password, body.as_object_mut()) {
        fields.insert("password".to_owned(), password.into());
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn record_of_a_tool() {
        let tool = HttpTool::post("place-order", "http://127.0.0.1:1/orders", r#"{"item":"${item}"}"#)
            .argument("item", json!({ "type": "string" }))
            .with("idempotencyHeader", "Idempotency-Key")
            .field("maxCallsPerMinute", 3)
            .version("v2");
        assert_eq!(tool.name(), "place_order");
        assert!(tool.path().ends_with("/tools/place-order/version/v2"), "{}", tool.path());
        assert_eq!(
            tool.body(),
            json!({
                "type": "http", "displayName": "place-order", "description": "A tool of the suites.", "isEnabled": true,
                "category": "side_effect", "consequenceLevel": "low", "requiresConfirmation": false, "maxCallsPerMinute": 3,
                "argSchema": {
                    "type": "object", "properties": { "item": { "type": "string" } }, "required": ["item"],
                    "additionalProperties": false,
                },
                "impl": {
                    "method": "POST", "urlTemplate": "http://127.0.0.1:1/orders", "bodyTemplate": r#"{"item":"${item}"}"#,
                    "headers": { "Content-Type": "application/json" }, "idempotencyHeader": "Idempotency-Key",
                },
            })
        );
    }
}
