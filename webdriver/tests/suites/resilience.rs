//! Failures around the worker: repeated streams, an unreachable backend, a wasm trap, data of a newer version, a lost
//! event stream.

use crate::world::{DEMO, DEMO_OUTLINE, PATIENCE, World, outline};
use agent_backend::Fault;
use serde_json::{Value, json};
use std::io::{Read, Write};
use std::net::TcpListener;
use std::sync::{Arc, Mutex};
use webdriver::{Browser, TIMEOUT, until};

const ALICE: &str = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045";

fn add(id: &str, title: &str) -> Value {
    json!({"actions": [{"id": id, "type": "add_address_book", "auto_execute": true,
        "params": {"entries": [{"title": title, "address": ALICE, "chain": "Ethereum"}]}}]})
}

/// T000-2: the same stream delivered twice changes nothing and is answered from the record.
#[tokio::test]
async fn same_stream_twice() {
    // The second message makes the agent send the first one's actions again, with the same ids.
    let script = r#"
        name = "Twice"
        [[turn]]
        when.message = "first"
        actions = ['''{"id": "fixed-1", "type": "add_address_book", "auto_execute": true, "params": {"entries": [
            {"title": "Once", "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "chain": "Ethereum"}]}}''']
        [[turn]]
        when.message = "again"
        actions = ['''{"id": "fixed-1", "type": "add_address_book", "auto_execute": true, "params": {"entries": [
            {"title": "Once", "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "chain": "Ethereum"}]}}''']
    "#;
    let world = World::new(script).await;
    let conversation = world.say("first").await;
    let first = world.results(1).await.remove(0);
    world.browser.kill_worker().await.unwrap();
    let path = format!("/api/conversations/{conversation}/messages");
    world.api("POST", &path, json!({"content": "again"})).await;
    let second = world.agent.wait_for(|state| state.results().get(1).cloned(), PATIENCE).await.unwrap();
    assert!(second.repeat, "the second result repeats the first");
    assert_eq!((second.key, second.data, second.success), (first.key, first.data, true));
    assert_eq!(world.stored_titles().await, ["Once"]);
    assert_eq!(world.agent.violations(), Vec::<String>::new());
}

/// T000-17: the backend is down for a minute, and the worker is killed meanwhile: the results wait and arrive in
/// order.
#[tokio::test]
async fn backend_down_for_a_minute() {
    let world = World::new(DEMO).await;
    world.agent.set_fault(Fault::status(503).on_results());
    world.say("contacts").await;
    until("five results that wait", PATIENCE, async || {
        (world.popup.idb("countersign", "outbox").await.ok()?.len() == 5).then_some(())
    })
    .await
    .unwrap();
    world.agent.stop().await;
    world.agent.clear_faults();
    world.browser.kill_worker().await.unwrap();
    // Seven attempts take at least a minute: half a second to half a minute between them.
    until("the seventh attempt", PATIENCE * 4, async || {
        let turns = world.popup.idb("countersign", "outbox").await.ok()?;
        let head: Value = serde_json::from_str(turns.first()?.as_str()?).ok()?;
        (turns.len() == 5 && head["attempts"].as_u64()? >= 7).then_some(())
    })
    .await
    .unwrap();
    world.agent.restart().await.unwrap();
    let results = world.results(5).await;
    assert_eq!(results.iter().map(outline).collect::<Vec<_>>(), DEMO_OUTLINE);
    assert_eq!(world.agent.violations(), Vec::<String>::new());
}

/// A trap in the core is an error for every waiting request, and the next request works, also one that needs the later part of
/// the core.
#[tokio::test]
async fn trap_fails_only_waiting_requests() {
    let world = World::new(DEMO).await;
    let boot = world.popup.boot_id().await.unwrap();
    for round in 0..3 {
        // Every reading of the clock traps, until this is removed.
        let trap = "self.clock ??= Date.now; Date.now = () => { throw new WebAssembly.RuntimeError('unreachable') }; 0";
        world.browser.evaluate_in_worker(trap).await.unwrap();
        let (status, body) =
            world.api("POST", "/api/actions", add(&format!("trap-{round}"), "Trapped")).await;
        assert_eq!((status, &body["error"]["code"]), (500, &json!("core_crashed")), "{body}");
        world.browser.evaluate_in_worker("Date.now = self.clock; 0").await.unwrap();
        let (status, body) = world.api("POST", "/api/actions", add(&format!("fine-{round}"), "Fine")).await;
        assert_eq!((status, &body["results"][0]["success"]), (200, &json!(true)), "{body}");
        assert_eq!(world.get("/tools").await["tools"][0]["isBuiltIn"], true);
    }
    assert_ne!(world.popup.boot_id().await.unwrap(), boot, "a new core has a new boot id");
    assert_eq!(world.stored_titles().await, ["Fine", "Fine", "Fine"]);
}

