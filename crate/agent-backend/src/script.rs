//! The agent's texts and proposals, written in TOML.
//!
//! ```toml
//! name = "A friend in Solana"
//!
//! [[turn]]
//! when.message = "carol"                     # the user's message contains this, in any case
//! text = "Saving Carol."                     # streamed word by word
//! actions = ['''
//! {"id": "{{uuid:carol}}", "type": "add_address_book", "title": "Save Carol", "auto_execute": true,
//!  "params": {"entries": [{"title": "Carol", "address": "7EcD…", "chain": "Solana"}]}}
//! ''']
//!
//! [[turn]]
//! when.result_of = "carol"                   # the label above, or a literal action id
//! when.success = true
//! text = "Carol is in your address book."
//! ```
//!
//! A turn can depend on the tools that the client declared (`when.tool`, `when.no_tool`), propose one of them as an action
//! and use its result: `scripts/tools.toml` does.
//!
//! Items of the agent's inbox are answered by turns of their own, and results of pending calls and the parameters of actions while
//! they are being written are events of a turn:
//!
//! ```toml
//! [[turn]]
//! when.inbox = "plan_due"                    # an item of this type; when.inbox_tool = "confirmAction" for a late result of a tool
//! text = "Time for: {{inbox:/plan/text}}"
//!
//! [[turn]]
//! when.result_of = "form"
//! events = [
//!   { tool_input = 4 },                      # the params of this turn's actions as `tool_input`, four characters at a time
//!   { tool_input = { id = "a1", type = "chart", delta = '{"ti' } },   # one piece, of an action that may never come
//!   { tool_results = [{ run_id = "r", call_id = "{{pending:form}}", result = { ok = true } }] },
//! ]
//! ```
//!
//! The first turn whose conditions all hold answers. A message without a matching turn is answered with a sentence
//! that says so, a result or an item of the inbox without one with an empty message. Names in `{{ }}` are listed in `template`, faults in
//! `fault`.

use crate::fault::Fault;
use crate::template;
use serde::Deserialize;
use serde_json::Value;

/// A parsed script.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Script {
    /// A name for display.
    #[serde(default)]
    pub name: String,
    /// The turns; the first that matches answers.
    #[serde(default, rename = "turn")]
    pub turns: Vec<Turn>,
}

/// Why a script could not be parsed; names line and key.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ScriptError(String);

impl Script {
    /// Parses a script. The error names the line, and the key if there is one.
    pub fn parse(text: &str) -> Result<Self, ScriptError> {
        toml::from_str(text).map_err(|error| ScriptError(error.to_string()))
    }
}

/// A condition, and the agent's answer.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "WrittenTurn")]
pub struct Turn {
    /// The condition.
    pub when: When,
    /// Whether the turn answers only once in a conversation.
    pub once: bool,
    /// The agent's text.
    pub text: String,
    /// Milliseconds before each word.
    pub delay_ms: u64,
    /// A title for the conversation.
    pub title: Option<String>,
    /// The actions, each a JSON text that is sent unchanged, valid or not.
    pub actions: Vec<String>,
    /// How many actions go into one event; all if absent.
    pub actions_per_event: Option<usize>,
    /// Further events, sent between the text and the actions.
    pub events: Vec<ExtraEvent>,
    /// How the answer is written to a client that accepts a stream.
    pub dialect: Dialect,
    /// The faults of the answer.
    pub faults: Vec<Fault>,
}

/// The conditions of a turn; all given ones must hold.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct When {
    /// The user's message contains this, in any case.
    pub message: Option<String>,
    /// Any user message.
    #[serde(default)]
    pub any_message: bool,
    /// The result of this action: a label of `{{uuid:label}}`, or an action id.
    pub result_of: Option<String>,
    /// The result of an action of this type.
    pub action: Option<String>,
    /// The result's `success`.
    pub success: Option<bool>,
    /// A result that completes all actions proposed since the user's last message.
    #[serde(default)]
    pub last_result: bool,
    /// Any result.
    #[serde(default)]
    pub any_result: bool,
    /// An item of this type in the inbox: `tool_result`, `plan_due`.
    pub inbox: Option<String>,
    /// A late result of this tool in the inbox.
    pub inbox_tool: Option<String>,
    /// Any item of the inbox.
    #[serde(default)]
    pub any_inbox: bool,
    /// The client declared a tool of this name, in addition to the conditions above.
    pub tool: Option<String>,
    /// The client declared no tool of this name, in addition to the conditions above.
    pub no_tool: Option<String>,
}

impl When {
    pub(crate) fn is_of_message(&self) -> bool {
        self.message.is_some() || self.any_message
    }

    fn is_of_result(&self) -> bool {
        self.result_of.is_some()
            || self.action.is_some()
            || self.success.is_some()
            || self.last_result
            || self.any_result
    }

    pub(crate) fn is_of_inbox(&self) -> bool {
        self.inbox.is_some() || self.inbox_tool.is_some() || self.any_inbox
    }
}

