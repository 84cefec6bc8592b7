//! The tool server as a caller sees it: good and bad answers, credentials, holds and records.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod client;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use client::{exchange, rpc, send};
use nodes::tools::credentials::{API_KEY, HMAC_KEY, PASSWORD, TOKEN, USER};
use nodes::tools::{Answer, CallerOutcome, Piece};
use nodes::{ToolServer, When};
use serde_json::{Value, json};
use std::io::Read as _;
use std::process::Command;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

async fn server() -> (ToolServer, String) {
    let server = ToolServer::start().await.unwrap();
    let url = format!("http://{}", server.host());
    (server, url)
}

async fn get(url: &str, path: &str) -> client::Reply {
    send(url, "GET", path, "").await.unwrap()
}

/// Status and JSON of a request with one header.
async fn with(url: &str, path: &str, header: &str) -> (u16, Value) {
    let (head, body) = exchange(url, "GET", path, &format!("{header}\r\n"), "").await.unwrap();
    (head.split(' ').nth(1).unwrap().parse().unwrap(), serde_json::from_slice(&body).unwrap())
}

#[tokio::test]
async fn good_answers() {
    let (server, url) = server().await;
    let weather = get(&url, "/weather?city=K%C3%B6ln").await;
    assert_eq!(
        (weather.status, weather.json()["city"].clone(), weather.json()["current"]["temperature"].clone()),
        (200, json!("Köln"), json!(21.5))
    );
    assert_eq!(get(&url, "/weather?city=Atlantis").await.status, 404);
    assert!(get(&url, "/text").await.body.contains("temperature: 21.5 C"));
    let echo = send(&url, "PATCH", "/echo?a=1&a=2", "{\"x\":1}").await.unwrap().json();
    assert_eq!(
        (echo["method"].clone(), echo["query"].clone(), echo["body"].clone()),
        (json!("PATCH"), json!({"a": "1, 2"}), json!("{\"x\":1}"))
    );
    assert_eq!(echo["headers"]["content-type"], "application/json");
    assert_eq!(get(&url, "/status/418").await.status, 418);
    let empty = get(&url, "/status/204").await;
    assert!(empty.body.is_empty() && !empty.head.contains("content-length"), "{}", empty.head);
    assert_eq!(get(&url, "/nowhere").await.status, 404);
    let head = send(&url, "HEAD", "/large/1000", "").await.unwrap();
    assert_eq!((head.head.contains("content-length: 1000"), head.body.as_str()), (true, ""));
    assert_eq!(get(&url, "/large/1000").await.body.len(), 1000);
    assert_eq!(server.wait_ended("/weather").await.unwrap().outcome, CallerOutcome::Answered);
    assert_eq!(server.requests_of("/weather*").len(), 2);
    assert_eq!((server.count("/echo"), server.count("/text"), server.count("/other")), (1, 1, 0));
}

/// A server in general sends no CORS headers; a preflight is not recorded.
#[tokio::test]
async fn pages_are_let_in_on_request() {
    let (server, url) = server().await;
    assert!(!get(&url, "/text").await.head.contains("access-control"));
    server.open_to_pages();
    assert!(get(&url, "/text").await.head.contains("access-control-allow-origin: *"));
    let preflight =
        exchange(&url, "OPTIONS", "/echo", "access-control-request-method: PUT\r\n", "").await.unwrap().0;
    assert!(preflight.starts_with("http/1.1 204") && preflight.contains("put, patch"), "{preflight}");
    assert_eq!(server.count("/echo"), 0);
    assert_eq!(send(&url, "OPTIONS", "/echo", "").await.unwrap().json()["method"], "OPTIONS");
}

#[tokio::test]
async fn failures_end() {
    let (server, url) = server().await;
    for code in [500, 503, 408, 425] {
        let path = format!("/flaky/2/{code}/{code}");
        let statuses = [get(&url, &path).await.status, get(&url, &path).await.status];
        assert_eq!(statuses, [code, code]);
        assert_eq!(get(&url, &path).await.json(), json!({"attempt": 3}));
    }
    assert_eq!(get(&url, "/flaky/1/503/other").await.status, 503);
    let limited = get(&url, "/limited/1/7/a").await;
    assert_eq!((limited.status, limited.head.contains("retry-after: 7")), (429, true));
    assert_eq!(get(&url, "/limited/1/7/a").await.status, 200);
    let until = get(&url, "/limited-until/1/90/a").await;
    let date = until.head.lines().find_map(|line| line.strip_prefix("retry-after: ")).unwrap();
    // The client has lower-cased the head.
    assert!(until.status == 429 && date.ends_with(" gmt") && date.contains(", "), "{date}");
    assert_eq!(server.count("/flaky/*"), 13);
}

