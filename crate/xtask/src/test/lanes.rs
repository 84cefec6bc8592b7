//! The steps of `test` in their lanes: each in a process of its own, whose lines carry its name.

use super::{Lane, Reported, Step};
use crate::clock::Clock;
use anyhow::{Context, Result};
use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// How long the last lines of a step may take after its end.
const AFTER_END: Duration = Duration::from_secs(5);

/// What became of a step.
struct Ended {
    name: &'static str,
    passed: bool,
    /// Since the start of all steps.
    begun: Duration,
    /// Its own last line: how long it took.
    took: String,
}

/// Runs the stages one after the other, the lanes of each side by side, and says where the time went.
pub(super) fn run(stages: &[&[Lane]]) -> Result<()> {
    let clock = Clock::start();
    let ended = Mutex::new(Vec::new());
    for lanes in stages {
        std::thread::scope(|scope| {
            for lane in *lanes {
                scope.spawn(|| run_lane(lane, &clock, &ended));
            }
        });
    }
    let ended = ended.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
    println!("\nstep          begun  took");
    for Ended { name, passed, begun, took } in &ended {
        let outcome = if *passed { took.clone() } else { format!("failed; alone: cargo xtask test {name}") };
        println!("{name:<13} {:>5}  {outcome}", minutes(*begun));
    }
    let failed = ended.iter().filter(|step| !step.passed).count();
    println!(
        "{} passed, {failed} failed, {} in all: {clock}",
        ended.len() - failed,
        minutes(clock.elapsed())
    );
    if failed == 0 { Ok(()) } else { Err(Reported.into()) }
}

/// Runs the steps in order, until one has failed in this lane or in another.
fn run_lane(lane: Lane, clock: &Clock, ended: &Mutex<Vec<Ended>>) {
    for step in lane {
        let lock = || ended.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if lock().iter().any(|step| !step.passed) {
            return;
        }
        let begun = clock.elapsed();
        let (passed, took) = run_step(step).unwrap_or_else(|error| {
            eprintln!("{}: {error:#}", step.name);
            (false, String::new())
        });
        lock().push(Ended { name: step.name, passed, begun, took });
    }
}

/// Runs one step in a process of its own; gives whether it passed, and its last line.
fn run_step(step: &Step) -> Result<(bool, String)> {
    println!("{} │ begins", step.name);
    let clock = Clock::start();
    // Not by its path: cargo replaces the program while the workspace is compiled.
    let mut child = Command::new("/proc/self/exe")
        .args(["test", step.name])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .context("could not start the step")?;
    let stderr = child.stderr.take().map(|stderr| copy(step.name, stderr));
    let stdout = child.stdout.take().map(|stdout| copy(step.name, stdout));
    let passed = child.wait()?.success();
    // What a step left running may hold its pipes open: its lines are no longer waited for.
    let last = |lines: Option<Receiver<String>>| lines.and_then(|lines| lines.recv_timeout(AFTER_END).ok());
    last(stderr);
    Ok((passed, last(stdout).unwrap_or_else(|| format!("{:.1} s", clock.elapsed().as_secs_f64()))))
}

/// Copies what a step prints, each line behind its name; sends the last line at the end.
fn copy(name: &'static str, from: impl Read + Send + 'static) -> Receiver<String> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut last = String::new();
        let mut lines = BufReader::new(from).split(b'\n');
        while let Some(Ok(line)) = lines.next() {
            last = String::from_utf8_lossy(&line).trim_end().to_owned();
            println!("{name} │ {last}");
        }
        // The step may have been given up meanwhile.
        let _ = sender.send(last);
    });
    receiver
}

fn minutes(time: Duration) -> String {
    format!("{}:{:02}", time.as_secs() / 60, time.as_secs() % 60)
}
