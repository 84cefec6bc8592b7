//! Which tools can be called, and why not: computed from the records, the switches and what this version has, and never
//! written.

use super::Entry;
use crate::record::SCHEMA_VERSION;
use std::collections::{HashMap, HashSet};

/// Why a tool cannot be called. The first that holds is said.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, derive::Code)]
pub(crate) enum Reason {
    /// Its bundle is deleted.
    #[error("its bundle is deleted")]
    BundleDeleted,
    /// Its bundle is switched off.
    #[error("its bundle is switched off")]
    BundleDisabled,
    /// It is switched off itself.
    #[error("it is switched off")]
    ToolDisabled,
    /// A newer version of the extension wrote it.
    #[error("a newer version of the extension wrote it")]
    NewerSchema,
    /// This version does not have the function that it runs.
    #[error("this version does not have the function that it runs")]
    ImplementationMissing,
    /// The host that it sends to is not among the allowed ones.
    #[error("its host is not among the allowed ones")]
    HostNotAllowed,
    /// There is no tool of a name that it depends on.
    #[error("a tool that it depends on is missing")]
    DependencyMissing,
    /// No tool of a name that it depends on can be called.
    #[error("a tool that it depends on cannot be called")]
    DependencyDisabled,
}

/// What the reasons follow from, beside the tools.
pub(super) struct Surroundings<'a> {
    /// Ids of tools and bundles that are switched off.
    pub(super) disabled: &'a HashSet<String>,
    /// Bundles that are not deleted.
    pub(super) bundles: &'a dyn Fn(&str) -> bool,
    /// Whether a local function is there.
    pub(super) functions: &'a HashSet<String>,
    /// Whether an origin is allowed.
    pub(super) allowed: &'a dyn Fn(&str) -> bool,
}

impl Surroundings<'_> {
    /// Why a tool by itself cannot be called.
    fn own(&self, entry: &Entry) -> Option<Reason> {
        let document = &entry.document;
        let missing = |function: &String| !self.functions.contains(function);
        let reasons = [
            (Reason::BundleDeleted, !(self.bundles)(&document.bundle_id)),
            (Reason::BundleDisabled, self.disabled.contains(&document.bundle_id)),
            (Reason::ToolDisabled, self.disabled.contains(&document.id)),
            (Reason::NewerSchema, document.schema_version.as_str() > SCHEMA_VERSION),
            (Reason::ImplementationMissing, document.function.as_ref().is_some_and(missing)),
        ];
        let first = reasons.into_iter().find(|(_, holds)| *holds).map(|(reason, _)| reason);
        let refused = |origin: &String| !(self.allowed)(origin);
        first.or_else(|| document.origin.as_ref().is_some_and(refused).then_some(Reason::HostNotAllowed))
    }

    /// Why each tool cannot be called. A circle of tools that depend on each other is not a reason by itself.
    pub(super) fn reasons<'e>(
        &self,
        entries: impl Iterator<Item = Option<&'e Entry>>,
    ) -> Vec<Option<Reason>> {
        let entries: Vec<Option<&Entry>> = entries.collect();
        let mut reasons: Vec<Option<Reason>> =
            entries.iter().map(|entry| entry.and_then(|entry| self.own(entry))).collect();
        let depends = |entry: &&Entry| !entry.document.depends_on.is_empty();
        let dependent: Vec<(usize, &Entry)> = entries
            .iter()
            .enumerate()
            .filter_map(|(slot, entry)| Some((slot, entry.filter(depends)?)))
            .collect();
        if dependent.is_empty() {
            return reasons;
        }
        let mut named: HashMap<&str, Vec<usize>> = HashMap::new();
        for (slot, entry) in entries.iter().enumerate() {
            named.entry(entry.map_or("", |entry| &entry.document.name)).or_default().push(slot);
        }
        // Each round takes at least one more tool out.
        loop {
            let mut changed = false;
            for (slot, entry) in &dependent {
                if reasons.get(*slot).is_some_and(Option::is_none)
                    && let Some(reason) = missing(&entry.document.depends_on, &named, &reasons)
                    && let Some(place) = reasons.get_mut(*slot)
                {
                    *place = Some(reason);
                    changed = true;
                }
            }
            if !changed {
                return reasons;
            }
        }
    }
}

/// Why a dependency is not met, if one is not. One that is missing is said before one that is switched off.
fn missing(
    names: &[String],
    named: &HashMap<&str, Vec<usize>>,
    reasons: &[Option<Reason>],
) -> Option<Reason> {
    let unmet = |name: &String| match named.get(name.as_str()) {
        None => Some(Reason::DependencyMissing),
        Some(slots) => {
            let callable = slots.iter().any(|slot| reasons.get(*slot).is_some_and(Option::is_none));
            (!callable).then_some(Reason::DependencyDisabled)
        }
    };
    let mut unmet = names.iter().filter_map(unmet);
    let first = unmet.next()?;
    Some(unmet.find(|reason| *reason == Reason::DependencyMissing).unwrap_or(first))
}
