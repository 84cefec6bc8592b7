//! A tab: its scripts, its elements, its requests.

use crate::Error;
use crate::cdp::Cdp;
use crate::wait::{TIMEOUT, not_yet, until};
use fantoccini::elements::Element;
use fantoccini::wd::WindowHandle;
use fantoccini::{Client, Locator};
use serde_json::{Value, json};
use std::path::Path;

/// How often an element is looked for again that was replaced between the look and the click.
const RENDERED_ANEW: usize = 3;

/// A tab of the browser. Every call goes to this tab, whichever the driver was on before.
///
/// The driver does one thing at a time: while a script of one page is awaited, another page waits. For a request that
/// ends only after something else happened, see [`Page::begin`].
#[derive(Debug, Clone)]
pub struct Page {
    client: Client,
    window: WindowHandle,
}

impl Page {
    pub(crate) async fn open(client: Client, as_tab: bool, url: &str, dark: bool) -> Result<Self, Error> {
        // From an existing window: the driver may still be on one that was closed.
        if let Some(there) = client.windows().await.map_err(Error::command("list the windows"))?.pop() {
            client.switch_to_window(there).await.map_err(Error::command("switch to a window"))?;
        }
        let opened = client.new_window(as_tab).await.map_err(Error::command("open a tab or window"))?;
        let page = Self::of(client, opened.handle);
        if dark {
            let feature = json!({ "name": "prefers-color-scheme", "value": "dark" });
            page.cdp("Emulation.setEmulatedMedia", json!({ "features": [feature] })).await?;
        }
        page.goto(url).await?;
        Ok(page)
    }

    pub(crate) fn of(client: Client, window: WindowHandle) -> Self {
        Self { client, window }
    }

    /// Its URL.
    pub async fn url(&self) -> Result<String, Error> {
        let url = self.driver().await?.current_url().await.map_err(Error::command("read the address"))?;
        Ok(url.into())
    }

    /// Loads a URL in this tab.
    pub async fn goto(&self, url: &str) -> Result<(), Error> {
        self.driver().await?.goto(url).await.map_err(Error::command(format!("load {url}")))
    }

    /// Loads the page again.
    pub async fn reload(&self) -> Result<(), Error> {
        self.driver().await?.refresh().await.map_err(Error::command("reload the page"))
    }

    /// Closes the tab.
    pub async fn close(&self) -> Result<(), Error> {
        self.driver().await?.close_window().await.map_err(Error::command("close the tab"))
    }

    /// Runs the body of an async function with `args` and returns its value.
    pub async fn run(&self, body: &str, args: Vec<Value>) -> Result<Value, Error> {
        let script = format!("return (async (...args) => {{ {body} }})(...arguments)");
        let shown = body.trim().lines().next().unwrap_or_default();
        self.driver().await?.execute(&script, args).await.map_err(Error::command(format!("run `{shown}`")))
    }

    /// Runs a DevTools command on this page, through the driver.
    pub async fn cdp(&self, method: &str, params: Value) -> Result<Value, Error> {
        let command = Cdp { method: method.to_owned(), params };
        self.driver().await?.issue_cmd(command).await.map_err(Error::command(method))
    }

    /// Sends a request to the worker as the page would. Returns status and JSON body (`null` if there is none).
    pub async fn fetch(&self, method: &str, path: &str, body: Option<Value>) -> Result<(u16, Value), Error> {
        self.controlled().await?;
        let answer =
            self.run(&format!("{REQUEST} return request(...args);"), request(method, path, body)).await?;
        answered(&answer).ok_or_else(|| Error::Input(format!("{method} {path} gave {answer}")))
    }

    /// Like [`Page::fetch`], without waiting for the answer: meanwhile others can approve it, or kill the worker.
    pub async fn begin(&self, method: &str, path: &str, body: Option<Value>) -> Result<Pending, Error> {
        self.controlled().await?;
        let script = format!(
            "{REQUEST} const begun = (window.begun ??= []); const entry = {{}}; \
             request(...args).then((answer) => {{ entry.answer = answer; }}, (error) => {{ entry.error = String(error); }}); \
             return begun.push(entry) - 1;"
        );
        let index = self.run(&script, request(method, path, body)).await?;
        Ok(Pending { page: self.clone(), request: format!("{method} {path}"), index })
    }

