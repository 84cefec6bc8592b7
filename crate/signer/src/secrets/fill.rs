//! Fills a request: the address first, then the body, then the headers, which may authenticate both.

use super::{Tokens, open_secret, open_tokens};
use crate::error::AnswerError;
use crate::opened::open;
use chains::encoding::{base64, hex};
use derive::Code;
use vault::mac::{hmac_sha256, hmac_sha512};
use wire::pieces::{DigestEncoding, Encoding, HashAlgorithm, HeaderPieces, Piece, RequestPieces};
use wire::secret::SecretText;
use wire::signer::{FilledHeader, FilledRequest, Opened, Reply, SealedSecret, SealedTokens};
use zeroize::Zeroizing;

/// No part of a request is longer.
const MAX_BYTES: usize = 4 << 20;

/// Shorter texts are not masked: an answer would be full of holes, and they hide nothing.
const MIN_MASK: usize = 4;

/// Why a request is not filled. Never says anything of a secret but its name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error, Code)]
pub(crate) enum FillError {
    /// The request names a secret that did not come with it.
    #[error("there is no secret {name}")]
    SecretMissing {
        /// Which.
        name: String,
    },
    /// It was sealed for another vault, under another name, or was changed.
    #[error("the secret {name} cannot be opened: save it again")]
    SecretUnreadable {
        /// Which.
        name: String,
    },
    /// The tool has no token, or none of this kind.
    #[error("the tool is not signed in")]
    TokensMissing,
    /// Its tokens were sealed for another tool or vault, or were changed.
    #[error("the tool's tokens cannot be opened: sign in again")]
    TokensUnreadable,
    /// It has characters that its place does not take.
    #[error("{what} has characters that cannot stand there")]
    #[code("secret_not_sendable")]
    NotSendable {
        /// The secret's name, or which header.
        what: String,
    },
    /// A piece stands where it cannot stand: a secret in the host, the body in itself, ….
    #[error("a secret stands where none can be filled in")]
    #[code("secret_misplaced")]
    Misplaced,
    /// The request would become longer than any is.
    #[error("the request is too large")]
    #[code("request_too_large")]
    TooLarge,
}

/// Fills a request. The vault is opened first, and every secret with it once.
pub(crate) fn fill(
    opened: Option<&Opened>,
    secrets: &[SealedSecret],
    tokens: Option<&SealedTokens>,
    request: &RequestPieces,
    timestamp: &str,
) -> Result<Reply, AnswerError> {
    let mut filler = Filler { timestamp, ..Filler::default() };
    if let Some(opened) = opened {
        let keys = open(opened)?;
        for SealedSecret { name, sealed } in secrets {
            filler.values.push((name.as_str(), open_secret(&keys, opened, name, sealed)?));
        }
        if let Some(SealedTokens { tool_id, sealed }) = tokens {
            filler.tokens = Some(open_tokens(&keys, opened, tool_id, sealed)?);
        }
    }
    let filled = filler.request(request)?;
    Ok(Reply::Filled(Box::new(filled)))
}

/// Where a piece stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Url,
    Header,
    Body,
    /// In a user name, a password, or the key of an authentication code.
    Inside,
    /// In what is authenticated.
    Message,
}

#[derive(Default)]
struct Filler<'a> {
    values: Vec<(&'a str, SecretText)>,
    tokens: Option<Tokens>,
    timestamp: &'a str,
    /// Path and query of the address, once it is filled.
    path: Option<Zeroizing<String>>,
    /// The body, once it is filled.
    body: Option<Zeroizing<String>>,
    masks: Vec<SecretText>,
}

