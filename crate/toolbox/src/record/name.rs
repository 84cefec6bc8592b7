//! Names: slugs, versions, tags, names of tools, ids, names of headers.

use crate::bounds::NAME_LETTERS;
use crate::record::check::RecordError;
use icu_normalizer::ComposingNormalizerBorrowed;
use regex::Regex;
use std::sync::LazyLock;

/// A slug, or a version, in which dots are allowed too. In NFC, so that what looks the same is the same.
pub(crate) fn label(text: &str, is_version: bool) -> Result<String, RecordError> {
    static LETTERS: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^[\p{L}\p{Nd}-]+$").ok());
    // A long text is not normalised whole: no composition makes one letter of more than a few.
    if text.len() > NAME_LETTERS * 64 {
        return Err(too_long());
    }
    let normal = ComposingNormalizerBorrowed::new_nfc().normalize(text).into_owned();
    if normal.is_empty() {
        return Err(RecordError::invalid("must not be empty"));
    }
    if normal.chars().count() > NAME_LETTERS {
        return Err(too_long());
    }
    let letters = if is_version { normal.replace('.', "") } else { normal.clone() };
    let allowed = LETTERS.as_ref().is_some_and(|pattern| pattern.is_match(&letters));
    match allowed {
        true => Ok(normal),
        false if is_version => Err(RecordError::invalid("must be letters, digits, - and . only")),
        false => Err(RecordError::invalid("must be letters, digits and - only")),
    }
}

fn too_long() -> RecordError {
    RecordError::invalid(format!("must have at most {NAME_LETTERS} letters"))
}

/// What agents call the tool of a slug, where it gives a name (specification 003).
pub(crate) fn name_of(slug: &str) -> Option<String> {
    let name = slug.replace('-', "_");
    is_name(&name).then_some(name)
}

/// `^[a-z][a-z0-9]*(_[a-z0-9]+)*$`, of at most 64 letters.
pub(crate) fn is_name(text: &str) -> bool {
    let part = |part: &str| {
        !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
    };
    text.len() <= NAME_LETTERS
        && text.starts_with(|first: char| first.is_ascii_lowercase())
        && text.split('_').all(part)
}

/// `^[A-Za-z][A-Za-z0-9_-]{0,63}$`: a name of its own that a tool may have (specification 004). Not with `__`, which stands
/// between an MCP server and its tool: a tool of the user's would be called in its place.
pub(crate) fn is_own_name(text: &str) -> bool {
    is_tag(text) && text.starts_with(|first: char| first.is_ascii_alphabetic()) && !text.contains("__")
}

/// The slug of a name: `confirmAction` and `confirm_action` give `confirm-action`.
pub(crate) fn slug_of(name: &str) -> String {
    let mut slug = String::new();
    let mut after_small = false;
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && after_small {
            slug.push('-');
        }
        match letter {
            '_' | '-' if slug.is_empty() || slug.ends_with('-') => {}
            '_' | '-' => slug.push('-'),
            _ => slug.push(letter.to_ascii_lowercase()),
        }
        after_small = letter.is_ascii_lowercase() || letter.is_ascii_digit();
    }
    let mut slug = slug.trim_end_matches('-').to_owned();
    slug.truncate(NAME_LETTERS);
    slug
}

/// `^[A-Za-z_][A-Za-z0-9_-]*$`, of at most 64 letters.
pub(crate) fn is_tag(text: &str) -> bool {
    text.len() <= NAME_LETTERS
        && text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// A UUID of version 7 (RFC 9562), in lower case.
pub(crate) fn is_uuid_v7(text: &str) -> bool {
    let hyphen = |index| matches!(index, 8 | 13 | 18 | 23);
    text.len() == 36
        && text.bytes().enumerate().all(|(index, byte)| match (index, byte) {
            (14, byte) => byte == b'7',
            (19, byte) => matches!(byte, b'8' | b'9' | b'a' | b'b'),
            (index, byte) if hyphen(index) => byte == b'-',
            (_, byte) => matches!(byte, b'0'..=b'9' | b'a'..=b'f'),
        })
}

/// A header's name that a tool can set.
pub(crate) fn header(name: &str) -> Result<(), RecordError> {
    let token = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    if name.is_empty() || name.len() > 128 || !name.bytes().all(token) {
        return Err(RecordError::invalid("is not the name of a header"));
    }
    match is_forbidden(&name.to_ascii_lowercase()) {
        true => Err(RecordError::ForbiddenHeader { name: name.to_owned() }),
        false => Ok(()),
    }
}

/// Whether a tool can set a header of this name.
pub(crate) fn is_header(name: &str) -> bool {
    header(name).is_ok()
}

/// The request headers that `fetch` does not let scripts set: it would drop them without a word.
fn is_forbidden(name: &str) -> bool {
    const FORBIDDEN: &[&str] = &[
        "accept-charset",
        "accept-encoding",
        "access-control-request-headers",
        "access-control-request-method",
        "access-control-request-private-network",
        "connection",
        "content-length",
        "cookie",
        "cookie2",
        "date",
        "dnt",
        "expect",
        "host",
        "keep-alive",
        "origin",
        "referer",
        "set-cookie",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
        "via",
        // Forbidden for some of their values, and of no use here.
        "x-http-method",
        "x-http-method-override",
        "x-method-override",
    ];
    FORBIDDEN.contains(&name) || name.starts_with("proxy-") || name.starts_with("sec-")
}
