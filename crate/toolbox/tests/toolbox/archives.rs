//! T002-82: bundles of tools as ZIP.

use crate::records::weather;
use crate::zips::{File, Zip, problems, unpacked};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use countersign_toolbox::answer;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use std::io::{Cursor, Read as _, Write as _};
use std::path::Path;
use std::process::Command;
use wire::archive::{FileProblem, PackedBundle};
use wire::toolbox::{Reply, Request};
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

pub(crate) const BUNDLE: &str = "018faf50-b7b6-7a01-9a05-a22a6e0af101";
const TOOL: &str = "019a0c3e-0d5c-7d5e-8a4b-3c1f5f3e2a10";
const OTHER: &str = "019a0c3e-0d5c-7d5e-8a4b-3c1f5f3e2a11";

/// A file in the folder of the bundle.
pub(crate) fn folder(name: &str) -> String {
    format!("weather_{BUNDLE}/{name}")
}

pub(crate) fn bundle_json() -> Value {
    json!({
        "id": BUNDLE, "slug": "weather", "displayName": "Weather", "description": "All about the sky.",
        "isEnabled": true, "isBuiltIn": false, "softDeletedAt": null,
        "createdAt": "2026-11-01T10:00:00.000Z", "modifiedAt": "2026-11-02T10:00:00.000Z",
    })
}

/// A tool as it is stored.
pub(crate) fn tool_json() -> Value {
    stored(TOOL, "get-weather", "v1", weather())
}

/// What the store has of a body.
fn stored(id: &str, slug: &str, version: &str, body: Value) -> Value {
    let reply = answer(Request::CheckTool {
        bundle_id: BUNDLE.to_owned(),
        slug: slug.to_owned(),
        version: version.to_owned(),
        body,
        functions: vec!["get_address_book".to_owned()],
        reserved: Vec::new(),
    });
    let Reply::Tool(tool) = reply else { panic!("{reply:#?}") };
    let mut record = tool.record;
    // A stored record has neither.
    record.remove("isEnabled");
    record.remove("isBuiltIn");
    for (name, value) in
        [("id", id), ("createdAt", "2026-11-03T10:00:00.000Z"), ("modifiedAt", "2026-11-03T10:00:00.000Z")]
    {
        record.insert(name.to_owned(), value.into());
    }
    record.into()
}

fn pack_reply(bundle: &Value, tools: &[Value]) -> Reply {
    let lines: Vec<String> = tools.iter().map(Value::to_string).collect();
    answer(Request::PackBundle { bundle: bundle.to_string(), tools: lines.join("\n") })
}

fn packed(tools: &[Value]) -> PackedBundle {
    match pack_reply(&bundle_json(), tools) {
        Reply::Packed(packed) => packed,
        other => panic!("was not packed: {other:#?}"),
    }
}

fn bytes(packed: &PackedBundle) -> Vec<u8> {
    STANDARD.decode(&packed.base64).expect("base64")
}

/// The files of an archive, read by another library.
fn files(archive: &[u8]) -> BTreeMap<String, Value> {
    let mut archive = ZipArchive::new(Cursor::new(archive)).expect("a ZIP");
    let mut files = BTreeMap::new();
    for index in 0..archive.len() {
        let mut file = archive.by_index(index).expect("a file");
        let mut text = String::new();
        file.read_to_string(&mut text).expect("text");
        let name = file.name().expect("a name").into_owned();
        files.insert(name, serde_json::from_str(&text).expect("JSON"));
    }
    files
}

/// The record as it arrives: without what the store adds, switched off.
fn arriving(mut record: Value) -> Value {
    let fields = record.as_object_mut().expect("an object");
    for name in ["id", "createdAt", "modifiedAt"] {
        fields.remove(name);
    }
    for name in ["isEnabled", "isBuiltIn"] {
        fields.insert(name.to_owned(), false.into());
    }
    record
}

/// The record as it is written.
fn exported(mut record: Value) -> Value {
    for name in ["isEnabled", "isBuiltIn"] {
        record[name] = json!(false);
    }
    record
}

fn records(archive: &[u8]) -> Vec<Value> {
    let tools = unpacked(archive).tools;
    tools.iter().map(|tool| serde_json::from_str(&tool.record).expect("JSON")).collect()
}

