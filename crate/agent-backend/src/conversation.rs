//! One conversation: its proposals, their results, and the next turn of the script.

use crate::declared::DeclaredTool;
use crate::reply::{Extra, Reply};
use crate::request::{ActionResult, InboxItem, Message};
use crate::script::{ExtraEvent, Script, Turn, When};
use crate::sse::Event;
use crate::template::{self, Into, Labels, Values};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

/// The state of a conversation.
#[derive(Debug, Clone)]
pub(crate) struct Conversation {
    pub(crate) id: String,
    seed: u64,
    number: u64,
    answers: u64,
    labels: BTreeMap<String, Vec<String>>,
    issued: BTreeMap<String, Option<String>>,
    /// The ids proposed since the user's last message: an unanswered action must not affect later ones.
    current: BTreeSet<String>,
    outcomes: BTreeMap<String, Outcome>,
    /// The key under which each item of the inbox came first.
    items: BTreeMap<String, String>,
    used: BTreeSet<usize>,
    /// The tools that the client declared last.
    tools: Vec<DeclaredTool>,
    /// How often a turn's fault has applied, by the indexes of both.
    pub(crate) faults_done: BTreeMap<(usize, usize), u32>,
}

/// The last result of an action.
#[derive(Debug, Clone)]
struct Outcome {
    key: String,
    success: bool,
    data: Option<Value>,
    error: Option<String>,
}

impl Conversation {
    pub(crate) fn new(seed: u64, number: u64) -> Self {
        Self {
            id: template::uuid(seed, &[number]),
            seed,
            number,
            answers: 0,
            labels: BTreeMap::new(),
            issued: BTreeMap::new(),
            current: BTreeSet::new(),
            outcomes: BTreeMap::new(),
            items: BTreeMap::new(),
            used: BTreeSet::new(),
            tools: Vec::new(),
            faults_done: BTreeMap::new(),
        }
    }

    /// Replaces the declared tools. A request that says nothing about tools leaves them.
    pub(crate) fn declare(&mut self, tools: Vec<DeclaredTool>) {
        self.tools = tools;
    }

    /// Accepts a result. Returns whether it repeats an earlier one, and the client's violations.
    pub(crate) fn take(&mut self, result: &ActionResult, key: &str) -> (bool, Vec<String>) {
        let mut wrong = Vec::new();
        match self.issued.get(&result.action_id) {
            // An element without an id can only be answered without one (T000-11).
            None if result.action_id.is_empty() => {}
            None => wrong.push(format!("result of action {} that was never proposed", result.action_id)),
            Some(Some(kind)) if *kind != result.action => wrong.push(format!(
                "result of action {} says it was a {}, proposed was a {kind} (T000-13)",
                result.action_id, result.action
            )),
            Some(_) => {}
        }
        let before = self.outcomes.insert(
            result.action_id.clone(),
            Outcome {
                key: key.to_owned(),
                success: result.success,
                data: result.data.clone(),
                error: result.error.clone(),
            },
        );
        if let Some(before) = &before
            && before.key != key
            && !before.data.as_ref().is_some_and(is_open)
        {
            wrong.push(format!(
                "second result of action {} under another Idempotency-Key (D1)",
                result.action_id
            ));
        }
        (before.is_some(), wrong)
    }

    /// Accepts an item of the inbox. Returns whether it came before, and the client's violation.
    pub(crate) fn take_item(&mut self, item: &InboxItem, key: &str) -> (bool, Option<String>) {
        match self.items.get(&item.id) {
            Some(before) if before != key => {
                (true, Some(format!("item {} of the inbox again under another Idempotency-Key", item.id)))
            }
            Some(_) => (true, None),
            None => {
                self.items.insert(item.id.clone(), key.to_owned());
                (false, None)
            }
        }
    }

    /// The answer to an accepted message.
    pub(crate) fn reply(&mut self, script: &Script, message: &Message, at_ms: u64) -> Reply {
        self.answers += 1;
        if matches!(message, Message::Content(_)) {
            self.current.clear();
        }
        let found = script
            .turns
            .iter()
            .enumerate()
            .find(|(at, turn)| !(turn.once && self.used.contains(at)) && self.holds(&turn.when, message));
        let mut values = Filling { conversation: self, message, fresh: 0 };
        let message_id = values.fresh();
        let mut labels = Labels::new();
        let mut reply = match found {
            Some((at, turn)) => Reply { turn: Some(at), ..fill(turn, &mut labels, &mut values) },
            None => Reply {
                text: match message {
                    Message::Content(_) => "There is nothing in my script for that.".to_owned(),
                    Message::Result(_) | Message::Inbox(_) => String::new(),
                },
                ..Reply::default()
            },
        };
        reply.message = json!({
            "id": message_id,
            "conversation_id": self.id,
            "role": "assistant",
            "content": reply.text,
            "content_type": "text",
            "created_at": rfc3339(at_ms),
        })
        .to_string();
        self.used.extend(reply.turn);
        for (id, kind) in reply.proposed() {
            self.current.insert(id.clone());
            self.issued.insert(id, kind);
        }
        for (label, id) in labels {
            self.labels.entry(label).or_default().push(id);
        }
        reply
    }

