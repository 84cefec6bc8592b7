//! The list of harmful sites that the user brings: lines of names, or the JSON of `eth-phishing-detect` (`blacklist`,
//! `whitelist`, `fuzzylist`, `tolerance`; also `blocklist`, `allowlist`). A name stands for the names below it too.
//!
//! Names are kept in buckets by a digest: looking one up reads a few kilobytes, however long the list is.

use super::name::{distance, registrable};
use super::punycode::decoded_host;
use crate::database::Database;
use crate::id::digest;
use crate::store::{self, Batch, Durability, Reads, StoreError, Stored, owned_tables};
use derive::Record;
use serde_json::Value;
use std::rc::Rc;
use wire::api::Millis;

owned_tables! {
    /// Bucket → names, one on each line.
    BUCKETS: SiteListRight = SiteList, String;
    /// One row: what the list is.
    HEAD: SiteListHeadRight = SiteListHead, ListHead;
}

/// Names that a list may have.
pub(crate) const MAX_NAMES: usize = 300_000;
/// Names that a list may allow, or protect.
const MAX_OTHERS: usize = 20_000;
/// The longest name.
const MAX_NAME: usize = 253;
/// Hex digits of a name's digest that make its bucket: 256 of them.
const BUCKET: usize = 2;
/// Labels of a host that are looked at: the list names registered hosts, and forgers add labels in front.
const MAX_LABELS: usize = 12;

/// What the list is.
#[derive(Debug, Clone, PartialEq, Eq, Default, Record)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ListHead {
    /// How many names it has.
    pub(crate) count: u64,
    /// SHA-256 of the text that it was read from, hex.
    pub(crate) digest: String,
    pub(crate) updated_at: Millis,
    /// Names that are fine in any case.
    #[record(default)]
    pub(crate) allowed: Vec<String>,
    /// Names that others imitate.
    #[record(default)]
    pub(crate) protected: Vec<String>,
    /// How far a name may be from one of these and still imitate it.
    #[record(default)]
    pub(crate) tolerance: u32,
}

/// A list as it was read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ParsedList {
    blocked: Vec<String>,
    allowed: Vec<String>,
    protected: Vec<String>,
    tolerance: u32,
}

/// What a list says of a host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Listed {
    /// The entry that names it.
    pub(crate) blocked: Option<String>,
    pub(crate) allowed: bool,
    /// The protected name that it imitates.
    pub(crate) resembles: Option<String>,
}

/// Reads a list. The error says what is wrong with it.
pub(crate) fn parse_list(text: &str) -> Result<ParsedList, String> {
    let list = match text.trim_start().starts_with('{') {
        true => parse_json(text)?,
        false => ParsedList { blocked: lines(text)?, ..ParsedList::default() },
    };
    if list.blocked.len() > MAX_NAMES {
        return Err(format!("has more than {MAX_NAMES} names"));
    }
    if list.allowed.len().max(list.protected.len()) > MAX_OTHERS {
        return Err(format!("allows or protects more than {MAX_OTHERS} names"));
    }
    Ok(list)
}

