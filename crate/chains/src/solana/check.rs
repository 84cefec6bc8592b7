//! What a Solana node is asked before a transaction is signed: whether its blockhash is still taken
//! (`isBlockhashValid`), what the payer has, and, where nothing else goes out before, a trial run
//! (`simulateTransaction`, which needs no signature).
//!
//! What a nonce account stores is no block's hash and does not grow old; of that the trial run tells.

use super::{Envelope, Slots, base58, explain};
use crate::facts::Facts;
use crate::rpc::check::{Found, funds, simulation_failed, stale, unclear};
use crate::rpc::solana::{failure_name, passes};
use crate::rpc::{Request, Response};
use crate::transaction::Account;
use crate::{Amount, encoding};
use serde_json::{Value, json};
use wire::node::Finding;

impl Envelope {
    fn is_durable(&self) -> bool {
        explain::advances_nonce(&self.message)
    }
}

pub(super) fn ask(envelope: &Envelope, ahead: u32) -> Vec<Request> {
    let commitment = json!({ "commitment": "processed" });
    let mut requests = Vec::new();
    if !envelope.is_durable() {
        let blockhash = base58(&envelope.message.blockhash);
        requests.push(Request::json_rpc("isBlockhashValid", &json!([blockhash, commitment])));
    }
    let payer = envelope.message.payer().map(base58);
    requests.push(Request::json_rpc("getBalance", &json!([payer, commitment])));
    if ahead == 0 {
        let slots = Slots { signatures: envelope.signatures.clone(), message: envelope.message.clone() };
        let options = json!({ "encoding": "base64", "commitment": "processed", "sigVerify": false });
        let params = json!([encoding::base64(&slots.encode()), options]);
        requests.push(Request::json_rpc("simulateTransaction", &params));
    }
    requests
}

pub(super) fn read(envelope: &Envelope, account: &Account, ahead: u32, answers: &[Response]) -> Found {
    let mut answers = answers.iter();
    if !envelope.is_durable() {
        let answer = answers.next();
        match answer.and_then(value).and_then(|value| value.as_bool()) {
            Some(true) => {}
            Some(false) => {
                return Err(stale("Its blockhash is no longer taken: it is too old.".to_owned()));
            }
            None => return Err(unclear(answer)),
        }
    }
    let answer = answers.next();
    let balance = answer.and_then(value).and_then(|value| value.as_u64());
    if balance.is_none() && envelope.is_durable() {
        return Err(unclear(answer));
    }
    let fee = explain::explain(&envelope.message, account, Facts::default()).fee.known().unwrap_or_default();
    let poor = balance.and_then(|balance| funds(account, Amount::from(balance), fee));
    let failure = answers.next().filter(|_| ahead == 0).and_then(|answer| trial(envelope, answer));
    Ok([poor, failure].into_iter().flatten().collect())
}

/// `{ result: { context, value } }`.
fn value(answer: &Response) -> Option<Value> {
    answer.result()?.get_mut("value").map(Value::take)
}

fn trial(envelope: &Envelope, answer: &Response) -> Option<Finding> {
    let value = value(answer)?;
    let failure = value.get("err").filter(|err| err.is_string() || err.is_object())?;
    let name = failure_name(failure);
    // A used nonce is reported as a blockhash that is not found.
    if passes(&name) && !(name == "BlockhashNotFound" && envelope.is_durable()) {
        return None;
    }
    let last = value.get("logs").and_then(Value::as_array).and_then(|logs| logs.last()?.as_str());
    Some(simulation_failed(&match last {
        Some(line) => format!("{name}, {line}"),
        None if failure.is_string() => name,
        None => failure.to_string(),
    }))
}

#[cfg(test)]
mod tests {
    use super::super::message::{Header, Instruction, Message, Version};
    use super::super::program;
    use super::*;
    use crate::Chain;
    use crate::rpc::check::tests::{error, fine, garbage, refuses, result, useless, warned};
    use crate::rpc::{self, Method};
    use crate::signing::PublicKey;
    use crate::transaction::{Role, Transaction};
    use proptest::prelude::*;
    use wire::node::{Checked, FindingCode};

    /// A memo, which costs a signature and nothing else; behind an advanced nonce where it is durable.
    fn transaction(durable: bool) -> Transaction {
        let account =
            Account { chain: Chain::Solana, key: PublicKey::Ed25519([7; 32]), address: base58(&[7; 32]) };
        let call = |program, data: &[u8]| Instruction { program, accounts: Vec::new(), data: data.to_vec() };
        let mut instructions = vec![call(2, b"hi")];
        if durable {
            instructions.insert(0, call(1, &[4, 0, 0, 0]));
        }
        let envelope = Envelope::new(Message {
            version: Version::V0,
            header: Header { signers: 1, readonly_signers: 0, readonly_others: 2 },
            keys: vec![[7; 32], program::SYSTEM, program::MEMO],
            blockhash: [9; 32],
            instructions,
            lookups: Vec::new(),
        });
        Transaction::new(&account, Role::Main, envelope)
    }

    fn valued(value: &Value) -> Response {
        result(&json!({ "context": { "slot": 7 }, "value": value }))
    }

    fn read(durable: bool, ahead: u32, answers: &[Response]) -> Checked {
        rpc::read_check(&transaction(durable), ahead, answers)
    }

