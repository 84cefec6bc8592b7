//! Keysign payloads of the chains that use the SDK's own modules.

use crate::given::{
    account, address, amount, any, build, contract, deposit, doc, effects, part, payload, refused, sign,
};
use countersign_chains::explain::{Asset, Bought, Effect, Fee, Function, Party, PartyRole, Swap};
use countersign_chains::facts::Facts;
use countersign_chains::signing::{Image, SignatureError};
use countersign_chains::transaction::Role;
use countersign_chains::{Chain, encoding};
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload, SignData, SwapPayload};
use wire::keysign::{
    Coin, CosmosCoin, CosmosFee, CosmosIbcDenomTrace, CosmosMsg, CosmosSpecific, KeysignPayload, SignAmino,
    SignDirect, SignSolana, SwapKitSwapPayload, ThorChainSwapPayload, WasmExecuteContractPayload,
};

/// The payload with its own part changed.
fn specific(payload: KeysignPayload, change: impl FnOnce(&mut CosmosSpecific)) -> KeysignPayload {
    let Some(BlockchainSpecific::CosmosSpecific(mut specific)) = payload.blockchain_specific.clone() else {
        panic!("a Cosmos payload")
    };
    change(&mut specific);
    KeysignPayload { blockchain_specific: Some(BlockchainSpecific::CosmosSpecific(specific)), ..payload }
}

fn token(chain: Chain, contract_address: &str) -> KeysignPayload {
    let payload = payload(chain);
    let coin = payload.coin.clone().map(|coin| Coin {
        is_native_token: false,
        contract_address: contract_address.to_owned(),
        ..coin
    });
    KeysignPayload { coin, ..payload }
}

fn memo(payload: KeysignPayload, memo: &str) -> KeysignPayload {
    KeysignPayload { memo: Some(memo.to_owned()), ..payload }
}

fn transfer(asset: Asset, to: String, sum: u64) -> Effect {
    Effect::Transfer { asset, to, amount: amount(sum) }
}

#[test]
fn a_payment_pays_the_native_coin_or_a_denom() {
    let transaction = build(&payload(Chain::Osmosis)).unwrap();
    let explanation = transaction.explain();
    assert_eq!(explanation.effects, [transfer(Asset::Native, address("osmo", 2), 5)]);
    assert_eq!((explanation.fee, explanation.gas_limit), (Fee::AtMost(amount(7500)), Some(300_000)));
    assert_eq!((explanation.nonce, transaction.role()), (Some(3), Role::Main));
    let limited = specific(payload(Chain::Osmosis), |specific| specific.gas_limit = Some(123));
    assert_eq!(build(&limited).unwrap().explain().gas_limit, Some(123));
    let id = "ibc/4CC44260793F84006656DD868E017578F827A492978161DA31D7572BCB3F4289";
    let ibc = Asset::Token { id: id.to_owned() };
    assert_eq!(effects(&token(Chain::Osmosis, id)), [transfer(ibc, address("osmo", 2), 5)]);
}

#[test]
fn terra_classics_stable_coin_pays_its_own_fee() {
    let explanation = build(&token(Chain::TerraClassic, "uusd")).unwrap().explain();
    assert_eq!(explanation.fee, Fee::AtMost(amount(0)), "none of it in the native coin");
    let fee =
        Effect::Other { name: "Fee".to_owned(), fields: vec![("amount".to_owned(), "7500uusd".to_owned())] };
    assert_eq!(explanation.effects[1], fee);
}

#[test]
fn a_contracts_token_is_moved_by_its_contract_on_terra_only() {
    let payload = token(Chain::Terra, &contract("terra"));
    let asset = Asset::Token { id: contract("terra") };
    assert_eq!(effects(&payload), [transfer(asset, address("terra", 2), 5)]);
    assert_eq!(
        refused(&token(Chain::Osmosis, &contract("osmo"))),
        "not supported: a token that is a contract on this chain"
    );
}

fn ibc() -> KeysignPayload {
    let payload = specific(payload(Chain::Osmosis), |specific| {
        specific.transaction_type = 3;
        specific.ibc_denom_traces = Some(CosmosIbcDenomTrace {
            latest_block: "100_1753579499419760896".to_owned(),
            ..CosmosIbcDenomTrace::default()
        });
    });
    let to_address = address("cosmos", 2);
    memo(
        KeysignPayload { to_address: to_address.clone(), ..payload },
        &format!("Cosmos:channel-0:{to_address}"),
    )
}

