//! Cosmos chains, THORChain and MayaChain: memos and messages that pay or empower others.

use super::{Hostile, caught};
use chains::Chain::{Bitcoin, Cosmos, Ethereum, Kujira, Osmosis, Terra, TerraClassic, ThorChain};
use chains::encoding::base64;
use chains::token;
use countersign_tests::proposals::cosmos::{
    TO_OSMOSIS, any, coin, execute, number, own_message, part, send, step, step_with_fee, transfer,
};
use countersign_tests::proposals::nodes::{networks, vault};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment, stranger};
use serde_json::{Value, json};
use wire::keysign::ThorChainSpecific;
use wire::keysign::keysign_payload::BlockchainSpecific;

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [over_ibc(), contracts(), powers(), payments(), deposits()].into_iter().flatten().collect()
}

/// A step on the Hub with one message.
fn one(message: Vec<u8>) -> Value {
    step(Cosmos, "uatom", &[message], "")
}

fn forward(receiver: &str, next: &Value) -> Value {
    json!({"forward": {"receiver": receiver, "port": "transfer", "channel": "channel-259", "next": next}})
}

fn over_ibc() -> Vec<Hostile> {
    let (me, mallory) = (own(Osmosis), stranger(Kujira));
    let sent = |name, memo: &str, code| caught(name, one(transfer(TO_OSMOSIS, &me, memo)), code);
    let hook = json!({"wasm": {"contract": stranger(Osmosis), "msg": {"swap": {"to_address": mallory}}}});
    let nested = forward(&own(Kujira), &Value::from(forward(&mallory, &Value::Null).to_string()));
    let twice = format!(
        r#"{{"forward":{{"receiver":"{}","receiver":"{mallory}","port":"transfer","channel":"channel-1"}}}}"#,
        own(Kujira)
    );
    let mut elsewhere = forward(&own(Kujira), &Value::Null);
    elsewhere["forward"]["channel"] = json!("channel-9141");
    let callback = json!({"dest_callback": {"address": mallory}});
    vec![
        caught(
            "to a stranger on another chain",
            one(transfer(TO_OSMOSIS, &stranger(Osmosis), "")),
            "first_time_recipient",
        ),
        caught(
            "to oneself, over a channel to a chain that anyone may have made",
            one(transfer("channel-9141", &me, "")),
            "unweighed_effect",
        ),
        sent("forwarded over such a channel", &elsewhere.to_string(), "unweighed_effect"),
        sent("forwarded to a stranger", &forward(&mallory, &Value::Null).to_string(), "first_time_recipient"),
        sent("forwarded twice, in a text within", &nested.to_string(), "first_time_recipient"),
        sent("a hook of a contract", &hook.to_string(), "unweighed_effect"),
        sent("a receiver that stands twice", &twice, "first_time_recipient"),
        sent("a callback", &callback.to_string(), "unweighed_effect"),
    ]
}

