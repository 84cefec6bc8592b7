//! Cosmos chains: CosmJS rebuilds what our signatures must cover, finds our signer in them and reads the messages. It
//! is a library and not a node: see `cosmos.mjs` for what it does not check.

use chains::transaction::{NetworkFacts, Signed};
use chains::unsigned::{self, Context};
use chains::{Chain, encoding, keysign};
use countersign_peers::{Peer, account, key, sign};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload, SignData, SwapPayload};
use wire::keysign::{
    Coin, CosmosCoin, CosmosFee, CosmosIbcDenomTrace, CosmosMsg, CosmosSpecific, KeysignPayload,
    MayaChainSpecific, SignAmino, ThorChainSpecific, ThorChainSwapPayload, WasmExecuteContractPayload,
};

fn address(chain: Chain, seed: u8) -> String {
    account(chain, &key(chain, seed)).address
}

/// From the account of seed 1 to that of seed 2.
fn payload(chain: Chain) -> KeysignPayload {
    let (account_number, sequence) = (2_655_539, 10);
    let specific = match chain {
        Chain::ThorChain => {
            let known = ThorChainSpecific { account_number, sequence, ..ThorChainSpecific::default() };
            BlockchainSpecific::ThorchainSpecific(known)
        }
        Chain::MayaChain => BlockchainSpecific::MayaSpecific(MayaChainSpecific {
            account_number,
            sequence,
            is_deposit: false,
        }),
        _ => {
            let known = CosmosSpecific { account_number, sequence, gas: 7500, ..CosmosSpecific::default() };
            BlockchainSpecific::CosmosSpecific(known)
        }
    };
    KeysignPayload {
        coin: Some(Coin {
            chain: chain.to_string(),
            ticker: chain.native().ticker.to_owned(),
            address: address(chain, 1),
            decimals: chain.native().decimals.into(),
            is_native_token: true,
            ..Coin::default()
        }),
        to_address: address(chain, 2),
        to_amount: "1500000".to_owned(),
        blockchain_specific: Some(specific),
        ..KeysignPayload::default()
    }
}

fn with(chain: Chain, change: impl FnOnce(&mut CosmosSpecific)) -> KeysignPayload {
    let mut payload = payload(chain);
    if let Some(BlockchainSpecific::CosmosSpecific(specific)) = &mut payload.blockchain_specific {
        change(specific);
    }
    payload
}

fn signed(payload: &KeysignPayload) -> Signed {
    let (chain, _) = keysign::coin(payload).expect("a coin");
    let key = key(chain, 1);
    let transactions = keysign::transactions(payload, &account(chain, &key), &NetworkFacts::default());
    sign(&transactions.expect("a payload")[0], &key)
}

fn ask(peer: &mut Peer, chain: Chain, bytes: &[u8], account_number: &str) -> Value {
    peer.ask(&json!({
        "transaction": encoding::hex(bytes), "chain_id": chain.cosmos_id(), "hrp": chain.bech32_hrp(),
        "account_number": account_number,
    }))
}

/// What CosmJS sees in the bytes, which it must accept as ours.
fn show(peer: &mut Peer, payload: &KeysignPayload) -> Value {
    let (chain, _) = keysign::coin(payload).expect("a coin");
    let ours = signed(payload);
    let seen = ask(peer, chain, &ours.bytes, "2655539");
    assert_eq!((&seen["accepted"], &seen["id"]), (&json!(true), &json!(ours.id)), "{chain}: {seen}");
    assert_eq!(
        (&seen["signer"], &seen["sequence"]),
        (&json!(address(chain, 1)), &json!("10")),
        "{chain}: {seen}"
    );
    seen
}

const CHAINS: [Chain; 8] = [
    Chain::Cosmos,
    Chain::Osmosis,
    Chain::Dydx,
    Chain::Kujira,
    Chain::Terra,
    Chain::TerraClassic,
    Chain::Noble,
    Chain::Akash,
];

#[test]
fn payments_on_every_chain_are_explained() {
    let mut peer = Peer::start("../../crate/nodes/scripts/cosmos.mjs");
    for chain in CHAINS {
        let seen = show(&mut peer, &KeysignPayload { memo: Some("rent".to_owned()), ..payload(chain) });
        let message = &seen["messages"][0];
        assert_eq!(message["type"], "/cosmos.bank.v1beta1.MsgSend");
        assert_eq!(message["value"]["fromAddress"], address(chain, 1));
        assert_eq!(message["value"]["toAddress"], address(chain, 2));
        assert_eq!(message["value"]["amount"][0]["amount"], "1500000");
        assert_eq!(
            seen["fee"]["amount"],
            json!([{ "denom": message["value"]["amount"][0]["denom"], "amount": "7500" }])
        );
        assert_eq!(seen["memo"], "rent");
    }
    for chain in [Chain::ThorChain, Chain::MayaChain] {
        let seen = show(&mut peer, &payload(chain));
        assert_eq!(seen["messages"][0]["type"], "/types.MsgSend");
        assert_eq!(seen["messages"][0]["value"]["amount"][0]["amount"], "1500000");
        assert_eq!(seen["fee"]["amount"], json!([]));
    }
}

