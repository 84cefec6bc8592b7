//! The eras of the protocol: what a server speaks, how that is found out, and what a request of each looks like.

use super::message::RpcError;
use derive::Record;
use serde_json::{Map, Value, json};

/// The revision of the modern era.
pub(crate) const MODERN: &str = "2026-07-28";
/// The revisions of the legacy era, newest first; the last is that of HTTP+SSE.
pub(crate) const LEGACY: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/// What a server speaks.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase", tag = "name")]
pub(crate) enum Era {
    /// Stateless requests.
    Modern,
    /// `initialize` and sessions.
    Legacy {
        /// The session; none before the handshake, and of a server that keeps none it has no id.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        session: Option<Session>,
    },
    /// HTTP+SSE of 2024: a stream for each piece of work.
    Sse,
}

/// A session of a legacy server.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Session {
    /// `Mcp-Session-Id`, of a server that keeps sessions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) id: Option<String>,
    /// The negotiated revision.
    pub(crate) version: String,
}

/// What the answer to the first, modern request says of a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Probe {
    /// It is modern.
    Modern,
    /// It may be legacy.
    Legacy,
    /// It is neither.
    Unsupported,
}

/// Judges the answer to `server/discover`: a status, and the result or the error in it.
pub(crate) fn judge(status: u16, outcome: Option<&Result<Value, RpcError>>) -> Probe {
    match outcome {
        Some(Ok(result)) => match versions(result.get("supportedVersions")) {
            Some(versions) => among(&versions),
            None => Probe::Legacy,
        },
        Some(Err(error)) => match error.code {
            RpcError::UNSUPPORTED_VERSION => match versions(error.data.get("supported")) {
                Some(versions) => among(&versions),
                None => Probe::Legacy,
            },
            RpcError::HEADER_MISMATCH | RpcError::MISSING_CAPABILITY => Probe::Modern,
            RpcError::METHOD_NOT_FOUND if status == 404 => Probe::Modern,
            _ => Probe::Legacy,
        },
        None => Probe::Legacy,
    }
}

fn versions(list: Option<&Value>) -> Option<Vec<&str>> {
    Some(list?.as_array()?.iter().filter_map(Value::as_str).collect())
}

fn among(versions: &[&str]) -> Probe {
    match versions {
        versions if versions.contains(&MODERN) => Probe::Modern,
        versions if versions.iter().any(|version| LEGACY.contains(version)) => Probe::Legacy,
        _ => Probe::Unsupported,
    }
}

/// What we can do for a server: fill in forms and open addresses for it, with the person's consent. Nothing else.
fn capabilities() -> Value {
    json!({ "elicitation": { "form": {}, "url": {} } })
}

/// Who we are.
fn client(version: &str) -> Value {
    json!({ "name": "countersign", "title": "Countersign", "version": version })
}

/// Adds what a modern request says of itself.
pub(crate) fn with_meta(mut params: Map<String, Value>, client_version: &str) -> Map<String, Value> {
    let mut meta = match params.remove("_meta") {
        Some(Value::Object(meta)) => meta,
        _ => Map::new(),
    };
    for (name, value) in [
        ("protocolVersion", Value::from(MODERN)),
        ("clientCapabilities", capabilities()),
        ("clientInfo", client(client_version)),
    ] {
        meta.insert(["io.modelcontextprotocol/", name].concat(), value);
    }
    params.insert("_meta".to_owned(), Value::Object(meta));
    params
}

/// The parameters of `initialize`.
pub(crate) fn initialize(client_version: &str) -> Map<String, Value> {
    let [newest, ..] = LEGACY;
    let fields = [
        ("protocolVersion", Value::from(newest)),
        ("capabilities", capabilities()),
        ("clientInfo", client(client_version)),
    ];
    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// The revision that a server chose; none if we do not speak it.
pub(crate) fn negotiated(result: &Value) -> Option<String> {
    let version = result.get("protocolVersion")?.as_str()?;
    LEGACY.contains(&version).then(|| version.to_owned())
}

/// A session's id as it may be sent back: visible ASCII, not too long.
pub(crate) fn session_id(text: &str) -> Option<String> {
    let fits = !text.is_empty() && text.len() <= 1024 && text.bytes().all(|byte| byte.is_ascii_graphic());
    fits.then(|| text.to_owned())
}

/// What a server says of itself, for people: its name and version.
pub(crate) fn server_info(result: &Value) -> Option<String> {
    let meta = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
    let info = result.get("serverInfo").or(meta)?;
    let text = |name: &str| info.get(name).and_then(Value::as_str);
    let name = text("title").or(text("name"))?;
    let words: Vec<&str> = std::iter::once(name).chain(text("version")).collect();
    Some(words.join(" ").chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(code: i64, data: Value) -> Result<Value, RpcError> {
        Err(RpcError { code, message: String::new(), data })
    }

    /// M14: what each kind of answer to the first request says of the server.
    #[test]
    fn probes() {
        let modern = [
            (200, Ok(json!({"supportedVersions": ["2026-07-28", "2025-11-25"]}))),
            (400, error(-32_022, json!({"supported": ["2026-07-28"]}))),
            (400, error(-32_020, Value::Null)),
            (400, error(-32_021, Value::Null)),
            (404, error(-32_601, Value::Null)),
        ];
        for (status, outcome) in modern {
            assert_eq!(judge(status, Some(&outcome)), Probe::Modern, "{outcome:?}");
        }
        let legacy = [
            (200, Ok(json!({}))),
            (200, error(-32_601, Value::Null)),
            (400, error(-32_000, Value::Null)),
            (400, error(-32_022, json!({"supported": ["2025-06-18"]}))),
            (400, error(-32_022, Value::Null)),
            (200, Ok(json!({"supportedVersions": ["2025-11-25"]}))),
        ];
        for (status, outcome) in legacy {
            assert_eq!(judge(status, Some(&outcome)), Probe::Legacy, "{outcome:?}");
        }
        assert_eq!(judge(405, None), Probe::Legacy);
        let other = error(-32_022, json!({"supported": ["2030-01-01"]}));
        assert_eq!(judge(400, Some(&other)), Probe::Unsupported);
    }

    /// M13: nothing is declared but what there is. M14: the version stands in every request.
    #[test]
    fn every_request_says_what_it_is() {
        let mut params = Map::new();
        params.insert("_meta".to_owned(), json!({"progressToken": "t"}));
        let params = Value::Object(with_meta(params, "1"));
        let meta = &params["_meta"];
        assert_eq!(meta["progressToken"], "t");
        assert_eq!(meta["io.modelcontextprotocol/protocolVersion"], "2026-07-28");
        let declared = json!({"elicitation": {"form": {}, "url": {}}});
        assert_eq!(meta["io.modelcontextprotocol/clientCapabilities"], declared);
        let initialize = Value::Object(initialize("1"));
        assert_eq!(
            (&initialize["protocolVersion"], &initialize["capabilities"]),
            (&json!("2025-11-25"), &declared)
        );
        assert_eq!(negotiated(&json!({"protocolVersion": "2025-03-26"})).as_deref(), Some("2025-03-26"));
        assert_eq!(negotiated(&json!({"protocolVersion": "2031-01-01"})), None);
    }

    #[test]
    fn sessions_are_visible_ascii() {
        assert_eq!(session_id("a-1~!").as_deref(), Some("a-1~!"));
        for text in ["", "a b", "é", "a\n", &"x".repeat(1025)] {
            assert_eq!(session_id(text), None, "{text:?}");
        }
    }
}
