//! Names of tools as the APIs take them (`^[a-zA-Z0-9_-]{1,64}$`), and back.

use std::collections::BTreeMap;

const LONGEST: usize = 64;

/// The names of a conversation. A name keeps its form for good: the history contains it.
#[derive(Debug, Clone, Default)]
pub(super) struct Names {
    /// The API's form of a tool's name.
    sent: BTreeMap<String, String>,
    /// The reverse.
    own: BTreeMap<String, String>,
}

impl Names {
    /// The API's form of a name. Different names have different forms.
    pub(super) fn sent(&mut self, name: &str) -> String {
        if let Some(sent) = self.sent.get(name) {
            return sent.clone();
        }
        let mut sent = name.to_owned();
        let mut attempt = 0_u64;
        while !is_taken_by_apis(&sent) || self.own.contains_key(&sent) {
            sent = shortened(name, attempt);
            attempt += 1;
        }
        self.sent.insert(name.to_owned(), sent.clone());
        self.own.insert(sent.clone(), name.to_owned());
        sent
    }

    /// The tool that the model means.
    pub(super) fn own(&self, sent: &str) -> Option<&str> {
        self.own.get(sent).map(String::as_str)
    }
}

fn is_taken_by_apis(name: &str) -> bool {
    (1..=LONGEST).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
}

/// What is readable of a name, and a number that tells it from others.
fn shortened(name: &str, attempt: u64) -> String {
    let readable: String = name
        .chars()
        .map(|character| if character.is_ascii_alphanumeric() || character == '-' { character } else { '_' })
        .take(LONGEST - 9)
        .collect();
    // FNV-1a: the same in every run, so that a prompt that was cached stays the same.
    let hash = name.bytes().fold(0x811c_9dc5_u32 ^ (attempt as u32), |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    format!("{readable}_{hash:08x}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn names() {
        let mut names = Names::default();
        assert_eq!(names.sent("add_chain"), "add_chain");
        let dotted = names.sent("files__read.file");
        assert!(dotted.starts_with("files__read_file_"), "{dotted}");
        // A tool that is called like the form of another gets a form of its own.
        let twin = names.sent(&dotted);
        assert_ne!(twin, dotted);
        assert_eq!(names.own(&dotted), Some("files__read.file"));
        assert_eq!(names.own(&twin), Some(dotted.as_str()));
        assert_eq!(names.own("nothing"), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Every name has a form that the APIs take, its own, and the way back.
        #[test]
        fn round_trip(list in proptest::collection::vec("[A-Za-z0-9_.é -]{0,140}", 1..20)) {
            let mut names = Names::default();
            for name in &list {
                let sent = names.sent(name);
                prop_assert!(is_taken_by_apis(&sent));
                prop_assert_eq!(names.own(&sent), Some(name.as_str()));
                prop_assert_eq!(&names.sent(name), &sent);
            }
        }
    }
}
