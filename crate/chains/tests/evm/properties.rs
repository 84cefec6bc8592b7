//! What holds for any bytes and any payload.

use crate::{CALLS, GOLDEN, RAW, account, caller, key};
use countersign_chains::encoding::{from_base64, from_hex, hex};
use countersign_chains::explain::{Asset, Effect, Explanation};
use countersign_chains::signing::Image;
use countersign_chains::transaction::NetworkFacts;
use countersign_chains::unsigned::{self, Context};
use countersign_chains::{Amount, Chain, Transaction, keysign};
use proptest::prelude::*;
use serde_json::Value;
use sha3::{Digest, Keccak256};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{KeysignPayload, OneInchQuote, OneInchSwapPayload};

fn corpus() -> Vec<Vec<u8>> {
    let texts = |list: &Value| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|case| case["unsigned_tx_hex"].as_str().unwrap().to_owned())
            .collect()
    };
    let all = [texts(&RAW["valid"]), texts(&RAW["malformed"]), texts(&CALLS["calls"])].concat();
    all.iter().filter_map(|text| from_hex("hex", text).ok()).collect()
}

/// Bytes that get further than noise does: a vector with some bytes changed, cut or put in.
fn almost() -> impl Strategy<Value = Vec<u8>> {
    let changes = prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..4_u8), 0..4);
    (prop::sample::select(corpus()), changes).prop_map(|(mut bytes, changes)| {
        for (at, byte, how) in changes {
            if bytes.is_empty() {
                break;
            }
            let at = at.index(bytes.len());
            match how {
                0 => bytes.truncate(at),
                1 => bytes.insert(at, byte),
                2 => bytes[at] ^= 1 << (byte % 8),
                _ => bytes[at] = byte,
            }
        }
        bytes
    })
}

/// Sizes of everything in an explanation that is made of input.
fn size(explanation: &Explanation) -> usize {
    format!("{explanation:?}").len()
}

fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    let account = caller();
    if let Ok(transaction) = unsigned::transaction(&hex(bytes), &account, &Context::default()) {
        let explanation = transaction.explain();
        prop_assert!(
            size(&explanation) < 2_000 + 100 * bytes.len(),
            "{} bytes: {:?}",
            bytes.len(),
            explanation
        );
        prop_assert_eq!(explanation.from, account.address);
        prop_assert_eq!(transaction.images().len(), 1);
    }
    Ok(())
}

/// Whether something of it is said not to be read.
fn has_unweighed(explanation: &Explanation) -> bool {
    let unweighed = |effect: &Effect| {
        matches!(
            effect,
            Effect::Call { .. } | Effect::Other { .. } | Effect::Unknown { .. } | Effect::Create { .. }
        )
    };
    explanation.effects.iter().any(unweighed)
}

/// A call of the vectors.
#[derive(Debug, Clone)]
struct Case {
    name: String,
    to: String,
    value: Amount,
    data: Vec<u8>,
}

/// The calls of the vectors that have data, read again from their bytes.
fn cases() -> Vec<Case> {
    let calls = CALLS["calls"].as_array().unwrap().iter();
    let case = |case: &Value| {
        let bytes = from_hex("hex", case["unsigned_tx_hex"].as_str().unwrap()).ok()?;
        let (value, data) = value_and_data(&bytes)?;
        let to = case["to"].as_str()?.to_owned();
        Some(Case { name: case["name"].to_string(), to, value, data })
    };
    calls.filter_map(case).filter(|case| !case.data.is_empty()).collect()
}

/// One item of a list of RLP: its content, and what follows.
fn item(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (first, rest) = bytes.split_first()?;
    let (length, rest) = match first {
        0..0x80 => return bytes.split_at_checked(1),
        0x80..0xb8 => (usize::from(first - 0x80), rest),
        0xb8..0xc0 => {
            let (length, rest) = rest.split_at_checked(usize::from(first - 0xb7))?;
            (length.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte)), rest)
        }
        _ => return None,
    };
    rest.split_at_checked(length)
}

/// The value and the data of a transaction of the second type.
fn value_and_data(bytes: &[u8]) -> Option<(Amount, Vec<u8>)> {
    let list = bytes.get(1..)?;
    let head = match list.first()? {
        0xf8.. => 1 + usize::from(list.first()? - 0xf7),
        _ => 1,
    };
    let mut rest = list.get(head..)?;
    let mut items = Vec::new();
    for _ in 0..8 {
        let (content, after) = item(rest)?;
        items.push(content);
        rest = after;
    }
    Some((Amount::try_from_be_slice(items[6])?, items[7].to_vec()))
}

