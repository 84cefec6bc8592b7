//! Legacy action types, parameters and results (specification 000, Backwards compatibility).

use agent_backend::{Fault, Kind};
use countersign_tests::evm::{Evm, PAYEE};
use countersign_tests::world::*;
use runtime::agent::classify::{Classified, classify};
use serde_json::{Value, json};
use wire::action::Action;

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const PATH: &str = "m/44'/60'/0'/0/0";

fn classified(kind: &str, params: &Value) -> Classified {
    classify(&Action {
        id: "a1".to_owned(),
        kind: kind.to_owned(),
        title: None,
        description: None,
        params: fields(params).clone(),
        auto_execute: None,
    })
}

/// A type, its parameters, the resulting tool, the tool's parameters, and whether the form was legacy.
type Row = (&'static str, Value, &'static str, Value, bool);

fn check(table: Vec<Row>) {
    for (kind, given, tool, params, legacy) in table {
        let expected = Classified { tool: Some(tool), params: fields(&params).clone(), legacy };
        assert_eq!(classified(kind, &given), expected, "{kind} {given}");
    }
}

/// T000-104, T000-105, T000-106, T000-112: every row of the table of types, legacy and new; new types with new
/// parameters are unchanged.
#[test]
fn every_type_maps_to_its_tool() {
    let tokens = json!({"tokens": [{"chain": "Ethereum", "ticker": "USDC", "decimals": 6}], "extra": 1});
    let chains = json!({"chains": [{"chain": "Solana"}]});
    let entries = json!({"entries": [{"title": "Alice", "address": ALICE, "chain": "Ethereum"}]});
    let steps =
        json!({"transactions": [{"id": "s1", "sequence": 4, "chain": "Ethereum"}], "skip_approval": true});
    let filter = json!({"chain": "Ethereum", "query": "a"});
    check(vec![
        ("add_token", tokens.clone(), "add_token", tokens.clone(), false),
        ("add_coin", tokens.clone(), "add_token", tokens.clone(), true),
        ("remove_token", tokens.clone(), "remove_token", tokens.clone(), false),
        ("remove_coin", tokens.clone(), "remove_token", tokens, true),
        (
            "remove_coin",
            json!({"chain": "Base", "symbol": "USDC", "decimals": 6}),
            "remove_token",
            json!({"tokens": [{"chain": "Base", "ticker": "USDC"}]}),
            true,
        ),
        ("add_chain", chains.clone(), "add_chain", chains.clone(), false),
        ("add_chain", json!({"chain": "Solana"}), "add_chain", chains, true),
        ("get_address_book", filter.clone(), "get_address_book", filter, false),
        ("get_address_book", json!({}), "get_address_book", json!({}), false),
        ("add_address_book", entries.clone(), "add_address_book", entries.clone(), false),
        ("address_book_add", entries.clone(), "add_address_book", entries.clone(), true),
        ("add_address_book_entry", entries.clone(), "add_address_book", entries.clone(), true),
        ("delete_address_book", entries.clone(), "delete_address_book", entries.clone(), false),
        ("address_book_remove", entries.clone(), "delete_address_book", entries.clone(), true),
        ("remove_address_book_entry", entries.clone(), "delete_address_book", entries, true),
        ("sign_transaction_bundle", steps.clone(), "sign_transaction_bundle", steps, false),
    ]);
    assert_eq!(classified("sign_tx", &json!({})).tool, Some("sign_transaction_bundle"));
    for unknown in ["", "ADD_TOKEN", "add_tokens", "MpcTransaction", "address_book"] {
        let params = json!({"x": 1});
        let expected = Classified { tool: None, params: fields(&params).clone(), legacy: false };
        assert_eq!(classified(unknown, &params), expected, "{unknown}");
    }
}

