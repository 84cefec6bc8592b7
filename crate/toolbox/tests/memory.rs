//! T002-82: no archive makes the toolbox take more memory than its bounds allow.
//!
//! Alone in its file: memory is counted for the whole process.

#![expect(clippy::expect_used, clippy::panic, reason = "a test's own mistake must fail it")]

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_toolbox::answer_text;
use countersign_toolbox::bounds::{ARCHIVE_BYTES, FILE_BYTES};
use peak_alloc::PeakAlloc;

#[path = "toolbox/zips.rs"]
#[expect(dead_code, reason = "the other tests need all of it")]
mod zips;

use zips::{File, Zip};

#[global_allocator]
static MEMORY: PeakAlloc = PeakAlloc;

/// The most memory that was in use while an archive was read, beyond the request.
fn peak(archive: &[u8]) -> (usize, String) {
    let text = format!(r#"{{"unpack_bundle":{{"base64":"{}","reserved":[]}}}}"#, STANDARD.encode(archive));
    let before = MEMORY.current_usage();
    MEMORY.reset_peak_usage();
    let reply = answer_text(&text);
    (MEMORY.peak_usage() - before, reply)
}

const BUNDLE: &[u8] =
    br#"{"id":"018faf50-b7b6-7a01-9a05-a22a6e0af101","slug":"a","displayName":"A","description":""}"#;

/// A text of JSON that becomes as much as it can in memory.
fn swelling(length: usize) -> Vec<u8> {
    let element = br#"{"a":0},"#;
    let mut text = b"[".to_vec();
    while text.len() + element.len() < length - 1 {
        text.extend(element);
    }
    text.extend(b"0]");
    text
}

#[test]
fn memory_is_bounded() {
    // Regular expressions and tables that stay.
    peak(&Zip::of(vec![File::stored("bundle.json", BUNDLE)]).bytes());
    let bundle = || File::stored("bundle.json", BUNDLE);
    let mebibyte = 1 << 20;

    // A file that says it is short and is long, a file that says it is as long as it is.
    let long = vec![b' '; 8 * mebibyte];
    let liar = File::deflated("a.json", &long).with(|file| file.size = 60_000);
    for file in [liar, File::deflated("a.json", &long)] {
        let (peak, reply) = peak(&Zip::of(vec![bundle(), file]).bytes());
        assert!(reply.starts_with(r#"{"problems""#), "{reply}");
        assert!(peak < mebibyte, "{peak}");
    }

    // One file of JSON that swells, and sixteen: one is in memory at a time.
    let json = swelling(FILE_BYTES);
    let file = |number: usize| {
        // Numbers by chance, so that it is not too dense.
        let (mut json, mut chance) = (json.clone(), 7 + u64::try_from(number).unwrap());
        for byte in json.iter_mut().filter(|byte| **byte == b'0') {
            chance ^= chance << 13;
            chance ^= chance >> 7;
            chance ^= chance << 17;
            *byte = b'1' + u8::try_from(chance % 9).unwrap();
        }
        File::deflated(&format!("{number}.json"), &json)
    };
    let mut peaks = Vec::new();
    for count in [1, 15] {
        let files = std::iter::once(bundle()).chain((0..count).map(file)).collect();
        let (peak, reply) = peak(&Zip::of(files).bytes());
        assert!(reply.starts_with(r#"{"problems""#) && reply.contains("must be an object"), "{reply}");
        peaks.push(peak);
    }
    println!("{peaks:?} bytes for 1 and 15 files");
    let [one, all] = peaks.try_into().expect("two");
    assert!(one < 64 * mebibyte && all < one + 4 * mebibyte, "{one} {all}");

    // Records of a newer version are kept: all of them are in memory, as texts.
    let kept = |number: usize| {
        let text = String::from_utf8(json.clone()).unwrap();
        let text = format!(r#"{{"schemaVersion":"2027-01-01","slug":"s{number}","version":"v","x":{text}}}"#);
        let text =
            text.replace("\"a\":0", &format!("\"a\":{number}")).chars().take(FILE_BYTES).collect::<String>();
        let end = text.rfind("},").expect("an element");
        File::stored(&format!("{number}.json"), format!("{}}}]}}", &text[..end]).as_bytes())
    };
    let files = std::iter::once(bundle()).chain((0..7).map(kept)).collect();
    let archive = Zip::of(files).bytes();
    assert!(archive.len() < ARCHIVE_BYTES);
    let (peak, reply) = peak(&archive);
    assert!(reply.starts_with(r#"{"unpacked""#), "{}", &reply[..200]);
    println!("{peak} bytes for records that are kept");
    assert!(peak < 72 * mebibyte, "{peak}");
}
