//! Sign-In with Ethereum (EIP-4361) and with Solana: a text that names the site, the account and a session.
//!
//! ```text
//! example.org wants you to sign in with your Ethereum account:
//! 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2
//!
//! I accept the Terms of Service.
//!
//! URI: https://example.org/login
//! Version: 1
//! Chain ID: 1
//! Nonce: 32891756
//! Issued At: 2021-09-30T16:25:24Z
//! Expiration Time: …  Not Before: …  Request ID: …
//! Resources:
//! - ipfs://…
//! ```
//!
//! Solana's has the same form, and everything below the account is optional. The site must be the page that asks: a
//! message for another site is refused, whether the rest of it is well-formed or not.

use super::time;
use super::{MessageError, text};
use crate::address::evm;
use crate::transaction::Account;
use crate::{Chain, Kind};
use wire::api::Millis;
use wire::message::{MessageNotice, SignIn};
use wire::policy::ReasonCode;

/// What stands between the site and the name of the chain's kind.
const WANTS: &str = " wants you to sign in with your ";

/// What a text is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Reading {
    /// Anything else.
    Other,
    /// A sign-in.
    SignIn(Box<SignIn>),
    /// It says that it is one, and is not well-formed.
    Malformed,
}

/// Reads a text, and refuses a sign-in for another site or account.
pub(super) fn read(message: &str, origin: &str, account: &Account) -> Result<Reading, MessageError> {
    let first = message.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let Some((site, _)) = first.split_once(WANTS) else {
        // In other capitals or spaces a person reads the same.
        let claims = text::visible(message).0.to_lowercase().contains("wants you to sign in with your");
        return Ok(if claims { Reading::Malformed } else { Reading::Other });
    };
    if !is_of(site, origin) {
        let (domain, origin) = (text::visible(site).0, origin.to_owned());
        return Err(MessageError::SignInDomain { domain, origin });
    }
    let Some(found) = parse(message, account.chain) else { return Ok(Reading::Malformed) };
    let is_own = match account.chain.kind() {
        Kind::Evm => evm::decode(&found.address).ok() == evm::decode(&account.address).ok(),
        _ => found.address == account.address,
    };
    match is_own {
        true => Ok(Reading::SignIn(Box::new(found))),
        false => Err(MessageError::SignInAccount { address: found.address }),
    }
}

/// Whether a site, with or without its scheme, is that of an origin.
fn is_of(site: &str, origin: &str) -> bool {
    let Some((scheme, authority)) = origin.split_once("://") else { return false };
    let (said, site) = site.split_once("://").map_or((None, site), |(scheme, site)| (Some(scheme), site));
    let named = host(site, scheme);
    let same_scheme = said.is_none_or(|said| said.eq_ignore_ascii_case(scheme));
    same_scheme && named.is_some() && named == host(authority, scheme)
}

/// Host and port of an authority; nothing where it is none.
fn host(authority: &str, scheme: &str) -> Option<(String, u16)> {
    let plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, '.' | '-' | '_' | '[' | ']' | ':');
    if authority.is_empty() || !authority.chars().all(plain) {
        return None;
    }
    let usual = if scheme.eq_ignore_ascii_case("https") { 443 } else { 80 };
    let (host, port) =
        match authority.rsplit_once(':').filter(|(host, _)| !host.contains(':') || host.ends_with(']')) {
            Some((host, port)) => (host, port.parse().ok()?),
            None => (authority, usual),
        };
    Some((host.to_ascii_lowercase(), port))
}

/// The named lines of a sign-in, in their order.
const FIELDS: [&str; 8] =
    ["URI", "Version", "Chain ID", "Nonce", "Issued At", "Expiration Time", "Not Before", "Request ID"];

/// Whether a text begins with a named line.
fn is_field(text: &str, name: &str) -> bool {
    text.strip_prefix(name).is_some_and(|rest| rest.starts_with(": ")) || text.starts_with("Resources:\n")
}

