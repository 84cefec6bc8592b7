//! No text from outside makes a decoder take more memory than a small multiple of its own length, nor any of the memory
//! that it asks a password's hash to take. Alone in its file: memory is counted for the whole process.

use chains::encoding::base64;
use countersign_vault::backup::Backup;
use countersign_vault::seal::{Container, open_with_key};
use countersign_vault::{Mnemonic, Secret, vult};
use peak_alloc::PeakAlloc;
use prost::Message as _;
use serde_json::json;
use zeroize::Zeroizing;

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// For every byte that comes in: its text, its bytes, and one more of each.
const BYTES_FOR_A_BYTE: usize = 8;
/// For what every call needs, with any input.
const BYTES_FOR_A_CALL: usize = 256 << 10;

/// What is repeated to make a text or a message long.
const REPEATED: usize = 3 << 20;

/// The outside of a `.vult` file.
#[derive(Clone, PartialEq, prost::Message)]
struct Outside {
    #[prost(string, tag = "2")]
    vault: String,
}

fn read(text: &str) {
    let refused = [
        Container::parse(text).is_err(),
        Backup::parse(text).is_err(),
        vult::read(text, "").is_err(),
        open_with_key(&Zeroizing::new([0; 32]), b"", text).is_err(),
        Mnemonic::parse(text).is_err(),
        Secret::from_bytes(text.as_bytes()).is_err(),
    ];
    assert_eq!(refused, [true; 6]);
}

fn repeated(before: &str, part: &str, after: &str) -> String {
    [before, &part.repeat(REPEATED / part.len()), after].concat()
}

/// Files that are long, deep, or full of little things that take more room when read than they do in the file.
fn hostile() -> Vec<String> {
    let kdf =
        json!({"name": "argon2id", "memoryKib": u32::MAX, "passes": u32::MAX, "lanes": 1, "salt": "AA=="});
    let container = json!({"version": 1, "kdf": kdf, "nonce": "", "ciphertext": "A".repeat(REPEATED)});
    let head = r#"{"countersign":"backup","version":1,"vault":{"name":"","kind":"local","createdAt":0,"#;
    let message = |part: &[u8]| {
        let vault = base64(&part.repeat(REPEATED * 9 / 16 / part.len()));
        base64(&Outside { vault }.encode_to_vec())
    };
    vec![
        container.to_string(),
        repeated(r#"{"version":1,"x":["#, "0,", "0]}"),
        repeated(&format!(r#"{head}"x":["#), "0,", "0]}}"),
        repeated(&format!(r#"{head}"x":{{"#), r#""":0,"#, r#""":0}}}"#),
        repeated(&format!(r#"{head}"chainPublicKeys":["#), r#"{"chain":"","publicKey":""},"#, "0]}}"),
        repeated("", "[", ""),
        repeated("", "{\"version\":", ""),
        repeated("", "zoo ", ""),
        repeated("", "A", ""),
        // Fields of two bytes: a device's name, a share, a chain's key; then nested ones.
        message(&[0x22, 0]),
        message(&[0x3a, 0]),
        message(&[0x5a, 0]),
        message(&[0x5a, 2, 0x5a, 0]),
    ]
}

#[test]
fn memory_follows_the_length_of_what_comes_in() {
    for text in hostile() {
        MEMORY.reset_peak_usage();
        let before = MEMORY.current_usage();
        read(&text);
        let used = MEMORY.peak_usage().checked_sub(before).unwrap();
        let most = BYTES_FOR_A_CALL + BYTES_FOR_A_BYTE * text.len();
        let start = text.get(..100).unwrap();
        assert!(used <= most, "{used} bytes for {}: {start}", text.len());
    }
}
