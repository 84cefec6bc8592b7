//! From words to actions to results to words.

use crate::stand_in::{KEY, Say, StandIn, Turn};
use crate::wallet::{APIS, Answer, Wallet, options};
use agent_backend::llm::Api;
use serde_json::{Value, json};
use std::sync::Arc;
use tokio::sync::Notify;

const ALICE: &str = r#"{"entries":[{"title":"Alice","address":"0xé","chain":"Ethereum"}]}"#;

fn add_alice() -> Say {
    Say::Turn(Turn::said("I'll save Alice.").call("call_1", "add_address_book", ALICE))
}

fn said(text: &str) -> Say {
    Say::Turn(Turn::said(text))
}

fn two_calls() -> Say {
    Say::Turn(Turn::default().call("c_1", "get_address_book", "").call("c_2", "pay", r#"{"to":"Bob"}"#))
}

/// Text and parameters stream, the call becomes an action, its result the next turn, in the form of each API.
#[tokio::test]
async fn words_to_action_to_result() {
    for api in APIS {
        let mut wallet = Wallet::new(api, [add_alice(), said("Alice is saved.")]).await;
        let answer = wallet.say("Save Alice").await;
        assert_eq!(answer.names(), ["text_delta", "tool_input", "actions", "message", "done"]);
        assert_eq!(answer.text(), "I'll save Alice.");
        let actions = answer.actions();
        let expected = json!({"id": actions[0]["id"], "type": "add_address_book", "title": "Add address book",
            "description": "Adds contacts.", "params": serde_json::from_str::<Value>(ALICE).unwrap()});
        assert_eq!(actions, [expected]);
        assert_eq!(answer.input(&actions[0]["id"]), ALICE);

        let last = wallet.result(&actions[0], json!({"results": []})).await;
        assert_eq!((last.text().as_str(), last.actions().len()), ("Alice is saved.", 0));
        let messages = wallet.last_messages();
        let result = r#"{"data":{"results":[]},"success":true}"#;
        let input: Value = serde_json::from_str(ALICE).unwrap();
        let rest = match api {
            Api::OpenAi => json!([
                {"role": "user", "content": "Save Alice"},
                {"role": "assistant", "content": "I'll save Alice.", "tool_calls": [{"id": "call_1", "type": "function",
                    "function": {"name": "add_address_book", "arguments": input.to_string()}}]},
                {"role": "tool", "tool_call_id": "call_1", "content": result},
            ]),
            Api::Anthropic => json!([
                {"role": "user", "content": [{"type": "text", "text": "Save Alice"}]},
                {"role": "assistant", "content": [{"type": "text", "text": "I'll save Alice."},
                    {"type": "tool_use", "id": "call_1", "name": "add_address_book", "input": input}]},
                {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "call_1", "content": result,
                    "is_error": false}]},
            ]),
        };
        let system = usize::from(api == Api::OpenAi);
        assert_eq!(json!(messages.as_array().unwrap()[system..]), rest);
    }
}

/// Several calls of a turn: the model is asked when all results are there, in the order of its calls.
#[tokio::test]
async fn several_calls() {
    for api in APIS {
        let mut wallet = Wallet::new(api, [two_calls(), said("Both are done.")]).await;
        let actions = wallet.say("go").await.actions();
        assert_eq!(actions[0]["auto_execute"], json!(true));
        assert_eq!(actions[1].get("auto_execute"), None);
        let first = wallet.failure(&actions[1], "rejected_by_user: no").await;
        assert_eq!(first.names(), ["message", "done"]);
        assert_eq!(wallet.model.asked().len(), 1);
        let second = wallet.result(&actions[0], json!({"entries": []})).await;
        assert_eq!(second.text(), "Both are done.");
        let messages = wallet.last_messages().to_string();
        let (read, paid) = (messages.find("entries").unwrap(), messages.find("rejected_by_user").unwrap());
        assert!(read < paid, "{messages}");
    }
}

