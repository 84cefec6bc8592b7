//! Records that are read field by field: what is written is read again, and what is missing is named.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests")]

use countersign_wire as wire;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, from_value, json, to_value};
use std::fmt::Debug;
use wire::action::ActionResult;
use wire::address_book::AddedBy;
use wire::api::{Call, CallState, Conversation, Message, Source};
use wire::bundle::{Bundle, Contradiction, Decoded, Step, TxDetails};
use wire::evm::{ChooseFee, FeeChoice, FeeOption, OwnFee};
use wire::explain::{Asset, Claim, Effect, Explanation, NamedText, Party, Quantity};
use wire::node::{Broadcast, Checked, Finding, NodeRequest, NodeResult, SignedBytes, Status};
use wire::policy::{Limit, ListedAddress, Policy, Reason, ToolDecision, ToolRule, Verdict, Who};
use wire::prompt::{Prompt, Question};
use wire::run::{StepProgress, TransactionProgress};
use wire::trial::{BalanceChange, TrialFailure, TrialOutcome, TrialRun};
use wire::vault::{ChainPublicKey, PublicKeys, Vault, VaultAccount};

/// A record with every field set, and the names of those that may be absent.
fn whole<T: Serialize + DeserializeOwned>(record: Value, optional: &[&str]) {
    let fields = record.as_object().unwrap();
    let read: T = from_value(record.clone()).unwrap_or_else(|error| panic!("{record}: {error}"));
    assert_eq!(to_value(&read).unwrap(), record, "written as it was read");
    let again: T = serde_json::from_str(&record.to_string()).unwrap();
    assert_eq!(to_value(&again).unwrap(), record, "read from text");

    for name in fields.keys() {
        let mut without = fields.clone();
        without.remove(name);
        match from_value::<T>(Value::Object(without)) {
            Ok(_) => assert!(optional.contains(&name.as_str()), "{name} must be there: {record}"),
            Err(error) => {
                assert!(!optional.contains(&name.as_str()), "{name} may be absent: {record}");
                assert_eq!(error.to_string(), format!("missing field `{name}`"));
            }
        }
        let mut wrong = fields.clone();
        wrong.insert(name.clone(), json!(-1.5));
        if !["data", "params"].contains(&name.as_str()) {
            let error = from_value::<T>(Value::Object(wrong)).err().map(|error| error.to_string());
            assert_eq!(error, Some(format!("invalid value of field `{name}`")), "{record}");
        }
    }
}

/// Unknown fields are refused in rules, and ignored elsewhere.
fn more<T: DeserializeOwned + Debug>(mut record: Value, refused: bool) {
    record.as_object_mut().unwrap().insert("later".to_owned(), json!({}));
    let error = from_value::<T>(record).err().map(|error| error.to_string());
    assert_eq!(error, refused.then(|| "unknown field `later`".to_owned()));
}

fn quantity() -> Value {
    json!({"units": "15", "shown": "1.5 ETH"})
}

fn token() -> Value {
    json!({"kind": "token", "id": "0xa0b8", "ticker": "USDC", "source": "table", "contract": "known",
        "agentTicker": "USDC"})
}

fn effects() -> [Value; 12] {
    let argument = json!({"name": "to", "value": "0x01"});
    [
        json!({"kind": "transfer", "asset": token(), "to": "a", "amount": quantity()}),
        json!({"kind": "transfer_from", "asset": token(), "from": "a", "to": "b", "amount": quantity()}),
        json!({"kind": "change", "to": "a", "amount": quantity()}),
        json!({"kind": "approve", "asset": token(), "spender": "a", "amount": quantity(), "unlimited": true}),
        json!({"kind": "approve_all", "collection": "a", "operator": "b", "approved": false}),
        json!({"kind": "swap", "provider": "p", "router": "r", "sell": token(), "amount": quantity(), "buy": "b",
            "bought": token(), "minimumOut": "7", "minimumShown": "7 USDC", "recipient": "a"}),
        json!({"kind": "call", "contract": "c", "value": quantity(), "signature": "f()", "arguments": [argument]}),
        json!({"kind": "unknown_call", "contract": "c", "value": quantity(), "selector": "a9059cbb", "bytes": 68}),
        json!({"kind": "create", "value": quantity(), "bytes": 4_294_967_295_u32}),
        json!({"kind": "note", "name": "n", "fields": [argument]}),
        json!({"kind": "other", "name": "n", "fields": [argument]}),
        json!({"kind": "unknown", "what": "w", "bytes": 0}),
    ]
}

