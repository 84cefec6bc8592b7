//! Whether a change of the settings lets more happen than before. Pure.

use super::SettingsRow;
use crate::loosening::{Loosening, LooseningKind as Kind};
use chains::Chain;
use wire::api::{Endpoint, SkipApproval};

/// The first way in which `new` lets more happen than `old`. The token is not among these: it goes to the backend that
/// is set, and another backend is.
pub(super) fn loosens(old: &SettingsRow, new: &SettingsRow) -> Option<Loosening> {
    if laxity(new.skip_approval) > laxity(old.skip_approval) {
        return Some(Kind::SkipApproval.at("/skipApproval"));
    }
    if new.auto_lock_minutes > old.auto_lock_minutes {
        return Some(Kind::LongerUnlock.at("/autoLockMinutes"));
    }
    if !new.backend_url.is_empty() && new.backend_url != old.backend_url {
        return Some(Kind::NewBackend.at("/backend/url"));
    }
    let node =
        new.endpoints.iter().find_map(|(chain, nodes)| new_node(chain, old.endpoints.get(chain), nodes));
    node.or_else(|| {
        let added = new.allowed_hosts.iter().position(|host| !old.allowed_hosts.contains(host));
        added.map(|index| Kind::NewHost.at(format!("/allowedHosts/{index}")))
    })
}

/// How many approvals are skipped: none, those of bytes that were approved just before, those in which no risk is found.
const fn laxity(setting: SkipApproval) -> u8 {
    match setting {
        SkipApproval::Never => 0,
        SkipApproval::Confirmed => 1,
        SkipApproval::Always => 2,
    }
}

/// The first node that the chain did not have: neither the user's in any part, nor the table's.
fn new_node(chain: &str, old: Option<&Endpoint>, new: &Endpoint) -> Option<Loosening> {
    let known = Chain::parse(chain).map(|chain| [chain.facts().endpoint, chain.status_endpoint()]);
    let mut known: Vec<&str> = known.into_iter().flatten().collect();
    known.extend(old.into_iter().flat_map(parts).map(|(_, url)| url));
    let (field, _) = parts(new).into_iter().find(|(_, url)| !known.contains(url))?;
    Some(Kind::NewNode.at(format!("/endpoints/{chain}/{field}")))
}

/// Every address of a chain's nodes, and the part that it is in.
fn parts(endpoint: &Endpoint) -> Vec<(String, &str)> {
    let Endpoint { url, others, status_url, rpc_url } = endpoint;
    let mut parts = vec![("url".to_owned(), url.as_str())];
    parts.extend(others.iter().enumerate().map(|(index, url)| (format!("others/{index}"), url.as_str())));
    for (name, url) in [("statusUrl", status_url), ("rpcUrl", rpc_url)] {
        parts.extend(url.as_deref().map(|url| (name.to_owned(), url)));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A change, and what it loosens.
    type Case = (fn(&mut SettingsRow), Option<(&'static str, Kind)>);

    fn nodes(url: &str, others: &[&str], status_url: Option<&str>, rpc_url: Option<&str>) -> Endpoint {
        let text = |url: &str| url.to_owned();
        Endpoint {
            url: text(url),
            others: others.iter().map(|url| text(url)).collect(),
            status_url: status_url.map(text),
            rpc_url: rpc_url.map(text),
        }
    }

    /// A backend, and nodes of the user's on one chain.
    fn usual() -> SettingsRow {
        let nodes = nodes("https://a.example", &["https://b.example"], Some("https://c.example"), None);
        SettingsRow {
            backend_url: "https://agent.example".to_owned(),
            auto_lock_minutes: 15,
            endpoints: [("Ethereum".to_owned(), nodes)].into_iter().collect(),
            allowed_hosts: vec!["a.example".to_owned(), "*.b.example".to_owned()],
            ..SettingsRow::default()
        }
    }

    fn set(row: &mut SettingsRow, chain: &str, endpoint: Endpoint) {
        row.endpoints.insert(chain.to_owned(), endpoint);
    }

    const CASES: &[Case] = &[
        (|_| {}, None),
        (|row| row.skip_approval = SkipApproval::Never, None),
        (|row| row.skip_approval = SkipApproval::Always, Some(("/skipApproval", Kind::SkipApproval))),
        (|row| row.auto_lock_minutes = 14, None),
        (|row| row.auto_lock_minutes = 16, Some(("/autoLockMinutes", Kind::LongerUnlock))),
        (|row| row.backend_url.clear(), None),
        (|row| row.backend_url.push_str("/v2"), Some(("/backend/url", Kind::NewBackend))),
        (|row| row.endpoints.remove("Ethereum"), None),
        (|row| set(row, "Ethereum", nodes("https://b.example", &[], None, None)), None),
        (|row| set(row, "Ethereum", nodes("https://c.example", &["https://a.example"], None, None)), None),
        (
            |row| set(row, "Ethereum", nodes("https://x.example", &[], None, None)),
            Some(("/endpoints/Ethereum/url", Kind::NewNode)),
        ),
        (
            |row| {
                set(
                    row,
                    "Ethereum",
                    nodes("https://a.example", &["https://b.example", "https://x.example"], None, None),
                )
            },
            Some(("/endpoints/Ethereum/others/1", Kind::NewNode)),
        ),
        (
            |row| set(row, "Ethereum", nodes("https://a.example", &[], Some("https://x.example"), None)),
            Some(("/endpoints/Ethereum/statusUrl", Kind::NewNode)),
        ),
        (
            |row| set(row, "Ethereum", nodes("https://a.example", &[], None, Some("https://x.example"))),
            Some(("/endpoints/Ethereum/rpcUrl", Kind::NewNode)),
        ),
        // Another chain's node is not this one's.
        (
            |row| set(row, "Base", nodes("https://a.example", &[], None, None)),
            Some(("/endpoints/Base/url", Kind::NewNode)),
        ),
        // What the table has is what an absent entry means.
        (|row| set(row, "Base", nodes(Chain::Base.facts().endpoint, &[], None, None)), None),
        (
            |row| {
                let polkadot = Chain::Polkadot;
                let status = Some(polkadot.status_endpoint());
                set(row, "Polkadot", nodes(polkadot.facts().endpoint, &[], status, None));
            },
            None,
        ),
    ];

    /// What a host stands for is not weighed: an entry that was not there loosens.
    const HOSTS: &[Case] = &[
        (|row| row.allowed_hosts.reverse(), None),
        (|row| row.allowed_hosts.clear(), None),
        (|row| row.allowed_hosts.push("x.example".to_owned()), Some(("/allowedHosts/2", Kind::NewHost))),
        (
            |row| row.allowed_hosts = vec!["a.example:8443".to_owned()],
            Some(("/allowedHosts/0", Kind::NewHost)),
        ),
    ];

    #[test]
    fn every_part_is_compared() {
        for (number, (change, expected)) in CASES.iter().chain(HOSTS).enumerate() {
            let (old, mut new) = (usual(), usual());
            change(&mut new);
            let expected = expected.map(|(path, kind)| kind.at(path));
            assert_eq!(loosens(&old, &new), expected, "case {number}");
        }
    }

    #[test]
    fn only_a_laxer_skip_loosens() {
        let all = [SkipApproval::Never, SkipApproval::Confirmed, SkipApproval::Always];
        for (place, old) in all.into_iter().enumerate() {
            for (other, new) in all.into_iter().enumerate() {
                let row = |skip_approval| SettingsRow { skip_approval, ..usual() };
                assert_eq!(loosens(&row(old), &row(new)).is_some(), other > place, "{old:?} to {new:?}");
            }
        }
    }
}
