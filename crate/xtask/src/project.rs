//! Where things are.

use anyhow::{Context, Result};
use std::path::{Path, PathBuf};

/// The version of every part; the manifest must say the same.
pub(crate) const VERSION: &str = env!("CARGO_PKG_VERSION");

/// The folders that commands read and write.
pub(crate) struct Project {
    /// The top of the repository.
    pub(crate) root: PathBuf,
    /// Cargo's target folder; our own caches are in its `xtask/`.
    pub(crate) target: PathBuf,
}

impl Project {
    /// Finds the repository from where this crate was compiled, and cargo's target folder.
    pub(crate) fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .nth(2)
            .context("this crate is not at crate/xtask")?
            .to_path_buf();
        // Relative values are relative to where cargo was called, which `cargo xtask` keeps.
        let target = match std::env::var_os("CARGO_TARGET_DIR") {
            Some(target) => std::path::absolute(target)?,
            None => root.join("target"),
        };
        Ok(Self { root, target })
    }

    /// The tests that show our signed bytes to the nodes of others: a workspace and an npm package of its own.
    pub(crate) fn peers(&self) -> PathBuf {
        self.root.join("tests/peers")
    }

    /// The conformance suite for MCP clients: an npm package of its own, and the client that the suite starts.
    pub(crate) fn mcp(&self) -> PathBuf {
        self.root.join("tests/mcp")
    }

    /// Dapps and client libraries of others that judge the provider: an npm package of its own.
    pub(crate) fn dapps(&self) -> PathBuf {
        self.root.join("tests/dapps")
    }

    /// The library for dapp teams, in JavaScript.
    pub(crate) fn webdriver_js(&self) -> PathBuf {
        self.root.join("webdriver/js")
    }

    /// Chain nodes for suites and demo: a crate, and an npm package with what it starts.
    pub(crate) fn nodes(&self) -> PathBuf {
        self.root.join("crate/nodes")
    }

    /// The TypeScript shell.
    pub(crate) fn extension(&self) -> PathBuf {
        self.root.join("extension")
    }

    /// What is made for TypeScript out of Rust.
    pub(crate) fn generated(&self) -> PathBuf {
        self.extension().join("generated")
    }

    /// What is made for people.
    pub(crate) fn dist(&self) -> PathBuf {
        self.root.join("dist")
    }

    /// The unpacked extension.
    pub(crate) fn dist_extension(&self) -> PathBuf {
        self.dist().join("extension")
    }

    /// Pages and module of the browser suites and benches.
    pub(crate) fn dist_harness(&self) -> PathBuf {
        self.dist().join("harness")
    }

    /// What may be deleted at any time and saves work while it is there.
    pub(crate) fn cache(&self) -> PathBuf {
        self.target.join("xtask")
    }
}

/// Deletes a folder with all that is in it, if it is there.
pub(crate) fn remove_dir(path: &Path) -> Result<()> {
    match std::fs::remove_dir_all(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(error).with_context(|| format!("could not delete {}", path.display()))
        }
        _ => Ok(()),
    }
}

/// Makes a folder that is there and empty.
pub(crate) fn clean_dir(path: &Path) -> Result<()> {
    remove_dir(path)?;
    create_dir(path)
}

/// Makes a folder and those above it.
pub(crate) fn create_dir(path: &Path) -> Result<()> {
    std::fs::create_dir_all(path).with_context(|| format!("could not create {}", path.display()))
}

/// Reads a file; the error names it.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>> {
    std::fs::read(path).with_context(|| format!("could not read {}", path.display()))
}

/// Writes a file; the error names it.
pub(crate) fn write(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    std::fs::write(path, content).with_context(|| format!("could not write {}", path.display()))
}

/// The files and folders in a folder, sorted by name.
pub(crate) fn list(path: &Path) -> Result<Vec<PathBuf>> {
    let entries = std::fs::read_dir(path).with_context(|| format!("could not list {}", path.display()))?;
    let mut paths = entries.map(|entry| Ok(entry?.path())).collect::<Result<Vec<_>>>()?;
    paths.sort();
    Ok(paths)
}