/// The archive of a bundle and some tools, by our own builder.
fn archive(tools: &[(&str, Value)]) -> Vec<u8> {
    let mut files = vec![File::stored(&folder("bundle.json"), bundle_json().to_string().as_bytes())];
    files.extend(tools.iter().map(|(name, tool)| File::deflated(&folder(name), tool.to_string().as_bytes())));
    Zip::of(files).bytes()
}

fn short(problems: &[FileProblem]) -> Vec<(&str, &str, &str)> {
    problems
        .iter()
        .map(|problem| {
            let file = problem.file.as_deref().unwrap_or_default();
            let file = file.rsplit('/').next().unwrap_or_default();
            (problem.code.as_str(), file, problem.path.as_deref().unwrap_or_default())
        })
        .collect()
}

/// T002-75: one folder, `bundle.json`, and a tool.json for each tool with every field of specification 002.
#[test]
fn a_bundle_is_written_as_flat_files() {
    let local = json!({
        "displayName": "Contacts", "description": "Lists contacts.", "type": "go",
        "argSchema": {"type": "object"}, "impl": {"goFunc": "get_address_book"},
    });
    let tools = [tool_json(), stored(OTHER, "list-contacts", "2.0", local)];
    let packed = packed(&tools);
    assert_eq!(
        (packed.file_name.as_str(), &packed.warnings),
        (&*format!("weather_{BUNDLE}.zip"), &Vec::new())
    );
    let files = files(&bytes(&packed));
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    let (first, second) =
        (folder(&format!("get-weather_v1_{TOOL}.json")), folder(&format!("list-contacts_2.0_{OTHER}.json")));
    assert_eq!(names, [folder("bundle.json").as_str(), &first, &second]);
    assert_eq!(
        files[&folder("bundle.json")],
        json!({
            "schemaVersion": "2026-11-01", "id": BUNDLE, "slug": "weather", "displayName": "Weather",
            "description": "All about the sky.", "isEnabled": true,
            "createdAt": "2026-11-01T10:00:00.000Z", "modifiedAt": "2026-11-02T10:00:00.000Z",
        })
    );
    let expected = exported(tool_json());
    assert_eq!(files[&first], expected);
    for field in [
        "schemaVersion",
        "bundleID",
        "slug",
        "version",
        "displayName",
        "description",
        "type",
        "isEnabled",
        "isBuiltIn",
        "argSchema",
        "outputSchema",
        "impl",
        "createdAt",
        "modifiedAt",
    ] {
        assert!(files[&first].get(field).is_some(), "{field}");
    }
    // And back.
    let bundle = unpacked(&bytes(&packed));
    assert_eq!(bundle.bundle_id, BUNDLE);
    assert_eq!(
        Value::from(bundle.bundle),
        json!({"slug": "weather", "displayName": "Weather", "description": "All about the sky.", "isEnabled": true})
    );
    assert_eq!(bundle.tools.iter().map(|tool| &tool.file).collect::<Vec<_>>(), [&first, &second]);
    assert_eq!(records(&bytes(&packed)), tools.map(arriving));
}

/// The same bundle gives the same bytes, in any order its tools come.
#[test]
fn archives_are_reproducible() {
    let tools = [tool_json(), stored(OTHER, "a", "v1", weather())];
    let turned = [tools[1].clone(), tools[0].clone()];
    assert_eq!(packed(&tools), packed(&turned));
    assert_eq!(packed(&[]).base64, packed(&[]).base64);
    assert!(unpacked(&bytes(&packed(&[]))).tools.is_empty());
}

/// What belongs to this installation, and what is computed, is not written.
#[test]
fn nothing_of_this_installation_is_written() {
    let mut tool = tool_json();
    tool["isEnabled"] = json!(true);
    tool["metrics"] = json!({"callCount": 7});
    tool["effective"] = json!({"isCallable": true});
    let expected = exported(tool_json());
    let files = files(&bytes(&packed(&[tool])));
    assert_eq!(files[&folder(&format!("get-weather_v1_{TOOL}.json"))], expected);
}

