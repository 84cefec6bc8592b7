//! `pages` of the settings: on which web pages the wallet is offered.

use crate::connection::is_origin;
use crate::http::ApiError;
use serde_json::{Map, Value};
use wire::dapp::{PageMode, PageSettings};

/// No list has more entries.
const MAX_ENTRIES: usize = 1_000;

/// Changes what the patch names.
pub(super) fn read(fields: &Map<String, Value>, pages: &mut PageSettings) -> Result<(), ApiError> {
    for (name, value) in fields {
        match (name.as_str(), value) {
            ("mode", value) => pages.mode = read_mode(value)?,
            ("setEthereum", Value::Bool(set)) => pages.set_ethereum = *set,
            ("sites", Value::Array(entries)) => {
                pages.sites = read_list("/pages/sites", entries, is_origin, "must be the origin of a page")?;
            }
            ("extensions", Value::Array(entries)) => {
                let rule = "must be the id of an extension: 32 letters from a to p";
                pages.extensions = read_list("/pages/extensions", entries, is_extension, rule)?;
            }
            _ => {
                return Err(ApiError::invalid(
                    format!("/pages/{name}"),
                    "is not a setting, or not of its type",
                ));
            }
        }
    }
    Ok(())
}

fn read_mode(value: &Value) -> Result<PageMode, ApiError> {
    match value.as_str() {
        Some("off") => Ok(PageMode::Off),
        Some("sites") => Ok(PageMode::Sites),
        Some("all") => Ok(PageMode::All),
        _ => Err(ApiError::invalid("/pages/mode", "must be off, sites or all")),
    }
}

fn read_list(
    path: &str,
    entries: &[Value],
    fits: fn(&str) -> bool,
    rule: &str,
) -> Result<Vec<String>, ApiError> {
    if entries.len() > MAX_ENTRIES {
        return Err(ApiError::invalid(path, format!("must be at most {MAX_ENTRIES} entries")));
    }
    let mut list: Vec<String> = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        match entry.as_str() {
            Some(text) if fits(text) => {
                if !list.iter().any(|known| known == text) {
                    list.push(text.to_owned());
                }
            }
            _ => return Err(ApiError::invalid(format!("{path}/{index}"), rule)),
        }
    }
    Ok(list)
}

/// Whether a text is the id of an extension, as Chromium writes it.
fn is_extension(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|letter| (b'a'..=b'p').contains(&letter))
}
