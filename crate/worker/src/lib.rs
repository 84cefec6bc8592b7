//! The wasm module of the service worker: the runtime's ports on IndexedDB, fetch and `chrome.*`. Glue only; no
//! decision is made here.
//!
//! JavaScript sees [`Core`]: open it once, hand it requests, wait for its events.

mod clear;
mod host;
pub mod indexed_db;
mod js;
mod net;
mod signer;
mod toolbox;

pub use clear::JsClear;
pub use host::JsHost;
pub use signer::JsSigner;
pub use toolbox::JsToolbox;

use indexed_db::IndexedDb;
use runtime::ports::{Ports, Presence};
use runtime::store::{SCHEMA, StoreError};
use runtime::{Boot, Core as Runtime};
use serde::Serialize;
use std::rc::Rc;
use wasm_bindgen::prelude::*;
use web_sys::IdbDatabase;
use zeroize::Zeroizing;

/// The core, as the service worker's shell sees it.
#[wasm_bindgen]
pub struct Core(Rc<Runtime>);

/// An answer to a page, as the shell sees it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Reply {
    /// HTTP status.
    status: u16,
    /// JSON text.
    body: String,
    /// Where set, the answer is a stream of the events after this id.
    #[serde(skip_serializing_if = "Option::is_none")]
    events_after: Option<u64>,
}

/// Why the core does not do something. Everything else that it throws is a crash.
#[derive(Serialize)]
struct Refusal {
    code: &'static str,
    message: String,
}

#[wasm_bindgen]
impl Core {
    /// Opens the store: the database of this name, for which the shell may have a connection already. Rejects with a
    /// code and a message.
    pub async fn open(
        host: JsHost,
        signer: JsSigner,
        toolbox: JsToolbox,
        clear: JsClear,
        wasm_bytes: f64,
        database: String,
        connection: Option<IdbDatabase>,
    ) -> Result<Core, JsValue> {
        std::panic::set_hook(Box::new(|info| web_sys::console::error_1(&info.to_string().into())));
        let store = match connection.and_then(|connection| IndexedDb::adopt(connection, SCHEMA)) {
            Some(store) => store,
            None => IndexedDb::open(&database, SCHEMA).await.map_err(refusal)?,
        };
        let boot = Boot { version: host.version(), wasm_bytes: wasm_bytes as u64 };
        let ports = Ports {
            store: Rc::new(store),
            net: Rc::new(net::Fetch),
            host: Rc::new(host::Browser::new(host)),
            signer: Rc::new(signer::Module::new(signer)),
            toolbox: Rc::new(toolbox::Module::new(toolbox)),
            clear: Rc::new(clear::Module::new(clear)),
        };
        Ok(Self(Runtime::new(ports, boot)))
    }

    /// Answers one request; `target` is the path with its query.
    pub async fn handle(&self, method: String, target: String, body: String) -> Result<JsValue, JsValue> {
        // There may be a password in it.
        let body = Zeroizing::new(body);
        let reply = self.0.handle(&method, &target, &body).await;
        let runtime::http::Reply { status, body, events_after } = reply;
        Ok(serde_wasm_bindgen::to_value(&Reply { status, body, events_after })?)
    }

    /// Events after an id as text of an event stream; waits until there is one.
    pub async fn events_after(&self, after: f64) -> Result<String, JsValue> {
        self.0.events_after(after as u64).await.map_err(refusal)
    }

    /// The browser says that the user is `active`, `idle`, or has `locked` the screen.
    pub async fn presence_changed(&self, presence: String) -> Result<(), JsValue> {
        self.0.presence_changed(Presence::parse(&presence)).await.map_err(refusal)
    }

    /// Answers a message of a web page or of another extension, by the origin that the browser names. JSON text in and out.
    pub async fn outside(&self, origin: String, text: String) -> String {
        self.0.outside(&origin, &text).await
    }

    /// Answers a request of a web page. Origin, document and tab are the browser's word. JSON text in and out.
    pub async fn page(&self, origin: String, document: String, tab: f64, text: String) -> String {
        self.0.page(&origin, &document, tab as u32, &text).await
    }

    /// What a web page of this origin may know now, as JSON text.
    pub async fn page_state(&self, origin: String) -> Result<String, JsValue> {
        self.0.page_state(&origin).await.map_err(refusal)
    }

    /// A document of a web page is gone: its tab was closed, or shows something else.
    pub async fn page_gone(&self, origin: String, document: String) -> Result<(), JsValue> {
        self.0.page_gone(&origin, &document).await.map_err(refusal)
    }

    /// Takes up what an earlier worker left.
    pub async fn resume(&self) -> Result<(), JsValue> {
        self.0.resume().await.map_err(refusal)
    }
}

fn refusal(error: StoreError) -> JsValue {
    let refusal = Refusal { code: error.code(), message: error.to_string() };
    serde_wasm_bindgen::to_value(&refusal).unwrap_or_default()
}
