//! The index of tools: lists, search, and which tools can be called.
//!
//! It holds what the store holds, by a stamp, and is sent the store anew when it has another. Rows are in the order of fields
//! that never change, so that pages stay right under any change ([`page`]).
//!
//! A search ranks by class, then by recency (specification 002):
//!
//! | class | a tool is in it if |
//! |---|---|
//! | 0, prefix | its slug, name or display name begins with the query |
//! | 1, whole word | each word of the query is one of its words: of these, its description and its tags |
//! | 2, fuzzy | each word of the query begins one of its words, is a part of one, or is spelled almost alike |

mod document;
mod effective;
mod fold;
mod page;
mod terms;
#[cfg(test)]
mod tests;

use crate::hosts::is_allowed;
use derive::{Code, ToJson};
use document::Document;
use effective::{Reason, Surroundings};
use fold::{fold, joined, words};
use page::{Kind, Place, Query};
use serde_json::Value;
use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use terms::{Match, Slot, Terms};
use url::Url;
use wire::json::{FieldError, from_text, parse, to_text};
use wire::tool::iso_time as iso;
use wire::tool_index::{BundleRow, Find, IndexChange, IndexReply, IndexRequest, IndexedTool, NamedDocument};

/// Why the index refuses a request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum IndexError {
    /// A parameter of the query breaks a rule.
    #[error("{parameter} {problem}")]
    #[code("invalid_request")]
    InvalidQuery {
        /// Which.
        parameter: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The token was not given out for such a request.
    #[error("this is not a token of a page")]
    InvalidPageToken,
    /// A document or a record cannot be read.
    #[error("a tool cannot be read: {0}")]
    CorruptRecord(FieldError),
}

impl IndexError {
    fn query(parameter: &str, problem: &'static str) -> Self {
        Self::InvalidQuery { parameter: parameter.to_owned(), problem }
    }

    /// Where in the request.
    pub(crate) fn path(&self) -> Option<String> {
        match self {
            Self::InvalidQuery { parameter, .. } => Some(format!("?{parameter}")),
            Self::InvalidPageToken => Some("?pageToken".to_owned()),
            Self::CorruptRecord(_) => None,
        }
    }
}

impl From<FieldError> for IndexError {
    fn from(error: FieldError) -> Self {
        Self::CorruptRecord(error)
    }
}

/// A tool of the index.
#[derive(Debug)]
struct Entry {
    document: Document,
    built_in: bool,
}

/// The tools and bundles of a state of the store.
#[derive(Debug, Default)]
pub(crate) struct Index {
    stamp: Option<String>,
    entries: Vec<Option<Entry>>,
    by_key: HashMap<String, Slot>,
    /// By creation, newest first.
    listed: Vec<Slot>,
    /// By change, newest first.
    recent: Vec<Slot>,
    terms: Terms,
    /// Slugs, names and display names, in order.
    heads: Vec<(String, Slot)>,
    bundles: BTreeMap<String, BundleRow>,
    /// Bundles that are compiled in.
    built_in: HashSet<String>,
    functions: HashSet<String>,
    disabled: HashSet<String>,
    /// Why each tool cannot be called, and with which allowed hosts that holds.
    reasons: Vec<Option<Reason>>,
    reasons_with: Option<Vec<String>>,
}

impl Index {
    /// Answers one request.
    pub(crate) fn answer(&mut self, request: IndexRequest) -> Result<IndexReply, IndexError> {
        match request {
            IndexRequest::Update { from, to, change } => self.update(from.as_deref(), to, &change),
            IndexRequest::Find { at, .. } if self.stamp.as_ref() != Some(&at) => Ok(IndexReply::Stale {}),
            IndexRequest::Find { hosts, find, .. } => {
                self.judge(hosts);
                self.find(find)
            }
            IndexRequest::Document { records } => documents(&records),
        }
    }

