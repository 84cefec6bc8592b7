//! Bounds on a call's arguments, in what the user allowed for good. Pure.
//!
//! A bound names a place by a JSON pointer (RFC 6901), in which the segment `*` is every element of an array, and says what
//! must be there. What the bound cannot be put to is outside of it: a place that is not there, an object or an array where
//! a value is expected, a text that is no number where a number is. Texts are compared by code points, numbers by their
//! exact decimal value, whether the call has them as numbers or as texts.

use serde_json::{Map, Value};
use std::cmp::Ordering;
use wire::policy::{ArgumentBound, BoundRule};

/// Bounds of one permission.
const MAX_BOUNDS: usize = 20;
/// Values of one bound.
const MAX_VALUES: usize = 100;
/// The longest pointer, in bytes.
const MAX_PATH: usize = 256;
/// The longest value, in bytes.
const MAX_TEXT: usize = 1_000;
/// The longest number that is compared.
const MAX_DIGITS: usize = 400;

/// What is said of a bound that is refused.
pub(crate) const RULE: &str = "must be a place in the arguments, with values, a decimal number or a text";

/// The first bound that the arguments are outside of.
pub(super) fn outside<'a>(
    arguments: &Map<String, Value>,
    bounds: &'a [ArgumentBound],
) -> Option<&'a ArgumentBound> {
    let within = |bound: &&ArgumentBound| {
        let (name, rest) = first(&bound.path)?;
        Some(in_field(arguments, name, rest, &bound.rule))
    };
    bounds.iter().find(|bound| within(bound) != Some(true))
}

/// Whether every call within `new` is within `old`, as far as it can be told bound by bound.
pub(super) fn at_least_as_tight(new: &[ArgumentBound], old: &[ArgumentBound]) -> bool {
    old.iter().all(|old| new.iter().any(|new| new.path == old.path && implies(&new.rule, &old.rule)))
}

/// The place, behind `arguments`, of the first bound that cannot be held; none if all can.
pub(crate) fn unusable(bounds: &[ArgumentBound]) -> Option<String> {
    if bounds.len() > MAX_BOUNDS {
        return Some(String::new());
    }
    let fits = |text: &str| !text.is_empty() && text.len() <= MAX_TEXT;
    for (index, ArgumentBound { path, rule }) in bounds.iter().enumerate() {
        if path.len() > MAX_PATH || path.len() < 2 || !path.starts_with('/') {
            return Some(format!("/{index}/path"));
        }
        let (field, taken) = match rule {
            BoundRule::OneOf { values } => {
                let scalar = |value: &Value| match value {
                    Value::String(text) => text.len() <= MAX_TEXT,
                    Value::Null | Value::Bool(_) | Value::Number(_) => true,
                    Value::Array(_) | Value::Object(_) => false,
                };
                ("values", (1..=MAX_VALUES).contains(&values.len()) && values.iter().all(scalar))
            }
            BoundRule::AtMost { value } | BoundRule::AtLeast { value } => {
                ("value", Decimal::parse(value).is_some())
            }
            BoundRule::BeginsWith { text } => ("text", fits(text)),
            BoundRule::Absent => ("", true),
        };
        if !taken {
            return Some(format!("/{index}/rule/{field}"));
        }
    }
    None
}

/// The first segment of a pointer, and the rest.
fn first(path: &str) -> Option<(&str, &str)> {
    let path = path.strip_prefix('/')?;
    path.split_at_checked(path.find('/').unwrap_or(path.len()))
}

/// Whether the rule holds for everything at the path below a value.
fn holds(value: &Value, path: &str, rule: &BoundRule) -> bool {
    let Some((segment, rest)) = first(path) else { return fits(value, rule) };
    match value {
        Value::Object(fields) => in_field(fields, segment, rest, rule),
        // Of no elements nothing can be said but that it is absent.
        Value::Array(items) if segment == "*" => {
            let absent = *rule == BoundRule::Absent;
            (absent || !items.is_empty()) && items.iter().all(|item| holds(item, rest, rule))
        }
        Value::Array(items) => match segment.parse().ok().and_then(|index: usize| items.get(index)) {
            Some(item) => holds(item, rest, rule),
            None => *rule == BoundRule::Absent,
        },
        // Neither there nor absent: it is something else than the bound is about.
        _ => false,
    }
}

