//! The words of all tools: each once, in order, with the tools that have it.
//!
//! A prefix is found by binary search, a substring in one text of all words, and what is spelled almost alike by a table of
//! edit distances: neighbours in the order share the beginning of their rows, and where no row can become good enough,
//! every word with that beginning is passed over.

use memchr::memmem;
use std::collections::HashMap;

/// A tool's place in the index.
pub(super) type Slot = u32;

/// How a word of a query is found in a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Match {
    /// It is one of the tool's words.
    Whole,
    /// A word begins with it, holds it, or is spelled almost alike.
    Fuzzy,
}

/// So many neighbours are looked at one by one before they are divided by halves.
const FEW: usize = 8;

#[derive(Debug)]
struct Term {
    text: Box<str>,
    slots: Vec<Slot>,
}

/// The words of all tools.
#[derive(Debug, Default)]
pub(super) struct Terms {
    /// By text.
    list: Vec<Term>,
    /// All texts, each after a line feed; made when it is first needed after a change.
    text: String,
    /// Where each text begins in `text`.
    starts: Vec<usize>,
    changed: bool,
}

impl Terms {
    /// Of many tools at once.
    pub(super) fn of(words: impl Iterator<Item = (String, Slot)>) -> Self {
        let mut by_text: HashMap<String, Vec<Slot>> = HashMap::new();
        for (word, slot) in words {
            let slots = by_text.entry(word).or_default();
            if slots.last() != Some(&slot) {
                slots.push(slot);
            }
        }
        let term = |(text, slots): (String, _)| Term { text: text.into_boxed_str(), slots };
        let mut list: Vec<Term> = by_text.into_iter().map(term).collect();
        list.sort_unstable_by(|one, other| one.text.cmp(&other.text));
        Self { list, changed: true, ..Self::default() }
    }

    /// How many words there are.
    #[cfg(test)]
    pub(super) const fn len(&self) -> usize {
        self.list.len()
    }

    fn place(&self, word: &str) -> Result<usize, usize> {
        self.list.binary_search_by(|term| (*term.text).cmp(word))
    }

    /// Adds a word of a tool.
    pub(super) fn insert(&mut self, word: &str, slot: Slot) {
        match self.place(word) {
            Ok(place) => {
                let slots = self.list.get_mut(place).map(|term| &mut term.slots);
                if let Some(slots) = slots.filter(|slots| !slots.contains(&slot)) {
                    slots.push(slot);
                }
            }
            Err(place) => {
                self.list.insert(place, Term { text: word.into(), slots: vec![slot] });
                self.changed = true;
            }
        }
    }

    /// Takes a word of a tool away.
    pub(super) fn remove(&mut self, word: &str, slot: Slot) {
        let Ok(place) = self.place(word) else { return };
        let Some(term) = self.list.get_mut(place) else { return };
        term.slots.retain(|other| *other != slot);
        if term.slots.is_empty() {
            self.list.remove(place);
            self.changed = true;
        }
    }

    /// Visits every tool that a word is found in, perhaps several times.
    pub(super) fn find(&mut self, word: &str, visit: &mut dyn FnMut(Slot, Match)) {
        if let Some(term) = self.place(word).ok().and_then(|place| self.list.get(place)) {
            term.slots.iter().for_each(|slot| visit(*slot, Match::Whole));
        }
        self.holding(word, visit);
        self.almost(word, visit);
    }

    /// Words that begin with a word or hold it.
    fn holding(&mut self, word: &str, visit: &mut dyn FnMut(Slot, Match)) {
        self.write_text();
        let mut next = 0;
        for at in memmem::find_iter(self.text.as_bytes(), word.as_bytes()) {
            // No word holds a line feed, so that it lies within one text.
            let place = self.starts.partition_point(|start| *start <= at);
            if place > next {
                next = place;
                let term = place.checked_sub(1).and_then(|place| self.list.get(place));
                term.into_iter().flat_map(|term| &term.slots).for_each(|slot| visit(*slot, Match::Fuzzy));
            }
        }
    }

    fn write_text(&mut self) {
        if std::mem::take(&mut self.changed) {
            self.text.clear();
            self.starts.clear();
            for term in &self.list {
                self.text.push('\n');
                self.starts.push(self.text.len());
                self.text.push_str(&term.text);
            }
        }
    }

