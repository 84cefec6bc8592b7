//! Hostile pages: whatever they send, each request ends in an answer or a code, nothing of the wallet is lost, and at most one
//! window is open.

use serde_json::{Value, json};
use std::time::Duration;
use webdriver::{Dapp, Error, Options, Site, TIMEOUT, Wallet, WalletOptions, not_yet, until};

/// A wallet and the server of the hostile pages; `127.0.0.1` and `localhost` are two origins.
pub(crate) struct Arena {
    pub(crate) wallet: Wallet,
    pub(crate) site: Site,
}

impl Arena {
    pub(crate) async fn new() -> Self {
        let wallet = Wallet::start(WalletOptions::with(Options::from_env().unwrap())).await.unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/dapps/hostile");
        Self { wallet, site: Site::serve(folder).await.unwrap() }
    }

    pub(crate) async fn page(&self) -> Dapp {
        self.wallet.open_dapp(&self.site.url("index.html")).await.unwrap()
    }

    /// A page that the user has let in.
    pub(crate) async fn connected(&self) -> Dapp {
        let page = self.page().await;
        let request = page.begin("eth_requestAccounts", Value::Null).await.unwrap();
        self.wallet.approve().await.unwrap();
        assert_eq!(request.wait().await.unwrap(), json!([self.wallet.address()]));
        page
    }

    /// The open prompts.
    pub(crate) async fn prompts(&self) -> Vec<Value> {
        let prompts = self.wallet.api("GET", "/api/prompts", Value::Null).await.unwrap();
        prompts["prompts"].as_array().unwrap().clone()
    }

    /// The wallet answers another page, and has at most one window.
    pub(crate) async fn is_well(&self) {
        let windows = self.wallet.windows().await.unwrap();
        assert!(windows <= 1, "{windows} windows");
        let other = self.wallet.open_dapp(&self.site.localhost("index.html")).await.unwrap();
        assert_eq!(other.request("eth_chainId", Value::Null).await.unwrap(), "0x1");
        assert_eq!(other.request("eth_accounts", Value::Null).await.unwrap(), json!([]));
        other.close().await.unwrap();
    }
}

/// The code with which a request was refused.
pub(crate) fn code(ended: Result<Value, Error>) -> Option<i64> {
    ended.err().and_then(|error| error.rpc_code())
}

/// Messages that a page forges: unreadable ones are ignored or refused, fields that only the browser may say count for
/// nothing, and answers that the page makes itself reach the page alone.
#[tokio::test]
async fn forged_messages_change_nothing() {
    let arena = Arena::new().await;
    let page = arena.page().await;
    let found = page.run("return malformed()", vec![]).await.unwrap();
    let refused = |code: i64| json!({ "code": code });
    assert_eq!(found["noMethod"], refused(-32600), "{found}");
    assert_eq!(found["numericMethod"], refused(-32600), "{found}");
    assert_eq!(found["longMethod"], refused(-32600), "{found}");
    assert!([refused(4100), refused(4200)].contains(&found["unknownMethod"]), "{found}");
    assert!([refused(4100), refused(4200)].contains(&found["protoMethod"]), "{found}");
    assert!([refused(4100), refused(-32602)].contains(&found["textParams"]), "{found}");

    let forged = page.run("return forgedSender()", vec![]).await.unwrap();
    assert_eq!(forged, json!([{ "result": [] }, { "code": 4100 }, { "result": [] }]));
    let answers = page.run("return forgedAnswers()", vec![]).await.unwrap();
    assert_eq!(answers, json!({ "chain": "0x1", "accounts": [] }));
    assert_eq!(arena.prompts().await, Vec::<Value>::new());

    // The ways that are open to extensions and named pages do not lead to the provider.
    let id = arena.wallet.browser().extension_id().to_owned();
    let outside = "const [id] = args;
        if (!globalThis.chrome?.runtime) return { sent: 'none', port: 'closed' };
        const message = { id: 'x-1', method: 'eth_requestAccounts', params: [], origin: 'https://bank.example' };
        const sent = await new Promise((resolve) => {
            setTimeout(() => resolve('silence'), 1500);
            chrome.runtime.sendMessage(id, message, (answer) => resolve(answer ?? 'none'));
        });
        const port = await new Promise((resolve) => {
            const port = chrome.runtime.connect(id, { name: 'countersign-page' });
            port.onMessage.addListener(({ event, ...answer }) => event ?? resolve(answer));
            port.onDisconnect.addListener(() => resolve('closed'));
            setTimeout(() => resolve('silence'), 1500);
            port.postMessage(message);
        });
        return { sent, port };";
    let outside = page.run(outside, vec![id.into()]).await.unwrap();
    assert!(outside["sent"]["result"].is_null(), "{outside}");
    assert!(outside["port"].is_string() || !outside["port"]["error"].is_null(), "{outside}");
    assert_eq!(arena.prompts().await, Vec::<Value>::new());
    arena.is_well().await;
}

