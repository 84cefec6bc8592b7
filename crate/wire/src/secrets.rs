//! The secrets that tools use, as pages see them: by name, never by value.

use crate::api::Millis;
use derive::Record;

/// GET `/api/secrets`: those of the active vault, by name.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
pub struct Secrets {
    /// The secrets.
    pub secrets: Vec<SecretView>,
}

/// A secret without its value.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SecretView {
    /// What templates call it.
    pub name: String,
    /// When it was last saved.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub updated_at: Millis,
}