#[test]
fn ibc_contracts_votes_and_deposits_are_read_as_meant() {
    let mut peer = Peer::start("../../crate/nodes/scripts/cosmos.mjs");
    let to = address(Chain::Cosmos, 2);
    let ibc = KeysignPayload {
        to_address: to.clone(),
        memo: Some(format!("Cosmos:channel-0:{to}")),
        ..with(Chain::Osmosis, |specific| {
            specific.transaction_type = 3;
            specific.ibc_denom_traces = Some(CosmosIbcDenomTrace {
                latest_block: "1_1753579499419760896".to_owned(),
                ..CosmosIbcDenomTrace::default()
            });
        })
    };
    let seen = show(&mut peer, &ibc);
    let value = &seen["messages"][0]["value"];
    assert_eq!((&value["receiver"], &value["sourceChannel"]), (&json!(to), &json!("channel-0")));
    assert_eq!((&value["timeoutTimestamp"], &seen["memo"]), (&json!("1753579499419760896"), &json!("")));

    let call = WasmExecuteContractPayload {
        sender_address: address(Chain::Kujira, 1),
        contract_address: address(Chain::Kujira, 3),
        execute_msg: "{\"bond\":{}}".to_owned(),
        coins: vec![CosmosCoin { denom: "ukuji".to_owned(), amount: "4".to_owned() }],
    };
    let contract = KeysignPayload {
        contract_payload: Some(ContractPayload::WasmExecuteContractPayload(call)),
        ..with(Chain::Kujira, |specific| specific.transaction_type = 8)
    };
    let value = &show(&mut peer, &contract)["messages"][0]["value"];
    assert_eq!(
        (&value["msg"], &value["funds"][0]["amount"]),
        (&json!(encoding::hex(b"{\"bond\":{}}")), &json!("4"))
    );

    let vote = with(Chain::Dydx, |specific| specific.transaction_type = 1);
    let vote = KeysignPayload { memo: Some("DYDX_VOTE:YES:42".to_owned()), ..vote };
    let value = &show(&mut peer, &vote)["messages"][0]["value"];
    assert_eq!((&value["proposalId"], &value["option"]), (&json!("42"), &json!(1)));

    let memo = "=:BTC.BTC:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4:1";
    let swap = payload(Chain::ThorChain);
    let stated = ThorChainSwapPayload {
        from_coin: swap.coin.clone(),
        from_amount: "77".to_owned(),
        ..ThorChainSwapPayload::default()
    };
    let swap_payload = Some(SwapPayload::ThorchainSwapPayload(stated));
    let seen = show(&mut peer, &KeysignPayload { memo: Some(memo.to_owned()), swap_payload, ..swap });
    let value = &seen["messages"][0]["value"];
    assert_eq!((&seen["messages"][0]["type"], &value["memo"]), (&json!("/types.MsgDeposit"), &json!(memo)));
    assert_eq!(
        (&value["coins"][0]["amount"], &value["coins"][0]["asset"]["symbol"]),
        (&json!("77"), &json!("RUNE"))
    );
}

fn amino() -> KeysignPayload {
    let (from, to) = (address(Chain::Cosmos, 1), address(Chain::Cosmos, 2));
    let coins = vec![CosmosCoin { denom: "uatom".to_owned(), amount: "1000".to_owned() }];
    let fee = Some(CosmosFee { amount: coins, gas: "200000".to_owned(), ..CosmosFee::default() });
    let value =
        json!({ "from_address": from, "to_address": to, "amount": [{ "denom": "uatom", "amount": "5" }] });
    let msgs = vec![CosmosMsg { r#type: "cosmos-sdk/MsgSend".to_owned(), value: value.to_string() }];
    let sign_data = Some(SignData::SignAmino(SignAmino { fee, msgs }));
    KeysignPayload { sign_data, memo: Some("a & <b>".to_owned()), ..payload(Chain::Cosmos) }
}

/// CosmJS makes the JSON again from the protobuf messages, as a node does: the two forms say the same.
#[test]
fn amino_document_equals_the_nodes() {
    let mut peer = Peer::start("../../crate/nodes/scripts/cosmos.mjs");
    let seen = show(&mut peer, &amino());
    assert_eq!((&seen["mode"], &seen["memo"]), (&json!(127), &json!("a & <b>")));
    assert_eq!(seen["messages"][0]["value"]["toAddress"], address(Chain::Cosmos, 2));
}

/// What was sent is a sign doc again: body, signer's part, chain id and account number.
#[test]
fn a_sign_doc_is_signed_as_its_payload_is() {
    let ours = signed(&payload(Chain::Akash));
    let key = key(Chain::Akash, 1);
    let signature = 2 + 64;
    let doc =
        [&ours.bytes[..ours.bytes.len() - signature], b"\x1a\x0aakashnet-2", &[0x20, 0xb3, 0x8a, 0xa2, 0x01]]
            .concat();
    let account = account(Chain::Akash, &key);
    let transaction = unsigned::transaction(&encoding::hex(&doc), &account, &Context::default());
    assert_eq!(sign(&transaction.expect("a sign doc"), &key), ours);
}

/// A bit of the signature, of what is signed or of what stands around it; and the right bytes on another account.
#[test]
fn a_flipped_bit_is_refused() {
    let mut peer = Peer::start("../../crate/nodes/scripts/cosmos.mjs");
    for payload in [payload(Chain::Osmosis), payload(Chain::ThorChain), amino()] {
        let (chain, _) = keysign::coin(&payload).expect("a coin");
        let ours = signed(&payload);
        assert_eq!(ask(&mut peer, chain, &ours.bytes, "2655539")["accepted"], true);
        assert_eq!(ask(&mut peer, chain, &ours.bytes, "2655540")["accepted"], false);
        for place in (0..ours.bytes.len()).step_by(3) {
            let mut changed = ours.bytes.clone();
            changed[place] ^= 1;
            let seen = ask(&mut peer, chain, &changed, "2655539");
            assert_ne!(seen["accepted"], true, "{chain}, byte {place}: {seen}");
        }
    }
}
