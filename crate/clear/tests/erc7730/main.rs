//! The suite of the ERC-7730 registry: every case of every `testsv2/*.tests.json`, over the module's own entry.
//!
//! It is read from `../shared/suites/erc7730` beside the project, or from where `COUNTERSIGN_SUITES` says; without it the
//! test is passed over with a note. `cargo xtask test erc7730` runs it and shows the counts; `cargo xtask erc7730` also
//! writes the list of cases to `docs/erc7730-conformance.md` (`COUNTERSIGN_ERC7730_LIST` names the file).
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::indexing_slicing, reason = "tests")]

mod rlp;

use clear::{answer, answer_text};
use countersign_clear as clear;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use wire::descriptor::{
    CallData, Described, Known, KnownName, KnownToken, NameSource, PackDescriptor, PackFile, Rendering,
    Reply, Request,
};

/// How many cases the suite has at least: a folder that is half there does not pass.
const CASES: usize = 509;

/// The folder of the suite, if there is one.
fn suite() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/suites");
    let folder = std::env::var_os("COUNTERSIGN_SUITES").map_or(beside, PathBuf::from).join("erc7730");
    if folder.is_dir() {
        return Some(folder);
    }
    println!("passed over: there is no folder of the suite (COUNTERSIGN_SUITES can name the one above it)");
    None
}

/// The JSON files of a folder, and of those in it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            found.extend(files(&path));
        } else if path.extension().is_some_and(|extension| extension == "json") {
            found.push(path);
        }
    }
    found
}

/// The registry as a pack of descriptors.
struct Registry {
    descriptors: BTreeMap<String, Value>,
    keys: BTreeMap<String, Vec<String>>,
}

impl Registry {
    fn read(folder: &Path) -> Self {
        let file = |path: PathBuf| PackFile {
            path: path.strip_prefix(folder).unwrap().to_str().unwrap().to_owned(),
            text: std::fs::read_to_string(&path).unwrap(),
        };
        let read: Vec<PackFile> = files(folder).into_iter().map(file).collect();
        let descriptors = match answer(Request::ReadFiles { files: read }) {
            Reply::Pack { descriptors } => descriptors,
            other => panic!("the registry is not taken as a pack: {other:?}"),
        };
        let mut registry = Self { descriptors: BTreeMap::new(), keys: BTreeMap::new() };
        for PackDescriptor { path, keys, document } in descriptors {
            for key in keys {
                registry.keys.entry(key).or_default().push(path.clone());
            }
            registry.descriptors.insert(path, document);
        }
        registry
    }
}

/// A case, and what came out.
struct DescriptionOutcome {
    file: String,
    description: String,
    problem: Option<String>,
}

/// All 509 cases.
#[test]
fn erc7730_suite() {
    let Some(folder) = suite() else { return };
    let registry = Registry::read(&folder);
    println!("erc7730: {} descriptors bound to a contract or a domain", registry.descriptors.len());
    let tests = files(&folder.join("registry"));
    let tests = tests.iter().filter(|path| path.to_str().is_some_and(|path| path.ends_with(".tests.json")));
    let outcomes: Vec<DescriptionOutcome> =
        tests.flat_map(|path| run_file(&folder, path, &registry)).collect();
    let failed: Vec<&DescriptionOutcome> =
        outcomes.iter().filter(|outcome| outcome.problem.is_some()).collect();
    for outcome in &failed {
        println!(
            "{}: {}: {}",
            outcome.file,
            outcome.description,
            outcome.problem.as_deref().unwrap_or_default()
        );
    }
    println!("erc7730: {} of {} cases", outcomes.len() - failed.len(), outcomes.len());
    if let Some(list) = std::env::var_os("COUNTERSIGN_ERC7730_LIST") {
        std::fs::write(list, report(&outcomes)).unwrap();
    }
    assert!(failed.is_empty(), "{} cases fail", failed.len());
    assert!(outcomes.len() >= CASES, "a suite of {}", outcomes.len());
}

fn run_file(folder: &Path, path: &Path, registry: &Registry) -> Vec<DescriptionOutcome> {
    let file = path.strip_prefix(folder.join("registry")).unwrap().to_str().unwrap().to_owned();
    let suite: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let descriptor =
        path.parent().unwrap().join(suite["descriptor"].as_str().unwrap()).canonicalize().unwrap();
    let descriptor =
        descriptor.strip_prefix(folder.canonicalize().unwrap()).unwrap().to_str().unwrap().to_owned();
    let known = known(&suite["dataProvider"]);
    let case = |case: &Value| DescriptionOutcome {
        file: file.clone(),
        description: case["description"].as_str().unwrap().to_owned(),
        problem: problem(case, &descriptor, &known, registry),
    };
    suite["tests"].as_array().unwrap().iter().map(case).collect()
}

