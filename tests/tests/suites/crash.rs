//! The worker crashes at any point, any number of times: every action runs once, every result arrives, no work is
//! left over.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    reason = "a test's support fails the test"
)]

use agent_backend::{At, Dialect, Fault, Kind, LineEnds};
use countersign_tests::rounds::rounds;
use countersign_tests::sim::scenario::{ASKING, Decision, FIVE, FinalState, Scenario, WALLET, signing};
use countersign_tests::sim::{Incident, Plan, Restart, Rng};
use serde_json::{Value, json};
use std::collections::BTreeMap;

const DIALECTS: [Dialect; 3] = [Dialect::Events, Dialect::UiMessageStream, Dialect::Json];

/// T000-2, T000-9, T000-11, T000-17: one crash at every point of a conversation — before and after every store read
/// and commit, before and after every request, between and inside the chunks of every answer — with the worker
/// restarted at once or by its alarm alone.
#[test]
fn crash_at_every_point() {
    for dialect in DIALECTS {
        let scenario = Scenario::new(FIVE, dialect);
        let baseline = scenario.play(&Plan::undisturbed());
        baseline.check(&baseline.end).unwrap();
        assert_eq!(baseline.end.results.as_array().unwrap().len(), 5);
        for restart in [Restart::Immediate, Restart::OnDemand] {
            for point in 0..baseline.points {
                let played = scenario.play(&Plan::crash_at(point, restart));
                assert_eq!(played.workers, 2, "{dialect:?} {restart:?} {point}");
                let outcome = played.check(&baseline.end);
                outcome.unwrap_or_else(|problem| panic!("{dialect:?} {restart:?} {point}: {problem}"));
            }
        }
        println!("{dialect:?}: {} points, twice", baseline.points);
    }
}

/// T000-63, T000-64, T000-67: one crash at every point while chains and tokens are added and one is removed: each coin
/// exists once with its chain's native coin, the removed one stays away, every row equals the undisturbed run's, and only approved actions run.
#[test]
fn crash_at_every_point_of_adding_coins() {
    let scenario = Scenario::new(WALLET, Dialect::Events);
    let baseline = scenario.play(&Plan::undisturbed());
    baseline.check(&baseline.end).unwrap();
    let tickers: Vec<&str> =
        baseline.end.coins.as_array().unwrap().iter().map(|coin| coin["ticker"].as_str().unwrap()).collect();
    assert_eq!(tickers, ["ADA", "SOL", "SUI", "DEEP"]);
    for restart in [Restart::Immediate, Restart::OnDemand] {
        for point in 0..baseline.points {
            let played = scenario.play(&Plan::crash_at(point, restart));
            let outcome = played.check(&baseline.end);
            outcome.unwrap_or_else(|problem| panic!("{restart:?} {point}: {problem}"));
        }
    }
    println!("{} points, twice", baseline.points);
}

/// One crash at every point while bundles are approved, unlocked and signed: the answer counts once, the limit is
/// spent once for each bundle, every result arrives, and no vault stays unlocked.
#[test]
fn crash_at_every_point_of_signing() {
    let scenario = Scenario { signs: true, ..Scenario::new(&signing(), Dialect::Events) };
    let baseline = scenario.play(&Plan::undisturbed());
    baseline.check(&baseline.end).unwrap();
    let [first, again, lie] = baseline.end.results.as_array().unwrap().as_slice() else { panic!("three") };
    let row = |result: &Value| result[3]["transactions"][0].clone();
    assert_eq!((&row(first)["status"], row(first)), (&json!("pending"), row(again)));
    assert!(lie[4].as_str().unwrap().starts_with("contradiction: "), "{lie}");
    assert_eq!(baseline.end.spent, json!(["2000"]));
    for point in 0..baseline.points {
        let restart = if point % 2 == 0 { Restart::Immediate } else { Restart::OnDemand };
        // Closing the browser loses the password, so it is prompted for again.
        let incidents = if point % 4 == 0 {
            vec![Incident::Crash, Incident::CloseBrowser]
        } else {
            vec![Incident::Crash]
        };
        for incident in incidents {
            let plan = Plan { incidents: vec![(point, incident)], ..Plan::crash_at(point, restart) };
            let outcome = scenario.play(&plan).check(&baseline.end);
            outcome.unwrap_or_else(|problem| panic!("{incident:?} {restart:?} {point}: {problem}"));
        }
    }
    println!("{} points", baseline.points);
}

