//! Why a tool of the store gives no value.

use crate::ports::NetError;
use crate::tool::Refusal;
use derive::Code;
use wire::api::Millis;
use wire::failure::Failure;

/// Why a tool of the store gives no value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum RunError {
    /// Its record cannot be read.
    #[error("the tool's record cannot be read by this version")]
    InvalidTool,
    /// A tool of several steps calls itself, or such tools are nested too deep.
    #[error("{name} calls itself, or its steps are nested too deep")]
    StepsNested {
        /// Which.
        name: String,
    },
    /// A step signs or changes something.
    #[error("{name} does more than read, and cannot be a step")]
    #[code("step_not_allowed")]
    StepSigns {
        /// Which.
        name: String,
    },
    /// It was called as often as it may be in a minute.
    #[error("called {most} times in a minute, which is the most; again in {millis} ms")]
    RateLimited {
        /// How often.
        most: usize,
        /// When it may be called again.
        millis: Millis,
    },
    /// What would be sent is not what was approved.
    #[error("the tool would send something else than what was approved")]
    RequestChanged,
    /// What the tool gave is not what it promises.
    #[error("the result is not what the tool promises: {path} {problem}")]
    OutputMismatch {
        /// Where, as a JSON pointer into the value.
        path: String,
        /// What is wrong there.
        problem: String,
    },
    /// The body is larger than the tool allows.
    #[error("the request is too large")]
    RequestTooLarge,
    /// The answer is larger than the tool allows.
    #[error("the response is larger than {limit} bytes")]
    ResponseTooLarge {
        /// The most.
        limit: u64,
    },
    /// The host could not be reached, or the answer broke off.
    #[error("{0}")]
    #[code("host_unreachable")]
    Unreachable(NetError),
    /// The host answered with a redirect.
    #[error("the host redirects elsewhere, which is not followed")]
    RedirectRefused,
    /// No answer in the time that the tool has for all attempts.
    #[error("no answer within {millis} ms")]
    TimedOut {
        /// The time.
        millis: Millis,
    },
    /// The request may have reached the host, and is not one that can be repeated.
    #[error("{why}: the request may have reached the host, and is not sent again")]
    OutcomeUnknown {
        /// What happened.
        why: String,
    },
}

impl RunError {
    /// The code of a request that may have reached the host.
    pub(super) const OUTCOME_UNKNOWN: &'static str = "outcome_unknown";

    /// The request may have reached the host.
    pub(super) fn outcome_unknown(why: &str) -> Self {
        Self::OutcomeUnknown { why: why.to_owned() }
    }
}

impl From<RunError> for Failure {
    fn from(error: RunError) -> Self {
        Self::of(error.code(), &error)
    }
}

impl From<RunError> for Refusal {
    fn from(error: RunError) -> Self {
        let retry_after = match &error {
            RunError::RateLimited { millis, .. } => Some(*millis),
            _ => None,
        };
        Self { failure: error.into(), path: None, retry_after }
    }
}
