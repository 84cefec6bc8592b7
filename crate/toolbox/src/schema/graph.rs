//! What the check of a value can cost, before it begins.
//!
//! A schema is a graph: from a schema lead edges to those that are applied to the same value (`allOf`, `$ref`, `if`, …), and
//! to those that are applied to its parts (`properties`, `items`, …). References make it one: two of them side by side,
//! thirty times in a row, are a billion steps. So the steps are counted first, by a walk through the value that carries, for
//! each schema, how often it is applied there. The count is an upper bound: no branch is taken to end early.

use crate::bounds::{CHAIN_LENGTH, SCHEMA_PARTS, VALIDATION_STEPS};
use crate::error::AnswerError;
use crate::template::child;
use referencing::{Draft, Resolver, ResourceRef};
use serde_json::Value;
use std::collections::{BTreeMap, HashMap};
use wire::json::to_text;

/// A schema and all that it refers to.
#[derive(Debug)]
pub(crate) struct Graph {
    /// Those that are applied to the same value come behind those that apply them.
    nodes: Vec<Node>,
    root: usize,
    /// Whether a part can be applied to one value more than once: by references, or to mark what was evaluated.
    repeats: bool,
}

#[derive(Debug, Default)]
struct Node {
    /// Applied to the same value, so many times.
    in_place: Vec<(usize, u64)>,
    /// Applied to the property of a name.
    named: Vec<(String, usize)>,
    /// Applied to properties.
    properties: Vec<usize>,
    /// Applied to the names of properties.
    names: Vec<usize>,
    /// Applied to an element.
    prefix: Vec<usize>,
    /// Applied to elements.
    items: Vec<usize>,
    /// What its own keywords cost.
    weight: u64,
    /// How many patterns a text is searched for.
    patterns: u64,
    /// How long a chain of schemas applied to one value is, from here.
    chain: u64,
}

/// What a text costs for each of its bytes and each pattern.
const PATTERN_STEPS: u64 = 4;

/// Reads a schema.
struct Builder<'r> {
    nodes: Vec<Node>,
    /// By the address of the schema's value.
    known: HashMap<*const Value, usize>,
    left: Vec<Work<'r>>,
    dynamic: Vec<(usize, String)>,
    anchors: Vec<(String, usize)>,
    repeats: bool,
}

/// A schema that was found and not read yet.
struct Work<'r> {
    node: usize,
    schema: &'r Value,
    resolver: Resolver<'r>,
    draft: Draft,
    path: String,
}

