//! The library itself, with a temporary extension: a worker that answers `/api/health`, and a page.
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::time::Duration;
use tempfile::TempDir;
use webdriver::{Browser, Card, Error, HttpTool, Message, Options, Site, TIMEOUT, not_yet, until};

const MANIFEST: &str = r#"{
    "manifest_version": 3, "name": "throw-away", "version": "1.0.0",
    "background": { "service_worker": "worker.js" }
}"#;

const WORKER: &str = r#"
    const bootId = crypto.randomUUID();
    self.addEventListener("install", () => self.skipWaiting());
    self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
    self.addEventListener("fetch", (event) => {
        const url = new URL(event.request.url);
        if (url.pathname === "/api/health") event.respondWith(Response.json({ bootId }));
        if (url.pathname === "/api/echo")
            event.respondWith(event.request.json().then((body) => Response.json(body, { status: 201 })));
        const { method } = event.request;
        if (/^\/(tools|api\/(settings|secrets))/.test(url.pathname))
            event.respondWith(event.request.json().then((body) => Response.json({ method, path: url.pathname, body },
                { status: url.pathname.endsWith("/v9") ? 409 : method === "PUT" ? 201 : 200 })));
        if (url.pathname === "/api/never") event.respondWith(new Promise(() => {}));
        if (url.pathname === "/api/spin") event.respondWith(new Promise(() => { for (;;); }));
    });
"#;

const PAGE: &str = r#"<!doctype html>
    <button data-testid="nav-agent">Agent</button>
    <textarea data-testid="composer"></textarea>
    <button data-testid="composer-send">Send</button>
    <select data-testid="chain"><option>Bitcoin</option><option value="Ethereum">Ether</option></select>
    <main></main>
    <script src="popup.js"></script>"#;

const PAGE_SCRIPT: &str = r#"
    const by = (id) => document.querySelector(`[data-testid="${id}"]`);
    by("composer").addEventListener("input", () => { document.title = by("composer").value; });
    by("composer-send").addEventListener("click", () => {
        const text = by("composer").value;
        document.querySelector("main").innerHTML = `<p data-testid="message" data-role="user">${text}</p>
            <div data-testid="action-card" data-action-id="a1" data-state="running">Adding</div>`;
        setTimeout(() => { by("action-card").dataset.state = "done"; }, 100);
    });
"#;

fn extension() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let files =
        [("manifest.json", MANIFEST), ("worker.js", WORKER), ("popup.html", PAGE), ("popup.js", PAGE_SCRIPT)];
    for (name, content) in files {
        std::fs::write(folder.path().join(name), content).unwrap();
    }
    folder
}

async fn browser(extension: &TempDir) -> Browser {
    Browser::launch(Options::new(extension.path())).await.unwrap()
}

#[tokio::test]
async fn page_talks_to_the_worker() {
    let extension = extension();
    let browser = browser(&extension).await;
    let popup = browser.popup().await.unwrap();

    assert_eq!(popup.boot_id().await.unwrap(), popup.boot_id().await.unwrap());
    let body = json!({ "contacts": [{ "title": "Ada" }] });
    assert_eq!(popup.fetch("POST", "/api/echo", Some(body.clone())).await.unwrap(), (201, body));
    let workers =
        browser.targets().await.unwrap().into_iter().filter(|target| target.kind == "service_worker");
    assert_eq!(workers.map(|worker| worker.url).collect::<Vec<_>>(), [browser.extension_url("worker.js")]);
}

#[tokio::test]
async fn killed_worker_comes_back_as_another() {
    let extension = extension();
    let browser = browser(&extension).await;
    let popup = browser.popup().await.unwrap();

    let mut boots = BTreeSet::from([popup.boot_id().await.unwrap()]);
    for _ in 0..5 {
        assert!(browser.kill_worker().await.unwrap());
        boots.insert(popup.boot_id().await.unwrap());
    }
    assert_eq!(boots.len(), 6);

    assert!(browser.kill_worker().await.unwrap());
    assert!(!browser.worker_is_running().await.unwrap());
    assert!(!browser.kill_worker().await.unwrap());
    assert!(matches!(browser.evaluate_in_worker("1").await, Err(Error::NoWorker)));
}

