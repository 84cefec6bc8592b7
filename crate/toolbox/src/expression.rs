//! Extraction from a response: JSONPath (RFC 9535) from JSON, a regular expression from text.
//!
//! A path of names and indices only gives its node. Any other gives the node if there is one, and an array if there are
//! several. A regular expression gives its first group, or the whole match if it has none.

mod cost;
mod functions;

use crate::bounds::{EXPRESSION_BYTES, REGEX_TIERS, RESULT_BYTES, VALUE_BYTES, VALUE_DEPTH, is_deeper};
use crate::error::AnswerError;
use cost::{Query, Shape};
use regex::{Regex, RegexBuilder};
use serde_json::Value;
use serde_json_path::JsonPath;
use wire::json::to_text;
use wire::toolbox::Encoding;

/// An expression that was read.
enum Expression {
    Path(Path),
    Pattern(Pattern),
}

/// A path, and what it can cost.
pub(crate) struct Path {
    path: JsonPath,
    query: Query,
    is_singular: bool,
}

/// A regular expression, and how long a text may be that it is applied to.
struct Pattern {
    regex: Regex,
    most_text: usize,
}

/// Fails if an expression is none.
pub(crate) fn check(expr: &str, encoding: Encoding) -> Result<(), AnswerError> {
    parse(expr, encoding).map(drop)
}

/// What an expression finds in a response.
pub(crate) fn extract(expr: &str, encoding: Encoding, body: &str) -> Result<Option<Value>, AnswerError> {
    let expression = parse(expr, encoding)?;
    if body.len() > VALUE_BYTES {
        return Err(AnswerError::ValueTooLarge { problem: "too long" });
    }
    let found = match expression {
        Expression::Path(path) => path.value(&read_json(body)?)?,
        Expression::Pattern(pattern) => pattern.matched(body)?,
    };
    match found {
        Some(value) if to_text(&value).len() > RESULT_BYTES => Err(AnswerError::ResultTooLarge),
        found => Ok(found),
    }
}

/// Reads a response as JSON.
pub(crate) fn read_json(body: &str) -> Result<Value, AnswerError> {
    let value: Value = serde_json::from_str(body)
        .map_err(|error| AnswerError::ResponseNotJson { line: error.line(), column: error.column() })?;
    match is_deeper(&value, VALUE_DEPTH) {
        true => Err(AnswerError::ValueTooLarge { problem: "nested too deep" }),
        false => Ok(value),
    }
}

fn parse(expr: &str, encoding: Encoding) -> Result<Expression, AnswerError> {
    if expr.is_empty() {
        return Err(invalid("it is empty"));
    }
    if expr.len() > EXPRESSION_BYTES {
        return Err(invalid("it is too long"));
    }
    match encoding {
        Encoding::Json => Path::parse(expr).map(Expression::Path),
        Encoding::Text => Pattern::parse(expr).map(Expression::Pattern),
    }
}

impl Path {
    /// Reads a path. Its nesting is looked at first: the parser goes back and tries again at every level.
    pub(crate) fn parse(expr: &str) -> Result<Self, AnswerError> {
        if !expr.starts_with('$') {
            return Err(invalid("a JSONPath begins with $"));
        }
        let query = cost::scan(expr).ok_or_else(|| invalid("it is nested too deep"))?;
        let path = JsonPath::parse(expr).map_err(|error| invalid(&error.to_string()))?;
        // RFC 9535 allows such paths alone as operands of a comparison.
        let is_singular = JsonPath::parse(&format!("$[?{expr}==0]")).is_ok();
        Ok(Self { path, query, is_singular })
    }

    /// The nodes that it selects.
    pub(crate) fn nodes<'a>(&self, value: &'a Value) -> Result<Vec<&'a Value>, AnswerError> {
        if self.query.is_too_expensive(&Shape::of(value)) {
            return Err(AnswerError::TooExpensive { what: "the extraction" });
        }
        functions::start();
        let nodes = self.path.query(value).all();
        match functions::is_spent() {
            true => Err(AnswerError::TooExpensive { what: "the extraction" }),
            false => Ok(nodes),
        }
    }

    fn value(&self, value: &Value) -> Result<Option<Value>, AnswerError> {
        let nodes = self.nodes(value)?;
        // The same node may be selected many times.
        let mut bytes = 0_usize;
        for node in &nodes {
            bytes = bytes.saturating_add(if nodes.len() > 1 { to_text(*node).len() } else { 0 });
            if bytes > RESULT_BYTES {
                return Err(AnswerError::ResultTooLarge);
            }
        }
        Ok(match nodes.as_slice() {
            [] => None,
            [node] => Some((*node).clone()),
            [node, ..] if self.is_singular => Some((*node).clone()),
            nodes => Some(nodes.iter().map(|node| (*node).clone()).collect()),
        })
    }
}

impl Pattern {
    /// Compiles a pattern. The larger it becomes, the shorter a text it is applied to: the time is their product.
    fn parse(expr: &str) -> Result<Self, AnswerError> {
        let mut problem = String::new();
        for (bytes, most_text) in REGEX_TIERS {
            match RegexBuilder::new(expr).size_limit(*bytes).dfa_size_limit(*bytes * 16).build() {
                Ok(regex) => return Ok(Self { regex, most_text: *most_text }),
                Err(regex::Error::CompiledTooBig(_)) => {
                    problem = "it is too large when it is compiled".to_owned()
                }
                Err(error) => return Err(invalid(&error.to_string())),
            }
        }
        Err(invalid(&problem))
    }

    /// The first group; the whole match where there is none. A group that took no part is no match.
    fn matched(&self, body: &str) -> Result<Option<Value>, AnswerError> {
        if body.len() > self.most_text {
            return Err(AnswerError::TooExpensive { what: "the extraction" });
        }
        let group = usize::from(self.regex.captures_len() > 1);
        let text = self.regex.captures(body).and_then(|captures| captures.get(group));
        Ok(text.map(|text| Value::String(text.as_str().to_owned())))
    }
}

fn invalid(problem: &str) -> AnswerError {
    AnswerError::InvalidExpression { problem: problem.to_owned() }
}
