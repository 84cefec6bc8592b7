//! Which address the user has, or had, under a name. A steered agent deletes a contact and saves another address under its
//! name, or saves a second one beside it; the next payment to it must say so.

use super::name::folded;
use super::{BookSlots, Contact, Contacts, DELETED, Deleted, DeletedContacts, corrupt, read};
use crate::store::{Batch, Keyed, One, Range, Reads, StoreError};
use chains::Chain;
use chains::order::sort_by;
use wire::api::Millis;

/// So many deleted contacts are remembered.
const MOST: usize = 500;

/// A name on a chain, as a reader takes it. The EVM chains have their addresses in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct NameKey {
    realm: Chain,
    name: String,
}

impl NameKey {
    pub(crate) fn new(chain: Chain, title: &str) -> Self {
        Self { realm: chain.realm(), name: folded(title) }
    }

    fn of(contact: &Contact<'_>) -> Option<Self> {
        Some(Self::new(Chain::parse(&contact.chain)?, &contact.title))
    }

    fn key(&self) -> String {
        [self.realm.name(), "/", &self.name].concat()
    }
}

/// The addresses that the user has and had under some names.
#[derive(Debug, Default)]
pub(crate) struct Earlier {
    kept: Vec<(NameKey, String)>,
    deleted: Vec<(NameKey, String)>,
}

impl Earlier {
    /// The address that a contact of this name and address would take the place of.
    pub(crate) fn replaced(&self, name: &NameKey, address: &str) -> Option<String> {
        let of = |all: &[(NameKey, String)]| -> Vec<String> {
            all.iter().filter(|(known, _)| known == name).map(|(_, address)| address.clone()).collect()
        };
        let (kept, deleted) = (of(&self.kept), of(&self.deleted));
        // What the user has counts before what the user had.
        let known = if kept.is_empty() { deleted } else { kept };
        if known.iter().any(|known| known == address) { None } else { known.into_iter().next() }
    }
}

impl Contacts {
    /// The addresses of the user's own contacts under these names, and of those that were deleted, at one moment.
    pub(crate) async fn earlier(&self, names: &[NameKey]) -> Result<Earlier, StoreError> {
        if names.is_empty() {
            return Ok(Earlier::default());
        }
        let mut reads = Reads::new();
        let book: BookSlots = read(&mut reads);
        let slots: Vec<(&NameKey, One<DeletedContacts>)> =
            names.iter().map(|name| (name, reads.get(DELETED, &name.key()))).collect();
        let snapshot = reads.from(&*self.store).await?;
        let mut earlier = Earlier::default();
        for (name, slot) in slots {
            if let Some(found) = snapshot.one(slot)? {
                earlier.deleted.push((name.clone(), found.record.address));
            }
        }
        for contact in book.found(&snapshot, &*self.store).await?.contacts() {
            let (_, contact) = contact.map_err(corrupt)?;
            let name = NameKey::of(&contact).filter(|name| contact.is_confirmed() && names.contains(name));
            earlier.kept.extend(name.map(|name| (name, contact.address.into_owned())));
        }
        Ok(earlier)
    }

    /// Stages that these contacts are remembered, which are deleted in the same batch. Those that the user neither saved nor
    /// confirmed are not: otherwise an agent could save and delete until the user's are forgotten.
    pub(crate) async fn remember_deleted(
        &self,
        contacts: &[Contact<'_>],
        now: Millis,
        batch: &mut Batch,
    ) -> Result<(), StoreError> {
        let own = contacts.iter().filter(|contact| contact.is_confirmed());
        let own: Vec<(NameKey, &Contact<'_>)> =
            own.filter_map(|contact| Some((NameKey::of(contact)?, contact))).collect();
        if own.is_empty() {
            return Ok(());
        }
        let mut reads = Reads::new();
        let known = reads.scan(DELETED, Range::all());
        let known = reads.from(&*self.store).await?.many(known)?;
        for key in surplus(known, own.len()) {
            batch.delete(DELETED, &key);
        }
        for (name, contact) in own {
            let deleted = Deleted { address: contact.address.to_string(), at: now };
            batch.put(DELETED, &name.key(), &deleted);
        }
        Ok(())
    }
}

/// The keys of the oldest, so that there is room for `more`.
fn surplus(mut known: Vec<Keyed<Deleted>>, more: usize) -> Vec<String> {
    let excess = (known.len() + more).saturating_sub(MOST);
    sort_by(&mut known, |one, other| one.record.at.cmp(&other.record.at));
    known.into_iter().take(excess).map(|row| row.key).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entries(names: &[(&NameKey, &str)]) -> Vec<(NameKey, String)> {
        names.iter().map(|(name, address)| ((*name).clone(), (*address).to_owned())).collect()
    }

    #[test]
    fn another_address_under_a_name_replaces() {
        let alice = NameKey::new(Chain::Base, "Alice");
        let on_bitcoin = NameKey::new(Chain::Bitcoin, "Alice");
        assert_eq!(alice, NameKey::new(Chain::Ethereum, " alIce"), "one realm, one name");
        let mut earlier = Earlier { kept: entries(&[(&alice, "0xa"), (&alice, "0xb")]), deleted: Vec::new() };
        assert_eq!(earlier.replaced(&alice, "0xe").as_deref(), Some("0xa"));
        assert_eq!(earlier.replaced(&alice, "0xb"), None, "one that the user has");
        assert_eq!(earlier.replaced(&on_bitcoin, "bc1"), None, "other chains have other addresses");
        earlier.deleted = entries(&[(&alice, "0xe"), (&on_bitcoin, "bc1")]);
        assert_eq!(earlier.replaced(&alice, "0xe").as_deref(), Some("0xa"), "what the user has counts");
        assert_eq!(earlier.replaced(&on_bitcoin, "bc2").as_deref(), Some("bc1"));
        assert_eq!(earlier.replaced(&on_bitcoin, "bc1"), None);
    }

    #[test]
    fn the_oldest_are_forgotten() {
        let row = |number: u64| Keyed {
            key: number.to_string(),
            text: String::new(),
            record: Deleted { address: String::new(), at: 1_000 - number },
        };
        let known: Vec<Keyed<Deleted>> = (0..MOST as u64).map(row).collect();
        assert_eq!(surplus(known.clone(), 2), ["499", "498"]);
        assert!(surplus(known.into_iter().skip(2).collect(), 2).is_empty());
    }
}
