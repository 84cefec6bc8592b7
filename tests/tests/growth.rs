//! What a bundle costs for each step, counted in store accesses and bytes.

use countersign_tests::bundle_run::{BundleRun, row, rows};
use countersign_tests::evm::{Evm, PAYEE, with_receipt};
use countersign_tests::world::Traffic;
use serde_json::Value;

/// Traffic between worker and store from the password to the result, for a bundle of this many payments.
async fn traffic(steps: u32) -> Traffic {
    let payment = |index: u32| {
        with_receipt(Evm::pays(PAYEE, 1_000).nonce(7 + u64::from(index)).step(&format!("s{index}"), index))
    };
    let run = BundleRun::of((0..steps).map(payment).collect::<Value>()).await;
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
