//! Reading: each type takes its fields from a map of values.
//!
//! Reading a field gives a value in any case. The first error is kept by the reader, and from there on what is read has
//! no meaning and is dropped at the end: a type's code need not look after each field, which makes it a third as long.

use super::field::{FieldError, wipe};
use crate::secret::SecretText;
use crate::sorted::SortedMap;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Something that can be read from JSON.
pub trait FromJson: Sized {
    /// Reads it. What cannot be read is reported, and what is returned then has no meaning. It must come to an end for
    /// `null`, which is read in the place of what is missing.
    fn from_json(value: Value, reader: &mut Reader) -> Self;

    /// What it is where the field is absent: an error, unless it may be absent.
    fn absent(reader: &mut Reader) -> Self {
        reader.missing();
        Self::from_json(Value::Null, reader)
    }
}

/// A record that is an object, so that another can have its fields among its own.
pub trait FromFields: Sized {
    /// Takes what it is made of; leaves what it does not know.
    fn from_fields(fields: &mut Fields<'_>) -> Self;
}

/// A step on the way to a place.
#[derive(Debug)]
enum Step {
    Field(&'static str),
    Key(String),
    Index(usize),
}

/// Where in the record it reads, and the first error that it found.
#[derive(Debug, Default)]
pub struct Reader {
    path: Vec<Step>,
    error: Option<FieldError>,
}

impl Reader {
    /// The first error.
    pub fn finish(self) -> Option<FieldError> {
        self.error
    }

    /// Reports the first error, with its place.
    fn report(&mut self, error: fn(String) -> FieldError) {
        if self.error.is_none() {
            self.error = Some(error(self.place()));
        }
    }

    fn place(&self) -> String {
        let mut place = String::new();
        for step in &self.path {
            // A text takes what is written to it.
            let _ = match step {
                Step::Field(name) => write!(place, "/{name}"),
                Step::Key(key) => write!(place, "/{}", key.replace('~', "~0").replace('/', "~1")),
                Step::Index(index) => write!(place, "/{index}"),
            };
        }
        place
    }

    /// The field is not there.
    pub fn missing(&mut self) {
        self.report(|path| FieldError::Missing { path });
    }

    /// The value, which is wiped, is not what the field can hold.
    pub fn invalid(&mut self, mut value: Value) {
        wipe(&mut value);
        self.report(|path| FieldError::Invalid { path });
    }

    /// A rule of the field is broken.
    pub fn rule(&mut self, problem: impl Into<Cow<'static, str>>) {
        if self.error.is_none() {
            self.error = Some(FieldError::rule(self.place(), problem));
        }
    }

    /// Which of the names the text is; the first if it is none.
    pub fn name(&mut self, value: Value, names: &[&str]) -> usize {
        let found = value.as_str().and_then(|text| names.iter().position(|name| *name == text));
        match found {
            Some(index) => index,
            None => {
                self.invalid(value);
                0
            }
        }
    }

    /// Reads the elements of an array, one after the other. The loop is here, once for all types.
    fn each(&mut self, value: Value, read: &mut dyn FnMut(Value, &mut Self)) {
        match value {
            Value::Array(values) => {
                for (index, value) in values.into_iter().enumerate() {
                    self.path.push(Step::Index(index));
                    read(value, self);
                    self.path.pop();
                }
            }
            other => self.invalid(other),
        }
    }

    /// The fields of an object.
    fn fields(&mut self, value: Value) -> Map<String, Value> {
        match value {
            Value::Object(map) => map,
            other => {
                self.invalid(other);
                Map::new()
            }
        }
    }

    fn number(&mut self, value: Value, most: u64) -> u64 {
        match value.as_u64().filter(|number| *number <= most) {
            Some(number) => number,
            None => {
                self.invalid(value);
                0
            }
        }
    }
}

/// The fields of an object that is read. What is left at the end is wiped.
pub struct Fields<'r> {
    map: Map<String, Value>,
    reader: &'r mut Reader,
}

impl<'r> Fields<'r> {
    /// The fields of an object.
    pub fn of(value: Value, reader: &'r mut Reader) -> Self {
        Self { map: reader.fields(value), reader }
    }

    /// A field. Each is taken once.
    pub fn take<T: FromJson>(&mut self, name: &'static str) -> T {
        let value = self.enter(name);
        self.read(value)
    }

