//! The names in a path: what is compared is normalised.

use super::ToolStoreError;

/// A bundle's id, in lower case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BundleId(String);

impl BundleId {
    /// A UUID of version 7, in any case (T002-14).
    pub(crate) fn parse(text: &str) -> Result<Self, ToolStoreError> {
        let fits = |(place, byte): (usize, u8)| match place {
            8 | 13 | 18 | 23 => byte == b'-',
            14 => byte == b'7',
            19 => matches!(byte, b'8' | b'9' | b'a' | b'b' | b'A' | b'B'),
            _ => byte.is_ascii_hexdigit(),
        };
        match text.len() == 36 && text.bytes().enumerate().all(fits) {
            true => Ok(Self(text.to_ascii_lowercase())),
            false => Err(ToolStoreError::InvalidBundleId),
        }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// What tells a tool apart: its bundle, slug and version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ToolKey {
    pub(crate) bundle: BundleId,
    pub(super) slug: String,
    pub(super) version: String,
}

impl ToolKey {
    /// Slug and version in NFC: what looks the same is the same (T002-38). No rule of theirs is checked here, but that each
    /// is one part of the key.
    pub(crate) fn new(bundle: BundleId, slug: &str, version: &str) -> Result<Self, ToolStoreError> {
        let part = |text: &str| match text.contains('/') {
            true => Err(ToolStoreError::ToolNotFound),
            false => Ok(nfc(text)),
        };
        Ok(Self { bundle, slug: part(slug)?, version: part(version)? })
    }

    /// As it stands in the store.
    pub(super) fn text(&self) -> String {
        [self.bundle.as_str(), "/", &self.slug, "/", &self.version].concat()
    }
}

/// The text in NFC.
fn nfc(text: &str) -> String {
    if text.is_ascii() { text.to_owned() } else { composed(text) }
}

/// By the engine that runs the module: tables of our own would weigh more than the rest of the tool store.
#[cfg(target_arch = "wasm32")]
fn composed(text: &str) -> String {
    js_sys::JsString::from(text).normalize("NFC").into()
}

#[cfg(not(target_arch = "wasm32"))]
fn composed(text: &str) -> String {
    use unicode_normalization::UnicodeNormalization as _;
    text.nfc().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ID: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af101";

    /// T002-14: version 7 and its variant, and nothing else.
    #[test]
    fn a_bundle_id_is_a_uuid_of_version_7() {
        assert_eq!(BundleId::parse(ID).unwrap().as_str(), ID);
        assert_eq!(BundleId::parse(&ID.to_uppercase()).unwrap().as_str(), ID);
        for (from, to) in
            [("-7a01", "-4a01"), ("-9a05", "-1a05"), ("-9a05", "-ca05"), ("101", "10"), ("f", "g")]
        {
            let other = ID.replacen(from, to, 1);
            assert_eq!(BundleId::parse(&other), Err(ToolStoreError::InvalidBundleId), "{other}");
        }
        for other in
            ["", "x", "018faf50b7b67a019a05a22a6e0af101", &format!("{{{ID}}}"), &ID.replace('0', "０")]
        {
            assert_eq!(BundleId::parse(other), Err(ToolStoreError::InvalidBundleId), "{other}");
        }
    }

    /// T002-38: a letter and its accent are the same in one character or in two.
    #[test]
    fn keys_are_normalised() {
        let key = |slug: &str, version: &str| {
            ToolKey::new(BundleId::parse(ID)?, slug, version).map(|key| key.text())
        };
        assert_eq!(key("cafe\u{301}", "v1"), Ok(format!("{ID}/café/v1")));
        assert_eq!(key("a/b", "v1"), Err(ToolStoreError::ToolNotFound));
    }
}
