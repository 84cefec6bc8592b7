//! What `fetch` of this browser does in an extension's worker, as far as HTTP tools rely on it: against the tool server, with
//! a throw-away extension. A test that fails here says that the browser has changed, not the wallet.

use nodes::tools::{CallerOutcome, ToolRequest};
use nodes::{Oidc, OidcOptions, ToolServer, When};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use webdriver::{Browser, Options, TIMEOUT, not_yet, until};

const MANIFEST: &str = r#"{
    "manifest_version": 3, "name": "throw-away", "version": "1.0.0", "permissions": ["identity"],
    "host_permissions": ["http://127.0.0.1/*", "http://localhost/*"],
    "background": { "service_worker": "worker.js" }
}"#;

/// `ask(url, init)`: everything that a caller can know of an answer.
const WORKER: &str = r#"
    self.addEventListener("install", () => self.skipWaiting());
    self.addEventListener("activate", (event) => event.waitUntil(self.clients.claim()));
    self.addEventListener("fetch", (event) => {
        if (new URL(event.request.url).pathname === "/api/health") event.respondWith(Response.json({ bootId: "1" }));
    });
    self.ask = async (url, init) => {
        let response;
        try { response = await fetch(url, { credentials: "omit", redirect: "manual", ...init }); }
        catch (error) { return { failed: String(error) }; }
        const { type, status } = response;
        const headers = Object.fromEntries(response.headers);
        try { return { type, status, headers, body: await response.text() }; }
        catch (error) { return { type, status, headers, broken: String(error) }; }
    };
"#;

struct Fetching {
    server: ToolServer,
    browser: Browser,
    _extension: TempDir,
}

impl Fetching {
    async fn start() -> Self {
        let extension = tempfile::tempdir().unwrap();
        for (name, content) in
            [("manifest.json", MANIFEST), ("worker.js", WORKER), ("popup.html", "<!doctype html>")]
        {
            std::fs::write(extension.path().join(name), content).unwrap();
        }
        let server = ToolServer::start().await.unwrap();
        let browser = Browser::launch(Options::new(extension.path())).await.unwrap();
        browser.popup().await.unwrap();
        Self { server, browser, _extension: extension }
    }

    async fn evaluate(&self, expression: &str) -> Value {
        self.browser.evaluate_in_worker(expression).await.unwrap()
    }

    async fn ask(&self, path: &str, init: Value) -> Value {
        self.evaluate(&format!("ask({}, {init})", json!(self.server.url(path)))).await
    }

    async fn get(&self, path: &str) -> Value {
        self.ask(path, json!({})).await
    }
}

/// `User-Agent` and the headers that a browser keeps to itself do not go out, and nothing says so: a tool that has one must
/// be refused when it is saved.
#[tokio::test]
async fn some_headers_are_dropped_silently() {
    let it = Fetching::start().await;
    let mine = "mine/1";
    for (name, goes_out) in [
        ("User-Agent", false),
        ("Host", false),
        ("Cookie", false),
        ("Referer", false),
        ("Content-Length", false),
        ("Accept-Encoding", false),
        ("Sec-Purpose", false),
        ("Proxy-Authorization", false),
        ("Accept", true),
        ("Accept-Language", true),
        ("Authorization", true),
        ("X-Own", true),
    ] {
        let answer = it.ask("/echo", json!({ "headers": { name: mine } })).await;
        assert_eq!(answer["status"], 200, "{name}: {answer}");
        let sent = it.server.requests().pop().unwrap();
        assert_eq!(sent.header(&name.to_lowercase()) == Some(mine), goes_out, "{name}: {:?}", sent.headers);
    }
}

