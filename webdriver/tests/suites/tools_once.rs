//! A request of a tool that must not be repeated leaves the browser once, also where the browser would repeat it by itself
//! (`fetch::post_on_a_reused_connection_is_repeated`).

use crate::world::{DEMO, World};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

const BUNDLE: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af101";

/// A server that keeps connections, answers the first request of each and ends the connection at the second; `/fails` is never
/// answered. Returns its host, and the first line of each request.
async fn start_server() -> (String, UnboundedReceiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let host = listener.local_addr().unwrap().to_string();
    let (tell, told) = unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let tell = tell.clone();
            tokio::spawn(async move {
                let mut request = vec![0; 16 * 1024];
                for is_first in [true, false] {
                    let Ok(read @ 1..) = stream.read(&mut request).await else { return };
                    let text = String::from_utf8_lossy(&request[..read]).into_owned();
                    let line = text.lines().next().unwrap_or_default().to_owned();
                    let _closed = tell.send(line.clone());
                    if !is_first || line.contains("/fails") {
                        return;
                    }
                    let answer =
                        "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            });
        }
    });
    (host, told)
}

async fn put_tool(world: &World, slug: &str, method: &str, url: &str) -> String {
    let path = format!("/tools/bundles/{BUNDLE}/tools/{slug}/version/v1");
    let tool = json!({
        "displayName": slug, "description": "Sends.", "type": "http", "isEnabled": true,
        "argSchema": {"type": "object"}, "impl": {"method": method, "urlTemplate": url},
    });
    let (status, made) = world.api("PUT", &path, tool).await;
    assert_eq!((status, &made["effective"]), (201, &json!({"isCallable": true})), "{made}");
    path
}

async fn invoke(world: &World, tool: &str) -> Value {
    let (status, answer) = world.api("POST", &format!("{tool}/invoke"), json!({"args": {}})).await;
    assert_eq!(status, 200, "{answer}");
    answer
}

/// T002-70: a POST that breaks is not sent again, neither by the wallet nor by the browser, and its outcome is unknown. After a
/// worker's death the same holds.
#[tokio::test]
async fn post_is_sent_once() {
    let (host, mut told) = start_server().await;
    let world = World::new(DEMO).await;
    assert_eq!(world.api("PATCH", "/api/settings", json!({"allowedHosts": [host]})).await.0, 200);
    let bundle = json!({"slug": "mine", "displayName": "Mine", "isEnabled": true, "description": ""});
    assert_eq!(world.api("PUT", &format!("/tools/bundles/{BUNDLE}"), bundle).await.0, 201);
    let look = put_tool(&world, "look", "GET", &format!("http://{host}/look")).await;
    let order = put_tool(&world, "order", "POST", &format!("http://{host}/order")).await;
    let broken = put_tool(&world, "broken", "POST", &format!("http://{host}/fails")).await;
    let done = json!({"ok": true, "value": {}});
    assert_eq!(invoke(&world, &look).await, done);
    assert_eq!(invoke(&world, &order).await, done);
    world.browser.kill_worker().await.unwrap();
    assert_eq!(invoke(&world, &order).await, done);
    let error = invoke(&world, &broken).await["error"].as_str().unwrap_or_default().to_owned();
    assert!(error.starts_with("outcome_unknown: "), "{error}");
    let mut lines = Vec::new();
    while let Ok(line) = told.try_recv() {
        lines.push(line.replace(" HTTP/1.1", ""));
    }
    assert_eq!(lines, ["GET /look", "POST /order", "POST /order", "POST /fails"]);
}
