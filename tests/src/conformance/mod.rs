//! Runs a folder of vectors: JSON files of known names, each a list of cases made by the code of other wallets.
//!
//! Every case is run, also after a failure; a difference is reported as expected and actual.

mod address;
mod case;
mod payload;
mod raw;
mod signed;

use serde::de::DeserializeOwned;
use std::path::Path;
use std::{fmt, fs, io};

pub use case::{Outcome, Report};

/// Why a folder could not be run at all.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// A file is there and cannot be read.
    #[error("{file}: {error}")]
    Read {
        /// Its name.
        file: &'static str,
        /// Why.
        error: io::Error,
    },
    /// A file is not in the format that its name says.
    #[error("{file}: {error}")]
    Format {
        /// Its name.
        file: &'static str,
        /// Where and why.
        error: serde_json::Error,
    },
    /// None of the files is there.
    #[error("no vectors: none of {} is in the folder", FILES.map(|(name, _)| name).join(", "))]
    Empty,
}

/// Cases of one chain only, or all.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    /// A chain's name, in any case.
    pub chain: Option<String>,
}

impl Filter {
    /// Whether a case of this chain is wanted.
    fn wants(&self, chain: &str) -> bool {
        self.chain.as_ref().is_none_or(|wanted| wanted.eq_ignore_ascii_case(chain))
    }
}

type Run = fn(&str, &Filter) -> serde_json::Result<Vec<(String, Outcome)>>;

/// The files that are known, and what runs them.
const FILES: [(&str, Run); 4] = [
    ("derived-addresses.json", |text, filter| Ok(address::run(parse(text)?, filter))),
    ("keysign-payload-base64.json", |text, filter| Ok(payload::run(parse(text)?, filter))),
    ("signed-tx-golden.json", |text, filter| Ok(signed::run(parse(text)?, filter))),
    ("unsigned-tx.json", |text, filter| Ok(raw::run(parse(text)?, filter))),
];

fn parse<T: DeserializeOwned>(text: &str) -> serde_json::Result<T> {
    serde_json::from_str(text)
}

/// Runs every known file of the folder.
pub fn run(folder: &Path, filter: &Filter) -> Result<Vec<Report>, FolderError> {
    let mut reports = Vec::new();
    for (file, run) in FILES {
        let text = match fs::read_to_string(folder.join(file)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(FolderError::Read { file, error }),
        };
        let cases = run(&text, filter).map_err(|error| FolderError::Format { file, error })?;
        reports.push(Report { file, cases });
    }
    if reports.is_empty() { Err(FolderError::Empty) } else { Ok(reports) }
}

/// The report for display: each failure, then one line of numbers.
impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, outcome) in &self.cases {
            match outcome {
                Outcome::Passed => {}
                Outcome::Failed { expected, actual } => {
                    writeln!(f, "  FAILED {name}\n    expected {expected}\n    actual   {actual}")?;
                }
                Outcome::Doubtful { reason } => writeln!(f, "  doubtful {name}\n    {reason}")?,
            }
        }
        write!(f, "{}: {} passed, {} failed", self.file, self.passed(), self.failed())?;
        match self.doubtful() {
            0 => Ok(()),
            count => write!(f, ", {count} doubtful"),
        }
    }
}
