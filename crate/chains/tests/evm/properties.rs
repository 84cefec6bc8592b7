//! What holds for any bytes and any payload.

use crate::{CALLS, GOLDEN, RAW, account, caller, key};
use countersign_chains::encoding::{from_base64, from_hex, hex};
use countersign_chains::explain::Explanation;
use countersign_chains::signing::Image;
use countersign_chains::transaction::NetworkFacts;
use countersign_chains::unsigned::{self, Context};
use countersign_chains::{Chain, keysign};
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

proptest! {
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
