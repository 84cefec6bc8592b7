//! `reproduce`: the same sources give the same bytes in any folder. A user who has the commit can build the package and
//! compare it with the one that is offered.
//!
//! The sources are copied to a second folder, built there with a target folder of its own, and the two packages are
//! compared. What is not compared: other versions of the toolchain and of Node.js, and other systems.

use crate::build::{self, BOOT, MODULES, Shipped};
use crate::project::{Project, clean_dir, create_dir, list, read, remove_dir, write};
use crate::wasm::cargo_home;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};

/// Folders without sources, wherever they are.
const NOT_SOURCES: &[&str] = &[".git", "dist", "generated", "node_modules"];

/// The step of `test`, after a build: the smallest module, pages, scripts and the package are built once more. The other
/// modules are made in the same way, of the same crates, and are taken as they are.
pub(crate) fn short(project: &Project) -> Result<()> {
    compare(project, &[BOOT])
}

/// Everything is built twice.
pub(crate) fn long(project: &Project) -> Result<()> {
    build::extension(project)?;
    compare(project, &MODULES)
}

fn compare(project: &Project, made: &[Shipped]) -> Result<()> {
    names_no_folder(project)?;
    let other = elsewhere(project);
    remove_dir(&other.root)?;
    copy(&project.root, &other.root)?;
    take_over(project, &other, made)?;
    for module in made {
        module.make(&other)?;
    }
    let package = build::finish(&other)?;
    let first = project.dist().join(package.file_name().context("the package has no name")?);
    if read(&first)? != read(&package)? {
        let files = differing(&project.dist_extension(), &other.dist_extension())?;
        bail!("{} and {} differ in {}", first.display(), package.display(), files.join(", "));
    }
    remove_dir(&other.root)?;
    let names: Vec<String> = made.iter().map(|module| format!("{}.wasm", module.name)).collect();
    println!("the same package from another folder, with {} built there", names.join(", "));
    Ok(())
}

/// The second folder: a path of another length, outside of this project, whose settings would count there too. It is the
/// same each time, so that what is compiled for it stays good.
fn elsewhere(project: &Project) -> Project {
    let hash: String = Sha256::digest(project.root.to_string_lossy().as_bytes())
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    let root = std::env::temp_dir().join(format!("countersign-built-elsewhere-{hash}")).join("sources");
    Project { root, target: project.cache().join("reproduce") }
}

/// Whether a folder of this name holds what is made from sources.
fn is_built(name: &str) -> bool {
    NOT_SOURCES.contains(&name) || name.starts_with("target")
}

/// Copies sources.
fn copy(from: &Path, to: &Path) -> Result<()> {
    create_dir(to)?;
    for path in list(from)? {
        let name = path.file_name().and_then(|name| name.to_str()).context("a file name is not UTF-8")?;
        let copied = to.join(name);
        if path.is_file() {
            write(&copied, read(&path)?)?;
        } else if !is_built(name) {
            copy(&path, &copied)?;
        }
    }
    Ok(())
}