/// With `redirect: "manual"` a redirect is told apart from a lost connection, and its target is not asked.
#[tokio::test]
async fn redirects_are_not_followed() {
    let it = Fetching::start().await;
    let elsewhere = it.server.url_by_name("/echo");
    for code in [301, 302, 307, 308] {
        for to in ["/echo", &elsewhere, "https://127.0.0.1/"] {
            let to: String = url::form_urlencoded::byte_serialize(to.as_bytes()).collect();
            let answer = it.ask(&format!("/redirect/{code}?to={to}"), json!({ "method": "POST" })).await;
            assert_eq!(answer, json!({ "type": "opaqueredirect", "status": 0, "headers": {}, "body": "" }));
        }
    }
    assert_eq!(it.server.count("/echo"), 0);
    let refused = it.ask("/redirect/302", json!({ "redirect": "error" })).await;
    assert_eq!(refused, it.get("/drop").await, "the same for both");
}

#[tokio::test]
async fn broken_and_odd_answers() {
    let it = Fetching::start().await;
    let failed = json!("TypeError: Failed to fetch");
    for path in ["/drop", "/headers/300000"] {
        assert_eq!(it.get(path).await["failed"], failed, "{path}");
    }
    for path in ["/cut", "/cut-chunked", "/length/30"] {
        let answer = it.get(path).await;
        assert_eq!((&answer["status"], &answer["broken"]), (&json!(200), &failed), "{path}: {answer}");
    }
    for (path, body) in [
        ("/length/5", "{\"val"),
        ("/bom", "{\"value\":\"after a mark\"}"),
        ("/gzip", "{\"value\":\"compressed\"}"),
        ("/latin", "Z\u{fffd}rich"),
        ("/status/204", ""),
    ] {
        assert_eq!(it.get(path).await["body"], body, "{path}");
    }
    // No prompt of the browser; the header can be read.
    let unauthorized = it.get("/basic").await;
    assert_eq!(unauthorized["status"], 401);
    assert!(unauthorized["headers"]["www-authenticate"].as_str().unwrap().starts_with("Basic"));
    assert_eq!(it.get("/limited/1/7/a").await["headers"]["retry-after"], "7");
    it.get("/cookie").await;
    it.get("/echo").await;
    assert_eq!(it.server.requests().pop().unwrap().header("cookie"), None);
    let expected = it.server.requests().len();
    assert_eq!(expected, 14, "no request was sent twice");
}

/// Cancelled or killed, a request's connection ends, and the server sees it.
#[tokio::test]
async fn aborts_reach_the_server() {
    let it = Fetching::start().await;
    let read_some = |path: &str| {
        let url = json!(it.server.url(path));
        format!(
            "(async () => {{
                const abort = new AbortController();
                const reader = (await fetch({url}, {{ signal: abort.signal }})).body.getReader();
                for (let bytes = 0; bytes < 200; bytes += (await reader.read()).value.length);
                abort.abort();
            }})()"
        )
    };
    for path in ["/endless", "/endless/1", "/events/endless/1"] {
        it.evaluate(&read_some(path)).await;
        assert_eq!(it.server.wait_ended(path).await.unwrap().outcome, CallerOutcome::Left, "{path}");
    }
    let url = json!(it.server.url("/silent"));
    let timeout = format!("fetch({url}, {{ signal: AbortSignal.timeout(50) }}).catch((error) => error.name)");
    assert_eq!(it.evaluate(&timeout).await, "TimeoutError");
    assert_eq!(it.server.wait_ended("/silent").await.unwrap().outcome, CallerOutcome::Left);

    let mut held = it.server.hold("/orders", When::Before);
    let url = json!(it.server.url("/orders"));
    it.evaluate(&format!("void fetch({url}, {{ method: 'POST', body: '{{}}' }})")).await;
    it.browser.kill_worker_after(held.wait_arrived()).await.unwrap();
    assert_eq!(it.server.wait_ended("/orders").await.unwrap().outcome, CallerOutcome::Left);
    held.release();
    let handled = |requests: &[ToolRequest]| requests.last()?.handled.then_some(());
    it.server.wait_for("the order", handled, TIMEOUT).await.unwrap();
}

