//! From a crate to a small wasm module and its JavaScript.

use crate::process::{cargo, output, run};
use crate::project::{Project, clean_dir, create_dir, read, write};
use crate::setup::WASM_TARGET;
use crate::split::split;
use anyhow::{Context, Result, bail};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::Command;
use wasm_bindgen_cli_support::Bindgen;

/// What wasm-opt may use. Named one by one: with all of them it writes sections that browsers refuse.
const OPTIMISER: &[&str] = &[
    "-Oz",
    // The functions that are called most get the shortest numbers.
    "--reorder-functions",
    // Nothing of ours lies in the first kilobyte of the memory: the far end of the stack is there. So offsets can be folded.
    "--low-memory-unused",
    "--enable-bulk-memory",
    "--enable-reference-types",
    "--enable-sign-ext",
    "--enable-nontrapping-float-to-int",
    "--enable-mutable-globals",
    "--enable-multivalue",
    "--enable-simd",
    "--strip-debug",
    "--strip-producers",
];

/// How LLVM writes code for a module: small records are copied by one `memory.copy`, not by a load and a store for each of their
/// parts. The core is full of such copies.
const CODE_GENERATION: &str = "-Cllvm-args=-max-store-memcpy=1 -max-store-memmove=1 -max-store-memset=1";

/// A wasm module to make.
pub(crate) struct Module<'a> {
    /// The crate, a cdylib.
    pub(crate) package: &'a str,
    /// The example of the crate that is compiled instead of its library.
    pub(crate) example: Option<&'a str>,
    /// The base name of all files.
    pub(crate) name: &'a str,
    /// The folder for `<name>.js` and its declarations; emptied first.
    pub(crate) bindings: PathBuf,
    /// The folder for `<name>.wasm`.
    pub(crate) out: PathBuf,
    /// The name of its later part, if it is split in two ([`crate::split`]).
    pub(crate) later: Option<&'a str>,
}

/// The second copy of the signer's JavaScript. The bindings keep their instance in variables of their own file, and the
/// worker runs two instances of the signer.
const SECOND_SIGNER: (&str, &str) = ("signer", "decoder");

impl Module<'_> {
    /// Compiles, writes the bindings, optimises. Returns the path of the module.
    pub(crate) fn make(&self, project: &Project) -> Result<PathBuf> {
        let compiled = compile(project, self.package, self.example)?;
        clean_dir(&self.bindings)?;
        bindgen(&compiled, self.name, &self.bindings)
            .with_context(|| format!("wasm-bindgen could not read {}", compiled.display()))?;
        if self.name == SECOND_SIGNER.0 {
            for kind in ["js", "d.ts"] {
                let copy = self.bindings.join(format!("{}.{kind}", SECOND_SIGNER.1));
                write(&copy, read(&self.bindings.join(format!("{}.{kind}", self.name)))?)?;
            }
        }
        let bound = self.bindings.join(format!("{}_bg.wasm", self.name));
        create_dir(&self.out)?;
        let out = self.out.join(format!("{}.wasm", self.name));
        if let Some(later) = self.later {
            let parts =
                split(&read(&bound)?).with_context(|| format!("{}.wasm could not be split", self.name))?;
            let rest = self.bindings.join(format!("{later}_bg.wasm"));
            write(&bound, parts.core)?;
            write(&rest, parts.later)?;
            optimise(project, later, &rest, &self.out.join(format!("{later}.wasm")))?;
        }
        optimise(project, self.name, &bound, &out)?;
        Ok(out)
    }
}

/// Where cargo keeps the sources of others.
pub(crate) fn cargo_home() -> PathBuf {
    std::env::var_os("CARGO_HOME")
        .map(PathBuf::from)
        .or_else(|| std::env::home_dir().map(|home| home.join(".cargo")))
        .unwrap_or_default()
}

/// A cargo command for our wasm target: one set of options, so that nothing is compiled twice.
pub(crate) fn cargo_for_wasm(project: &Project, subcommand: &str) -> Command {
    let cargo_home = cargo_home();
    let flags = [
        "-Ctarget-feature=+simd128".to_owned(),
        // Places of panics are in the module; the builder's folders are private and cost bytes.
        format!("--remap-path-prefix={}/registry/src=", cargo_home.display()),
        format!("--remap-path-prefix={}=", project.root.display()),
        // What build scripts write lies there, which may be elsewhere.
        format!("--remap-path-prefix={}=target", project.target.display()),
    ];
    let list = flags.map(|flag| format!("{flag:?}")).join(",");
    let mut command = cargo(project, subcommand);
    // The environment's flags would silently replace ours.
    command.env_remove("RUSTFLAGS").env_remove("CARGO_ENCODED_RUSTFLAGS");
    // Behind the subcommand: cargo does not hand on to clippy what stands before it.
    command.args(["--target", WASM_TARGET, "--config"]);
    command.arg(format!("target.{WASM_TARGET}.rustflags=[{list}]"));
    command
}

fn compile(project: &Project, package: &str, example: Option<&str>) -> Result<PathBuf> {
    let mut command = cargo_for_wasm(project, "rustc");
    command.args(["--package", package, "--release"]);
    match example {
        Some(example) => command.args(["--example", example]),
        None => command.arg("--lib"),
    };
    // The module alone: cargo silently leaves out link-time optimisation where a library is made beside it.
    command.args(["--crate-type", "cdylib"]);
    command.args(["--message-format=json-render-diagnostics", "--", CODE_GENERATION]);
    let messages = String::from_utf8(output(&mut command)?)?;
    // The package's own artifact is the last one; its dependencies make no modules.
    let module = messages
        .lines()
        .filter_map(|line| serde_json::from_str::<serde_json::Value>(line).ok())
        .filter(|message| message.get("reason").is_some_and(|reason| reason == "compiler-artifact"))
        .flat_map(|message| {
            message.get("filenames").and_then(|names| names.as_array()).cloned().unwrap_or_default()
        })
        .filter_map(|name| name.as_str().map(PathBuf::from))
        .rfind(|name| name.extension().is_some_and(|extension| extension == "wasm"));
    match module {
        Some(module) => Ok(module),
        None => {
            bail!("{package} made no wasm module: its target needs `crate-type = [\"cdylib\"]` in Cargo.toml")
        }
    }
}

fn bindgen(module: &Path, name: &str, folder: &Path) -> Result<()> {
    // With the reset function the shell can start over after a trap without fetching the module again.
    Bindgen::new()
        .input_path(module)
        .out_name(name)
        .web(true)?
        .typescript(true)
        .reset_state_function(true)
        .generate(folder)
}

/// Optimises, unless the same bytes were optimised with the same options before.
fn optimise(project: &Project, name: &str, from: &Path, to: &Path) -> Result<()> {
    let mut hash = Sha256::new();
    hash.update(OPTIMISER.join(" "));
    hash.update(read(&project.extension().join("package-lock.json"))?);
    hash.update(read(from)?);
    let key: String = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
    let (cached, stamp) =
        (project.cache().join(format!("{name}.wasm")), project.cache().join(format!("{name}.key")));
    if !std::fs::read_to_string(&stamp).is_ok_and(|found| found == key) || !cached.is_file() {
        let script = project.extension().join("node_modules/binaryen/bin/wasm-opt");
        if !script.is_file() {
            bail!("wasm-opt is missing: add the npm package `binaryen` to extension/package.json");
        }
        create_dir(&project.cache())?;
        run(Command::new("node").arg(script).args(OPTIMISER).arg(from).arg("-o").arg(&cached))?;
        write(&stamp, key)?;
    }
    write(to, read(&cached)?)
}
