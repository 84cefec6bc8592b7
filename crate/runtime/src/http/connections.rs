//! `/api/connections`: connected web pages.

use super::routes::object;
use super::{ApiError, Reply, RouteError};
use crate::Core;
use crate::connection::{self, Choice};
use std::rc::Rc;
use wire::connection::{ConnectionState, Connections};
use wire::json::Body;

pub(super) async fn list(core: &Core) -> Result<Reply, ApiError> {
    Ok(Reply::json(200, &Connections { connections: core.connections.all().await? }))
}

/// Asks the user about a page; answers when the prompt is settled.
pub(super) async fn create(core: &Rc<Core>, body: &str) -> Result<Reply, ApiError> {
    let body = Body::new(object(body)?);
    let fields = body.object();
    let origin = fields.required_text("origin")?.to_owned();
    fields.end()?;
    let connected = connection::connect(core, &origin).await?;
    Ok(Reply::json(200, &ConnectionState { origin, connected }))
}

/// Ends a grant. What the page still waits for is refused.
pub(super) async fn delete(core: &Rc<Core>, segment: &str) -> Result<Reply, ApiError> {
    let origin = origin(segment)?;
    connection::revoke(core, &origin).await?;
    Ok(Reply::json(200, &ConnectionState { origin, connected: false }))
}

/// Changes what a page may do: `{chains?, days?}`.
pub(super) async fn patch(core: &Rc<Core>, segment: &str, body: &str) -> Result<Reply, ApiError> {
    let origin = origin(segment)?;
    let fields = object(body)?;
    if let Some(name) = fields.keys().find(|name| !["chains", "days"].contains(&name.as_str())) {
        return Err(ApiError::invalid(format!("/{name}"), "is not a field here"));
    }
    let choice = Choice::read("", &fields)?;
    Ok(Reply::json(200, &connection::patch(core, &origin, &choice).await?))
}

/// The origin is one segment of the path, its reserved characters escaped.
pub(super) fn origin(segment: &str) -> Result<String, ApiError> {
    let message = "the origin in the path is not escaped as it must be";
    unescaped(segment).ok_or_else(|| ApiError::new(400, RouteError::InvalidRequest.code(), message))
}

/// Undoes `encodeURIComponent`.
pub(crate) fn unescaped(text: &str) -> Option<String> {
    let mut parts = text.split('%');
    let mut bytes = parts.next()?.as_bytes().to_vec();
    for part in parts {
        let digits = part.get(..2).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        bytes.push(u8::from_str_radix(digits, 16).ok()?);
        bytes.extend(part.bytes().skip(2));
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::unescaped;
    use proptest::prelude::*;

    #[test]
    fn decodes_or_refuses() {
        assert_eq!(
            unescaped("https%3A%2F%2Fapp.example%3a8443").as_deref(),
            Some("https://app.example:8443")
        );
        assert_eq!(unescaped("plain").as_deref(), Some("plain"));
        assert_eq!(unescaped("%C3%A9").as_deref(), Some("é"));
        for bad in ["%", "%2", "%zz", "%+1", "a%", "%ff", "%é"] {
            assert_eq!(unescaped(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn escaped_text_round_trips(text in ".{0,60}", noise in "[%a-f0-9é]{0,20}") {
            let escaped: String = text.bytes().map(|byte| format!("%{byte:02X}")).collect();
            prop_assert_eq!(unescaped(&escaped), Some(text));
            // Never longer than the input.
            prop_assert!(unescaped(&noise).is_none_or(|found| found.len() <= noise.len()));
        }
    }
}
