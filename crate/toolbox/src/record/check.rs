//! Reads fields and collects what is wrong with them.

use crate::bounds::RECORD_ERRORS;
use crate::error::AnswerError;
use crate::hosts::EntryError;
use crate::template::{TemplateError, child};
use derive::Code;
use serde_json::{Map, Value};
use wire::toolbox::ToolboxError;

/// What is wrong with a field of a record.
#[derive(Debug, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum RecordError {
    /// It is not there.
    #[error("is required")]
    #[code("missing_field")]
    Missing,
    /// It breaks a rule.
    #[error("{problem}")]
    #[code("invalid_field")]
    Invalid {
        /// Which, with a verb first.
        problem: String,
    },
    /// An id that is not a UUID of version 7.
    #[error("must be a UUID of version 7, in lower case")]
    InvalidId,
    /// A name that agents call something else by.
    #[error("agents call a built-in tool {name}: choose another slug")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// A local function that is not there.
    #[error("there is no local function {name:?}")]
    UnknownFunction {
        /// As it was sent.
        name: String,
    },
    /// A header that browsers set themselves.
    #[error("{name} is set by the browser and cannot be set by a tool")]
    ForbiddenHeader {
        /// Its name.
        name: String,
    },
    /// A header that browsers accept from a tool, and replace with their own without a word.
    #[error("{name} is not sent as written: the browser sends its own")]
    HeaderNotSent {
        /// Its name.
        name: String,
    },
    /// A placeholder for nothing.
    #[error("${{{name}}} is neither a property of argSchema nor a secret (a name in capitals)")]
    UnknownPlaceholder {
        /// Its name.
        name: String,
    },
    /// A text that is no template.
    #[error(transparent)]
    #[code("invalid_template")]
    Template(#[from] TemplateError),
    /// A template of a body that is no JSON.
    #[error("is not JSON: {problem}")]
    #[code("invalid_template")]
    BodyNotJson {
        /// Why.
        problem: &'static str,
    },
    /// An address that tools cannot have.
    #[error("{problem}")]
    InvalidUrl {
        /// Why, with a verb first.
        problem: &'static str,
    },
    /// A secret in clear.
    #[error("must name a secret, like ${{API_KEY}}: a record does not hold secrets")]
    SecretExpected,
    /// An entry that is no host.
    #[error(transparent)]
    #[code("invalid_host")]
    Host(#[from] EntryError),
    /// A schema or an expression.
    #[error(transparent)]
    #[code(transparent)]
    Answer(#[from] AnswerError),
    /// The name does not begin with a verb, or the description does not say when to use the tool.
    #[error("{problem}")]
    #[code("unclear_description")]
    Unclear {
        /// What would be better.
        problem: &'static str,
    },
}

impl RecordError {
    /// Breaks a rule.
    pub(crate) fn invalid(problem: impl Into<String>) -> Self {
        Self::Invalid { problem: problem.into() }
    }

    /// The same with its place.
    pub(crate) fn at(self, path: String) -> ToolboxError {
        let path = match &self {
            // Inside of the schema.
            Self::Answer(AnswerError::InvalidSchema { path: inside, .. }) => path + inside,
            _ => path,
        };
        ToolboxError { code: self.code().to_owned(), message: self.to_string(), path: Some(path) }
    }
}

/// What is wrong so far.
#[derive(Debug, Default)]
pub(crate) struct Check {
    errors: Vec<ToolboxError>,
    /// What could be better.
    pub(crate) warnings: Vec<ToolboxError>,
}

impl Check {
    /// Adds an error.
    pub(crate) fn fail(&mut self, path: impl Into<String>, error: impl Into<RecordError>) {
        if self.errors.len() < RECORD_ERRORS {
            self.errors.push(error.into().at(path.into()));
        }
    }

    /// Adds an advice.
    pub(crate) fn warn(&mut self, path: &str, advice: RecordError) {
        self.warnings.push(advice.at(path.to_owned()));
    }

    /// The value, or the error at the place.
    pub(crate) fn take<T, E: Into<RecordError>>(&mut self, path: &str, result: Result<T, E>) -> Option<T> {
        match result {
            Ok(value) => Some(value),
            Err(error) => {
                self.fail(path, error);
                None
            }
        }
    }

    /// Everything that is wrong. A name that is taken comes last: it matters only if nothing else is wrong.
    pub(crate) fn finish(mut self) -> Vec<ToolboxError> {
        let taken = RecordError::NameTaken { name: String::new() };
        self.errors.sort_by_key(|error| error.code == taken.code());
        self.errors
    }

    /// Whether nothing is.
    pub(crate) fn is_clean(&self) -> bool {
        self.errors.is_empty()
    }
}

/// The fields of an object of a record. `null` is as good as absent.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    fields: &'a Map<String, Value>,
    path: String,
}

impl<'a> Fields<'a> {
    /// Of an object at a place.
    pub(crate) const fn new(fields: &'a Map<String, Value>, path: String) -> Self {
        Self { fields, path }
    }

    /// Of a value that must be an object.
    pub(crate) fn of(value: &'a Value, path: String, check: &mut Check) -> Option<Self> {
        match value {
            Value::Object(fields) => Some(Self { fields, path }),
            _ => {
                check.fail(path, RecordError::invalid("must be an object"));
                None
            }
        }
    }

    /// The place of a field.
    pub(crate) fn place(&self, name: &str) -> String {
        child(&self.path, name)
    }

    /// A field that is there.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.fields.get(name).filter(|value| !value.is_null())
    }

    /// A field that must be there.
    pub(crate) fn required(&self, name: &str, check: &mut Check) -> Option<&'a Value> {
        let value = self.get(name);
        if value.is_none() {
            check.fail(self.place(name), RecordError::Missing);
        }
        value
    }

    /// An object.
    pub(crate) fn object(&self, name: &str, check: &mut Check) -> Option<Self> {
        Self::of(self.get(name)?, self.place(name), check)
    }

    /// A text of at most so many bytes.
    pub(crate) fn text(&self, name: &str, bytes: usize, check: &mut Check) -> Option<&'a str> {
        let problem = match self.get(name)? {
            Value::String(text) if text.len() <= bytes => return Some(text),
            Value::String(_) => format!("must have at most {bytes} bytes"),
            _ => "must be a text".to_owned(),
        };
        check.fail(self.place(name), RecordError::invalid(problem));
        None
    }

    /// A text that must be there, and be more than blanks.
    pub(crate) fn required_text(&self, name: &str, bytes: usize, check: &mut Check) -> Option<&'a str> {
        self.required(name, check)?;
        let text = self.text(name, bytes, check)?;
        if text.trim().is_empty() {
            check.fail(self.place(name), RecordError::invalid("must not be empty"));
            return None;
        }
        Some(text)
    }

    /// `true` or `false`.
    pub(crate) fn flag(&self, name: &str, default: bool, check: &mut Check) -> bool {
        match self.get(name) {
            None => default,
            Some(Value::Bool(flag)) => *flag,
            Some(_) => {
                check.fail(self.place(name), RecordError::invalid("must be true or false"));
                default
            }
        }
    }

    /// `true`, `false`, or nothing.
    pub(crate) fn optional_flag(&self, name: &str, check: &mut Check) -> Option<bool> {
        self.get(name).map(|_| self.flag(name, false, check))
    }

    /// A whole number between two.
    pub(crate) fn number(&self, name: &str, least: u64, most: u64, check: &mut Check) -> Option<u64> {
        let value = self.get(name)?;
        let number = value.as_u64().filter(|number| (least..=most).contains(number));
        if number.is_none() {
            let problem = format!("must be a whole number from {least} to {most}");
            check.fail(self.place(name), RecordError::invalid(problem));
        }
        number
    }

    /// One of some names.
    pub(crate) fn choice(
        &self,
        name: &str,
        names: &[&'static str],
        default: &'static str,
        check: &mut Check,
    ) -> &'static str {
        let Some(value) = self.get(name) else { return default };
        let chosen = value.as_str().and_then(|text| names.iter().find(|one| **one == text));
        if chosen.is_none() {
            let problem = format!("must be one of {}", names.join(", "));
            check.fail(self.place(name), RecordError::invalid(problem));
        }
        chosen.copied().unwrap_or(default)
    }

    /// A list of at most so many, each with its place.
    pub(crate) fn list(&self, name: &str, most: usize, check: &mut Check) -> Vec<(String, &'a Value)> {
        let place = self.place(name);
        match self.get(name) {
            None => Vec::new(),
            Some(Value::Array(values)) if values.len() <= most => {
                values.iter().enumerate().map(|(index, value)| (format!("{place}/{index}"), value)).collect()
            }
            Some(Value::Array(_)) => {
                check.fail(place, RecordError::invalid(format!("must have at most {most} elements")));
                Vec::new()
            }
            Some(_) => {
                check.fail(place, RecordError::invalid("must be a list"));
                Vec::new()
            }
        }
    }

    /// A list of different texts that fulfil a rule.
    pub(crate) fn texts(
        &self,
        name: &str,
        most: usize,
        rule: fn(&str) -> bool,
        problem: &str,
        check: &mut Check,
    ) -> Vec<String> {
        let mut texts: Vec<String> = Vec::new();
        for (place, value) in self.list(name, most, check) {
            match value.as_str() {
                Some(text) if texts.iter().any(|other| other == text) => {
                    check.fail(place, RecordError::invalid("is there twice"));
                }
                Some(text) if rule(text) => texts.push(text.to_owned()),
                _ => check.fail(place, RecordError::invalid(problem)),
            }
        }
        texts
    }

    /// The names and values of the object.
    pub(crate) fn iter(&self) -> impl Iterator<Item = (&'a String, &'a Value)> {
        self.fields.iter()
    }
}
