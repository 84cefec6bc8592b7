//! Signed EVM transactions as a node decodes them: strictly, with the sender recovered from the signature.
//!
//! `0x02 ‖ rlp([chain id, nonce, tip, fee, gas, to, value, data, access list, parity, r, s])` (EIP-1559, EIP-2718).
//! Simulations that sign a hundred thousand times use an unsigned stub form: `0x7f ‖ chain id (8) ‖ nonce (8) ‖
//! sender (20) ‖ signing digest (32) ‖ salt (8)`.

use chains::encoding::{from_hex, hex};
use chains::hash::keccak256;
use k256::ecdsa::{RecoveryId, Signature, VerifyingKey};

/// The first byte of a stub.
const STUB: u8 = 0x7f;

/// A signed transaction.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signed {
    /// The transaction hash.
    pub hash: String,
    /// The bytes in hex.
    pub raw: String,
    /// The chain id.
    pub chain_id: u64,
    /// The signer, in lower case.
    pub from: String,
    /// The nonce.
    pub nonce: u64,
    /// The maximum cost, in wei.
    pub cost: u128,
    /// The gas limit.
    pub gas: u64,
    /// The called contract or the recipient, in lower case.
    pub to: Option<String>,
    /// Call data in hex.
    pub data: String,
}

/// A stub transaction. Another salt gives other bytes, as another signature would.
pub fn stub(chain_id: u64, nonce: u64, from: &str, digest: &str, salt: u64) -> String {
    let from = from.trim_start_matches("0x").to_lowercase();
    format!("{STUB:02x}{chain_id:016x}{nonce:016x}{from}{digest}{salt:016x}")
}

/// A transaction's hash.
pub fn id_of(raw: &str) -> String {
    format!("0x{}", hex(&keccak256(&from_hex("raw", raw).unwrap_or_default())))
}

/// Decodes a transaction as strictly as a node does; errors are geth's messages.
pub fn read(raw: &str, accept_stubs: bool) -> Result<Signed, String> {
    let bytes = raw.strip_prefix("0x").and_then(|digits| from_hex("raw", digits).ok());
    let bytes = bytes.ok_or("invalid argument 0: hex string without 0x prefix")?;
    match bytes.split_first() {
        Some((2, list)) => read_dynamic_fee(raw, &bytes, list),
        Some((&STUB, rest)) if accept_stubs => read_stub(raw, &bytes, rest),
        _ => Err("transaction type not supported".to_owned()),
    }
}

fn read_stub(raw: &str, bytes: &[u8], rest: &[u8]) -> Result<Signed, String> {
    let number =
        |at: usize| rest.get(at..at + 8).and_then(|part| Some(u64::from_be_bytes(part.try_into().ok()?)));
    match (number(0), number(8), rest.get(16..36), rest.len()) {
        (Some(chain_id), Some(nonce), Some(from), 76) => Ok(Signed {
            hash: format!("0x{}", hex(&keccak256(bytes))),
            raw: raw.to_owned(),
            chain_id,
            from: format!("0x{}", hex(from)),
            nonce,
            cost: 0,
            gas: 21_000,
            to: None,
            data: String::new(),
        }),
        _ => Err("rlp: a stub is 77 bytes".to_owned()),
    }
}

fn read_dynamic_fee(raw: &str, bytes: &[u8], list: &[u8]) -> Result<Signed, String> {
    let (Item::List(mut rest), []) = item(list)? else {
        return Err("rlp: expected input list for types.DynamicFeeTx".to_owned());
    };
    let mut signed_over = rest;
    let mut fields = Vec::new();
    while !rest.is_empty() {
        let (field, tail) = item(rest)?;
        fields.push(field);
        rest = tail;
        if fields.len() == 9 {
            let length = signed_over.len() - rest.len();
            signed_over = &signed_over[..length];
        }
    }
    let [chain_id, nonce, tip, fee, gas, to, value, data, Item::List(_), parity, r, s] = fields.as_slice()
    else {
        return Err("rlp: not the fields of types.DynamicFeeTx".to_owned());
    };
    let to = match to.bytes()? {
        [] => None,
        to if to.len() == 20 => Some(format!("0x{}", hex(to))),
        _ => return Err("rlp: input string has the wrong size for common.Address".to_owned()),
    };
    if tip.number()? > fee.number()? {
        return Err("max priority fee per gas higher than max fee per gas".to_owned());
    }
    let unsigned = [&[2], head(signed_over.len()).as_slice(), signed_over].concat();
    let parity = u8::try_from(parity.number()?).unwrap_or(u8::MAX);
    Ok(Signed {
        hash: format!("0x{}", hex(&keccak256(bytes))),
        raw: raw.to_owned(),
        chain_id: chain_id.short()?,
        from: signer(&keccak256(&unsigned), parity, r.word()?, s.word()?)
            .ok_or("invalid sender: invalid transaction v, r, s values")?,
        nonce: nonce.short()?,
        cost: fee.number()? * u128::from(gas.short()?) + value.number()?,
        gas: gas.short()?,
        to,
        data: hex(data.bytes()?),
    })
}

