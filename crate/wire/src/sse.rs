//! Server-sent events, decoded as they arrive (WHATWG HTML §9.2.6 "Interpreting an event stream").
//!
//! ```text
//! : a comment
//! event: actions
//! data: {"actions":
//! data: []}
//! id: 7
//!                      <- a blank line dispatches; what is left at the end of the stream is dropped
//! ```
//!
//! Lines end in LF, CR or CRLF, cut anywhere by the chunks. Bytes that are not UTF-8 become U+FFFD. Lines and
//! events have a largest size, so a hostile stream cannot take the worker's memory.

use derive::Code;
use std::borrow::Cow;

/// The largest line and event that are taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of one line, without its end.
    pub line: usize,
    /// Bytes of one event's data.
    pub event: usize,
}

impl Limits {
    /// Room for a bundle of many transactions, and no more.
    pub const DEFAULT: Self = Self { line: 4 << 20, event: 8 << 20 };
}

/// Why a stream was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum SseError {
    /// A line is longer than [`Limits::line`].
    #[error("a line of the event stream is longer than {limit} bytes")]
    LineTooLong {
        /// The limit.
        limit: usize,
    },
    /// An event's data is longer than [`Limits::event`].
    #[error("an event of the stream is larger than {limit} bytes")]
    EventTooLarge {
        /// The limit.
        limit: usize,
    },
}

/// One dispatched event.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SseEvent<'a> {
    /// The `event` field; `message` where there was none.
    pub name: &'a str,
    /// The `data` lines, joined by LF.
    pub data: &'a str,
    /// The last `id` seen so far, on this event or an earlier one.
    pub id: &'a str,
}

/// Decodes a stream chunk by chunk. Any chunking of the same bytes gives the same events.
#[derive(Debug)]
pub struct Decoder {
    limits: Limits,
    /// The line that a chunk's end cut.
    partial: Vec<u8>,
    first_line: bool,
    /// The last chunk ended in CR: an LF that follows belongs to it.
    after_cr: bool,
    name: String,
    /// Every data line followed by LF; empty means that there was none.
    data: String,
    id: String,
    retry: Option<u64>,
    failed: Option<SseError>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self::new(Limits::DEFAULT)
    }
}

