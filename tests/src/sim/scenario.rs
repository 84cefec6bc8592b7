//! A conversation under incidents: what the agent proposes, what the user does, and the expected final state.

use super::{BACKEND, PageRequest, Plan, Rng, Sim, SimUser};
use crate::audit;
use crate::chain::Chains;
use crate::evm::{Evm, PAYEE, STRANGER};
use crate::world::vault;
use agent_backend::{Dialect, Fault, Script, ScriptedAgent};
use runtime::store::Table;
use serde_json::{Value, json};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

/// Five actions: one that adds two contacts, one in the legacy form, one malformed, one of an unknown type, one that
/// deletes a contact; and a final message when all of them are answered.
pub const FIVE: &str = r#"
[[turn]]
when.message = "contacts"
title = "Friends"
text = "Saving your friends, é 😀."
actions = [
  { id = "friends", type = "add_address_book", title = "Save Alice and Bob", auto_execute = true, params = { entries = [
    { title = "Alice", address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", chain = "Ethereum" },
    { title = "Bob", address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", chain = "Bitcoin" },
  ] } },
  { id = "carol", type = "address_book_add", title = "Save Carol", auto_execute = true, params = {
    name = "Carol", address = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", chain = "Solana" } },
  { id = "nothing", title = "Do you know what I mean?" },
  { id = "pizza", type = "order_pizza", params = { size = "large" } },
  { id = "forget", type = "delete_address_book", auto_execute = true, params = { entries = [{ title = "Bob", chain = "Bitcoin" }] } },
]

[[turn]]
when.last_result = true
text = "Done: {{succeeded}} and {{failed}}."
"#;

/// The same with prompts for the user, actions in several events, an element without an id, and an answer to a
/// result that brings another action.
pub const ASKING: &str = r#"
[[turn]]
when.message = "contacts"
title = "Friends"
text = "Saving your friends."
actions_per_event = 2
actions = [
  { id = "friends", type = "add_address_book", title = "Save Alice and Bob", params = { entries = [
    { title = "Alice", address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", chain = "Ethereum" },
    { title = "Bob", address = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq", chain = "Bitcoin" },
  ] } },
  { id = "carol", type = "address_book_add", title = "Save Carol", auto_execute = true, params = {
    name = "Carol", address = "7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV", chain = "Solana" } },
  { type = "no_id" },
  { id = "pizza", type = "order_pizza", params = { size = "large" } },
  { id = "forget", type = "delete_address_book", params = { entries = [{ title = "Carol" }] } },
]

[[turn]]
when.result_of = "dave"
text = "{{succeeded}} and {{failed}}."

[[turn]]
when.result_of = "forget"
text = "One more."
actions = [
  { id = "dave", type = "add_address_book", title = "Save Dave", params = { entries = [
    { title = "Dave", address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", chain = "Base" },
  ] } },
  { id = "book", type = "get_address_book", params = {} },
]

[[turn]]
when.result_of = "friends"
text = "That is settled."
"#;

/// Chains and tokens: two tokens that add their chain, one on an existing chain, one in the legacy form, duplicates, a
/// prompt for the user, and a token that is removed again.
pub const WALLET: &str = r#"
[[turn]]
when.message = "contacts"
text = "Adding what you hold."
actions = [
  { id = "chains", type = "add_chain", auto_execute = true, params = { chains = [
    { chain = "Solana" }, { chain = "Nowhere" }, { chain = "solana" },
  ] } },
  { id = "tokens", type = "add_token", auto_execute = true, params = { tokens = [
    { chain = "Solana", ticker = "JUP", contract_address = "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN", decimals = 6 },
    { chain = "Sui", ticker = "DEEP", contract_address = "0xdee9::deep::DEEP", decimals = 6, logo = "https://logo.example" },
  ] } },
  { id = "coin", type = "add_coin", title = "Add ADA", params = { chain = "Cardano", symbol = "ADA" } },
  { id = "again", type = "add_chain", auto_execute = true, params = { chain = "Sui" } },
  { id = "removed", type = "remove_token", auto_execute = true, params = { tokens = [
    { chain = "Solana", ticker = "JUP" }, { chain = "Solana", ticker = "JUP" }, { chain = "Sui", ticker = "SUI" },
  ] } },
]

[[turn]]
when.last_result = true
text = "Done: {{succeeded}} and {{failed}}."
"#;

/// Two bundles to sign, the second with the same bytes as the first and `skip_approval`, and one with a false claim.
pub fn signing() -> String {
    let pay = |id: &str, nonce: u64, more: &str| {
        let hex = Evm::pays(PAYEE, 1_000).nonce(nonce).hex();
        format!(
            r#"{{ id = "{id}", type = "sign_transaction_bundle", title = "{id}", params = {{ {more} transactions = [
    {{ id = "s", sequence = 0, chain = "Ethereum", action = "pay", signing_mode = "ecdsa_secp256k1",
      unsigned_tx_hex = "{hex}", chain_context = {{ chain_id = "0x1", tx_type = "eip1559" }},
      tx_details = {{ to = "{}" }} }},
  ] }} }}"#,
            if id == "lie" { STRANGER } else { PAYEE }
        )
    };
    let actions =
        [pay("first", 1, ""), pay("again", 1, "skip_approval = true, "), pay("lie", 2, "")].join(",\n  ");
    format!(
        r#"
[[turn]]
when.message = "contacts"
text = "Paying."
actions = [
  {actions}
]

[[turn]]
when.last_result = true
text = "Done: {{{{succeeded}}}} and {{{{failed}}}}."
"#
    )
}

/// The password of the vault of [`signing`].
const PASSWORD: &str = "a password";

/// What the user does with a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Decision {
    /// Approves.
    Approve,
    /// Rejects.
    Reject,
    /// Does not answer before it expires.
    Ignore,
}

/// One conversation and its conditions.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The agent's script.
    pub script: Script,
    /// The agent's faults.
    pub faults: Vec<Fault>,
    /// The user's decisions about prompts, by the action's title.
    pub decisions: BTreeMap<String, Decision>,
    /// Whether the vault can sign, with a spending limit.
    pub signs: bool,
    /// The nodes that the user chose, as `PATCH /api/settings` takes them.
    pub endpoints: Value,
}

