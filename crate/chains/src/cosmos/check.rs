//! What a node's REST interface is asked before a transaction is signed: the account's number and sequence, of which
//! chain the node is, and, where nothing else goes out before, a trial run. What the account has shows in that.
//!
//! An account number that is not the account's makes a signature that the chain never accepts.

use super::{Tx, chain_id, trial};
use crate::amount;
use crate::rpc::check::{Found, finding, place, simulation_failed, stale, unclear};
use crate::rpc::{Method, Request, Response};
use crate::transaction::Account;
use serde_json::Value;
use wire::node::{Checked, Finding, FindingCode};

/// Where an answer has the account: an ordinary one, one of a module or of another key, one whose coins vest.
const ACCOUNTS: [&str; 3] =
    ["/account", "/account/base_account", "/account/base_vesting_account/base_account"];
/// What the SDK says when a message or the fee fails; the rest of its errors may be the node's.
const FAILURES: [&str; 3] = ["failed to execute message", "insufficient", "out of gas"];
/// gRPC's `NOT_FOUND`.
const NOT_FOUND: u64 = 5;

pub(super) fn ask(tx: &Tx, account: &Account, ahead: u32) -> Vec<Request> {
    let get = |path: String| Request { method: Method::Get, path };
    let mut requests = vec![
        get(format!("/cosmos/auth/v1beta1/accounts/{}", account.address)),
        get("/cosmos/base/tendermint/v1beta1/node_info".to_owned()),
    ];
    if ahead == 0 {
        requests.push(trial::request(tx));
    }
    requests
}

pub(super) fn read(tx: &Tx, account: &Account, ahead: u32, answers: &[Response]) -> Found {
    let answer = |index: usize| answers.get(index).and_then(|answer| Some((answer.status, answer.json()?)));
    let network = answer(1).filter(|(status, _)| *status == 200).and_then(|(_, body)| {
        let name = body.pointer("/default_node_info/network")?.as_str()?.to_owned();
        Some(name).filter(|name| !name.is_empty())
    });
    if let (Some(network), Ok(expected)) = (&network, chain_id(account.chain))
        && network != expected
    {
        let network = crate::rpc::check::quoted(network);
        let reason = format!("The node is of {network}, the transaction of {expected}.");
        return Err(Checked::WrongNetwork { reason });
    }
    let state = match answer(0) {
        Some((200, body)) => numbers(&body).map(Some),
        Some((404, body)) if body.get("code").and_then(Value::as_u64) == Some(NOT_FOUND) => Some(None),
        _ => None,
    };
    let first = match state.ok_or_else(|| unclear(answers.first()))? {
        Some((number, sequence)) => {
            if number != tx.account_number {
                let signed = tx.account_number;
                let reason = format!("It is for account number {signed}, and the account's is {number}.");
                return Err(stale(reason));
            }
            let own = tx.auth_info.signer_infos.first().map(|signer| signer.sequence).unwrap_or_default();
            place(own, sequence, ahead)?
        }
        None => {
            let message = "The account is not on the chain: nothing was ever sent to it.".to_owned();
            Some(finding(FindingCode::InsufficientBalance, message))
        }
    };
    network.ok_or_else(|| unclear(answers.get(1)))?;
    let failure = answer(2).filter(|_| ahead == 0).and_then(|(status, body)| trial(tx, status, &body));
    Ok([first, failure].into_iter().flatten().collect())
}

/// Account number and sequence, both as texts.
fn numbers(body: &Value) -> Option<(u64, u64)> {
    ACCOUNTS.iter().find_map(|pointer| {
        let account = body.pointer(pointer)?;
        let number = |name: &str| amount::parse_u64("account", account.get(name)?.as_str()?).ok();
        Some((number("account_number")?, number("sequence")?))
    })
}

fn trial(tx: &Tx, status: u16, body: &Value) -> Option<Finding> {
    let limit = tx.auth_info.fee.as_ref().map(|fee| fee.gas_limit).unwrap_or_default();
    if status == 200 {
        let used = amount::parse_u64("gas_used", body.pointer("/gas_info/gas_used")?.as_str()?).ok()?;
        let message = || format!("Run as a trial, it needs {used} gas and may use {limit}.");
        return (used > limit).then(|| finding(FindingCode::SimulationFailed, message()));
    }
    verdict(body).map(simulation_failed)
}

