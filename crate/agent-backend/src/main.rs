//! `countersign-agent`: serves a script, and prints its URL and then every result it receives.

use agent_backend::{Agent, Options, ReceivedResult, Script};
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
A small agent backend that says what a script says.

usage: countersign-agent --script FILE [--port N] [--token T]

  --script FILE   what to say and propose (TOML)
  --port N        the port on 127.0.0.1; a free one if not given
  --token T       the bearer token that clients must bring
  --help          this text

The first line printed is the agent's URL; then one line for every result received.
While it runs:
  GET  /control/results /control/requests /control/violations /control/tools /control/inbox /control/held
  POST /control/fault      {\"kind\": \"status\", \"status\": 503, \"on\": \"results\", \"times\": 2}, for example
  POST /control/release    lets go of every request that is held
  POST /control/clear      ends the faults
";

struct Arguments {
    script: String,
    options: Options,
}

/// `None` if help was requested.
fn read(mut arguments: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    let mut script = None;
    let mut options = Options::default();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--script" => script = Some(value()?),
            "--token" => options.token = Some(value()?),
            "--port" => {
                let port = value()?;
                options.port = Some(port.parse().map_err(|_| format!("--port {port} is not a port"))?);
            }
            _ => return Err(format!("unknown argument {argument}")),
        }
    }
    let script = script.ok_or_else(|| "--script FILE is missing".to_owned())?;
    Ok(Some(Arguments { script, options }))
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    let arguments = match read(std::env::args().skip(1)) {
        Ok(Some(arguments)) => arguments,
        Ok(None) => {
            print!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(mistake) => {
            eprintln!("{mistake}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    match run(arguments).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(mistake) => {
            eprintln!("{mistake}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until its output is closed.
async fn run(arguments: Arguments) -> Result<(), String> {
    let text = std::fs::read_to_string(&arguments.script)
        .map_err(|error| format!("cannot read {}: {error}", arguments.script))?;
    let script = Script::parse(&text).map_err(|error| format!("{}: {error}", arguments.script))?;
    let agent = Agent::start(script, arguments.options).await.map_err(|error| error.to_string())?;
    if print(&agent.url()).is_err() {
        return Ok(());
    }
    let mut printed = 0;
    loop {
        let more =
            agent.wait_for(|state| state.results().get(printed).cloned(), Duration::from_secs(3600)).await;
        if let Ok(result) = more {
            printed += 1;
            if print(&line(&result)).is_err() {
                return Ok(());
            }
        }
    }
}

fn line(result: &ReceivedResult) -> String {
    let outcome = match (&result.error, &result.data) {
        (Some(error), _) => format!("failed: {error}"),
        (None, Some(data)) => format!("ok {data}"),
        (None, None) => "ok".to_owned(),
    };
    let again = if result.repeat { " (again)" } else { "" };
    let action = if result.action.is_empty() { "(no type)" } else { &result.action };
    format!("{action} {}{again}: {outcome}", result.action_id)
}

/// One line, flushed at once: the reader is usually a program behind a pipe.
fn print(line: &str) -> io::Result<()> {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}")?;
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(words: &str) -> Result<Option<Arguments>, String> {
        read(words.split_whitespace().map(str::to_owned))
    }

    #[test]
    fn arguments() {
        let arguments = parse("--script a.toml --port 80 --token t").unwrap().unwrap();
        assert_eq!(arguments.script, "a.toml");
        assert_eq!((arguments.options.port, arguments.options.token.as_deref()), (Some(80), Some("t")));
        assert!(parse("--script a.toml --help").unwrap().is_none());
        assert_eq!(parse("").err().as_deref(), Some("--script FILE is missing"));
        assert_eq!(parse("--script").err().as_deref(), Some("--script needs a value"));
        assert_eq!(parse("--port x").err().as_deref(), Some("--port x is not a port"));
        assert_eq!(parse("--prot 1").err().as_deref(), Some("unknown argument --prot"));
    }
}
