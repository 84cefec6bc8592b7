//! Pages of others on this machine, and a wallet that is offered to them.

use super::World;
use super::vault::phrase;
use serde_json::{Value, json};
use tempfile::TempDir;
use webdriver::{Page, Site, TIMEOUT, until};

/// A page that keeps the provider that is announced to it, and the events that it hears.
const PAGE: &str =
    "<!doctype html><meta charset=utf-8><title>Dapp</title><script src=page.js></script><p id=here>dapp";

const SCRIPT: &str = "
    window.announced = [];
    window.heard = [];
    window.addEventListener('eip6963:announceProvider', ({ detail }) => {
      announced.push(detail);
      window.wallet ??= detail.provider;
      if (announced.length === 1) {
        for (const name of ['connect', 'disconnect', 'chainChanged', 'accountsChanged']) {
          wallet.on(name, (value) => heard.push([name, value instanceof Error ? value.code : value]));
        }
      }
    });
    window.dispatchEvent(new Event('eip6963:requestProvider'));
";

/// A folder of pages, served; dropping it stops it.
pub(crate) struct Dapp {
    pub(crate) site: Site,
    folder: TempDir,
}

impl Dapp {
    pub(crate) async fn serve() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let site = Site::serve(folder.path()).await.unwrap();
        let dapp = Self { site, folder };
        dapp.write("index.html", PAGE);
        dapp.write("page.js", SCRIPT);
        dapp
    }

    pub(crate) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.folder.path().join(name), text).unwrap();
    }

    pub(crate) fn origin(&self) -> String {
        self.site.url("").trim_end_matches('/').to_owned()
    }

    /// The same page under the other name of this machine: another origin.
    pub(crate) fn elsewhere(&self, path: &str) -> String {
        self.site.url(path).replace("127.0.0.1", "localhost")
    }
}

impl World {
    /// A wallet without a vault that is offered on every page that the browser permits.
    pub(crate) async fn offered() -> Self {
        let world = Self::new(super::DEMO).await;
        world.offer(json!({"mode": "all"})).await;
        world
    }

    /// The same with a vault.
    pub(crate) async fn offered_with_vault() -> Self {
        let world = Self::offered().await;
        world.import_vault(&phrase("12 words")).await;
        world
    }

    pub(crate) async fn offer(&self, pages: Value) {
        let (status, settings) = self.api("PATCH", "/api/settings", json!({"pages": pages})).await;
        assert_eq!(status, 200, "{settings}");
    }

    /// Opens a page and waits until it found the wallet.
    pub(crate) async fn dapp_page(&self, url: &str) -> Page {
        let page = self.browser.open(url).await.unwrap();
        found(&page).await;
        page
    }
}

/// Waits until the page found the wallet.
pub(crate) async fn found(page: &Page) {
    until("an announced wallet", TIMEOUT, async || {
        let count = page.run("return window.announced?.length ?? 0", vec![]).await.ok()?;
        (count.as_u64()? > 0).then_some(())
    })
    .await
    .unwrap();
}

/// The result of a request, or its error as `{code, message, data}`.
pub(crate) async fn request(page: &Page, method: &str, params: Value) -> Value {
    let script = "return wallet.request({ method: args[0], params: args[1] ?? undefined })
        .catch(({ code, message, data }) => ({ code, message, data }))";
    page.run(script, vec![method.into(), params]).await.unwrap()
}

/// Begins a request; what becomes of it is in [`answers`] under this name.
pub(crate) async fn begin(page: &Page, name: &str, method: &str, params: Value) {
    let script = "const [name, method, params] = args; window.answers ??= {};
        wallet.request({ method, params: params ?? undefined }).then(
          (result) => (window.answers[name] ??= []).push({ result }),
          ({ code, message, data }) => (window.answers[name] ??= []).push({ code, message, data }))";
    page.run(script, vec![name.into(), method.into(), params]).await.unwrap();
}

/// All answers that a request got: one, if it got any.
pub(crate) async fn answers(page: &Page, name: &str) -> Vec<Value> {
    let all = page.run("return window.answers?.[args[0]] ?? []", vec![name.into()]).await.unwrap();
    all.as_array().cloned().unwrap_or_default()
}

/// Waits for the answer of a request that was begun.
pub(crate) async fn answer(page: &Page, name: &str) -> Value {
    until(&format!("an answer to {name}"), super::PATIENCE, async || {
        answers(page, name).await.first().cloned()
    })
    .await
    .unwrap()
}

/// The events that the page heard.
pub(crate) async fn heard(page: &Page) -> Value {
    page.run("return window.heard", vec![]).await.unwrap()
}

/// Waits until the page heard an event with this name, and returns what it said last.
pub(crate) async fn hears(page: &Page, name: &str) -> Value {
    until(&format!("the event {name}"), super::PATIENCE, async || {
        let heard = heard(page).await;
        heard.as_array()?.iter().rev().find(|event| event[0] == name).map(|event| event[1].clone())
    })
    .await
    .unwrap()
}