impl Decoder {
    /// A decoder at the start of a stream.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            partial: Vec::new(),
            first_line: true,
            after_cr: false,
            name: String::new(),
            data: String::new(),
            id: String::new(),
            retry: None,
            failed: None,
        }
    }

    /// The reconnection time the stream asked for, in milliseconds.
    pub fn retry(&self) -> Option<u64> {
        self.retry
    }

    /// The last `id` of the stream so far, also of an event without data; empty before the first.
    pub fn last_id(&self) -> &str {
        &self.id
    }

    /// Takes the next bytes and hands every event they complete to `dispatch`.
    ///
    /// After an error the stream is of no more use: every further call gives the same error.
    pub fn push(&mut self, chunk: &[u8], dispatch: &mut dyn FnMut(SseEvent<'_>)) -> Result<(), SseError> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let outcome = self.lines(chunk, dispatch);
        self.failed = outcome.err();
        outcome
    }

    fn lines(&mut self, chunk: &[u8], dispatch: &mut dyn FnMut(SseEvent<'_>)) -> Result<(), SseError> {
        let mut rest = chunk;
        if self.after_cr && !rest.is_empty() {
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            self.after_cr = false;
        }
        while let Some(end) = memchr::memchr2(b'\n', b'\r', rest) {
            let (line, tail) = rest.split_at(end);
            rest = match tail {
                [b'\r', b'\n', after @ ..] | [_, after @ ..] => after,
                [] => tail,
            };
            self.after_cr = tail == b"\r";
            if self.partial.is_empty() {
                self.line(line, dispatch)?;
            } else {
                self.keep(line)?;
                let whole = std::mem::take(&mut self.partial);
                self.line(&whole, dispatch)?;
            }
        }
        self.keep(rest)
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), SseError> {
        if self.partial.len() + bytes.len() > self.limits.line {
            return Err(SseError::LineTooLong { limit: self.limits.line });
        }
        self.partial.extend_from_slice(bytes);
        Ok(())
    }

    fn line(&mut self, line: &[u8], dispatch: &mut dyn FnMut(SseEvent<'_>)) -> Result<(), SseError> {
        if line.len() > self.limits.line {
            return Err(SseError::LineTooLong { limit: self.limits.line });
        }
        let line = if std::mem::take(&mut self.first_line) {
            line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line)
        } else {
            line
        };
        if line.is_empty() {
            self.dispatch(dispatch);
            return Ok(());
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(colon) => {
                let (field, rest) = line.split_at(colon);
                let value = rest.strip_prefix(b":").unwrap_or(rest);
                (field, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, [].as_slice()),
        };
        self.field(field, value)
    }

    fn field(&mut self, field: &[u8], value: &[u8]) -> Result<(), SseError> {
        match field {
            b"data" => {
                if self.data.len() + value.len() > self.limits.event {
                    return Err(SseError::EventTooLarge { limit: self.limits.event });
                }
                self.data.push_str(&text(value));
                self.data.push('\n');
            }
            b"event" => self.name = text(value).into_owned(),
            b"id" if !value.contains(&0) => self.id = text(value).into_owned(),
            b"retry" if !value.is_empty() && value.iter().all(u8::is_ascii_digit) => {
                self.retry = text(value).parse().ok().or(self.retry);
            }
            _ => {}
        }
        Ok(())
    }

    fn dispatch(&mut self, dispatch: &mut dyn FnMut(SseEvent<'_>)) {
        if let Some(data) = self.data.strip_suffix('\n') {
            let name = if self.name.is_empty() { "message" } else { &self.name };
            dispatch(SseEvent { name, data, id: &self.id });
        }
        self.data.clear();
        self.name.clear();
    }
}

/// Decoding line by line equals decoding the whole: a line end is never part of a longer sequence.
fn text(bytes: &[u8]) -> Cow<'_, str> {
    String::from_utf8_lossy(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    type Owned = (String, String, String);

    fn decode<'a>(
        limits: Limits,
        chunks: impl IntoIterator<Item = &'a [u8]>,
    ) -> Result<Vec<Owned>, SseError> {
        let mut decoder = Decoder::new(limits);
        let mut events = Vec::new();
        for chunk in chunks {
            decoder.push(chunk, &mut |event| {
                events.push((event.name.to_owned(), event.data.to_owned(), event.id.to_owned()));
            })?;
        }
        Ok(events)
    }

    fn whole(stream: &[u8]) -> Vec<Owned> {
        decode(Limits::DEFAULT, [stream]).unwrap()
    }

    fn event(name: &str, data: &str, id: &str) -> Owned {
        (name.into(), data.into(), id.into())
    }

    /// The cases of the WHATWG text and of the web platform tests, one row each: stream, events.
    #[test]
    fn interprets_a_stream_as_the_standard_says() {
        let cases: &[(&[u8], Vec<Owned>)] = &[
            (b"data: x\n\n", vec![event("message", "x", "")]),
            (b"data:x\n\n", vec![event("message", "x", "")]),
            (b"data:  x\n\n", vec![event("message", " x", "")]),
            (b"data\n\ndata\ndata\n\ndata:", vec![event("message", "", ""), event("message", "\n", "")]),
            (b"data:test\n\ndata: test\n\n", vec![event("message", "test", ""), event("message", "test", "")]),
            (b"data: YHOO\ndata: +2\ndata: 10\n\n", vec![event("message", "YHOO\n+2\n10", "")]),
            (
                b": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
                vec![
                    event("message", "first event", "1"),
                    event("message", "second event", ""),
                    event("message", " third event", ""),
                ],
            ),
            (b"\xEF\xBB\xBFdata: x\n\n", vec![event("message", "x", "")]),
            (b"\xEF\xBB\xBF\xEF\xBB\xBFdata: x\n\ndata: y\n\n", vec![event("message", "y", "")]),
            (b"data: a\n\n\xEF\xBB\xBFdata: b\n\n", vec![event("message", "a", "")]),
            (b"data: x\r\rdata: y\r\r", vec![event("message", "x", ""), event("message", "y", "")]),
            (b"data: x\r\n\r\ndata: y\r\n\r\n", vec![event("message", "x", ""), event("message", "y", "")]),
            (b"data: x\r\n\n", vec![event("message", "x", "")]),
            (b"data: x\n\r\n", vec![event("message", "x", "")]),
            (b"data: x\r\ndata: y\n\r", vec![event("message", "x\ny", "")]),
            (b"data: \xFF\n\n", vec![event("message", "\u{FFFD}", "")]),
            (b"data: \xE2\x82\n\n", vec![event("message", "\u{FFFD}", "")]),
            (b"event: a\n\ndata: x\n\n", vec![event("message", "x", "")]),
            (b"event: a\nevent: b\ndata: x\n\n", vec![event("b", "x", "")]),
            (b"event: a\nevent:\ndata: x\n\n", vec![event("message", "x", "")]),
            (b"id: 1\n\ndata: x\n\n", vec![event("message", "x", "1")]),
            (b"id: 1\ndata: x\n\ndata: y\n\n", vec![event("message", "x", "1"), event("message", "y", "1")]),
            (b"id: a\0b\ndata: x\n\n", vec![event("message", "x", "")]),
            (b"id: 1\ndata: x\n\nid:\ndata: y\n\n", vec![event("message", "x", "1"), event("message", "y", "")]),
            (b"Data: x\n data: x\ndata : x\nfoo: x\n\n", vec![]),
            (b"data: x\n", vec![]),
            (b"data: x", vec![]),
            (b":data: x\n\n:\n\n", vec![]),
            (b"data: \0\n\n", vec![event("message", "\0", "")]),
            (b"data: a:b: c\n\n", vec![event("message", "a:b: c", "")]),
        ];
        for (stream, events) in cases {
            assert_eq!(&whole(stream), events, "{}", String::from_utf8_lossy(stream));
        }
    }

    #[test]
    fn retry_takes_digits_only() {
        let mut decoder = Decoder::default();
        for (line, expected) in
            [("retry: 10x\n", None), ("retry: 1500\n", Some(1500)), ("retry:\n", Some(1500))]
        {
            decoder.push(line.as_bytes(), &mut |_| {}).unwrap();
            assert_eq!(decoder.retry(), expected);
        }
    }

    #[test]
    fn a_stream_without_ends_is_bounded() {
        let limits = Limits { line: 16, event: 20 };
        let long = [b'x'; 17];
        assert_eq!(decode(limits, [long.as_slice()]), Err(SseError::LineTooLong { limit: 16 }));
        assert_eq!(decode(limits, long.chunks(1)), Err(SseError::LineTooLong { limit: 16 }));
        let lines = b"data: 12345678\ndata: 12345678\ndata: 12345678\n";
        assert_eq!(decode(limits, [lines.as_slice()]), Err(SseError::EventTooLarge { limit: 20 }));
        // At the edge: a line of 16 bytes, and an event of 20 with the ends of its lines but the last.
        let most = b"data: 0123456789\ndata: 123456789\n\n";
        assert_eq!(decode(limits, [most.as_slice()]).map(|events| events.len()), Ok(1));
        let more = b"data: 0123456789\ndata: 0123456789\n\n";
        assert_eq!(decode(limits, [more.as_slice()]), Err(SseError::EventTooLarge { limit: 20 }));
        let mut failed = Decoder::new(limits);
        assert!(failed.push(&long, &mut |_| {}).is_err());
        assert!(failed.push(b"data: x\n\n", &mut |_| panic!("a failed stream dispatches nothing")).is_err());
    }

    /// Streams of the pieces where decoders go wrong, and of any bytes.
    fn streams() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop_oneof![
            Just(b"data: x".to_vec()),
            Just(b"data".to_vec()),
            Just(b"event: actions".to_vec()),
            Just(b"id: 4".to_vec()),
            Just(b"retry: 5".to_vec()),
            Just(b": ping".to_vec()),
            Just("data: \u{1F600}é".as_bytes().to_vec()),
            Just(b"\xEF\xBB\xBF".to_vec()),
            Just(b"\n".to_vec()),
            Just(b"\r".to_vec()),
            Just(b"\r\n".to_vec()),
            Just(b"\n\n".to_vec()),
            prop::collection::vec(any::<u8>(), 0..6),
        ];
        prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        /// Any chunking of a stream gives the same events as the whole.
        #[test]
        fn chunking_changes_nothing(stream in streams(), cuts in prop::collection::vec(0usize..12, 0..60)) {
            let mut chunks = Vec::new();
            let mut rest = stream.as_slice();
            for cut in cuts {
                let (chunk, tail) = rest.split_at(cut.min(rest.len()));
                chunks.push(chunk);
                rest = tail;
            }
            chunks.push(rest);
            prop_assert_eq!(decode(Limits::DEFAULT, chunks).unwrap(), whole(&stream));
            prop_assert_eq!(decode(Limits::DEFAULT, stream.chunks(1)).unwrap(), whole(&stream));
        }
    }
}
