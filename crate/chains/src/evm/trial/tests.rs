use super::super::{Access, Envelope};
use super::*;
use crate::Chain;
use crate::rpc::check::tests::{error, garbage, result, useless};
use crate::rpc::trial::Failure;
use crate::rpc::trial::tests::{less, more, says_nothing, token};
use crate::rpc::{self, Method};
use crate::signing::PublicKey;
use crate::transaction::Role;
use proptest::prelude::*;
use wire::trial::NoTrialReason;

const OWN: Address = [0xaa; 20];
const USDC: Address = [0x11; 20];
const WETH: Address = [0x22; 20];
/// Uniswap's V2 router on Base: a swap is read at a known contract alone.
const ROUTER: Address = [
    0x47, 0x52, 0xba, 0x5d, 0xbc, 0x23, 0xf4, 0x4d, 0x87, 0x82, 0x62, 0x76, 0xbf, 0x6f, 0xd6, 0xb1, 0xc3,
    0x72, 0xad, 0x24,
];
const TRANSFER: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";

fn account() -> Account {
    Account { chain: Chain::Base, key: PublicKey::Secp256k1([2; 33]), address: evm::encode(&OWN) }
}

fn transaction(nonce: u64, to: Address, value: u64, data: &str) -> Transaction {
    let fields = Fields {
        envelope: Envelope::DynamicFee,
        chain_id: 8453,
        nonce,
        priority_fee: Amount::from(1),
        max_fee: Amount::from(1_000),
        gas_limit: 60_000,
        to: Some(to),
        value: Amount::from(value),
        data: crate::encoding::from_hex("data", data).unwrap(),
        access_list: Vec::new(),
    };
    Transaction::new(&account(), Role::Main, EvmTransaction { fields })
}

fn padded(address: Address) -> String {
    format!("{:0>64}", hex(&address))
}

/// Lets the router take 500 USDC, and swaps them for WETH.
fn approve_and_swap() -> Vec<Transaction> {
    let approve = format!("095ea7b3{}{:064x}", padded(ROUTER), 500);
    let words = [500, 40, 160].map(|word| format!("{word:064x}")).concat();
    let path = format!("{:064x}{}{}", 2, padded(USDC), padded(WETH));
    let swap = format!("38ed1739{words}{}{:064x}{path}", padded(OWN), u32::MAX);
    vec![transaction(7, USDC, 0, &approve), transaction(8, ROUTER, 0, &swap)]
}

fn topic(address: Address) -> Value {
    json!(format!("0x{}", padded(address)))
}

fn moved(contract: Address, from: Address, to: Address, amount: u64) -> Value {
    let topics = [json!(TRANSFER), topic(from), topic(to)];
    json!({ "address": format!("0x{}", hex(&contract)), "topics": topics, "data": format!("0x{amount:064x}") })
}

fn called(logs: &[Value]) -> Value {
    json!({ "returnData": "0x", "logs": logs, "gasUsed": "0x64", "status": "0x1" })
}

fn has(balance: u64) -> Value {
    json!({ "returnData": format!("0x{balance:064x}"), "logs": [], "gasUsed": "0x64", "status": "0x1" })
}

fn reverted(message: &str) -> Value {
    let error = json!({ "code": 3, "message": message });
    json!({ "returnData": "0x", "logs": [], "gasUsed": "0x64", "status": "0x0", "error": error })
}

/// What a node says of these calls of one block.
fn block(calls: &[Value]) -> Response {
    result(&json!([{ "number": "0x5", "baseFeePerGas": "0x0", "calls": calls }]))
}

fn read(transactions: &[Transaction], calls: &[Value]) -> Trial {
    rpc::read_trial(transactions, &[block(calls)])
}

fn ran(changes: Vec<rpc::Change>, fee: u64, transactions: usize) -> Trial {
    let fee = Some(Amount::from(fee));
    Trial::Ran(Ran { changes, fee, failure: None, transactions, gaps: Vec::new() })
}

fn of(address: Address) -> Asset {
    token(&evm::encode(&address))
}

