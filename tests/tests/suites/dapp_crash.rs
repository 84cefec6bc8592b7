//! A worker that dies, fails or doubles at every step of a page's connection: the page gets one answer, the user one
//! prompt, the log one entry.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, clippy::panic, reason = "a test fails by panicking")]

use agent_backend::{Script, ScriptedAgent};
use countersign_tests::sim::{Incident, PageRequest, Plan, Restart, Sim, SimUser};
use countersign_tests::world::vault;
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::rc::Rc;

const PAGE: &str = "https://app.example";

/// A page that asks to be let in and sends its request again when it is lost, and the user who answers.
struct Story {
    approve: bool,
    /// Whether the tab is reloaded while the prompt is open: another document asks the same.
    reloads: bool,
    request: Option<PageRequest>,
    document: u32,
    /// The request of ours that is under way.
    asked: Option<PageRequest>,
    stage: Stage,
    answers: Vec<Value>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stage {
    Vault,
    Waiting,
    Answering,
    Answered,
}

impl Story {
    fn new(approve: bool, reloads: bool) -> Self {
        Self {
            approve,
            reloads,
            request: None,
            document: 1,
            asked: None,
            stage: Stage::Vault,
            answers: Vec::new(),
        }
    }

    fn send(&mut self, sim: &Sim) {
        let document = format!("d{}", self.document);
        let text =
            json!({"id": format!("{document}-1"), "method": "eth_requestAccounts", "params": []}).to_string();
        self.request = Some(sim.ask_as_page(PAGE, &document, 1, &text));
    }

    /// The reply to a request of ours, once there is one; a lost one is sent again.
    fn reply(&mut self, sim: &Sim, method: &str, target: &str, body: &str) -> Option<Value> {
        let asked = match self.asked.take() {
            Some(asked) if !asked.lost() => asked,
            _ => sim.ask(method, target, body),
        };
        match asked.reply() {
            Some(reply) if reply.status == 503 => None,
            Some(reply) => Some(serde_json::from_str(&reply.body).unwrap()),
            None => {
                self.asked = Some(asked);
                None
            }
        }
    }
}

impl SimUser for Story {
    fn act(&mut self, sim: &Sim) -> Option<u64> {
        let soon = Some(sim.now() + 100);
        match self.stage {
            Stage::Vault => {
                let body = vault(0).to_string();
                if self.reply(sim, "POST", "/api/vaults", &body).is_some() {
                    self.stage = Stage::Waiting;
                    sim.arm();
                    self.send(sim);
                }
                return soon;
            }
            Stage::Waiting => {
                if let Some(body) = self.reply(sim, "GET", "/api/prompts", "")
                    && let Some(prompt) = body["prompts"].get(0)
                {
                    if self.reloads && self.document == 1 {
                        self.document = 2;
                        self.send(sim);
                        return soon;
                    }
                    let target = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
                    let answer =
                        json!({"approve": self.approve, "digest": prompt["digest"], "grant": {"days": null}})
                            .to_string();
                    self.asked = Some(sim.ask("POST", &target, &answer));
                    self.stage = Stage::Answering;
                }
            }
            Stage::Answering => match self.asked.take() {
                Some(asked) if asked.lost() => self.stage = Stage::Waiting,
                Some(asked) => match asked.reply() {
                    Some(reply) if reply.status == 503 => self.stage = Stage::Waiting,
                    Some(_) => self.stage = Stage::Answered,
                    None => self.asked = Some(asked),
                },
                None => self.stage = Stage::Waiting,
            },
            Stage::Answered => {}
        }
        let Some(request) = &self.request else { return None };
        if request.lost() {
            self.send(sim);
            return soon;
        }
        match request.reply() {
            // The disk failed: the page asks again with the same id.
            Some(reply) if reply.body.contains("storage_unavailable") => {
                self.send(sim);
                soon
            }
            Some(reply) => {
                self.answers.push(serde_json::from_str(&reply.body).unwrap());
                self.request = None;
                None
            }
            // A worker that another replaces hears nothing of the answer: the browser ends it, and the page's port with it.
            None if self.stage == Stage::Answered => {
                self.send(sim);
                soon
            }
            None => soon,
        }
    }
}

fn play(plan: &Plan, approve: bool, reloads: bool) -> (Sim, Story) {
    let backend = Rc::new(RefCell::new(ScriptedAgent::new(Script::default(), 1)));
    let sim = Sim::new(plan, backend);
    let mut story = Story::new(approve, reloads);
    sim.run(&mut story);
    (sim, story)
}

fn check(sim: &Sim, story: &Story, about: &str) {
    let [answer] = story.answers.as_slice() else { panic!("{about}: {:?}", story.answers) };
    let connected = sim.rows(Table::Connections).len();
    let settled = sim.rows(Table::SettledPrompts).len();
    match story.approve {
        true => assert!(answer["result"].is_array(), "{about}: {answer}"),
        false => assert_eq!(answer["error"]["code"], 4_001, "{about}: {answer}"),
    }
    assert_eq!((connected, settled), (usize::from(story.approve), 1), "{about}");
    let noted = sim.rows(Table::Audit).iter().filter(|row| row.text.contains("dapp_connected")).count();
    assert_eq!(noted, usize::from(story.approve), "{about}");
    let failures: Vec<String> =
        sim.failures().into_iter().filter(|failure| !failure.contains("alarm")).collect();
    assert_eq!(failures, Vec::<String>::new(), "{about}");
}

/// Wherever the worker dies, fails or doubles, there is one prompt and one answer.
#[test]
fn at_every_point_of_a_connection() {
    for (approve, reloads) in [(true, false), (false, false), (true, true)] {
        let (sim, story) = play(&Plan::undisturbed(), approve, reloads);
        check(&sim, &story, "undisturbed");
        for (point, incident, restart, plan) in Plan::each_incident_at_each_of(sim.points()) {
            let about = format!("{approve} {reloads} {point} {incident:?} {restart:?}");
            let (sim, story) = play(&plan, approve, reloads);
            check(&sim, &story, &about);
        }
    }
}

/// Without the browser's locks, and with tasks in any order, it is the same.
#[test]
fn in_any_order_without_locks() {
    for seed in 0..60 {
        let incidents = vec![(seed % 23, Incident::SecondWorker), (seed % 37, Incident::Crash)];
        let plan = Plan { seed, incidents, restart: Restart::OnDemand, shuffled: true, locks: false };
        let (sim, story) = play(&plan, true, seed % 2 == 0);
        check(&sim, &story, &format!("seed {seed}"));
    }
}
