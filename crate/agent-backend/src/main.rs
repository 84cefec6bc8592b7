//! `countersign-agent`: serves a script or a language model, and prints its URL.

use agent_backend::llm::{Api, Endpoint, Key, LlmOptions, LlmServer};
use agent_backend::{Agent, Options, ReceivedResult, Script};
use std::io::{self, Write};
use std::process::ExitCode;
use std::time::Duration;

const HELP: &str = "\
An agent backend that asks a language model, or says what a script says.

usage: countersign-agent --llm URL --model NAME [--api openai|anthropic] [--system FILE] [--max-turns N] [--port N] [--token T]
       countersign-agent --script FILE [--port N] [--token T]

  --llm URL       the model's server: its base URL, with or without /v1
  --model NAME    the model's name there
  --api API       openai (chat completions: Ollama, llama.cpp, vLLM, LM Studio, …) or anthropic; by the URL if not given
  --system FILE   a system prompt in place of the wallet's own
  --max-turns N   turns of the model for one message of yours; 25 if not given
  --script FILE   what to say and propose (TOML)
  --port N        the port on 127.0.0.1; a free one if not given
  --token T       the bearer token that clients must bring
  --help          this text

The model's key is the environment's COUNTERSIGN_LLM_KEY, or OPENAI_API_KEY for api.openai.com and ANTHROPIC_API_KEY for
api.anthropic.com. It is sent to the model's server and nowhere else.

The first line printed is the agent's URL. With a script, one line for every result follows, and while it runs:
  GET  /control/results /control/requests /control/violations /control/tools /control/inbox /control/held
  POST /control/fault      {\"kind\": \"status\", \"status\": 503, \"on\": \"results\", \"times\": 2}, for example
  POST /control/release    lets go of every request that is held
  POST /control/clear      ends the faults
";

#[derive(Default)]
struct Arguments {
    script: Option<String>,
    llm: Option<String>,
    model: Option<String>,
    api: Option<Api>,
    system: Option<String>,
    turns: Option<u32>,
    options: Options,
}

/// `None` if help was requested.
fn read(mut arguments: impl Iterator<Item = String>) -> Result<Option<Arguments>, String> {
    let mut given = Arguments::default();
    while let Some(argument) = arguments.next() {
        let mut value = || arguments.next().ok_or_else(|| format!("{argument} needs a value"));
        match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--script" => given.script = Some(value()?),
            "--llm" => given.llm = Some(value()?),
            "--model" => given.model = Some(value()?),
            "--api" => given.api = Some(value()?.parse().map_err(|error| format!("--api: {error}"))?),
            "--system" => given.system = Some(value()?),
            "--token" => given.options.token = Some(value()?),
            "--max-turns" => given.turns = Some(number(&argument, &value()?, 1, "a number of turns")?),
            "--port" => given.options.port = Some(number(&argument, &value()?, 0, "a port")?),
            _ => return Err(format!("unknown argument {argument}")),
        }
    }
    match (&given.script, &given.llm, &given.model) {
        (Some(_), None, None) if given.api.is_none() && given.system.is_none() && given.turns.is_none() => {}
        (Some(_), ..) => return Err("--script goes with --port and --token only".to_owned()),
        (None, Some(_), Some(_)) => {}
        (None, Some(_), None) => return Err("--model NAME is missing".to_owned()),
        (None, None, _) => return Err("--script FILE or --llm URL is missing".to_owned()),
    }
    Ok(Some(given))
}

fn number<T: std::str::FromStr + PartialOrd + From<u8>>(
    argument: &str,
    value: &str,
    least: u8,
    what: &str,
) -> Result<T, String> {
    let number = value.parse::<T>().ok().filter(|number| *number >= T::from(least));
    number.ok_or_else(|| format!("{argument} {value} is not {what}"))
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

async fn run(arguments: Arguments) -> Result<(), String> {
    match (&arguments.script, &arguments.llm) {
        (Some(script), _) => serve_script(script, arguments.options).await,
        (None, Some(url)) => serve_model(url, &arguments).await,
        (None, None) => Ok(()),
    }
}

fn file(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))
}

/// Serves until the program is ended.
async fn serve_model(url: &str, arguments: &Arguments) -> Result<(), String> {
    let endpoint = Endpoint::new(url, arguments.api).map_err(|error| error.to_string())?;
    let key = Key::of(&endpoint, |name| std::env::var(name).ok());
    let told = match (&key, endpoint.api) {
        (Some(_), Api::OpenAi) => "chat completions, with a key",
        (None, Api::OpenAi) => "chat completions, without a key",
        (Some(_), Api::Anthropic) => "Anthropic's messages, with a key",
        (None, Api::Anthropic) => "Anthropic's messages, without a key",
    };
    eprintln!("The model is at {} ({told}).", endpoint.url);
    let mut options = LlmOptions::new(endpoint, arguments.model.clone().unwrap_or_default());
    options.key = key;
    options.token = arguments.options.token.clone();
    options.system = arguments.system.as_deref().map(file).transpose()?;
    options.limits.turns = arguments.turns.unwrap_or(options.limits.turns);
    let port = arguments.options.port.unwrap_or(0);
    let server = LlmServer::start(options, port).await.map_err(|error| error.to_string())?;
    let _ = print(&server.url());
    std::future::pending().await
}

/// Serves until its output is closed.
async fn serve_script(path: &str, options: Options) -> Result<(), String> {
    let script = Script::parse(&file(path)?).map_err(|error| format!("{path}: {error}"))?;
    let agent = Agent::start(script, options).await.map_err(|error| error.to_string())?;
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
        assert_eq!(arguments.script.as_deref(), Some("a.toml"));
        assert_eq!((arguments.options.port, arguments.options.token.as_deref()), (Some(80), Some("t")));
        let arguments =
            parse("--llm http://localhost:1 --model m --api anthropic --max-turns 3").unwrap().unwrap();
        assert_eq!(
            (arguments.model.as_deref(), arguments.api, arguments.turns),
            (Some("m"), Some(Api::Anthropic), Some(3))
        );
        assert!(parse("--script a.toml --help").unwrap().is_none());
        for (words, says) in [
            ("", "--script FILE or --llm URL is missing"),
            ("--script", "--script needs a value"),
            ("--port x", "--port x is not a port"),
            ("--llm u --max-turns 0", "--max-turns 0 is not a number of turns"),
            ("--llm u", "--model NAME is missing"),
            ("--llm u --model m --api x", "--api: `x` is no API; there are openai and anthropic"),
            ("--script a --model m", "--script goes with --port and --token only"),
            ("--prot 1", "unknown argument --prot"),
        ] {
            assert_eq!(parse(words).err().as_deref(), Some(says));
        }
    }
}
