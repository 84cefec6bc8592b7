//! What a Substrate node is asked before an extrinsic is signed: the account's next nonce, the chain's genesis, the
//! runtime's versions, and how far the chain is from the block at which the era begins.
//!
//! Genesis, versions and that block are signed along: with others the network refuses the signature. The next nonce counts
//! what waits in the node's pool. Balances are in the state under hashed keys, and a trial run needs the signature.

use super::Transfer;
use crate::encoding;
use crate::rpc::check::{Found, place, stale, unclear};
use crate::rpc::evm::quantity;
use crate::rpc::{Request, Response};
use crate::transaction::Account;
use serde_json::{Value, json};
use wire::node::Checked;

pub(super) fn ask(transfer: &Transfer, account: &Account) -> Vec<Request> {
    let begin = format!("0x{}", encoding::hex(&transfer.block_hash));
    vec![
        Request::json_rpc("chain_getBlockHash", &json!([0])),
        Request::json_rpc("system_accountNextIndex", &json!([account.address])),
        Request::json_rpc("state_getRuntimeVersion", &json!([])),
        Request::json_rpc("chain_getHeader", &json!([begin])),
        Request::json_rpc("chain_getHeader", &json!([])),
    ]
}

pub(super) fn read(transfer: &Transfer, ahead: u32, answers: &[Response]) -> Found {
    let at = |index: usize| answers.get(index).and_then(Response::result).unwrap_or_default();
    let unread = |index: usize| unclear(answers.get(index));
    let genesis = at(0).as_str().and_then(|hash| encoding::array_from_hex("genesis", hash).ok());
    let genesis: [u8; 32] = genesis.ok_or_else(|| unread(0))?;
    if genesis != transfer.genesis_hash {
        let [found, expected] = [genesis, transfer.genesis_hash].map(|hash| encoding::hex(&hash));
        let reason = format!("The node's chain began with block {found}, the transaction's with {expected}.");
        return Err(Checked::WrongNetwork { reason });
    }
    let next = at(1).as_u64().ok_or_else(|| unread(1))?;
    let gap = place(transfer.nonce.into(), next, ahead)?;
    let version = at(2);
    let version = |name: &str| version.get(name).and_then(Value::as_u64).ok_or_else(|| unread(2));
    let found = (version("specVersion")?, version("transactionVersion")?);
    let signed = (u64::from(transfer.spec_version), u64::from(transfer.transaction_version));
    if found != signed {
        let ((spec, transaction), (own_spec, own_transaction)) = (found, signed);
        return Err(stale(format!(
            "It is for runtime {own_spec} ({own_transaction}), and the chain runs {spec} ({transaction})."
        )));
    }
    if let (Some(begin), Some(height)) = (height(&at(3)), height(&at(4))) {
        // The next block is the first that it could be in.
        let last = begin.saturating_add(period(transfer.era)).saturating_sub(1);
        if height >= last {
            return Err(stale(format!("It had to be in block {last}, and the chain is at {height}.")));
        }
    }
    Ok(gap.into_iter().collect())
}

fn height(header: &Value) -> Option<u64> {
    quantity(header.get("number")?.as_str()?)?.try_into().ok()
}

