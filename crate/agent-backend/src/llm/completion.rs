//! What a model says in one turn, read from a stream or from one JSON document of either API.

use super::endpoint::Api;
use super::{anthropic, openai};
use serde_json::Value;
use wire::sse::{Decoder, SseError};

/// More than any model says in one turn.
const LONGEST: usize = 8 << 20;

/// A turn of the model, whole.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Completion {
    pub(super) blocks: Vec<Block>,
    pub(super) finish: Finish,
}

/// A part of a turn.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Block {
    Text(String),
    /// A call. `arguments` is JSON text if the model kept to the format; `whole` if the stream said that it ended.
    Call {
        id: Option<String>,
        name: String,
        arguments: String,
        whole: bool,
    },
    /// Something that must be sent back as it came: thinking with its signature.
    Opaque(Value),
}

/// Why a turn ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Finish {
    /// The model is done, or waits for the results of its calls.
    Stop,
    /// The bound of tokens was reached.
    Length,
    /// The model, or a filter around it, declined.
    Refused,
}

/// A piece of a turn, as it streams. Calls are counted from 0 within the turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Delta {
    Text(String),
    CallStart { call: usize, name: String },
    CallInput { call: usize, delta: String },
}

/// Why a turn could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum StreamError {
    #[error("the model's answer broke off")]
    Broken,
    #[error("the model's answer is not what its API says: {0}")]
    Malformed(String),
    #[error("the model's server reported: {message}")]
    Server { message: String, transient: bool },
    #[error("the model's answer is too large")]
    TooLarge,
    #[error(transparent)]
    Sse(#[from] SseError),
}

/// Reads a stream. Any chunking of the same bytes gives the same turn.
pub(super) struct Reader {
    decoder: Decoder,
    api: Reading,
    bytes: usize,
}

enum Reading {
    OpenAi(openai::Reader),
    Anthropic(anthropic::Reader),
}

impl Reader {
    pub(super) fn new(api: Api) -> Self {
        let api = match api {
            Api::OpenAi => Reading::OpenAi(openai::Reader::default()),
            Api::Anthropic => Reading::Anthropic(anthropic::Reader::default()),
        };
        Self { decoder: Decoder::default(), api, bytes: 0 }
    }

    /// Takes the next bytes. Pieces that came before an error are in `deltas`.
    pub(super) fn push(&mut self, chunk: &[u8], deltas: &mut Vec<Delta>) -> Result<(), StreamError> {
        self.bytes += chunk.len();
        // Every piece of text is wrapped in an event many times its size.
        if self.bytes > LONGEST * 8 {
            return Err(StreamError::TooLarge);
        }
        let mut wrong = None;
        let api = &mut self.api;
        self.decoder.push(chunk, &mut |event| {
            if wrong.is_none() {
                wrong = match api {
                    Reading::OpenAi(reader) => reader.event(event.data, deltas).err(),
                    Reading::Anthropic(reader) => reader.event(event.data, deltas).err(),
                };
            }
        })?;
        wrong.map_or(Ok(()), Err)
    }

    /// Whether the turn is whole: what follows adds nothing.
    pub(super) fn is_whole(&self) -> bool {
        match &self.api {
            Reading::OpenAi(reader) => reader.is_whole(),
            Reading::Anthropic(reader) => reader.is_whole(),
        }
    }

    /// The turn at the end of the stream.
    pub(super) fn finish(self) -> Result<Completion, StreamError> {
        match self.api {
            Reading::OpenAi(reader) => reader.finish(),
            Reading::Anthropic(reader) => reader.finish(),
        }
    }
}

/// The turn in one JSON document, of a server that does not stream.
pub(super) fn document(api: Api, bytes: &[u8]) -> Result<(Vec<Delta>, Completion), StreamError> {
    let document: Value = serde_json::from_slice(bytes)
        .map_err(|error| StreamError::Malformed(format!("not JSON: {error}")))?;
    let completion = match api {
        Api::OpenAi => openai::document(&document)?,
        Api::Anthropic => anthropic::document(&document)?,
    };
    let mut deltas = Vec::new();
    let mut calls = 0;
    for block in &completion.blocks {
        match block {
            Block::Text(text) => deltas.push(Delta::Text(text.clone())),
            Block::Call { name, arguments, .. } => {
                deltas.push(Delta::CallStart { call: calls, name: name.clone() });
                deltas.push(Delta::CallInput { call: calls, delta: arguments.clone() });
                calls += 1;
            }
            Block::Opaque(_) => {}
        }
    }
    Ok((deltas, completion))
}

