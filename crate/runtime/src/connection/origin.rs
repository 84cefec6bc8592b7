//! The origin of a web page: the key of a connection, in the one spelling that browsers use.

use std::net::{Ipv4Addr, Ipv6Addr};

/// Longer than any name that can be looked up, with a scheme before it and a port behind.
const LONGEST_ORIGIN: usize = 300;

/// Whether a text is an origin as browsers write it, of a page that cannot be altered in transit: `https`, or plain
/// `http` on this machine. Any other spelling would be another key for the same page.
pub(crate) fn is_origin(origin: &str) -> bool {
    match origin.split_once("://") {
        _ if origin.len() > LONGEST_ORIGIN => false,
        Some(("https", rest)) => host(rest, "443").is_some(),
        Some(("http", rest)) => {
            host(rest, "80").is_some_and(|host| matches!(host, "localhost" | "127.0.0.1" | "[::1]"))
        }
        _ => false,
    }
}

/// The host of `host[:port]`, if both are written as a browser writes them; the usual port is never written.
fn host<'a>(text: &'a str, usual_port: &str) -> Option<&'a str> {
    let (host, port) = match text.rsplit_once(':') {
        // The last colon of an IPv6 address is inside its brackets.
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    };
    let port_fits = port.is_none_or(|port| {
        port != usual_port && port.parse::<u16>().is_ok_and(|number| number.to_string() == port)
    });
    let host_fits = match host.strip_prefix('[').and_then(|inner| inner.strip_suffix(']')) {
        Some(inner) => inner.parse::<Ipv6Addr>().is_ok_and(|address| address.to_string() == inner),
        None => is_name(host),
    };
    (port_fits && host_fits).then_some(host)
}

/// A name in lower case (others come as punycode), or an IPv4 address: what ends in a number is one.
fn is_name(host: &str) -> bool {
    let letters = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    let labels = host.split('.').all(|label| !label.is_empty() && label.bytes().all(letters));
    let last = host.rsplit('.').next().unwrap_or_default();
    let numeric = last.bytes().all(|byte| byte.is_ascii_digit())
        || last.strip_prefix("0x").is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    labels && (!numeric || host.parse::<Ipv4Addr>().is_ok_and(|address| address.to_string() == host))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn accepts_only_browser_spelling() {
        for good in [
            "https://app.example",
            "https://app.example:8443",
            "https://xn--bcher-kva.example",
            "https://a_b.example",
            "https://203.0.113.7",
            "https://[2001:db8::1]",
            "https://[2001:db8::1]:8443",
            "http://localhost",
            "http://localhost:5173",
            "http://127.0.0.1:8080",
            "http://[::1]:3000",
        ] {
            assert!(is_origin(good), "{good}");
        }
        for bad in [
            "",
            "null",
            "app.example",
            "https://",
            "https://app.example/",
            "https://app.example/path",
            "https://app.example?x",
            "https://app.example#x",
            "https://App.example",
            "HTTPS://app.example",
            "https://app.example:443",
            "https://app.example:",
            "https://app.example:0443",
            "https://app.example:65536",
            "https://app.example:+1",
            "https://user@app.example",
            "https://app..example",
            "https://.example",
            "https://bücher.example",
            "https://a b.example",
            "https://127.1",
            "https://1.2.3.4.5",
            "https://0x7f.0x1",
            "https://[::0001]",
            "https://[::1",
            "https://::1",
            "http://app.example",
            "http://localhost:80",
            "http://localhost.evil.example",
            "http://127.0.0.1.evil.example",
            "http://localhost@evil.example",
            "ftp://app.example",
            "chrome-extension://abcdef",
            "javascript:alert(1)",
            "https://app.example\n",
            &format!("https://{}.example", "a".repeat(300)),
        ] {
            assert!(!is_origin(bad), "{bad}");
        }
    }

    proptest! {
        /// What is accepted is a scheme, a host and at most a port, in the spelling of browsers.
        #[test]
        fn accepts_or_refuses_any_text(text in "(https?://)?[a-zA-Z0-9.:\\[\\]/@_ é%-]{0,40}|.{0,60}") {
            if is_origin(&text) {
                let (scheme, rest) = text.split_once("://").unwrap();
                prop_assert!(scheme == "https" || ["localhost", "127.0.0.1", "[::1]"].iter().any(|host| rest.starts_with(host)));
                prop_assert!(!rest.is_empty() && !rest.contains(['/', '@', '?', '#', '%', ' ']));
                prop_assert!(rest.is_ascii() && !rest.bytes().any(|byte| byte.is_ascii_uppercase() || byte.is_ascii_control()));
            }
        }
    }
}