/// How many blocks an era lasts: the lowest four bits of its code are the logarithm, less one.
const fn period(era: [u8; 2]) -> u64 {
    2 << (u16::from_le_bytes(era) & 0x0f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Chain;
    use crate::rpc;
    use crate::rpc::Method;
    use crate::rpc::check::tests::{fine, garbage, is_unclear, refuses, result, useless, warned};
    use crate::signing::PublicKey;
    use crate::transaction::{Role, Transaction};
    use proptest::prelude::*;
    use wire::node::FindingCode;

    /// Nonce 5, 64 blocks from block 1000 on.
    fn transaction() -> Transaction {
        let key = PublicKey::Ed25519([7; 32]);
        let account = Account { chain: Chain::Polkadot, key, address: "1own".to_owned() };
        let transfer = Transfer {
            chain: Chain::Polkadot,
            to: [7; 32],
            amount: 1,
            era: [0x85, 0x02],
            nonce: 5,
            spec_version: 1_002_006,
            transaction_version: 15,
            genesis_hash: [8; 32],
            block_hash: [9; 32],
        };
        Transaction::new(&account, Role::Main, transfer)
    }

    fn answers(next: u64, spec: u32, height: u64) -> [Response; 5] {
        let header = |number: u64| result(&json!({ "number": format!("{number:#x}"), "parentHash": "0x00" }));
        [
            result(&json!(format!("0x{}", "08".repeat(32)))),
            result(&json!(next)),
            result(&json!({ "specName": "statemint", "specVersion": spec, "transactionVersion": 15 })),
            header(1000),
            header(height),
        ]
    }

    fn read(next: u64, spec: u32, height: u64, ahead: u32) -> Checked {
        rpc::read_check(&transaction(), ahead, &answers(next, spec, height))
    }

    #[test]
    fn a_node_is_asked_for_what_is_signed_along() {
        let asked: Vec<(String, Value)> = rpc::check(&transaction(), 0)
            .into_iter()
            .map(|request| {
                let Method::Post(body) = request.method else { panic!("a POST") };
                let mut body: Value = serde_json::from_str(&body).unwrap();
                (body["method"].as_str().unwrap().to_owned(), body["params"].take())
            })
            .collect();
        let expected = [
            ("chain_getBlockHash", json!([0])),
            ("system_accountNextIndex", json!(["1own"])),
            ("state_getRuntimeVersion", json!([])),
            ("chain_getHeader", json!([format!("0x{}", "09".repeat(32))])),
            ("chain_getHeader", json!([])),
        ];
        assert_eq!(asked, expected.map(|(method, params)| (method.to_owned(), params)));
    }

    #[test]
    fn a_used_nonce_is_stale_and_a_later_one_waits() {
        assert_eq!(read(5, 1_002_006, 1001, 0), fine());
        assert_eq!(read(4, 1_002_006, 1001, 1), fine());
        let used = "Its number 5 is used: the account's next is 6.".to_owned();
        assert_eq!(read(6, 1_002_006, 1001, 0), stale(used));
        let gap = "Its number is 5, the account's next is 3: it waits for those between.";
        assert_eq!(read(3, 1_002_006, 1001, 0), warned(FindingCode::Gapped, gap));
    }

    #[test]
    fn another_chain() {
        let mut answers = answers(5, 1_002_006, 1001);
        answers[0] = result(&json!(format!("0x{}", "07".repeat(32))));
        let reason = format!(
            "The node's chain began with block {}, the transaction's with {}.",
            "07".repeat(32),
            "08".repeat(32)
        );
        assert_eq!(rpc::read_check(&transaction(), 0, &answers), Checked::WrongNetwork { reason });
    }

    #[test]
    fn a_runtime_that_was_replaced() {
        let reason = "It is for runtime 1002006 (15), and the chain runs 1002007 (15).".to_owned();
        assert_eq!(read(5, 1_002_007, 1001, 0), stale(reason));
    }

    #[test]
    fn an_era_that_is_over() {
        assert_eq!(read(5, 1_002_006, 1062, 0), fine());
        let reason = "It had to be in block 1063, and the chain is at 1063.".to_owned();
        assert_eq!(read(5, 1_002_006, 1063, 0), stale(reason));
        for answer in useless() {
            let mut answers = answers(5, 1_002_006, 9999);
            answers[3] = answer;
            assert_eq!(rpc::read_check(&transaction(), 0, &answers), fine(), "a block that is forgotten");
        }
    }

    #[test]
    fn missing_genesis_nonce_or_version_is_unclear() {
        for answer in useless() {
            for place in 0..3 {
                let mut answers = answers(5, 1_002_006, 1001);
                answers[place] = answer.clone();
                let checked = rpc::read_check(&transaction(), 0, &answers);
                assert!(is_unclear(&checked), "{place} {answer:?}");
            }
        }
        assert!(is_unclear(&rpc::read_check(&transaction(), 0, &[])));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), ahead in 0_u32..3) {
            let checked = rpc::read_check(&transaction(), ahead, &answers);
            prop_assert!(!refuses(&checked), "{checked:?}");
        }
    }
}