/// Why a transaction fails, if an error says so and not that the node is in trouble.
pub(super) fn verdict(body: &Value) -> Option<&str> {
    let message = body.get("message").and_then(Value::as_str)?;
    FAILURES.iter().any(|failure| message.contains(failure)).then_some(message)
}

#[cfg(test)]
mod tests {
    use super::super::Signer;
    use super::super::message::Message;
    use super::super::proto::{Coin, Fee, MsgSend};
    use super::*;
    use crate::Chain;
    use crate::encoding;
    use crate::rpc;
    use crate::rpc::check::tests::{fine, garbage, json_answer, refuses, useless, warned};
    use crate::signing::PublicKey;
    use crate::transaction::{Role, Transaction};
    use proptest::prelude::*;
    use serde_json::json;

    const ADDRESS: &str = "cosmos1hsk6jryyqjfhp5dhc55tc9jtckygx0eph6dd02";

    /// Sequence 5 of account 71, one coin to itself, 200,000 gas.
    fn transaction() -> Transaction {
        let key = PublicKey::Secp256k1([2; 33]);
        let account = Account { chain: Chain::Cosmos, key, address: ADDRESS.to_owned() };
        let signer = Signer { account: &account, ml_dsa: None, account_number: 71, sequence: 5 };
        let coin = Coin { denom: "uatom".to_owned(), amount: "1".to_owned() };
        let send = MsgSend {
            from_address: ADDRESS.to_owned(),
            to_address: ADDRESS.to_owned(),
            amount: vec![coin.clone()],
        };
        let fee = Fee { amount: vec![coin], gas_limit: 200_000, ..Fee::default() };
        let tx = signer.direct(&[Message::Send(send)], "", fee).unwrap();
        Transaction::new(&account, Role::Main, tx)
    }

    fn of_account(number: &str, sequence: &str) -> Value {
        json!({ "address": ADDRESS, "pub_key": null, "account_number": number, "sequence": sequence })
    }

    fn known(sequence: &str) -> Response {
        json_answer(&json!({ "account": of_account("71", sequence) }))
    }

    fn network(name: &str) -> Response {
        json_answer(&json!({ "default_node_info": { "network": name, "version": "0.38.17" } }))
    }

    fn gas(used: &str) -> Response {
        json_answer(&json!({ "gas_info": { "gas_wanted": "0", "gas_used": used }, "result": {} }))
    }

    fn answers(sequence: &str) -> [Response; 3] {
        [known(sequence), network("cosmoshub-4"), gas("81234")]
    }

    fn at_sequence(sequence: &str, ahead: u32) -> Checked {
        rpc::read_check(&transaction(), ahead, &answers(sequence))
    }

    fn tried(trial: Response) -> Checked {
        rpc::read_check(&transaction(), 0, &[known("5"), network("cosmoshub-4"), trial])
    }

    fn failed(status: u16, message: &str) -> Response {
        let body = json!({ "code": 2, "message": message, "details": [] });
        Response { status, body: body.to_string().into_bytes() }
    }

    #[test]
    fn a_node_is_asked_for_account_chain_and_a_trial_run() {
        let requests = rpc::check(&transaction(), 0);
        let paths: Vec<&str> = requests.iter().map(|request| request.path.as_str()).collect();
        let account = format!("/cosmos/auth/v1beta1/accounts/{ADDRESS}");
        let node = "/cosmos/base/tendermint/v1beta1/node_info";
        assert_eq!(paths, [account.as_str(), node, "/cosmos/tx/v1beta1/simulate"]);
        let Method::Post(body) = &requests[2].method else { panic!("a POST") };
        let body: Value = serde_json::from_str(body).unwrap();
        let bytes = encoding::from_base64("tx_bytes", body["tx_bytes"].as_str().unwrap()).unwrap();
        assert!(bytes.ends_with(&[[0x1a, 0x40].as_slice(), &[0; 64]].concat()), "an empty signature");
        assert_eq!(rpc::check(&transaction(), 1).len(), 2);
    }