    fn update(
        &mut self,
        from: Option<&str>,
        to: String,
        change: &IndexChange,
    ) -> Result<IndexReply, IndexError> {
        let patch = match from {
            None => {
                *self = Self::default();
                false
            }
            Some(from) if self.stamp.as_deref() == Some(from) => true,
            Some(_) => return Ok(IndexReply::Stale {}),
        };
        // What fails in the middle leaves an index that knows no state.
        self.stamp = None;
        for line in change.built_in.lines() {
            let document = Document::of(&parse(line)?);
            self.built_in.insert(document.bundle_id.clone());
            self.functions.extend(document.function.clone());
            self.add(Entry { document, built_in: true });
        }
        change.removed_tools.iter().for_each(|key| self.remove(key));
        for line in change.tools.lines() {
            let slot = self.add(Entry { document: from_text(line)?, built_in: false });
            if patch {
                self.link(slot);
            }
        }
        if !patch {
            self.link_all();
        }
        change.removed_bundles.iter().for_each(|id| _ = self.bundles.remove(id));
        for line in change.bundles.lines() {
            let bundle: BundleRow = from_text(line)?;
            self.bundles.insert(bundle.id.clone(), bundle);
        }
        self.disabled.extend(change.disabled.iter().cloned());
        change.enabled.iter().for_each(|id| _ = self.disabled.remove(id));
        self.reasons_with = None;
        self.stamp = Some(to);
        Ok(IndexReply::Updated {})
    }

    fn entry(&self, slot: Slot) -> Option<&Entry> {
        self.entries.get(usize::try_from(slot).ok()?)?.as_ref()
    }

    fn document(&self, slot: Slot) -> Option<&Document> {
        self.entry(slot).map(|entry| &entry.document)
    }

    /// Gives a tool a place. Of two with one key the last counts.
    fn add(&mut self, entry: Entry) -> Slot {
        let key = entry.document.key();
        self.remove(&key);
        let slot = Slot::try_from(self.entries.len()).unwrap_or(Slot::MAX);
        self.entries.push(Some(entry));
        self.by_key.insert(key, slot);
        slot
    }

    /// Puts a tool into the orders and among the words.
    fn link(&mut self, slot: Slot) {
        let Some((words, heads)) = self.document(slot).map(|document| (document.words(), document.heads()))
        else {
            return;
        };
        words.iter().for_each(|word| self.terms.insert(word, slot));
        for head in heads {
            let place = self.heads.partition_point(|(other, _)| *other < head);
            self.heads.insert(place, (head, slot));
        }
        let place = self.listed.partition_point(|other| self.by_creation(*other, slot).is_lt());
        self.listed.insert(place, slot);
        let place = self.recent.partition_point(|other| self.by_change(*other, slot).is_lt());
        self.recent.insert(place, slot);
    }

    /// Does the same for all tools at once.
    fn link_all(&mut self) {
        let slots = || (0..self.entries.len()).filter_map(|slot| Slot::try_from(slot).ok());
        let documents = || slots().filter_map(|slot| Some((self.document(slot)?, slot)));
        let words = documents()
            .flat_map(|(document, slot)| document.words().into_iter().map(move |word| (word, slot)));
        let terms = Terms::of(words);
        let heads = documents().flat_map(|(document, slot)| document.heads().map(|head| (head, slot)));
        let mut heads: Vec<(String, Slot)> = heads.collect();
        heads.sort_unstable();
        let mut listed: Vec<Slot> = documents().map(|(_, slot)| slot).collect();
        let mut recent = listed.clone();
        listed.sort_unstable_by(|one, other| self.by_creation(*one, *other));
        recent.sort_unstable_by(|one, other| self.by_change(*one, *other));
        (self.terms, self.heads, self.listed, self.recent) = (terms, heads, listed, recent);
    }

    fn remove(&mut self, key: &str) {
        let Some(slot) = self.by_key.remove(key) else { return };
        let entry =
            usize::try_from(slot).ok().and_then(|slot| self.entries.get_mut(slot)).and_then(Option::take);
        let Some(entry) = entry else { return };
        entry.document.words().iter().for_each(|word| self.terms.remove(word, slot));
        self.heads.retain(|(_, other)| *other != slot);
        self.listed.retain(|other| *other != slot);
        self.recent.retain(|other| *other != slot);
    }

