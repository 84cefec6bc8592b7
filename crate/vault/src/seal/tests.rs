//! What is sealed opens with its password and with nothing else.

use super::*;
use crate::random::tests::Counter;
use proptest::prelude::*;
use serde_json::{Value, json};
use std::sync::LazyLock;

const SECRET: &[u8] = b"a secret of some length";

static SEALED: LazyLock<String> =
    LazyLock::new(|| seal("correct horse", SECRET, Parameters::QUICK, &mut Counter(0)).unwrap());

fn sealed() -> String {
    SEALED.clone()
}

fn changed(change: impl Fn(&mut Value)) -> String {
    let mut container: Value = serde_json::from_str(&sealed()).unwrap();
    change(&mut container);
    container.to_string()
}

/// A source that is dry.
struct Dry;

impl Random for Dry {
    fn fill(&mut self, _: &mut [u8]) -> Result<(), RandomnessError> {
        Err(RandomnessError)
    }
}

#[test]
fn opens_with_its_password_only() {
    assert_eq!(open("correct horse", &sealed()).unwrap().as_slice(), SECRET);
    assert_eq!(open("Correct horse", &sealed()), Err(SealError::WrongPassword));
    assert_eq!(open("", &sealed()), Err(SealError::WrongPassword));
}

/// The form is fixed: other versions of us must read it.
#[test]
fn the_text_is_as_it_is_written_down() {
    let container: Value = serde_json::from_str(&sealed()).unwrap();
    let kdf = json!({"name": "argon2id", "memoryKib": 8192, "passes": 1, "lanes": 1,
        "salt": "AQIDBAUGBwgJCgsMDQ4PEA=="});
    assert_eq!((&container["version"], &container["kdf"]), (&json!(1), &kdf));
    assert_eq!(container["nonce"], "ERITFBUWFxgZGhscHR4fICEiIyQlJico");
    let ciphertext = from_base64("", container["ciphertext"].as_str().unwrap()).unwrap();
    assert_eq!(ciphertext.len(), SECRET.len() + TAG);
    assert_eq!(container.as_object().unwrap().len(), 4);
    assert_eq!(Container::parse(&sealed()).unwrap().to_text(), sealed());
}

/// Each is read, and none opens: the header is part of what is authenticated.
#[test]
fn a_changed_header_does_not_open() {
    for (place, value) in [
        ("/kdf/memoryKib", json!(8200)),
        ("/kdf/passes", json!(2)),
        ("/kdf/salt", json!("AAIDBAUGBwgJCgsMDQ4PEA==")),
        ("/nonce", json!("AAITFBUWFxgZGhscHR4fICEiIyQlJico")),
    ] {
        let text = changed(|container| *container.pointer_mut(place).unwrap() = value.clone());
        assert_eq!(open("correct horse", &text), Err(SealError::WrongPassword), "{place}");
    }
    // Salt and work give another key by themselves; that the header is bound shows only under one key.
    let key = Zeroizing::new([7; 32]);
    let ciphertext = encrypt(&key, &[0; NONCE], &header(Parameters::QUICK, &[0; SALT]), SECRET).unwrap();
    let other = header(Parameters::MINIMUM, &[0; SALT]);
    assert_eq!(decrypt(&key, &[0; NONCE], &other, &ciphertext), None);
}

#[test]
fn what_is_no_container_is_refused_by_name() {
    let refused = |change: fn(&mut Value)| Container::parse(&changed(change)).unwrap_err();
    assert_eq!(refused(|c| c["version"] = json!(2)), SealError::Version);
    assert_eq!(refused(|c| *c = json!({"version": 2, "else": true})), SealError::Version);
    assert_eq!(refused(|c| c["kdf"]["name"] = json!("argon2i")), SealError::Parameters);
    assert_eq!(refused(|c| c["kdf"]["memoryKib"] = json!(4_194_304)), SealError::Parameters);
    assert_eq!(refused(|c| c["kdf"]["lanes"] = json!(4)), SealError::Parameters);
    assert_eq!(refused(|c| c["extra"] = json!(1)), SealError::Malformed);
    assert_eq!(refused(|c| c["kdf"]["extra"] = json!(1)), SealError::Malformed);
    assert_eq!(refused(|c| c["nonce"] = json!("AAAA")), SealError::Malformed);
    assert_eq!(refused(|c| c["ciphertext"] = json!("AAAA")), SealError::Malformed);
    assert_eq!(Container::parse("").unwrap_err(), SealError::Malformed);
    assert_eq!(Container::parse(&" ".repeat(MAX_BYTES + 1)).unwrap_err(), SealError::TooLong);
}

