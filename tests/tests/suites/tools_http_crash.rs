//! The worker dies before, during and after a call to an HTTP tool: what may have reached the host is not repeated unless it
//! can be, its outcome is said to be unknown, and everything ends once.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use agent_backend::{Answer, Piece, Script, ScriptedAgent};
use countersign_tests::sim::scenario::{approving, ask, begin};
use countersign_tests::sim::{Chains, Incident, Plan, Restart, Sim, SimUser};
use countersign_tests::tools::*;
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

/// The tool's host: counts what reached it.
#[derive(Default)]
struct Server {
    /// When each request came, by the address and the body.
    requests: Vec<(u64, String)>,
    /// How many are answered with 503 first.
    failing: usize,
}

impl Chains for Server {
    fn answer(&mut self, url: &str, _: Option<&str>, now: u64) -> Answer {
        self.requests.push((now, url.to_owned()));
        let status = if self.requests.len() <= self.failing { 503 } else { 200 };
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Answer { before_headers: None, status, headers, body: vec![Piece::Bytes(br#"{"order":1}"#.to_vec())] }
    }
}

const SCRIPT: &str = r#"
[[turn]]
when.message = "contacts"
text = "Ordering."
actions = [{ id = "order", type = "order", title = "order", auto_execute = true, params = { city = "Rome" } }]

[[turn]]
when.last_result = true
text = "Done."
"#;

/// What was sent, and what came of it.
#[derive(Debug, PartialEq)]
struct End {
    sent: usize,
    /// The value or the code.
    result: String,
    /// Calls and failures.
    metrics: (u64, u64),
}

fn code(result: &Value) -> String {
    match result["error"].as_str() {
        Some(error) => error.split(':').next().unwrap().to_owned(),
        None => "value".to_owned(),
    }
}

/// A simulation with the tool.
fn prepared(
    plan: &Plan,
    block: &Value,
    agent: Rc<RefCell<ScriptedAgent>>,
    failing: usize,
) -> (Sim, Rc<RefCell<Server>>) {
    let sim = Sim::new(plan, agent);
    let server = Rc::new(RefCell::new(Server { failing, ..Server::default() }));
    sim.set_chains(server.clone());
    let mut body = tool_body(json!({"impl": block, "timeout": 60_000}));
    body.as_object_mut().unwrap().remove("outputSchema");
    for (method, path, body) in [
        ("PATCH", "/api/settings".to_owned(), json!({"allowedHosts": ["api.example.org"]})),
        ("PUT", bundle_path(BUNDLE), bundle_body()),
        ("PUT", tool_path("order"), body),
    ] {
        let (status, answer) = ask(&sim, method, &path, &body.to_string());
        assert!(status < 300, "{answer}");
    }
    (sim, server)
}

/// What must hold after any run: nothing is left over, and the call is counted once, as what it was.
fn ended(sim: &Sim, server: &Rc<RefCell<Server>>, what: &str) -> End {
    sim.disarm();
    let (_, tool) = ask(sim, "GET", &tool_path("order"), "");
    let (_, calls) = ask(sim, "GET", "/api/calls", "");
    let [call] = calls["calls"].as_array().unwrap().as_slice() else { panic!("{what}: {calls}") };
    assert_eq!(call["state"]["name"], "done", "{what}");
    let result = code(&call["state"]["result"]);
    let metrics = &tool["metrics"];
    let metrics = (metrics["callCount"].as_u64().unwrap(), metrics["failureCount"].as_u64().unwrap());
    assert_eq!(metrics, (1, u64::from(result != "value")), "{what}");
    assert_eq!(sim.rows(Table::Pending), [], "{what}");
    let left: Vec<_> =
        sim.rows(Table::Counters).into_iter().filter(|row| row.key.starts_with("tool-run/")).collect();
    assert_eq!(left, [], "{what}");
    assert_eq!(sim.failures(), [""; 0], "{what}");
    let (_, checked) = ask(sim, "GET", "/api/audit/check", "");
    assert_eq!(checked["brokenAt"], Value::Null, "{what}");
    End { sent: server.borrow().requests.len(), result, metrics }
}

/// The answer to a page's call, which is sent again with the same id until a worker answers it.
fn invoked(sim: &Sim, slug: &str, plan: &Plan) -> (Value, u64) {
    let time = format!("{:012x}", sim.now());
    let id = format!("{}-{}-7abc-8abc-0123456789ab", &time[..8], &time[8..]);
    let body = json!({"args": {"city": "Rome"}, "id": id}).to_string();
    sim.arm();
    let path = format!("{}/invoke", tool_path(slug));
    let answer = (0..6).find_map(|_| {
        let asked = sim.ask("POST", &path, &body);
        sim.run(&mut ());
        asked.reply().filter(|reply| reply.status != 503)
    });
    let points = sim.points();
    sim.disarm();
    let answer = answer.unwrap_or_else(|| panic!("{plan:?}: no answer"));
    (serde_json::from_str(&answer.body).unwrap(), points)
}

/// A page's call.
fn by_page(plan: &Plan, block: &Value, failing: usize) -> (End, u64) {
    let agent = Rc::new(RefCell::new(ScriptedAgent::new(Script::default(), 7)));
    let (sim, server) = prepared(plan, block, agent, failing);
    let (answer, points) = invoked(&sim, "order", plan);
    let what = format!("{block} {plan:?}");
    let end = ended(&sim, &server, &what);
    assert_eq!(code(&answer), end.result, "{what}: {answer}");
    (end, points)
}

/// A call of the agent's, which the user approves.
fn by_agent(plan: &Plan, block: &Value, failing: usize) -> (End, u64) {
    let agent = Rc::new(RefCell::new(ScriptedAgent::new(Script::parse(SCRIPT).unwrap(), 7)));
    let (sim, server) = prepared(plan, block, agent.clone(), failing);
    let conversation = begin(&sim, false, &json!({}));
    let mut user: Box<dyn SimUser> = Box::new(approving(conversation, 7));
    sim.arm();
    sim.run(&mut *user);
    let points = sim.points();
    let what = format!("{block} {plan:?}");
    let end = ended(&sim, &server, &what);
    let record = agent.borrow().record().clone();
    assert_eq!(record.violations, [""; 0], "{what}");
    let mut results: Vec<String> =
        record.results.iter().map(|received| code(&json!({"error": received.error}))).collect();
    results.dedup();
    assert_eq!(results, std::slice::from_ref(&end.result), "{what}");
    (end, points)
}

/// A page's call of a tool whose first step may be repeated, and whose second may not.
fn by_steps(plan: &Plan, block: &Value, failing: usize) -> (End, u64) {
    let agent = Rc::new(RefCell::new(ScriptedAgent::new(Script::default(), 7)));
    let (sim, server) = prepared(plan, block, agent, failing);
    let look = tool_body(
        json!({"impl": {"urlTemplate": "https://api.example.org/look?q=${city}", "timeoutMs": 60_000}}),
    );
    let args = json!({"city": "${args.city}"});
    let steps =
        json!([{"id": "a", "tool": "look", "args": args}, {"id": "b", "tool": "order", "args": args}]);
    let main = tool_body(json!({"type": "steps", "impl": {"steps": steps}, "timeout": 60_000}));
    for (slug, mut body) in [("look", look), ("main", main)] {
        body.as_object_mut().unwrap().remove("outputSchema");
        assert_eq!(ask(&sim, "PUT", &tool_path(slug), &body.to_string()).0, 201);
    }
    let (answer, points) = invoked(&sim, "main", plan);
    let (looks, orders) = {
        let requests = &server.borrow().requests;
        let orders = requests.iter().filter(|(_, url)| url.contains("/orders")).count();
        (requests.len() - orders, orders)
    };
    // What is done is not done again.
    assert!((1..=2).contains(&looks) && orders <= 1, "{plan:?}: {looks} {orders}");
    (End { sent: orders, result: code(&answer), metrics: (looks as u64, 0) }, points)
}

/// T002-85: a death resumes after the last step that is done; a step that cannot be repeated is not.
#[test]
fn steps_that_are_done_are_not_done_again() {
    let block = json!({"method": "POST", "urlTemplate": GET, "timeoutMs": 60_000});
    every_point(by_steps, &block, 0, |end, incident, _, what| match end.result.as_str() {
        "value" => assert_eq!(end.sent, 1, "{what}"),
        "outcome_unknown" => assert_ne!(incident, Incident::SecondWorker, "{what}"),
        _ => panic!("{what}"),
    });
}

type Play = fn(&Plan, &Value, usize) -> (End, u64);

const GET: &str = "https://api.example.org/orders?q=${city}";

fn every_point(play: Play, block: &Value, failing: usize, check: impl Fn(&End, Incident, Restart, &str)) {
    let (undisturbed, points) = play(&Plan::undisturbed(), block, failing);
    assert_eq!(undisturbed.result, "value");
    for (point, incident, restart, plan) in Plan::each_incident_at_each_of(points) {
        let (end, _) = play(&plan, block, failing);
        check(&end, incident, restart, &format!("{block} {incident:?} {restart:?} at {point}: {end:?}"));
    }
    println!("{points} points, four incidents");
}

/// T002-70, T002-73: what cannot be repeated reaches the host once at most, at every point where the worker may die; if it may
/// have reached it and the answer is lost, the result says that the outcome is unknown.
#[test]
fn a_post_is_sent_once_at_most() {
    let block = json!({"method": "POST", "urlTemplate": GET, "timeoutMs": 60_000});
    for play in [by_page as Play, by_agent] {
        every_point(play, &block, 0, |end, incident, _, what| {
            assert!(end.sent <= 1, "{what}");
            match end.result.as_str() {
                "value" => assert_eq!(end.sent, 1, "{what}"),
                "outcome_unknown" => assert_ne!(incident, Incident::SecondWorker, "{what}"),
                _ => panic!("{what}"),
            }
        });
    }
}

/// T002-26, T002-70: what can be repeated goes on with the rest of its attempts in the rest of its time.
#[test]
fn a_get_goes_on() {
    let block = json!({"urlTemplate": GET, "timeoutMs": 60_000, "maxRetries": 2});
    for play in [by_page as Play, by_agent] {
        for failing in [0, 1] {
            every_point(play, &block, failing, |end, incident, _, what| {
                let most = failing + 1 + usize::from(incident != Incident::SecondWorker);
                assert!(end.result == "value" && (failing + 1..=most).contains(&end.sent), "{what}");
            });
        }
    }
}

/// T002-26: the time runs on while no worker is there. When it is over, the call ends.
#[test]
fn time_runs_on_after_a_death() {
    let block = json!({"urlTemplate": GET, "timeoutMs": 10_000});
    every_point(by_agent, &block, 0, |end, _, restart, what| match end.result.as_str() {
        "value" => {}
        "timed_out" => assert!(restart == Restart::OnDemand || what.contains("FailOnce"), "{what}"),
        _ => panic!("{what}"),
    });
}