/// A transaction of the caller to this contract.
fn transaction(to: &str, value: Amount, data: &[u8]) -> Transaction {
    let mut list = Vec::new();
    let mut string = |content: &[u8]| {
        let length = content.len().to_be_bytes();
        let length = &length[length.iter().take_while(|byte| **byte == 0).count()..];
        match content {
            [0..0x80] => {}
            _ if content.len() < 56 => list.push(0x80 + u8::try_from(content.len()).unwrap()),
            _ => {
                list.push(0xb7 + u8::try_from(length.len()).unwrap());
                list.extend_from_slice(length);
            }
        }
        list.extend_from_slice(content);
    };
    let to = from_hex("to", &to[2..]).unwrap();
    let value = value.to_be_bytes_trimmed_vec();
    let fields: [&[u8]; 8] = [&[1], &[5], &[1], &[2], &[0x52, 0x08], &to, &value, data];
    for content in fields {
        string(content);
    }
    list.push(0xc0);
    let length = list.len().to_be_bytes();
    let length = &length[length.iter().take_while(|byte| **byte == 0).count()..];
    let head = if list.len() < 56 {
        vec![0xc0 + u8::try_from(list.len()).unwrap()]
    } else {
        [&[0xf7 + u8::try_from(length.len()).unwrap()], length].concat()
    };
    let bytes = [&[2], head.as_slice(), &list].concat();
    unsigned::transaction(&hex(&bytes), &caller(), &Context::default()).unwrap()
}

/// One byte changed, some cut off, or some put behind.
fn spoilt(data: &[u8], at: prop::sample::Index, byte: u8, how: u8) -> Vec<u8> {
    let mut data = data.to_vec();
    let at = at.index(data.len());
    match how {
        0 => data.truncate(at),
        1 => data.extend(std::iter::repeat_n(byte, at % 40)),
        2 => data[at] ^= 1 << (byte % 8),
        _ => data[at] = byte,
    }
    data
}

/// How many native coins the effects speak of, as given or coming back.
fn coins(explanation: &Explanation) -> Amount {
    let amount = |effect: &Effect| match effect {
        Effect::Swap(swap) if swap.sell == Asset::Native => swap.amount,
        Effect::Transfer { asset: Asset::Native, amount, .. } | Effect::Change { amount, .. } => *amount,
        Effect::Call { value, .. } | Effect::Create { value, .. } => *value,
        _ => Amount::ZERO,
    };
    explanation.effects.iter().map(amount).fold(Amount::ZERO, Amount::saturating_add)
}

/// The functions that all tokens have.
const OF_TOKENS: [&str; 8] =
    ["a9059cbb", "23b872dd", "095ea7b3", "d505accf", "8fcbaf0c", "42842e0e", "b88d4fde", "a22cb465"];

