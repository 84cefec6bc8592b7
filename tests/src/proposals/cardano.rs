//! Transactions of Cardano that a swap service built, item by item (CBOR).

use super::{own, payment};
use chains::Chain;
use wire::keysign::keysign_payload::SwapPayload;
use wire::keysign::{Coin, KeysignPayload, SwapKitSwapPayload};

const UNSIGNED: u8 = 0;
const BYTES: u8 = 2;
const ARRAY: u8 = 4;
const MAP: u8 = 5;

fn head(major: u8, value: u64) -> Vec<u8> {
    let kind = major << 5;
    match (u8::try_from(value), u16::try_from(value), u32::try_from(value)) {
        (Ok(small @ 0..24), ..) => vec![kind | small],
        (Ok(byte), ..) => vec![kind | 24, byte],
        (_, Ok(short), _) => [&[kind | 25], short.to_be_bytes().as_slice()].concat(),
        (.., Ok(word)) => [&[kind | 26], word.to_be_bytes().as_slice()].concat(),
        _ => [&[kind | 27], value.to_be_bytes().as_slice()].concat(),
    }
}

/// A number.
pub fn number(value: u64) -> Vec<u8> {
    head(UNSIGNED, value)
}

/// Bytes.
pub fn bytes(bytes: &[u8]) -> Vec<u8> {
    [head(BYTES, bytes.len() as u64), bytes.to_vec()].concat()
}

/// A list.
pub fn list(items: &[Vec<u8>]) -> Vec<u8> {
    [head(ARRAY, items.len() as u64), items.concat()].concat()
}

/// A map from numbers.
pub fn map(fields: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let items = fields.iter().flat_map(|(key, value)| [number(*key), value.clone()].concat());
    [head(MAP, fields.len() as u64), items.collect()].concat()
}

/// An output of coins to an address.
pub fn output(to: &str, coins: u64) -> Vec<u8> {
    list(&[bytes(&address(to)), number(coins)])
}

/// The bytes of an address.
pub fn address(text: &str) -> Vec<u8> {
    bech32::decode(text).expect("is an address").1
}

/// The body of a transaction with these outputs, and further fields.
pub fn body(outputs: &[Vec<u8>], fee: u64, more: &[(u64, Vec<u8>)]) -> Vec<u8> {
    let inputs = list(&[list(&[bytes(&[0xab; 32]), number(0)])]);
    let fields = [(0, inputs), (1, list(outputs)), (2, number(fee))];
    map(&[fields.as_slice(), more].concat())
}

/// A transaction of that body, with auxiliary data where there are any.
pub fn transaction(body: Vec<u8>, auxiliary: Option<Vec<u8>>) -> Vec<u8> {
    list(&[body, map(&[]), vec![0xf5], auxiliary.unwrap_or_else(|| vec![0xf6])])
}

/// A payload with a transaction that a service built for a swap of five coins.
pub fn prebuilt(transaction: Vec<u8>) -> KeysignPayload {
    let mut built = payment(Chain::Cardano, &own(Chain::Cardano));
    built.swap_payload = Some(SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload {
        from_coin: built.coin.clone(),
        to_coin: Some(Coin { chain: "Bitcoin".to_owned(), ticker: "BTC".to_owned(), ..Coin::default() }),
        from_amount: "5000000".to_owned(),
        tx_type: "CARDANO_PREBUILT".to_owned(),
        tx_payload: transaction,
        sub_provider: "NEAR".to_owned(),
        ..SwapKitSwapPayload::default()
    }));
    built
}
