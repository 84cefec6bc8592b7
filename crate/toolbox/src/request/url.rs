//! Addresses with placeholders.
//!
//! The template is cut at the signs that divide an address before anything is filled in, so an argument can never add a
//! segment, a pair, a fragment, a user or a port: it is percent-encoded where it stands. The browser's own parser then reads
//! the result, and what it makes of it is what is sent.

use super::PrepareError;
use super::text::{missing, pair};
use crate::bounds::URL_BYTES;
use crate::error::AnswerError;
use crate::hosts::{host_of, is_loopback};
use crate::record::RecordError;
use crate::template::{Filling, Part, Scope, parse, text_of};
use url::Url;
use wire::pieces::{Encoding, Piece};

/// An address, cut into its parts.
#[derive(Debug)]
pub(crate) struct Address {
    scheme: &'static str,
    authority: Vec<Part>,
    /// Behind the first `/`, cut at the others.
    segments: Option<Vec<Vec<Part>>>,
    /// Cut at `&`.
    pairs: Vec<Vec<Part>>,
}

/// Reads a template.
pub(crate) fn read(template: &str) -> Result<Address, RecordError> {
    let invalid = |problem| RecordError::InvalidUrl { problem };
    let (scheme, rest) = match (template.strip_prefix("https://"), template.strip_prefix("http://")) {
        (Some(rest), _) => ("https", rest),
        (_, Some(rest)) => ("http", rest),
        _ => return Err(invalid("must begin with https:// or http://")),
    };
    let parts = parse(rest)?;
    let texts =
        || parts.iter().filter_map(|part| if let Part::Text(text) = part { Some(text) } else { None });
    if texts().any(|text| text.contains(|letter: char| letter <= ' ' || matches!(letter, '\\' | '\u{7f}'))) {
        return Err(invalid("must not contain blanks, line breaks or \\"));
    }
    if texts().any(|text| text.contains('#')) {
        return Err(invalid("must not have a fragment: it is never sent"));
    }
    let (authority, path, query) = cut(parts);
    if authority.is_empty() {
        return Err(invalid("must name a host"));
    }
    for part in &authority {
        match part {
            Part::Text(text) if text.contains('@') => {
                return Err(invalid("must not hold a user or a password: use auth"));
            }
            Part::Hole(hole) if hole.is_secret() => {
                return Err(invalid("must not have a secret in its host"));
            }
            _ => {}
        }
    }
    Ok(Address {
        scheme,
        authority,
        segments: path.map(|path| split(&path, '/')),
        pairs: query.map(|query| split(&query, '&')).unwrap_or_default(),
    })
}

/// Fails if a template gives no address; its origin where no argument is part of it.
pub(crate) fn check_url(template: &str) -> Result<Option<String>, RecordError> {
    let address = read(template)?;
    let invalid = |problem| RecordError::InvalidUrl { problem };
    let (url, _) = match address.expand(Scope::Sample) {
        Ok(expanded) => expanded,
        Err(PrepareError::Argument(_)) => return Err(invalid("must not have . or .. around a placeholder")),
        Err(PrepareError::Answer(_)) => return Err(invalid("is not an address that a browser can read")),
    };
    let is_fixed = address.authority.iter().all(|part| matches!(part, Part::Text(_)));
    if is_fixed && address.scheme == "http" && !is_loopback(&url) {
        return Err(invalid("must begin with https:// unless it is an address of this machine"));
    }
    Ok(is_fixed.then(|| format!("{}://{}", url.scheme(), super::host(&url))))
}

impl Address {
    /// The names in the query, as far as they are fixed.
    pub(super) fn names(&self) -> Vec<String> {
        let name = |parts: &Vec<Part>| match parts.first() {
            Some(Part::Text(text)) => text.split('=').next().map(str::to_owned),
            _ => None,
        };
        self.pairs.iter().filter_map(name).collect()
    }

