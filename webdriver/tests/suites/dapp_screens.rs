//! What a user sees of web pages: every prompt and list in German, and some in English. On the narrowest window nothing is cut off, the
//! page's origin is in view, and saying no is as easy as saying yes.
//!
//! With `COUNTERSIGN_PICTURES` naming a folder, pictures in light and dark are written there.

use crate::world::PATIENCE;
use crate::world::bundle::{RECIPIENT, USDC};
use serde_json::{Value, json};
use std::path::Path;
use webdriver::{Dapp, Options, Page, Site, Wallet, WalletOptions, not_yet, until};

const PERMIT2: &str = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const STRANGER: &str = "0x9B3B3C7B750B1baDcAcd77c00A90d46499A44077";

/// Narrow, and as wide as the wallet's own window.
const WIDTHS: [u32; 2] = [320, 400];

struct Viewer {
    wallet: Wallet,
    site: Site,
    dapp: Dapp,
    language: &'static str,
}

impl Viewer {
    async fn start(language: &'static str) -> Self {
        let options = Options { language: Some(language.to_owned()), ..Options::from_env().unwrap() };
        let wallet = Wallet::start(WalletOptions::with(options)).await.unwrap();
        let site = Site::serve(concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/dapps/hostile")).await.unwrap();
        let dapp = wallet.open_dapp(&site.url("index.html")).await.unwrap();
        Self { wallet, site, dapp, language }
    }

    /// Looks at a page in each width and colour.
    async fn look(&self, page: &Page, name: &str) {
        let folder = std::env::var_os("COUNTERSIGN_PICTURES");
        let still = json!({ "name": "prefers-reduced-motion", "value": "reduce" });
        for width in WIDTHS {
            let size = json!({ "width": width, "height": 720, "deviceScaleFactor": 1, "mobile": false });
            page.cdp("Emulation.setDeviceMetricsOverride", size).await.unwrap();
            for scheme in ["light", "dark"] {
                let Some(folder) = &folder else { continue };
                let scheme_feature = json!({ "name": "prefers-color-scheme", "value": scheme });
                let features = json!({ "features": [scheme_feature, still] });
                page.cdp("Emulation.setEmulatedMedia", features).await.unwrap();
                let file = format!("{name}-{}-{width}-{scheme}.png", self.language);
                page.screenshot(&Path::new(folder).join(file)).await.unwrap();
            }
            self.check(page, &format!("{name} in {} at {width}", self.language)).await;
        }
        page.cdp("Emulation.clearDeviceMetricsOverride", json!({})).await.unwrap();
    }

    /// Nothing is wider than the page or cut off within it, and both buttons of a prompt can be pressed.
    async fn check(&self, page: &Page, what: &str) {
        let wide = "const cut = [...document.querySelectorAll('body *')].filter((e) =>
                e.checkVisibility() && !(e.closest('details:not([open])') && !e.closest('summary'))
                && e.getBoundingClientRect().right > innerWidth + 1);
            const inner = [...document.querySelectorAll('button, .origin, dd, h1')].filter((e) =>
                e.checkVisibility() && e.scrollWidth > e.clientWidth + 1 && getComputedStyle(e).overflowX !== 'auto');
            return [...cut, ...inner].map((e) => `${e.tagName}.${e.className}: ${e.textContent.slice(0, 60)}`)";
        let wide = page.run(wide, vec![]).await.unwrap();
        assert_eq!(wide, json!([]), "{what}: cut off");
        let buttons = "const box = (id) => document.querySelector(`[data-testid=prompt-${id}]`)?.getBoundingClientRect();
            const [no, yes] = [box('reject'), box('approve')];
            if (!no || !yes) return null;
            const inView = [no, yes].every((one) => one.top >= 0 && one.bottom <= innerHeight && one.width > 80);
            return [inView && Math.abs(no.height - yes.height) < 2 && no.width >= 0.6 * yes.width, no, yes]";
        let buttons = page.run(buttons, vec![]).await.unwrap();
        assert!(buttons.is_null() || buttons[0] == true, "{what}: the buttons {buttons}");
    }

    /// The page asks for something; the user looks at the prompt and approves it.
    async fn shows(&self, name: &str, method: &str, params: Value) {
        let request = self.dapp.begin(method, params).await.unwrap();
        let window = self.wallet.prompt().await.unwrap();
        self.look(&window, name).await;
        until("the answer", PATIENCE, async || {
            if request.answers().await? > 0 {
                return Ok(());
            }
            // Another size of the window is another page to read: a press just after it counts for nothing.
            if window.is_asking().await? {
                window.approve().await?;
            }
            Err(not_yet("no answer"))
        })
        .await
        .unwrap();
        request.wait().await.unwrap_or_else(|error| panic!("{name}: {error:?}"));
    }

