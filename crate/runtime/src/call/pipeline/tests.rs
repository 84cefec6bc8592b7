//! The pipeline's stages with tools made by hand.

use super::*;
use crate::call::arrival::{Journaled, journal};
use crate::node::tests::core;
use crate::ports::{Net, NetError, NetRequest, NetResponse};
use crate::store::memory::Memory;
use crate::store::{Batch, Durability, Range, Store as _, Table, Write, json};
use crate::tool::shape::Shape;
use crate::tool::{About, CANCELLED, ClientError, Consequence, DEFAULT_TIMEOUT, Definition};
use async_trait::async_trait;
use serde_json::json;
use std::cell::{Cell, RefCell};
use tokio::time::{Duration, Instant};
use wire::api::Source;
use wire::vault::{PublicKeys, Vault, VaultKind};

/// Answers any request with a word, and counts them.
#[derive(Default)]
struct Requests(RefCell<Vec<String>>);

#[async_trait(?Send)]
impl Net for Requests {
    async fn send(&self, request: NetRequest) -> Result<NetResponse, NetError> {
        self.0.borrow_mut().push(request.url);
        Err(NetError("no more than counted".to_owned()))
    }
}

/// A tool that waits, then writes, then waits again.
struct Spy {
    definition: Definition,
    /// Before and after it writes.
    waits: [u64; 2],
    polls: Cell<u32>,
    writes: Cell<u32>,
}

impl Spy {
    fn new(category: Category, consequence: Consequence, requires_confirmation: bool) -> Self {
        let definition = Definition::built_in(About {
            name: "spy",
            description: "",
            category,
            consequence,
            requires_confirmation,
            timeout: DEFAULT_TIMEOUT,
            tags: &[],
            arguments: &Shape { fields: &[] },
        });
        Self { definition, waits: [0, 0], polls: Cell::default(), writes: Cell::default() }
    }

    fn waiting(waits: [u64; 2]) -> Self {
        Self { waits, ..Self::new(Category::Write, Consequence::Low, false) }
    }
}

#[async_trait(?Send)]
impl Tool for Spy {
    fn definition(&self) -> &Definition {
        &self.definition
    }

    async fn execute(&self, _: &Stored<CallRow>, context: &mut Context<'_>) -> Result<Outcome, StoreError> {
        self.polls.set(self.polls.get() + 1);
        tokio::time::sleep(Duration::from_millis(self.waits[0])).await;
        self.writes.set(self.writes.get() + 1);
        context.vault_modified = true;
        context.batch.tell(&Event::VaultModified {});
        tokio::time::sleep(Duration::from_millis(self.waits[1])).await;
        self.polls.set(self.polls.get() + 1);
        Ok(Outcome::Ended(context.result(&self.definition, Output::Data(json!("done")))))
    }
}

async fn arrived(core: &Rc<Core>, hint: Option<bool>) -> Stored<CallRow> {
    let id = core.ids.next();
    let source = Source::Agent { conversation_id: "c".to_owned() };
    let sender = Sender { source, lane: "lane", turn: &id, inputs: None };
    let mut element = json!({"id": id, "type": "spy"});
    if let Some(hint) = hint {
        element["auto_execute"] = json!(hint);
    }
    match journal(core, &sender, 0, &[element]).await.unwrap().pop() {
        Some(Journaled::New(call)) => *call,
        _ => unreachable!("the id is new"),
    }
}

/// What comes of a call of the tool: `runs`, or `asks`.
async fn told(core: &Rc<Core>, tool: &Spy, call: &Stored<CallRow>) -> &'static str {
    let mut context = Context::new(core, &call.record, Cancel::default());
    match gate(core, tool, &mut call.clone(), &mut context).await.unwrap() {
        Gate::Opens => {
            execute(core, tool, call, &mut context).await.unwrap();
            "runs"
        }
        Gate::Advances(Advance::Waits) => "asks",
        _ => "other",
    }
}

