use super::super::message::{Header, Instruction, Lookup, Version};
use super::*;
use crate::Chain;
use crate::rpc::check::tests::{error, garbage, result, useless};
use crate::rpc::trial::Failure;
use crate::rpc::trial::tests::{less, more, says_nothing, token};
use crate::rpc::{self, Method};
use crate::signing::PublicKey;
use crate::transaction::{Role, Transaction};
use proptest::prelude::*;
use wire::trial::NoTrialReason;

const OWN: Key = [7; 32];
const WALLET: Key = [8; 32];
const OTHER: Key = [9; 32];
const MINT: Key = [10; 32];

/// Writes the payer and two token accounts; costs one signature.
fn transaction(lookups: Vec<Lookup>) -> Transaction {
    let account = Account { chain: Chain::Solana, key: PublicKey::Ed25519(OWN), address: base58(&OWN) };
    let data = vec![3, 5, 0, 0, 0, 0, 0, 0, 0];
    let envelope = Envelope::new(Message {
        version: Version::V0,
        header: Header { signers: 1, readonly_signers: 0, readonly_others: 1 },
        keys: vec![OWN, WALLET, OTHER, program::TOKEN],
        blockhash: [9; 32],
        instructions: vec![Instruction { program: 3, accounts: vec![1, 2, 0], data }],
        lookups,
    });
    Transaction::new(&account, Role::Main, envelope)
}

fn wallet(owner: Key, amount: u64) -> Value {
    let mut data = [MINT.as_slice(), &owner, &amount.to_le_bytes()].concat();
    data.resize(TOKEN_ACCOUNT, 0);
    json!({ "lamports": 2_039_280, "owner": base58(&program::TOKEN), "data": [encoding::base64(&data), "base64"],
        "executable": false, "rentEpoch": 0, "space": 165 })
}

fn coins(lamports: u64) -> Value {
    json!({ "lamports": lamports, "owner": base58(&program::SYSTEM), "data": ["", "base64"] })
}

fn valued(value: &Value) -> Response {
    result(&json!({ "context": { "slot": 7 }, "value": value }))
}

fn read(later: usize, before: &[Value], after: &[Value]) -> Trial {
    let mut transactions = vec![transaction(Vec::new())];
    transactions.extend((0..later).map(|_| transaction(Vec::new())));
    let after = json!({ "err": null, "logs": [], "accounts": after, "unitsConsumed": 150 });
    rpc::read_trial(&transactions, &[valued(&json!(before)), valued(&after)])
}

fn ran(changes: Vec<rpc::Change>) -> Trial {
    let fee = Some(Amount::from(5_000));
    Trial::Ran(Ran { changes, fee, failure: None, transactions: 1, gaps: Vec::new() })
}

fn mint() -> Asset {
    token(&base58(&MINT))
}

#[test]
fn the_written_accounts_are_asked_for_before_and_after() {
    let asked: Vec<Value> = rpc::trial(&[transaction(Vec::new()), transaction(Vec::new())])
        .into_iter()
        .map(|request| {
            let Method::Post(body) = request.method else { panic!("a POST") };
            serde_json::from_str(&body).unwrap()
        })
        .collect();
    let written = json!([base58(&OWN), base58(&WALLET), base58(&OTHER)]);
    assert_eq!((asked.len(), &asked[0]["method"]), (2, &json!("getMultipleAccounts")));
    assert_eq!(asked[0]["params"][0], written);
    assert_eq!(asked[1]["method"], "simulateTransaction");
    let options = &asked[1]["params"][1];
    assert_eq!((&options["sigVerify"], &options["replaceRecentBlockhash"]), (&json!(false), &json!(true)));
    assert_eq!(options["accounts"], json!({ "encoding": "base64", "addresses": written }));
}

/// The fee is told apart from what the account has less.
#[test]
fn balances_before_and_after() {
    let before = [coins(100_000), wallet(OWN, 50), wallet([1; 32], 3)];
    let after = [coins(95_000), wallet(OWN, 45), wallet([1; 32], 8)];
    assert_eq!(read(0, &before, &after), ran(vec![less(mint(), 5)]));
    let after = [coins(80_000), wallet(OWN, 45), wallet(OWN, 8)];
    assert_eq!(read(0, &before, &after), ran(vec![less(Asset::Native, 15_000), more(mint(), 3)]));
}

