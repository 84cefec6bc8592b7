//! Not written yet.

use super::{Broadcast, Dialect, Request, Status};

pub(super) static DIALECT: Dialect = Dialect {
    broadcast: |_, _| Request::json_rpc("", &serde_json::Value::Null),
    read_broadcast: |response| Broadcast::Ambiguous { reason: response.excerpt() },
    status: |_, _| Vec::new(),
    read_status: |_, _| Status::Unclear { reason: String::new() },
};
