//! `match()` and `search()` of RFC 9535, with bounds. Those of the library compile a pattern again for every node, and a
//! pattern may come from the document.

use crate::bounds::{PATH_REGEX_BYTES, PATH_REGEX_STEPS};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use serde_json_path::functions::{LogicalType, ValueType};
use std::cell::RefCell;

/// How many compiled patterns are kept.
const KEPT: usize = 8;
/// What compiling a pattern is counted as, for each byte of it.
const COMPILE_STEPS: u64 = 512;

#[derive(Default)]
struct State {
    /// Patterns as they are written, and whether they match the whole text; what is no pattern is nothing.
    compiled: Vec<(String, bool, Option<Regex>)>,
    steps: u64,
}

thread_local! {
    static STATE: RefCell<State> = RefCell::default();
}

/// Forgets what was spent.
pub(super) fn start() {
    STATE.with_borrow_mut(|state| state.steps = 0);
}

/// Whether too much was spent: what was selected since the start is wrong then.
pub(super) fn is_spent() -> bool {
    STATE.with_borrow(|state| state.steps > PATH_REGEX_STEPS)
}

#[serde_json_path::function(name = "match")]
fn match_whole(value: ValueType, pattern: ValueType) -> LogicalType {
    is_match(&value, &pattern, true).into()
}

#[serde_json_path::function(name = "search")]
fn search_part(value: ValueType, pattern: ValueType) -> LogicalType {
    is_match(&value, &pattern, false).into()
}

fn is_match(value: &ValueType<'_>, pattern: &ValueType<'_>, whole: bool) -> bool {
    let (Some(Value::String(text)), Some(Value::String(pattern))) = (value.as_value(), pattern.as_value())
    else {
        return false;
    };
    STATE.with_borrow_mut(|state| {
        let known = state.compiled.iter().position(|(other, way, _)| other == pattern && *way == whole);
        let at = known.unwrap_or_else(|| {
            state.steps = state.steps.saturating_add(COMPILE_STEPS * pattern.len() as u64);
            let is_affordable = state.steps <= PATH_REGEX_STEPS;
            state.compiled.insert(
                0,
                (pattern.clone(), whole, is_affordable.then(|| compile(pattern, whole)).flatten()),
            );
            state.compiled.truncate(KEPT);
            0
        });
        state.steps = state.steps.saturating_add(1 + text.len() as u64);
        let is_affordable = state.steps <= PATH_REGEX_STEPS;
        let pattern = state.compiled.get(at).and_then(|(_, _, pattern)| pattern.as_ref());
        is_affordable && pattern.is_some_and(|pattern| pattern.is_match(text))
    })
}

/// RFC 9485: `.` is anything but the ends of a line, `\n` and `\r`.
fn compile(pattern: &str, whole: bool) -> Option<Regex> {
    let build = |pattern: &str| {
        RegexBuilder::new(pattern)
            .crlf(true)
            .size_limit(PATH_REGEX_BYTES)
            .dfa_size_limit(PATH_REGEX_BYTES)
            .build()
            .ok()
    };
    // By itself first: inside of a group, what is none could become one.
    let alone = build(pattern)?;
    match whole {
        true => build(&format!("^(?:{pattern})$")),
        false => Some(alone),
    }
}