#[test]
fn a_transfer_over_ibc_is_told_with_its_channel() {
    let explanation = build(&ibc()).unwrap().explain();
    assert_eq!(explanation.memo, None);
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let route = Effect::Note {
        name: "IBC".to_owned(),
        fields: vec![
            field("port", "transfer"),
            field("channel", "channel-0"),
            field("timeout_height", "0-0"),
            field("timeout_timestamp", "1753579499419760896"),
            field("chain", "Cosmos"),
        ],
    };
    assert_eq!(explanation.effects, [transfer(Asset::Native, address("cosmos", 2), 5), route]);
    let claims = build(&ibc()).unwrap().claims().iter().map(|claim| claim.to_wire().text).collect::<Vec<_>>();
    assert_eq!(claims, ["Cosmos"], "the bytes have the channel, and the chain is from our table");
    let with_memo = memo(ibc(), "Cosmos:channel-0:x:a:b");
    assert_eq!(build(&with_memo).unwrap().explain().memo.as_deref(), Some("a:b"));
}

#[test]
fn ibc_transfer_needs_channel_and_timeout() {
    for text in
        ["", "Cosmos", "Cosmos:channel-0", "Cosmos::x", "Cosmos:channel-:x", "Cosmos:channel-x:x", "a:b:c"]
    {
        assert_eq!(refused(&memo(ibc(), text)), "memo names no channel of IBC", "{text}");
    }
    for (latest, error) in [
        ("100", "ibc_denom_traces.latest_block is not an amount the chain can carry"),
        ("100_", "ibc_denom_traces.latest_block is not an amount the chain can carry"),
        ("100_0", "ibc_denom_traces.latest_block is missing"),
    ] {
        let payload = specific(ibc(), |specific| {
            specific.ibc_denom_traces = Some(CosmosIbcDenomTrace {
                latest_block: latest.to_owned(),
                ..CosmosIbcDenomTrace::default()
            });
        });
        assert_eq!(refused(&payload), error);
    }
    assert!(refused(&KeysignPayload { to_address: String::new(), ..ibc() }).starts_with("to_address"));
}

fn call(message: &str) -> KeysignPayload {
    let call = WasmExecuteContractPayload {
        sender_address: address("kujira", 1),
        contract_address: contract("kujira"),
        execute_msg: message.to_owned(),
        coins: vec![CosmosCoin { denom: "ukuji".to_owned(), amount: "4".to_owned() }],
    };
    KeysignPayload {
        contract_payload: Some(ContractPayload::WasmExecuteContractPayload(call)),
        ..specific(payload(Chain::Kujira), |specific| specific.transaction_type = 8)
    }
}

