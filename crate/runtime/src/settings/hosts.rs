//! The hosts that tools may reach: what an entry of the list must look like.
//!
//! | entry | allows |
//! |---|---|
//! | `api.example.org` | this host, at the usual port of the scheme |
//! | `api.example.org:8443`, `[::1]:8080` | this host, at this port |
//! | `*.example.org` | its sub-domains, and not `example.org` |
//!
//! An entry is kept as the user wrote it, in lower case. Whether a request's host matches is decided after its address is
//! expanded, where names of other scripts are compared in punycode.

use crate::contacts::lowercase;
use crate::http::ApiError;
use serde_json::Value;

/// More than a person looks after.
const MAX_HOSTS: usize = 200;
/// The longest name of a host, in bytes (RFC 1035).
const MAX_NAME: usize = 253;
const MAX_LABEL: usize = 63;

/// The list in one spelling: the same entry twice is once.
pub(super) fn read(entries: &[Value]) -> Result<Vec<String>, ApiError> {
    if entries.len() > MAX_HOSTS {
        return Err(ApiError::invalid("/allowedHosts", format!("must be at most {MAX_HOSTS} hosts")));
    }
    let mut hosts = Vec::with_capacity(entries.len());
    for (index, entry) in entries.iter().enumerate() {
        let host = entry.as_str().and_then(spell).ok_or_else(|| {
            ApiError::invalid(
                format!("/allowedHosts/{index}"),
                "must be a host such as api.example.org, host:8443 or *.example.org",
            )
        })?;
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    Ok(hosts)
}

/// The entry in lower case; `None` for what cannot be one.
fn spell(entry: &str) -> Option<String> {
    let entry = lowercase(entry.trim());
    let (name, port) = match entry.rfind(':').filter(|_| !entry.ends_with(']')) {
        Some(colon) => entry.split_at_checked(colon)?,
        None => (entry.as_str(), ""),
    };
    let port_fits = match port.strip_prefix(':') {
        // As a browser spells it: without a sign and without zeros in front.
        Some(digits) => digits.parse::<u16>().is_ok_and(|port| port > 0) && !digits.starts_with(['0', '+']),
        None => true,
    };
    let name_fits = match (name.strip_prefix("*."), name.strip_prefix('[')) {
        // A whole top-level domain has no single owner.
        (Some(parent), _) => is_name(parent) && parent.contains('.') && !is_numeric(parent),
        (None, Some(rest)) => rest.strip_suffix(']').is_some_and(is_ipv6),
        (None, None) => is_name(name),
    };
    (port_fits && name_fits).then_some(entry)
}

fn is_name(name: &str) -> bool {
    name.len() <= MAX_NAME && name.split('.').all(is_label)
}

/// Letters of any script, digits and hyphens; underscores, because hosts have them.
fn is_label(label: &str) -> bool {
    let fits = |c: char| match c.is_ascii() {
        true => c.is_ascii_alphanumeric() || matches!(c, '-' | '_'),
        // What an address cannot hold is found when it is turned into punycode.
        false => !c.is_whitespace() && !c.is_control(),
    };
    !label.is_empty() && label.len() <= MAX_LABEL && label.chars().all(fits)
}

/// An IPv4 address has no sub-domains.
fn is_numeric(name: &str) -> bool {
    name.rsplit('.').next().is_some_and(|last| last.bytes().all(|byte| byte.is_ascii_digit()))
}

fn is_ipv6(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_hexdigit() || matches!(byte, b':' | b'.');
    text.len() <= 45 && text.bytes().filter(|byte| *byte == b':').count() >= 2 && text.bytes().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    #[test]
    fn hosts_with_port_and_sub_domains() {
        for (entry, expected) in [
            ("api.example.org", "api.example.org"),
            (" API.Example.ORG:8443 ", "api.example.org:8443"),
            ("*.example.org", "*.example.org"),
            ("*.example.org:8443", "*.example.org:8443"),
            ("localhost", "localhost"),
            ("localhost:80", "localhost:80"),
            ("127.0.0.1:65535", "127.0.0.1:65535"),
            ("[::1]", "[::1]"),
            ("[FE80::1]:8080", "[fe80::1]:8080"),
            ("[::ffff:127.0.0.1]", "[::ffff:127.0.0.1]"),
            ("MÜNCHEN.example", "münchen.example"),
            ("xn--mnchen-3ya.example", "xn--mnchen-3ya.example"),
            ("my_host.example", "my_host.example"),
        ] {
            assert_eq!(spell(entry).as_deref(), Some(expected), "{entry}");
        }
    }

    #[test]
    fn what_is_no_host_is_refused() {
        for entry in [
            "",
            " ",
            "*",
            "*.",
            "*.org",
            "*.127.0.0.1",
            "*.*.example.org",
            "a.*.example.org",
            "api*.example.org",
            "https://example.org",
            "example.org/",
            "example.org/path",
            "example.org?x",
            "example.org#x",
            "user@example.org",
            "a b.example",
            "a\u{a0}b.example",
            "a..example",
            ".example.org",
            "example.org.",
            "example.org:",
            "example.org:0",
            "example.org:080",
            "example.org:+80",
            "example.org:65536",
            "example.org:https",
            "::1",
            "[::1",
            "[1]",
            "[]",
            "*.[::1]",
            "[::1]x",
            "a\\b",
            "a\n.example",
        ] {
            assert_eq!(spell(entry), None, "{entry:?}");
        }
        assert_eq!(spell(&"a".repeat(64)), None);
        assert_eq!(spell(&["a"; 150].join(".")), None);
    }

    #[test]
    fn the_same_twice_is_once() {
        let entries = ["a.example", "B.example", "A.EXAMPLE", "b.example"].map(|entry| json!(entry));
        assert_eq!(read(&entries).unwrap(), ["a.example", "b.example"]);
        assert_eq!(
            read(&[json!("a.example"), json!(7)]).unwrap_err().path.as_deref(),
            Some("/allowedHosts/1")
        );
        let many: Vec<Value> = (0..=MAX_HOSTS).map(|number| json!(format!("{number}.example"))).collect();
        assert_eq!(read(&many).unwrap_err().path.as_deref(), Some("/allowedHosts"));
        assert_eq!(read(&many[1..]).unwrap().len(), MAX_HOSTS);
    }

    proptest! {
        /// No text makes it panic, and what is taken is taken again as it is.
        #[test]
        fn what_was_taken_stays(entry in r"(\PC{0,20}|[*]?[.]?[a-zA-Zéß0-9:.\[\]_-]{0,20})") {
            if let Some(host) = spell(&entry) {
                prop_assert_eq!(spell(&host), Some(host.clone()));
                prop_assert!(!host.contains(['/', '@', ' ', '?', '#', '\\']));
            }
        }
    }
}
