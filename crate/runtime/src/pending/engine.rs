//! The states of a call whose result comes from outside, without I/O. Written to the store before what follows from them.

use wire::api::Millis;

/// Where a call is whose result comes from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum State {
    /// The agent waits for the result.
    Waiting {
        /// Until when.
        until: Millis,
        /// When a result is no longer taken; not before `until`.
        expires_at: Millis,
    },
    /// The agent went on.
    Pending {
        /// When a result is no longer taken.
        expires_at: Millis,
    },
    /// The result came.
    Resolved,
    /// No result came in time, or the call was cancelled.
    Expired,
}

/// What happens to such a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// A result is submitted.
    Submit,
    /// The time for which the agent waits is over.
    WaitOver,
    /// The time for which a result is taken is over.
    Expire,
    /// The call is cancelled.
    Cancel,
}

/// What follows a transition, in the batch that writes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// The call ends with the result.
    EndWithResult,
    /// The result goes to the agent's inbox.
    PushToInbox,
    /// The call ends: the agent waited long enough.
    EndTimedOut,
    /// The call ends: it was cancelled.
    EndCancelled,
    /// It is shown that no result came.
    ShowExpired,
}

/// Why nothing changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NoTransitionError {
    /// There is a result.
    #[error("this call has its result")]
    AlreadyResolved,
    /// A result is no longer taken.
    #[error("this call no longer takes a result")]
    Expired,
    /// Its time has not come, or the event is not for this state.
    #[error("nothing is due")]
    NotDue,
}

impl State {
    /// The first state: of a tool whose agent waits for so long, or of one that is not waited for.
    pub fn begin(now: Millis, waits: Option<Millis>, expires_in: Millis) -> Self {
        let expires_at = now + expires_in;
        match waits {
            Some(waits) => Self::Waiting { until: now + waits, expires_at: expires_at.max(now + waits) },
            None => Self::Pending { expires_at },
        }
    }

    /// When something becomes due.
    pub const fn due_at(self) -> Option<Millis> {
        match self {
            Self::Waiting { until, .. } => Some(until),
            Self::Pending { expires_at } => Some(expires_at),
            Self::Resolved | Self::Expired => None,
        }
    }

    /// What is due now.
    pub fn due(self, now: Millis) -> Option<Event> {
        let event = if matches!(self, Self::Waiting { .. }) { Event::WaitOver } else { Event::Expire };
        self.due_at().filter(|at| *at <= now).map(|_| event)
    }

    /// The next state and what follows from it, or why there is none. What is due is dealt with before a result is taken.
    pub fn on(self, event: Event, now: Millis) -> Result<(Self, Effect), NoTransitionError> {
        match (self, event) {
            (Self::Resolved, _) => Err(NoTransitionError::AlreadyResolved),
            (Self::Expired, _) => Err(NoTransitionError::Expired),
            (Self::Waiting { .. }, Event::Cancel) => Ok((Self::Expired, Effect::EndCancelled)),
            (Self::Waiting { until, expires_at }, Event::WaitOver) if until <= now => {
                Ok((Self::Pending { expires_at }, Effect::EndTimedOut))
            }
            (Self::Waiting { until, .. }, Event::Submit) if now < until => {
                Ok((Self::Resolved, Effect::EndWithResult))
            }
            (Self::Pending { expires_at }, Event::Submit) if now < expires_at => {
                Ok((Self::Resolved, Effect::PushToInbox))
            }
            (Self::Pending { expires_at }, Event::Expire) if expires_at <= now => {
                Ok((Self::Expired, Effect::ShowExpired))
            }
            (Self::Pending { .. }, Event::Submit) => Err(NoTransitionError::Expired),
            (Self::Waiting { .. } | Self::Pending { .. }, _) => Err(NoTransitionError::NotDue),
        }
    }
}