    /// Adds a pair to the query.
    pub(super) fn add_pair(&mut self, pair: Option<Vec<Part>>) {
        self.pairs.extend(pair);
    }

    /// The address as the browser reads it, and the same as pieces.
    pub(super) fn expand(&self, scope: Scope<'_>) -> Result<(Url, Vec<Piece>), PrepareError> {
        let (mut pieces, mut text) = (super::pieces::Pieces::default(), String::new());
        pieces.text(self.scheme);
        pieces.text("://");
        pieces.text(&self.host(scope)?);
        for segment in self.segments.iter().flatten() {
            pieces.text("/");
            pieces.append(fill_segment(segment, scope)?);
        }
        let mut sign = "?";
        for parts in &self.pairs {
            if let Some(pair) = pair(parts, scope)? {
                pieces.text(sign);
                pieces.append(pair);
                sign = "&";
            }
        }
        let pieces = pieces.finish();
        let mark = mark(&pieces);
        for piece in &pieces {
            text.push_str(if let Piece::Text(part) = piece { part } else { &mark });
        }
        if text.len() > URL_BYTES {
            return Err(AnswerError::RequestTooLarge.into());
        }
        let unreadable = || AnswerError::InvalidUrl { problem: "not an address that a browser can read" };
        let mut url = Url::parse(&text).map_err(|_| unreadable())?;
        // The same host without the dot, which permissions and certificates are not given for.
        if let Some(host) = host_of(&url).filter(|host| url.host_str() != Some(host)) {
            url.set_host(Some(&host)).map_err(|_| unreadable())?;
        }
        let is_plain = url.username().is_empty() && url.password().is_none() && url.fragment().is_none();
        if !is_plain || host_of(&url).is_none() {
            return Err(unreadable().into());
        }
        let pieces = with_secrets(&url, &mark, &pieces).ok_or_else(unreadable)?;
        Ok((url, pieces))
    }

    /// An argument can be a name in the host, or a part of one, and nothing that divides an address.
    fn host(&self, scope: Scope<'_>) -> Result<String, PrepareError> {
        let mut host = String::new();
        for part in &self.authority {
            let hole = match part {
                Part::Text(text) => {
                    host.push_str(text);
                    continue;
                }
                Part::Hole(hole) => hole,
            };
            let fits = |letter: char| letter.is_alphanumeric() || matches!(letter, '-' | '.');
            match hole.fill(scope) {
                Filling::Value(value) => match text_of(&value) {
                    Some(text) if !text.is_empty() && text.chars().all(fits) => host.push_str(&text),
                    Some(_) => {
                        let problem = "cannot stand in a host: only letters, digits, - and . can";
                        return Err(PrepareError::argument(&hole.pointer(), problem));
                    }
                    None => return Err(missing(&hole.pointer())),
                },
                Filling::Absent(path) => return Err(missing(&path)),
                Filling::Secret(_) => {
                    let problem = "must not have a secret in its host";
                    return Err(AnswerError::InvalidUrl { problem }.into());
                }
            }
        }
        Ok(host)
    }
}

/// One segment of the path. It stays one: neither empty nor a dot, which the browser would take as a step up.
fn fill_segment(parts: &[Part], scope: Scope<'_>) -> Result<super::pieces::Pieces, PrepareError> {
    let (mut pieces, mut text, mut first) = (super::pieces::Pieces::default(), String::new(), None);
    for part in parts {
        let hole = match part {
            Part::Text(part) => {
                pieces.text(part);
                text.push_str(part);
                continue;
            }
            Part::Hole(hole) => hole,
        };
        match hole.fill(scope) {
            Filling::Secret(name) => {
                pieces.push(Piece::Secret { name: name.to_owned(), encoding: Encoding::Percent });
                text.push('?');
            }
            Filling::Value(value) => {
                let value = text_of(&value).ok_or_else(|| missing(&hole.pointer()))?;
                pieces.text(&percent(&value));
                text.push_str(&percent(&value));
                first = first.or_else(|| Some(hole.pointer()));
            }
            Filling::Absent(path) => return Err(missing(&path)),
        }
    }
    let plain = text.to_ascii_lowercase().replace("%2e", ".");
    match first {
        Some(path) if matches!(plain.as_str(), "" | "." | "..") => {
            Err(PrepareError::argument(&path, "cannot stand in the path: it would be another path"))
        }
        _ => Ok(pieces),
    }
}

