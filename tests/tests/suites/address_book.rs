//! The address book's three tools (specification 000 §4–§6).
#![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

use countersign_tests::evm::{Evm, bundle};
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};

const BITCOIN: &str = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq";
const SOLANA: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

/// Every chain's name, its kind, and one of its addresses in canonical spelling.
const CHAINS: [(&str, &str, &str); 39] = [
    ("Ethereum", "evm", ALICE),
    ("Arbitrum", "evm", ALICE),
    ("Avalanche", "evm", ALICE),
    ("Base", "evm", ALICE),
    ("Blast", "evm", ALICE),
    ("BSC", "evm", ALICE),
    ("CronosChain", "evm", ALICE),
    ("Hyperliquid", "evm", ALICE),
    ("Mantle", "evm", ALICE),
    ("Optimism", "evm", ALICE),
    ("Polygon", "evm", ALICE),
    ("Robinhood", "evm", ALICE),
    ("Sei", "evm", ALICE),
    ("Zksync", "evm", ALICE),
    ("Bitcoin", "utxo", BITCOIN),
    ("Litecoin", "utxo", "ltc1q6p9e3ayw379uc9wx4edvq5yqrntdel2z0j9pw4"),
    ("Dogecoin", "utxo", "DQ8TemHGzjbEfsv2ud8zexgYnUtbc77Hub"),
    ("Dash", "utxo", "XugCwkzXf2uYHpL22vTexjCjjgjzGArsMU"),
    ("Bitcoin-Cash", "utxo", "qpm2qsznhks23z7629mms6s4cwef74vcwvy22gdx6a"),
    ("Zcash", "utxo", "t1cry7qkmfeUYjWnL7TxZF1csA1MP2b6ND2"),
    ("THORChain", "cosmos", "thor16p9e3ayw379uc9wx4edvq5yqrntdel2zmnc48h"),
    ("MayaChain", "cosmos", "maya16p9e3ayw379uc9wx4edvq5yqrntdel2zmyxe38"),
    ("Cosmos", "cosmos", "cosmos16p9e3ayw379uc9wx4edvq5yqrntdel2za5pwjg"),
    ("Osmosis", "cosmos", "osmo16p9e3ayw379uc9wx4edvq5yqrntdel2z40j7y6"),
    ("Dydx", "cosmos", "dydx16p9e3ayw379uc9wx4edvq5yqrntdel2z5d02jl"),
    ("Kujira", "cosmos", "kujira16p9e3ayw379uc9wx4edvq5yqrntdel2zvurklz"),
    ("Terra", "cosmos", "terra16p9e3ayw379uc9wx4edvq5yqrntdel2zmsmwsg"),
    ("TerraClassic", "cosmos", "terra16p9e3ayw379uc9wx4edvq5yqrntdel2zmsmwsg"),
    ("Noble", "cosmos", "noble16p9e3ayw379uc9wx4edvq5yqrntdel2z4h5x2x"),
    ("Akash", "cosmos", "akash16p9e3ayw379uc9wx4edvq5yqrntdel2zs0vftj"),
    ("Solana", "solana", SOLANA),
    ("Sui", "sui", "0xfbff98f48e8f8bcc15c6ae5ac050801cd6dcfd42d04b98f48e8f8bcc15c6ae5a"),
    ("Polkadot", "polkadot", "15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5"),
    ("Bittensor", "bittensor", "5GrwvaEF5zXb26Fz9rcQpDWS57CtERHpNehXCPcNoHGKutQY"),
    ("Ton", "ton", "EQDKbjIcfM6ezt8KjKJJLshZJJSqX7XOA4ff-W72r5gqPrHF"),
    ("Ripple", "ripple", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"),
    ("Tron", "tron", "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"),
    ("Cardano", "cardano", "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"),
    ("QBTC", "qbtc", "qbtc16p9e3ayw379uc9wx4edvq5yqrntdel2zqnqtau"),
];

fn added(id: &Value, title: &str, address: &str, chain: &str) -> Value {
    json!({"id": id, "title": title, "address": address, "chain": chain, "success": true, "error": null})
}

fn rejected(title: Value, address: Value, chain: Value, error: &str) -> Value {
    json!({"id": null, "title": title, "address": address, "chain": chain, "success": false, "error": error})
}

fn deleted(id: &str, title: &str, chain: &str) -> Value {
    json!({"id": id, "title": title, "chain": chain, "success": true, "error": null})
}

fn not_deleted(id: Value, title: Value, chain: Value, error: &str) -> Value {
    json!({"id": id, "title": title, "chain": chain, "success": false, "error": error})
}

/// Titles and chains of the entries that match a query.
async fn found(world: &World, params: Value) -> Vec<String> {
    let result = world.act_once("get_address_book", params).await;
    let entries = result["data"]["entries"].as_array().cloned().unwrap_or_default();
    assert_eq!(result["data"]["total_count"], entries.len());
    entries.iter().map(|entry| format!("{} {}", entry["title"], entry["chain"]).replace('"', "")).collect()
}

/// The result rows of a deletion, and the titles that remain.
async fn delete(world: &World, entries: Value) -> (Value, Vec<String>) {
    let result = world.act_once("delete_address_book", json!({"entries": entries})).await;
    (result["data"]["results"].clone(), found(world, json!({})).await)
}

fn count(events: &[ReceivedEvent], name: &str) -> usize {
    events.iter().filter(|event| event.name == name).count()
}

/// T000-76…79, T000-81: both filters are optional and combine; matching ignores case; a query matches titles and
/// addresses; the count is the number of returned entries.
#[tokio::test(start_paused = true)]
async fn query_and_chain_filters() {
    let world = World::new().await;
    world
        .save(&[
            ("Alice", ALICE, "Ethereum"),
            ("Alice on Base", BOB, "Base"),
            ("bob", BOB, "Ethereum"),
            ("Élodie", BITCOIN, "Bitcoin"),
        ])
        .await;
    let everything = ["Alice Ethereum", "Alice on Base Base", "bob Ethereum", "Élodie Bitcoin"].as_slice();
    let table: [(Value, &[&str]); 18] = [
        (json!({}), everything),
        (json!({"chain": null, "query": null}), everything),
        (json!({"chain": "", "query": " "}), everything),
        (json!({"chain": "Ethereum"}), &["Alice Ethereum", "bob Ethereum"]),
        (json!({"chain": "eTHEREUM"}), &["Alice Ethereum", "bob Ethereum"]),
        (json!({"chain": " Base "}), &["Alice on Base Base"]),
        (json!({"chain": "Arbitrum"}), &[]),
        (json!({"chain": "Solana"}), &[]),
        (json!({"query": "alice"}), &["Alice Ethereum", "Alice on Base Base"]),
        (json!({"query": "LIC"}), &["Alice Ethereum", "Alice on Base Base"]),
        (json!({"query": "élo"}), &["Élodie Bitcoin"]),
        (json!({"query": "ÉLO"}), &["Élodie Bitcoin"]),
        (json!({"query": "0XFB69"}), &["Alice on Base Base", "bob Ethereum"]),
        (json!({"query": "5mdq"}), &["Élodie Bitcoin"]),
        (json!({"query": "unmatched"}), &[]),
        (json!({"query": "alice", "chain": "base"}), &["Alice on Base Base"]),
        (json!({"query": "0xfb69", "chain": "ethereum"}), &["bob Ethereum"]),
        (json!({"query": "alice", "chain": "Bitcoin"}), &[]),
    ];
    for (params, expected) in table {
        assert_eq!(found(&world, params.clone()).await, expected, "{params}");
    }
}

/// T000-77: an unknown chain is an error, not an empty result (D6).
#[tokio::test(start_paused = true)]
async fn unknown_chain_is_an_error() {
    let world = World::new().await;
    let result = world.act(json!([action("a1", "get_address_book", json!({"chain": "Ether eum"}))])).await;
    assert_eq!(result, [failure("a1", "get_address_book", "unknown_chain: \"Ether eum\"")]);
}

/// T000-80, T000-110: every chain is matched in any case; its name is returned in canonical spelling, with the right
/// kind.
#[tokio::test(start_paused = true)]
async fn every_chain_has_its_kind() {
    let world = World::new().await;
    for (name, kind, address) in CHAINS {
        for spelling in [name.to_owned(), name.to_lowercase(), name.to_uppercase(), format!(" {name}\t")] {
            let world = &world;
            let ids = world.save(&[(name, address, &spelling)]).await;
            let entry = json!({"id": ids[0], "title": name, "address": address, "chain": name,
                "chain_kind": kind, "added_by": {"kind": "user"}, "confirmed": true});
            let result = world.act_once("get_address_book", json!({"chain": spelling})).await;
            assert_eq!(result["data"], json!({"entries": [entry], "total_count": 1}), "{spelling:?}");
            delete(world, json!([{"id": ids[0]}])).await;
        }
    }
    let all: Vec<&str> = chains::Chain::ALL.iter().map(|chain| chain.name()).collect();
    assert_eq!(all, CHAINS.map(|(name, ..)| name));
    for unknown in ["Bitcoin Cash", "Ethereum2", "E thereum", "Nowhere"] {
        let result = world.act_once("get_address_book", json!({"chain": unknown})).await;
        assert_eq!(result["error"], format!("unknown_chain: {unknown:?}"));
    }
}

/// T000-82: an EVM entry keeps the chain it was saved under and has kind `evm`; the chain filter is exact (D6).
#[tokio::test(start_paused = true)]
async fn an_evm_entry_keeps_its_chain() {
    let world = World::new().await;
    let ids = world.save(&[("Alice", ALICE, "Polygon")]).await;
    let entry = json!({"id": ids[0], "title": "Alice", "address": ALICE, "chain": "Polygon", "chain_kind": "evm",
        "added_by": {"kind": "user"}, "confirmed": true});
    assert_eq!(world.book().await, [entry]);
    assert_eq!(found(&world, json!({"chain": "Ethereum"})).await, [""; 0]);
}

/// T000-83: entries are sorted by title without case, then by title, then by id (D6).
#[tokio::test(start_paused = true)]
async fn entries_are_sorted_by_title() {
    let world = World::new().await;
    let titles = ["b", "Zoe", "a", "B", "É", "A", "é", "10", "a"];
    let entries = titles.map(|title| (title, ALICE, "Ethereum"));
    let ids = world.save(&entries).await;
    let book = world.book().await;
    let order: Vec<&Value> = book.iter().map(|entry| &entry["title"]).collect();
    assert_eq!(order, ["10", "A", "a", "a", "B", "b", "Zoe", "É", "é"]);
    assert!(ids[2] < ids[8]);
    assert_eq!((&book[2]["id"], &book[3]["id"]), (&json!(ids[2]), &json!(ids[8])));
}

/// T000-84: a read changes nothing, emits no change event and opens no prompt.
#[tokio::test(start_paused = true)]
async fn reading_has_no_side_effects() {
    let world = World::new().await;
    world.save(&[("Alice", ALICE, "Ethereum")]).await;
    let before = (world.records().await["contacts"].clone(), count(&world.events().await, "vaultModified"));
    let result = world.act(json!([{"id": "a1", "type": "get_address_book"}])).await;
    assert_eq!(result[0]["success"], true);
    let after = (world.records().await["contacts"].clone(), count(&world.events().await, "vaultModified"));
    assert_eq!((before, world.prompts().await), (after, vec![]));
}

/// T000-85, T000-86, T000-103: a missing or invalid field fails its own entry with the field's path, and nothing of
/// that entry is stored; the other entries are attempted.
#[tokio::test(start_paused = true)]
async fn adding_attempts_every_entry() {
    let world = World::new().await;
    let entry = |title: Value, address: Value, chain: Value| json!({"title": title, "address": address, "chain": chain});
    let good = entry(json!("Good"), json!(ALICE), json!("Ethereum"));
    let long = "x".repeat(201);
    let entries = json!([
        without(good.clone(), "title"),
        entry(json!(" \t"), json!(ALICE), json!("Ethereum")),
        entry(json!(7), json!(ALICE), json!("Ethereum")),
        entry(json!(long), json!(ALICE), json!("Ethereum")),
        without(good.clone(), "address"),
        entry(json!("A"), json!(""), json!("Ethereum")),
        without(good.clone(), "chain"),
        entry(json!("A"), json!(ALICE), json!("Nowhere")),
        "not an object",
        good,
    ]);
    let result = world.act_once("add_address_book", json!({"entries": entries})).await;
    let book = world.book().await;
    assert_eq!(book.len(), 1);
    let text = |index: usize, name: &str| {
        format!("invalid_params: /entries/{index}/{name} must be a non-empty string")
    };
    let (alice, ethereum) = (json!(ALICE), json!("Ethereum"));
    assert_eq!(
        without(result, "action_id"),
        json!({"action": "add_address_book", "success": true, "data": {"results": [
            rejected(json!(null), alice.clone(), ethereum.clone(), &text(0, "title")),
            rejected(json!(" \t"), alice.clone(), ethereum.clone(), &text(1, "title")),
            rejected(json!(null), alice.clone(), ethereum.clone(), "invalid_params: /entries/2/title must be a string"),
            rejected(json!(long), alice.clone(), ethereum.clone(),
                "invalid_params: /entries/3/title must have at most 200 characters"),
            rejected(json!("Good"), json!(null), ethereum.clone(), &text(4, "address")),
            rejected(json!("A"), json!(""), ethereum, &text(5, "address")),
            rejected(json!("Good"), alice.clone(), json!(null), &text(6, "chain")),
            rejected(json!("A"), alice, json!("Nowhere"), "unknown_chain: \"Nowhere\""),
            rejected(json!(null), json!(null), json!(null), "invalid_params: /entries/8 must be an object"),
            added(&book[0]["id"], "Good", ALICE, "Ethereum"),
        ]}})
    );
}

/// T000-87, T000-88, T000-91: every entry gets its own UUID, is stored trimmed under its chain's canonical name, and
/// is found by the next read and the next worker.
#[tokio::test(start_paused = true)]
async fn added_entries_are_stored() {
    let world = World::new().await;
    let entries = json!([
        {"title": " Alice ", "address": format!("\n{ALICE} "), "chain": "ethereum"},
        {"title": "Bob", "address": BITCOIN.to_uppercase(), "chain": " BITCOIN "},
    ]);
    let result = world.act_once("add_address_book", json!({"entries": entries})).await;
    for _ in 0..2 {
        let book = world.book().await;
        assert_eq!(
            result["data"]["results"],
            json!([
                added(&book[0]["id"], "Alice", ALICE, "Ethereum"),
                added(&book[1]["id"], "Bob", BITCOIN, "Bitcoin")
            ])
        );
        world.restart().await;
    }
    let ids: Vec<&str> = [0, 1].map(|row| result["data"]["results"][row]["id"].as_str().unwrap()).to_vec();
    let is_uuid = |id: &str| {
        let groups: Vec<usize> = id.split('-').map(str::len).collect();
        groups == [8, 4, 4, 4, 12] && id.chars().all(|c| c == '-' || c.is_ascii_hexdigit())
    };
    assert!(ids[0] != ids[1] && ids.iter().all(|id| is_uuid(id)), "{ids:?}");
}

/// T000-89: adding emits one event for each call, and only if an entry was stored.
#[tokio::test(start_paused = true)]
async fn adding_emits_one_event() {
    let world = World::new().await;
    world.save(&[("A", ALICE, "Ethereum"), ("B", ALICE, "Ethereum")]).await;
    assert_eq!(count(&world.events().await, "vaultModified"), 1);
    world.act_once("add_address_book", json!({"entries": [{"title": "C"}]})).await;
    world.act_once("add_address_book", json!({"entries": []})).await;
    assert_eq!(count(&world.events().await, "vaultModified"), 1);
}

/// T000-90: the same address may be saved under several titles, and the same title, address and chain twice.
#[tokio::test(start_paused = true)]
async fn duplicate_entries_are_allowed() {
    let world = World::new().await;
    let same = ("Alice ETH", ALICE, "Ethereum");
    let ids = world.save(&[same, ("Alice Main", ALICE, "Ethereum"), same]).await;
    world.save(&[same]).await;
    assert!(ids[0] != ids[2]);
    assert_eq!(
        found(&world, json!({})).await,
        ["Alice ETH Ethereum", "Alice ETH Ethereum", "Alice ETH Ethereum", "Alice Main Ethereum"]
    );
}

/// T000-91: an address that is invalid on its chain is refused (D7). A wrong checksum in mixed case is invalid; an
/// address in one case is stored in checksum form.
#[tokio::test(start_paused = true)]
async fn addresses_are_validated() {
    let world = World::new().await;
    let flipped = ALICE.replace("5aAe", "5aae");
    let refusals = [
        ("Ethereum", "0x1", "an address of this form is not 1 long"),
        ("Ethereum", flipped.as_str(), "the checksum of the address is wrong"),
        ("Ethereum", "alice.eth", "addresses of this chain do not begin with \"al\""),
        ("Bitcoin", ALICE, "an address of this form is not 42 long"),
        ("Solana", BITCOIN, "the address has a character that its encoding does not allow"),
        ("Bitcoin", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", "the address belongs to a test network"),
    ];
    for (chain, address, reason) in refusals {
        let entry = json!({"title": "A", "address": address, "chain": chain});
        let result = world.act_once("add_address_book", json!({"entries": [entry]})).await;
        let error = result["error"].as_str().unwrap_or_default();
        assert_eq!(error, format!("invalid_address: {chain}: {reason}"), "{address}");
        let row = rejected(json!("A"), json!(address), json!(chain), error);
        assert_eq!(result["data"]["results"], json!([row]));
    }
    assert_eq!(world.book().await, Vec::<Value>::new());
    let upper = format!("0x{}", ALICE[2..].to_uppercase());
    world.save(&[("lower", &ALICE.to_lowercase(), "Base"), ("upper", &upper, "BSC")]).await;
    let book = world.book().await;
    assert_eq!([&book[0]["address"], &book[1]["address"]], [ALICE, ALICE]);
}

/// Addresses are checked by the signer. Without it nothing is saved, and what needs no check works.
#[tokio::test(start_paused = true)]
async fn without_the_signer_no_address_is_taken() {
    let world = World::new().await;
    world.save(&[("Kept", ALICE, "Ethereum")]).await;
    world.browser.set_signer_unavailable(true);
    let before = world.book().await;
    let refused = "signer_unavailable: addresses cannot be checked at the moment";
    let entry = json!({"title": "A", "address": ALICE, "chain": "Base"});
    let result = world.act_once("add_address_book", json!({"entries": [entry]})).await;
    assert_eq!((&result["success"], &result["error"]), (&json!(false), &json!(refused)));
    let by_address = json!({"entries": [{"address": ALICE, "chain": "Ethereum"}]});
    let result = world.act_once("delete_address_book", by_address.clone()).await;
    assert_eq!((&result["success"], &result["error"]), (&json!(false), &json!(refused)));
    assert_eq!(world.book().await, before);
    let unnamed = json!({"entries": [{"title": "A", "chain": "Base"}]});
    let result = world.act_once("add_address_book", unnamed).await;
    assert_eq!(result["error"], "invalid_params: /entries/0/address must be a non-empty string");

    world.browser.set_signer_unavailable(false);
    assert_eq!(world.act_once("delete_address_book", by_address).await["success"], true);
    assert_eq!(world.book().await, Vec::<Value>::new());
}

/// T000-88: an entry records who added it: the user or the agent.
#[tokio::test(start_paused = true)]
async fn an_entry_records_who_added_it() {
    let world = World::proposing(json!([save_entry("a1", "From the agent")])).await;
    world.save(&[("By the user", ALICE, "Ethereum")]).await;
    world.say("go").await;
    let who: Vec<Value> =
        world.book().await.iter().map(|entry| json!([entry["title"], entry["added_by"]])).collect();
    assert_eq!(who, [json!(["By the user", {"kind": "user"}]), json!(["From the agent", {"kind": "agent"}])]);
}

/// T000-92…98, T000-101: every way to select an entry, in order of priority; a selector that matches no entry or
/// several deletes nothing (D8: a title alone counts only without a chain).
#[tokio::test(start_paused = true)]
async fn deletion_selectors() {
    let book = [
        ("Alice", ALICE, "Ethereum"),
        ("Alice", ALICE, "Base"),
        ("Bob", BOB, "Ethereum"),
        ("Bob", ALICE, "Ethereum"),
        ("Carol", BITCOIN, "Bitcoin"),
        ("Dave", BOB, "Base"),
    ];
    let not_found = Err("not_found");
    let ambiguous = Err("ambiguous_match");
    let incomplete = Err("invalid_params: /entries/0 needs an id, a title, or an address with its chain");
    let table: [(Value, Result<usize, &str>); 25] = [
        // Title and chain.
        (json!({"title": "Alice", "chain": "Base"}), Ok(1)),
        (json!({"title": " Alice ", "chain": "base"}), Ok(1)),
        (json!({"title": "alice", "chain": "Base"}), not_found),
        (json!({"title": "Ali", "chain": "Base"}), not_found),
        (json!({"title": "Bob", "chain": "Ethereum"}), ambiguous),
        (json!({"title": "Bob", "chain": "Base"}), not_found),
        // Title and chain take priority over address and chain.
        (json!({"title": "Dave", "address": ALICE, "chain": "Base"}), Ok(5)),
        (json!({"title": "Bob", "address": BOB, "chain": "Ethereum"}), ambiguous),
        // Address and chain, also if no entry on that chain has the title.
        (json!({"address": ALICE, "chain": "Base"}), Ok(1)),
        (json!({"address": ALICE.to_lowercase(), "chain": "Base"}), Ok(1)),
        (json!({"address": BITCOIN.to_uppercase(), "chain": "Bitcoin"}), Ok(4)),
        (json!({"title": "Zoe", "address": BOB, "chain": "Ethereum"}), Ok(2)),
        (json!({"id": " ", "address": ALICE.to_lowercase(), "chain": "Base"}), Ok(1)),
        (json!({"address": ALICE, "chain": "Ethereum"}), ambiguous),
        (json!({"address": ALICE, "chain": "Polygon"}), not_found),
        (json!({"address": "0x1", "chain": "Ethereum"}), not_found),
        // A unique title without a chain.
        (json!({"title": "Carol"}), Ok(4)),
        (json!({"title": "Carol", "address": ALICE}), Ok(4)),
        (json!({"title": "Alice"}), ambiguous),
        (json!({"title": "Carol", "chain": "Ethereum"}), not_found),
        (json!({"title": "Zoe"}), not_found),
        // No selector.
        (json!({}), incomplete),
        (json!({"address": BOB}), incomplete),
        (json!({"chain": "Ethereum"}), incomplete),
        (json!({"id": "", "title": " "}), incomplete),
    ];
    for (entry, expected) in table {
        let world = World::new().await;
        let ids = world.save(&book).await;
        let (rows, _) = delete(&world, json!([entry])).await;
        let left: Vec<Value> = world.book().await.iter().map(|entry| entry["id"].clone()).collect();
        let gone: Vec<usize> = (0..ids.len()).filter(|at| !left.contains(&json!(ids[*at]))).collect();
        let (row, deleted_ones) = match expected {
            Ok(at) => (deleted(&ids[at], book[at].0, book[at].2), vec![at]),
            Err(error) => {
                let given = |name: &str| entry.get(name).cloned().unwrap_or_default();
                (not_deleted(given("id"), given("title"), given("chain"), error), vec![])
            }
        };
        assert_eq!((rows, gone), (json!([row]), deleted_ones), "{entry}");
    }
}

/// T000-93: an id is sufficient: other fields, even invalid ones, are ignored. An unknown id is `not_found`.
#[tokio::test(start_paused = true)]
async fn an_id_alone_selects_an_entry() {
    let world = World::new().await;
    let ids = world.save(&[("Alice", ALICE, "Ethereum"), ("Bob", BOB, "Ethereum")]).await;
    let (rows, left) =
        delete(&world, json!([{"id": ids[0], "title": "Bob", "chain": "Nowhere", "address": 7}])).await;
    assert_eq!(
        (rows, left),
        (json!([deleted(&ids[0], "Alice", "Ethereum")]), vec!["Bob Ethereum".to_owned()])
    );
    let (rows, left) = delete(&world, json!([{"id": "unknown", "title": "Bob"}])).await;
    let row = not_deleted(json!("unknown"), json!("Bob"), json!(null), "not_found");
    assert_eq!((rows, left), (json!([row]), vec!["Bob Ethereum".to_owned()]));
}

/// T000-100, T000-103: rows keep the order of the entries; an entry deleted by an earlier row is not found by a later
/// one, and a failed row does not stop the others.
#[tokio::test(start_paused = true)]
async fn deletions_run_in_order() {
    let world = World::new().await;
    let ids =
        world.save(&[("Alice", ALICE, "Ethereum"), ("Alice", ALICE, "Base"), ("Bob", BOB, "Base")]).await;
    let entries = json!([
        {"title": "Alice"},
        {"id": ids[0]},
        {"id": ids[0]},
        {"title": "Alice"},
        {"title": "Alice"},
        {"chain": "Nowhere", "title": "Bob"},
        null,
        {"address": BOB, "chain": "base"},
    ]);
    let (rows, left) = delete(&world, entries).await;
    assert_eq!(
        rows,
        json!([
            not_deleted(json!(null), json!("Alice"), json!(null), "ambiguous_match"),
            deleted(&ids[0], "Alice", "Ethereum"),
            not_deleted(json!(ids[0]), json!(null), json!(null), "not_found"),
            deleted(&ids[1], "Alice", "Base"),
            not_deleted(json!(null), json!("Alice"), json!(null), "not_found"),
            not_deleted(json!(null), json!("Bob"), json!("Nowhere"), "unknown_chain: \"Nowhere\""),
            not_deleted(
                json!(null),
                json!(null),
                json!(null),
                "invalid_params: /entries/6 must be an object"
            ),
            deleted(&ids[2], "Bob", "Base"),
        ])
    );
    assert_eq!(left, [""; 0]);
}

/// T000-97, T000-98: the specification's error codes are the whole error text, in the row and in the result.
#[tokio::test(start_paused = true)]
async fn errors_are_the_specified_codes() {
    let world = World::new().await;
    world.save(&[("Alice", ALICE, "Ethereum"), ("Alice", ALICE, "Base")]).await;
    for (entry, error) in
        [(json!({"title": "Zoe"}), "not_found"), (json!({"title": "Alice"}), "ambiguous_match")]
    {
        let result =
            world.act(json!([action(error, "delete_address_book", json!({"entries": [entry]}))])).await;
        let row = not_deleted(json!(null), entry["title"].clone(), json!(null), error);
        assert_eq!(
            result,
            [with(failure(error, "delete_address_book", error), "data", json!({"results": [row]}))]
        );
    }
}

/// T000-99: deleting emits an event only if an entry was deleted.
#[tokio::test(start_paused = true)]
async fn deleting_emits_an_event() {
    let world = World::new().await;
    world.save(&[("A", ALICE, "Ethereum"), ("B", ALICE, "Ethereum")]).await;
    let before = count(&world.events().await, "vaultModified");
    delete(&world, json!([{"title": "Zoe"}, {}])).await;
    assert_eq!(count(&world.events().await, "vaultModified"), before);
    delete(&world, json!([{"title": "A"}, {"title": "B"}, {"title": "Zoe"}])).await;
    assert_eq!(count(&world.events().await, "vaultModified"), before + 1);
}

/// T000-102: an array with one entry behaves like an array with several.
#[tokio::test(start_paused = true)]
async fn one_entry_works_like_several() {
    let (one, many) = (World::new().await, World::new().await);
    let entries = [("Alice", ALICE, "Ethereum"), ("Bob", BOB, "Base"), ("Carol", BITCOIN, "Bitcoin")];
    for entry in entries {
        one.save(&[entry]).await;
    }
    many.save(&entries).await;
    let content = |book: Vec<Value>| book.into_iter().map(|entry| without(entry, "id")).collect::<Vec<_>>();
    assert_eq!(content(one.book().await), content(many.book().await));
    for title in ["Alice", "Bob"] {
        delete(&one, json!([{"title": title}])).await;
    }
    let (_, left) = delete(&many, json!([{"title": "Alice"}, {"title": "Bob"}])).await;
    assert_eq!(found(&one, json!({})).await, left);
}

/// T000-88: concurrent calls do not overwrite each other's changes.
#[tokio::test(start_paused = true)]
async fn concurrent_calls_keep_their_changes() {
    let world = World::new().await;
    let ids = world.save(&[("Alice", ALICE, "Ethereum")]).await;
    let remove =
        json!({"actions": [action("x", "delete_address_book", json!({"entries": [{"id": ids[0]}]}))]});
    let again =
        json!({"actions": [action("y", "delete_address_book", json!({"entries": [{"title": "Alice"}]}))]});
    let save = json!({"actions": [save_entry("z", "Zoe")]});
    let (first, second, third) = tokio::join!(
        world.call("POST", "/api/actions", remove),
        world.call("POST", "/api/actions", again),
        world.call("POST", "/api/actions", save),
    );
    let success = |answer: &(u16, Value)| answer.1["results"][0]["success"] == true;
    assert!(success(&first) ^ success(&second), "one of them deleted it: {first:?} {second:?}");
    assert!(success(&third));
    assert_eq!(found(&world, json!({})).await, ["Zoe Ethereum"]);
}

/// Titles of what the route finds, and how many match.
async fn listed(world: &World, target: &str) -> (Vec<String>, Value) {
    let body = world.get(target).await;
    let contacts = body["contacts"].as_array().cloned().unwrap_or_default();
    (
        contacts.iter().map(|entry| entry["title"].as_str().unwrap_or_default().to_owned()).collect(),
        body["total"].clone(),
    )
}

/// GET `/api/contacts` gives what the tool gives, filtered and cut, and writes nothing: no call, no event, no log.
#[tokio::test(start_paused = true)]
async fn reading_contacts_writes_nothing() {
    let world = World::new().await;
    world.save(&[("bob", BOB, "Base"), ("Alice", ALICE, "Ethereum"), ("Zoë Ray", ALICE, "Base")]).await;
    let entries = world.book().await;
    let before = world.records().await;
    assert_eq!(world.get("/api/contacts").await, json!({"contacts": entries, "total": 3}));
    let table: [(&str, &[&str], u32); 7] = [
        ("?query=&chain=", &["Alice", "bob", "Zoë Ray"], 3),
        ("?limit=2", &["Alice", "bob"], 3),
        ("?chain=base", &["bob", "Zoë Ray"], 2),
        ("?query=ZO%C3%8B%20r", &["Zoë Ray"], 1),
        ("?query=ethereum", &["Alice"], 1),
        ("?query=0x5aae&chain=Base&limit=5", &["Zoë Ray"], 1),
        ("?query=nothing", &[], 0),
    ];
    for (query, titles, total) in table {
        let found = listed(&world, &format!("/api/contacts{query}")).await;
        assert_eq!(found, (titles.iter().map(|&title| title.to_owned()).collect(), json!(total)), "{query}");
    }
    for (query, code) in [
        ("?chain=Nowhere", "unknown_chain"),
        ("?limit=x", "invalid_request"),
        ("?query=%zz", "invalid_request"),
    ] {
        let (status, body) = world.call("GET", &format!("/api/contacts{query}"), Value::Null).await;
        assert_eq!((status, &body["error"]["code"]), (400, &json!(code)));
    }
    assert_eq!(world.records().await, before);
}

/// A large book is also kept as one text, which every change deletes and which is made anew in the background;
/// reading never makes it.
#[tokio::test(start_paused = true)]
async fn large_book_is_kept_as_one_text() {
    let world = World::new().await;
    let kept = async || world.table(Table::Snapshots).await.iter().any(|row| row.key == "contacts/sorted");
    let titles: Vec<String> = (0..300).map(|number| format!("Contact {number:03}")).rev().collect();
    let entries: Vec<(&str, &str, &str)> =
        titles.iter().map(|title| (title.as_str(), ALICE, "Ethereum")).collect();
    for part in entries.chunks(100) {
        assert!(!kept().await);
        world.save(part).await;
        world.settle().await;
    }
    assert!(kept().await);
    let first = ["Contact 000".to_owned(), "Contact 001".to_owned()];
    assert_eq!(listed(&world, "/api/contacts?limit=2").await, (first.to_vec(), json!(300)));

    let gone = delete(&world, json!([{"title": "Contact 000"}])).await;
    assert_eq!((gone.0[0]["success"].clone(), gone.1.len()), (json!(true), 299));
    world.settle().await;
    assert!(kept().await);
    let (found, total) = listed(&world, "/api/contacts?limit=1").await;
    assert_eq!((found, total), (vec!["Contact 001".to_owned()], json!(299)));

    // Another worker that crashed before it made the text.
    world.write(Table::Snapshots, "contacts/change", r#"{"id":"another","kept":false}"#).await;
    world.reopen().await;
    world.settle().await;
    assert_eq!(listed(&world, "/api/contacts?limit=1").await.1, json!(299));
}

/// A save that an agent proposes with this id.
fn proposed_save(id: &str, title: &str) -> Value {
    json!({"id": id, "type": "add_address_book", "title": "Save", "auto_execute": true,
        "params": {"entries": [{"title": title, "address": ALICE, "chain": "Ethereum"}]}})
}

/// The journal's calls.
async fn recorded(world: &World) -> Vec<Value> {
    world.get("/api/calls").await["calls"].as_array().cloned().unwrap_or_default()
}

/// D18: the same id twice in one array is one action: it runs once, and a page is answered once.
#[tokio::test(start_paused = true)]
async fn same_id_twice_in_one_request_is_one_action() {
    let world = World::new().await;
    let actions =
        json!([proposed_save("a", "First"), proposed_save("b", "Other"), proposed_save("a", "Second")]);
    let results = world.act(actions).await;
    let ids: Vec<&Value> = results.iter().map(|result| &result["action_id"]).collect();
    assert_eq!((ids, recorded(&world).await.len()), (vec![&json!("a"), &json!("b")], 2));
    assert_eq!(found(&world, json!({})).await, ["First Ethereum", "Other Ethereum"]);
}

/// D18: the backend is answered once for an id that it sends twice in one array.
#[tokio::test(start_paused = true)]
async fn same_id_twice_from_the_agent_is_answered_once() {
    let world = World::proposing(json!([proposed_save("a", "First"), proposed_save("a", "Second")])).await;
    world.say("Save it").await;
    let ids: Vec<Value> = world.results().iter().map(|result| result["action_id"].clone()).collect();
    assert_eq!((ids, world.calls().await.len()), (vec![json!("a")], 1));
    assert_eq!(found(&world, json!({})).await, ["First Ethereum"]);
}

/// The record of a look holds what was asked and no answer; the same look again has the answer of its own time.
#[tokio::test(start_paused = true)]
async fn look_is_recorded_without_its_answer() {
    let world = World::new().await;
    world.save(&[("A", ALICE, "Ethereum")]).await;
    let look = json!([{"id": "look", "type": "get_address_book", "title": "Look", "params": {}}]);
    let entries = |results: Vec<Value>| results[0]["data"]["entries"].as_array().map(Vec::len);
    assert_eq!(entries(world.act(look.clone()).await), Some(1));
    let calls = recorded(&world).await;
    let call = calls.iter().find(|call| call["actionId"] == "look").unwrap();
    assert_eq!(
        (&call["state"]["result"]["success"], &call["state"]["result"]["data"]),
        (&json!(true), &Value::Null)
    );
    world.save(&[("B", ALICE, "Ethereum")]).await;
    assert_eq!(entries(world.act(look).await), Some(2));
}

/// Another address under the user's names.
const MALLORY: &str = "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb";

/// An agent's action that saves an address.
fn saves(id: &str, title: &str, address: &str, chain: &str) -> Value {
    action(id, "add_address_book", json!({"entries": [{"title": title, "address": address, "chain": chain}]}))
}

/// Of each contact: its title, whether the user stands by it, and which address it takes the place of.
async fn standing(world: &World) -> Vec<(String, bool, Value)> {
    let of = |entry: &Value| {
        let title = entry["title"].as_str().unwrap_or_default().to_owned();
        (title, entry["confirmed"] == true, entry["replaces"].clone())
    };
    world.book().await.iter().map(of).collect()
}

/// The warnings about the parties of the open approval.
async fn warnings(world: &World) -> Vec<(String, String)> {
    let prompts = world.prompts().await;
    let [prompt] = prompts.as_slice() else { return vec![("prompts".to_owned(), prompts.len().to_string())] };
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let reasons = prompt["reasons"].as_array().cloned().unwrap_or_default();
    let about = ["fresh_contact", "replaced_contact", "first_time_recipient", "look_alike"];
    let found = reasons.iter().map(|reason| (text(&reason["code"]), text(&reason["message"])));
    found.filter(|(code, _)| about.contains(&code.as_str())).collect()
}

/// What the agent or a page saved is not confirmed, also from an earlier version, until the user confirms it; the user's own
/// is. Confirming is logged, told to pages, and done once.
#[tokio::test(start_paused = true)]
async fn the_user_confirms_the_agents_contacts() {
    let world = World::proposing(json!([saves("a1", "Agent's", BOB, "Ethereum")])).await;
    world.save(&[("Own", ALICE, "Ethereum")]).await;
    world.say("go").await;
    let earlier =
        |by: &str| json!({"id": by, "title": by, "address": BOB, "chain": "Base", "addedBy": by}).to_string();
    for by in ["agent", "dapp:https://app.example", "user"] {
        world.write(Table::Contacts, by, &earlier(by)).await;
    }
    world.restart().await;
    let contact = |title: &str, confirmed: bool| (title.to_owned(), confirmed, Value::Null);
    let expected = [
        contact("agent", false),
        contact("Agent's", false),
        contact("dapp:https://app.example", false),
        contact("Own", true),
        contact("user", true),
    ];
    assert_eq!(standing(&world).await, expected);

    let before = count(&world.events().await, "vaultModified");
    let id = world.book().await[1]["id"].as_str().unwrap().to_owned();
    for target in [format!("/api/contacts/{id}/confirm"), "/api/contacts/agent/confirm".to_owned()] {
        let (status, entry) = world.call("POST", &target, json!({})).await;
        assert_eq!(
            (status, &entry["confirmed"], &entry["added_by"]["kind"]),
            (200, &json!(true), &json!("agent"))
        );
    }
    world.restart().await;
    assert!(standing(&world).await.iter().take(2).all(|(_, confirmed, _)| *confirmed));
    assert_eq!(count(&world.events().await, "vaultModified"), before + 2);
    let log = world.get("/api/audit").await["entries"].to_string();
    assert_eq!(log.matches("contact_confirmed").count(), 2);
    let records = world.records().await;
    assert_eq!(world.call("POST", "/api/contacts/agent/confirm", json!({})).await.0, 200);
    assert_eq!(world.records().await, records, "the second time changes nothing");
    let (status, body) = world.call("POST", "/api/contacts/other/confirm", json!({})).await;
    assert_eq!((status, &body["error"]["code"]), (404, &json!("contact_not_found")));
    assert_eq!(world.call("GET", "/api/contacts/agent/confirm", Value::Null).await.0, 405);
}

/// A second address under a name that the user has takes its place, in whichever spelling of the name, and on every chain
/// where the address is the same account; the same address, another name and another kind of chain do not.
#[tokio::test(start_paused = true)]
async fn a_second_address_under_a_name_replaces() {
    let table = [
        ("Alice", MALLORY, "Ethereum", true),
        (" alice ", MALLORY, "Base", true),
        ("AIice", MALLORY, "Ethereum", true),
        ("\u{410}lice", MALLORY, "Arbitrum", true),
        ("Al\u{200b}ice", MALLORY, "Ethereum", true),
        ("Alice", ALICE, "Base", false),
        ("Alice", BITCOIN, "Bitcoin", false),
        ("Alice 2", MALLORY, "Ethereum", false),
    ];
    for (title, address, chain, replaces) in table {
        let world = World::proposing(json!([saves("a1", title, address, chain)])).await;
        world.save(&[("Alice", ALICE, "Ethereum")]).await;
        world.say("go").await;
        let entries = world.book().await;
        let agents = entries.iter().find(|entry| entry["added_by"]["kind"] == "agent").unwrap();
        let expected = if replaces { json!(ALICE) } else { Value::Null };
        assert_eq!(
            (&agents["replaces"], &agents["confirmed"]),
            (&expected, &json!(false)),
            "{title:?} {chain}"
        );
    }
    // The user means what the user saves.
    let world = World::new().await;
    world.save(&[("Alice", ALICE, "Ethereum"), ("Alice", MALLORY, "Ethereum")]).await;
    assert!(standing(&world).await.iter().all(|(_, confirmed, replaces)| *confirmed && replaces.is_null()));
}

/// Deleted first and saved anew in a later call, after a restart, by way of other addresses, or hidden under a second name:
/// the next payment names both addresses until the user confirms, and not after that.
#[tokio::test(start_paused = true)]
async fn payments_to_a_replaced_contact_warn() {
    let delete = |id: &str| action(id, "delete_address_book", json!({"entries": [{"title": "Alice"}]}));
    let world = World::scripted(vec![
        turn(when_said("forget"), json!([delete("d1")])),
        turn(when_said("save"), json!([saves("s1", "Alice", BOB, "Ethereum")])),
        turn(
            when_said("again"),
            json!([
                delete("d2"),
                saves("s2", "Zed", MALLORY, "Ethereum"),
                saves("s3", "Alice", MALLORY, "Ethereum"),
            ]),
        ),
        turn(when_said("pay"), json!([bundle("b1", json!([Evm::pays(MALLORY, 5).step("a", 0)]))])),
        turn(when_said("once more"), json!([bundle("b2", json!([Evm::pays(MALLORY, 6).step("a", 0)]))])),
    ])
    .await;
    world.make_vault("correct horse battery").await;
    world.save(&[("Alice", ALICE, "Ethereum")]).await;
    for message in ["forget her", "save her", "and again"] {
        world.say(message).await;
        world.restart().await;
    }
    let contact = |title: &str, replaces: Value| (title.to_owned(), false, replaces);
    assert_eq!(standing(&world).await, [contact("Alice", json!(ALICE)), contact("Zed", Value::Null)]);
    world.say("pay").await;
    let both = format!("“Alice” had the address “{ALICE}” before, and has “{MALLORY}” now.");
    assert_eq!(warnings(&world).await, [("replaced_contact".to_owned(), both)]);
    assert_eq!(world.answer(json!({"approve": false})).await.0, 200);

    let id = world.book().await[0]["id"].as_str().unwrap().to_owned();
    assert_eq!(world.call("POST", &format!("/api/contacts/{id}/confirm"), json!({})).await.0, 200);
    world.say("once more").await;
    assert_eq!(warnings(&world).await, []);
}

/// The worker crashes after any number of steps while the agent deletes a contact and saves another address under its name:
/// both happen once, and the new one takes the place of the old.
#[tokio::test(start_paused = true)]
async fn crash_while_a_contact_is_replaced() {
    for steps in (0..120).step_by(3) {
        let delete = action("d", "delete_address_book", json!({"entries": [{"title": "Alice"}]}));
        let world = World::proposing(json!([delete, saves("s", "Alice", MALLORY, "Ethereum")])).await;
        world.save(&[("Alice", ALICE, "Ethereum")]).await;
        world.post_message("go").await;
        world.steps(steps).await;
        world.restart().await;
        world.pass(2_000).await;
        let expected = [("Alice".to_owned(), false, json!(ALICE))];
        assert_eq!(standing(&world).await, expected, "after {steps} steps");
    }
}

/// Of deleted contacts only the user's are remembered, a bounded number of them: what an agent saves and deletes pushes none
/// of them out.
#[tokio::test(start_paused = true)]
async fn deleted_contacts_are_remembered_within_bounds() {
    let names: Vec<String> = (0..60).map(|number| format!("Agent's {number}")).collect();
    let entries: Vec<Value> =
        names.iter().map(|title| json!({"title": title, "address": BOB, "chain": "Base"})).collect();
    let named: Vec<Value> = names.iter().map(|title| json!({"title": title})).collect();
    let world = World::proposing(json!([
        action("add", "add_address_book", json!({"entries": entries})),
        action("delete", "delete_address_book", json!({"entries": named})),
    ]))
    .await;
    let remembered = async || {
        let rows = world.table(Table::Counters).await;
        rows.iter().filter(|row| row.key.starts_with("deleted-contact/")).count()
    };
    world.say("go").await;
    assert_eq!((world.book().await.len(), remembered().await), (0, 0));
    let own: Vec<String> = (0..600).map(|number| format!("Own {number:03}")).collect();
    for part in own.chunks(100) {
        let entries: Vec<(&str, &str, &str)> =
            part.iter().map(|title| (title.as_str(), ALICE, "Ethereum")).collect();
        world.save(&entries).await;
        let named: Vec<Value> = part.iter().map(|title| json!({"title": title})).collect();
        delete(&world, json!(named)).await;
    }
    assert_eq!(remembered().await, 500);
}