/// T000-112: where parameters have both forms, the new form is used.
#[test]
fn new_form_takes_priority() {
    let both = json!({"chain": "Solana", "chains": [{"chain": "Sui"}]});
    check(vec![
        ("add_chain", both.clone(), "add_chain", both, false),
        (
            "add_coin",
            json!({"ticker": "OLD", "chain": "Base", "tokens": [{"ticker": "NEW"}]}),
            "add_token",
            json!({"ticker": "OLD", "chain": "Base", "tokens": [{"ticker": "NEW"}]}),
            true,
        ),
        (
            "address_book_add",
            json!({"name": "Old", "entries": [{"title": "New"}]}),
            "add_address_book",
            json!({"name": "Old", "entries": [{"title": "New"}]}),
            true,
        ),
    ]);
}

/// T000-108: a scalar coin becomes one token: `symbol` is its ticker, and a native coin may omit the rest. What a well-known
/// token omits is added by the tool (`known_tokens_may_omit_the_rest`).
#[test]
fn scalar_coin_becomes_one_token() {
    let token = |given: Value, token: Value| -> Row {
        ("add_coin", given, "add_token", json!({"tokens": [token]}), true)
    };
    let full = json!({"chain": "Ethereum", "ticker": "ABC", "contract_address": BOB, "decimals": 9,
        "logo": "https://logo.example", "price_provider_id": "abc", "is_native": false});
    check(vec![
        token(full.clone(), full.clone()),
        token(with(full.clone(), "unknown", json!(1)), full),
        // The ticker under either name of the field; `null` is nothing.
        token(json!({"chain": "ethereum", "symbol": "usdc"}), json!({"chain": "ethereum", "ticker": "usdc"})),
        token(
            json!({"chain": "Ethereum", "ticker": null, "symbol": "USDC", "decimals": null}),
            json!({"chain": "Ethereum", "ticker": "USDC"}),
        ),
        token(
            json!({"chain": "Ethereum", "ticker": "USDC", "symbol": "other"}),
            json!({"chain": "Ethereum", "ticker": "USDC"}),
        ),
        // The native coin.
        token(
            json!({"chain": "Solana", "symbol": "sol"}),
            json!({"chain": "Solana", "ticker": "sol", "decimals": 9, "is_native": true}),
        ),
        token(
            json!({"chain": "Ethereum", "ticker": "ETH", "contract_address": ""}),
            json!({"chain": "Ethereum", "ticker": "ETH", "contract_address": "", "decimals": 18, "is_native": true}),
        ),
        // Unknown values are not invented.
        token(json!({"chain": "Ethereum", "ticker": "NEW"}), json!({"chain": "Ethereum", "ticker": "NEW"})),
        token(json!({"chain": "Nowhere", "ticker": "USDC"}), json!({"chain": "Nowhere", "ticker": "USDC"})),
        token(json!({}), json!({})),
    ]);
}

/// T000-60, T000-108: an old coin that is well known may omit its contract, its decimals, or both; a new request may not, and
/// what is given is not overwritten.
#[tokio::test(start_paused = true)]
async fn known_tokens_may_omit_the_rest() {
    let lower = USDC.to_lowercase();
    let missing = "invalid_params: /tokens/0/decimals must be an integer from 0 to 255";
    let table = [
        (json!({"chain": "ethereum", "symbol": "usdc"}), None),
        (json!({"chain": "Ethereum", "ticker": null, "symbol": "USDC", "decimals": null}), None),
        (json!({"chain": "Ethereum", "ticker": "USDC", "contract_address": ""}), None),
        (json!({"chain": "Ethereum", "ticker": "USDC", "contract_address": lower}), None),
        (json!({"chain": "Ethereum", "ticker": "USDC", "decimals": 6}), None),
        (
            json!({"chain": "Ethereum", "ticker": "USDC", "decimals": 7, "contract_address": lower}),
            Some("decimals_contradicted: /tokens/0/decimals must be 6, as the token has them"),
        ),
        (json!({"chain": "Ethereum", "ticker": "USDC", "contract_address": BOB}), Some(missing)),
        (json!({"chain": "Ethereum", "ticker": "USDC."}), Some(missing)),
        (json!({"chain": "Ethereum", "ticker": "NEW"}), Some(missing)),
    ];
    for (params, error) in table {
        let world = World::new().await.with_vault().await;
        let result = world.act_once("add_coin", params.clone()).await;
        assert_eq!(result.get("error").and_then(Value::as_str), error, "{params}");
        let stored: Vec<Value> =
            world.coins().await.iter().map(|coin| coin["contractAddress"].clone()).collect();
        assert_eq!(stored.last(), error.is_none().then_some(&json!(USDC)), "{params}");
        let new = world.act_once("add_token", json!({"tokens": [without(params, "decimals")]})).await;
        assert_eq!(new["success"], false);
    }
}