/// The `error` of either API: `{"message", "type"?, "code"?}` or a text.
pub(super) fn reported(error: &Value) -> StreamError {
    let text = |key: &str| error.get(key).and_then(Value::as_str);
    let message = text("message").or_else(|| error.as_str()).unwrap_or("an error without a message");
    let kind = text("type").into_iter().chain(text("code")).collect::<Vec<_>>().join(" ");
    let status = error.get("code").and_then(Value::as_u64);
    let transient = ["overloaded", "rate_limit", "api_error", "server_error", "timeout", "unavailable"]
        .iter()
        .any(|word| kind.contains(word))
        || status.is_some_and(|status| status == 429 || (500..600).contains(&status));
    StreamError::Server { message: shown(message), transient }
}

/// A server's text as it is passed on: one line, not too long.
pub(super) fn shown(text: &str) -> String {
    let line: String = text
        .chars()
        .map(|character| if character.is_control() { ' ' } else { character })
        .take(300)
        .collect();
    line.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const OPENAI: &str = "data: {\"choices\":[{\"delta\":{\"content\":\"Gr\u{fc}\u{df}e\"}}]}\r\n\r\n: ping\n\n\
        data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"t\",\"arguments\":\"{\"}}]}}]}\n\n\
        data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]}}]}\r\r\
        data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\ndata: [DONE]\n\n";
    const ANTHROPIC: &str = "event: message_start\ndata: {\"type\":\"message_start\"}\n\n\
        data: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\r\n\r\n\
        data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"Gr\u{fc}\u{df}e\"}}\n\n\
        data: {\"type\":\"content_block_stop\",\"index\":0}\n\nevent: ping\ndata: {\"type\":\"ping\"}\n\n\
        data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"id\":\"a\",\"name\":\"t\",\"input\":{}}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{\"}}\n\n\
        data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"}\"}}\n\n\
        data: {\"type\":\"content_block_stop\",\"index\":1}\n\n\
        data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n\ndata: {\"type\":\"message_stop\"}\n\n";

    /// The pieces and the turn of a stream in chunks that end at these places.
    fn read(api: Api, bytes: &[u8], ends: Vec<usize>) -> Result<(Vec<Delta>, Completion), StreamError> {
        let mut ends: Vec<usize> =
            ends.into_iter().chain([bytes.len()]).map(|end| end.min(bytes.len())).collect();
        ends.sort_unstable();
        let mut reader = Reader::new(api);
        let (mut deltas, mut start) = (Vec::new(), 0);
        for end in ends {
            reader.push(&bytes[start..end], &mut deltas)?;
            start = end;
        }
        Ok((deltas, reader.finish()?))
    }

    fn expected() -> (Vec<Delta>, Completion) {
        let deltas = vec![
            Delta::Text("Gr\u{fc}\u{df}e".into()),
            Delta::CallStart { call: 0, name: "t".into() },
            Delta::CallInput { call: 0, delta: "{".into() },
            Delta::CallInput { call: 0, delta: "}".into() },
        ];
        let call =
            Block::Call { id: Some("a".into()), name: "t".into(), arguments: "{}".into(), whole: true };
        (
            deltas,
            Completion { blocks: vec![Block::Text("Gr\u{fc}\u{df}e".into()), call], finish: Finish::Stop },
        )
    }

    fn stream(api: Api) -> &'static str {
        match api {
            Api::OpenAi => OPENAI,
            Api::Anthropic => ANTHROPIC,
        }
    }

    fn apis() -> impl Strategy<Value = Api> {
        prop_oneof![Just(Api::OpenAi), Just(Api::Anthropic)]
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Any chunking gives the same pieces and the same turn.
        #[test]
        fn any_chunking(api in apis(), ends in proptest::collection::vec(0..1200_usize, 0..40)) {
            prop_assert_eq!(read(api, stream(api).as_bytes(), ends), Ok(expected()));
        }

        /// Bytes that are no stream of the API are an error or a turn, never a panic; a turn needs its end.
        #[test]
        fn any_bytes(api in apis(), at in 0..900_usize, noise in proptest::collection::vec(any::<u8>(), 1..20)) {
            let mut bytes = stream(api).as_bytes().to_vec();
            let at = at.min(bytes.len());
            bytes.splice(at..at, noise);
            let _ = read(api, &bytes, Vec::new());
            let _ = document(api, &bytes);
        }

        /// A stream that is cut off before its reason has no turn.
        #[test]
        fn any_cut(api in apis(), cut in 0..900_usize) {
            let reason = match api {
                Api::OpenAi => "finish_reason",
                Api::Anthropic => "stop_reason",
            };
            let bytes = stream(api).as_bytes();
            let end = stream(api).find(reason).unwrap();
            let read = read(api, &bytes[..cut.min(end)], Vec::new());
            prop_assert_eq!(read, Err(StreamError::Broken));
        }
    }
}
