//! What an indexer of Sui is asked before a transaction is signed: the versions of the objects that it takes by version,
//! and the epoch, for what expires.
//!
//! An object that changed since is not the one that was signed for, and never will be again. The versions of shared
//! objects are not signed.

use super::data::{Expiration, Input, ObjectRef, TransactionData, full};
use crate::rpc::check::{Found, finding, stale, unclear};
use crate::rpc::sui::graphql;
use crate::rpc::{Request, Response};
use serde_json::{Value, json};
use wire::node::FindingCode;

const LOOK_UP: &str =
    "query($keys:[ObjectKey!]!){epoch{epochId} multiGetObjects(keys:$keys){address version}}";
/// As many as an indexer looks up at once; what is beyond is left to the validators.
const MOST_OBJECTS: usize = 50;

/// The objects that are taken in one version: what the commands use, and what pays.
fn taken(data: &TransactionData) -> impl Iterator<Item = &ObjectRef> {
    let inputs = data.inputs.iter().filter_map(|input| match input {
        Input::Owned(object) | Input::Receiving(object) => Some(object),
        _ => None,
    });
    data.gas.payment.iter().chain(inputs).take(MOST_OBJECTS)
}

pub(super) fn ask(data: &TransactionData) -> Vec<Request> {
    let keys: Vec<Value> = taken(data).map(|object| json!({ "address": full(&object.id) })).collect();
    vec![graphql(LOOK_UP, &json!({ "keys": keys }))]
}

pub(super) fn read(data: &TransactionData, ahead: u32, answers: &[Response]) -> Found {
    let unread = || unclear(answers.first());
    let answer = answers.first().filter(|answer| answer.status == 200).and_then(Response::json);
    let answer = answer.filter(|answer| answer.get("errors").is_none()).ok_or_else(unread)?;
    let objects = answer.pointer("/data/multiGetObjects").and_then(Value::as_array).ok_or_else(unread)?;
    let epoch = answer.pointer("/data/epoch/epochId").and_then(Value::as_u64);
    if let (Some(last), Some(epoch)) = (last_epoch(&data.expiration), epoch)
        && epoch > last
    {
        return Err(stale(format!("It expired with epoch {last}, and the chain is in epoch {epoch}.")));
    }
    let mut findings = Vec::new();
    for object in taken(data) {
        let id = full(&object.id);
        let named = |found: &&Value| found.get("address").and_then(Value::as_str) == Some(&id);
        let found = objects.iter().find(named).and_then(|found| found.get("version")?.as_u64());
        match found {
            Some(version) if version > object.version => {
                let own = object.version;
                return Err(stale(format!(
                    "It takes object {id} at version {own}, which is at {version} now."
                )));
            }
            // An indexer that is behind, or an object that a step before this one makes.
            Some(_) => {}
            None if ahead > 0 => {}
            None => {
                let message = format!("The indexer does not know the object {id}.");
                findings.push(finding(FindingCode::Unchecked, message));
            }
        }
    }
    Ok(findings)
}

