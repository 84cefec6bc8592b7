//! Any input: no panic, and what is read is written again.

use crate::given::*;
use crate::unsigned;
use countersign_chains::signing::Signature;
use ed25519_dalek::Signer as _;
use proptest::prelude::*;
use std::sync::LazyLock;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{
    KeysignPayload, OneInchQuote, OneInchSwapPayload, OneInchTransaction, SignSolana, SolanaSpecific,
    ThorChainSwapPayload,
};

/// Programs that are decoded, and one that is not.
const PROGRAMS: [&str; 11] = [
    SYSTEM,
    COMPUTE_BUDGET,
    TOKEN,
    TOKEN_2022,
    "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL",
    "Stake11111111111111111111111111111111111111",
    "JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4",
    "MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr",
    "whirLbMiicVdio4qvUfM5KAg6Ct8VwpYzGff3uctyCc",
    "CPMMoo8L3F4NbTegBCKVNunggL7H1ZpdTHKxQB5qKP1C",
    "675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8",
];

prop_compose! {
    fn transaction()(
        version in prop_oneof![Just(None), Just(Some(0x80))],
        others in 0..6_u8,
        program in 0..PROGRAMS.len(),
        calls in prop::collection::vec((prop::collection::vec(any::<prop::sample::Index>(), 0..19), call_data()), 0..4),
        table in prop::option::of((prop::collection::vec(any::<u8>(), 1..4), prop::collection::vec(any::<u8>(), 0..4))),
    ) -> Bytes {
        let mut keys = vec![account_key()];
        keys.extend((1..=others).map(|other| [other; 32]));
        keys.push(key(PROGRAMS[program]));
        let place = u8::try_from(keys.len() - 1).unwrap();
        let table = table.filter(|_| version.is_some());
        let lookups: Vec<_> = table.into_iter().map(|(writable, readonly)| ([99; 32], writable, readonly)).collect();
        let count = keys.len() + lookups.iter().map(|(_, writable, readonly)| writable.len() + readonly.len()).sum::<usize>();
        let places = |indices: &Vec<prop::sample::Index>| {
            indices.iter().map(|index| u8::try_from(index.index(count)).unwrap()).collect()
        };
        let instructions = calls.iter().map(|(accounts, data)| (place, places(accounts), data.clone())).collect();
        Bytes { signatures: vec![[0; 64]], version, header: [1, 0, 1], keys, instructions, lookups }
    }
}

/// Data that begins like an instruction more often than chance would have it.
fn call_data() -> impl Strategy<Value = Vec<u8>> {
    let small = (0..30_u8, prop::collection::vec(any::<u8>(), 0..60));
    let numbered = small.clone().prop_map(|(tag, rest)| [&[tag, 0, 0, 0], rest.as_slice()].concat());
    let tagged = small.prop_map(|(tag, rest)| [&[tag], rest.as_slice()].concat());
    let route = prop::collection::vec(any::<u8>(), 0..60)
        .prop_map(|rest| [&[229, 23, 203, 151, 122, 227, 173, 42], rest.as_slice()].concat());
    let pools = [[248, 198, 158, 145, 225, 117, 135, 200], [143, 190, 90, 218, 196, 30, 51, 222]];
    let pool = (prop::sample::select(pools.to_vec()), prop::collection::vec(0..2_u8, 16..36))
        .prop_map(|(discriminator, rest)| [discriminator.as_slice(), &rest].concat());
    prop_oneof![numbered, tagged, route, pool, prop::collection::vec(any::<u8>(), 0..100)]
}

