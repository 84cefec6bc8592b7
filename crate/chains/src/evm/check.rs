//! What an EVM node is asked before a transaction is signed: which chain it is of, the account's next nonce and its
//! balance at the latest block, and, where nothing else goes out before, a trial run (`eth_estimateGas`).
//!
//! The latest block counts and not what is pending: a pending transaction with the same nonce can be replaced.

use super::abi::{self, Signature};
use super::{Access, Fields};
use crate::rpc::check::{Found, finding, funds, place, simulation_failed, unclear};
use crate::rpc::evm::{letters, quantity};
use crate::rpc::{Request, Response};
use crate::transaction::Account;
use crate::{Amount, encoding};
use serde_json::{Value, json};
use wire::node::{Checked, Finding, FindingCode};

/// What clients say when the code fails and not they, as letters and digits in lower case. Others speak of a method
/// that they lack or of a limit.
const FAILURES: &[&str] = &[
    "revert",
    "insufficient",
    "outofgas",
    "exceedsallowance",
    "exceedsbalance",
    "alwaysfailing",
    "intrinsicgas",
    "invalidopcode",
    "vmexecution",
];
/// The code with which geth marks a revert.
const REVERTED: i64 = 3;
/// What `require` and `revert` give back: `Error(string)`.
const ERROR_SELECTOR: &str = "0x08c379a0";

pub(super) fn ask(fields: &Fields, account: &Account, ahead: u32) -> Vec<Request> {
    let of_account = |method| Request::json_rpc(method, &json!([account.address, "latest"]));
    let mut requests = vec![
        Request::json_rpc("eth_chainId", &json!([])),
        of_account("eth_getTransactionCount"),
        of_account("eth_getBalance"),
    ];
    if ahead == 0 {
        requests.push(Request::json_rpc("eth_estimateGas", &json!([call(fields, account)])));
    }
    requests
}

/// A transaction as nodes take it for a trial; the caller adds what concerns gas.
pub(super) fn call(fields: &Fields, account: &Account) -> Value {
    let hex = |bytes: &[u8]| format!("0x{}", encoding::hex(bytes));
    let entry = |access: &Access| {
        let keys: Vec<String> = access.keys.iter().map(|key| hex(key)).collect();
        json!({ "address": hex(&access.address), "storageKeys": keys })
    };
    let mut call = json!({
        "from": account.address,
        "value": format!("{:#x}", fields.value),
        "data": hex(&fields.data),
    });
    if let Value::Object(members) = &mut call {
        if let Some(to) = &fields.to {
            members.insert("to".to_owned(), json!(hex(to)));
        }
        if !fields.access_list.is_empty() {
            let list = fields.access_list.iter().map(entry).collect();
            members.insert("accessList".to_owned(), Value::Array(list));
        }
    }
    call
}

pub(super) fn read(fields: &Fields, account: &Account, ahead: u32, answers: &[Response]) -> Found {
    let at = |index: usize| {
        let answer = answers.get(index);
        let number = answer.and_then(Response::result).and_then(|result| quantity(result.as_str()?));
        number.ok_or_else(|| unclear(answer))
    };
    let chain_id = at(0)?;
    if chain_id != Amount::from(fields.chain_id) {
        let reason = format!("The node is of chain id {chain_id}, the transaction of {}.", fields.chain_id);
        return Err(Checked::WrongNetwork { reason });
    }
    let next = u64::try_from(at(1)?).map_err(|_| unclear(answers.get(1)))?;
    let gap = place(fields.nonce, next, ahead)?;
    let cost = fields.max_fee.saturating_mul(Amount::from(fields.gas_limit)).saturating_add(fields.value);
    let poor = at(2).ok().and_then(|balance| funds(account, balance, cost));
    let failure = answers.get(3).filter(|_| ahead == 0).and_then(|answer| trial(answer, fields.gas_limit));
    Ok([gap, poor, failure].into_iter().flatten().collect())
}

fn trial(answer: &Response, gas_limit: u64) -> Option<Finding> {
    let answer = answer.answer()?;
    if let Some(gas) = answer.get("result").and_then(|gas| quantity(gas.as_str()?)) {
        let message = || format!("Run as a trial, it needs {gas} gas and may use {gas_limit}.");
        return (gas > Amount::from(gas_limit)).then(|| finding(FindingCode::SimulationFailed, message()));
    }
    verdict(answer.get("error")?).map(|reason| simulation_failed(&reason))
}

