//! Every fault has its effect, seen by a client over a socket.

#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests")]

mod client;

use agent_backend::{At, Fault, Kind};
use client::{Call, LONG, actions, agent, done, events, message, open, opening, said, send, start};
use serde_json::json;

const CLEAN: &str =
    "text = \"one two\"\nactions = [{ id = \"a1\", type = \"x\" }, { id = \"a2\", type = \"y\" }]\n";

/// The turn of all these tests, with one fault.
async fn faulty(fault: &str) -> (agent_backend::Agent, String) {
    let agent = agent(&format!("{CLEAN}[[turn.fault]]\n{fault}")).await;
    let conversation = open(&agent).await;
    (agent, conversation)
}

async fn names(fault: &str) -> Vec<String> {
    let (agent, conversation) = faulty(fault).await;
    let reply = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    assert!(reply.complete);
    events(&reply.text()).into_iter().map(|(name, _)| name).collect()
}

#[tokio::test]
async fn without_a_fault() {
    let agent = agent(CLEAN).await;
    let conversation = open(&agent).await;
    let reply = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    assert_eq!((reply.status, reply.complete), (200, true));
    assert_eq!(reply.header("content-type"), Some("text/event-stream"));
    let events = events(&reply.text());
    let names: Vec<_> = events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["text_delta", "text_delta", "actions", "message", "done"]);
    assert_eq!(events[0].1, r#"{"delta":"one "}"#);
    assert_eq!(actions(&reply.text()), [json!({"id": "a1", "type": "x"}), json!({"id": "a2", "type": "y"})]);
}

/// The connection ends inside the event, earlier events arrive, and the repeat brings the whole answer.
#[tokio::test]
async fn cut_inside_an_event_once() {
    let (agent, conversation) = faulty("kind = \"cut\"\ninside_event = 3\ntimes = 1").await;
    let cut = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    let whole = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    assert_eq!((cut.status, cut.complete, whole.complete), (200, false, true));
    assert!(whole.text().starts_with(&cut.text()));
    let last = cut.text().split("\n\n").last().unwrap().to_owned();
    assert!(last.starts_with("event: actions\ndata: {") && !last.ends_with('}'), "{last}");
}

#[tokio::test]
async fn cut_after_bytes_and_after_events() {
    for (place, expected) in [
        ("after_bytes = 0", ""),
        ("after_bytes = 20", "event: text_delta\nda"),
        ("after_event = 0", ""),
        ("after_event = 1", "event: text_delta\ndata: {\"delta\":\"one \"}\n\n"),
    ] {
        let (agent, conversation) = faulty(&format!("kind = \"cut\"\n{place}")).await;
        for _ in 0..2 {
            let reply = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
            assert_eq!((reply.text().as_str(), reply.complete), (expected, false), "{place}");
        }
    }
}

/// The whole answer is lost, but the agent has the result: the second arrival is a repeat.
#[tokio::test]
async fn cut_before_headers() {
    let agent = agent(CLEAN).await;
    let conversation = open(&agent).await;
    send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    agent.set_fault(Fault::cut(At::BeforeHeaders).on_results().times(1));
    assert_eq!(send(&agent, &done(&conversation, "r", "x", "a1")).await, None);
    assert_eq!(send(&agent, &done(&conversation, "r", "x", "a1")).await.unwrap().status, 200);
    let repeats: Vec<_> =
        agent.results().into_iter().map(|result| (result.action_id, result.repeat)).collect();
    assert_eq!(repeats, [("a1".to_owned(), false), ("a1".to_owned(), true)]);
    assert_eq!(agent.violations(), [] as [&str; 0]);
}

#[tokio::test]
async fn stall_in_a_turn_until_released() {
    let (agent, conversation) = faulty("kind = \"stall\"\nafter_event = 2").await;
    let mut call = Call::send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    call.read_until("\"two\"").await;
    agent.wait_for(|state| (state.held() == 1).then_some(()), LONG).await.unwrap();
    assert!(!String::from_utf8_lossy(&call.received).contains("actions"));
    agent.release();
    let reply = call.finish().await.unwrap();
    assert!(reply.complete && reply.text().contains("event: done"));
    assert_eq!(agent.held(), 0);
}

