//! What belongs to a backend: its token, its conversations, what it is still to be told, and the ids of its actions.
//! Another address gets none of it.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use countersign_tests::world::*;
use proptest::prelude::*;
use runtime::store::Table;
use serde_json::{Value, json};

const DAY: u64 = 24 * 60 * 60_000;

/// Two backends: each opens conversations under its own name, and proposes this on `go`.
async fn two_backends(propose: impl Fn(&Sent) -> Value + 'static) -> World {
    World::answering_all(move |sent| match sent.body["content"].as_str() {
        Some("go") => Answer::events(&[("actions", json!({"actions": propose(sent)}))]),
        _ if sent.path.ends_with("/agent/conversations") => {
            // An id per conversation and backend, as a backend would give.
            let name = if sent.backend == URL { "a" } else { "b" };
            Answer::json(&json!({"id": format!("{name}-{}", sent.key)}))
        }
        _ => Answer::events(&[]),
    })
    .await
}

/// What a backend received.
fn received(world: &World, backend: &str) -> Vec<Sent> {
    world.sent().into_iter().filter(|sent| sent.backend == backend).collect()
}

async fn deliveries(world: &World) -> Vec<Value> {
    world.calls().await.iter().map(|call| call["delivery"].clone()).collect()
}

async fn waits_for(world: &World) -> Value {
    world.get(&format!("/api/conversations/{}/messages", world.conversation_id())).await["otherBackend"]
        .clone()
}

fn ask(id: &str) -> Value {
    without(save_entry(id, "A"), "auto_execute")
}

/// A new address without a token has none; one with a token has that; another path of the origin keeps it.
#[tokio::test(start_paused = true)]
async fn token_stays_with_its_origin() {
    let world = two_backends(|_| json!([])).await;
    let set = async |backend: Value| {
        let (status, settings) = world.call("PATCH", "/api/settings", json!({"backend": backend})).await;
        assert_eq!(status, 200, "{settings}");
        world.begin().await;
        world.say("hello").await;
        let sent = world.messages_sent().pop().unwrap();
        (settings["backend"]["hasToken"] == true, sent.backend, sent.token)
    };
    let token = |token: &str| Some(token.to_owned());
    assert_eq!(set(json!({"token": "ta"})).await, (true, URL, token("ta")));
    assert_eq!(set(json!({"url": format!("{URL}/v2")})).await, (true, URL, token("ta")), "another path");
    assert_eq!(set(json!({"url": OTHER_URL})).await, (false, OTHER_URL, None));
    assert_eq!(set(json!({"url": URL})).await, (false, URL, None), "it was dropped, not put aside");
    assert_eq!(set(json!({"token": "ta"})).await, (true, URL, token("ta")));
    assert_eq!(set(json!({"url": OTHER_URL, "token": "tb"})).await, (true, OTHER_URL, token("tb")));
    assert_eq!(set(json!({"token": null})).await, (false, OTHER_URL, None));
}

/// A worker that dies between the new address and the end of the old token does not send it there.
#[tokio::test(start_paused = true)]
async fn death_during_a_change_of_address_keeps_the_token_apart() {
    let world = two_backends(|_| json!([])).await;
    world.call("PATCH", "/api/settings", json!({"backend": {"token": "ta"}})).await;
    let settings = world.table(Table::Settings).await.remove(0);
    world.write(Table::Settings, &settings.key, &settings.text.replace(URL, OTHER_URL)).await;
    world.restart().await;
    assert_eq!(world.get("/api/settings").await["backend"], json!({"url": OTHER_URL, "hasToken": false}));
    world.begin().await;
    world.say("hello").await;
    let tokens: Vec<Option<String>> = world.sent().into_iter().map(|sent| sent.token).collect();
    assert_eq!(tokens, [None, None]);
}

/// A result waits for the backend that asked, is shown as waiting for it, and goes there when its address comes back;
/// the backend in between is told of its own conversations only.
#[tokio::test(start_paused = true)]
async fn results_wait_for_the_backend_that_asked() {
    let world = two_backends(|_| json!([ask("1"), read_book("2")])).await;
    world.say("go").await;
    let first = world.conversation_id();
    assert_eq!(waits_for(&world).await, Value::Null);
    world.set_backend(OTHER_URL).await;
    world.answer(json!({"approve": true})).await;
    world.restart().await;
    world.pass(3_600_000).await;
    assert_eq!((deliveries(&world).await, waits_for(&world).await), (vec![json!("pending"); 2], json!(URL)));
    assert_eq!(received(&world, OTHER_URL), []);

    let second = world.begin().await;
    assert_eq!(waits_for(&world).await, Value::Null);
    world.say("hello").await;
    let paths: Vec<String> = received(&world, OTHER_URL).into_iter().map(|sent| sent.path).collect();
    let messages = format!("/agent/conversations/b-{second}/messages");
    assert_eq!(paths, ["/agent/conversations".to_owned(), messages]);

    world.resume_conversation(&first);
    world.set_backend("").await;
    assert_eq!(waits_for(&world).await, json!(URL), "no address is another one too");
    world.set_backend(URL).await;
    assert_eq!(
        (deliveries(&world).await, waits_for(&world).await),
        (vec![json!("delivered"); 2], Value::Null)
    );
    let results: Vec<(String, Value)> = received(&world, URL)
        .into_iter()
        .filter(|sent| sent.body.get("action_result").is_some())
        .map(|sent| (sent.path, sent.body["action_result"]["action_id"].clone()))
        .collect();
    let messages = format!("/agent/conversations/a-{first}/messages");
    assert_eq!(results, [(messages.clone(), json!("1")), (messages, json!("2"))]);
    assert_eq!(received(&world, OTHER_URL).len(), 2);
}

