//! A request of a tool with holes where its secrets go. The toolbox writes it without having seen a secret; the signer's
//! key instance fills the holes, so that no other module ever combines a secret with a text of others.
//!
//! In JSON a piece is `{"text":"…"}`, `{"secret":{"name":"API_KEY","encoding":"percent"}}`, `{"hmac":{…}}`, `"body"`, ….

use derive::Record;

/// A request, as it is before secrets are filled in. The method is beside it: no secret is ever part of one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Record)]
pub struct RequestPieces {
    /// The absolute address. Scheme and host stand in text: what is filled in cannot change where a request goes.
    pub url: Vec<Piece>,
    /// In the order in which they are sent.
    pub headers: Vec<HeaderPieces>,
    /// The body, where there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub body: Option<Vec<Piece>>,
}

/// A header with holes in its value.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
pub struct HeaderPieces {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: Vec<Piece>,
}

/// A part of an address, of a header's value or of a body.
///
/// In an address, what is computed (`Basic`, `Hmac`, `OAuthToken`) is percent-encoded.
#[derive(Debug, Clone, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case", rename_all_fields = "camelCase")]
pub enum Piece {
    /// As it stands, encoded for its position already.
    Text(String),
    /// A secret.
    Secret {
        /// Its name: `^[A-Z][A-Z0-9_]{0,63}$`.
        name: String,
        /// How it is written where it stands.
        encoding: Encoding,
    },
    /// Base64 of `username:password`, as HTTP's basic authentication has it; without the word `Basic`.
    Basic {
        /// Before the colon; secrets in it are `plain`.
        username: Vec<Self>,
        /// After the colon; secrets in it are `plain`.
        password: Vec<Self>,
    },
    /// A message's authentication code.
    Hmac {
        /// The hash.
        algorithm: HashAlgorithm,
        /// The key; secrets in it are `plain`.
        key: Vec<Self>,
        /// What is authenticated; secrets in it are `plain`.
        message: Vec<Self>,
        /// How the code is written.
        encoding: DigestEncoding,
    },
    /// The body, filled; empty where there is none. Not in the body itself, nor in the address.
    Body,
    /// Path and query of the address, filled. Not in the address itself.
    Path,
    /// The time of the request, in seconds since 1970.
    Timestamp,
    /// The access token that an OAuth 2 server gave for this tool; without the word `Bearer`.
    #[serde(rename = "oauth_token")]
    OAuthToken,
    /// The refresh token, percent-encoded: only in the request that the core itself makes of the token's server.
    #[serde(rename = "oauth_refresh_token")]
    OAuthRefreshToken,
}

/// How a secret is written where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum Encoding {
    /// In an address or a form: everything but RFC 3986's unreserved characters as `%XX` of its UTF-8.
    Percent,
    /// Inside a JSON string, without its quotes.
    Json,
    /// In a header: refused unless it is printable ASCII.
    Header,
    /// As it is.
    Plain,
}

/// The hash of an authentication code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum HashAlgorithm {
    /// SHA-256.
    Sha256,
    /// SHA-512.
    Sha512,
}

/// How an authentication code is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Record)]
#[serde(rename_all = "snake_case")]
pub enum DigestEncoding {
    /// Lower-case hexadecimal.
    Hex,
    /// Base64 with padding.
    Base64,
}

impl RequestPieces {
    /// All pieces on the outside: of the address, the headers and the body.
    fn lists(&self) -> impl Iterator<Item = &[Piece]> {
        let headers = self.headers.iter().map(|header| header.value.as_slice());
        std::iter::once(self.url.as_slice()).chain(headers).chain(self.body.as_deref())
    }

    /// The names of the secrets that are filled in, each once, in the order of their first use.
    pub fn secret_names(&self) -> Vec<&str> {
        let mut names = Vec::new();
        for list in self.lists() {
            visit(list, &mut |piece| {
                if let Piece::Secret { name, .. } = piece
                    && !names.contains(&name.as_str())
                {
                    names.push(name);
                }
            });
        }
        names
    }

    /// Whether a token of an OAuth 2 server is filled in.
    pub fn uses_oauth(&self) -> bool {
        let mut uses = false;
        for list in self.lists() {
            visit(list, &mut |piece| {
                uses |= matches!(piece, Piece::OAuthToken | Piece::OAuthRefreshToken);
            });
        }
        uses
    }

    /// Whether the signer has nothing to fill in: what is left is text and, perhaps, the time.
    pub fn is_plain(&self) -> bool {
        self.lists().flatten().all(|piece| matches!(piece, Piece::Text(_)))
    }
}