fn party() -> Value {
    json!({"address": "a", "role": "recipient", "name": "n", "standing": {"kind": "contact", "title": "t"}})
}

fn explanation() -> Value {
    json!({"chain": "Ethereum", "from": "a", "target": "t", "effects": effects(), "parties": [party()], "memo": "m",
        "fee": quantity(), "feeUnknown": true, "gasLimit": "21000", "nonce": "3"})
}

#[test]
fn explanations() {
    whole::<Quantity>(quantity(), &[]);
    whole::<NamedText>(json!({"name": "n", "value": "v"}), &[]);
    whole::<Asset>(json!({"kind": "native", "ticker": "ETH"}), &[]);
    whole::<Asset>(token(), &["ticker", "source", "contract", "agentTicker"]);
    whole::<Asset>(json!({"kind": "item", "collection": "c", "id": "7"}), &[]);
    for effect in effects() {
        more::<Effect>(effect.clone(), false);
        let optional = ["provider", "buy", "bought", "minimumOut", "minimumShown", "recipient", "selector"];
        whole::<Effect>(effect, &optional);
    }
    let optional = ["target", "parties", "memo", "fee", "feeUnknown", "gasLimit", "nonce"];
    whole::<Explanation>(explanation(), &optional);
    whole::<Party>(party(), &["name", "standing"]);
    whole::<Claim>(json!({"about": "swap provider", "text": "NEAR"}), &[]);
}

fn reason() -> Value {
    json!({"code": "high_fee", "severity": "warn", "message": "m", "sequence": 1})
}

fn verdicts() -> [Value; 3] {
    [
        json!({"name": "allow"}),
        json!({"name": "ask", "reasons": [reason()]}),
        json!({"name": "block", "reasons": [reason()]}),
    ]
}

fn sources() -> [Value; 3] {
    [
        json!({"kind": "agent", "conversationId": "c"}),
        json!({"kind": "user"}),
        json!({"kind": "dapp", "origin": "https://app.example"}),
    ]
}

/// A run, and none.
fn trials() -> [Value; 2] {
    let change = json!({"asset": token(), "direction": "less", "amount": quantity()});
    let failure = json!({"sequence": 2, "reason": "LOCKED"});
    [
        json!({"chain": "Ethereum", "outcome": {"kind": "ran", "changes": [change], "fee": quantity(),
            "failure": failure, "transactions": 2, "gaps": ["later_transactions"]}}),
        json!({"chain": "Base", "outcome": {"kind": "not_run", "reason": "node_has_none"}}),
    ]
}

#[test]
fn trial_runs() {
    let [ran, none] = trials();
    whole::<TrialRun>(ran.clone(), &[]);
    whole::<TrialOutcome>(ran["outcome"].clone(), &["fee", "failure"]);
    whole::<TrialOutcome>(none["outcome"].clone(), &[]);
    whole::<BalanceChange>(ran["outcome"]["changes"][0].clone(), &[]);
    whole::<TrialFailure>(ran["outcome"]["failure"].clone(), &["sequence"]);
}

fn fee_choice() -> Value {
    let price = json!({"kind": "dynamic", "maxFee": "30", "priorityFee": "2"});
    let option =
        |speed: &str| json!({"speed": speed, "price": price, "atMost": quantity(), "likely": quantity()});
    json!({"chosen": "normal", "now": option("normal"), "options": [option("slow"), option("normal"), option("fast")],
        "gasLimit": 21000, "transactions": 1})
}