/// A person's message while calls wait: the calls are told as waiting, and their results as notes when they come.
#[tokio::test]
async fn message_while_calls_wait() {
    for api in APIS {
        let mut wallet =
            Wallet::new(api, [two_calls(), said("Still waiting."), said("Read."), said("Paid.")]).await;
        let actions = wallet.say("go").await.actions();
        assert_eq!(wallet.say("How is it going?").await.text(), "Still waiting.");
        assert!(wallet.last_messages().to_string().contains("has not answered yet"));
        assert_eq!(wallet.result(&actions[0], json!({"n": 7})).await.text(), "Read.");
        let note = wallet.last_messages().as_array().unwrap().last().unwrap().to_string();
        assert!(
            note.contains("Late result") && note.contains("get_address_book") && note.contains("data, not")
        );
        assert_eq!(wallet.result(&actions[1], json!({})).await.text(), "Paid.");
        // The same again, under another key: nothing new.
        assert_eq!(wallet.result(&actions[1], json!({})).await.names(), ["message", "done"]);
        assert_eq!(wallet.model.asked().len(), 4);
        wallet.last_messages();
    }
}

/// Results of unknown calls and repeated ones are not told; what became of an open transaction is.
#[tokio::test]
async fn unknown_repeated_and_late_results() {
    for api in APIS {
        let call = Say::Turn(Turn::default().call("c", "pay", "{}"));
        let mut wallet = Wallet::new(api, [call, said("It is open."), said("It is confirmed.")]).await;
        let actions = wallet.say("go").await.actions();
        let unknown = json!({"id": "never", "type": "pay"});
        assert_eq!(wallet.result(&unknown, json!({})).await.names(), ["message", "done"]);
        let open = json!({"transactions": [{"status": "timeout"}]});
        assert_eq!(wallet.result(&actions[0], open.clone()).await.text(), "It is open.");
        assert_eq!(wallet.result(&actions[0], open).await.text(), "");
        let late = json!({"late": true, "transactions": [{"status": "confirmed"}]});
        assert_eq!(wallet.result(&actions[0], late).await.text(), "It is confirmed.");
        wallet.last_messages();
    }
}

/// The same key reads the same answer, while it streams and after; another request under it is a conflict.
#[tokio::test]
async fn one_answer_for_a_key() {
    for api in APIS {
        let gate = Arc::new(Notify::new());
        let mut wallet = Wallet::new(api, [Say::Held(Arc::clone(&gate), Box::new(add_alice()))]).await;
        let key = wallet.key();
        let request = wallet.request(&key, json!({"content": "Save Alice"}));
        let first = wallet.agent.answer(request.clone()).await;
        let second = wallet.agent.answer(request.clone()).await;
        // A client that left: its answer goes on.
        drop(wallet.agent.answer(request.clone()).await);
        gate.notify_one();
        let first = first.whole().await.bytes();
        assert_eq!(Answer::of(&first).actions().len(), 1);
        assert_eq!(second.whole().await.bytes(), first);
        wallet.context = json!({"tools": []});
        let later = wallet.request(&key, json!({"content": "Save Alice"}));
        assert_eq!(wallet.agent.answer(later).await.whole().await.bytes(), first);
        let other = wallet.request(&key, json!({"content": "Save Bob"}));
        let conflict = wallet.agent.answer(other).await.whole().await;
        assert_eq!(conflict.status, 409);
        assert!(String::from_utf8(conflict.bytes()).unwrap().contains("idempotency_key_reused"));
        let mut plain = request;
        plain.headers.retain(|(name, _)| name != "Accept");
        let document = wallet.agent.answer(plain).await.whole().await;
        let document: Value = serde_json::from_slice(&document.bytes()).unwrap();
        assert_eq!(document["actions"].as_array().unwrap().len(), 1);
        assert_eq!(document["message"]["content"], json!("I'll save Alice."));
        assert_eq!(wallet.model.asked().len(), 1);
    }
}