/// What is not delivered when its backend's address stays away for a day is refused; nothing of it was sent elsewhere.
#[tokio::test(start_paused = true)]
async fn undelivered_turns_end_after_a_day() {
    let world = two_backends(|_| json!([ask("1")])).await;
    world.say("go").await;
    world.set_down(true);
    world.say("still there?").await;
    world.set_backend(OTHER_URL).await;
    world.answer(json!({"approve": true})).await;
    world.set_down(false);
    world.pass(DAY - 600_000).await;
    let waiting = (world.messages().await, deliveries(&world).await);
    assert_eq!(
        waiting,
        (
            vec![json!(["user", "go", "done"]), json!(["user", "still there?", "sending"])],
            vec![json!("pending")]
        )
    );
    world.pass(1_200_000).await;
    let changed = format!("backend_changed: {URL} was not set as the agent's address again within a day");
    let ended = (world.messages().await, deliveries(&world).await, world.table(Table::Outbox).await);
    assert_eq!(
        ended,
        (
            vec![json!(["user", "go", "done"]), json!(["user", "still there?", "failed", changed])],
            vec![json!("refused")],
            vec![]
        )
    );
    world.set_backend(URL).await;
    assert_eq!((received(&world, OTHER_URL), world.results()), (vec![], vec![]));
}

/// An answer that broke off is read to its end when the address comes back: waiting for it uses up no attempt.
#[tokio::test(start_paused = true)]
async fn waiting_for_an_address_is_no_attempt() {
    let mut broken = true;
    let world = World::answering(move |_| {
        let half = ("text_delta", json!({"delta": "Half"}));
        if std::mem::take(&mut broken) { Answer::broken(&[half]) } else { Answer::events(&[half]) }
    })
    .await;
    world.post_message("go").await;
    world.steps(30).await;
    world.set_backend(OTHER_URL).await;
    world.pass(6 * 3_600_000).await;
    let half = json!(["agent", "Half", "streaming"]);
    assert_eq!(world.messages().await, [json!(["user", "go", "done"]), half]);
    world.set_backend(URL).await;
    assert_eq!(world.messages().await, [json!(["user", "go", "done"]), json!(["agent", "Half", "done"])]);
    assert_eq!(received(&world, OTHER_URL), []);
}

/// Nothing can be said in a conversation of another backend, and the refusal changes nothing. Before its first message a
/// conversation is with none.
#[tokio::test(start_paused = true)]
async fn conversation_stays_with_its_backend() {
    let world = two_backends(|_| json!([])).await;
    world.say("hello").await;
    world.set_backend(OTHER_URL).await;
    let (before, sent) = (world.records().await, world.sent());
    let target = format!("/api/conversations/{}/messages", world.conversation_id());
    let (status, refused) = world.call("POST", &target, json!({"content": "hello"})).await;
    assert_eq!((status, &refused["error"]["code"]), (409, &json!("other_backend")), "{refused}");
    assert_eq!((world.records().await, world.sent()), (before, sent));

    world.set_backend(URL).await;
    let id = world.begin().await;
    let backend = async || {
        let list = world.get("/api/conversations").await["conversations"].clone();
        list.as_array().unwrap().iter().find(|one| one["id"] == id).unwrap().get("backend").cloned()
    };
    assert_eq!(backend().await, None);
    world.set_backend(&format!("{OTHER_URL}/v1")).await;
    world.say("hello").await;
    assert_eq!(backend().await, Some(json!(OTHER_URL)));
    world.set_backend(URL).await;
    let target = format!("/api/conversations/{id}/messages");
    assert_eq!(world.call("POST", &target, json!({"content": "hello"})).await.0, 409);
}

/// Another path of the origin is the same backend: what waited goes there, in a conversation that is opened there.
#[tokio::test(start_paused = true)]
async fn another_path_is_the_same_backend() {
    let world = two_backends(|_| json!([ask("1")])).await;
    world.say("go").await;
    world.set_backend(&format!("{URL}/v2")).await;
    world.answer(json!({"approve": true})).await;
    assert_eq!((deliveries(&world).await, waits_for(&world).await), (vec![json!("delivered")], Value::Null));
    let paths: Vec<String> = world.sent().into_iter().map(|sent| sent.path).collect();
    let messages = format!("/agent/conversations/a-{}/messages", world.conversation_id());
    assert_eq!(
        paths,
        [
            "/agent/conversations".to_owned(),
            messages.clone(),
            "/v2/agent/conversations".to_owned(),
            format!("/v2{messages}")
        ]
    );
}

