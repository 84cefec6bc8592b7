//! Seed phrases (BIP-39, English): 12 to 24 words of a list of 2048, eleven bits each. The bits are the entropy and,
//! behind it, one bit of its SHA-256 for every 32.

use bip39::Language;
use derive::Code;
use pbkdf2::pbkdf2_hmac;
use sha2::{Digest as _, Sha256, Sha512};
use std::fmt;
use zeroize::Zeroizing;

/// Rounds of PBKDF2, as BIP-39 has it.
const ROUNDS: u32 = 2048;

/// The longest phrase has 24 words; with the checksum that is 33 bytes.
const MAX_WORDS: usize = 24;

/// A seed phrase with a valid checksum. Its `Debug` form shows no word.
#[derive(Clone, PartialEq, Eq)]
pub struct Mnemonic(Zeroizing<Vec<u8>>);

/// Why a text is not a seed phrase. Never contains a word of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error, Code)]
pub enum MnemonicError {
    /// Not 12, 15, 18, 21 or 24 words.
    #[error("a seed phrase has 12, 15, 18, 21 or 24 words")]
    #[code("mnemonic_word_count")]
    WordCount,
    /// A word that is not in the list.
    #[error("word {position} is not in the list of English words")]
    #[code("mnemonic_unknown_word")]
    UnknownWord {
        /// Its place, from one.
        position: usize,
    },
    /// Words of the list, but one is wrong or in the wrong place.
    #[error("the words do not fit together: one is wrong, or two have changed places")]
    #[code("mnemonic_checksum")]
    Checksum,
}

impl Mnemonic {
    /// Reads a phrase in any case, with any blanks between the words.
    pub fn parse(text: &str) -> Result<Self, MnemonicError> {
        // One more than fits is enough to know.
        let count = text.split_whitespace().take(MAX_WORDS + 1).count();
        if !(12..=MAX_WORDS).contains(&count) || !count.is_multiple_of(3) {
            return Err(MnemonicError::WordCount);
        }
        let mut bits = Zeroizing::new(Vec::with_capacity(count * 11));
        for (place, word) in text.split_whitespace().enumerate() {
            let index = find(word).ok_or(MnemonicError::UnknownWord { position: place + 1 })?;
            bits.extend((0..11).rev().map(|bit| index >> bit & 1 == 1));
        }
        let byte = |bits: &[bool]| bits.iter().fold(0, |byte, bit| byte << 1 | u8::from(*bit));
        let length = count * 4 / 3;
        let entropy = Zeroizing::new(bits.chunks(8).take(length).map(byte).collect::<Vec<u8>>());
        let phrase = Self(entropy);
        // The words follow from the entropy: with another checksum the last word would be another.
        let last = phrase.indices().last();
        let given = text.split_whitespace().last().and_then(find);
        if last == given { Ok(phrase) } else { Err(MnemonicError::Checksum) }
    }

    /// The phrase of 16, 20, 24, 28 or 32 bytes of entropy.
    pub fn from_entropy(entropy: &[u8]) -> Result<Self, MnemonicError> {
        let fits = matches!(entropy.len(), 16 | 20 | 24 | 28 | 32);
        fits.then(|| Self(Zeroizing::new(entropy.to_vec()))).ok_or(MnemonicError::WordCount)
    }

    /// The entropy that the words stand for.
    pub fn entropy(&self) -> &[u8] {
        &self.0
    }

    /// The words, one blank between two.
    pub fn sentence(&self) -> Zeroizing<String> {
        // The longest word has eight letters: the text never moves, and so leaves no copy behind.
        let mut sentence = Zeroizing::new(String::with_capacity(MAX_WORDS * 9));
        for word in self.indices().filter_map(|index| words().get(usize::from(index))) {
            if !sentence.is_empty() {
                sentence.push(' ');
            }
            sentence.push_str(word);
        }
        sentence
    }

    /// The seed of BIP-32 and SLIP-0010. The passphrase must be in NFKD already: the platform has the tables for it.
    pub fn seed(&self, passphrase: &str) -> Zeroizing<[u8; 64]> {
        let mut salt = Zeroizing::new(Vec::with_capacity(8 + passphrase.len()));
        salt.extend_from_slice(b"mnemonic");
        salt.extend_from_slice(passphrase.as_bytes());
        let mut seed = Zeroizing::new([0; 64]);
        pbkdf2_hmac::<Sha512>(self.sentence().as_bytes(), &salt, ROUNDS, seed.as_mut_slice());
        seed
    }

    /// The words' places in the list.
    fn indices(&self) -> impl Iterator<Item = u16> {
        let checksum = Sha256::digest(self.0.as_slice());
        let words = self.0.len() * 3 / 4;
        let mut bytes = Zeroizing::new(Vec::with_capacity(64));
        bytes.extend_from_slice(&self.0);
        bytes.extend_from_slice(&checksum);
        (0..words).map(move |word| {
            let bit =
                |place: usize| bytes.get(place / 8).is_some_and(|byte| byte >> (7 - place % 8) & 1 == 1);
            (word * 11..).take(11).fold(0, |index, place| index << 1 | u16::from(bit(place)))
        })
    }
}