/// T000-105, T000-106, T000-108: a scalar contact becomes one entry; `name` is an alias of `title`.
#[test]
fn scalar_contact_becomes_one_entry() {
    let mut table = Vec::new();
    let types = [
        ("address_book_add", "add_address_book"),
        ("add_address_book_entry", "add_address_book"),
        ("address_book_remove", "delete_address_book"),
        ("remove_address_book_entry", "delete_address_book"),
    ];
    for (old, new) in types {
        let mut row =
            |given: Value, entry: Value| table.push((old, given, new, json!({"entries": [entry]}), true));
        let entry = json!({"title": "Alice", "address": ALICE, "chain": "Ethereum"});
        row(entry.clone(), entry.clone());
        row(json!({"name": "Alice", "address": ALICE, "chain": "Ethereum"}), entry.clone());
        row(json!({"name": "Old", "title": "Alice", "address": ALICE, "chain": "Ethereum"}), entry.clone());
        row(json!({"name": "Alice", "title": null, "address": ALICE, "chain": "Ethereum"}), entry);
        row(json!({"id": "e1"}), json!({"id": "e1"}));
        row(json!({}), json!({}));
    }
    check(table);
}

/// T000-108: `sign_tx` becomes steps with sequence numbers, from one keysign payload or from `transactions` of
/// `{type, label, tx_data}`; missing fields are taken from the chain.
#[test]
fn sign_tx_becomes_a_bundle() {
    let bundle =
        |given: Value, params: Value| -> Row { ("sign_tx", given, "sign_transaction_bundle", params, true) };
    let raw = |chain_id: &str, kind: &str, hex: &str| json!({"chain_id": chain_id, "derive_path": PATH, "tx_type": kind, "_": hex});
    let step = |at: usize, label: &str, chain: &str| {
        json!({"id": format!("a1-{at}"), "sequence": at, "action": label, "wait_for_receipt": true,
            "chain": chain, "signing_mode": "ecdsa_secp256k1"})
    };
    let unsigned = |step: Value, context: Value| {
        let hex = context["_"].clone();
        with(with(step, "unsigned_tx_hex", hex), "chain_context", without(context, "_"))
    };
    check(vec![
        bundle(
            json!({"keysign_payload": "Cg==", "chain": "Bitcoin", "bundle_label": "Send", "skip_approval": true}),
            json!({"bundle_label": "Send", "skip_approval": true,
                "transactions": [with(step(0, "sign", "Bitcoin"), "keysign_payload", json!("Cg=="))]}),
        ),
        bundle(
            json!({"keysign_payload": "Cg==", "from_chain": "Solana"}),
            json!({"transactions": [
                with(with(step(0, "sign", "Solana"), "signing_mode", json!("eddsa_ed25519")), "keysign_payload",
                    json!("Cg=="))
            ]}),
        ),
        bundle(
            json!({"keysign_payload": "Cg=="}),
            json!({"transactions": [{"id": "a1-0", "sequence": 0, "action": "sign", "wait_for_receipt": true,
                "keysign_payload": "Cg=="}]}),
        ),
        bundle(
            json!({"chain": "Ethereum", "transactions": [
                {"type": "approve", "label": "Approve USDC", "tx_data": {"unsigned_tx": "0x02f8"}},
                {"type": "swap", "tx_data": {"unsigned_tx_hex": "f86b", "chain_id": "0xa4b1"}, "chain": "Arbitrum"},
                {"label": "Bridge", "tx_data": {"unsigned_tx": "0x01f8"}, "chain_id": "8453", "chain": null},
                {"keysign_payload": "Cg==", "chain": "Base", "tx_details": {"to": BOB}},
            ]}),
            json!({"transactions": [
                unsigned(step(0, "Approve USDC", "Ethereum"), raw("0x1", "eip1559", "0x02f8")),
                unsigned(step(1, "swap", "Arbitrum"), raw("0xa4b1", "legacy", "f86b")),
                unsigned(step(2, "Bridge", "Ethereum"), raw("0x2105", "eip2930", "0x01f8")),
                with(with(step(3, "sign", "Base"), "keysign_payload", json!("Cg==")), "tx_details",
                    json!({"to": BOB})),
            ]}),
        ),
        bundle(
            json!({"transactions": [{"label": "Pay", "tx_data": {"unsigned_tx": "0x02f8", "chain_id": 137}}]}),
            json!({"transactions": [unsigned(step(0, "Pay", "Polygon"), raw("0x89", "eip1559", "0x02f8"))]}),
        ),
    ]);
}