impl Scenario {
    /// A script in a dialect.
    pub fn new(script: &str, dialect: Dialect) -> Self {
        let mut script = Script::parse(script).expect("the script is right");
        for turn in &mut script.turns {
            turn.dialect = dialect;
        }
        Self { script, faults: Vec::new(), decisions: BTreeMap::new(), signs: false, endpoints: json!({}) }
    }

    /// The dialect of the agent.
    pub fn dialect(&self) -> Dialect {
        self.script.turns.first().map(|turn| turn.dialect).unwrap_or_default()
    }

    /// Runs it to its end under a plan.
    pub fn play(&self, plan: &Plan) -> FinishedRun {
        let chains = Chains::new();
        // Mined after all prompts, so that the same bytes can be sent again.
        chains.each(|ledger| (ledger.first_nonce, ledger.delay, ledger.accept_stubs) = (1, 300_000, true));
        let (sim, record) = self.run(plan, chains, self.signs);
        let (points, failures) = (sim.points(), sim.failures());
        FinishedRun { end: FinalState::of(&sim, &record), points, workers: sim.workers(), failures, record }
    }

    /// The same on these chains. Returns the final simulation and what the agent received. A run that is to be
    /// `compared` with another has a user who answers before the chains advance, and a signer with constant
    /// signatures.
    pub fn run(&self, plan: &Plan, chains: Chains, compared: bool) -> (Sim, agent_backend::Record) {
        let scripted = Rc::new(RefCell::new(ScriptedAgent::new(self.script.clone(), 7)));
        let sim = Sim::new(plan, scripted.clone());
        sim.set_chains(Rc::new(RefCell::new(chains)));
        if !compared {
            sim.vary_signatures();
        }
        let conversation = begin(&sim, self.signs, &self.endpoints);
        for fault in &self.faults {
            scripted.borrow_mut().set_fault(fault.clone());
        }
        let mut user = User {
            conversation,
            rng: Rng::new(plan.seed ^ 0x5eed),
            saying: None,
            said: false,
            quick: compared,
            decisions: self.decisions.clone(),
            answers: BTreeMap::new(),
        };
        sim.arm();
        sim.run(&mut user);
        let record = scripted.borrow().record().clone();
        (sim, record)
    }
}

