//! Transfers over IBC, and what the chains on the way read in their memos.
//!
//! A memo without `{` is a text. One that is JSON instructs modules of the chain that receives: packet forwarding
//! (`{"forward":{"receiver","port","channel","timeout","retries","next"}}`, where `next` is the memo of the next
//! transfer), contract hooks (`{"wasm":{"contract","msg"}}`), callbacks (`dest_callback`, `ibc_callback`). Forwarding is
//! read; what a contract does with a message is its own affair. A channel that is not known may lead to any chain.

use super::explain::{Told, asset, units};
use super::json::Json;
use super::proto::{Coin, MsgTransfer};
use crate::explain::{Effect, Party, PartyRole};
use crate::{Chain, known, thorchain_memo};
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
    let to = known::ibc_channel(chain, &message.source_channel).filter(|_| message.source_port == "transfer");
    fields.extend(to.map(|to| ("chain", to.to_string())));
    if !message.memo.is_empty() {
        fields.push(("memo", message.memo.clone()));
    }
    let transfer = |token: &Coin| Effect::Transfer {
        asset: asset(chain, &token.denom),
        to: message.receiver.clone(),
        amount: units(token),
    };
    let memo = Memo::read(to, &message.memo);
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
    /// The memo of a transfer to this chain.
    fn read(to: Option<Chain>, text: &str) -> Self {
        match to.and_then(|to| forwarded(to, text, MAX_HOPS)) {
            Some(parties) => Self { read: true, parties },
            None => {
                let of_text = thorchain_memo::parties(text);
                Self { read: false, parties: Json::read(text).parties.into_iter().chain(of_text).collect() }
            }
        }
    }
}

/// The receivers of a memo that is a text or nothing but forwarding from this chain.
fn forwarded(chain: Chain, text: &str, hops: u8) -> Option<Vec<Party>> {
    if !text.contains('{') {
        return Some(thorchain_memo::parties(text));
    }
    instructed(chain, &Json::read(text).value?, hops)
}

fn instructed(chain: Chain, memo: &Value, hops: u8) -> Option<Vec<Party>> {
    let fields = memo.as_object().filter(|fields| fields.len() == 1)?;
    let forward = fields.get("forward")?.as_object()?;
    if !forward.keys().all(|name| OF_FORWARD.contains(&name.as_str())) {
        return None;
    }
    let text = |name: &str| forward.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
    let to = text("channel").filter(|_| text("port") == Some("transfer"))?;
    let to = known::ibc_channel(chain, to)?;
    let mut parties = vec![Party::new(text("receiver")?, PartyRole::Destination)];
    parties.extend(match forward.get("next") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(next)) => forwarded(to, next, hops.checked_sub(1)?)?,
        Some(next) => instructed(to, next, hops.checked_sub(1)?)?,
    });
    Some(parties)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(memo: &str) -> (bool, Vec<String>) {
        let memo = Memo::read(Some(Chain::Osmosis), memo);
        assert!(memo.parties.iter().all(|party| party.role == PartyRole::Destination), "{memo:?}");
        (memo.read, memo.parties.into_iter().map(|party| party.address).collect())
    }

    impl std::fmt::Debug for Memo {
        fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            write!(f, "{} {:?}", self.read, self.parties)
        }
    }

    fn forward(receiver: &str, next: &str) -> String {
        over("channel-0", receiver, next)
    }

    fn over(channel: &str, receiver: &str, next: &str) -> String {
        let next = if next.is_empty() { String::new() } else { format!(r#","next":{next}"#) };
        format!(
            r#"{{"forward":{{"receiver":"{receiver}","port":"transfer","channel":"{channel}","timeout":"10m","retries":2{next}}}}}"#
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
        let nested = forward("a", &over("channel-141", "b", &forward("c", "")));
        assert_eq!(read(&nested), (true, ["a", "b", "c"].map(str::to_owned).to_vec()));
        let text = serde_json::Value::from(over("channel-343", "b", "")).to_string();
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
            (over("channel-9999", "a", ""), vec!["a"]),
            (forward("a", &over("channel-0", "b", "")), vec!["a", "b"]),
            (r#"{"forward":"x"}"#.to_owned(), vec![]),
            ("{".to_owned(), vec![]),
        ];
        for (memo, parties) in cases {
            assert_eq!(read(&memo), (false, parties.into_iter().map(str::to_owned).collect()), "{memo}");
        }
        let there_and_back = |next: String, _| forward("a", &over("channel-141", "a", &next));
        assert!(read(&(0..3).fold(forward("a", ""), there_and_back)).0);
        assert!(!read(&(0..9).fold(forward("a", ""), there_and_back)).0);
    }

    #[test]
    fn a_channel_that_is_not_known_is_not_read() {
        for memo in ["", "invoice 7", &forward("a", "")] {
            assert!(!Memo::read(None, memo).read, "{memo}");
        }
        assert_eq!(Memo::read(None, &forward("a", "")).parties.len(), 1);
        assert_eq!(Memo::read(None, "=:BTC.BTC:bc1thief").parties.len(), 1);
    }
}
