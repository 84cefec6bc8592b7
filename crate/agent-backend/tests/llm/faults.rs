//! Servers that are busy, break off, refuse or cut off.

use crate::stand_in::{Say, StandIn, Turn};
use crate::wallet::{APIS, Wallet, options};
use agent_backend::llm::Api;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::Notify;
use tokio::time::Instant;

fn said(text: &str) -> Say {
    Say::Turn(Turn::said(text))
}

fn busy(status: u16, after: Option<&str>) -> Say {
    let body = json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}});
    Say::Status(
        status,
        after.map(|after| ("retry-after", after.to_owned())).into_iter().collect(),
        body.to_string(),
    )
}

/// A server that is busy is asked again: after the time it names, else after waits that double.
#[tokio::test(start_paused = true)]
async fn busy_for_a_while() {
    for api in APIS {
        let says = [busy(429, Some("7")), busy(529, None), Say::Down, busy(500, None), said("Here I am.")];
        let mut wallet = Wallet::new(api, says).await;
        let start = Instant::now();
        let answer = wallet.say("go").await;
        assert_eq!((answer.text().as_str(), answer.error()), ("Here I am.", None));
        assert_eq!(start.elapsed().as_secs(), 7 + 2 + 4 + 8);
    }
}

/// One that stays busy, or asks for more time than there is, ends the answer with the reason. The next message is answered.
#[tokio::test(start_paused = true)]
async fn busy_for_good() {
    for api in APIS {
        let mut says = vec![busy(503, None); 5];
        says.extend([busy(429, Some("3600")), said("ok")]);
        let mut wallet = Wallet::new(api, says).await;
        let error = wallet.say("go").await.error().unwrap();
        assert_eq!(error, "model_busy: the model's server has too much to do (503)");
        assert_eq!(wallet.model.asked().len(), 5);
        let error = wallet.say("go").await.error().unwrap();
        assert!(error.ends_with("(429); it asks to wait 3600 s"), "{error}");
        assert_eq!(wallet.say("go").await.text(), "ok");
        wallet.last_messages();
    }
}

/// A redirect is not followed: the key goes to one host.
#[tokio::test]
async fn redirect() {
    for api in APIS {
        let to = vec![("location", "https://elsewhere.example".to_owned())];
        let mut wallet = Wallet::new(api, [Say::Status(302, to, String::new())]).await;
        assert!(wallet.say("go").await.error().unwrap().contains("302"));
        assert_eq!(wallet.model.asked().len(), 1);
    }
}

/// A model that says nothing in time ends the answer; the conversation goes on.
#[tokio::test(start_paused = true)]
async fn too_slow() {
    for api in APIS {
        let silent = Say::Held(Arc::new(Notify::new()), Box::new(said("")));
        let mut wallet = Wallet::new(api, [silent, said("ok")]).await;
        let start = Instant::now();
        let answer = wallet.say("go").await;
        assert_eq!(answer.error().unwrap(), "time_limit: there was no answer within 600 s");
        assert_eq!(start.elapsed(), Duration::from_secs(600));
        assert_eq!(wallet.say("go").await.text(), "ok");
        wallet.last_messages();
    }
}

/// Streams broken at every byte: nothing is proposed before the turn's end is read, and the conversation goes on.
#[tokio::test(start_paused = true)]
async fn broken_at_every_byte() {
    for api in APIS {
        let turn = Turn::said("Wait.").call("c1", "pay", r#"{"to":"Bob","n":1}"#).call("c2", "pay", "{}");
        let stream = StandIn::new(api, []).stream(&turn);
        let text = String::from_utf8(stream.clone()).unwrap();
        let marker = match api {
            Api::OpenAi => "\"finish_reason\":\"tool_calls\"",
            Api::Anthropic => "\"stop_reason\":\"tool_use\"",
        };
        let end = text.find(marker).unwrap();
        let end = end + text[end..].find("\n\n").unwrap() + 2;
        for cut in 0..=stream.len() {
            let mut options = options(api);
            options.limits.retries = 0;
            let bytes = stream[..cut].to_vec();
            let breaks = cut % 2 == 0;
            let says = [Say::Bytes { kind: "text/event-stream", bytes, breaks }, said("ok")];
            let mut wallet = Wallet::with(options, StandIn::new(api, says)).await;
            let answer = wallet.say("go").await;
            if cut < end {
                assert_eq!((answer.actions(), answer.error().is_some()), (vec![], true), "{cut}");
            } else {
                assert_eq!((answer.actions().len(), answer.error()), (2, None), "{cut}");
            }
            assert_eq!(wallet.say("again").await.text(), "ok");
            wallet.last_messages();
        }
    }
}

/// A stream that breaks before its first word is asked for again; after it, the answer ends with the reason.
#[tokio::test(start_paused = true)]
async fn broken_before_and_after_the_first_word() {
    for api in APIS {
        let error = "data: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\"}}\n\n";
        let overloaded = |before: &str| Say::Bytes {
            kind: "text/event-stream",
            bytes: format!("{before}{error}").into_bytes(),
            breaks: false,
        };
        let empty = Say::Bytes { kind: "text/event-stream", bytes: Vec::new(), breaks: true };
        let word = match api {
            Api::OpenAi => "data: {\"choices\":[{\"delta\":{\"content\":\"Well\"}}]}\n\n".to_owned(),
            Api::Anthropic => [
                json!({"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
                json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "Well"}}),
            ]
            .map(|data| format!("data: {data}\n\n"))
            .concat(),
        };
        let mut wallet =
            Wallet::new(api, [overloaded(""), empty, said("Hello."), overloaded(&word), said("ok")]).await;
        assert_eq!(wallet.say("go").await.text(), "Hello.");
        let answer = wallet.say("go").await;
        assert_eq!(answer.text(), "Well");
        assert_eq!(answer.error().unwrap(), "model_stream: the model's server reported: Overloaded");
        assert_eq!(wallet.say("go").await.text(), "ok");
        assert!(wallet.last_messages().to_string().contains("Well"));
    }
}

