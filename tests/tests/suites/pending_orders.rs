//! Results, time-outs, expiry, cancellation and the worker's death in any order: one outcome, told once.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use agent_backend::{Answer, Piece, Request};
use countersign_tests::pending::config;
use countersign_tests::rounds::rounds;
use countersign_tests::sim::scenario::{ask, begin};
use countersign_tests::sim::{Backend, Incident, PageRequest, Plan, Restart, Rng, Sim, SimUser};
use countersign_tests::tools::*;
use countersign_tests::world::World;
use runtime::pending::engine::{Effect, Event, NoTransitionError, State};
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

/// T004-44, T004-45, T004-51: random events at random times: only the transitions of the specification, the call ends once, a
/// result is told inline or by the inbox and never both, and one that is taken is told.
#[test]
fn random_events_have_one_outcome() {
    for seed in 0..u64::from(rounds(20_000)) {
        let rng = Rng::new(seed);
        let (waits, expires) = (1 + rng.below(20), 1 + rng.below(40));
        let is_sync = rng.below(2) == 0;
        let mut now = 1_000;
        let mut state = State::begin(now, is_sync.then_some(waits), expires);
        let (mut told, mut ended) = (0, u32::from(!is_sync));
        for _ in 0..30 {
            now += rng.below(8);
            let event = [Event::Submit, Event::WaitOver, Event::Expire, Event::Cancel][rng.below(4) as usize];
            let before = state;
            match state.on(event, now) {
                Ok((next, effect)) => {
                    told += u32::from(matches!(effect, Effect::EndWithResult | Effect::PushToInbox));
                    ended += u32::from(matches!(
                        effect,
                        Effect::EndWithResult | Effect::EndTimedOut | Effect::EndCancelled
                    ));
                    state = next;
                }
                Err(why) => assert!(why != NoTransitionError::AlreadyResolved || state == State::Resolved),
            }
            let allowed = match (before, state) {
                (before, after) if before == after => true,
                (State::Waiting { .. }, State::Resolved | State::Pending { .. } | State::Expired) => true,
                (State::Pending { .. }, State::Resolved | State::Expired) => true,
                _ => false,
            };
            assert!(allowed, "{seed}: {before:?} {event:?} {state:?}");
            assert_eq!(told, u32::from(state == State::Resolved), "{seed}");
            assert_eq!(ended, u32::from(!matches!(state, State::Waiting { .. })), "{seed}");
        }
        // Whatever was not done before is done by time alone.
        while let Some(event) = state.due(now + 1_000) {
            state = state.on(event, now + 1_000).unwrap().0;
        }
        assert!(matches!(state, State::Resolved | State::Expired), "{seed}");
    }
}

/// Keeps the results and the items of the inbox that it gets; calls the tool in answer to a message.
#[derive(Default)]
struct Told {
    results: Vec<(String, Value)>,
    inbox: Vec<(String, Value)>,
}

impl Backend for Told {
    fn answer(&mut self, request: Request) -> Answer {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let key = request.headers.iter().find(|(name, _)| name == "Idempotency-Key").unwrap().1.clone();
        let answer = if request.path == "/agent/conversations" {
            json!({"id": "c"})
        } else if let Some(result) = body.get("action_result") {
            self.results.push((key, result.clone()));
            json!({"message": null})
        } else if let Some(item) = body.get("inbox") {
            self.inbox.push((key, item[0].clone()));
            json!({"message": null})
        } else {
            let action =
                json!({"id": "a1", "type": "ask", "title": "ask", "auto_execute": true, "params": {"n": 1}});
            json!({"actions": [action], "message": {"content": ""}})
        };
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Answer {
            before_headers: None,
            status: 200,
            headers,
            body: vec![Piece::Bytes(answer.to_string().into_bytes())],
        }
    }
}

/// What a page does about the call.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    Submit,
    Cancel,
}

/// A user who sends one message, and does these things so long after the call began. What a crash swallowed is done again.
struct Person {
    conversation: String,
    said: Option<PageRequest>,
    began: Option<u64>,
    steps: Vec<(u64, Step, Option<PageRequest>)>,
    statuses: Vec<(Step, u16)>,
}

fn is_lost(asked: &PageRequest) -> bool {
    asked.lost() || asked.reply().is_some_and(|reply| reply.status == 503)
}

