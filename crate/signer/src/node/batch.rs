//! JSON-RPC 2.0 batches: several calls in one request, told apart by their ids (specification §6).

use serde_json::Value;
use wire::node::{NodeRequest, NodeResponse};

/// All requests as one batch with distinct ids; `None` where there are less than two, or one is not JSON-RPC 2.0.
pub(super) fn join<'a>(requests: impl Iterator<Item = &'a NodeRequest>) -> Option<NodeRequest> {
    let mut calls = Vec::new();
    for request in requests {
        let body = request.body.as_ref().filter(|_| request.path.is_empty())?;
        let mut call: Value = serde_json::from_str(body).ok()?;
        if call.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
            return None;
        }
        *call.get_mut("id")? = Value::from(calls.len() + 1);
        calls.push(call);
    }
    let several = calls.len() > 1;
    several.then(|| NodeRequest { path: String::new(), body: Some(Value::Array(calls).to_string()) })
}

/// The responses to each query, of which the n-th has `counts[n]` requests; `None` if the node does not take batches. A
/// node that fails altogether is not known to refuse batches: each call has its response then.
pub(super) fn split(response: &NodeResponse, counts: &[usize]) -> Option<Vec<Vec<NodeResponse>>> {
    let NodeResponse { status, body } = response;
    let all: usize = counts.iter().sum();
    let parts: Vec<String> = match serde_json::from_str(body) {
        Ok(Value::Array(parts)) => by_id(&parts, all)?,
        _ if *status >= 500 => vec![body.clone(); all],
        Err(_) if *status < 400 => vec![body.clone(); all],
        _ => return None,
    };
    let mut parts = parts.into_iter().map(|body| NodeResponse { status: *status, body });
    Some(counts.iter().map(|count| parts.by_ref().take(*count).collect()).collect())
}

/// The parts in the order of their ids, which a node may answer in any order.
fn by_id(parts: &[Value], all: usize) -> Option<Vec<String>> {
    let of = |id: usize| {
        let part = parts.iter().find(|part| part.get("id").and_then(Value::as_u64) == Some(id as u64))?;
        Some(part.to_string())
    };
    (1..=all).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(method: &str) -> NodeRequest {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": []});
        NodeRequest { path: String::new(), body: Some(body.to_string()) }
    }

    fn response(status: u16, body: &Value) -> NodeResponse {
        NodeResponse { status, body: body.to_string() }
    }

    #[test]
    fn ids_are_distinct() {
        let batch = join([call("a"), call("b"), call("c")].iter()).unwrap();
        let calls: Vec<Value> = serde_json::from_str(batch.body.as_deref().unwrap()).unwrap();
        let seen: Vec<_> = calls.iter().map(|call| (call["id"].clone(), call["method"].clone())).collect();
        assert_eq!(seen, [(json!(1), json!("a")), (json!(2), json!("b")), (json!(3), json!("c"))]);
    }

    #[test]
    fn only_json_rpc_is_joined() {
        assert_eq!(join([call("a")].iter()), None);
        let get = NodeRequest { path: "/tx/ab".to_owned(), body: None };
        assert_eq!(join([call("a"), get].iter()), None);
        let ripple = NodeRequest { path: String::new(), body: Some(r#"{"method":"tx"}"#.to_owned()) };
        assert_eq!(join([call("a"), ripple].iter()), None);
    }

    #[test]
    fn parts_are_found_by_id() {
        let body = json!([{"id": 3, "result": "c"}, {"id": 1, "result": "a"}, {"id": 2, "result": "b"}]);
        let parts = split(&response(200, &body), &[1, 2]).unwrap();
        let bodies: Vec<Vec<Value>> = parts
            .iter()
            .map(|parts| parts.iter().map(|part| serde_json::from_str(&part.body).unwrap()).collect())
            .collect();
        assert_eq!(bodies[0][0]["result"], "a");
        assert_eq!((&bodies[1][0]["result"], &bodies[1][1]["result"]), (&json!("b"), &json!("c")));
    }

    /// A node that takes no batches says so with one error, or answers too few of the calls.
    #[test]
    fn refusals_are_told_from_failures() {
        let error = json!({"jsonrpc": "2.0", "id": null, "error": {"code": -32600, "message": "no batches"}});
        assert_eq!(split(&response(200, &error), &[2]), None);
        assert_eq!(split(&response(413, &json!("too large")), &[2]), None);
        assert_eq!(split(&response(200, &json!([{"id": 1, "result": 1}])), &[2]), None);
        assert_eq!(split(&response(200, &json!([error])), &[2]), None);
        let broken = NodeResponse { status: 502, body: "<html>".to_owned() };
        assert_eq!(split(&broken, &[1, 1]), Some(vec![vec![broken.clone()], vec![broken.clone()]]));
        let garbage = NodeResponse { status: 200, body: "<html>".to_owned() };
        assert_eq!(split(&garbage, &[2]), Some(vec![vec![garbage.clone(), garbage.clone()]]));
    }
}