#[test]
fn fees() {
    let choice = fee_choice();
    whole::<FeeOption>(choice["now"].clone(), &[]);
    whole::<FeeChoice>(choice, &[]);
    whole::<ChooseFee>(json!({"speed": "fast"}), &["speed"]);
    let own = json!({"maxFeePerGas": "30", "maxPriorityFeePerGas": "2", "gasLimit": "21000"});
    whole::<OwnFee>(own.clone(), &["maxPriorityFeePerGas", "gasLimit"]);
    more::<OwnFee>(own.clone(), true);
    more::<ChooseFee>(json!({ "own": own }), true);
}

#[test]
fn bundles() {
    let details = json!({"description": "d", "from": "f", "to": "t", "value": "v", "tokenSymbol": "s",
        "amountHuman": "a", "contractName": "c", "gasLimit": "g"});
    let names: Vec<&str> = details.as_object().unwrap().keys().map(String::as_str).collect();
    whole::<TxDetails>(details.clone(), &names);
    let contradiction = json!({"field": "to", "claimed": "a", "actual": "b"});
    whole::<Contradiction>(contradiction.clone(), &[]);
    let claim = json!({"about": "a", "text": "t"});
    let decoded = json!({"role": "swap", "explanation": explanation(), "claims": [claim], "contradictions": [contradiction],
        "unverified": ["to"], "digest": "00",
        "addresses": [{"text": "a", "spellings": [{"chain": "Ethereum", "address": "0xA"}]}]});
    whole::<Decoded>(decoded.clone(), &["addresses", "claims"]);
    let step = json!({"id": "s", "sequence": 1, "chain": "Ethereum", "action": "a", "details": details,
        "transactions": [decoded], "findings": [{"code": "gapped", "message": "m"}], "waitForReceipt": true, "receiptTimeoutSeconds": 60});
    whole::<Step>(step.clone(), &["findings", "receiptTimeoutSeconds"]);
    for (verdict, source) in verdicts().into_iter().zip(sources()) {
        let bundle = json!({"id": "b", "label": "l", "vaultId": "v", "vaultName": "n", "source": source,
            "steps": [step], "trial": trials(), "digest": "00", "shown": "01", "verdict": verdict, "skippedApproval": false,
            "forPage": true, "createdAt": 7, "fees": fee_choice()});
        more::<Bundle>(bundle.clone(), false);
        whole::<Bundle>(bundle, &["label", "trial", "shown", "forPage", "fees"]);
    }
}

#[test]
fn calls() {
    let result =
        json!({"action": "a", "action_id": "1", "success": false, "data": {"x": [1, null]}, "error": "e"});
    whole::<ActionResult>(result.clone(), &["data", "error"]);
    let states = [
        json!({"name": "received"}),
        json!({"name": "waiting", "promptId": "p"}),
        json!({"name": "approved"}),
        json!({"name": "done", "result": result, "at": 1_700_000_000_000_u64}),
    ];
    for source in sources() {
        whole::<Source>(source, &[]);
    }
    for state in states {
        whole::<CallState>(state.clone(), &[]);
        let call = json!({"id": "c", "actionId": "1", "type": "t", "tool": "t", "title": "T", "description": "D",
            "legacy": false, "problem": "p", "params": {"a": {"b": 1.5}}, "autoExecute": true,
            "source": {"kind": "user"}, "lane": "l", "state": state, "receivedAt": 7, "delivery": "pending"});
        whole::<Call>(call, &["tool", "description", "problem", "autoExecute"]);
    }
    whole::<AddedBy>(json!({"kind": "user"}), &[]);
    whole::<AddedBy>(json!({"kind": "agent"}), &[]);
    whole::<AddedBy>(json!({"kind": "dapp", "origin": "https://app.example"}), &[]);
}