impl Graph {
    /// Of a schema, with all that it refers to.
    pub(crate) fn of<'r>(
        schema: &'r Value,
        draft: Draft,
        resolver: &Resolver<'r>,
    ) -> Result<Self, AnswerError> {
        let mut builder = Builder {
            nodes: Vec::new(),
            known: HashMap::new(),
            left: Vec::new(),
            dynamic: Vec::new(),
            anchors: Vec::new(),
            repeats: false,
        };
        let root = builder.node(schema, resolver, draft, String::new())?;
        while let Some(work) = builder.left.pop() {
            builder.read(&work)?;
        }
        builder.connect_dynamic();
        let repeats = builder.repeats;
        let (nodes, root) = sorted(builder.nodes, root)?;
        let mut graph = Self { nodes, root, repeats };
        graph.weigh()?;
        Ok(graph)
    }

    /// Fails if one schema, applied to one value, costs too much.
    fn weigh(&mut self) -> Result<(), AnswerError> {
        let mut weights: Vec<u64> = vec![0; self.nodes.len()];
        for index in (0..self.nodes.len()).rev() {
            let Some(node) = self.nodes.get(index) else { continue };
            let (mut weight, mut chain) = (node.weight.saturating_add(node.patterns), 1);
            for (target, times) in &node.in_place {
                let inner = weights.get(*target).copied().unwrap_or_default();
                weight = weight.saturating_add(inner.saturating_mul(*times));
                chain = chain.max(1 + self.nodes.get(*target).map_or(0, |node| node.chain));
            }
            if weight > VALIDATION_STEPS || chain > CHAIN_LENGTH {
                return Err(AnswerError::TooExpensive { what: "the schema" });
            }
            if let Some(place) = weights.get_mut(index) {
                *place = weight;
            }
            if let Some(node) = self.nodes.get_mut(index) {
                node.chain = chain;
            }
        }
        Ok(())
    }

    /// The steps that the check of a value takes at most; fails if they are too many.
    pub(crate) fn steps(&self, value: &Value) -> Result<u64, AnswerError> {
        let simple = (self.nodes.len() as u64).saturating_mul(size(value));
        if !self.repeats && simple <= VALIDATION_STEPS {
            return Ok(simple);
        }
        let mut steps = 0;
        self.walk(value, BTreeMap::from([(self.root, 1)]), 0, &mut steps)?;
        Ok(steps)
    }

    /// Adds the steps of the schemas that are applied to a value, each so many times.
    fn walk(
        &self,
        value: &Value,
        applied: BTreeMap<usize, u64>,
        chain: u64,
        steps: &mut u64,
    ) -> Result<(), AnswerError> {
        let expanded = self.expand(applied, text_cost(value), steps)?;
        let longest =
            expanded.iter().filter_map(|(index, _)| self.nodes.get(*index)).map(|node| node.chain).max();
        let chain = chain + longest.unwrap_or_default();
        if chain > CHAIN_LENGTH {
            return Err(too_expensive());
        }
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let mut names = BTreeMap::new();
                    let mut inner = BTreeMap::new();
                    for (node, times) in self.each(&expanded) {
                        add(&mut names, node.names.iter(), times);
                        add(&mut inner, node.properties.iter(), times);
                        let named = node.named.iter().filter(|(other, _)| other == name);
                        add(&mut inner, named.map(|(_, target)| target), times);
                        spend(steps, times)?;
                    }
                    self.expand(names, name.len() as u64, steps)?;
                    if !inner.is_empty() {
                        self.walk(value, inner, chain, steps)?;
                    }
                }
            }
            Value::Array(values) => {
                for (index, value) in values.iter().enumerate() {
                    let mut inner = BTreeMap::new();
                    for (node, times) in self.each(&expanded) {
                        add(&mut inner, node.items.iter(), times);
                        add(&mut inner, node.prefix.get(index).into_iter(), times);
                        spend(steps, times)?;
                    }
                    if !inner.is_empty() {
                        self.walk(value, inner, chain, steps)?;
                    }
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// All schemas that are applied to one value. Edges lead to greater numbers only, so one pass is enough.
    fn expand(
        &self,
        mut applied: BTreeMap<usize, u64>,
        text: u64,
        steps: &mut u64,
    ) -> Result<Vec<(usize, u64)>, AnswerError> {
        let mut expanded = Vec::new();
        while let Some((index, times)) = applied.pop_first() {
            let Some(node) = self.nodes.get(index) else { continue };
            let patterns = node.patterns.saturating_mul(1 + text.saturating_mul(PATTERN_STEPS));
            spend(steps, times.saturating_mul(node.weight.saturating_add(patterns)))?;
            for (target, more) in &node.in_place {
                let count = applied.entry(*target).or_default();
                *count = count.saturating_add(times.saturating_mul(*more));
            }
            expanded.push((index, times));
        }
        Ok(expanded)
    }

    fn each<'a>(&'a self, expanded: &'a [(usize, u64)]) -> impl Iterator<Item = (&'a Node, u64)> {
        expanded.iter().filter_map(|(index, times)| Some((self.nodes.get(*index)?, *times)))
    }
}

fn add<'a>(to: &mut BTreeMap<usize, u64>, targets: impl Iterator<Item = &'a usize>, times: u64) {
    for target in targets {
        let count = to.entry(*target).or_default();
        *count = count.saturating_add(times);
    }
}

fn spend(steps: &mut u64, more: u64) -> Result<(), AnswerError> {
    *steps = steps.saturating_add(more);
    match *steps > VALIDATION_STEPS {
        true => Err(too_expensive()),
        false => Ok(()),
    }
}

const fn too_expensive() -> AnswerError {
    AnswerError::TooExpensive { what: "the check of the value" }
}

/// Bytes of a text, where patterns may be applied to it.
fn text_cost(value: &Value) -> u64 {
    match value {
        Value::String(text) => text.len() as u64,
        _ => 0,
    }
}

/// How many values there are, and the bytes of texts.
fn size(value: &Value) -> u64 {
    match value {
        Value::Array(values) => values.iter().fold(1, |sum: u64, value| sum.saturating_add(size(value))),
        Value::Object(fields) => fields.iter().fold(1, |sum: u64, (name, value)| {
            sum.saturating_add(name.len() as u64).saturating_add(size(value))
        }),
        Value::String(text) => 1 + PATTERN_STEPS * text.len() as u64,
        _ => 1,
    }
}

