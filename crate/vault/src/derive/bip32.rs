//! BIP-32's private tree of secp256k1: `I = HMAC-SHA-512(chain code, data ‖ index)`; the child's key is the left half
//! plus the parent's, its chain code the right half. The data is the private key of a hardened step, `0x00` before it,
//! and the public key of any other, so that those children are known from the public side too.

use super::{HARDENED, Half, hmac, steps};
use chains::derive::DeriveError;
use k256::elliptic_curve::PrimeField as _;
use k256::{CompressedPoint, Scalar, SecretKey};
use zeroize::Zeroizing;

/// A key with the chain code that its children need.
pub(crate) struct Node {
    /// The private key.
    pub(crate) key: Half,
    /// The chain code.
    pub(crate) chain_code: Half,
}

impl Node {
    /// The root of a seed's tree.
    pub(crate) fn master(seed: &[u8]) -> Result<Self, DeriveError> {
        let (key, chain_code) = hmac(b"Bitcoin seed", &[seed])?;
        let node = Self { key, chain_code };
        node.secret().map(|_| node)
    }

    /// The node that a path leads to.
    pub(crate) fn at(self, path: &str) -> Result<Self, DeriveError> {
        steps(path).try_fold(self, |node, step| node.child(step?))
    }

    /// The compressed public key.
    pub(crate) fn public(&self) -> Result<[u8; 33], DeriveError> {
        Ok(CompressedPoint::from(self.secret()?.public_key()).into())
    }

    fn child(&self, index: u32) -> Result<Self, DeriveError> {
        let (tweak, chain_code) = if index >= HARDENED {
            hmac(self.chain_code.as_slice(), &[&[0], self.key.as_slice(), &index.to_be_bytes()])?
        } else {
            hmac(self.chain_code.as_slice(), &[&self.public()?, &index.to_be_bytes()])?
        };
        let sum = Zeroizing::new(*scalar(&tweak)? + *scalar(&self.key)?);
        let node = Self { key: Zeroizing::new(sum.to_bytes().into()), chain_code };
        node.secret().map(|_| node)
    }

    /// One child in 2¹²⁷ is zero or not below the group order: BIP-32 leaves it out.
    fn secret(&self) -> Result<SecretKey, DeriveError> {
        SecretKey::from_slice(self.key.as_slice()).map_err(|_| DeriveError::NoChild)
    }
}

fn scalar(bytes: &Half) -> Result<Zeroizing<Scalar>, DeriveError> {
    let scalar = Option::<Scalar>::from(Scalar::from_repr((**bytes).into()));
    scalar.map(Zeroizing::new).ok_or(DeriveError::NoChild)
}

#[cfg(test)]
mod tests {
    use super::*;
    use chains::encoding::{from_hex, hex};

    fn at(seed: &str, path: &str) -> (String, String, String) {
        let node = Node::master(&from_hex("seed", seed).unwrap()).unwrap().at(path).unwrap();
        (hex(&*node.key), hex(&*node.chain_code), hex(&node.public().unwrap()))
    }

    const SEED_1: &str = "000102030405060708090a0b0c0d0e0f";
    const SEED_2: &str = "fffcf9f6f3f0edeae7e4e1dedbd8d5d2cfccc9c6c3c0bdbab7b4b1aeaba8a5a2\
                          9f9c999693908d8a8784817e7b7875726f6c696663605d5a5754514e4b484542";
    const SEED_3: &str = "4b381541583be4423346c643850da4b320e46a87ae3d2a4e6da11eba819cd4ac\
                          ba45d239319ac14f863b8d5ab5a0d0c64d2e8a1e7d1457df2e5a3c51c73235be";

