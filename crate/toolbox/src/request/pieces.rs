//! Pieces under way.

use wire::pieces::Piece;

/// Neighbouring texts become one.
#[derive(Debug, Default)]
pub(super) struct Pieces(Vec<Piece>);

impl Pieces {
    /// Adds text.
    pub(super) fn text(&mut self, text: &str) {
        match self.0.last_mut() {
            _ if text.is_empty() => {}
            Some(Piece::Text(last)) => last.push_str(text),
            _ => self.0.push(Piece::Text(text.to_owned())),
        }
    }

    /// Adds a piece.
    pub(super) fn push(&mut self, piece: Piece) {
        match piece {
            Piece::Text(text) => self.text(&text),
            other => self.0.push(other),
        }
    }

    /// Adds all of others.
    pub(super) fn append(&mut self, others: Self) {
        others.0.into_iter().for_each(|piece| self.push(piece));
    }

    /// Bytes that are known before secrets are filled in.
    pub(super) fn text_bytes(&self) -> usize {
        let bytes = |piece: &Piece| match piece {
            Piece::Text(text) => text.len(),
            _ => 0,
        };
        self.0.iter().map(bytes).sum()
    }

    /// The pieces.
    pub(super) fn finish(self) -> Vec<Piece> {
        self.0
    }
}
