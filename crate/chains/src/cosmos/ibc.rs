//! Transfers over IBC, and what the chains on the way read in their memos.
//!
//! A memo without `{` is a text. One that is JSON instructs modules of the chain that receives: packet forwarding
//! (`{"forward":{"receiver","port","channel","timeout","retries","next"}}`, where `next` is the memo of the next
//! transfer), contract hooks (`{"wasm":{"contract","msg"}}`), callbacks (`dest_callback`, `ibc_callback`). Forwarding is
//! read; what a contract does with a message is its own affair.

use super::explain::{Told, asset, units};
use super::json::Json;
use super::proto::{Coin, MsgTransfer};
use crate::explain::{Effect, Party, PartyRole};
use crate::{Chain, thorchain_memo};
use serde_json::Value;

/// The most chains that a transfer is forwarded over.
const MAX_HOPS: u8 = 8;

/// What forwarding may be told, and no more.
const OF_FORWARD: [&str; 6] = ["receiver", "port", "channel", "timeout", "retries", "next"];

/// The transfer, and how it goes. Who receives on the way or at the end is a party.
pub(super) fn transferred(chain: Chain, message: &MsgTransfer) -> Told {
    let height = message.timeout_height.clone().unwrap_or_default();
    let mut fields = vec![
        ("port", message.source_port.clone()),
        ("channel", message.source_channel.clone()),
        ("timeout_height", format!("{}-{}", height.revision_number, height.revision_height)),
        ("timeout_timestamp", message.timeout_timestamp.to_string()),
    ];
    if !message.memo.is_empty() {
        fields.push(("memo", message.memo.clone()));
    }
    let transfer = |token: &Coin| Effect::Transfer {
        asset: asset(chain, &token.denom),
        to: message.receiver.clone(),
        amount: units(token),
    };
    let memo = Memo::read(&message.memo);
    let way = if memo.read { Effect::note("IBC", fields) } else { Effect::other("IBC", fields) };
    Told { effects: message.token.iter().map(transfer).chain([way]).collect(), parties: memo.parties }
}

/// What a memo instructs the chains to do that receive the transfer.
struct Memo {
    /// Whether that is all known.
    read: bool,
    parties: Vec<Party>,
}

impl Memo {
    fn read(text: &str) -> Self {
        match forwarded(text, MAX_HOPS) {
            Some(parties) => Self { read: true, parties },
            None => Self { read: false, parties: Json::read(text).parties },
        }
    }
}

/// The receivers of a memo that is a text or nothing but forwarding.
fn forwarded(text: &str, hops: u8) -> Option<Vec<Party>> {
    if !text.contains('{') {
        return Some(thorchain_memo::parties(text));
    }
    instructed(&Json::read(text).value?, hops)
}

fn instructed(memo: &Value, hops: u8) -> Option<Vec<Party>> {
    let fields = memo.as_object().filter(|fields| fields.len() == 1)?;
    let forward = fields.get("forward")?.as_object()?;
    if !forward.keys().all(|name| OF_FORWARD.contains(&name.as_str())) {
        return None;
    }
    let text = |name: &str| forward.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    text("channel").filter(|_| text("port") == Some("transfer"))?;
    let mut parties = vec![Party::new(text("receiver")?, PartyRole::Destination)];
    parties.extend(match forward.get("next") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(next)) => forwarded(next, hops.checked_sub(1)?)?,
        Some(next) => instructed(next, hops.checked_sub(1)?)?,
    });
    Some(parties)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(memo: &str) -> (bool, Vec<String>) {
        let memo = Memo::read(memo);
        assert!(memo.parties.iter().all(|party| party.role == PartyRole::Destination), "{memo:?}");
        (memo.read, memo.parties.into_iter().map(|party| party.address).collect())
    }

    impl std::fmt::Debug for Memo {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{} {:?}", self.read, self.parties)
        }
    }

    fn forward(receiver: &str, next: &str) -> String {
        let next = if next.is_empty() { String::new() } else { format!(r#","next":{next}"#) };
        format!(
            r#"{{"forward":{{"receiver":"{receiver}","port":"transfer","channel":"channel-1","timeout":"10m","retries":2{next}}}}}"#
        )
    }

    #[test]
    fn a_text_says_nothing_to_a_chain() {
        assert_eq!(read(""), (true, vec![]));
        assert_eq!(read("invoice 7"), (true, vec![]));
    }

    #[test]
    fn every_receiver_of_a_forwarded_transfer_is_named() {
        assert_eq!(read(&forward("a", "")), (true, vec!["a".to_owned()]));
        let nested = forward("a", &forward("b", &forward("c", "")));
        assert_eq!(read(&nested), (true, ["a", "b", "c"].map(str::to_owned).to_vec()));
        let text = serde_json::Value::from(forward("b", "")).to_string();
        assert_eq!(read(&forward("a", &text)), (true, ["a", "b"].map(str::to_owned).to_vec()));
        assert_eq!(read(&forward("a", r#""thanks""#)), (true, vec!["a".to_owned()]));
    }

    /// Each names whom it can, and is not read.
    #[test]
    fn whatever_else_instructs_a_chain_is_not_read() {
        let cases = [
            (r#"{"wasm":{"contract":"x","msg":{"swap":{"to_address":"y"}}}}"#.to_owned(), vec!["x", "y"]),
            (r#"{"dest_callback":{"address":"x"}}"#.to_owned(), vec!["x"]),
            (r#"{"ibc_callback":"x"}"#.to_owned(), vec!["x"]),
            (forward("a", r#"{"wasm":{"contract":"x","msg":{}}}"#), vec!["a", "x"]),
            (forward("a", "").replace("port", "Port"), vec!["a"]),
            (forward("a", "").replace(r#""retries":2"#, r#""receiver":"b""#), vec!["a", "b"]),
            (forward("a", "").replace(r#""retries":2"#, r#""Receiver":"b""#), vec!["a", "b"]),
            (forward("a", "").replace(r#"{"forward""#, r#"{"x":1,"forward""#), vec!["a"]),
            (forward("a", "").replace("transfer", "wasm.x"), vec!["a"]),
            (r#"{"forward":"x"}"#.to_owned(), vec![]),
            ("{".to_owned(), vec![]),
        ];
        for (memo, parties) in cases {
            assert_eq!(read(&memo), (false, parties.into_iter().map(str::to_owned).collect()), "{memo}");
        }
        let deep = (0..20).fold(forward("a", ""), |next, _| forward("a", &next));
        assert!(!read(&deep).0);
    }
}
