//! Pages that leave and come back while the wallet asks, open others, and put a service worker before themselves.

use crate::dapp_hostile::{Arena, code};
use serde_json::{Value, json};
use webdriver::{TIMEOUT, not_yet, until};

const HELLO: &str = "0x68656c6c6f";

/// Waits until the one open prompt has a reason; returns the prompt.
async fn warned(arena: &Arena, reason: &str) -> Value {
    until(&format!("the reason {reason}"), TIMEOUT, async || {
        let prompts = arena.prompts().await;
        let has = |prompt: &&Value| {
            prompt["reasons"].as_array().is_some_and(|all| all.iter().any(|one| one["code"] == reason))
        };
        prompts.iter().find(has).cloned().ok_or_else(|| not_yet(&prompts))
    })
    .await
    .unwrap()
}

/// The page shows something else while the user is asked: the prompt says so and stays, what the user approves is signed once,
/// and the page that comes back and asks again gets that signature.
#[tokio::test]
async fn page_navigates_away_and_returns() {
    let arena = Arena::new().await;
    let page = arena.connected().await;
    let params = json!([HELLO, arena.wallet.address()]);
    page.begin("personal_sign", params.clone()).await.unwrap();
    let window = arena.wallet.prompt().await.unwrap();
    let other = arena.site.localhost("index.html");
    page.goto(&other).await.unwrap();
    warned(&arena, "page_gone").await;
    // The page of the other origin gets nothing of it.
    page.provider().await.unwrap();
    assert_eq!(code(page.request("personal_sign", params.clone()).await), Some(4100));
    arena.wallet.approve_in(&window).await.unwrap();
    until("no prompt", TIMEOUT, async || arena.prompts().await.is_empty().then_some(())).await.unwrap();
    page.goto(&arena.site.url("index.html")).await.unwrap();
    page.provider().await.unwrap();
    let signed = page.request("personal_sign", params).await.unwrap();
    assert_eq!(signed.as_str().map(str::len), Some(132));
    assert_eq!(arena.prompts().await, Vec::<Value>::new());
    arena.is_well().await;
}

/// The page is kept aside by the browser while the user is asked and is shown again: its own promise gets the one answer.
#[tokio::test]
async fn page_out_of_the_back_forward_cache() {
    let arena = Arena::new().await;
    let page = arena.connected().await;
    let signing = page.begin("personal_sign", json!([HELLO, arena.wallet.address()])).await.unwrap();
    arena.wallet.prompt().await.unwrap();
    let shown = "window.isSame = true; return true";
    page.run(shown, vec![]).await.unwrap();
    page.run("location.href = 'frames.html'; return true", vec![]).await.unwrap();
    until("the other page", TIMEOUT, async || {
        page.url().await?.contains("frames").then_some(()).ok_or_else(|| not_yet(""))
    })
    .await
    .unwrap();
    warned(&arena, "page_gone").await;
    page.run("history.back(); return true", vec![]).await.unwrap();
    until("the page again", TIMEOUT, async || {
        (page.run("return window.isSame === true", vec![]).await.ok()? == true).then_some(())
    })
    .await
    .expect("the browser kept the page aside");
    assert_eq!(signing.answers().await.unwrap(), 0);
    arena.wallet.approve().await.unwrap();
    assert_eq!(signing.wait().await.unwrap().as_str().map(str::len), Some(132));
    assert_eq!(signing.answers().await.unwrap(), 1);
    arena.is_well().await;
}

