//! The part of a host that its owner registered: what a forger must imitate.

/// Endings below which each label is of another owner, besides those of countries: where dapps are found.
const SHARED: &[&str] = &[
    "4everland.app",
    "amplifyapp.com",
    "appspot.com",
    "arweave.net",
    "azurestaticapps.net",
    "azurewebsites.net",
    "blogspot.com",
    "carrd.co",
    "cf-ipfs.com",
    "cloudflare-ipfs.com",
    "cloudfront.net",
    "csb.app",
    "deno.dev",
    "duckdns.org",
    "dweb.link",
    "eth.limo",
    "eth.link",
    "firebaseapp.com",
    "fleek.co",
    "fleek.cool",
    "fly.dev",
    "framer.app",
    "framer.website",
    "gitbook.io",
    "github.dev",
    "github.io",
    "githubusercontent.com",
    "gitlab.io",
    "glitch.me",
    "gno.limo",
    "godaddysites.com",
    "herokuapp.com",
    "ic0.app",
    "icp0.io",
    "ipfs.dweb.link",
    "ipfs.io",
    "ipns.dweb.link",
    "lovable.app",
    "mypinata.cloud",
    "myshopify.com",
    "netlify.app",
    "nftstorage.link",
    "ngrok-free.app",
    "ngrok.app",
    "ngrok.io",
    "notion.site",
    "on-fleek.app",
    "onrender.com",
    "pages.dev",
    "repl.co",
    "replit.app",
    "replit.dev",
    "run.app",
    "s3.amazonaws.com",
    "square.site",
    "surge.sh",
    "tiiny.site",
    "trycloudflare.com",
    "up.railway.app",
    "vercel.app",
    "w3s.link",
    "web.app",
    "webcontainer.io",
    "webflow.io",
    "weebly.com",
    "wixsite.com",
    "wixstudio.com",
    "wordpress.com",
    "workers.dev",
];

/// Second labels of countries' registries: `example.co.uk` is one owner's.
const SECOND: &[&str] = &[
    "ac", "co", "com", "edu", "go", "gob", "gouv", "gov", "ltd", "me", "mil", "ne", "net", "nom", "or",
    "org", "plc", "sch",
];

/// Further ones of large registries.
const COUNTRIES: &[(&str, &[&str])] = &[
    ("au", &["asn", "id"]),
    (
        "br",
        &[
            "adv", "app", "art", "blog", "dev", "eco", "eng", "ind", "inf", "log", "pro", "rec", "srv",
            "tec", "tur", "tv", "wiki",
        ],
    ),
    ("id", &["biz", "my", "web"]),
    ("in", &["firm", "gen", "ind"]),
    ("jp", &["ad", "ed", "gr", "lg"]),
    ("kr", &["pe", "re"]),
    ("nz", &["geek", "gen", "iwi", "kiwi", "maori", "school"]),
    ("pl", &["biz", "info"]),
    ("th", &["in", "mi"]),
    ("tr", &["biz", "gen", "info", "tv", "web"]),
    ("tw", &["club", "game", "idv"]),
    ("ua", &["dp", "in", "kharkov", "kiev", "kyiv", "lviv", "odessa"]),
    ("uk", &["nhs", "police"]),
    ("za", &["law", "web"]),
];