proptest! {
    /// No contract and no data panic, and every coin that goes with a call is accounted for.
    #[test]
    fn every_coin_is_accounted_for(
        case in prop::sample::select(cases()), contract in prop::sample::select(cases()), value in any::<u64>(),
        at in any::<prop::sample::Index>(), byte in any::<u8>(), how in 0..5_u8,
    ) {
        let value = if byte % 2 == 0 { case.value } else { Amount::from(value) };
        let data = if how == 4 { case.data } else { spoilt(&case.data, at, byte, how) };
        let explanation = transaction(&contract.to, value, &data).explain();
        prop_assert!(coins(&explanation) >= value, "{}: {explanation:?}", case.name);
        prop_assert!(!explanation.effects.is_empty());
        prop_assert!(size(&explanation) < 2_000 + 100 * data.len(), "{explanation:?}");
    }

    /// At an unknown contract nothing is weighed but what all tokens have.
    #[test]
    fn unknown_contracts_are_weighed_as_tokens_alone(
        case in prop::sample::select(cases()), contract in any::<[u8; 20]>(),
        at in any::<prop::sample::Index>(), byte in any::<u8>(), how in 0..5_u8,
    ) {
        let data = if how == 4 { case.data } else { spoilt(&case.data, at, byte, how) };
        let explanation = transaction(&format!("0x{}", hex(&contract)), case.value, &data).explain();
        let of_token = |effect: &Effect| matches!(
            effect,
            Effect::Transfer { .. } | Effect::TransferFrom { .. } | Effect::Approve { .. } | Effect::ApproveAll { .. }
        );
        if !has_unweighed(&explanation) {
            let selector = hex(data.get(..4).unwrap_or_default());
            let batch = ["f242432a", "2eb2c2d6"].contains(&selector.as_str());
            prop_assert!(data.is_empty() || batch || OF_TOKENS.contains(&selector.as_str()), "{}: {explanation:?}", case.name);
            prop_assert!(explanation.effects.iter().all(of_token), "{}: {explanation:?}", case.name);
        }
    }

    /// Contracts ignore what follows the arguments, and so does an explanation.
    #[test]
    fn data_behind_the_arguments_changes_nothing(
        case in prop::sample::select(cases()), tail in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let plain = transaction(&case.to, case.value, &case.data).explain();
        let longer = transaction(&case.to, case.value, &[case.data.as_slice(), &tail].concat()).explain();
        if !has_unweighed(&plain) {
            prop_assert_eq!(plain.effects, longer.effects);
            prop_assert_eq!(plain.parties, longer.parties);
        } else {
            // Arguments that were cut off may be completed by what follows.
            prop_assert!(has_unweighed(&longer) || case.name.contains("cut short"), "{}", case.name);
        }
    }

    /// A call that is cut off is not weighed, unless it is cut behind its arguments.
    #[test]
    fn a_cut_call_is_not_weighed_as_another(
        case in prop::sample::select(cases()), at in any::<prop::sample::Index>(),
    ) {
        let plain = transaction(&case.to, case.value, &case.data).explain();
        let cut = transaction(&case.to, case.value, &case.data[..at.index(case.data.len())]).explain();
        if !has_unweighed(&cut) && at.index(case.data.len()) > 0 {
            prop_assert_eq!(plain.effects, cut.effects, "{}", case.name);
        }
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        check(&bytes)?;
    }

    #[test]
    fn nothing_like_a_transaction_panics(bytes in almost()) {
        check(&bytes)?;
    }

    /// What is read is signed as it was: the image is the hash of these very bytes.
    #[test]
    fn read_and_written_again(bytes in almost()) {
        if let Ok(transaction) = unsigned::transaction(&hex(&bytes), &caller(), &Context::default()) {
            let digest: [u8; 32] = Keccak256::digest(&bytes).into();
            prop_assert_eq!(transaction.images(), [Image::Ecdsa(digest)]);
        }
    }

    /// Any text in any field of a payload is a transaction or an error.
    #[test]
    fn no_payload_panics(
        which in any::<prop::sample::Index>(), texts in prop::collection::vec("(0x)?[0-9a-fA-F]{0,80}|.{0,20}", 8),
        gas in any::<i64>(), nonce in any::<i64>(),
    ) {
        let cases = GOLDEN.as_array().unwrap();
        let case = &cases[which.index(cases.len())];
        let bytes = from_base64("payload", case["keysign_payload_base64"].as_str().unwrap()).unwrap();
        let mut payload = KeysignPayload::from_bytes(&bytes).unwrap();
        let coin = payload.coin.as_mut().unwrap();
        let key = key(case["private_key_hex"].as_str().unwrap());
        let account = account(Chain::parse(&coin.chain).unwrap(), &key, &coin.address);
        let mut texts = texts.into_iter();
        // A few fields at a time, so that what follows is reached.
        let mut spoil = |text: &mut String, at: i64| if gas >> at & 3 == 0 { *text = texts.next().unwrap_or_default() };
        spoil(&mut coin.contract_address, 0);
        spoil(&mut payload.to_address, 2);
        spoil(&mut payload.to_amount, 4);
        if let Some(memo) = &mut payload.memo {
            spoil(memo, 6);
        }
        match &mut payload.swap_payload {
            Some(SwapPayload::OneinchSwapPayload(OneInchSwapPayload { quote: Some(OneInchQuote { tx: Some(tx), .. }), .. })) => {
                spoil(&mut tx.data, 8);
                spoil(&mut tx.value, 10);
                tx.gas = gas;
            }
            Some(SwapPayload::ThorchainSwapPayload(swap)) => {
                spoil(&mut swap.vault_address, 8);
                spoil(&mut swap.from_amount, 10);
            }
            _ => {}
        }
        if let Some(BlockchainSpecific::EthereumSpecific(specific)) = &mut payload.blockchain_specific {
            specific.nonce = nonce;
        }
        if let Ok(transactions) = keysign::transactions(&payload, &account, &NetworkFacts::default()) {
            for transaction in transactions {
                prop_assert_eq!(transaction.explain().from, account.address.clone());
            }
        }
    }
}
