//! Plans of an agent: told once when they are due, in the conversation that set them, also after the browser was closed.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use crate::spaces::{given, plain};
use agent_backend::{Answer as Raw, Piece, Request};
use countersign_tests::sim::scenario::{approving, begin};
use countersign_tests::sim::{Backend, Plan, Sim};
use countersign_tests::world::*;
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

const MINUTE: u64 = 60_000;

/// An agent that makes this plan when it is told to, and calls a tool for other words.
async fn planning(plan: Value) -> World {
    World::answering(move |sent| {
        let action = match sent.body["content"].as_str() {
            Some("plan") => plain("p", "set_plans", json!({"plans": [plan]})),
            Some("list") => plain("l", "get_plans", json!({})),
            Some(said) if said.starts_with("delete ") => {
                plain("d", "delete_plans", json!({"plans": [{"id": said.trim_start_matches("delete ")}]}))
            }
            Some(said) if said.starts_with("move ") => plain(
                "m",
                "set_plans",
                json!({"plans": [{"id": said.trim_start_matches("move "), "dueAt": START + 90 * MINUTE}]}),
            ),
            _ => return Answer::events(&[]),
        };
        Answer::events(&[("actions", json!({"actions": [action]}))])
    })
    .await
}

/// The items that reached the agent's inbox, with when.
fn inbox(world: &World) -> Vec<(u64, Value)> {
    let items = |sent: Sent| Some((sent.at / 1_000, sent.body.get("inbox")?.as_array()?.clone()));
    world
        .messages_sent()
        .into_iter()
        .filter_map(items)
        .flat_map(|(at, items)| items.into_iter().map(move |item| (at, item)))
        .collect()
}

fn in_minutes(minutes: u64) -> u64 {
    START + minutes * MINUTE
}

/// T004-39: a plan is told once at its time, as an item of the inbox and as a message of the wallet.
#[tokio::test(start_paused = true)]
async fn due_plan_wakes_the_agent() {
    let plan = json!({"title": "Pay the rent", "description": "To Alice.", "dueAt": "2026-01-01T01:00:00Z"});
    let world = planning(plan).await;
    world.say("plan").await;
    let row = given(&world)[0]["results"][0].clone();
    let id = row["id"].as_str().unwrap();
    assert_eq!(
        row,
        json!({"id": id, "title": "Pay the rent", "dueAt": "2026-01-01T01:00:00.000Z", "success": true})
    );
    world.pass(59 * MINUTE).await;
    assert_eq!(inbox(&world), []);
    world.restart().await;
    world.pass(2 * MINUTE).await;
    let told = json!({"id": id, "title": "Pay the rent", "description": "To Alice.", "dueAt": "2026-01-01T01:00:00.000Z"});
    let item = json!({"id": format!("plan:{id}:{}", in_minutes(60)), "type": "plan_due", "plan": told});
    assert_eq!(inbox(&world), [(3_600, item)]);
    assert_eq!(world.messages().await[1], json!(["wallet", "Pay the rent", "done"]));
    let public_key = world.messages_sent()[0].body["public_key"].clone();
    let turn = world.messages_sent().pop().unwrap();
    assert_eq!(turn.body, json!({"public_key": public_key, "inbox": turn.body["inbox"]}));
    assert!(!turn.key.is_empty());
    world.pass(24 * 60 * MINUTE).await;
    assert_eq!(inbox(&world).len(), 1);
    world.say("list").await;
    let listed = given(&world).pop().unwrap();
    assert_eq!((&listed["total"], &listed["plans"][0]["dueAt"]), (&json!(1), &Value::Null));
    assert!(listed["plans"][0]["toldAt"].as_str().unwrap().starts_with("2026-01-01T01:00:0"), "{listed}");
    assert_eq!(world.table(Table::Deadlines).await, []);
}