    fn read<T: FromJson>(&mut self, value: Option<Value>) -> T {
        let read = match value {
            Some(value) => T::from_json(value, self.reader),
            None => T::absent(self.reader),
        };
        self.leave();
        read
    }

    /// A field that has its default if it is absent.
    pub fn take_or<T: FromJson>(&mut self, name: &'static str, default: impl FnOnce() -> T) -> T {
        match self.enter(name) {
            None => {
                self.leave();
                default()
            }
            value => self.read(value),
        }
    }

    /// Which of the names the field holds; the first if it is none.
    pub fn variant(&mut self, field: &'static str, names: &[&str]) -> usize {
        let index = match self.enter(field) {
            Some(value) => self.reader.name(value, names),
            None => {
                self.reader.missing();
                0
            }
        };
        self.leave();
        index
    }

    /// Which of the names is a field here: the value of an enum with its name around it. The first if there is none.
    pub fn only_variant(&mut self, names: &[&'static str]) -> usize {
        match names.iter().position(|name| self.map.contains_key(*name)) {
            Some(index) if self.map.len() == 1 => index,
            _ => {
                self.reader.report(|path| FieldError::Invalid { path });
                0
            }
        }
    }

    /// What is read from the object that a field holds.
    pub fn inside<T>(&mut self, name: &'static str, read: impl FnOnce(&mut Fields<'_>) -> T) -> T {
        let value = self.enter(name).unwrap_or_else(|| {
            self.reader.missing();
            Value::Null
        });
        let read = read(&mut Fields::of(value, self.reader));
        self.leave();
        read
    }

    /// Reports a field that is none of these.
    pub fn only(&mut self, names: &[&str]) {
        let unknown = self.map.keys().find(|name| !names.contains(&name.as_str())).cloned();
        if let Some(name) = unknown {
            self.reader.path.push(Step::Key(name));
            self.reader.report(|path| FieldError::Unknown { path });
            self.leave();
        }
    }

    fn enter(&mut self, name: &'static str) -> Option<Value> {
        self.reader.path.push(Step::Field(name));
        self.map.get_mut(name).map(Value::take)
    }

    fn leave(&mut self) {
        self.reader.path.pop();
    }
}

impl Drop for Fields<'_> {
    fn drop(&mut self) {
        self.map.values_mut().for_each(wipe);
    }
}

impl<T: FromJson> FromJson for Option<T> {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        if value.is_null() { None } else { Some(T::from_json(value, reader)) }
    }

    fn absent(_: &mut Reader) -> Self {
        None
    }
}

impl<T: FromJson> FromJson for Box<T> {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        Self::new(T::from_json(value, reader))
    }
}

impl<T: FromJson> FromJson for Vec<T> {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        let mut read = Self::new();
        reader.each(value, &mut |value, reader| read.push(T::from_json(value, reader)));
        read
    }
}

macro_rules! map_from_json {
    ($($map:ident)+) => {$(
        impl<T: FromJson> FromJson for $map<String, T> {
            fn from_json(value: Value, reader: &mut Reader) -> Self {
                let mut read = Self::default();
                for (key, value) in reader.fields(value) {
                    reader.path.push(Step::Key(key.clone()));
                    read.insert(key, T::from_json(value, reader));
                    reader.path.pop();
                }
                read
            }
        }
    )+};
}

map_from_json!(BTreeMap SortedMap);

impl FromJson for String {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        match value {
            Value::String(text) => text,
            other => {
                reader.invalid(other);
                Self::new()
            }
        }
    }
}

impl FromJson for SecretText {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        Self::new(String::from_json(value, reader))
    }
}

impl FromJson for () {
    fn from_json(value: Value, reader: &mut Reader) {
        if !value.is_null() {
            reader.invalid(value);
        }
    }
}

impl FromJson for bool {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        match value {
            Value::Bool(value) => value,
            other => {
                reader.invalid(other);
                false
            }
        }
    }
}

impl FromJson for Map<String, Value> {
    fn from_json(value: Value, reader: &mut Reader) -> Self {
        reader.fields(value)
    }
}

impl FromJson for Value {
    fn from_json(value: Value, _: &mut Reader) -> Self {
        value
    }
}

macro_rules! unsigned {
    ($($number:ty),+) => {$(
        impl FromJson for $number {
            fn from_json(value: Value, reader: &mut Reader) -> Self {
                reader.number(value, Self::MAX as u64) as Self
            }
        }
    )+};
}

unsigned!(u8, u16, u32, u64, usize);
