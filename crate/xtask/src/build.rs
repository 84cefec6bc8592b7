//! `build`: the extension, unpacked and packed.

use crate::process::{npm, quiet_output, run};
use crate::project::{Project, VERSION, clean_dir, list, read};
use crate::wasm::Module;
use crate::{archive, setup, types};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// A module of the extension, in `dist/extension/`.
pub(crate) struct Shipped {
    /// Its crate.
    pub(crate) package: &'static str,
    /// The base name of its files.
    pub(crate) name: &'static str,
    /// The folder of its bindings in `generated/`.
    bindings: &'static str,
    /// The base name of its later part, if it has one.
    later: Option<&'static str>,
}

/// The worker is killed and restarted all day: the size of its module is its latency. What a start does not need is in a
/// file of its own.
pub(crate) const CORE: Shipped =
    Shipped { package: "countersign-worker", name: "countersign", bindings: "core", later: Some("later") };

/// Loaded when keys or transactions are touched.
pub(crate) const SIGNER: Shipped =
    Shipped { package: "countersign-signer", name: "signer", bindings: "signer", later: None };

/// Loaded when a schema, an expression or a template of a tool is used.
pub(crate) const TOOLBOX: Shipped =
    Shipped { package: "countersign-toolbox", name: "toolbox", bindings: "toolbox", later: None };

/// Loaded when a descriptor (ERC-7730) is brought in, or speaks of what is to be signed.
pub(crate) const CLEAR: Shipped =
    Shipped { package: "countersign-clear", name: "clear", bindings: "clear", later: None };

/// Answers the first reads of a worker while the core is loaded.
pub(crate) const BOOT: Shipped =
    Shipped { package: "countersign-boot", name: "boot", bindings: "boot", later: None };

/// All that is shipped.
pub(crate) const MODULES: [Shipped; 5] = [BOOT, CORE, SIGNER, TOOLBOX, CLEAR];

impl Shipped {
    /// Builds it and its bindings.
    pub(crate) fn make(&self, project: &Project) -> Result<()> {
        let Self { package, name, later, .. } = *self;
        eprintln!("{name}.wasm");
        let (bindings, out) = (self.bindings(project), project.dist_extension());
        Module { package, example: None, name, bindings, out, later }.make(project).map(drop)
    }

    /// The folder of its bindings.
    pub(crate) fn bindings(&self, project: &Project) -> PathBuf {
        project.generated().join(self.bindings)
    }

    /// The base names of its wasm files.
    pub(crate) fn parts(&self) -> impl Iterator<Item = &'static str> + use<> {
        [self.name].into_iter().chain(self.later)
    }
}

/// Where a wasm file of this base name is.
pub(crate) fn path(project: &Project, name: &str) -> PathBuf {
    project.dist_extension().join(format!("{name}.wasm"))
}

/// Everything, or the modules that are named.
pub(crate) fn named(project: &Project, names: &[String]) -> Result<()> {
    if names.is_empty() {
        return extension(project);
    }
    setup::to_build(project)?;
    for name in names {
        let module = MODULES.iter().find(|module| module.name == name);
        let module = module.with_context(|| format!("there is no module `{name}`"))?;
        module.make(project)?;
        weigh(module, project)?;
    }
    Ok(())
}

/// Prints what a module weighs.
fn weigh(module: &Shipped, project: &Project) -> Result<()> {
    for name in module.parts() {
        let Sizes { raw, gzip, brotli } = sizes(&path(project, name))?;
        println!("{name}.wasm: {raw} bytes, {gzip} gzip, {brotli} brotli");
    }
    Ok(())
}

/// Builds `dist/extension/` and `dist/countersign-<version>.zip`.
pub(crate) fn extension(project: &Project) -> Result<()> {
    setup::to_build(project)?;
    let dist = project.dist_extension();
    clean_dir(&dist)?;

    eprintln!("types for TypeScript");
    types::export(project)?;

    for module in &MODULES {
        module.make(project)?;
    }

    eprintln!("the extension's pages and scripts");
    run(npm(&project.extension()).args(["run", "--silent", "check"]))
        .context("TypeScript found errors; to see only them: npm run check (in extension/)")?;
    let package = finish(project)?;
    for module in MODULES {
        weigh(&module, project)?;
    }
    println!("dist/extension and dist/{}", package.file_name().unwrap_or_default().to_string_lossy());
    Ok(())
}

/// Adds pages and scripts to the modules, and packs all. Returns the path of the package.
pub(crate) fn finish(project: &Project) -> Result<PathBuf> {
    let dist = project.dist_extension();
    run(npm(&project.extension()).args(["run", "--silent", "build"]))?;
    same_version(&dist.join("manifest.json"))?;
    pack(project, &dist)
}

/// The store refuses an update that does not count up, so the manifest must follow the workspace.
fn same_version(manifest: &Path) -> Result<()> {
    let found: serde_json::Value = serde_json::from_slice(&read(manifest)?)
        .with_context(|| format!("{} is not JSON", manifest.display()))?;
    let found = found.get("version").and_then(|version| version.as_str()).unwrap_or("none");
    if found != VERSION {
        bail!("manifest.json says version {found}, Cargo.toml says {VERSION}: make them the same");
    }
    Ok(())
}

fn pack(project: &Project, dist: &Path) -> Result<PathBuf> {
    for old in
        list(&project.dist())?.into_iter().filter(|path| path.extension().is_some_and(|ext| ext == "zip"))
    {
        std::fs::remove_file(&old).with_context(|| format!("could not delete {}", old.display()))?;
    }
    let package = project.dist().join(format!("countersign-{VERSION}.zip"));
    archive::zip(dist, &package)?;
    Ok(package)
}

/// A module's size as it is, and as it would travel; in bytes.
pub(crate) struct Sizes {
    pub(crate) raw: usize,
    pub(crate) gzip: usize,
    pub(crate) brotli: usize,
}

/// Weighs a module.
pub(crate) fn sizes(module: &Path) -> Result<Sizes> {
    let script = "const z=require('zlib'),b=require('fs').readFileSync(process.argv[1]);\
                  console.log(z.gzipSync(b,{level:9}).length,z.brotliCompressSync(b).length)";
    let compressed = String::from_utf8(quiet_output(Command::new("node").args(["-e", script]).arg(module))?)?;
    let (gzip, brotli) = compressed.trim().split_once(' ').context("node printed no sizes")?;
    Ok(Sizes { raw: read(module)?.len(), gzip: gzip.parse()?, brotli: brotli.parse()? })
}
