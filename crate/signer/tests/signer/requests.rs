//! Every request is answered.

use crate::vectors::{Golden, goldens, raws};
use crate::world::{accounts, inspect_one, keys};
use countersign_signer::{Platform, answer, answer_decode_text, answer_keys_text};
use proptest::prelude::*;
use std::sync::LazyLock;
use wire::bundle::{StepRequest, StepSource};
use wire::secret::SecretText;
use wire::signer::{DecodeRequest, KeyRequest, Refusal, Reply, Request};
use wire::vault::PublicKeys;
use zeroize::Zeroizing;

static GOLDENS: LazyLock<Vec<Golden>> = LazyLock::new(goldens);

/// A refusal that says what, where and in which field.
fn is_complete(refusal: &Refusal) -> bool {
    let snake =
        refusal.code.bytes().all(|byte| byte == b'_' || byte.is_ascii_lowercase() || byte.is_ascii_digit());
    snake
        && !refusal.code.is_empty()
        && !refusal.message.is_empty()
        && refusal.step == Some(0)
        && refusal.field.is_some()
}

fn keys_text(request: &str) -> Reply {
    let reply = answer_keys_text(&mut Platform::default(), Zeroizing::new(request.to_owned()));
    serde_json::from_str(&reply).unwrap()
}

fn text(request: &str) -> Reply {
    serde_json::from_str(&answer_decode_text(request)).unwrap()
}

/// The texts that JavaScript hands over are the requests, and its answers the replies.
#[test]
fn requests_and_replies_are_texts() {
    let request = DecodeRequest::WatchVault { name: "Cold".into(), keys: keys(1) };
    let expected = serde_json::to_value(answer(request.clone())).unwrap();
    assert_eq!(serde_json::to_value(text(&serde_json::to_string(&request).unwrap())).unwrap(), expected);
    let Reply::Refused(refusal) = text("{\"fly\":{}}") else { panic!("an answer to nothing") };
    assert_eq!(refusal.code, "malformed_request");
}

/// Neither instance answers what is for the other: a secret never reaches the memory that holds the words of nodes.
#[test]
fn requests_are_answered_by_their_own_instance_only() {
    let watch = DecodeRequest::WatchVault { name: "Cold".into(), keys: keys(1) };
    let check = KeyRequest::CheckPassword { sealed: String::new(), password: SecretText::new("p".into()) };
    let code = |reply| match reply {
        Reply::Refused(Refusal { code, .. }) => code,
        other => panic!("{other:?}"),
    };
    assert_eq!(code(keys_text(&serde_json::to_string(&watch).unwrap())), "malformed_request");
    assert_eq!(code(text(&serde_json::to_string(&check).unwrap())), "malformed_request");
    assert_ne!(code(keys_text(&serde_json::to_string(&check).unwrap())), "malformed_request");
}

fn strings() -> impl Strategy<Value = String> {
    prop_oneof![
        ".{0,40}",
        "[0-9a-f]{0,200}",
        "0x[0-9a-f]{0,200}",
        "[A-Za-z0-9+/]{0,200}",
        Just(String::new())
    ]
}

fn steps() -> impl Strategy<Value = StepRequest> {
    let chains: Vec<&str> = chains::Chain::ALL.iter().map(|chain| chain.name()).collect();
    let modes = prop_oneof![Just("ecdsa_secp256k1".to_owned()), Just("eddsa_ed25519".to_owned()), strings()];
    let option = || proptest::option::of(strings());
    let source = prop_oneof![
        strings().prop_map(|keysign_payload| StepSource::Payload { keysign_payload }),
        (strings(), option(), option(), option()).prop_map(
            |(unsigned_tx_hex, chain_id, derive_path, tx_type)| {
                StepSource::Raw { unsigned_tx_hex, chain_id, derive_path, tx_type }
            }
        ),
    ];
    let chain = prop_oneof![proptest::sample::select(chains).prop_map(str::to_owned), strings()];
    (chain, modes, source).prop_map(|(chain, signing_mode, source)| StepRequest {
        signing_mode,
        chain,
        ..crate::world::step(chains::Chain::Ethereum, source)
    })
}

proptest! {
    #[test]
    fn any_text_has_an_answer(request in strings()) {
        prop_assert!(matches!(text(&request), Reply::Refused(_)));
    }

    #[test]
    fn any_step_is_decoded_or_refused_with_a_place(step in steps()) {
        if let Err(refusal) = inspect_one(&keys(1), &step) {
            prop_assert!(is_complete(&refusal), "{refusal:?}");
        }
    }

    /// Payloads that are almost right reach further than nonsense does.
    #[test]
    fn a_payload_with_one_byte_changed_is_decoded_or_refused(
        case in 0usize..200,
        place: proptest::sample::Index,
        byte: u8,
    ) {
        let case = &GOLDENS[case];
        let mut step = case.step();
        let StepSource::Payload { keysign_payload } = &mut step.source else { panic!("a payload") };
        let mut bytes = chains::encoding::from_base64("payload", keysign_payload).unwrap();
        *place.get_mut(&mut bytes) = byte;
        *keysign_payload = chains::encoding::base64(&bytes);
        if let Err(refusal) = inspect_one(&case.keys(), &step) {
            prop_assert!(is_complete(&refusal), "{}: {refusal:?}", case.name);
        }
    }

    #[test]
    fn raw_bytes_with_one_digit_changed_are_decoded_or_refused(
        case: proptest::sample::Index,
        place: proptest::sample::Index,
        digit in "[0-9a-f]",
    ) {
        static CASES: LazyLock<crate::vectors::RawCases> = LazyLock::new(raws);
        let case = case.get(&CASES.valid);
        let mut step = case.step();
        let StepSource::Raw { unsigned_tx_hex, .. } = &mut step.source else { panic!("raw bytes") };
        let place = 2 + place.index(unsigned_tx_hex.len() - 2);
        unsigned_tx_hex.replace_range(place..=place, &digit);
        if let Err(refusal) = inspect_one(&case.keys(), &step) {
            prop_assert!(is_complete(&refusal), "{}: {refusal:?}", case.name);
        }
    }

    /// Containers, files and keys from outside are read or refused. None of these costs a password's hash.
    #[test]
    fn anything_for_a_vault_is_refused(sealed in strings(), password in ".{0,10}", key in strings()) {
        let secret = |text: &String| SecretText::new(text.clone());
        let opened = wire::signer::Opened { sealed: secret(&sealed), key: secret(&key), binding: sealed.clone() };
        let step = GOLDENS[0].step();
        let account = accounts(&GOLDENS[0].keys(), std::slice::from_ref(&step)).remove(0);
        let origin = wire::signer::Origin::File { text: secret(&sealed), file_password: secret(&password) };
        let public = PublicKeys { public_key_ecdsa: key.clone(), ..keys(1) };
        let requests: [Request; 5] = [
            KeyRequest::Unlock { sealed: sealed.clone(), password: secret(&password), binding: key.clone() }.into(),
            KeyRequest::CheckPassword { sealed: sealed.clone(), password: secret(&password) }.into(),
            KeyRequest::NewVault { name: key.clone(), password: secret(&password), origin }.into(),
            DecodeRequest::WatchVault { name: key.clone(), keys: public }.into(),
            KeyRequest::Sign { opened, account, step, index: 0, digest: sealed.clone() }.into(),
        ];
        for request in requests {
            prop_assert!(matches!(answer(request), Reply::Refused(_)));
        }
    }
}