/// T004-39: what was missed while the browser was closed is told once at the next start; a repeated plan goes on at its
/// next time after that.
#[tokio::test(start_paused = true)]
async fn missed_plans_are_told_once() {
    let world = planning(json!({"title": "Look", "dueAt": in_minutes(10), "everyMinutes": 60})).await;
    world.say("plan").await;
    // No worker runs, and no alarm rings.
    tokio::time::sleep(Duration::from_secs(5 * 60 * 60)).await;
    world.reopen().await;
    world.settle().await;
    assert_eq!(inbox(&world).len(), 1);
    assert_eq!(inbox(&world)[0].1["plan"]["nextDueAt"], "2026-01-01T05:10:00.000Z");
    world.pass(15 * MINUTE).await;
    world.pass(60 * MINUTE).await;
    let due: Vec<Value> = inbox(&world).into_iter().map(|(_, item)| item["plan"]["dueAt"].clone()).collect();
    assert_eq!(due, ["2026-01-01T00:10:00.000Z", "2026-01-01T05:10:00.000Z", "2026-01-01T06:10:00.000Z"]);
    let wallet = world.messages().await.into_iter().filter(|message| message[0] == "wallet").count();
    assert_eq!(wallet, 3);
}

/// T004-39: a plan that was deleted is not told; one that was moved is told at its new time only; one whose time has passed
/// is told at once.
#[tokio::test(start_paused = true)]
async fn changed_plans() {
    let world = planning(json!({"title": "Look", "dueAt": in_minutes(60)})).await;
    world.say("plan").await;
    let id = given(&world)[0]["results"][0]["id"].as_str().unwrap().to_owned();
    world.say(&format!("move {id}")).await;
    world.pass(61 * MINUTE).await;
    assert_eq!(inbox(&world), []);
    world.pass(30 * MINUTE).await;
    assert_eq!(inbox(&world).len(), 1);
    let deleted = planning(json!({"title": "Look", "dueAt": in_minutes(60)})).await;
    deleted.say("plan").await;
    let id = given(&deleted)[0]["results"][0]["id"].as_str().unwrap().to_owned();
    deleted.say(&format!("delete {id}")).await;
    assert_eq!(given(&deleted)[1]["results"][0], json!({"id": id, "title": "Look", "success": true}));
    assert_eq!(deleted.table(Table::Deadlines).await, []);
    deleted.pass(120 * MINUTE).await;
    assert_eq!(inbox(&deleted), []);
    let late = planning(json!({"title": "Look", "dueAt": START})).await;
    late.pass(MINUTE).await;
    late.say("plan").await;
    late.settle().await;
    assert_eq!(inbox(&late).len(), 1);
}

/// T004-39: times that are none are refused, and plans are bounded.
#[tokio::test(start_paused = true)]
async fn refused_plans() {
    for (plan, problem) in [
        (json!({"title": "x"}), "invalid_params: /plans/0/dueAt"),
        (json!({"title": "x", "dueAt": "tomorrow"}), "invalid_params: /plans/0/dueAt"),
        (json!({"title": "x", "dueAt": START * 2}), "invalid_params: /plans/0/dueAt"),
        (json!({"dueAt": START}), "invalid_params: /plans/0/title"),
        (json!({"title": "x", "dueAt": START, "everyMinutes": 0}), "invalid_params: /plans/0/everyMinutes"),
        (json!({"id": "x", "dueAt": START}), "not_found"),
    ] {
        let world = planning(plan).await;
        world.say("plan").await;
        assert!(given(&world)[0].as_str().unwrap().starts_with(problem), "{:?}", given(&world));
    }
    let world = World::new().await;
    let plans: Vec<Value> =
        (0..100).map(|n| json!({"title": format!("p{n}"), "dueAt": in_minutes(60 + n)})).collect();
    assert_eq!(world.act_once("set_plans", json!({"plans": plans})).await["success"], true);
    let one = json!({"plans": [{"title": "one more", "dueAt": in_minutes(600)}]});
    let over = world.act_once("set_plans", one.clone()).await;
    assert_eq!(over["error"], "too_many_notes: at most 100 plans are kept");
    world.pass(61 * MINUTE).await;
    assert_eq!(world.act_once("set_plans", one).await["success"], true, "one that was told makes room");
    world.pass(24 * 60 * MINUTE).await;
    assert_eq!(world.table(Table::Deadlines).await, []);
}