/// Refusals are told; what was refused is not sent again.
#[tokio::test]
async fn refusals() {
    let finish = |api| if api == Api::OpenAi { "content_filter" } else { "refusal" };
    for api in APIS {
        let declined = Say::Turn(Turn::said("Well").call("c", "pay", "{}").finish(finish(api)));
        let mut wallet = Wallet::new(api, [declined, said("ok")]).await;
        let answer = wallet.say("something bad").await;
        assert_eq!(answer.actions(), [] as [serde_json::Value; 0]);
        assert_eq!(answer.error().unwrap(), "refused: the model declined to answer this");
        assert_eq!(wallet.say("something good").await.text(), "ok");
        assert!(!wallet.last_messages().to_string().contains("something bad"));
    }
    let deltas = [json!({"refusal": "I can't "}), json!({"refusal": "help with that."})];
    let chunks = deltas.map(|delta| format!("data: {}\n\n", json!({"choices": [{"delta": delta}]})));
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n";
    let bytes = format!("{}{end}", chunks.concat()).into_bytes();
    let refusal = Say::Bytes { kind: "text/event-stream", bytes, breaks: false };
    let mut wallet = Wallet::new(Api::OpenAi, [refusal, said("ok")]).await;
    assert_eq!(wallet.say("go").await.text(), "I can't help with that.");
    assert_eq!(wallet.say("go").await.text(), "ok");
    wallet.last_messages();
}

/// Arguments that are not JSON, unknown tools and calls that were cut off are told to the model once, and never proposed.
#[tokio::test]
async fn bad_calls() {
    let length = |api| if api == Api::OpenAi { "length" } else { "max_tokens" };
    for api in APIS {
        let bad = |id: &str| Say::Turn(Turn::default().call(id, "pay", "{\"to\":"));
        let cut = Say::Turn(Turn::default().call("c", "pay", "{}").finish(length(api)));
        let unknown = Say::Turn(Turn::default().call("u", "steal everything", "{}"));
        let list = Say::Turn(Turn::default().call("l", "pay", "[1]"));
        let good = |id: &str| Say::Turn(Turn::default().call(id, "pay", "{}"));
        for (number, (wrong, says)) in [
            (bad("b"), "The arguments are not JSON"),
            (cut, "The call was cut off at 4096 tokens"),
            (unknown, "There is no tool `steal everything`"),
            (list, "must be a JSON object"),
        ]
        .into_iter()
        .enumerate()
        {
            let mut wallet = Wallet::new(api, [wrong, good("g")]).await;
            let answer = wallet.say("go").await;
            assert_eq!((answer.actions().len(), answer.error()), (1, None), "{number}");
            assert!(wallet.last_messages().to_string().contains(says), "{}", wallet.last_messages());
        }
        let mut wallet = Wallet::new(api, [bad("x"), bad("y"), said("ok")]).await;
        let answer = wallet.say("go").await;
        assert_eq!(answer.error().unwrap(), "bad_calls: the model's calls could not be read, twice");
        assert_eq!(wallet.say("go").await.text(), "ok");
        // A good call beside a bad one is proposed; both are answered.
        let both = Say::Turn(Turn::default().call("p", "pay", "{").call("q", "pay", "{}"));
        wallet.model.then(both);
        wallet.model.then(said("both"));
        let actions = wallet.say("go").await.actions();
        assert_eq!(wallet.result(&actions[0], json!({})).await.text(), "both");
        wallet.last_messages();
        // Words that were cut off are shown, with the reason.
        wallet.model.then(Say::Turn(Turn::said("A long").finish(length(api))));
        let answer = wallet.say("go").await;
        assert_eq!(answer.text(), "A long");
        assert_eq!(answer.error().unwrap(), "length: the answer was cut off at 4096 tokens");
    }
}
