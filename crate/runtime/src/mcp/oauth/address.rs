//! Addresses in documents of servers: read strictly, so that the browser reads the same in them.

use crate::connection::is_origin;
use std::net::{Ipv4Addr, Ipv6Addr};

/// The longest address, in bytes.
const MAX_LENGTH: usize = 2048;

/// An absolute address by `https`, or by `http` on this machine, without user, password and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address<'a> {
    text: &'a str,
    /// Scheme, host and port as browsers write them.
    origin: String,
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Address<'a> {
    /// Reads an address.
    pub(super) fn parse(text: &'a str) -> Option<Self> {
        let is_uri = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?[]@!$&'()*+,;=%".contains(&byte);
        if text.len() > MAX_LENGTH || !text.bytes().all(is_uri) {
            return None;
        }
        let (scheme, rest) = text.split_once("://")?;
        let (host, rest) = rest.split_at_checked(rest.find(['/', '?']).unwrap_or(rest.len()))?;
        let (scheme, host) = (scheme.to_ascii_lowercase(), host.to_ascii_lowercase());
        let usual_port = if scheme == "https" { ":443" } else { ":80" };
        let host = host.strip_suffix(usual_port).unwrap_or(&host);
        let origin = [&scheme, "://", host].concat();
        let (path, query) = match rest.split_once('?') {
            Some((path, query)) => (path, Some(query)),
            None => (rest, None),
        };
        let address = Self { text, origin, path, query };
        (is_origin(&address.origin) && !path.split('/').any(is_dots)).then_some(address)
    }

    /// As it was written.
    pub(super) const fn text(&self) -> &'a str {
        self.text
    }

    /// Scheme, host and port.
    pub(super) fn origin(&self) -> &str {
        &self.origin
    }

    /// Whether it can be an issuer's (RFC 8414 §2).
    pub(super) const fn is_issuer(&self) -> bool {
        self.query.is_none()
    }

    /// Whether the document of a server may lead here: a server on the internet says nothing about this machine and its
    /// network, where requests of the wallet could do harm.
    pub(super) fn may_follow(&self, from: &Self) -> bool {
        !self.is_near() || from.is_near()
    }

    /// Whether the host is this machine, or has an address of a private network.
    fn is_near(&self) -> bool {
        let host = self.origin.split_once("://").map_or("", |(_, host)| host);
        if let Some(inner) = host.strip_prefix('[') {
            let inner = inner.split(']').next().unwrap_or_default();
            return inner.parse::<Ipv6Addr>().is_ok_and(|ip| {
                let first = ip.segments().first().copied().unwrap_or_default();
                let is_local = first & 0xfe00 == 0xfc00 || first & 0xffc0 == 0xfe80;
                ip.is_loopback() || ip.is_unspecified() || is_local || ip.to_ipv4_mapped().is_some()
            });
        }
        let host = host.split(':').next().unwrap_or_default();
        match host.parse::<Ipv4Addr>() {
            Ok(ip) => ip.is_loopback() || ip.is_private() || ip.is_link_local() || ip.is_unspecified(),
            Err(_) => host == "localhost" || host.ends_with(".localhost") || host.ends_with(".local"),
        }
    }

    /// Whether a resource of this name is the server at that address, or has it inside (RFC 9728 §3.3; servers name
    /// themselves by their origin, too).
    pub(super) fn covers(&self, server: &Self) -> bool {
        let own = self.path.strip_suffix('/').unwrap_or(self.path);
        let inside = match server.path.strip_prefix(own) {
            Some(rest) => rest.is_empty() || rest.starts_with('/'),
            None => false,
        };
        let same = self.path == server.path && self.query == server.query;
        self.origin == server.origin && (same || inside && self.query.is_none())
    }

    /// Where metadata of a kind are: the name between host and path. A path that is a single slash is none.
    pub(super) fn well_known(&self, name: &str) -> String {
        [&self.origin, "/.well-known/", name, self.bare_path()].concat()
    }

    /// The same, with the query: a resource may have one (RFC 9728 §3.1).
    pub(super) fn well_known_with_query(&self, name: &str) -> String {
        let query = self.query.map_or_else(String::new, |query| ["?", query].concat());
        [self.well_known(name), query].concat()
    }

    /// Where metadata of a kind are if they are of the whole origin.
    pub(super) fn well_known_at_root(&self, name: &str) -> String {
        [&self.origin, "/.well-known/", name].concat()
    }

    /// Where metadata of a kind are if the name stands after the path.
    pub(super) fn well_known_below(&self, name: &str) -> String {
        [&self.origin, self.bare_path(), "/.well-known/", name].concat()
    }

    /// Whether there is a path.
    pub(super) fn has_path(&self) -> bool {
        !self.bare_path().is_empty()
    }

    fn bare_path(&self) -> &str {
        self.path.strip_suffix('/').unwrap_or(self.path)
    }
}

