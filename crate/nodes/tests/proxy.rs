//! The proxy in front of a counting server: faults, holds and records are as requested.

#![allow(clippy::unwrap_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod client;

use client::{rpc, send};
use nodes::proxy::{Answer, CallerOutcome};
use nodes::{Fault, Proxy, When};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

/// Answers every request with the number of requests so far.
struct Server {
    url: String,
    asked: Arc<AtomicUsize>,
}

impl Server {
    async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let asked = Arc::new(AtomicUsize::new(0));
        let counter = Arc::clone(&asked);
        tokio::spawn(async move {
            while let Ok((mut stream, _)) = listener.accept().await {
                let mut request = vec![0; 16 * 1024];
                let _ = stream.read(&mut request).await;
                let count = counter.fetch_add(1, Ordering::SeqCst) + 1;
                let body = json!({ "jsonrpc": "2.0", "id": 7, "result": count }).to_string();
                let head =
                    format!("HTTP/1.1 201 Created\r\nx-own: yes\r\ncontent-length: {}\r\n", body.len());
                let _ = stream.write_all(format!("{head}connection: close\r\n\r\n{body}").as_bytes()).await;
            }
        });
        Self { url, asked }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

async fn pair() -> (Server, Proxy) {
    let server = Server::start().await;
    let proxy = Proxy::start(&server.url).await.unwrap();
    (server, proxy)
}

#[tokio::test]
async fn passes_and_records() {
    let (server, proxy) = pair().await;
    let reply = rpc(&proxy.url(), "a", json!([1])).await.unwrap();
    assert_eq!((reply.status, reply.json()["result"].clone()), (201, json!(1)));
    assert!(reply.head.contains("x-own: yes"), "{}", reply.head);
    send(&proxy.url(), "GET", "/path/x?y=1", "").await.unwrap();
    let calls = proxy.calls();
    let names: Vec<&str> = calls.iter().map(|call| call.name.as_str()).collect();
    assert_eq!(names, ["a", "/path/x"]);
    assert_eq!((calls[0].body["params"].clone(), calls[1].path.as_str()), (json!([1]), "/path/x?y=1"));
    let answer = Answer { status: 201, body: json!({ "jsonrpc": "2.0", "id": 7, "result": 2 }) };
    assert_eq!(
        (calls[1].answer.clone(), calls[1].outcome.clone()),
        (Some(answer), CallerOutcome::NodeAnswer)
    );
    assert_eq!((proxy.count("a"), proxy.count("/path/*"), proxy.count("b"), server.asked()), (1, 1, 0, 2));
}

/// A CORS preflight is not recorded as a call, and the node answers it.
#[tokio::test]
async fn preflight_is_answered_by_the_node() {
    let (server, proxy) = pair().await;
    assert_eq!(send(&proxy.url(), "OPTIONS", "/", "").await.unwrap().status, 201);
    assert_eq!((proxy.calls().len(), server.asked()), (0, 1));
}

#[tokio::test]
async fn lost_request_and_lost_answer_differ_for_the_node() {
    let (server, proxy) = pair().await;
    proxy.next(1, "a", Fault::Refuse);
    proxy.next(1, "a", Fault::LoseAnswer);
    assert_eq!(rpc(&proxy.url(), "a", json!([])).await, None);
    assert_eq!(server.asked(), 0);
    assert_eq!(rpc(&proxy.url(), "a", json!([])).await, None);
    assert_eq!(server.asked(), 1);
    assert!(rpc(&proxy.url(), "a", json!([])).await.is_some(), "two faults, and no more");
    let calls = proxy.calls();
    let seen: Vec<_> = calls.iter().map(|call| (call.reached_node(), call.outcome.clone())).collect();
    assert_eq!(
        seen,
        [(false, CallerOutcome::Dropped), (true, CallerOutcome::Dropped), (true, CallerOutcome::NodeAnswer)]
    );
}

#[tokio::test]
async fn made_up_answers_do_not_reach_the_node() {
    let (server, proxy) = pair().await;
    proxy.next(1, "a", Fault::Status(429, Some(3)));
    proxy.next(1, "a", Fault::Body("<html>".to_owned()));
    proxy.next(1, "a", Fault::Huge(100_000));
    proxy.next(1, "a", Fault::Answer(json!("0x2")));
    let reply = rpc(&proxy.url(), "a", json!([])).await.unwrap();
    assert_eq!((reply.status, reply.body.as_str()), (429, ""));
    assert!(reply.head.contains("retry-after: 3"), "{}", reply.head);
    assert!(reply.head.contains("access-control-allow-origin: *"), "{}", reply.head);
    let reply = rpc(&proxy.url(), "a", json!([])).await.unwrap();
    assert_eq!((reply.status, reply.body.as_str()), (200, "<html>"));
    assert!(rpc(&proxy.url(), "a", json!([])).await.unwrap().body.len() > 100_000);
    let reply = rpc(&proxy.url(), "a", json!([])).await.unwrap();
    assert_eq!(reply.json(), json!({ "jsonrpc": "2.0", "id": 7, "result": "0x2" }));
    assert_eq!(server.asked(), 0);
    assert!(
        proxy.calls().iter().all(|call| call.outcome == CallerOutcome::MadeUpAnswer && !call.reached_node())
    );
}

#[tokio::test]
async fn fault_lasts_until_cleared() {
    let (server, proxy) = pair().await;
    proxy.always("*", Fault::Refuse);
    for method in ["a", "b"] {
        assert_eq!(rpc(&proxy.url(), method, json!([])).await, None);
    }
    proxy.clear();
    proxy.next(1, "a", Fault::Delay(Duration::from_millis(1)));
    assert!(rpc(&proxy.url(), "a", json!([])).await.is_some());
    assert_eq!(server.asked(), 1);
}

/// Sends in the background, as the wallet does while a test uses the proxy.
fn sent(proxy: &Proxy) -> tokio::task::JoinHandle<Option<client::Reply>> {
    let url = proxy.url();
    tokio::spawn(async move { rpc(&url, "a", json!([])).await })
}

#[tokio::test]
async fn request_is_held_before_the_node() {
    let (server, proxy) = pair().await;
    let mut held = proxy.hold("a", When::Before);
    let request = sent(&proxy);
    assert_eq!(held.wait_arrived().await.unwrap().name, "a");
    assert_eq!((server.asked(), request.is_finished()), (0, false));
    held.release();
    assert_eq!(request.await.unwrap().unwrap().json()["result"], json!(1));

    let mut held = proxy.hold("a", When::Before);
    let request = sent(&proxy);
    held.wait_arrived().await.unwrap();
    held.drop_connection();
    assert_eq!((request.await.unwrap(), server.asked()), (None, 1));
}

#[tokio::test]
async fn answer_is_held_before_the_caller() {
    let (server, proxy) = pair().await;
    let mut held = proxy.hold("a", When::After);
    let request = sent(&proxy);
    let call = held.wait_arrived().await.unwrap();
    assert_eq!(call.answer.unwrap().body["result"], Value::from(1));
    assert_eq!((server.asked(), request.is_finished()), (1, false));
    held.drop_connection();
    assert_eq!(request.await.unwrap(), None);
    assert_eq!(proxy.calls()[0].outcome, CallerOutcome::Dropped);
    assert!(rpc(&proxy.url(), "a", json!([])).await.is_some(), "one request is held, not the next");
}

/// A request in transit is not cancelled when its sender is killed.
#[tokio::test]
async fn request_of_a_killed_caller_arrives() {
    let (server, proxy) = pair().await;
    let mut held = proxy.hold("a", When::Before);
    let request = sent(&proxy);
    held.wait_arrived().await.unwrap();
    request.abort();
    assert!(request.await.unwrap_err().is_cancelled());
    held.release();
    let answered = |calls: &[nodes::proxy::Call]| calls[0].reached_node().then_some(());
    proxy.wait_for("the answer", answered, Duration::from_secs(60)).await.unwrap();
    assert_eq!(server.asked(), 1);
}

#[tokio::test]
async fn dropped_hold_releases_the_request() {
    let (_server, proxy) = pair().await;
    drop(proxy.hold("a", When::Before));
    assert!(rpc(&proxy.url(), "a", json!([])).await.is_some());
    let error = proxy.wait_for("b", |_| None::<()>, Duration::from_millis(1)).await.unwrap_err();
    assert_eq!(error.code(), "timeout");
    proxy.wait_count("a", 1).await.unwrap();
}
