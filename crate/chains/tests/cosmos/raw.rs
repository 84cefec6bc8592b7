//! `unsigned_tx_hex`: a `SignDoc`, read to the last byte.

use crate::given::{
    Doc, account, address, amount, any, contract, doc, number, part, proto_coin, public, raw, send, sign,
};
use countersign_chains::explain::{Asset, Effect, Explanation, Fee, Function};
use countersign_chains::signing::Image;
use countersign_chains::unsigned::{self, Context};
use countersign_chains::{Chain, encoding};
use sha2::{Digest, Sha256};

fn code(doc: &Doc) -> &'static str {
    doc.read().unwrap_err().code()
}

fn effects(message: Vec<u8>) -> Vec<Effect> {
    Doc { messages: vec![message], body_end: Vec::new(), ..doc() }.read().unwrap().explain().effects
}

#[test]
fn a_sign_doc_is_signed_as_it_is_and_explained_from_its_bytes() {
    let bytes = doc().bytes();
    let transaction = raw(&bytes, Chain::Cosmos).unwrap();
    assert_eq!(transaction.images(), [Image::Ecdsa(Sha256::digest(&bytes).into())]);
    let explanation = Explanation {
        chain: Chain::Cosmos,
        from: address("cosmos", 1),
        target: None,
        effects: vec![Effect::Transfer { asset: Asset::Native, to: address("cosmos", 2), amount: amount(5) }],
        parties: Vec::new(),
        memo: Some("memo".to_owned()),
        fee: Fee::AtMost(amount(7500)),
        gas_limit: Some(200_000),
        nonce: Some(3),
    };
    assert_eq!(transaction.explain(), explanation);
    let signature = sign(&transaction);
    let signed = transaction.compile(&[signature]).unwrap();
    let raw = [part(1, doc().body()), part(2, doc().auth_info()), part(3, signature.0)].concat();
    assert_eq!(signed.id, encoding::hex(&Sha256::digest(&raw)).to_uppercase());
    assert_eq!(signed.bytes, raw);
}

#[test]
fn a_sign_doc_for_another_chain_is_refused() {
    assert_eq!(code(&Doc { chain_id: "osmosis-1", ..doc() }), "chain_mismatch");
    let context = |chain_id: &str, tx_type: Option<&str>| Context {
        chain_id: Some(chain_id.to_owned()),
        tx_type: tx_type.map(ToOwned::to_owned),
        ..Context::default()
    };
    let read =
        |context| unsigned::transaction(&encoding::hex(&doc().bytes()), &account(Chain::Cosmos), &context);
    assert!(read(context("cosmoshub-4", None)).is_ok());
    assert_eq!(read(context("cosmoshub-3", None)).unwrap_err().code(), "chain_mismatch");
    assert_eq!(read(context("cosmoshub-4", Some("eip1559"))).unwrap_err().code(), "tx_type_mismatch");
}

#[test]
fn another_accounts_transaction_is_refused() {
    let key = any("/cosmos.crypto.secp256k1.PubKey", part(1, public(2)));
    let error = Doc { key, ..doc() }.read().unwrap_err();
    assert_eq!(error.to_string(), format!("{} is not this vault's account", address("cosmos", 2)));
    let coin = proto_coin("uatom", "5");
    let (own, other) = (address("cosmos", 1), address("cosmos", 2));
    let from_other = |name: &str, place: u64| {
        let fields = (1..=3).map(|at| part(at, if at == place { &other } else { &own }));
        any(name, fields.collect::<Vec<_>>().concat())
    };
    let vote = [number(1, 9), part(2, &other), number(3, 1)].concat();
    let messages = [
        any("/cosmos.bank.v1beta1.MsgSend", [part(1, &other), part(2, &own), part(3, &coin)].concat()),
        any("/cosmos.bank.v1beta1.MsgMultiSend", part(1, [part(1, &other), part(2, &coin)].concat())),
        any("/ibc.applications.transfer.v1.MsgTransfer", [part(3, &coin), part(4, &other)].concat()),
        from_other("/cosmwasm.wasm.v1.MsgExecuteContract", 1),
        any("/cosmos.staking.v1beta1.MsgDelegate", part(1, &other)),
        any("/cosmos.staking.v1beta1.MsgUndelegate", part(1, &other)),
        from_other("/cosmos.staking.v1beta1.MsgBeginRedelegate", 1),
        any("/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward", part(1, &other)),
        any("/cosmos.gov.v1beta1.MsgVote", vote),
        any("/types.MsgSend", part(1, [9; 20])),
        any("/types.MsgDeposit", part(3, [9; 20])),
    ];
    for message in messages {
        assert_eq!(
            code(&Doc { messages: vec![send(), message.clone()], ..doc() }),
            "not_owned",
            "{message:?}"
        );
    }
}