/// The dialect of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// Events with names: `text_delta`, `actions`, `message`, `done`.
    #[default]
    Events,
    /// Events without names, with a `type` in the data: `text-delta`, `data-actions`, `data-message`, `finish`.
    UiMessageStream,
    /// One JSON document.
    Json,
}

/// An event beyond text, actions and message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExtraEvent {
    /// Sent unchanged: field names, line endings, empty line.
    Raw(String),
    /// An event with an optional name.
    Event {
        /// The name.
        name: Option<String>,
        /// The data; need not be JSON.
        data: String,
    },
    /// The `params` of the turn's actions, this many characters at a time, as `tool_input`.
    StreamedParams(usize),
    /// A piece of an action's `params`.
    ToolInput {
        /// The action's id.
        id: String,
        /// The action's type.
        kind: String,
        /// More JSON text of `params`.
        delta: String,
    },
    /// Results of pending calls, each a JSON text that is sent unchanged, valid or not.
    ToolResults(Vec<String>),
}

impl ExtraEvent {
    /// The texts in which names are replaced.
    fn texts(&self) -> Vec<&String> {
        match self {
            Self::Raw(text) | Self::Event { data: text, .. } => vec![text],
            Self::StreamedParams(_) => Vec::new(),
            Self::ToolInput { id, kind, delta } => vec![id, kind, delta],
            Self::ToolResults(results) => results.iter().collect(),
        }
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTurn {
    when: When,
    #[serde(default)]
    once: bool,
    #[serde(default)]
    text: String,
    #[serde(default)]
    delay_ms: u64,
    title: Option<String>,
    actions: Option<Value>,
    actions_per_event: Option<usize>,
    #[serde(default)]
    events: Vec<Value>,
    #[serde(default)]
    dialect: Dialect,
    #[serde(default, rename = "fault")]
    faults: Vec<Fault>,
}

/// A turn that is TOML but not valid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
enum TurnError {
    #[error(
        "`when` has no condition; give message, any_message, result_of, action, success, last_result, any_result, \
         inbox, inbox_tool or any_inbox"
    )]
    NoCondition,
    #[error("`when` mixes conditions on a message, on a result and on the inbox")]
    MixedConditions,
    #[error("`actions` must be a list of tables and JSON texts, or one JSON text of the whole list")]
    Actions,
    #[error("`actions_per_event` must be 1 or more")]
    ActionsPerEvent,
    #[error(
        "an event must be a text sent as it stands, or a table with `data` and perhaps `event`, with `tool_input` or \
         with `tool_results`"
    )]
    Event,
    #[error(
        "`tool_input` must be a number of characters, 1 or more, or a table with `id`, `type` and `delta`"
    )]
    ToolInput,
    #[error("`tool_results` must be a list of tables and JSON texts, or one JSON text of the whole list")]
    ToolResults,
    #[error("`{key}` has the unknown name `{{{{{name}}}}}`")]
    UnknownName { key: &'static str, name: String },
}

impl TryFrom<WrittenTurn> for Turn {
    type Error = TurnError;

    fn try_from(written: WrittenTurn) -> Result<Self, TurnError> {
        let when = &written.when;
        let sorts = [when.is_of_message(), when.is_of_result(), when.is_of_inbox()];
        match sorts.into_iter().filter(|holds| *holds).count() {
            0 => return Err(TurnError::NoCondition),
            1 => {}
            _ => return Err(TurnError::MixedConditions),
        }
        if written.actions_per_event == Some(0) {
            return Err(TurnError::ActionsPerEvent);
        }
        let turn = Self {
            when: written.when,
            once: written.once,
            text: written.text,
            delay_ms: written.delay_ms,
            title: written.title,
            actions: written.actions.map_or(Some(Vec::new()), elements).ok_or(TurnError::Actions)?,
            actions_per_event: written.actions_per_event,
            events: written.events.into_iter().map(event).collect::<Result<_, _>>()?,
            dialect: written.dialect,
            faults: written.faults,
        };
        let events = turn.events.iter().flat_map(ExtraEvent::texts).map(|text| ("events", text));
        let texts = [("text", &turn.text)]
            .into_iter()
            .chain(turn.title.iter().map(|title| ("title", title)))
            .chain(turn.actions.iter().map(|action| ("actions", action)))
            .chain(events);
        for (key, text) in texts {
            if let Some(name) = template::unknown_name(text) {
                return Err(TurnError::UnknownName { key, name: name.to_owned() });
            }
        }
        Ok(turn)
    }
}

/// The elements of a list as JSON texts. A text in a list is one element; a text instead of the list is the whole list.
fn elements(written: Value) -> Option<Vec<String>> {
    match written {
        Value::Array(elements) => elements
            .into_iter()
            .map(|element| match element {
                Value::String(text) => Some(text.trim().to_owned()),
                element @ Value::Object(_) => Some(element.to_string()),
                _ => None,
            })
            .collect(),
        Value::String(text) => {
            let inside = text.trim().strip_prefix('[').and_then(|open| open.strip_suffix(']'));
            Some(vec![inside?.trim().to_owned()])
        }
        _ => None,
    }
}

