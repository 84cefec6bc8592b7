//! Whether a site is what it seems. Its name is all there is to look at: Chromium tells an extension nothing of a page's
//! certificate.

mod known;
mod list;
mod name;
mod punycode;
mod script;

pub(crate) use list::{ListHead, SiteLists, parse_list};
pub(crate) use punycode::decoded_host;

use super::sites::SiteRow;
use crate::Core;
use crate::policy::severity;
use crate::store::StoreError;
use known::KNOWN;
use name::{distance, label, registrable};
use punycode::is_encoded;
use script::{mixes_scripts, skeleton};
use wire::policy::{Reason, ReasonCode, Severity};

/// Names this short are close to too many others.
const SHORTEST: usize = 4;

/// The host of an origin.
pub(crate) fn host(origin: &str) -> &str {
    let rest = origin.split_once("://").map_or(origin, |(_, rest)| rest);
    match rest.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => host,
        _ => rest,
    }
}

/// Whether a host is this machine, or an address: there is no name that could deceive.
fn has_no_name(host: &str) -> bool {
    host == "localhost" || host.starts_with('[') || host.parse::<std::net::Ipv4Addr>().is_ok()
}

/// What is to be said of a name, without the user's list: `trusted` are hosts that the user is connected to.
fn findings(host: &str, trusted: &[&str]) -> Vec<(ReasonCode, String)> {
    let mut found = Vec::new();
    if has_no_name(host) {
        return found;
    }
    let shown = decoded_host(host);
    if is_encoded(host) {
        found.push((ReasonCode::EncodedName, format!("The name of this site reads {shown} and is {host}.")));
    }
    if mixes_scripts(&shown) {
        let message = "The name of this site mixes letters of several scripts.".to_owned();
        found.push((ReasonCode::MixedScripts, message));
    }
    if let Some(other) = look_alike(host, &shown, trusted) {
        let message = format!("This site is not {other}, and its name looks like it.");
        found.push((ReasonCode::LookAlikeSite, message));
    }
    found
}

/// The site that a name would be taken for.
fn look_alike<'a>(host: &str, shown: &str, trusted: &[&'a str]) -> Option<&'a str> {
    let own = registrable(host);
    let trusted = trusted.iter().copied().filter(|other| !has_no_name(other)).map(registrable);
    let others: Vec<&'a str> = trusted.chain(KNOWN.iter().copied()).collect();
    // A name that is known is what it seems.
    if others.contains(&own) {
        return None;
    }
    let read = registrable(shown);
    others.into_iter().find(|other| imitates(shown, read, other))
}

/// Whether a host, read as it looks, would be taken for another's.
fn imitates(shown: &str, read: &str, other: &str) -> bool {
    let (own_label, other_label) = (label(read), label(other));
    if other_label.chars().count() < SHORTEST {
        return skeleton(read) == skeleton(other);
    }
    let (own, of_other) = (skeleton(own_label), skeleton(other_label));
    if own == of_other {
        return true;
    }
    // `uniswap.org.claim.example`, `app-uniswap-org.example`.
    let whole = skeleton(&shown.replace('.', "-"));
    if shown.contains(&[other, "."].concat()) || whole.contains(&skeleton(&other.replace('.', "-"))) {
        return true;
    }
    let length = of_other.chars().count();
    // `uniswap-airdrop.example`, `claimuniswap.example`.
    if length >= 6 && own.contains(&of_other) {
        return true;
    }
    let most = match length {
        0..=5 => 0,
        6..=9 => 1,
        _ => 2,
    };
    most > 0 && distance(&own, &of_other) <= most
}

fn reason((code, message): (ReasonCode, String)) -> Reason {
    Reason { code, severity: severity(code), message, sequence: None }
}

/// Whether a reason keeps a site from being heard.
pub(crate) fn blocks(reason: &Reason) -> bool {
    reason.severity == Severity::Block
}

/// That the page which asked is gone.
pub(crate) fn page_gone() -> Reason {
    let message = "The page that asked is gone: its tab was closed, or shows something else by now.";
    reason((ReasonCode::PageGone, message.to_owned()))
}