/// The same below an object, which has no elements.
fn in_field(fields: &Map<String, Value>, segment: &str, rest: &str, rule: &BoundRule) -> bool {
    let name = segment.replace("~1", "/").replace("~0", "~");
    match fields.get(&name) {
        _ if segment == "*" => false,
        Some(value) => holds(value, rest, rule),
        None => *rule == BoundRule::Absent,
    }
}

/// Whether one value is as the rule wants it.
fn fits(value: &Value, rule: &BoundRule) -> bool {
    let compared = |bound: &str| compare(&number(value)?, bound);
    match rule {
        BoundRule::OneOf { values } => values.iter().any(|allowed| same(value, allowed)),
        BoundRule::AtMost { value: most } => compared(most).is_some_and(Ordering::is_le),
        BoundRule::AtLeast { value: least } => compared(least).is_some_and(Ordering::is_ge),
        BoundRule::BeginsWith { text } => value.as_str().is_some_and(|found| found.starts_with(text)),
        BoundRule::Absent => false,
    }
}

/// The same value: `1`, `1.0` and `1e0` are one number, and `"1"` is a text.
fn same(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            compare(&one.to_string(), &other.to_string()) == Some(Ordering::Equal)
        }
        (Value::Array(_) | Value::Object(_), _) => false,
        (one, other) => one == other,
    }
}

/// Whether what fits one rule fits the other.
fn implies(new: &BoundRule, old: &BoundRule) -> bool {
    match (new, old) {
        (BoundRule::OneOf { values }, old) => values.iter().all(|value| fits(value, old)),
        (BoundRule::AtMost { value: new }, BoundRule::AtMost { value: old }) => {
            compare(new, old).is_some_and(Ordering::is_le)
        }
        (BoundRule::AtLeast { value: new }, BoundRule::AtLeast { value: old }) => {
            compare(new, old).is_some_and(Ordering::is_ge)
        }
        (BoundRule::BeginsWith { text: new }, BoundRule::BeginsWith { text: old }) => new.starts_with(old),
        (BoundRule::Absent, BoundRule::Absent) => true,
        _ => false,
    }
}

/// The number's digits as the call has them.
fn number(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        Value::String(text) => Some(text.clone()),
        _ => None,
    }
}

fn compare(one: &str, other: &str) -> Option<Ordering> {
    Some(Decimal::parse(one)?.cmp(&Decimal::parse(other)?))
}

/// A decimal number, exactly: 0.DIGITS × 10^point.
#[derive(PartialEq, Eq)]
struct Decimal {
    negative: bool,
    point: i64,
    /// Without zeros at either end; none of zero.
    digits: String,
}

impl Decimal {
    /// Reads what JSON takes as a number, and nothing else: no sign but a minus, no spaces, no separators.
    fn parse(text: &str) -> Option<Self> {
        let (text, exponent) = match text.find(['e', 'E']).filter(|_| text.len() <= MAX_DIGITS) {
            Some(at) => (text.get(..at)?, text.get(at + 1..)?.parse::<i32>().ok()?),
            None => (text, 0),
        };
        let (negative, text) = text.strip_prefix('-').map_or((false, text), |text| (true, text));
        let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
        let all_digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let leads_with_zero = whole.len() > 1 && whole.starts_with('0');
        if text.len() > MAX_DIGITS || !all_digits(whole) || !all_digits(fraction) || leads_with_zero {
            return None;
        }
        let digits = [whole, fraction].concat();
        let cut = digits.trim_start_matches('0');
        let (zeros, before_point) = (digits.len() - cut.len(), whole.len());
        let digits = cut.trim_end_matches('0').to_owned();
        if digits.is_empty() {
            return Some(Self { negative: false, point: i64::MIN, digits });
        }
        let point = i64::from(exponent) + i64::try_from(before_point).ok()? - i64::try_from(zeros).ok()?;
        Some(Self { negative, point, digits })
    }
}

impl PartialOrd for Decimal {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Decimal {
    fn cmp(&self, other: &Self) -> Ordering {
        let size = self.point.cmp(&other.point).then_with(|| self.digits.cmp(&other.digits));
        match (self.negative, other.negative) {
            (false, false) => size,
            (true, true) => size.reverse(),
            (true, false) => Ordering::Less,
            (false, true) => Ordering::Greater,
        }
    }
}