/// Computed once: curves are slow without optimisation.
fn account_key() -> Key {
    static KEY: LazyLock<Key> = LazyLock::new(|| public(1));
    *KEY
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..1300)) {
        if let Ok(transaction) = read(&bytes) {
            transaction.explain();
        }
    }

    #[test]
    fn a_transaction_is_written_as_it_was_read(bytes in transaction()) {
        let transaction = bytes.read().unwrap();
        transaction.explain();
        let images = transaction.images();
        prop_assert_eq!(images[0].as_bytes(), bytes.message());
        let signature = signer(1).sign(&bytes.message()).to_bytes();
        prop_assert_eq!(sign(&transaction).bytes, Bytes { signatures: vec![signature], ..bytes }.encode());
    }

    #[test]
    fn a_changed_byte_is_read_as_it_is_or_refused(
        bytes in transaction(),
        at in any::<prop::sample::Index>(),
        to in any::<u8>(),
    ) {
        let mut bytes = bytes.encode();
        let at = at.index(bytes.len());
        bytes[at] = to;
        if let Ok(transaction) = read(&bytes) {
            transaction.explain();
            prop_assert!(bytes.ends_with(transaction.images()[0].as_bytes()));
        }
    }

    #[test]
    fn any_texts_in_a_payload_are_read_or_refused(
        to in ".{0,50}", amount in ".{0,25}", memo in prop::option::of(".{0,300}"), hash in ".{0,50}",
        fee in "[0-9]{0,22}", limit in prop::option::of("[0-9]{0,12}"), from_account in prop::option::of(".{0,50}"),
    ) {
        let specific = SolanaSpecific {
            recent_block_hash: hash, priority_fee: fee, compute_limit: limit,
            from_token_associated_address: from_account, ..SolanaSpecific::default()
        };
        for mut payload in [payload(), token_payload(specific.clone())] {
            payload.blockchain_specific = Some(BlockchainSpecific::SolanaSpecific(specific.clone()));
            payload.memo.clone_from(&memo);
            prop_assert!(build(&payload).is_err());
            payload.blockchain_specific = Some(BlockchainSpecific::SolanaSpecific(crate::given::specific()));
            let _ = build(&payload);
            payload.to_address.clone_from(&to);
            payload.to_amount.clone_from(&amount);
            let _ = build(&payload);
        }
    }

    /// What no signature covers changes neither what is explained nor whom it names.
    #[test]
    fn unsigned_fields_change_no_fact(
        change in unsigned::change(),
        there in prop::option::of(0..4_u8),
        receiver in any::<[u8; 32]>(),
        deposit in any::<bool>(),
    ) {
        let account = |seed: u8| Some(base58(&public(seed)));
        let specific = SolanaSpecific {
            from_token_associated_address: account(5),
            to_token_associated_address: there.and_then(account),
            ..crate::given::specific()
        };
        let token = token_payload(specific);
        let mut coins = payload();
        if deposit {
            let (vault_address, from_amount) = (coins.to_address.clone(), coins.to_amount.clone());
            let swap = ThorChainSwapPayload { vault_address, from_amount, ..ThorChainSwapPayload::default() };
            coins.memo = Some("=:BTC.BTC:bc1".to_owned());
            coins.swap_payload = Some(SwapPayload::ThorchainSwapPayload(swap));
        }
        let elsewhere = KeysignPayload { to_address: base58(&receiver), ..token.clone() };
        let pairs = [(token.clone(), elsewhere), (token.clone(), change.apply(token)), (coins.clone(), change.apply(coins))];
        for (first, second) in pairs {
            if let (Ok(first), Ok(second)) = (build(&first), build(&second))
                && first[0].images() == second[0].images()
            {
                prop_assert_eq!(first[0].explain(), second[0].explain());
                prop_assert_eq!(first[0].explain().every_party(), second[0].explain().every_party());
            }
        }
    }

    #[test]
    fn any_bytes_of_an_aggregator_or_a_page_are_read_or_refused(
        bytes in prop_oneof![prop::collection::vec(any::<u8>(), 0..400), transaction().prop_map(|bytes| bytes.encode())],
    ) {
        let text = countersign_chains::encoding::base64(&bytes);
        let tx = OneInchTransaction { data: text.clone(), ..OneInchTransaction::default() };
        let quote = OneInchQuote { tx: Some(tx), ..OneInchQuote::default() };
        let swap = OneInchSwapPayload { quote: Some(quote), ..OneInchSwapPayload::default() };
        let mut payload = payload();
        payload.swap_payload = Some(SwapPayload::OneinchSwapPayload(swap));
        for transaction in build(&payload).into_iter().flatten() {
            transaction.explain();
        }
        payload.sign_data = Some(SignData::SignSolana(SignSolana { raw_transactions: vec![text] }));
        for transaction in build(&payload).into_iter().flatten() {
            transaction.explain();
            prop_assert!(bytes.ends_with(transaction.images()[0].as_bytes()));
        }
    }
}

#[test]
fn claims_of_a_payload_are_not_signed() {
    let changed = unsigned::Change::of_claims().apply(payload());
    assert_ne!(payload(), changed);
    let (base, changed) = (build(&payload()).unwrap(), build(&changed).unwrap());
    assert_eq!((base[0].images(), base[0].explain()), (changed[0].images(), changed[0].explain()));
}

#[test]
fn every_flipped_bit_of_a_signature_is_refused() {
    let transaction = build(&payload()).unwrap().remove(0);
    let signature = signer(1).sign(transaction.images().first().unwrap().as_bytes()).to_bytes();
    assert!(transaction.compile(&[Signature(signature)]).is_ok());
    for bit in 0..512 {
        let mut flipped = signature;
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(transaction.compile(&[Signature(flipped)]).is_err(), "bit {bit}");
    }
    assert!(transaction.compile(&[]).is_err());
}
