//! What the signer needs of the platform it runs on: randomness, a clock for what takes long, and Unicode's tables.

use vault::Random;
use zeroize::Zeroizing;

/// The platform: the only way to anything outside.
pub trait Device: Random {
    /// Milliseconds of a monotonic clock.
    fn millis(&mut self) -> f64;

    /// A text in NFKD, so that a password does not depend on how a keyboard composes it.
    fn nfkd(&self, text: &str) -> Zeroizing<String>;
}

#[cfg(target_arch = "wasm32")]
pub use browser::Platform;
#[cfg(not(target_arch = "wasm32"))]
pub use native::Platform;

#[cfg(target_arch = "wasm32")]
mod browser {
    use super::{Device, Random, Zeroizing};
    use js_sys::JsString;
    use vault::RandomnessError;
    use wasm_bindgen::prelude::*;

    #[wasm_bindgen]
    extern "C" {
        #[wasm_bindgen(js_namespace = crypto, js_name = getRandomValues, catch)]
        fn get_random_values(bytes: &mut [u8]) -> Result<(), JsValue>;

        #[wasm_bindgen(js_namespace = performance)]
        fn now() -> f64;
    }

    /// The browser.
    #[derive(Debug, Default)]
    pub struct Platform(());

    impl Random for Platform {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomnessError> {
            get_random_values(bytes).map_err(|_| RandomnessError)
        }
    }

    impl Device for Platform {
        fn millis(&mut self) -> f64 {
            now()
        }

        fn nfkd(&self, text: &str) -> Zeroizing<String> {
            // Most passwords; they then leave no copy in JavaScript.
            if text.is_ascii() {
                return Zeroizing::new(text.to_owned());
            }
            Zeroizing::new(JsString::from(text).normalize("NFKD").into())
        }
    }
}

#[cfg(not(target_arch = "wasm32"))]
mod native {
    use super::{Device, Random, Zeroizing};
    use unicode_normalization::UnicodeNormalization as _;
    use vault::RandomnessError;

    /// The operating system. Its clock is that of a slow device, so that vaults are sealed with the least work that is
    /// allowed: the same on every machine that runs the tests.
    #[derive(Debug, Default)]
    pub struct Platform {
        millis: f64,
    }

    impl Random for Platform {
        fn fill(&mut self, bytes: &mut [u8]) -> Result<(), RandomnessError> {
            getrandom::fill(bytes).map_err(|_| RandomnessError)
        }
    }

    impl Device for Platform {
        fn millis(&mut self) -> f64 {
            self.millis += 1000.0;
            self.millis
        }

        fn nfkd(&self, text: &str) -> Zeroizing<String> {
            Zeroizing::new(text.nfkd().collect())
        }
    }
}
