//! T002-82: archives that are made to do harm.

use crate::archives::{BUNDLE, bundle_json, folder, tool_json};
use crate::zips::{File, Zip, crc, problems, unpack_reply, unpacked};
use countersign_toolbox::bounds::{ARCHIVE_BYTES, ARCHIVE_ENTRIES, FILE_BYTES};
use miniz_oxide::deflate::compress_to_vec;
use proptest::prelude::*;
use wire::toolbox::Reply;

fn bundle_file() -> File {
    File::deflated(&folder("bundle.json"), bundle_json().to_string().as_bytes())
}

fn tool_file() -> File {
    File::deflated(&folder("get-weather_v1.json"), tool_json().to_string().as_bytes())
}

fn good() -> Zip {
    Zip::of(vec![bundle_file(), tool_file()])
}

/// The bundle, and this file.
fn with(file: File) -> Zip {
    Zip::of(vec![bundle_file(), file])
}

/// The one problem of an archive: its code, and words of its message.
fn refused(what: &str, zip: &Zip, code: &str, words: &str) {
    let found = problems(&zip.bytes());
    assert_eq!(found.len(), 1, "{what}: {found:#?}");
    assert_eq!(found[0].code, code, "{what}: {found:#?}");
    assert!(found[0].message.contains(words), "{what}: {found:#?}");
}

#[test]
fn the_archive_that_lies_are_told_of_is_read() {
    assert_eq!(unpacked(&good().bytes()).tools.len(), 1);
}

/// Sizes are bounded by what the directory declares, and inflating by the same.
#[test]
fn bombs_are_refused() {
    let dense = File::deflated(&folder("a.json"), &vec![b' '; 128 << 10]);
    refused("ratio", &with(dense.clone()), "archive_too_large", "densely");
    let long = File::deflated(&folder("a.json"), &vec![b' '; FILE_BYTES + 1]);
    refused("size", &with(long), "archive_too_large", "a file may have");
    // It says that it is short, and is long.
    for size in [0, 1, 100, 60_000] {
        let liar = dense.clone().with(|file| file.size = size);
        refused("liar", &with(liar), "invalid_archive", "damaged");
    }
    // It says that it is long, and is short.
    let liar = tool_file().with(|file| file.size += 1);
    refused("liar", &with(liar), "invalid_archive", "damaged");
    // Sixteen of the longest with a little more, each as dense as may be.
    let text: Vec<u8> = (0..FILE_BYTES / 64).flat_map(|line| format!("{line:64}").into_bytes()).collect();
    let file = File::deflated("", &text);
    let many =
        (0..17).map(|number| file.clone().with(|file| file.name = folder(&format!("{number}.json")).into()));
    let many = many.collect();
    let total = problems(&Zip::of(many).bytes());
    assert!(total[0].code == "archive_too_large" && total[0].message.contains("together"), "{total:#?}");
    let files = (0..=ARCHIVE_ENTRIES).map(|number| File::stored(&format!("{number}.json"), b"")).collect();
    refused("entries", &Zip::of(files), "archive_too_large", "files and folders");
    let mut padded = good();
    padded.files[1].extra = [b"xx".as_slice(), &u16::MAX.to_le_bytes()].concat();
    padded.before = vec![0; ARCHIVE_BYTES];
    refused("bytes", &padded, "archive_too_large", "an archive may have");
}

/// The classic bomb: many names for the same packed bytes.
#[test]
fn overlapping_files_are_refused() {
    let mut zip = good();
    zip.files.push(bundle_file().with(|file| {
        file.name = folder("other_.json").into();
        file.offset = Some(0);
    }));
    refused("another name", &zip, "invalid_archive", "two different things");
    let first = bundle_file();
    let mut zip = Zip::of(vec![first.clone(), first.with(|file| file.offset = Some(0))]);
    refused("the same name", &zip, "invalid_archive", "two files of this name");
    // The data of the first contain the whole second, with its own header.
    let inner = File::stored("i.json", b"{}");
    let inside = Zip::of(vec![inner.clone()]).bytes();
    let inside = &inside[..30 + 6 + 2];
    let outer = File::stored("o.json", inside);
    zip = Zip::of(vec![outer, inner.with(|file| file.offset = Some(30 + 6))]);
    // The copy behind the first is one that the directory does not name.
    refused("one in the other", &zip, "invalid_archive", "no file, or to two");
}

