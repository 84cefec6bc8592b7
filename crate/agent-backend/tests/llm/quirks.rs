//! What servers do that the documentation does not say, or says in passing.

use crate::stand_in::{Say, StandIn, Turn, anthropic, openai};
use crate::wallet::{APIS, Wallet, options};
use agent_backend::llm::Api;
use serde_json::{Value, json};

fn bytes(text: String) -> Say {
    Say::Bytes { kind: "text/event-stream", bytes: text.into_bytes(), breaks: false }
}

fn chunks(deltas: &[Value], finish: &str, end: &str) -> Say {
    let mut text: String =
        deltas.iter().map(|delta| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]}))).collect();
    text.push_str(&format!(
        "data: {}\n\n{end}",
        json!({"choices": [{"delta": {}, "finish_reason": finish}]})
    ));
    bytes(text)
}

fn params(actions: &[Value]) -> Vec<Value> {
    actions.iter().map(|action| action["params"].clone()).collect()
}

/// Comments that keep a connection open, other line ends, and a stream without `[DONE]` or without an end of its body.
#[tokio::test]
async fn comments_and_ends() {
    let turn = Turn::said("Hi.").call("c", "pay", r#"{"n":1}"#);
    for api in APIS {
        let plain = match api {
            Api::OpenAi => String::from_utf8(openai(&turn)).unwrap(),
            Api::Anthropic => String::from_utf8(anthropic(&turn)).unwrap(),
        };
        let commented = plain.replace("\n\n", "\n\n: keep-alive\n\n:\n\n");
        let returned = plain.replace('\n', "\r\n");
        let endless = match api {
            Api::OpenAi => plain.replace("data: [DONE]\n\n", ""),
            Api::Anthropic => plain.replace("event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n", ""),
        };
        let after = format!("{plain}data: not JSON\n\n");
        for text in [commented, returned, endless, after] {
            let mut wallet = Wallet::new(api, [bytes(text)]).await;
            let answer = wallet.say("go").await;
            assert_eq!((answer.text().as_str(), answer.error()), ("Hi.", None));
            assert_eq!(params(&answer.actions()), [json!({"n": 1})]);
        }
    }
}

/// A server without streaming answers in one document.
#[tokio::test]
async fn documents() {
    for api in APIS {
        let turn = Turn::said("Hi.").call("a", "pay", r#"{"n":1}"#).call("b", "pay", r#"{"n":2}"#);
        let mut wallet = Wallet::new(api, [Say::Document(turn), Say::Document(Turn::said("Done."))]).await;
        let answer = wallet.say("go").await;
        assert_eq!(answer.text(), "Hi.");
        assert_eq!(params(&answer.actions()), [json!({"n": 1}), json!({"n": 2})]);
        wallet.result(&answer.actions()[0], json!({})).await;
        assert_eq!(wallet.result(&answer.actions()[1], json!({})).await.text(), "Done.");
        wallet.last_messages();
        let error = json!({"error": {"message": "no such model", "type": "not_found"}}).to_string();
        wallet.model.then(Say::Bytes { kind: "application/json", bytes: error.into_bytes(), breaks: false });
        assert!(wallet.say("go").await.error().unwrap().contains("no such model"));
    }
}

/// Ollama and others: whole calls under index 0 or none, without ids, with arguments as an object, and `stop` at the end.
#[tokio::test]
async fn calls_of_ollama() {
    let call = |index: Option<u64>, id: Option<&str>, arguments: Value| {
        let mut call = json!({"type": "function", "function": {"name": "pay", "arguments": arguments}});
        if let Some(index) = index {
            call["index"] = json!(index);
        }
        if let Some(id) = id {
            call["id"] = json!(id);
        }
        call
    };
    let (one, two) = (json!({"n": 1}), json!({"n": 2}));
    let (one_text, two_text) = (json!(one.to_string()), json!(two.to_string()));
    let separate =
        |first: Value, second: Value| [json!({"tool_calls": [first]}), json!({"tool_calls": [second]})];
    for deltas in [
        separate(call(Some(0), Some("a"), one_text.clone()), call(Some(0), Some("b"), two_text.clone())),
        separate(call(None, Some("a"), one_text.clone()), call(None, Some("b"), two_text.clone())),
        separate(call(None, None, one.clone()), call(None, None, two.clone())),
        separate(call(Some(0), None, one.clone()), call(Some(0), None, two.clone())),
        separate(call(Some(0), Some(""), one_text.clone()), call(Some(1), Some(""), two_text.clone())),
        [json!({"tool_calls": [call(None, None, one.clone()), call(None, None, two.clone())]}), json!({})],
        separate(
            call(Some(0), Some("same"), one_text.clone()),
            call(Some(1), Some("same"), two_text.clone()),
        ),
    ] {
        let mut wallet =
            Wallet::new(Api::OpenAi, [chunks(&deltas, "stop", ""), Say::Turn(Turn::said("Done."))]).await;
        let actions = wallet.say("go").await.actions();
        assert_eq!(params(&actions), [one.clone(), two.clone()], "{deltas:?}");
        wallet.result(&actions[0], json!({})).await;
        assert_eq!(wallet.result(&actions[1], json!({})).await.text(), "Done.");
        wallet.last_messages();
    }
}

/// Fragments that repeat id and name, and calls whose fragments are interleaved.
#[tokio::test]
async fn fragments() {
    let fragment = |index: u64, id: &str, name: &str, arguments: &str| json!({"tool_calls": [{"index": index, "id": id, "function": {"name": name, "arguments": arguments}}]});
    let repeated = [fragment(0, "a", "pay", "{\"n\""), fragment(0, "a", "pay", ":1}")];
    let interleaved = [
        fragment(0, "a", "pay", "{\"n\""),
        fragment(1, "b", "pay", "{\"n\""),
        fragment(0, "", "", ":1}"),
        fragment(1, "", "", ":2}"),
    ];
    for (deltas, expected) in [
        (repeated.to_vec(), vec![json!({"n": 1})]),
        (interleaved.to_vec(), vec![json!({"n": 1}), json!({"n": 2})]),
    ] {
        let mut wallet = Wallet::new(Api::OpenAi, [chunks(&deltas, "tool_calls", "data: [DONE]\n\n")]).await;
        assert_eq!(params(&wallet.say("go").await.actions()), expected);
    }
}

/// Thinking is sent back as it came, with its signature; it is not shown.
#[tokio::test]
async fn thinking() {
    let events = [
        json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "", "signature": ""}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "thinking_delta", "thinking": "Hm"}}),
        json!({"type": "content_block_delta", "index": 0, "delta": {"type": "signature_delta", "signature": "sig"}}),
        json!({"type": "content_block_stop", "index": 0}),
        json!({"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "t", "name": "pay", "input": {}}}),
        json!({"type": "content_block_stop", "index": 1}),
        json!({"type": "message_delta", "delta": {"stop_reason": "tool_use"}}),
        json!({"type": "message_stop"}),
    ];
    let text: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
    let mut wallet = Wallet::new(Api::Anthropic, [bytes(text), Say::Turn(Turn::said("Done."))]).await;
    let answer = wallet.say("go").await;
    assert_eq!(answer.text(), "");
    wallet.result(&answer.actions()[0], json!({})).await;
    let messages = wallet.last_messages();
    assert_eq!(messages[1]["content"][0], json!({"type": "thinking", "thinking": "Hm", "signature": "sig"}));
}

/// Any chunking gives the same answer.
#[tokio::test]
async fn any_chunk_size() {
    for api in APIS {
        let turn = Turn::said("Grüße, 世界.").call("c", "pay", r#"{"to":"Zoë"}"#);
        let mut answers = Vec::new();
        for chunk in [1, 2, 3, 5, 64, 100_000] {
            let mut model = StandIn::new(api, [Say::Turn(turn.clone())]);
            model.chunk = chunk;
            let mut wallet = Wallet::with(options(api), model).await;
            let answer = wallet.say("go").await;
            let streamed = answer.input(&answer.actions()[0]["id"]);
            answers.push((answer.text(), params(&answer.actions()), streamed));
        }
        answers.dedup();
        assert_eq!(
            answers,
            [("Grüße, 世界.".to_owned(), vec![json!({"to": "Zoë"})], r#"{"to":"Zoë"}"#.to_owned())]
        );
    }
}