/// Slugs of all letters, of two cases and of 256 bytes have names that every file system can hold and tell apart.
#[test]
fn names_of_files_are_safe() {
    let slugs =
        ["Weather", "weather", "wetter-für-köln", "天气", "-rf", "CON", &"é".repeat(64), &"x".repeat(64)];
    let id = |index: usize| format!("019a0c3e-0d5c-7d5e-8a4b-3c1f5f3e2b{index:02}");
    let tools: Vec<Value> =
        slugs.iter().enumerate().map(|(index, slug)| stored(&id(index), slug, "1..ä.", weather())).collect();
    let archive = bytes(&packed(&tools));
    let files = files(&archive);
    assert_eq!(files.len(), slugs.len() + 1);
    let mut folded: Vec<String> = files.keys().map(|name| name.to_lowercase()).collect();
    folded.dedup();
    assert_eq!(folded.len(), files.len());
    for name in files.keys() {
        let (_, name) = name.split_once('/').expect("a folder");
        assert!(name.len() < 128 && name.starts_with(|first: char| first.is_ascii_alphanumeric()), "{name}");
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        assert!(name.bytes().all(plain), "{name}");
    }
    let mut found: Vec<Value> = records(&archive);
    found.sort_by_key(|record| slugs.iter().position(|slug| record["slug"] == *slug));
    assert_eq!(found, tools.into_iter().map(arriving).collect::<Vec<_>>());
}

/// What is written can be read: a schema of blanks is denser than is inflated, and is stored instead.
#[test]
fn what_is_written_can_be_read() {
    let mut body = weather();
    let pattern: String = " ".repeat(63 << 10);
    body["argSchema"]["properties"]["city"]["description"] = pattern.clone().into();
    body["outputSchema"] = json!({"description": pattern});
    let tool = stored(TOOL, "get-weather", "v1", body);
    assert_eq!(records(&bytes(&packed(std::slice::from_ref(&tool)))), [arriving(tool)]);
    // One that could not be read is not written.
    let mut long = tool_json();
    long["impl"]["bodyTemplate"] = "x".repeat(600 << 10).into();
    let Reply::Problems { problems } = pack_reply(&bundle_json(), &[long]) else { panic!("was packed") };
    assert_eq!(short(&problems), [("archive_too_large", &*format!("get-weather_v1_{TOOL}.json"), "")]);
    let many: Vec<Value> = (0..1_024)
        .map(|number| {
            let mut tool = tool_json();
            tool["id"] = format!("019a0c3e-0d5c-7d5e-8a4b-3c1f5f3e{number:04x}").into();
            tool["version"] = format!("{number}").into();
            tool
        })
        .collect();
    let Reply::Problems { problems } = pack_reply(&bundle_json(), &many) else { panic!("was packed") };
    assert_eq!(short(&problems), [("archive_too_large", "", "")]);
    assert_eq!(records(&bytes(&packed(&many[..1_000]))).len(), 1_000);
}

/// What is no store's own text is no request.
#[test]
fn other_texts_are_not_packed() {
    let mut no_id = tool_json();
    no_id["id"] = json!("../x");
    for (bundle, tools) in [
        (json!(1), vec![]),
        (json!({"slug": "a"}), vec![]),
        (bundle_json(), vec![json!([])]),
        (bundle_json(), vec![no_id]),
        (bundle_json(), vec![tool_json(), tool_json()]),
    ] {
        let reply = pack_reply(&bundle, &tools);
        assert!(matches!(&reply, Reply::Refused(error) if error.code == "malformed_request"), "{reply:?}");
    }
}