/// A text is the event itself, a table its content.
fn event(written: Value) -> Result<ExtraEvent, TurnError> {
    let mut table = match written {
        Value::String(text) => return Ok(ExtraEvent::Raw(text)),
        Value::Object(table) => table,
        _ => return Err(TurnError::Event),
    };
    if let Some(input) = table.remove("tool_input") {
        return if table.is_empty() { tool_input(input) } else { Err(TurnError::Event) };
    }
    if let Some(results) = table.remove("tool_results") {
        let results = elements(results).ok_or(TurnError::ToolResults)?;
        return if table.is_empty() { Ok(ExtraEvent::ToolResults(results)) } else { Err(TurnError::Event) };
    }
    let name = match table.remove("event") {
        None => None,
        Some(Value::String(name)) => Some(name),
        Some(_) => return Err(TurnError::Event),
    };
    let data = match table.remove("data") {
        None => return Err(TurnError::Event),
        Some(Value::String(text)) => text,
        Some(value) => value.to_string(),
    };
    if table.is_empty() { Ok(ExtraEvent::Event { name, data }) } else { Err(TurnError::Event) }
}

fn tool_input(written: Value) -> Result<ExtraEvent, TurnError> {
    if let Some(size) = written.as_u64().and_then(|size| usize::try_from(size).ok()).filter(|size| *size > 0)
    {
        return Ok(ExtraEvent::StreamedParams(size));
    }
    let text =
        |key: &str| written.get(key).and_then(Value::as_str).map(str::to_owned).ok_or(TurnError::ToolInput);
    Ok(ExtraEvent::ToolInput { id: text("id")?, kind: text("type")?, delta: text("delta")? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fault::At;

    #[test]
    fn both_forms_of_actions() {
        let script = Script::parse(
            r#"
            [[turn]]
            when.message = "a"
            actions = [
              '''{"id": "1", "type": }''',
              { id = "{{uuid}}", type = "add_chain", params = { chains = [{ chain = "Solana" }] } },
            ]
            [[turn]]
            when.last_result = true
            actions = '''[ {"id":"2"}, 7 ]'''
            events = [": ping\n\n", { event = "tool_progress", data = { tool = "x" } }, { data = "[DONE]" }]
            [[turn.fault]]
            kind = "cut"
            after_event = 1
            times = 1
            "#,
        )
        .unwrap();
        let [first, second] = script.turns.as_slice() else { panic!("two turns") };
        assert_eq!(
            first.actions,
            [
                r#"{"id": "1", "type": }"#,
                r#"{"id":"{{uuid}}","params":{"chains":[{"chain":"Solana"}]},"type":"add_chain"}"#
            ]
        );
        assert_eq!(second.actions, [r#"{"id":"2"}, 7"#]);
        assert_eq!(
            second.events,
            [
                ExtraEvent::Raw(": ping\n\n".into()),
                ExtraEvent::Event { name: Some("tool_progress".into()), data: r#"{"tool":"x"}"#.into() },
                ExtraEvent::Event { name: None, data: "[DONE]".into() },
            ]
        );
        assert_eq!(second.faults, [Fault::cut(At::AfterEvent(1)).times(1)]);
    }

    /// The error of a script: the line first, then the key or the reason.
    #[test]
    fn errors_name_line_and_key() {
        for (text, line, says) in [
            ("[[turn]]\nwhen.message = \"a\"\ntxt = \"b\"", 3, "txt"),
            ("[[turn]]\nwhen.messages = \"a\"", 2, "messages"),
            ("[[turn]]\nwhen.message = 7", 2, "expected a string"),
            ("name = \"x\"\n\n[[turn]]\ntext = \"b\"", 3, "when"),
            ("\n[[turn]]\nwhen.success = true\nwhen.message = \"a\"", 2, "mixes conditions"),
            ("[[turn]]\nwhen.any_inbox = true\nwhen.message = \"a\"", 1, "mixes conditions"),
            ("[[turn]]\nwhen.inbox = \"plan_due\"\nevents = [{ tool_input = 0 }]", 1, "`tool_input`"),
            ("[[turn]]\nwhen.inbox = \"plan_due\"\nevents = [{ tool_results = 0 }]", 1, "`tool_results`"),
            ("[[turn]]\nwhen = {}", 1, "no condition"),
            ("[[turn]]\nwhen.tool = \"a\"", 1, "no condition"),
            ("[[turn]]\nwhen.message = \"a\"\ndialect = \"morse\"", 3, "morse"),
            (
                "[[turn]]\nwhen.message = \"a\"\ntext = \"{{uid}}\"",
                1,
                "`text` has the unknown name `{{uid}}`",
            ),
            ("[[turn]]\nwhen.message = \"a\"\n[[turn.fault]]\nkind = \"cat\"", 3, "unknown fault kind `cat`"),
            ("[[turn]]\nwhen.message = \"a\"\n[[turn.fault]]\nkind = \"huge\"", 3, "needs `bytes`"),
            ("[[turn]]\nwhen.message = \"a\n", 2, "string"),
        ] {
            let error = Script::parse(text).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line}")), "{text}\n{error}");
            assert!(error.contains(says), "{text}\n{error}");
        }
    }
}