/// Items of the inbox are delivered like other turns: in order, under the same key until they are answered.
#[tokio::test(start_paused = true)]
async fn inbox_items_are_retried() {
    let world = planning(json!({"title": "Look", "dueAt": in_minutes(10), "everyMinutes": 10})).await;
    world.say("plan").await;
    world.pass(9 * MINUTE).await;
    world.set_down(true);
    world.pass(12 * MINUTE).await;
    world.set_down(false);
    world.pass(6 * MINUTE).await;
    let turns: Vec<(String, Value)> = world
        .messages_sent()
        .into_iter()
        .filter(|sent| sent.body.get("inbox").is_some())
        .map(|sent| (sent.key, sent.body))
        .collect();
    let mut distinct = turns.clone();
    distinct.dedup();
    assert!(turns.len() > 2 && distinct.len() == 2, "{} {}", turns.len(), distinct.len());
    assert_ne!(distinct[0].0, distinct[1].0);
    assert_eq!(world.table(Table::Outbox).await, []);
}

/// A backend that plans once and keeps what reaches its inbox.
#[derive(Default)]
struct Planner {
    inbox: Vec<(String, Value)>,
}

const DUE: u64 = 1_700_003_600_000;

impl Backend for Planner {
    fn answer(&mut self, request: Request) -> Raw {
        let body: Value = serde_json::from_slice(&request.body).unwrap();
        let said = if request.path == "/agent/conversations" {
            json!({"id": "c"})
        } else if let Some(inbox) = body.get("inbox") {
            let key = request.headers.iter().find(|(name, _)| name == "Idempotency-Key").unwrap();
            self.inbox.push((key.1.clone(), inbox.clone()));
            json!({"message": {"content": "I am awake."}})
        } else if body.get("content").is_some() {
            json!({"message": null, "actions": [plain("p", "set_plans", json!({"plans": [{"title": "Wake", "dueAt": DUE}]}))]})
        } else {
            json!({"message": null})
        };
        Raw {
            before_headers: None,
            status: 200,
            headers: vec![("content-type".to_owned(), "application/json".to_owned())],
            body: vec![Piece::Bytes(said.to_string().into_bytes())],
        }
    }
}

fn play(plan: &Plan) -> u64 {
    let planner = Rc::new(RefCell::new(Planner::default()));
    let sim = Sim::new(plan, planner.clone());
    let conversation = begin(&sim, false, &json!({}));
    sim.arm();
    sim.run(&mut approving(conversation, 7));
    let points = sim.points();
    sim.disarm();
    let mut inbox = planner.borrow().inbox.clone();
    inbox.dedup();
    let [(_, items)] = inbox.as_slice() else { panic!("{plan:?}: {inbox:?}") };
    let id = items[0]["plan"]["id"].as_str().unwrap();
    assert_eq!(items[0]["id"], json!(format!("plan:{id}:{DUE}")), "{plan:?}");
    let said: Vec<Value> = sim
        .rows(Table::Timeline)
        .iter()
        .filter_map(|row| serde_json::from_str::<Value>(&row.text).ok()?.get("message").cloned())
        .map(|message| json!([message["role"], message["content"]]))
        .collect();
    let expected =
        [json!(["user", "save my contacts"]), json!(["wallet", "Wake"]), json!(["agent", "I am awake."])];
    assert_eq!(said, expected, "{plan:?}");
    for table in [Table::Outbox, Table::Pending, Table::Deadlines] {
        assert_eq!(sim.rows(table), [], "{plan:?}");
    }
    assert_eq!(sim.failures(), [""; 0], "{plan:?}");
    points
}

/// T004-39: a death, a failed access or a second worker at every point, before, between and after a plan's time and its
/// message: the plan is told once.
#[test]
fn plan_is_told_once_at_every_point() {
    let points = play(&Plan::undisturbed());
    for (_, _, _, plan) in Plan::each_incident_at_each_of(points) {
        play(&plan);
    }
    println!("{points} points, four incidents");
}