/// Items of the inbox are told once, as data, and the model may act on them.
#[tokio::test]
async fn inbox() {
    for api in APIS {
        let mut wallet = Wallet::new(api, [two_calls(), add_alice(), said("Noted.")]).await;
        wallet.say("go").await;
        let due = json!({"id": "plan:1:5", "type": "plan_due", "plan": {"text": "pay the rent"}});
        let answer = wallet.send(json!({"inbox": [due]})).await;
        assert_eq!(answer.actions().len(), 1);
        let note = wallet.last_messages().as_array().unwrap().last().unwrap().to_string();
        assert!(note.contains("data, not a message of the user") && note.contains("pay the rent"), "{note}");
        assert_eq!(wallet.send(json!({"inbox": [due]})).await.names(), ["message", "done"]);
        let late =
            json!({"id": "tr:c", "type": "tool_result", "tool": "form", "callId": "c", "result": {"ok": 1}});
        assert_eq!(wallet.send(json!({"inbox": [due, late]})).await.text(), "Noted.");
        assert_eq!(wallet.model.asked().len(), 3);
        wallet.last_messages();
    }
}

/// Tools, goals and memories stand until told anew; names and schemas that the APIs refuse are adapted, and names come back.
#[tokio::test]
async fn context() {
    let name = format!("files__{}.read", "x".repeat(80));
    for api in APIS {
        let mut wallet = Wallet::new(api, [said("one")]).await;
        wallet.context = json!({
        "goals": ["Save for a house"], "memories": [{"id": "m", "text": "Likes tea"}],
        "tools": [
            {"name": name, "description": "d".repeat(3000), "asks": false,
             "schema": {"$schema": "x", "oneOf": [{"properties": {"path": {"type": "string"}}}]}},
            {"name": "confirmAction", "description": "", "asks": false, "schema": {}},
        ]});
        wallet.say("one").await;
        let asked = wallet.model.asked().pop().unwrap();
        let (sent, system) = match api {
            Api::OpenAi => (&asked["tools"][0]["function"]["name"], &asked["messages"][0]["content"]),
            Api::Anthropic => (&asked["tools"][0]["name"], &asked["system"]),
        };
        let system = system.as_str().unwrap();
        assert!(system.contains("- Save for a house") && system.contains("Likes tea"), "{system}");
        assert!(system.contains("You propose"));

        wallet.context = Value::Null;
        wallet.model.then(Say::Turn(Turn::default().call("c", sent.as_str().unwrap(), r#"{"path":"a"}"#)));
        wallet.model.then(said("done"));
        let actions = wallet.say("two").await.actions();
        assert_eq!((&actions[0]["type"], &actions[0]["params"]), (&json!(name), &json!({"path": "a"})));
        // All tools gone: the history with its calls is still taken.
        wallet.context = json!({"tools": [], "goals": []});
        assert_eq!(wallet.result(&actions[0], json!("text")).await.text(), "done");
        wallet.last_messages();
        let asked = wallet.model.asked().pop().unwrap().to_string();
        assert!(!asked.contains("house") && asked.contains("tea"));
    }
}

/// The number of turns for one message of the user is bounded; the next message begins anew.
#[tokio::test]
async fn turn_limit() {
    for api in APIS {
        let mut options = options(api);
        options.limits.turns = 2;
        let call = |id: &str| Say::Turn(Turn::default().call(id, "pay", "{}"));
        let model = StandIn::new(api, [call("a"), call("b"), said("again")]);
        let mut wallet = Wallet::with(options, model).await;
        let first = wallet.say("go").await.actions();
        let second = wallet.result(&first[0], json!({})).await.actions();
        let third = wallet.result(&second[0], json!({})).await;
        assert!(third.error().unwrap().starts_with("turn_limit: 2 turns"));
        assert_eq!(wallet.model.asked().len(), 2);
        assert_eq!(wallet.say("go on").await.text(), "again");
        wallet.last_messages();
    }
}

/// A long conversation is trimmed: requests stay small, and never break the rules of the API.
#[tokio::test]
async fn long_conversation() {
    for api in APIS {
        let mut options = options(api);
        (options.limits.history, options.limits.result) = (3000, 500);
        let mut wallet = Wallet::with(options, StandIn::new(api, [])).await;
        for round in 0..20 {
            wallet.model.then(Say::Turn(Turn::said("a").call(&format!("c{round}"), "pay", "{}")));
            wallet.model.then(said("b"));
            let actions = wallet.say(&format!("question {round} {}", "x".repeat(200))).await.actions();
            wallet.result(&actions[0], json!("y".repeat(5000))).await;
            let messages = wallet.last_messages().to_string();
            assert!(messages.len() < 8000, "{}", messages.len());
            assert!(messages.contains(&format!("question {round} ")));
        }
    }
}

/// The key is in one header and nowhere else, also where the server repeats it.
#[tokio::test]
async fn key_is_not_shown() {
    for api in APIS {
        let mut wrong = options(api);
        wrong.key = Some(agent_backend::llm::Key::new("sk-wrong"));
        let echo = json!({"error": {"message": format!("bad request, key {KEY}")}}).to_string();
        let mut refused = Wallet::with(wrong, StandIn::new(api, [])).await;
        let error = refused.say("go").await.error().unwrap();
        assert_eq!(error, "model_refused_key: the model's server does not accept the key (401)");
        let mut wallet = Wallet::new(api, [Say::Status(400, Vec::new(), echo), said("ok")]).await;
        let error = wallet.say("go").await.error().unwrap();
        assert_eq!(error, "model_failed: the model's server answered 400: bad request, key (key)");
        wallet.say("go").await;
        assert!(!json!(wallet.model.asked()).to_string().contains(KEY));
        assert!(!format!("{:?}", options(api)).contains(KEY));
    }
}

/// The stand-in is strict: a request that it took is refused once any rule of its API is broken.
#[tokio::test]
async fn stand_in_is_strict() {
    for api in APIS {
        let mut wallet = Wallet::new(api, [add_alice(), said("Done.")]).await;
        let actions = wallet.say("Save Alice").await.actions();
        wallet.result(&actions[0], json!({})).await;
        let good = wallet.model.asked().pop().unwrap();
        let headers = |leave_out: &str| -> Vec<(String, String)> {
            let all = [
                ("content-type", "application/json"),
                ("authorization", &format!("Bearer {KEY}")),
                ("x-api-key", KEY),
                ("anthropic-version", "2023-06-01"),
            ];
            all.iter()
                .filter(|(name, _)| *name != leave_out)
                .map(|(a, b)| ((*a).into(), (*b).into()))
                .collect()
        };
        let status = async |headers: &[(String, String)], body: &Value| {
            wallet.model.answer(headers, body.to_string().as_bytes()).await.unwrap().status
        };
        assert_eq!(status(&headers(""), &good).await, 200);
        let (key, results, call) = match api {
            Api::OpenAi => ("authorization", "/messages/3", "/messages/2/tool_calls/0/function/name"),
            Api::Anthropic => ("x-api-key", "/messages/2/content/0", "/messages/1/content/1/name"),
        };
        assert_eq!(status(&headers(key), &good).await, 401);
        if api == Api::Anthropic {
            assert_eq!(status(&headers("anthropic-version"), &good).await, 400);
        }
        let schema =
            if api == Api::OpenAi { "/tools/0/function/parameters" } else { "/tools/0/input_schema" };
        for (at, value) in [
            ("/stream", json!(false)),
            ("/max_tokens", Value::Null),
            ("/model", json!("")),
            ("/messages/0/role", json!("tool")),
            (results, json!({"role": "user", "type": "text", "content": "no result", "text": "no result"})),
            (call, json!("no name")),
            (schema, json!({"oneOf": []})),
        ] {
            let mut bad = good.clone();
            *bad.pointer_mut(at).unwrap() = value;
            assert_eq!(status(&headers(""), &bad).await, 400, "{at}");
        }
        let mut swapped = good.clone();
        swapped["messages"].as_array_mut().unwrap().swap(1, 2);
        assert_eq!(status(&headers(""), &swapped).await, 400);
    }
}
