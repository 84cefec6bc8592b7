//! Events of contracts that say that tokens moved, as nodes list them after a run. Tron's contracts emit the same.
//!
//! | event | topics | data |
//! |---|---|---|
//! | ERC-20 `Transfer` | hash, from, to | amount |
//! | ERC-721 `Transfer` | hash, from, to, id | |
//! | ERC-1155 `TransferSingle` | hash, operator, from, to | id, amount |
//! | ERC-1155 `TransferBatch` | hash, operator, from, to | ids, amounts |
//!
//! An event is the word of the contract that emits it, and no contract can emit in the name of another.

use super::Address;
use super::abi::{Signature, Value};
use crate::Amount;
use crate::encoding::{array_from_hex, from_hex};

type Word = [u8; 32];

/// keccak256 of `Transfer(address,address,uint256)`.
const TRANSFER: &str = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
/// keccak256 of `TransferSingle(address,address,address,uint256,uint256)`.
const TRANSFER_SINGLE: &str = "c3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62";
/// keccak256 of `TransferBatch(address,address,address,uint256[],uint256[])`.
const TRANSFER_BATCH: &str = "4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb";

/// A contract says that something of it moved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Movement {
    /// The contract.
    pub(crate) contract: Address,
    /// The number of a piece; absent where any is as good as another.
    pub(crate) item: Option<Amount>,
    /// From whom; zeros where it is made.
    pub(crate) from: Address,
    /// To whom; zeros where it is destroyed.
    pub(crate) to: Address,
    /// How much.
    pub(crate) amount: Amount,
}

/// What moved by an event; nothing where it says something else. `None` if it is no event at all.
pub(crate) fn movements(log: &serde_json::Value) -> Option<Vec<Movement>> {
    let contract = array_from_hex("address", log.get("address")?.as_str()?).ok()?;
    let topics = log.get("topics")?.as_array()?;
    let topic = |topic: &serde_json::Value| array_from_hex("topics", topic.as_str()?).ok();
    let topics: Vec<Word> = topics.iter().take(5).map(topic).collect::<Option<_>>()?;
    // Tron leaves out what is empty.
    let data = match log.get("data") {
        Some(data) => from_hex("data", data.as_str()?).ok()?,
        None => Vec::new(),
    };
    Some(read(contract, &topics, &data).unwrap_or_default())
}

fn read(contract: Address, topics: &[Word], data: &[u8]) -> Option<Vec<Movement>> {
    let (event, rest) = topics.split_first()?;
    let event = crate::encoding::hex(event);
    let movement = |from: &Word, to: &Word, item, amount| {
        Some(Movement { contract, item, from: address(from)?, to: address(to)?, amount })
    };
    match (event.as_str(), rest) {
        (TRANSFER, [from, to]) => Some(vec![movement(from, to, None, number(data.try_into().ok()?))?]),
        (TRANSFER, [from, to, id]) => Some(vec![movement(from, to, Some(number(*id)), Amount::ONE)?]),
        (TRANSFER_SINGLE, [_, from, to]) => {
            let (id, amount) = data.split_first_chunk()?;
            Some(vec![movement(from, to, Some(number(*id)), number(amount.try_into().ok()?))?])
        }
        (TRANSFER_BATCH, [_, from, to]) => {
            let arguments = Signature::parse("_(uint256[] ids,uint256[] amounts)")?.decode(data)?;
            let (ids, amounts) = (arguments.list("ids")?, arguments.list("amounts")?);
            let each = |pair: (&Value<'_>, &Value<'_>)| match pair {
                (Value::Number(id), Value::Number(amount)) => movement(from, to, Some(*id), *amount),
                _ => None,
            };
            (ids.len() == amounts.len()).then(|| ids.iter().zip(amounts).map(each).collect())?
        }
        _ => None,
    }
}

const fn number(word: Word) -> Amount {
    Amount::from_be_bytes(word)
}