/// T003-14, T003-15, T003-16: all 24 combinations are valid and behave by their own flags: what demands a confirmation is
/// not executed before it, whatever the hint, and nothing else is inferred from category or level.
#[tokio::test(start_paused = true)]
async fn every_combination_runs_by_its_own_flags() {
    let core = core(Memory::new(), Rc::new(Requests::default()));
    let mut definitions = Vec::new();
    for category in [Category::Read, Category::Write, Category::Delete, Category::SideEffect] {
        for consequence in [Consequence::Low, Consequence::Medium, Consequence::High] {
            for demands in [false, true] {
                for hint in [None, Some(true), Some(false)] {
                    let tool = Spy::new(category, consequence, demands);
                    let call = arrived(&core, hint).await;
                    // Without a hint only a look needs no tap (D2).
                    let asks = demands || hint.map_or(category != Category::Read, |auto| !auto);
                    let expected = if asks { ("asks", 0) } else { ("runs", 1) };
                    let found = (told(&core, &tool, &call).await, tool.writes.get());
                    assert_eq!(found, expected, "{category:?} {consequence:?} {demands} {hint:?}");
                }
                let view = Spy::new(category, consequence, demands).definition.view();
                assert!(!definitions.contains(&view));
                definitions.push(view);
            }
        }
    }
    assert_eq!(definitions.len(), 24);
}

/// T003-16: an approved call passes the gate and is executed once.
#[tokio::test(start_paused = true)]
async fn an_approved_call_is_executed() {
    let core = core(Memory::new(), Rc::new(Requests::default()));
    let tool = Spy::new(Category::SideEffect, Consequence::High, true);
    let mut call = arrived(&core, None).await;
    assert_eq!((told(&core, &tool, &call).await, tool.writes.get()), ("asks", 0));
    call.record.state = CallState::Approved;
    assert_eq!((told(&core, &tool, &call).await, tool.writes.get()), ("runs", 1));
}

/// T003-8, T003-34: a tool has its time, 15 seconds if it says nothing else; then the call is an error result, and nothing
/// that the tool had staged is left.
#[tokio::test(start_paused = true)]
async fn the_deadline_ends_a_tool() {
    let core = core(Memory::new(), Rc::new(Requests::default()));
    assert_eq!(DEFAULT_TIMEOUT, 15_000);
    for (waits, took, in_time) in
        [([0, 14_999], 14_999, true), ([0, 15_001], 15_000, false), ([20_000, 0], 15_000, false)]
    {
        let tool = Spy::waiting(waits);
        let call = arrived(&core, Some(true)).await;
        let began = Instant::now();
        let mut context = Context::new(&core, &call.record, Cancel::default());
        let Outcome::Ended(result) = execute(&core, &tool, &call, &mut context).await.unwrap() else {
            unreachable!()
        };
        assert_eq!(began.elapsed().as_millis(), took);
        let output = if in_time {
            Output::Data(json!("done"))
        } else {
            Output::failed(wire::failure::Failure::bare(CANCELLED))
        };
        assert_eq!((result.tool.as_str(), result.output), ("spy", output), "{waits:?}");
        assert_eq!((context.vault_modified, context.batch.writes().len()), (in_time, usize::from(in_time)));
    }
}

/// T003-29, T003-33, T003-34: a tool that is cancelled before its start is never polled; one that is cancelled later is not
/// polled again, and what it had staged is not written. The answer has the exact words and no data.
#[tokio::test(start_paused = true)]
async fn a_cancelled_tool_is_not_polled_again() {
    let core = core(Memory::new(), Rc::new(Requests::default()));
    for (after, polls, writes) in [(None, 0, 0), (Some(50), 1, 0), (Some(150), 1, 1)] {
        let tool = Spy::waiting([100, 100]);
        let call = arrived(&core, Some(true)).await;
        let cancel = Cancel::default();
        let mut context = Context::new(&core, &call.record, cancel.clone());
        let cancels = async {
            match after {
                None => cancel.raise(),
                Some(millis) => {
                    tokio::time::sleep(Duration::from_millis(millis)).await;
                    cancel.raise();
                }
            }
        };
        let work = async {
            tokio::task::yield_now().await;
            execute(&core, &tool, &call, &mut context).await.unwrap()
        };
        let (outcome, ()) = tokio::join!(work, cancels);
        let Outcome::Ended(result) = outcome else { unreachable!() };
        assert_eq!((tool.polls.get(), tool.writes.get()), (polls, writes), "{after:?}");
        assert_eq!((context.vault_modified, context.batch.writes()), (false, [].as_slice()));
        let answer = result.into_answer(&call.record);
        assert_eq!((answer.error.as_deref(), answer.data), (Some("Request was cancelled"), None));
    }
}