/// Sets the backend, the nodes and a vault, and starts a conversation; nothing is sent yet.
pub fn begin(sim: &Sim, signs: bool, endpoints: &Value) -> String {
    let settings = json!({"backend": {"url": BACKEND}, "endpoints": endpoints}).to_string();
    assert_eq!(ask(sim, "PATCH", "/api/settings", &settings).0, 200);
    let vault = match signs {
        true => json!({"name": "Signer", "kind": "local", "password": PASSWORD}),
        false => vault(0),
    };
    assert_eq!(ask(sim, "POST", "/api/vaults", &vault.to_string()).0, 201);
    if signs {
        let limit = json!({"id": "day", "who": {"kind": "anybody"}, "chain": "Ethereum", "token": null,
            "perTransaction": null, "perDay": "1000000"});
        assert_eq!(ask(sim, "PUT", "/api/policy", &json!({"limits": [limit]}).to_string()).0, 200);
    }
    let (status, conversation) = ask(sim, "POST", "/api/conversations", "{}");
    assert_eq!(status, 201);
    conversation["id"].as_str().expect("an id").to_owned()
}

/// One undisturbed request. Returns status and body.
pub fn ask(sim: &Sim, method: &str, target: &str, body: &str) -> (u16, Value) {
    let asked = sim.ask(method, target, body);
    sim.run(&mut ());
    let reply = asked.reply().expect("an answer once the core is idle");
    (reply.status, serde_json::from_str(&reply.body).unwrap_or_default())
}

/// A user who sends one message, sends it again if the worker crashed, and approves every prompt soon.
pub fn approving(conversation: String, seed: u64) -> impl SimUser {
    User {
        conversation,
        rng: Rng::new(seed),
        saying: None,
        said: false,
        quick: true,
        decisions: BTreeMap::new(),
        answers: BTreeMap::new(),
    }
}

/// A user who sends one message, sends it again if the worker crashed, and answers prompts.
struct User {
    conversation: String,
    rng: Rng,
    saying: Option<PageRequest>,
    said: bool,
    /// Answers before the chain advances.
    quick: bool,
    decisions: BTreeMap<String, Decision>,
    /// When each prompt is answered, by its id; later the sent answer.
    answers: BTreeMap<String, (u64, Option<PageRequest>)>,
}

impl SimUser for User {
    fn act(&mut self, sim: &Sim) -> Option<u64> {
        [self.say(sim), self.decide(sim)].into_iter().flatten().min()
    }
}

