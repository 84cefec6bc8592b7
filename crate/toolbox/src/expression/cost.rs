//! What a JSONPath can cost, before it runs.
//!
//! A path visits a node once for each way to it: `$..*..*..*` has as many ways to a node as there are threes among those
//! above it, and `[0,0]` doubles them. So the ways are counted first, from the segments of the path and from how many nodes
//! the document has at each depth. Filters are counted by the queries in them, for each node that they look at.

use crate::bounds::{PATH_NESTING, PATH_STEPS};
use serde_json::Value;
use std::iter::Peekable;
use std::str::Chars;

/// A path, as far as its cost depends on it.
#[derive(Debug, Default)]
pub(super) struct Query {
    segments: Vec<Segment>,
}

#[derive(Debug, Default)]
struct Segment {
    descends: bool,
    selectors: u64,
    /// Whether a selector can select more than one child.
    wide: bool,
    filters: Vec<Filter>,
}

/// The queries in a filter, and how many of them begin at the document's root.
#[derive(Debug, Default)]
struct Filter {
    relative: Vec<Query>,
    absolute: Vec<Query>,
}

/// How many nodes a document has at each depth.
pub(super) struct Shape(Vec<u64>);

impl Shape {
    /// Of a document.
    pub(super) fn of(value: &Value) -> Self {
        let mut counts = Vec::new();
        count(value, 0, &mut counts);
        Self(counts)
    }

    fn nodes(&self) -> u64 {
        self.0.iter().sum()
    }

    /// How many ways there are to all nodes, with so many descents on the way.
    fn ways(&self, descents: u64) -> u64 {
        let ways = |depth: usize| {
            let mut ways: u64 = 1;
            for step in 1..=descents {
                ways = ways.saturating_mul(depth as u64 + step) / step;
            }
            ways
        };
        let all = self.0.iter().enumerate().map(|(depth, nodes)| nodes.saturating_mul(ways(depth)));
        all.fold(0, u64::saturating_add)
    }
}

fn count(value: &Value, depth: usize, counts: &mut Vec<u64>) {
    if counts.len() <= depth {
        counts.push(0);
    }
    if let Some(nodes) = counts.get_mut(depth) {
        *nodes += 1;
    }
    match value {
        Value::Array(values) => values.iter().for_each(|value| count(value, depth + 1, counts)),
        Value::Object(fields) => fields.values().for_each(|value| count(value, depth + 1, counts)),
        _ => {}
    }
}

/// Where a query begins: at how many nodes at most, after how many descents, and how often each node can be among them.
#[derive(Clone, Copy)]
struct Start {
    nodes: u64,
    descents: u64,
    times: u64,
}

const ROOT: Start = Start { nodes: 1, descents: 0, times: 1 };

impl Query {
    /// Whether it takes too long in a document of this shape.
    pub(super) fn is_too_expensive(&self, shape: &Shape) -> bool {
        self.steps(ROOT, shape) > PATH_STEPS
    }

    fn steps(&self, start: Start, shape: &Shape) -> u64 {
        let Start { mut nodes, mut descents, mut times } = start;
        let (all, mut steps) = (shape.nodes(), 1_u64);
        let mut spend = |more: u64| steps = steps.saturating_add(more);
        for segment in &self.segments {
            if segment.descends {
                descents += 1;
                nodes = nodes.saturating_mul(all).min(times.saturating_mul(shape.ways(descents)));
            }
            spend(nodes);
            let children = nodes.saturating_mul(all).min(times.saturating_mul(shape.ways(descents)));
            for filter in &segment.filters {
                let start = Start { nodes: children, descents, times };
                spend(filter.steps(start, shape));
            }
            let selected = if segment.wide { children } else { nodes };
            nodes = selected.saturating_mul(segment.selectors);
            times = times.saturating_mul(segment.selectors);
            spend(nodes);
        }
        steps
    }
}