    fn by_creation(&self, one: Slot, other: Slot) -> Ordering {
        self.compare(one, other, |document| &document.created_at)
    }

    fn by_change(&self, one: Slot, other: Slot) -> Ordering {
        self.compare(one, other, |document| &document.modified_at)
    }

    fn compare(&self, one: Slot, other: Slot, time: fn(&Document) -> &String) -> Ordering {
        let place = |slot| self.document(slot).map(|document| (time(document), &document.id));
        match (place(one), place(other)) {
            (Some((one, id)), Some((other, other_id))) => other.cmp(one).then_with(|| id.cmp(other_id)),
            (one, other) => one.is_some().cmp(&other.is_some()),
        }
    }

    /// Finds out which tools can be called, unless that is known.
    fn judge(&mut self, hosts: Vec<String>) {
        if self.reasons_with.as_ref() == Some(&hosts) {
            return;
        }
        // Tools of one host are many, and entries are read for each look.
        let known: RefCell<HashMap<String, bool>> = RefCell::default();
        let surroundings = Surroundings {
            disabled: &self.disabled,
            bundles: &|id| self.bundles.get(id).is_some_and(|bundle| bundle.soft_deleted_at.is_none()),
            functions: &self.functions,
            allowed: &|origin| {
                *known.borrow_mut().entry(origin.to_owned()).or_insert_with(|| allowed(origin, &hosts))
            },
        };
        self.reasons = surroundings.reasons(self.entries.iter().map(Option::as_ref));
        self.reasons_with = Some(hosts);
    }

    fn reason(&self, slot: Slot) -> Option<Reason> {
        usize::try_from(slot).ok().and_then(|slot| self.reasons.get(slot).copied()).flatten()
    }

    fn find(&mut self, find: Find) -> Result<IndexReply, IndexError> {
        let slots = match find {
            Find::List { query } => return Ok(self.list(&Query::read(Kind::List, &query)?)),
            Find::Search { query } => return Ok(self.search(&Query::read(Kind::Search, &query)?)),
            Find::Bundles { query } => return Ok(self.list_bundles(&Query::read(Kind::Bundles, &query)?)),
            Find::Bundle { id } => {
                let bundle = self.bundles.get(&id).filter(|bundle| bundle.soft_deleted_at.is_none());
                let bundles = bundle.map(|bundle| self.show_bundle(bundle)).into_iter().collect();
                return Ok(IndexReply::Bundles { bundles, next: None });
            }
            Find::Tool { key } => self.by_key.get(&key).copied().into_iter().collect(),
            Find::Named { name } => self.named(&name),
            Find::Callable {} => self.callable(),
        };
        Ok(self.reply(&slots, None))
    }

    /// The tools of a name: those that can be called first, each part newest first.
    fn named(&self, name: &str) -> Vec<Slot> {
        let has_name = |slot: &&Slot| self.document(**slot).is_some_and(|document| document.name == name);
        let all = self.listed.iter().filter(has_name).copied();
        let (callable, mut others): (Vec<Slot>, Vec<Slot>) =
            all.partition(|slot| self.reason(*slot).is_none());
        others.splice(..0, callable);
        others
    }

    /// The tools that can be called, each name once.
    fn callable(&self) -> Vec<Slot> {
        let mut names = HashSet::new();
        let callable = self.listed.iter().copied().filter(|slot| self.reason(*slot).is_none());
        callable
            .filter(|slot| self.document(*slot).is_some_and(|document| names.insert(&document.name)))
            .collect()
    }

    /// Whether a row is in the pages of a query, as far as switches and bundles are concerned.
    fn is_wanted(&self, document: &Document, query: &Query) -> bool {
        let there =
            self.bundles.get(&document.bundle_id).is_some_and(|bundle| bundle.soft_deleted_at.is_none());
        let off = |id: &String| !query.disabled && self.disabled.contains(id);
        there
            && !off(&document.id)
            && !off(&document.bundle_id)
            && (query.bundles.is_empty() || query.bundles.contains(&document.bundle_id))
            && (query.tags.is_empty() || document.tags.iter().any(|tag| query.tags.contains(tag)))
    }