    fn holds(&self, when: &When, message: &Message) -> bool {
        let declared = |name: &String| self.tools.iter().any(|tool| tool.name == *name);
        if !when.tool.as_ref().is_none_or(declared) || when.no_tool.as_ref().is_some_and(declared) {
            return false;
        }
        match message {
            Message::Content(content) => {
                when.is_of_message()
                    && when
                        .message
                        .as_ref()
                        .is_none_or(|part| content.to_lowercase().contains(&part.to_lowercase()))
            }
            Message::Result(result) => {
                !when.is_of_message()
                    && !when.is_of_inbox()
                    && when.result_of.as_ref().is_none_or(|name| {
                        *name == result.action_id
                            || self.labels.get(name).is_some_and(|ids| ids.contains(&result.action_id))
                    })
                    && when.action.as_ref().is_none_or(|action| *action == result.action)
                    && when.success.is_none_or(|success| success == result.success)
                    && (!when.last_result || self.is_last(&result.action_id))
            }
            Message::Inbox(items) => {
                let has = |key: &str, value: &String| {
                    items.iter().any(|item| item.item.get(key).and_then(Value::as_str) == Some(value))
                };
                when.is_of_inbox()
                    && when.inbox.as_ref().is_none_or(|kind| has("type", kind))
                    && when.inbox_tool.as_ref().is_none_or(|tool| has("tool", tool))
            }
        }
    }

    fn is_last(&self, action_id: &str) -> bool {
        self.current.contains(action_id) && self.current.iter().all(|id| self.outcomes.contains_key(id))
    }
}

fn fill(turn: &Turn, labels: &mut Labels, values: &mut dyn Values) -> Reply {
    let mut put = |text: &str, into| template::fill(text, into, labels, values);
    // Actions first: an id in the text is then the id of this answer's action.
    let actions: Vec<String> = turn.actions.iter().map(|action| put(action, Into::Json)).collect();
    let events = turn
        .events
        .iter()
        .flat_map(|event| match event {
            ExtraEvent::Raw(text) => vec![Extra::Event(Event::Raw(put(text, Into::Json).into_bytes()))],
            ExtraEvent::Event { name, data } => {
                let data = put(data, Into::Json).into_bytes();
                vec![Extra::Event(Event::Named { name: name.clone(), data })]
            }
            ExtraEvent::StreamedParams(size) => {
                actions.iter().flat_map(|action| streamed_params(action, *size)).collect()
            }
            ExtraEvent::ToolInput { id, kind, delta } => vec![Extra::ToolInput {
                id: put(id, Into::Text),
                kind: put(kind, Into::Text),
                delta: put(delta, Into::Json),
            }],
            ExtraEvent::ToolResults(results) => {
                vec![Extra::ToolResults(results.iter().map(|result| put(result, Into::Json)).collect())]
            }
        })
        .collect();
    Reply {
        turn: None,
        dialect: turn.dialect,
        actions,
        actions_per_event: turn.actions_per_event,
        events,
        text: put(turn.text.trim(), Into::Text),
        delay_ms: turn.delay_ms,
        title: turn.title.as_ref().map(|title| put(title, Into::Text)),
        message: String::new(),
    }
}

/// The `params` of an action as pieces of this many characters; none if the action cannot be parsed.
fn streamed_params(action: &str, size: usize) -> Vec<Extra> {
    let action: Value = serde_json::from_str(action).unwrap_or_default();
    let text = |key: &str| action.get(key).and_then(Value::as_str).map(str::to_owned);
    let (Some(id), Some(kind), Some(params)) = (text("id"), text("type"), action.get("params")) else {
        return Vec::new();
    };
    let characters: Vec<char> = params.to_string().chars().collect();
    characters
        .chunks(size)
        .map(|piece| Extra::ToolInput { id: id.clone(), kind: kind.clone(), delta: piece.iter().collect() })
        .collect()
}

