//! `test browser`: every test of the suites in Chromium, two browsers at a time.
//!
//! Each test runs in a process of its own. Its browser has its own profile; driver, agent and nodes listen on ports that
//! the system chooses; and only processes of its own family are ended. So any two tests can run at once.

use crate::clock::Clock;
use crate::process::{cargo, output, quiet_output, run as run_command};
use crate::project::{Project, clean_dir, read};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs::File;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::Mutex;

/// Browsers at a time: one a core.
const BROWSERS: usize = 2;

/// Suites with tests of a minute or more. They begin first, so that the end does not wait for one of them alone.
const LONG: &[&str] =
    &["bundle_kills::", "dapp_kills::", "dapp_screens::", "idle::", "resilience::", "secrets::"];

/// A test, named with the module of its suite.
struct Test {
    name: String,
    program: PathBuf,
}

/// Compiles the suites.
pub(crate) fn compile(project: &Project) -> Result<()> {
    programs(project)?;
    // The example in the library's documentation.
    run_command(cargo(project, "test").args(["--package", "countersign-webdriver", "--doc"]))
}

/// Runs every test; fails after the last, naming those that failed.
pub(crate) fn run(project: &Project) -> Result<()> {
    for (folder, command) in [(project.dist_extension(), "build"), (project.dist_harness(), "harness")] {
        if !folder.is_dir() {
            bail!("{} is not built: cargo xtask {command}", folder.display());
        }
    }
    let mut tests = Vec::new();
    for program in programs(project)? {
        tests.extend(list(program)?);
    }
    // From the end of the list a browser takes its next test.
    tests.sort_by_key(|test| LONG.iter().any(|suite| test.name.starts_with(suite)));
    clean_dir(&project.cache().join("browser"))?;
    let (count, queue, failed) = (tests.len(), Mutex::new(tests), Mutex::new(Vec::new()));
    let next = || lock(&queue).pop();
    std::thread::scope(|scope| {
        for _ in 0..BROWSERS {
            scope.spawn(|| {
                while let Some(test) = next() {
                    if let Err(error) = test.run(project) {
                        println!("FAILED {}: {error:#}", test.name);
                        lock(&failed).push(test.name);
                    }
                }
            });
        }
    });
    let failed = lock(&failed);
    if !failed.is_empty() {
        bail!("{} of {count} tests failed: {}", failed.len(), failed.join(", "));
    }
    println!("{count} tests passed");
    Ok(())
}

impl Test {
    /// Runs it alone in a process; what it printed is in the error.
    fn run(&self, project: &Project) -> Result<()> {
        let clock = Clock::start();
        // Into a file: a process that a test left running would hold a pipe open.
        let path = project.cache().join("browser").join(format!("{}.log", self.name.replace("::", "-")));
        let log = File::create(&path).with_context(|| format!("could not write {}", path.display()))?;
        let ended = Command::new(&self.program)
            .args(["--exact", &self.name, "--nocapture"])
            .current_dir(project.root.join("webdriver"))
            .env("COUNTERSIGN_EXTENSION", project.dist_extension())
            .env("COUNTERSIGN_HARNESS", project.dist_harness())
            .stdin(Stdio::null())
            .stdout(log.try_clone()?)
            .stderr(log)
            .status()?;
        if !ended.success() {
            bail!("{ended}\n{}", String::from_utf8_lossy(&read(&path)?));
        }
        println!("ok {} {:.1} s", self.name, clock.elapsed().as_secs_f64());
        Ok(())
    }
}

/// The programs that the suites are in.
fn programs(project: &Project) -> Result<Vec<PathBuf>> {
    let mut command = cargo(project, "test");
    // The example is a suite as a dapp team writes it.
    command.args(["--package", "countersign-webdriver", "--package", "countersign-webdriver-example"]);
    command.args(["--lib", "--tests", "--no-run"]);
    let messages = String::from_utf8(output(command.arg("--message-format=json-render-diagnostics"))?)?;
    let program = |line: &str| {
        let message: Value = serde_json::from_str(line).ok()?;
        message.get("executable")?.as_str().map(PathBuf::from)
    };
    Ok(messages.lines().filter_map(program).collect())
}

/// The tests of a program, as it names them itself: `name: test`.
fn list(program: PathBuf) -> Result<Vec<Test>> {
    let names = quiet_output(Command::new(&program).args(["--list", "--format", "terse"]))
        .with_context(|| format!("the tests of {} could not be listed", program.display()))?;
    let names = String::from_utf8(names)?;
    let names = names.lines().filter_map(|line| line.strip_suffix(": test"));
    let test = |name: &str| Test { name: name.to_owned(), program: program.clone() };
    Ok(names.map(test).collect())
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}