#[tokio::test]
async fn worker_is_killed_under_a_request_and_in_a_loop() {
    let extension = extension();
    let browser = browser(&extension).await;
    let popup = browser.popup().await.unwrap();

    for path in ["/api/never", "/api/spin"] {
        let first = popup.boot_id().await.unwrap();
        let pending = popup.begin("GET", path, None).await.unwrap();
        assert_eq!(pending.answer().await.unwrap(), None);
        assert!(browser.kill_worker().await.unwrap());
        assert!(pending.wait().await.is_err(), "{path}");
        assert_ne!(popup.boot_id().await.unwrap(), first);
    }
}

#[tokio::test]
async fn worker_evaluates_expressions() {
    let extension = extension();
    let browser = browser(&extension).await;
    let popup = browser.popup().await.unwrap();

    let boot_id = Value::from(popup.boot_id().await.unwrap());
    assert_eq!(browser.evaluate_in_worker("bootId").await.unwrap(), boot_id);
    assert_eq!(
        browser.evaluate_in_worker("Promise.resolve([1, {a: 2}])").await.unwrap(),
        json!([1, { "a": 2 }])
    );
    let thrown = browser.evaluate_in_worker("(() => { throw new Error('no') })()").await.unwrap_err();
    assert!(thrown.to_string().contains("Error: no"), "{thrown}");
    assert!(browser.kill_worker().await.unwrap());
    assert_ne!(Value::from(popup.boot_id().await.unwrap()), boot_id);
}

#[tokio::test]
async fn restart_and_crash_keep_the_profile() {
    let extension = extension();
    let mut browser = browser(&extension).await;
    let profile = browser.profile().to_path_buf();
    let put = "const request = indexedDB.open('book', 1);
        request.onupgradeneeded = () => request.result.createObjectStore('entries', { keyPath: 'id' });
        await new Promise((resolve) => { request.onsuccess = resolve; });
        const transaction = request.result.transaction('entries', 'readwrite', { durability: 'strict' });
        transaction.objectStore('entries').put({ id: args[0], key: new Uint8Array([1, 255]) });
        await new Promise((resolve) => { transaction.oncomplete = resolve; });
        request.result.close();";
    let entry = |id: u32| json!({ "id": id, "key": { "bytes": "01ff" } });

    let popup = browser.popup().await.unwrap();
    assert_eq!(popup.idb("book", "entries").await.unwrap(), Vec::<Value>::new());
    popup.run(put, vec![1.into()]).await.unwrap();
    browser.restart().await.unwrap();

    let popup = browser.popup().await.unwrap();
    assert_eq!(popup.idb("book", "entries").await.unwrap(), [entry(1)]);
    popup.run(put, vec![2.into()]).await.unwrap();
    browser.crash().await.unwrap();

    let popup = browser.popup().await.unwrap();
    assert_eq!(popup.idb("book", "entries").await.unwrap(), [entry(1), entry(2)]);
    assert_eq!(popup.idb("book", "other").await.unwrap(), Vec::<Value>::new());
    drop(browser);
    assert!(!profile.exists());
}

#[tokio::test]
async fn popup_page_object() {
    let extension = extension();
    let options = Options { dark: true, window: (400, 600), ..Options::new(extension.path()) };
    let browser = Browser::launch(options).await.unwrap();
    let (popup, other) = (browser.popup().await.unwrap(), browser.popup().await.unwrap());

    let dark = "return matchMedia('(prefers-color-scheme: dark)').matches";
    assert_eq!(popup.run(dark, vec![]).await.unwrap(), true);
    popup.go("agent").await.unwrap();
    popup.send_message("first").await.unwrap();
    popup.send_message("Add Ada").await.unwrap();
    let card = Card { action_id: "a1".into(), state: "done".into(), text: "Adding".into() };
    assert_eq!(popup.settled_cards(1).await.unwrap(), [card]);
    assert_eq!(popup.messages().await.unwrap(), [Message { role: "user".into(), text: "Add Ada".into() }]);
    assert_eq!(other.messages().await.unwrap(), []);
    popup.fill("composer", "").await.unwrap();
    assert_eq!(popup.run("return document.title", vec![]).await.unwrap(), "");
    popup.fill("chain", "Ethereum").await.unwrap();
    let chain = "return document.querySelector('select').value";
    assert_eq!(popup.run(chain, vec![]).await.unwrap(), "Ethereum");
    assert_eq!(popup.empty_state().await.unwrap(), None);

    let picture = extension.path().join("popup.png");
    popup.screenshot(&picture).await.unwrap();
    assert!(std::fs::read(picture).unwrap().starts_with(b"\x89PNG"));
}