#[test]
fn a_contract_is_called_word_for_word() {
    let function = Function::Known { signature: "bond".to_owned(), arguments: Vec::new() };
    let expected = Effect::Call { contract: contract("kujira"), value: amount(4), function };
    assert_eq!(effects(&call(r#"{ "bond": {} }"#)), [expected]);
    assert_eq!(refused(&call("{")), "execute_msg is not JSON");
    let nothing = KeysignPayload { contract_payload: None, ..call("{}") };
    assert_eq!(refused(&nothing), "wasm_execute_contract_payload is missing");
    let mut other = call("{}");
    if let Some(ContractPayload::WasmExecuteContractPayload(call)) = &mut other.contract_payload {
        call.sender_address = address("kujira", 2);
    }
    assert_eq!(build(&other).unwrap_err().code(), "not_owned");
}

#[test]
fn a_vote_is_read_from_its_memo() {
    let vote =
        |text: &str| memo(specific(payload(Chain::Dydx), |specific| specific.transaction_type = 1), text);
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let expected = Effect::Note {
        name: "MsgVote".to_owned(),
        fields: vec![field("proposal", "42"), field("option", "no with veto")],
    };
    let explanation = build(&vote("DYDX_VOTE:NO_WITH_VETO:42")).unwrap().explain();
    assert_eq!((explanation.effects, explanation.memo), (vec![expected], None));
    for text in ["", "DYDX_VOTE:YES", "DYDX_VOTE:MAYBE:42", "YES:42"] {
        assert_eq!(refused(&vote(text)), "memo is not a vote", "{text}");
    }
}

#[test]
fn a_swap_pays_the_networks_vault() {
    let swap = ThorChainSwapPayload {
        vault_address: address("cosmos", 3),
        from_amount: "9".to_owned(),
        ..ThorChainSwapPayload::default()
    };
    let payload = KeysignPayload {
        swap_payload: Some(SwapPayload::ThorchainSwapPayload(swap)),
        ..memo(payload(Chain::Cosmos), "=:BTC.BTC:bc1q:100")
    };
    let transaction = build(&payload).unwrap();
    let found = transaction.explain();
    assert_eq!(found.effects, [transfer(Asset::Native, address("cosmos", 3), 9)], "nobody proves a swap");
    let target = Party::new("bc1q", PartyRole::Destination);
    assert_eq!((transaction.role(), found.parties), (Role::Main, vec![target]));
    let expected = Effect::Swap(Swap {
        provider: Some("THORChain"),
        router: address("cosmos", 3),
        sell: Asset::Native,
        amount: amount(9),
        buy: Some(Bought::Named("BTC.BTC".to_owned())),
        minimum_out: Some(amount(100)),
        recipient: Some("bc1q".to_owned()),
    });
    let facts = [deposit("THORChain", "Cosmos", &address("cosmos", 3))];
    assert_eq!(transaction.explain_with(Facts(&facts)).effects, [expected]);
    assert_eq!(transaction.wanted().len(), 2);
    let claims: Vec<_> = transaction.claims().iter().map(|claim| claim.to_wire().text).collect();
    assert_eq!(claims, ["THORChain"]);
    assert_eq!(refused(&KeysignPayload { memo: None, ..payload.clone() }), "memo is missing");
    let swapkit = SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload::default());
    let other = KeysignPayload { swap_payload: Some(swapkit), ..payload };
    assert_eq!(refused(&other), "not supported: this swap on a Cosmos chain");
}

fn direct() -> SignDirect {
    SignDirect {
        body_bytes: encoding::base64(&doc().body()),
        auth_info_bytes: encoding::base64(&doc().auth_info()),
        chain_id: "cosmoshub-4".to_owned(),
        account_number: "7".to_owned(),
    }
}

fn with(direct: SignDirect) -> KeysignPayload {
    KeysignPayload { sign_data: Some(SignData::SignDirect(direct)), ..payload(Chain::Cosmos) }
}

#[test]
fn sign_direct_is_the_same_as_the_sign_doc() {
    let transaction = build(&with(direct())).unwrap();
    assert_eq!(transaction.images(), doc().read().unwrap().images());
    assert_eq!(transaction.explain(), doc().read().unwrap().explain());
    assert_eq!(
        refused(&with(SignDirect { account_number: "8".to_owned(), ..direct() })),
        "sign_direct.account_number is not the one of blockchain_specific"
    );
    let other = with(SignDirect { chain_id: "osmosis-1".to_owned(), ..direct() });
    assert_eq!(build(&other).unwrap_err().code(), "chain_mismatch");
    assert_eq!(
        build(&with(SignDirect { body_bytes: "!".to_owned(), ..direct() })).unwrap_err().code(),
        "malformed"
    );
    let solana = SignData::SignSolana(SignSolana::default());
    let other = KeysignPayload { sign_data: Some(solana), ..payload(Chain::Cosmos) };
    assert_eq!(refused(&other), "not supported: bytes for another kind of chain");
}

fn amino(value: String) -> KeysignPayload {
    let fee = CosmosFee {
        amount: vec![CosmosCoin { denom: "uatom".to_owned(), amount: "1000".to_owned() }],
        gas: "200000".to_owned(),
        ..CosmosFee::default()
    };
    let message = CosmosMsg { r#type: "cosmos-sdk/MsgSend".to_owned(), value };
    let doc = SignAmino { fee: Some(fee), msgs: vec![message] };
    KeysignPayload { sign_data: Some(SignData::SignAmino(doc)), ..memo(payload(Chain::Cosmos), "a & b") }
}

fn amino_send(from: u8) -> String {
    let (from, to) = (address("cosmos", from), address("cosmos", 2));
    format!(r#"{{"to_address":"{to}","from_address":"{from}","amount":[{{"denom":"uatom","amount":"5"}}]}}"#)
}

#[test]
fn an_amino_document_becomes_a_transaction_in_protobuf() {
    let transaction = build(&amino(amino_send(1))).unwrap();
    let explanation = transaction.explain();
    assert_eq!(explanation.effects, [transfer(Asset::Native, address("cosmos", 2), 5)]);
    assert_eq!((explanation.memo.as_deref(), explanation.fee), (Some("a & b"), Fee::AtMost(amount(1000))));
    let signed = transaction.compile(&[sign(&transaction)]).unwrap();
    let mode = part(1, [8, 127]);
    assert!(signed.bytes.windows(mode.len()).any(|bytes| bytes == mode), "the mode is amino JSON");
    let key = any("/cosmos.crypto.secp256k1.PubKey", part(1, account(Chain::Cosmos).key.as_bytes()));
    assert!(signed.bytes.windows(key.len()).any(|bytes| bytes == key));
}

#[test]
fn foreign_or_larger_amino_document_is_refused() {
    assert_eq!(build(&amino(amino_send(2))).unwrap_err().code(), "not_owned");
    assert_eq!(refused(&amino("{}".to_owned())), "sign_amino.msgs lacks a field of its type");
    let mut paid = amino(amino_send(1));
    if let Some(SignData::SignAmino(doc)) = &mut paid.sign_data
        && let Some(fee) = &mut doc.fee
    {
        fee.granter = Some(address("cosmos", 3));
    }
    assert_eq!(refused(&paid), "not supported: a fee that another account pays");
    let mut nothing = amino(amino_send(1));
    nothing.sign_data = Some(SignData::SignAmino(SignAmino::default()));
    assert_eq!(refused(&nothing), "sign_amino.fee is missing");
}

#[test]
fn payloads_that_do_not_fit_the_chain_are_refused() {
    let base = payload(Chain::Cosmos);
    let without = KeysignPayload { blockchain_specific: None, ..base.clone() };
    assert_eq!(refused(&without), "blockchain_specific is missing");
    let thor =
        KeysignPayload { blockchain_specific: base.blockchain_specific.clone(), ..payload(Chain::ThorChain) };
    assert_eq!(refused(&thor), "blockchain_specific is missing");
    assert_eq!(
        build(&KeysignPayload { to_amount: "1.5".to_owned(), ..base.clone() }).unwrap_err().code(),
        "invalid_amount"
    );
    assert_eq!(
        build(&KeysignPayload { to_address: "x".to_owned(), ..base.clone() }).unwrap_err().code(),
        "invalid_address"
    );
    let mut other = base.clone();
    other.coin.as_mut().unwrap().address = address("cosmos", 2);
    assert_eq!(build(&other).unwrap_err().code(), "not_owned");
    assert_eq!(refused(&token(Chain::Cosmos, "a b")), "coin.contract_address is not a denom");
    let merge = specific(base, |specific| specific.transaction_type = 4);
    assert_eq!(refused(&merge), "not supported: this transaction_type on a Cosmos chain");
}

#[test]
fn a_type_of_a_later_version_is_not_a_payment() {
    for number in [11, 77, -1] {
        let later = specific(payload(Chain::Cosmos), |specific| specific.transaction_type = number);
        assert_eq!(refused(&later), "not supported: a transaction_type that is not known here");
    }
}

#[test]
fn qbtc_is_hashed_and_never_built() {
    let mut payload = payload(Chain::Qbtc);
    payload.coin.as_mut().unwrap().hex_public_key = "ab".repeat(1312);
    let transaction = build(&payload).unwrap();
    assert!(matches!(transaction.images()[..], [Image::MlDsa44(_)]));
    assert_eq!(transaction.compile(&[sign(&transaction)]), Err(SignatureError::Scheme));
    assert_eq!(transaction.explain().effects, [transfer(Asset::Native, address("qbtc", 2), 5)]);
}
