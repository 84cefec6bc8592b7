//! What a start of the worker costs, counted instead of timed: V8 compiles a function of a module when it first runs,
//! so the functions that run before the first answer are the start's own weight.
use serde_json::json;
use std::collections::BTreeSet;
use std::time::Duration;
use webdriver::{Browser, Options};

/// What V8 may compile before the first answer: functions, and bytes of their bodies.
const MOST_FUNCTIONS: usize = 200;
const MOST_BYTES: usize = 60_000;

/// A file of the extension on which nothing happens: a page of ours would start the worker by itself.
const QUIET: &str = "manifest.json";

/// A worker that is started for a read answers with what a small part of one module compiles to.
#[tokio::test]
async fn first_answer_compiles_little() {
    let options = Options { traces_compilation: true, ..Options::from_env().unwrap() };
    let browser = Browser::launch(options).await.unwrap();
    let page = browser.open(&browser.extension_url(QUIET)).await.unwrap();
    let entries =
        json!([{"title": "Zoë", "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "chain": "Base"}]);
    let save =
        json!({"id": "1", "type": "add_address_book", "auto_execute": true, "params": {"entries": entries}});
    let ask =
        json!({"id": "2", "type": "add_address_book", "title": "Save Zoë", "params": {"entries": entries}});
    let requests = [
        ("/api/actions", json!({"actions": [save]})),
        ("/api/actions?wait=false", json!({"actions": [ask]})),
        ("/api/conversations", json!({"title": "About Zoë"})),
    ];
    for (target, body) in requests {
        let (status, answer) = page.fetch("POST", target, Some(body)).await.unwrap();
        assert!((200..=202).contains(&status), "{answer}");
    }
    let reads = [
        ("/api/contacts", "/contacts/0/title", "Zoë"),
        ("/api/conversations", "/conversations/0/title", "About Zoë"),
        ("/api/prompts", "/prompts/0/title", "Save Zoë"),
    ];
    for (target, place, expected) in reads {
        // Resumption comes after the first answer, and ends before the next start.
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(browser.kill_worker().await.unwrap());
        browser.compilations().unwrap();
        let (status, body) = page.fetch("GET", target, None).await.unwrap();
        let compiled = browser.compilations().unwrap();
        assert_eq!((status, body.pointer(place)), (200, Some(&json!(expected))), "{body}");
        // What comes after the answer is of another module: the core is opened then.
        let first = compiled.first().unwrap().module.clone();
        let before = compiled.iter().filter(|function| function.module == first);
        let sizes: Vec<usize> = before.map(|function| function.body).collect();
        let (functions, bytes) = (sizes.len(), sizes.iter().sum::<usize>());
        println!("{target}: {functions} functions, {bytes} bytes");
        assert!(
            functions <= MOST_FUNCTIONS && bytes <= MOST_BYTES,
            "{target}: {functions} functions with {bytes} bytes are compiled before the first answer"
        );
    }
}

/// Neither a start nor a built-in tool loads the core's later part; what needs it does, in each life of the worker anew.
#[tokio::test]
async fn later_part_is_loaded_for_its_first_use() {
    let options = Options { traces_compilation: true, ..Options::from_env().unwrap() };
    let browser = Browser::launch(options).await.unwrap();
    let page = browser.open(&browser.extension_url(QUIET)).await.unwrap();
    let modules = || -> BTreeSet<String> {
        browser.compilations().unwrap().into_iter().map(|function| function.module).collect()
    };
    let look = async |id: &str| {
        let look = json!({"actions": [{"id": id, "type": "get_address_book", "params": {}}]});
        assert_eq!(page.fetch("POST", "/api/actions", Some(look)).await.unwrap().0, 200);
        // What is begun by an answer ends before anything is counted.
        tokio::time::sleep(Duration::from_secs(1)).await;
    };
    // The first look of a day trims, with code of the later part.
    look("1").await;
    for id in ["2", "3"] {
        assert!(browser.kill_worker().await.unwrap());
        modules();
        assert_eq!(page.fetch("GET", "/api/health", None).await.unwrap().0, 200);
        look(id).await;
        let started = modules();
        assert_eq!(page.fetch("GET", "/api/secrets", None).await.unwrap(), (200, json!({"secrets": []})));
        let loaded: Vec<String> = modules().difference(&started).cloned().collect();
        assert_eq!(loaded.len(), 1, "the later part: {loaded:?}, after {started:?}");
    }
}