    fn list(&self, query: &Query) -> IndexReply {
        let rows = self.listed.iter().filter_map(|slot| Some((*slot, self.document(*slot)?)));
        let rows = rows.filter(|(_, document)| self.is_wanted(document, query));
        self.page(query, rows.map(|(slot, document)| (slot, 0, document.created_at.as_str(), document)))
    }

    fn search(&mut self, query: &Query) -> IndexReply {
        let classes = self.classes(&query.q);
        let first = query.after.as_ref().map_or(0, |after| after.class);
        let rows = (first..NO_CLASS).flat_map(|class| {
            let fits = |slot: &&Slot| class_of(&classes, **slot) == class;
            self.recent.iter().filter(fits).map(move |slot| (*slot, class)).collect::<Vec<_>>()
        });
        let rows = rows.filter_map(|(slot, class)| Some((slot, class, self.document(slot)?)));
        let rows = rows.filter(|(_, _, document)| self.is_wanted(document, query));
        self.page(
            query,
            rows.map(|(slot, class, document)| (slot, class, document.modified_at.as_str(), document)),
        )
    }

    /// The first rows after the place of a query, from those in their order: slot, class, time, document.
    fn page<'a>(
        &self,
        query: &Query,
        rows: impl Iterator<Item = (Slot, u8, &'a str, &'a Document)>,
    ) -> IndexReply {
        let after = |(_, class, time, document): &(Slot, u8, &str, &Document)| {
            query.after.as_ref().is_none_or(|after| after.is_before(*class, time, &document.id))
        };
        let mut rows = rows.filter(after).peekable();
        let mut slots = Vec::new();
        let mut next = None;
        while let Some((slot, class, time, document)) = rows.next() {
            slots.push(slot);
            if slots.len() >= query.size {
                let place = || Place { class, time: time.to_owned(), id: document.id.clone() };
                next = rows.peek().is_some().then(|| query.next(place()));
                break;
            }
        }
        self.reply(&slots, next)
    }

    /// The class of each tool by its slot.
    fn classes(&mut self, q: &str) -> Vec<u8> {
        let folded = fold(q);
        let mut classes: Vec<u8> = vec![0; self.entries.len()];
        let mut any = false;
        for word in words(&folded) {
            let mut found = vec![NO_CLASS; classes.len()];
            self.terms.find(word, &mut |slot, how| {
                let class = match how {
                    Match::Whole => 1,
                    Match::Fuzzy => 2,
                };
                if let Some(best) = usize::try_from(slot).ok().and_then(|slot| found.get_mut(slot)) {
                    *best = class.min(*best);
                }
            });
            classes.iter_mut().zip(found).for_each(|(class, found)| *class = found.max(*class));
            any = true;
        }
        if !any {
            return vec![NO_CLASS; classes.len()];
        }
        let whole = joined(&folded);
        let begin = self.heads.partition_point(|(head, _)| *head < whole);
        let begins = |(head, _): &&(String, Slot)| head.starts_with(&whole);
        for (_, slot) in self.heads.get(begin..).unwrap_or_default().iter().take_while(begins) {
            if let Some(class) = usize::try_from(*slot).ok().and_then(|slot| classes.get_mut(slot)) {
                *class = 0;
            }
        }
        classes
    }

    fn reply(&self, slots: &[Slot], next: Option<String>) -> IndexReply {
        let tools =
            slots.iter().filter_map(|slot| Some(self.show(self.entry(*slot)?, self.reason(*slot)))).collect();
        IndexReply::Tools { tools, next }
    }

    fn show(&self, Entry { document, built_in }: &Entry, reason: Option<Reason>) -> IndexedTool {
        let computed = to_text(&Computed {
            is_enabled: !self.disabled.contains(&document.id),
            is_built_in: *built_in,
            name: document.computed_name(),
            effective: Effective {
                is_callable: reason.is_none(),
                reason: reason.map(|reason| reason.code()),
            },
        });
        let inner = computed.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
        IndexedTool {
            key: document.key(),
            id: document.id.clone(),
            name: document.name.clone(),
            is_built_in: *built_in,
            reason: reason.map(|reason| reason.code().to_owned()),
            computed: inner.unwrap_or_default().to_owned(),
        }
    }

    fn list_bundles(&self, query: &Query) -> IndexReply {
        let wanted = |bundle: &&BundleRow| {
            bundle.soft_deleted_at.is_none()
                && (query.disabled || !self.disabled.contains(&bundle.id))
                && (query.bundles.is_empty() || query.bundles.contains(&bundle.id))
        };
        let mut rows: Vec<(String, &BundleRow)> =
            self.bundles.values().filter(wanted).map(|bundle| (iso(bundle.created_at), bundle)).collect();
        rows.sort_unstable_by(|(one, bundle), (other, other_bundle)| {
            other.cmp(one).then_with(|| bundle.id.cmp(&other_bundle.id))
        });
        if let Some(after) = &query.after {
            rows.retain(|(time, bundle)| after.is_before(0, time, &bundle.id));
        }
        let more = rows.len() > query.size;
        rows.truncate(query.size);
        let place = |(time, bundle): &(String, &BundleRow)| Place {
            class: 0,
            time: time.clone(),
            id: bundle.id.clone(),
        };
        let next = rows.last().filter(|_| more).map(|last| query.next(place(last)));
        IndexReply::Bundles {
            bundles: rows.iter().map(|(_, bundle)| self.show_bundle(bundle)).collect(),
            next,
        }
    }

    fn show_bundle(&self, bundle: &BundleRow) -> String {
        let documents = self.entries.iter().flatten().map(|entry| &entry.document);
        to_text(&ShownBundle {
            id: &bundle.id,
            slug: &bundle.slug,
            display_name: &bundle.display_name,
            description: &bundle.description,
            is_enabled: !self.disabled.contains(&bundle.id),
            is_built_in: self.built_in.contains(&bundle.id),
            created_at: iso(bundle.created_at),
            modified_at: iso(bundle.modified_at),
            tool_count: documents.filter(|document| document.bundle_id == bundle.id).count(),
        })
    }
}