    /// Answers a prompt by the API as the page that shows it does: with the digest of what is shown. Returns status and
    /// body.
    pub async fn answer_prompt(&self, prompt: &Value, mut answer: Value) -> Result<(u16, Value), Error> {
        let (Some(id), Some(digest)) = (prompt.get("id").and_then(Value::as_str), prompt.get("digest"))
        else {
            return Err(Error::Input(format!("not a prompt: {prompt}")));
        };
        if let Some(fields) = answer.as_object_mut() {
            fields.insert("digest".to_owned(), digest.clone());
        }
        self.fetch("POST", &format!("/api/prompts/{id}"), Some(answer)).await
    }

    /// Types the password that a change needs, once the page asks for it, and confirms.
    pub async fn confirm_with_password(&self, password: &str) -> Result<(), Error> {
        self.fill("gate-password", password).await?;
        self.click("gate-submit").await
    }

    /// Waits until the extension's worker controls the page; before, its requests do not reach the worker.
    pub async fn controlled(&self) -> Result<(), Error> {
        until("the worker to control the page", TIMEOUT, async || {
            match self.run("return Boolean(navigator.serviceWorker?.controller)", vec![]).await? {
                Value::Bool(true) => Ok(()),
                _ => Err(not_yet("no controller")),
            }
        })
        .await
    }

    /// The element with a `data-testid`, once it is present and visible.
    pub async fn element(&self, test_id: &str) -> Result<Element, Error> {
        let selector = format!("[data-testid=\"{test_id}\"]");
        let driver = self.driver().await?;
        until(&format!("the element {test_id}"), TIMEOUT, async || {
            let found = driver.find(Locator::Css(&selector)).await.map_err(Error::command(test_id))?;
            match found.is_displayed().await.map_err(Error::command(test_id))? {
                true => Ok(found),
                false => Err(not_yet("an element that is hidden")),
            }
        })
        .await
    }

    /// The first element that a CSS selector finds.
    pub(crate) async fn find(&self, selector: &str) -> Result<Element, Error> {
        self.driver().await?.find(Locator::Css(selector)).await.map_err(Error::command(selector))
    }

    /// Clicks an element once it is present and enabled. One that the page renders anew meanwhile is looked for again.
    pub async fn click(&self, test_id: &str) -> Result<(), Error> {
        for _ in 0..RENDERED_ANEW {
            let element = self.ready(test_id).await?;
            match element.click().await {
                Err(error) if error.to_string().contains("stale element reference") => {}
                clicked => return clicked.map_err(Error::command(format!("click {test_id}"))),
            }
        }
        let element = self.ready(test_id).await?;
        element.click().await.map_err(Error::command(format!("click {test_id}")))
    }

    /// The element once it is enabled: answers to a prompt are enabled after a short delay.
    pub(crate) async fn ready(&self, test_id: &str) -> Result<Element, Error> {
        until(&format!("{test_id} to be enabled"), TIMEOUT, async || {
            let element = self.element(test_id).await?;
            match element.attr("aria-disabled").await.map_err(Error::command(test_id))?.as_deref() {
                Some("true") => Err(not_yet("aria-disabled")),
                _ => Ok(element),
            }
        })
        .await
    }

    /// The driver's handle of the window.
    pub(crate) fn handle(&self) -> String {
        String::from(self.window.clone())
    }

    /// Replaces a field's content by keyboard, so that the page gets the same input events as from a user; a select
    /// takes the option with that value.
    pub async fn fill(&self, test_id: &str, text: &str) -> Result<(), Error> {
        // Ctrl+A, release, Delete: clearing by the driver sends no input event.
        const SELECT_ALL_AND_DELETE: &str = "\u{e009}a\u{e000}\u{e017}";
        let field = self.element(test_id).await?;
        let command = || Error::command(format!("fill {test_id}"));
        if field.tag_name().await.map_err(command())?.eq_ignore_ascii_case("select") {
            return field.select_by_value(text).await.map_err(command());
        }
        field.send_keys(&format!("{SELECT_ALL_AND_DELETE}{text}")).await.map_err(command())
    }

