//! Protobuf without its schema: fields by number. A field of bytes that reads as a message is one here as well, so that
//! what is inside can be changed.

use std::fmt::Write as _;

/// A message: its fields in the order of the bytes.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Message(pub(crate) Vec<Field>);

/// A field.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Field {
    pub(crate) number: u32,
    pub(crate) value: Value,
}

/// What a field has.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Value {
    /// A number.
    Number(u64),
    /// Text or bytes.
    Text(Vec<u8>),
    /// Bytes that read as a message.
    Message(Message),
}

/// The places of a field: first in the message, then in the message that is there, and so on.
pub(crate) type Place = Vec<usize>;

impl Message {
    /// Reads a message of numbers, texts and messages, which is all that payloads have.
    pub(crate) fn parse(mut bytes: &[u8]) -> Option<Self> {
        let mut fields = Vec::new();
        while !bytes.is_empty() {
            let key = number(&mut bytes)?;
            let field = u32::try_from(key >> 3).ok().filter(|number| (1..1000).contains(number))?;
            let value = match key & 7 {
                0 => Value::Number(number(&mut bytes)?),
                2 => {
                    let length = usize::try_from(number(&mut bytes)?).ok()?;
                    let (value, rest) = bytes.split_at_checked(length)?;
                    bytes = rest;
                    let inner =
                        Self::parse(value).filter(|inner| !inner.0.is_empty() && inner.bytes() == value);
                    inner.map_or_else(|| Value::Text(value.to_vec()), Value::Message)
                }
                _ => return None,
            };
            fields.push(Field { number: field, value });
        }
        Some(Self(fields))
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for field in &self.0 {
            let key = u64::from(field.number) << 3;
            let text = match &field.value {
                Value::Number(value) => {
                    write(&mut bytes, key);
                    write(&mut bytes, *value);
                    continue;
                }
                Value::Text(text) => text.clone(),
                Value::Message(message) => message.bytes(),
            };
            write(&mut bytes, key | 2);
            write(&mut bytes, u64::try_from(text.len()).unwrap());
            bytes.extend(text);
        }
        bytes
    }

    /// The places of all fields, also of those inside others.
    pub(crate) fn paths(&self) -> Vec<Place> {
        let mut paths = Vec::new();
        for (place, field) in self.0.iter().enumerate() {
            paths.push(vec![place]);
            if let Value::Message(inner) = &field.value {
                let inside = inner.paths().into_iter();
                paths.extend(inside.map(|rest| [vec![place], rest].concat()));
            }
        }
        paths
    }

    /// All values, also those inside others.
    pub(crate) fn values(&self) -> Vec<Value> {
        self.paths().iter().map(|path| self.at(path).clone()).collect()
    }

    /// The value at a place.
    pub(crate) fn at(&self, path: &[usize]) -> &Value {
        let (first, rest) = path.split_first().unwrap();
        let value = &self.0.get(*first).unwrap().value;
        match (value, rest) {
            (value, []) => value,
            (Value::Message(inner), rest) => inner.at(rest),
            _ => unreachable!("a place that was made from this message"),
        }
    }

    /// The same with another value at a place.
    pub(crate) fn with(&self, path: &[usize], value: Value) -> Self {
        self.edited(path, &mut |fields, place| fields.get_mut(place).unwrap().value = value.clone())
    }

    /// The same without a field.
    pub(crate) fn without(&self, path: &[usize]) -> Self {
        self.edited(path, &mut |fields, place| drop(fields.remove(place)))
    }

    /// The same with another value wherever a value stands.
    pub(crate) fn renamed(&self, old: &Value, new: &Value) -> Self {
        let renamed = |field: &Field| {
            let value = match &field.value {
                value if value == old => new.clone(),
                Value::Message(inner) => Value::Message(inner.renamed(old, new)),
                value => value.clone(),
            };
            Field { number: field.number, value }
        };
        Self(self.0.iter().map(renamed).collect())
    }

    fn edited(&self, path: &[usize], edit: &mut dyn FnMut(&mut Vec<Field>, usize)) -> Self {
        let (first, rest) = path.split_first().unwrap();
        let mut fields = self.0.clone();
        if rest.is_empty() {
            edit(&mut fields, *first);
        } else if let Value::Message(inner) = &mut fields.get_mut(*first).unwrap().value {
            *inner = inner.edited(rest, edit);
        }
        Self(fields)
    }

    /// The fields in which another message differs, for a person.
    pub(crate) fn difference(&self, other: &Self) -> String {
        let mut text = String::new();
        for field in self.0.iter().filter(|field| !other.0.contains(field)) {
            let shown = match (&field.value, other.0.iter().find(|same| same.number == field.number)) {
                (Value::Message(new), Some(Field { value: Value::Message(old), .. })) => new.difference(old),
                (Value::Text(text), _) => format!("{:?}", String::from_utf8_lossy(text)),
                (value, _) => format!("{value:?}"),
            };
            write!(text, "{{{}: {shown}}}", field.number).unwrap();
        }
        if text.is_empty() { "a field less".to_owned() } else { text }
    }
}

fn number(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0_u64;
    for shift in (0..64).step_by(7) {
        let (first, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(first & 0x7f) << shift;
        if first & 0x80 == 0 {
            return Some(value);
        }
    }
    None
}

fn write(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(u8::try_from(number & 0x7f).unwrap() | 0x80);
        number >>= 7;
    }
    bytes.push(u8::try_from(number).unwrap());
}
