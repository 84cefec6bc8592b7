//! Tools of the store, for tests: their bodies, their paths, and the requests that put them.

use crate::world::World;
use serde_json::{Value, json};

/// A bundle's id.
pub const BUNDLE: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af101";
/// Another bundle's id.
pub const OTHER_BUNDLE: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af102";
/// The id of the built-in bundle.
pub const WALLET_BUNDLE: &str = "019a0000-0000-7000-8000-000000000001";

/// How many tools are built in.
pub const BUILT_INS: usize = 19;

/// The path of a bundle.
pub fn bundle_path(id: &str) -> String {
    format!("/tools/bundles/{id}")
}

/// The path of a tool of [`BUNDLE`], version `v1`.
pub fn tool_path(slug: &str) -> String {
    path_of(BUNDLE, slug, "v1")
}

/// The path of a tool; slug and version as they stand in an address.
pub fn path_of(bundle: &str, slug: &str, version: &str) -> String {
    format!("/tools/bundles/{bundle}/tools/{slug}/version/{version}")
}

/// The body of a bundle.
pub fn bundle_body() -> Value {
    json!({"slug": "my-tools", "displayName": "My tools", "isEnabled": true, "description": "Mine."})
}

/// The body of an HTTP tool, with these fields of its own.
pub fn tool_body(fields: Value) -> Value {
    let mut body = json!({
        "displayName": "Weather report",
        "description": "Fetch current weather for a city",
        "tags": ["weather"],
        "type": "http",
        "isEnabled": true,
        "argSchema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        "outputSchema": {"type": "string"},
        "impl": {
            "method": "GET",
            "urlTemplate": "https://api.example.org/v1/current.json?q=${city}&key=${WEATHER_API_KEY}",
            "headers": {"Accept": "application/json"},
            "successCodes": [200],
            "timeoutMs": 10_000,
            "responseEncoding": "json",
            "extractExpr": "$.current.condition.text",
            "errorMode": "fail",
        },
    });
    for (name, value) in fields.as_object().expect("fields are an object") {
        body[name] = value.clone();
    }
    body
}

/// The body of a local tool.
pub fn local_body(function: &str) -> Value {
    json!({
        "displayName": "The address book",
        "description": "Reads the address book",
        "type": "go",
        "argSchema": {"type": "object"},
        "impl": {"goFunc": function},
    })
}

impl World {
    /// A fresh installation with [`BUNDLE`].
    pub async fn with_bundle() -> Self {
        let world = Self::new().await;
        world.put(&bundle_path(BUNDLE), bundle_body()).await;
        world
    }

    /// A PUT that makes something. Returns the body of the answer.
    pub async fn put(&self, path: &str, body: Value) -> Value {
        let (status, answer) = self.call("PUT", path, body).await;
        assert_eq!(status, 201, "{path}: {answer}");
        answer
    }

    /// Allows tools to reach these hosts.
    pub async fn allow(&self, hosts: &[&str]) {
        let (status, answer) = self.call("PATCH", "/api/settings", json!({"allowedHosts": hosts})).await;
        assert_eq!(status, 200, "{answer}");
    }

    /// A PATCH of a switch.
    pub async fn switch(&self, path: &str, on: bool) -> Value {
        let (status, answer) = self.call("PATCH", path, json!({"isEnabled": on})).await;
        assert_eq!(status, 200, "{path}: {answer}");
        answer
    }

    /// The status and the code of a refused request.
    pub async fn refused(&self, method: &str, path: &str, body: Value) -> (u16, String) {
        let (status, answer) = self.call(method, path, body).await;
        (status, answer["error"]["code"].as_str().unwrap_or_default().to_owned())
    }

    /// The slugs of a page of tools, or of bundles, with the token of the next.
    pub async fn slugs(&self, target: &str) -> (Vec<String>, Option<String>) {
        let page = self.get(target).await;
        let rows = page["tools"].as_array().or(page["bundles"].as_array()).expect("a page has rows");
        let slug = |row: &Value| row["slug"].as_str().expect("a row has a slug").to_owned();
        (rows.iter().map(slug).collect(), page["nextPageToken"].as_str().map(str::to_owned))
    }
}