/// Parameters of ten megabytes, of a hundred thousand levels, with cycles, getters that throw and `__proto__`: each is refused
/// with a code and without a prompt, also for a page that is let in.
#[tokio::test]
async fn odd_parameters_end_in_a_code() {
    let arena = Arena::new().await;
    let page = arena.connected().await;
    for method in ["eth_sendTransaction", "wallet_sendCalls", "eth_signTypedData_v4", "personal_sign"] {
        let ends = page.run("return odd(args[0])", vec![method.into()]).await.unwrap();
        for (name, end) in ends.as_object().unwrap() {
            assert_eq!(end["isError"], true, "{method} {name}: {end}");
            let code = end["code"].as_i64().unwrap();
            assert!([-32602, -32600, -32700].contains(&code), "{method} {name}: {end}");
        }
    }
    let calls = page.run("return oddCalls()", vec![]).await.unwrap();
    for name in ["nothing", "text", "noMethod", "textParams", "getter"] {
        assert_eq!(calls[name], json!({ "code": -32600, "isError": true }), "{name}: {calls}");
    }
    assert_eq!([&calls["frozen"], &calls["replaced"]], [true, false], "{calls}");
    assert_eq!(calls["polluted"], Value::Null);
    assert_eq!(arena.prompts().await, Vec::<Value>::new());
    assert_eq!(page.request("eth_accounts", Value::Null).await.unwrap(), json!([arena.wallet.address()]));
    arena.is_well().await;
}

/// A page that replaces the language's and the browser's own functions before its first request gets the same answers, and
/// sees nothing of the provider's work.
#[tokio::test]
async fn replaced_prototypes_change_nothing() {
    let arena = Arena::new().await;
    let page = arena.wallet.open(&arena.site.url("prototypes.html")).await.unwrap();
    let seen = page.run("return attack()", vec![]).await.unwrap();
    let expected = json!({ "chain": "0x1", "accounts": [], "sign": { "refused": 4100 } });
    assert_eq!(seen["found"], expected, "{seen}");
    assert_eq!(seen["touched"], json!([]), "{seen}");
    arena.is_well().await;
}

/// Frames: of the same origin the wallet is offered, as to the page; of another origin, sandboxed or made of data it is not,
/// and neither is what they send to the page around them.
#[tokio::test]
async fn frames_of_others_get_nothing() {
    let arena = Arena::new().await;
    let other = arena.site.localhost("");
    let url = format!("{}?other={}", arena.site.url("frames.html"), other.trim_end_matches('/'));
    let page = arena.wallet.open_dapp(&url).await.unwrap();
    let names = [
        "same-origin",
        "cross-origin",
        "sandboxed",
        "srcdoc",
        "srcdoc-sandboxed",
        "data",
        "blob",
        "about-blank",
        "cross-query",
        "nested",
    ];
    let found = until("every frame to report", TIMEOUT, async || {
        let found = page.run("return window.found", vec![]).await?;
        match names.iter().all(|name| found.get(name).is_some()) {
            true => Ok(found),
            false => Err(not_yet(found)),
        }
    })
    .await
    .unwrap();
    for name in names.iter().filter(|name| **name != "same-origin") {
        assert_eq!(found[name]["hasProvider"], false, "{name}: {}", found[name]);
        let raw = &found[name]["raw"];
        assert!(*raw == json!("silence") || *raw == json!({ "code": 4100 }), "{name}: {raw}");
    }
    assert_eq!(found["same-origin"]["hasProvider"], true, "{found}");
    assert_eq!(found["same-origin"]["asked"], json!({ "result": [] }));
    // The frame of the same origin asked to connect: one prompt, about this origin.
    let prompts = arena.prompts().await;
    assert_eq!(prompts.len(), 1, "{prompts:?}");
    assert_eq!(prompts[0]["origin"], arena.site.origin());
    assert_eq!(page.request("eth_accounts", Value::Null).await.unwrap(), json!([]));

    // A file and a text have no origin that could be let in.
    let file = format!("file://{}/../tests/dapps/hostile/index.html", env!("CARGO_MANIFEST_DIR"));
    for url in [file.as_str(), "data:text/html,<title>data</title>", "about:blank"] {
        let page = arena.wallet.open(url).await.unwrap();
        assert!(!page.has_provider().await.unwrap(), "{url}");
        page.close().await.unwrap();
    }
    arena.is_well().await;
}

