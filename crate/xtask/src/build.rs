//! `build`: the extension, unpacked and packed.

use crate::process::{npm, quiet_output, run};
use crate::project::{Project, VERSION, clean_dir, list, read};
use crate::wasm::Module;
use crate::{archive, setup, types};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};
use std::process::Command;

/// The worker's module, in `dist/extension/`.
pub(crate) const MODULE: &str = "countersign";

/// The worker is killed and restarted all day: its size is its latency. Bytes, not compressed.
pub(crate) const LARGEST_MODULE: usize = 780_000;

/// Builds `dist/extension/` and `dist/countersign-<version>.zip`.
pub(crate) fn extension(project: &Project) -> Result<()> {
    setup::to_build(project)?;
    let dist = project.dist_extension();
    clean_dir(&dist)?;

    eprintln!("types for TypeScript");
    types::export(project)?;

    eprintln!("the worker's module");
    let module = Module {
        package: "countersign-worker",
        name: MODULE,
        bindings: project.generated().join("core"),
        out: dist.clone(),
    };
    let module = module.make(project)?;

    eprintln!("the extension's pages and scripts");
    run(npm(&project.extension()).args(["run", "--silent", "check"]))
        .context("TypeScript found errors; to see only them: npm run check (in extension/)")?;
    run(npm(&project.extension()).args(["run", "--silent", "build"]))?;
    same_version(&dist.join("manifest.json"))?;

    let package = pack(project, &dist)?;
    let Sizes { raw, gzip, brotli } = sizes(&module)?;
    println!("{MODULE}.wasm: {raw} bytes, {gzip} gzip, {brotli} brotli");
    println!("dist/extension and dist/{}", package.file_name().unwrap_or_default().to_string_lossy());
    Ok(())
}

/// Fails when the worker's module has grown over its bound.
pub(crate) fn check_size(project: &Project) -> Result<()> {
    let bytes =
        read(&project.dist_extension().join(format!("{MODULE}.wasm"))).context("cargo xtask build")?.len();
    if bytes > LARGEST_MODULE {
        bail!(
            "the worker's module has {bytes} bytes, more than {LARGEST_MODULE}: find what grew \
             (cargo tree --package countersign-worker), or move the bound in crate/xtask/src/build.rs"
        );
    }
    println!("{bytes} of at most {LARGEST_MODULE} bytes");
    Ok(())
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
