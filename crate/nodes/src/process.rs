//! A child process that ends with this process, however it ends.

use crate::Error;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;
use tokio::io::{AsyncBufReadExt as _, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};

/// Timeout for steps that take milliseconds on an idle machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Kills the node when its pipe is closed, by a drop or by the end of this process.
const KEEPER: &str = r#""$0" "$@" </dev/null & node=$!; cat >/dev/null; kill $node 2>/dev/null; wait $node"#;

/// This crate's folder, with the npm packages.
pub(crate) fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A running node; dropping it stops it.
#[derive(Debug)]
pub(crate) struct ChildNode {
    keeper: Child,
    /// Closing it stops the node.
    leash: Option<ChildStdin>,
}

impl ChildNode {
    /// Starts a program. Returns its output lines, which must be read.
    pub(crate) fn start(
        program: &PathBuf,
        args: &[String],
    ) -> Result<(Self, Lines<BufReader<ChildStdout>>), Error> {
        let failed = |problem: String| Error::Start { node: program.to_string_lossy().into_owned(), problem };
        if program.is_absolute() && !program.exists() {
            return Err(failed("it is not installed".to_owned()));
        }
        let mut keeper = Command::new("sh")
            .args(["-c", KEEPER])
            .arg(program)
            .args(args)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .map_err(|error| failed(error.to_string()))?;
        let leash = keeper.stdin.take();
        let output = keeper.stdout.take().ok_or_else(|| failed("it has no output".to_owned()))?;
        Ok((Self { keeper, leash }, BufReader::new(output).lines()))
    }

    /// Stops the node and returns when it is gone.
    pub(crate) async fn stop(mut self) -> Result<(), Error> {
        drop(self.leash.take());
        self.keeper.wait().await?;
        Ok(())
    }
}