/// A hundred connects are one prompt in one window: at most eight wait for it, the others are refused at once. Thousands of
/// other requests each get an answer.
#[tokio::test]
async fn floods_end_in_codes_and_one_window() {
    let arena = Arena::new().await;
    let page = arena.page().await;
    page.run("return beginFlood(100, 'eth_requestAccounts', [])", vec![]).await.unwrap();
    let window = arena.wallet.prompt().await.unwrap();
    let refused = until("the others to be refused", TIMEOUT, async || {
        let ends = page.run("return window.ends", vec![]).await?;
        match ends.as_array().map_or(0, Vec::len) {
            count if count >= 92 => Ok(ends),
            _ => Err(not_yet(ends)),
        }
    })
    .await
    .unwrap();
    for end in refused.as_array().unwrap() {
        assert!([-32002, -32005].contains(&end["code"].as_i64().unwrap()), "{end}");
    }
    assert_eq!(arena.wallet.windows().await.unwrap(), 1);
    arena.wallet.approve_in(&window).await.unwrap();
    let ends = until("all to end", TIMEOUT, async || {
        let ends = page.run("return window.ends", vec![]).await?;
        if ends.as_array().map(Vec::len) == Some(100) { Ok(ends) } else { Err(not_yet(ends)) }
    })
    .await
    .unwrap();
    let answered = ends.as_array().unwrap().iter().filter(|end| end.get("result").is_some()).count();
    assert!((1..=8).contains(&answered), "{answered} were answered");

    for (count, method, params) in [
        (3000, "eth_chainId", json!([])),
        (1000, "eth_sign", json!([])),
        (1000, "eth_sendTransaction", json!([{}])),
        (500, "wallet_getCallsStatus", json!(["0x01"])),
    ] {
        let ends =
            page.run("return flood(...args)", vec![count.into(), method.into(), params]).await.unwrap();
        let total: u64 = ends.as_object().unwrap().values().filter_map(Value::as_u64).sum();
        assert_eq!(total, count, "{method}: {ends}");
    }
    // Of requests that need the user, ten wait at most.
    let params = json!(["0x68656c6c6f", arena.wallet.address()]);
    page.run("return beginFlood(...args)", vec![60.into(), "personal_sign".into(), params]).await.unwrap();
    arena.wallet.prompt().await.unwrap();
    let refused = until("fifty to be refused", TIMEOUT, async || {
        let ends = page.run("return window.ends", vec![]).await?;
        if ends.as_array().map_or(0, Vec::len) >= 50 { Ok(ends) } else { Err(not_yet(ends)) }
    })
    .await
    .unwrap();
    for end in refused.as_array().unwrap() {
        assert_eq!(end["code"], -32005, "{end}");
    }
    assert_eq!(arena.wallet.windows().await.unwrap(), 1);
    page.close().await.unwrap();
    arena.is_well().await;
}