/// T003-28, T003-30: the user is the active vault, by its id; a tool has this handle and no secret.
#[tokio::test(start_paused = true)]
async fn the_user_is_the_active_vault() {
    let store = Memory::new();
    let core = core(store.clone(), Rc::new(Requests::default()));
    let call = arrived(&core, None).await;
    let user = async || Context::new(&core, &call.record, Cancel::default()).auth.user_id().await.unwrap();
    assert_eq!(user().await, "");
    let vault = Vault {
        name: "Main".to_owned(),
        kind: VaultKind::Watch,
        keys: PublicKeys { public_key_ecdsa: "02ab".to_owned(), ..PublicKeys::default() },
        accounts: Vec::new(),
        sealed: None,
        created_at: 0,
    };
    let put = |table, key: &str, text: String| Write::Put(table, key.to_owned(), text);
    let writes = vec![
        put(Table::Vaults, vault.id(), json(&vault)),
        put(Table::Settings, "settings", json!({"activeVault": vault.id()}).to_string()),
    ];
    store.commit(Batch::unowned(Durability::Strict, Vec::new(), writes)).await.unwrap();
    assert_eq!(user().await, "02ab");
}

/// T003-31: a tool reaches hosts that are allowed, and no others.
#[tokio::test(start_paused = true)]
async fn the_client_reaches_allowed_hosts_only() {
    let requests = Rc::new(Requests::default());
    let core = core(Memory::new(), requests.clone());
    let call = arrived(&core, None).await;
    let mut context = Context::new(&core, &call.record, Cancel::default());
    let get = |url: &str| NetRequest::json(url.to_owned(), Vec::new(), None);
    for allowed in [vec![], vec!["api.example.org".to_owned()]] {
        context.client.allowed_hosts = allowed;
        for url in [
            "https://evil.example/",
            "https://api.example.org.evil.example/",
            "https://api.example.org@evil.example/",
            "https://api.example.org:8443/",
            "api.example.org",
        ] {
            let sent = context.client.send(get(url)).await.err();
            assert_eq!(sent, Some(ClientError::HostNotAllowed), "{url}");
        }
    }
    assert_eq!(requests.0.borrow().len(), 0);
    let sent = context.client.send(get("https://api.example.org/x")).await.err();
    assert!(matches!(sent, Some(ClientError::Unreachable(_))));
    assert_eq!(*requests.0.borrow(), ["https://api.example.org/x"]);
}

/// A tool that needs more than the standard services of its context.
struct CountsContacts(Definition);

#[async_trait(?Send)]
impl Tool for CountsContacts {
    fn definition(&self) -> &Definition {
        &self.0
    }

    async fn execute(&self, _: &Stored<CallRow>, context: &mut Context<'_>) -> Result<Outcome, StoreError> {
        let book = context.wallet.contacts().book().await?;
        Ok(Outcome::Ended(context.result(&self.0, Output::Data(json!(book.contacts().count())))))
    }
}

/// T003-32: a tool that asks for a further service has it in the same context in which another does without.
#[tokio::test(start_paused = true)]
async fn further_services_are_there_for_tools_that_ask() {
    let core = core(Memory::new(), Rc::new(Requests::default()));
    let plain = Spy::new(Category::Read, Consequence::Low, false);
    let further = CountsContacts(Spy::new(Category::Read, Consequence::Low, false).definition);
    let call = arrived(&core, None).await;
    let mut context = Context::new(&core, &call.record, Cancel::default());
    for (tool, expected) in [(&plain as &dyn Tool, json!("done")), (&further, json!(0))] {
        let outcome = execute(&core, tool, &call, &mut context).await.unwrap();
        let Outcome::Ended(result) = outcome else { unreachable!("it waits for nothing") };
        assert_eq!(result.output, Output::Data(expected));
    }
}

/// Nothing is written by a call that is only asked about, beside its prompt.
#[tokio::test(start_paused = true)]
async fn asking_writes_the_prompt_and_no_result() {
    let store = Memory::new();
    let core = core(store.clone(), Rc::new(Requests::default()));
    let call = arrived(&core, None).await;
    assert_eq!(told(&core, &Spy::new(Category::Write, Consequence::Low, true), &call).await, "asks");
    let prompts = store.scan(Table::Prompts, Range::all()).await.unwrap();
    let outbox = store.scan(Table::Outbox, Range::all()).await.unwrap();
    assert_eq!((prompts.len(), outbox.len()), (1, 0));
}