/// New accounts, closed ones, and one that is given to another owner.
#[test]
fn an_account_that_changes_hands_is_a_loss() {
    let before = [coins(100_000), Value::Null, Value::Null];
    let after = [coins(95_000), wallet(OWN, 5), Value::Null];
    assert_eq!(read(0, &before, &after), ran(vec![more(mint(), 5)]));
    let (held, gone) =
        ([coins(1), wallet(OWN, 50), Value::Null], [coins(1), wallet([1; 32], 50), Value::Null]);
    assert_eq!(read(0, &held, &gone), ran(vec![less(mint(), 50), more(Asset::Native, 5_000)]));
    let closed = [coins(1), Value::Null, Value::Null];
    assert_eq!(read(0, &held, &closed), ran(vec![less(mint(), 50), more(Asset::Native, 5_000)]));
}

#[test]
fn a_node_that_names_the_fee_is_believed() {
    let held = [coins(100_000), Value::Null, Value::Null];
    let after = json!({ "err": null, "fee": 7_000, "accounts": [coins(93_000), null, null] });
    let trial = rpc::read_trial(&[transaction(Vec::new())], &[valued(&json!(held)), valued(&after)]);
    let fee = Some(Amount::from(7_000));
    let nothing = Ran { changes: Vec::new(), fee, failure: None, transactions: 1, gaps: Vec::new() };
    assert_eq!(trial, Trial::Ran(nothing));
}

#[test]
fn what_is_not_run_and_not_seen_is_said() {
    let held = [coins(5_000), Value::Null, Value::Null];
    let after = [coins(0), Value::Null, Value::Null];
    let Trial::Ran(one) = read(1, &held, &after) else { panic!("it ran") };
    assert_eq!((one.transactions, one.gaps), (1, vec![TrialGap::LaterTransactions]));
    let lookups = vec![Lookup { table: [3; 32], writable: vec![0], readonly: Vec::new() }];
    let after = valued(&json!({ "err": null, "accounts": after }));
    let Trial::Ran(one) = rpc::read_trial(&[transaction(lookups)], &[valued(&json!(held)), after]) else {
        panic!("it ran")
    };
    assert_eq!(one.gaps, [TrialGap::TableAccounts]);
}

#[test]
fn a_failure_has_the_programs_words() {
    let logs = ["Program 1 invoke [1]", "Program 1 failed: custom program error: 0x1"];
    let failed =
        json!({ "err": { "InstructionError": [0, { "Custom": 1 }] }, "logs": logs, "accounts": null });
    let trial = rpc::read_trial(&[transaction(Vec::new())], &[valued(&json!([])), valued(&failed)]);
    let reason = "InstructionError, Program 1 failed: custom program error: 0x1".to_owned();
    let Trial::Ran(ran) = trial else { panic!("it ran") };
    assert_eq!((ran.changes, ran.failure), (vec![], Some(Failure { place: Some(0), reason })));
}

#[test]
fn an_answer_that_cannot_be_read_is_no_run() {
    let held = valued(&json!([coins(1), null, null]));
    let read =
        |before: Response, after: Response| rpc::read_trial(&[transaction(Vec::new())], &[before, after]);
    for answer in useless() {
        assert!(matches!(read(held.clone(), answer.clone()), Trial::NotRun(_)), "{answer:?}");
        assert!(matches!(read(answer.clone(), held.clone()), Trial::NotRun(_)), "{answer:?}");
    }
    let missing = error(-32_601, "Method not found");
    assert_eq!(read(held.clone(), missing), Trial::NotRun(NoTrialReason::NodeHasNone));
    for accounts in
        [json!([coins(1), null]), json!([coins(1), 5, null]), json!([{ "lamports": 1 }, null, null])]
    {
        let after = valued(&json!({ "err": null, "accounts": accounts }));
        assert_eq!(read(held.clone(), after), Trial::UNREADABLE);
    }
}

proptest! {
    #[test]
    fn garbage_says_nothing(answers in garbage()) {
        let trial = rpc::read_trial(&[transaction(Vec::new())], &answers);
        prop_assert!(says_nothing(&trial), "{trial:?}");
    }

    #[test]
    fn any_data_of_an_account_is_read_or_refused(data in prop::collection::vec(any::<u8>(), 0..200), lamports: u64) {
        let strange = json!({ "lamports": lamports, "owner": base58(&program::TOKEN_2022),
            "data": [encoding::base64(&data), "base64"] });
        let after = [strange.clone(), strange.clone(), strange];
        let trial = read(0, &[coins(1), Value::Null, Value::Null], &after);
        prop_assert!(matches!(trial, Trial::Ran(_)));
    }
}
