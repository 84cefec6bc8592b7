//! What is weighed and what is not, and that each way out is a party.

use crate::given::{Doc, address, any, contract, doc, number, part, proto_coin, raw};
use countersign_chains::Chain;
use countersign_chains::encoding;
use countersign_chains::explain::{Effect, Explanation, Party, PartyRole};

/// Whether every effect was read whole.
fn weighed(found: &Explanation) -> bool {
    !found
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Other { .. } | Effect::Unknown { .. } | Effect::Call { .. }))
}

fn explained(message: Vec<u8>, memo: &str) -> Explanation {
    let body_end = if memo.is_empty() { Vec::new() } else { part(2, memo) };
    Doc { messages: vec![message], body_end, ..doc() }.read().unwrap().explain()
}

fn own() -> String {
    address("cosmos", 1)
}

fn other() -> String {
    address("cosmos", 2)
}

fn send(memo: &str) -> Explanation {
    explained(crate::given::send(), memo)
}

fn ibc(memo: &str) -> Explanation {
    let head = [part(1, "transfer"), part(2, "channel-141"), part(3, proto_coin("uatom", "5"))].concat();
    let to = [part(4, own()), part(5, address("osmo", 2)), number(7, 1)].concat();
    let memo = if memo.is_empty() { Vec::new() } else { part(8, memo) };
    explained(any("/ibc.applications.transfer.v1.MsgTransfer", [head, to, memo].concat()), "")
}

fn execute(json: &str) -> Explanation {
    let body = [part(1, own()), part(2, contract("cosmos")), part(3, json)].concat();
    explained(any("/cosmwasm.wasm.v1.MsgExecuteContract", body), "")
}

fn staking(name: &str, rest: &[Vec<u8>]) -> Explanation {
    explained(any(&format!("/cosmos.{name}"), [part(1, own()), rest.concat()].concat()), "")
}

