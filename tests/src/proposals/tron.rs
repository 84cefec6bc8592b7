//! Calls of Tron's contracts, and transactions that a swap service built.

use super::cosmos::{any, number, part};
use super::evm::calldata;
use super::{own, payment};
use chains::Chain;
use chains::encoding::hex;
use nodes::abi::Arg;
use serde_json::json;
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, SwapKitSwapPayload, TronTriggerSmartContractPayload};

/// USDT.
pub const USDT: &str = "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t";
/// The router of SunSwap.
pub const SUNSWAP: &str = "TKzxdSv2FZKQrEqkKVgp5DcwEXBEKMg2Ax";

/// The 21 bytes of an address.
pub fn address(text: &str) -> Vec<u8> {
    let bytes = bs58::decode(text).into_vec().expect("is an address");
    bytes.get(..21).expect("has a hash").to_vec()
}

/// An address as contracts know it, in hex.
pub fn word(text: &str) -> String {
    hex(address(text).get(1..).expect("has a hash"))
}

/// Five USDT, or five of another token, to an address.
pub fn token(contract: &str, to: &str) -> KeysignPayload {
    let mut sent = payment(Chain::Tron, to);
    let coin = sent.coin.as_mut().expect("has a coin");
    (coin.is_native_token, coin.ticker, coin.contract_address) =
        (false, "USDT".to_owned(), contract.to_owned());
    sent.to_amount = "5000000".to_owned();
    limited(sent, 30_000_000)
}

/// The same with another limit for what is burnt.
pub fn limited(mut sent: KeysignPayload, limit: u64) -> KeysignPayload {
    if let Some(BlockchainSpecific::TronSpecific(specific)) = &mut sent.blockchain_specific {
        specific.gas_estimation = limit;
    }
    sent
}

/// A call of a contract with so many sun.
pub fn call(contract: &str, sun: u64, signature: &str, args: &[Arg<'_>]) -> KeysignPayload {
    let trigger = TronTriggerSmartContractPayload {
        owner_address: own(Chain::Tron),
        contract_address: contract.to_owned(),
        call_value: Some(sun.to_string()),
        data: Some(calldata(signature, args)),
        ..TronTriggerSmartContractPayload::default()
    };
    let contract_payload = Some(ContractPayload::TronTriggerSmartContractPayload(trigger));
    limited(KeysignPayload { contract_payload, ..payment(Chain::Tron, "") }, 30_000_000)
}

/// What a swap service built: a contract of this number and name, said to pay so many sun to a target.
pub fn built(kind: u64, name: &str, fields: &[Vec<u8>], target: &str, sun: u64) -> KeysignPayload {
    let value = any(&format!("type.googleapis.com/protocol.{name}"), fields.concat());
    let contract = part(11, [number(1, kind), part(2, value)].concat());
    let times = [number(8, 1_767_229_200_000), contract, number(14, 1_767_225_600_000)].concat();
    let raw = [part(1, [0x71, 0xc0]), part(4, [5; 8]), times].concat();
    let mut built = payment(Chain::Tron, target);
    built.swap_payload = Some(SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload {
        from_coin: built.coin.clone(),
        to_coin: Some(Coin { chain: "Bitcoin".to_owned(), ticker: "BTC".to_owned(), ..Coin::default() }),
        from_amount: sun.to_string(),
        tx_type: "TRON".to_owned(),
        tx_payload: json!({"raw_data_hex": hex(&raw)}).to_string().into_bytes(),
        target_address: target.to_owned(),
        sub_provider: "NEAR".to_owned(),
        ..SwapKitSwapPayload::default()
    }));
    built
}
