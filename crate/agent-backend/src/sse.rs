//! Server-sent events as bytes (WHATWG HTML §9.2): `event:` and `data:` lines, an empty line after each event.

use serde::Deserialize;

/// The line endings of a stream. All of them are valid, and a reader must accept each.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnds {
    /// `\n`.
    #[default]
    Lf,
    /// `\r\n`.
    Crlf,
    /// `\r`.
    Cr,
    /// A different one for every line.
    Mixed,
}

/// One part of a streamed body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Event {
    /// An event with an optional name; the data may span lines.
    Named { name: Option<String>, data: Vec<u8> },
    /// Raw bytes.
    Raw(Vec<u8>),
}

impl Event {
    pub(crate) fn named(name: &str, data: impl Into<Vec<u8>>) -> Self {
        Self::Named { name: Some(name.to_owned()), data: data.into() }
    }

    pub(crate) fn unnamed(data: impl Into<Vec<u8>>) -> Self {
        Self::Named { name: None, data: data.into() }
    }
}

/// Writes events with these line endings.
#[derive(Debug, Default)]
pub(crate) struct Writer {
    ends: LineEnds,
    lines: usize,
}

impl Writer {
    pub(crate) fn new(ends: LineEnds) -> Self {
        Self { ends, lines: 0 }
    }

    pub(crate) fn write(&mut self, event: &Event) -> Vec<u8> {
        match event {
            Event::Raw(bytes) => bytes.clone(),
            Event::Named { name, data } => {
                let mut out = Vec::with_capacity(data.len() + 32);
                if let Some(name) = name {
                    out.extend_from_slice(b"event: ");
                    out.extend_from_slice(name.as_bytes());
                    out.extend_from_slice(self.end());
                }
                for line in data.split(|byte| *byte == b'\n') {
                    out.extend_from_slice(b"data: ");
                    out.extend_from_slice(line);
                    out.extend_from_slice(self.end());
                }
                out.extend_from_slice(self.end());
                out
            }
        }
    }

    fn end(&mut self) -> &'static [u8] {
        self.lines += 1;
        match self.ends {
            LineEnds::Lf => b"\n",
            LineEnds::Crlf => b"\r\n",
            LineEnds::Cr => b"\r",
            // In this order a lone `\r` is never followed by an empty line's `
            // `, which would read as one `\r
            // `.
            LineEnds::Mixed => match self.lines % 3 {
                1 => b"\r",
                2 => b"\r\n",
                _ => b"\n",
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(ends: LineEnds) -> String {
        let mut writer = Writer::new(ends);
        let mut out = writer.write(&Event::named("a", "1\n2"));
        out.extend(writer.write(&Event::unnamed("3")));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn every_line_end() {
        assert_eq!(written(LineEnds::Lf), "event: a\ndata: 1\ndata: 2\n\ndata: 3\n\n");
        assert_eq!(written(LineEnds::Crlf), "event: a\r\ndata: 1\r\ndata: 2\r\n\r\ndata: 3\r\n\r\n");
        assert_eq!(written(LineEnds::Cr), "event: a\rdata: 1\rdata: 2\r\rdata: 3\r\r");
        assert_eq!(written(LineEnds::Mixed), "event: a\rdata: 1\r\ndata: 2\n\rdata: 3\r\n\n");
    }
}
