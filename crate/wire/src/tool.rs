//! Tools on the wire: what a tool is and what it gave (specification 003). camelCase.

use crate::api::Millis;
use crate::json::{Fields, FromFields, ToFields, Writer};
use crate::sorted::SortedMap;
use derive::Record;
use serde_json::Value;

/// What a tool does to the world.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Category {
    /// Looks only.
    Read,
    /// Changes records.
    Write,
    /// Removes records.
    Delete,
    /// Reaches beyond the wallet: sends, signs, calls.
    SideEffect,
}

/// How grave a mistake would be; independent of the category.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Consequence {
    /// Easily undone.
    Low,
    /// Undone with effort.
    Medium,
    /// Not undone.
    High,
}

/// A tool of any kind, as lists show it and as the agent is told of it.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolDefinition {
    /// The action type; snake_case.
    pub name: String,
    /// What it does and when to use it.
    pub description: String,
    /// JSON Schema of its arguments.
    #[cfg_attr(feature = "ts", ts(type = "unknown"))]
    pub schema: Value,
    /// What it does to the world.
    pub category: Category,
    /// How grave a mistake would be.
    pub consequence_level: Consequence,
    /// Whether the user is always asked, also when the sender says not to.
    pub requires_confirmation: bool,
    /// How long an execution may take, in milliseconds.
    #[cfg_attr(feature = "ts", ts(type = "number"))]
    pub timeout: Millis,
    /// Words to filter by.
    #[record(default)]
    pub tags: Vec<String>,
    /// Its label, where tools of this kind have versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "ts", ts(optional))]
    pub version: Option<String>,
    /// Names of the tools that it calls.
    #[record(default)]
    pub depends_on: Vec<String>,
}

/// What a call sends, and where, as the user is shown it before. Secrets are names.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct Preview {
    /// The tool that sends it.
    pub tool: String,
    /// Its exact record.
    pub tool_id: String,
    /// With the port where it is not the scheme's own.
    pub host: String,
    /// `GET`, `POST`, ….
    pub method: String,
    /// The address, with names in the place of secrets.
    pub url: String,
    /// By name, with names in the place of secrets.
    #[cfg_attr(feature = "ts", ts(type = "Record<string, string>"))]
    pub headers: SortedMap<String, String>,
    /// The body, with names in the place of secrets; only its beginning if it is long.
    pub body: Option<String>,
    /// The names of the secrets that are sent.
    pub secrets: Vec<String>,
    /// Of the request, whole (hex). Empty for a step, whose arguments are known when it runs: what it sends is shown as its
    /// templates.
    pub digest: String,
    /// Of a tool of several steps: what each of them sends.
    #[record(default)]
    pub steps: Vec<Self>,
}

/// What an execution gave: data or an error, never both.
#[derive(Debug, Clone, PartialEq, Record)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS))]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The definition's name.
    pub tool: String,
    /// When the attempt was made: ISO 8601, UTC, with milliseconds and `Z`.
    pub fetched_at: String,
    /// What came of it.
    #[serde(flatten)]
    pub outcome: ToolOutcome,
}

/// The field `data` or the field `error`.
#[derive(Debug, Clone, PartialEq)]
#[cfg_attr(feature = "ts", derive(ts_rs::TS), ts(rename_all = "snake_case"))]
pub enum ToolOutcome {
    /// It worked, and gave this; the field is there for `null` too.
    Data(#[cfg_attr(feature = "ts", ts(type = "unknown"))] Value),
    /// It did not, and why.
    Error(String),
}

impl ToFields for ToolOutcome {
    fn to_fields(&self, out: &mut Writer) {
        match self {
            Self::Data(data) => out.field("data", data),
            Self::Error(error) => out.field("error", error),
        }
    }
}

impl FromFields for ToolOutcome {
    fn from_fields(fields: &mut Fields<'_>) -> Self {
        match fields.take("error") {
            Some(error) => Self::Error(error),
            None => Self::Data(fields.take_or("data", || Value::Null)),
        }
    }
}

/// `2001-02-03T04:05:06.007Z` (days to a date after Hinnant's `civil_from_days`).
pub fn iso_time(at: Millis) -> String {
    let (days, in_day) = (at / 86_400_000, at % 86_400_000);
    let shifted = days + 719_468;
    let (era, in_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (in_era - in_era / 1460 + in_era / 36_524 - in_era / 146_096) / 365;
    let in_year = in_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let from_march = (5 * in_year + 2) / 153;
    let day = in_year - (153 * from_march + 2) / 5 + 1;
    let month = if from_march < 10 { from_march + 3 } else { from_march - 9 };
    let year = year_of_era + era * 400 + u64::from(month <= 2);
    let (hour, minute) = (in_day / 3_600_000, in_day / 60_000 % 60);
    let (second, milli) = (in_day / 1000 % 60, in_day % 1000);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{milli:03}Z")
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::{from_value, json, to_value};

    fn result(outcome: ToolOutcome) -> ToolResult {
        ToolResult { tool: "get_weather".to_owned(), fetched_at: iso_time(0), outcome }
    }

    /// T003-18, T003-20, T003-21, T003-22, T003-23, T003-27: the four keys of specification 003, of `data` and `error`
    /// exactly one, and `data` also where it is `null`.
    #[test]
    fn data_or_error_and_never_both() {
        let cases = [
            (ToolOutcome::Data(json!({"x": 1})), json!({"data": {"x": 1}})),
            (ToolOutcome::Data(Value::Null), json!({"data": null})),
            (ToolOutcome::Error("not_found".to_owned()), json!({"error": "not_found"})),
        ];
        for (outcome, mut written) in cases {
            written["tool"] = json!("get_weather");
            written["fetchedAt"] = json!("1970-01-01T00:00:00.000Z");
            let result = result(outcome);
            assert_eq!(to_value(&result).unwrap(), written);
            assert_eq!(from_value::<ToolResult>(written).unwrap(), result);
        }
    }

    /// T003-5, T003-6: four categories and three levels, and no other.
    #[test]
    fn categories_and_levels() {
        for (name, category) in [
            ("read", Category::Read),
            ("write", Category::Write),
            ("delete", Category::Delete),
            ("side_effect", Category::SideEffect),
        ] {
            assert_eq!(from_value::<Category>(json!(name)).unwrap(), category);
        }
        for (name, level) in
            [("low", Consequence::Low), ("medium", Consequence::Medium), ("high", Consequence::High)]
        {
            assert_eq!(from_value::<Consequence>(json!(name)).unwrap(), level);
        }
        for other in [json!("Read"), json!("sideEffect"), json!("critical"), json!(""), json!(null), json!(1)]
        {
            assert!(from_value::<Category>(other.clone()).is_err(), "{other}");
            assert!(from_value::<Consequence>(other.clone()).is_err(), "{other}");
        }
    }

    /// T003-19: UTC with milliseconds and `Z`.
    #[test]
    fn times() {
        assert_eq!(iso_time(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(iso_time(951_782_400_001), "2000-02-29T00:00:00.001Z");
        assert_eq!(iso_time(1_735_689_599_999), "2024-12-31T23:59:59.999Z");
        assert_eq!(iso_time(1_736_937_000_000), "2025-01-15T10:30:00.000Z");
    }
}