const fn last_epoch(expiration: &Expiration) -> Option<u64> {
    match expiration {
        Expiration::None => None,
        Expiration::Epoch(last) => Some(*last),
        Expiration::ValidDuring(validity) | Expiration::Validity(validity, _) => {
            let [_, last, _, _] = validity.bounds;
            last
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Programmable;
    use super::super::data::{Gas, Validity};
    use super::*;
    use crate::Chain;
    use crate::rpc;
    use crate::rpc::Method;
    use crate::rpc::check::tests::{fine, garbage, is_unclear, json_answer, refuses, useless, warned};
    use crate::signing::PublicKey;
    use crate::transaction::{Account, Role, Transaction};
    use proptest::prelude::*;
    use wire::node::Checked;

    fn object(name: u8) -> ObjectRef {
        ObjectRef { id: [name; 32], version: 5, digest: [name; 32] }
    }

    /// Object 1 pays, 2 and 3 are taken, 4 is shared.
    fn transaction(expiration: Expiration) -> Transaction {
        let owner = [0xaa; 32];
        let key = PublicKey::Ed25519([7; 32]);
        let account = Account { chain: Chain::Sui, key, address: full(&owner) };
        let shared = Input::Shared { id: [4; 32], initial_version: 5, mutable: true };
        let inputs = vec![Input::Owned(object(2)), shared, Input::Receiving(object(3)), Input::Pure(vec![1])];
        let gas = Gas { payment: vec![object(1)], owner, price: 500, budget: 3_000_000 };
        let data = TransactionData { inputs, commands: Vec::new(), sender: owner, gas, expiration };
        Transaction::new(&account, Role::Main, Programmable(data))
    }

    fn plain() -> Transaction {
        transaction(Expiration::None)
    }

    fn at(versions: [Option<u64>; 3]) -> Response {
        let named = |(name, version): (u8, Option<u64>)| {
            version.map(|version| json!({ "address": full(&[name; 32]), "version": version }))
        };
        let objects: Vec<Option<Value>> = (1..=3).zip(versions).map(named).collect();
        json_answer(&json!({ "data": { "epoch": { "epochId": 900 }, "multiGetObjects": objects } }))
    }

    #[test]
    fn objects_are_asked_for_by_name() {
        let requests = rpc::check(&plain(), 0);
        let [Request { method: Method::Post(body), path }] = requests.as_slice() else { panic!("one POST") };
        let body: Value = serde_json::from_str(body).unwrap();
        let keys: Vec<Value> = (1..=3).map(|name| json!({ "address": full(&[name; 32]) })).collect();
        assert_eq!(body["variables"], json!({ "keys": keys }));
        assert!(body["query"].as_str().unwrap().contains("multiGetObjects(keys:$keys)"));
        assert_eq!(path, "/graphql");
    }

    #[test]
    fn an_object_that_changed_is_stale() {
        assert_eq!(rpc::read_check(&plain(), 0, &[at([Some(5); 3])]), fine());
        assert_eq!(rpc::read_check(&plain(), 0, &[at([Some(5), Some(4), Some(5)])]), fine());
        for name in 1..=3_u8 {
            let mut versions = [Some(5); 3];
            versions[usize::from(name) - 1] = Some(6);
            let id = full(&[name; 32]);
            let reason = format!("It takes object {id} at version 5, which is at 6 now.");
            assert_eq!(rpc::read_check(&plain(), 1, &[at(versions)]), stale(reason));
        }
    }

    #[test]
    fn an_unknown_object_may_come_from_a_step_before() {
        let answers = [at([Some(5), None, Some(5)])];
        let message = format!("The indexer does not know the object {}.", full(&[2; 32]));
        assert_eq!(rpc::read_check(&plain(), 0, &answers), warned(FindingCode::Unchecked, &message));
        assert_eq!(rpc::read_check(&plain(), 1, &answers), fine());
    }

    #[test]
    fn an_epoch_that_is_over() {
        let during = |last| Validity { bounds: [None, last, None, None], chain: [0; 32], nonce: 0 };
        let read = |expiration| rpc::read_check(&transaction(expiration), 0, &[at([Some(5); 3])]);
        let reason = "It expired with epoch 899, and the chain is in epoch 900.".to_owned();
        assert_eq!(read(Expiration::Epoch(900)), fine());
        assert_eq!(read(Expiration::Epoch(899)), stale(reason.clone()));
        assert_eq!(read(Expiration::ValidDuring(during(None))), fine());
        assert_eq!(read(Expiration::ValidDuring(during(Some(899)))), stale(reason.clone()));
        assert_eq!(read(Expiration::Validity(during(Some(899)), None)), stale(reason));
    }

    #[test]
    fn an_answer_that_cannot_be_read_is_unclear() {
        let failed = json!({ "data": { "multiGetObjects": [] }, "errors": [{ "message": "no" }] });
        for answer in useless().into_iter().chain([json_answer(&failed)]) {
            let checked: Checked = rpc::read_check(&plain(), 0, std::slice::from_ref(&answer));
            assert!(is_unclear(&checked), "{answer:?}");
        }
        assert!(is_unclear(&rpc::read_check(&plain(), 0, &[])));
    }

    proptest! {
        #[test]
        fn garbage_refuses_nothing(answers in garbage(), ahead in 0_u32..3) {
            let checked = rpc::read_check(&transaction(Expiration::Epoch(0)), ahead, &answers);
            prop_assert!(!refuses(&checked), "{checked:?}");
        }
    }
}
