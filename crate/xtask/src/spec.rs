//! `spec`: the items of the specifications' checklist against the tests that name them.

mod id;
mod scan;

use crate::project::{Project, list, read};
use anyhow::{Context, Result, bail};
use id::{Id, Spec, ids};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Every item of the specifications, below the project's root.
const CHECKLIST: &str = "docs/checklist.md";

/// What `spec --check` demands, in a file of its own so that a change of it is a change of that file.
const REQUIRED: &str = include_str!("../spec-required.txt");

/// Folders without tests of ours; this crate's own tests name items only as examples.
const SKIPPED: &[&str] = &["node_modules", "generated", "dist", "target", "xtask"];

/// The longest text of an item that is shown.
const SHOWN: usize = 100;

/// Lists what is covered and what is not; with `--check`, fails when a required item has no test or a test
/// names an item that does not exist.
pub(crate) fn run(project: &Project, words: &[String]) -> Result<()> {
    let check = match words {
        [] => false,
        [word] if word == "--check" => true,
        _ => bail!("`cargo xtask spec` takes nothing, or --check"),
    };
    let tested = tested(&project.root)?;
    let items = checklist(&project.root.join(CHECKLIST))?;
    print!("{}", report(&items, &tested, !check));
    if check { verify(&items, &tested) } else { Ok(()) }
}

/// The checklist's items with their text.
fn checklist(path: &Path) -> Result<BTreeMap<Id, String>> {
    let items = items(&String::from_utf8(read(path)?)?);
    if items.is_empty() {
        bail!("{} holds no items (`- **T000-1** …`)", path.display());
    }
    Ok(items)
}

/// Reads lines of the form `- **T000-1** (L3) What must be so` or `- **M1** What must be so`.
fn items(checklist: &str) -> BTreeMap<Id, String> {
    let item = |line: &str| {
        let (name, text) = line.strip_prefix("- **")?.split_once("**")?;
        match ids(name).as_slice() {
            [id] => Some((*id, text.trim().to_owned())),
            _ => None,
        }
    };
    checklist.lines().filter_map(item).collect()
}

/// Every item that a test in the repository names.
fn tested(root: &Path) -> Result<BTreeSet<Id>> {
    let mut found = BTreeSet::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for path in list(&folder)? {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if path.is_dir() {
                if !name.starts_with('.') && !SKIPPED.contains(&name) {
                    folders.push(path);
                }
                continue;
            }
            let scan = match path.extension().and_then(|extension| extension.to_str()) {
                Some("rs") => scan::rust,
                Some("ts") => scan::typescript,
                _ => continue,
            };
            let source = String::from_utf8(read(&path)?).with_context(|| path.display().to_string())?;
            found.extend(scan(&source));
        }
    }
    Ok(found)
}

fn report(items: &BTreeMap<Id, String>, tested: &BTreeSet<Id>, with_missing: bool) -> String {
    let specs: BTreeSet<Spec> = items.keys().map(|id| id.spec).collect();
    let mut text = String::new();
    for spec in specs {
        let of_spec = || items.iter().filter(|(id, _)| id.spec == spec);
        let covered = of_spec().filter(|(id, _)| tested.contains(id)).count();
        text.push_str(&format!("{spec}: {covered} of {} items have a test\n", of_spec().count()));
        for (id, item) in of_spec().filter(|(id, _)| with_missing && !tested.contains(id)) {
            let shown: String = item.chars().take(SHOWN).collect();
            let cut = if shown.len() < item.len() { "…" } else { "" };
            text.push_str(&format!("  {:<9} {shown}{cut}\n", id.to_string()));
        }
    }
    text
}

fn verify(items: &BTreeMap<Id, String>, tested: &BTreeSet<Id>) -> Result<()> {
    let required: BTreeSet<Id> =
        REQUIRED.lines().filter(|line| !line.starts_with('#')).flat_map(ids).collect();
    let missing: Vec<String> = required.difference(tested).map(ToString::to_string).collect();
    if !missing.is_empty() {
        bail!(
            "no test names {}: begin the doc comment of a test with the id, or take the item out of \
             crate/xtask/spec-required.txt",
            missing.join(", ")
        );
    }
    let unknown: Vec<String> =
        tested.iter().filter(|id| !items.contains_key(id)).map(ToString::to_string).collect();
    if !unknown.is_empty() {
        bail!("tests name {}, which the checklist does not have", unknown.join(", "));
    }
    println!("every one of {} required items has a test", required.len());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::id::ids;
    use super::{REQUIRED, items, report, verify};
    use std::collections::BTreeSet;

    const CHECKLIST: &str = "# Title\n- **T000-1** (L3) First **D2**\n- **D1 decision**: no item\n\
                             - **T000-2** Second\n* **T000-3** no\n- **T004-1** Third\n\
                             - **M1** Fourth\n";

    #[test]
    fn items_are_read_and_reported() {
        let items = items(CHECKLIST);
        assert_eq!(items.len(), 4);
        let tested = BTreeSet::from_iter(ids("T000-1, T004-1"));
        let expected = "T000: 1 of 2 items have a test\n  T000-2    Second\nT004: 1 of 1 items have a test\n\
                        M: 0 of 1 items have a test\n  M1        Fourth\n";
        assert_eq!(report(&items, &tested, true), expected);
    }

    #[test]
    fn check_names_what_is_missing_and_what_does_not_exist() {
        let mut tested: BTreeSet<_> = ids(REQUIRED).into_iter().collect();
        let items = tested.iter().map(|id| (*id, String::new())).collect();
        assert!(verify(&items, &tested).is_ok());
        tested.extend(ids("T999-1"));
        assert!(verify(&items, &tested).unwrap_err().to_string().contains("T999-1"));
        tested.retain(|id| id.item != 5);
        assert!(verify(&items, &tested).unwrap_err().to_string().contains("T000-5"));
    }
}