/// T002-82: values of secrets are never in a record; what looks like one all the same is told, and not repeated.
#[test]
fn literal_secrets_are_told() {
    let warned = |change: &dyn Fn(&mut Value)| {
        let mut tool = tool_json();
        change(&mut tool);
        let warnings = packed(&[tool]).warnings;
        for warning in &warnings {
            assert_eq!(warning.code, "literal_secret");
            assert!(!warning.message.contains("s3cr3t"), "{warning:?}");
            assert_eq!(
                warning.file.as_deref(),
                Some(folder(&format!("get-weather_v1_{TOOL}.json")).as_str())
            );
        }
        warnings.into_iter().filter_map(|warning| warning.path).collect::<Vec<_>>()
    };
    let set = |place: &str, value: Value| {
        let (parent, name) = place.rsplit_once('/').expect("a pointer");
        warned(&|tool| {
            let parent = tool.pointer_mut(parent).and_then(Value::as_object_mut).expect("an object");
            parent.insert(name.to_owned(), value.clone());
        })
    };
    let url = "/impl/urlTemplate";
    for (place, value) in [
        ("/impl/headers/Authorization", "Bearer s3cr3t"),
        ("/impl/headers/authorization", "Basic dXNlcjpwYXNz"),
        ("/impl/headers/X-Api-Key", "s3cr3t"),
        ("/impl/headers/X-Other", "sk-abcdefghijklmnopqrstuvwx"),
        ("/impl/headers/X-Signed", "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.x"),
        (url, "https://a.org/?q=${city}&key=s3cr3t"),
        (url, "https://a.org/?access_token=s3cr3t"),
        (url, "https://user:s3cr3t@a.org/"),
        (url, "https://s3cr3t@a.org/"),
        (url, "https://a.org/hook/xoxb-1234567890-abc"),
        ("/impl/bodyTemplate", r#"{"q": "${city}", "password" : "s3cr3t"}"#),
        ("/impl/bodyTemplate", "q=${city}&client_secret=s3cr3t"),
        ("/description", "Call it with AKIAABCDEFGHIJKLMNOP."),
    ] {
        assert_eq!(set(place, value.into()), [place], "{value}");
    }
    assert_eq!(
        set("/argSchema/properties/apiKey", json!({"type": "string", "default": "s3cr3t"}))[..],
        ["/argSchema/properties/apiKey/default"]
    );
    assert_eq!(set("/impl/auth", json!({"type": "bearer", "token": "s3cr3t"})), ["/impl/auth/token"]);
    assert_eq!(set("/impl/steps", json!([{"args": {"token": "s3cr3t"}}])), ["/impl/steps/0/args/token"]);
    for (place, value) in [
        ("/impl/headers/Authorization", json!("Bearer ${API_KEY}")),
        ("/impl/headers/X-Api-Key", json!("${key}")),
        ("/impl/headers/X-Max-Tokens", json!("100")),
        ("/impl/headers/Accept", json!("application/json")),
        (url, json!("https://a.org/?key=${KEY}&q=monkey&token=")),
        (url, json!("https://${USER}:${PASSWORD}@a.org/@x")),
        ("/impl/bodyTemplate", json!(r#"{"token": "${TOKEN}", "key": "${key}", "monkey": "x"}"#)),
        ("/impl/auth", json!({"type": "oauth2", "tokenUrl": "https://a.org/token", "clientId": "x"})),
        ("/argSchema/properties/token", json!({"type": "string", "description": "The token"})),
        ("/description", json!("Uses basic authentication. A bearer token is needed: password=x")),
    ] {
        assert_eq!(set(place, value.clone()), Vec::<String>::new(), "{value}");
    }
}

/// T002-82: everything that is wrong is told at once, with file and place.
#[test]
fn an_import_is_validated_whole() {
    let with = |name: &str, value: Value| {
        let mut tool = tool_json();
        tool[name] = value;
        tool
    };
    let archive = archive(&[
        ("a.json", with("type", json!("wasm"))),
        ("b.json", with("impl", json!({"urlTemplate": "ftp://a.org", "headers": {"Cookie": "x"}}))),
        ("c.json", with("slug", json!("add-coin"))),
        ("d.json", with("isBuiltIn", json!(true))),
        ("e.json", with("bundleID", json!("018faf50-b7b6-7a01-9a05-a22a6e0af102"))),
        ("f.json", with("schemaVersion", json!("xyz"))),
        ("g.json", json!([])),
        ("h.json", json!({"version": 7})),
        ("i.txt", tool_json()),
        ("sub/j.json", tool_json()),
        ("k.json", with("slug", json!("a_b"))),
        ("l.json", with("version", json!("v2"))),
        ("m.JSON", with("version", json!("v2"))),
    ]);
    let found = problems(&archive);
    let found = short(&found);
    assert_eq!(
        found,
        [
            ("invalid_field", "a.json", "/type"),
            ("invalid_url", "b.json", "/impl/urlTemplate"),
            ("forbidden_header", "b.json", "/impl/headers/Cookie"),
            ("invalid_field", "d.json", "/isBuiltIn"),
            ("invalid_field", "e.json", "/bundleID"),
            ("invalid_field", "f.json", "/schemaVersion"),
            ("invalid_field", "g.json", ""),
            ("missing_field", "h.json", "/slug"),
            ("invalid_field", "h.json", "/version"),
            ("invalid_archive", "i.txt", ""),
            ("invalid_field", "k.json", "/slug"),
            ("same_tool", "m.JSON", ""),
            ("invalid_archive", "j.json", ""),
            ("name_taken", "c.json", "/slug"),
        ]
    );
}

/// The same pair of slug and version in two spellings of Unicode is the same pair.
#[test]
fn pairs_are_compared_normalised() {
    let mut tools = [tool_json(), tool_json()];
    tools[0]["slug"] = json!("café");
    tools[1]["slug"] = json!("cafe\u{301}");
    let [one, two] = tools;
    let found = problems(&archive(&[("a.json", one), ("b.json", two)]));
    assert_eq!(short(&found), [("same_tool", "b.json", "")]);
    assert!(found[0].message.contains("a.json"), "{found:?}");
}

/// The bundle's own file has the rules of a PUT.
#[test]
fn the_bundle_is_checked() {
    let of =
        |bundle: Value| Zip::of(vec![File::stored("bundle.json", bundle.to_string().as_bytes())]).bytes();
    let with = |name: &str, value: Value| {
        let mut bundle = bundle_json();
        bundle[name] = value;
        of(bundle)
    };
    for (archive, code, path) in [
        (with("id", json!("x")), "invalid_id", "/id"),
        (with("id", json!(null)), "invalid_id", "/id"),
        (with("slug", json!("a b")), "invalid_field", "/slug"),
        (with("displayName", json!(null)), "missing_field", "/displayName"),
        (with("isBuiltIn", json!(true)), "invalid_field", "/isBuiltIn"),
    ] {
        assert_eq!(short(&problems(&archive)), [(code, "bundle.json", path)]);
    }
    // In the root, by its other name, in capitals.
    let mut bundle = bundle_json();
    bundle["bundleID"] = BUNDLE.to_uppercase().into();
    bundle.as_object_mut().expect("an object").remove("id");
    let mut tool = tool_json();
    tool["bundleID"] = BUNDLE.to_uppercase().into();
    let archive = Zip::of(vec![
        File::stored("bundle.json", bundle.to_string().as_bytes()),
        File::stored("weather_v1.json", [b"\xef\xbb\xbf", tool.to_string().as_bytes()].concat().as_slice()),
    ]);
    let found = unpacked(&archive.bytes());
    assert_eq!((found.bundle_id.as_str(), found.tools.len()), (BUNDLE, 1));
    assert_eq!(records(&archive.bytes()), [arriving(tool_json())]);
}

/// T002-2: `go` is the local type, and a function that there is not is kept.
#[test]
fn unknown_functions_are_kept() {
    let tool = json!({
        "schemaVersion": "2026-11-01", "slug": "report", "version": "v2", "displayName": "Report",
        "description": "Use when it rains.", "type": "go", "isEnabled": true, "argSchema": {"type": "object"},
        "impl": {"goFunc": "github.com/acme/agent/tools.Weather"},
    });
    let found = records(&archive(&[("report_v2.json", tool)]));
    assert_eq!(
        (&found[0]["type"], &found[0]["impl"], &found[0]["isEnabled"]),
        (&json!("local"), &json!({"goFunc": "github.com/acme/agent/tools.Weather"}), &json!(false))
    );
}

/// T002-15: a record of a newer version is as it was, but for what the store says itself.
#[test]
fn newer_records_are_kept() {
    let newer = json!({
        "schemaVersion": "2027-02-01", "id": TOOL, "bundleID": BUNDLE, "slug": "cafe\u{301}", "version": "v9",
        "type": "quantum", "impl": {"qubits": [1, {"a": null}]}, "isEnabled": true, "displayName": 7, "new": true,
        "metrics": {}, "effective": {}, "name": "x", "createdAt": "2027-01-01T00:00:00.000Z",
    });
    assert_eq!(
        records(&archive(&[("a.json", newer.clone())])),
        [json!({
            "schemaVersion": "2027-02-01", "bundleID": BUNDLE, "slug": "café", "version": "v9", "type": "quantum",
            "impl": {"qubits": [1, {"a": null}]}, "isEnabled": false, "isBuiltIn": false, "displayName": 7, "new": true,
            "name": "x",
        })]
    );
    for (name, value, code, path) in [
        ("slug", json!("a_b"), "invalid_field", "/slug"),
        ("slug", json!("add-coin"), "name_taken", "/slug"),
        ("version", json!(""), "invalid_field", "/version"),
        ("isBuiltIn", json!(true), "invalid_field", "/isBuiltIn"),
        ("schemaVersion", json!("2027-02-01x"), "invalid_field", "/schemaVersion"),
    ] {
        let mut newer = newer.clone();
        newer[name] = value;
        let found = problems(&archive(&[("a.json", newer)]));
        assert!(short(&found).contains(&(code, "a.json", path)), "{found:#?}");
    }
    // It goes out again as it is.
    let mut kept = newer;
    kept["isBuiltIn"] = json!(false);
    for name in ["metrics", "effective", "name"] {
        kept.as_object_mut().expect("an object").remove(name);
    }
    kept["isEnabled"] = json!(false);
    let files = files(&bytes(&packed(std::slice::from_ref(&kept))));
    assert_eq!(files[&folder(&format!("cafe_v9_{TOOL}.json"))], kept);
}

/// Archives that other programs wrote, of one bundle with two tools; see `tests/archives/README.md`.
#[test]
fn archives_of_other_programs_are_read() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/archives");
    let mut count = 0;
    for file in std::fs::read_dir(&folder).expect("a folder") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|extension| extension != "zip") {
            continue;
        }
        let archive = std::fs::read(&path).expect("a file");
        let bundle = unpacked(&archive);
        assert_eq!(bundle.bundle_id, "018faf50-b7b6-7a01-9a05-a22a6e0af101", "{}", path.display());
        let slugs: Vec<Value> = records(&archive).iter().map(|record| record["slug"].clone()).collect();
        assert_eq!(slugs, ["forecast", "weather"], "{}", path.display());
        count += 1;
    }
    assert_eq!(count, 6);
}

