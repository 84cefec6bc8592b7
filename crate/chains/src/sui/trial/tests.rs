use super::super::Programmable;
use super::super::data::{Expiration, Gas, ObjectRef};
use super::*;
use crate::Chain;
use crate::rpc::check::tests::{garbage, json_answer, useless};
use crate::rpc::trial::Failure;
use crate::rpc::trial::tests::{less, more, says_nothing, token};
use crate::rpc::{self, Method};
use crate::signing::PublicKey;
use crate::transaction::{Account, Role, Transaction};
use proptest::prelude::*;

const OWNER: [u8; 32] = [0xaa; 32];
const USDC: &str = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC";

fn transaction() -> Transaction {
    let account = Account { chain: Chain::Sui, key: PublicKey::Ed25519([7; 32]), address: full(&OWNER) };
    let payment = vec![ObjectRef { id: [1; 32], version: 5, digest: [1; 32] }];
    let gas = Gas { payment, owner: OWNER, price: 500, budget: 3_000_000 };
    let expiration = Expiration::None;
    let data = TransactionData { inputs: Vec::new(), commands: Vec::new(), sender: OWNER, gas, expiration };
    Transaction::new(&account, Role::Main, Programmable(data))
}

fn change(owner: &str, coin_type: &str, amount: &str) -> Value {
    json!({ "owner": { "address": owner }, "coinType": { "repr": coin_type }, "amount": amount })
}

fn effects(
    status: &str,
    changes: &[Value],
    [computation, storage, rebate]: [u64; 3],
    more: bool,
) -> Response {
    let summary = json!({ "computationCost": computation, "storageCost": storage, "storageRebate": rebate });
    let effects = json!({ "status": status, "executionError": null, "gasEffects": { "gasSummary": summary },
        "balanceChanges": { "pageInfo": { "hasNextPage": more }, "nodes": changes } });
    json_answer(&json!({ "data": { "simulateTransaction": { "effects": effects } } }))
}

fn read(answer: Response) -> Trial {
    rpc::read_trial(&[transaction()], &[answer])
}

fn ran(changes: Vec<rpc::Change>, fee: u64) -> Trial {
    let fee = Some(Amount::from(fee));
    Trial::Ran(Ran { changes, fee, failure: None, transactions: 1, gaps: Vec::new() })
}

fn sui() -> String {
    format!("0x{:064x}::sui::SUI", 2)
}

#[test]
fn the_signed_bytes_are_run() {
    let requests = rpc::trial(&[transaction()]);
    let [Request { method: Method::Post(body), path }] = requests.as_slice() else { panic!("one POST") };
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(path, "/graphql");
    assert!(body["query"].as_str().unwrap().contains("simulateTransaction(transaction:$transaction)"));
    let bytes = body["variables"]["transaction"]["bcs"]["value"].as_str().unwrap();
    let bytes = encoding::from_base64("bcs", bytes).unwrap();
    assert!(TransactionData::decode("bcs", &bytes).is_ok());
}

/// The sender's SUI changes by the gas too; what others have is not the vault's.
#[test]
fn balances_change_by_coin_type() {
    let own = full(&OWNER);
    let others = change(&full(&[1; 32]), USDC, "500");
    let changes =
        [change(&own, USDC, "-500"), others, change(&own, &sui(), "-1700"), change(&own, "0x5::a::A", "7")];
    let expected = vec![less(token(USDC), 500), less(Asset::Native, 1_000), more(token("0x5::a::A"), 7)];
    assert_eq!(read(effects("SUCCESS", &changes, [500, 400, 200], false)), ran(expected, 700));
    // More is given back for storage than the run costs.
    let changes = [change(&own, &sui(), "300")];
    assert_eq!(
        read(effects("SUCCESS", &changes, [500, 0, 800], false)),
        ran(vec![more(Asset::Native, 300)], 0)
    );
    let Trial::Ran(cut) = read(effects("SUCCESS", &[], [1, 1, 1], true)) else { panic!("it ran") };
    assert_eq!(cut.gaps, [TrialGap::MoreAssets]);
}

#[test]
fn a_failure_has_the_codes_words() {
    let mut answer = effects("FAILURE", &[], [500, 0, 0], false).json().unwrap();
    answer["data"]["simulateTransaction"]["effects"]["executionError"] =
        json!({ "message": "MoveAbort in command 0" });
    let Trial::Ran(ran) = read(json_answer(&answer)) else { panic!("it ran") };
    let failure = Failure { place: Some(0), reason: "MoveAbort in command 0".to_owned() };
    assert_eq!((ran.changes, ran.failure, ran.fee), (vec![], Some(failure), Some(Amount::from(500))));
}

#[test]
fn an_indexer_without_trial_runs_says_so() {
    let refusal =
        |code: &str| json_answer(&json!({ "errors": [{ "message": "no", "extensions": { "code": code } }] }));
    assert_eq!(read(refusal("GRAPHQL_VALIDATION_FAILED")), Trial::NotRun(NoTrialReason::NodeHasNone));
    assert_eq!(read(refusal("REQUEST_TIMEOUT")), Trial::NotRun(NoTrialReason::NoAnswer));
    for answer in useless() {
        assert!(matches!(read(answer.clone()), Trial::NotRun(_)), "{answer:?}");
    }
    let own = full(&OWNER);
    for amount in ["", "-", "+5", "1e5", "--5"] {
        let answer = effects("SUCCESS", &[change(&own, USDC, amount)], [1, 1, 1], false);
        assert_eq!(read(answer), Trial::UNREADABLE, "{amount}");
    }
    let answer = effects("SUCCESS", &[change(&own, &"x".repeat(1_000), "5")], [1, 1, 1], false);
    assert_eq!(read(answer), Trial::UNREADABLE);
}

proptest! {
    #[test]
    fn garbage_says_nothing(answers in garbage()) {
        let trial = rpc::read_trial(&[transaction()], &answers);
        prop_assert!(says_nothing(&trial), "{trial:?}");
    }
}
