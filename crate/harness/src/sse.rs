//! The decoder as the product uses it: a `Uint8Array` for each chunk that `fetch` reads.

use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;
use wire::sse::{Decoder, SseEvent};

/// A stream being decoded, and what came out of it so far.
#[wasm_bindgen]
#[derive(Default)]
pub struct Sse {
    decoder: Decoder,
    events: u32,
    bytes: f64,
}

#[wasm_bindgen]
impl Sse {
    /// The start of a stream.
    #[wasm_bindgen(constructor)]
    pub fn new() -> Self {
        Self::default()
    }

    /// Counts the events that a chunk completes.
    pub fn push(&mut self, chunk: &Uint8Array) -> Result<(), JsError> {
        let Self { decoder, events, bytes } = self;
        decoder.push(&chunk.to_vec(), &mut |event| {
            *events += 1;
            *bytes += event.data.len() as f64;
        })?;
        Ok(())
    }

    /// Writes out the events that a chunk completes: name, id and data, each closed by a zero.
    pub fn collect(&mut self, chunk: &Uint8Array) -> Result<String, JsError> {
        let mut text = String::new();
        self.decoder.push(&chunk.to_vec(), &mut |SseEvent { name, id, data }| {
            for part in [name, id, data] {
                text.push_str(part);
                text.push('\0');
            }
        })?;
        Ok(text)
    }

    /// How many events there were.
    #[wasm_bindgen(getter)]
    pub fn events(&self) -> u32 {
        self.events
    }

    /// The length of all their data, in bytes.
    #[wasm_bindgen(getter)]
    pub fn bytes(&self) -> f64 {
        self.bytes
    }
}
