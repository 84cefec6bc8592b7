//! The processes of driver and browser: ended together, so that none still writes into the profile.

use crate::Error;
use crate::wait::TIMEOUT;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::Child;

/// How often a driver is started before it counts as broken.
const STARTS: usize = 3;

/// A driver and its browser; ended on drop. Finding them needs `/proc`.
pub(crate) struct Processes {
    driver: Child,
    profile: PathBuf,
    /// What they printed and was not taken yet; kept only if asked for.
    printed: Arc<Mutex<Vec<String>>>,
}

impl Processes {
    /// Starts a driver on a free port. `profile` is the profile of its browser. With `keeps_output`, what the browser
    /// prints can be taken. The driver takes the same port for both versions of the internet protocol, and ends if it is
    /// free for one of them only: then it is started again.
    pub(crate) async fn start(profile: &Path, keeps_output: bool) -> Result<(Self, u16), Error> {
        for _ in 1..STARTS {
            if let Ok(started) = Self::try_start(profile, keeps_output).await {
                return Ok(started);
            }
        }
        Self::try_start(profile, keeps_output).await
    }

    /// Starts a driver on a port that it chooses and prints.
    async fn try_start(profile: &Path, keeps_output: bool) -> Result<(Self, u16), Error> {
        let failed = |problem: String| Error::Start(format!("chromedriver did not start: {problem}"));
        // A line at a time: what is left in a buffer is lost when a process of the browser ends.
        let mut command = tokio::process::Command::new(if keeps_output { "stdbuf" } else { "chromedriver" });
        if keeps_output {
            command.args(["-oL", "chromedriver"]);
        }
        let driver = command
            .arg("--port=0")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let mut processes = Self { driver, profile: profile.to_path_buf(), printed: Arc::default() };

        let output = processes.driver.stdout.take().ok_or_else(|| failed("it has no output".to_owned()))?;
        let mut lines = BufReader::new(output).lines();
        let port = async {
            while let Some(line) = lines.next_line().await? {
                if let Some((_, port)) = line.split_once("started successfully on port ") {
                    return port.trim_end_matches('.').parse().map_err(|_| failed(line));
                }
            }
            Err(failed("it ended before it named its port".to_owned()))
        };
        let port = tokio::time::timeout(TIMEOUT, port)
            .await
            .map_err(|_| failed("it named no port".to_owned()))??;
        let printed = Arc::clone(&processes.printed);
        // Keep reading, or the driver blocks when the pipe is full.
        tokio::spawn(async move {
            while let Ok(Some(line)) = lines.next_line().await {
                if let Ok(mut printed) = printed.lock()
                    && keeps_output
                {
                    printed.push(line);
                }
            }
        });
        Ok((processes, port))
    }

    /// A browser without a driver.
    pub(crate) fn of(mut browser: tokio::process::Command, profile: &Path) -> Result<Self, Error> {
        let null = || Stdio::null();
        let browser = browser.stdin(null()).stdout(null()).stderr(null()).kill_on_drop(true).spawn();
        let driver = browser.map_err(|error| Error::Start(format!("Chromium did not start: {error}")))?;
        Ok(Self { driver, profile: profile.to_path_buf(), printed: Arc::default() })
    }

    /// Takes the lines that were printed since the last time.
    pub(crate) fn take_printed(&self) -> Vec<String> {
        self.printed.lock().map(|mut printed| std::mem::take(&mut *printed)).unwrap_or_default()
    }

    /// The driver's child processes, and orphans whose arguments name the profile.
    fn family(&self) -> BTreeSet<u32> {
        let running = running();
        let mut family: BTreeSet<u32> = self.driver.id().into_iter().collect();
        let profile = self.profile.to_string_lossy();
        let named = running.iter().filter(|process| process.command.contains(profile.as_ref()));
        family.extend(named.map(|process| process.id));
        loop {
            let before = family.len();
            let children = running.iter().filter(|process| family.contains(&process.parent));
            family.extend(children.map(|process| process.id).collect::<Vec<_>>());
            if family.len() == before {
                return family;
            }
        }
    }
}

impl Drop for Processes {
    /// All at once: killed one after the other, the remaining ones would still write into a profile that is about to
    /// be deleted or reused, and a driver killed alone leaves the browser running.
    fn drop(&mut self) {
        let family = self.family();
        let ids = family.iter().map(u32::to_string);
        let killed = Command::new("kill").arg("-KILL").args(ids).stderr(Stdio::null()).status();
        let deadline = Instant::now() + Duration::from_secs(10);
        let left = || running().iter().any(|process| family.contains(&process.id));
        while killed.is_ok() && left() && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

/// A process as `/proc` describes it.
struct Process {
    id: u32,
    parent: u32,
    /// Its arguments, each followed by a zero byte.
    command: String,
}

/// All processes except zombies.
fn running() -> Vec<Process> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let process = |folder: PathBuf| {
        let id = folder.file_name()?.to_str()?.parse().ok()?;
        // `id (name) state parent …`, where the name may contain any character.
        let stat = std::fs::read_to_string(folder.join("stat")).ok()?;
        let mut fields = stat.rsplit_once(") ")?.1.split(' ');
        let state = fields.next()?;
        let parent = fields.next()?.parse().ok()?;
        let command = std::fs::read(folder.join("cmdline")).ok()?;
        let command = String::from_utf8_lossy(&command).into_owned();
        (!matches!(state, "Z" | "X")).then_some(Process { id, parent, command })
    };
    entries.filter_map(|entry| process(entry.path())).collect()
}