/// Written by the `zip` crate, with folders, with comments, stored and deflated.
#[test]
fn archives_of_another_library_are_read() {
    for method in [CompressionMethod::Stored, CompressionMethod::Deflated] {
        let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
        let options = SimpleFileOptions::default().compression_method(method).unix_permissions(0o755);
        writer.add_directory(folder(""), options).expect("a folder");
        for (name, content) in [("bundle.json", bundle_json()), ("a.json", tool_json())] {
            writer.start_file(folder(name), options).expect("a file");
            writer.write_all(content.to_string().as_bytes()).expect("content");
        }
        writer.set_comment("made by another").expect("a comment");
        let archive = writer.finish().expect("an archive").into_inner();
        assert_eq!(records(&archive), [arriving(tool_json())], "{method:?}");
    }
}

/// Python's zipfile and Info-ZIP read what is written, where they are installed.
#[test]
fn other_programs_read_archives() {
    let archive = bytes(&packed(&[tool_json(), stored(OTHER, "wetter-köln", "v1", weather())]));
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("archive-{}.zip", std::process::id()));
    std::fs::write(&path, &archive).expect("written");
    let script = "import json,sys,zipfile; z=zipfile.ZipFile(sys.argv[1]); assert z.testzip() is None; \
                  print(json.dumps({n: json.loads(z.read(n)) for n in z.namelist()}))";
    let programs: [(&str, &[&str]); 2] = [("python3", &["-c", script]), ("unzip", &["-tqq"])];
    for (program, arguments) in programs {
        match Command::new(program).args(arguments).arg(&path).output() {
            Ok(output) => {
                assert!(output.status.success(), "{program}: {output:?}");
                if program == "python3" {
                    let found: Map<String, Value> = serde_json::from_slice(&output.stdout).expect("JSON");
                    assert_eq!(found.into_iter().collect::<BTreeMap<_, _>>(), files(&archive));
                }
            }
            Err(error) => eprintln!("{program} is not there: {error}"),
        }
    }
    std::fs::remove_file(path).expect("removed");
}