impl Filler<'_> {
    fn request(&mut self, request: &RequestPieces) -> Result<FilledRequest, FillError> {
        if !host_is_text(&request.url) {
            return Err(FillError::Misplaced);
        }
        let url = self.text(&request.url, Place::Url)?;
        self.path = Some(Zeroizing::new(path_of(&url)));
        let body = request.body.as_deref().map(|body| self.text(body, Place::Body)).transpose()?;
        self.body = Some(body.clone().unwrap_or_default());
        let headers = request.headers.iter().map(|header| self.header(header)).collect::<Result<_, _>>()?;
        let secret = |text: Zeroizing<String>| SecretText::new(text.to_string());
        let mut masks = std::mem::take(&mut self.masks);
        // A secret may be the beginning of another.
        masks.sort_by_key(|mask| std::cmp::Reverse(mask.expose().len()));
        Ok(FilledRequest { url: secret(url), headers, body: body.map(secret), masks })
    }

    fn header(&mut self, HeaderPieces { name, value }: &HeaderPieces) -> Result<FilledHeader, FillError> {
        let value = self.text(value, Place::Header)?;
        if value.chars().any(|c| c.is_control() && c != '\t') {
            return Err(FillError::NotSendable { what: name.clone() });
        }
        Ok(FilledHeader { name: name.clone(), value: SecretText::new(value.to_string()) })
    }

    fn text(&mut self, pieces: &[Piece], place: Place) -> Result<Zeroizing<String>, FillError> {
        // All at once: a text that grows leaves copies behind.
        let mut text = Zeroizing::new(String::with_capacity(self.longest(pieces)?));
        for piece in pieces {
            self.piece(piece, place, &mut text)?;
            if text.len() > MAX_BYTES {
                return Err(FillError::TooLarge);
            }
        }
        Ok(text)
    }

    /// No less than the bytes that pieces become.
    fn longest(&self, pieces: &[Piece]) -> Result<usize, FillError> {
        let mut longest = 0_usize;
        for piece in pieces {
            let length = match piece {
                Piece::Text(text) => text.len(),
                // A character in JSON takes up to six bytes, in an address three for each of its own.
                Piece::Secret { name, .. } => 6 * self.value(name)?.expose().len(),
                // Base64, and then perhaps in an address.
                Piece::Basic { username, password } => {
                    4 * (self.longest(username)? + self.longest(password)? + 4)
                }
                Piece::Hmac { .. } => 3 * 128,
                Piece::Body => self.body.as_deref().map_or(0, |body| body.len()),
                Piece::Path => self.path.as_deref().map_or(0, |path| path.len()),
                Piece::Timestamp => 3 * self.timestamp.len(),
                Piece::OAuthToken | Piece::OAuthRefreshToken => 3 * self.token(piece)?.expose().len(),
            };
            longest = longest.saturating_add(length);
            if longest > 8 * MAX_BYTES {
                return Err(FillError::TooLarge);
            }
        }
        Ok(longest)
    }

    fn piece(&mut self, piece: &Piece, place: Place, to: &mut String) -> Result<(), FillError> {
        match piece {
            Piece::Text(text) => to.push_str(text),
            Piece::Secret { name, encoding } => {
                if place == Place::Url && *encoding != Encoding::Percent {
                    return Err(FillError::Misplaced);
                }
                let value = self.value(name)?.clone();
                self.secret(name, &value, *encoding, place, to)?;
            }
            Piece::Basic { username, password } => {
                let username = self.text(username, Place::Inside)?;
                let password = self.text(password, Place::Inside)?;
                // The first colon ends the name.
                if username.contains(':') {
                    return Err(FillError::Misplaced);
                }
                let pair = Zeroizing::new([username.as_str(), ":", password.as_str()].concat());
                let code = Zeroizing::new(base64(pair.as_bytes()));
                self.mask(&code);
                computed(&code, place, to);
            }
            Piece::Hmac { algorithm, key, message, encoding } => {
                // What is not sent need not be masked.
                let masks = self.masks.len();
                let key = self.text(key, Place::Inside)?;
                let message = self.text(message, Place::Message)?;
                self.masks.truncate(masks);
                let code = authentication(*algorithm, key.as_bytes(), message.as_bytes(), *encoding);
                computed(&code.ok_or(FillError::Misplaced)?, place, to);
            }
            Piece::Body if place == Place::Message => {
                to.push_str(self.body.as_deref().ok_or(FillError::Misplaced)?);
            }
            Piece::Path if place == Place::Message => {
                to.push_str(self.path.as_deref().ok_or(FillError::Misplaced)?);
            }
            Piece::Body | Piece::Path => return Err(FillError::Misplaced),
            Piece::Timestamp => computed(self.timestamp, place, to),
            Piece::OAuthToken => {
                let token = self.token(piece)?.clone();
                if place == Place::Header && !is_header_text(token.expose()) {
                    return Err(FillError::NotSendable { what: "the token".to_owned() });
                }
                self.mask(token.expose());
                computed(token.expose(), place, to);
            }
            Piece::OAuthRefreshToken => {
                let token = self.token(piece)?.clone();
                self.mask(token.expose());
                percent(token.expose(), to);
            }
        }
        Ok(())
    }

    fn secret(
        &mut self,
        name: &str,
        value: &SecretText,
        encoding: Encoding,
        place: Place,
        to: &mut String,
    ) -> Result<(), FillError> {
        let start = to.len();
        match encoding {
            Encoding::Percent => percent(value.expose(), to),
            Encoding::Json => json(value.expose(), to),
            Encoding::Header if !is_header_text(value.expose()) => {
                return Err(FillError::NotSendable { what: name.to_owned() });
            }
            Encoding::Header | Encoding::Plain => to.push_str(value.expose()),
        }
        self.mask(value.expose());
        if let (Some(written), false) = (to.get(start..), place == Place::Inside) {
            self.mask(written);
        }
        Ok(())
    }

    fn value(&self, name: &str) -> Result<&SecretText, FillError> {
        let found = self.values.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value).ok_or_else(|| FillError::SecretMissing { name: name.to_owned() })
    }

    fn token(&self, piece: &Piece) -> Result<&SecretText, FillError> {
        let tokens = self.tokens.as_ref();
        let token = tokens.and_then(|tokens| match piece {
            Piece::OAuthRefreshToken => tokens.refresh.as_ref(),
            _ => Some(&tokens.access),
        });
        token.ok_or(FillError::TokensMissing)
    }

    fn mask(&mut self, text: &str) {
        if text.len() >= MIN_MASK && !self.masks.iter().any(|known| known.expose() == text) {
            self.masks.push(SecretText::new(text.to_owned()));
        }
    }
}

