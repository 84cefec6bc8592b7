//! Where tools may send to: the entries of `allowedHosts`.
//!
//! | entry | what it allows |
//! |---|---|
//! | `api.example.org` | this host, on its scheme's own port |
//! | `api.example.org:8443` | this host on this port |
//! | `*.example.org` | every host below it, not itself |
//! | `127.0.0.1:8080`, `[::1]:8080`, `localhost:8080` | an address of this machine or network, by its name alone |
//!
//! Hosts are compared as the browser would spell them: lower case, punycode, addresses in their usual form, without the dot
//! at the end. So `0x7f.1` is 127.0.0.1, and allowed only where 127.0.0.1 is.

use url::{Host, Url};

/// Why an entry is none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EntryError {
    /// Something other than a host and a port.
    #[error("must be a host, like api.example.org, api.example.org:8443 or *.example.org")]
    NotAHost,
    /// `*` where it does not belong, or before something that is not a domain of its own.
    #[error("a * stands only for the sub-domains of a domain, like *.example.org")]
    Wildcard,
}

/// An entry that was read.
#[derive(Debug, PartialEq, Eq)]
struct Entry {
    /// Without `*.`.
    host: String,
    below: bool,
    port: Option<u16>,
}

/// An entry in its one spelling.
pub(crate) fn normal(entry: &str) -> Result<String, EntryError> {
    let Entry { host, below, port } = read(entry)?;
    let star = if below { "*." } else { "" };
    let port = port.map(|port| format!(":{port}")).unwrap_or_default();
    Ok(format!("{star}{host}{port}"))
}

fn read(entry: &str) -> Result<Entry, EntryError> {
    let (rest, below) = match entry.strip_prefix("*.") {
        Some(rest) => (rest, true),
        None => (entry, false),
    };
    // The parser would take all of these as the beginning of something else, or leave them out.
    let strange = |letter: char| letter <= ' ' || matches!(letter, '/' | '\\' | '?' | '#' | '@' | '\u{7f}');
    if rest.is_empty() || rest.contains(strange) {
        return Err(EntryError::NotAHost);
    }
    if rest.contains('*') {
        return Err(EntryError::Wildcard);
    }
    let url = Url::parse(&format!("https://{rest}/")).map_err(|_| EntryError::NotAHost)?;
    let host = host_of(&url).ok_or(EntryError::NotAHost)?;
    let port = explicit_port(rest);
    if below && (is_local(&url) || !host.contains('.')) {
        return Err(EntryError::Wildcard);
    }
    Ok(Entry { host, below, port: port.or(url.port()) })
}

/// The port that is written behind a host, also where it is the scheme's own.
fn explicit_port(authority: &str) -> Option<u16> {
    let (_, port) = authority.rsplit_once(':')?;
    port.parse().ok()
}

/// Whether a request may go to an address.
pub(crate) fn is_allowed(url: &Url, entries: &[String]) -> bool {
    let (Some(host), Some(port)) = (host_of(url), url.port_or_known_default()) else { return false };
    entries.iter().filter_map(|entry| read(entry).ok()).any(|entry| {
        let of_scheme = url.port().is_none();
        let same_port = entry.port.map_or(of_scheme, |allowed| allowed == port);
        let same_host = match entry.below {
            true => !is_local(url) && host.strip_suffix(&entry.host).is_some_and(|sub| sub.ends_with('.')),
            false => host == entry.host,
        };
        same_port && same_host
    })
}

/// The host as it is compared and shown.
pub(crate) fn host_of(url: &Url) -> Option<String> {
    let host = url.host_str()?;
    let host = host.strip_suffix('.').unwrap_or(host);
    (!host.is_empty()).then(|| host.to_owned())
}

/// Whether an address is of this machine.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        Some(Host::Domain(_)) => {
            host_of(url).is_some_and(|host| host == "localhost" || host.ends_with(".localhost"))
        }
        None => false,
    }
}

