//! Lists, search and effective states, as the core asks for them.

use super::*;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::collections::BTreeSet;

const BUNDLE: &str = "019a0000-0000-7000-8000-00000000000b";

/// A record of which only what is said differs from the others.
fn record(slug: &str, fields: Value) -> Value {
    let mut record = json!({
        "schemaVersion": crate::record::SCHEMA_VERSION, "id": format!("id-{slug}"), "bundleID": BUNDLE, "slug": slug,
        "version": "v1", "displayName": "Untitled", "description": "", "tags": [], "type": "http", "impl": {},
        "isEnabled": true, "createdAt": "2026-01-01T00:00:00.000Z", "modifiedAt": "2026-01-01T00:00:00.000Z",
    });
    record.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
    record
}

fn document(record: &Value) -> String {
    let reply = documents(&record.to_string()).unwrap();
    let IndexReply::Documents { mut documents } = reply else { panic!("{reply:?}") };
    documents.pop().unwrap().text
}

fn bundle(id: &str, created_at: u64) -> String {
    to_text(&BundleRow {
        id: id.to_owned(),
        slug: "tools".to_owned(),
        display_name: "Tools".to_owned(),
        description: String::new(),
        created_at,
        modified_at: created_at,
        soft_deleted_at: None,
    })
}

/// An index whose stamp is `1`.
fn index(records: &[Value]) -> Index {
    let mut index = Index::default();
    let tools = records.iter().map(document).collect::<Vec<_>>().join("\n");
    update(
        &mut index,
        None,
        "1",
        IndexChange { tools, bundles: bundle(BUNDLE, 5), ..IndexChange::default() },
    );
    index
}

fn update(index: &mut Index, from: Option<&str>, to: &str, change: IndexChange) {
    let request = IndexRequest::Update { from: from.map(str::to_owned), to: to.to_owned(), change };
    assert_eq!(index.answer(request), Ok(IndexReply::Updated {}));
}

fn find(index: &mut Index, find: Find) -> IndexReply {
    let at = index.stamp.clone().unwrap();
    index.answer(IndexRequest::Find { at, hosts: vec!["a.example".to_owned()], find }).unwrap()
}

/// The tools that are found, and the token for the next ones.
fn tools(index: &mut Index, what: Find) -> (Vec<IndexedTool>, Option<String>) {
    match find(index, what) {
        IndexReply::Tools { tools, next } => (tools, next),
        other => panic!("{other:?}"),
    }
}

fn ids(tools: &[IndexedTool]) -> Vec<&str> {
    tools.iter().map(|tool| tool.id.as_str()).collect()
}

fn search(index: &mut Index, q: &str) -> Vec<String> {
    let (tools, next) = tools(index, Find::Search { query: format!("q={q}&pageSize=256") });
    assert_eq!(next, None);
    tools.into_iter().map(|tool| tool.id).collect()
}

fn at(day: u8) -> String {
    format!("2026-02-{day:02}T00:00:00.000Z")
}

/// T002-63: prefix before whole word before fuzzy, whatever is newer; within a class the newer first, then the id.
#[test]
fn wea_is_ranked_by_class_then_recency() {
    let tool = |slug: &str, day: u8, fields: Value| {
        let mut record = record(slug, fields);
        record["modifiedAt"] = json!(at(day));
        record
    };
    let mut index = index(&[
        tool("weather-old", 1, json!({})),
        tool("name", 2, json!({"displayName": "Wea thing"})),
        tool("forecast", 9, json!({"displayName": "Weather in Köln"})),
        tool("whole-tag", 10, json!({"tags": ["wea"]})),
        tool("whole-word", 11, json!({"description": "The WEA of a wind farm."})),
        tool("word-prefix", 12, json!({"description": "Tells the weather."})),
        tool("substring", 13, json!({"displayName": "Sweater"})),
        tool("slug-word-wealth", 14, json!({})),
        tool("twin-b", 3, json!({"displayName": "weal"})),
        tool("twin-a", 3, json!({"displayName": "weal"})),
        tool("neither", 20, json!({"description": "We ate."})),
    ]);
    let expected = [
        // Prefix.
        "forecast",
        "twin-a",
        "twin-b",
        "name",
        "weather-old",
        // Whole word.
        "whole-word",
        "whole-tag",
        // Fuzzy.
        "slug-word-wealth",
        "substring",
        "word-prefix",
    ];
    assert_eq!(search(&mut index, "wea"), expected.map(|slug| format!("id-{slug}")));
}

