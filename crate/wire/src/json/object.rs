//! Input of others, read field by field where each field has rules of its own: the parameters of a tool, the body of a
//! request. Every refusal names its place.

use super::field::{FieldError, wipe};
use crate::secret::SecretText;
use serde_json::{Map, Value};
use std::cell::RefCell;

/// An object and where it is. A field that is `null` counts as absent.
#[derive(Debug)]
pub struct Object<'a> {
    path: String,
    fields: &'a Map<String, Value>,
    /// What was asked for so far.
    asked: RefCell<Vec<&'static str>>,
}

impl<'a> Object<'a> {
    /// The input as a whole.
    pub const fn new(fields: &'a Map<String, Value>) -> Self {
        Self { path: String::new(), fields, asked: RefCell::new(Vec::new()) }
    }

    /// What must be an object, at a place.
    pub fn at(path: String, value: &'a Value) -> Result<Self, FieldError> {
        match value {
            Value::Object(fields) => Ok(Self { path, fields, asked: RefCell::default() }),
            _ => Err(FieldError::rule(path, "must be an object")),
        }
    }

    /// Where a field is.
    pub fn place(&self, name: &str) -> String {
        format!("{}/{name}", self.path)
    }

    /// That a field breaks a rule.
    pub fn broken(&self, name: &str, problem: impl Into<std::borrow::Cow<'static, str>>) -> FieldError {
        FieldError::rule(self.place(name), problem)
    }

    /// That the object itself breaks a rule.
    pub fn broken_itself(&self, problem: &'static str) -> FieldError {
        FieldError::rule(self.path.clone(), problem)
    }

    /// A field of any kind.
    pub fn get(&self, name: &'static str) -> Option<&'a Value> {
        self.asked.borrow_mut().push(name);
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A text, as it is.
    pub fn text(&self, name: &'static str) -> Result<Option<&'a str>, FieldError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.broken(name, "must be a string")),
        }
    }

