//! From a descriptor and decoded data to labels and values.

use crate::bounds::{CALLS_DEPTH, DEPTH, FIELDS, STEPS, TEXT_BYTES};
use crate::descriptor::{Descriptor, merge};
use crate::error::{Degraded, RenderError};
use crate::field::Shown;
use crate::path::{Found, Path, Root, Segment, select};
use crate::value::{self, Value};
use chains::{Amount, Chain};
use serde_json::{Map, Value as Json};
use wire::descriptor::{
    DescriptionDiagnostic, Known, KnownToken, NameSource, Origin, Place, RenderedField, Rendering, Wanted,
};

/// What a call or message is contained in: `@.from` and its like.
#[derive(Debug, Clone)]
pub(crate) struct Container {
    pub(crate) from: Option<[u8; 20]>,
    pub(crate) to: Option<[u8; 20]>,
    pub(crate) value: Amount,
    pub(crate) chain_id: u64,
}

/// What is described: a descriptor, the data that it speaks of, and their container.
pub(crate) struct Subject<'a> {
    pub(crate) descriptor: Descriptor<'a>,
    pub(crate) data: Value,
    pub(crate) container: Container,
    /// How many calls it is inside of.
    pub(crate) depth: usize,
}

/// A field that was shown, for the sentence.
struct Spoken {
    path: Path,
    /// Whether it is always shown.
    always: bool,
    values: Vec<String>,
}

/// Renders by what is given, and remembers what was not found.
pub(crate) struct Renderer<'a> {
    pub(crate) descriptors: &'a [Json],
    pub(crate) known: &'a Known,
    pub(crate) wanted: Wanted,
    diagnostics: Vec<DescriptionDiagnostic>,
    fallback: bool,
    fields: usize,
    text: usize,
    steps: usize,
}

impl<'a> Renderer<'a> {
    pub(crate) fn new(descriptors: &'a [Json], known: &'a Known) -> Self {
        Self {
            descriptors,
            known,
            wanted: Wanted::default(),
            diagnostics: Vec::new(),
            fallback: false,
            fields: FIELDS,
            text: TEXT_BYTES,
            steps: STEPS,
        }
    }

    /// What went wrong, and whether anything was shown raw because of it.
    pub(crate) fn finish(self) -> (Vec<DescriptionDiagnostic>, bool, Wanted) {
        (self.diagnostics, self.fallback, self.wanted)
    }

    /// Notes what is left out or shown raw, each once.
    pub(crate) fn degrade(&mut self, problem: Degraded) {
        self.fallback |= problem.is_fallback();
        self.diagnose(problem.code(), problem.to_string());
    }

    pub(crate) fn diagnose(&mut self, code: &str, message: String) {
        if !self.diagnostics.iter().any(|found| found.code == code) {
            self.diagnostics.push(DescriptionDiagnostic { code: code.to_owned(), message });
        }
    }

    /// Renders a format of a descriptor.
    pub(crate) fn format(&mut self, subject: &Subject<'_>, format: &Json) -> Result<Rendering, RenderError> {
        let mut rendering = Rendering {
            intent: intent(format.get("intent")),
            sentence: None,
            owner: subject.descriptor.metadata("owner"),
            contract_name: subject.descriptor.metadata("contractName"),
            fields: Vec::new(),
        };
        let root = Path { root: Root::Data, segments: Vec::new() };
        let mut spoken = Vec::new();
        let fields = list(format.get("fields"))?;
        let scope = Scope { group: &root, bundle: None, depth: 0 };
        self.group(subject, fields, &scope, &mut rendering.fields, &mut spoken)?;
        if let Some(template) = format.get("interpolatedIntent").and_then(Json::as_str) {
            rendering.sentence = sentence(template, &spoken);
            match &rendering.sentence {
                Some(sentence) => self.spend(sentence.len())?,
                None => self.degrade(Degraded::SentenceSkipped),
            }
        }
        let words = [&rendering.owner, &rendering.contract_name].into_iter().flatten().map(String::len);
        self.spend(words.sum::<usize>() + rendering.intent.len())?;
        Ok(rendering)
    }