impl<'r> Builder<'r> {
    /// The node of a schema; it is read later.
    fn node(
        &mut self,
        schema: &'r Value,
        resolver: &Resolver<'r>,
        draft: Draft,
        path: String,
    ) -> Result<usize, AnswerError> {
        if let Some(known) = self.known.get(&std::ptr::from_ref(schema)) {
            return Ok(*known);
        }
        let node = self.nodes.len();
        if node >= SCHEMA_PARTS {
            return Err(AnswerError::SchemaTooLarge { problem: "it has too many parts" });
        }
        self.nodes.push(Node::default());
        self.known.insert(schema, node);
        let draft = draft.detect(schema);
        let resolver = resolver
            .in_subresource(ResourceRef::new(schema, draft))
            .map_err(|error| AnswerError::InvalidSchema { path: path.clone(), problem: error.to_string() })?;
        self.left.push(Work { node, schema, resolver, draft, path });
        Ok(node)
    }

    fn read(&mut self, work: &Work<'r>) -> Result<(), AnswerError> {
        let Value::Object(fields) = work.schema else {
            self.change(work.node, |node| node.weight = 1);
            return Ok(());
        };
        if let Some(Value::String(name)) = fields.get("$dynamicAnchor") {
            self.anchors.push((name.clone(), work.node));
        }
        // Before 2019-09 nothing counts beside a reference.
        let alone = work.draft <= Draft::Draft7 && fields.get("$ref").is_some_and(Value::is_string);
        let mut weight = 1;
        for (keyword, value) in fields {
            let path = child(&work.path, keyword);
            match keyword.as_str() {
                "$ref" | "$dynamicRef" => self.reference(work, keyword, value, &path)?,
                "$defs" | "definitions" => drop(self.map(work, value, &path)?),
                _ if alone => {}
                _ => weight += self.keyword(work, keyword, value, &path)?,
            }
        }
        self.change(work.node, |node| node.weight = weight);
        Ok(())
    }

    /// Changes a node that was made.
    fn change(&mut self, node: usize, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(node) {
            change(node);
        }
    }

    /// Reads a keyword; returns what it costs by itself.
    fn keyword(
        &mut self,
        work: &Work<'r>,
        keyword: &str,
        value: &'r Value,
        path: &str,
    ) -> Result<u64, AnswerError> {
        let times = looks_again(work.schema);
        self.repeats |= times > 1;
        match keyword {
            "allOf" | "anyOf" | "oneOf" => {
                let nodes = self.list(work, value, path)?;
                let edges = nodes.into_iter().map(|node| (node, times));
                self.change(work.node, |node| node.in_place.extend(edges));
            }
            "not" | "if" | "then" | "else" => {
                let target = self.node(value, &work.resolver, work.draft, path.to_owned())?;
                // A condition is asked, and then read for what it marks.
                let more = if keyword == "if" { 2 } else { 1 };
                self.change(work.node, |node| node.in_place.push((target, times * more)));
            }
            "dependentSchemas" | "dependencies" => {
                let nodes = self.map(work, value, path)?;
                let edges = nodes.into_iter().map(|(_, node)| (node, times));
                self.change(work.node, |node| node.in_place.extend(edges));
            }
            "properties" => {
                let nodes = self.map(work, value, path)?;
                self.change(work.node, |node| node.named.extend(nodes));
            }
            "patternProperties" => {
                let nodes = self.map(work, value, path)?;
                self.change(work.node, |node| {
                    node.patterns += nodes.len() as u64;
                    node.properties.extend(nodes.into_iter().map(|(_, target)| target));
                });
            }
            "additionalProperties" | "unevaluatedProperties" => {
                let target = self.node(value, &work.resolver, work.draft, path.to_owned())?;
                self.change(work.node, |node| node.properties.push(target));
            }
            "propertyNames" => {
                let target = self.node(value, &work.resolver, work.draft, path.to_owned())?;
                self.change(work.node, |node| node.names.push(target));
            }
            "prefixItems" | "items" if value.is_array() => {
                let nodes = self.list(work, value, path)?;
                self.change(work.node, |node| node.prefix = nodes);
            }
            "items" | "additionalItems" | "unevaluatedItems" | "contains" => {
                let target = self.node(value, &work.resolver, work.draft, path.to_owned())?;
                self.change(work.node, |node| node.items.push(target));
            }
            "pattern" | "format" => self.change(work.node, |node| node.patterns += 1),
            "enum" | "const" | "required" | "dependentRequired" => {
                return Ok(1 + to_text(value).len() as u64 / 16);
            }
            _ => return Ok(1),
        }
        Ok(1)
    }

    fn list(&mut self, work: &Work<'r>, value: &'r Value, path: &str) -> Result<Vec<usize>, AnswerError> {
        let mut nodes = Vec::new();
        for (index, schema) in value.as_array().into_iter().flatten().enumerate() {
            nodes.push(self.node(schema, &work.resolver, work.draft, format!("{path}/{index}"))?);
        }
        Ok(nodes)
    }

