//! The DevTools protocol: through the driver for the current page, through a separate connection for everything else.

use crate::wait::{TIMEOUT, not_yet, until};
use crate::{Browser, Error};
use fantoccini::wd::WebDriverCompatibleCommand;
use futures_util::{SinkExt, StreamExt};
use http::Method;
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio_tungstenite::tungstenite::Message;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, connect_async};
use url::{ParseError, Url};

/// A DevTools target: a page or a worker.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// A worker that is started again at once may keep it.
    pub id: String,
    /// `page`, `service_worker`, …
    pub kind: String,
    /// Its URL.
    pub url: String,
}

/// A connection to the whole browser. It works while the driver is busy; dropping it detaches from everything, so
/// that a worker can be stopped again.
pub struct DevTools {
    socket: WebSocketStream<MaybeTlsStream<TcpStream>>,
    next: u64,
}

impl Browser {
    /// Opens a connection to the browser's DevTools.
    pub async fn devtools(&self) -> Result<DevTools, Error> {
        let (debugger, file) = (self.debugger()?, self.profile().join("DevToolsActivePort"));
        // The file's first line is the port, the second the path of the browser's own socket.
        let address = until("the browser to write down its debugger's address", TIMEOUT, async || {
            let content = tokio::fs::read_to_string(&file).await?;
            match content.split_once('\n') {
                Some((port, path)) if debugger.ends_with(&format!(":{port}")) => {
                    Ok(format!("ws://{debugger}{path}"))
                }
                _ => Err(not_yet(content)),
            }
        })
        .await?;
        let connected = connect_async(address).await;
        let (socket, _) = connected.map_err(|error| Error::devtools("connecting to the browser", error))?;
        Ok(DevTools { socket, next: 0 })
    }

    /// All targets.
    pub async fn targets(&self) -> Result<Vec<Target>, Error> {
        self.devtools().await?.targets().await
    }
}

impl DevTools {
    /// Runs a command of the browser, or of the target that `session` is attached to.
    pub async fn call(&mut self, session: Option<&str>, method: &str, params: Value) -> Result<Value, Error> {
        let id = self.send(session, method, params).await?;
        // Events and answers to other commands may come first.
        loop {
            let mut answer = self.receive(method).await?;
            if answer.get("id").and_then(Value::as_u64) != Some(id) {
                continue;
            }
            if let Some(error) = answer.get("error") {
                return Err(Error::devtools(
                    method,
                    error.get("message").and_then(Value::as_str).unwrap_or("refused"),
                ));
            }
            return Ok(answer.get_mut("result").map(Value::take).unwrap_or_default());
        }
    }

    /// Sends a command without waiting for its answer. Returns its number.
    pub(crate) async fn send(
        &mut self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<u64, Error> {
        self.next += 1;
        let mut command = json!({ "id": self.next, "method": method, "params": params });
        if let (Some(session), Some(fields)) = (session, command.as_object_mut()) {
            fields.insert("sessionId".to_owned(), session.into());
        }
        let sent = self.socket.send(Message::text(command.to_string())).await;
        sent.map_err(|error| Error::devtools(method, error))?;
        Ok(self.next)
    }

    /// The next event of the browser; answers are skipped.
    pub async fn event(&mut self) -> Result<Value, Error> {
        loop {
            let message = self.receive("an event").await?;
            if message.get("method").is_some() {
                return Ok(message);
            }
        }
    }

    async fn receive(&mut self, wanted: &str) -> Result<Value, Error> {
        while let Some(message) = self.socket.next().await {
            let message = message.map_err(|error| Error::devtools(wanted, error))?;
            let Message::Text(text) = message else { continue };
            return serde_json::from_str(&text).map_err(|error| Error::devtools(wanted, error));
        }
        Err(Error::devtools(wanted, "the browser closed the connection"))
    }

    /// All targets.
    pub async fn targets(&mut self) -> Result<Vec<Target>, Error> {
        let answer = self.call(None, "Target.getTargets", json!({})).await?;
        let infos = answer.get("targetInfos").and_then(Value::as_array).cloned().unwrap_or_default();
        let text =
            |info: &Value, name: &str| info.get(name).and_then(Value::as_str).unwrap_or_default().to_owned();
        let target = |info: &Value| Target {
            id: text(info, "targetId"),
            kind: text(info, "type"),
            url: text(info, "url"),
        };
        Ok(infos.iter().map(target).collect())
    }

    /// Attaches to a target. Returns the session for [`DevTools::call`].
    pub async fn attach(&mut self, target: &Target) -> Result<String, Error> {
        let method = "Target.attachToTarget";
        let answer = self.call(None, method, json!({ "targetId": target.id, "flatten": true })).await?;
        let session = answer.get("sessionId").and_then(Value::as_str);
        session.map(str::to_owned).ok_or_else(|| Error::devtools(method, "no session"))
    }

    /// Detaches from a target.
    pub async fn detach(&mut self, session: &str) -> Result<(), Error> {
        self.call(None, "Target.detachFromTarget", json!({ "sessionId": session })).await?;
        Ok(())
    }
}

/// A DevTools command for the driver's current page.
#[derive(Debug)]
pub(crate) struct Cdp {
    pub(crate) method: String,
    pub(crate) params: Value,
}

impl WebDriverCompatibleCommand for Cdp {
    fn endpoint(&self, base: &Url, session: Option<&str>) -> Result<Url, ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &Url) -> (Method, Option<String>) {
        (Method::POST, Some(json!({ "cmd": self.method, "params": self.params }).to_string()))
    }
}
