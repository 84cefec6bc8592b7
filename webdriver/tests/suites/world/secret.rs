//! Secrets to search for, in every encoding in which they could be written.

use std::collections::BTreeSet;

/// Secrets with all their encodings, by the first two bytes of each: a large file is read once.
pub(crate) struct Secrets {
    beginnings: Vec<Vec<(&'static str, Vec<u8>)>>,
}

impl Secrets {
    pub(crate) fn new() -> Self {
        Self { beginnings: vec![Vec::new(); 1 << 16] }
    }

    /// Text that a user typed.
    pub(crate) fn text(mut self, name: &'static str, text: &str) -> Self {
        for spelling in encodings(text.as_bytes()) {
            self.beginnings[beginning(&spelling)].push((name, spelling));
        }
        self
    }

    /// A key: as its bytes, and as the hexadecimal digits that a user may have typed.
    pub(crate) fn hex(mut self, name: &'static str, digits: &str) -> Self {
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).unwrap();
        let bytes: Vec<u8> = (0..digits.len()).step_by(2).map(byte).collect();
        for spelling in encodings(&bytes) {
            self.beginnings[beginning(&spelling)].push((name, spelling));
        }
        self.text(name, digits)
    }

    /// The secrets that a place contains, each with the place.
    pub(crate) fn found(&self, place: &str, content: &[u8]) -> BTreeSet<String> {
        let mut found = BTreeSet::new();
        for (at, pair) in content.windows(2).enumerate() {
            for (name, spelling) in &self.beginnings[beginning(pair)] {
                if content[at..].starts_with(spelling) {
                    found.insert(format!("{name} in {place}"));
                }
            }
        }
        found
    }
}

fn beginning(bytes: &[u8]) -> usize {
    usize::from(bytes[0]) << 8 | usize::from(bytes[1])
}

/// As it is, in UTF-16, in hexadecimal digits of either case, and in Base64 at any offset.
fn encodings(bytes: &[u8]) -> Vec<Vec<u8>> {
    let wide: Vec<u8> = bytes.iter().flat_map(|byte| [*byte, 0]).collect();
    let lower: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let upper = lower.to_uppercase();
    let mut all = vec![bytes.to_vec(), wide, lower.into_bytes(), upper.into_bytes()];
    for before in 0..3 {
        let standard = base64_inside(bytes, before);
        let url: String = standard
            .chars()
            .map(|c| {
                if c == '+' {
                    '-'
                } else if c == '/' {
                    '_'
                } else {
                    c
                }
            })
            .collect();
        all.extend([standard.into_bytes(), url.into_bytes()]);
    }
    all
}

/// The Base64 digits that depend only on these bytes, with this many bytes before them.
fn base64_inside(bytes: &[u8], before: usize) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let bits: Vec<bool> =
        bytes.iter().flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1 == 1)).collect();
    // The first digit that begins within the bytes.
    let skipped = (6 - before * 8 % 6) % 6;
    let digit = |bits: &[bool]| bits.iter().fold(0, |digit, bit| digit * 2 + usize::from(*bit));
    bits[skipped..].chunks_exact(6).map(|bits| char::from(DIGITS[digit(bits)])).collect()
}

#[test]
fn every_encoding_is_found() {
    let secrets =
        Secrets::new().text("word", "Kumquat-83-Fennel").hex("key", "00ff10c4a9b7e6d500ff10c4a9b7e6d5");
    let word: [&[u8]; 7] = [
        b"..Kumquat-83-Fennel..",
        b"K\0u\0m\0q\0u\0a\0t\0-\x008\x003\0-\0F\0e\0n\0n\0e\0l\0",
        b"4b756d717561742d38332d46656e6e656c",
        b"4B756D717561742D38332D46656E6E656C",
        b"S3VtcXVhdC04My1GZW5uZWw=",
        b"eEt1bXF1YXQtODMtRmVubmVs",
        b"eHlLdW1xdWF0LTgzLUZlbm5lbHo=",
    ];
    for place in word {
        assert_eq!(secrets.found("here", place), BTreeSet::from(["word in here".to_owned()]), "{place:?}");
    }
    let key: [&[u8]; 3] = [
        b"\x00\xff\x10\xc4\xa9\xb7\xe6\xd5\x00\xff\x10\xc4\xa9\xb7\xe6\xd5",
        b"(00FF10C4A9B7E6D500FF10C4A9B7E6D5)",
        b"AP8QxKm35tUA/xDEqbfm1Q==",
    ];
    for place in key {
        assert_eq!(secrets.found("here", place), BTreeSet::from(["key in here".to_owned()]), "{place:?}");
    }
    assert_eq!(secrets.found("here", b"Kumquat-83-Fenne"), BTreeSet::new());
}