#[tokio::test]
async fn redirects() {
    let (_server, url) = server().await;
    for (code, to) in [
        (301, "/echo"),
        (302, "http://localhost:1/x"),
        (307, "https://127.0.0.1/"),
        (308, "//other.example/"),
    ] {
        let encoded: String = url::form_urlencoded::byte_serialize(to.as_bytes()).collect();
        let reply = get(&url, &format!("/redirect/{code}?to={encoded}")).await;
        assert_eq!(
            (reply.status, reply.head.contains(&format!("location: {to}"))),
            (code, true),
            "{}",
            reply.head
        );
    }
    assert!(get(&url, "/redirect/302").await.head.contains("location: /echo"));
}

#[tokio::test]
async fn broken_answers() {
    let (server, url) = server().await;
    assert_eq!(send(&url, "GET", "/drop", "").await, None);
    let cut = get(&url, "/cut").await;
    assert!(cut.head.contains("content-length: 1000") && cut.body.len() < 100, "{cut:?}");
    let chunked = get(&url, "/cut-chunked").await;
    assert!(chunked.head.contains("transfer-encoding: chunked") && !chunked.body.ends_with("0\r\n\r\n"));
    for path in ["/drop", "/cut", "/cut-chunked"] {
        assert_eq!(server.wait_ended(path).await.unwrap().outcome, CallerOutcome::Dropped, "{path}");
    }
    let lie = get(&url, "/length/5").await;
    assert_eq!((lie.head.contains("content-length: 5"), lie.body.len()), (true, 17));
    assert!(serde_json::from_str::<Value>(&get(&url, "/broken-json").await.body).is_err());
    assert!(get(&url, "/bom").await.body.starts_with('\u{feff}'));
    assert!(get(&url, "/headers/300000").await.head.len() > 300_000);
    assert!(get(&url, "/cookie").await.head.contains("set-cookie: visit=1"));
    let (head, body) = exchange(&url, "GET", "/gzip", "", "").await.unwrap();
    let mut text = String::new();
    flate2::read::GzDecoder::new(body.as_slice()).read_to_string(&mut text).unwrap();
    assert_eq!((head.contains("content-encoding: gzip"), text.as_str()), (true, r#"{"value":"compressed"}"#));
    assert_eq!(exchange(&url, "GET", "/latin", "", "").await.unwrap().1, b"Z\xfcrich");
}

/// Connects, sends a GET and reads some bytes of the answer.
async fn beginning(server: &ToolServer, path: &str, bytes: usize) -> (TcpStream, Vec<u8>) {
    let mut stream = TcpStream::connect(server.host()).await.unwrap();
    stream.write_all(format!("GET {path} HTTP/1.1\r\nhost: h\r\n\r\n").as_bytes()).await.unwrap();
    let mut begun = vec![0; bytes];
    stream.read_exact(&mut begun).await.unwrap();
    (stream, begun)
}

/// Bodies without an end go on until the caller leaves, and the record says so.
#[tokio::test]
async fn endless_bodies() {
    let (server, _) = server().await;
    for (path, bytes) in [("/endless", 3_000_000), ("/endless/1", 300), ("/events/endless/1", 1000)] {
        let (stream, begun) = beginning(&server, path, bytes).await;
        assert!(String::from_utf8(begun).unwrap().contains("transfer-encoding: chunked"));
        assert_eq!(server.requests_of(path)[0].outcome, CallerOutcome::Pending);
        drop(stream);
        let ended = server.wait_ended(path).await.unwrap();
        assert_eq!(ended.outcome, CallerOutcome::Left);
        assert!(ended.sent > bytes / 20, "{path}: {}", ended.sent);
    }
}

#[tokio::test]
async fn server_sent_events() {
    let (_server, url) = server().await;
    let begun = Instant::now();
    let reply = get(&url, "/events/3/20").await;
    assert!(begun.elapsed() >= Duration::from_millis(60));
    assert!(reply.head.contains("content-type: text/event-stream"), "{}", reply.head);
    assert_eq!(reply.body.matches("event: progress\ndata: step ").count(), 3);
    assert!(reply.body.contains("data: step 3\ndata: of many\n\n"));
    assert!(reply.body.ends_with("event: done\ndata: {\"total\":21.5}\n\n\r\n0\r\n\r\n"), "{}", reply.body);
}

#[tokio::test]
async fn slow_and_silent() {
    let (server, url) = server().await;
    let begun = Instant::now();
    assert_eq!(get(&url, "/slow/50").await.json(), json!({"slow": true}));
    assert!(begun.elapsed() >= Duration::from_millis(50));
    let silent = tokio::spawn(async move { send(&url, "GET", "/silent", "").await });
    server.wait_count("/silent", 1).await.unwrap();
    silent.abort();
    assert_eq!(server.wait_ended("/silent").await.unwrap().outcome, CallerOutcome::Left);
}

#[tokio::test]
async fn credentials_are_checked() {
    let (_server, url) = server().await;
    for path in ["/bearer", "/basic", "/key", "/hmac/sha256/hex"] {
        let reply = get(&url, path).await;
        assert_eq!((reply.status, reply.head.contains("www-authenticate: ")), (401, true), "{path}");
    }
    let encoded_key: String = url::form_urlencoded::byte_serialize(API_KEY.as_bytes()).collect();
    let basic = |password: &str| STANDARD.encode(format!("{USER}:{password}"));
    for (path, header, covers) in [
        ("/bearer".to_owned(), format!("Authorization: Bearer {TOKEN}"), Some("bearer")),
        ("/bearer".to_owned(), "Authorization: Bearer other".to_owned(), None),
        ("/basic".to_owned(), format!("Authorization: Basic {}", basic(PASSWORD)), Some("basic")),
        ("/basic".to_owned(), format!("Authorization: Basic {}", basic("wrong")), None),
        ("/key".to_owned(), format!("X-Api-Key: {API_KEY}"), Some("header")),
        ("/key".to_owned(), format!("X-Api-Key: {API_KEY}x"), None),
        (format!("/key?api_key={encoded_key}"), "x: y".to_owned(), Some("query")),
        (format!("/key?api_key={API_KEY}"), "x: y".to_owned(), None),
    ] {
        let (status, body) = with(&url, &path, &header).await;
        let found = (status == 200).then(|| body["covers"].as_str().unwrap());
        assert_eq!(found, covers, "{path} {header}: {body}");
    }
}

/// The signature that another implementation makes, the one in Node, is accepted; any change of the request is not.
#[tokio::test]
async fn signatures_are_checked() {
    let (_server, url) = server().await;
    let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs();
    for (algorithm, encoding) in
        [("sha256", "hex"), ("sha256", "base64"), ("sha512", "hex"), ("sha512", "base64")]
    {
        let path = format!("/hmac/{algorithm}/{encoding}");
        let target = format!("{path}?city=K%C3%B6ln");
        let cases = [
            (&path, &target, "{\"a\":\"ü\"}", now, 200, json!("path")),
            (&target, &target, "{\"a\":\"ü\"}", now * 1000, 200, json!("target")),
            (&target, &path, "{\"a\":\"ü\"}", now, 401, Value::Null),
            (&path, &path, "{\"a\":\"u\"}", now, 401, Value::Null),
            (&path, &path, "{\"a\":\"ü\"}", now - 1000, 401, Value::Null),
        ];
        let messages = cases.iter().map(|case| format!("POST\n{}\n{}\n{{\"a\":\"ü\"}}", case.0, case.3));
        for (signature, case) in signatures(algorithm, encoding, messages).iter().zip(&cases) {
            let (signed, sent, body, timestamp, status, covers) = case;
            let headers = format!("X-Signature: {signature}\r\nX-Timestamp: {timestamp}\r\n");
            let (head, answer) = exchange(&url, "POST", sent, &headers, body).await.unwrap();
            let answer: Value = serde_json::from_slice(&answer).unwrap();
            assert!(
                head.starts_with(&format!("http/1.1 {status}")),
                "{signed} {sent} {timestamp}: {head} {answer}"
            );
            assert_eq!(answer["covers"], *covers);
        }
    }
}

/// The signatures that Node makes.
fn signatures(algorithm: &str, encoding: &str, messages: impl Iterator<Item = String>) -> Vec<String> {
    let program = "const [algorithm, key, encoding, ...messages] = process.argv.slice(1); \
        const { createHmac } = require('node:crypto'); \
        for (const message of messages) console.log(createHmac(algorithm, key).update(message).digest(encoding))";
    let made = Command::new("node")
        .args(["-e", program, algorithm, HMAC_KEY, encoding])
        .args(messages)
        .output()
        .unwrap();
    String::from_utf8(made.stdout).unwrap().lines().map(str::to_owned).collect()
}

/// An order is made once for every key, and once for every request without one.
#[tokio::test]
async fn orders_are_made_once_for_a_key() {
    let (server, url) = server().await;
    let order = async |key: &str| {
        let headers = if key.is_empty() { String::new() } else { format!("Idempotency-Key: {key}\r\n") };
        let (_, body) = exchange(&url, "POST", "/orders", &headers, "{\"tea\":1}").await.unwrap();
        serde_json::from_slice::<Value>(&body).unwrap()["order"].as_u64().unwrap()
    };
    let numbers = [order("a").await, order("a").await, order("b").await, order("").await, order("").await];
    assert_eq!(numbers, [1, 1, 2, 3, 4]);
    assert_eq!(server.idempotency_keys("/orders"), ["a", "a", "b"]);
    let orders = server.orders();
    assert_eq!(
        (orders.len(), orders[1].key.as_deref(), orders[1].body.clone()),
        (4, Some("b"), json!({"tea": 1}))
    );
    assert_eq!(get(&url, "/orders").await.status, 405);
}

#[tokio::test]
async fn answers_are_set_by_tests() {
    let (server, url) = server().await;
    server.next(1, "/weather", Answer::json(&json!([1])).status(502));
    server.next(1, "/weather", Answer::dropped());
    server.always("/own*", Answer::text("own").after(Duration::from_millis(1)).header("x-own", "yes"));
    server.next(1, "/two", Answer::chunked("text/plain", vec![Piece::text("a"), Piece::text("b")]));
    assert_eq!(get(&url, "/weather").await.status, 502);
    assert_eq!(send(&url, "GET", "/weather", "").await, None);
    assert_eq!(get(&url, "/weather").await.status, 200);
    assert_eq!(get(&url, "/two").await.body, "1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
    let own = get(&url, "/own/x").await;
    assert_eq!((own.body.as_str(), own.head.contains("x-own: yes")), ("own", true));
    server.clear();
    assert_eq!(get(&url, "/own/x").await.status, 404);
}

/// A request that was held is handled when released, also if its caller is gone: nothing on a wire is called back.
#[tokio::test]
async fn held_requests() {
    let (server, url) = server().await;
    let post = || {
        let url = url.clone();
        tokio::spawn(async move { send(&url, "POST", "/orders", "{}").await })
    };
    let mut held = server.hold("/orders", When::Before);
    let request = post();
    assert_eq!(held.wait_arrived().await.unwrap().method, "POST");
    assert_eq!((server.orders().len(), request.is_finished()), (0, false));
    held.release();
    assert_eq!(request.await.unwrap().unwrap().status, 201);

    let mut held = server.hold("/orders", When::Before);
    let request = post();
    held.wait_arrived().await.unwrap();
    request.abort();
    assert_eq!(server.wait_ended("/orders").await.unwrap().outcome, CallerOutcome::Left);
    assert_eq!(server.orders().len(), 1);
    held.release();
    let handled = |requests: &[nodes::tools::ToolRequest]| requests[1].handled.then_some(());
    server.wait_for("the order", handled, Duration::from_secs(60)).await.unwrap();

    let mut held = server.hold("/orders", When::After);
    let request = post();
    held.wait_arrived().await.unwrap();
    assert_eq!(server.orders().len(), 3);
    held.drop_connection();
    assert_eq!(request.await.unwrap(), None);

    let mut held = server.hold("/orders", When::Before);
    let request = post();
    held.wait_arrived().await.unwrap();
    held.drop_connection();
    assert_eq!((request.await.unwrap(), server.orders().len()), (None, 3));
    server.wait_ended("/orders").await.unwrap();
    let outcomes: Vec<_> = server.requests().iter().map(|one| (one.handled, one.outcome)).collect();
    assert_eq!(
        outcomes,
        [
            (true, CallerOutcome::Answered),
            (true, CallerOutcome::Left),
            (true, CallerOutcome::Dropped),
            (false, CallerOutcome::Dropped)
        ]
    );
}

#[tokio::test]
async fn garbage_is_dropped_and_waits_end() {
    let (server, url) = server().await;
    let mut stream = TcpStream::connect(server.host()).await.unwrap();
    stream.write_all(b"nonsense\r\n\r\n").await.unwrap();
    assert_eq!(stream.read(&mut [0; 8]).await.unwrap(), 0);
    assert_eq!(rpc(&url, "a", json!([])).await.unwrap().status, 404);
    server.wait_ended("/").await.unwrap();
    let error = server.wait_for("b", |_| None::<()>, Duration::from_millis(1)).await.unwrap_err();
    assert_eq!(error.code(), "timeout");
    assert!(error.to_string().contains("/ Answered"), "{error}");
}
