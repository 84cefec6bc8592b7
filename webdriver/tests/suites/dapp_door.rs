//! The door: what a page finds of the wallet before the person lets it in, and where it finds nothing.

use crate::world::World;
use crate::world::dapp::{Dapp, found, request};
use serde_json::{Value, json};
use std::time::Duration;
use webdriver::{Page, TIMEOUT, not_yet, until};

/// The wallet announces itself by EIP-6963, in either order, with the same frozen objects each time; it sets no
/// `window.ethereum` by itself. Nothing but facts that give no one away is told before consent.
#[tokio::test]
async fn announces_itself_and_tells_nothing() {
    let world = World::offered_with_vault().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    let info = page.run("return announced[0].info", vec![]).await.unwrap();
    assert_eq!((&info["rdns"], &info["name"]), (&json!("dev.countersign"), &json!("Countersign")));
    let icon = info["icon"].as_str().unwrap();
    assert!(icon.starts_with("data:image/svg+xml;base64,"), "{icon}");
    let uuid = info["uuid"].as_str().unwrap().to_owned();
    assert_eq!((uuid.len(), uuid.as_bytes()[14]), (36, b'4'));

    let again = "dispatchEvent(new Event('eip6963:requestProvider'));
        return announced.length === 2 && announced[0].provider === announced[1].provider
          && announced[0].info === announced[1].info";
    assert_eq!(page.run(again, vec![]).await.unwrap(), true);
    let frozen = "const all = [announced[0], announced[0].info, wallet];
        try { wallet.request = () => 'mine' } catch {}
        return all.every(Object.isFrozen) && wallet.request.toString() !== (() => 'mine').toString()";
    assert_eq!(page.run(frozen, vec![]).await.unwrap(), true);
    assert_eq!(page.run("return 'ethereum' in window", vec![]).await.unwrap(), false);
    assert_eq!(
        page.run("return typeof chrome.runtime", vec![]).await.unwrap(),
        "undefined",
        "no page can ask for the extension"
    );

    assert_eq!(request(&page, "eth_chainId", Value::Null).await, "0x1");
    assert_eq!(request(&page, "eth_signTransaction", json!([])).await["code"], 4200);
    let prompts = world.get("/api/prompts").await;
    assert_eq!(prompts["prompts"], json!([]));

    // Another document is another session.
    page.reload().await.unwrap();
    found(&page).await;
    let other = page.run("return announced[0].info.uuid", vec![]).await.unwrap();
    assert_ne!(other, json!(uuid));
}

/// The Wallet Standard finds one wallet for Solana and one for Sui, whether the page or the wallet is first.
#[tokio::test]
async fn registers_with_the_wallet_standard() {
    let world = World::offered().await;
    let dapp = Dapp::serve().await;
    dapp.write(
        "standard.js",
        "window.early = []; window.late = [];
         addEventListener('wallet-standard:register-wallet', ({ detail }) => detail({ register: (one) => early.push(one) }));
         dispatchEvent(new CustomEvent('wallet-standard:app-ready', { detail: { register: (one) => late.push(one) } }));",
    );
    dapp.write(
        "standard.html",
        "<!doctype html><script src=page.js></script><script src=standard.js></script>",
    );
    let page = world.dapp_page(&dapp.site.url("standard.html")).await;
    let seen = page
        .run(
            "return late.map(({ name, version, chains, features, accounts }) =>
               [name, version, chains[0], Object.keys(features).sort(), accounts.length])",
            vec![],
        )
        .await
        .unwrap();
    let standard = ["standard:connect", "standard:disconnect", "standard:events"];
    let solana =
        ["solana:signAndSendTransaction", "solana:signIn", "solana:signMessage", "solana:signTransaction"];
    let sui = ["sui:signAndExecuteTransaction", "sui:signPersonalMessage", "sui:signTransaction"];
    let solana: Vec<&str> = solana.into_iter().chain(standard).collect();
    let sui: Vec<&str> = standard.into_iter().chain(sui).collect();
    assert_eq!(
        seen,
        json!([
            ["Countersign", "1.0.0", "solana:mainnet", solana, 0],
            ["Countersign", "1.0.0", "sui:mainnet", sui, 0]
        ])
    );
    let frozen = "return late.every((one) => Object.isFrozen(one) && Object.isFrozen(one.features)
        && Object.values(one.features).every(Object.isFrozen) && Object.isFrozen(one.chains))";
    assert_eq!(page.run(frozen, vec![]).await.unwrap(), true);
    let versions = "return late[0].features['solana:signTransaction'].supportedTransactionVersions";
    assert_eq!(page.run(versions, vec![]).await.unwrap(), json!(["legacy", 0]));
}

