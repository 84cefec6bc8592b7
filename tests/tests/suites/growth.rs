//! What a bundle costs for each step, counted in store accesses and bytes; and what a year leaves in the store.

use countersign_tests::bundle_run::{BundleRun, MINUTE, row, rows};
use countersign_tests::evm::{Evm, PAYEE, bundle, with_receipt};
use countersign_tests::world::{Traffic, World, action, read_book, with};
use runtime::store::{Row, Table};
use serde_json::{Value, json};

/// Traffic between worker and store from the password to the result, for a bundle of this many payments.
async fn traffic(steps: u32) -> Traffic {
    let payment = |index: u32| {
        with_receipt(Evm::pays(PAYEE, 1_000).nonce(7 + u64::from(index)).step(&format!("s{index}"), index))
    };
    let run = BundleRun::of((0..steps).map(payment).collect::<Value>()).await;
    // A first-time recipient would be warned of at every step, and so many warnings are refused.
    run.world.save(&[("Payee", PAYEE, "Ethereum")]).await;
    run.world.say("go").await;
    run.approve().await;
    let before = run.world.browser.traffic();
    run.unlock().await;
    if run.world.results().is_empty() {
        run.finish().await;
    }
    let confirmed = (0..steps).map(|index| row(&format!("s{index}"), "confirmed", ""));
    assert_eq!(rows(&run.result()), confirmed.collect::<Vec<_>>());
    let after = run.world.browser.traffic();
    Traffic {
        reads: after.reads - before.reads,
        bytes_read: after.bytes_read - before.bytes_read,
        commits: after.commits - before.commits,
        bytes_written: after.bytes_written - before.bytes_written,
    }
}

/// What each further step adds, from one size to a larger one.
fn added((fewer, less): (u32, Traffic), (more, much): (u32, Traffic)) -> [f64; 4] {
    let each = |less: usize, much: usize| (much - less) as f64 / f64::from(more - fewer);
    [
        each(less.reads, much.reads),
        each(less.bytes_read, much.bytes_read),
        each(less.commits, much.commits),
        each(less.bytes_written, much.bytes_written),
    ]
}

/// A step costs the same in a long bundle as in a short one, in accesses and in bytes: no record that grows with the
/// bundle is read or written at every step. The tolerance of a tenth covers periodic work and longer numbers.
#[tokio::test(start_paused = true)]
async fn step_cost_is_independent_of_bundle_size() {
    let mut sizes = Vec::new();
    for steps in [1, 11, 50, 100, 200] {
        sizes.push((steps, traffic(steps).await));
    }
    let first = added(sizes[0], sizes[1]);
    for pair in sizes.windows(2).skip(1) {
        let further = added(pair[0], pair[1]);
        let within = further.iter().zip(first).all(|(further, first)| *further <= first * 1.1);
        assert!(
            within,
            "from {} to {} steps, each adds {further:?}; at first {first:?}",
            pair[0].0, pair[1].0
        );
    }
}

/// A step makes one commit of its own, the signed bytes; what else it stores goes with the next one.
#[tokio::test(start_paused = true)]
async fn one_commit_per_step() {
    let (one, eleven) = (traffic(1).await, traffic(11).await);
    assert_eq!(eleven.commits - one.commits, 10);
}

const DAY: u64 = 24 * 60 * MINUTE;

/// A year of use: messages, looks, calls that fail, bundles that are rejected or run. Every table stays below what the
/// rules of trimming allow (ARCHITECTURE.md); the log stays whole.
#[tokio::test(start_paused = true)]
async fn a_year_of_use_stays_bounded() {
    let run = BundleRun::of(json!([])).await;
    let world = &run.world;
    let begun = world.browser.now();
    for day in 0..365_u64 {
        world.say(&format!("day {day}")).await;
        world.act(json!([read_book(&format!("look {day}"))])).await;
        let chain = json!({"chains": [{"chain": "Ethereum"}]});
        world.act(json!([action(&format!("chain {day}"), "add_chain", chain)])).await;
        if day % 3 == 0 {
            let runs = day % 30 == 0;
            let payment = Evm::pays(PAYEE, 1_000).nonce(7 + day.div_ceil(30)).step(&format!("s{day}"), 0);
            let proposed = bundle(&format!("bundle {day}"), json!([with_receipt(payment)]));
            let (status, body) =
                world.call("POST", "/api/actions?wait=false", json!({"actions": [proposed]})).await;
            assert_eq!(status, 202, "{body}");
            world.settle().await;
            assert_eq!(world.answer(json!({"approve": runs})).await.0, 200);
            if runs {
                run.unlock().await;
            }
        }
        world.pass(DAY - (world.browser.now() - begun) % DAY).await;
    }
    let kept_days = 182;
    let bound = |table: Table| match table {
        Table::Calls | Table::Actions => kept_days * 5 / 2,
        Table::Timeline => kept_days * 2,
        Table::Bundles | Table::Runs | Table::Transmissions => kept_days / 3 + 1,
        Table::Events => 2_500,
        Table::Audit => 100_000,
        Table::Conversations | Table::Vaults | Table::Settings | Table::Coins | Table::Accounts => 2,
        Table::SettledPrompts | Table::Consents | Table::Proposals | Table::Spending | Table::Payees => 4,
        Table::Counters | Table::Snapshots => 12,
        Table::ToolMetrics => 7,
        Table::ToolUses => 40,
        _ => 0,
    };
    for (name, rows) in world.records().await {
        let table = Table::ALL.into_iter().find(|table| table.name() == name).unwrap();
        assert!(rows.len() <= bound(table), "{name}: {} rows, at most {}", rows.len(), bound(table));
    }
    let enough = [Table::Calls, Table::Timeline, Table::Bundles].map(|table| bound(table) * 9 / 10);
    let kept = [Table::Calls, Table::Timeline, Table::Bundles];
    for (table, enough) in kept.into_iter().zip(enough) {
        let rows = world.table(table).await.len();
        assert!(rows >= enough, "{}: only {rows} rows of the last half year", table.name());
    }
    assert_eq!(world.get("/api/audit/check").await["brokenAt"], Value::Null);
}

