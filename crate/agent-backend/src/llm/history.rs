//! What was said in a conversation, in the form from which either API's messages are written.
//!
//! A call and its result are one thing here, so that no trimming separates them.

use serde_json::Value;

/// A tool as it is offered to the model.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Tool {
    /// The name in the form that the APIs take.
    pub(super) name: String,
    pub(super) description: String,
    pub(super) schema: Value,
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    /// Words of the person, or a note of the wallet.
    User(String),
    /// A turn of the model, with the results of its calls.
    Assistant(Vec<Block>),
}

/// A part of the model's turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Text(String),
    Opaque(Value),
    Call(Call),
}

/// A call and what came of it.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    /// The id of the action that it became, or would have become.
    pub(super) action_id: String,
    /// The id that the API knows.
    pub(super) id: String,
    /// The tool's name as the API knows it.
    pub(super) sent: String,
    pub(super) input: Value,
    pub(super) outcome: Option<Outcome>,
}

/// What a call is answered with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Outcome {
    pub(super) text: String,
    pub(super) is_error: bool,
}

impl Outcome {
    pub(super) fn error(text: impl Into<String>) -> Self {
        Self { text: text.into(), is_error: true }
    }

    /// What stands for a result that has not come: the APIs take no words between a call and its result.
    fn waiting() -> Self {
        let text =
            "The wallet has not answered yet: the user may still be asked. The result will follow in a note.";
        Self { text: text.to_owned(), is_error: false }
    }
}

impl Call {
    pub(super) fn outcome(&self) -> Outcome {
        self.outcome.clone().unwrap_or_else(Outcome::waiting)
    }
}

pub(super) fn calls(blocks: &[Block]) -> impl Iterator<Item = &Call> {
    blocks.iter().filter_map(|block| match block {
        Block::Call(call) => Some(call),
        _ => None,
    })
}

/// What a result was to the last turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resolved {
    /// The last that was missing.
    Last,
    /// One of several that are missing.
    MoreMissing,
    /// Of no call that waits in that turn.
    NotWaiting,
}

/// The messages of a conversation.
#[derive(Debug, Clone, Default)]
pub(super) struct History {
    entries: Vec<Entry>,
}

impl History {
    pub(super) fn entries(&self) -> &[Entry] {
        &self.entries
    }

    pub(super) fn user(&mut self, text: String) {
        self.entries.push(Entry::User(text));
    }

    /// Adds a turn of the model. One without content is left out: no API takes it back.
    pub(super) fn assistant(&mut self, blocks: Vec<Block>) {
        let said = blocks.iter().any(|block| match block {
            Block::Text(text) => !text.trim().is_empty(),
            Block::Call(_) => true,
            Block::Opaque(_) => false,
        });
        if said {
            self.entries.push(Entry::Assistant(blocks));
        }
    }

    /// Takes back the last words of the user, which the model refused to answer and would refuse again.
    pub(super) fn take_back(&mut self) {
        if matches!(self.entries.last(), Some(Entry::User(_))) {
            self.entries.pop();
        }
    }

    /// Gives a call of the last turn its result, if nothing was said since.
    pub(super) fn resolve(&mut self, action_id: &str, outcome: Outcome) -> Resolved {
        let Some(Entry::Assistant(blocks)) = self.entries.last_mut() else { return Resolved::NotWaiting };
        let waiting = blocks.iter_mut().find_map(|block| match block {
            Block::Call(call) if call.action_id == action_id && call.outcome.is_none() => Some(call),
            _ => None,
        });
        let Some(call) = waiting else { return Resolved::NotWaiting };
        call.outcome = Some(outcome);
        let missing = calls(blocks).any(|call| call.outcome.is_none());
        if missing { Resolved::MoreMissing } else { Resolved::Last }
    }

    /// Whether an id of a call is known to the API already.
    pub(super) fn has_call(&self, id: &str) -> bool {
        self.entries.iter().any(|entry| match entry {
            Entry::Assistant(blocks) => calls(blocks).any(|call| call.id == id),
            Entry::User(_) => false,
        })
    }

    /// Removes the oldest until the rest fits: whole exchanges first, then turns of the current one. The user's last words
    /// and everything after the last turn stay.
    pub(super) fn trim(&mut self, limit: usize) {
        let is_user = |entry: &Entry| matches!(entry, Entry::User(_));
        let mut size: usize = self.entries.iter().map(length).sum();
        while size > limit {
            let next = self.entries.iter().skip(1).position(is_user).map(|at| at + 1);
            // Notes stand one after the other: an exchange begins after the model's words.
            let range = match next {
                Some(next) => 0..next,
                None if self.entries.len() > 2 => 1..2,
                None => return,
            };
            size -= self.entries.drain(range).map(|entry| length(&entry)).sum::<usize>();
        }
    }
}

fn length(entry: &Entry) -> usize {
    match entry {
        Entry::User(text) => text.len(),
        Entry::Assistant(blocks) => blocks
            .iter()
            .map(|block| match block {
                Block::Text(text) => text.len(),
                Block::Opaque(value) => value.to_string().len(),
                Block::Call(call) => {
                    call.sent.len()
                        + call.input.to_string().len()
                        + call.outcome.as_ref().map_or(0, |o| o.text.len())
                }
            })
            .sum(),
    }
}

/// A text of at most this many bytes, with a note of what is missing.
pub(super) fn bounded(text: &str, limit: usize) -> String {
    if text.len() <= limit {
        return text.to_owned();
    }
    let end = text.char_indices().map(|(at, _)| at).take_while(|at| *at <= limit).last().unwrap_or(0);
    let (kept, rest) = text.split_at(end);
    format!("{kept}… ({} bytes are left out)", rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn call(id: &str) -> Block {
        Block::Call(Call {
            action_id: id.into(),
            id: id.into(),
            sent: "t".into(),
            input: json!({}),
            outcome: Some(Outcome { text: "x".repeat(100), is_error: false }),
        })
    }

    /// The oldest goes first, a call never without its result, the user's last words never.
    #[test]
    fn trimming() {
        let mut history = History::default();
        for round in 0..3 {
            history.user(format!("question {round}"));
            history.assistant(vec![call(&format!("c{round}"))]);
            history.assistant(vec![Block::Text("answer".into())]);
        }
        history.trim(10_000);
        assert_eq!(history.entries().len(), 9);
        history.trim(250);
        assert_eq!(history.entries().len(), 6);
        assert_eq!(history.entries()[0], Entry::User("question 1".into()));
        history.user("last".into());
        history.assistant(vec![call("a")]);
        history.assistant(vec![call("b")]);
        history.trim(150);
        assert_eq!(history.entries(), [Entry::User("last".into()), Entry::Assistant(vec![call("b")])]);
        history.trim(0);
        assert_eq!(history.entries().len(), 2);
    }

    #[test]
    fn empty_turns_are_left_out() {
        let mut history = History::default();
        history.assistant(vec![Block::Text(" \n".into())]);
        history.assistant(Vec::new());
        assert_eq!(history.entries(), []);
    }

    #[test]
    fn bounds() {
        assert_eq!(bounded("abc", 3), "abc");
        assert_eq!(bounded("aéb", 2), "a… (3 bytes are left out)");
    }
}