/// T002-63: case, composition and separators make no difference; every word must be found; a slip of the hand is forgiven.
#[test]
fn words_of_any_script_are_found() {
    let mut index = index(&[
        record("get-weather", json!({"displayName": "Weather report", "description": "For a city"})),
        record("wetter", json!({"displayName": "Straßenwetter für Köln"})),
        record("tenki", json!({"displayName": "天気予報"})),
    ]);
    let mut found = |q: &str| search(&mut index, q);
    for q in ["get_weather", "GET WEA", "get-weather", "weather+report", "weathre", "repotr", "city+weather"]
    {
        assert_eq!(found(q), ["id-get-weather"], "{q}");
    }
    for q in ["STRASSEN", "ko%CC%88ln", "wetter+K%C3%B6ln", "f%C3%BCr"] {
        assert_eq!(found(q), ["id-wetter"], "{q}");
    }
    assert_eq!(found("%E4%BA%88%E5%A0%B1"), ["id-tenki"]);
    for q in ["weather+köln", "!!!", "xyz", "cty"] {
        assert_eq!(found(q), [""; 0], "{q}");
    }
}

/// T002-64: what is switched off, itself or by its bundle, is in no page unless it is asked for.
#[test]
fn disabled_rows_are_left_out() {
    let mut index = index(&[record("one", json!({})), record("two", json!({}))]);
    let off = |id: &str| IndexChange { disabled: vec![id.to_owned()], ..IndexChange::default() };
    update(&mut index, Some("1"), "2", off("id-one"));
    let mut listed = |query: &str| {
        let (list, _) = tools(&mut index, Find::List { query: query.to_owned() });
        let (found, _) = tools(&mut index, Find::Search { query: format!("q=untitled&{query}") });
        assert_eq!(ids(&list).len(), ids(&found).len());
        ids(&list).iter().map(|id| (*id).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(listed(""), ["id-two"]);
    assert_eq!(listed("includeDisabled=true"), ["id-one", "id-two"]);
    update(&mut index, Some("2"), "3", off(BUNDLE));
    let (list, _) = tools(&mut index, Find::List { query: String::new() });
    assert_eq!(ids(&list), [""; 0]);
    let IndexReply::Bundles { bundles, .. } = find(&mut index, Find::Bundles { query: String::new() }) else {
        panic!()
    };
    assert_eq!(bundles, [""; 0]);
    update(
        &mut index,
        Some("3"),
        "4",
        IndexChange { enabled: vec![BUNDLE.to_owned()], ..IndexChange::default() },
    );
    let (list, _) = tools(&mut index, Find::List { query: String::new() });
    assert_eq!(ids(&list), ["id-two"]);
}

/// T002-55: tags are any-of, bundles are a filter; newest first, then by id; a version is a label, not a number.
#[test]
fn lists_are_filtered_and_in_order() {
    let mut index = index(&[
        record("a", json!({"tags": ["x", "y"], "createdAt": at(1), "version": "v10"})),
        record("b", json!({"tags": ["y"], "createdAt": at(3), "version": "v2"})),
        record("c", json!({"tags": ["z"], "createdAt": at(2)})),
        record("d", json!({"createdAt": at(3)})),
    ]);
    let mut listed =
        |query: &str| ids(&tools(&mut index, Find::List { query: query.to_owned() }).0).join(" ");
    assert_eq!(listed(""), "id-b id-d id-c id-a");
    assert_eq!(listed("tags=x,z"), "id-c id-a");
    assert_eq!(listed("tags=y"), "id-b id-a");
    assert_eq!(listed("bundleIDs=other"), "");
    assert_eq!(listed(&format!("bundleIDs=other,{}", BUNDLE.to_uppercase())), "id-b id-d id-c id-a");
}

/// T002-13, T002-15: why a tool cannot be called follows from what there is, in a fixed order, and is gone with its cause.
#[test]
fn effective_state_is_computed() {
    let built_in = record("get-book", json!({"id": "built-in", "impl": {"goFunc": "get_book"}}));
    let records = [
        record("fine", json!({"impl": {"goFunc": "get_book"}})),
        record("gone", json!({"impl": {"goFunc": "no_such"}, "dependsOn": ["nothing"]})),
        record("later", json!({"schemaVersion": "2027-01-01", "impl": {"goFunc": "no_such"}})),
        record("needs-nothing", json!({"dependsOn": ["gone", "nothing"]})),
        record("needs-gone", json!({"dependsOn": ["gone"]})),
        record("needs-needs", json!({"dependsOn": ["needs_gone"]})),
        record("circle-a", json!({"dependsOn": ["circle_b"]})),
        record("circle-b", json!({"dependsOn": ["circle_a"]})),
        record("deleted", json!({"bundleID": "other"})),
        record("allowed", json!({"impl": {"urlTemplate": "https://a.example/${x}"}})),
        record("elsewhere", json!({"impl": {"urlTemplate": "https://b.example/"}})),
        record("anywhere", json!({"impl": {"urlTemplate": "https://${host}/"}})),
    ];
    let mut index = Index::default();
    let change = IndexChange {
        built_in: built_in.to_string(),
        tools: records.iter().map(document).collect::<Vec<_>>().join("\n"),
        bundles: bundle(BUNDLE, 1),
        ..IndexChange::default()
    };
    update(&mut index, None, "1", change.clone());
    let reasons = |index: &mut Index| -> Vec<(String, String)> {
        let keys: Vec<String> = index.by_key.keys().cloned().collect();
        let mut reasons = Vec::new();
        for key in keys {
            let tool = tools(index, Find::Tool { key }).0.pop().unwrap();
            reasons.extend(tool.reason.map(|reason| (tool.id, reason)));
        }
        reasons.sort();
        reasons
    };
    let expected = [
        ("id-deleted", "bundle_deleted"),
        ("id-elsewhere", "host_not_allowed"),
        ("id-gone", "implementation_missing"),
        ("id-later", "newer_schema"),
        ("id-needs-gone", "dependency_disabled"),
        ("id-needs-needs", "dependency_disabled"),
        ("id-needs-nothing", "dependency_missing"),
    ];
    assert_eq!(reasons(&mut index), expected.map(|(id, reason)| (id.to_owned(), reason.to_owned())));
    let switched =
        IndexChange { disabled: vec!["id-gone".to_owned(), "id-fine".to_owned()], ..IndexChange::default() };
    update(&mut index, Some("1"), "2", switched);
    let found = reasons(&mut index);
    assert!(found.contains(&("id-gone".to_owned(), "tool_disabled".to_owned())), "{found:?}");
    assert!(found.contains(&("id-fine".to_owned(), "tool_disabled".to_owned())), "{found:?}");
    // A version of the extension that has what was missing: nothing was written, and the tools are back.
    let function = record("nothing", json!({"id": "new", "impl": {"goFunc": "no_such"}}));
    let built_in = format!("{built_in}\n{function}");
    update(&mut index, None, "3", IndexChange { built_in, ..change });
    let left = [
        ("id-deleted", "bundle_deleted"),
        ("id-elsewhere", "host_not_allowed"),
        ("id-later", "newer_schema"),
    ];
    assert_eq!(reasons(&mut index), left.map(|(id, reason)| (id.to_owned(), reason.to_owned())));
}

/// Of several tools of one name the newest that can be called is the one.
#[test]
fn a_name_is_the_newest_callable() {
    let mut index = index(&[
        record("same", json!({"id": "old", "createdAt": at(1)})),
        record("same", json!({"id": "new", "version": "v2", "createdAt": at(2)})),
        record("same", json!({"id": "newest", "version": "v3", "createdAt": at(3)})),
        record("other", json!({"id": "other", "createdAt": at(4)})),
    ]);
    let off = IndexChange { disabled: vec!["newest".to_owned()], ..IndexChange::default() };
    update(&mut index, Some("1"), "2", off);
    assert_eq!(ids(&tools(&mut index, Find::Named { name: "same".to_owned() }).0), ["new", "old", "newest"]);
    assert_eq!(ids(&tools(&mut index, Find::Callable {}).0), ["other", "new"]);
    assert_eq!(ids(&tools(&mut index, Find::Named { name: "none".to_owned() }).0), [""; 0]);
}

#[test]
fn another_state_is_stale() {
    let mut index = index(&[]);
    let ask = |at: &str| IndexRequest::Find { at: at.to_owned(), hosts: Vec::new(), find: Find::Callable {} };
    assert_eq!(index.answer(ask("2")), Ok(IndexReply::Stale {}));
    let patch = IndexRequest::Update {
        from: Some("7".to_owned()),
        to: "8".to_owned(),
        change: IndexChange::default(),
    };
    assert_eq!(index.answer(patch), Ok(IndexReply::Stale {}));
    assert!(matches!(index.answer(ask("1")), Ok(IndexReply::Tools { .. })));
    // One that cannot be read leaves no index.
    let change = IndexChange { tools: "nonsense".to_owned(), ..IndexChange::default() };
    let broken = IndexRequest::Update { from: Some("1".to_owned()), to: "2".to_owned(), change };
    assert_eq!(index.answer(broken).unwrap_err().code(), "corrupt_record");
    assert_eq!(index.answer(ask("1")), Ok(IndexReply::Stale {}));
}

#[test]
fn a_record_is_stored_without_its_switch() {
    let record = record("off", json!({"isEnabled": false, "isBuiltIn": true}));
    let IndexReply::Documents { documents } = documents(&record.to_string()).unwrap() else { panic!() };
    let [made] = documents.as_slice() else { panic!() };
    assert!(!made.is_enabled && !made.record.contains("isEnabled") && !made.record.contains("isBuiltIn"));
    assert_eq!((made.name.as_str(), made.key.as_str()), ("off", &*format!("{BUNDLE}/off/v1")));
}

/// What happens between two pages.
#[derive(Debug, Clone)]
enum Between {
    Put { day: u8 },
    Delete { number: usize },
    Switch { number: usize },
}

fn between() -> impl Strategy<Value = Between> {
    prop_oneof![
        (0_u8..4).prop_map(|day| Between::Put { day }),
        (0_usize..40).prop_map(|number| Between::Delete { number }),
        (0_usize..40).prop_map(|number| Between::Switch { number }),
    ]
}

/// The tool of a number. No number is used twice, as no id is.
fn numbered(number: usize, day: u8) -> Value {
    let time = at(day + 1);
    // Before and after those that were there, by id.
    let id = format!("{}-{number:02}", ["a", "z"][number % 2]);
    let display = ["Weat", "The weat", "Sweater"][number % 3];
    record(
        &format!("t{number}"),
        json!({"id": id, "createdAt": time, "modifiedAt": time, "displayName": display}),
    )
}

fn id_of(number: usize) -> String {
    numbered(number, 0)["id"].as_str().unwrap().to_owned()
}

proptest! {
    /// T002-57: whatever is put, deleted and switched between two pages, no row comes twice, and none that was there from
    /// the first page to the last is skipped; in a list and in a search.
    #[test]
    fn pages_stay_right_under_changes(
        days in prop::collection::vec(0_u8..4, 0..25),
        changes in prop::collection::vec(prop::collection::vec(between(), 0..4), 0..40),
        size in 1_usize..6,
        searched in any::<bool>(),
    ) {
        let records: Vec<Value> = days.iter().enumerate().map(|(number, day)| numbered(number, *day)).collect();
        let mut index = index(&records);
        let mut always: BTreeSet<usize> = (0..days.len()).collect();
        let (mut put, mut off) = (days.len(), BTreeSet::new());
        let mut seen: Vec<String> = Vec::new();
        let mut query = format!("q=weat&pageSize={size}");
        let mut changes = changes.into_iter();
        for stamp in 1_u32.. {
            let what = match searched {
                true => Find::Search { query: query.clone() },
                false => Find::List { query: query.clone() },
            };
            let (page, next) = tools(&mut index, what);
            prop_assert!(page.len() <= size);
            seen.extend(page.into_iter().map(|tool| tool.id));
            let Some(next) = next else { break };
            query = format!("pageToken={next}");
            let mut change = IndexChange::default();
            for between in changes.next().unwrap_or_default() {
                match between {
                    Between::Put { day } => {
                        change.tools.push_str(&document(&numbered(put, day)));
                        change.tools.push('\n');
                        put += 1;
                    }
                    Between::Delete { number } => {
                        always.remove(&number);
                        change.removed_tools.push(format!("{BUNDLE}/t{number}/v1"));
                    }
                    Between::Switch { number } => {
                        always.remove(&number);
                        let switched = if off.remove(&number) {
                            &mut change.enabled
                        } else {
                            off.insert(number);
                            &mut change.disabled
                        };
                        switched.push(id_of(number));
                    }
                }
            }
            update(&mut index, Some(&stamp.to_string()), &(stamp + 1).to_string(), change);
        }
        let unique: BTreeSet<&String> = seen.iter().collect();
        prop_assert_eq!(unique.len(), seen.len(), "{:?}", seen);
        for number in always {
            prop_assert!(unique.contains(&id_of(number)), "{} of {:?}", number, seen);
        }
    }

    /// Any texts in documents, bundles, queries and keys: an answer or a refusal, never a panic.
    #[test]
    fn any_request_is_answered(lines in prop::collection::vec("\\PC{0,40}", 0..4), query in "\\PC{0,40}") {
        let mut index = index(&[record("weather", json!({}))]);
        for text in &lines {
            let change = IndexChange { tools: text.clone(), ..IndexChange::default() };
            let _ = index.answer(IndexRequest::Update { from: None, to: "1".to_owned(), change });
            let _ = index.answer(IndexRequest::Document { records: text.clone() });
        }
        let mut index = super::tests::index(&[record(&query, json!({"displayName": query, "description": lines.join(" ")}))]);
        for find in [
            Find::List { query: query.clone() },
            Find::Search { query: format!("q={query}") },
            Find::Bundles { query: query.clone() },
            Find::Tool { key: query.clone() },
            Find::Named { name: query.clone() },
        ] {
            let _ = index.answer(IndexRequest::Find { at: "1".to_owned(), hosts: lines.clone(), find });
        }
    }
}

/// Ten thousand tools, as a figure to look at: `cargo test --release -- --ignored --nocapture ten_thousand`.
#[test]
#[ignore = "a measurement"]
fn ten_thousand_tools() {
    let words = [
        "weather", "price", "token", "swap", "mail", "send", "list", "city", "report", "news", "stock",
        "bridge",
    ];
    let pick = |number: usize| words[number % words.len()];
    let records: Vec<Value> = (0..10_000_usize)
        .map(|number| {
            let text = format!("{} {}x{} of {} number{number}", pick(number / 7), pick(number * 31 / 3), number % 977, pick(number / 5));
            record(&format!("{}-{}-{number}", pick(number), pick(number / 12)), json!({
                "id": format!("id-{number:05}"), "displayName": format!("{} {number}", pick(number / 3)), "description": text,
            }))
        })
        .collect();
    let tools = records.iter().map(document).collect::<Vec<_>>().join("\n");
    let bytes = tools.len();
    let change = IndexChange { tools, bundles: bundle(BUNDLE, 5), ..IndexChange::default() };
    let request = IndexRequest::Update { from: None, to: "1".to_owned(), change };
    let begun = std::time::Instant::now();
    let text = to_text(&request);
    let written = begun.elapsed();
    let request: IndexRequest = from_text(&text).unwrap();
    let read = begun.elapsed() - written;
    let mut index = Index::default();
    index.answer(request).unwrap();
    println!(
        "{bytes} bytes; {} terms; written in {written:?}, read in {read:?}, all in {:?}",
        index.terms.len(),
        begun.elapsed()
    );
    for q in ["wea", "weather", "weathre", "number77", "bridge+report", "x97", "stcok+nubmer123"] {
        search_once(&mut index, q);
        let begun = std::time::Instant::now();
        for _ in 0..20 {
            search_once(&mut index, q);
        }
        println!("{q}: {:?}, {} rows", begun.elapsed() / 20, search_once(&mut index, q));
    }
}

fn search_once(index: &mut Index, q: &str) -> usize {
    tools(index, Find::Search { query: format!("q={q}") }).0.len()
}
