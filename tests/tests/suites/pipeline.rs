//! The pipeline: what a tool gave, arguments that are checked before anybody is asked, and calls that are cancelled.
#![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

use countersign_tests::world::*;
use serde_json::json;

/// T003-16: arguments of every tool are checked before anybody is asked: a call that could only fail asks nobody.
#[tokio::test(start_paused = true)]
async fn arguments_are_checked_before_the_user_is_asked() {
    let asking = |kind: &str, params| without(action("a1", kind, params), "auto_execute");
    let table = [
        ("add_address_book", json!({"entries": {}}), "invalid_params: /entries must be an array"),
        ("add_address_book", json!({"entries": []}), "invalid_params: /entries must have at least one entry"),
        ("delete_address_book", json!({}), "invalid_params: /entries must be an array"),
        ("add_chain", json!({"chains": "Bitcoin"}), "invalid_params: /chains must be an array"),
        ("add_token", json!({"tokens": null}), "invalid_params: /tokens must be an array"),
        ("remove_token", json!({"tokens": []}), "invalid_params: /tokens must have at least one entry"),
        ("get_address_book", json!({"chain": 7}), "invalid_params: /chain must be a string"),
    ];
    for (kind, params, error) in table {
        let world = World::proposing(json!([asking(kind, params)])).await;
        world.say("go").await;
        assert_eq!(world.results(), [failure("a1", kind, error)]);
        assert_eq!((world.prompts().await.len(), world.browser.notified().len()), (0, 0));
    }
    let world =
        World::proposing(json!([asking("sign_transaction_bundle", json!({"transactions": []}))])).await;
    world.say("go").await;
    let error = "invalid_params: /transactions must have at least one step";
    assert_eq!(world.results(), [refused_bundle("a1", "sign_transaction_bundle", error)]);
}
