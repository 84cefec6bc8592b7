//! The origin of a backend's address: scheme, host and port. The token, the conversations and what is not delivered yet
//! belong to an origin: another path of it is the same backend, another host or port is not.

/// The origin of an address that the settings took; `None` of an empty one. Two spellings of one host count as two
/// origins where a browser would have to resolve them: nothing is sent then that could be sent.
pub(crate) fn origin(url: &str) -> Option<String> {
    let (scheme, rest) = url.split_once("://")?;
    let host = rest.split('/').next().unwrap_or_default();
    let usual_port = if scheme == "https" { ":443" } else { ":80" };
    let host = host.strip_suffix(usual_port).unwrap_or(host).to_ascii_lowercase();
    Some(format!("{scheme}://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_no_part_of_an_origin() {
        for (url, expected) in [
            ("https://agent.example", "https://agent.example"),
            ("https://agent.example/v1", "https://agent.example"),
            ("https://Agent.Example:443/v2/x", "https://agent.example"),
            ("https://agent.example:8443", "https://agent.example:8443"),
            ("http://127.0.0.1:80/a", "http://127.0.0.1"),
            ("http://127.0.0.1:443", "http://127.0.0.1:443"),
            ("http://localhost:9", "http://localhost:9"),
        ] {
            assert_eq!(origin(url).as_deref(), Some(expected), "{url}");
        }
        assert_eq!(origin(""), None);
    }
}