impl fmt::Debug for Mnemonic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Mnemonic")
    }
}

fn words() -> &'static [&'static str; 2048] {
    Language::English.word_list()
}

/// The words have at most eight letters, all ASCII.
fn find(word: &str) -> Option<u16> {
    if word.len() > 8 {
        return None;
    }
    let mut small = Zeroizing::new(String::with_capacity(8));
    small.extend(word.chars().map(|letter| letter.to_ascii_lowercase()));
    Language::English.find_word(&small)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chains::encoding::{from_hex, hex};
    use proptest::prelude::*;

    /// Entropy, words and the seed under the passphrase `TREZOR`, of the vectors that BIP-39 names.
    const VECTORS: [(&str, &str, &str); 4] = [
        (
            "00000000000000000000000000000000",
            "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about",
            "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c92f2cf141\
             630c7a3c4ab7c81b2f001698e7463b04",
        ),
        (
            "7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f7f",
            "legal winner thank year wave sausage worth useful legal winner thank yellow",
            "2e8905819b8723fe2c1d161860e5ee1830318dbf49a83bd451cfb8440c28bd6fa457fe1296106559a3c80937a1c1069b\
             e3a3a5bd381ee6260e8d9739fce1f607",
        ),
        (
            "808080808080808080808080808080808080808080808080",
            "letter advice cage absurd amount doctor acoustic avoid letter advice cage absurd amount doctor \
             acoustic avoid letter always",
            "107d7c02a5aa6f38c58083ff74f04c607c2d2c0ecc55501dadd72d025b751bc27fe913ffb796f841c49b1d33b610cf0e\
             91d3aa239027f5e99fe4ce9e5088cd65",
        ),
        (
            "ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff",
            "zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo zoo vote",
            "dd48c104698c30cfe2b6142103248622fb7bb0ff692eebb00089b32d22484e1613912f0a5b694407be899ffd31ed3992\
             c456cdf60f5d4564b8ba3f05a69890ad",
        ),
    ];

    #[test]
    fn the_vectors_of_the_specification() {
        for (entropy, words, seed) in VECTORS {
            let phrase = Mnemonic::parse(words).unwrap();
            assert_eq!(hex(phrase.entropy()), entropy);
            assert_eq!(Mnemonic::from_entropy(&from_hex("entropy", entropy).unwrap()), Ok(phrase.clone()));
            assert_eq!(phrase.sentence().as_str(), words);
            assert_eq!(hex(&*phrase.seed("TREZOR")), seed);
        }
    }

    #[test]
    fn case_and_blanks_do_not_matter() {
        let (_, words, _) = VECTORS[1];
        let messy = format!("\t{} \n", words.to_uppercase().replace(' ', " \u{a0} "));
        assert_eq!(Mnemonic::parse(&messy), Mnemonic::parse(words));
    }

    #[test]
    fn what_is_wrong_is_said_and_no_word_is_told() {
        let (_, words, _) = VECTORS[1];
        assert_eq!(Mnemonic::parse(""), Err(MnemonicError::WordCount));
        assert_eq!(Mnemonic::parse(&format!("{words} zoo")), Err(MnemonicError::WordCount));
        assert_eq!(Mnemonic::parse(&"zoo ".repeat(27)), Err(MnemonicError::WordCount));
        let misspelt = words.replacen("thank", "thanks", 1);
        assert_eq!(Mnemonic::parse(&misspelt), Err(MnemonicError::UnknownWord { position: 3 }));
        let swapped = words.replacen("winner thank", "thank winner", 1);
        assert_eq!(Mnemonic::parse(&swapped), Err(MnemonicError::Checksum));
        assert_eq!(Mnemonic::from_entropy(&[0; 17]), Err(MnemonicError::WordCount));
        let said =
            format!("{:?} {}", Mnemonic::parse(words).unwrap(), Mnemonic::parse(&misspelt).unwrap_err());
        assert!(words.split(' ').all(|word| !said.contains(word)), "{said}");
    }

    proptest! {
        #[test]
        fn any_entropy_comes_back_from_its_words(length in 4usize..=8, bytes: [u8; 32]) {
            let phrase = Mnemonic::from_entropy(&bytes[..length * 4]).unwrap();
            prop_assert_eq!(Mnemonic::parse(&phrase.sentence()), Ok(phrase));
        }

        #[test]
        fn any_text_is_read_or_refused(text in ".*") {
            prop_assert!(Mnemonic::parse(&text).is_err());
        }

        /// One phrase of 12 random words in sixteen is one.
        #[test]
        fn words_of_the_list_are_read_or_refused(places in proptest::collection::vec(0usize..2048, 0..30)) {
            let text = places.iter().map(|place| words()[*place]).collect::<Vec<_>>().join(" ");
            match Mnemonic::parse(&text) {
                Ok(phrase) => prop_assert_eq!(&*phrase.sentence(), &text),
                Err(error) => prop_assert_ne!(error.code(), "mnemonic_unknown_word"),
            }
        }
    }
}
