//! JSON that is still on its way: what is certain of it, piece by piece.
//!
//! [`PartialJson`] is pushed text and knows, after each character, how the text so far can be closed: a value that is there
//! is there for good, a text grows, an object and an array get more members. A number counts when what follows ends it, a
//! member when its value has begun. The whole extends the part, however it goes on.

use serde_json::Value;

/// Objects and arrays inside each other; as deep as an action's parameters may be.
const MAX_DEPTH: usize = 64;
/// Bytes that are looked at. What follows is not read.
pub(crate) const MAX_BYTES: usize = 256 << 10;

/// JSON as far as it came.
#[derive(Debug, Default)]
pub(crate) struct PartialJson {
    text: String,
    /// So much of the text can be closed.
    safe: usize,
    /// Whether it is closed with a quotation mark first: it ends inside of a text.
    in_text: bool,
    /// The containers that are open.
    open: Vec<Container>,
    state: State,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Container {
    Object,
    Array,
}

/// What the next character belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// A value must follow.
    #[default]
    Value,
    /// A value, or the end of an array that is empty.
    FirstElement,
    /// A member's name, or the end of an object that is empty.
    FirstName,
    /// A member's name.
    Name,
    /// The colon after a name.
    Colon,
    /// A comma, or the end of the container.
    Next,
    /// Inside of a text.
    Text { is_name: bool, escape: Escape },
    /// Inside of a number.
    Number,
    /// Inside of `true`, `false` or `null`: what is still to come of it.
    Word(&'static str),
    /// Nothing may follow but white space.
    End,
    /// It is not JSON, or larger than what is read: it stays as it was.
    Stopped,
}

/// Where a text is in an escape sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Escape {
    /// In none.
    None,
    /// After a backslash; whether the first half of a pair of surrogates came before.
    Begun { half: bool },
    /// In the digits of a code: those that came, and their value.
    Code { digits: u8, code: u32, half: bool },
    /// After the first half of a pair of surrogates.
    Half,
}

impl PartialJson {
    /// Takes more text.
    pub(crate) fn push(&mut self, more: &str) {
        for character in more.chars() {
            if self.state == State::Stopped {
                return;
            }
            if self.text.len() + character.len_utf8() > MAX_BYTES {
                self.state = State::Stopped;
                return;
            }
            self.text.push(character);
            self.state = self.step(character);
        }
    }

    /// What is certain so far; none before a value began.
    pub(crate) fn value(&self) -> Option<Value> {
        let mut text = self.text.get(..self.safe)?.to_owned();
        if text.is_empty() {
            return None;
        }
        if self.in_text {
            text.push('"');
        }
        text.extend(self.open.iter().rev().map(|container| match container {
            Container::Object => '}',
            Container::Array => ']',
        }));
        serde_json::from_str(&text).ok()
    }

    /// Everything up to here can be closed.
    fn is_safe(&mut self, in_text: bool) {
        (self.safe, self.in_text) = (self.text.len(), in_text);
    }

    /// What follows a value that is complete.
    fn after_value(&mut self) -> State {
        self.is_safe(false);
        if self.open.is_empty() { State::End } else { State::Next }
    }

    fn step(&mut self, character: char) -> State {
        match self.state {
            State::Text { is_name, escape } => self.in_text(character, is_name, escape),
            State::Number => match character {
                '0'..='9' | '.' | '-' | '+' | 'e' | 'E' => State::Number,
                _ => self.after_number(character),
            },
            State::Word(rest) => match rest.strip_prefix(character) {
                Some("") => self.after_value(),
                Some(rest) => State::Word(rest),
                None => State::Stopped,
            },
            state if matches!(character, ' ' | '\t' | '\n' | '\r') => state,
            State::Value => self.begin(character),
            State::FirstElement if character == ']' => self.close(Container::Array),
            State::FirstElement => self.begin(character),
            State::FirstName if character == '}' => self.close(Container::Object),
            State::FirstName | State::Name if character == '"' => {
                State::Text { is_name: true, escape: Escape::None }
            }
            State::Colon if character == ':' => State::Value,
            State::Next => self.next(character),
            _ => State::Stopped,
        }
    }

    /// The first character of a value.
    fn begin(&mut self, character: char) -> State {
        match character {
            '{' => self.enter(Container::Object, State::FirstName),
            '[' => self.enter(Container::Array, State::FirstElement),
            '"' => {
                self.is_safe(true);
                State::Text { is_name: false, escape: Escape::None }
            }
            '-' | '0'..='9' => State::Number,
            't' => State::Word("rue"),
            'f' => State::Word("alse"),
            'n' => State::Word("ull"),
            _ => State::Stopped,
        }
    }