    fn spend(&mut self, bytes: usize) -> Result<(), RenderError> {
        self.text = self.text.checked_sub(bytes).ok_or(RenderError::DescriptionTooLarge)?;
        Ok(())
    }

    fn group(
        &mut self,
        subject: &Subject<'_>,
        fields: &[Json],
        scope: &Scope<'_>,
        out: &mut Vec<RenderedField>,
        spoken: &mut Vec<Spoken>,
    ) -> Result<(), RenderError> {
        if scope.depth > DEPTH {
            return Err(RenderError::DescriptionTooLarge);
        }
        for field in fields {
            self.steps = self.steps.checked_sub(1).ok_or(RenderError::DescriptionTooLarge)?;
            let field = self.resolved(subject, field)?;
            if field.get("fields").is_some() {
                self.inner_group(subject, &field, scope, out, spoken)?;
            } else {
                self.field(subject, &field, scope, out, spoken)?;
            }
        }
        Ok(())
    }

    /// A field with the definition that it refers to.
    fn resolved(&mut self, subject: &Subject<'_>, field: &Json) -> Result<Map<String, Json>, RenderError> {
        let invalid = |problem: &str| RenderError::InvalidDescriptor { problem: problem.to_owned() };
        let mut field = field.as_object().ok_or_else(|| invalid("a field is not an object"))?.clone();
        let Some(Json::String(reference)) = field.remove("$ref") else { return Ok(field) };
        let definition = Path::parse(&reference).and_then(|path| subject.descriptor.at(&path));
        let Some(definition @ Json::Object(_)) = definition else {
            self.degrade(Degraded::ReferenceNotFound);
            return Ok(field);
        };
        let mut merged = definition.clone();
        merge(&mut merged, Json::Object(field));
        match merged {
            Json::Object(merged) => Ok(merged),
            _ => Err(invalid("a definition is not an object")),
        }
    }

    fn inner_group(
        &mut self,
        subject: &Subject<'_>,
        group: &Map<String, Json>,
        scope: &Scope<'_>,
        out: &mut Vec<RenderedField>,
        spoken: &mut Vec<Spoken>,
    ) -> Result<(), RenderError> {
        let fields = list(group.get("fields"))?;
        let path = match group.get("path").and_then(Json::as_str) {
            Some(path) => parsed(path)?.within(scope.group),
            None => scope.group.clone(),
        };
        let depth = scope.depth + 1;
        // A group of a list's members shows one member after the other, unless it says otherwise.
        let bundled = match group.get("iteration").and_then(Json::as_str) {
            Some(iteration) => iteration == "bundled",
            None => path.segments.iter().any(|segment| matches!(segment, Segment::Slice(..))),
        };
        if !bundled || scope.bundle.is_some() {
            let scope = Scope { group: &path, bundle: scope.bundle, depth };
            return self.group(subject, fields, &scope, out, spoken);
        }
        // The lists that are gone through together have the same length.
        let mut lengths = Vec::new();
        for field in fields {
            let own = field.get("path").and_then(Json::as_str).unwrap_or_default();
            let path = parsed(own)?.within(&path);
            if path.segments.iter().any(|segment| matches!(segment, Segment::Slice(..))) {
                let found = select(&subject.data, &path.segments, &[], &mut self.steps).unwrap_or_default();
                let last = found.last().and_then(|found| found.places.first());
                lengths.push(last.map_or(0, |last| last + 1));
            }
        }
        let count = lengths.first().copied().unwrap_or(0);
        if lengths.iter().any(|length| *length != count) {
            let problem = "lists that are shown together have different lengths".to_owned();
            return Err(RenderError::InvalidDescriptor { problem });
        }
        for place in 0..count {
            let scope = Scope { group: &path, bundle: Some(place), depth };
            self.group(subject, fields, &scope, out, spoken)?;
        }
        Ok(())
    }

