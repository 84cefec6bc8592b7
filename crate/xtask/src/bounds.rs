//! What the modules may weigh: a bound each, close above what is built, so that growth is seen and a bound cannot rot.

use crate::build::{self, MODULES};
use crate::project::{Project, read};
use anyhow::{Context, Result, bail};

/// In a file of its own, so that a change of a bound is a change of that file.
const BOUNDS: &str = include_str!("../bounds.txt");

/// How far above a module its bound may lie, in percent.
const SLACK: usize = 3;

/// Fails when a module is heavier than its bound, or so much lighter that the bound says nothing any more.
pub(crate) fn check(project: &Project) -> Result<()> {
    for module in MODULES {
        for name in module.parts() {
            let bytes = read(&build::path(project, name)).context("cargo xtask build")?.len();
            println!("{}", verdict(name, module.package, bytes, bound(BOUNDS, &format!("{name}.wasm"))?)?);
        }
    }
    Ok(())
}

fn verdict(name: &str, package: &str, bytes: usize, bound: usize) -> Result<String> {
    // Rounded up: a bound of this many bytes is accepted for as long as the module does not shrink.
    let highest = bytes + (bytes * SLACK).div_ceil(100);
    if bytes > bound {
        bail!(
            "{name}.wasm has {bytes} bytes, more than its bound of {bound}: find what grew (cargo tree --package \
             {package}), or move the bound in crate/xtask/bounds.txt"
        );
    }
    if bound > highest {
        bail!(
            "{name}.wasm has {bytes} bytes, and its bound of {bound} lies more than {SLACK} % above: lower it to at \
             most {highest} in crate/xtask/bounds.txt"
        );
    }
    let left = (bound - bytes) as f64 * 100.0 / bound as f64;
    Ok(format!("{name}.wasm: {bytes} of at most {bound} bytes, {left:.1} % left"))
}

/// The bound of a file: a line `name bytes`.
fn bound(bounds: &str, file: &str) -> Result<usize> {
    let lines = bounds.lines().filter_map(|line| line.split_once(' '));
    let (_, bytes) = lines
        .into_iter()
        .find(|(name, _)| *name == file)
        .with_context(|| format!("crate/xtask/bounds.txt has no line for {file}"))?;
    bytes.trim().parse().with_context(|| format!("the bound of {file} is not a number"))
}

#[cfg(test)]
mod tests {
    use super::{BOUNDS, bound, verdict};
    use crate::build::{CORE, MODULES};

    #[test]
    fn every_module_has_a_bound() {
        for name in MODULES.iter().flat_map(|module| module.parts()) {
            assert!(bound(BOUNDS, &format!("{name}.wasm")).is_ok(), "{name}");
        }
        assert!(bound("# a.wasm 7\nb.wasm 8\n", "a.wasm").is_err());
        assert_eq!(bound("# a.wasm 7\nb.wasm 8\n", "b.wasm").unwrap(), 8);
    }

    #[test]
    fn a_bound_lies_at_most_three_percent_above() {
        let of =
            |bytes, bound| verdict(CORE.name, CORE.package, bytes, bound).map_err(|error| error.to_string());
        assert!(of(1000, 999).unwrap_err().contains("more than its bound of 999"));
        assert_eq!(of(1000, 1030).unwrap(), "countersign.wasm: 1000 of at most 1030 bytes, 2.9 % left");
        assert!(of(1000, 1031).unwrap_err().contains("lower it to at most 1030"));
    }
}