/// Why a transaction fails, if an error says so and not that the node is in trouble.
pub(crate) fn verdict(error: &Value) -> Option<String> {
    let message = error.get("message").and_then(Value::as_str).unwrap_or_default();
    let said = letters(message);
    let failed = error.get("code").and_then(Value::as_i64) == Some(REVERTED)
        || FAILURES.iter().any(|failure| said.contains(failure));
    failed.then(|| reason(error.get("data")).unwrap_or_else(|| message.to_owned()))
}

/// The contract's revert reason in what it gave back, where it has one.
pub(crate) fn reason(data: Option<&Value>) -> Option<String> {
    let data = data?.as_str()?.strip_prefix(ERROR_SELECTOR)?;
    let data = encoding::from_hex("data", data).ok()?;
    let arguments = Signature::parse("Error(string reason)")?.decode(&data)?;
    match arguments.0.as_slice() {
        [(_, abi::Value::Text(reason))] if !reason.is_empty() => Some((*reason).to_owned()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Envelope, EvmTransaction};
    use super::*;
    use crate::Chain;
    use crate::rpc::check::stale;
    use crate::rpc::check::tests::{error, fine, garbage, json_answer, refuses, result, useless, warned};
    use crate::rpc::{self, Method};
    use crate::signing::PublicKey;
    use crate::transaction::{Role, Transaction};
    use proptest::prelude::*;

    const ADDRESS: &str = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";

    /// Nonce 5 on Base, one coin to a recipient, at most 0.0021 coins for 21,000 gas.
    fn transaction() -> Transaction {
        let account =
            Account { chain: Chain::Base, key: PublicKey::Secp256k1([2; 33]), address: ADDRESS.to_owned() };
        let fields = Fields {
            envelope: Envelope::DynamicFee,
            chain_id: 8453,
            nonce: 5,
            priority_fee: Amount::from(1),
            max_fee: Amount::from(100_000_000_000_u64),
            gas_limit: 21_000,
            to: Some([0xab; 20]),
            value: Amount::from(1_000_000_000_000_000_000_u64),
            data: vec![0x12, 0x34],
            access_list: vec![Access { address: [0xcd; 20], keys: vec![[7; 32]] }],
        };
        Transaction::new(&account, Role::Main, EvmTransaction { fields })
    }

    fn answers(chain_id: &str, count: &str, balance: &str, trial: Response) -> Vec<Response> {
        vec![result(&json!(chain_id)), result(&json!(count)), result(&json!(balance)), trial]
    }

    /// On the right chain, at the right nonce, with two coins.
    fn tried(trial: Response) -> Checked {
        rpc::read_check(&transaction(), 0, &answers("0x2105", "0x5", "0x1bc16d674ec80000", trial))
    }

    fn enough() -> Response {
        result(&json!("0x5208"))
    }

    fn at_nonce(count: &str, ahead: u32) -> Checked {
        let answers = answers("0x2105", count, "0x1bc16d674ec80000", enough());
        rpc::read_check(&transaction(), ahead, &answers)
    }

    #[test]
    fn a_node_is_asked_for_chain_nonce_balance_and_a_trial_run() {
        let asked: Vec<Value> = rpc::check(&transaction(), 0)
            .into_iter()
            .map(|request| match request.method {
                Method::Post(body) => serde_json::from_str(&body).unwrap(),
                Method::Get => panic!("a POST"),
            })
            .collect();
        let methods: Vec<&str> = asked.iter().map(|body| body["method"].as_str().unwrap()).collect();
        assert_eq!(methods, ["eth_chainId", "eth_getTransactionCount", "eth_getBalance", "eth_estimateGas"]);
        assert_eq!(asked[1]["params"], json!([ADDRESS, "latest"]));
        assert_eq!(asked[2]["params"], json!([ADDRESS, "latest"]));
        let call = json!([{
            "from": ADDRESS, "to": format!("0x{}", "ab".repeat(20)), "value": "0xde0b6b3a7640000", "data": "0x1234",
            "accessList": [{ "address": format!("0x{}", "cd".repeat(20)), "storageKeys": [format!("0x{}", "07".repeat(32))] }],
        }]);
        assert_eq!(asked[3]["params"], call);
    }

    /// What it would do depends on what goes out before it.
    #[test]
    fn no_trial_run_behind_others() {
        assert_eq!(rpc::check(&transaction(), 1).len(), 3);
        let answers = &answers("0x2105", "0x4", "0x1bc16d674ec80000", enough())[..3];
        assert_eq!(rpc::read_check(&transaction(), 1, answers), fine());
    }

    #[test]
    fn nothing_to_say() {
        assert_eq!(tried(enough()), fine());
    }

    #[test]
    fn another_chain() {
        let answers = answers("0x1", "0x5", "0x0", enough());
        let reason = "The node is of chain id 1, the transaction of 8453.".to_owned();
        assert_eq!(rpc::read_check(&transaction(), 0, &answers), Checked::WrongNetwork { reason });
    }

    #[test]
    fn a_used_nonce_is_stale_and_a_later_one_waits() {
        assert_eq!(at_nonce("0x6", 0), stale("Its number 5 is used: the account's next is 6.".to_owned()));
        assert_eq!(at_nonce("0x4", 1), fine());
        let taken = "Its number 5 goes to an earlier step: 6 is the next after it.";
        assert_eq!(at_nonce("0x5", 1), stale(taken.to_owned()));
        let gap = "Its number is 5, the account's next is 3: it waits for those between.";
        assert_eq!(at_nonce("0x3", 0), warned(FindingCode::Gapped, gap));
    }

    #[test]
    fn the_fee_counts_too() {
        let answers = answers("0x2105", "0x5", "0xde0b6b3a7640000", enough());
        let message = "The account has 1 ETH, and it takes up to 1.0021 ETH.";
        let expected = warned(FindingCode::InsufficientBalance, message);
        assert_eq!(rpc::read_check(&transaction(), 0, &answers), expected);
    }

    #[test]
    fn a_failing_trial_run_has_the_nodes_reason() {
        for (code, message) in [
            (3, "execution reverted: ERC20: transfer amount exceeds balance"),
            (-32_000, "execution reverted"),
            (-32_000, "insufficient funds for transfer"),
            (-32_000, "gas required exceeds allowance (21000)"),
            (-32_015, "VM execution error."),
        ] {
            let expected =
                warned(FindingCode::SimulationFailed, &format!("Run as a trial, it fails: {message}"));
            assert_eq!(tried(error(code, message)), expected);
        }
    }

    #[test]
    fn a_contracts_own_words() {
        let words = format!("{:064x}{:064x}{:0<64}", 32, 7, "4c4f434b454421");
        let answer = json!({ "error": {
            "code": 3, "message": "execution reverted", "data": format!("0x08c379a0{words}"),
        } });
        let expected = warned(FindingCode::SimulationFailed, "Run as a trial, it fails: LOCKED!");
        assert_eq!(tried(json_answer(&answer)), expected);
    }

    #[test]
    fn more_gas_than_it_may_use() {
        let message = "Run as a trial, it needs 21001 gas and may use 21000.";
        assert_eq!(tried(result(&json!("0x5209"))), warned(FindingCode::SimulationFailed, message));
    }

    /// A node without simulation, or a busy one, gives no verdict on the transaction.
    #[test]
    fn no_trial_run_no_warning() {
        for answer in useless() {
            assert_eq!(tried(answer), fine());
        }
        assert_eq!(tried(error(-32_601, "the method does not exist")), fine());
    }

    #[test]
    fn without_chain_or_nonce_it_is_unclear() {
        for answer in useless() {
            for place in 0..2 {
                let mut answers = answers("0x2105", "0x5", "0x1bc16d674ec80000", enough());
                answers[place] = answer.clone();
                let checked = rpc::read_check(&transaction(), 0, &answers);
                assert!(matches!(checked, Checked::Unclear { .. }), "{place} {answer:?}");
            }
        }
        for wrong in ["0x", "5", "0x+5", "0x_5", "-0x5", "0x10000000000000000"] {
            assert!(matches!(at_nonce(wrong, 0), Checked::Unclear { .. }), "{wrong}");
        }
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