/// The results of a script's undisturbed runs, by the user's decisions.
struct Baselines {
    scenario: Scenario,
    ends: BTreeMap<Vec<Decision>, FinalState>,
}

/// The prompts of [`ASKING`].
const PROMPTS: [&str; 3] = ["Save Alice and Bob", "delete address book", "Save Dave"];

impl Baselines {
    fn new(script: &str, dialect: Dialect) -> Self {
        Self { scenario: Scenario::new(script, dialect), ends: BTreeMap::new() }
    }

    /// The scenario with these decisions, and the result of its undisturbed run.
    fn with(&mut self, decisions: &[Decision]) -> (Scenario, &FinalState) {
        let named = PROMPTS.iter().map(|title| (*title).to_owned()).zip(decisions.iter().copied());
        let scenario = Scenario { decisions: named.collect(), ..self.scenario.clone() };
        let end = self.ends.entry(decisions.to_vec()).or_insert_with(|| {
            let baseline = scenario.play(&Plan::undisturbed());
            baseline.check(&baseline.end).unwrap();
            baseline.end
        });
        (scenario, end)
    }
}

fn pick<T: Clone>(rng: &Rng, from: &[T]) -> T {
    from[rng.below(from.len() as u64) as usize].clone()
}

/// Up to three backend faults, few enough that no answer is given up as lost.
fn faults(rng: &Rng, dialect: Dialect) -> Vec<Fault> {
    let mut faults = Vec::new();
    for _ in 0..rng.below(4) {
        let after_event = rng.below(12) as usize;
        let place = pick(
            rng,
            &[
                At::BeforeHeaders,
                At::AfterBytes(rng.below(1500) as usize),
                At::AfterEvent(after_event),
                At::InsideEvent(after_event + 1),
            ],
        );
        let kind = match rng.below(12) {
            0 => Kind::Status { status: 500, retry_after: None },
            1 => Kind::Status { status: 429, retry_after: Some(rng.below(40)) },
            2 | 3 => Kind::Cut(place),
            4 => Kind::Stall(place),
            // Not the third: it has no id, so sending it twice makes two elements.
            5 | 6 => Kind::RepeatActions { action: Some(pick(rng, &[0, 1, 3, 4])) },
            7 => Kind::TinyChunks { size: pick(rng, &[None, Some(32), Some(64)]) },
            // The remaining faults turn a JSON document into a different valid one, which the core cannot detect.
            _ if dialect == Dialect::Json => continue,
            8 => Kind::Garbage { after_event, text: "%%% \u{1} no event\n".to_owned() },
            9 => Kind::GarbageJson { after_event },
            10 => Kind::LineEnds(pick(rng, &[LineEnds::Cr, LineEnds::Crlf, LineEnds::Mixed])),
            _ => Kind::NoMessage,
        };
        let fault = Fault::new(kind).times(1 + rng.below(2) as u32);
        faults.push(pick(rng, &[fault.clone(), fault.clone().on_results(), fault.on_messages()]));
    }
    faults
}