/// Whether what is filled in leaves the host alone: an address is text until after its host.
fn host_is_text(url: &[Piece]) -> bool {
    let filled = url.iter().any(|piece| !matches!(piece, Piece::Text(_)));
    let leading: String = url
        .iter()
        .map_while(|piece| if let Piece::Text(text) = piece { Some(text.as_str()) } else { None })
        .collect();
    let after_scheme = leading.split_once("://").map(|(_, rest)| rest);
    !filled || after_scheme.is_some_and(|rest| rest.contains(['/', '?', '#']))
}

/// Path and query of an address, as they go out; a fragment does not.
fn path_of(url: &str) -> String {
    let rest = url.split_once("://").map_or(url, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    let path = rest.find(['/', '?']).and_then(|start| rest.get(start..)).unwrap_or_default();
    if path.starts_with('/') { path.to_owned() } else { ["/", path].concat() }
}

fn is_header_text(text: &str) -> bool {
    text.bytes().all(|byte| matches!(byte, b'\t' | b' '..=b'~'))
}

/// Writes what was computed, in an address percent-encoded.
fn computed(text: &str, place: Place, to: &mut String) {
    if place == Place::Url { percent(text, to) } else { to.push_str(text) }
}

fn authentication(
    algorithm: HashAlgorithm,
    key: &[u8],
    message: &[u8],
    encoding: DigestEncoding,
) -> Option<String> {
    let write = |code: &[u8]| match encoding {
        DigestEncoding::Hex => hex(code),
        DigestEncoding::Base64 => base64(code),
    };
    match algorithm {
        HashAlgorithm::Sha256 => hmac_sha256(key, message).map(|code| write(code.as_slice())),
        HashAlgorithm::Sha512 => hmac_sha512(key, message).map(|code| write(code.as_slice())),
    }
}

/// Everything but RFC 3986's unreserved characters as `%XX`.
fn percent(text: &str, to: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => to.push(char::from(byte)),
            _ => {
                to.push('%');
                for digit in [byte >> 4, byte & 15] {
                    to.extend(char::from_digit(digit.into(), 16).map(|digit| digit.to_ascii_uppercase()));
                }
            }
        }
    }
}

/// The inside of a JSON string.
fn json(text: &str, to: &mut String) {
    for c in text.chars() {
        match c {
            '"' => to.push_str("\\\""),
            '\\' => to.push_str("\\\\"),
            '\n' => to.push_str("\\n"),
            '\r' => to.push_str("\\r"),
            '\t' => to.push_str("\\t"),
            c if c.is_ascii_control() => {
                to.push_str("\\u00");
                for digit in [c as u32 >> 4, c as u32 & 15] {
                    to.extend(char::from_digit(digit, 16));
                }
            }
            c => to.push(c),
        }
    }
}
