//! Values of typed data, as explanations look at them.

use crate::address::evm;
use crate::{Amount, encoding};

/// A value, read by its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Address([u8; 20]),
    Number(Amount),
    Negative(Amount),
    Bool(bool),
    Bytes(Vec<u8>),
    Text(String),
    List(Vec<Value>),
    /// The members in the order of the type.
    Struct(Vec<(String, Value)>),
}

impl Value {
    /// A member by its path: `details.token`.
    pub(crate) fn get(&self, path: &str) -> Option<&Self> {
        path.split('.').try_fold(self, |value, name| match value {
            Self::Struct(members) => members.iter().find(|(found, _)| found == name).map(|(_, value)| value),
            _ => None,
        })
    }

    pub(crate) fn address(&self, path: &str) -> Option<[u8; 20]> {
        if let Self::Address(address) = self.get(path)? { Some(*address) } else { None }
    }

    pub(crate) fn number(&self, path: &str) -> Option<Amount> {
        if let Self::Number(number) = self.get(path)? { Some(*number) } else { None }
    }

    pub(crate) fn bytes(&self, path: &str) -> Option<&[u8]> {
        if let Self::Bytes(bytes) = self.get(path)? { Some(bytes) } else { None }
    }

    pub(crate) fn truth(&self, path: &str) -> Option<bool> {
        if let Self::Bool(truth) = self.get(path)? { Some(*truth) } else { None }
    }

    pub(crate) fn text(&self, path: &str) -> Option<&str> {
        if let Self::Text(text) = self.get(path)? { Some(text) } else { None }
    }

    pub(crate) fn list(&self, path: &str) -> Option<&[Self]> {
        if let Self::List(list) = self.get(path)? { Some(list) } else { None }
    }

    /// Every value that is none of others, with its path. None is left out: what is not shown could be what matters.
    pub(crate) fn flatten(&self, path: &str, out: &mut Vec<(String, String)>) {
        let under = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
        match self {
            Self::Struct(members) if !members.is_empty() => {
                members.iter().for_each(|(name, value)| value.flatten(&under(name), out));
            }
            Self::List(values) if !values.is_empty() => {
                for (index, value) in values.iter().enumerate() {
                    value.flatten(&format!("{path}[{index}]"), out);
                }
            }
            value => out.push((path.to_owned(), value.shown())),
        }
    }

    fn shown(&self) -> String {
        match self {
            Self::Address(address) => evm::encode(address),
            Self::Number(number) => number.to_string(),
            Self::Negative(number) => format!("-{number}"),
            Self::Bool(truth) => truth.to_string(),
            Self::Bytes(bytes) => format!("0x{}", encoding::hex(bytes)),
            Self::Text(text) => crate::message::text::visible(text).0,
            Self::List(_) => "[]".to_owned(),
            Self::Struct(_) => "{}".to_owned(),
        }
    }
}