/// T000-104: `sign_tx` opens the same approval as the new type, and its result keeps the legacy name.
#[tokio::test(start_paused = true)]
async fn sign_tx_asks_for_approval() {
    let hex = Evm::pays(PAYEE, 5).hex();
    let old = json!({"transactions": [{"label": "Pay", "tx_data": {"unsigned_tx": hex, "chain_id": 1}}]});
    let world = World::proposing(json!([
        action("4", "sign_tx", old),
        action("5", "sign_tx", json!({"keysign_payload": "Cg=="})),
        action("6", "get_address_book", json!({})),
    ]))
    .await;
    world.make_vault("correct horse battery").await;
    world.say("go").await;
    let prompts = world.prompts().await;
    let [prompt] = prompts.as_slice() else { panic!("one prompt: {prompts:?}") };
    assert_eq!(prompt["kind"], "tx_bundle_approval");
    let bundle = world.get(&format!("/api/bundles/{}", prompt["callId"].as_str().unwrap())).await;
    assert_eq!(
        (&bundle["steps"][0]["chain"], &bundle["steps"][0]["action"]),
        (&json!("Ethereum"), &json!("Pay"))
    );
    assert_eq!(world.answer(json!({"approve": false})).await.0, 200);
    assert_eq!(
        world.results(),
        [
            refused_bundle("4", "sign_tx", "rejected_by_user: the user said no"),
            refused_bundle(
                "5",
                "sign_tx",
                "invalid_params: /transactions/0/chain must be a non-empty string"
            ),
            json!({"action": "get_address_book", "action_id": "6", "success": true,
                "data": {"entries": [], "total_count": 0}}),
        ]
    );
    assert_eq!(world.violations(), [""; 0]);
}