/// The same action id in another conversation, or from another backend, is another action with its own result; in the
/// same conversation it is the same one (T000-2).
#[tokio::test(start_paused = true)]
async fn action_ids_are_of_one_conversation() {
    let world = two_backends(|sent| {
        let title = format!("{}-{}", if sent.backend == URL { "A" } else { "B" }, sent.key);
        json!([save_entry("same", &title)])
    })
    .await;
    world.say("go").await;
    world.say("go").await;
    let first = world.calls().await;
    assert_eq!((first.len(), world.book().await.len()), (1, 1), "the same conversation");
    world.begin().await;
    world.say("go").await;
    assert_eq!((world.calls().await.len(), world.book().await.len()), (1, 2), "another conversation");
    world.set_backend(OTHER_URL).await;
    world.begin().await;
    world.say("go").await;
    let last = world.calls().await;
    assert_eq!((last.len(), world.book().await.len()), (1, 3), "another backend");
    assert_ne!(first[0]["id"], last[0]["id"]);
    let told = received(&world, OTHER_URL).pop().unwrap().body["action_result"].clone();
    assert_eq!(told, last[0]["state"]["result"]);
}

/// `tx_ready` and a `sign_tx` that refers to it do not reach across conversations.
#[tokio::test(start_paused = true)]
async fn an_earlier_tx_ready_is_of_one_conversation() {
    let world = World::answering(|sent| match sent.body["content"].as_str() {
        Some("ready") => Answer::events(&[("tx_ready", json!({"keysign_payload": "AA=="}))]),
        Some("sign") => {
            let sign = json!([{"id": "s", "type": "sign_tx", "params": {}}]);
            Answer::events(&[("actions", json!({"actions": sign}))])
        }
        _ => Answer::events(&[]),
    })
    .await;
    world.say("ready").await;
    world.begin().await;
    world.say("sign").await;
    let error = world.results().pop().unwrap()["error"].clone();
    assert!(error.as_str().unwrap().starts_with("nothing_to_sign"), "{error}");
}

/// What a person, time and the network do.
#[derive(Debug, Clone, Copy)]
enum Deed {
    Backend(usize),
    Begin,
    Go,
    Approve,
    Break(bool),
    Pass(u64),
    Die(usize),
}

fn deed() -> impl Strategy<Value = Deed> {
    prop_oneof![
        3 => (0..3_usize).prop_map(Deed::Backend),
        2 => Just(Deed::Begin),
        4 => Just(Deed::Go),
        3 => Just(Deed::Approve),
        1 => any::<bool>().prop_map(Deed::Break),
        2 => (1..400_000_u64).prop_map(Deed::Pass),
        1 => (0..40_usize).prop_map(Deed::Die),
    ]
}

async fn perform(world: &World, deed: Deed) {
    match deed {
        Deed::Backend(0) => world.set_backend("").await,
        Deed::Backend(which) => {
            let (url, token) = if which == 1 { (URL, "ta") } else { (OTHER_URL, "tb") };
            world.call("PATCH", "/api/settings", json!({"backend": {"url": url, "token": token}})).await;
        }
        Deed::Begin => drop(world.begin().await),
        Deed::Go => {
            let target = format!("/api/conversations/{}/messages", world.conversation_id());
            world.call("POST", &target, json!({"content": "go"})).await;
        }
        Deed::Approve => {
            if let Some(prompt) = world.prompts().await.first() {
                let target = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
                world.call("POST", &target, json!({"approve": true})).await;
            }
        }
        Deed::Break(down) => world.set_down(down),
        Deed::Pass(millis) => world.pass(millis).await,
        Deed::Die(steps) => {
            world.steps(steps).await;
            world.restart().await;
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever the person does to the address, in whatever order, with the worker dying anywhere: a backend sees its own
    /// token, its own conversations and results of its own actions, and nothing else.
    #[test]
    fn backends_see_only_their_own(deeds in prop::collection::vec(deed(), 1..30)) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(async {
            let world = two_backends(|sent| {
                let name = if sent.backend == URL { "a" } else { "b" };
                json!([ask(&format!("{name}-asks-{}", sent.key)), read_book(&format!("{name}-reads"))])
            })
            .await;
            for deed in &deeds {
                perform(&world, *deed).await;
            }
            world.pass(600_000).await;
            for sent in world.sent() {
                let (name, token) = if sent.backend == URL { ("a", "ta") } else { ("b", "tb") };
                assert!(sent.token.as_deref().is_none_or(|sent| sent == token), "{sent:?}");
                let opened = sent.path == "/agent/conversations";
                assert!(opened || sent.path.contains(&format!("/{name}-")), "{sent:?}");
                let action = sent.body["action_result"]["action_id"].as_str();
                assert!(action.is_none_or(|id| id.starts_with(&format!("{name}-"))), "{sent:?}");
            }
        });
    }
}
