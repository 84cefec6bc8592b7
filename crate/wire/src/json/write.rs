//! Writing: each type hands its parts to one writer.

use crate::secret::SecretText;
use crate::sorted::SortedMap;
use serde_json::{Map, Number, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// Something that can be written as JSON.
pub trait ToJson {
    /// Writes it.
    fn to_json(&self, out: &mut Writer);
}

/// A record that is an object, so that another can have its fields among its own.
pub trait ToFields {
    /// Writes the fields, without the braces.
    fn to_fields(&self, out: &mut Writer);
}

/// JSON text under way. No white space, as serde_json writes it.
#[derive(Debug, Default)]
pub struct Writer(String);

impl Writer {
    /// The text.
    pub fn finish(self) -> String {
        self.0
    }

    /// `null`.
    pub fn null(&mut self) {
        self.0.push_str("null");
    }

    /// `true` or `false`.
    pub fn bool(&mut self, value: bool) {
        self.0.push_str(if value { "true" } else { "false" });
    }

    /// A number that is not negative.
    pub fn unsigned(&mut self, value: u64) {
        // A text takes what is written to it.
        let _ = write!(self.0, "{value}");
    }

    /// Any number.
    pub fn number(&mut self, value: &Number) {
        let _ = write!(self.0, "{value}");
    }

    /// A text in quotes.
    pub fn text(&mut self, text: &str) {
        self.0.push('"');
        let mut rest = text;
        while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
            let (plain, special) = rest.split_at(at);
            self.0.push_str(plain);
            let mut letters = special.chars();
            if let Some(letter) = letters.next() {
                self.escape(letter);
            }
            rest = letters.as_str();
        }
        self.0.push_str(rest);
        self.0.push('"');
    }

    fn escape(&mut self, letter: char) {
        let short = match letter {
            '"' => "\\\"",
            '\\' => "\\\\",
            '\n' => "\\n",
            '\r' => "\\r",
            '\t' => "\\t",
            '\u{8}' => "\\b",
            '\u{c}' => "\\f",
            other => {
                let _ = write!(self.0, "\\u{:04x}", u32::from(other));
                return;
            }
        };
        self.0.push_str(short);
    }

    /// JSON that is text already, taken as it is.
    pub fn raw(&mut self, json: &str) {
        self.0.push_str(json);
    }

    /// `{`. What follows are fields, then [`Self::close`].
    pub fn open(&mut self) {
        self.0.push('{');
    }

    /// `}`.
    pub fn close(&mut self) {
        self.0.push('}');
    }

    /// The name of a field; its value follows.
    pub fn key(&mut self, name: &str) {
        self.next();
        self.text(name);
        self.0.push(':');
    }

    /// A field.
    pub fn field(&mut self, name: &str, value: &dyn ToJson) {
        self.key(name);
        value.to_json(self);
    }

    /// A field that is a text.
    pub fn name(&mut self, name: &str, value: &str) {
        self.key(name);
        self.text(value);
    }

    /// An array of the iterator's items.
    pub fn array(&mut self, values: &mut dyn Iterator<Item = &dyn ToJson>) {
        self.0.push('[');
        for value in values {
            self.next();
            value.to_json(self);
        }
        self.0.push(']');
    }

    /// A comma, except after an opening. A text or a number never ends in one, outside of its quotes.
    fn next(&mut self) {
        if !self.0.ends_with(['{', '[']) {
            self.0.push(',');
        }
    }
}

/// JSON that is text already.
#[derive(Debug, Clone, Copy)]
pub struct Raw<'a>(pub &'a str);

impl ToJson for Raw<'_> {
    fn to_json(&self, out: &mut Writer) {
        out.raw(self.0);
    }
}

impl<T: ToJson + ?Sized> ToJson for &T {
    fn to_json(&self, out: &mut Writer) {
        (**self).to_json(out);
    }
}

impl<T: ToJson + ?Sized> ToJson for Box<T> {
    fn to_json(&self, out: &mut Writer) {
        (**self).to_json(out);
    }
}

impl<T: ToFields + ?Sized> ToFields for &T {
    fn to_fields(&self, out: &mut Writer) {
        (**self).to_fields(out);
    }
}

impl<T: ToJson> ToJson for Option<T> {
    fn to_json(&self, out: &mut Writer) {
        match self {
            Some(value) => value.to_json(out),
            None => out.null(),
        }
    }
}

impl<T: ToJson> ToJson for [T] {
    fn to_json(&self, out: &mut Writer) {
        out.array(&mut self.iter().map(|value| value as &dyn ToJson));
    }
}

impl<T: ToJson> ToJson for Vec<T> {
    fn to_json(&self, out: &mut Writer) {
        self.as_slice().to_json(out);
    }
}

macro_rules! map_to_json {
    ($($map:ident)+) => {$(
        impl<T: ToJson> ToJson for $map<String, T> {
            fn to_json(&self, out: &mut Writer) {
                out.open();
                self.to_fields(out);
                out.close();
            }
        }

        impl<T: ToJson> ToFields for $map<String, T> {
            fn to_fields(&self, out: &mut Writer) {
                for (name, value) in self.iter() {
                    out.field(name, value);
                }
            }
        }
    )+};
}

map_to_json!(BTreeMap SortedMap);

impl ToJson for Map<String, Value> {
    fn to_json(&self, out: &mut Writer) {
        out.open();
        for (name, value) in self {
            out.field(name, value);
        }
        out.close();
    }
}

impl ToJson for Value {
    fn to_json(&self, out: &mut Writer) {
        match self {
            Self::Null => out.null(),
            Self::Bool(value) => out.bool(*value),
            Self::Number(number) => out.number(number),
            Self::String(text) => out.text(text),
            Self::Array(values) => values.to_json(out),
            Self::Object(fields) => fields.to_json(out),
        }
    }
}

impl ToJson for str {
    fn to_json(&self, out: &mut Writer) {
        out.text(self);
    }
}

impl ToJson for String {
    fn to_json(&self, out: &mut Writer) {
        out.text(self);
    }
}

impl ToJson for Cow<'_, str> {
    fn to_json(&self, out: &mut Writer) {
        out.text(self);
    }
}

impl ToJson for SecretText {
    fn to_json(&self, out: &mut Writer) {
        out.text(self.expose());
    }
}

/// A row that says all by its key.
impl ToJson for () {
    fn to_json(&self, out: &mut Writer) {
        out.null();
    }
}

impl ToJson for bool {
    fn to_json(&self, out: &mut Writer) {
        out.bool(*self);
    }
}

macro_rules! unsigned {
    ($($number:ty),+) => {$(
        impl ToJson for $number {
            fn to_json(&self, out: &mut Writer) {
                out.unsigned(*self as u64);
            }
        }
    )+};
}

unsigned!(u8, u16, u32, u64, usize);