    /// The prompt of another site, which the user rejects.
    async fn meets(&self, name: &str, origin: &str) {
        let popup =
            self.wallet.browser().open(&self.wallet.browser().extension_url("manifest.json")).await.unwrap();
        let asked = popup.begin("POST", "/api/connections", Some(json!({ "origin": origin }))).await.unwrap();
        let prompt = until("a prompt", webdriver::TIMEOUT, async || {
            let (_, found) = popup.fetch("GET", "/api/prompts", None).await?;
            found["prompts"].get(0).cloned().ok_or_else(|| not_yet("none"))
        })
        .await
        .unwrap();
        let window = self.wallet.browser().approval(prompt["id"].as_str().unwrap()).await.unwrap();
        window.says("prompt-origin", "").await.unwrap();
        self.look(&window, name).await;
        window.reject(None).await.unwrap();
        asked.wait().await.unwrap();
        window.close().await.unwrap();
        popup.close().await.unwrap();
    }

    /// A part of the settings.
    async fn settings(&self, name: &str, scrolled_to: &str) {
        let url = self.wallet.browser().extension_url("popup.html?view=tab#settings");
        let popup = self.wallet.browser().open(&url).await.unwrap();
        popup.element(scrolled_to).await.unwrap();
        let scroll = "document.querySelector(`[data-testid=\"${args[0]}\"]`).scrollIntoView(); return true";
        popup.run(scroll, vec![scrolled_to.into()]).await.unwrap();
        self.look(&popup, name).await;
        popup.close().await.unwrap();
    }
}

fn typed(primary: &str, types: Value, domain: Value, message: Value) -> String {
    let mut all = json!({ "EIP712Domain": [
        { "name": "name", "type": "string" }, { "name": "chainId", "type": "uint256" },
        { "name": "verifyingContract", "type": "address" },
    ] });
    for (name, fields) in types.as_object().unwrap() {
        all[name] = fields.clone();
    }
    json!({ "types": all, "primaryType": primary, "domain": domain, "message": message }).to_string()
}

fn fields(all: &[(&str, &str)]) -> Value {
    all.iter().map(|(name, of)| json!({ "name": name, "type": of })).collect()
}

fn permit(owner: &str) -> String {
    let types = json!({ "Permit": fields(&[("owner", "address"), ("spender", "address"), ("value", "uint256"),
        ("nonce", "uint256"), ("deadline", "uint256")]) });
    let most = format!("0x{}", "f".repeat(64));
    let message = json!({ "owner": owner, "spender": STRANGER, "value": most, "nonce": 0, "deadline": most });
    typed("Permit", types, json!({ "name": "USD Coin", "chainId": 1, "verifyingContract": USDC }), message)
}

fn permit2() -> String {
    let types = json!({
        "PermitSingle": fields(&[("details", "PermitDetails"), ("spender", "address"), ("sigDeadline", "uint256")]),
        "PermitDetails": fields(&[("token", "address"), ("amount", "uint160"), ("expiration", "uint48"), ("nonce", "uint48")]),
    });
    let details = json!({ "token": USDC, "amount": "25000000", "expiration": 1_900_000_000, "nonce": 0 });
    let message = json!({ "details": details, "spender": STRANGER, "sigDeadline": 1_900_000_000 });
    typed(
        "PermitSingle",
        types,
        json!({ "name": "Permit2", "chainId": 1, "verifyingContract": PERMIT2 }),
        message,
    )
}

fn unknown() -> String {
    let types =
        json!({ "Vote": fields(&[("proposal", "uint256"), ("support", "bool"), ("reason", "string")]) });
    let message = json!({ "proposal": 7, "support": true, "reason": "It is good for everyone who holds it" });
    typed("Vote", types, json!({ "name": "Some DAO", "chainId": 1, "verifyingContract": STRANGER }), message)
}

/// A sign-in by EIP-4361.
fn sign_in(host: &str, origin: &str, address: &str, version: &str) -> String {
    let text = format!(
        "{host} wants you to sign in with your Ethereum account:\n{address}\n\nI accept the terms of service.\n\n\
         URI: {origin}/login\nVersion: {version}\nChain ID: 1\nNonce: 32891756\nIssued At: 2026-09-30T16:25:24Z"
    );
    text.bytes().fold("0x".to_owned(), |hex, byte| format!("{hex}{byte:02x}"))
}