/// T000-105, T000-106, T000-109: both legacy names of both tools work, and their results have the legacy scalar
/// fields beside the new rows (D9); a new type has only the rows.
#[tokio::test(start_paused = true)]
async fn legacy_types_get_scalar_fields() {
    let world = World::new().await;
    let entry = json!({"name": "Alice", "address": ALICE, "chain": "ethereum"});
    for kind in ["address_book_add", "add_address_book_entry"] {
        let result = world.act(json!([action(kind, kind, entry.clone())])).await;
        let id = world.book().await.last().unwrap()["id"].clone();
        let row = json!({"id": id, "title": "Alice", "address": ALICE, "chain": "Ethereum", "success": true,
            "error": null});
        let data = with(with(row.clone(), "name", json!("Alice")), "results", json!([row]));
        assert_eq!(result, [json!({"action": kind, "action_id": kind, "success": true, "data": data})]);
    }
    for (kind, left) in [("address_book_remove", 1), ("remove_address_book_entry", 0)] {
        let id = world.book().await[0]["id"].clone();
        let result = world.act(json!([action(kind, kind, json!({"id": id}))])).await;
        let row = json!({"id": id, "title": "Alice", "chain": "Ethereum", "success": true, "error": null});
        let data = with(with(row.clone(), "name", json!("Alice")), "results", json!([row]));
        assert_eq!(result, [json!({"action": kind, "action_id": kind, "success": true, "data": data})]);
        assert_eq!(world.book().await.len(), left);
    }
    let new =
        world.act_once("add_address_book", json!({"entries": [with(entry, "title", json!("Alice"))]})).await;
    assert_eq!(fields(&new["data"]).keys().collect::<Vec<_>>(), ["results"]);
}

/// T000-109: a failed legacy call has its row, the scalar fields and the error; a call with several entries has no
/// scalar fields.
#[tokio::test(start_paused = true)]
async fn failed_legacy_types() {
    let world = World::new().await;
    let failed = world.act(json!([action("1", "address_book_remove", json!({"name": "Zoe"}))])).await;
    let row = json!({"id": null, "title": "Zoe", "chain": null, "success": false, "error": "not_found"});
    let data = with(with(row.clone(), "name", json!("Zoe")), "results", json!([row]));
    assert_eq!(failed, [with(failure("1", "address_book_remove", "not_found"), "data", data)]);
    let entry = json!({"title": "A", "address": ALICE, "chain": "Base"});
    let several = world.act_once("address_book_add", json!({"entries": [entry, entry]})).await;
    assert_eq!(fields(&several["data"]).keys().collect::<Vec<_>>(), ["results"]);
}

/// The legacy response field, in a JSON body and as an event.
fn legacy_field() -> [Answer; 2] {
    let transactions = json!([
        {"sequence": 1, "chain": "Ethereum", "chain_id": "1", "action": "swap", "unsigned_tx_hex": "0x02f9"},
        {"sequence": 0, "chain": "Ethereum", "chain_id": "1", "action": "approve", "unsigned_tx_hex": "0x02f8"},
    ]);
    [
        Answer::json(&json!({"message": {"content": "sign"}, "transactions": transactions})),
        Answer::events(&[("transactions", json!({"transactions": transactions}))]),
    ]
}

/// T000-107, T000-108: the response field `transactions` becomes one `sign_transaction_bundle`, in a stream and in a
/// JSON body, with the same id each time the same answer is read.
#[tokio::test(start_paused = true)]
async fn legacy_field_becomes_one_bundle() {
    let mut ids = Vec::new();
    for answer in legacy_field() {
        let world = World::answering(move |sent| match sent.body.get("content") {
            Some(_) => answer.clone(),
            None => Answer::events(&[]),
        })
        .await;
        world.say("go").await;
        let calls = world.calls().await;
        let [call] = calls.as_slice() else { panic!("one call: {calls:?}") };
        let id = call["actionId"].as_str().unwrap();
        let step = |at: usize, sequence: usize, label: &str, hex: &str| {
            json!({"id": format!("{id}-{at}"), "sequence": sequence, "action": label, "wait_for_receipt": true,
                "chain": "Ethereum", "signing_mode": "ecdsa_secp256k1", "unsigned_tx_hex": hex,
                "chain_context": {"chain_id": "0x1", "derive_path": PATH, "tx_type": "eip1559"}})
        };
        assert_eq!(
            (&call["type"], &call["tool"]),
            (&json!("sign_transaction_bundle"), &json!("sign_transaction_bundle"))
        );
        assert_eq!(
            call["params"],
            json!({"transactions": [step(0, 1, "swap", "0x02f9"), step(1, 0, "approve", "0x02f8")]})
        );
        let error = "no_vault: there is no vault yet that could sign";
        assert_eq!(world.results(), [refused_bundle(id, "sign_transaction_bundle", error)]);
        ids.push(id.to_owned());
    }
    assert_eq!(ids.first(), ids.last(), "the same turn in two identical worlds");
}