#[test]
fn nodes() {
    let finding = json!({"code": "simulation_failed", "message": "It fails."});
    whole::<Finding>(finding.clone(), &[]);
    whole::<SignedBytes>(json!({"bytes": "02", "detached": "03", "id": "0xab"}), &["detached"]);
    whole::<NodeRequest>(json!({"path": "/x", "body": "{}"}), &["body"]);
    let reason = |name: &str| json!({"name": name, "reason": "r"});
    for broadcast in [json!({"name": "accepted"}), reason("rejected"), reason("ambiguous")] {
        whole::<Broadcast>(broadcast.clone(), &[]);
        assert!(from_value::<NodeResult>(json!({ "broadcast": broadcast })).is_ok());
    }
    whole::<Status>(json!({"name": "confirmed", "block": 7}), &["block"]);
    for status in
        [json!({"name": "pending"}), json!({"name": "not_found"}), reason("failed"), reason("unclear")]
    {
        whole::<Status>(status.clone(), &[]);
        assert!(from_value::<NodeResult>(json!({ "status": status })).is_ok());
    }
    let sendable = json!({"name": "sendable", "findings": [finding]});
    for checked in [sendable, reason("stale"), reason("wrong_network"), reason("unclear")] {
        whole::<Checked>(checked.clone(), &[]);
        assert!(from_value::<NodeResult>(json!({ "checked": checked })).is_ok());
    }
}

#[test]
fn runs() {
    let times = ["signedAt", "sentAt", "deadline", "settledAt"];
    let transaction = json!({
        "role": "swap", "status": "timeout", "txHash": "0xab", "explorerUrl": "u", "signedAt": 1, "sentAt": 2,
        "deadline": 3, "settledAt": 4, "late": false
    });
    whole::<TransactionProgress>(transaction.clone(), &[&times[..], &["txHash", "explorerUrl"]].concat());
    let step = json!({
        "sequence": 1, "status": "failed", "txHash": "0xab", "error": "x: y", "transactions": [transaction]
    });
    whole::<StepProgress>(step, &["txHash", "error"]);
}

#[test]
fn conversations() {
    whole::<Conversation>(json!({"id": "c", "title": "t", "createdAt": 7}), &[]);
    let message = json!({"id": "m", "conversationId": "c", "role": "agent", "content": "x", "state": "streaming",
        "error": "e", "createdAt": 7});
    whole::<Message>(message, &["error"]);
}

#[test]
fn prompts() {
    let questions = [
        json!({"kind": "tx_bundle_approval", "callId": "c"}),
        json!({"kind": "password_required", "callId": "c", "vaultId": "v", "vaultName": "n", "why": "sign"}),
        json!({"kind": "confirmation_required", "callId": "c"}),
        json!({"kind": "message_approval", "callId": "c"}),
        json!({"kind": "connect_dapp", "origin": "https://app.example", "chains": ["Ethereum"]}),
    ];
    for question in questions {
        whole::<Question>(question.clone(), &["chains"]);
        let mut prompt = json!({"id": "p", "title": "t", "reasons": [reason()], "digest": "00", "createdAt": 7,
            "expiresAt": 8, "outcome": "expired"});
        prompt.as_object_mut().unwrap().extend(question.as_object().unwrap().clone());
        whole::<Prompt>(prompt, &["outcome", "chains"]);
    }
}

fn rules() -> (Value, Value, Value) {
    let limit = json!({"id": "l", "who": {"kind": "dapp", "origin": "https://app.example"}, "chain": "Ethereum",
        "token": "0xa0b8", "perTransaction": "1", "perDay": "2"});
    let rule = json!({"tool": "t", "who": {"kind": "agent"},
        "decision": {"kind": "allow", "perDay": 3, "until": 7}});
    let listed = json!({"chain": "Ethereum", "address": "a"});
    (limit, rule, listed)
}