    fn field(
        &mut self,
        subject: &Subject<'_>,
        field: &Map<String, Json>,
        scope: &Scope<'_>,
        out: &mut Vec<RenderedField>,
        spoken: &mut Vec<Spoken>,
    ) -> Result<(), RenderError> {
        let visible = field.get("visible");
        if visible.and_then(Json::as_str) == Some("never") {
            return Ok(());
        }
        let label = field.get("label").and_then(Json::as_str).unwrap_or_default();
        if let Some(literal) = field.get("value") {
            let shown = self.literal(subject, literal, field)?;
            return self.push(label, shown, out);
        }
        let text = field.get("path").and_then(Json::as_str).unwrap_or_default();
        let path = parsed(text)?.within(scope.group);
        let Some(found) = self.resolve(subject, &path, scope.bundle.as_slice()) else {
            self.degrade(Degraded::ValueNotFound);
            return Ok(());
        };
        let mut values = Vec::new();
        for Found { value, places } in found {
            if !visible_by(visible, &value, text)? {
                continue;
            }
            let places = if scope.bundle.is_some() { scope.bundle.as_slice() } else { &places };
            for shown in self.each(subject, value, field, scope.group, places)? {
                if let Shown::Text { value, .. } = &shown {
                    values.push(value.clone());
                }
                self.push(label, shown, out)?;
            }
        }
        let always = visible.is_none() || visible.and_then(Json::as_str) == Some("always");
        spoken.push(Spoken { path, always, values });
        Ok(())
    }

    /// A value, or the members of a list.
    fn each(
        &mut self,
        subject: &Subject<'_>,
        value: Value,
        field: &Map<String, Json>,
        group: &Path,
        places: &[usize],
    ) -> Result<Vec<Shown>, RenderError> {
        let Value::List(list) = value else {
            return Ok(vec![self.shown(subject, &value, field, group, places)?]);
        };
        let mut shown = Vec::new();
        for (place, value) in list.into_iter().enumerate() {
            self.steps = self.steps.checked_sub(1).ok_or(RenderError::DescriptionTooLarge)?;
            let mut inner = places.to_vec();
            inner.push(place);
            if shown.len() > FIELDS {
                return Err(RenderError::DescriptionTooLarge);
            }
            if matches!(value, Value::List(_)) {
                shown.push(Shown::text(value.raw()));
            } else {
                shown.push(self.shown(subject, &value, field, group, &inner)?);
            }
        }
        Ok(shown)
    }

    fn push(&mut self, label: &str, shown: Shown, out: &mut Vec<RenderedField>) -> Result<(), RenderError> {
        self.fields = self.fields.checked_sub(1).ok_or(RenderError::DescriptionTooLarge)?;
        let label = label.to_owned();
        let field = match shown {
            Shown::Text { value, origin } => RenderedField { label, value, call: None, origin },
            Shown::Call(call) => {
                RenderedField { label, value: String::new(), call: Some(call), origin: None }
            }
        };
        self.spend(field.label.len() + field.value.len())?;
        out.push(field);
        Ok(())
    }

    fn literal(
        &mut self,
        subject: &Subject<'_>,
        literal: &Json,
        field: &Map<String, Json>,
    ) -> Result<Shown, RenderError> {
        let resolved = self.constant(subject, literal, &Path { root: Root::Data, segments: Vec::new() }, &[]);
        let value = match resolved.unwrap_or_else(|| literal.clone()) {
            Json::String(text) => match value::address(&text) {
                Some(address) => Value::Address(address),
                None => Value::Text(text),
            },
            Json::Number(number) => match value::parse_number(&number.to_string()) {
                Some(number) => Value::Number(number),
                None => Value::Text(number.to_string()),
            },
            Json::Bool(truth) => Value::Bool(truth),
            _ => Value::Text(String::new()),
        };
        let root = Path { root: Root::Data, segments: Vec::new() };
        let shown = self.shown(subject, &value, field, &root, &[])?;
        Ok(match shown {
            Shown::Text { value, .. } => Shown::Text { value, origin: Some(Origin::Literal {}) },
            call @ Shown::Call(_) => call,
        })
    }