#[test]
fn the_signer_is_one_key_in_direct_mode() {
    let two = part(1, []);
    assert_eq!(code(&Doc { auth_end: two, ..doc() }), "malformed", "out of order");
    let signer = |doc: &Doc| part(1, [part(1, &doc.key), part(2, &doc.mode)].concat());
    let auth = [signer(&doc()), signer(&doc()), part(2, &doc().fee)].concat();
    let bytes = [part(1, doc().body()), part(2, auth), part(3, "cosmoshub-4"), number(4, 7)].concat();
    assert_eq!(raw(&bytes, Chain::Cosmos).unwrap_err().to_string(), "auth_info must have exactly one signer");
    assert_eq!(code(&Doc { mode: part(1, number(1, 127)), ..doc() }), "unsupported_tx_type");
    assert_eq!(code(&Doc { mode: part(2, []), ..doc() }), "malformed", "a multisignature");
    let key = any("/cosmos.crypto.ed25519.PubKey", part(1, [1; 32]));
    assert_eq!(code(&Doc { key, ..doc() }), "unsupported_tx_type");
    assert_eq!(code(&Doc { key: Vec::new(), ..doc() }), "unsupported_tx_type");
}

#[test]
fn bytes_not_fully_read_are_refused() {
    let unknown = number(9, 1);
    assert_eq!(code(&Doc { end: [number(4, 7), unknown.clone()].concat(), ..doc() }), "malformed");
    assert_eq!(code(&Doc { body_end: [part(2, "memo"), unknown.clone()].concat(), ..doc() }), "malformed");
    assert_eq!(code(&Doc { fee: [doc().fee, unknown.clone()].concat(), ..doc() }), "malformed");
    assert_eq!(code(&Doc { auth_end: part(3, []), ..doc() }), "malformed", "a tip");
    let message = any("/cosmos.gov.v1beta1.MsgVote", [number(2, 1), unknown].concat());
    assert_eq!(code(&Doc { messages: vec![message], ..doc() }), "malformed");
    assert_eq!(code(&Doc { messages: Vec::new(), ..doc() }), "missing_field");
    assert_eq!(code(&Doc { fee: part(1, proto_coin("uatom", "-5")), ..doc() }), "invalid_amount");
    let mut bytes = doc().bytes();
    bytes.push(0);
    assert_eq!(raw(&bytes, Chain::Cosmos).unwrap_err().code(), "malformed");
}

#[test]
fn a_form_that_is_not_canonical_is_refused() {
    assert_eq!(code(&Doc { end: number(4, 0), ..doc() }), "malformed", "a default that is written");
    assert_eq!(code(&Doc { body_end: part(2, ""), ..doc() }), "malformed");
    assert_eq!(code(&Doc { end: [varint_too_long(), vec![]].concat(), ..doc() }), "malformed");
}

fn varint_too_long() -> Vec<u8> {
    vec![0x20, 0x87, 0x00]
}

#[test]
fn a_message_that_is_not_known_is_said_to_be_unknown() {
    let message = any("/cosmos.authz.v1beta1.MsgExec", [1, 2, 3]);
    assert_eq!(
        effects(message),
        [Effect::Unknown { what: "/cosmos.authz.v1beta1.MsgExec".to_owned(), bytes: 3 }]
    );
    let extension = part(1023, any("/x.Option", [4]));
    let explanation = Doc { body_end: extension, ..doc() }.read().unwrap().explain();
    assert_eq!(explanation.effects[1], Effect::Unknown { what: "/x.Option".to_owned(), bytes: 1 });
}

#[test]
fn a_fee_in_another_coin_or_by_another_account_is_told() {
    let fee = [part(1, proto_coin("ibc/AB", "9")), number(2, 1), part(4, address("cosmos", 3))].concat();
    let explanation = Doc { fee, ..doc() }.read().unwrap().explain();
    assert_eq!(explanation.fee, Fee::AtMost(amount(0)), "none of it in the native coin");
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let fields = vec![field("amount", "9ibc/AB"), field("granter", &address("cosmos", 3))];
    assert_eq!(explanation.effects[1], Effect::Other { name: "Fee".to_owned(), fields });
    // Another account that pays is told, and takes nothing.
    let fee = [part(1, proto_coin("uatom", "9")), number(2, 1), part(4, address("cosmos", 3))].concat();
    let explanation = Doc { fee, ..doc() }.read().unwrap().explain();
    assert_eq!(explanation.fee, Fee::AtMost(amount(9)));
    let fields = vec![field("granter", &address("cosmos", 3))];
    assert_eq!(explanation.effects[1], Effect::Note { name: "Fee".to_owned(), fields });
    assert_eq!(explanation.parties, []);
}

