//! A secret text: a password, a seed phrase, or a key in transit between two modules.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use zeroize::Zeroizing;

/// A secret text. Wiped when it goes; prints as nothing.
#[derive(Clone, Default)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// Takes a text over.
    pub fn new(text: String) -> Self {
        Self(Zeroizing::new(text))
    }

    /// Exposes the text.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether there is nothing in it.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText")
    }
}

impl Serialize for SecretText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for SecretText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        String::deserialize(deserializer).map(Self::new)
    }
}

#[cfg(test)]
mod tests {
    use super::SecretText;

    #[test]
    fn prints_nothing_of_itself() {
        let secret: SecretText = serde_json::from_str("\"hunter2\"").unwrap();
        assert_eq!((format!("{secret:?}").as_str(), secret.expose()), ("SecretText", "hunter2"));
    }
}