    /// What a path leads to.
    pub(crate) fn resolve(
        &mut self,
        subject: &Subject<'_>,
        path: &Path,
        given: &[usize],
    ) -> Option<Vec<Found>> {
        let one = |value| Some(vec![Found { value, places: Vec::new() }]);
        match path.root {
            Root::Relative | Root::Data => select(&subject.data, &path.segments, given, &mut self.steps),
            Root::Descriptor => one(match subject.descriptor.at(path)? {
                Json::String(text) => Value::Text(text.clone()),
                Json::Number(number) => Value::Number(value::parse_number(&number.to_string())?),
                _ => return None,
            }),
            Root::Container => {
                let (name, rest) = path.segments.split_first()?;
                let Segment::Name(name) = name else { return None };
                let value = match name.as_str() {
                    "from" => Value::Address(subject.container.from?),
                    "to" => Value::Address(subject.container.to?),
                    "value" => Value::Number(subject.container.value),
                    "chainId" => Value::Number(Amount::from(subject.container.chain_id)),
                    _ => return None,
                };
                select(&value, rest, given, &mut self.steps)
            }
        }
    }

    /// A constant, or what a reference to one leads to.
    pub(crate) fn constant(
        &mut self,
        subject: &Subject<'_>,
        json: &Json,
        group: &Path,
        places: &[usize],
    ) -> Option<Json> {
        match json {
            Json::String(text) if text.starts_with("$.") => {
                let found = Path::parse(text).and_then(|path| subject.descriptor.at(&path)).cloned();
                if found.is_none() {
                    self.degrade(Degraded::ReferenceNotFound);
                }
                found
            }
            Json::Object(object) => {
                let map = Path::parse(object.get("map")?.as_str()?)?;
                let key = parsed(object.get("keyPath")?.as_str()?).ok()?.within(group);
                let key = self.resolve(subject, &key, places)?.into_iter().next()?.value.raw();
                let values = subject.descriptor.at(&map)?;
                let found = values.get("values").unwrap_or(values).get(&key).cloned();
                if found.is_none() {
                    self.degrade(Degraded::ReferenceNotFound);
                }
                found
            }
            other => Some(other.clone()),
        }
    }

    /// Ticker and decimals of a token that the wallet knows.
    pub(crate) fn token(&mut self, chain_id: u64, address: &[u8; 20]) -> Option<(&'a str, u8)> {
        let on = |token: &&KnownToken| token.chain_id.is_none_or(|id| id == chain_id);
        let is = |token: &&KnownToken| value::address(&token.address).as_ref() == Some(address);
        let given = self.known.tokens.iter().filter(on).find(is);
        let given = given.map(|token| (token.symbol.as_str(), token.decimals));
        let found = self.well_known(chain_id, address).or(given);
        if found.is_none() {
            want(&mut self.wanted.tokens, chain_id, address);
        }
        found
    }

    /// By our own table, which is right where others say something else.
    fn well_known(&self, chain_id: u64, address: &[u8; 20]) -> Option<(&'a str, u8)> {
        let chain = Chain::from_evm_id(chain_id).filter(|_| self.known.table)?;
        let token = chains::token::at(chain, &value::checksummed(address))?;
        Some((token.ticker, token.decimals))
    }

    /// A name that the wallet knows.
    pub(crate) fn name(
        &mut self,
        chain_id: u64,
        address: &[u8; 20],
        sources: &[NameSource],
    ) -> Option<&'a str> {
        let names = &self.known.names;
        let is = |source: &NameSource| {
            let mut of_source = names.iter().filter(|name| name.source == *source);
            of_source.find(|name| value::address(&name.address).as_ref() == Some(address))
        };
        let found = sources.iter().find_map(is);
        if found.is_none() {
            want(&mut self.wanted.names, chain_id, address);
        }
        found.map(|name| name.name.as_str())
    }

    /// A call inside a call, by its own descriptor; `None` where none speaks of it.
    pub(crate) fn nested(
        &mut self,
        container: &Container,
        data: &[u8],
        depth: usize,
    ) -> Result<Option<Rendering>, RenderError> {
        if depth >= CALLS_DEPTH {
            self.degrade(Degraded::NestedTooDeep);
            return Ok(None);
        }
        match self.call(container.clone(), data, depth) {
            Ok((_, rendering)) => Ok(Some(rendering)),
            Err(RenderError::DescriptionTooLarge) => Err(RenderError::DescriptionTooLarge),
            Err(error) => {
                if matches!(error, RenderError::DescriptorNotFound)
                    && let Some(to) = container.to
                {
                    want(&mut self.wanted.calls, container.chain_id, &to);
                }
                self.degrade(Degraded::NestedDescriptorNotFound);
                Ok(None)
            }
        }
    }
}

