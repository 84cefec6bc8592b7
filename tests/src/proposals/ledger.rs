//! Payments of UTXO chains, Sui and Cardano that are more than a payment of the chain's own coin, and the nodes that know
//! what they need.

use super::{own, payment, raw, utxo};
use crate::world::{Answer, NodeCall};
use chains::Chain;
use chains::encoding::{base64, from_hex, hex};
use chains::hash::hash160;
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::*;

/// The token of [`sui_token`].
pub const SUI_TOKEN: &str = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC";
/// A policy and a name under it.
pub const CARDANO_TOKEN: &str = "6161616161616161616161616161616161616161616161616161616a.55534443";

/// A deposit for a swap at an account that the payload calls THORChain's.
pub fn deposit(chain: Chain, vault: &str, memo: String) -> KeysignPayload {
    let payment = payment(chain, vault);
    let swap = ThorChainSwapPayload {
        vault_address: vault.to_owned(),
        from_amount: payment.to_amount.clone(),
        ..ThorChainSwapPayload::default()
    };
    let swap_payload = Some(SwapPayload::ThorchainSwapPayload(swap));
    KeysignPayload { memo: Some(memo), swap_payload, ..payment }
}

/// A node of THORChain that takes deposits at an account of each chain, beside an index of UTXO chains.
pub fn thorchain(call: &NodeCall) -> Answer {
    if call.url.ends_with("/thorchain/inbound_addresses") {
        let row = |(name, chain)| json!({"chain": name, "address": vault(chain), "halted": false});
        let chains = [("BTC", Chain::Bitcoin), ("DOGE", Chain::Dogecoin), ("LTC", Chain::Litecoin)];
        return Answer::json(&chains.map(row).into_iter().collect());
    }
    utxo::index(call)
}

/// Where [`thorchain`] takes deposits.
pub fn vault(chain: Chain) -> String {
    crate::world::address_of(3, chain.name())
}

/// An index that says that a coin has more than it is signed with.
pub fn richer_coins(call: &NodeCall) -> Answer {
    let Some((_, ids)) = call.url.split_once("/dashboards/transactions/") else { return Answer::Down };
    let output = json!({"index": 0, "value": utxo::VALUE + 1, "is_spent": false});
    let known = json!({ids: {"transaction": {"block_id": 7}, "outputs": [output]}});
    Answer::json(&json!({"data": known, "context": {"code": 200, "state": 800_000}}))
}

/// `sign_bitcoin`: a payment to a script, and change.
pub fn sign_bitcoin(outputs: &[(u32, Vec<u8>)], foreign_inputs: usize) -> KeysignPayload {
    let key = hash160(crate::signer::fast_signer_account(Chain::Bitcoin).key.as_bytes());
    let script = hex(&[&[0, 20], key.as_slice()].concat());
    let input = |hash: String, is_ours| BitcoinInput {
        hash,
        amount: 100_000,
        script_pub_key: script.clone(),
        script_type: "p2wpkh".to_owned(),
        is_ours,
        ..BitcoinInput::default()
    };
    let foreign = (0..foreign_inputs).map(|index| input(format!("{index:064x}"), false));
    let inputs = [input("ab".repeat(32), true)].into_iter().chain(foreign).collect();
    let output = |(amount, script): &(u32, Vec<u8>)| BitcoinOutput {
        amount: (*amount).into(),
        script_pub_key: hex(script),
        ..BitcoinOutput::default()
    };
    let outputs = outputs.iter().map(output).collect();
    let data = SignBitcoin { version: 2, locktime: 0, inputs, outputs };
    KeysignPayload {
        sign_data: Some(SignData::SignBitcoin(data)),
        ..payment(Chain::Bitcoin, &own(Chain::Bitcoin))
    }
}

/// The script that pays to a SegWit address of a key.
pub fn pay_to(address: &str) -> Vec<u8> {
    let account = bech32_program(address);
    [&[0, 20], account.as_slice()].concat()
}

/// The 20 bytes of a SegWit address, by its five-bit digits.
fn bech32_program(address: &str) -> Vec<u8> {
    const DIGITS: &str = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
    let digits = address.strip_prefix("bc1q").expect("is SegWit, version 0");
    let digits = digits.get(..digits.len() - 6).expect("has a checksum");
    let bits = digits.chars().flat_map(|digit| {
        let value = DIGITS.find(digit).expect("is bech32");
        (0..5).rev().map(move |bit| value >> bit & 1)
    });
    let bits: Vec<usize> = bits.collect();
    let byte = |bits: &[usize]| bits.iter().fold(0, |byte, bit| byte << 1 | *bit);
    bits.chunks_exact(8).map(|bits| u8::try_from(byte(bits)).expect("is a byte")).collect()
}

