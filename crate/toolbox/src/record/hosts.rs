//! Entries of the setting `allowedHosts`.

use crate::hosts::normal;
use crate::record::check::Check;
use wire::toolbox::Reply;

/// Checks entries, and gives them their one spelling.
pub(crate) fn check_hosts(entries: &[String]) -> Reply {
    let mut check = Check::default();
    let mut hosts: Vec<String> = Vec::new();
    for (index, entry) in entries.iter().enumerate() {
        if let Some(host) =
            check.take(&format!("/{index}"), normal(entry)).filter(|host| !hosts.contains(host))
        {
            hosts.push(host);
        }
    }
    match check.is_clean() {
        true => Reply::Hosts { hosts },
        false => Reply::Rejected { errors: check.finish() },
    }
}
