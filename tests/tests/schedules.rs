//! Bundles under thousands of random crash schedules: after any crash, failure or duplicate the model's invariants
//! hold (see `sim::bundles`).
#![allow(clippy::indexing_slicing, reason = "a test fails by panicking")]

use countersign_tests::rounds::rounds;
use countersign_tests::sim::bundles::Case;
use countersign_tests::sim::{Chance, Incident, Plan, Revival};
use std::collections::BTreeMap;

/// T000-20, T000-36, T000-47, T000-55: one crash at every point of a bundle of three steps and four transactions on
/// two chains — before and after every store read and commit, before and after every request to a node, inside its
/// answer. Every transaction is mined once, and every result is reported.
#[test]
fn crash_at_every_point() {
    let calm = Case::calm().play(&Plan::calm());
    assert_eq!(calm.wrong, [] as [String; 0]);
    assert_eq!(calm.statuses, ["confirmed", "pending", "confirmed"]);
    for point in 0..calm.points {
        let revival = if point % 4 < 2 { Revival::AtOnce } else { Revival::ByNeed };
        let other = [Incident::Close, Incident::Fail, Incident::Twin][(point % 3) as usize];
        for incident in [Incident::Die, other] {
            let plan = Plan { incidents: vec![(point, incident)], ..Plan::death_at(point, revival) };
            let played = Case::calm().play(&plan);
            assert_eq!(played.wrong, [] as [String; 0], "{incident:?} {revival:?} {point}");
            // After a restart, a step without `wait_for_receipt` may be found mined.
            assert_eq!((&played.statuses[0], &played.statuses[2]), (&calm.statuses[0], &calm.statuses[2]));
        }
    }
    println!("{} points, twice", calm.points);
}

/// Runs random bundles under random plans, and counts their statuses.
fn run(seeds: std::ops::Range<u64>, plan: impl Fn(&Chance, u64) -> Plan) -> BTreeMap<String, u64> {
    let (mut lives, mut points, mut ends) = (0, 0, BTreeMap::<String, u64>::new());
    for seed in seeds.clone() {
        let chance = Chance::new(seed);
        let case = Case::random(&chance);
        let plan = plan(&chance, seed);
        let played = case.play(&plan);
        assert!(played.wrong.is_empty(), "seed {seed}, {plan:?}: {:#?}", played.wrong);
        lives += played.lives;
        points += played.points;
        for status in played.statuses {
            *ends.entry(status).or_default() += 1;
        }
    }
    println!("seeds {seeds:?}: {lives} lives, {points} points, {ends:?}");
    ends
}

fn random(chance: &Chance, seed: u64) -> Plan {
    let kinds =
        [Incident::Die, Incident::Die, Incident::Die, Incident::Close, Incident::Fail, Incident::Twin];
    let kind = || kinds[chance.below(kinds.len() as u64) as usize];
    let incidents: Vec<_> = (0..chance.below(7)).map(|_| (chance.below(200), kind())).collect();
    // There is one alarm: an idle second worker may take it from the active one and stop last.
    let twins = incidents.iter().any(|(_, incident)| *incident == Incident::Twin);
    Plan {
        seed,
        incidents,
        revival: if twins || chance.below(2) == 0 { Revival::AtOnce } else { Revival::ByNeed },
        restless: chance.below(4) > 0,
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

/// Concurrent workers without the browser's locks: the store's preconditions alone ensure that one of them continues.
#[test]
fn concurrent_workers_without_locks() {
    run(20_000..20_000 + u64::from(rounds(50)), |chance, seed| {
        let mut plan = random(chance, seed);
        plan.incidents.push((chance.below(300), Incident::Twin));
        Plan { locks: false, restless: true, revival: Revival::AtOnce, ..plan }
    });
}
