//! The store on IndexedDB in a real browser: the suite that the memory store passes natively, the migrations, and the
//! effects of a panic. The pages are `dist/harness`, made by `cargo xtask harness`.
use serde_json::{Value, json};
use std::path::PathBuf;
use webdriver::{Browser, Options, Page, Site};

/// Every case of `runtime::store::suite` and `harness::migration`, by name.
const CASES: &[&str] = &[
    "what was put is got",
    "a batch is all or nothing",
    "a precondition that fails changes nothing",
    "appended numbers grow and are never used twice",
    "ranges are ordered and cut as asked",
    "lines give every record once",
    "lines follow every change of a large table",
    "concurrent claims have one winner",
    "any text is a key and a record",
    "writes of a batch happen in order",
    "a migration creates, rewrites, joins, derives, removes and drops",
    "a large table is not read as it was before",
    "a database is made by all steps at once",
    "a migration that fails leaves the old version whole",
    "a newer database is refused and unharmed",
    "an open connection gives way to a newer version",
    "a strict batch is there after a reopening",
    "version 2 adds coins and keeps what version 1 held",
    "version 3 adds vaults and asks again what version 2 asked",
    "version 7 keeps open and settled prompts apart",
    "version 8 gives conversations and actions to their backend",
    "version 9 adds the tool store and keeps what version 8 held",
    "version 10 adds the tool system and keeps what version 9 held",
    "version 11 adds web pages and keeps what version 10 held",
];

/// Calls an export that is expected to trap, and reports what the global scope saw of it.
const TRAPPED: &str = r#"
    const seen = new Promise((resolve) => {
        for (const name of ["error", "unhandledrejection"])
            addEventListener(name, (event) => resolve({ event: name, error: event.error ?? event.reason }));
    });
    const ended = Promise.resolve((await window.harness)[args[0]]()).then(() => new Promise(() => {}));
    const { event, error } = await Promise.race([seen, ended]);
    return [event, error instanceof WebAssembly.RuntimeError];
"#;

/// The harness page, with its server and browser.
struct Harness {
    page: Page,
    url: String,
    _browser: Browser,
    _site: Site,
}

impl Harness {
    async fn open() -> Self {
        let folder = std::env::var_os("COUNTERSIGN_HARNESS").map(PathBuf::from);
        let folder = folder.expect("COUNTERSIGN_HARNESS; `cargo xtask test browser` sets it");
        let site = Site::serve_isolated(folder).await.unwrap();
        let browser = Browser::launch(Options::from_env().unwrap()).await.unwrap();
        let url = site.url("index.html");
        let page = browser.open(&url).await.unwrap();
        Self { page, url, _browser: browser, _site: site }
    }

    async fn call(&self, export: &str) -> Value {
        self.page.run("return (await window.harness)[args[0]]() ?? null", vec![export.into()]).await.unwrap()
    }

    /// The event, and whether it carried a trap.
    async fn trapped(&self, export: &str) -> Value {
        self.page.run(TRAPPED, vec![export.into()]).await.unwrap()
    }
}

#[tokio::test]
async fn indexed_db_passes_the_suite_and_migrates() {
    let harness = Harness::open().await;
    let report = harness.call("run_store_suite").await;
    let report: Value = serde_json::from_str(report.as_str().unwrap()).unwrap();
    let expected: Vec<Value> = CASES.iter().map(|name| json!({ "name": name, "error": null })).collect();
    assert_eq!(report, Value::Array(expected));
    let left = harness.page.run("return (await indexedDB.databases()).length", vec![]).await.unwrap();
    assert_eq!(left, json!(0));
}

/// The worker's shell relies on this to detect a crash that no caller sees.
#[tokio::test]
async fn panic_in_a_task_reaches_the_global_scope() {
    let harness = Harness::open().await;
    assert_eq!(harness.trapped("panic_in_a_task").await, json!(["error", true]));
}

#[tokio::test]
async fn panic_in_a_migration_keeps_the_old_version() {
    let harness = Harness::open().await;
    assert_eq!(harness.trapped("panic_in_a_migration").await, json!(["error", true]));
    harness.page.goto(&harness.url).await.unwrap();
    assert_eq!(harness.call("after_the_panic").await, Value::Null);
}
