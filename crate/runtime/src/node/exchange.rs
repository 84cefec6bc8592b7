//! One exchange with one node: its requests in parallel or as one batch, each within a time and a size.

use super::Nodes;
use crate::agent::within;
use crate::ports::{Body, NetError, NetRequest, NetResponse};
use derive::Code;
use std::pin::Pin;
use std::task::Poll;
use wire::api::Millis;
use wire::node::{NodeRequest, NodeResponse, NodeResponses};

/// How long one request may take, from the first byte to the last of its answer.
const TIMEOUT: Millis = 10_000;
/// The largest response: no honest one comes near it.
const MAX_ANSWER: usize = 1 << 20;

/// Why a node is not asked for a while.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum ExchangeError {
    /// No connection, no answer in time, or one that broke off.
    #[error("{0}")]
    NoAnswer(String),
    /// Its response is too large.
    #[error("the answer is larger than {MAX_ANSWER} bytes")]
    #[code("answer_too_large")]
    TooLarge,
    /// It wants fewer questions.
    #[error("the node wants to be asked less often")]
    RateLimited {
        /// Not before so many seconds, if it says so.
        retry_after: Option<u64>,
    },
    /// It says that it is broken.
    #[error("the node answered {status}")]
    ServerError {
        /// The HTTP status.
        status: u16,
        /// Not before so many seconds, if it says so.
        retry_after: Option<u64>,
    },
}

impl ExchangeError {
    /// Not before so many seconds, if the node said so.
    pub(super) const fn retry_after(&self) -> Option<u64> {
        match self {
            Self::RateLimited { retry_after } | Self::ServerError { status: 503, retry_after } => {
                *retry_after
            }
            Self::ServerError { .. } | Self::NoAnswer(_) | Self::TooLarge => None,
        }
    }
}

impl From<NetError> for ExchangeError {
    fn from(NetError(reason): NetError) -> Self {
        Self::NoAnswer(reason)
    }
}

/// What a node answered.
pub(super) struct Exchanged {
    /// In the order of the requests.
    pub(super) responses: NodeResponses,
    /// That it says it is broken: the last of the responses that did.
    pub(super) error: Option<ExchangeError>,
}

impl Nodes {
    /// Sends all requests at once and waits for all responses; the first that fails ends the rest.
    pub(super) async fn exchange(
        &self,
        endpoint: &str,
        requests: &[Vec<NodeRequest>],
    ) -> Result<Exchanged, ExchangeError> {
        let sent = requests.iter().flatten().map(|request| self.one(endpoint, request)).collect();
        let (responses, errors): (Vec<_>, Vec<_>) = together(sent).await?.into_iter().unzip();
        let mut responses = responses.into_iter();
        let by_query = requests.iter().map(|requests| responses.by_ref().take(requests.len()).collect());
        let responses = NodeResponses::Single(by_query.collect());
        Ok(Exchanged { responses, error: errors.into_iter().flatten().next_back() })
    }

    /// Sends all requests as one batch.
    pub(super) async fn exchange_batch(
        &self,
        endpoint: &str,
        batch: &NodeRequest,
    ) -> Result<Exchanged, ExchangeError> {
        let (response, error) = self.one(endpoint, batch).await?;
        Ok(Exchanged { responses: NodeResponses::Batch(response), error })
    }

    pub(super) async fn one(
        &self,
        endpoint: &str,
        request: &NodeRequest,
    ) -> Result<(NodeResponse, Option<ExchangeError>), ExchangeError> {
        let url = [endpoint, &request.path].concat();
        let request = NetRequest::json(url, Vec::new(), request.body.clone());
        let answer = async {
            let NetResponse { status, retry_after, body, .. } = self.net.send(request).await?;
            if status == 429 {
                return Err(ExchangeError::RateLimited { retry_after });
            }
            let body = text(body).await?;
            let error = (status >= 500).then_some(ExchangeError::ServerError { status, retry_after });
            Ok((NodeResponse { status, body }, error))
        };
        within(&*self.host, TIMEOUT, answer).await
    }
}

/// A whole body, if it is not too large.
async fn text(mut body: Box<dyn Body>) -> Result<String, ExchangeError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = body.chunk().await? {
        if bytes.len() + chunk.len() > MAX_ANSWER {
            return Err(ExchangeError::TooLarge);
        }
        bytes.extend_from_slice(&chunk);
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Runs futures side by side; their outcomes in their order, or the first error that comes.
pub(crate) async fn together<T, E>(futures: Vec<impl Future<Output = Result<T, E>>>) -> Result<Vec<T>, E> {
    let mut futures: Vec<_> = futures.into_iter().map(|future| (Box::pin(future), None)).collect();
    std::future::poll_fn(|context| {
        for (future, outcome) in futures.iter_mut().filter(|(_, outcome)| outcome.is_none()) {
            match Pin::as_mut(future).poll(context) {
                Poll::Ready(Ok(done)) => *outcome = Some(done),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => {}
            }
        }
        if futures.iter().any(|(_, outcome)| outcome.is_none()) {
            return Poll::Pending;
        }
        Poll::Ready(Ok(futures.iter_mut().filter_map(|(_, outcome)| outcome.take()).collect()))
    })
    .await
}