/// A page with the strictest content security policy finds the wallet and is answered.
#[tokio::test]
async fn works_under_a_strict_policy() {
    let world = World::offered().await;
    let dapp = Dapp::serve().await;
    dapp.write(
        "strict.html",
        "<!doctype html><meta http-equiv=Content-Security-Policy content=\"default-src 'none'; script-src 'self'; \
         require-trusted-types-for 'script'\"><script src=page.js></script>",
    );
    let page = world.dapp_page(&dapp.site.url("strict.html")).await;
    assert_eq!(request(&page, "eth_chainId", Value::Null).await, "0x1");
}

/// Whether a page has anything of the wallet in it, a moment after it was loaded.
async fn has_wallet(page: &Page) -> bool {
    tokio::time::sleep(Duration::from_millis(300)).await;
    page.run("return announced.length > 0 || 'ethereum' in window", vec![]).await.unwrap() == true
}

/// Switched off, nothing is in the page; on chosen sites only there; `window.ethereum` only if chosen, and never over
/// another one's.
#[tokio::test]
async fn is_offered_only_where_the_person_wants_it() {
    let world = World::offered().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    let reopened = async |url: &str| {
        page.goto(url).await.unwrap();
        has_wallet(&page).await
    };
    world.offer(json!({"mode": "off"})).await;
    assert!(!reopened(&dapp.site.url("index.html")).await);
    world.offer(json!({"mode": "sites", "sites": [dapp.origin()]})).await;
    assert!(reopened(&dapp.site.url("index.html")).await);
    assert!(!reopened(&dapp.elsewhere("index.html")).await, "another origin");

    world.offer(json!({"mode": "all", "setEthereum": true})).await;
    assert!(reopened(&dapp.elsewhere("index.html")).await);
    assert_eq!(page.run("return window.ethereum === wallet", vec![]).await.unwrap(), true);
    world.offer(json!({"setEthereum": false})).await;
    assert!(reopened(&dapp.site.url("index.html")).await);
    assert_eq!(page.run("return 'ethereum' in window", vec![]).await.unwrap(), false);
}

/// Frames of the same origin are served; frames of another origin and sandboxed frames find no wallet, and a message that
/// they forge is refused.
#[tokio::test]
async fn other_frames_are_refused() {
    let world = World::offered().await;
    let dapp = Dapp::serve().await;
    dapp.write(
        "asks.html",
        "<!doctype html><script src=page.js></script><script>
           addEventListener('message', ({ data, source }) => {
             if (source === window && data.target === 'countersign-inpage' && data.id === 7) parent.postMessage(
               { wallets: announced.length, origin, code: data.error?.code ?? null, result: data.result ?? null }, '*');
           });
           setTimeout(() => postMessage({ target: 'countersign-content', id: 7, method: 'eth_chainId' }, '*'), 100);
         </script>",
    );
    let frames = format!(
        "<!doctype html><script src=page.js></script><script>window.said = [];
           addEventListener('message', ({{ data, source }}) => source !== window && said.push(data))</script>
         <iframe src=asks.html></iframe><iframe src='{}'></iframe><iframe sandbox=allow-scripts src=asks.html></iframe>",
        dapp.elsewhere("asks.html")
    );
    dapp.write("frames.html", &frames);
    let page = world.dapp_page(&dapp.site.url("frames.html")).await;
    let said = until("three frames", TIMEOUT, async || {
        let said = page.run("return said", vec![]).await?.as_array().cloned().unwrap_or_default();
        if said.len() == 3 { Ok(said) } else { Err(not_yet(said)) }
    })
    .await
    .unwrap();
    let of = |origin: &str| said.iter().find(|one| one["origin"] == origin).cloned().unwrap_or_default();
    let other = dapp.elsewhere("").trim_end_matches('/').to_owned();
    assert_eq!(
        of(&dapp.origin()),
        json!({"wallets": 1, "origin": dapp.origin(), "code": null, "result": "0x1"})
    );
    assert_eq!(of(&other), json!({"wallets": 0, "origin": other, "code": 4100, "result": null}));
    assert_eq!(of("null"), json!({"wallets": 0, "origin": "null", "code": 4100, "result": null}));
}

