//! A pack of descriptors: files of a registry, whose includes are merged.

use crate::bounds::{DEPTH, DESCRIPTOR_BYTES, INCLUDES_DEPTH, MERGED_BYTES, PACK_BYTES, PACK_FILES};
use crate::descriptor::{Descriptor, merge};
use crate::error::PackError;
use serde_json::Value as Json;
use std::collections::BTreeMap;
use wire::descriptor::{PackDescriptor, PackFile};

/// Reads a pack that is one JSON text: `{"files":{path:descriptor}}`, or one descriptor.
pub(crate) fn from_text(text: &str) -> Result<Vec<PackDescriptor>, PackError> {
    const ALONE: &str = "descriptor.json";
    if text.len() > PACK_BYTES {
        return Err(PackError::PackTooLarge);
    }
    let pack = parse(ALONE, text)?;
    let files = match pack {
        Json::Object(mut pack) if pack.contains_key("files") => match pack.remove("files") {
            Some(Json::Object(files)) => files.into_iter().collect(),
            _ => return Err(invalid(ALONE, "files is not an object")),
        },
        one => BTreeMap::from([(ALONE.to_owned(), one)]),
    };
    checked(files)
}

/// Reads the files of a folder or an archive. What is no descriptor by its name or place is passed over: indexes, tests,
/// schemas, texts.
pub(crate) fn from_files(files: Vec<PackFile>) -> Result<Vec<PackDescriptor>, PackError> {
    if files.len() > PACK_FILES || files.iter().map(|file| file.text.len()).sum::<usize>() > PACK_BYTES {
        return Err(PackError::PackTooLarge);
    }
    let mut read = BTreeMap::new();
    for file in files {
        let Some(path) = joined("", &file.path).filter(|path| is_descriptor(path)) else { continue };
        if file.text.len() > DESCRIPTOR_BYTES {
            return Err(PackError::DescriptorTooLarge { file: path });
        }
        let document = parse(&path, &file.text)?;
        read.insert(path, document);
    }
    checked(read)
}

fn is_descriptor(path: &str) -> bool {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let outside = |part: &str| {
        matches!(part, "tests" | "testsv2" | "specs" | "runner-format" | "__MACOSX") || part.starts_with('.')
    };
    let index = name.starts_with("index.") || name.ends_with(".tests.json") || name.ends_with(".schema.json");
    name.ends_with(".json") && !name.starts_with('.') && !index && !folder.split('/').any(outside)
}

fn parse(file: &str, text: &str) -> Result<Json, PackError> {
    serde_json::from_str(text).map_err(|error| PackError::DescriptorNotJson {
        file: file.to_owned(),
        line: error.line(),
        column: error.column(),
    })
}

fn invalid(file: &str, problem: &str) -> PackError {
    PackError::InvalidDescriptor { file: file.to_owned(), problem: problem.to_owned() }
}

fn checked(files: BTreeMap<String, Json>) -> Result<Vec<PackDescriptor>, PackError> {
    if files.len() > PACK_FILES {
        return Err(PackError::PackTooLarge);
    }
    let mut descriptors = Vec::new();
    let mut bytes = 0_usize;
    for path in files.keys() {
        let document = merged(&files, path, INCLUDES_DEPTH)?;
        if ["context", "metadata", "display"].iter().all(|name| document.get(name).is_none()) {
            return Err(invalid(path, "it has neither context nor metadata nor display"));
        }
        check_schema(path, &document)?;
        let keys = Descriptor(&document).keys();
        if keys.is_empty() {
            continue;
        }
        // A file that others include may have a context and no formats.
        let Some(formats) = Descriptor(&document).formats() else { continue };
        for (key, format) in formats {
            if !format.get("fields").is_none_or(|fields| is_list_of_fields(fields, 0)) {
                return Err(invalid(
                    &format!("{path}#/display/formats/{key}"),
                    "fields is not a list of fields",
                ));
            }
        }
        bytes = bytes.saturating_add(document.to_string().len());
        if bytes > MERGED_BYTES {
            return Err(PackError::PackTooLarge);
        }
        descriptors.push(PackDescriptor { path: path.clone(), keys, document });
    }
    if descriptors.is_empty() {
        return Err(PackError::EmptyPack);
    }
    Ok(descriptors)
}

/// Versions 1 and 2 are read; a document that names none is taken for the newest of them.
fn check_schema(file: &str, document: &Json) -> Result<(), PackError> {
    let Some(schema) = document.get("$schema").and_then(Json::as_str) else { return Ok(()) };
    let version = schema.rsplit('/').next().and_then(|name| name.strip_prefix("erc7730-v"));
    match version.and_then(|version| version.split(['.', '-']).next()) {
        Some("1" | "2") => Ok(()),
        _ => {
            Err(PackError::UnsupportedDescriptorVersion { file: file.to_owned(), schema: schema.to_owned() })
        }
    }
}

fn is_list_of_fields(fields: &Json, depth: usize) -> bool {
    let is_field = |field: &Json| {
        let inner = field.get("fields");
        field.is_object() && depth <= DEPTH && inner.is_none_or(|fields| is_list_of_fields(fields, depth + 1))
    };
    fields.as_array().is_some_and(|fields| fields.iter().all(is_field))
}

/// A document with what it includes.
fn merged(files: &BTreeMap<String, Json>, path: &str, left: usize) -> Result<Json, PackError> {
    let left = left.checked_sub(1).ok_or_else(|| PackError::IncludesLoop { file: path.to_owned() })?;
    let mut document = files.get(path).cloned().unwrap_or_default();
    let Some(object) = document.as_object_mut() else { return Err(invalid(path, "it is not an object")) };
    let included = match object.remove("includes") {
        None => return Ok(document),
        Some(Json::String(included)) => included,
        Some(_) => return Err(invalid(path, "includes is not a text")),
    };
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let found = joined(folder, &included).filter(|found| files.contains_key(found));
    let Some(found) = found else {
        return Err(PackError::IncludeNotFound { file: path.to_owned(), included });
    };
    let mut base = merged(files, &found, left)?;
    merge(&mut base, document);
    Ok(base)
}

/// A path from a folder, without `.` and `..`; `None` where it leads out of the pack, or is an address.
fn joined(folder: &str, path: &str) -> Option<String> {
    if path.contains([':', '\\', '\0']) {
        return None;
    }
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    if path.starts_with('/') {
        parts.clear();
    }
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop()?;
            }
            part => parts.push(part),
        }
    }
    Some(parts.join("/"))
}