impl User {
    /// Sends the message once: after a crash it is sent again only if it is not in the conversation.
    fn say(&mut self, sim: &Sim) -> Option<u64> {
        if self.said {
            return None;
        }
        if let Some(saying) = &self.saying {
            if saying.reply().is_some_and(|reply| reply.status == 202) {
                self.said = true;
                return None;
            }
            if saying.reply().is_none() && !saying.lost() {
                return None;
            }
            if sim.rows(Table::Timeline).iter().any(|row| row.text.contains(r#""role":"user""#)) {
                self.said = true;
                // The page that shows it starts a worker.
                sim.ask("GET", "/api/health", "");
                return None;
            }
        }
        let target = format!("/api/conversations/{}/messages", self.conversation);
        self.saying = Some(sim.ask("POST", &target, r#"{"content":"save my contacts"}"#));
        None
    }

    fn decide(&mut self, sim: &Sim) -> Option<u64> {
        let mut next: Option<u64> = None;
        for row in sim.rows(Table::Prompts) {
            let prompt: Value = serde_json::from_str(&row.text).expect("a prompt");
            if !prompt["outcome"].is_null() {
                continue;
            }
            let title = prompt["title"].as_str().unwrap_or_default();
            let approve = match self.decisions.get(title).unwrap_or(&Decision::Approve) {
                Decision::Approve => true,
                Decision::Reject => false,
                Decision::Ignore => continue,
            };
            // Some answers come during other work, some long after the worker was stopped.
            let span = if self.quick || self.rng.below(2) == 0 { 20 } else { 480_000 };
            let (at, asked) = self
                .answers
                .entry(row.key.clone())
                .or_insert_with(|| (sim.now() + self.rng.below(span), None));
            if let Some(before) = asked
                && !before.lost()
                && before.reply().is_none_or(|reply| reply.status < 500)
            {
                continue;
            }
            if *at > sim.now() {
                next = [next, Some(*at)].into_iter().flatten().min();
                continue;
            }
            let password = (prompt["kind"] == "password_required").then_some(PASSWORD);
            let digest = &prompt["digest"];
            let body = json!({"approve": approve, "digest": digest, "reason": "no", "password": password});
            *asked = Some(sim.ask("POST", &format!("/api/prompts/{}", row.key), &body.to_string()));
        }
        next
    }
}

/// A finished run.
#[derive(Debug)]
pub struct FinishedRun {
    /// The final state.
    pub end: FinalState,
    /// Points passed.
    pub points: u64,
    /// Workers started.
    pub workers: u64,
    /// Broken invariants.
    pub failures: Vec<String>,
    /// What the agent received.
    pub record: agent_backend::Record,
}

impl FinishedRun {
    /// Nothing was lost, repeated or left over, and the final state equals the undisturbed run's.
    pub fn check(&self, undisturbed: &FinalState) -> Result<(), String> {
        self.check_actions(undisturbed)?;
        same("messages", &self.end.messages, &undisturbed.messages)?;
        same("calls", &self.end.calls, &undisturbed.calls)
    }

    /// The same for actions and their results, without the texts.
    pub fn check_actions(&self, undisturbed: &FinalState) -> Result<(), String> {
        nothing("failures", &self.failures)?;
        nothing("violations of the protocol", &self.record.violations)?;
        nothing("left over", &self.end.left_over)?;
        same("contacts", &self.end.contacts, &undisturbed.contacts)?;
        same("coins", &self.end.coins, &undisturbed.coins)?;
        same("spent", &self.end.spent, &undisturbed.spent)?;
        same("results at the backend", &self.end.results, &undisturbed.results)
    }
}

fn same(what: &str, found: &Value, expected: &Value) -> Result<(), String> {
    if found == expected {
        return Ok(());
    }
    let lines = |value: &Value| -> String {
        value.as_array().into_iter().flatten().map(|line| format!("\n    {line}")).collect()
    };
    Err(format!("{what}:\n  found{}\n  expected{}", lines(found), lines(expected)))
}

fn nothing(what: &str, found: &[String]) -> Result<(), String> {
    if found.is_empty() { Ok(()) } else { Err(format!("{what}: {found:#?}")) }
}

/// The state at the end of a run, with generated ids replaced by their order.
#[derive(Debug, Clone, PartialEq)]
pub struct FinalState {
    /// The contacts.
    pub contacts: Value,
    /// The vault's coins.
    pub coins: Value,
    /// The first arrival of each result, in order.
    pub results: Value,
    /// The messages, in order.
    pub messages: Value,
    /// The calls, in timeline order.
    pub calls: Value,
    /// The amount spent under each limit.
    pub spent: Value,
    /// Undelivered turns, unfinished calls, open prompts, unlocked vaults.
    pub left_over: Vec<String>,
}

impl FinalState {
    fn of(sim: &Sim, record: &agent_backend::Record) -> Self {
        let table = |table| -> Vec<Value> {
            let rows = sim.rows(table);
            rows.iter().map(|row| serde_json::from_str(&row.text).expect("JSON")).collect()
        };
        let calls: BTreeMap<String, Value> = sim
            .rows(Table::Calls)
            .into_iter()
            .map(|row| (row.key, serde_json::from_str(&row.text).expect("a call")))
            .collect();
        let mut left_over: Vec<String> =
            [Table::Outbox, Table::Pending, Table::Unlocks, Table::Accounts, Table::Watched]
                .into_iter()
                .flat_map(|table| sim.rows(table))
                .map(|row| format!("{row:?}"))
                .collect();
        left_over.extend(
            table(Table::Prompts).iter().filter(|prompt| prompt["outcome"].is_null()).map(Value::to_string),
        );
        left_over.extend(audit::check(&sim.rows(Table::Audit)).err());
        left_over.extend(audit::ends(&sim.rows(Table::Audit), calls.keys()).err());
        // A repeated result must be identical.
        let mut first: Vec<(&str, Value)> = Vec::new();
        for result in &record.results {
            let said = json!([result.action, result.action_id, result.success, result.data, result.error]);
            match first.iter().find(|(key, _)| *key == result.key) {
                Some((_, before)) if *before == said => {}
                Some((_, before)) => left_over.push(format!("a repeated result differs: {before} {said}")),
                None => first.push((&result.key, said)),
            }
        }
        let (mut messages, mut done) = (Vec::new(), Vec::new());
        for entry in table(Table::Timeline) {
            let message = &entry["message"];
            if message.is_object() {
                messages.push(json!([
                    message["role"],
                    message["content"],
                    message["state"],
                    message["error"]
                ]));
            }
            if let Some(call) = entry["call"].as_str().and_then(|id| calls.get(id)) {
                done.push(json!([call["actionId"], call["type"], call["state"]["result"], call["delivery"]]));
            }
        }
        if done.len() != calls.len() {
            left_over.push("a call is missing from the timeline, or there twice".to_owned());
        }
        let sum = |spent: &Value| -> u128 {
            let amounts =
                spent.as_array().into_iter().flatten().filter_map(|bucket| bucket["amount"].as_str());
            amounts.filter_map(|amount| amount.parse::<u128>().ok()).sum()
        };
        let spent = table(Table::Spending).iter().map(|spent| json!(sum(spent).to_string())).collect();
        let mut names = Names::default();
        let mut renamed = |values: Vec<Value>| names.replace(Value::Array(values));
        Self {
            results: renamed(first.into_iter().map(|(_, said)| said).collect()),
            contacts: renamed(table(Table::Contacts)),
            coins: Value::Array(table(Table::Coins)),
            messages: Value::Array(messages),
            calls: renamed(done),
            spent,
            left_over,
        }
    }
}

/// Replaces ids by their order of appearance.
#[derive(Default)]
struct Names(Vec<String>);

impl Names {
    fn replace(&mut self, value: Value) -> Value {
        match value {
            Value::String(text) if text.len() == 36 && text.matches('-').count() == 4 => {
                let place = self.0.iter().position(|known| *known == text).unwrap_or_else(|| {
                    self.0.push(text);
                    self.0.len() - 1
                });
                json!(format!("id {place}"))
            }
            Value::Array(values) => values.into_iter().map(|value| self.replace(value)).collect(),
            Value::Object(fields) => {
                fields.into_iter().map(|(name, value)| (name, self.replace(value))).collect()
            }
            other => other,
        }
    }
}
