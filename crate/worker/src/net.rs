//! HTTP by the worker's own `fetch`: no cookies, no redirects, nothing kept.

use crate::js::describe;
use async_trait::async_trait;
use js_sys::{Promise, Uint8Array};
use runtime::ports::{Body, HEADERS, Net, NetError, NetRequest, NetResponse};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    AbortController, Headers, ReadableStreamDefaultReader, ReadableStreamReadResult, RequestCache,
    RequestCredentials, RequestInit, RequestRedirect, Response,
};

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_name = fetch)]
    fn fetch(url: &str, init: &RequestInit) -> Promise;
}

/// The worker's `fetch`.
pub(crate) struct Fetch;

#[async_trait(?Send)]
impl Net for Fetch {
    async fn send(&self, request: NetRequest) -> Result<NetResponse, NetError> {
        let aborted = Abort(AbortController::new().map_err(network)?);
        let headers = Headers::new().map_err(network)?;
        for (name, value) in &request.headers {
            headers.set(name, value).map_err(network)?;
        }
        let init = RequestInit::new();
        init.set_method(&request.method);
        if let Some(body) = request.body {
            init.set_body(&body.into());
        }
        init.set_headers_headers(&headers);
        init.set_cache(RequestCache::NoStore);
        init.set_credentials(RequestCredentials::Omit);
        // A redirect could carry the token and the results elsewhere. `error` would make it look like a failed connection.
        init.set_redirect(RequestRedirect::Manual);
        init.set_signal(Some(&aborted.0.signal()));
        let answer = JsFuture::from(fetch(&request.url, &init)).await;
        // The browser quotes an address that it does not take, and an address may hold a secret.
        let without_url = |error| NetError(describe(&error).replace(&request.url, "the address"));
        let response: Response = answer.map_err(without_url)?.unchecked_into();
        // The browser's word for a redirect that it does not follow: no other answer has this status.
        if response.status() == 0 {
            return Err(NetError::redirected());
        }
        let header = |name: &str| response.headers().get(name).ok().flatten();
        Ok(NetResponse {
            status: response.status(),
            content_type: header("Content-Type").unwrap_or_default(),
            retry_after: header("Retry-After").and_then(|text| seconds(&text)),
            headers: HEADERS.iter().filter_map(|name| Some((*name, header(name)?))).collect(),
            body: Box::new(Stream {
                reader: response.body().map(|stream| stream.get_reader().unchecked_into()),
                _aborted: aborted,
            }),
        })
    }
}

/// Seconds from now: of a number, or of a date, read by the browser.
fn seconds(text: &str) -> Option<u64> {
    let until_date = || {
        let left = (js_sys::Date::parse(text) - js_sys::Date::now()) / 1000.0;
        // What is no date is not a number, and a date that has passed asks for no wait.
        (!left.is_nan()).then_some(left.ceil().max(0.0) as u64)
    };
    text.parse().ok().or_else(until_date)
}

/// Ends the request when dropped.
struct Abort(AbortController);

impl Drop for Abort {
    fn drop(&mut self) {
        self.0.abort();
    }
}

struct Stream {
    reader: Option<ReadableStreamDefaultReader>,
    _aborted: Abort,
}

#[async_trait(?Send)]
impl Body for Stream {
    async fn chunk(&mut self) -> Result<Option<Vec<u8>>, NetError> {
        let Some(reader) = &self.reader else {
            return Ok(None);
        };
        let read: ReadableStreamReadResult =
            JsFuture::from(reader.read()).await.map_err(network)?.unchecked_into();
        if read.get_done().unwrap_or(true) {
            return Ok(None);
        }
        Ok(Some(read.get_value().unchecked_into::<Uint8Array>().to_vec()))
    }
}

fn network(error: JsValue) -> NetError {
    NetError(describe(&error))
}
