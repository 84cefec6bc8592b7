//! Running other programs so that a person sees what is run and what to do when it fails.

use crate::project::Project;
use anyhow::{Context, Result, bail};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, Stdio};

/// A command of the cargo that runs us, at the top of the repository; rustup's choice of toolchain is kept. What it builds
/// is what the lock file says, or nothing.
pub(crate) fn cargo(project: &Project, subcommand: &str) -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(&project.root).env("CARGO_TARGET_DIR", &project.target);
    command.arg(subcommand);
    // Formatting builds nothing, and knows no lock file.
    if subcommand != "fmt" {
        command.arg("--locked");
    }
    command
}

/// A command of npm, in a folder, without its chatter. No package runs a script of its own when it is installed.
pub(crate) fn npm(folder: &Path) -> Command {
    let mut command = Command::new("npm");
    command.current_dir(folder).env("npm_config_fund", "false").env("npm_config_audit", "false");
    command.env("npm_config_update_notifier", "false").env("npm_config_ignore_scripts", "true");
    command
}

/// Prints the command, runs it with our own output, and fails unless it succeeds.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let line = announce(command);
    let status = command.status().with_context(|| cannot_start(command, &line))?;
    if !status.success() {
        bail!("`{line}` failed ({status}); its own message is above");
    }
    Ok(())
}

/// Like [`run`], and returns what it printed on standard output.
pub(crate) fn output(command: &mut Command) -> Result<Vec<u8>> {
    let line = announce(command);
    quiet_output(command).with_context(|| format!("in `{line}`"))
}

/// Like [`output`], for questions that are not worth a line on the screen.
pub(crate) fn quiet_output(command: &mut Command) -> Result<Vec<u8>> {
    let line = shown(command);
    let output = command.stderr(Stdio::inherit()).output().with_context(|| cannot_start(command, &line))?;
    if !output.status.success() {
        bail!("`{line}` failed ({}); its own message is above", output.status);
    }
    Ok(output.stdout)
}

/// Whether a program of that name can be found.
pub(crate) fn on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(program).is_file())
}

fn announce(command: &Command) -> String {
    let line = shown(command);
    eprintln!("  $ {line}");
    line
}

/// The command as it could be typed, with the program's bare name.
fn shown(command: &Command) -> String {
    let program = Path::new(command.get_program()).file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(OsStr::to_string_lossy)
        .map(|word| if word.contains([' ', '"']) { format!("'{word}'") } else { word.into_owned() })
        .collect::<Vec<_>>()
        .join(" ")
}

fn cannot_start(command: &Command, line: &str) -> String {
    let program = command.get_program().to_string_lossy();
    match program.as_ref() {
        "npm" | "node" => format!("could not start `{line}`: install Node.js 20 or newer with npm"),
        "rustup" => format!("could not start `{line}`: install Rust with rustup"),
        _ => format!("could not start `{line}`"),
    }
}
