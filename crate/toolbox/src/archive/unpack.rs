//! A ZIP becomes a bundle. All of it is checked before any of it is given.

use super::file::{ArchiveError, Problems};
use super::{BUNDLE_FILE, COMPUTED, GIVEN};
use crate::bounds::{ARCHIVE_BYTES, DESCRIPTION_BYTES, VALUE_DEPTH, is_deeper};
use crate::error::AnswerError;
use crate::record::{
    Check, Fields, RecordError, SCHEMA_VERSION, Submitted, check_bundle, check_tool, label, name_of,
    refuse_built_in,
};
use crate::zip::{self, Entry, ZipProblem};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use wire::descriptor::PackFile;
use wire::json::to_text;
use wire::toolbox::{Reply, ToolboxError, UnpackedBundle, UnpackedTool};

/// Reads an archive. No tool may have a reserved name.
pub(crate) fn unpack(base64: &str, reserved: &[String]) -> Reply {
    let mut problems = Problems::default();
    match bundle_of(base64, reserved, &mut problems) {
        Some(bundle) if problems.is_empty() => Reply::Unpacked(bundle),
        _ => Reply::Problems { problems: problems.finish() },
    }
}

/// Reads the JSON files of an archive, as texts.
pub(crate) fn files(base64: &str) -> Reply {
    let mut problems = Problems::default();
    match files_of(base64, &mut problems) {
        Some(files) if problems.is_empty() => Reply::Files { files },
        _ => Reply::Problems { problems: problems.finish() },
    }
}

fn files_of(base64: &str, problems: &mut Problems) -> Option<Vec<PackFile>> {
    let archive = decode(base64).map_err(|error| problems.add(error.at(None, None))).ok()?;
    let entries = zip::entries(&archive).map_err(|error| problems.zip(error)).ok()?;
    let mut files = Vec::new();
    for entry in entries {
        if entry.is_folder()
            || is_of_the_system(entry.name)
            || !entry.name.to_ascii_lowercase().ends_with(".json")
        {
            continue;
        }
        let bytes = entry.content().map_err(|problem| problems.zip(problem)).ok()?;
        let Ok(text) = String::from_utf8(bytes) else {
            problems.file(entry.name, ArchiveError::FileNotJson { line: 0, column: 0 });
            return None;
        };
        files.push(PackFile { path: entry.name.to_owned(), text });
    }
    Some(files)
}

fn bundle_of(base64: &str, reserved: &[String], problems: &mut Problems) -> Option<UnpackedBundle> {
    let archive = match decode(base64) {
        Ok(archive) => archive,
        Err(error) => {
            problems.add(error.at(None, None));
            return None;
        }
    };
    let mut entries = match zip::entries(&archive) {
        Ok(entries) => entries,
        Err(error) => {
            problems.zip(error);
            return None;
        }
    };
    entries.retain(|entry| !entry.is_folder() && !is_of_the_system(entry.name));
    let Some(place) = entries.iter().position(|entry| split(entry.name).1 == BUNDLE_FILE) else {
        problems.add(ArchiveError::NoBundle.at(None, None));
        return None;
    };
    let bundle = entries.remove(place);
    let (folder, _) = split(bundle.name);
    let given = read(&bundle, problems).and_then(|body| check_given(&bundle, body, problems));
    // Without its id the tools are checked too, so that all problems are told.
    let id = given.as_ref().map(|(id, _)| id.as_str());
    let mut unpacked = Unpacked { id, reserved, tools: Vec::new(), seen: BTreeMap::new() };
    for entry in &entries {
        if problems.is_full() {
            break;
        }
        match split(entry.name) {
            (other, _) if other != folder => problems.file(entry.name, ArchiveError::OtherFolder),
            (_, name) if name == BUNDLE_FILE || !name.to_ascii_lowercase().ends_with(".json") => {
                problems.file(entry.name, ArchiveError::OtherFile);
            }
            _ => unpacked.add(entry, problems),
        }
    }
    let tools = unpacked.tools;
    let (bundle_id, bundle) = given?;
    Some(UnpackedBundle { bundle_id, bundle, tools })
}

fn decode(base64: &str) -> Result<Vec<u8>, ArchiveError> {
    if base64.len() > ARCHIVE_BYTES.div_ceil(3) * 4 {
        return Err(ZipProblem::TooLong.into());
    }
    STANDARD.decode(base64).map_err(|_| ArchiveError::NotBase64)
}

/// What the file manager of macOS adds to every archive.
fn is_of_the_system(name: &str) -> bool {
    name.starts_with("__MACOSX/") || split(name).1 == ".DS_Store"
}

/// Folder and name.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// A file's JSON.
fn read(entry: &Entry<'_>, problems: &mut Problems) -> Option<Value> {
    let content = match entry.content() {
        Ok(content) => content,
        Err(error) => {
            problems.zip(error);
            return None;
        }
    };
    // Some editors put a mark in front of a text.
    let content = content.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&content);
    let (line, column) = match str::from_utf8(content).map(serde_json::from_str) {
        Ok(Ok(value)) => return Some(value),
        Ok(Err(error)) => (error.line(), error.column()),
        Err(_) => (0, 0),
    };
    problems.file(entry.name, ArchiveError::FileNotJson { line, column });
    None
}