/// One name on each line; what follows `#` is a comment. Lines of hosts files have an address before their names, and those of
/// blockers' lists are `||name^`.
fn lines(text: &str) -> Result<Vec<String>, String> {
    let mut names = Vec::new();
    for (number, line) in text.trim_start_matches('\u{feff}').lines().enumerate() {
        let line = line.split('#').next().unwrap_or_default().trim();
        if line.is_empty() || line.starts_with(['!', '[']) {
            continue;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        let (listed, is_hosts_file) = match words.as_slice() {
            [address, hosts @ ..] if is_address(address) && !hosts.is_empty() => (hosts, true),
            [_] => (words.as_slice(), false),
            _ => (&[] as &[&str], false),
        };
        let wrong = || format!("line {} is not the name of a host", number + 1);
        if listed.is_empty() {
            return Err(wrong());
        }
        for word in listed {
            let rule = word.strip_prefix("||").map(|rule| rule.strip_suffix('^').unwrap_or(rule));
            let name = spelled(rule.unwrap_or(word)).ok_or_else(wrong)?;
            if !(is_hosts_file && is_own(&name)) {
                names.push(name);
            }
        }
    }
    Ok(names)
}

/// An IP address, with the interface that hosts files may add.
fn is_address(word: &str) -> bool {
    word.split('%').next().is_some_and(|address| address.parse::<std::net::IpAddr>().is_ok())
}

/// What hosts files say of this machine and its network.
fn is_own(name: &str) -> bool {
    matches!(name, "localhost" | "localhost.localdomain" | "local" | "broadcasthost")
        || name.starts_with("ip6-")
        || is_address(name)
}

fn parse_json(text: &str) -> Result<ParsedList, String> {
    let Ok(Value::Object(fields)) = serde_json::from_str(text) else {
        return Err("is neither lines of names nor a JSON object".to_owned());
    };
    let names = |keys: [&str; 2]| {
        let mut names = Vec::new();
        for key in keys {
            match fields.get(key) {
                None | Some(Value::Null) => {}
                Some(Value::Array(entries)) => {
                    for (index, entry) in entries.iter().enumerate() {
                        let name = entry.as_str().and_then(spelled);
                        names.push(name.ok_or_else(|| format!("/{key}/{index} is not the name of a host"))?);
                    }
                }
                Some(_) => return Err(format!("/{key} must be an array")),
            }
        }
        Ok(names)
    };
    let tolerance = match fields.get("tolerance") {
        None | Some(Value::Null) => 0,
        Some(value) => match value.as_u64() {
            Some(count @ 0..=5) => count as u32,
            _ => return Err("/tolerance must be a whole number from 0 to 5".to_owned()),
        },
    };
    let (blocked, allowed) = (names(["blacklist", "blocklist"])?, names(["whitelist", "allowlist"])?);
    Ok(ParsedList { blocked, allowed, protected: names(["fuzzylist", "fuzzy"])?, tolerance })
}

/// A name in small letters, from an address or a name. Letters that are not ASCII are as they are read or as browsers encode
/// them: a host is looked up in both forms.
fn spelled(text: &str) -> Option<String> {
    let rest = text.trim().split_once("://").map_or(text.trim(), |(_, rest)| rest);
    let name = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let name = name.strip_prefix("*.").unwrap_or(name).trim_matches('.').to_lowercase();
    let fits = !name.is_empty()
        && name.len() <= MAX_NAME
        && !name.chars().any(|c| c.is_whitespace() || c.is_control() || "@|^*$,<>\"'\\".contains(c));
    fits.then_some(name)
}

/// A host and the names above it: those that an entry of a list can be.
fn suffixes(host: &str) -> impl Iterator<Item = &str> {
    let starts = std::iter::once(0).chain(host.match_indices('.').map(|(place, _)| place + 1));
    let all: Vec<&str> = starts.filter_map(|start| host.get(start..)).collect();
    let surplus = all.len().saturating_sub(MAX_LABELS);
    all.into_iter().skip(surplus)
}

fn bucket(name: &str) -> String {
    digest(&["site", name]).chars().take(BUCKET).collect()
}

/// The user's list of sites. The only writer of the parts `list/` and `head` of `sites`.
pub(crate) struct SiteLists {
    database: Rc<Database>,
}

impl SiteLists {
    pub(crate) const fn new(database: Rc<Database>) -> Self {
        Self { database }
    }

    /// What the list is; empty without one.
    pub(crate) async fn head(&self) -> Result<ListHead, StoreError> {
        let head = store::get(self.database.store(), HEAD, "").await?;
        Ok(head.map(|stored| *stored.record).unwrap_or_default())
    }

    /// Puts another list in the place of the one that there is.
    pub(crate) async fn replace(&self, text: &str, list: ParsedList) -> Result<ListHead, StoreError> {
        let mut buckets: Vec<String> = vec![String::new(); 1 << (4 * BUCKET)];
        let mut blocked = list.blocked;
        blocked.sort_unstable();
        blocked.dedup();
        for name in &blocked {
            let place = usize::from_str_radix(&bucket(name), 16).unwrap_or_default();
            if let Some(lines) = buckets.get_mut(place) {
                lines.push_str(name);
                lines.push('\n');
            }
        }
        let head = ListHead {
            count: blocked.len() as u64,
            digest: crate::audit::digest(text),
            updated_at: self.database.now(),
            allowed: list.allowed,
            protected: list.protected,
            tolerance: list.tolerance,
        };
        let mut batch = Batch::new(Durability::Strict);
        for (place, lines) in buckets.into_iter().enumerate() {
            let key = format!("{place:02x}");
            match lines.is_empty() {
                true => batch.delete(BUCKETS, &key),
                false => batch.put(BUCKETS, &key, &lines),
            }
        }
        batch.put(HEAD, "", &head);
        batch.note(wire::audit::AuditRecord::Change {
            what: "site_list_replaced".to_owned(),
            subject: Some(head.digest.clone()),
        });
        self.database.commit(batch).await?;
        Ok(head)
    }

    /// What the list says of a host.
    pub(crate) async fn find(&self, host: &str) -> Result<Listed, StoreError> {
        let mut reads = Reads::new();
        let head = reads.get(HEAD, "");
        let read = decoded_host(host);
        let mut names: Vec<&str> = suffixes(host).collect();
        names.extend(suffixes(&read).filter(|_| read != host));
        let slots: Vec<_> = names.iter().map(|name| reads.get(BUCKETS, &bucket(name))).collect();
        let snapshot = reads.from(self.database.store()).await?;
        let Some(Stored { record: head, .. }) = snapshot.one(head)? else { return Ok(Listed::default()) };
        let mut listed = Listed {
            allowed: names.iter().any(|name| head.allowed.iter().any(|entry| entry == name)),
            resembles: resembles(host, &head),
            ..Listed::default()
        };
        for (name, slot) in names.iter().zip(slots) {
            let found =
                snapshot.one(slot)?.is_some_and(|lines| lines.record.lines().any(|line| line == *name));
            if found {
                listed.blocked = Some((*name).to_owned());
                break;
            }
        }
        Ok(listed)
    }
}

/// The protected name that a host is close to, without being it.
fn resembles(host: &str, head: &ListHead) -> Option<String> {
    let own = registrable(host);
    let protected = |name: &&String| own == name.as_str() || host == name.as_str();
    if head.protected.iter().any(|name| protected(&name)) {
        return None;
    }
    let before_top = |name: &str| name.rsplit_once('.').map_or(name, |(rest, _)| rest).to_owned();
    let own = before_top(own);
    let close = |name: &&String| distance(&own, &before_top(registrable(name))) <= head.tolerance as usize;
    head.protected.iter().find(close).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn lists_of_both_forms() {
        let lines =
            "# harmful\nevil.example\n0.0.0.0 bad.example\n*.wild.example\nhttps://page.example/claim\n\n";
        let names = ["evil.example", "bad.example", "wild.example", "page.example"];
        assert_eq!(parse_list(lines).unwrap().blocked, names);
        let hosts = "\u{feff}127.0.0.1\tlocalhost\n::1 localhost ip6-loopback\nfe80::1%lo0 localhost\n255.255.255.255 broadcasthost\n\
            0.0.0.0 0.0.0.0\n0.0.0.0 one.example two.example # both\r\n";
        assert_eq!(parse_list(hosts).unwrap().blocked, ["one.example", "two.example"]);
        // Alone on a line, they are meant.
        assert_eq!(parse_list("203.0.113.7\nlocalhost\n").unwrap().blocked, ["203.0.113.7", "localhost"]);
        let rules = "[Adblock Plus]\n! Title\n||evil.example^\n||bad.example\n";
        assert_eq!(parse_list(rules).unwrap().blocked, ["evil.example", "bad.example"]);
        for bad in ["evil.example because", "@@||fine.example^", "||evil.example^$third-party", "<html>"] {
            assert_eq!(parse_list(bad), Err("line 1 is not the name of a host".to_owned()), "{bad}");
        }
        let json = r#"{"version":2,"tolerance":2,"fuzzylist":["metamask.io"],"whitelist":["fine.example"],
            "blacklist":["evil.example"],"blocklist":["worse.example"]}"#;
        let list = parse_list(json).unwrap();
        assert_eq!(
            (list.blocked, list.allowed),
            (vec!["evil.example".into(), "worse.example".into()], vec!["fine.example".into()])
        );
        assert_eq!((list.protected, list.tolerance), (vec!["metamask.io".into()], 2));
        for (bad, problem) in [
            ("{", "is neither lines of names nor a JSON object"),
            (r#"{"blacklist":7}"#, "/blacklist must be an array"),
            (r#"{"blacklist":["a.example",7]}"#, "/blacklist/1 is not the name of a host"),
            (r#"{"tolerance":9}"#, "/tolerance must be a whole number from 0 to 5"),
        ] {
            assert_eq!(parse_list(bad), Err(problem.to_owned()), "{bad}");
        }
    }

    #[test]
    fn names_above_a_host() {
        assert_eq!(suffixes("a.b.example").collect::<Vec<_>>(), ["a.b.example", "b.example", "example"]);
        let deep = format!("{}evil.example", "x.".repeat(100));
        assert!(suffixes(&deep).any(|name| name == "evil.example"));
        assert_eq!(suffixes(&deep).count(), MAX_LABELS);
    }

    #[test]
    fn close_names() {
        let head =
            ListHead { protected: vec!["metamask.io".to_owned()], tolerance: 2, ..ListHead::default() };
        assert_eq!(resembles("metemask.io", &head), Some("metamask.io".to_owned()));
        assert_eq!(resembles("www.metamesk.com", &head), Some("metamask.io".to_owned()));
        assert_eq!(resembles("app.metamask.io", &head), None);
        assert_eq!(resembles("example.com", &head), None);
    }

    proptest! {
        #[test]
        fn any_text_is_a_list_or_refused(text in "[ -~\\n]{0,200}|\\{.{0,80}") {
            let _ = parse_list(&text);
        }
    }
}