/// Whether a result left a transaction open, so that a later result is not a contradiction (D4).
fn is_open(data: &Value) -> bool {
    data.get("transactions").and_then(Value::as_array).is_some_and(|steps| {
        steps
            .iter()
            .any(|step| matches!(step.get("status").and_then(Value::as_str), Some("timeout" | "pending")))
    })
}

struct Filling<'a> {
    conversation: &'a Conversation,
    message: &'a Message,
    fresh: u64,
}

impl Values for Filling<'_> {
    fn fresh(&mut self) -> String {
        self.fresh += 1;
        let conversation = self.conversation;
        template::uuid(conversation.seed, &[conversation.number, conversation.answers, self.fresh])
    }

    fn value(&self, name: &str, argument: Option<&str>) -> Option<String> {
        let conversation = self.conversation;
        let last = |label: &str| conversation.labels.get(label).and_then(|ids| ids.last());
        let count = |success| {
            let outcomes = conversation.current.iter().filter_map(|id| conversation.outcomes.get(id));
            outcomes.filter(|outcome| outcome.success == success).count()
        };
        match (name, argument) {
            ("n", None) => Some(conversation.answers.to_string()),
            ("conversation", None) => Some(conversation.id.clone()),
            ("message", None) => match self.message {
                Message::Content(content) => Some(content.clone()),
                Message::Result(_) | Message::Inbox(_) => None,
            },
            ("succeeded", None) => Some(count(true).to_string()),
            ("failed", None) => Some(count(false).to_string()),
            ("last", Some(label)) => last(label).cloned(),
            ("rest", Some(words)) => match self.message {
                Message::Content(content) => Some(rest(content, words)),
                Message::Result(_) | Message::Inbox(_) => None,
            },
            ("inbox", Some(pointer)) => match self.message {
                Message::Inbox(items) => Some(plain(items.first()?.item.pointer(pointer)?)),
                Message::Content(_) | Message::Result(_) => None,
            },
            ("pending", Some(label)) => {
                let data = conversation.outcomes.get(last(label)?)?.data.as_ref()?;
                Some(plain(data.get("pendingToolCallId")?))
            }
            ("tools", None) => {
                let names: Vec<&str> = conversation.tools.iter().map(|tool| tool.name.as_str()).collect();
                Some(if names.is_empty() { "none".to_owned() } else { names.join(", ") })
            }
            ("tool", Some(argument)) => {
                let (name, pointer) = argument.split_once(':')?;
                Some(plain(&conversation.tools.iter().find(|tool| tool.name == name)?.at(pointer)?))
            }
            ("error", Some(label)) => conversation.outcomes.get(last(label)?)?.error.clone(),
            ("result", Some(argument)) => {
                let (label, pointer) = argument.split_once(':')?;
                Some(plain(conversation.outcomes.get(last(label)?)?.data.as_ref()?.pointer(pointer)?))
            }
            _ => None,
        }
    }
}

/// A string as it is, any other value as JSON.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}

/// What follows these words in a text, without spaces and punctuation around it; empty if they are not there.
fn rest(text: &str, words: &str) -> String {
    let words = words.to_lowercase();
    let after = text.char_indices().find_map(|(at, _)| {
        let tail = text.get(at..)?;
        let length = tail
            .char_indices()
            .map(|(at, _)| at)
            .chain([tail.len()])
            .find(|end| tail.get(..*end).is_some_and(|beginning| beginning.to_lowercase() == words))?;
        tail.get(length..)
    });
    let around = |character: char| character.is_whitespace() || ".,:;!?".contains(character);
    after.unwrap_or_default().trim_matches(around).to_owned()
}

/// `2001-02-03T04:05:06.007Z` (days to a date after Hinnant's `civil_from_days`).
fn rfc3339(at_ms: u64) -> String {
    let (days, in_day) = (at_ms / 86_400_000, at_ms % 86_400_000);
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

    #[test]
    fn rest_of_a_message() {
        assert_eq!(rest("What is the WEATHER in  Z\u{fc}rich?", "weather in"), "Z\u{fc}rich");
        assert_eq!(rest("weather in", "weather in"), "");
        assert_eq!(rest("weather at home", "weather in"), "");
        assert_eq!(rest("\u{130}weather in \u{130}zmir", "weather in"), "\u{130}zmir");
    }

    #[test]
    fn dates() {
        assert_eq!(rfc3339(0), "1970-01-01T00:00:00.000Z");
        assert_eq!(rfc3339(951_782_400_001), "2000-02-29T00:00:00.001Z");
        assert_eq!(rfc3339(1_735_689_599_999), "2024-12-31T23:59:59.999Z");
    }
}