    fn enter(&mut self, container: Container, first: State) -> State {
        if self.open.len() == MAX_DEPTH {
            return State::Stopped;
        }
        self.open.push(container);
        self.is_safe(false);
        first
    }

    fn close(&mut self, container: Container) -> State {
        if self.open.pop_if(|open| *open == container).is_none() {
            return State::Stopped;
        }
        self.after_value()
    }

    /// After a value in a container.
    fn next(&mut self, character: char) -> State {
        match (character, self.open.last()) {
            (',', Some(Container::Object)) => State::Name,
            (',', Some(Container::Array)) => State::Value,
            ('}', _) => self.close(Container::Object),
            (']', _) => self.close(Container::Array),
            _ => State::Stopped,
        }
    }

    /// A number ended before this character. One that no parser takes ends the reading.
    fn after_number(&mut self, character: char) -> State {
        let end = self.text.len() - character.len_utf8();
        let number = self.text.get(..end).unwrap_or_default();
        let begin = number.rfind(|byte: char| !matches!(byte, '0'..='9' | '.' | '-' | '+' | 'e' | 'E'));
        let number = number.get(begin.map_or(0, |at| at + 1)..).unwrap_or_default();
        if serde_json::from_str::<Value>(number).is_err() {
            return State::Stopped;
        }
        (self.safe, self.in_text) = (end, false);
        match character {
            ' ' | '\t' | '\n' | '\r' if self.open.is_empty() => State::End,
            ' ' | '\t' | '\n' | '\r' => State::Next,
            _ => self.next(character),
        }
    }

    /// A character of a text. A name is certain when its value has begun; of a pair of surrogates neither half alone.
    fn in_text(&mut self, character: char, is_name: bool, escape: Escape) -> State {
        let goes_on = |escape: Escape| State::Text { is_name, escape };
        match (escape, character) {
            (Escape::None, '"') if is_name => State::Colon,
            (Escape::None, '"') => self.after_value(),
            (Escape::None, '\\') => goes_on(Escape::Begun { half: false }),
            (Escape::Half, '\\') => goes_on(Escape::Begun { half: true }),
            (Escape::None, '\u{20}'..) => {
                self.text_grew(is_name);
                goes_on(Escape::None)
            }
            (Escape::Begun { half }, 'u') => goes_on(Escape::Code { digits: 0, code: 0, half }),
            (Escape::Begun { half: false }, '"' | '\\' | '/' | 'b' | 'f' | 'n' | 'r' | 't') => {
                self.text_grew(is_name);
                goes_on(Escape::None)
            }
            (Escape::Code { digits, code, half }, digit) => {
                let Some(digit) = digit.to_digit(16) else { return State::Stopped };
                let code = code << 4 | digit;
                match (digits, code, half) {
                    (0..3, ..) => goes_on(Escape::Code { digits: digits + 1, code, half }),
                    (_, 0xd800..=0xdbff, false) => goes_on(Escape::Half),
                    (_, 0xdc00..=0xdfff, true) | (_, 0..0xd800 | 0xe000.., false) => {
                        self.text_grew(is_name);
                        goes_on(Escape::None)
                    }
                    _ => State::Stopped,
                }
            }
            _ => State::Stopped,
        }
    }

    fn text_grew(&mut self, is_name: bool) {
        if !is_name {
            self.is_safe(true);
        }
    }
}