async fn every_screen(language: &'static str) {
    let viewer = Viewer::start(language).await;
    viewer.settings("pages-all", "sites-panel").await;
    viewer.shows("connect", "eth_requestAccounts", Value::Null).await;
    let (me, origin) = (viewer.wallet.address().to_owned(), viewer.site.origin());
    let host = origin.trim_start_matches("http://");
    let text = "Hello!\n\nPress “Sign” to show that this is your account. It costs nothing.";
    let text = text.bytes().fold("0x".to_owned(), |hex, byte| format!("{hex}{byte:02x}"));
    viewer.shows("sign-text", "personal_sign", json!([text, me])).await;
    viewer.shows("sign-bytes", "personal_sign", json!(["0xdeadbeef00ff", me])).await;
    viewer.shows("sign-in", "personal_sign", json!([sign_in(host, &origin, &me, "1"), me])).await;
    viewer.shows("sign-in-bad", "personal_sign", json!([sign_in(host, &origin, &me, "2"), me])).await;
    viewer.shows("permit", "eth_signTypedData_v4", json!([me, permit(&me)])).await;
    viewer.shows("permit2", "eth_signTypedData_v4", json!([me, permit2()])).await;
    viewer.shows("typed-unknown", "eth_signTypedData_v4", json!([me, unknown()])).await;
    let payment = json!([{ "from": me, "to": RECIPIENT, "value": "0x16345785d8a0000" }]);
    viewer.shows("transaction", "eth_sendTransaction", payment).await;
    let calls = json!([{ "to": RECIPIENT, "value": "0x2386f26fc10000" }, { "to": STRANGER, "value": "0x1", "data": "0xd0e30db0" }]);
    let batch = json!([{ "version": "2.0.0", "from": me, "chainId": "0x1", "atomicRequired": false, "calls": calls }]);
    viewer.shows("batch", "wallet_sendCalls", batch).await;

    viewer.meets("connect-lookalike", "https://app.un1swap.org").await;
    viewer.meets("connect-punycode", "https://app.secure-login.uniswap.org.xn--80ak6aa92e.com:8443").await;
    let list = json!({ "text": "localhost\n" });
    viewer.wallet.api("PUT", "/api/sites/list", list).await.unwrap();
    let listed = viewer.wallet.open_dapp(&viewer.site.localhost("index.html")).await.unwrap();
    assert_eq!(listed.request("eth_requestAccounts", Value::Null).await.unwrap_err().rpc_code(), Some(4001));
    viewer.settings("pages-listed", "site-row").await;
    viewer.wallet.api("PUT", "/api/sites/list", json!({ "text": "" })).await.unwrap();
    listed.close().await.unwrap();
    viewer.settings("pages-connected", "connection-row").await;

    // A page that keeps asking.
    let other = viewer.wallet.open_dapp(&viewer.site.localhost("index.html")).await.unwrap();
    for _ in 0..2 {
        let request = other.begin("eth_requestAccounts", Value::Null).await.unwrap();
        viewer.wallet.reject().await.unwrap();
        request.wait().await.unwrap_err();
    }
    for _ in 0..3 {
        other.request("eth_requestAccounts", Value::Null).await.unwrap_err();
    }
    viewer.settings("pages-asking", "site-row").await;
    for mode in ["off", "sites"] {
        let pages = json!({ "pages": { "mode": mode, "sites": [origin, "https://app.example"] } });
        viewer.wallet.api("PATCH", "/api/settings", pages).await.unwrap();
        viewer.settings(&format!("pages-{mode}"), "sites-panel").await;
    }
}

/// Every screen of web pages in German, whose words are longer.
#[tokio::test]
async fn screens_of_web_pages_in_german() {
    every_screen("de").await;
}

/// Those with the most words in English.
#[tokio::test]
async fn screens_of_web_pages_in_english() {
    let viewer = Viewer::start("en").await;
    viewer.settings("pages-all", "sites-panel").await;
    viewer.shows("connect", "eth_requestAccounts", Value::Null).await;
    let me = viewer.wallet.address().to_owned();
    viewer.shows("permit", "eth_signTypedData_v4", json!([me, permit(&me)])).await;
    let payment = json!([{ "from": me, "to": RECIPIENT, "value": "0x16345785d8a0000" }]);
    viewer.shows("transaction", "eth_sendTransaction", payment).await;
    viewer.settings("pages-connected", "connection-row").await;
}