#[test]
fn policies() {
    whole::<Reason>(reason(), &["sequence"]);
    for verdict in verdicts() {
        whole::<Verdict>(verdict, &[]);
    }
    let (limit, rule, listed) = rules();
    let policy = json!({"killSwitch": true, "limits": [limit], "recipients": [listed], "contracts": [listed],
        "tools": [rule]});
    whole::<Policy>(policy.clone(), &["killSwitch", "limits", "recipients", "contracts", "tools"]);
    whole::<Limit>(limit.clone(), &["token", "perTransaction", "perDay"]);
    whole::<ToolRule>(rule.clone(), &[]);
    whole::<ListedAddress>(listed.clone(), &[]);
    whole::<ToolDecision>(json!({"kind": "allow", "perDay": 3, "until": 7}), &["until"]);
    whole::<ToolDecision>(json!({"kind": "deny"}), &[]);
    for who in [json!({"kind": "anybody"}), json!({"kind": "agent"}), json!({"kind": "dapp", "origin": "o"})]
    {
        whole::<Who>(who.clone(), &[]);
        more::<Who>(who, true);
    }
    more::<Policy>(policy, true);
    more::<Limit>(limit, true);
    more::<ToolRule>(rule, true);
    more::<ListedAddress>(listed, true);
    more::<ToolDecision>(json!({"kind": "deny"}), true);
    more::<Reason>(reason(), false);
    assert!(from_value::<Policy>(json!({"limits": null})).is_err(), "absent is not null");
}

#[test]
fn vaults() {
    let chain_key = json!({"chain": "Solana", "publicKey": "00"});
    let account = json!({"chain": "Solana", "publicKey": "00", "address": "a"});
    let keys = json!({"publicKeyEcdsa": "02", "publicKeyEddsa": "00", "hexChainCode": "11",
        "chainPublicKeys": [chain_key]});
    whole::<ChainPublicKey>(chain_key, &[]);
    whole::<VaultAccount>(account.clone(), &[]);
    whole::<PublicKeys>(keys.clone(), &["chainPublicKeys"]);
    let mut vault =
        json!({"name": "n", "kind": "local", "accounts": [account], "sealed": "s", "createdAt": 7});
    vault.as_object_mut().unwrap().extend(keys.as_object().unwrap().clone());
    whole::<Vault>(vault, &["chainPublicKeys", "sealed"]);
}

#[test]
fn names_that_nobody_gave() {
    let unknown = |name: &str| Err::<(), _>(format!("invalid value of field `{name}`"));
    let told = |error: serde_json::Error| error.to_string();
    assert_eq!(from_value::<Effect>(json!({"kind": "burn"})).map(drop).map_err(told), unknown("kind"));
    assert_eq!(from_value::<CallState>(json!({"name": "lost"})).map(drop).map_err(told), unknown("name"));
    let mut reason = reason();
    reason.as_object_mut().unwrap().insert("code".to_owned(), json!("boredom"));
    assert_eq!(from_value::<Reason>(reason).map(drop).map_err(told), unknown("code"));
}

fn any_json() -> impl Strategy<Value = Value> {
    let name =
        prop::sample::select(vec!["kind", "name", "limits", "tools", "who", "asset", "effects", "id", "x"]);
    let text = prop::sample::select(vec!["allow", "dapp", "transfer", "swap", "done", "ask", "x"]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 5, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::btree_map(name.clone(), inner, 0..6).prop_map(|fields| {
                Value::Object(
                    fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>(),
                )
            }),
        ]
    })
}

proptest! {
    /// Any JSON is a record or a refusal, never a panic; and a record round-trips.
    #[test]
    fn any_json_is_a_record_or_refused(value in any_json()) {
        again::<Policy>(&value)?;
        again::<Effect>(&value)?;
        again::<CallState>(&value)?;
        again::<Verdict>(&value)?;
        again::<ToolDecision>(&value)?;
    }
}

fn again<T: Serialize + DeserializeOwned + PartialEq + Debug>(value: &Value) -> Result<(), TestCaseError> {
    if let Ok(record) = from_value::<T>(value.clone()) {
        let text = serde_json::to_string(&record).unwrap();
        prop_assert_eq!(serde_json::from_str::<T>(&text).unwrap(), record);
    }
    Ok(())
}