impl Filter {
    fn steps(&self, start: Start, shape: &Shape) -> u64 {
        let relative = self.relative.iter().map(|query| query.steps(start, shape));
        let absolute = self.absolute.iter().map(|query| start.nodes.saturating_mul(query.steps(ROOT, shape)));
        // Two values that are compared may be as large as what they are a part of.
        let compared = match (self.relative.len(), self.absolute.len()) {
            (_, 2..) => start.nodes.saturating_mul(shape.nodes()),
            (relative, absolute) if relative + absolute > 1 => {
                start.times.saturating_mul(shape.ways(start.descents + 1))
            }
            _ => 0,
        };
        relative.chain(absolute).chain([start.nodes, compared]).fold(0, u64::saturating_add)
    }
}

/// Reads a path, as far as it is one; nothing where it is nested too deep. What is no path is found by the parser, later: it
/// reads in the same order and stops where this would go wrong.
pub(super) fn scan(expr: &str) -> Option<Query> {
    let mut scanner = Scanner { rest: expr.chars().peekable(), depth: 0 };
    scanner.rest.next();
    scanner.query()
}

struct Scanner<'a> {
    rest: Peekable<Chars<'a>>,
    depth: usize,
}

impl Scanner<'_> {
    /// The segments behind `$` or `@`.
    fn query(&mut self) -> Option<Query> {
        let mut query = Query::default();
        loop {
            self.blanks();
            match self.rest.peek() {
                Some('.') => {
                    self.rest.next();
                    let descends = self.rest.next_if_eq(&'.').is_some();
                    let mut segment = match self.rest.peek() {
                        Some('[') => self.brackets()?,
                        Some('*') => {
                            self.rest.next();
                            Segment { selectors: 1, wide: true, ..Segment::default() }
                        }
                        _ => {
                            let name = |letter: &char| {
                                letter.is_alphanumeric() || *letter == '_' || !letter.is_ascii()
                            };
                            while self.rest.next_if(name).is_some() {}
                            Segment { selectors: 1, ..Segment::default() }
                        }
                    };
                    segment.descends = descends;
                    query.segments.push(segment);
                }
                Some('[') => query.segments.push(self.brackets()?),
                _ => return Some(query),
            }
        }
    }

    /// `[…]`.
    fn brackets(&mut self) -> Option<Segment> {
        self.rest.next();
        self.deeper()?;
        let mut segment = Segment { selectors: 1, ..Segment::default() };
        while let Some(letter) = self.rest.peek().copied() {
            match letter {
                ']' => {
                    self.rest.next();
                    break;
                }
                '?' => {
                    self.rest.next();
                    segment.wide = true;
                    let mut filter = Filter::default();
                    self.filter(&mut filter)?;
                    segment.filters.push(filter);
                    continue;
                }
                '\'' | '"' => {
                    self.text();
                    continue;
                }
                ',' => segment.selectors += 1,
                '*' | ':' => segment.wide = true,
                _ => {}
            }
            self.rest.next();
        }
        self.depth -= 1;
        Some(segment)
    }

    /// A filter up to the `,` or `]` behind it, or parentheses up to their end.
    fn filter(&mut self, filter: &mut Filter) -> Option<()> {
        let mut open = 0_usize;
        while let Some(letter) = self.rest.peek().copied() {
            match letter {
                ']' => break,
                ',' if open == 0 => break,
                '(' => {
                    open += 1;
                    self.deeper()?;
                }
                ')' if open > 0 => {
                    open -= 1;
                    self.depth -= 1;
                }
                '\'' | '"' => {
                    self.text();
                    continue;
                }
                '@' | '$' => {
                    self.rest.next();
                    let query = self.query()?;
                    let queries = if letter == '@' { &mut filter.relative } else { &mut filter.absolute };
                    queries.push(query);
                    continue;
                }
                _ => {}
            }
            self.rest.next();
        }
        self.depth -= open;
        Some(())
    }

    /// A text in quotes.
    fn text(&mut self) {
        let quote = self.rest.next();
        while let Some(letter) = self.rest.next() {
            match letter {
                '\\' => drop(self.rest.next()),
                letter if Some(letter) == quote => break,
                _ => {}
            }
        }
    }

    fn deeper(&mut self) -> Option<()> {
        self.depth += 1;
        (self.depth <= PATH_NESTING).then_some(())
    }

    fn blanks(&mut self) {
        while self.rest.next_if(|letter| matches!(letter, ' ' | '\t' | '\n' | '\r')).is_some() {}
    }
}
