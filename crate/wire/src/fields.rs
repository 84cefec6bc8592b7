//! Records that are read field by field.
//!
//! What serde derives for an enum with its name among its fields, or for a struct that is spread into another, reads
//! into a buffer first, with a second copy of the code of every type inside. The core is loaded all day and its size
//! is its latency: what it reads of that kind is read from a map of values instead. What it writes is derived.

use serde::de::value::StrDeserializer;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// Why a record could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FieldError {
    /// A field that must be there is not.
    #[error("missing field `{0}`")]
    Missing(&'static str),
    /// A field holds what it cannot hold.
    #[error("invalid value of field `{0}`")]
    Invalid(&'static str),
    /// A field that has no meaning there.
    #[error("unknown field `{0}`")]
    Unknown(String),
}

/// What is left to read of an object.
#[derive(Debug)]
pub struct Fields(Map<String, Value>);

impl Fields {
    /// A field; what may be absent is an `Option`.
    pub fn take<T: FromValue>(&mut self, name: &'static str) -> Result<T, FieldError> {
        match self.0.remove(name) {
            Some(value) => T::from_value(value, name),
            None => T::ABSENT.ok_or(FieldError::Missing(name)),
        }
    }

    /// A field that has its default if it is absent.
    pub fn take_or_default<T: FromValue + Default>(&mut self, name: &'static str) -> Result<T, FieldError> {
        match self.0.remove(name) {
            Some(value) => T::from_value(value, name),
            None => Ok(T::default()),
        }
    }

    /// Everything that has a meaning was read: what is left is a mistake.
    pub fn end(&self) -> Result<(), FieldError> {
        match self.0.keys().next() {
            Some(name) => Err(FieldError::Unknown(name.clone())),
            None => Ok(()),
        }
    }
}

/// A record that is an object.
pub trait FromFields: Sized {
    /// Takes what it is made of; leaves what it does not know.
    fn from_fields(fields: &mut Fields) -> Result<Self, FieldError>;
}

/// Something that a field can hold.
pub trait FromValue: Sized {
    /// What it is where the field is absent, if it may be.
    const ABSENT: Option<Self> = None;

    /// Reads the value of the field of that name.
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError>;
}

impl<T: FromFields> FromValue for T {
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        match value {
            Value::Object(map) => Self::from_fields(&mut Fields(map)),
            _ => Err(FieldError::Invalid(name)),
        }
    }
}

impl<T: FromValue> FromValue for Option<T> {
    const ABSENT: Option<Self> = Some(None);

    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        if value.is_null() { Ok(None) } else { T::from_value(value, name).map(Some) }
    }
}

impl<T: FromValue> FromValue for Vec<T> {
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        let Value::Array(values) = value else { return Err(FieldError::Invalid(name)) };
        let mut read = Self::with_capacity(values.len());
        for value in values {
            read.push(T::from_value(value, name)?);
        }
        Ok(read)
    }
}

impl<T: FromValue> FromValue for BTreeMap<String, T> {
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        let Value::Object(map) = value else { return Err(FieldError::Invalid(name)) };
        let mut read = Self::new();
        for (key, value) in map {
            read.insert(key, T::from_value(value, name)?);
        }
        Ok(read)
    }
}

impl FromValue for String {
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        if let Value::String(text) = value { Ok(text) } else { Err(FieldError::Invalid(name)) }
    }
}

impl FromValue for bool {
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        value.as_bool().ok_or(FieldError::Invalid(name))
    }
}

impl FromValue for u64 {
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        value.as_u64().ok_or(FieldError::Invalid(name))
    }
}

impl FromValue for u32 {
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        u64::from_value(value, name)?.try_into().map_err(|_| FieldError::Invalid(name))
    }
}

impl FromValue for Map<String, Value> {
    fn from_value(value: Value, name: &'static str) -> Result<Self, FieldError> {
        if let Value::Object(map) = value { Ok(map) } else { Err(FieldError::Invalid(name)) }
    }
}

impl FromValue for Value {
    fn from_value(value: Value, _name: &'static str) -> Result<Self, FieldError> {
        Ok(value)
    }
}

/// An enum of names alone, read from one of them.
pub(crate) fn by_name<T: DeserializeOwned>(value: &Value, name: &'static str) -> Result<T, FieldError> {
    let text = value.as_str().ok_or(FieldError::Invalid(name))?;
    T::deserialize(StrDeserializer::<serde_json::Error>::new(text)).map_err(|_| FieldError::Invalid(name))
}

/// What `Deserialize` does for a record that is read field by field.
pub fn deserialize<'de, D: Deserializer<'de>, T: FromFields>(deserializer: D) -> Result<T, D::Error> {
    let map = Map::deserialize(deserializer)?;
    T::from_fields(&mut Fields(map)).map_err(D::Error::custom)
}

/// Lets serde read these records, field by field.
#[macro_export]
macro_rules! read_by_fields {
    ($($record:ty),+ $(,)?) => {$(
        impl<'de> serde::Deserialize<'de> for $record {
            fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                $crate::fields::deserialize(deserializer)
            }
        }
    )+};
}

/// Lets fields hold these enums, which are names alone.
macro_rules! read_by_name {
    ($($names:ty),+ $(,)?) => {$(
        impl $crate::fields::FromValue for $names {
            fn from_value(
                value: serde_json::Value,
                name: &'static str,
            ) -> Result<Self, $crate::fields::FieldError> {
                $crate::fields::by_name(&value, name)
            }
        }
    )+};
}

pub(crate) use read_by_name;