#[test]
fn all_transactions_run_in_one_block_between_two_looks_at_balances() {
    let requests = rpc::trial(&approve_and_swap());
    let [Request { method: Method::Post(body), path }] = requests.as_slice() else { panic!("one POST") };
    let body: Value = serde_json::from_str(body).unwrap();
    assert_eq!(
        (path.as_str(), &body["method"], &body["params"][1]),
        ("", &json!("eth_simulateV1"), &json!("latest"))
    );
    let payload = &body["params"][0];
    assert_eq!((&payload["traceTransfers"], &payload["validation"]), (&json!(true), &json!(false)));
    assert_eq!(payload["blockStateCalls"].as_array().unwrap().len(), 1);
    let calls = payload["blockStateCalls"][0]["calls"].as_array().unwrap();
    let balance_of = format!("0x70a08231{}", padded(OWN));
    let probe =
        |token: Address| json!({ "to": format!("0x{}", hex(&token)), "data": balance_of, "gas": "0x30d40" });
    assert_eq!(calls[..2], [probe(USDC), probe(WETH)]);
    assert_eq!(calls[4..], [probe(USDC), probe(WETH)]);
    assert_eq!((&calls[2]["nonce"], &calls[3]["nonce"]), (&json!("0x7"), &json!("0x8")));
    let expected = json!({ "from": evm::encode(&OWN), "to": format!("0x{}", hex(&USDC)), "value": "0x0",
        "data": calls[2]["data"], "gas": "0xea60", "nonce": "0x7", "maxFeePerGas": "0x3e8", "maxPriorityFeePerGas": "0x1" });
    assert_eq!(calls[2], expected);
}

