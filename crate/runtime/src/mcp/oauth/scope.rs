//! Scopes: what a token is good for.

/// The most scopes that are asked for.
const MAX_SCOPES: usize = 100;
/// The longest name of one, in bytes.
const MAX_LENGTH: usize = 256;
/// The scope that gives refresh tokens, where a server has it.
pub(super) const OFFLINE: &str = "offline_access";

/// The scopes of a list, each once, in their order. What is none is left out.
pub(super) fn read(text: &str) -> Vec<String> {
    union(&[], text.split(' '))
}

/// Whether a text is a scope (RFC 6749 §3.3).
pub(super) fn is_scope(text: &str) -> bool {
    let fits = |byte: u8| matches!(byte, 0x21 | 0x23..=0x5b | 0x5d..=0x7e);
    (1..=MAX_LENGTH).contains(&text.len()) && text.bytes().all(fits)
}

/// Both, each once: those that there are, then the others.
pub(super) fn union<'a>(known: &[String], more: impl IntoIterator<Item = &'a str>) -> Vec<String> {
    let mut scopes = known.to_vec();
    for scope in more {
        if scopes.len() < MAX_SCOPES && is_scope(scope) && !scopes.iter().any(|known| known == scope) {
            scopes.push(scope.to_owned());
        }
    }
    scopes
}

/// What is asked for: what the server's challenge names, else all that its metadata name; and what was asked for before, so
/// that a request for more does not end what was granted. `offline_access` is asked for exactly where the authorization
/// server has it, and never alone.
pub(super) fn choose(
    (challenged, supported): (&[String], &[String]),
    before: &[String],
    server_supports: &[String],
) -> Vec<String> {
    let wanted = if challenged.is_empty() { supported } else { challenged };
    let mut scopes = union(before, wanted.iter().map(String::as_str));
    scopes.retain(|scope| scope != OFFLINE);
    if !scopes.is_empty() && server_supports.iter().any(|scope| scope == OFFLINE) {
        scopes.push(OFFLINE.to_owned());
    }
    scopes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn scopes_that_are_asked_for() {
        for (challenged, supported, before, server, expected) in [
            ("a", "b c", "", "", "a"),
            ("", "b c", "", "", "b c"),
            ("", "", "", "", ""),
            ("", "", "", "offline_access", ""),
            ("a", "", "", "a offline_access", "a offline_access"),
            ("a offline_access", "", "", "a", "a"),
            ("", "a offline_access", "", "", "a"),
            ("write", "", "read offline_access", "offline_access", "read write offline_access"),
            ("read", "", "read write", "", "read write"),
        ] {
            let chosen = choose((&list(challenged), &list(supported)), &list(before), &list(server));
            assert_eq!(chosen, list(expected), "{challenged} {supported} {before} {server}");
        }
    }

    #[test]
    fn what_is_no_scope_is_left_out() {
        assert_eq!(read("a  b\u{e4} \"c\" d\\ e\n f"), ["a", "f"]);
        let many: Vec<String> = (0..200).map(|number| number.to_string()).collect();
        assert_eq!(read(&many.join(" ")).len(), MAX_SCOPES);
        assert!(!is_scope(&"a".repeat(MAX_LENGTH + 1)) && !is_scope(""));
    }
}