/// What is not built there: npm's packages, the types for TypeScript (written by this very program), and the modules that
/// are not asked for.
fn take_over(project: &Project, other: &Project, made: &[Shipped]) -> Result<()> {
    link(&project.extension().join("node_modules"), &other.extension().join("node_modules"))?;
    create_dir(&other.generated())?;
    for path in list(&project.generated())?.into_iter().filter(|path| path.is_file()) {
        write(&other.generated().join(path.file_name().unwrap_or_default()), read(&path)?)?;
    }
    clean_dir(&other.dist_extension())?;
    for module in MODULES.iter().filter(|module| made.iter().all(|one| one.name != module.name)) {
        copy(&module.bindings(project), &module.bindings(other))?;
        for name in module.parts() {
            write(
                &build::path(other, name),
                read(&build::path(project, name)).context("cargo xtask build")?,
            )?;
        }
    }
    Ok(())
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> Result<()> {
    std::os::unix::fs::symlink(from, to).with_context(|| format!("could not link {}", to.display()))
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> Result<()> {
    copy(from, to)
}

/// The files of which two folders have different bytes, or one has none.
fn differing(first: &Path, second: &Path) -> Result<Vec<String>> {
    let (mut names, mut differing) = (files(first, "")?, Vec::new());
    names.extend(files(second, "")?);
    names.sort();
    names.dedup();
    for name in names {
        match (std::fs::read(first.join(&name)), std::fs::read(second.join(&name))) {
            (Ok(one), Ok(other)) if one == other => {}
            (Ok(one), Ok(other)) => {
                let at = one.iter().zip(&other).take_while(|(one, other)| one == other).count();
                differing.push(format!("{name} ({} and {} bytes, from {at} on)", one.len(), other.len()));
            }
            _ => differing.push(format!("{name} (one of them has none)")),
        }
    }
    Ok(differing)
}

fn files(folder: &Path, prefix: &str) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for path in list(folder)? {
        let name = format!("{prefix}{}", path.file_name().unwrap_or_default().to_string_lossy());
        if path.is_dir() {
            names.extend(files(&path, &format!("{name}/"))?);
        } else {
            names.push(name);
        }
    }
    Ok(names)
}

/// Fails if a file of the extension names a folder of this machine.
fn names_no_folder(project: &Project) -> Result<()> {
    let homes =
        [Some(cargo_home()), std::env::home_dir(), std::env::var_os("RUSTUP_HOME").map(PathBuf::from)];
    let folders: Vec<String> = [&project.root, &project.target]
        .into_iter()
        .cloned()
        .chain(homes.into_iter().flatten())
        .map(|folder| folder.to_string_lossy().into_owned())
        // A home at the top of the system would be in every text.
        .filter(|folder| folder.len() > 1)
        .collect();
    let dist = project.dist_extension();
    for name in files(&dist, "").context("cargo xtask build")? {
        if let Some(folder) = named(&read(&dist.join(&name))?, &folders) {
            bail!("{name} names {folder}: what is shipped must not depend on where it is built");
        }
    }
    Ok(())
}

/// The folder that some bytes name: as a path, with another part after it.
fn named<'a>(bytes: &[u8], folders: &'a [String]) -> Option<&'a String> {
    folders.iter().find(|folder| {
        let path = format!("{folder}/");
        bytes.windows(path.len()).any(|window| window == path.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(name: &str) -> PathBuf {
        let folder = std::env::temp_dir().join(format!("countersign-{name}-{}", std::process::id()));
        clean_dir(&folder).unwrap();
        folder
    }

    #[test]
    fn sources_are_copied_without_what_is_built() {
        let (from, to) = (folder("copy-from"), folder("copy-to"));
        for made in ["target", "target-2", "dist", ".git", "extension/node_modules", "extension/generated"] {
            create_dir(&from.join(made)).unwrap();
            write(&from.join(made).join("built"), "x").unwrap();
        }
        for source in ["Cargo.toml", "extension/build.mjs", ".cargo/config.toml"] {
            create_dir(from.join(source).parent().unwrap()).unwrap();
            write(&from.join(source), "x").unwrap();
        }
        copy(&from, &to).unwrap();
        let copied = files(&to, "").unwrap();
        let sources: Vec<String> =
            files(&from, "").unwrap().into_iter().filter(|name| !name.ends_with("built")).collect();
        remove_dir(&from).and_then(|()| remove_dir(&to)).unwrap();
        assert_eq!((copied.len(), &copied), (3, &sources));
    }

    #[test]
    fn differing_files_are_named() {
        let (one, other) = (folder("differ-1"), folder("differ-2"));
        for (folder, text) in [(&one, "abc"), (&other, "abd")] {
            write(&folder.join("same"), "x").unwrap();
            write(&folder.join("text"), text).unwrap();
        }
        write(&one.join("alone"), "x").unwrap();
        let found = differing(&one, &other).unwrap();
        remove_dir(&one).and_then(|()| remove_dir(&other)).unwrap();
        assert_eq!(found, ["alone (one of them has none)", "text (3 and 3 bytes, from 2 on)"]);
    }

    #[test]
    fn a_folder_of_the_machine_is_found() {
        let folders = ["/home/me/countersign".to_owned(), "/pack".to_owned()];
        let found = |text: &str| named(text.as_bytes(), &folders).map(String::as_str);
        assert_eq!(found("\0/home/me/countersign/crate/wire/src/lib.rs"), Some("/home/me/countersign"));
        assert_eq!(found("at /pack/src/lib.rs"), Some("/pack"));
        assert_eq!(found("/rustc/0123/library/core/src/lib.rs, crate/wire/src/lib.rs, /packed"), None);
    }

    /// Every folder with npm packages says that none of them runs a script, also to a person who types `npm ci`.
    #[test]
    fn no_package_runs_a_script_when_it_is_installed() {
        let project = Project::find().unwrap();
        let mut locks = Vec::new();
        find_locks(&project.root, &mut locks);
        assert!(locks.len() >= 5, "{locks:?}");
        for folder in locks {
            let settings = std::fs::read_to_string(folder.join(".npmrc")).unwrap_or_default();
            let says = settings.lines().any(|line| line.trim() == "ignore-scripts=true");
            assert!(says, "{} has no .npmrc with ignore-scripts=true", folder.display());
        }
    }

    fn find_locks(folder: &Path, locks: &mut Vec<PathBuf>) {
        for path in list(folder).unwrap() {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() && !is_built(&name) {
                find_locks(&path, locks);
            } else if name == "package-lock.json" {
                locks.push(folder.to_path_buf());
            }
        }
    }
}
