//! Transactions of Cosmos chains as sign docs, written field by field.

use super::{own, raw};
use crate::signer::fast_signer_account;
use chains::Chain;
use chains::encoding::hex;
use serde_json::Value;

/// A field that has a length: text, bytes or a message.
pub fn part(number: u64, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    [varint(number << 3 | 2), varint(bytes.len() as u64), bytes.to_vec()].concat()
}

/// A field that is a number.
pub fn number(number: u64, value: u64) -> Vec<u8> {
    [varint(number << 3), varint(value)].concat()
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push(u8::try_from(value & 0x7f).expect("has seven bits") | 0x80);
        value >>= 7;
    }
    bytes.push(u8::try_from(value).expect("has seven bits"));
    bytes
}

/// A message of a type.
pub fn any(type_url: &str, value: impl AsRef<[u8]>) -> Vec<u8> {
    [part(1, type_url), part(2, value)].concat()
}

/// An amount of a denomination.
pub fn coin(denom: &str, amount: &str) -> Vec<u8> {
    [part(1, denom), part(2, amount)].concat()
}

/// `MsgSend` by the vault.
pub fn send(chain: Chain, to: &str, denom: &str, amount: &str) -> Vec<u8> {
    let fields = [part(1, own(chain)), part(2, to), part(3, coin(denom, amount))];
    any("/cosmos.bank.v1beta1.MsgSend", fields.concat())
}

/// `MsgTransfer` by the vault: five ATOM from the Hub over a channel of IBC, with a memo for the chains on the way.
pub fn transfer(channel: &str, to: &str, memo: &str) -> Vec<u8> {
    let head = [part(1, "transfer"), part(2, channel), part(3, coin("uatom", "5000000"))].concat();
    let ends = [part(4, own(Chain::Cosmos)), part(5, to), number(7, 1_767_229_200_000_000_000)].concat();
    let memo = if memo.is_empty() { Vec::new() } else { part(8, memo) };
    any("/ibc.applications.transfer.v1.MsgTransfer", [head, ends, memo].concat())
}

/// The channel from the Hub to Osmosis.
pub const TO_OSMOSIS: &str = "channel-141";

/// `MsgExecuteContract` by the vault, with coins where there are any.
pub fn execute(chain: Chain, contract: &str, message: &str, funds: &[(&str, &str)]) -> Vec<u8> {
    let funds: Vec<u8> = funds.iter().flat_map(|(denom, amount)| part(5, coin(denom, amount))).collect();
    let fields = [part(1, own(chain)), part(2, contract), part(3, message), funds];
    any("/cosmwasm.wasm.v1.MsgExecuteContract", fields.concat())
}

/// A message of the SDK whose first field is the vault.
pub fn own_message(chain: Chain, name: &str, rest: &[Vec<u8>]) -> Vec<u8> {
    any(&format!("/cosmos.{name}"), [part(1, own(chain)), rest.concat()].concat())
}

/// A step with these messages and a memo, and the usual fee.
pub fn step(chain: Chain, denom: &str, messages: &[Vec<u8>], memo: &str) -> Value {
    step_with_fee(chain, &[part(1, coin(denom, "7500")), number(2, 200_000)], messages, memo)
}

/// A step whose fee has these fields.
pub fn step_with_fee(chain: Chain, fee: &[Vec<u8>], messages: &[Vec<u8>], memo: &str) -> Value {
    let memo = if memo.is_empty() { Vec::new() } else { part(2, memo) };
    let body = [messages.iter().flat_map(|message| part(1, message)).collect(), memo].concat();
    let key = part(1, fast_signer_account(chain).key.as_bytes());
    let key = any("/cosmos.crypto.secp256k1.PubKey", key);
    let signer = [part(1, key), part(2, part(1, number(1, 1))), number(3, 5)].concat();
    let auth_info = [part(1, signer), part(2, fee.concat())].concat();
    let id = chain.cosmos_id().expect("is a Cosmos chain");
    let doc = [part(1, body), part(2, auth_info), part(3, id), number(4, 1)].concat();
    raw(chain, &hex(&doc))
}
