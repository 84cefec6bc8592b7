//! Bundles under thousands of random crash schedules: after any crash, failure or duplicate the model's invariants
//! hold (see `sim::bundles`).
#![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

use countersign_tests::rounds::rounds;
use countersign_tests::sim::bundles::Case;
use countersign_tests::sim::{Incident, Plan, Restart, Rng};
use std::collections::BTreeMap;

/// T000-20, T000-36, T000-47, T000-55: one crash at every point of a bundle of three steps and four transactions on
/// two chains — before and after every store read and commit, before and after every request to a node, inside its
/// answer. Every transaction is mined once, and every result is reported.
#[test]
fn crash_at_every_point() {
    let baseline = Case::undisturbed().play(&Plan::undisturbed());
    assert_eq!(baseline.violations, [] as [String; 0]);
    assert_eq!(baseline.statuses, ["confirmed", "pending", "confirmed"]);
    for point in 0..baseline.points {
        let restart = if point % 4 < 2 { Restart::Immediate } else { Restart::OnDemand };
        let other =
            [Incident::CloseBrowser, Incident::FailOnce, Incident::SecondWorker][(point % 3) as usize];
        for incident in [Incident::Crash, other] {
            let plan = Plan { incidents: vec![(point, incident)], ..Plan::crash_at(point, restart) };
            let played = Case::undisturbed().play(&plan);
            assert_eq!(played.violations, [] as [String; 0], "{incident:?} {restart:?} {point}");
            // After a restart, a step without `wait_for_receipt` may be found mined.
            assert_eq!(
                (&played.statuses[0], &played.statuses[2]),
                (&baseline.statuses[0], &baseline.statuses[2])
            );
        }
    }
    println!("{} points, twice", baseline.points);
}

/// Runs random bundles under random plans, and counts their statuses.
fn run(seeds: std::ops::Range<u64>, plan: impl Fn(&Rng, u64) -> Plan) -> BTreeMap<String, u64> {
    run_cases(seeds, Case::random, plan)
}

/// The same with bundles of another kind.
fn run_cases(
    seeds: std::ops::Range<u64>,
    case: impl Fn(&Rng) -> Case,
    plan: impl Fn(&Rng, u64) -> Plan,
) -> BTreeMap<String, u64> {
    let (mut workers, mut points, mut ends) = (0, 0, BTreeMap::<String, u64>::new());
    for seed in seeds.clone() {
        let rng = Rng::new(seed);
        let case = case(&rng);
        let plan = plan(&rng, seed);
        let played = case.play(&plan);
        assert!(played.violations.is_empty(), "seed {seed}, {plan:?}: {:#?}", played.violations);
        workers += played.workers;
        points += played.points;
        for status in played.statuses {
            *ends.entry(status).or_default() += 1;
        }
    }
    println!("seeds {seeds:?}: {workers} workers, {points} points, {ends:?}");
    ends
}

fn random(rng: &Rng, seed: u64) -> Plan {
    let kinds = [
        Incident::Crash,
        Incident::Crash,
        Incident::Crash,
        Incident::CloseBrowser,
        Incident::FailOnce,
        Incident::SecondWorker,
    ];
    let kind = || kinds[rng.below(kinds.len() as u64) as usize];
    let incidents: Vec<_> = (0..rng.below(7)).map(|_| (rng.below(200), kind())).collect();
    // There is one alarm: an idle second worker may take it from the active one and stop last.
    let twins = incidents.iter().any(|(_, incident)| *incident == Incident::SecondWorker);
    Plan {
        seed,
        incidents,
        restart: if twins || rng.below(2) == 0 { Restart::Immediate } else { Restart::OnDemand },
        shuffled: rng.below(4) > 0,
        locks: true,
    }
}

/// Every status occurs: a model that never sees a failure proves nothing about failures.
fn assert_all_statuses(ends: &BTreeMap<String, u64>) {
    for status in ["confirmed", "pending", "failed", "timeout"] {
        assert!(ends.get(status).is_some_and(|count| *count > half() / 100), "{status}: {ends:?}");
    }
}

/// The seeds of one of two tests, for two cores.
fn half() -> u64 {
    u64::from(rounds(250))
}

/// T000-20, T000-36, T000-47, T000-49, T000-51, T000-55: up to six crashes of worker and browser, disk failures and
/// second workers at random points, faulty nodes, chains that are slow or revert. In two halves, for two cores.
#[test]
fn random_schedules_1() {
    assert_all_statuses(&run(0..half(), random));
}

/// The other half.
#[test]
fn random_schedules_2() {
    assert_all_statuses(&run(half()..2 * half(), random));
}

/// The same with a node of each chain that always lies beside an honest one: no step goes ahead of a transaction that is
/// not mined, and no row says what is not so.
#[test]
fn random_schedules_with_lying_nodes() {
    let ends = run_cases(40_000..40_000 + u64::from(rounds(120)), Case::with_liars, random);
    for status in ["confirmed", "pending", "failed", "timeout"] {
        assert!(ends.contains_key(status), "{status}: {ends:?}");
    }
}

/// Concurrent workers without the browser's locks: the store's preconditions alone ensure that one of them continues.
#[test]
fn concurrent_workers_without_locks() {
    run(20_000..20_000 + u64::from(rounds(50)), |rng, seed| {
        let mut plan = random(rng, seed);
        plan.incidents.push((rng.below(300), Incident::SecondWorker));
        Plan { locks: false, shuffled: true, restart: Restart::Immediate, ..plan }
    });
}