#[test]
fn secrets_of_any_length_open_again() {
    let most = vec![7; MAX_BYTES / 4 * 3 - 1024];
    let text = seal("p", &most, Parameters::QUICK, &mut Counter(0)).unwrap();
    assert_eq!(*open("p", &text).unwrap(), most);
    let more = vec![7; most.len() + 1];
    assert_eq!(seal("p", &more, Parameters::QUICK, &mut Counter(0)), Err(SealError::TooLong));
}

#[test]
fn another_password_takes_the_place_of_the_first() {
    let new =
        change_password(&sealed(), "correct horse", "staple", Parameters::MINIMUM, &mut Counter(9)).unwrap();
    assert_eq!(open("staple", &new).unwrap().as_slice(), SECRET);
    assert_eq!(open("correct horse", &new), Err(SealError::WrongPassword));
    let upgrades = [sealed(), new].map(|text| Container::parse(&text).unwrap().needs_upgrade());
    assert_eq!(upgrades, [true, false]);
    let wrong = change_password(&sealed(), "wrong", "staple", Parameters::MINIMUM, &mut Counter(9));
    assert_eq!(wrong, Err(SealError::WrongPassword));
}

#[test]
fn a_key_opens_what_it_sealed_and_for_the_same_purpose_only() {
    let (key, other) = (Zeroizing::new([1; 32]), Zeroizing::new([2; 32]));
    let text = seal_with_key(&key, b"vault 1", SECRET, &mut Counter(0)).unwrap();
    assert_eq!(open_with_key(&key, b"vault 1", &text).unwrap().as_slice(), SECRET);
    assert_eq!(open_with_key(&key, b"vault 2", &text), Err(SealError::WrongKey));
    assert_eq!(open_with_key(&other, b"vault 1", &text), Err(SealError::WrongKey));
    assert_eq!(open_with_key(&key, b"vault 1", "AAAA"), Err(SealError::Malformed));
    assert_ne!(text, seal_with_key(&key, b"vault 1", SECRET, &mut Counter(1)).unwrap());
}

#[test]
fn nothing_is_sealed_without_randomness() {
    let refused = Err(SealError::NoRandomness(RandomnessError));
    assert_eq!(seal("p", SECRET, Parameters::QUICK, &mut Dry), refused);
    assert_eq!(seal_with_key(&Zeroizing::new([0; 32]), b"", SECRET, &mut Dry), refused);
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in ".*", json in "[\\{\\}\"a-z0-9:,]*") {
        prop_assert!(Container::parse(&text).is_err());
        prop_assert!(Container::parse(&json).is_err());
    }

    /// Values of every kind in every place, with work that is never begun.
    #[test]
    fn any_container_is_read_or_refused(
        version in 0u32..3, memory: u32, passes: u32, lanes: u32, salt in "[A-Za-z0-9+/=]{0,30}",
        nonce in "[A-Za-z0-9+/=]{0,40}", ciphertext in "[A-Za-z0-9+/=]{0,80}",
    ) {
        let kdf = json!({"name": "argon2id", "memoryKib": memory, "passes": passes, "lanes": lanes, "salt": salt});
        let text = json!({"version": version, "kdf": kdf, "nonce": nonce, "ciphertext": ciphertext}).to_string();
        prop_assert!(Container::parse(&text).is_err());
    }

    /// One bit anywhere in the text: refused, or what was sealed.
    #[test]
    fn one_changed_bit_opens_nothing_else(place in 0usize..300, bit in 0u8..7) {
        let mut text = sealed().into_bytes();
        let place = place % text.len();
        text[place] ^= 1 << bit;
        let text = String::from_utf8(text).unwrap();
        // Work within the bounds is done; a number with one digit changed may ask for twenty passes.
        let opened = open("correct horse", &text);
        prop_assert!(opened.is_err_and(|error| error != SealError::Memory));
    }

    #[test]
    fn any_text_is_opened_by_no_key(text in "[A-Za-z0-9+/=]{0,200}") {
        prop_assert!(open_with_key(&Zeroizing::new([0; 32]), b"", &text).is_err());
    }
}