fn contracts() -> Vec<Hostile> {
    let (bob, mallory) = (friend(Terra), stranger(Terra));
    let astro = token::known(Terra, "ASTRO").expect("is well known").contract;
    let run = |name, contract: &str, message: &str, funds: &[(&str, &str)], code| {
        let step = step(Terra, "uluna", &[execute(Terra, contract, message, funds)], "");
        (Proposal::new(name, vec![step]).knowing(Terra, &bob), code)
    };
    let inner = base64(json!({"swap": {"to": mallory}}).to_string().as_bytes());
    let sent = json!({"send": {"contract": bob, "amount": "5000000", "msg": inner}});
    let allowed =
        |amount: &str| json!({"increase_allowance": {"spender": mallory, "amount": amount}}).to_string();
    let paid = json!({"transfer": {"recipient": bob, "amount": "5000000"}}).to_string();
    let twice = format!(r#"{{"transfer":{{"recipient":"{bob}","amount":"5","recipient":"{mallory}"}}}}"#);
    vec![
        run("a token sent with a message", astro, &sent.to_string(), &[], "unweighed_effect"),
        run("an allowance for a stranger", astro, &allowed("5000000"), &[], "unknown_spender"),
        run("an allowance without end", astro, &allowed(&u128::MAX.to_string()), &[], "unlimited_approval"),
        run("a contract that calls itself a token", &mallory, &paid, &[], "unknown_token"),
        run("a token's recipient that stands twice", astro, &twice, &[], "unknown_calldata"),
        run(
            "coins for any contract",
            &mallory,
            r#"{"deposit":{}}"#,
            &[("uluna", "90000000")],
            "unweighed_effect",
        ),
        run("a message that is no JSON", &mallory, "{", &[("uluna", "1")], "unknown_calldata"),
    ]
}

/// Messages after which another may act, or gets what comes later.
fn powers() -> Vec<Hostile> {
    let mallory = stranger(Cosmos);
    let grantee = part(2, &mallory);
    let message = |name: &str, rest: &[Vec<u8>]| one(own_message(Cosmos, name, rest));
    let everything =
        any("/cosmos.authz.v1beta1.GenericAuthorization", part(1, "/cosmos.bank.v1beta1.MsgSend"));
    let allowance = any("/cosmos.feegrant.v1beta1.BasicAllowance", []);
    let inner = send(Cosmos, &mallory, "uatom", "5000000");
    let update = [part(1, own(Cosmos)), part(2, "cosmosvaloper1x")].concat();
    vec![
        caught(
            "a stranger may send in one's name",
            message("authz.v1beta1.MsgGrant", &[grantee.clone(), part(3, part(1, everything))]),
            "first_time_recipient",
        ),
        caught(
            "a stranger's fees are paid",
            message("feegrant.v1beta1.MsgGrantAllowance", &[grantee.clone(), part(3, allowance)]),
            "first_time_recipient",
        ),
        caught("MsgExec", message("authz.v1beta1.MsgExec", &[part(2, inner)]), "unknown_calldata"),
        caught(
            "rewards go to a stranger from now on",
            message("distribution.v1beta1.MsgSetWithdrawAddress", &[grantee]),
            "first_time_recipient",
        ),
        caught(
            "a message of a type that is not known",
            one(any("/cosmos.staking.v1beta1.MsgTokenizeShares", update)),
            "unknown_calldata",
        ),
    ]
}

fn payments() -> Vec<Hostile> {
    let (bob, mallory) = (friend(Cosmos), stranger(Cosmos));
    let known = |name, step, code| (Proposal::new(name, vec![step]).knowing(Cosmos, &bob), code);
    let paid = || send(Cosmos, &bob, "uatom", "1000");
    let two = [paid(), send(Cosmos, &mallory, "uatom", "90000000")];
    let fee = |denom: &str, amount: &str| {
        step_with_fee(Cosmos, &[part(1, coin(denom, amount)), number(2, 200_000)], &[paid()], "")
    };
    let lie = claiming(one(send(Cosmos, &bob, "uatom", "90000000")), json!({"amount_human": "9 ATOM"}));
    let (mine, theirs) = (own(Ethereum), stranger(Ethereum));
    let swap = |name, memo: String, code| {
        let mut paid = payment(Cosmos, &vault(Cosmos));
        paid.memo = Some(memo);
        (Proposal::new(name, vec![payload(&paid)]).nodes(networks), code)
    };
    let halved = step_with_fee(
        TerraClassic,
        &[part(1, coin("uusd", "45000000")), number(2, 200_000)],
        &[send(TerraClassic, &friend(TerraClassic), "uusd", "90000000")],
        "",
    );
    let stated = "ibc/F663521BF1836B00F5F177680F74BFB9A8B5654A694D0D2BC249E03CF2509013";
    vec![
        known("a second message behind the first", step(Cosmos, "uatom", &two, ""), "first_time_recipient"),
        known("a fee of nine hundred ATOM", fee("uatom", "900000000"), "high_fee"),
        known("a fee in another coin", fee(stated, "900000000"), "unweighed_effect"),
        (
            Proposal::new("a fee of half of what is sent", vec![halved])
                .knowing(TerraClassic, friend(TerraClassic)),
            "unweighed_effect",
        ),
        known("ninety for nine", lie, "contradiction"),
        swap("a swap for a stranger", format!("=:ETH.ETH:{theirs}:31000000"), "first_time_recipient"),
        swap(
            "a swap refunded to a stranger",
            format!("=:e:{mine}/{theirs}:31000000"),
            "first_time_recipient",
        ),
        swap(
            "a swap sold once more by a contract",
            format!("=:e:{mine}:31000000:t:0:{theirs}:{theirs}:1"),
            "first_time_recipient",
        ),
        known(
            "a memo for a network that does not take deposits there",
            step(Cosmos, "uatom", &[paid()], &format!("=:BTC.BTC:{}:1", stranger(Bitcoin))),
            "first_time_recipient",
        ),
    ]
}

/// Something for THORChain itself.
fn deposits() -> Vec<Hostile> {
    let deposit = |name, memo: String, code| {
        let mut paid = payment(ThorChain, "");
        paid.to_amount = "500000000".to_owned();
        paid.memo = Some(memo);
        paid.blockchain_specific = Some(BlockchainSpecific::ThorchainSpecific(ThorChainSpecific {
            account_number: 1,
            sequence: 5,
            fee: 2_000_000,
            is_deposit: true,
            ..ThorChainSpecific::default()
        }));
        caught(name, payload(&paid), code)
    };
    let (me, mallory) = (own(Bitcoin), stranger(ThorChain));
    vec![
        deposit(
            "RUNE for a stranger's bitcoin",
            format!("=:BTC.BTC:{}:1500", stranger(Bitcoin)),
            "first_time_recipient",
        ),
        deposit(
            "RUNE with a fee for a stranger",
            format!("=:BTC.BTC:{me}:1500:{mallory}:500"),
            "first_time_recipient",
        ),
        deposit("RUNE bonded to a stranger's node", format!("BOND:{mallory}"), "unweighed_effect"),
        deposit("RUNE with a memo that says nothing", "hello".to_owned(), "unweighed_effect"),
        deposit("RUNE given to a pool", "DONATE:BTC.BTC".to_owned(), "unweighed_effect"),
        deposit("RUNE for a contract", format!("x:{mallory}:e30="), "unweighed_effect"),
        deposit(
            "a name for a stranger",
            format!("~:bob:BTC:{}:{mallory}", stranger(Bitcoin)),
            "unweighed_effect",
        ),
    ]
}