/// Bytes in front, between and behind, that other readers might take for files.
#[test]
fn loose_bytes_are_refused() {
    for place in 0..4 {
        let mut zip = good();
        match place {
            0 => zip.before = b"#!/bin/sh\n".to_vec(),
            1 => zip.between = vec![0],
            2 => zip.behind = vec![0; 40],
            _ => zip.files[0].descriptor = vec![0; 12],
        }
        refused(&format!("{place}"), &zip, "invalid_archive", "no file, or to two");
    }
    // A directory of an archive in the comment of another ends where it should, and begins somewhere else.
    let mut zip = good();
    zip.comment = good().bytes();
    refused("comment", &zip, "invalid_archive", "no file, or to two");
    let mut zip = good();
    zip.comment = b"a comment is nothing bad".to_vec();
    assert_eq!(unpacked(&zip.bytes()).tools.len(), 1);
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    for name in [
        "../a.json",
        "a/../../b.json",
        "a/..",
        "./a.json",
        "/etc/a.json",
        "//server/a.json",
        "a//b.json",
        "C:/a.json",
        "C:a.json",
        "a\\..\\b.json",
        "..\\a.json",
        "a.json\0.txt",
        "a\nb.json",
        "",
        "/",
        "a.json:stream",
        &"a".repeat(513),
    ] {
        refused(name, &with(File::stored(name, b"{}")), "invalid_archive", "must not lead out");
    }
    for name in [&b"\xff.json"[..], b"caf\xe9.json", b"\xed\xa0\x80.json", b"\xc0\xae\xc0\xae/a.json"] {
        let file = File::stored("a.json", b"{}").with(|file| file.name = name.to_vec());
        refused("not UTF-8", &with(file), "invalid_archive", "not UTF-8");
    }
}

#[test]
fn two_files_of_one_name_are_refused() {
    let twice = Zip::of(vec![bundle_file(), tool_file(), tool_file()]);
    refused("twice", &twice, "invalid_archive", "two files of this name");
    let folder_too = File::stored(&folder("get-weather_v1.json/"), b"");
    let both = Zip::of(vec![bundle_file(), tool_file(), folder_too]);
    refused("file and folder", &both, "invalid_archive", "two files of this name");
}

/// Links, devices, pipes and sockets, by the file types of Unix.
#[test]
fn links_are_refused() {
    for kind in [0o120_777_u32, 0o020_644, 0o060_644, 0o010_644, 0o140_755] {
        let link = File::stored(&folder("a.json"), b"/etc/passwd").with(|file| file.attributes = kind << 16);
        refused(&format!("{kind:o}"), &with(link), "invalid_archive", "a link or a device");
    }
    let mut zip = good();
    for file in &mut zip.files {
        file.attributes = 0o100_644 << 16 | 0x20;
    }
    assert_eq!(unpacked(&zip.bytes()).tools.len(), 1);
}

#[test]
fn what_is_encrypted_or_packed_otherwise_is_refused() {
    for flags in [1, 1 << 6 | 1, 1 << 13] {
        refused(
            "encrypted",
            &with(tool_file().with(|file| file.flags = flags)),
            "unsupported_archive",
            "encrypted",
        );
    }
    for method in [1, 6, 9, 12, 14, 93, 95, 98] {
        let file = tool_file().with(|file| file.method = method);
        refused(&format!("{method}"), &with(file), "unsupported_archive", "store and deflate");
    }
    refused(
        "AES",
        &with(tool_file().with(|file| file.method = 99)),
        "unsupported_archive",
        "store and deflate",
    );
    refused(
        "patch",
        &with(tool_file().with(|file| file.flags = 1 << 5)),
        "unsupported_archive",
        "store and deflate",
    );
}

/// Sizes of 64 bits beside those of 32: which of them is believed differs between readers.
#[test]
fn zip64_is_refused() {
    let field = [&1_u16.to_le_bytes()[..], &16_u16.to_le_bytes(), &[0xff; 16]].concat();
    let lies: &[fn(&mut File)] =
        &[|file| file.size = u32::MAX, |file| file.packed = u32::MAX, |file| file.offset = Some(u32::MAX)];
    for lie in lies {
        refused("file", &with(tool_file().with(lie)), "unsupported_archive", "ZIP64");
    }
    let extra = tool_file().with(|file| file.extra = field.clone());
    refused("extra", &with(extra), "unsupported_archive", "ZIP64");
    let extra = tool_file().with_local(|file| file.extra = [b"ab\x01\0x", &field[..]].concat());
    refused("local extra", &with(extra), "unsupported_archive", "ZIP64");
    refused("count", &Zip { count: Some(u16::MAX), ..good() }, "unsupported_archive", "ZIP64");
    refused("start", &Zip { directory_start: Some(u32::MAX), ..good() }, "unsupported_archive", "ZIP64");
    refused("size", &Zip { directory_size: Some(u32::MAX), ..good() }, "unsupported_archive", "ZIP64");
    let locator = [&0x0706_4b50_u32.to_le_bytes()[..], &[0; 16]].concat();
    refused("locator", &Zip { behind: locator, ..good() }, "unsupported_archive", "ZIP64");
    refused("disks", &Zip { disk: 1, ..good() }, "unsupported_archive", "one part of several");
    refused(
        "disk",
        &with(tool_file().with(|file| file.disk = 1)),
        "unsupported_archive",
        "one part of several",
    );
}