    /// A text that must be there, as it is.
    pub fn required_text(&self, name: &'static str) -> Result<&'a str, FieldError> {
        self.text(name)?.ok_or_else(|| self.broken(name, "must be a string"))
    }

    /// A text without white space around it; empty counts as absent.
    pub fn word(&self, name: &'static str) -> Result<Option<&'a str>, FieldError> {
        Ok(self.text(name)?.map(str::trim).filter(|text| !text.is_empty()))
    }

    /// A text that must be there and not empty, without white space around it.
    pub fn required_word(&self, name: &'static str) -> Result<&'a str, FieldError> {
        self.word(name)?.ok_or_else(|| self.broken(name, "must be a non-empty string"))
    }

    /// A text that an answer repeats, if it is one.
    pub fn given(&self, name: &str) -> Option<String> {
        self.fields.get(name).and_then(Value::as_str).map(str::to_owned)
    }

    /// A secret.
    pub fn secret(&self, name: &'static str) -> Result<Option<SecretText>, FieldError> {
        Ok(self.text(name)?.map(|text| SecretText::new(text.to_owned())))
    }

    /// A secret that must be there.
    pub fn required_secret(&self, name: &'static str) -> Result<SecretText, FieldError> {
        Ok(SecretText::new(self.required_text(name)?.to_owned()))
    }

    /// Whether; absent is no.
    pub fn flag(&self, name: &'static str) -> Result<bool, FieldError> {
        match self.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(self.broken(name, "must be true or false")),
        }
    }

    /// A whole number, if it is one and within bounds.
    pub fn whole(&self, name: &'static str, least: u32, most: u32) -> Option<u32> {
        let number = self.get(name)?.as_u64().and_then(|number| u32::try_from(number).ok())?;
        (least..=most).contains(&number).then_some(number)
    }

    /// A whole number within bounds.
    pub fn number(&self, name: &'static str, least: u32, most: u32) -> Result<Option<u32>, FieldError> {
        match (self.get(name), self.whole(name, least, most)) {
            (None, _) => Ok(None),
            (_, Some(number)) => Ok(Some(number)),
            _ => Err(self.broken(name, format!("must be from {least} to {most}"))),
        }
    }

    /// An object in a field.
    pub fn object(&self, name: &'static str) -> Result<Option<Self>, FieldError> {
        self.get(name).map(|value| Self::at(self.place(name), value)).transpose()
    }

    /// The elements of an array; none if it is not there.
    pub fn array(&self, name: &'static str) -> Result<&'a [Value], FieldError> {
        match self.get(name) {
            None => Ok(&[]),
            Some(Value::Array(values)) => Ok(values),
            Some(_) => Err(self.broken(name, "must be an array")),
        }
    }

    /// The elements of an array that must be there: at least one of what it is made of.
    pub fn some(&self, name: &'static str, what: &str) -> Result<&'a [Value], FieldError> {
        match self.get(name) {
            Some(Value::Array(values)) if !values.is_empty() => Ok(values),
            Some(Value::Array(_)) => Err(self.broken(name, format!("must have at least one {what}"))),
            _ => Err(self.broken(name, "must be an array")),
        }
    }

    /// Where an element of an array is.
    pub fn element(&self, name: &str, index: usize) -> String {
        format!("{}/{name}/{index}", self.path)
    }

    /// Objects in an array; none if it is not there.
    pub fn objects(&self, name: &'static str) -> Result<Vec<Self>, FieldError> {
        let entries = self.array(name)?.iter().enumerate();
        entries.map(|(index, entry)| Self::at(self.element(name, index), entry)).collect()
    }

    /// Rejects fields that were never asked for.
    pub fn end(&self) -> Result<(), FieldError> {
        let asked = self.asked.borrow();
        match self.fields.keys().find(|name| !asked.contains(&name.as_str())) {
            Some(name) => Err(self.broken(name, "is not a field here")),
            None => Ok(()),
        }
    }
}

/// The body of a request. It is wiped when it goes: any of its texts may be a secret.
#[derive(Debug)]
pub struct Body(Map<String, Value>);

impl Body {
    /// Takes it over.
    pub const fn new(fields: Map<String, Value>) -> Self {
        Self(fields)
    }

    /// Its fields.
    pub const fn object(&self) -> Object<'_> {
        Object::new(&self.0)
    }
}

impl Drop for Body {
    fn drop(&mut self) {
        self.0.values_mut().for_each(wipe);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn refused<T: std::fmt::Debug>(outcome: Result<T, FieldError>) -> String {
        outcome.unwrap_err().to_string()
    }

    #[test]
    fn refusals_name_their_place() {
        let input = json!({"tokens": [{"decimals": 300, "ticker": " ", "flag": 1}, 7], "none": [], "x": {}});
        let input = Object::new(input.as_object().unwrap());
        let entries = input.some("tokens", "entry").unwrap();
        let first = Object::at(input.element("tokens", 0), &entries[0]).unwrap();
        assert_eq!(refused(first.number("decimals", 0, 255)), "/tokens/0/decimals must be from 0 to 255");
        assert_eq!(refused(first.required_word("ticker")), "/tokens/0/ticker must be a non-empty string");
        assert_eq!(refused(first.flag("flag")), "/tokens/0/flag must be true or false");
        assert_eq!(refused(input.objects("tokens")), "/tokens/1 must be an object");
        assert_eq!(refused(input.some("none", "step")), "/none must have at least one step");
        assert_eq!(refused(input.some("away", "step")), "/away must be an array");
        assert_eq!(refused(input.text("x")), "/x must be a string");
        assert_eq!(input.end(), Ok(()));
    }

    #[test]
    fn unasked_fields_are_refused_at_the_end() {
        let input = json!({"name": "n", "nmae": "n"});
        let input = Object::new(input.as_object().unwrap());
        assert_eq!(input.text("name"), Ok(Some("n")));
        assert_eq!(refused(input.end()), "/nmae is not a field here");
    }
}