/// On a connection that was used before and dies without an answer, the browser sends a POST again by itself. The wallet
/// cannot know; only an idempotency key that the server honours helps.
#[tokio::test]
async fn post_on_a_reused_connection_is_repeated() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let (tell, mut told) = tokio::sync::mpsc::unbounded_channel();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            let tell = tell.clone();
            // The first request of a connection is answered, the second ends it.
            tokio::spawn(async move {
                let mut request = vec![0; 16 * 1024];
                for answers in [true, false] {
                    let Ok(read @ 1..) = stream.read(&mut request).await else { return };
                    let line = String::from_utf8_lossy(&request[..read]);
                    tell.send(line.lines().next().unwrap_or_default().to_owned()).unwrap();
                    if answers {
                        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}").await.unwrap();
                    }
                }
            });
        }
    });
    let it = Fetching::start().await;
    it.evaluate(&format!("ask({}, {{}})", json!(url))).await;
    let answer = it.evaluate(&format!("ask({}, {{ method: 'POST' }})", json!(url))).await;
    assert_eq!((&answer["status"], &answer["body"]), (&json!(200), &json!("{}")));
    let mut lines = Vec::new();
    while let Ok(line) = told.try_recv() {
        lines.push(line);
    }
    assert_eq!(lines, ["GET / HTTP/1.1", "POST / HTTP/1.1", "POST / HTTP/1.1"]);
}

/// `chrome.identity` takes a person to a server on this machine and back with a code: from the worker, and from a page, which
/// survives the worker's death. Consent is a press on the server's page.
#[tokio::test]
async fn identity_returns_with_a_code() {
    let it = Fetching::start().await;
    let redirect = format!("https://{}.chromiumapp.org/oauth", it.browser.extension_id());
    assert_eq!(it.evaluate("chrome.identity.getRedirectURL('oauth')").await, json!(redirect));
    let oidc =
        Oidc::start(&OidcOptions { auto_consent: false, ..OidcOptions::new(&redirect) }).await.unwrap();
    let query = url::form_urlencoded::Serializer::new(String::new())
        .extend_pairs([
            ("response_type", "code"),
            ("client_id", Oidc::CLIENT_ID),
            ("redirect_uri", &redirect),
            ("scope", "weather.read"),
            ("state", "s"),
            // As long as a challenge is; it is not redeemed here.
            ("code_challenge", &"c".repeat(43)),
            ("code_challenge_method", "S256"),
        ])
        .finish();
    let url = json!(format!("{}?{query}", oidc.authorization_url()));
    let flow = |interactive: bool| {
        format!(
            "chrome.identity.launchWebAuthFlow({{ url: {url}, interactive: {interactive} }}).catch((error) => String(error))"
        )
    };
    let consent = format!("{}/interaction/", oidc.url());
    let begins = format!("{redirect}?code=");

    let popup = it.browser.popup().await.unwrap();
    popup
        .run(&format!("void {}.then((value) => {{ window.sentTo = value; }})", flow(true)), vec![])
        .await
        .unwrap();
    let page = it.browser.page_at(&consent).await.unwrap();
    it.browser.kill_worker().await.unwrap();
    page.click("oidc-deny").await.unwrap();
    let sent_to = until("the page to be told", TIMEOUT, async || {
        popup
            .run("return window.sentTo ?? null", vec![])
            .await?
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| not_yet("null"))
    });
    let sent_to = sent_to.await.unwrap();
    assert!(sent_to.starts_with(&redirect) && sent_to.contains("error=access_denied"), "{sent_to}");

    // Starts the worker again.
    popup.boot_id().await.unwrap();
    let interactive = flow(true);
    let (sent_to, ()) = tokio::join!(it.evaluate(&interactive), async {
        it.browser.page_at(&consent).await.unwrap().click("oidc-allow").await.unwrap();
    });
    assert!(sent_to.as_str().unwrap().starts_with(&begins), "{sent_to}");

    // The window has the cookies of the browser, and the server remembers the consent.
    let at_once = popup.run(&format!("return {}", flow(false)), vec![]).await.unwrap();
    assert!(at_once.as_str().unwrap().starts_with(&begins), "{at_once}");
}
