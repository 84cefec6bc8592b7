//! SLIP-0010's tree of Ed25519: `HMAC-SHA-512(chain code, 0x00 ‖ key ‖ index)` is the child's key and chain code. Every
//! step is hardened.

use super::{HARDENED, Half, hmac, steps};
use chains::derive::DeriveError;

/// A key with the chain code that its children need.
pub(crate) struct Node {
    /// The private key, a seed as RFC 8032 has it.
    pub(crate) key: Half,
    chain_code: Half,
}

impl Node {
    /// The root of a seed's tree.
    pub(crate) fn master(seed: &[u8]) -> Result<Self, DeriveError> {
        let (key, chain_code) = hmac(b"ed25519 seed", &[seed])?;
        Ok(Self { key, chain_code })
    }

    /// The node that a path leads to.
    pub(crate) fn at(self, path: &str) -> Result<Self, DeriveError> {
        steps(path).try_fold(self, |node, step| node.child(step?))
    }

    fn child(&self, index: u32) -> Result<Self, DeriveError> {
        if index < HARDENED {
            return Err(DeriveError::Path);
        }
        let (key, chain_code) =
            hmac(self.chain_code.as_slice(), &[&[0], self.key.as_slice(), &index.to_be_bytes()])?;
        Ok(Self { key, chain_code })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LocalKey;
    use chains::encoding::{from_hex, hex};

    fn at(seed: &str, path: &str) -> (String, String, String) {
        let node = Node::master(&from_hex("seed", seed).unwrap()).unwrap().at(path).unwrap();
        let public = LocalKey::ed25519(&node.key).public();
        (hex(&*node.key), hex(&*node.chain_code), hex(public.as_bytes()))
    }

    const SEED_1: &str = "000102030405060708090a0b0c0d0e0f";
    const SEED_2: &str = "fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a2\
                          9f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542";

    /// Private keys, chain codes and public keys of SLIP-0010's test vectors 1 and 2 for Ed25519.
    #[test]
    fn the_vectors_of_the_specification() {
        let vectors = [
            (
                SEED_1,
                "m",
                "2b4be7f19ee27bbf30c667b642d5f4aa69fd169872f8fc3059c08ebae2eb19e7",
                "90046a93de5380a72b5e45010748567d5ea02bbf6522f979e05c0d8d8ca9fffb",
                "a4b2856bfec510abab89753fac1ac0e1112364e7d250545963f135f2a33188ed",
            ),
            (
                SEED_1,
                "m/0'",
                "68e0fe46dfb67e368c75379acec591dad19df3cde26e63b93a8e704f1dade7a3",
                "8b59aa11380b624e81507a27fedda59fea6d0b779a778918a2fd3590e16e9c69",
                "8c8a13df77a28f3445213a0f432fde644acaa215fc72dcdf300d5efaa85d350c",
            ),
            (
                SEED_1,
                "m/0'/1'",
                "b1d0bad404bf35da785a64ca1ac54b2617211d2777696fbffaf208f746ae84f2",
                "a320425f77d1b5c2505a6b1b27382b37368ee640e3557c315416801243552f14",
                "1932a5270f335bed617d5b935c80aedb1a35bd9fc1e31acafd5372c30f5c1187",
            ),
            (
                SEED_1,
                "m/0'/1'/2'/2'/1000000000'",
                "8f94d394a8e8fd6b1bc2f3f49f5c47e385281d5c17e65324b0f62483e37e8793",
                "68789923a0cac2cd5a29172a475fe9e0fb14cd6adb5ad98a3fa70333e7afa230",
                "3c24da049451555d51a7014a37337aa4e12d41e485abccfa46b47dfb2af54b7a",
            ),
            (
                SEED_2,
                "m",
                "171cb88b1b3c1db25add599712e36245d75bc65a1a5c9e18d76f9f2b1eab4012",
                "ef70a74db9c3a5af931b5fe73ed8e1a53464133654fd55e7a66f8570b8e33c3b",
                "8fe9693f8fa62a4305a140b9764c5ee01e455963744fe18204b4fb948249308a",
            ),
            (
                SEED_2,
                "m/0'",
                "1559eb2bbec5790b0c65d8693e4d0875b1747f4970ae8b650486ed7470845635",
                "0b78a3226f915c082bf118f83618a618ab6dec793752624cbeb622acb562862d",
                "86fab68dcb57aa196c77c5f264f215a112c22a912c10d123b0d03c3c28ef1037",
            ),
            (
                SEED_2,
                "m/0'/2147483647'/1'/2147483646'/2'",
                "551d333177df541ad876a60ea71f00447931c0a9da16f227c11ea080d7391b8d",
                "5d70af781f3a37b829f0d060924d5e960bdc02e85423494afc0b1a41bbe196d4",
                "47150c75db263559a70d5778bf36abbab30fb061ad69f69ece61a72b0cfa4fc0",
            ),
        ];
        for (seed, path, key, chain_code, public) in vectors {
            assert_eq!(at(seed, path), (key.into(), chain_code.into(), public.into()), "{path}");
        }
    }

    #[test]
    fn a_step_without_apostrophe_leads_nowhere() {
        let root = Node::master(&[7; 64]).unwrap();
        assert_eq!(root.at("m/44'/501").err(), Some(DeriveError::Path));
    }
}
