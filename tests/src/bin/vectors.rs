//! `vectors FOLDER… [--chain NAME]`: prints what differs, and fails if anything does.

use countersign_tests::conformance::{Filter, run};
use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let (mut folders, mut filter) = (Vec::new(), Filter::default());
    let mut words = std::env::args().skip(1);
    while let Some(word) = words.next() {
        match word.as_str() {
            "--chain" => filter.chain = words.next(),
            _ => folders.push(PathBuf::from(word)),
        }
    }
    let mut failed = folders.is_empty();
    if failed {
        eprintln!("vectors FOLDER… [--chain NAME]");
    }
    for folder in folders {
        match run(&folder, &filter) {
            Ok(reports) => {
                println!("{}", folder.display());
                for report in reports {
                    println!("{report}");
                    failed |= report.failed() > 0;
                }
            }
            Err(error) => {
                eprintln!("{}: {error}", folder.display());
                failed = true;
            }
        }
    }
    if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS }
}
