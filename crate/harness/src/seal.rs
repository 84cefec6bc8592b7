//! A secret sealed with a key and opened again, as the signer does it when a password's hash is out of the way.

use vault::seal::{open_with_key, seal_with_key};
use vault::{Random, RandomnessError};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

#[wasm_bindgen]
extern "C" {
    #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues, catch)]
    fn get_random_values(bytes: &mut [u8]) -> Result<(), JsValue>;
}

const PURPOSE: &[u8] = b"bench";

/// The browser's randomness.
struct Browser;

impl Random for Browser {
    fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomnessError> {
        get_random_values(bytes).map_err(|_| RandomnessError)
    }
}

/// A key.
#[wasm_bindgen]
pub struct SealingKey(Zeroizing<[u8; 32]>);

#[wasm_bindgen]
impl SealingKey {
    /// A new one.
    pub fn random() -> Result<Self, JsError> {
        let mut key = Zeroizing::new([0; 32]);
        Browser.fill(key.as_mut_slice())?;
        Ok(Self(key))
    }

    /// Seals a text.
    pub fn seal(&self, text: &str) -> Result<String, JsError> {
        Ok(seal_with_key(&self.0, PURPOSE, text.as_bytes(), &mut Browser)?)
    }

    /// Opens what [`Self::seal`] gave.
    pub fn open(&self, sealed: &str) -> Result<String, JsError> {
        Ok(String::from_utf8(open_with_key(&self.0, PURPOSE, sealed)?.to_vec())?)
    }
}
