//! Polkadot (its Asset Hub, where balances are) and Bittensor: Substrate extrinsics, version 4, in SCALE.
//!
//! What is signed is `call ‖ extra ‖ additional`, as it is up to 256 bytes and as its BLAKE2b-256 beyond. What is sent
//! is `length ‖ 0x84 ‖ signer ‖ signature ‖ extra ‖ call`, and its BLAKE2b-256 is the id.
//!
//! - call: pallet, method, `00` and the receiver's key, compact amount.
//! - extra: era (2 bytes), compact nonce, `00` for no tip; `00` for "fees in the native coin" on Asset Hub; `00` for "no
//!   metadata hash" where the runtime checks it.
//! - additional, known to both sides and not sent: spec version, transaction version, genesis hash, hash of the block
//!   at which the era begins; `00` for the metadata hash again.
//!
//! Which of the optional bytes there are is the runtime's choice: see [`Layout`]. Sources: the Polkadot wiki
//! (transaction construction), RFC-78 for the metadata hash.

mod check;
pub(crate) mod payload;
mod scale;

use crate::address::polkadot;
use crate::explain::{Asset, Effect, Explanation, Fee};
use crate::facts::Facts;
use crate::hash::blake2b256;
use crate::reader::Reader;
use crate::rpc::check::conclude;
use crate::rpc::{Request, Response};
use crate::signing::{Image, Verified};
use crate::transaction::{Account, Signed, Unsigned};
use crate::{Amount, Chain, Network, TransactionError, encoding};
use parity_scale_codec::{Compact, Encode as _};
use scale::read_compact;
use wire::node::Checked;

const FIELD: &str = "signing payload";
/// Extrinsic version 4 with the bit for "signed".
const SIGNED_V4: u8 = 0x84;
/// `MultiAddress::Id`, `MultiSignature::Ed25519`, and `None` or "off" everywhere else.
const ZERO: u8 = 0;
/// Two versions and two hashes.
const ADDITIONAL_LENGTH: usize = 4 + 4 + 32 + 32;
/// Longer payloads are hashed before they are signed.
const LONGEST_PLAIN: usize = 256;
/// The first runtime of Asset Hub that checks the metadata hash.
const METADATA_HASH_SINCE: u32 = 1_002_005;

/// What a runtime expects around a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Layout {
    /// Pallet and method of the transfer.
    call: [u8; 2],
    /// `ChargeAssetTxPayment`: the tip is followed by the asset that pays the fee.
    fee_asset: bool,
    /// `CheckMetadataHash`: a byte in extra and one in additional.
    metadata_hash: bool,
}

/// A transfer as it is signed.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Transfer {
    chain: Chain,
    to: [u8; 32],
    amount: u128,
    era: [u8; 2],
    nonce: u32,
    spec_version: u32,
    transaction_version: u32,
    genesis_hash: [u8; 32],
    block_hash: [u8; 32],
}

impl Layout {
    /// `balances.transfer_keep_alive` on Asset Hub, `balances.transfer_allow_death` on Bittensor.
    const fn of(chain: Chain, spec_version: u32) -> Self {
        match chain.network() {
            Network::Bittensor { .. } => Self { call: [5, 0], fee_asset: false, metadata_hash: true },
            _ => Self { call: [10, 3], fee_asset: true, metadata_hash: spec_version >= METADATA_HASH_SINCE },
        }
    }
}

impl Transfer {
    const fn layout(&self) -> Layout {
        Layout::of(self.chain, self.spec_version)
    }

    fn call(&self) -> Vec<u8> {
        (self.layout().call, ZERO, self.to, Compact(self.amount)).encode()
    }

    fn extra(&self) -> Vec<u8> {
        let layout = self.layout();
        let mut extra = (self.era, Compact(self.nonce), ZERO).encode();
        extra.extend(layout.fee_asset.then_some(ZERO));
        extra.extend(layout.metadata_hash.then_some(ZERO));
        extra
    }