    /// Schemas by a name; a list of names among them (`dependencies`) is none.
    fn map(
        &mut self,
        work: &Work<'r>,
        value: &'r Value,
        path: &str,
    ) -> Result<Vec<(String, usize)>, AnswerError> {
        let mut nodes = Vec::new();
        for (name, schema) in value.as_object().into_iter().flatten() {
            if schema.is_object() || schema.is_boolean() {
                let node = self.node(schema, &work.resolver, work.draft, child(path, name))?;
                nodes.push((name.clone(), node));
            }
        }
        Ok(nodes)
    }

    fn reference(
        &mut self,
        work: &Work<'r>,
        keyword: &str,
        value: &Value,
        path: &str,
    ) -> Result<(), AnswerError> {
        let Value::String(uri) = value else { return Ok(()) };
        self.repeats = true;
        let (schema, resolver, draft) = work
            .resolver
            .lookup(uri)
            .map_err(|error| AnswerError::InvalidSchema {
                path: path.to_owned(),
                problem: error.to_string(),
            })?
            .into_inner();
        let target = self.node(schema, &resolver, draft, path.to_owned())?;
        let times = looks_again(work.schema);
        self.change(work.node, |node| node.in_place.push((target, times)));
        if keyword == "$dynamicRef"
            && let Some((_, anchor)) = uri.rsplit_once('#')
        {
            self.dynamic.push((work.node, anchor.to_owned()));
        }
        Ok(())
    }

    /// A dynamic reference leads to any schema with its anchor: which one, only the way to it tells.
    fn connect_dynamic(&mut self) {
        for (node, name) in std::mem::take(&mut self.dynamic) {
            let anchors =
                self.anchors.iter().filter(|(anchor, _)| *anchor == name).map(|(_, target)| *target);
            let targets: Vec<usize> = anchors.collect();
            for target in targets {
                self.change(node, |node| {
                    if node.in_place.iter().all(|(known, _)| *known != target) {
                        node.in_place.push((target, 2));
                    }
                });
            }
        }
    }
}

/// How often the schemas beside a keyword are applied: what marks properties or elements as seen applies them once more.
fn looks_again(schema: &Value) -> u64 {
    let has = |keyword| schema.get(keyword).is_some();
    if has("unevaluatedProperties") || has("unevaluatedItems") { 2 } else { 1 }
}

/// The nodes in an order in which edges to the same value lead forward; fails if there is none.
fn sorted(nodes: Vec<Node>, root: usize) -> Result<(Vec<Node>, usize), AnswerError> {
    let mut incoming: Vec<usize> = vec![0; nodes.len()];
    for (target, _) in nodes.iter().flat_map(|node| &node.in_place) {
        if let Some(count) = incoming.get_mut(*target) {
            *count += 1;
        }
    }
    let mut free: Vec<usize> =
        incoming.iter().enumerate().filter(|(_, count)| **count == 0).map(|(index, _)| index).collect();
    let mut places: Vec<Option<usize>> = vec![None; nodes.len()];
    let mut order = Vec::new();
    while let Some(index) = free.pop() {
        if let Some(place) = places.get_mut(index) {
            *place = Some(order.len());
        }
        order.push(index);
        for (target, _) in nodes.get(index).into_iter().flat_map(|node| &node.in_place) {
            if let Some(count) = incoming.get_mut(*target) {
                *count -= 1;
                if *count == 0 {
                    free.push(*target);
                }
            }
        }
    }
    let place = |index: usize| places.get(index).copied().flatten();
    if order.len() < nodes.len() {
        return Err(AnswerError::InvalidSchema {
            path: String::new(),
            problem: "it refers to itself without end".to_owned(),
        });
    }
    let mut sorted: Vec<(usize, Node)> = Vec::new();
    for (index, mut node) in nodes.into_iter().enumerate() {
        let moved = |targets: &mut Vec<usize>| {
            targets.iter_mut().for_each(|target| *target = place(*target).unwrap_or_default())
        };
        node.in_place.iter_mut().for_each(|(target, _)| *target = place(*target).unwrap_or_default());
        node.named.iter_mut().for_each(|(_, target)| *target = place(*target).unwrap_or_default());
        moved(&mut node.properties);
        moved(&mut node.names);
        moved(&mut node.prefix);
        moved(&mut node.items);
        sorted.push((place(index).unwrap_or_default(), node));
    }
    sorted.sort_by_key(|(place, _)| *place);
    Ok((sorted.into_iter().map(|(_, node)| node).collect(), place(root).unwrap_or_default()))
}
