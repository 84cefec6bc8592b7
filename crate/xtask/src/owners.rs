//! `owners`: which module of `runtime` writes which table, read from its claims, and kept in `ARCHITECTURE.md`.

use crate::project::{Project, list, read, write};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

/// Where claims are made.
const SOURCES: &str = "crate/runtime/src";
/// What holds the table.
const PAPER: &str = "ARCHITECTURE.md";
/// The lines around the table.
const MARKS: [&str; 2] = ["<!-- cargo xtask owners -->\n", "<!-- end -->\n"];

/// A part of a table, and what its owner says of it.
#[derive(Debug, PartialEq, Eq)]
struct Claim {
    part: String,
    row: String,
    doc: String,
}

/// Prints the table; `--write` puts it into the paper, `--check` demands that it is there.
pub(crate) fn run(project: &Project, words: &[String]) -> Result<()> {
    let table = table(&project.root.join(SOURCES))?;
    let path = project.root.join(PAPER);
    let paper = String::from_utf8(read(&path)?)?;
    let [begin, end] = MARKS;
    let (before, rest) = paper.split_once(begin).with_context(|| format!("{PAPER} has no line {begin}"))?;
    let (held, after) = rest.split_once(end).with_context(|| format!("{PAPER} has no line {end}"))?;
    match words {
        [] => print!("{table}"),
        [word] if word == "--write" => write(&path, format!("{before}{begin}{table}{end}{after}"))?,
        [word] if word == "--check" && held == table => println!("{PAPER} says who writes which table"),
        [word] if word == "--check" => {
            bail!("{PAPER} does not say who writes which table: cargo xtask owners --write")
        }
        _ => bail!("`cargo xtask owners` takes nothing, --write or --check"),
    }
    Ok(())
}

/// A row for each module that claims parts of tables.
fn table(sources: &Path) -> Result<String> {
    let mut text = "| module | writes | what is in it |\n|---|---|---|\n".to_owned();
    for path in files(sources)? {
        let claims = claims(&String::from_utf8(read(&path)?)?);
        let module = module(path.strip_prefix(sources)?);
        for (index, Claim { part, row, doc }) in claims.iter().enumerate() {
            let module = if index == 0 { format!("`{module}`") } else { String::new() };
            text.push_str(&format!("| {module} | `{part}` of `{row}` | {doc} |\n"));
        }
    }
    Ok(text)
}

/// All Rust files but those of the store, which has no claims of its own.
fn files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut found = Vec::new();
    for path in list(folder)? {
        if path.is_dir() && !path.ends_with("store") {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    Ok(found)
}

/// `vault/mod.rs` and `vault.rs` are `vault`.
fn module(path: &Path) -> String {
    let path = path.with_extension("").to_string_lossy().replace('/', "::");
    path.trim_end_matches("::mod").to_owned()
}

/// The lines of `owned_tables! { /// doc⏎ NAME: Right = Part, Row; }`.
fn claims(source: &str) -> Vec<Claim> {
    let mut found = Vec::new();
    let blocks = source.split("owned_tables! {").skip(1).filter_map(|rest| rest.split_once("\n}"));
    for (block, _) in blocks {
        let mut doc = Vec::new();
        for line in block.lines().map(str::trim) {
            if let Some(text) = line.strip_prefix("///") {
                doc.push(text.trim());
            } else if let Some((part, row)) =
                line.split_once(" = ").and_then(|(_, claim)| claim.split_once(", "))
            {
                let row = row.trim_end_matches(';').to_owned();
                found.push(Claim { part: part.to_owned(), row, doc: std::mem::take(&mut doc).join(" ") });
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{Claim, claims, module};
    use std::path::Path;

    #[test]
    fn reads_claims_with_their_docs() {
        let source = "use x;\nowned_tables! {\n    /// Number → an entry,\n    /// sealed.\n    AUDIT: AuditRight = Audit, Link;\n    \
                      /// The end.\n    HEAD: HeadRight = AuditHead, Option<Head>;\n}\n\nconst PAGE: u32 = 500;\n";
        let claim = |part: &str, row: &str, doc: &str| Claim {
            part: part.to_owned(),
            row: row.to_owned(),
            doc: doc.to_owned(),
        };
        let expected = [
            claim("Audit", "Link", "Number → an entry, sealed."),
            claim("AuditHead", "Option<Head>", "The end."),
        ];
        assert_eq!(claims(source), expected);
        assert_eq!(claims("fn main() {}\n"), []);
    }

    #[test]
    fn a_folder_is_a_module() {
        assert_eq!(module(Path::new("vault/mod.rs")), "vault");
        assert_eq!(module(Path::new("call/journal.rs")), "call::journal");
    }
}
