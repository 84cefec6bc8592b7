//! A bundle becomes a ZIP.

use super::file::Problems;
use super::literal::literal_secrets;
use super::{BUNDLE_FILE, COMPUTED};
use crate::bounds::FILE_BYTES;
use crate::error::AnswerError;
use crate::record::{SCHEMA_VERSION, is_uuid_v7};
use crate::zip;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use wire::archive::PackedBundle;
use wire::json::to_text;
use wire::toolbox::Reply;

/// So many letters of a slug or version are in a name.
const NAME_LETTERS: usize = 40;

/// Writes a bundle and its tools. Both are the store's own texts.
pub(crate) fn pack(bundle: &str, tools: &str) -> Result<Reply, AnswerError> {
    let bundle = object(bundle)?;
    let stem = [&ascii(&bundle, "slug", "bundle"), "_", id(&bundle)?].concat();
    let (mut files, mut warnings) = (BTreeMap::new(), Problems::default());
    let mut add = |name: &str, record: Map<String, Value>| {
        let (path, record) = ([&stem, "/", name].concat(), Value::Object(record));
        literal_secrets(&record, &mut |place| warnings.literal_secret(&path, place));
        match files.insert(path, text(&record)) {
            None => Ok(()),
            // Two records of one id.
            Some(_) => Err(AnswerError::Malformed),
        }
    };
    add(BUNDLE_FILE, bundle_record(&bundle))?;
    for line in tools.lines() {
        let mut tool = object(line)?;
        let (slug, version) = (ascii(&tool, "slug", "tool"), ascii(&tool, "version", "v"));
        let name = [&slug, "_", &version, "_", id(&tool)?, ".json"].concat();
        for field in COMPUTED {
            tool.remove(*field);
        }
        // Fields of a tool.json that are not part of a stored record.
        for field in ["isEnabled", "isBuiltIn"] {
            tool.insert(field.to_owned(), false.into());
        }
        add(&name, tool)?;
    }
    Ok(match zip::write(&files) {
        Ok(archive) => Reply::Packed(PackedBundle {
            file_name: stem + ".zip",
            base64: STANDARD.encode(archive),
            warnings: warnings.finish(),
        }),
        Err(error) => {
            let mut problems = Problems::default();
            problems.zip(error);
            Reply::Problems { problems: problems.finish() }
        }
    })
}

fn object(text: &str) -> Result<Map<String, Value>, AnswerError> {
    serde_json::from_str(text).map_err(|_| AnswerError::Malformed)
}

fn id(record: &Map<String, Value>) -> Result<&str, AnswerError> {
    let id = record.get("id").and_then(Value::as_str).filter(|id| is_uuid_v7(id));
    id.ok_or(AnswerError::Malformed)
}

/// What a bundle's file has: it arrives switched on, and its tools switched off.
fn bundle_record(bundle: &Map<String, Value>) -> Map<String, Value> {
    let fields = ["id", "slug", "displayName", "description", "createdAt", "modifiedAt"];
    let given = |name: &str| Some((name.to_owned(), bundle.get(name)?.clone()));
    let mut record: Map<String, Value> = fields.into_iter().filter_map(given).collect();
    record.insert("schemaVersion".to_owned(), SCHEMA_VERSION.into());
    record.insert("isEnabled".to_owned(), true.into());
    record
}

/// What is ASCII of a slug or version, for a name that every system can have and no command takes for an option.
fn ascii(record: &Map<String, Value>, field: &str, default: &str) -> String {
    let text = record.get(field).and_then(Value::as_str).unwrap_or_default();
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '.' { letter } else { '-' };
    let text: String = text.chars().map(plain).take(NAME_LETTERS).collect();
    match text.trim_matches(['-', '.']) {
        "" => default.to_owned(),
        text => text.to_owned(),
    }
}

/// JSON for people, unless that is too long.
fn text(record: &Value) -> String {
    match serde_json::to_string_pretty(record) {
        Ok(text) if text.len() < FILE_BYTES => text + "\n",
        _ => to_text(record),
    }
}
