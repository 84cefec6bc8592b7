use super::*;
use crate::rpc::Method;
use crate::rpc::check::tests::{error, garbage, result, useless};
use proptest::prelude::*;

const ADDRESS: &str = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94";

fn call(to: &str, data: &str) -> EvmCall {
    EvmCall {
        to: Some(to.to_owned()),
        value: "16".to_owned(),
        data: data.to_owned(),
        access_list: Vec::new(),
    }
}

fn query(calls: usize) -> FillQuery {
    FillQuery { address: ADDRESS.to_owned(), calls: vec![call(ADDRESS, "ab"); calls] }
}

fn asked(requests: Vec<Request>) -> Vec<(String, Value)> {
    let body = |request: Request| match request.method {
        Method::Post(body) => serde_json::from_str::<Value>(&body).unwrap(),
        Method::Get => panic!("a POST"),
    };
    let named = |body: Value| (body["method"].as_str().unwrap().to_owned(), body["params"].clone());
    requests.into_iter().map(body).map(named).collect()
}

/// Base fee 100, tips 1, 2 and 3, nonce 5 and one waiting, on Base.
fn answers(estimate: Response) -> Vec<Response> {
    let history = json!({
        "baseFeePerGas": ["0x5a", "0x64"], "reward": [["0x1", "0x2", "0x3"], ["0x0", "0x0", "0x0"]],
    });
    vec![
        result(&json!("0x2105")),
        result(&json!("0x5")),
        result(&json!("0x6")),
        result(&json!("0x64")),
        result(&json!({ "gasLimit": "0x1c9c380", "baseFeePerGas": "0x5a" })),
        result(&history),
        result(&json!("0x9")),
        result(&json!("0x70")),
        estimate,
    ]
}

fn known(filling: Filling) -> EvmNetwork {
    match filling {
        Filling::Known(network) => network,
        other => panic!("{other:?}"),
    }
}

#[test]
fn one_call_is_tried_and_several_are_run_together() {
    let one = asked(fill(&query(1)));
    let methods: Vec<&str> = one.iter().map(|(method, _)| method.as_str()).collect();
    assert_eq!(
        methods,
        [
            "eth_chainId",
            "eth_getTransactionCount",
            "eth_getTransactionCount",
            "eth_getBalance",
            "eth_getBlockByNumber",
            "eth_feeHistory",
            "eth_maxPriorityFeePerGas",
            "eth_gasPrice",
            "eth_estimateGas"
        ]
    );
    assert_eq!(one[2].1, json!([ADDRESS, "pending"]));
    assert_eq!(one[8].1, json!([{ "from": ADDRESS, "to": ADDRESS, "value": "0x10", "data": "0xab" }]));
    let two = asked(fill(&query(2)));
    assert_eq!(two.len(), 10);
    assert_eq!(two[9].0, "eth_simulateV1");
    assert_eq!(two[9].1[0]["blockStateCalls"][0]["calls"].as_array().unwrap().len(), 2);
}

#[test]
fn what_a_node_says() {
    let network = known(read_fill(Chain::Base, &query(1), &answers(result(&json!("0x5208")))));
    let expected = EvmNetwork {
        nonce: 5,
        pending_nonce: 6,
        balance: Some("100".to_owned()),
        block_gas_limit: Some(30_000_000),
        market: FeeMarket::Dynamic {
            base_fee: "100".to_owned(),
            slow: "1".to_owned(),
            normal: "2".to_owned(),
            fast: "3".to_owned(),
        },
        gas: vec![GasNeed::Estimated { gas: 21_000 }],
    };
    assert_eq!(network, expected);
}

#[test]
fn blocks_without_transactions_leave_the_nodes_proposal() {
    let mut answers = answers(result(&json!("0x5208")));
    answers[5] = result(&json!({ "baseFeePerGas": ["0x64"], "reward": [["0x0", "0x0", "0x0"]] }));
    let FeeMarket::Dynamic { slow, normal, fast, .. } =
        known(read_fill(Chain::Base, &query(1), &answers)).market
    else {
        panic!("a base fee")
    };
    assert_eq!([slow, normal, fast], ["9", "9", "9"]);
    // Without a proposal the price beyond the base fee counts.
    answers[6] = error(-32_601, "the method does not exist");
    let FeeMarket::Dynamic { normal, .. } = known(read_fill(Chain::Base, &query(1), &answers)).market else {
        panic!("a base fee")
    };
    assert_eq!(normal, "12");
}

