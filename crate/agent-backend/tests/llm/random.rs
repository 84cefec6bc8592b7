//! Random conversations: no order of messages, results and notes makes the agent break a rule of its model's API.

use crate::stand_in::{Say, StandIn, Turn};
use crate::wallet::{APIS, Wallet, options};
use proptest::prelude::*;
use serde_json::{Value, json};

#[derive(Debug, Clone)]
enum Step {
    Say,
    /// The result of one of the actions so far, by its place; a repeat if it came.
    Result(usize, bool),
    Unknown,
    Inbox(u8),
}

#[derive(Debug, Clone)]
enum Reply {
    Text,
    Calls(u8),
    Bad,
    Mixed,
    Empty,
    Cut(usize),
    Busy,
    Refused,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        2 => Just(Step::Say),
        5 => (0..6_usize, any::<bool>()).prop_map(|(place, success)| Step::Result(place, success)),
        1 => Just(Step::Unknown),
        1 => (0..3_u8).prop_map(Step::Inbox),
    ];
    proptest::collection::vec(step, 1..25)
}

fn replies() -> impl Strategy<Value = Vec<Reply>> {
    let reply = prop_oneof![
        3 => Just(Reply::Text),
        4 => (1..4_u8).prop_map(Reply::Calls),
        1 => Just(Reply::Bad),
        1 => Just(Reply::Mixed),
        1 => Just(Reply::Empty),
        1 => (0..900_usize).prop_map(Reply::Cut),
        1 => Just(Reply::Busy),
        1 => Just(Reply::Refused),
    ];
    proptest::collection::vec(reply, 40)
}

fn say(reply: &Reply, number: usize, model: &StandIn) -> Say {
    let id = |place: usize| format!("c{number}_{place}");
    match reply {
        Reply::Text => Say::Turn(Turn::said("Well.")),
        Reply::Calls(count) => {
            let calls = (0..usize::from(*count)).map(|place| (id(place), "pay".to_owned(), "{}".to_owned()));
            Say::Turn(Turn { calls: calls.collect(), ..Turn::said("Calling.") })
        }
        Reply::Bad => Say::Turn(Turn::default().call(&id(0), "pay", "{")),
        Reply::Mixed => Say::Turn(Turn::default().call("same", "pay", "{}").call("same", "none", "{}")),
        Reply::Empty => Say::Turn(Turn::said(" ")),
        Reply::Cut(at) => {
            let stream = model.stream(&Turn::said("Half of").call(&id(0), "pay", r#"{"to":"x"}"#));
            let bytes = stream.get(..*at).unwrap_or(&stream).to_vec();
            Say::Bytes { kind: "text/event-stream", bytes, breaks: true }
        }
        Reply::Busy => Say::Status(503, Vec::new(), String::new()),
        Reply::Refused => Say::Turn(Turn::said("No").finish(match model.api {
            agent_backend::llm::Api::OpenAi => "content_filter",
            agent_backend::llm::Api::Anthropic => "refusal",
        })),
    }
}

async fn run(steps: &[Step], replies: &[Reply]) -> Result<(), TestCaseError> {
    for api in APIS {
        let mut options = options(api);
        (options.limits.retries, options.limits.turns) = (0, 5);
        (options.limits.history, options.limits.result) = (600, 100);
        let model = StandIn::new(api, []);
        replies.iter().enumerate().for_each(|(number, reply)| model.then(say(reply, number, &model)));
        let mut wallet = Wallet::with(options, model).await;
        let mut actions: Vec<Value> = Vec::new();
        for (number, step) in steps.iter().enumerate() {
            let answer = match step {
                Step::Say => wallet.say(&format!("Message {number} {}", "m".repeat(40))).await,
                Step::Unknown => wallet.result(&json!({"id": "?", "type": "pay"}), json!({})).await,
                Step::Inbox(kind) => {
                    let item = json!({"id": format!("p{kind}"), "type": "plan_due", "plan": {}});
                    wallet.send(json!({"inbox": [item]})).await
                }
                Step::Result(place, success) => {
                    let Some(action) = actions.iter().rev().nth(*place).cloned() else { continue };
                    match success {
                        true => wallet.result(&action, json!({"late": number % 2 == 0})).await,
                        false => wallet.failure(&action, "rejected_by_user: no").await,
                    }
                }
            };
            actions.extend(answer.actions());
            prop_assert_eq!(wallet.model.broken(), [] as [&str; 0]);
        }
        let mut ids: Vec<&Value> = actions.iter().map(|action| &action["id"]).collect();
        ids.sort_by_key(|id| id.to_string());
        ids.dedup();
        prop_assert_eq!(ids.len(), actions.len());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn rules_hold(steps in steps(), replies in replies()) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().start_paused(true).build().unwrap();
        runtime.block_on(run(&steps, &replies))?;
    }
}
