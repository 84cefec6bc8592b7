//! Bundles.

use crate::bounds::{DESCRIPTION_BYTES, DISPLAY_NAME_LETTERS};
use crate::record::check::{Check, Fields, RecordError};
use crate::record::name::{is_uuid_v7, label};
use serde_json::{Map, Value};
use wire::toolbox::Reply;

/// Checks the body of a PUT.
pub(crate) fn check_bundle(bundle_id: &str, body: &Value) -> Reply {
    let mut check = Check::default();
    if !is_uuid_v7(bundle_id) {
        check.fail("/bundleID", RecordError::InvalidId);
    }
    let mut record = Map::new();
    if let Some(fields) = Fields::of(body, String::new(), &mut check) {
        let slug = fields.required_text("slug", DESCRIPTION_BYTES, &mut check);
        let slug = slug.and_then(|slug| check.take("/slug", label(slug, false)));
        record.insert("slug".to_owned(), slug.into());
        record.insert("displayName".to_owned(), display_name(&fields, &mut check).into());
        record.insert("isEnabled".to_owned(), fields.flag("isEnabled", true, &mut check).into());
        let description = fields.text("description", DESCRIPTION_BYTES, &mut check).unwrap_or_default();
        record.insert("description".to_owned(), description.into());
        refuse_built_in(&fields, &mut check);
    }
    match check.is_clean() {
        true => Reply::Bundle { record },
        false => Reply::Rejected { errors: check.finish() },
    }
}

/// A display name: not empty, one line.
pub(crate) fn display_name<'a>(fields: &Fields<'a>, check: &mut Check) -> Option<&'a str> {
    let name = fields.required_text("displayName", DISPLAY_NAME_LETTERS * 4, check)?;
    let problem = match name {
        _ if name.chars().count() > DISPLAY_NAME_LETTERS => {
            format!("must have at most {DISPLAY_NAME_LETTERS} letters")
        }
        _ if name.contains(char::is_control) => "must be one line".to_owned(),
        _ => return Some(name.trim()),
    };
    check.fail(fields.place("displayName"), RecordError::invalid(problem));
    None
}

/// T002-18: only what is compiled in is built in.
pub(crate) fn refuse_built_in(fields: &Fields<'_>, check: &mut Check) {
    if fields.flag("isBuiltIn", false, check) {
        check.fail("/isBuiltIn", RecordError::invalid("cannot be set"));
    }
}
