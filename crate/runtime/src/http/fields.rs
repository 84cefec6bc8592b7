//! The body of a request, read field by field: each refusal names its place, and what is a secret, or may be one,
//! is wiped when it goes.

use super::ApiError;
use super::routes::object;
use serde_json::{Map, Value};
use wire::secret::SecretText;

/// What is left to read of an object.
pub(super) struct Fields {
    /// Where the object is in the body.
    path: String,
    map: Map<String, Value>,
}

impl Fields {
    /// The body's fields.
    pub(super) fn of(body: &str) -> Result<Self, ApiError> {
        Ok(Self { path: String::new(), map: object(body)? })
    }

    fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    /// A text.
    pub(super) fn text(&mut self, name: &str) -> Result<Option<String>, ApiError> {
        match self.map.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(mut other) => {
                wipe(&mut other);
                Err(ApiError::invalid(self.place(name), "must be a string"))
            }
        }
    }

    /// A text that must be there.
    pub(super) fn required_text(&mut self, name: &str) -> Result<String, ApiError> {
        self.text(name)?.ok_or_else(|| ApiError::invalid(self.place(name), "must be a string"))
    }

    /// A secret.
    pub(super) fn secret(&mut self, name: &str) -> Result<Option<SecretText>, ApiError> {
        Ok(self.text(name)?.map(SecretText::new))
    }

    /// A secret that must be there.
    pub(super) fn required_secret(&mut self, name: &str) -> Result<SecretText, ApiError> {
        self.required_text(name).map(SecretText::new)
    }

    /// An object.
    pub(super) fn object(&mut self, name: &str) -> Result<Option<Self>, ApiError> {
        let path = self.place(name);
        match self.map.remove(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(map)) => Ok(Some(Self { path, map })),
            Some(mut other) => {
                wipe(&mut other);
                Err(ApiError::invalid(path, "must be an object"))
            }
        }
    }

    /// Objects in an array; none if it is not there.
    pub(super) fn objects(&mut self, name: &str) -> Result<Vec<Self>, ApiError> {
        let path = self.place(name);
        let entries = match self.map.remove(name) {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Array(entries)) => entries,
            Some(_) => return Err(ApiError::invalid(path, "must be an array")),
        };
        let object = |(index, entry)| {
            let path = format!("{path}/{index}");
            match entry {
                Value::Object(map) => Ok(Self { path, map }),
                _ => Err(ApiError::invalid(path, "must be an object")),
            }
        };
        entries.into_iter().enumerate().map(object).collect()
    }

    /// A whole number within bounds.
    pub(super) fn number(&mut self, name: &str, least: u32, most: u32) -> Result<Option<u32>, ApiError> {
        let number = match self.map.remove(name) {
            None | Some(Value::Null) => return Ok(None),
            Some(value) => value.as_u64().and_then(|number| u32::try_from(number).ok()),
        };
        match number.filter(|number| (least..=most).contains(number)) {
            Some(number) => Ok(Some(number)),
            None => Err(ApiError::invalid(self.place(name), format!("must be from {least} to {most}"))),
        }
    }

    /// Rejects unknown fields.
    pub(super) fn end(self) -> Result<(), ApiError> {
        match self.map.keys().next() {
            Some(name) => Err(ApiError::invalid(self.place(name), "is not a field here")),
            None => Ok(()),
        }
    }
}

impl Drop for Fields {
    fn drop(&mut self) {
        self.map.values_mut().for_each(wipe);
    }
}

fn wipe(value: &mut Value) {
    match value {
        Value::String(text) => drop(SecretText::new(std::mem::take(text))),
        Value::Array(values) => values.iter_mut().for_each(wipe),
        Value::Object(fields) => fields.values_mut().for_each(wipe),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
