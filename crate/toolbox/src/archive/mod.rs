//! T002-82: a bundle of tools as a ZIP, in the form that specification 002 gives flat files (T002-75).
//!
//! ```text
//! weather_018faf50-b7b6-7a01-9a05-a22a6e0af101.zip
//!   weather_018faf50-b7b6-7a01-9a05-a22a6e0af101/bundle.json
//!   weather_018faf50-b7b6-7a01-9a05-a22a6e0af101/get-weather_v1_019a0c3e-0d5c-7d5e-8a4b-3c1f5f3e2a10.json
//! ```
//!
//! Slugs and versions are case-sensitive, of all letters there are, and together up to 512 bytes: no file system that
//! ignores case, or ends names after 255 bytes, can hold them as names. So a name has the tool's id beside what is ASCII of
//! slug and version. It is for people: what a file holds is said by its content alone.
//!
//! What belongs to this installation is not written: switches, counts of calls, what can be called, rules, tokens. What is
//! read arrives switched off.

mod file;
mod literal;
mod pack;
mod unpack;

pub(crate) use file::ArchiveError;
pub(crate) use pack::pack;
pub(crate) use unpack::{files, unpack};

const BUNDLE_FILE: &str = "bundle.json";
/// Fields that an answer adds to a record. They are not part of it.
const COMPUTED: &[&str] = &["effective", "metrics"];
/// Fields that the store gives a record.
const GIVEN: &[&str] = &["id", "createdAt", "modifiedAt"];