/// A client that disconnects is detected, in the body and before the headers.
#[tokio::test]
async fn stall_until_the_client_leaves() {
    for place in ["before_headers = true", "after_event = 1"] {
        let (agent, conversation) = faulty(&format!("kind = \"stall\"\n{place}")).await;
        let call = Call::send(&agent, &said(&conversation, "k", "go")).await.unwrap();
        agent.wait_for(|state| (state.held() == 1).then_some(()), LONG).await.unwrap();
        drop(call);
        agent.wait_for(|state| (state.held() == 0).then_some(()), LONG).await.unwrap();
    }
}

/// Results are accepted and held before their headers; a release answers them and ends the holding.
#[tokio::test]
async fn hold_results_at_run_time() {
    let agent = agent(CLEAN).await;
    let conversation = open(&agent).await;
    agent.set_fault(Fault::hold_results());
    assert!(send(&agent, &said(&conversation, "k", "go")).await.unwrap().complete);
    let call = Call::send(&agent, &done(&conversation, "r1", "x", "a1")).await.unwrap();
    agent.wait_for(|state| (state.held() == 1).then_some(()), LONG).await.unwrap();
    assert_eq!(agent.results().len(), 1);
    agent.release();
    assert_eq!(call.finish().await.unwrap().status, 200);
    assert_eq!(send(&agent, &done(&conversation, "r2", "y", "a2")).await.unwrap().status, 200);
    assert_eq!(agent.violations(), [] as [&str; 0]);
}

/// A fault that does not apply to a short answer waits for one to which it does.
#[tokio::test]
async fn stall_at_run_time_waits_for_its_event() {
    let agent = agent(CLEAN).await;
    let conversation = open(&agent).await;
    agent.set_fault(Fault::stall(At::AfterEvent(4)).times(1));
    assert!(send(&agent, &done(&conversation, "r", "x", "")).await.unwrap().complete);
    let mut call = Call::send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    call.read_until("event: message").await;
    agent.wait_for(|state| (state.held() == 1).then_some(()), LONG).await.unwrap();
    agent.release();
    assert!(call.finish().await.unwrap().complete);
}

/// At run time a status refuses before reading: the result that comes again is the first.
#[tokio::test]
async fn status_at_run_time() {
    let agent = agent(CLEAN).await;
    let conversation = open(&agent).await;
    send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    agent.set_fault(Fault::new(Kind::Status { status: 429, retry_after: Some(7) }).on_results().times(2));
    for _ in 0..2 {
        let reply = send(&agent, &done(&conversation, "r", "x", "a1")).await.unwrap();
        assert_eq!((reply.status, reply.header("retry-after")), (429, Some("7")));
        assert!(send(&agent, &said(&conversation, "k", "go")).await.unwrap().complete);
    }
    assert_eq!(send(&agent, &done(&conversation, "r", "x", "a1")).await.unwrap().status, 200);
    assert_eq!(agent.results().iter().map(|result| result.repeat).collect::<Vec<_>>(), [false]);

    agent.set_fault(Fault::status(503));
    assert_eq!(send(&agent, &opening()).await.unwrap().status, 503);
    assert_eq!(send(&agent, &said(&conversation, "l", "go")).await.unwrap().status, 503);
    agent.clear_faults();
    assert_eq!(send(&agent, &said(&conversation, "l", "go")).await.unwrap().status, 200);
}

/// In a turn a status comes after the result was accepted: the client sends it again as a repeat.
#[tokio::test]
async fn status_in_a_turn() {
    let agent = start(&format!(
        "[[turn]]\nwhen.message = \"go\"\n{CLEAN}\n\
         [[turn]]\nwhen.any_result = true\n[[turn.fault]]\nkind = \"status\"\nstatus = 500\ntimes = 1"
    ))
    .await;
    let conversation = open(&agent).await;
    send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    assert_eq!(send(&agent, &done(&conversation, "r", "x", "a1")).await.unwrap().status, 500);
    assert_eq!(send(&agent, &done(&conversation, "r", "x", "a1")).await.unwrap().status, 200);
    assert_eq!(agent.results().iter().map(|result| result.repeat).collect::<Vec<_>>(), [false, true]);
}