/// The directory and the header in front of a file.
#[test]
fn headers_must_agree() {
    let lies: &[fn(&mut File)] = &[
        |file| file.name[0] = b'x',
        |file| file.name.push(b'x'),
        |file| file.crc ^= 1,
        |file| file.size += 1,
        |file| file.packed -= 1,
        |file| file.method = 0,
        |file| file.flags = 1 << 3,
        |file| file.flags = 1,
    ];
    for (index, lie) in lies.iter().enumerate() {
        let zip = with(tool_file().with_local(lie));
        refused(&format!("{index}"), &zip, "invalid_archive", "two different things");
    }
    // Stored, and yet of two lengths.
    let stored = File::stored(&folder("a.json"), b"{}").with(|file| file.size = 1);
    refused("stored", &with(stored), "invalid_archive", "two different things");
    let streamed = |descriptor: Vec<u8>| {
        tool_file()
            .with(|file| file.flags = 1 << 3)
            .with_local(|file| (file.crc, file.packed, file.size) = (0, 0, 0))
            .with(|file| file.descriptor = descriptor)
    };
    let file = tool_file();
    let sums = [file.crc, file.packed, file.size].map(u32::to_le_bytes).concat();
    let signed = [&0x0807_4b50_u32.to_le_bytes()[..], &sums].concat();
    for descriptor in [sums.clone(), signed.clone()] {
        assert_eq!(unpacked(&with(streamed(descriptor)).bytes()).tools.len(), 1);
    }
    for descriptor in [Vec::new(), vec![0; 12], [&signed[..8], &[0; 8]].concat()] {
        refused("descriptor", &with(streamed(descriptor)), "invalid_archive", "two different things");
    }
}

#[test]
fn damage_is_found() {
    refused("crc", &with(tool_file().with(|file| file.crc ^= 1)), "invalid_archive", "checksum");
    let named = problems(&with(tool_file().with(|file| file.crc ^= 1)).bytes());
    assert_eq!(named[0].file.as_deref(), Some(folder("get-weather_v1.json").as_str()));
    // A block of a kind that does not exist; a stream that ends early; one with bytes behind it.
    let content = tool_json().to_string();
    let broken = |data: Vec<u8>| {
        tool_file().with(|file| (file.packed, file.data) = (u32::try_from(data.len()).expect("short"), data))
    };
    let packed = compress_to_vec(content.as_bytes(), 9);
    for data in
        [vec![0x07; 40], packed[..packed.len() - 9].to_vec(), [&packed[..], &[0; 3]].concat(), Vec::new()]
    {
        refused("deflate", &with(broken(data)), "invalid_archive", "damaged");
    }
    let whole = good().bytes();
    for end in 0..whole.len() {
        let found = problems(&whole[..end]);
        assert_eq!(found[0].code, "invalid_archive", "cut at {end}: {found:#?}");
    }
    for directory_start in [0, 1, 5_000, u32::MAX - 1] {
        let zip = Zip { directory_start: Some(directory_start), ..good() };
        assert_eq!(problems(&zip.bytes())[0].code, "invalid_archive");
    }
    // More headers than there are, fewer than there are, none at all.
    for count in [0, 1, 3, 1_000] {
        assert_eq!(
            problems(&Zip { count: Some(count), ..good() }.bytes())[0].code,
            "invalid_archive",
            "{count}"
        );
    }
    let zip = Zip { count: Some(60_000), directory_size: Some(u32::MAX - 1), ..good() };
    refused("huge directory", &zip, "archive_too_large", "files and folders");
    let zip = Zip { directory_size: Some(u32::MAX - 1), ..good() };
    refused("directory", &zip, "invalid_archive", "damaged");
    for archive in [&b""[..], b"PK", b"{}", &[0; 22], b"PK\x05\x06"] {
        assert_eq!(problems(archive)[0].code, "invalid_archive");
    }
    // Nothing in it.
    refused("empty", &Zip::default(), "invalid_archive", "no bundle.json");
    let reply = countersign_toolbox::answer(wire::toolbox::Request::UnpackBundle {
        base64: "UEsFBg*".to_owned(),
        reserved: Vec::new(),
    });
    assert!(matches!(reply, Reply::Problems { problems } if problems[0].message == "not base64"));
}