/// Where a field stands.
struct Scope<'a> {
    group: &'a Path,
    /// The place in the lists of a group whose lists are gone through together.
    bundle: Option<usize>,
    depth: usize,
}

fn want(places: &mut Vec<Place>, chain_id: u64, address: &[u8; 20]) {
    let place = Place { chain_id, address: value::plain_address(address) };
    if places.len() < FIELDS && !places.contains(&place) {
        places.push(place);
    }
}

fn list(fields: Option<&Json>) -> Result<&[Json], RenderError> {
    match fields {
        None => Ok(&[]),
        Some(Json::Array(fields)) => Ok(fields),
        Some(_) => Err(RenderError::InvalidDescriptor { problem: "fields is not a list".to_owned() }),
    }
}

pub(crate) fn parsed(path: &str) -> Result<Path, RenderError> {
    if path.is_empty() {
        return Ok(Path { root: Root::Relative, segments: Vec::new() });
    }
    Path::parse(path).ok_or_else(|| RenderError::InvalidDescriptor { problem: format!("not a path: {path}") })
}

/// A text, or labels with texts.
fn intent(json: Option<&Json>) -> String {
    match json {
        Some(Json::String(text)) => text.clone(),
        Some(Json::Object(parts)) => {
            let part = |(label, text): (&String, &Json)| Some(format!("{label}: {}", text.as_str()?));
            parts.iter().filter_map(part).collect::<Vec<_>>().join(", ")
        }
        _ => String::new(),
    }
}

/// Whether a rule lets a value be seen.
fn visible_by(rule: Option<&Json>, value: &Value, path: &str) -> Result<bool, RenderError> {
    let Some(Json::Object(rule)) = rule else { return Ok(true) };
    let is_in = |list: &Json| list.as_array().is_some_and(|list| list.iter().any(|json| equals(value, json)));
    if let Some(list) = rule.get("mustMatch") {
        return match is_in(list) {
            true => Ok(false),
            false => Err(RenderError::ValueNotAllowed { path: path.to_owned() }),
        };
    }
    Ok(!rule.get("ifNotIn").is_some_and(is_in))
}

fn equals(value: &Value, json: &Json) -> bool {
    match json {
        Json::String(text) => {
            let number = matches!(value, Value::Number(_))
                && value::parse_number(text).is_some_and(|n| value.number() == Some(n));
            number || value.raw().eq_ignore_ascii_case(text)
        }
        Json::Number(number) => value.raw() == number.to_string(),
        Json::Bool(truth) => *value == Value::Bool(*truth),
        _ => false,
    }
}

/// Fills `{path}` with what was shown of the field; `None` where one was not, or the template is none.
fn sentence(template: &str, spoken: &[Spoken]) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (before, brace) = rest.split_at_checked(at)?;
        out.push_str(before);
        if let Some(after) = brace.strip_prefix("{{").or_else(|| brace.strip_prefix("}}")) {
            out.push_str(brace.get(..1)?);
            rest = after;
            continue;
        }
        let (path, after) = brace.strip_prefix('{')?.split_once('}')?;
        let path = Path::parse(path)?;
        let field = spoken.iter().find(|field| field.path.same(&path)).filter(|field| field.always)?;
        if field.values.is_empty() {
            return None;
        }
        out.push_str(&field.values.join(" and "));
        if out.len() > TEXT_BYTES {
            return None;
        }
        rest = after;
    }
    out.push_str(rest);
    Some(out)
}