#[tokio::test]
async fn actions_are_repeated() {
    let ids = async |fault: &str| {
        let (agent, conversation) = faulty(fault).await;
        let reply = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
        actions(&reply.text())
            .iter()
            .map(|action| action["id"].as_str().unwrap().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("kind = \"repeat_actions\"").await, ["a1", "a2", "a1", "a2"]);
    assert_eq!(ids("kind = \"repeat_actions\"\naction = 1").await, ["a1", "a2", "a2"]);
}

#[tokio::test]
async fn insertions_between_events() {
    assert_eq!(
        names("kind = \"garbage\"\nafter_event = 1\ntext = \"}{ no event\\n\\n\"").await,
        ["text_delta", "", "text_delta", "actions", "message", "done"]
    );
    assert_eq!(
        names("kind = \"garbage_json\"\nafter_event = 2").await,
        ["text_delta", "text_delta", "actions", "actions", "message", "done"]
    );
    assert_eq!(
        names("kind = \"huge\"\nafter_event = 5\nbytes = 3000000").await,
        ["text_delta", "text_delta", "actions", "message", "done", "tool_progress"]
    );
    assert_eq!(names("kind = \"no_message\"").await, ["text_delta", "text_delta", "actions"]);
}

#[tokio::test]
async fn bytes_that_are_not_utf8() {
    let (agent, conversation) = faulty("kind = \"invalid_utf8\"").await;
    let body = send(&agent, &said(&conversation, "k", "go")).await.unwrap().body();
    assert!(String::from_utf8(body.clone()).is_err());
    assert!(String::from_utf8_lossy(&body).ends_with("event: done\ndata: {}\n\n"));
}

#[tokio::test]
async fn line_ends() {
    for (ends, end) in [("cr", "\r"), ("crlf", "\r\n"), ("lf", "\n")] {
        let (agent, conversation) = faulty(&format!("kind = \"line_ends\"\nends = \"{ends}\"")).await;
        let text = send(&agent, &said(&conversation, "k", "go")).await.unwrap().text();
        assert!(text.ends_with(&format!("event: done{end}data: {{}}{end}{end}")), "{text:?}");
        assert_eq!(text.replace(end, "").find(['\r', '\n']), None);
    }
}

#[tokio::test]
async fn tiny_chunks() {
    let (agent, conversation) = faulty("kind = \"tiny_chunks\"\ntimes = 1").await;
    let tiny = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    let clean = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    assert_eq!(tiny.text(), clean.text());
    assert!(tiny.chunks.iter().all(|chunk| (1..=7).contains(&chunk.len())));
    assert_eq!(clean.chunks.len(), 5);
}

/// Faults apply to the other dialect and to a JSON document too.
#[tokio::test]
async fn in_other_dialects() {
    let agent = agent(&format!("{CLEAN}dialect = \"ui-message-stream\"\n[[turn.fault]]\nkind = \"garbage_json\"\nafter_event = 1\ntimes = 1\n[[turn.fault]]\nkind = \"cut\"\nafter_bytes = 10\non = \"results\"")).await;
    let conversation = open(&agent).await;
    let reply = send(&agent, &said(&conversation, "k", "go")).await.unwrap();
    assert_eq!(reply.header("x-vercel-ai-ui-message-stream"), Some("v1"));
    let kinds: Vec<_> = events(&reply.text())
        .into_iter()
        .map(|(name, data)| {
            assert_eq!(name, "");
            let data: serde_json::Value =
                serde_json::from_str(&data).unwrap_or_else(|_| json!({"type": data}));
            data["type"].as_str().unwrap().to_owned()
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "start",
            r#"{"type":"data-actions","data":{"actions":[{"id":"#,
            "text-start",
            "text-delta",
            "text-delta",
            "text-end",
            "data-actions",
            "data-message",
            "finish",
            "[DONE]"
        ]
    );

    let mut plain = message(&conversation, "l", &json!({"public_key": "02ab", "content": "go"}));
    plain.headers.retain(|(name, _)| name != "Accept");
    agent.set_fault(Fault::cut(At::AfterBytes(10)).times(1));
    let cut = send(&agent, &plain).await.unwrap();
    assert_eq!((cut.text().as_str(), cut.complete), (r#"{"message""#, false));
    let whole = send(&agent, &plain).await.unwrap();
    assert_eq!(whole.header("content-type"), Some("application/json"));
    assert_eq!(whole.json()["message"]["content"], "one two");
    assert_eq!(whole.json()["actions"][1]["id"], "a2");
}