/// An archive in an archive is a file that is no tool.
#[test]
fn nested_archives_are_refused() {
    let inner = good().bytes();
    refused("zip", &with(File::stored(&folder("inner.zip"), &inner)), "invalid_archive", "a file .json");
    refused("renamed", &with(File::stored(&folder("inner.json"), &inner)), "file_not_json", "not JSON");
    refused("alone", &Zip::of(vec![File::stored("inner.zip", &inner)]), "invalid_archive", "no bundle.json");
}

/// Depth is bounded by the parser, before a value is there.
#[test]
fn deep_json_is_refused() {
    for (open, close) in [("[", "]"), (r#"{"a":"#, "}")] {
        let bomb = [open.repeat(30_000), "1".to_owned(), close.repeat(30_000)].concat();
        for name in ["bundle.json", "a.json"] {
            let file = File::stored(&folder(name), bomb.as_bytes());
            let zip = if name == "a.json" { with(file) } else { Zip::of(vec![file, tool_file()]) };
            refused("depth", &zip, "file_not_json", "line 1 column");
        }
    }
    // A newer schema: kept as it is, but not as deep as it wants.
    let deep = ["[".repeat(100), "]".repeat(100)].concat();
    let text = format!(r#"{{"schemaVersion":"2027-01-01","slug":"a","version":"v1","new":{deep}}}"#);
    let found = problems(&with(File::stored(&folder("a.json"), text.as_bytes())).bytes());
    assert_eq!((found[0].code.as_str(), found[0].path.as_deref()), ("invalid_field", Some("/new")));
}

/// What is told is bounded too.
#[test]
fn problems_are_bounded() {
    let mut files = vec![bundle_file()];
    files.extend((0..500).map(|number| File::stored(&folder(&format!("{number}.json")), b"[]")));
    assert_eq!(problems(&Zip::of(files).bytes()).len(), 64);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(400) })]

    /// Any bytes: an answer, and never a panic.
    #[test]
    fn any_bytes_are_answered(bytes in proptest::collection::vec(any::<u8>(), 0..2_000)) {
        let is_answer = matches!(unpack_reply(&bytes), Reply::Problems { problems } if !problems.is_empty());
        prop_assert!(is_answer);
    }

    /// An archive with bytes changed, removed and repeated.
    #[test]
    fn changed_archives_are_answered(
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..6),
        cut in proptest::option::of((any::<prop::sample::Index>(), 0..40_usize)),
        again in proptest::option::of((any::<prop::sample::Index>(), any::<prop::sample::Index>(), 0..90_usize)),
    ) {
        let mut bytes = good().bytes();
        for (place, byte) in changes {
            let place = place.index(bytes.len());
            bytes[place] = byte;
        }
        if let Some((place, count)) = cut {
            let start = place.index(bytes.len());
            bytes.drain(start..bytes.len().min(start + count));
        }
        if let Some((from, to, count)) = again {
            let start = from.index(bytes.len());
            let part = bytes[start..bytes.len().min(start + count)].to_vec();
            let to = to.index(bytes.len());
            bytes.splice(to..to, part);
        }
        match unpack_reply(&bytes) {
            Reply::Unpacked(bundle) => prop_assert_eq!(bundle.bundle_id, BUNDLE),
            Reply::Problems { problems } => prop_assert!(!problems.is_empty()),
            other => prop_assert!(false, "{:?}", other),
        }
    }

    /// A directory whose fields are anything.
    #[test]
    fn any_headers_are_answered(
        flags in any::<u16>(), method in prop_oneof![Just(0), Just(8), any::<u16>()], attributes in any::<u32>(),
        packed in prop_oneof![0..300_u32, any::<u32>()], size in prop_oneof![0..3_000_u32, any::<u32>()],
        offset in proptest::option::of(prop_oneof![0..600_u32, any::<u32>()]),
        name in proptest::collection::vec(any::<u8>(), 0..40), extra in proptest::collection::vec(any::<u8>(), 0..40),
        data in proptest::collection::vec(any::<u8>(), 0..300),
        count in proptest::option::of(any::<u16>()), start in proptest::option::of(any::<u32>()),
    ) {
        let file = tool_file().with(|file| {
            (file.flags, file.method, file.attributes) = (flags & 0x0808, method, attributes);
            (file.packed, file.size, file.offset) = (packed, size, offset);
            (file.name, file.extra, file.crc, file.data) = (name, extra, crc(&data), data);
        });
        let zip = Zip { count, directory_start: start, ..with(file) };
        let reply = unpack_reply(&zip.bytes());
        let is_answer = matches!(reply, Reply::Unpacked(_) | Reply::Problems { .. });
        prop_assert!(is_answer);
    }
}