/// What is certain of a text that is not whole yet; an empty object before anything is.
pub(crate) fn certain(text: &str) -> Value {
    let mut partial = PartialJson::default();
    partial.push(text);
    partial.value().unwrap_or_else(|| Value::Object(serde_json::Map::new()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    /// Whether a value says no more than another, and nothing else.
    fn extends(whole: &Value, part: &Value) -> bool {
        match (whole, part) {
            (Value::Object(whole), Value::Object(part)) => {
                part.iter().all(|(name, value)| whole.get(name).is_some_and(|whole| extends(whole, value)))
            }
            (Value::Array(whole), Value::Array(part)) => {
                part.len() <= whole.len() && whole.iter().zip(part).all(|(whole, part)| extends(whole, part))
            }
            (Value::String(whole), Value::String(part)) => whole.starts_with(part.as_str()),
            (whole, part) => whole == part,
        }
    }

    fn prefixes(text: &str) -> Vec<Option<Value>> {
        let mut partial = PartialJson::default();
        let mut values = vec![partial.value()];
        for character in text.chars() {
            partial.push(character.encode_utf8(&mut [0; 4]));
            values.push(partial.value());
        }
        values
    }

    /// T004-63: arguments grow as they come; what is not certain is not shown.
    #[test]
    fn arguments_as_they_come() {
        let text = r#"{"title":"Caf\u00e9 \ud83d\ude00","data":[1,23],"on":true}"#;
        let seen: Vec<Value> = {
            let mut seen: Vec<Value> = prefixes(text).into_iter().flatten().collect();
            seen.dedup();
            seen
        };
        let title = "Café 😀";
        assert_eq!(
            seen[..4],
            [json!({}), json!({"title": ""}), json!({"title": "C"}), json!({"title": "Ca"})]
        );
        assert!(
            seen.contains(&json!({"title": "Café "})) && seen.contains(&json!({"title": title, "data": []}))
        );
        assert!(seen.contains(&json!({"title": title, "data": [1]})));
        assert!(!seen.contains(&json!({"title": title, "data": [1, 2]})), "23 may follow");
        assert_eq!(seen.last(), Some(&serde_json::from_str(text).unwrap()));
    }

    /// What is no JSON ends the reading where it was; depth and length are bounded.
    #[test]
    fn what_is_no_json_stops() {
        for (text, value) in [
            (r#"{"a":1}x"#, Some(json!({"a": 1}))),
            (r#"{"a":1,]"#, Some(json!({"a": 1}))),
            (r#"{"a":"\x""#, Some(json!({"a": ""}))),
            (r#"{"a":"b\ud800c"}"#, Some(json!({"a": "b"}))),
            (r#"{"a":1e999,"b":2}"#, Some(json!({}))),
            (r#"{"a":tru3}"#, Some(json!({}))),
            (r#"{"a":01}"#, Some(json!({}))),
            ("", None),
            ("  ", None),
            ("nul", None),
            ("null", Some(Value::Null)),
            ("12 ", Some(json!(12))),
        ] {
            assert_eq!(prefixes(text).pop().flatten(), value, "{text}");
        }
        let mut deep = PartialJson::default();
        deep.push(&"[".repeat(10_000));
        assert!(deep.value().is_some() && deep.open.len() == MAX_DEPTH);
        let mut long = PartialJson::default();
        long.push("{\"a\":\"");
        for _ in 0..MAX_BYTES {
            long.push("xxxx");
        }
        let value = long.value().unwrap();
        assert!(value["a"].as_str().unwrap().len() < MAX_BYTES && long.text.len() <= MAX_BYTES);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e6..1e6f64).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 40, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    /// As JSON with every character that is not ASCII escaped.
    fn escaped(text: &str) -> String {
        let mut ascii = String::new();
        for character in text.chars() {
            match character.is_ascii() {
                true => ascii.push(character),
                false => {
                    let units = character.encode_utf16(&mut [0; 2]).to_vec();
                    ascii.extend(units.into_iter().map(|unit| format!("\\u{unit:04x}")));
                }
            }
        }
        ascii
    }

    proptest! {
        /// T004-63: what every prefix gives is extended by what every longer one gives, and at the end by the whole.
        #[test]
        fn every_prefix_is_extended(value in any_json(), pretty: bool, escapes: bool) {
            let mut text = if pretty { serde_json::to_string_pretty(&value).unwrap() } else { value.to_string() };
            if escapes {
                text = escaped(&text);
            }
            // Any other character ends a number.
            text.push(' ');
            let whole: Value = serde_json::from_str(&text).unwrap();
            let seen = prefixes(&text);
            prop_assert_eq!(seen.last().cloned().flatten(), Some(whole));
            let seen: Vec<Value> = seen.into_iter().flatten().collect();
            for pair in seen.windows(2) {
                prop_assert!(extends(&pair[1], &pair[0]), "{} {}", pair[0], pair[1]);
            }
        }

        /// No text is a panic, and a part that was seen is never taken back.
        #[test]
        fn no_text_is_a_panic(text in prop_oneof!["\\PC{0,80}", "[\\[\\]{}\",:\\\\u0-9a-f. truefalsn-]{0,80}"]) {
            let seen: Vec<Value> = prefixes(&text).into_iter().flatten().collect();
            for pair in seen.windows(2) {
                // Names that are there twice: the later one counts.
                let doubled = text.matches("\":").count() > 1 || text.contains("\" ");
                prop_assert!(doubled || extends(&pair[1], &pair[0]), "{} {}", pair[0], pair[1]);
            }
        }
    }
}