/// The account that made a signature. The upper half of `s` is refused (EIP-2).
fn signer(digest: &[u8; 32], parity: u8, r: [u8; 32], s: [u8; 32]) -> Option<String> {
    let signature = Signature::from_scalars(r, s).ok()?;
    if parity > 1 || signature.normalize_s() != signature {
        return None;
    }
    let key = VerifyingKey::recover_from_prehash(digest, &signature, RecoveryId::from_byte(parity)?).ok()?;
    let point = key.to_sec1_point(false);
    Some(format!("0x{}", hex(keccak256(point.as_bytes().get(1..)?).get(12..)?)))
}

/// An RLP item.
#[derive(Debug, Clone, Copy)]
enum Item<'a> {
    Bytes(&'a [u8]),
    List(&'a [u8]),
}

impl<'a> Item<'a> {
    fn bytes(self) -> Result<&'a [u8], String> {
        match self {
            Self::Bytes(bytes) => Ok(bytes),
            Self::List(_) => Err("rlp: expected input string or byte".to_owned()),
        }
    }

    /// Big-endian, without leading zeros.
    fn number(self) -> Result<u128, String> {
        let bytes = self.bytes()?;
        if bytes.first() == Some(&0) {
            return Err("rlp: non-canonical integer (leading zero bytes)".to_owned());
        }
        if bytes.len() > 16 {
            return Err("rlp: input string too long".to_owned());
        }
        Ok(bytes.iter().fold(0, |number, byte| number << 8 | u128::from(*byte)))
    }

    fn short(self) -> Result<u64, String> {
        u64::try_from(self.number()?).map_err(|_| "rlp: input string too long for uint64".to_owned())
    }

    /// A number of up to 32 bytes.
    fn word(self) -> Result<[u8; 32], String> {
        let bytes = self.bytes()?;
        if bytes.len() > 32 || bytes.first() == Some(&0) {
            return Err("rlp: not a 256-bit number".to_owned());
        }
        let mut word = [0; 32];
        word[32 - bytes.len()..].copy_from_slice(bytes);
        Ok(word)
    }
}

/// The first item of some bytes, and the rest.
fn item(bytes: &[u8]) -> Result<(Item<'_>, &[u8]), String> {
    let short = || "rlp: value size exceeds available input length".to_owned();
    let (&first, rest) = bytes.split_first().ok_or_else(short)?;
    let base = match first {
        0..0x80 => return Ok((Item::Bytes(&bytes[..1]), rest)),
        0x80..0xc0 => 0x80,
        0xc0.. => 0xc0,
    };
    let (length, rest) = match usize::from(first - base) {
        length @ 0..56 => (length, rest),
        more => {
            let (digits, rest) = rest.split_at_checked(more - 55).ok_or_else(short)?;
            let length = digits.iter().fold(0_usize, |length, byte| length << 8 | usize::from(*byte));
            if digits.len() > 4 || digits.first() == Some(&0) || length < 56 {
                return Err("rlp: non-canonical size information".to_owned());
            }
            (length, rest)
        }
    };
    let (body, rest) = rest.split_at_checked(length).ok_or_else(short)?;
    if base == 0x80 && matches!(body, [0..0x80]) {
        return Err("rlp: non-canonical size information".to_owned());
    }
    Ok((if base == 0x80 { Item::Bytes(body) } else { Item::List(body) }, rest))
}

/// The RLP header of a list of this length.
fn head(length: usize) -> Vec<u8> {
    if length < 56 {
        return vec![0xc0 + length as u8];
    }
    let digits = length.to_be_bytes();
    let digits = &digits[length.leading_zeros() as usize / 8..];
    [&[0xf7 + digits.len() as u8], digits].concat()
}