    /// Private keys, chain codes and public keys of BIP-32's test vectors 1 to 3; in the third the private keys have
    /// zeros in front.
    #[test]
    fn the_vectors_of_the_specification() {
        let vectors = [
            (
                SEED_1,
                "m",
                "e8f32e723decf4051aefac8e2c93c9c5b214313817cdb01a1494b917c8436b35",
                "873dff81c02f525623fd1fe5167eac3a55a049de3d314bb42ee227ffed37d508",
                "0339a36013301597daef41fbe593a02cc513d0b55527ec2df1050e2e8ff49c85c2",
            ),
            (
                SEED_1,
                "m/0'",
                "edb2e14f9ee77d26dd93b4ecede8d16ed408ce149b6cd80b0715a2d911a0afea",
                "47fdacbd0f1097043b78c63c20c34ef4ed9a111d980047ad16282c7ae6236141",
                "035a784662a4a20a65bf6aab9ae98a6c068a81c52e4b032c0fb5400c706cfccc56",
            ),
            (
                SEED_1,
                "m/0'/1",
                "3c6cb8d0f6a264c91ea8b5030fadaa8e538b020f0a387421a12de9319dc93368",
                "2a7857631386ba23dacac34180dd1983734e444fdbf774041578e9b6adb37c19",
                "03501e454bf00751f24b1b489aa925215d66af2234e3891c3b21a52bedb3cd711c",
            ),
            (
                SEED_1,
                "m/0'/1/2'",
                "cbce0d719ecf7431d88e6a89fa1483e02e35092af60c042b1df2ff59fa424dca",
                "04466b9cc8e161e966409ca52986c584f07e9dc81f735db683c3ff6ec7b1503f",
                "0357bfe1e341d01c69fe5654309956cbea516822fba8a601743a012a7896ee8dc2",
            ),
            (
                SEED_1,
                "m/0'/1/2'/2",
                "0f479245fb19a38a1954c5c7c0ebab2f9bdfd96a17563ef28a6a4b1a2a764ef4",
                "cfb71883f01676f587d023cc53a35bc7f88f724b1f8c2892ac1275ac822a3edd",
                "02e8445082a72f29b75ca48748a914df60622a609cacfce8ed0e35804560741d29",
            ),
            (
                SEED_1,
                "m/0'/1/2'/2/1000000000",
                "471b76e389e528d6de6d816857e012c5455051cad6660850e58372a6c3e6e7c8",
                "c783e67b921d2beb8f6b389cc646d7263b4145701dadd2161548a8b078e65e9e",
                "022a471424da5e657499d1ff51cb43c47481a03b1e77f951fe64cec9f5a48f7011",
            ),
            (
                SEED_2,
                "m",
                "4b03d6fc340455b363f51020ad3ecca4f0850280cf436c70c727923f6db46c3e",
                "60499f801b896d83179a4374aeb7822aaeaceaa0db1f85ee3e904c4defbd9689",
                "03cbcaa9c98c877a26977d00825c956a238e8dddfbd322cce4f74b0b5bd6ace4a7",
            ),
            (
                SEED_2,
                "m/0",
                "abe74a98f6c7eabee0428f53798f0ab8aa1bd37873999041703c742f15ac7e1e",
                "f0909affaa7ee7abe5dd4e100598d4dc53cd709d5a5c2cac40e7412f232f7c9c",
                "02fc9e5af0ac8d9b3cecfe2a888e2117ba3d089d8585886c9c826b6b22a98d12ea",
            ),
            (
                SEED_2,
                "m/0/2147483647'/1",
                "704addf544a06e5ee4bea37098463c23613da32020d604506da8c0518e1da4b7",
                "f366f48f1ea9f2d1d3fe958c95ca84ea18e4c4ddb9366c336c927eb246fb38cb",
                "03a7d1d856deb74c508e05031f9895dab54626251b3806e16b4bd12e781a7df5b9",
            ),
            (
                SEED_2,
                "m/0/2147483647'/1/2147483646'/2",
                "bb7d39bdb83ecf58f2fd82b6d918341cbef428661ef01ab97c28a4842125ac23",
                "9452b549be8cea3ecb7a84bec10dcfd94afe4d129ebfd3b3cb58eedf394ed271",
                "024d902e1a2fc7a8755ab5b694c575fce742c48d9ff192e63df5193e4c7afe1f9c",
            ),
            (
                SEED_3,
                "m",
                "00ddb80b067e0d4993197fe10f2657a844a384589847602d56f0c629c81aae32",
                "01d28a3e53cffa419ec122c968b3259e16b65076495494d97cae10bbfec3c36f",
                "03683af1ba5743bdfc798cf814efeeab2735ec52d95eced528e692b8e34c4e5669",
            ),
            (
                SEED_3,
                "m/0'",
                "491f7a2eebc7b57028e0d3faa0acda02e75c33b03c48fb288c41e2ea44e1daef",
                "e5fea12a97b927fc9dc3d2cb0d1ea1cf50aa5a1fdc1f933e8906bb38df3377bd",
                "026557fdda1d5d43d79611f784780471f086d58e8126b8c40acb82272a7712e7f2",
            ),
        ];
        for (seed, path, key, chain_code, public) in vectors {
            assert_eq!(at(seed, path), (key.into(), chain_code.into(), public.into()), "{path}");
        }
    }

    #[test]
    fn a_key_that_is_none_has_no_children() {
        for (key, path) in [([0; 32], "m/0"), ([0xff; 32], "m/0"), ([0xff; 32], "m/0'")] {
            let none = Node { key: Half::new(key), chain_code: Half::default() };
            assert_eq!(none.at(path).err(), Some(DeriveError::NoChild));
        }
    }
}
