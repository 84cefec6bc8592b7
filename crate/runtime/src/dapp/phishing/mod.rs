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
use known::{BUILT_ON, KNOWN, LURES, WORDS};
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
        return skeleton(read) == skeleton(other) || spells_out(shown, read, other);
    }
    let (own, of_other) = (skeleton(own_label), skeleton(other_label));
    own == of_other
        || spells_out(shown, read, other)
        || decorates(own_label, other_label)
        || is_near((&own, read), (&of_other, other))
}

/// Whether the whole name of another stands in front of the registered part, or in its label: `uniswap.org.claim.example`,
/// `app-uniswap-org.example`. Parts of words do not count: `codebase.org` is not `base.org`.
fn spells_out(shown: &str, read: &str, other: &str) -> bool {
    let parts = |name: &str| name.split(['.', '-']).map(skeleton).collect::<Vec<_>>();
    let ending = read.split_once('.').map_or("", |(_, ending)| ending);
    let before = shown.strip_suffix(ending).unwrap_or(shown).trim_end_matches('.');
    let (own, of_other) = (parts(before), parts(other));
    own.windows(of_other.len()).any(|window| window == of_other)
}

/// Whether a label is the name of another with something beside it: `uniswap-airdrop`, `claimuniswap`. Of names that are words,
/// and of those that the user is connected to, only what forgers put there.
fn decorates(own: &str, other: &str) -> bool {
    // A name of a few letters is a part of too many others.
    const SHORTEST_PART: usize = 6;
    let is_made_up = KNOWN.iter().any(|known| label(known) == other)
        && !WORDS.contains(&other)
        && !BUILT_ON.contains(&other)
        && other.chars().count() >= SHORTEST_PART;
    let (whole, name) = (skeleton(own), skeleton(other));
    if is_made_up {
        return whole.contains(&name);
    }
    let is_lure = |part: &str| part.is_empty() || LURES.iter().any(|lure| skeleton(lure) == part);
    let parts: Vec<String> = own.split('-').map(skeleton).collect();
    let is_part = parts.contains(&name) && parts.iter().all(|part| *part == name || is_lure(part));
    let joined = || match whole.split_once(&name) {
        Some((front, back)) => name.chars().count() >= SHORTEST_PART && is_lure(front) && is_lure(back),
        None => false,
    };
    is_part || joined()
}

/// Whether a few letters are all that is between a label and that of another. Labels are those that readers see.
fn is_near((own, own_name): (&str, &str), (of_other, other): (&str, &str)) -> bool {
    if WORDS.contains(&label(other)) {
        return false;
    }
    let ending = |name: &str| name.split_once('.').map(|(_, ending)| ending.to_owned());
    let most = match of_other.chars().count() {
        0..=5 => 0,
        // `morph.network` is not `morpho.org`.
        6 => usize::from(ending(own_name) == ending(other)),
        7..=9 => 1,
        _ => 2,
    };
    most > 0 && distance(own, of_other) <= most
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
            ("metamask.io.login.example", vec![LookAlikeSite]),
            ("gmx.io.login.example", vec![LookAlikeSite]),
            ("claimuniswap.example", vec![LookAlikeSite]),
            ("aave-com.example", vec![LookAlikeSite]),
            ("app.base.org.example", vec![LookAlikeSite]),
            ("compound-airdrop.example", vec![LookAlikeSite]),
            ("claimcompound.example", vec![LookAlikeSite]),
            ("rainbow2.example", vec![LookAlikeSite]),
            ("solana-claim.example", vec![LookAlikeSite]),
            ("etherium.org", vec![LookAlikeSite]),
            ("coinbasc.com", vec![LookAlikeSite]),
            ("uniswap.github.io", vec![LookAlikeSite]),
            // A label that is encoded without need.
            ("xn--uniswap-.org", vec![EncodedName, LookAlikeSite]),
            // The letters of `d` as two.
            ("clefillama.com", vec![LookAlikeSite]),
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
            // Words, and parts of words.
            "codebase.org",
            "failsafe.global",
            "bazora.com",
            "solido.finance",
            "rainbows.example",
            "compoundinterest.com",
            "cross.example",
            // Honest names with the name of another in them, or close to one.
            "polygonscan.com",
            "wormholescan.io",
            "rainbowkit.com",
            "solanabeach.io",
            "ethereumprice.org",
            "basescan.org",
            "morph.network",
            "camino.network",
            "phantom.com",
            "yearn.finance",
            "203.0.113.7",
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

    /// Others below the same ending are not the site that the user uses, and do not look like it for that.
    #[test]
    fn owners_below_a_shared_ending() {
        for (host, trusted) in [
            ("bob.github.io", "alice.github.io"),
            ("bakery.vercel.app", "garden.vercel.app"),
            ("smith.co.uk", "jones.co.uk"),
            ("adega.art.br", "padaria.art.br"),
            ("one.id.au", "two.id.au"),
        ] {
            assert_eq!(codes(host, &[trusted]), [], "{host}");
        }
        assert_eq!(codes("garden.github.io", &["garden.vercel.app"]), [ReasonCode::LookAlikeSite]);
        assert_eq!(codes("app.garden.vercel.app", &["garden.vercel.app"]), []);
        assert_eq!(codes("garden-claim.vercel.app", &["garden.vercel.app"]), [ReasonCode::LookAlikeSite]);
    }

    proptest! {
        #[test]
        fn any_host_is_looked_at(host in "[a-z0-9.\\[\\]:-]{0,60}|.{0,60}", other in "[a-z0-9.-]{0,30}") {
            let _ = findings(&host, &[&other]);
        }
    }
}