#[test]
fn honest_transactions_are_weighed() {
    let coin = part(3, proto_coin("uatom", "5"));
    let (validator, stranger) = (part(2, "cosmosvaloper1a"), part(3, "cosmosvaloper1b"));
    let forward = r#"{"forward":{"receiver":"juno1x","port":"transfer","channel":"channel-259"}}"#;
    let cases = [
        ("a payment", send("")),
        ("a payment with a text", send("invoice 7")),
        ("over IBC", ibc("")),
        ("over IBC with a text", ibc("invoice 7")),
        ("over two chains", ibc(forward)),
        ("delegate", staking("staking.v1beta1.MsgDelegate", &[validator.clone(), coin.clone()])),
        ("undelegate", staking("staking.v1beta1.MsgUndelegate", &[validator.clone(), coin])),
        (
            "redelegate to a stranger",
            staking(
                "staking.v1beta1.MsgBeginRedelegate",
                &[validator.clone(), stranger, part(4, proto_coin("uatom", "5"))],
            ),
        ),
        ("rewards", staking("distribution.v1beta1.MsgWithdrawDelegatorReward", &[validator])),
        ("a token's transfer", execute(r#"{"transfer":{"recipient":"r","amount":"8"}}"#)),
        (
            "a token's allowance",
            execute(r#"{"increase_allowance":{"spender":"s","amount":"8","expires":{"never":{}}}}"#),
        ),
    ];
    for (name, found) in cases {
        assert!(weighed(&found), "{name}: {:?}", found.effects);
    }
}

/// Validators hold what stays the signer's: they are no parties.
#[test]
fn validators_take_nothing() {
    let rest = [part(2, "cosmosvaloper1a"), part(3, proto_coin("uatom", "5"))];
    assert_eq!(staking("staking.v1beta1.MsgDelegate", &rest).every_party(), []);
}

#[test]
fn each_way_out_is_a_party_and_what_is_not_read_is_not_weighed() {
    let hook = encoding::base64(br#"{"swap":{"to":"thief"}}"#);
    let grant = part(1, any("/cosmos.bank.v1beta1.SendAuthorization", [1]));
    let cases = [
        (
            "authz",
            staking("authz.v1beta1.MsgGrant", &[part(2, other()), part(3, grant)]),
            other(),
            PartyRole::Authority,
        ),
        (
            "fee allowance",
            staking(
                "feegrant.v1beta1.MsgGrantAllowance",
                &[part(2, other()), part(3, any("/cosmos.feegrant.v1beta1.BasicAllowance", []))],
            ),
            other(),
            PartyRole::Authority,
        ),
        (
            "where rewards go",
            staking("distribution.v1beta1.MsgSetWithdrawAddress", &[part(2, other())]),
            other(),
            PartyRole::Recipient,
        ),
        (
            "an IBC hook",
            ibc(r#"{"wasm":{"contract":"osmo1hook","msg":{"x":{"to_address":"thief"}}}}"#),
            "thief".to_owned(),
            PartyRole::Destination,
        ),
        (
            "a hook behind a forward",
            ibc(
                r#"{"forward":{"receiver":"a","port":"transfer","channel":"channel-1","next":{"wasm":{"contract":"thief","msg":{}}}}}"#,
            ),
            "thief".to_owned(),
            PartyRole::Destination,
        ),
        ("a callback", ibc(r#"{"ibc_callback":"thief"}"#), "thief".to_owned(), PartyRole::Destination),
        (
            "a name that stands twice",
            ibc(
                r#"{"forward":{"receiver":"good","receiver":"thief","port":"transfer","channel":"channel-1"}}"#,
            ),
            "thief".to_owned(),
            PartyRole::Destination,
        ),
        (
            "a token that is sent to a contract with a message",
            execute(&format!(r#"{{"send":{{"contract":"pool","amount":"8","msg":"{hook}"}}}}"#)),
            "thief".to_owned(),
            PartyRole::Destination,
        ),
        (
            "the contract that gets the token",
            execute(r#"{"send":{"contract":"pool","amount":"8","msg":""}}"#),
            "pool".to_owned(),
            PartyRole::Recipient,
        ),
        (
            "a token's transfer to two",
            execute(r#"{"transfer":{"recipient":"r","amount":"8","recipient":"thief"}}"#),
            "thief".to_owned(),
            PartyRole::Destination,
        ),
        (
            "any other function",
            execute(r#"{"swap":{"to":"thief"}}"#),
            "thief".to_owned(),
            PartyRole::Destination,
        ),
    ];
    for (name, found, address, role) in cases {
        assert!(!weighed(&found), "{name}: {:?}", found.effects);
        let parties = found.every_party();
        assert!(parties.contains(&Party::new(address, role)), "{name}: {parties:?}");
    }
}

#[test]
fn forms_of_a_token_call_that_are_not_exact_are_calls() {
    for json in [
        r#"{"transfer":{"recipient":"r","amount":"8","memo":"x"}}"#,
        r#"{"transfer":{"Recipient":"r","amount":"8"}}"#,
        r#"{"transfer":{"recipient":"r","amount":"+8"}}"#,
        r#"{"increase_allowance":{"spender":"s","amount":"8","expires":{"at_height":"x"}}}"#,
        r#"{"increase_allowance":{"spender":"s","amount":"8","extra":1}}"#,
        r#"{"decrease_allowance":{"spender":"s","amount":"8"}}"#,
        r#"{"burn":{"amount":"8"}}"#,
    ] {
        assert!(!weighed(&execute(json)), "{json}");
    }
}

/// The target of a memo is a party with any recipient of the payment; only a node makes it a swap.
#[test]
fn targets_of_memos_are_parties() {
    for memo in ["=:BTC.BTC:thief/back:0:t:9", "SWAP:b:thief/back:0:t:9", "s:BTC.BTC:thief/back::t:9|x"] {
        let found = send(memo);
        assert!(weighed(&found), "{memo}");
        let party = |address: &str, role| Party::new(address, role);
        let expected = [
            party(&other(), PartyRole::Recipient),
            party("thief", PartyRole::Destination),
            party("back", PartyRole::Refund),
            party("t", PartyRole::FeePayee),
        ];
        assert_eq!(found.every_party(), expected, "{memo}");
    }
}

/// The fee's coins leave the account: in another denom their worth is not known.
#[test]
fn a_fee_in_another_denom_is_not_weighed() {
    let fee = |coins: Vec<u8>| Doc { fee: [coins, number(2, 1)].concat(), ..doc() }.read().unwrap().explain();
    assert!(weighed(&fee(part(1, proto_coin("uatom", "7500")))));
    assert!(!weighed(&fee(part(1, proto_coin("ibc/AB", "9")))));
    assert!(weighed(&fee(part(1, proto_coin("ibc/AB", "0")))));
    let in_kind = |paid: &str| {
        let sent = [part(1, own()), part(2, other()), part(3, proto_coin("ibc/AB", "2000"))].concat();
        let messages = vec![any("/cosmos.bank.v1beta1.MsgSend", sent)];
        let fee = [part(1, proto_coin("ibc/AB", paid)), number(2, 1)].concat();
        Doc { messages, fee, ..doc() }.read().unwrap().explain()
    };
    assert!(weighed(&in_kind("100")), "a small part of what is sent");
    assert!(!weighed(&in_kind("101")));
}

/// One coin and one message belong to a memo. With more, the network takes what it takes.
#[test]
fn a_memo_belongs_to_one_payment() {
    use crate::given::deposit;
    use countersign_chains::facts::Facts;
    let facts = [deposit("THORChain", "Cosmos", &other())];
    let coins = |list: &[&str]| list.iter().flat_map(|denom| part(3, proto_coin(denom, "5"))).collect();
    let send = |coins: Vec<u8>| {
        any("/cosmos.bank.v1beta1.MsgSend", [part(1, own()), part(2, other()), coins].concat())
    };
    let swaps = |messages: Vec<Vec<u8>>| {
        let doc = Doc { messages, body_end: part(2, "=:BTC.BTC:bc1"), ..doc() };
        let effects = raw(&doc.bytes(), Chain::Cosmos).unwrap().explain_with(Facts(&facts)).effects;
        effects.iter().filter(|effect| matches!(effect, Effect::Swap(_))).count()
    };
    assert_eq!(swaps(vec![send(coins(&["uatom"]))]), 1);
    assert_eq!(swaps(vec![send(coins(&["ibc/AB", "uatom"]))]), 0);
    assert_eq!(swaps(vec![send(coins(&["uatom"])), send(coins(&["uatom"]))]), 0);
}