/// T000-107: an answer with the legacy field that is read twice is one call, wherever the worker crashed during the
/// first reading; the next answer with the same transactions is another call.
#[tokio::test(start_paused = true)]
async fn legacy_field_read_twice_is_one_call() {
    let mut read_twice = 0;
    for steps in 0..60 {
        let transactions = ("transactions", json!([{"chain": "Ethereum", "unsigned_tx_hex": "0x02f8"}]));
        let world = World::answering(move |sent| match sent.body.get("content") {
            Some(_) => Answer::events(std::slice::from_ref(&transactions)),
            None => Answer::events(&[]),
        })
        .await;
        read_twice += usize::from(world.restart_while_reading(steps).await);
        assert_eq!(world.calls().await.len(), 1, "crashed after {steps} steps");
        world.say("again").await;
        let calls = world.calls().await;
        assert_eq!(calls.len(), 2);
        assert_ne!(calls[0]["actionId"], calls[1]["actionId"]);
    }
    assert!(read_twice > 0, "no crash fell between the call and the end of its answer");
}

/// T000-112: transactions sent in both forms are prompted for once, in the new form, in either order.
#[tokio::test(start_paused = true)]
async fn both_forms_in_one_answer_are_one_bundle() {
    let transactions = json!([{"chain": "Ethereum", "chain_id": "1", "unsigned_tx_hex": "0x02f8"}]);
    let old = ("transactions", json!({"transactions": transactions}));
    for kind in ["sign_transaction_bundle", "sign_tx"] {
        let actions = json!([read_book("r"), action("new", kind, json!({"transactions": transactions}))]);
        let new = ("actions", json!({"actions": actions}));
        let answers = [
            Answer::events(&[old.clone(), new.clone()]),
            Answer::events(&[new.clone(), old.clone()]),
            Answer::json(
                &json!({"message": {"content": "x"}, "transactions": transactions, "actions": actions}),
            ),
        ];
        for answer in answers {
            let world = World::answering(move |sent| match sent.body.get("content") {
                Some(_) => answer.clone(),
                None => Answer::events(&[]),
            })
            .await;
            world.say("go").await;
            let ids: Vec<Value> = world.calls().await.iter().map(|call| call["actionId"].clone()).collect();
            assert_eq!(ids, ["r", "new"]);
        }
    }
}

/// T000-107: an empty list of transactions creates no bundle.
#[tokio::test(start_paused = true)]
async fn empty_transactions_create_no_bundle() {
    for answer in [
        Answer::json(&json!({"message": {"content": "x"}, "transactions": []})),
        Answer::json(&json!({"message": {"content": "x"}, "transactions": null})),
        Answer::events(&[("transactions", json!([]))]),
        Answer::events(&[("transactions", json!({"transactions": null}))]),
    ] {
        let world = World::answering(move |sent| match sent.body.get("content") {
            Some(_) => answer.clone(),
            None => Answer::events(&[]),
        })
        .await;
        world.say("go").await;
        assert_eq!(world.calls().await, Vec::<Value>::new());
    }
}

/// T000-13, T000-107: the scripted agent, which checks results against its proposals, reports no violation when an
/// answer with legacy types is read again.
#[tokio::test(start_paused = true)]
async fn legacy_types_survive_rereading() {
    let entry = json!({"name": "Alice", "address": ALICE, "chain": "ethereum"});
    let world = World::proposing(json!([action("1", "address_book_add", entry)])).await;
    world.set_fault(Fault::new(Kind::NoMessage).on_messages().times(1));
    world.say("go").await;
    world.pass(2_000).await;
    assert_eq!((world.book().await.len(), world.violations()), (1, vec![]));
}