impl SimUser for Person {
    fn act(&mut self, sim: &Sim) -> Option<u64> {
        let said = self.said.as_ref().filter(|said| !is_lost(said));
        if said.is_none() {
            let target = format!("/api/conversations/{}/messages", self.conversation);
            self.said = Some(sim.ask("POST", &target, r#"{"content":"go"}"#));
            return Some(sim.now() + 20);
        }
        let calls = sim.rows(Table::Calls);
        let Some(call) = calls.first().and_then(|row| serde_json::from_str::<Value>(&row.text).ok()) else {
            return Some(sim.now() + 20);
        };
        let began = *self.began.get_or_insert(sim.now());
        let (id, run) = (call["id"].as_str().unwrap(), call["runId"].as_str().unwrap());
        let mut next = None;
        for (at, step, asked) in &mut self.steps {
            let due = began + *at;
            if asked.as_ref().is_some_and(|asked| !is_lost(asked)) {
                continue;
            }
            if due > sim.now() {
                next = next.into_iter().chain([due]).min();
                continue;
            }
            *asked = Some(match step {
                Step::Submit => {
                    let body = json!({"callId": id, "result": {"answer": *at}}).to_string();
                    sim.ask("POST", &format!("/api/runs/{run}/tool-results"), &body)
                }
                Step::Cancel => sim.ask("POST", &format!("/api/calls/{id}/cancel"), ""),
            });
            next = Some(sim.now() + 20);
        }
        next
    }
}

impl Person {
    fn note(&mut self) {
        let replies =
            self.steps.iter().filter_map(|(_, step, asked)| Some((*step, asked.as_ref()?.reply()?.status)));
        self.statuses = replies.collect();
    }
}

/// Plays one run, and checks that its outcome is one.
fn play(plan: &Plan, is_async: bool, steps: &[(u64, Step)]) -> u64 {
    let what = format!("{plan:?} async {is_async} {steps:?}");
    let told = Rc::new(RefCell::new(Told::default()));
    let sim = Sim::new(plan, told.clone());
    let conversation = begin(&sim, false, &json!({}));
    assert_eq!(ask(&sim, "PUT", &bundle_path(BUNDLE), &bundle_body().to_string()).0, 201);
    let body = json!({"displayName": "Ask", "description": "Asks.", "argSchema": {"type": "object"}, "type": "external",
        "visible": false, "impl": {"isAsync": is_async, "timeout": 5_000, "expiresIn": 20_000}});
    assert_eq!(ask(&sim, "PUT", &tool_path("ask"), &body.to_string()).0, 201);
    let steps = steps.iter().map(|(at, step)| (*at, *step, None)).collect();
    let mut person = Person { conversation, said: None, began: None, steps, statuses: Vec::new() };
    sim.arm();
    sim.run(&mut person);
    let points = sim.points();
    sim.disarm();
    person.note();
    if plan.incidents.iter().any(|(_, incident)| *incident == Incident::SecondWorker) {
        // Of two workers the one that knows less may set the alarm last: the next start makes up for it.
        sim.start_worker();
    }
    sim.run(&mut ());
    check(&sim, &told.borrow(), &person, is_async, &what);
    points
}

fn check(sim: &Sim, told: &Told, person: &Person, is_async: bool, what: &str) {
    let rows = |table: Table| -> Vec<(String, Value)> {
        let row = |row: runtime::store::Row| (row.key, serde_json::from_str(&row.text).unwrap());
        sim.rows(table).into_iter().map(row).collect()
    };
    let [(_, call)] = rows(Table::Calls).try_into().unwrap_or_else(|calls| panic!("{what}: {calls:?}"));
    assert_eq!(call["state"]["name"], "done", "{what}");
    // A call that was cancelled before it began to wait has no row.
    let (key, row) = match <[_; 1]>::try_from(rows(Table::PendingCalls)) {
        Ok([row]) => row,
        Err(rows) => {
            let error = &call["state"]["result"]["error"];
            assert_eq!((rows, error), (vec![], &json!("Request was cancelled")), "{what}");
            ("settled/".to_owned(), json!({"call": {"status": "expired"}}))
        }
    };
    assert!(key.starts_with("settled/"), "{what}: {row}");
    let result = &call["state"]["result"];
    let inline = u32::from(!is_async && result["success"] == true);
    let keys: BTreeSet<&String> = told.inbox.iter().map(|(key, _)| key).collect();
    assert!(told.inbox.iter().all(|(_, item)| *item == told.inbox[0].1), "{what}");
    let results: BTreeSet<String> =
        told.results.iter().map(|(key, result)| format!("{key} {result}")).collect();
    assert_eq!(results.len(), 1, "{what}: one result under one key");
    let resolved = row["call"]["status"] == "resolved";
    assert_eq!(inline + keys.len() as u32, u32::from(resolved), "{what}: {row} {result}");
    let taken =
        person.statuses.iter().filter(|(step, status)| *step == Step::Submit && *status == 200).count();
    assert!(taken <= 1 && (taken == 0 || resolved), "{what}: {:?}", person.statuses);
    let inbox = told.inbox.first().map(|(_, item)| &item["result"]);
    if resolved {
        assert_eq!(inbox.unwrap_or(&result["data"]), &row["call"]["result"], "{what}");
    }
    if !is_async && !resolved {
        let error = result["error"].as_str().unwrap();
        assert!(["Tool timed out after 5000ms", "Request was cancelled"].contains(&error), "{what}: {error}");
    }
    let ends = rows(Table::Events)
        .into_iter()
        .filter(|(_, event)| matches!(event["event"].as_str(), Some("tool.done" | "tool.error")));
    assert_eq!(ends.count(), 1, "{what}: one end of the tool");
    assert_eq!((sim.rows(Table::Pending), sim.rows(Table::Outbox)), (vec![], vec![]), "{what}");
    assert_eq!(sim.failures(), [""; 0], "{what}");
}

/// T004-21, T004-44, T004-45: one crash at every point while a result arrives in time, or late, or not at all.
#[test]
fn crash_at_every_point_of_a_wait() {
    for is_async in [false, true] {
        for steps in [&[(1_000, Step::Submit)][..], &[(7_000, Step::Submit)], &[], &[(1_000, Step::Cancel)]] {
            let points = play(&Plan::undisturbed(), is_async, steps);
            for point in 0..points {
                let restart = if point % 2 == 0 { Restart::Immediate } else { Restart::OnDemand };
                play(&Plan::crash_at(point, restart), is_async, steps);
            }
        }
    }
}

/// T004-44, T004-45, T004-51: random orders of results, cancellation, time-out, expiry, crashes, failures of the store and second
/// workers, with tasks in random order: inline or inbox, never both, never neither.
#[test]
fn random_orders_have_one_outcome() {
    for seed in 0..u64::from(rounds(300)) {
        let rng = Rng::new(seed);
        let times = [
            rng.below(6_000),
            4_990 + rng.below(20),
            5_000,
            rng.below(26_000),
            19_990 + rng.below(40),
            20_000,
        ];
        let steps: Vec<(u64, Step)> = (0..rng.below(4))
            .map(|_| {
                (times[rng.below(6) as usize], if rng.below(4) == 0 { Step::Cancel } else { Step::Submit })
            })
            .collect();
        let kinds = [Incident::Crash, Incident::FailOnce, Incident::SecondWorker, Incident::CloseBrowser];
        let plan = Plan {
            seed,
            incidents: (0..rng.below(4)).map(|_| (rng.below(60), kinds[rng.below(4) as usize])).collect(),
            restart: if rng.below(2) == 0 { Restart::Immediate } else { Restart::OnDemand },
            shuffled: rng.below(2) == 0,
            locks: rng.below(4) > 0,
        };
        play(&plan, rng.below(3) == 0, &steps);
    }
}

/// T004-51: a thousand pending calls expire in work that is bounded: a batch for every fifty, and no more reads than that.
#[tokio::test(start_paused = true)]
async fn a_thousand_expire_in_bounded_work() {
    let world = World::new().await;
    world.import(&[config("ask", "space", json!({"isAsync": true, "visible": false}))]).await;
    for page in 0..10 {
        let actions: Vec<Value> = (0..100)
            .map(|n| json!({"id": format!("{page}-{n}"), "type": "ask", "params": {}, "auto_execute": true}))
            .collect();
        world.act(json!(actions)).await;
    }
    assert_eq!(world.pending().await.len(), 1_000);
    world.pass(86_400_000 - 60_000).await;
    assert_eq!(world.pending().await.len(), 1_000);
    let before = world.browser.traffic();
    world.pass(180_000).await;
    let after = world.browser.traffic();
    assert_eq!((world.pending().await.len(), world.work().await), (0, json!([])));
    let work = (after.commits - before.commits, after.reads - before.reads);
    assert!(work.0 <= 30 && work.1 <= 80, "commits and reads: {work:?}");
    let ends = world.tool_events().await.into_iter().filter(|name| name == "tool.error").count();
    assert_eq!(ends, 1_000);
}
