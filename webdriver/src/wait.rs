//! Waiting for something to be so, without guessing how long it takes.

use crate::Error;
use std::fmt::Debug;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// How long things may take that should take milliseconds: a loaded machine is not a failure.
pub const TIMEOUT: Duration = Duration::from_secs(15);

/// The pause between two looks grows from one to the other.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

/// What one look found: the thing, or something else.
pub trait Progress {
    /// The thing.
    type Value;
    /// The thing, or what was there instead.
    fn ready(self) -> Result<Self::Value, String>;
}

impl<T> Progress for Option<T> {
    type Value = T;
    fn ready(self) -> Result<T, String> {
        self.ok_or_else(|| "nothing".to_owned())
    }
}

impl<T> Progress for Result<T, Error> {
    type Value = T;
    fn ready(self) -> Result<T, String> {
        self.map_err(|error| error.to_string())
    }
}

/// What a look returns that found something else: `Err(not_yet(&contacts))`.
pub fn not_yet(seen: impl Debug) -> Error {
    Error::NotYet(format!("{seen:?}"))
}

/// Looks again and again until a look succeeds.
///
/// The failure says what was waited for and what the last look saw. An error of a look is a look that found
/// something else: a page may be between two documents.
pub async fn until<P: Progress>(
    what: &str,
    timeout: Duration,
    mut look: impl AsyncFnMut() -> P,
) -> Result<P::Value, Error> {
    let deadline = Instant::now() + timeout;
    let mut last = "nothing, the first look did not end".to_owned();
    let mut pause = PAUSES.0;
    loop {
        match timeout_at(deadline, look()).await {
            Ok(progress) => match progress.ready() {
                Ok(value) => return Ok(value),
                Err(seen) => last = seen,
            },
            Err(_) => {
                return Err(Error::Timeout { what: what.to_owned(), timeout, last });
            }
        }
        if Instant::now() + pause >= deadline {
            return Err(Error::Timeout { what: what.to_owned(), timeout, last });
        }
        sleep(pause).await;
        pause = (pause * 3 / 2).min(PAUSES.1);
    }
}