    /// Chooses a file in a field that the page may hide behind a button.
    pub async fn choose_file(&self, test_id: &str, file: &Path) -> Result<(), Error> {
        let selector = format!("[data-testid=\"{test_id}\"]");
        let command = || Error::command(format!("choose {}", file.display()));
        let field = self.driver().await?.find(Locator::Css(&selector)).await.map_err(command())?;
        field.send_keys(&file.to_string_lossy()).await.map_err(command())
    }

    /// The visible text of every element with a `data-testid`, in document order.
    pub async fn texts(&self, test_id: &str) -> Result<Vec<String>, Error> {
        let body = "return [...document.querySelectorAll(`[data-testid=\"${args[0]}\"]`)].map((e) => e.innerText.trim())";
        let texts = self.run(body, vec![test_id.into()]).await?;
        let texts = texts.as_array().into_iter().flatten();
        Ok(texts.filter_map(Value::as_str).map(str::to_owned).collect())
    }

    /// Waits until an element with a `data-testid` contains this text.
    pub async fn says(&self, test_id: &str, words: &str) -> Result<(), Error> {
        until(&format!("{test_id} to say {words:?}"), TIMEOUT, async || {
            let texts = self.texts(test_id).await?;
            if texts.iter().any(|text| text.contains(words)) { Ok(()) } else { Err(not_yet(texts)) }
        })
        .await
    }

    /// Writes a screenshot of the page (PNG).
    pub async fn screenshot(&self, path: &Path) -> Result<(), Error> {
        let picture = self.driver().await?.screenshot().await.map_err(Error::command("take a picture"))?;
        Ok(tokio::fs::write(path, picture).await?)
    }

    /// The driver, switched to this tab.
    async fn driver(&self) -> Result<&Client, Error> {
        let switched = self.client.switch_to_window(self.window.clone()).await;
        switched.map_err(Error::command("switch to the tab (is it closed?)"))?;
        Ok(&self.client)
    }
}

/// A request that was sent and not awaited.
#[derive(Debug)]
pub struct Pending {
    page: Page,
    request: String,
    index: Value,
}

impl Pending {
    /// The answer, if it has arrived. An error if the request failed, as it does when the worker is killed.
    pub async fn answer(&self) -> Result<Option<(u16, Value)>, Error> {
        let entry = self.page.run("return window.begun?.[args[0]] ?? null", vec![self.index.clone()]).await?;
        if let Some(error) = entry.get("error").and_then(Value::as_str) {
            return Err(Error::Command { command: self.request.clone(), message: error.to_owned() });
        }
        Ok(entry.get("answer").and_then(answered))
    }

    /// Whether it ended, with success or failure.
    pub async fn ended(&self) -> bool {
        !matches!(self.answer().await, Ok(None))
    }

    /// Waits for the answer.
    pub async fn wait(&self) -> Result<(u16, Value), Error> {
        until(&format!("the end of {}", self.request), TIMEOUT, async || self.ended().await.then_some(()))
            .await?;
        let answer = self.answer().await?;
        answer.ok_or_else(|| Error::Input(format!("{} has no answer", self.request)))
    }
}

/// One request as `[status, body]`; a body that is not JSON is returned as a string.
const REQUEST: &str = r#"
    const request = async (method, path, body) => {
        const init = body === null ? { method }
            : { method, headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
        const response = await fetch(path, init);
        const text = await response.text();
        let value = null;
        try { value = text === "" ? null : JSON.parse(text); } catch { value = text; }
        return [response.status, value];
    };
"#;

fn request(method: &str, path: &str, body: Option<Value>) -> Vec<Value> {
    vec![method.into(), path.into(), body.unwrap_or_default()]
}

fn answered(answer: &Value) -> Option<(u16, Value)> {
    match answer.as_array()?.as_slice() {
        [status, body] => Some((u16::try_from(status.as_u64()?).ok()?, body.clone())),
        _ => None,
    }
}