#[test]
fn a_chain_without_base_fee() {
    let mut answers = answers(result(&json!("0x5208")));
    answers[4] = result(&json!({ "gasLimit": "0x1c9c380" }));
    let market = known(read_fill(Chain::Base, &query(1), &answers)).market;
    assert_eq!(market, FeeMarket::Legacy { gas_price: "112".to_owned() });
    answers[7] = error(-32_601, "the method does not exist");
    assert!(matches!(read_fill(Chain::Base, &query(1), &answers), Filling::Unclear { .. }));
}

#[test]
fn another_network_and_no_answer() {
    let mut other = answers(result(&json!("0x5208")));
    other[0] = result(&json!("0x1"));
    assert!(matches!(read_fill(Chain::Base, &query(1), &other), Filling::WrongNetwork { .. }));
    for place in [0, 1] {
        for useless in useless() {
            let mut answers = answers(result(&json!("0x5208")));
            answers[place] = useless;
            assert!(matches!(read_fill(Chain::Base, &query(1), &answers), Filling::Unclear { .. }));
        }
    }
    assert!(matches!(read_fill(Chain::Base, &query(1), &[]), Filling::Unclear { .. }));
}

/// A later call that fails alone is known from the run behind the first.
#[test]
fn gas_of_several_calls() {
    let mut several = answers(result(&json!("0xc350")));
    let run = json!([{ "calls": [
        { "status": "0x1", "gasUsed": "0xb000" },
        { "status": "0x1", "gasUsed": "0xffff" },
        { "status": "0x0", "gasUsed": "0x1", "error": { "message": "execution reverted" } },
    ] }]);
    several.push(result(&run));
    let needs = known(read_fill(Chain::Base, &query(3), &several)).gas;
    let failed = GasNeed::Fails { reason: "execution reverted".to_owned() };
    assert_eq!(needs, [GasNeed::Estimated { gas: 50_000 }, GasNeed::Used { gas: 65_535 }, failed]);
    // A node without simulation says nothing of the later ones.
    several[9] = error(-32_601, "the method does not exist");
    let needs = known(read_fill(Chain::Base, &query(3), &several)).gas;
    assert_eq!(needs, [GasNeed::Estimated { gas: 50_000 }, GasNeed::Unknown, GasNeed::Unknown]);
    let reverted = error(3, "execution reverted: no allowance");
    let reason = "execution reverted: no allowance".to_owned();
    assert_eq!(read_estimate(&[reverted]), [GasNeed::Fails { reason }]);
}

#[test]
fn receipts_are_read_strictly() {
    let id = format!("0x{}", "ab".repeat(32));
    let word = format!("0x{}", "01".repeat(32));
    let good = json!({
        "status": "0x1", "transactionHash": id, "blockHash": word, "blockNumber": "0x10", "gasUsed": "0x5208",
        "logs": [{ "address": ADDRESS, "data": "0x", "topics": [word], "logIndex": "0x0" }],
        "cumulativeGasUsed": "0x1",
    });
    let read = read_receipt(&id, &result(&good)).unwrap();
    assert_eq!(
        read.logs,
        [EvmLog { address: ADDRESS.to_owned(), data: "0x".to_owned(), topics: vec![word] }]
    );
    assert_eq!((read.status.as_str(), read.block_number.as_str()), ("0x1", "0x10"));
    for (name, bad) in [
        ("status", json!("0x2")),
        ("transactionHash", json!(format!("0x{}", "cd".repeat(32)))),
        ("blockHash", Value::Null),
        ("blockNumber", json!(null)),
        ("logs", json!([{ "address": "0x1", "data": "0x", "topics": [] }])),
        ("logs", json!([{ "address": ADDRESS, "data": "javascript:", "topics": [] }])),
    ] {
        let mut receipt = good.clone();
        receipt[name] = bad;
        assert_eq!(read_receipt(&id, &result(&receipt)), None, "{name}");
    }
    for useless in useless() {
        assert_eq!(read_receipt(&id, &useless), None);
    }
}

proptest! {
    #[test]
    fn garbage_is_read_or_unclear(answers in garbage(), calls in 0_usize..3) {
        let _ = read_fill(Chain::Base, &query(calls), &answers);
        let _ = read_estimate(&answers);
        for answer in &answers {
            prop_assert!(read_receipt("0xab", answer).is_none());
        }
    }
}