/// The class of a tool that a query does not fit.
const NO_CLASS: u8 = 3;

fn class_of(classes: &[u8], slot: Slot) -> u8 {
    usize::try_from(slot).ok().and_then(|slot| classes.get(slot).copied()).unwrap_or(NO_CLASS)
}

/// The fields of an answer that are not in a tool's record.
#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct Computed<'a> {
    is_enabled: bool,
    is_built_in: bool,
    /// Where the record does not say it.
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    effective: Effective,
}

#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct Effective {
    is_callable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'static str>,
}

/// A bundle in an answer.
#[derive(ToJson)]
#[serde(rename_all = "camelCase")]
struct ShownBundle<'a> {
    id: &'a str,
    slug: &'a str,
    display_name: &'a str,
    description: &'a str,
    is_enabled: bool,
    is_built_in: bool,
    created_at: String,
    modified_at: String,
    tool_count: usize,
}

/// Makes the documents of records. The switch is taken out of a record: where it stands is not for the record to say.
fn documents(records: &str) -> Result<IndexReply, IndexError> {
    let document = |line: &str| -> Result<NamedDocument, IndexError> {
        let mut record = parse(line)?;
        let document = Document::of(&record);
        let mut switch = None;
        if let Value::Object(fields) = &mut record {
            switch = fields.remove("isEnabled");
            fields.remove("isBuiltIn");
        }
        Ok(NamedDocument {
            key: document.key(),
            id: document.id.clone(),
            name: document.name.clone(),
            is_enabled: switch != Some(Value::Bool(false)),
            record: to_text(&record),
            text: to_text(&document),
        })
    };
    let documents = records.lines().map(document).collect::<Result<_, _>>()?;
    Ok(IndexReply::Documents { documents })
}

/// Whether an origin may be sent to.
fn allowed(origin: &str, hosts: &[String]) -> bool {
    Url::parse(origin).is_ok_and(|url| is_allowed(&url, hosts))
}