    #[test]
    fn a_used_sequence_is_stale_and_a_later_one_waits() {
        assert_eq!(at_sequence("5", 0), fine());
        assert_eq!(at_sequence("4", 1), fine());
        let used = "Its number 5 is used: the account's next is 6.".to_owned();
        assert_eq!(at_sequence("6", 0), stale(used));
        assert!(matches!(at_sequence("5", 1), Checked::Stale { .. }), "an earlier step has it");
        let gap = "Its number is 5, the account's next is 3: it waits for those between.";
        assert_eq!(at_sequence("3", 0), warned(FindingCode::Gapped, gap));
    }

    #[test]
    fn accounts_of_every_form() {
        let base = of_account("71", "6");
        for account in [
            json!({ "@type": "/cosmos.auth.v1beta1.ModuleAccount", "base_account": base }),
            json!({ "@type": "/cosmos.vesting.v1beta1.ContinuousVestingAccount",
                    "base_vesting_account": { "base_account": base }, "start_time": "1" }),
        ] {
            let answers = [json_answer(&json!({ "account": account })), network("cosmoshub-4")];
            assert!(matches!(rpc::read_check(&transaction(), 1, &answers), Checked::Stale { .. }));
        }
    }

    #[test]
    fn another_account_number_can_never_be_signed_for() {
        let answers = [json_answer(&json!({ "account": of_account("72", "5") })), network("cosmoshub-4")];
        let reason = "It is for account number 71, and the account's is 72.".to_owned();
        assert_eq!(rpc::read_check(&transaction(), 0, &answers), stale(reason));
    }

    #[test]
    fn another_chain() {
        let answers = [known("6"), network("theta-testnet-001")];
        let reason = "The node is of theta-testnet-001, the transaction of cosmoshub-4.".to_owned();
        assert_eq!(rpc::read_check(&transaction(), 0, &answers), Checked::WrongNetwork { reason });
    }

    #[test]
    fn an_account_that_is_not_there_has_nothing() {
        let body = json!({ "code": 5, "message": format!("account {ADDRESS} not found"), "details": [] });
        let missing = Response { status: 404, body: body.to_string().into_bytes() };
        let answers = [missing, network("cosmoshub-4"), failed(404, "account not found")];
        let message = "The account is not on the chain: nothing was ever sent to it.";
        let expected = warned(FindingCode::InsufficientBalance, message);
        assert_eq!(rpc::read_check(&transaction(), 0, &answers), expected);
    }

    #[test]
    fn a_failing_trial_run_has_the_chains_reason() {
        for message in [
            "failed to execute message; message index: 0: 1uatom is smaller than 2uatom: insufficient funds",
            "insufficient fees; got: 1uatom required: 500uatom: insufficient fee",
        ] {
            let expected =
                warned(FindingCode::SimulationFailed, &format!("Run as a trial, it fails: {message}"));
            assert_eq!(tried(failed(400, message)), expected);
        }
        let message = "Run as a trial, it needs 200001 gas and may use 200000.";
        assert_eq!(tried(gas("200001")), warned(FindingCode::SimulationFailed, message));
    }

    #[test]
    fn no_trial_run_no_warning() {
        for answer in useless().into_iter().chain([failed(501, "Not Implemented"), failed(500, "timeout")]) {
            assert_eq!(tried(answer), fine());
        }
    }

    /// The account's word counts although the node does not say which chain it is of.
    #[test]
    fn without_account_or_chain_it_is_unclear() {
        for answer in useless() {
            for place in 0..2 {
                let mut answers = answers("5");
                answers[place] = answer.clone();
                let checked = rpc::read_check(&transaction(), 0, &answers);
                assert!(matches!(checked, Checked::Unclear { .. }), "{place} {answer:?}");
            }
            let used = [known("6"), answer];
            assert!(matches!(rpc::read_check(&transaction(), 0, &used), Checked::Stale { .. }));
        }
        assert!(matches!(at_sequence("-5", 0), Checked::Unclear { .. }));
        assert!(matches!(rpc::read_check(&transaction(), 0, &[]), Checked::Unclear { .. }));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), ahead in 0_u32..3) {
            let checked = rpc::read_check(&transaction(), ahead, &answers);
            prop_assert!(!refuses(&checked), "{checked:?}");
        }
    }
}