/// Bad input ends in a code, without a window: requests that are none, parameters that are too long or cannot be written.
#[tokio::test]
async fn bad_requests_get_codes() {
    let world = World::offered().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    let codes = "const code = (args) => wallet.request(args).then(() => 'answered', (error) => error.code);
        const circle = []; circle.push(circle);
        return Promise.all([code(), code(null), code('eth_chainId'), code({}), code({ method: 7 }), code({ method: '' }),
          code({ method: 'eth_chainId', params: 'x' }), code({ method: 'eth_chainId', params: [1n] }),
          code({ method: 'eth_chainId', params: circle }), code({ method: 'eth_chainId', params: ['x'.repeat(10 << 20)] }),
          code({ method: 'x'.repeat(1000) }),
          code({ method: 'eth_chainId', params: new Proxy([], {}) })])";
    let expected = json!([
        -32600, -32600, -32600, -32600, -32600, -32600, -32600, -32602, -32602, -32602, -32600, "answered"
    ]);
    assert_eq!(page.run(codes, vec![]).await.unwrap(), expected);
    let error = "return wallet.request({}).catch((error) => [error instanceof Error, typeof error.message, Object.keys(error)])";
    assert_eq!(page.run(error, vec![]).await.unwrap(), json!([true, "string", ["code"]]));
}

/// The worker dies over and over: each request is answered once. A page that was replaced by another keeps nothing.
#[tokio::test]
async fn requests_survive_the_worker() {
    let world = World::offered().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    for _ in 0..3 {
        world.browser.kill_worker().await.unwrap();
        assert_eq!(request(&page, "eth_chainId", Value::Null).await, "0x1");
    }
    // Asked in the moment of its death.
    let many = "window.many = []; for (let i = 0; i < 20; i++)
        setTimeout(() => wallet.request({ method: 'eth_chainId' }).then((id) => many.push(id)), 20 * i)";
    page.run(many, vec![]).await.unwrap();
    world.browser.kill_worker().await.unwrap();
    until("all answers", TIMEOUT, async || {
        let count = page.run("return many.length", vec![]).await.ok()?;
        (count == 20).then_some(())
    })
    .await
    .unwrap();
}

/// The user takes the permission back in the browser's own settings: pages have no script of the wallet any more. Given again, they
/// have it again.
#[tokio::test]
async fn withdrawn_permission_removes_the_scripts() {
    let world = World::offered().await;
    let dapp = Dapp::serve().await;
    let page = world.dapp_page(&dapp.site.url("index.html")).await;
    let settings = world.browser.open("chrome://extensions/").await.unwrap();
    let permit = async |access: &str| {
        let script = "await chrome.developerPrivate.updateExtensionConfiguration(
            { extensionId: args[0], hostAccess: args[1] }); return true";
        settings.run(script, vec![world.browser.extension_id().into(), access.into()]).await.unwrap();
    };
    let registered = async |count: u64| {
        until(&format!("{count} registered scripts"), TIMEOUT, async || {
            let script = "return (await chrome.scripting.getRegisteredContentScripts()).length";
            let found = world.popup.run(script, vec![]).await?;
            if found == count { Ok(()) } else { Err(not_yet(found)) }
        })
        .await
        .unwrap();
    };
    registered(2).await;
    permit("ON_CLICK").await;
    registered(0).await;
    page.reload().await.unwrap();
    assert!(!has_wallet(&page).await);
    permit("ON_ALL_SITES").await;
    registered(2).await;
    page.reload().await.unwrap();
    found(&page).await;
}