/// What is to be said of a site, on its prompts: with the user's list and the sites that the user is connected to. `site` is
/// what was seen of it, where that is at hand.
pub(crate) async fn reasons(
    core: &Core,
    origin: &str,
    site: Option<&SiteRow>,
) -> Result<Vec<Reason>, StoreError> {
    let host = host(origin);
    let connections = core.connections.all().await?;
    let connected = connections.iter().any(|connection| connection.origin == origin);
    let trusted: Vec<&str> = connections
        .iter()
        .filter(|connection| connection.origin != origin && !connection.vault_ids.is_empty())
        .map(|connection| self::host(&connection.origin))
        .collect();
    let mut found = findings(host, &trusted);
    let row;
    let site = match site {
        Some(site) => site,
        None => {
            row = core.sites.get(origin).await?.row;
            &row
        }
    };
    let listed = core.site_lists.find(host).await?;
    if let Some(entry) = listed.blocked.filter(|_| !site.let_in && !listed.allowed) {
        let message = format!("Your list of harmful sites names {entry}.");
        found.insert(0, (ReasonCode::ListedSite, message));
    } else if listed.allowed {
        found.retain(|(code, _)| *code != ReasonCode::LookAlikeSite);
    } else if let Some(meant) = listed.resembles
        && !found.iter().any(|(code, _)| *code == ReasonCode::LookAlikeSite)
    {
        let message = format!("This site is not {meant}, and its name looks like it.");
        found.push((ReasonCode::LookAlikeSite, message));
    }
    if site.approvals == 0 && !connected {
        let message = "You have not let this site in before.".to_owned();
        found.push((ReasonCode::NewSite, message));
    }
    Ok(found.into_iter().map(reason).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn codes(host: &str, trusted: &[&str]) -> Vec<ReasonCode> {
        findings(host, trusted).into_iter().map(|(code, _)| code).collect()
    }

    #[test]
    fn hosts_of_origins() {
        for (origin, expected) in [
            ("https://app.example", "app.example"),
            ("https://app.example:8443", "app.example"),
            ("http://localhost:3000", "localhost"),
            ("http://[::1]:3000", "[::1]"),
            ("https://[2001:db8::1]", "[2001:db8::1]"),
        ] {
            assert_eq!(host(origin), expected);
        }
    }

    #[test]
    fn forged_names_are_found() {
        use ReasonCode::{EncodedName, LookAlikeSite, MixedScripts};
        for (host, found) in [
            // `uniswаp.org` with a Cyrillic letter, `аррӏе.com` in Cyrillic alone.
            ("xn--uniswp-7nf.org", vec![EncodedName, MixedScripts, LookAlikeSite]),
            ("xn--80ak6aa92e.com", vec![EncodedName]),
            ("xn--bcher-kva.example", vec![EncodedName]),
            ("uniswop.org", vec![LookAlikeSite]),
            ("un1swap.com", vec![LookAlikeSite]),
            ("uniswap.com", vec![LookAlikeSite]),
            ("app.uniswap.org.claim.example", vec![LookAlikeSite]),
            ("uniswap-airdrop.vercel.app", vec![LookAlikeSite]),
            ("app-uniswap-org.pages.dev", vec![LookAlikeSite]),
            ("0pensea.io", vec![LookAlikeSite]),
            ("rnetamask.io", vec![LookAlikeSite]),
        ] {
            assert_eq!(codes(host, &[]), found, "{host}");
        }
    }

    #[test]
    fn honest_names_are_left_alone() {
        for host in [
            "app.uniswap.org",
            "uniswap.org",
            "docs.uniswap.org",
            "aave.com",
            "app.aave.com",
            "safe.global",
            "localhost",
            "127.0.0.1",
            "[::1]",
            "example.com",
            "github.io",
            "save.com",
            "wave.com",
            "curveball.com",
            "swap.example",
        ] {
            assert_eq!(codes(host, &[]), [], "{host}");
        }
    }

    /// A site that the user is connected to is imitated as a well-known one is.
    #[test]
    fn connected_sites_are_protected() {
        let trusted = ["app.mylittledex.example"];
        assert_eq!(codes("app.my1ittledex.example", &trusted), [ReasonCode::LookAlikeSite]);
        assert_eq!(codes("mylittledex.example", &trusted), []);
        assert_eq!(codes("docs.mylittledex.example", &trusted), []);
        assert_eq!(codes("mylittledex.test", &trusted), [ReasonCode::LookAlikeSite]);
        assert_eq!(codes("app.my1ittledex.example", &["localhost", "127.0.0.1"]), []);
    }

    proptest! {
        #[test]
        fn any_host_is_looked_at(host in "[a-z0-9.\\[\\]:-]{0,60}|.{0,60}", other in "[a-z0-9.-]{0,30}") {
            let _ = findings(&host, &[&other]);
        }
    }
}