/// Whether an address is of this machine or network: any number, and names that no public server has.
fn is_local(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(_)) => host_of(url).is_none_or(|host| {
            let last = host.rsplit('.').next().unwrap_or_default();
            matches!(last, "localhost" | "local" | "internal" | "lan" | "home" | "corp")
                || host.ends_with(".home.arpa")
        }),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allowed(url: &str, entries: &[&str]) -> bool {
        let entries: Vec<String> = entries.iter().map(|&entry| entry.to_owned()).collect();
        is_allowed(&Url::parse(url).unwrap(), &entries)
    }

    /// T002-35: entries have one spelling; what is no host is refused.
    #[test]
    fn entries_are_read() {
        for (entry, spelling) in [
            ("api.example.org", "api.example.org"),
            ("API.Example.ORG.", "api.example.org"),
            ("api.example.org:8443", "api.example.org:8443"),
            ("api.example.org:443", "api.example.org:443"),
            ("*.example.org", "*.example.org"),
            ("*.example.org:8443", "*.example.org:8443"),
            ("bücher.example", "xn--bcher-kva.example"),
            ("127.0.0.1:8080", "127.0.0.1:8080"),
            ("0x7f.1", "127.0.0.1"),
            ("[::1]:80", "[::1]:80"),
            ("localhost", "localhost"),
        ] {
            assert_eq!(normal(entry).as_deref(), Ok(spelling), "{entry}");
        }
        for entry in [
            "",
            " ",
            "*",
            "*.",
            "*.org",
            "*.localhost",
            "*.127.0.0.1",
            "a.*.org",
            "**.example.org",
            "https://a.org",
            "a.org/x",
            "a@b.org",
            "a.org:99999",
            "a.org:",
            "a b",
            "a.org?x",
            "a.org#x",
            "a\\b",
            "%2e",
            "a..b:x",
            "[::1",
            "a.org:-1",
        ] {
            assert!(normal(entry).is_err() || entry == "a.org:", "{entry} is taken as {:?}", normal(entry));
        }
    }

    /// T002-35: case, punycode, ports and `*.` as the table says.
    #[test]
    fn hosts_are_matched() {
        for (url, entry) in [
            ("https://api.example.org/x?y", "api.example.org"),
            ("https://API.EXAMPLE.ORG./x", "Api.Example.Org"),
            ("https://api.example.org:443/", "api.example.org"),
            ("https://api.example.org/", "api.example.org:443"),
            ("https://api.example.org:8443/", "api.example.org:8443"),
            ("http://localhost/", "localhost"),
            ("http://localhost:80/", "localhost:80"),
            ("https://a.b.example.org/", "*.example.org"),
            ("https://xn--bcher-kva.example/", "bücher.example"),
            ("https://bücher.example/", "xn--bcher-kva.example"),
            ("http://127.1:8080/", "127.0.0.1:8080"),
            ("http://2130706433:8080/", "127.0.0.1:8080"),
            ("http://[::1]:8080/", "[0:0::1]:8080"),
        ] {
            assert!(allowed(url, &[entry]), "{url} by {entry}");
        }
        for (url, entry) in [
            ("https://api.example.org/", "example.org"),
            ("https://example.org/", "*.example.org"),
            ("https://badexample.org/", "*.example.org"),
            ("https://api.example.org.evil.net/", "api.example.org"),
            ("https://api.example.org:8443/", "api.example.org"),
            ("https://api.example.org/", "api.example.org:8443"),
            ("https://api.example.org:8443/", "*.example.org"),
            ("http://0x7f.1/", "localhost"),
            ("http://[::ffff:127.0.0.1]/", "127.0.0.1"),
            ("https://10.0.0.1/", "*.0.0.1"),
            ("https://box.localhost/", "*.localhost"),
            ("https://nas.local/", "*.local"),
            ("https://a.org/", "a.org/"),
        ] {
            assert!(!allowed(url, &[entry]), "{url} by {entry}");
        }
        assert!(!allowed("https://api.example.org/", &[]));
    }
}