    /// What is signed, before it is hashed if it is long.
    fn encode(&self) -> Vec<u8> {
        let mut bytes = [self.call(), self.extra()].concat();
        (self.spec_version, self.transaction_version, self.genesis_hash, self.block_hash)
            .encode_to(&mut bytes);
        bytes.extend(self.layout().metadata_hash.then_some(ZERO));
        bytes
    }

    /// Reads what is signed; nothing in it is passed over.
    fn decode(chain: Chain, bytes: &[u8]) -> Result<Self, TransactionError> {
        let mut reader = Reader::new(FIELD, bytes);
        let call: [u8; 2] = reader.array()?;
        zero(&mut reader, "pays to something else than a key")?;
        let to = reader.array()?;
        let amount = read_compact(&mut reader)?;
        let era = reader.array()?;
        let nonce = read_compact(&mut reader)?;
        let nonce = u32::try_from(nonce).map_err(|_| reader.malformed("has a nonce over 32 bits"))?;
        zero(&mut reader, "pays a tip")?;
        let fee_asset = Layout::of(chain, 0).fee_asset;
        // The version that decides about the metadata hash stands behind it; the length tells already.
        let metadata_hash = reader.left() > ADDITIONAL_LENGTH + usize::from(fee_asset);
        let layout = Layout { call, fee_asset, metadata_hash };
        if layout.fee_asset {
            zero(&mut reader, "pays its fee in another asset")?;
        }
        if layout.metadata_hash {
            zero(&mut reader, "has a metadata hash")?;
        }
        let transfer = Self {
            chain,
            to,
            amount,
            era,
            nonce,
            spec_version: u32::from_le_bytes(reader.array()?),
            transaction_version: u32::from_le_bytes(reader.array()?),
            genesis_hash: reader.array()?,
            block_hash: reader.array()?,
        };
        if layout.metadata_hash {
            zero(&mut reader, "has a metadata hash")?;
        }
        if layout != transfer.layout() {
            return Err(reader.malformed("is not a transfer of its runtime"));
        }
        reader.finish()?;
        Ok(transfer)
    }
}

impl Unsigned for Transfer {
    fn images(&self) -> Vec<Image> {
        let bytes = self.encode();
        let long = bytes.len() > LONGEST_PLAIN;
        vec![Image::Eddsa(if long { blake2b256(&bytes).to_vec() } else { bytes })]
    }

    fn assemble(&self, account: &Account, signatures: &[Verified]) -> Signed {
        let mut body = [&[SIGNED_V4, ZERO], account.key.as_bytes(), &[ZERO]].concat();
        for signature in signatures {
            if let Verified::Eddsa(signature) = signature {
                body.extend(signature);
            }
        }
        body.extend(self.extra());
        body.extend(self.call());
        // A list of bytes: its compact length goes first.
        let bytes = body.encode();
        let id = format!("0x{}", encoding::hex(&blake2b256(&bytes)));
        Signed { bytes, detached: None, id }
    }

    fn explain(&self, account: &Account, _: Facts<'_>) -> Explanation {
        let to = polkadot::encode(prefix(self.chain), &self.to);
        let amount = Amount::from(self.amount);
        Explanation {
            chain: self.chain,
            from: account.address.clone(),
            target: None,
            effects: vec![Effect::Transfer { asset: Asset::Native, to, amount }],
            memo: None,
            parties: Vec::new(),
            // The runtime computes it from weight and length; there is no limit to state.
            fee: Fee::SetByChain,
            gas_limit: None,
            nonce: Some(self.nonce.into()),
        }
    }

    fn check(&self, account: &Account, _: u32) -> Vec<Request> {
        check::ask(self, account)
    }

    fn read_check(&self, _: &Account, ahead: u32, answers: &[Response]) -> Checked {
        conclude(check::read(self, ahead, answers))
    }
}

/// The prefix of the chain's own addresses.
const fn prefix(chain: Chain) -> u16 {
    match chain.network() {
        Network::Polkadot { ss58 } | Network::Bittensor { ss58 } => ss58,
        _ => 0,
    }
}

