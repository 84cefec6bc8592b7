//! Sorting, once for all types: each type that the standard library sorts costs the module three kilobytes.

use std::cmp::Ordering;

/// Sorts; equals stay in their order.
pub fn sort_by<T>(items: &mut Vec<T>, compare: impl Fn(&T, &T) -> Ordering) {
    let order = order(items.len(), &|one, other| match (items.get(one), items.get(other)) {
        (Some(one), Some(other)) => compare(one, other) == Ordering::Greater,
        _ => false,
    });
    let mut unsorted: Vec<Option<T>> = items.drain(..).map(Some).collect();
    items.extend(order.into_iter().filter_map(|place| unsorted.get_mut(place).and_then(Option::take)));
}

/// Sorts by a key; equals stay in their order.
pub fn sort_by_key<T, K: Ord>(items: &mut Vec<T>, key: impl Fn(&T) -> K) {
    sort_by(items, |one, other| key(one).cmp(&key(other)));
}

/// The places of so many items in their order, by merging ever longer runs. `after`: whether the first comes after the second.
fn order(count: usize, after: &dyn Fn(usize, usize) -> bool) -> Vec<usize> {
    let mut places: Vec<usize> = (0..count).collect();
    let mut length = 1;
    while length < count {
        let mut merged = Vec::with_capacity(count);
        for pair in places.chunks(length * 2) {
            let (left, right) = pair.split_at(length.min(pair.len()));
            let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
            while let Some(next) = match (left.peek(), right.peek()) {
                (Some(one), Some(other)) if after(**one, **other) => right.next(),
                (Some(_), _) => left.next(),
                (None, _) => right.next(),
            } {
                merged.push(*next);
            }
        }
        places = merged;
        length *= 2;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::sort_by_key;
    use proptest::prelude::*;

    proptest! {
        /// The same as the standard library's, equals included.
        #[test]
        fn same_as_std(keys in prop::collection::vec(0_u8..20, 0..200)) {
            let mut ours: Vec<(u8, usize)> = keys.into_iter().zip(0..).collect();
            let mut theirs = ours.clone();
            sort_by_key(&mut ours, |(key, _)| *key);
            theirs.sort_by_key(|(key, _)| *key);
            prop_assert_eq!(ours, theirs);
        }
    }
}
