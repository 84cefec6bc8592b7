//! What holds for every text and every address, not only for chosen examples.

#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a test's own mistake must fail it")]

use bech32::{Bech32, Bech32m, Fe32, Hrp};
use bs58::Alphabet;
use countersign_chains::address::normalise;
use countersign_chains::{Chain, Network};
use proptest::prelude::*;
use proptest::sample::select;
use sha2::{Digest, Sha256};

fn any_chain() -> impl Strategy<Value = Chain> {
    select(Chain::ALL)
}

/// Texts that get further into the readers than noise does.
fn almost_an_address() -> impl Strategy<Value = String> {
    let starts = "0x 0X 0: -1: 1 3 bc1 BC1 ltc1 bitcoincash: t1 zs1 cosmos1 thor1 qbtc1 \
                  addr1 stake1 addr_test1 Ae2 EQ r X T";
    let start = select(starts.split(' ').collect::<Vec<_>>());
    (start, "[0-9a-zA-Z+/_:-]{0,120}").prop_map(|(start, rest)| format!("{start}{rest}"))
}

/// A well-formed address with a strong checksum, made without the crate's own code.
fn checked_address() -> impl Strategy<Value = (Chain, String)> {
    (any_chain(), any::<[u8; 32]>(), any::<bool>()).prop_filter_map("no checksum", |(chain, bytes, other)| {
        let hash = &bytes[..20];
        let address = match chain.network() {
            Network::Utxo(prefixes) => match prefixes.segwit {
                Some(hrp) if other => segwit(hrp, &bytes, hash),
                _ => base58check(Alphabet::BITCOIN, if other { prefixes.p2sh } else { prefixes.p2pkh }, hash),
            },
            Network::Cosmos { hrp, .. } | Network::Qbtc { hrp } => {
                plain_bech32(hrp, if other { &bytes } else { hash })
            }
            Network::Ripple => base58check(Alphabet::RIPPLE, &[0], hash),
            Network::Tron => base58check(Alphabet::BITCOIN, &[0x41], hash),
            Network::Cardano if other => plain_bech32("stake", &[&[0xe1], &bytes[..28]].concat()),
            Network::Cardano => plain_bech32("addr", &[&[0x61], &bytes[..28]].concat()),
            _ => return None,
        };
        Some((chain, address))
    })
}

fn base58check(alphabet: &Alphabet, version: &[u8], hash: &[u8]) -> String {
    let body = [version, hash].concat();
    let checksum = Sha256::digest(Sha256::digest(&body));
    bs58::encode([&body, &checksum[..4]].concat()).with_alphabet(alphabet).into_string()
}

fn plain_bech32(hrp: &str, bytes: &[u8]) -> String {
    bech32::encode::<Bech32>(Hrp::parse(hrp).unwrap(), bytes).unwrap()
}

/// Taproot, or a key's hash where the first bit says so.
fn segwit(hrp: &str, bytes: &[u8; 32], hash: &[u8]) -> String {
    let (version, program) = if bytes[0] & 1 == 0 { (Fe32::Q, hash) } else { (Fe32::P, &bytes[..]) };
    bech32::segwit::encode(Hrp::parse(hrp).unwrap(), version, program).unwrap()
}

fn assert_idempotent(chain: Chain, text: &str) -> Result<(), TestCaseError> {
    if let Ok(canonical) = normalise(chain, text) {
        prop_assert_eq!(normalise(chain, &canonical), Ok(canonical.clone()), "{} {:?}", chain, text);
    }
    Ok(())
}

proptest! {
    #[test]
    fn no_text_panics(chain in any_chain(), text in ".*") {
        assert_idempotent(chain, &text)?;
        let _ = Chain::parse(&text);
    }

    #[test]
    fn nothing_like_an_address_panics(chain in any_chain(), text in almost_an_address()) {
        assert_idempotent(chain, &text)?;
    }

    #[test]
    fn names_are_read_in_any_mixture_of_cases(chain in any_chain(), capitals in any::<u32>()) {
        let spelling: String = chain.name().chars().enumerate().map(|(at, letter)| {
            if capitals >> at & 1 == 1 { letter.to_ascii_uppercase() } else { letter.to_ascii_lowercase() }
        }).collect();
        prop_assert_eq!(Chain::parse(&format!(" {spelling}\t")), Some(chain));
    }

    #[test]
    fn a_right_address_is_accepted((chain, address) in checked_address()) {
        prop_assert!(normalise(chain, &address).is_ok(), "{} {}", chain, address);
        assert_idempotent(chain, &address)?;
    }

    #[test]
    fn one_wrong_character_is_noticed(
        (chain, address) in checked_address(), at in any::<prop::sample::Index>(), wrong in "[!-~]",
    ) {
        let at = at.index(address.len());
        prop_assume!(address[at..=at] != wrong);
        let mut changed = address.clone();
        changed.replace_range(at..=at, &wrong);
        prop_assert!(normalise(chain, &changed).is_err(), "{}: {} became {}", chain, address, changed);
    }

    /// The same contents under the other checksum constant.
    #[test]
    fn bech32m_is_no_cosmos_address(hash in any::<[u8; 20]>()) {
        let address = bech32::encode::<Bech32m>(Hrp::parse_unchecked("thor"), &hash).unwrap();
        prop_assert_eq!(normalise(Chain::ThorChain, &address).unwrap_err().code(), "encoding");
    }

    /// D7: for all digits, texts of one case become the checksum form, and only that mixture is accepted.
    #[test]
    fn evm_capitals(bytes in any::<[u8; 20]>(), at in 0_usize..40) {
        let lower: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let canonical = normalise(Chain::Ethereum, &format!("0x{lower}")).unwrap();
        prop_assert_eq!(&canonical.to_lowercase(), &format!("0x{lower}"));
        let upper = format!("0x{}", lower.to_uppercase());
        prop_assert_eq!(normalise(Chain::Ethereum, &upper), Ok(canonical.clone()));

        let mut letters: Vec<char> = canonical.chars().collect();
        let letter = letters[at + 2];
        letters[at + 2] = if letter.is_uppercase() { letter.to_ascii_lowercase() } else { letter.to_ascii_uppercase() };
        let changed: String = letters.into_iter().collect();
        let one_case = changed[2..] == lower || changed == upper;
        if letter.is_ascii_alphabetic() && !one_case {
            prop_assert_eq!(normalise(Chain::Ethereum, &changed).unwrap_err().code(), "checksum");
        }
    }
}