/// Two rejections in a row: the page waits, without a window, and hears how long.
#[tokio::test]
async fn two_rejections_silence_a_page() {
    let arena = Arena::new().await;
    let page = arena.page().await;
    for _ in 0..2 {
        let request = page.begin("eth_requestAccounts", Value::Null).await.unwrap();
        arena.wallet.reject().await.unwrap();
        assert_eq!(code(request.wait().await), Some(4001));
    }
    match page.request("eth_requestAccounts", Value::Null).await {
        Err(Error::Rpc { code: -32005, data, .. }) => {
            let wait = data["retryAfterMs"].as_u64().unwrap();
            assert!((1..=120_000).contains(&wait), "{data}");
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(arena.prompts().await, Vec::<Value>::new());
    arena.is_well().await;
}

/// A page is revoked while it waits for a signature: the request ends, the prompt is gone, and nothing is signed.
#[tokio::test]
async fn revocation_ends_what_is_pending() {
    let arena = Arena::new().await;
    let page = arena.connected().await;
    let params = json!(["0x68656c6c6f", arena.wallet.address()]);
    let signing = page.begin("personal_sign", params.clone()).await.unwrap();
    arena.wallet.prompt().await.unwrap();
    let payment = json!([{ "from": arena.wallet.address(), "to": arena.wallet.address(), "value": "0x1" }]);
    let paying = page.begin("eth_sendTransaction", payment).await.unwrap();
    until("two prompts", TIMEOUT, async || (arena.prompts().await.len() == 2).then_some(())).await.unwrap();
    arena.wallet.revoke(&arena.site.origin()).await.unwrap();
    for request in [signing, paying] {
        let ended = request.wait().await.unwrap_err();
        assert!(ended.rpc_code().is_some_and(|code| [4001, 4100].contains(&code)), "{ended:?}");
        assert_eq!(request.answers().await.unwrap(), 1);
    }
    assert_eq!(arena.prompts().await, Vec::<Value>::new());
    assert_eq!(page.event("accountsChanged").await.unwrap(), json!([]));
    assert_eq!(code(page.request("personal_sign", params).await), Some(4100));
    assert_eq!(arena.wallet.node().unwrap().nonce(arena.wallet.address()).await.unwrap(), 0);
    arena.is_well().await;
}

/// The status of a batch is for the origin that sent it.
#[tokio::test]
async fn batches_of_other_origins_are_unknown() {
    let arena = Arena::new().await;
    let page = arena.connected().await;
    let calls = json!([{ "version": "2.0.0", "chainId": "0x1", "atomicRequired": false, "id": "0xfeed",
        "from": arena.wallet.address(), "calls": [{ "to": arena.wallet.address(), "value": "0x1" }] }]);
    let sent = page.begin("wallet_sendCalls", calls).await.unwrap();
    arena.wallet.approve().await.unwrap();
    assert_eq!(sent.wait().await.unwrap()["id"], "0xfeed");
    page.wait_for_status("0xfeed", 200).await.unwrap();

    let other = arena.wallet.open_dapp(&arena.site.localhost("index.html")).await.unwrap();
    assert_eq!(code(other.request("wallet_getCallsStatus", json!(["0xfeed"])).await), Some(4100));
    let request = other.begin("eth_requestAccounts", Value::Null).await.unwrap();
    arena.wallet.approve().await.unwrap();
    request.wait().await.unwrap();
    for method in ["wallet_getCallsStatus", "wallet_showCallsStatus"] {
        assert_eq!(code(other.request(method, json!(["0xfeed"])).await), Some(5730), "{method}");
    }
    assert!(arena.wallet.windows().await.unwrap() <= 1);
}

/// Pages cannot show the approval inside themselves or open it, and a script's click on it counts for nothing.
#[tokio::test]
async fn approval_is_neither_framed_nor_clicked_by_scripts() {
    let arena = Arena::new().await;
    let page = arena.page().await;
    let request = page.begin("eth_requestAccounts", Value::Null).await.unwrap();
    let window = arena.wallet.prompt().await.unwrap();
    let address = window.url().await.unwrap();

    let framed = "const frame = document.createElement('iframe');
        frame.src = args[0];
        document.body.append(frame);
        await new Promise((resolve) => setTimeout(resolve, 800));
        let opened = null;
        try { opened = window.open(args[0]); } catch {}
        await new Promise((resolve) => setTimeout(resolve, 400));
        // The browser shows an error page in its place.
        opened?.close();
        let inside = 'unreadable';
        try { inside = frame.contentDocument?.body?.innerText ?? 'unreadable'; } catch {}
        const fetched = await fetch(args[0]).then((response) => response.status, () => 'blocked');
        return { inside, fetched };";
    let seen = page.run(framed, vec![address.clone().into()]).await.unwrap();
    assert!(!seen["inside"].as_str().unwrap().contains("Countersign"), "{seen}");
    assert_eq!(seen["fetched"], "blocked");
    let targets = arena.wallet.browser().targets().await.unwrap();
    let frames =
        targets.iter().filter(|target| target.kind == "iframe" && target.url.contains("approve.html"));
    assert_eq!(frames.count(), 0);

    // Armed, and pressed by a script inside the very page.
    let pressed = "const button = document.querySelector('[data-testid=prompt-approve]');
        while (button.getAttribute('aria-disabled') === 'true') await new Promise((r) => setTimeout(r, 50));
        button.click();
        for (const type of ['pointerdown', 'mousedown', 'pointerup', 'mouseup', 'click'])
            button.dispatchEvent(new MouseEvent(type, { bubbles: true, cancelable: true }));
        button.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
        await new Promise((resolve) => setTimeout(resolve, 300));
        return true";
    window.run(pressed, vec![]).await.unwrap();
    assert_eq!(request.answers().await.unwrap(), 0);
    arena.wallet.reject_in(&window).await.unwrap();
    assert_eq!(code(request.wait().await), Some(4001));
    arena.is_well().await;
}

/// The page is loaded again while its request is open: asked again, it finds the same prompt, and one answer serves it.
#[tokio::test]
async fn reloaded_page_finds_its_request() {
    let arena = Arena::new().await;
    let page = arena.connected().await;
    let params = json!(["0x68656c6c6f", arena.wallet.address()]);
    page.begin("personal_sign", params.clone()).await.unwrap();
    arena.wallet.prompt().await.unwrap();
    page.reload().await.unwrap();
    page.provider().await.unwrap();
    let again = page.begin("personal_sign", params).await.unwrap();
    tokio::time::sleep(Duration::from_millis(300)).await;
    assert_eq!(arena.prompts().await.len(), 1);
    assert_eq!(arena.wallet.windows().await.unwrap(), 1);
    arena.wallet.approve().await.unwrap();
    assert_eq!(again.wait().await.unwrap().as_str().map(str::len), Some(132));
    arena.is_well().await;
}
