//! A web page that talks to the wallet: its provider, its requests, its elements.

use crate::wait::{TIMEOUT, not_yet, until};
use crate::{Error, Page};
use serde_json::{Value, json};
use std::ops::Deref;
use std::time::Duration;

/// How long a request may take that waits for a chain.
const CHAIN_TIMEOUT: Duration = Duration::from_secs(60);

/// Finds the wallet by EIP-6963 and keeps it with the requests that were begun, out of the page's way.
const PROVIDER: &str = r#"
    const kept = (window[Symbol.for("countersign-webdriver")] ??= { requests: [], events: [] });
    const find = () => {
        const heard = ({ detail }) => {
            if (detail?.info?.rdns !== "dev.countersign" || kept.provider) return;
            kept.provider = detail.provider;
            for (const name of ["connect", "disconnect", "accountsChanged", "chainChanged", "message"])
                kept.provider.on(name, (data) => kept.events.push({ name,
                    data: data instanceof Error ? { code: data.code, message: data.message } : data ?? null }));
        };
        addEventListener("eip6963:announceProvider", heard);
        dispatchEvent(new Event("eip6963:requestProvider"));
        removeEventListener("eip6963:announceProvider", heard);
    };
    if (!kept.provider) find();
"#;

/// A page in a tab: everything a [`Page`] can do, and requests to the wallet.
#[derive(Debug, Clone)]
pub struct Dapp {
    page: Page,
}

impl Deref for Dapp {
    type Target = Page;
    fn deref(&self) -> &Page {
        &self.page
    }
}

impl Dapp {
    /// A page that is open already.
    pub fn of(page: Page) -> Self {
        Self { page }
    }

    /// Waits until the page finds the wallet (EIP-6963).
    pub async fn provider(&self) -> Result<(), Error> {
        until("the page to find the wallet", TIMEOUT, async || match self.has_provider().await? {
            true => Ok(()),
            false => Err(not_yet("no wallet announced itself")),
        })
        .await
    }

    /// Whether the page finds the wallet now.
    pub async fn has_provider(&self) -> Result<bool, Error> {
        let found = self.run(&format!("{PROVIDER} return kept.provider !== undefined"), vec![]).await?;
        Ok(found == Value::Bool(true))
    }

    /// Sends a request without waiting for its answer: meanwhile it can be approved, or the worker killed.
    pub async fn begin(&self, method: &str, params: Value) -> Result<Request, Error> {
        let script = format!(
            "{PROVIDER}
            const entry = {{ answers: 0 }};
            const [method, params] = args;
            const plain = (value) => value === undefined ? null : JSON.parse(JSON.stringify(value));
            kept.provider.request(params === null ? {{ method }} : {{ method, params }}).then(
                (result) => {{ entry.result = plain(result); entry.answers += 1; }},
                (error) => {{
                    const {{ code, message, data }} = error ?? {{}};
                    entry.error = plain({{ code, message: String(message), data, isError: error instanceof Error }});
                    entry.answers += 1;
                }});
            return kept.requests.push(entry) - 1;"
        );
        let index = self.run(&script, vec![method.into(), params]).await?;
        Ok(Request { page: self.page.clone(), method: method.to_owned(), index })
    }

    /// Sends a request and waits for its answer. A refusal is [`Error::Rpc`].
    pub async fn request(&self, method: &str, params: Value) -> Result<Value, Error> {
        self.begin(method, params).await?.wait().await
    }

    /// The provider's events since the page found it, oldest first: `{name, data}`.
    pub async fn events(&self) -> Result<Vec<Value>, Error> {
        let events = self.run(&format!("{PROVIDER} return kept.events"), vec![]).await?;
        Ok(events.as_array().cloned().unwrap_or_default())
    }

    /// Waits for an event of this name; returns the data of the last one.
    pub async fn event(&self, name: &str) -> Result<Value, Error> {
        until(&format!("the event {name}"), TIMEOUT, async || {
            let events = self.events().await?;
            let found = events.iter().rev().find(|event| event.get("name").is_some_and(|is| is == name));
            match found {
                Some(event) => Ok(event.get("data").cloned().unwrap_or_default()),
                None => Err(not_yet(events)),
            }
        })
        .await
    }

