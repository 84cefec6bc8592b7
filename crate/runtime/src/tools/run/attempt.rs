//! One request and its answer, within the bounds of its tool.

use super::error::RunError;
use crate::Core;
use crate::ports::{NetError, NetRequest, NetResponse};
use crate::secrets::Filled;
use crate::store::{Batch, Durability};
use crate::tool::{Client, ClientError};
use wire::event::Event;
use wire::sse::Decoder;
use wire::toolbox::HttpPlan;

/// So many events of a stream are shown while they come; the result has all of them.
const MAX_SHOWN: usize = 500;

/// An answer, whole. No secret of the request is in it.
#[derive(Debug, Clone, Default)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) content_type: String,
    /// In seconds.
    pub(super) retry_after: Option<u64>,
    pub(super) body: String,
    /// The data of each event, where the answer is a stream of them.
    pub(super) events: Option<Vec<String>>,
}

/// A request that is about to be sent.
pub(super) struct Outgoing<'a> {
    pub(super) plan: &'a HttpPlan,
    pub(super) filled: &'a Filled,
    /// The same for all attempts of a call.
    pub(super) idempotency_key: String,
    /// The call whose pages are shown what comes.
    pub(super) call_id: Option<&'a str>,
}

impl Outgoing<'_> {
    fn request(&self) -> NetRequest {
        let mut request = self.filled.request(&self.plan.method);
        if let Some(header) = &self.plan.idempotency_header {
            request.headers.push((header.clone(), self.idempotency_key.clone()));
        }
        request
    }

    /// Sends it and reads the answer. Dropping this ends the request.
    pub(super) async fn send(&self, core: &Core, client: &Client<'_>) -> Result<Answer, RunError> {
        let NetResponse { status, content_type, retry_after, mut body, .. } =
            client.send(self.request()).await?;
        let mut stream = (self.plan.stream && content_type.starts_with("text/event-stream"))
            .then(|| (Decoder::default(), Vec::new()));
        let (mut bytes, mut read) = (Vec::new(), 0);
        while let Some(chunk) = body.chunk().await? {
            read += chunk.len() as u64;
            if read > self.plan.max_response_bytes {
                return Err(RunError::ResponseTooLarge { limit: self.plan.max_response_bytes });
            }
            match &mut stream {
                Some((decoder, events)) => {
                    let shown = events.len();
                    let decoded = decoder.push(&chunk, &mut |event| {
                        events.push(self.filled.masked(event.data.to_owned()));
                    });
                    self.show(core, events.get(shown..MAX_SHOWN.min(events.len())).unwrap_or_default()).await;
                    decoded.map_err(|error| RunError::Unreachable(NetError(error.to_string())))?;
                }
                None => bytes.extend_from_slice(&chunk),
            }
        }
        let text = String::from_utf8_lossy(&bytes);
        let body = self.filled.masked(text.strip_prefix('\u{feff}').unwrap_or(&text).to_owned());
        Ok(Answer { status, content_type, retry_after, body, events: stream.map(|(_, events)| events) })
    }

    /// Shows pages what came. That they miss it is no reason to end the request.
    async fn show(&self, core: &Core, events: &[String]) {
        let Some(call_id) = self.call_id.filter(|_| !events.is_empty()) else { return };
        let mut batch = Batch::new(Durability::Relaxed);
        for data in events {
            batch.tell(&Event::ToolStreaming {
                call_id: call_id.to_owned(),
                data: data.clone(),
                args: None,
                progress: None,
            });
        }
        let _missed = core.commit(batch).await;
    }
}

impl From<NetError> for RunError {
    fn from(error: NetError) -> Self {
        if error.is_redirect() { Self::RedirectRefused } else { Self::Unreachable(error) }
    }
}

impl From<ClientError> for RunError {
    fn from(error: ClientError) -> Self {
        match error {
            ClientError::Unreachable(error) => error.into(),
            ClientError::HostNotAllowed => Self::RequestChanged,
        }
    }
}