    /// With a valid blockhash and enough to pay.
    fn tried(trial: Response) -> Checked {
        read(false, 0, &[valued(&json!(true)), valued(&json!(5_000)), trial])
    }

    fn worked() -> Response {
        valued(&json!({ "err": null, "logs": [], "unitsConsumed": 150 }))
    }

    fn asked(durable: bool, ahead: u32) -> Vec<(String, Value)> {
        let read = |request: Request| {
            let Method::Post(body) = request.method else { panic!("a POST") };
            let mut body: Value = serde_json::from_str(&body).unwrap();
            (body["method"].as_str().unwrap().to_owned(), body["params"].take())
        };
        rpc::check(&transaction(durable), ahead).into_iter().map(read).collect()
    }

    #[test]
    fn a_node_is_asked_for_blockhash_balance_and_a_trial_run() {
        let asked = asked(false, 0);
        let processed = json!({ "commitment": "processed" });
        assert_eq!(asked[0], ("isBlockhashValid".to_owned(), json!([base58(&[9; 32]), processed])));
        assert_eq!(asked[1], ("getBalance".to_owned(), json!([base58(&[7; 32]), processed])));
        assert_eq!(asked[2].0, "simulateTransaction");
        let bytes = encoding::from_base64("params", asked[2].1[0].as_str().unwrap()).unwrap();
        assert!(bytes.starts_with(&[1, 0, 0]) && bytes.ends_with(b"\x02hi\0"), "one empty signature");
        let options = json!({ "encoding": "base64", "commitment": "processed", "sigVerify": false });
        assert_eq!(asked[2].1[1], options);
    }

    #[test]
    fn what_goes_out_before_and_what_a_nonce_account_stores() {
        let names = |asked: Vec<(String, Value)>| asked.into_iter().map(|(name, _)| name).collect::<Vec<_>>();
        assert_eq!(names(asked(false, 1)), ["isBlockhashValid", "getBalance"]);
        assert_eq!(names(asked(true, 0)), ["getBalance", "simulateTransaction"]);
        assert_eq!(read(false, 1, &[valued(&json!(true)), valued(&json!(5_000))]), fine());
        assert_eq!(read(true, 0, &[valued(&json!(5_000)), worked()]), fine());
    }

    #[test]
    fn nothing_to_say() {
        assert_eq!(tried(worked()), fine());
    }

    #[test]
    fn an_old_blockhash_is_stale() {
        let reason = "Its blockhash is no longer taken: it is too old.".to_owned();
        for ahead in [0, 1] {
            assert_eq!(read(false, ahead, &[valued(&json!(false))]), stale(reason.clone()));
        }
    }

    #[test]
    fn too_little_for_the_fee() {
        let answers = [valued(&json!(true)), valued(&json!(4_999)), worked()];
        let message = "The account has 0.000004999 SOL, and it takes up to 0.000005 SOL.";
        assert_eq!(read(false, 0, &answers), warned(FindingCode::InsufficientBalance, message));
    }

    #[test]
    fn a_failing_trial_run_has_the_programs_words() {
        let err = json!({ "InstructionError": [0, { "Custom": 1 }] });
        let logs = ["Program 1 invoke [1]", "Program 1 failed: custom program error: 0x1"];
        let message =
            "Run as a trial, it fails: InstructionError, Program 1 failed: custom program error: 0x1";
        let expected = warned(FindingCode::SimulationFailed, message);
        assert_eq!(tried(valued(&json!({ "err": err, "logs": logs }))), expected);
        let message = "Run as a trial, it fails: AccountNotFound";
        let expected = warned(FindingCode::SimulationFailed, message);
        assert_eq!(tried(valued(&json!({ "err": "AccountNotFound", "logs": [] }))), expected);
        let message = r#"Run as a trial, it fails: {"InstructionError":[0,{"Custom":1}]}"#;
        let expected = warned(FindingCode::SimulationFailed, message);
        assert_eq!(tried(valued(&json!({ "err": err, "logs": null }))), expected);
    }

    #[test]
    fn unknown_blockhash_matters_only_to_nonce_accounts() {
        let missing = || valued(&json!({ "err": "BlockhashNotFound", "logs": [] }));
        assert_eq!(tried(missing()), fine());
        let expected = warned(FindingCode::SimulationFailed, "Run as a trial, it fails: BlockhashNotFound");
        assert_eq!(read(true, 0, &[valued(&json!(5_000)), missing()]), expected);
    }

    #[test]
    fn no_trial_run_no_warning() {
        for answer in useless().into_iter().chain([error(-32_601, "Method not found")]) {
            assert_eq!(tried(answer), fine());
        }
    }

    #[test]
    fn without_the_blockhash_it_is_unclear() {
        for answer in useless() {
            for durable in [false, true] {
                let answers = [answer.clone(), worked(), worked()];
                assert!(matches!(read(durable, 0, &answers), Checked::Unclear { .. }), "{answer:?}");
            }
        }
        assert!(matches!(read(false, 0, &[]), Checked::Unclear { .. }));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), durable in any::<bool>(), ahead in 0_u32..3) {
            let checked = read(durable, ahead, &answers);
            prop_assert!(!refuses(&checked), "{checked:?}");
        }
    }
}