#[tokio::test]
async fn folder_is_served_as_a_site() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("page.html"), "<script type=module src=page.js></script>").unwrap();
    std::fs::write(folder.path().join("empty.wasm"), b"\0asm\x01\0\0\0").unwrap();
    let script = "const wasm = await WebAssembly.instantiateStreaming(fetch('empty.wasm'));
        document.title = `${wasm.instance instanceof WebAssembly.Instance} ${crossOriginIsolated}`;";
    std::fs::write(folder.path().join("page.js"), script).unwrap();

    let extension = extension();
    let (browser, site) = (browser(&extension).await, Site::serve_isolated(folder.path()).await.unwrap());
    let page = browser.open(&site.url("page.html")).await.unwrap();
    until("the page's script to end", TIMEOUT, async || {
        match page.run("return document.title", vec![]).await? {
            Value::String(title) if title == "true true" => Ok(()),
            other => Err(not_yet(other)),
        }
    })
    .await
    .unwrap();
    let missing = page.run("return (await fetch('none.js')).status", vec![]).await.unwrap();
    assert_eq!(missing, 404);
}

#[tokio::test]
async fn failing_test_leaves_no_process() {
    let extension = extension();
    let path = extension.path().to_path_buf();
    let (tell, told) = tokio::sync::oneshot::channel();
    let failing = tokio::spawn(async move {
        let browser = Browser::launch(Options::new(path)).await.unwrap();
        tell.send(browser.profile().to_path_buf()).unwrap();
        panic!("a test fails");
    });
    let profile = told.await.unwrap();
    assert!(failing.await.is_err());
    assert!(!profile.exists());
    let profile = profile.to_str().unwrap();
    let processes = || {
        let commands = std::fs::read_dir("/proc").unwrap().filter_map(|entry| {
            let command = std::fs::read(entry.ok()?.path().join("cmdline")).ok()?;
            Some(String::from_utf8_lossy(&command).replace('\0', " "))
        });
        commands.filter(|command| command.contains(profile)).collect::<Vec<_>>()
    };
    until("every process of the browser to be gone", TIMEOUT, async || match processes() {
        left if left.is_empty() => Ok(()),
        left => Err(not_yet(left)),
    })
    .await
    .unwrap();
}

/// What suites do with tools is sent as a page sends it, and a refusal is an error.
#[tokio::test]
async fn tools_by_the_api() {
    let extension = extension();
    let browser = browser(&extension).await;
    let popup = browser.popup().await.unwrap();
    let tool = HttpTool::get("get-weather", "http://127.0.0.1:1/weather?city=${city}")
        .argument("city", json!({ "type": "string" }));
    let made = popup.put_tool(&tool).await.unwrap();
    assert_eq!(made, json!({ "method": "PUT", "path": tool.path(), "body": tool.body() }));
    let (status, called) = popup.invoke(&tool, json!({ "city": "Berlin" })).await.unwrap();
    let path = format!("{}/invoke", tool.path());
    let expected = json!({ "method": "POST", "path": path, "body": { "args": { "city": "Berlin" } } });
    assert_eq!((status, &called), (200, &expected));
    let begun = popup.begin_invoke(&tool, json!({ "city": "Berlin" })).await.unwrap();
    assert_eq!(begun.wait().await.unwrap(), (200, expected));
    popup.switch_tool(&tool, false).await.unwrap();
    popup.allow_hosts(&["127.0.0.1:1"], Some("a password")).await.unwrap();
    popup.put_secret("KEY", "value", None).await.unwrap();
    let taken = popup.put_tool(&tool.version("v9")).await.unwrap_err();
    assert!(matches!(&taken, Error::Answer { status: 409, .. }), "{taken}");
}

#[tokio::test]
async fn timeout_says_what_was_waited_for() {
    let mut looks = 0;
    let waited = until("the moon", Duration::from_millis(60), async || {
        looks += 1;
        Err::<(), _>(not_yet("a cloud"))
    });
    let message = waited.await.unwrap_err().to_string();
    assert_eq!(message, "waited 60ms for the moon; last seen: \"a cloud\"");
    assert!(looks > 1);
}