/// Whether browsers resolve a segment of a path.
fn is_dots(segment: &str) -> bool {
    matches!(segment.to_ascii_lowercase().replace("%2e", ".").as_str(), "." | "..")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn only_addresses_that_cannot_be_misread() {
        for good in [
            "https://mcp.example",
            "https://mcp.example/",
            "HTTPS://MCP.example:443/a/b?x=1",
            "http://localhost:3000/mcp",
            "http://127.0.0.1:8080",
            "http://[::1]:1/",
        ] {
            assert!(Address::parse(good).is_some(), "{good}");
        }
        for bad in [
            "",
            "mcp.example",
            "http://mcp.example/",
            "http://localhost.evil.example/",
            "javascript:alert(1)",
            "javascript://a.example/%0aalert(1)",
            "data:text/html,x",
            "file:///etc/passwd",
            "https://user@mcp.example/",
            "https://mcp.example\\@evil.example/",
            "https://mcp.example/#x",
            "https://mcp.example/a b",
            "https://mcp.example/\n",
            "https://mcp.example/a/../b",
            "https://mcp.example/%2E%2e/b",
            "https://bücher.example/",
            "https://0x7f.1/",
            "https:///x",
            &format!("https://mcp.example/{}", "a".repeat(MAX_LENGTH)),
        ] {
            assert_eq!(Address::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn resources_that_cover_a_server() {
        let covers = |resource: &str, server: &str| {
            Address::parse(resource).unwrap().covers(&Address::parse(server).unwrap())
        };
        for resource in
            ["https://a.example/mcp", "https://A.example:443/mcp/", "https://a.example", "https://a.example/"]
        {
            assert!(covers(resource, "https://a.example/mcp"), "{resource}");
        }
        for resource in [
            "https://b.example/mcp",
            "http://localhost/mcp",
            "https://a.example:8443/mcp",
            "https://a.example/m",
            "https://a.example/mcp2",
            "https://a.example/mcp/more",
            "https://a.example/mcp?x",
            "https://a.example.evil.example/mcp",
        ] {
            assert!(!covers(resource, "https://a.example/mcp"), "{resource}");
        }
        assert!(covers("https://a.example/mcp?x=1", "https://a.example/mcp?x=1"));
        assert!(covers("https://a.example/mcp", "https://a.example/mcp?x=1"));
    }

    #[test]
    fn servers_of_the_internet_lead_nowhere_near() {
        let remote = Address::parse("https://mcp.example/mcp").unwrap();
        let local = Address::parse("http://localhost:3000/mcp").unwrap();
        for near in [
            "http://localhost:1/",
            "https://localhost/",
            "http://127.0.0.1/",
            "https://127.9.9.9/",
            "https://10.0.0.1/",
            "https://192.168.1.1/",
            "https://169.254.169.254/latest",
            "https://0.0.0.0/",
            "https://[::1]/",
            "https://[fd00::1]/",
            "https://[fe80::1]/",
            "https://printer.local/",
        ] {
            let near = Address::parse(near).unwrap();
            assert!(!near.may_follow(&remote) && near.may_follow(&local), "{near:?}");
            assert!(remote.may_follow(&near));
        }
        for far in ["https://8.8.8.8/", "https://[2001:db8::1]/", "https://auth.example/"] {
            assert!(Address::parse(far).unwrap().may_follow(&remote), "{far}");
        }
    }

    proptest! {
        /// What is taken is an origin and a path as they stand, and no text makes it panic.
        #[test]
        fn parts_are_as_written(text in r"(https?://)?[a-zA-Z0-9.:@/?%\[\]_#\\ -]{0,60}|\PC{0,60}") {
            if let Some(address) = Address::parse(&text) {
                prop_assert!(is_origin(address.origin()));
                let rest = [address.path, &address.query.map_or_else(String::new, |q| format!("?{q}"))].concat();
                prop_assert!(text.ends_with(&rest));
                prop_assert!(!text.contains(['#', '\\', ' ']));
            }
        }
    }
}