    /// Waits until a batch of calls (EIP-5792) has this status: 100, 200, 400, 500 or 600. Returns what the wallet says of it.
    pub async fn wait_for_status(&self, id: &str, status: u16) -> Result<Value, Error> {
        until(&format!("the calls {id} to have the status {status}"), CHAIN_TIMEOUT, async || {
            let calls = self.request("wallet_getCallsStatus", json!([id])).await?;
            match calls.get("status").and_then(Value::as_u64) == Some(status.into()) {
                true => Ok(calls),
                false => Err(not_yet(calls)),
            }
        })
        .await
    }

    /// Clicks the element that a CSS selector finds, once it is there and enabled.
    pub async fn press(&self, selector: &str) -> Result<(), Error> {
        until(&format!("{selector} to be pressed"), TIMEOUT, async || {
            let found = self.page.find(selector).await?;
            if !found.is_enabled().await.map_err(Error::command(selector))? {
                return Err(not_yet("an element that is disabled"));
            }
            found.click().await.map_err(Error::command(selector))
        })
        .await
    }

    /// Types into the field that a CSS selector finds, in place of what is there.
    pub async fn write(&self, selector: &str, text: &str) -> Result<(), Error> {
        let field = self.page.find(selector).await?;
        field.clear().await.map_err(Error::command(selector))?;
        field.send_keys(text).await.map_err(Error::command(selector))
    }

    /// The text of the element that a CSS selector finds; of a field, what is in it.
    pub async fn text(&self, selector: &str) -> Result<String, Error> {
        let body = "const e = document.querySelector(args[0]);
            return e && ((e.tagName === 'BUTTON' ? null : e.value) ?? (e.innerText || e.textContent)).trim()";
        match self.run(body, vec![selector.into()]).await? {
            Value::String(text) => Ok(text),
            _ => Err(not_yet(format!("no element {selector}"))),
        }
    }

    /// Waits until the element's text passes the test. Returns it.
    pub async fn text_that(&self, selector: &str, is: impl Fn(&str) -> bool) -> Result<String, Error> {
        until(&format!("the text of {selector}"), TIMEOUT, async || {
            let text = self.text(selector).await?;
            if is(&text) { Ok(text) } else { Err(not_yet(text)) }
        })
        .await
    }
}

/// A request of a page that was begun.
#[derive(Debug)]
pub struct Request {
    page: Page,
    method: String,
    index: Value,
}

impl Request {
    /// The answer, if it has come. A refusal is [`Error::Rpc`].
    pub async fn answer(&self) -> Result<Option<Value>, Error> {
        let entry = self.entry().await?;
        if let Some(error) = entry.get("error") {
            return Err(Error::Rpc {
                method: self.method.clone(),
                code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
                message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
                data: error.get("data").cloned().unwrap_or_default(),
            });
        }
        Ok(entry.get("result").cloned())
    }

    /// How many answers have come: one, in the end.
    pub async fn answers(&self) -> Result<u64, Error> {
        Ok(self.entry().await?.get("answers").and_then(Value::as_u64).unwrap_or_default())
    }

    /// Waits for the answer. A refusal is [`Error::Rpc`].
    pub async fn wait(&self) -> Result<Value, Error> {
        until(&format!("the answer to {}", self.method), CHAIN_TIMEOUT, async || {
            match self.answers().await? {
                0 => Err(not_yet("no answer")),
                _ => Ok(()),
            }
        })
        .await?;
        self.answer().await?.ok_or_else(|| Error::Input(format!("{} has no answer", self.method)))
    }

    async fn entry(&self) -> Result<Value, Error> {
        let script = format!("{PROVIDER} return kept.requests[args[0]] ?? null");
        match self.page.run(&script, vec![self.index.clone()]).await? {
            Value::Null => Err(Error::Input(format!("the page that asked {} is gone", self.method))),
            entry => Ok(entry),
        }
    }
}