/// Tokens of Sui, out of a coin object that the payload calls so.
pub fn sui_token(to: &str) -> KeysignPayload {
    let mut payload = payment(Chain::Sui, to);
    payload.to_amount = "5000000".to_owned();
    if let Some(coin) = payload.coin.as_mut() {
        (coin.is_native_token, coin.ticker) = (false, "USDC".to_owned());
        coin.contract_address = SUI_TOKEN.to_owned();
    }
    if let Some(BlockchainSpecific::SuicheSpecific(specific)) = payload.blockchain_specific.as_mut() {
        specific.coins.push(SuiCoin {
            coin_type: SUI_TOKEN.to_owned(),
            coin_object_id: format!("0x{}", "0b".repeat(32)),
            version: "9".to_owned(),
            digest: "3Wi3THrgQZ1rC2PzXwjbifa5mbGceyeTkzhtWwurkVUM".to_owned(),
            balance: "7000000".to_owned(),
            ..SuiCoin::default()
        });
    }
    payload
}

/// An indexer of Sui that says what the payload says.
pub fn sui(call: &NodeCall) -> Answer {
    sui_objects(call, SUI_TOKEN)
}

/// An indexer of Sui that says that the object is SUI.
pub fn sui_knows_better(call: &NodeCall) -> Answer {
    sui_objects(call, "0x2::sui::SUI")
}

fn sui_objects(call: &NodeCall, coin_type: &str) -> Answer {
    let variables = &call.body["variables"];
    if let Some(id) = variables["id"].as_str() {
        let id = from_hex("id", id).expect("is an id");
        let contents = json!({"type": {"repr": format!("0x2::coin::Coin<{coin_type}>")},
            "bcs": base64(&[&id[..], &7_000_000_u64.to_le_bytes()].concat())});
        return Answer::json(&json!({"data": {"object": {"asMoveObject": {"contents": contents}}}}));
    }
    if variables["type"] == SUI_TOKEN {
        return Answer::json(&json!({"data": {"coinMetadata": {"decimals": 6, "symbol": "USDC"}}}));
    }
    Answer::Down
}

/// A transaction of Sui with one value as input: an address.
fn sui_raw(to: &str, command: &[u8]) -> Value {
    let sender = from_hex("address", &own(Chain::Sui)).expect("is an address");
    let to = from_hex("address", to).expect("is an address");
    let object = [vec![0x11; 32], 5_u64.to_le_bytes().to_vec(), vec![32], vec![0x22; 32]].concat();
    let prices = [750_u64.to_le_bytes(), 3_000_000_u64.to_le_bytes()].concat();
    let inputs = [&[1, 0, 32], to.as_slice()].concat();
    let gas = [&[1], object.as_slice(), &sender, &prices].concat();
    raw(Chain::Sui, &hex(&[&[0, 0], inputs.as_slice(), &[1], command, &sender, &gas, &[0]].concat()))
}

/// The coin that pays, as a whole, to an address.
pub fn sui_gas_coin(to: &str) -> Value {
    sui_raw(to, &[1, 1, 0, 1, 0, 0])
}

/// A call of a package that nothing is known of, with the coin that pays and an address.
pub fn sui_call(to: &str) -> Value {
    let call = [&[0], [9; 32].as_slice(), b"\x03dex\x04swap", &[0, 2, 0, 1, 0, 0]].concat();
    sui_raw(to, &call)
}

/// A token of Cardano.
pub fn cardano_token(to: &str) -> KeysignPayload {
    let mut payload = payment(Chain::Cardano, to);
    payload.to_amount = "5".to_owned();
    if let Some(coin) = payload.coin.as_mut() {
        (coin.is_native_token, coin.ticker) = (false, "USDC".to_owned());
        coin.contract_address = CARDANO_TOKEN.to_owned();
    }
    let (policy, name) = CARDANO_TOKEN.split_once('.').expect("has two parts");
    let token = CardanoTokenAsset {
        policy_id: policy.to_owned(),
        asset_name_hex: name.to_owned(),
        amount: "9".to_owned(),
    };
    payload.utxo_info.iter_mut().for_each(|coin| coin.cardano_tokens = vec![token.clone()]);
    payload
}

/// A deposit on Cardano at an account that the payload calls a provider's.
pub fn cardano_swap(to: &str) -> KeysignPayload {
    let payment = payment(Chain::Cardano, to);
    let swap = SwapKitSwapPayload {
        tx_type: "CARDANO".to_owned(),
        target_address: to.to_owned(),
        from_amount: payment.to_amount.clone(),
        sub_provider: "NEAR".to_owned(),
        ..SwapKitSwapPayload::default()
    };
    KeysignPayload { swap_payload: Some(SwapPayload::SwapkitSwapPayload(swap)), ..payment }
}
