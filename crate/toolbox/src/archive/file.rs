//! What is wrong with an archive, and in which file.

use crate::bounds::ARCHIVE_PROBLEMS;
use crate::record::RecordError;
use crate::zip::{ZipError, ZipProblem};
use derive::Code;
use wire::archive::FileProblem;
use wire::toolbox::ToolboxError;

/// What is wrong with an archive, beside the records in it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum ArchiveError {
    /// Not base64.
    #[error("not base64")]
    #[code("invalid_archive")]
    NotBase64,
    /// The ZIP itself.
    #[error(transparent)]
    #[code(transparent)]
    Zip(#[from] ZipProblem),
    /// No file of the bundle.
    #[error("there is no bundle.json")]
    #[code("invalid_archive")]
    NoBundle,
    /// Neither the bundle nor a tool.
    #[error("a bundle has bundle.json, and a file .json for each tool")]
    #[code("invalid_archive")]
    OtherFile,
    /// A file somewhere else than `bundle.json`.
    #[error("all files must be in the folder of bundle.json")]
    #[code("invalid_archive")]
    OtherFolder,
    /// Not JSON.
    #[error("not JSON: line {line} column {column}")]
    FileNotJson {
        /// From 1; 0 where it is not UTF-8.
        line: usize,
        /// From 1.
        column: usize,
    },
    /// A tool of another bundle.
    #[error("must be the id in bundle.json")]
    #[code("invalid_field")]
    OtherBundle,
    /// Two files of one tool.
    #[error("{file} has a tool of this slug and version too")]
    SameTool {
        /// The other file.
        file: String,
    },
    /// A text that looks like a secret.
    #[error(
        "this looks like a secret, and is in the file: write ${{NAME}} here and save the value as a secret"
    )]
    LiteralSecret,
}

impl ArchiveError {
    /// In a file, at a place in its JSON.
    pub(super) fn at(&self, file: Option<&str>, path: Option<&str>) -> FileProblem {
        FileProblem {
            code: self.code().to_owned(),
            message: self.to_string(),
            file: file.map(str::to_owned),
            path: path.map(str::to_owned),
        }
    }
}

/// What was found so far.
#[derive(Debug, Default)]
pub(super) struct Problems(Vec<FileProblem>);

impl Problems {
    /// Adds one; what is too much is not told.
    pub(super) fn add(&mut self, problem: FileProblem) {
        if !self.is_full() {
            self.0.push(problem);
        }
    }

    /// The ZIP itself.
    pub(super) fn zip(&mut self, error: ZipError) {
        self.add(ArchiveError::from(error.problem).at(error.file.as_deref(), None));
    }

    /// About a file.
    pub(super) fn file(&mut self, file: &str, error: ArchiveError) {
        self.add(error.at(Some(file), None));
    }

    /// About a place in a file.
    pub(super) fn place(&mut self, file: &str, path: &str, error: &ArchiveError) {
        self.add(error.at(Some(file), Some(path)));
    }

    /// A text that looks like a secret.
    pub(super) fn literal_secret(&mut self, file: &str, path: &str) {
        self.place(file, path, &ArchiveError::LiteralSecret);
    }

    /// What is wrong with a record.
    pub(super) fn record(&mut self, file: &str, errors: Vec<ToolboxError>) {
        for ToolboxError { code, message, path } in errors {
            self.add(FileProblem { code, message, file: Some(file.to_owned()), path });
        }
    }

    /// Whether no more are told.
    pub(super) fn is_full(&self) -> bool {
        self.0.len() >= ARCHIVE_PROBLEMS
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// All of them; names that are taken come last, as a conflict is said only if nothing else is wrong.
    pub(super) fn finish(self) -> Vec<FileProblem> {
        let taken = RecordError::NameTaken { name: String::new() }.code();
        let (mut others, mut taken): (Vec<_>, Vec<_>) =
            self.0.into_iter().partition(|problem| problem.code != taken);
        others.append(&mut taken);
        others
    }
}
