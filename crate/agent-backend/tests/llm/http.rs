//! Over sockets: the client to the model, the server for the wallet, the program.

use crate::client;
use crate::stand_in::{KEY, Say, StandIn, Turn};
use crate::wallet::{Answer, tools};
use agent_backend::Request;
use agent_backend::llm::{Api, Endpoint, Key, LlmOptions, LlmServer};
use serde_json::{Value, json};
use std::process::Stdio;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};

/// Serves a stand-in on a port; one request a connection.
async fn serve(model: StandIn) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let model = model.clone();
            tokio::spawn(async move { exchange(stream, &model).await });
        }
    });
    url
}

async fn exchange(stream: TcpStream, model: &StandIn) {
    let mut stream = BufReader::new(stream);
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await.unwrap_or(0) == 0 || line == "\r\n" {
            break;
        }
        if let Some((name, value)) = line.trim().split_once(": ") {
            headers.push((name.to_lowercase(), value.to_owned()));
        }
    }
    let length = headers.iter().find(|(name, _)| name == "content-length").unwrap().1.parse().unwrap();
    let mut body = vec![0; length];
    stream.read_exact(&mut body).await.unwrap();
    let Some(spoken) = model.answer(&headers, &body).await else { return };
    let mut head = format!("HTTP/1.1 {} X\r\ntransfer-encoding: chunked\r\n", spoken.status);
    spoken.headers.iter().for_each(|(name, value)| head.push_str(&format!("{name}: {value}\r\n")));
    stream.write_all(format!("{head}\r\n").as_bytes()).await.unwrap();
    for chunk in spoken.body.chunks(model.chunk) {
        let _ = stream.write_all(format!("{:x}\r\n", chunk.len()).as_bytes()).await;
        let _ = stream.write_all(chunk).await;
        let _ = stream.write_all(b"\r\n").await;
    }
    if !spoken.breaks {
        let _ = stream.write_all(b"0\r\n\r\n").await;
    }
    let _ = stream.flush().await;
}

async fn said(url: &str, key: &str) -> Answer {
    let opened = client::send_to(url, &client::opening()).await.unwrap().json();
    let body = json!({"public_key": "p", "content": "go", "context": {"tools": tools()}});
    let request = client::message(opened["id"].as_str().unwrap(), key, &body);
    Answer::of(&client::send_to(url, &request).await.unwrap().body())
}

/// The whole way over HTTP, with the base URL of either API, and with a stream that breaks off first.
#[tokio::test]
async fn over_http() {
    for (api, path) in [(Api::OpenAi, "/v1"), (Api::Anthropic, "/v1/messages")] {
        let broken = Say::Bytes { kind: "text/event-stream", bytes: b": hello\n\n".to_vec(), breaks: true };
        let turn = Turn::said("Paying.").call("c", "pay", "{}");
        let url = serve(StandIn::new(api, [broken, Say::Turn(turn)])).await;
        let endpoint = Endpoint::new(&format!("{url}{path}"), None).unwrap();
        assert_eq!(endpoint.api, api);
        let mut options = LlmOptions::new(endpoint, "m");
        options.key = Some(Key::new(KEY));
        options.limits.first_wait = std::time::Duration::from_millis(1);
        let server = LlmServer::start(options, 0).await.unwrap();
        let answer = said(&server.url(), "k").await;
        assert_eq!((answer.text().as_str(), answer.actions().len(), answer.error()), ("Paying.", 1, None));
    }
}