#[test]
fn older_envelopes_pay_one_price() {
    for envelope in [Envelope::Legacy, Envelope::AccessList] {
        let mut fields = transaction(7, USDC, 5, "").evm_fields().unwrap().clone();
        (fields.envelope, fields.access_list) =
            (envelope, vec![Access { address: USDC, keys: vec![[7; 32]] }]);
        let sent = call(&fields, &account());
        assert_eq!((&sent["gasPrice"], &sent["maxFeePerGas"]), (&json!("0x3e8"), &Value::Null));
        assert_eq!(sent["accessList"][0]["storageKeys"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn a_swap_on_top_of_its_approval() {
    let swapped = called(&[moved(USDC, OWN, ROUTER, 500), moved(WETH, ROUTER, OWN, 50)]);
    let calls = [has(900), has(0), called(&[]), swapped, has(400), has(50)];
    let expected = ran(vec![less(of(USDC), 500), more(of(WETH), 50)], 200_000, 2);
    assert_eq!(read(&approve_and_swap(), &calls), expected);
}

/// A wrapped coin that is made emits no `Transfer`; and a token that keeps a fee gives less than its event says.
#[test]
fn a_tokens_balance_counts_before_its_events() {
    let wrap = [transaction(7, WETH, 9, "d0e30db0")];
    let calls = [has(1), called(&[moved(NATIVE, OWN, WETH, 9)]), has(10)];
    assert_eq!(read(&wrap, &calls), ran(vec![less(Asset::Native, 9), more(of(WETH), 9)], 100_000, 1));
    let swapped = called(&[moved(USDC, OWN, ROUTER, 500), moved(WETH, ROUTER, OWN, 50)]);
    let calls = [has(900), has(0), called(&[]), swapped, has(400), has(45)];
    let expected = ran(vec![less(of(USDC), 500), more(of(WETH), 45)], 200_000, 2);
    assert_eq!(read(&approve_and_swap(), &calls), expected);
}

/// Tokens that the steps do not name count too; what passes between others is not the vault's.
#[test]
fn events_speak_for_tokens_that_no_transaction_names() {
    let other: Address = [0x44; 20];
    let logs = [moved(other, OWN, ROUTER, 7), moved(other, ROUTER, USDC, 8), moved(other, OWN, OWN, 9)];
    let payment = [transaction(7, ROUTER, 3, "")];
    let calls = [called(&[moved(NATIVE, OWN, ROUTER, 3), logs[0].clone(), logs[1].clone(), logs[2].clone()])];
    assert_eq!(read(&payment, &calls), ran(vec![less(Asset::Native, 3), less(of(other), 7)], 100_000, 1));
}

#[test]
fn pieces_of_a_collection_are_listed_by_number() {
    let collection = USDC;
    let data = format!("42842e0e{}{}{:064x}", padded(OWN), padded(ROUTER), 7);
    let sent = json!({ "address": format!("0x{}", hex(&collection)), "data": "0x",
        "topics": [TRANSFER, topic(OWN), topic(ROUTER), format!("0x{:064x}", 7)] });
    let piece = Asset::Item { collection: evm::encode(&collection), id: Amount::from(7) };
    let transfer = [transaction(7, collection, 0, &data)];
    assert_eq!(
        read(&transfer, &[called(std::slice::from_ref(&sent))]),
        ran(vec![less(piece.clone(), 1)], 100_000, 1)
    );
    // Named as if it were a token: its count of pieces is no amount.
    let data = format!("23b872dd{}{}{:064x}", padded(OWN), padded(ROUTER), 7);
    let transfer = [transaction(7, collection, 0, &data)];
    assert_eq!(read(&transfer, &[has(3), called(&[sent]), has(2)]), ran(vec![less(piece, 1)], 100_000, 1));
}

/// Nothing after the first failure is signed, so nothing after it counts.
#[test]
fn a_failure_ends_the_run() {
    let failing = |call: Value, reason: &str| {
        let calls = [has(900), has(0), called(&[moved(NATIVE, OWN, USDC, 1)]), call, has(0), has(0)];
        let failure = Failure { place: Some(1), reason: reason.to_owned() };
        let Trial::Ran(ran) = read(&approve_and_swap(), &calls) else { panic!("it ran") };
        assert_eq!(
            (ran.changes, ran.failure, ran.transactions),
            (vec![less(Asset::Native, 1)], Some(failure), 2)
        );
        assert_eq!(ran.fee, Some(Amount::from(200_000)));
    };
    failing(reverted("execution reverted"), "execution reverted");
    let words = format!("0x08c379a0{:064x}{:064x}{:0<64}", 32, 7, "4c4f434b454421");
    failing(json!({ "returnData": words, "gasUsed": "0x64", "status": "0x0" }), "LOCKED!");
    let error = json!({ "code": 3, "message": "execution reverted", "data": words });
    failing(json!({ "gasUsed": "0x64", "status": "0x0", "error": error, "logs": null }), "LOCKED!");
}

#[test]
fn a_run_that_is_refused_as_a_whole_fails() {
    for (code, message) in [
        (
            -38_014,
            "err: insufficient funds for gas * price + value: address 0xaa have 0 want 5 (supplied gas 1)",
        ),
        (-32_003, "Insufficient funds for gas * price + value"),
        (-38_013, "err: intrinsic gas too low: have 20000, want 21000 (supplied gas 20000)"),
    ] {
        let trial = rpc::read_trial(&approve_and_swap(), &[error(code, message)]);
        assert_eq!(trial, Trial::failed(message));
    }
}

#[test]
fn a_node_that_cannot_says_so() {
    let read = |answer| rpc::read_trial(&approve_and_swap(), &[answer]);
    let missing = error(-32_601, "the method eth_simulateV1 does not exist/is not available");
    assert_eq!(read(missing), Trial::NotRun(NoTrialReason::NodeHasNone));
    for answer in useless() {
        assert!(matches!(read(answer), Trial::NotRun(_)));
    }
    assert_eq!(rpc::read_trial(&approve_and_swap(), &[]), Trial::NotRun(NoTrialReason::NoAnswer));
}

/// Calls that are missing, or one that cannot be read, make the whole answer unreadable.
#[test]
fn half_an_answer_is_none() {
    let whole = [has(900), has(0), called(&[]), called(&[]), has(900), has(0)];
    assert_eq!(read(&approve_and_swap(), &whole), ran(Vec::new(), 200_000, 2));
    for missing in 0..whole.len() {
        assert_eq!(read(&approve_and_swap(), &whole[missing + 1..]), Trial::UNREADABLE);
    }
    for broken in
        [json!(null), json!({ "gasUsed": "0x64", "status": "0x2", "logs": [] }), called(&[json!({})])]
    {
        let mut calls = whole.clone();
        calls[3] = broken;
        assert_eq!(read(&approve_and_swap(), &calls), Trial::UNREADABLE);
    }
}

/// No more than a dozen tokens are asked, however many are named.
#[test]
fn the_number_of_looks_is_bounded() {
    let many: Vec<Transaction> = (1..=30)
        .map(|byte| transaction(7, [byte; 20], 0, &format!("095ea7b3{}{:064x}", padded(ROUTER), 1)))
        .collect();
    let Method::Post(body) = &rpc::trial(&many)[0].method else { panic!("a POST") };
    let body: Value = serde_json::from_str(body).unwrap();
    let calls = body["params"][0]["blockStateCalls"][0]["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 12 + 30 + 12);
}

proptest! {
    #[test]
    fn garbage_says_nothing(answers in garbage()) {
        let trial = rpc::read_trial(&approve_and_swap(), &answers);
        prop_assert!(says_nothing(&trial), "{trial:?}");
    }

    /// Whatever stands in the place of one value of an honest answer, it is read or refused, and never panics.
    #[test]
    fn a_broken_answer_never_panics(place in 0_usize..40, replacement in "[ -~]{0,70}") {
        let swapped = called(&[moved(USDC, OWN, ROUTER, 500), moved(WETH, ROUTER, OWN, 50)]);
        let answer = block(&[has(900), has(0), called(&[]), swapped, has(400), has(50)]);
        let text = String::from_utf8(answer.body).unwrap();
        let mut parts: Vec<&str> = text.split('"').collect();
        let place = place % parts.len();
        parts[place] = &replacement;
        let broken = Response { status: 200, body: parts.join("\"").into_bytes() };
        let trial = rpc::read_trial(&approve_and_swap(), &[broken]);
        if let Trial::Ran(ran) = trial {
            prop_assert!(ran.changes.len() <= 100);
        }
    }
}