fn execute(json: &str, funds: &[(&str, &str)]) -> Vec<Effect> {
    let funds: Vec<u8> =
        funds.iter().flat_map(|(denom, amount)| part(5, proto_coin(denom, amount))).collect();
    let head = [part(1, address("cosmos", 1)), part(2, contract("cosmos")), part(3, json)].concat();
    effects(any("/cosmwasm.wasm.v1.MsgExecuteContract", [head, funds].concat()))
}

#[test]
fn a_contracts_function_is_the_name_in_its_json() {
    let call =
        |value, function| Effect::Call { contract: contract("cosmos"), value: amount(value), function };
    let function = Function::Known {
        signature: "swap".to_owned(),
        arguments: vec![("min".to_owned(), "9".to_owned()), ("to".to_owned(), "{\"a\":1}".to_owned())],
    };
    let token = Effect::Transfer {
        asset: Asset::Token { id: "ibc/AB".to_owned() },
        to: contract("cosmos"),
        amount: amount(6),
    };
    let json = r#"{"swap":{"min":"9","to":{"a":1}}}"#;
    assert_eq!(execute(json, &[("ibc/AB", "6"), ("uatom", "4")]), [token, call(4, function)]);
    for json in ["", "[]", "{}", r#"{"a":{},"b":{}}"#, "nonsense"] {
        let unknown = Function::Unknown { selector: None, bytes: json.len() };
        assert_eq!(execute(json, &[]), [call(0, unknown)], "{json}");
    }
}

#[test]
fn a_contracts_tokens_are_told_as_tokens() {
    let asset = Asset::Token { id: contract("cosmos") };
    let transfer = r#"{"transfer":{"recipient":"r","amount":"8"}}"#;
    let expected = Effect::Transfer { asset: asset.clone(), to: "r".to_owned(), amount: amount(8) };
    assert_eq!(execute(transfer, &[]), [expected]);
    let allow =
        r#"{"increase_allowance":{"spender":"s","amount":"340282366920938463463374607431768211455"}}"#;
    let effects = execute(allow, &[]);
    assert!(matches!(&effects[..], [Effect::Approve { spender, unlimited: true, .. }] if spender == "s"));
    for odd in [
        r#"{"transfer":{"recipient":"r","amount":"8","x":1}}"#,
        r#"{"transfer":{"recipient":"r","amount":8}}"#,
        r#"{"transfer":{"recipient":1,"amount":"8"}}"#,
    ] {
        assert!(matches!(execute(odd, &[])[..], [Effect::Call { .. }]), "{odd}");
    }
    assert_eq!(execute(transfer, &[("uatom", "1")]).len(), 1, "with coins it is a call");
    assert!(matches!(execute(transfer, &[("uatom", "1")])[..], [Effect::Call { .. }]));
}

#[test]
fn staking_and_voting_have_their_names() {
    let own = part(1, address("cosmos", 1));
    let coin = proto_coin("uatom", "5");
    let name = |message| match effects(message).pop() {
        Some(Effect::Note { name, fields }) => {
            name + &fields.into_iter().map(|(name, value)| format!(" {name}={value}")).collect::<String>()
        }
        other => panic!("{other:?}"),
    };
    let staking = |kind: &str, rest: Vec<u8>| name(any(kind, [own.clone(), rest].concat()));
    let one = [part(2, "v1"), part(3, &coin)].concat();
    let told = staking("/cosmos.staking.v1beta1.MsgDelegate", one.clone());
    assert_eq!(told, "MsgDelegate validator=v1 amount=5uatom");
    let told = staking("/cosmos.staking.v1beta1.MsgUndelegate", one);
    assert_eq!(told, "MsgUndelegate validator=v1 amount=5uatom");
    let two = [part(2, "v1"), part(3, "v2"), part(4, &coin)].concat();
    let told = staking("/cosmos.staking.v1beta1.MsgBeginRedelegate", two);
    assert_eq!(told, "MsgBeginRedelegate from=v1 to=v2 amount=5uatom");
    let told = staking("/cosmos.distribution.v1beta1.MsgWithdrawDelegatorReward", part(2, "v1"));
    assert_eq!(told, "MsgWithdrawDelegatorReward validator=v1");
    let vote = [number(1, 42), part(2, address("cosmos", 1)), number(3, 4)].concat();
    assert_eq!(name(any("/cosmos.gov.v1beta1.MsgVote", vote)), "MsgVote proposal=42 option=no with veto");
}

#[test]
fn every_output_of_a_multi_send_is_told() {
    let party = |who: &str, sum: &str| [part(1, who), part(2, proto_coin("uatom", sum))].concat();
    let own = address("cosmos", 1);
    let message = [part(1, party(&own, "5")), part(2, party("a", "2")), part(2, party("b", "3"))].concat();
    let to =
        |to: &str, sum| Effect::Transfer { asset: Asset::Native, to: to.to_owned(), amount: amount(sum) };
    assert_eq!(effects(any("/cosmos.bank.v1beta1.MsgMultiSend", message)), [to("a", 2), to("b", 3)]);
}
