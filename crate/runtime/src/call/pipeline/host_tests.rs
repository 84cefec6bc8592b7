//! The gate with tools that send to a host.

use super::*;
use crate::call::arrival::{Journaled, journal};
use crate::node::tests::core;
use crate::policy::{Assessment, Outbound, ToSign};
use crate::ports::{Net, NetError, NetRequest, NetResponse};
use crate::prompt::Answer;
use crate::store::memory::Memory;
use crate::store::{Batch, Durability, Range, Store as _, Table, Write};
use crate::tool::shape::Shape;
use crate::tool::{About, Consequence, DEFAULT_TIMEOUT, Definition, Proposal};
use async_trait::async_trait;
use serde_json::json;
use wire::api::Source;
use wire::policy::ReasonCode;

struct NoNet;

#[async_trait(?Send)]
impl Net for NoNet {
    async fn send(&self, _: NetRequest) -> Result<NetResponse, NetError> {
        Err(NetError("there is none".to_owned()))
    }
}

/// A tool that reads from one host.
struct Sender {
    definition: Definition,
    outbound: Vec<Outbound>,
}

impl Sender {
    fn to(host: &str) -> Self {
        let definition = Definition::built_in(About {
            name: "weather",
            description: "",
            category: Category::Read,
            consequence: Consequence::Low,
            requires_confirmation: false,
            timeout: DEFAULT_TIMEOUT,
            tags: &[],
            arguments: &Shape { fields: &[] },
        });
        let secrets = vec!["API_KEY".to_owned()];
        let outbound = Outbound { tool_id: "t1".to_owned(), host: host.to_owned(), secrets };
        Self { definition, outbound: vec![outbound] }
    }
}

#[async_trait(?Send)]
impl Tool for Sender {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    fn reaches_out(&self) -> bool {
        true
    }

    async fn prepare(&self, _: &CallRow, _: &mut Context<'_>) -> Result<Prepared, StoreError> {
        Ok(Prepared::Proposal(Box::new(Request(self.outbound.clone()))))
    }

    async fn execute(&self, _: &Stored<CallRow>, context: &mut Context<'_>) -> Result<Outcome, StoreError> {
        Ok(Outcome::Ended(context.result(&self.definition, Output::Data(json!("sun")))))
    }
}

struct Request(Vec<Outbound>);

impl Proposal for Request {
    fn to_sign(&self) -> Option<ToSign<'_>> {
        None
    }

    fn outbound(&self) -> &[Outbound] {
        &self.0
    }

    fn judged(&mut self, _: &Assessment, _: &mut Batch) {}

    fn shown(&self, call: &CallRow) -> Shown {
        Shown::call(call)
    }
}

async fn arrived(core: &Rc<Core>, source: Source) -> Stored<CallRow> {
    let id = core.ids.next();
    let sender = super::Sender { source, lane: "lane", turn: &id, inputs: None };
    let element = json!({"id": id, "type": "weather", "auto_execute": true});
    match journal(core, &sender, 0, &[element]).await.unwrap().pop() {
        Some(Journaled::New(call)) => *call,
        _ => unreachable!("the id is new"),
    }
}

/// What the gate makes of a call: `runs`, or why it asks, or why it is refused.
async fn told(core: &Rc<Core>, tool: &dyn Tool, call: &Stored<CallRow>) -> String {
    let mut context = Context::new(core, &call.record, Cancel::default());
    match gate(core, tool, &mut call.clone(), &mut context).await.unwrap() {
        Gate::Opens => "runs".to_owned(),
        Gate::Advances(_) => "asks".to_owned(),
        Gate::Refuses(output) => {
            let result = context.result(tool.definition(), output).into_answer(&call.record);
            result.error.unwrap_or_default()
        }
    }
}

async fn agent_calls(core: &Rc<Core>, tool: &dyn Tool) -> String {
    let call = arrived(core, Source::Agent { conversation_id: "c".to_owned() }).await;
    told(core, tool, &call).await
}

/// Answers the only open prompt.
async fn answer(core: &Rc<Core>, approve: bool) -> Vec<ReasonCode> {
    let prompt = core.prompts.open().await.unwrap().remove(0).record;
    let shown = wire::prompt::Prompt::from((*prompt).clone());
    let body = json!({"approve": approve, "digest": shown.digest}).as_object().unwrap().clone();
    prompt::answer(core, &prompt.id, &Answer::parse(body).unwrap()).await.unwrap();
    shown.reasons.iter().map(|reason| reason.code).collect()
}

async fn hosts(store: &Memory) -> Vec<String> {
    let rows = store.scan(Table::Counters, Range::prefix("tool-host/")).await.unwrap();
    rows.into_iter().map(|row| row.key).collect()
}