/// The bundle's id, and what is stored of it.
fn check_given(
    entry: &Entry<'_>,
    body: Value,
    problems: &mut Problems,
) -> Option<(String, Map<String, Value>)> {
    let id = ["id", "bundleID"].into_iter().find_map(|name| body.get(name)).and_then(Value::as_str);
    let id = id.unwrap_or_default().to_ascii_lowercase();
    match check_bundle(&id, &body) {
        Reply::Bundle { record } => Some((id, record)),
        Reply::Rejected { mut errors } => {
            for error in &mut errors {
                if error.path.as_deref() == Some("/bundleID") {
                    error.path = Some("/id".to_owned());
                }
            }
            problems.record(entry.name, errors);
            None
        }
        _ => {
            problems.record(entry.name, unchecked());
            None
        }
    }
}

/// An answer that is about something else would let a file through unchecked.
fn unchecked() -> Vec<ToolboxError> {
    vec![AnswerError::Malformed.into()]
}

/// The tools so far.
struct Unpacked<'a> {
    id: Option<&'a str>,
    reserved: &'a [String],
    tools: Vec<UnpackedTool>,
    /// Slug and version → the file.
    seen: BTreeMap<String, String>,
}

/// Stands for the id of a bundle that has none.
const NO_BUNDLE: &str = "00000000-0000-7000-8000-000000000000";

impl Unpacked<'_> {
    fn add(&mut self, entry: &Entry<'_>, problems: &mut Problems) {
        let Some(mut body) = read(entry, problems) else { return };
        let own =
            body.as_object_mut().and_then(|fields| fields.remove("bundleID")).filter(|own| !own.is_null());
        let is_same = |id: &str| {
            own.as_ref().is_none_or(|own| own.as_str().is_some_and(|own| own.eq_ignore_ascii_case(id)))
        };
        if self.id.is_some_and(|id| !is_same(id)) {
            problems.place(entry.name, "/bundleID", &ArchiveError::OtherBundle);
        }
        let mut record = match self.check(body) {
            Ok(record) => record,
            Err(errors) => return problems.record(entry.name, errors),
        };
        record.insert("isEnabled".to_owned(), false.into());
        let text = |name: &str| record.get(name).and_then(Value::as_str).unwrap_or_default();
        let key = [text("slug"), "/", text("version")].concat();
        if let Some(file) = self.seen.get(&key) {
            return problems.file(entry.name, ArchiveError::SameTool { file: file.clone() });
        }
        let file = entry.name.to_owned();
        self.seen.insert(key, file.clone());
        self.tools.push(UnpackedTool { file, record: to_text(&Value::Object(record)) });
    }

    /// What is stored of a tool.
    fn check(&self, mut body: Value) -> Result<Map<String, Value>, Vec<ToolboxError>> {
        let mut check = Check::default();
        let Some(fields) = Fields::of(&body, String::new(), &mut check) else { return Err(check.finish()) };
        let slug = fields.required_text("slug", DESCRIPTION_BYTES, &mut check).map(str::to_owned);
        let version = fields.required_text("version", DESCRIPTION_BYTES, &mut check).map(str::to_owned);
        let is_newer = fields.get("schemaVersion").and_then(Value::as_str).is_some_and(is_newer);
        let (Some(slug), Some(version)) = (slug, version) else { return Err(check.finish()) };
        let (bundle_id, reserved) = (self.id.unwrap_or(NO_BUNDLE), self.reserved);
        if let Value::Object(fields) = &mut body {
            // Told once, beside the body, as a path tells them.
            fields.remove("slug");
            fields.remove("version");
            if is_newer {
                return self.keep(bundle_id, &slug, &version, std::mem::take(fields));
            }
        }
        let (slug, version, body) = (slug.as_str(), version.as_str(), &body);
        // T002-2: a function that there is not here may be there on another day.
        match check_tool(&Submitted { bundle_id, slug, version, body, functions: None, reserved }) {
            Reply::Tool(tool) => Ok(tool.record),
            Reply::Rejected { errors } => Err(errors),
            _ => Err(unchecked()),
        }
    }

    /// T002-15: a record of a newer version is kept as it is; only what the store itself rests on is checked.
    fn keep(
        &self,
        bundle_id: &str,
        slug: &str,
        version: &str,
        mut record: Map<String, Value>,
    ) -> Result<Map<String, Value>, Vec<ToolboxError>> {
        let mut check = Check::default();
        let slug = check.take("/slug", label(slug, false)).unwrap_or_default();
        let version = check.take("/version", label(version, true)).unwrap_or_default();
        if let Some(name) = name_of(&slug).filter(|name| self.reserved.contains(name)) {
            check.fail("/slug", RecordError::NameTaken { name });
        }
        let fields = Fields::new(&record, String::new());
        refuse_built_in(&fields, &mut check);
        for (name, value) in fields.iter() {
            if is_deeper(value, VALUE_DEPTH) {
                check.fail(fields.place(name), RecordError::invalid("is nested too deep"));
            }
        }
        if !check.is_clean() {
            return Err(check.finish());
        }
        for name in COMPUTED.iter().chain(GIVEN) {
            record.remove(*name);
        }
        for (name, value) in [("bundleID", bundle_id), ("slug", &slug), ("version", &version)] {
            record.insert(name.to_owned(), value.into());
        }
        record.insert("isBuiltIn".to_owned(), false.into());
        Ok(record)
    }
}

/// Whether a version of the schema is a day after this one's.
fn is_newer(version: &str) -> bool {
    let is_day = version.len() == SCHEMA_VERSION.len()
        && version.bytes().zip(SCHEMA_VERSION.bytes()).all(|(byte, ours)| match ours {
            b'-' => byte == b'-',
            _ => byte.is_ascii_digit(),
        });
    is_day && version > SCHEMA_VERSION
}