/// Runs one random schedule for each seed and compares it with its undisturbed run.
fn run_random(seeds: std::ops::Range<u64>, plan: impl Fn(&Rng, u64) -> Plan, whole: bool) {
    let mut baselines: Vec<Baselines> = [FIVE, ASKING]
        .into_iter()
        .flat_map(|script| DIALECTS.map(|dialect| Baselines::new(script, dialect)))
        .collect();
    let (mut workers, mut points) = (0, 0);
    for seed in seeds.clone() {
        let rng = Rng::new(seed);
        let place = rng.below(baselines.len() as u64) as usize;
        let decision = [Decision::Approve, Decision::Approve, Decision::Reject, Decision::Ignore];
        let decisions: Vec<_> = PROMPTS.iter().map(|_| pick(&rng, &decision)).collect();
        let (mut scenario, end) = baselines[place].with(&decisions);
        scenario.faults = faults(&rng, scenario.dialect());
        let plan = plan(&rng, seed);
        let played = scenario.play(&plan);
        workers += played.workers;
        points += played.points;
        let outcome = if whole { played.check(end) } else { played.check_actions(end) };
        outcome.unwrap_or_else(|problem| {
            panic!("seed {seed}, {plan:?}, {:?}, {decisions:?}: {problem}", scenario.faults)
        });
    }
    println!("seeds {seeds:?}: {workers} workers, {points} points");
}

fn incidents(rng: &Rng, most: u64, kinds: &[Incident]) -> Vec<(u64, Incident)> {
    (0..rng.below(most + 1)).map(|_| (rng.below(250), pick(rng, kinds))).collect()
}

fn restart(rng: &Rng) -> Restart {
    pick(rng, &[Restart::Immediate, Restart::OnDemand])
}

fn random_crashes(rng: &Rng, seed: u64) -> Plan {
    let kinds = [Incident::Crash, Incident::Crash, Incident::Crash, Incident::FailOnce];
    Plan {
        seed,
        incidents: incidents(rng, 6, &kinds),
        restart: restart(rng),
        shuffled: rng.below(4) > 0,
        locks: true,
    }
}

/// The seeds of one of two tests, for two cores.
fn half() -> u64 {
    u64::from(rounds(250))
}

/// T000-2, T000-17: up to six crashes and disk failures at random points, a faulty backend, prompts answered at any
/// time or never, tasks in any order. In two halves, for two cores.
#[test]
fn random_crashes_with_faults_1() {
    run_random(0..half(), random_crashes, true);
}

/// T000-2, T000-17: the other half.
#[test]
fn random_crashes_with_faults_2() {
    run_random(half()..2 * half(), random_crashes, true);
}

fn concurrent_workers(rng: &Rng, seed: u64, locks: bool) -> Plan {
    let mut incidents = incidents(rng, 5, &[Incident::Crash, Incident::SecondWorker]);
    incidents.push((rng.below(100), Incident::SecondWorker));
    Plan { seed, incidents, restart: Restart::Immediate, shuffled: true, locks }
}

/// An old worker keeps running beside its successors: the browser's locks keep them apart.
#[test]
fn concurrent_workers_with_locks() {
    run_random(0..u64::from(rounds(50)), |rng, seed| concurrent_workers(rng, seed, true), true);
}

/// T000-2: without the locks, the store's preconditions alone ensure that every action runs once.
#[test]
fn concurrent_workers_without_locks() {
    run_random(0..u64::from(rounds(50)), |rng, seed| concurrent_workers(rng, seed, false), false);
}

/// T000-2: an action repeated in a later answer is answered from its record, under the same key; the agent's reply to
/// its first result is not repeated.
#[test]
fn repeated_action_is_answered_from_record() {
    let script = r#"
        [[turn]]
        when.message = "contacts"
        text = "Two."
        actions = [
          { id = "a", type = "get_address_book" },
          { id = "b", type = "get_address_book" },
        ]
        [[turn]]
        when.result_of = "a"
        text = "One is there."
        [[turn]]
        when.result_of = "b"
        text = "Once more."
        actions = [{ id = "a", type = "get_address_book" }]
    "#;
    let played = Scenario::new(script, Dialect::Events).play(&Plan::undisturbed());
    played.check(&played.end).unwrap();
    let arrived: Vec<_> =
        played.record.results.iter().map(|result| (result.action_id.as_str(), result.repeat)).collect();
    assert_eq!(arrived, [("a", false), ("b", false), ("a", true)]);
    let said: Vec<_> =
        played.end.messages.as_array().unwrap().iter().map(|line| line[1].as_str().unwrap()).collect();
    assert_eq!(said, ["save my contacts", "Two.", "One is there.", "Once more."]);
}