/// A word that is nowhere in the text.
fn mark(pieces: &[Piece]) -> String {
    let taken = |mark: &str| {
        let mut whole = String::new();
        for piece in pieces {
            whole.push_str(if let Piece::Text(part) = piece { part } else { "\n" });
        }
        whole.to_ascii_lowercase().contains(mark)
    };
    let mut number = 0_u32;
    loop {
        let mark = format!("qz{number}zq");
        if !taken(&mark) {
            return mark;
        }
        number += 1;
    }
}

/// The address that was read, with secrets where their marks are.
fn with_secrets(url: &Url, mark: &str, pieces: &[Piece]) -> Option<Vec<Piece>> {
    let mut secrets = pieces.iter().filter(|piece| !matches!(piece, Piece::Text(_)));
    let mut texts = url.as_str().split(mark);
    let mut read = vec![Piece::Text(texts.next()?.to_owned())];
    for text in texts {
        read.push(secrets.next()?.clone());
        if !text.is_empty() {
            read.push(Piece::Text(text.to_owned()));
        }
    }
    secrets.next().is_none().then_some(read)
}

/// Everything but RFC 3986's unreserved characters as `%XX`.
pub(super) fn percent(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte))
            }
            _ => encoded.push_str(&format!("%{byte:02X}")),
        }
    }
    encoded
}

/// Parts behind a sign, if the sign is there.
type Rest = Option<Vec<Part>>;

/// Cuts what follows the scheme into the authority, the path behind its first `/`, and the query behind `?`.
fn cut(parts: Vec<Part>) -> (Vec<Part>, Rest, Rest) {
    let (authority, rest) = cut_once(parts, &['/', '?']);
    match rest {
        None => (authority, None, None),
        Some(('/', path)) => {
            let (path, query) = cut_once(path, &['?']);
            (authority, Some(path), query.map(|(_, query)| query))
        }
        Some((_, query)) => (authority, None, Some(query)),
    }
}

/// What stands before the first of some signs, and what stands behind it.
fn cut_once(parts: Vec<Part>, signs: &[char]) -> (Vec<Part>, Option<(char, Vec<Part>)>) {
    let mut before = Vec::new();
    let mut parts = parts.into_iter();
    while let Some(part) = parts.next() {
        let Part::Text(text) = &part else {
            before.push(part);
            continue;
        };
        let Some((at, sign)) = text.char_indices().find(|(_, letter)| signs.contains(letter)) else {
            before.push(part);
            continue;
        };
        let (head, tail) = text.split_at(at);
        if !head.is_empty() {
            before.push(Part::Text(head.to_owned()));
        }
        let tail = tail.get(sign.len_utf8()..).unwrap_or_default();
        let first = (!tail.is_empty()).then(|| Part::Text(tail.to_owned()));
        return (before, Some((sign, first.into_iter().chain(parts).collect())));
    }
    (before, None)
}

/// Cuts at every sign.
pub(super) fn split(parts: &[Part], sign: char) -> Vec<Vec<Part>> {
    let mut pieces = vec![Vec::new()];
    for part in parts {
        let Part::Text(text) = part else {
            if let Some(last) = pieces.last_mut() {
                last.push(part.clone());
            }
            continue;
        };
        for (index, piece) in text.split(sign).enumerate() {
            if index > 0 {
                pieces.push(Vec::new());
            }
            if let Some(last) = pieces.last_mut().filter(|_| !piece.is_empty()) {
                last.push(Part::Text(piece.to_owned()));
            }
        }
    }
    pieces
}