fn zero(reader: &mut Reader<'_>, otherwise: &'static str) -> Result<(), TransactionError> {
    if reader.byte()? == ZERO { Ok(()) } else { Err(reader.malformed(otherwise)) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn transfer() -> impl Strategy<Value = Transfer> {
        let versions = prop_oneof![Just(METADATA_HASH_SINCE - 1), Just(METADATA_HASH_SINCE), any::<u32>()];
        let around = (any::<bool>(), any::<[u8; 2]>(), any::<u32>(), versions, any::<u32>());
        let hashes = (any::<[u8; 32]>(), any::<[u8; 32]>());
        (around, hashes, any::<[u8; 32]>(), any::<u128>(), 0..128_u32).prop_map(
            |((polkadot, era, nonce, spec_version, transaction_version), hashes, to, amount, shift)| {
                Transfer {
                    chain: if polkadot { Chain::Polkadot } else { Chain::Bittensor },
                    to,
                    amount: amount >> shift,
                    era,
                    nonce,
                    spec_version,
                    transaction_version,
                    genesis_hash: hashes.0,
                    block_hash: hashes.1,
                }
            },
        )
    }

    proptest! {
        #[test]
        fn what_was_written_is_read_back(transfer in transfer()) {
            prop_assert_eq!(Transfer::decode(transfer.chain, &transfer.encode()), Ok(transfer));
        }

        #[test]
        fn any_bytes_are_refused_or_written_again(
            transfer in transfer(), place: prop::sample::Index, byte: u8, length in 0..140_usize,
        ) {
            let mut bytes = transfer.encode();
            let place = place.index(bytes.len());
            bytes[place] = byte;
            bytes.resize(length.max(place), 0);
            for chain in [Chain::Polkadot, Chain::Bittensor] {
                if let Ok(read) = Transfer::decode(chain, &bytes) {
                    prop_assert_eq!(read.encode(), bytes.clone());
                }
            }
        }

        #[test]
        fn noise_is_refused_or_written_again(bytes in prop::collection::vec(any::<u8>(), 0..160)) {
            if let Ok(read) = Transfer::decode(Chain::Polkadot, &bytes) {
                prop_assert_eq!(read.encode(), bytes);
            }
        }
    }

    fn plain() -> Transfer {
        Transfer {
            chain: Chain::Polkadot,
            to: [7; 32],
            amount: 1,
            era: [0x75, 0],
            nonce: 1,
            spec_version: METADATA_HASH_SINCE,
            transaction_version: 15,
            genesis_hash: [8; 32],
            block_hash: [9; 32],
        }
    }

    #[test]
    fn each_rule_has_its_refusal() {
        let bytes = plain().encode();
        let changed = |place: usize, byte: u8| {
            let mut bytes = bytes.clone();
            bytes[place] = byte;
            Transfer::decode(Chain::Polkadot, &bytes).unwrap_err().to_string()
        };
        assert_eq!(changed(0, 11), "signing payload is not a transfer of its runtime");
        assert_eq!(changed(1, 0), "signing payload is not a transfer of its runtime");
        assert_eq!(changed(2, 1), "signing payload pays to something else than a key");
        assert_eq!(changed(39, 4), "signing payload pays a tip");
        assert_eq!(changed(40, 1), "signing payload pays its fee in another asset");
        assert_eq!(changed(41, 1), "signing payload has a metadata hash");
        assert_eq!(changed(bytes.len() - 1, 1), "signing payload has a metadata hash");
        // A runtime from before the metadata hash.
        assert_eq!(changed(42, 0), "signing payload is not a transfer of its runtime");
        let longer = [bytes.as_slice(), &[0]].concat();
        assert!(Transfer::decode(Chain::Polkadot, &longer).is_err());
        assert!(Transfer::decode(Chain::Bittensor, &bytes).is_err());
        assert!(Transfer::decode(Chain::Polkadot, &bytes[..80]).is_err());
    }
}