fn address(word: &Word) -> Option<Address> {
    let (zeros, address) = word.split_last_chunk()?;
    zeros.iter().all(|byte| *byte == 0).then_some(*address)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hash::keccak256;
    use proptest::prelude::*;
    use serde_json::json;

    const FROM: Address = [0xaa; 20];
    const TO: Address = [0xbb; 20];

    fn word(number: u64) -> String {
        format!("{number:064x}")
    }

    fn topic(address: Address) -> String {
        format!("0x{:0>64}", crate::encoding::hex(&address))
    }

    fn log(topics: &[String], data: &str) -> serde_json::Value {
        json!({ "address": format!("0x{}", "cc".repeat(20)), "topics": topics, "data": data })
    }

    fn moved(item: Option<u64>, amount: u64) -> Movement {
        let (item, amount) = (item.map(Amount::from), Amount::from(amount));
        Movement { contract: [0xcc; 20], item, from: FROM, to: TO, amount }
    }

    #[test]
    fn hashes_follow_from_the_events() {
        for (hash, event) in [
            (TRANSFER, "Transfer(address,address,uint256)"),
            (TRANSFER_SINGLE, "TransferSingle(address,address,address,uint256,uint256)"),
            (TRANSFER_BATCH, "TransferBatch(address,address,address,uint256[],uint256[])"),
        ] {
            assert_eq!(crate::encoding::hex(&keccak256(event.as_bytes())), hash, "{event}");
        }
    }

    #[test]
    fn every_form_of_transfer_is_read() {
        let (from, to, operator) = (topic(FROM), topic(TO), topic([1; 20]));
        let hashed = |hash: &str| format!("0x{hash}");
        let coins = log(&[hashed(TRANSFER), from.clone(), to.clone()], &format!("0x{}", word(5)));
        assert_eq!(movements(&coins), Some(vec![moved(None, 5)]));
        let item = log(&[hashed(TRANSFER), from.clone(), to.clone(), hashed(&word(7))], "0x");
        assert_eq!(movements(&item), Some(vec![moved(Some(7), 1)]));
        let topics = |hash: &str| [hashed(hash), operator.clone(), from.clone(), to.clone()];
        let single = log(&topics(TRANSFER_SINGLE), &format!("0x{}{}", word(7), word(5)));
        assert_eq!(movements(&single), Some(vec![moved(Some(7), 5)]));
        let words: String = [64, 160, 2, 7, 8, 2, 5, 6].map(word).concat();
        let batch = log(&topics(TRANSFER_BATCH), &format!("0x{words}"));
        assert_eq!(movements(&batch), Some(vec![moved(Some(7), 5), moved(Some(8), 6)]));
    }

    /// Contracts name their events as they like; a strange one says nothing of tokens, and is no reason to give up.
    #[test]
    fn other_events_move_nothing() {
        let hash = format!("0x{TRANSFER}");
        let dirty = format!("0x{}", "ff".repeat(32));
        for strange in [
            log(&[], "0x"),
            log(&[format!("0x{}", word(1))], "0x"),
            log(std::slice::from_ref(&hash), &format!("0x{}", word(5))),
            log(&[hash.clone(), topic(FROM), topic(TO)], "0x05"),
            log(&[hash.clone(), dirty, topic(TO)], &format!("0x{}", word(5))),
            log(
                &[format!("0x{TRANSFER_BATCH}"), hash, topic(FROM), topic(TO)],
                &format!("0x{}", "ff".repeat(64)),
            ),
        ] {
            assert_eq!(movements(&strange), Some(Vec::new()), "{strange}");
        }
        for none in [json!(null), json!({}), json!({ "address": "0x01", "topics": [], "data": "0x" })] {
            assert_eq!(movements(&none), None);
        }
    }

    proptest! {
        #[test]
        fn garbage_moves_nothing_and_never_panics(
            topics in prop::collection::vec(any::<[u8; 32]>(), 0..6),
            data in prop::collection::vec(any::<u8>(), 0..200),
            batch in any::<bool>(),
        ) {
            let mut topics: Vec<String> = topics.iter().map(|topic| crate::encoding::hex(topic)).collect();
            if batch {
                topics.insert(0, TRANSFER_BATCH.to_owned());
            }
            let found = movements(&log(&topics, &crate::encoding::hex(&data))).expect("is an event");
            prop_assert!(found.len() <= data.len() / 32);
        }
    }
}
