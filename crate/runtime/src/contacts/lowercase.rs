//! Lower case, by which contacts are sorted and found. In a module by the engine that runs it: Rust's own tables weigh 16 kB in
//! each, and both follow Unicode's.

/// The text in lower case.
pub(crate) fn lowercase(text: &str) -> String {
    if text.is_ascii() { text.to_ascii_lowercase() } else { beyond_ascii(text) }
}

#[cfg(target_arch = "wasm32")]
fn beyond_ascii(text: &str) -> String {
    js_sys::JsString::from(text).to_lower_case().into()
}

#[cfg(not(target_arch = "wasm32"))]
fn beyond_ascii(text: &str) -> String {
    text.to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::lowercase;

    #[test]
    fn beyond_ascii_too() {
        assert_eq!(["ABC.eth", "Ärger", "ΟΔΟΣ"].map(lowercase), ["abc.eth", "ärger", "οδος"]);
    }
}
