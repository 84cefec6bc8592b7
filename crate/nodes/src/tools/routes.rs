//! The answers of the server's own paths; the table is in [`super`].

use super::answer::{Answer, Piece};
use super::credentials::{self, Checked};
use super::request::ToolRequest;
use super::{Shared, State};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use http_body_util::Full;
use hyper::Request;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE};
use serde_json::{Value, json};
use std::io::Write as _;
use std::time::{Duration, SystemTime};

/// The bytes of an endless body that are written at once.
const PIECE: usize = 16 * 1024;

/// An order of `/orders`.
#[derive(Debug, Clone, PartialEq)]
pub struct Order {
    /// Its number, from 1.
    pub number: usize,
    /// The `Idempotency-Key` it was made with.
    pub key: Option<String>,
    /// The body of the request that made it.
    pub body: Value,
}

/// The answer to a request that no test has set one for.
pub(super) async fn answer(shared: &Shared, index: usize, request: &ToolRequest) -> Answer {
    let path: Vec<&str> = request.path.trim_start_matches('/').split('/').collect();
    match path.as_slice() {
        ["weather"] => weather(request),
        ["text"] => Answer::text("temperature: 21.5 C\nwind: 3 m/s\n"),
        ["echo"] => Answer::json(&request.echo()),
        ["orders"] => order(shared, request),
        ["status", code] => status(number(code)),
        ["slow", ms] => Answer::json(&json!({ "slow": true })).after(millis(ms)),
        ["silent"] => std::future::pending().await,
        ["flaky", times, code, ..] => attempt(shared, index, request, number(times), || status(number(code))),
        ["limited", times, seconds, ..] => attempt(shared, index, request, number(times), || {
            status(429).header("retry-after", &number(seconds).to_string())
        }),
        ["limited-until", times, seconds, ..] => attempt(shared, index, request, number(times), || {
            let until = SystemTime::now() + Duration::from_secs(number(seconds));
            status(429).header("retry-after", &httpdate::fmt_http_date(until))
        }),
        ["redirect", code] => {
            let to = request.argument("to").unwrap_or_else(|| "/echo".to_owned());
            status(number(code)).header("location", &to)
        }
        ["drop"] => Answer::dropped(),
        ["cut"] => {
            let body = vec![Piece::text(r#"{"value": "the first ha"#), Piece::Cut];
            Answer { body, ..Answer::json(&Value::Null).says(1000) }
        }
        ["cut-chunked"] => {
            Answer::chunked("application/json", vec![Piece::text(r#"{"value": "the first ha"#), Piece::Cut])
        }
        ["length", says] => Answer::json(&json!({ "value": "truth" })).says(number(says)),
        ["large", bytes] => {
            let inside = usize::try_from(number(bytes)).unwrap_or_default().saturating_sub(2);
            Answer::json(&Value::from("x".repeat(inside)))
        }
        ["endless"] => endless(Piece::Endless("0,".repeat(PIECE / 2).into_bytes(), Duration::ZERO)),
        ["endless", ms] => endless(Piece::Endless(b"0,".to_vec(), millis(ms))),
        ["events", "endless", ms] => events(vec![Piece::Endless(event(1).into_bytes(), millis(ms))]),
        ["events", count, ms] => {
            let mut pieces: Vec<Piece> = (1..=number(count))
                .flat_map(|number| [Piece::text(event(number)), Piece::Pause(millis(ms))])
                .collect();
            pieces.push(Piece::text("event: done\ndata: {\"total\":21.5}\n\n"));
            events(pieces)
        }
        ["broken-json"] => Answer::of(200, "application/json", r#"{"value": [1, 2"#),
        ["bom"] => Answer::of(200, "application/json", "\u{feff}{\"value\":\"after a mark\"}"),
        ["gzip"] => Answer::of(200, "application/json", gzip(br#"{"value":"compressed"}"#))
            .header("content-encoding", "gzip"),
        ["latin"] => Answer::of(200, "text/plain; charset=iso-8859-1", b"Z\xfcrich".to_vec()),
        ["headers", bytes] => {
            let value = "h".repeat(usize::try_from(number(bytes)).unwrap_or_default());
            Answer::json(&json!({ "value": "after headers" })).header("x-large", &value)
        }
        ["cookie"] => {
            Answer::json(&json!({ "value": "with a cookie" })).header("set-cookie", "visit=1; path=/")
        }
        ["bearer"] => guarded("Bearer", credentials::bearer(request)),
        ["basic"] => guarded("Basic realm=\"tools\", charset=\"UTF-8\"", credentials::basic(request)),
        ["key"] => guarded("ApiKey", credentials::key(request)),
        ["hmac", algorithm, encoding] => guarded("Hmac", credentials::hmac(request, algorithm, encoding)),
        ["oauth"] => oauth(shared, request).await,
        _ => Answer::json(&json!({ "error": "no such path" })).status(404),
    }
}

fn weather(request: &ToolRequest) -> Answer {
    match request.argument("city").as_deref() {
        Some("Atlantis") => Answer::json(&json!({ "error": { "message": "no such city" } })).status(404),
        city => Answer::json(&json!({
            "city": city.unwrap_or("Berlin"),
            "current": { "temperature": 21.5, "condition": { "text": "Sunny" } },
            "days": [{ "high": 23, "low": 12 }, { "high": 19, "low": 11 }],
        }))
        // A page of another origin may read it: the bench compares a call with the page's own `fetch`.
        .header("access-control-allow-origin", "*"),
    }
}

fn status(code: u64) -> Answer {
    match u16::try_from(code) {
        Ok(code @ (204 | 304)) => Answer::empty(code),
        Ok(code @ 200..=599) => Answer::json(&json!({ "status": code })).status(code),
        _ => Answer::json(&json!({ "error": "no such status" })).status(404),
    }
}

/// The failure for the first requests of exactly this path, then a success.
fn attempt(
    shared: &Shared,
    index: usize,
    request: &ToolRequest,
    failures: u64,
    failure: impl FnOnce() -> Answer,
) -> Answer {
    let state = shared.state.borrow();
    let earlier = state.requests.iter().take(index).filter(|other| other.path == request.path).count();
    if (earlier as u64) < failures { failure() } else { Answer::json(&json!({ "attempt": earlier + 1 })) }
}

/// Makes an order, or finds the one that was made with the same key.
fn order(shared: &Shared, request: &ToolRequest) -> Answer {
    if request.method != "POST" {
        return status(405);
    }
    let key = request.header("idempotency-key").map(str::to_owned);
    let mut number = 0;
    shared.state.send_modify(|State { orders, .. }| {
        let known = orders.iter().find(|order| key.is_some() && order.key == key).map(|order| order.number);
        number = known.unwrap_or(orders.len() + 1);
        if known.is_none() {
            orders.push(Order { number, key, body: request.json() });
        }
    });
    Answer::json(&json!({ "order": number })).status(201)
}

fn endless(piece: Piece) -> Answer {
    Answer::chunked("application/json", vec![Piece::text("["), piece])
}

fn events(pieces: Vec<Piece>) -> Answer {
    Answer::chunked("text/event-stream", pieces).header("cache-control", "no-cache")
}

/// An event whose data has two lines, after a comment.
fn event(number: u64) -> String {
    format!(": comment\nid: {number}\nevent: progress\ndata: step {number}\ndata: of many\n\n")
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    // Neither fails: the bytes go into memory.
    let _ = encoder.write_all(bytes);
    encoder.finish().unwrap_or_default()
}

fn guarded(scheme: &str, checked: Checked) -> Answer {
    match checked {
        Ok(covers) => Answer::json(&json!({ "secret": "for you", "covers": covers })),
        Err(reason) => unauthorized(scheme, reason),
    }
}

fn unauthorized(scheme: &str, reason: &str) -> Answer {
    Answer::json(&json!({ "error": reason })).status(401).header("www-authenticate", scheme)
}

/// Asks the authorization server about the token (RFC 7662).
async fn oauth(shared: &Shared, request: &ToolRequest) -> Answer {
    let Some((url, authorization)) = shared.state.borrow().introspection.clone() else {
        return Answer::json(&json!({ "error": "no authorization server is set" })).status(500);
    };
    let Some(token) = credentials::bearer_token(request) else {
        return unauthorized("Bearer", "no token");
    };
    let body = url::form_urlencoded::Serializer::new(String::new()).append_pair("token", token).finish();
    let question = Request::post(&url)
        .header(AUTHORIZATION, authorization)
        .header(CONTENT_TYPE, "application/x-www-form-urlencoded")
        .body(Full::from(Bytes::from(body)));
    let Ok(question) = question else { return unauthorized("Bearer", "the token cannot be checked") };
    let answer = shared.http.send(question).await;
    let about: Value =
        answer.ok().and_then(|answer| serde_json::from_slice(answer.body()).ok()).unwrap_or_default();
    if about.get("active") == Some(&Value::Bool(true)) {
        Answer::json(
            &json!({ "secret": "for you", "subject": about.get("sub"), "scope": about.get("scope") }),
        )
    } else {
        unauthorized("Bearer error=\"invalid_token\"", "the token is not active")
    }
}

fn number(text: &str) -> u64 {
    text.parse().unwrap_or_default()
}

fn millis(text: &str) -> Duration {
    Duration::from_millis(number(text))
}