/// What the case's `dataProvider` says: the wallet's own knowledge.
fn known(provider: &Value) -> Known {
    let mut known = Known::default();
    for (address, token) in provider["tokens"].as_object().into_iter().flatten() {
        known.tokens.push(KnownToken {
            chain_id: None,
            address: address.clone(),
            symbol: token["symbol"].as_str().unwrap().to_owned(),
            decimals: u8::try_from(token["decimals"].as_u64().unwrap()).unwrap(),
            name: token["name"].as_str().map(str::to_owned),
        });
    }
    let sources = [
        ("addressNames", NameSource::Local),
        ("ensNames", NameSource::Ens),
        ("nftCollectionNames", NameSource::Collection),
    ];
    for (field, source) in sources {
        for (address, name) in provider[field].as_object().into_iter().flatten() {
            let name = name.as_str().unwrap().to_owned();
            known.names.push(KnownName { address: address.clone(), name, source });
        }
    }
    known
}

fn problem(case: &Value, descriptor: &str, known: &Known, registry: &Registry) -> Option<String> {
    let Some(document) = registry.descriptors.get(descriptor) else {
        return Some(format!("{descriptor} is not bound to a contract"));
    };
    let mut used = BTreeSet::from([descriptor.to_owned()]);
    let mut descriptors = vec![document.clone()];
    // As the core does: what was asked for is looked up, until there is nothing more.
    let described = loop {
        let described = describe(case, &descriptors, known);
        let found: Vec<String> = described
            .wanted
            .calls
            .iter()
            .filter_map(|place| registry.keys.get(&format!("call/{}/{}", place.chain_id, place.address)))
            .flatten()
            .filter(|path| used.insert((*path).clone()))
            .cloned()
            .collect();
        if found.is_empty() {
            break described;
        }
        descriptors.extend(found.iter().map(|path| registry.descriptors[path].clone()));
    };
    let Some(rendering) = &described.rendering else {
        return Some(format!("nothing is rendered: {:?}", described.diagnostics));
    };
    let expected = &case["expected"];
    let mut rendered = shown(rendering);
    // Not every case says what the sentence is.
    if expected.get("interpolatedIntent").is_none() {
        rendered.as_object_mut().unwrap().remove("interpolatedIntent");
    }
    (rendered != *expected)
        .then(|| format!("expected {expected}, rendered {rendered} {:?}", described.diagnostics))
}

fn describe(case: &Value, descriptors: &[Value], known: &Known) -> Described {
    let (descriptors, known) = (descriptors.to_vec(), known.clone());
    let from = case["from"].as_str().unwrap_or_default().to_owned();
    let request = match case["rawTx"].as_str() {
        Some(raw) => {
            let (chain_id, to, value, data) = rlp::transaction(raw);
            Request::Call { call: CallData { chain_id, from, to, value, data }, descriptors, known }
        }
        None => Request::TypedData { data: case["data"].clone(), from, descriptors, known },
    };
    let reply = answer_text(&wire::json::to_text(&request));
    match wire::json::from_text(&reply).unwrap() {
        Reply::Described(described) => described,
        other => panic!("{other:?}"),
    }
}

/// As the suite writes it.
fn shown(rendering: &Rendering) -> Value {
    let field = |field: &wire::descriptor::RenderedField| {
        let value = field.call.as_ref().map_or_else(|| json!(field.value), |call| shown(call));
        json!({"label": field.label, "value": value})
    };
    let mut shown =
        json!({"intent": rendering.intent, "fields": rendering.fields.iter().map(field).collect::<Vec<_>>()});
    if let Some(owner) = &rendering.owner {
        shown["owner"] = json!(owner);
    }
    if let Some(sentence) = &rendering.sentence {
        shown["interpolatedIntent"] = json!(sentence);
    }
    shown
}

/// The list of cases, as it is published.
fn report(outcomes: &[DescriptionOutcome]) -> String {
    let passed = outcomes.iter().filter(|outcome| outcome.problem.is_none()).count();
    let mut text = format!(
        "# Conformance with ERC-7730\n\n\
         `cargo xtask erc7730` writes this file: the cases of the ERC-7730 registry (`registry/*/testsv2/`), run against \
         `crate/clear`, the module that the extension loads. A case passes if intent, owner, sentence and every label and \
         value are equal to what the case expects; tokens and names are those of the case, and descriptors of calls inside \
         calls come from the registry.\n\n{passed} of {} cases pass.\n\n| file | case | result |\n|---|---|---|\n",
        outcomes.len()
    );
    for DescriptionOutcome { file, description, problem } in outcomes {
        let description = description.replace('|', "\\|");
        let result = if problem.is_none() { "passes" } else { "**fails**" };
        writeln!(text, "| `{file}` | {description} | {result} |").unwrap();
    }
    text
}