/// Each piece, and those inside it.
fn visit<'a>(pieces: &'a [Piece], with: &mut dyn FnMut(&'a Piece)) {
    for piece in pieces {
        with(piece);
        if let Piece::Basic { username: first, password: second }
        | Piece::Hmac { key: first, message: second, .. } = piece
        {
            visit(first, with);
            visit(second, with);
        }
    }
}

/// A text in which everything that is filled in reads `‹NAME›`: for people and logs.
pub fn masked(pieces: &[Piece]) -> String {
    let mut text = String::new();
    for piece in pieces {
        match piece {
            Piece::Text(part) => text.push_str(part),
            Piece::Secret { name, .. } => text.extend(["\u{2039}", name, "\u{203a}"]),
            Piece::Basic { .. } => text.push_str("\u{2039}basic\u{203a}"),
            Piece::Hmac { .. } => text.push_str("\u{2039}hmac\u{203a}"),
            Piece::Body => text.push_str("\u{2039}body\u{203a}"),
            Piece::Path => text.push_str("\u{2039}path\u{203a}"),
            Piece::Timestamp => text.push_str("\u{2039}timestamp\u{203a}"),
            Piece::OAuthToken | Piece::OAuthRefreshToken => text.push_str("\u{2039}token\u{203a}"),
        }
    }
    text
}

/// Whether a text can name a secret: `^[A-Z][A-Z0-9_]{0,63}$`.
pub fn is_secret_name(name: &str) -> bool {
    name.len() <= 64
        && name.starts_with(|first: char| first.is_ascii_uppercase())
        && name.bytes().all(|byte| matches!(byte, b'A'..=b'Z' | b'0'..=b'9' | b'_'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{from_text, to_text};

    fn secret(name: &str, encoding: Encoding) -> Piece {
        Piece::Secret { name: name.to_owned(), encoding }
    }

    fn request() -> RequestPieces {
        let basic = Piece::Basic {
            username: vec![secret("USER", Encoding::Plain)],
            password: vec![secret("PASS", Encoding::Plain)],
        };
        let hmac = Piece::Hmac {
            algorithm: HashAlgorithm::Sha256,
            key: vec![secret("KEY", Encoding::Plain)],
            message: vec![Piece::Text("POST\n".to_owned()), Piece::Path, Piece::Body, Piece::Timestamp],
            encoding: DigestEncoding::Base64,
        };
        let header = |name: &str, value| HeaderPieces { name: name.to_owned(), value };
        RequestPieces {
            url: vec![
                Piece::Text("https://api.example/".to_owned()),
                secret("KEY", Encoding::Percent),
                Piece::Text("?q=1".to_owned()),
            ],
            headers: vec![header("authorization", vec![basic]), header("x-signature", vec![hmac])],
            body: Some(vec![secret("BODY", Encoding::Json), Piece::OAuthToken]),
        }
    }

    #[test]
    fn pieces_have_one_spelling() {
        let text = to_text(&request());
        let expected = concat!(
            r#"{"url":[{"text":"https://api.example/"},{"secret":{"name":"KEY","encoding":"percent"}},"#,
            r#"{"text":"?q=1"}],"headers":[{"name":"authorization","value":[{"basic":{"username":"#,
            r#"[{"secret":{"name":"USER","encoding":"plain"}}],"password":[{"secret":{"name":"PASS","#,
            r#""encoding":"plain"}}]}}]},{"name":"x-signature","value":[{"hmac":{"algorithm":"sha256","#,
            r#""key":[{"secret":{"name":"KEY","encoding":"plain"}}],"message":[{"text":"POST\n"},"path","#,
            r#""body","timestamp"],"encoding":"base64"}}]}],"body":[{"secret":{"name":"BODY","#,
            r#""encoding":"json"}},"oauth_token"]}"#,
        );
        assert_eq!(text, expected);
        assert_eq!(from_text::<RequestPieces>(&text).unwrap(), request());
    }

    #[test]
    fn a_request_says_what_it_needs() {
        let mut request = request();
        assert_eq!(request.secret_names(), ["KEY", "USER", "PASS", "BODY"]);
        assert_eq!((request.uses_oauth(), request.is_plain()), (true, false));
        assert_eq!(masked(&request.url), "https://api.example/\u{2039}KEY\u{203a}?q=1");
        request.url.remove(1);
        request.headers.clear();
        request.body = None;
        assert_eq!((request.uses_oauth(), request.is_plain()), (false, true));
        assert_eq!(request.secret_names(), [""; 0]);
    }

    #[test]
    fn names_of_secrets() {
        let longest = "A".repeat(64);
        for name in ["A", "API_KEY", "K2", longest.as_str()] {
            assert!(is_secret_name(name), "{name}");
        }
        let too_long = "A".repeat(65);
        for name in ["", "a", "_A", "2A", "A-B", "A/B", "Ä", "A ", too_long.as_str()] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
