//! Maps and sets in a sorted list. Each type in a `BTreeMap` costs the module five to ten kilobytes, and one that is
//! collected a sort besides; these cost a few hundred bytes. Made for rows, which come in order: one that is not at its
//! end moves those behind it.

use std::borrow::Borrow;

/// A map in order of its keys.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedMap<K, V>(Vec<(K, V)>);

impl<K, V> Default for SortedMap<K, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<K: Ord, V> SortedMap<K, V> {
    fn place<Q: Ord + ?Sized>(&self, key: &Q) -> Result<usize, usize>
    where
        K: Borrow<Q>,
    {
        match self.0.last() {
            Some((last, _)) if last.borrow() < key => Err(self.0.len()),
            _ => self.0.binary_search_by(|(other, _)| other.borrow().cmp(key)),
        }
    }

    /// The value under a key.
    pub fn get<Q: Ord + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.place(key).ok().and_then(|place| self.0.get(place)).map(|(_, value)| value)
    }

    /// Whether there is a value under a key.
    pub fn contains_key<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.place(key).is_ok()
    }

    /// Puts a value under a key, in place of what was there; whether nothing was.
    pub fn insert(&mut self, key: K, value: V) -> bool {
        let place = self.place(&key);
        match place {
            Ok(place) => {
                if let Some((_, old)) = self.0.get_mut(place) {
                    *old = value;
                }
            }
            Err(place) => self.0.insert(place, (key, value)),
        }
        place.is_err()
    }

    /// Takes the value under a key away.
    pub fn remove<Q: Ord + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        if let Ok(place) = self.place(key) {
            self.0.remove(place);
        }
    }

    /// How many there are.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there is none.
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys and values, in order of keys.
    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.0.iter().map(|(key, value)| (key, value))
    }
}

impl<K: Ord, V> Extend<(K, V)> for SortedMap<K, V> {
    fn extend<I: IntoIterator<Item = (K, V)>>(&mut self, entries: I) {
        for (key, value) in entries {
            self.insert(key, value);
        }
    }
}

impl<K: Ord, V> FromIterator<(K, V)> for SortedMap<K, V> {
    fn from_iter<I: IntoIterator<Item = (K, V)>>(entries: I) -> Self {
        let mut map = Self::default();
        map.extend(entries);
        map
    }
}

/// A set in order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SortedSet<K>(SortedMap<K, ()>);

impl<K> Default for SortedSet<K> {
    fn default() -> Self {
        Self(SortedMap::default())
    }
}

impl<K: Ord> SortedSet<K> {
    /// Whether it is in the set.
    pub fn contains<Q: Ord + ?Sized>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.0.contains_key(key)
    }

    /// Puts it into the set; whether it was not there.
    pub fn insert(&mut self, key: K) -> bool {
        self.0.insert(key, ())
    }

    /// All, in order.
    pub fn iter(&self) -> impl Iterator<Item = &K> {
        self.0.iter().map(|(key, ())| key)
    }

    /// All, as a list in order.
    pub fn into_vec(self) -> Vec<K> {
        self.0.0.into_iter().map(|(key, ())| key).collect()
    }
}

impl<K: Ord> Extend<K> for SortedSet<K> {
    fn extend<I: IntoIterator<Item = K>>(&mut self, keys: I) {
        for key in keys {
            self.insert(key);
        }
    }
}

impl<K: Ord> FromIterator<K> for SortedSet<K> {
    fn from_iter<I: IntoIterator<Item = K>>(keys: I) -> Self {
        let mut set = Self::default();
        set.extend(keys);
        set
    }
}

#[cfg(test)]
mod tests {
    use super::{SortedMap, SortedSet};
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    proptest! {
        /// They hold what the standard library's hold, for any order in which entries come and go.
        #[test]
        fn same_as_btree(changes in prop::collection::vec((0_u8..12, prop::option::of(any::<u8>())), 0..60)) {
            let (mut ours, mut theirs) = (SortedMap::default(), BTreeMap::new());
            for (key, value) in &changes {
                match value {
                    Some(value) => {
                        ours.insert(*key, *value);
                        theirs.insert(*key, *value);
                    }
                    None => {
                        ours.remove(key);
                        theirs.remove(key);
                    }
                }
                prop_assert!(ours.iter().eq(theirs.iter()));
                prop_assert_eq!(ours.get(key), theirs.get(key));
            }
            let keys = || changes.iter().map(|(key, _)| *key);
            let set: SortedSet<u8> = keys().collect();
            prop_assert_eq!(set.into_vec(), keys().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
        }
    }
}