    /// Words that are spelled almost alike.
    fn almost(&self, word: &str, visit: &mut dyn FnMut(Slot, Match)) {
        let letters: Vec<char> = word.chars().collect();
        let Some(most) = most_edits(letters.len()) else { return };
        let mut rows = Rows::new(&letters, most);
        let mut place = 0;
        while let Some(term) = self.list.get(place) {
            match rows.distance(&term.text) {
                Distance::Near => term.slots.iter().for_each(|slot| visit(*slot, Match::Fuzzy)),
                Distance::Far => {}
                Distance::Hopeless { beginning } => {
                    // Words with the same beginning are neighbours, and mostly few.
                    let rest = self.list.get(place + 1..).unwrap_or_default();
                    let begins = |term: &Term| term.text.starts_with(beginning);
                    let few = rest.iter().take(FEW).take_while(|term| begins(term)).count();
                    place += if few < FEW { few } else { rest.partition_point(begins) };
                }
            }
            place += 1;
        }
    }
}

/// How many edits a word of so many letters may be away; none of short ones, which are almost alike everywhere.
const fn most_edits(letters: usize) -> Option<u8> {
    match letters {
        0..=3 => None,
        4..=7 => Some(1),
        8..=64 => Some(2),
        _ => None,
    }
}

/// How far a word is away.
#[derive(Debug, PartialEq, Eq)]
enum Distance<'a> {
    /// Few enough edits.
    Near,
    /// Too many.
    Far,
    /// Too many for every word with this beginning.
    Hopeless { beginning: &'a str },
}

/// The rows of the table of edit distances between a word and one term after the other. An edit is a letter that is
/// missing, added, changed, or in the place of its neighbour.
struct Rows<'a> {
    word: &'a [char],
    most: u8,
    /// The letters of the last term whose rows are there.
    letters: Vec<char>,
    /// One row for each of its beginnings, the empty one first.
    rows: Vec<Vec<u8>>,
}

impl<'a> Rows<'a> {
    fn new(word: &'a [char], most: u8) -> Self {
        let first = (0..=word.len()).map(|edits| u8::try_from(edits).unwrap_or(u8::MAX)).collect();
        Self { word, most, letters: Vec::new(), rows: vec![first] }
    }