/// The registrable part of a host: `app.uniswap.org` → `uniswap.org`. An address, and a name of one label, is itself.
pub(super) fn registrable(host: &str) -> &str {
    let is_address = host.starts_with('[') || host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    if is_address {
        return host;
    }
    let ends: Vec<usize> = host.rmatch_indices('.').map(|(place, _)| place + 1).collect();
    let tail = |labels: usize| match ends.get(labels - 1) {
        Some(start) => host.get(*start..).unwrap_or(host),
        None => host,
    };
    let shared = |ending: &str| host.strip_suffix(ending).and_then(|rest| rest.strip_suffix('.'));
    // The longest of them leaves the least in front.
    if let Some(rest) = SHARED.iter().filter_map(|ending| shared(ending)).min_by_key(|rest| rest.len()) {
        let owner = rest.rsplit('.').next().unwrap_or(rest);
        return host.get(rest.len() - owner.len()..).unwrap_or(host);
    }
    let (top, two) = (tail(1), tail(2));
    let second = two.strip_suffix(top).and_then(|rest| rest.strip_suffix('.')).unwrap_or_default();
    let of_country = |(country, seconds): &(&str, &[&str])| *country == top && seconds.contains(&second);
    let is_ending = top.len() == 2 && (SECOND.contains(&second) || COUNTRIES.iter().any(of_country));
    if is_ending { tail(3) } else { two }
}

/// The registered label: `uniswap.org` → `uniswap`.
pub(super) fn label(registrable: &str) -> &str {
    registrable.split('.').next().unwrap_or(registrable)
}

/// How many letters must be added, removed, changed or swapped with their neighbour to get from one to the other.
pub(super) fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut before_last: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=other.len()).collect();
    let mut previous: Option<char> = None;
    for (row, letter) in one.chars().enumerate() {
        let mut current = vec![row + 1];
        for (column, against) in other.iter().enumerate() {
            let at = |row: &[usize], place: usize| row.get(place).copied().unwrap_or(usize::MAX / 2);
            let changed = at(&last, column) + usize::from(letter != *against);
            let mut least = changed.min(at(&last, column + 1) + 1).min(at(&current, column) + 1);
            let neighbour = column.checked_sub(1).and_then(|place| other.get(place));
            if previous == Some(*against) && neighbour == Some(&letter) {
                least = least.min(at(&before_last, column - 1) + 1);
            }
            current.push(least);
        }
        before_last = std::mem::replace(&mut last, current);
        previous = Some(letter);
    }
    last.last().copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn registrable_parts() {
        for (host, part) in [
            ("app.uniswap.org", "uniswap.org"),
            ("uniswap.org", "uniswap.org"),
            ("a.b.c.example.co.uk", "example.co.uk"),
            ("example.com.br", "example.com.br"),
            ("app.example.io", "example.io"),
            ("x.uniswap-claim.vercel.app", "uniswap-claim.vercel.app"),
            ("vercel.app", "vercel.app"),
            ("hash.ipfs.dweb.link", "hash.ipfs.dweb.link"),
            ("shop.padaria.art.br", "padaria.art.br"),
            ("art.example", "art.example"),
            ("web.uk", "web.uk"),
            ("app.web.uk", "web.uk"),
            ("localhost", "localhost"),
            ("127.0.0.1", "127.0.0.1"),
            ("[::1]", "[::1]"),
            ("co.uk", "co.uk"),
        ] {
            assert_eq!(registrable(host), part, "{host}");
        }
    }

    #[test]
    fn distances() {
        for (one, other, count) in [
            ("uniswap", "uniswap", 0),
            ("uniswap", "uniswop", 1),
            ("uniswap", "unisswap", 1),
            ("uniswap", "uinswap", 1),
            ("uniswap", "unswap", 1),
            ("", "abc", 3),
            ("aave", "aaave", 1),
            ("curve", "corva", 2),
        ] {
            assert_eq!(distance(one, other), count, "{one} {other}");
            assert_eq!(distance(other, one), count, "{other} {one}");
        }
    }

    proptest! {
        #[test]
        fn any_host_has_a_registrable_part(host in "[a-z0-9.\\[\\]:-]{0,40}|.{0,30}") {
            prop_assert!(host.ends_with(registrable(&host)));
        }

        #[test]
        fn distance_is_symmetric(one in "[a-c]{0,8}", other in "[a-c]{0,8}") {
            prop_assert_eq!(distance(&one, &other), distance(&other, &one));
            prop_assert!(distance(&one, &other) <= one.len().max(other.len()));
        }
    }
}
