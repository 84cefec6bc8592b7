//! Every command a person runs. `cargo xtask` alone lists them.

mod archive;
mod bench;
mod bounds;
mod browser;
mod build;
mod clock;
mod conformance;
mod dapps;
mod demo;
mod dependencies;
mod harness;
mod licence;
mod mcp;
mod owners;
mod passwords;
mod peers;
mod process;
mod project;
mod random;
mod reproduce;
mod setup;
mod soak;
mod spec;
mod split;
mod test;
mod types;
mod vectors;
mod wasm;

use anyhow::Result;
use project::Project;
use std::process::ExitCode;

/// A command of `cargo xtask`.
struct Command {
    /// What is typed.
    name: &'static str,
    /// One line of help.
    help: &'static str,
    /// Does it, with the words that followed the name.
    run: fn(&Project, &[String]) -> Result<()>,
}

const COMMANDS: &[Command] = &[
    Command {
        name: "setup",
        help: "install what building and testing need",
        run: |project, _| setup::all(project),
    },
    Command {
        name: "build",
        help: "build the extension into dist/extension and dist/countersign-<version>.zip; `build toolbox` only that module",
        run: build::named,
    },
    Command {
        name: "types",
        help: "write the TypeScript declarations of crate/wire into extension/generated",
        run: |project, _| types::export(project),
    },
    Command {
        name: "reproduce",
        help: "build the extension twice, in two folders, and compare every byte",
        run: |project, _| reproduce::long(project),
    },
    Command {
        name: "demo",
        help: "set up, build, and approve an agent's bundle on two chains; `--headless` presses the buttons itself",
        run: demo::run,
    },
    Command {
        name: "harness",
        help: "build the pages of the browser suites and benches into dist/harness",
        run: |project, _| harness::build(project),
    },
    Command {
        name: "test",
        help: "set up, and run every check and test; `test <step>` runs one",
        run: test::run,
    },
    Command {
        name: "soak",
        help: "run bundles while the worker is killed at random; `--bundles 1000`, `--seed 1`",
        run: soak::run,
    },
    Command {
        name: "crash",
        help: "the long form of the tests that stop the worker at random; `--rounds 20` times the short form",
        run: random::crash,
    },
    Command {
        name: "fuzz",
        help: "the long form of the tests with random input; `--rounds 20` times the short form",
        run: random::fuzz,
    },
    Command {
        name: "bench",
        help: "measure against others in Chromium; the table also goes to dist/bench.json",
        run: |project, _| bench::run(project),
    },
    Command {
        name: "mcp",
        help: "run the conformance suite for MCP clients in Chromium; with names of scenarios, those",
        run: mcp::run,
    },
    Command {
        name: "erc7730",
        help: "run the cases of the ERC-7730 registry, and write which pass to docs/erc7730-conformance.md",
        run: |project, _| conformance::publish_erc7730(project),
    },
    Command {
        name: "dapps",
        help: "run the dapps and client libraries of others against the provider; with words, those that contain one",
        run: dapps::run,
    },
    Command {
        name: "spec",
        help: "list the specifications' items that have no test; `spec --check` demands some",
        run: spec::run,
    },
    Command {
        name: "owners",
        help: "list which module writes which table; `--write` puts the list into ARCHITECTURE.md",
        run: owners::run,
    },
    Command {
        name: "passwords",
        help: "make the filter of common passwords; with lists, of these",
        run: passwords::run,
    },
    Command {
        name: "vectors",
        help: "compare with a folder of vectors, `../shared/vectors` by default; `--chain NAME` takes some",
        run: vectors::run,
    },
];

fn help() -> String {
    let mut text = String::from("cargo xtask <command>\n");
    for command in COMMANDS {
        text.push_str(&format!("\n  {:<9} {}", command.name, command.help));
    }
    text
}

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let Some((name, rest)) = words.split_first() else {
        println!("{}", help());
        return ExitCode::SUCCESS;
    };
    let Some(command) = COMMANDS.iter().find(|command| command.name == name) else {
        if matches!(name.as_str(), "help" | "--help" | "-h") {
            println!("{}", help());
            return ExitCode::SUCCESS;
        }
        eprintln!("there is no command `{name}`\n\n{}", help());
        return ExitCode::from(2);
    };
    match Project::find().and_then(|project| (command.run)(&project, rest)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.is::<test::Reported>() => ExitCode::FAILURE,
        Err(error) => {
            eprintln!("\ncargo xtask {name}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