/// An id that was made at a time.
fn id_of(time: u64) -> String {
    format!("{:08x}-{:04x}-7000-8000-000000000000", time >> 16, time & 0xffff)
}

/// Trimming removes an ended call with its action's key; one whose result the backend does not have, or that has not
/// ended, stays, however old.
#[tokio::test(start_paused = true)]
async fn undelivered_and_open_calls_are_not_trimmed() {
    let world = World::proposing(json!([read_book("a1")])).await;
    world.say("go").await;
    let call = world.get("/api/calls").await["calls"][0].clone();
    let old = world.browser.now() - 300 * DAY;
    let variants = [
        ("delivered", call.clone()),
        ("pending", with(call.clone(), "delivery", json!("pending"))),
        ("open", with(call, "state", json!({"name": "received"}))),
    ];
    for (index, (name, call)) in variants.into_iter().enumerate() {
        let id = id_of(old + index as u64);
        let call = with(with(call, "id", json!(id)), "lane", json!("none"));
        world.write(Table::Calls, &id, &call.to_string()).await;
        world.write(Table::Actions, &format!("agent:none/id/{name}"), &json!(id).to_string()).await;
    }
    world.pass(DAY).await;
    world.act(json!([read_book("later")])).await;
    world.settle().await;
    let keys = |rows: Vec<Row>| rows.into_iter().map(|row| row.key).collect::<Vec<_>>();
    let calls = keys(world.table(Table::Calls).await);
    assert_eq!(calls[..2], [id_of(old + 1), id_of(old + 2)]);
    let actions = keys(world.table(Table::Actions).await);
    let own = format!("agent:{}/id/a1", world.conversation_id());
    assert_eq!(actions, [&own, "agent:none/id/open", "agent:none/id/pending", "user/id/later"]);
}

/// A worker that dies at any point of trimming leaves no half of a call, and the next one removes the rest.
#[tokio::test(start_paused = true)]
async fn death_while_trimming() {
    let ids = |rows: Vec<Row>, of: fn(Row) -> String| {
        let mut ids: Vec<String> = rows.into_iter().map(of).collect();
        ids.sort();
        ids
    };
    let mut seen = std::collections::BTreeSet::new();
    for steps in 0.. {
        let world = World::proposing(json!([read_book("a1")])).await;
        world.say("go").await;
        let call = world.get("/api/calls").await["calls"][0].clone();
        let old = world.browser.now() - 300 * DAY;
        // More than are removed in one batch.
        for index in 0..250_u64 {
            let id = id_of(old + index);
            let call = with(call.clone(), "id", json!(id));
            world.write(Table::Calls, &id, &call.to_string()).await;
            world.write(Table::Actions, &format!("agent:none/id/{index}"), &json!(id).to_string()).await;
        }
        world.pass(DAY).await;
        world.act(json!([read_book("later")])).await;
        world.steps(steps).await;
        let calls = ids(world.table(Table::Calls).await, |row| row.key);
        let actions = ids(world.table(Table::Actions).await, |row| row.text.trim_matches('"').to_owned());
        assert_eq!(calls, actions, "after {steps} steps");
        seen.insert(calls.len());
        world.restart().await;
        world.act(json!([read_book("again")])).await;
        world.settle().await;
        assert_eq!(world.table(Table::Calls).await.len(), 3, "after {steps} steps");
        if calls.len() == 2 {
            break;
        }
    }
    assert_eq!(seen.into_iter().collect::<Vec<_>>(), [2, 52, 152, 252]);
}