/// Data of a newer version are refused with their own error and left unchanged; that version can still use them.
#[tokio::test]
async fn data_of_a_newer_version_are_unchanged() {
    let world = World::new(DEMO).await;
    world.api("POST", "/api/actions", add("1", "Kept")).await;
    let bump = "return new Promise((resolve, reject) => {
        const request = indexedDB.open('countersign', 99);
        request.onsuccess = () => { request.result.close(); resolve(true); };
        request.onerror = () => reject(request.error); request.onblocked = () => reject(new Error('blocked')); })";
    world.popup.run(bump, vec![]).await.unwrap();
    world.browser.kill_worker().await.unwrap();
    for _ in 0..2 {
        let (status, body) = world.api("GET", "/api/settings", Value::Null).await;
        assert_eq!((status, &body["error"]["code"]), (503, &json!("schema_too_new")), "{body}");
    }
    world.popup.reload().await.unwrap();
    until("the page to say so", TIMEOUT, async || {
        let texts = world.popup.texts("problem").await.ok()?;
        texts.into_iter().find(|text| text.to_lowercase().contains("newer"))
    })
    .await
    .unwrap();
    assert_eq!(world.stored_titles().await, ["Kept"]);
}

/// T000-111: a page whose event stream ended with the worker receives the events of the meantime.
#[tokio::test]
async fn page_resumes_its_events() {
    let world = World::new(DEMO).await;
    let other = world.browser.popup().await.unwrap();
    other.go("contacts").await.unwrap();
    for round in 0..5 {
        world.browser.kill_worker().await.unwrap();
        let title = format!("Friend {round}");
        let (status, _) = world.api("POST", "/api/actions", add(&format!("event-{round}"), &title)).await;
        assert_eq!(status, 200);
        until("the contact on the other page", TIMEOUT, async || {
            other.contacts().await.ok()?.into_iter().find(|row| row.contains(&title))
        })
        .await
        .unwrap();
    }
}

/// Work is named only while it runs: a stalled stream keeps the worker busy until it ends.
#[tokio::test]
async fn work_is_named_only_while_it_runs() {
    let world = World::new(DEMO).await;
    let rested = async |world: &World| {
        until("no work", TIMEOUT, async || {
            (world.get("/api/health").await["work"] == json!([])).then_some(())
        })
        .await
    };
    rested(&world).await.unwrap();
    world.agent.set_fault(Fault::stall(agent_backend::At::AfterEvent(1)));
    let conversation = world.say("hello").await;
    world.agent.wait_for(|state| (state.held() > 0).then_some(()), PATIENCE).await.unwrap();
    assert_eq!(world.get("/api/health").await["work"], json!([format!("delivery {conversation}")]));
    world.agent.release();
    rested(&world).await.unwrap();
}

/// Settings and contacts survive the browser; the backend's token does not.
#[tokio::test]
async fn restarted_browser_continues() {
    let mut world = World::new(DEMO).await;
    world.agent.set_fault(Fault::status(503).on_results());
    world.say("contacts").await;
    world.api("PATCH", "/api/settings", json!({"backend": {"token": "secret"}})).await;
    until("five results that wait", PATIENCE, async || {
        (world.popup.idb("countersign", "outbox").await.ok()?.len() == 5).then_some(())
    })
    .await
    .unwrap();
    world.browser.restart().await.unwrap();
    world.agent.clear_faults();
    // No page is open: the browser's start resumes the work.
    assert_eq!(world.results(5).await.len(), 5);
    world.popup = page(&world.browser).await;
    assert_eq!(
        world.get("/api/settings").await["backend"],
        json!({"url": world.agent.url(), "hasToken": false})
    );
    assert_eq!(world.stored_titles().await, ["Alice", "Bob", "Carol"]);
}

async fn page(browser: &Browser) -> webdriver::Popup {
    browser.popup().await.unwrap()
}

/// A server that records the head of every request, and redirects it to another address, if it is given one.
fn server(redirect_to: Option<String>) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let heads: Arc<Mutex<Vec<String>>> = Arc::default();
    let recorded = Arc::clone(&heads);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut bytes = [0; 4_096];
            let read = stream.read(&mut bytes).unwrap_or(0);
            recorded.lock().unwrap().push(String::from_utf8_lossy(&bytes[..read]).to_lowercase());
            let head = match &redirect_to {
                Some(to) => format!("307 Temporary Redirect\r\nLocation: {to}/agent/conversations"),
                None => "200 OK".to_owned(),
            };
            let answer = format!("HTTP/1.1 {head}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    (url, heads)
}

/// A backend that redirects gets no answer from elsewhere: neither the token nor what is said goes to the other address.
/// Nodes are reached by the same port.
#[tokio::test]
async fn redirects_are_not_followed() {
    let world = World::new(DEMO).await;
    let (other, heads_of_other) = server(None);
    let (url, heads) = server(Some(other));
    world.api("PATCH", "/api/settings", json!({"backend": {"url": url, "token": "secret-token"}})).await;
    world.say("hello").await;
    until("two attempts", PATIENCE, async || {
        let heads = heads.lock().unwrap();
        (heads.iter().filter(|head| head.contains("bearer secret-token")).count() >= 2).then_some(())
    })
    .await
    .unwrap();
    assert_eq!(*heads_of_other.lock().unwrap(), [""; 0]);
}