async fn stop_everything(store: &Memory) {
    let write = Write::Put(Table::Settings, "policy".to_owned(), json!({"killSwitch": true}).to_string());
    store.commit(Batch::unowned(Durability::Strict, Vec::new(), vec![write])).await.unwrap();
}

/// The first call to a host is asked about although the sender says not to; a rejection leaves it so, an approval is
/// written with the answer and outlives the worker.
#[tokio::test(start_paused = true)]
async fn a_host_is_approved_once() {
    let store = Memory::new();
    let first = core(store.clone(), Rc::new(NoNet));
    let tool = Sender::to("api.example");
    for approve in [false, true] {
        assert_eq!(agent_calls(&first, &tool).await, "asks");
        assert_eq!(hosts(&store).await, [] as [String; 0], "asked is not approved");
        assert_eq!(answer(&first, approve).await, [ReasonCode::NewHost]);
    }
    assert_eq!(hosts(&store).await, ["tool-host/t1/api.example"]);
    let second = core(store.clone(), Rc::new(NoNet));
    // Ids are made of the time of a core.
    tokio::time::advance(tokio::time::Duration::from_secs(1)).await;
    assert_eq!(agent_calls(&second, &tool).await, "runs");
    assert_eq!(agent_calls(&second, &Sender::to("other.example")).await, "asks");
}

/// The page of a user who calls a tool shows the request: that asks nothing, and approves nothing for others.
#[tokio::test(start_paused = true)]
async fn the_user_is_not_asked_about_hosts() {
    let store = Memory::new();
    let core = core(store.clone(), Rc::new(NoNet));
    let tool = Sender::to("api.example");
    let call = arrived(&core, Source::User).await;
    assert_eq!(told(&core, &tool, &call).await, "runs");
    assert_eq!(hosts(&store).await, [] as [String; 0]);
    assert_eq!(agent_calls(&core, &tool).await, "asks");
}

/// The kill switch stops what others send, also a look that was approved before; not the user's own.
#[tokio::test(start_paused = true)]
async fn the_kill_switch_stops_what_others_send() {
    let store = Memory::new();
    let core = core(store.clone(), Rc::new(NoNet));
    let tool = Sender::to("api.example");
    let mut approved = arrived(&core, Source::Agent { conversation_id: "c".to_owned() }).await;
    approved.record.state = CallState::Approved;
    assert_eq!(told(&core, &tool, &approved).await, "runs");
    stop_everything(&store).await;
    assert!(told(&core, &tool, &approved).await.starts_with("kill_switch: "));
    assert!(agent_calls(&core, &tool).await.starts_with("kill_switch: "));
    let own = arrived(&core, Source::User).await;
    assert_eq!(told(&core, &tool, &own).await, "runs");
    assert_eq!(core.prompts.open().await.unwrap().len(), 0);
}

/// With a tool go the hosts that were approved for it and the permissions of its name. A denial stays.
#[tokio::test(start_paused = true)]
async fn a_removed_tool_leaves_nothing_allowed() {
    let store = Memory::new();
    let core = core(store.clone(), Rc::new(NoNet));
    let rule =
        |tool: &str, decision: Value| json!({"tool": tool, "who": {"kind": "agent"}, "decision": decision});
    let allow = json!({"kind": "allow", "perDay": 1, "until": null});
    let deny = |tool| rule(tool, json!({"kind": "deny"}));
    let page = json!({"tool": "weather", "who": {"kind": "dapp", "origin": "https://a.example"}, "decision": {"kind": "deny"}});
    let rules =
        json!({"tools": [rule("weather", allow.clone()), page, rule("other", allow.clone()), deny("third")]});
    let put = |table, key: &str, text: String| Write::Put(table, key.to_owned(), text);
    let writes = vec![
        put(Table::Settings, "policy", rules.to_string()),
        put(Table::Counters, "tool-host/t1/a.example", "1".to_owned()),
        put(Table::Counters, "tool-host/t1/b.example:8443", "2".to_owned()),
        put(Table::Counters, "tool-host/t10/a.example", "3".to_owned()),
    ];
    store.commit(Batch::unowned(Durability::Strict, Vec::new(), writes)).await.unwrap();
    let mut batch = Batch::new(Durability::Strict);
    core.policy.stage_hosts_removal("t1", &mut batch).await.unwrap();
    core.policy.stage_approvals_removal(&["weather".to_owned()], &mut batch).await.unwrap();
    core.commit(batch).await.unwrap();
    assert_eq!(hosts(&store).await, ["tool-host/t10/a.example"]);
    let left: Vec<_> = core.policy.rules().await.unwrap().tools.into_iter().map(|rule| rule.tool).collect();
    assert_eq!(left, ["weather", "other", "third"]);
}
