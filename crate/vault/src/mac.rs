//! HMAC (RFC 2104) with SHA-256 and SHA-512, and one block of HKDF-SHA-256 (RFC 5869).

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::{Sha256, Sha512};
use zeroize::Zeroizing;

/// HMAC-SHA-256 of a message. Keys of every length are taken; the library has an error all the same, and no constant may
/// stand for a key.
pub fn hmac_sha256(key: &[u8], message: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    sha256(key, &[message])
}

/// HMAC-SHA-512 of a message.
pub fn hmac_sha512(key: &[u8], message: &[u8]) -> Option<Zeroizing<[u8; 64]>> {
    let mut mac = Hmac::<Sha512>::new_from_slice(key).ok()?;
    mac.update(message);
    Some(Zeroizing::new(mac.finalize().into_bytes().into()))
}

/// The first 32 bytes that HKDF-SHA-256 makes of key material.
pub fn hkdf_sha256(salt: &[u8], material: &[u8], info: &[u8]) -> Option<Zeroizing<[u8; 32]>> {
    let extracted = sha256(salt, &[material])?;
    sha256(extracted.as_slice(), &[info, &[1]])
}

fn sha256(key: &[u8], parts: &[&[u8]]) -> Option<Zeroizing<[u8; 32]>> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).ok()?;
    parts.iter().for_each(|part| mac.update(part));
    Some(Zeroizing::new(mac.finalize().into_bytes().into()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use chains::encoding::{from_hex, hex};

    fn bytes(text: &str) -> Vec<u8> {
        from_hex("vector", text).unwrap()
    }

    /// T002-79: the test cases of RFC 4231 (1 to 4, 6 and 7; 5 is truncated).
    #[test]
    fn vectors_of_rfc_4231() {
        let longer = "This is a test using a larger than block-size key and a larger than block-size data. \
                      The key needs to be hashed before being used by the HMAC algorithm.";
        let vectors: [(Vec<u8>, Vec<u8>, &str, &str); 6] = [
            (
                vec![0x0b; 20],
                b"Hi There".to_vec(),
                "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7",
                "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cdedaa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854",
            ),
            (
                b"Jefe".to_vec(),
                b"what do ya want for nothing?".to_vec(),
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
                "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea2505549758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737",
            ),
            (
                vec![0xaa; 20],
                vec![0xdd; 50],
                "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe",
                "fa73b0089d56a284efb0f0756c890be9b1b5dbdd8ee81a3655f83e33b2279d39bf3e848279a722c806b485a47e67c807b946a337bee8942674278859e13292fb",
            ),
            (
                (1..=25).collect(),
                vec![0xcd; 50],
                "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b",
                "b0ba465637458c6990e5a8c5f61d4af7e576d97ff94b872de76f8050361ee3dba91ca5c11aa25eb4d679275cc5788063a5f19741120c4f2de2adebeb10a298dd",
            ),
            (
                vec![0xaa; 131],
                b"Test Using Larger Than Block-Size Key - Hash Key First".to_vec(),
                "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f3526b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598",
            ),
            (
                vec![0xaa; 131],
                longer.as_bytes().to_vec(),
                "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2",
                "e37b6a775dc87dbaa4dfa9f96e5e3ffddebd71f8867289865df5a32d20cdc944b6022cac3c4982b10d5eeb55c3e4de15134676fb6de0446065c97440fa8c6a58",
            ),
        ];
        for (key, message, sha256, sha512) in vectors {
            assert_eq!(hex(hmac_sha256(&key, &message).unwrap().as_slice()), sha256);
            assert_eq!(hex(hmac_sha512(&key, &message).unwrap().as_slice()), sha512);
        }
    }

    /// Test cases 1 to 3 of RFC 5869, as far as one block goes.
    #[test]
    fn vectors_of_rfc_5869() {
        let counting = |from: u8, to: u8| (from..=to).collect::<Vec<u8>>();
        let vectors = [
            (
                bytes("000102030405060708090a0b0c"),
                vec![0x0b; 22],
                bytes("f0f1f2f3f4f5f6f7f8f9"),
                "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf",
            ),
            (
                counting(0x60, 0xaf),
                counting(0x00, 0x4f),
                counting(0xb0, 0xff),
                "b11e398dc80327a1c8e7f78c596a49344f012eda2d4efad8a050cc4c19afa97c",
            ),
            (
                Vec::new(),
                vec![0x0b; 22],
                Vec::new(),
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d",
            ),
        ];
        for (salt, material, info, expected) in vectors {
            assert_eq!(hex(hkdf_sha256(&salt, &material, &info).unwrap().as_slice()), expected);
        }
    }
}