    /// How far a term is away. Terms come in their order.
    fn distance<'t>(&mut self, term: &'t str) -> Distance<'t> {
        let shared = self.letters.iter().zip(term.chars()).take_while(|(one, other)| *one == other).count();
        self.letters.truncate(shared);
        for (at, letter) in term.char_indices().skip(shared) {
            self.letters.push(letter);
            if self.write_row() > self.most {
                // Its row is not used again: the next term has another beginning.
                self.letters.pop();
                let end = at + letter.len_utf8();
                return Distance::Hopeless { beginning: term.get(..end).unwrap_or(term) };
            }
        }
        let last = self.rows.get(self.letters.len()).and_then(|row| row.get(self.word.len()));
        if last.is_some_and(|edits| *edits <= self.most) { Distance::Near } else { Distance::Far }
    }

    /// Writes the row of all letters from those before it; its smallest number. Only the numbers near the diagonal can be
    /// small enough; those beside them are too large.
    fn write_row(&mut self) -> u8 {
        let depth = self.letters.len();
        if self.rows.len() <= depth {
            self.rows.push(vec![u8::MAX; self.word.len() + 1]);
        }
        let (before, rest) = self.rows.split_at_mut(depth);
        let (Some(row), [.., above]) = (rest.first_mut(), &*before) else { return u8::MAX };
        let two_above = depth.checked_sub(2).and_then(|place| before.get(place));
        let (earlier, own) = match self.letters.as_slice() {
            [.., earlier, own] => (Some(*earlier), *own),
            [own] => (None, *own),
            [] => return u8::MAX,
        };
        let reach = usize::from(self.most);
        let begin = depth.saturating_sub(reach);
        let end = self.word.len().min(depth + reach);
        let number = |row: &[u8], column: usize| row.get(column).copied().unwrap_or(u8::MAX);
        let mut least = u8::MAX;
        let mut left = u8::MAX;
        if let Some(cell) = begin.checked_sub(1).and_then(|column| row.get_mut(column)) {
            *cell = u8::MAX;
        }
        for column in begin..=end {
            let edits = match column.checked_sub(1).and_then(|before| Some((before, *self.word.get(before)?)))
            {
                None => u8::try_from(depth).unwrap_or(u8::MAX),
                Some((before, letter)) => {
                    let changed = number(above, before).saturating_add(u8::from(letter != own));
                    let missing = number(above, column).min(left).saturating_add(1);
                    let swapped = match (two_above, before.checked_sub(1)) {
                        (Some(two_above), Some(place))
                            if earlier == Some(letter) && self.word.get(place) == Some(&own) =>
                        {
                            number(two_above, place).saturating_add(1)
                        }
                        _ => u8::MAX,
                    };
                    changed.min(missing).min(swapped)
                }
            };
            if let Some(cell) = row.get_mut(column) {
                *cell = edits;
            }
            left = edits;
            least = least.min(edits);
        }
        if let Some(cell) = row.get_mut(end + 1) {
            *cell = u8::MAX;
        }
        least
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::{BTreeMap, BTreeSet};

    /// The textbook's table, whole.
    fn edits(one: &str, other: &str) -> usize {
        let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
        let mut table = vec![vec![0; other.len() + 1]; one.len() + 1];
        for row in 0..=one.len() {
            for column in 0..=other.len() {
                table[row][column] = if row == 0 || column == 0 {
                    row + column
                } else {
                    let changed = table[row - 1][column - 1] + usize::from(one[row - 1] != other[column - 1]);
                    let mut least = changed.min(table[row - 1][column] + 1).min(table[row][column - 1] + 1);
                    if row > 1
                        && column > 1
                        && one[row - 1] == other[column - 2]
                        && one[row - 2] == other[column - 1]
                    {
                        least = least.min(table[row - 2][column - 2] + 1);
                    }
                    least
                };
            }
        }
        table[one.len()][other.len()]
    }

    fn found(terms: &mut Terms, word: &str) -> BTreeMap<Slot, Match> {
        let mut found = BTreeMap::new();
        terms.find(word, &mut |slot, how| {
            let best = found.entry(slot).or_insert(how);
            *best = how.min(*best);
        });
        found
    }

    /// What [`Terms::find`] says, by looking at every word.
    fn expected(texts: &BTreeMap<Slot, BTreeSet<String>>, word: &str) -> BTreeMap<Slot, Match> {
        let how = |text: &String| match most_edits(word.chars().count()) {
            _ if text == word => Some(Match::Whole),
            _ if text.contains(word) => Some(Match::Fuzzy),
            Some(most) if edits(text, word) <= usize::from(most) => Some(Match::Fuzzy),
            _ => None,
        };
        let best = |words: &BTreeSet<String>| words.iter().filter_map(how).min();
        texts.iter().filter_map(|(slot, words)| Some((*slot, best(words)?))).collect()
    }

    #[test]
    fn a_letter_in_the_wrong_place_is_one_edit() {
        let words = ["weather", "waether", "wetter", "weathers", "heather", "leather", "feathers"];
        let mut terms = Terms::of(words.iter().map(|word| (*word).to_owned()).zip(0..));
        let near: Vec<Slot> = found(&mut terms, "weather").into_keys().collect();
        assert_eq!(near, [0, 1, 3, 4, 5]);
        assert_eq!(found(&mut terms, "wea").len(), 2);
    }

    proptest! {
        /// Words of any tools, some of which are gone again, are found as by looking at each of them.
        #[test]
        fn finds_what_a_look_at_every_word_finds(
            words in prop::collection::vec(("[abé]{1,9}", 0_u32..6), 0..40),
            later in prop::collection::vec(("[abé]{1,9}", 0_u32..6, any::<bool>()), 0..30),
            sought in prop::collection::vec("[abé]{1,9}", 1..6),
        ) {
            let mut texts: BTreeMap<Slot, BTreeSet<String>> = BTreeMap::new();
            let mut sorted = words.clone();
            sorted.sort_by_key(|(_, slot)| *slot);
            let mut terms = Terms::of(sorted.into_iter());
            for (word, slot) in words {
                texts.entry(slot).or_default().insert(word);
            }
            for (word, slot, added) in later {
                if added {
                    terms.insert(&word, slot);
                    texts.entry(slot).or_default().insert(word);
                } else {
                    terms.remove(&word, slot);
                    texts.entry(slot).or_default().remove(&word);
                }
            }
            for word in &sought {
                prop_assert_eq!(found(&mut terms, word), expected(&texts, word), "{}", word);
            }
        }
    }
}
