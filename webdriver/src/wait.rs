//! Polling for a condition with a timeout.

use crate::Error;
use std::fmt::Debug;
use std::time::Duration;
use tokio::time::{Instant, sleep, timeout_at};

/// Timeout for steps that take milliseconds on an idle machine.
pub const TIMEOUT: Duration = Duration::from_secs(15);

/// The pause between two polls grows from the first to the second.
const PAUSES: (Duration, Duration) = (Duration::from_millis(10), Duration::from_millis(50));

/// The result of one poll.
pub trait Progress {
    /// The value that is waited for.
    type Value;
    /// The value, or what was seen instead.
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

/// The error of a poll that is not ready yet: `Err(not_yet(&contacts))`.
pub fn not_yet(seen: impl Debug) -> Error {
    Error::NotYet(format!("{seen:?}"))
}

/// Polls until the condition holds.
///
/// A timeout says what was waited for and what the last poll saw. An error of a poll counts as not ready: a page may
/// be between two documents.
pub async fn until<P: Progress>(
    what: &str,
    timeout: Duration,
    mut look: impl AsyncFnMut() -> P,
) -> Result<P::Value, Error> {
    let deadline = Instant::now() + timeout;
    let mut last = "nothing, the first poll did not end".to_owned();
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