/// A page that another opened hears its opener's messages, and its content script does not; the opener gets nothing of it.
#[tokio::test]
async fn opened_windows_are_pages_of_their_own() {
    let arena = Arena::new().await;
    let page = arena.page().await;
    let script = "const [other] = args;
        const message = { target: 'countersign-content', id: 'across', method: 'eth_requestAccounts', params: [] };
        const heard = [];
        addEventListener('message', ({ data, source }) => source !== window && heard.push(data));
        const opened = [window.open(`${other}/index.html`), window.open('index.html'), window.open('about:blank')];
        await new Promise((resolve) => setTimeout(resolve, 1500));
        for (const one of opened) for (let i = 0; i < 20; i++) one?.postMessage(message, '*');
        await new Promise((resolve) => setTimeout(resolve, 500));
        for (const one of opened) one?.close();
        return { heard, opened: opened.filter(Boolean).length }";
    let other = arena.site.localhost("");
    let seen = page.run(script, vec![other.trim_end_matches('/').into()]).await.unwrap();
    assert_eq!(seen["heard"], json!([]), "{seen}");
    assert_eq!(arena.prompts().await, Vec::<Value>::new());
    arena.is_well().await;
}

/// A service worker that answers in the page's place reaches no more than the page.
#[tokio::test]
async fn service_worker_of_a_page_reaches_nothing() {
    let arena = Arena::new().await;
    let page = arena.page().await;
    let register = "await navigator.serviceWorker.register('sw.js'); await navigator.serviceWorker.ready;
        if (!navigator.serviceWorker.controller)
          await new Promise((resolve) => navigator.serviceWorker.addEventListener('controllerchange', resolve));
        const heard = new Promise((resolve) => navigator.serviceWorker.addEventListener('message',
          ({ data }) => 'reached' in data && resolve(data)));
        navigator.serviceWorker.startMessages();
        navigator.serviceWorker.controller.postMessage('hello');
        return heard";
    let heard = page.run(register, vec![]).await.unwrap();
    assert_eq!(heard["reached"], false, "{heard}");
    page.reload().await.unwrap();
    assert_eq!(page.run("return document.title", vec![]).await.unwrap(), "Forged");
    page.provider().await.unwrap();
    assert_eq!(page.request("eth_accounts", Value::Null).await.unwrap(), json!([]));
    assert_eq!(arena.prompts().await, Vec::<Value>::new());
    arena.is_well().await;
}

/// No file of the extension can be loaded by a page: not fetched, not run as a script, not shown in a frame.
#[tokio::test]
async fn files_of_the_extension_cannot_be_loaded() {
    let arena = Arena::new().await;
    let page = arena.page().await;
    let script = "const ended = (element) => new Promise((resolve) => {
            element.onload = () => resolve('loaded');
            element.onerror = () => resolve('refused');
            setTimeout(() => resolve('silence'), 2000);
        });
        const results = {};
        for (const file of args[0]) {
            const url = `${args[1]}${file}`;
            const script = Object.assign(document.createElement('script'), { src: url });
            const image = new Image();
            const ends = [ended(script), ended(image), fetch(url).then(() => 'loaded', () => 'refused')];
            image.src = url;
            document.head.append(script);
            results[file] = await Promise.all(ends);
        }
        return results";
    let files =
        ["inpage.js", "content.js", "worker.js", "manifest.json", "icons/128.png", "countersign.wasm"];
    let base = arena.wallet.browser().extension_url("");
    let seen = page.run(script, vec![json!(files), base.clone().into()]).await.unwrap();
    for file in files {
        assert_eq!(seen[file], json!(["refused", "refused", "refused"]), "{file}");
    }
    let frames = "for (const file of args[0]) {
            const frame = Object.assign(document.createElement('iframe'), { src: `${args[1]}${file}` });
            document.body.append(frame);
        }
        await new Promise((resolve) => setTimeout(resolve, 800)); return true";
    page.run(
        frames,
        vec![json!(["popup.html", "approve.html", "tools.html", "onboarding.html"]), base.clone().into()],
    )
    .await
    .unwrap();
    let targets = arena.wallet.browser().targets().await.unwrap();
    let shown = targets.iter().filter(|target| target.kind == "iframe" && target.url.starts_with(&base));
    assert_eq!(shown.count(), 0);
    arena.is_well().await;
}
