//! Time, chance, and the browser around us.

use crate::js::{deferred, describe};
use async_trait::async_trait;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Date, Function, Promise};
use runtime::ports::{Host, Lock, Presence, Task};
use runtime::store::StoreError;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::{JsFuture, spawn_local};

#[wasm_bindgen]
extern "C" {
    /// What the shell gives us of `chrome.*`.
    pub type JsHost;

    /// The extension's version.
    #[wasm_bindgen(method)]
    pub fn version(this: &JsHost) -> String;

    #[wasm_bindgen(method, js_name = wakeAt)]
    fn wake_at(this: &JsHost, millis: f64);

    #[wasm_bindgen(method, js_name = keepAlive)]
    fn keep_alive(this: &JsHost, on: bool);

    #[wasm_bindgen(method)]
    fn attention(this: &JsHost, count: u32);

    #[wasm_bindgen(method)]
    fn summon(this: &JsHost, prompt_id: &str, title: &str);

    #[wasm_bindgen(method, js_name = showBundle)]
    fn show_bundle(this: &JsHost, id: &str);

    #[wasm_bindgen(method, js_name = getSecret)]
    fn get_secret(this: &JsHost, name: &str) -> Promise;

    #[wasm_bindgen(method, js_name = setSecret)]
    fn set_secret(this: &JsHost, name: &str, value: Option<&str>) -> Promise;

    #[wasm_bindgen(method, js_name = watchPresence)]
    fn watch_presence(this: &JsHost, seconds: u32);

    #[wasm_bindgen(method)]
    fn presence(this: &JsHost, seconds: u32) -> Promise;

    #[wasm_bindgen(method, js_name = pagesChanged)]
    fn pages_changed(this: &JsHost, origin: Option<&str>);

    #[wasm_bindgen(method, js_name = loadLater)]
    fn load_later(this: &JsHost) -> Promise;

    #[wasm_bindgen(js_namespace = performance, js_name = now)]
    fn performance_now() -> f64;

    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues)]
    fn get_random_values(bytes: &mut [u8]);

    #[wasm_bindgen(js_namespace = ["navigator", "locks"], js_name = request)]
    fn request_lock(name: &str, granted: &JsValue) -> Promise;
}

/// The browser, as the runtime sees it.
pub(crate) struct Browser(JsHost);

impl Browser {
    pub(crate) const fn new(host: JsHost) -> Self {
        Self(host)
    }
}

#[async_trait(?Send)]
impl Host for Browser {
    fn now(&self) -> u64 {
        Date::now() as u64
    }

    fn monotonic(&self) -> u64 {
        performance_now() as u64
    }

    fn random(&self, bytes: &mut [u8]) {
        get_random_values(bytes);
    }

    fn spawn(&self, task: Task) {
        spawn_local(task);
    }

    async fn sleep(&self, millis: u64) {
        TimeoutFuture::new(u32::try_from(millis).unwrap_or(u32::MAX)).await;
    }

    fn wake_at(&self, at: Option<u64>) {
        self.0.wake_at(at.unwrap_or(0) as f64);
    }

    fn keep_alive(&self, on: bool) {
        self.0.keep_alive(on);
    }

    fn attention(&self, count: usize) {
        self.0.attention(u32::try_from(count).unwrap_or(u32::MAX));
    }

    fn show_bundle(&self, id: &str) {
        self.0.show_bundle(id);
    }

    fn summon(&self, prompt_id: &str, title: &str) {
        self.0.summon(prompt_id, title);
    }

    async fn lock(&self, name: &str) -> Lock {
        let (released, release) = deferred();
        let (acquired, acquire) = deferred();
        // Made before the lock is granted: if it is no longer waited for, it is given back at once.
        let lock = Lock::new(Release(release));
        let granted = Closure::once_into_js(move |_: JsValue| {
            let _ = acquire.call0(&JsValue::UNDEFINED);
            released
        });
        let request = request_lock(name, &granted);
        let refused = async {
            let _ = JsFuture::from(request).await;
        };
        let granted = async {
            let _ = JsFuture::from(acquired).await;
        };
        either(granted, refused).await;
        lock
    }

    async fn secret(&self, name: &str) -> Option<String> {
        JsFuture::from(self.0.get_secret(name)).await.ok()?.as_string()
    }

    async fn set_secret(&self, name: &str, value: Option<&str>) {
        // A session store that is full loses the secret: the user is asked for it again.
        let _ = JsFuture::from(self.0.set_secret(name, value)).await;
    }

    fn watch_presence(&self, seconds: u32) {
        self.0.watch_presence(seconds);
    }

    async fn presence(&self, seconds: u32) -> Presence {
        let told = JsFuture::from(self.0.presence(seconds)).await.ok().and_then(|told| told.as_string());
        Presence::parse(&told.unwrap_or_default())
    }

    fn pages_changed(&self, origin: Option<&str>) {
        self.0.pages_changed(origin);
    }

    async fn load_later(&self) -> Result<(), StoreError> {
        match JsFuture::from(self.0.load_later()).await {
            Ok(_) => Ok(()),
            Err(error) => Err(StoreError::part_unavailable(describe(&error))),
        }
    }
}

/// Gives a lock back when dropped.
struct Release(Function);

impl Drop for Release {
    fn drop(&mut self) {
        let _ = self.0.call0(&JsValue::UNDEFINED);
    }
}

/// Whichever comes first.
async fn either(first: impl Future<Output = ()>, second: impl Future<Output = ()>) {
    let (mut first, mut second) = (std::pin::pin!(first), std::pin::pin!(second));
    std::future::poll_fn(|context| match first.as_mut().poll(context) {
        std::task::Poll::Ready(()) => std::task::Poll::Ready(()),
        std::task::Poll::Pending => second.as_mut().poll(context),
    })
    .await;
}