/// The lines of a sign-in; `None` where it is not well-formed.
fn parse(message: &str, chain: Chain) -> Option<SignIn> {
    let strict = chain.kind() == Kind::Evm;
    let name = if strict { "Ethereum" } else { "Solana" };
    let (head, rest) = message.split_once('\n').unwrap_or((message, ""));
    let domain = head.strip_suffix(" account:")?.strip_suffix(name)?.strip_suffix(WANTS)?;
    let domain = domain.split_once("://").map_or(domain, |(_, domain)| domain);
    let (address, rest) = rest.split_once('\n').map_or((rest, None), |(address, rest)| (address, Some(rest)));
    let mut found = SignIn { domain: domain.to_owned(), address: address.to_owned(), ..SignIn::default() };
    // The account is checked against the one that signs, which is well-formed.
    let Some(rest) = rest else { return (!strict).then_some(found) };
    let rest = rest.strip_prefix('\n')?;
    let rest = match (strict, rest.strip_prefix('\n')) {
        (true, Some(fields)) => fields,
        // Every field is optional there, and the statement too.
        _ if !strict && FIELDS.iter().any(|name| is_field(rest, name)) => rest,
        _ => {
            let (statement, rest) =
                rest.split_once('\n').map_or((rest, None), |(one, rest)| (one, Some(rest)));
            let is_text = !statement.is_empty() && statement.chars().all(|c| !c.is_control());
            found.statement = is_text.then(|| statement.to_owned());
            if !is_text && strict {
                return None;
            }
            match rest {
                Some(rest) => rest.strip_prefix('\n')?,
                None if strict => return None,
                None => return Some(found),
            }
        }
    };
    fields(rest, strict, found)
}

/// The named lines, in their order; each once.
fn fields(text: &str, strict: bool, mut found: SignIn) -> Option<SignIn> {
    let mut lines = text.split('\n').peekable();
    let mut take = |name: &str| {
        let value = lines.peek().and_then(|line| line.strip_prefix(name)?.strip_prefix(": "))?;
        lines.next();
        Some(value.to_owned())
    };
    found.uri = take("URI");
    let version = take("Version");
    found.chain_id = take("Chain ID");
    found.nonce = take("Nonce");
    found.issued_at = take("Issued At");
    found.expiration_time = take("Expiration Time");
    found.not_before = take("Not Before");
    found.request_id = take("Request ID");
    if lines.peek() == Some(&"Resources:") {
        lines.next();
        while let Some(resource) = lines.peek().and_then(|line| line.strip_prefix("- ")) {
            found.resources.push(resource.to_owned());
            lines.next();
        }
    }
    if lines.next().is_some() {
        return None;
    }
    let times = [&found.issued_at, &found.expiration_time, &found.not_before];
    let well_timed = times.into_iter().flatten().all(|text| time::parse(text).is_some());
    let of_version = version.as_deref().is_none_or(|version| version == "1");
    let unbroken =
        |text: &Option<String>| text.as_ref().is_none_or(|text| text.chars().all(|c| c.is_ascii_graphic()));
    let well_formed = well_timed
        && of_version
        && unbroken(&found.uri)
        && unbroken(&found.request_id)
        && found
            .resources
            .iter()
            .all(|text| text.chars().all(|c| c.is_ascii_graphic()) && text.contains(':'));
    let whole = || {
        let nonce = found
            .nonce
            .as_ref()
            .is_some_and(|nonce| nonce.len() >= 8 && nonce.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let chain = found.chain_id.as_ref().is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_digit()));
        let uri = found.uri.as_ref().is_some_and(|uri| uri.contains(':'));
        nonce && chain && uri && version.is_some() && found.issued_at.is_some()
    };
    (well_formed && (!strict || whole())).then_some(found)
}

/// What a person should look at twice in a sign-in that is for the right site.
pub(super) fn doubts(found: &SignIn, origin: &str, chain: Chain, now: Millis) -> Vec<MessageNotice> {
    let mut notices = Vec::new();
    let mut doubt = |message: String| {
        notices.push(MessageNotice { code: ReasonCode::DoubtfulSignIn, message });
    };
    if let Some(uri) = &found.uri
        && let Some((scheme, rest)) = uri.split_once("://")
        && matches!(scheme.to_ascii_lowercase().as_str(), "http" | "https")
    {
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if !is_of(&format!("{scheme}://{authority}"), origin) {
            doubt(format!("The session is for {uri}, which is another site than {origin}."));
        }
    }
    let here = match chain.evm_id() {
        Some(id) => vec![id.to_string()],
        None => ["mainnet", "solana:mainnet", "mainnet-beta", "solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp"]
            .map(str::to_owned)
            .to_vec(),
    };
    if let Some(id) = found.chain_id.as_ref().filter(|id| !here.contains(id)) {
        doubt(format!("It is for the chain {id}, and the page is on another."));
    }
    let at = |text: &Option<String>| text.as_deref().and_then(time::parse);
    if at(&found.expiration_time).is_some_and(|end| end <= now) {
        doubt("It has expired already.".to_owned());
    }
    if at(&found.not_before).is_some_and(|start| start > now) {
        doubt("It cannot be used yet.".to_owned());
    }
    // A clock may be a little wrong.
    if at(&found.issued_at).is_some_and(|made| made > now + 300_000) {
        doubt("It says that it was made in the future.".to_owned());
    }
    notices
}

