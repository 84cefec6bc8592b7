//! The stream on which a legacy server with sessions may ask beside its answers: the client opens it by GET.
//!
//! It is open before a call is sent, because a server drops what it says while nothing listens. It stays open for the next
//! call as long as this worker lives: opening it costs a round trip.

use super::error::McpError;
use super::link::Link;
use super::protocol::era::Session;
use super::stream::{Messages, Next};
use crate::Awaited;
use crate::agent::within;
use crate::later::boxed_later;
use std::cell::RefCell;
use std::future::poll_fn;
use std::task::{Context, Poll};
use wire::api::Millis;

/// A server that takes longer to open the stream is called without it.
const LONGEST_OPENING: Millis = 2_000;

/// A stream that is read beside another. A read that was begun is kept: what arrives for one that is dropped is lost.
pub(super) enum Lane {
    Idle(Messages),
    Reading(Awaited<'static, (Messages, Result<Next, McpError>)>),
    /// Nothing comes any more.
    Closed,
}

/// Streams between two calls, in this worker.
#[derive(Default)]
pub(crate) struct Asides(RefCell<Vec<(String, Session, Lane)>>);

impl Asides {
    fn put(&self, server_id: &str, session: Session, lane: Lane) {
        self.close(server_id);
        self.0.borrow_mut().push((server_id.to_owned(), session, lane));
    }

    /// Closes the stream of a server that is removed.
    pub(super) fn close(&self, server_id: &str) {
        self.0.borrow_mut().retain(|(id, _, _)| id != server_id);
    }

    /// The stream of a session, if one is kept. That a server has none is kept as well.
    fn take(&self, server_id: &str, session: &Session) -> Option<Lane> {
        let mut kept = self.0.borrow_mut();
        let place = kept.iter().position(|(id, _, _)| id == server_id)?;
        let (_, of, lane) = kept.swap_remove(place);
        if of != *session {
            return None;
        }
        if matches!(lane, Lane::Closed) {
            kept.push((server_id.to_owned(), of, Lane::Closed));
        }
        Some(lane)
    }
}

impl Lane {
    /// The stream of the session, opened if it is not.
    pub(super) async fn beside(link: &mut Link<'_>) -> Self {
        let Some(session) = link.session().filter(|session| session.id.is_some()).cloned() else {
            return Self::Closed;
        };
        let core = link.core;
        let asides = &core.mcp_streams.asides;
        if let Some(mut lane) = asides.take(&link.server.id, &session)
            && !lane.has_ended().await
        {
            return lane;
        }
        match within(&*core.ports.host, LONGEST_OPENING, link.listen()).await {
            Ok(messages) => Self::Idle(messages),
            Err(McpError::Status { status: 405 } | McpError::Rpc { status: 405, .. }) => {
                asides.put(&link.server.id, session, Self::Closed);
                Self::Closed
            }
            Err(_) => Self::Closed,
        }
    }

    /// What comes next; nothing ever comes of a closed one.
    pub(super) fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Result<Next, McpError>> {
        *self = match std::mem::replace(self, Self::Closed) {
            Self::Idle(mut messages) => Self::Reading(boxed_later(async move {
                let next = messages.next().await;
                (messages, next)
            })),
            other => other,
        };
        let Self::Reading(reading) = self else { return Poll::Pending };
        let Poll::Ready((messages, next)) = reading.as_mut().poll(context) else { return Poll::Pending };
        *self = Self::Idle(messages);
        Poll::Ready(next)
    }

    /// Whether a stream that was left ended meanwhile. A message that came is kept.
    async fn has_ended(&mut self) -> bool {
        let Some(next) = poll_fn(|context| match self.poll_next(context) {
            Poll::Ready(next) => Poll::Ready(Some(next)),
            Poll::Pending => Poll::Ready(None),
        })
        .await
        else {
            return false;
        };
        let ended = !matches!(next, Ok(Next::Message(_) | Next::Position));
        if let Self::Idle(messages) = std::mem::replace(self, Self::Closed) {
            *self = Self::Reading(Box::pin(std::future::ready((messages, next))));
        }
        ended
    }

    /// Leaves an open stream to the next call.
    pub(super) fn leave(self, link: &Link<'_>) {
        if let Some(session) = link.session().filter(|_| !matches!(self, Self::Closed)) {
            link.core.mcp_streams.asides.put(&link.server.id, session.clone(), self);
        }
    }
}