/// Web pages are refused: they would spend the user's key. Extensions and programs are not.
#[tokio::test]
async fn web_pages_are_refused() {
    let endpoint = Endpoint::new("http://127.0.0.1:9", None).unwrap();
    let mut options = LlmOptions::new(endpoint, "m");
    options.token = Some("t".to_owned());
    let server = LlmServer::start(options, 0).await.unwrap();
    let from = async |origin: &str, method: &str, token: &str| {
        let mut request =
            client::opening().header("Origin", origin).header("Authorization", format!("Bearer {token}"));
        request.method = method.to_owned();
        let reply = client::send_to(&server.url(), &request).await.unwrap();
        (reply.status, reply.header("access-control-allow-origin").map(str::to_owned))
    };
    let extension = "chrome-extension://abcdefgh";
    assert_eq!(from("https://evil.example", "POST", "t").await, (403, None));
    assert_eq!(from("https://evil.example", "OPTIONS", "t").await, (403, None));
    assert_eq!(from("null", "POST", "t").await, (403, None));
    assert_eq!(from(extension, "OPTIONS", "").await, (204, Some(extension.to_owned())));
    assert_eq!(from(extension, "POST", "t").await, (200, Some(extension.to_owned())));
    assert_eq!(from(extension, "POST", "x").await, (401, Some(extension.to_owned())));
    let without = client::opening().header("Authorization", "Bearer t");
    assert_eq!(client::send_to(&server.url(), &without).await.unwrap().status, 200);
}

/// A server that is not there ends the answer with the reason.
#[tokio::test]
async fn no_server() {
    let mut options = LlmOptions::new(Endpoint::new("http://127.0.0.1:9", None).unwrap(), "m");
    options.limits.retries = 1;
    options.limits.first_wait = std::time::Duration::from_millis(1);
    let server = LlmServer::start(options, 0).await.unwrap();
    let error = said(&server.url(), "k").await.error().unwrap();
    assert!(error.starts_with("model_unreachable: "), "{error}");
}

/// `countersign-agent --llm URL --model NAME`: the key comes from the environment and is printed nowhere.
#[tokio::test]
async fn program() {
    let model = StandIn::new(Api::OpenAi, [Say::Turn(Turn::said("Hello."))]);
    let url = serve(model.clone()).await;
    let mut program = tokio::process::Command::new(env!("CARGO_BIN_EXE_countersign-agent"))
        .args(["--llm", &url, "--model", "m-1", "--max-turns", "3"])
        .env("COUNTERSIGN_LLM_KEY", KEY)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let agent = lines.next_line().await.unwrap().unwrap();
    assert_eq!(said(&agent, "k").await.text(), "Hello.");
    assert_eq!(model.asked()[0]["model"], json!("m-1"));
    program.kill().await.unwrap();
    let mut printed = String::new();
    program.stderr.take().unwrap().read_to_string(&mut printed).await.unwrap();
    assert!(
        printed.contains(&format!("{url}/v1/chat/completions (chat completions, with a key)")),
        "{printed}"
    );
    assert!(!printed.contains(KEY));
    assert_eq!(lines.next_line().await.unwrap(), None);
}

/// What is wrong with a request is said as the scripted agent says it.
#[tokio::test]
async fn refusals() {
    let options = LlmOptions::new(Endpoint::new("http://127.0.0.1:9", None).unwrap(), "m");
    let server = LlmServer::start(options, 0).await.unwrap();
    let id = client::send_to(&server.url(), &client::opening()).await.unwrap().json()["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let mut keyless = client::said(&id, "k", "go");
    keyless.headers.retain(|(name, _)| name != "Idempotency-Key");
    let both = json!({"public_key": "p", "content": "a", "inbox": []});
    for (request, status, code) in [
        (Request::post("/agent/starters", &json!({})), 404, "not_found"),
        (client::said("nowhere", "k", "go"), 404, "unknown_conversation"),
        (keyless, 400, "idempotency_key_missing"),
        (client::message(&id, "k", &json!({"public_key": "p"})), 400, "invalid_request"),
        (client::message(&id, "k", &both), 400, "invalid_request"),
        (client::message(&id, "k", &json!({"public_key": "p", "inbox": [7]})), 422, "invalid_inbox"),
    ] {
        let reply = client::send_to(&server.url(), &request).await.unwrap();
        let body: Value = reply.json();
        assert_eq!((reply.status, &body["error"]["code"]), (status, &json!(code)));
    }
}
