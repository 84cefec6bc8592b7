//! A token's contract by `eth_call`: `decimals()`, `symbol()` (a text, or 32 bytes in the oldest tokens), and whether it is
//! a collection of items (ERC-165: `supportsInterface` of ERC-721 or ERC-1155).

use super::Token;
use crate::Chain;
use crate::rpc::{Request, Response};
use crate::{address, encoding};
use serde_json::json;

/// `decimals()`, `symbol()`, `supportsInterface(0x80ac58cd)`, `supportsInterface(0xd9b67a26)`.
const CALLS: [&str; 4] = [
    "0x313ce567",
    "0x95d89b41",
    "0x01ffc9a780ac58cd00000000000000000000000000000000000000000000000000000000",
    "0x01ffc9a7d9b67a2600000000000000000000000000000000000000000000000000000000",
];

pub(super) fn ask(id: &str) -> Option<Vec<Request>> {
    // All EVM chains spell accounts alike.
    let to = address::normalise(Chain::Ethereum, id).ok()?;
    let call = |data| Request::json_rpc("eth_call", &json!([{ "to": to, "data": data }, "latest"]));
    Some(CALLS.map(call).to_vec())
}

pub(super) fn read(responses: &[Response]) -> Option<Token> {
    let returned = |response: &Response| {
        let result = response.result()?;
        encoding::from_hex("result", result.as_str()?.strip_prefix("0x")?).ok()
    };
    let [decimals, symbol, erc_721, erc_1155] = responses else { return None };
    let supports = |response| returned(response).and_then(|bytes| small(&bytes)) == Some(1);
    Some(Token {
        ticker: returned(symbol).and_then(|bytes| text(&bytes)),
        decimals: returned(decimals).and_then(|bytes| small(&bytes)),
        collection: supports(erc_721) || supports(erc_1155),
    })
}

/// One word that is a number below 256.
pub(super) fn small(bytes: &[u8]) -> Option<u8> {
    let word: &[u8; 32] = bytes.try_into().ok()?;
    let (last, zeros) = word.split_last()?;
    zeros.iter().all(|byte| *byte == 0).then_some(*last)
}

/// A text as functions return it, or 32 bytes of which the last are zeros.
pub(super) fn text(bytes: &[u8]) -> Option<String> {
    let text = match bytes.split_at_checked(64) {
        None => {
            let word: &[u8; 32] = bytes.try_into().ok()?;
            word.split(|byte| *byte == 0).next().filter(|text| tail_is_zero(word, text.len()))?
        }
        Some((head, data)) => {
            let (offset, length) = head.split_at_checked(32)?;
            let length = usize::from(small(length).filter(|_| small(offset) == Some(32))?);
            data.get(..length)?
        }
    };
    super::ticker(text)
}

fn tail_is_zero(word: &[u8], from: usize) -> bool {
    word.iter().skip(from).all(|byte| *byte == 0)
}
