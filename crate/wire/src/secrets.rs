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

/// GET `/api/oauth/{toolId}`: whether a tool is signed in to its OAuth 2 server, for the active vault.
#[derive(Debug, Clone, Default, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SignInState {
    /// Whether there is a token.
    pub signed_in: bool,
    /// Until when it is good, where the server said so. It may be refreshed then.
    #[cfg_attr(feature = "ts", ts(type = "number | null"))]
    pub expires_at: Option<Millis>,
    /// What it is good for.
    pub scopes: Vec<String>,
}

/// POST `/api/oauth/{toolId}/begin`.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct SignInAddress {
    /// Where the browser lets the user decide.
    pub authorization_url: String,
}
