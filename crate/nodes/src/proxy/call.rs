//! A request as the proxy saw it, and its outcome.

use super::is_meant;
use serde_json::Value;

/// A request and its outcome.
#[derive(Debug, Clone, PartialEq)]
pub struct Call {
    /// The JSON-RPC method, or the path without its query. The methods of a batch are joined by commas.
    pub name: String,
    /// The HTTP method.
    pub method: String,
    /// The path, with its query.
    pub path: String,
    /// The body: JSON, or text otherwise.
    pub body: Value,
    /// The node's answer, if there is one.
    pub answer: Option<Answer>,
    /// What the caller received.
    pub outcome: CallerOutcome,
}

/// An answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The HTTP status.
    pub status: u16,
    /// The body: JSON, or text otherwise.
    pub body: Value,
}

/// What a caller received.
#[derive(Debug, Clone, PartialEq)]
pub enum CallerOutcome {
    /// Nothing yet.
    Pending,
    /// The connection was dropped.
    Dropped,
    /// The node's answer.
    NodeAnswer,
    /// An answer that the test made up.
    MadeUpAnswer,
}

/// The requests that send signed bytes, and the path of the bytes in them. Simulations are not among them.
const SENDING: [(&str, &str); 5] = [
    ("eth_sendRawTransaction", "/params/0"),
    ("sendTransaction", "/params/0"),
    ("/push/transaction", "/data"),
    ("/cosmos/tx/v1beta1/txs", "/tx_bytes"),
    ("/v2/sendBocReturnHash", "/boc"),
];

impl Call {
    pub(super) fn new(method: &str, path: &str, body: &[u8]) -> Self {
        let body = read(body);
        let name = name(&body).unwrap_or_else(|| path.split('?').next().unwrap_or_default().to_owned());
        let (method, path) = (method.to_owned(), path.to_owned());
        Self { name, method, path, body, answer: None, outcome: CallerOutcome::Pending }
    }

    /// Whether the request has this name; see [`crate::proxy`].
    pub fn is(&self, name: &str) -> bool {
        self.name.split(',').any(|own| is_meant(name, own))
    }

    /// Whether the node received the request.
    pub fn reached_node(&self) -> bool {
        self.answer.is_some()
    }

    /// The signed transaction in it.
    pub fn raw(&self) -> Option<String> {
        let (_, place) = SENDING.iter().find(|(name, _)| self.name == *name)?;
        self.body.pointer(place).and_then(Value::as_str).map(str::to_owned)
    }
}

/// A body as JSON, or as text.
pub(super) fn read(body: &[u8]) -> Value {
    serde_json::from_slice(body).unwrap_or_else(|_| Value::String(String::from_utf8_lossy(body).into_owned()))
}

fn name(body: &Value) -> Option<String> {
    let method = |call: &Value| call.get("method")?.as_str().map(str::to_owned);
    match body {
        Value::Array(batch) => Some(batch.iter().filter_map(method).collect::<Vec<_>>().join(",")),
        call => method(call),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(path: &str, body: &str) -> Call {
        Call::new("POST", path, body.as_bytes())
    }

    #[test]
    fn name_is_a_method_or_a_path() {
        assert_eq!(call("/", r#"{"method":"eth_chainId"}"#).name, "eth_chainId");
        assert_eq!(call("/v3/transactions?limit=1", "").name, "/v3/transactions");
        let batch = call("/", r#"[{"method":"eth_chainId"},{"method":"eth_call"}]"#);
        assert!(batch.is("eth_call") && batch.is("eth_*") && !batch.is("eth_c"), "{}", batch.name);
        assert!(call("/dashboards/transaction/ab", "").is("/dashboards/transaction/*"));
    }

    #[test]
    fn signed_bytes_of_every_chain() {
        let raw = |path: &str, body: &str| call(path, body).raw();
        assert_eq!(
            raw("/", r#"{"method":"eth_sendRawTransaction","params":["0x02"]}"#).as_deref(),
            Some("0x02")
        );
        assert_eq!(raw("/", r#"{"method":"sendTransaction","params":["AQ==",{}]}"#).as_deref(), Some("AQ=="));
        assert_eq!(raw("/push/transaction", r#"{"data":"01"}"#).as_deref(), Some("01"));
        assert_eq!(raw("/cosmos/tx/v1beta1/txs", r#"{"tx_bytes":"CgA="}"#).as_deref(), Some("CgA="));
        assert_eq!(raw("/v2/sendBocReturnHash", r#"{"boc":"te6c"}"#).as_deref(), Some("te6c"));
        assert_eq!(raw("/", r#"{"method":"eth_call","params":["0x02"]}"#), None);
        assert_eq!(raw("/cosmos/tx/v1beta1/simulate", r#"{"tx_bytes":"CgA="}"#), None);
    }
}