/// Until when a sign-in may be used.
pub(super) fn until(found: &SignIn) -> Option<Millis> {
    found.expiration_time.as_deref().and_then(time::parse)
}

/// The text of a sign-in with Solana. Line ends in a field would make other fields of it, so there may be none.
pub fn solana_text(sign_in: &SignIn, version: Option<&str>) -> Option<String> {
    let SignIn { domain, address, statement, uri, chain_id, nonce, .. } = sign_in;
    let SignIn { issued_at, expiration_time, not_before, request_id, resources, .. } = sign_in;
    let mut out = format!("{domain}{WANTS}Solana account:\n{address}");
    if let Some(statement) = statement {
        out.push_str(&format!("\n\n{statement}"));
    }
    let named = [
        ("URI", uri.as_deref()),
        ("Version", version),
        ("Chain ID", chain_id.as_deref()),
        ("Nonce", nonce.as_deref()),
        ("Issued At", issued_at.as_deref()),
        ("Expiration Time", expiration_time.as_deref()),
        ("Not Before", not_before.as_deref()),
        ("Request ID", request_id.as_deref()),
    ];
    let mut lines: Vec<String> =
        named.iter().filter_map(|(name, value)| Some(format!("{name}: {}", (*value)?))).collect();
    if !resources.is_empty() {
        lines.push("Resources:".to_owned());
        lines.extend(resources.iter().map(|resource| format!("- {resource}")));
    }
    let texts = [Some(domain.as_str()), Some(address), statement.as_deref()].into_iter();
    let broken = |text: &str| text.contains(['\n', '\r']);
    let values = named.iter().map(|(_, value)| *value).chain(texts);
    if values.flatten().any(broken) || resources.iter().any(|text| broken(text)) {
        return None;
    }
    if !lines.is_empty() {
        out.push_str("\n\n");
        out.push_str(&lines.join("\n"));
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signing::PublicKey;

    const ADDRESS: &str = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
    const SOLANA: &str = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T";

    fn account(chain: Chain) -> Account {
        match chain {
            Chain::Solana => Account { chain, key: PublicKey::Ed25519([1; 32]), address: SOLANA.to_owned() },
            _ => Account { chain, key: PublicKey::Secp256k1([2; 33]), address: ADDRESS.to_owned() },
        }
    }

    fn siwe(site: &str) -> String {
        format!(
            "{site} wants you to sign in with your Ethereum account:\n{ADDRESS}\n\nI accept.\n\n\
             URI: https://example.org/login\nVersion: 1\nChain ID: 1\nNonce: 32891756\n\
             Issued At: 2021-09-30T16:25:24Z\nExpiration Time: 2031-09-30T16:25:24Z\nRequest ID: a%20b\n\
             Resources:\n- ipfs://bafy\n- https://example.org/x.json"
        )
    }

    fn reads(text: &str, origin: &str) -> Result<Reading, MessageError> {
        read(text, origin, &account(Chain::Ethereum))
    }

    fn is_sign_in(text: &str, origin: &str) -> bool {
        matches!(reads(text, origin), Ok(Reading::SignIn(_)))
    }

    #[test]
    fn a_sign_in_for_the_page_is_read_whole() {
        let Ok(Reading::SignIn(found)) = reads(&siwe("example.org"), "https://example.org") else { panic!() };
        assert_eq!((found.domain.as_str(), found.statement.as_deref()), ("example.org", Some("I accept.")));
        assert_eq!((found.resources.len(), found.request_id.as_deref()), (2, Some("a%20b")));
        assert_eq!(until(&found), Some(1_948_551_924_000));
        assert_eq!(doubts(&found, "https://example.org", Chain::Ethereum, 1_700_000_000_000), []);
        let late = doubts(&found, "https://example.org", Chain::Base, 2_000_000_000_000);
        assert_eq!(late.len(), 2, "{late:?}");
        assert!(is_sign_in(&siwe("https://example.org"), "https://example.org"));
        let without = siwe("example.org").replace("I accept.\n", "");
        assert!(is_sign_in(&without, "https://example.org"));
    }

    #[test]
    fn the_site_must_be_the_page() {
        for (site, origin, right) in [
            ("example.org", "https://example.org", true),
            ("EXAMPLE.org", "https://example.org", true),
            ("example.org:443", "https://example.org", true),
            ("localhost:8080", "http://localhost:8080", true),
            ("localhost", "http://localhost:8080", false),
            ("example.org", "https://example.org:8443", false),
            ("http://example.org", "https://example.org", false),
            ("example.org", "https://evil.org", false),
            ("example.org@evil.org", "https://evil.org", false),
            ("example.org.evil.org", "https://example.org", false),
            ("ехample.org", "https://example.org", false),
            ("ех", "https://ех", false),
            ("", "https://example.org", false),
        ] {
            let found = reads(&siwe(site), origin);
            assert_eq!(found.is_ok(), right, "{site} {origin} {found:?}");
            if !right {
                assert!(matches!(found, Err(MessageError::SignInDomain { .. })));
            }
        }
        let other = siwe("example.org").replace(ADDRESS, "0x0000000000000000000000000000000000000001");
        assert!(matches!(reads(&other, "https://example.org"), Err(MessageError::SignInAccount { .. })));
    }

    /// What is not well-formed is still refused for another site, and a claim in other capitals is seen.
    #[test]
    fn what_claims_to_be_a_sign_in_is_not_taken_for_a_text() {
        let origin = "https://example.org";
        let good = siwe("example.org");
        for bad in [
            good.replace("Version: 1", "Version: 2"),
            good.replace("Nonce: 32891756", "Nonce: 123"),
            good.replace("URI: https://example.org/login\n", ""),
            good.replace("Issued At: 2021-09-30T16:25:24Z", "Issued At: yesterday"),
            good.replace("Chain ID: 1\n", "Chain ID: one\n"),
            format!("{good}\nand more"),
            good.replace("Ethereum account:", "ethereum account:"),
            good.replace(" wants you", " WANTS you"),
        ] {
            assert_eq!(reads(&bad, origin), Ok(Reading::Malformed), "{bad}");
        }
        let evil = good.replace("Version: 1", "Version: 2");
        assert!(matches!(reads(&evil, "https://evil.org"), Err(MessageError::SignInDomain { .. })));
        assert_eq!(reads("Hello", origin), Ok(Reading::Other));
    }

    fn bare_sign_in() -> SignIn {
        SignIn { domain: "example.org".to_owned(), address: SOLANA.to_owned(), ..SignIn::default() }
    }

    #[test]
    fn solana_sign_ins_are_made_and_read() {
        let sign_in = SignIn {
            domain: "example.org".to_owned(),
            address: SOLANA.to_owned(),
            statement: Some("Welcome".to_owned()),
            uri: Some("https://example.org".to_owned()),
            nonce: Some("abcdefgh".to_owned()),
            resources: vec!["https://example.org/a".to_owned()],
            ..SignIn::default()
        };
        let text = solana_text(&sign_in, Some("1")).unwrap();
        let found = read(&text, "https://example.org", &account(Chain::Solana));
        assert_eq!(found, Ok(Reading::SignIn(Box::new(sign_in.clone()))), "{text}");
        let bare = bare_sign_in();
        let text = solana_text(&bare, None).unwrap();
        assert_eq!(text, format!("example.org wants you to sign in with your Solana account:\n{SOLANA}"));
        let found = read(&text, "https://example.org", &account(Chain::Solana));
        assert_eq!(found, Ok(Reading::SignIn(Box::new(bare))));
        // Without a statement and an address, as wallets' own examples are.
        for one in [
            SignIn { nonce: Some("abcdefgh".to_owned()), ..bare_sign_in() },
            SignIn { chain_id: Some("solana:mainnet".to_owned()), ..bare_sign_in() },
            SignIn { expiration_time: Some("2031-09-30T16:25:24Z".to_owned()), ..bare_sign_in() },
            SignIn { resources: vec!["https://example.org/a".to_owned()], ..bare_sign_in() },
        ] {
            let text = solana_text(&one, None).unwrap();
            let found = read(&text, "https://example.org", &account(Chain::Solana));
            assert_eq!(found, Ok(Reading::SignIn(Box::new(one))), "{text}");
        }
        let broken = SignIn { statement: Some("a\n\nURI: b".to_owned()), ..sign_in };
        assert_eq!(solana_text(&broken, None), None);
    }
}
