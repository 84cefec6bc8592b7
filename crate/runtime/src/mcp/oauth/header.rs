//! `WWW-Authenticate` (RFC 9110 §11.6.1): `Bearer resource_metadata="…", scope="a b", error="insufficient_scope"`, perhaps
//! among challenges of other schemes.

use super::scope;

/// The longest header that is read, in bytes.
const MAX_LENGTH: usize = 8 * 1024;

/// What a server asks for, by its challenge of the scheme `Bearer`. Its own words.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    /// Where its metadata are (RFC 9728 §5.1).
    pub(super) resource_metadata: Option<String>,
    /// What the request needs (RFC 6750 §3), in its order.
    pub(super) scopes: Vec<String>,
    /// What was wrong with the request's token.
    pub(super) error: Option<String>,
}

impl Challenge {
    /// Reads the header; several headers come joined by commas. `None` if it has no challenge of the scheme.
    pub(super) fn parse(header: &str) -> Option<Self> {
        if header.len() > MAX_LENGTH {
            return None;
        }
        let parameters = bearer(header)?;
        // What stands there twice says nothing.
        let one = |name: &str| {
            let mut values = parameters.iter().filter(|(have, _)| have.eq_ignore_ascii_case(name));
            values.next().filter(|_| values.next().is_none()).map(|(_, value)| value.clone())
        };
        Some(Self {
            resource_metadata: one("resource_metadata"),
            scopes: one("scope").map(|text| scope::read(&text)).unwrap_or_default(),
            error: one("error"),
        })
    }
}

/// The parameters of the first challenge of the scheme.
fn bearer(header: &str) -> Option<Vec<(String, String)>> {
    let mut found: Option<Vec<(String, String)>> = None;
    let mut is_open = false;
    let mut rest = header;
    loop {
        rest = rest.trim_start_matches([' ', '\t', ',']);
        let (token, after) = split_token(rest);
        if token.is_empty() {
            // Not a token: what follows the next comma may be one.
            let Some((_, next)) = rest.split_once(',') else { return found };
            rest = next;
            continue;
        }
        let Some(value) = after.trim_start_matches([' ', '\t']).strip_prefix('=') else {
            is_open = found.is_none() && token.eq_ignore_ascii_case("bearer");
            if is_open {
                found = Some(Vec::new());
            }
            rest = after;
            continue;
        };
        let (value, next) = split_value(value.trim_start_matches([' ', '\t']));
        if let (Some(parameters), true, Some(value)) = (&mut found, is_open, value) {
            parameters.push((token.to_owned(), value));
        }
        rest = next;
    }
}

/// A token (RFC 9110 §5.6.2) and what follows it.
fn split_token(text: &str) -> (&str, &str) {
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    text.split_at_checked(text.find(|c| !is_token(c)).unwrap_or(text.len())).unwrap_or((text, ""))
}

/// A value, quoted or not, and what follows it. A quotation that does not end is no value.
fn split_value(text: &str) -> (Option<String>, &str) {
    let Some(quoted) = text.strip_prefix('"') else {
        // More than a token: addresses are sent without quotes, too.
        let end = text.find([',', ' ', '\t']).unwrap_or(text.len());
        let (value, rest) = text.split_at_checked(end).unwrap_or((text, ""));
        return (Some(value.to_owned()), rest);
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => return (Some(value), quoted.get(at + 1..).unwrap_or_default()),
            '\\' => value.extend(chars.next().map(|(_, escaped)| escaped)),
            c => value.push(c),
        }
    }
    (None, "")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn challenge(resource_metadata: Option<&str>, scopes: &[&str], error: Option<&str>) -> Challenge {
        Challenge {
            resource_metadata: resource_metadata.map(str::to_owned),
            scopes: scopes.iter().map(|&scope| scope.to_owned()).collect(),
            error: error.map(str::to_owned),
        }
    }

    #[test]
    fn headers_of_servers() {
        let url = "https://a.example/.well-known/oauth-protected-resource";
        for (header, expected) in [
            ("Bearer", challenge(None, &[], None)),
            (
                &*format!(r#"Bearer resource_metadata="{url}", scope="files:read files:write""#),
                challenge(Some(url), &["files:read", "files:write"], None),
            ),
            (
                &*format!(
                    r#"bearer error="invalid_token",error_description="a, b=c",resource_metadata={url}"#
                ),
                challenge(Some(url), &[], Some("invalid_token")),
            ),
            (r#"Basic realm="Bearer x", Bearer scope = "a""#, challenge(None, &["a"], None)),
            (r#"Negotiate abc==, DPoP algs="ES256", Bearer error="x""#, challenge(None, &[], Some("x"))),
            // Parameters of another challenge are not the bearer's.
            (r#"Bearer scope="a", Basic realm="r", error="x""#, challenge(None, &["a"], None)),
            (r#"Bearer scope="a", Bearer scope="b""#, challenge(None, &["a"], None)),
            (r#"Bearer scope="a", scope="b", error="x""#, challenge(None, &[], Some("x"))),
            (r#"Bearer realm="a\"b\\", error="x""#, challenge(None, &[], Some("x"))),
            (r#"Bearer error="x", scope="open"#, challenge(None, &[], Some("x"))),
            (r#"Bearer @@, error="x""#, challenge(None, &[], Some("x"))),
            (r#"Bearer scope="a a b""#, challenge(None, &["a", "b"], None)),
        ] {
            assert_eq!(Challenge::parse(header), Some(expected), "{header}");
        }
        for header in ["", "Basic realm=\"Bearer\"", "Bearerscope=\"a\"", ",,,", "\"Bearer\""] {
            assert_eq!(Challenge::parse(header), None, "{header}");
        }
        assert_eq!(Challenge::parse(&["Bearer scope=", &"a".repeat(MAX_LENGTH)].concat()), None);
    }

    proptest! {
        /// What was written is read, with challenges of other schemes around it.
        #[test]
        fn written_is_read(
            url in "[ -~]{0,40}",
            scopes in proptest::collection::hash_set("[a-z:.]{1,8}", 0..4),
            before in "(Basic realm=\"[a-z, =]{0,8}\" ?, ?)?",
            after in "( ?, ?Digest nonce=\"[a-z, =]{0,8}\")?",
        ) {
            let scopes: Vec<String> = scopes.into_iter().collect();
            let quoted = url.replace('\\', "\\\\").replace('"', "\\\"");
            let header = format!(
                "{before}Bearer resource_metadata=\"{quoted}\" , scope=\"{}\"{after}", scopes.join(" ")
            );
            let expected = Challenge { resource_metadata: Some(url), scopes, error: None };
            prop_assert_eq!(Challenge::parse(&header), Some(expected));
        }

        /// No text makes it panic or run for long, and every scope is one.
        #[test]
        fn any_text_is_read(header in "(Bearer )?(\\PC{0,80}|[a-z=\", \\\\]{0,80})") {
            if let Some(challenge) = Challenge::parse(&header) {
                prop_assert!(challenge.scopes.iter().all(|scope| scope::is_scope(scope)));
            }
        }
    }
}
