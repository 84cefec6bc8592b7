//! The run of a bundle: the agent proposes it, the user approves it and gives the password, the chains execute it,
//! and the agent gets one result.
//!
//! ```ignore
//! let run = BundleRun::of(json!([with_receipt(Evm::pays(PAYEE, 1).step("s0", 0))])).await;
//! run.start().await;                                    // proposed, approved, unlocked, running
//! assert_eq!(run.finish().await, [row("s0", "confirmed", "")]);
//! ```

use crate::chain::Chains;
use crate::evm::bundle;
use crate::world::{World, turn, when_said};
use serde_json::{Value, json};

/// The vault's password.
pub const PASSWORD: &str = "correct horse battery";
/// One minute.
pub const MINUTE: u64 = 60_000;
/// The longest wait for a result.
const LONGEST: u64 = 2 * 24 * 60 * MINUTE;

/// A result row in short: the step's id, its status, its error code, and whether it has a hash.
pub type Row = (String, String, String, bool);

/// A row with a hash.
pub fn row(id: &str, status: &str, code: &str) -> Row {
    (id.to_owned(), status.to_owned(), code.to_owned(), true)
}

/// A row of a step that was never sent.
pub fn unsent(id: &str, code: &str) -> Row {
    (id.to_owned(), "failed".to_owned(), code.to_owned(), false)
}

/// The rows of a result in short.
pub fn rows(result: &Value) -> Vec<Row> {
    let rows = result["data"]["transactions"].as_array().map(Vec::as_slice).unwrap_or_default();
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.iter()
        .map(|row| (text(&row["id"]), text(&row["status"]), code(&row["error"]), row["tx_hash"].is_string()))
        .collect()
}

/// The code of an error, before its colon.
pub fn code(error: &Value) -> String {
    error.as_str().unwrap_or_default().split(':').next().unwrap_or_default().to_owned()
}

/// A world in which a bundle is proposed, and its chains.
pub struct BundleRun {
    /// Everything but the chains.
    pub world: World,
    /// The chains.
    pub chains: Chains,
}

impl BundleRun {
    /// An agent that proposes a bundle of these steps as action `a1`, on chains that mine at once.
    pub async fn of(steps: Value) -> Self {
        Self::on(Chains::new(), steps).await
    }

    /// The same on these chains.
    pub async fn on(chains: Chains, steps: Value) -> Self {
        Self::proposing(chains, json!([bundle("a1", steps)])).await
    }

    /// An agent that proposes actions when the user says `go`, and more actions for each word in `also`.
    pub async fn proposing_also(chains: Chains, actions: Value, also: &[(&str, Value)]) -> Self {
        let mut turns = vec![turn(when_said("go"), actions)];
        turns.extend(also.iter().map(|(word, actions)| turn(when_said(word), actions.clone())));
        let world = World::scripted(turns).await;
        world.browser.use_fast_signer();
        world.make_vault(PASSWORD).await;
        chains.serve(&world);
        Self { world, chains }
    }

    /// An agent that proposes these actions.
    pub async fn proposing(chains: Chains, actions: Value) -> Self {
        Self::proposing_also(chains, actions, &[]).await
    }

    /// The user chooses these nodes of Ethereum, in this order.
    pub async fn use_nodes(&self, urls: &[&str]) {
        urls.iter().for_each(|url| self.chains.add_node("Ethereum", url));
        let endpoint = json!({"url": urls[0], "others": urls[1..]});
        let patch = json!({"endpoints": {"Ethereum": endpoint}, "password": PASSWORD});
        let (status, body) = self.world.call("PATCH", "/api/settings", patch).await;
        assert_eq!(status, 200, "{body}");
    }

    /// The bundle is proposed, approved and unlocked.
    pub async fn start(&self) {
        self.world.say("go").await;
        self.approve().await;
        self.unlock().await;
    }

    /// The user approves the open prompt.
    pub async fn approve(&self) {
        let kind = self.world.prompts().await.first().map(|prompt| prompt["kind"].clone());
        assert_eq!(kind, Some(json!("tx_bundle_approval")), "{:?}", self.world.results());
        let (status, body) = self.world.answer(json!({"approve": true})).await;
        assert_eq!(status, 200, "{body}");
    }

    /// The user gives the password.
    pub async fn unlock(&self) {
        let (status, body) = self.world.answer(json!({"approve": true, "password": PASSWORD})).await;
        assert_eq!(status, 200, "{body}");
    }

    /// Lets time pass until the agent has one more result. Returns its rows; the agent recorded no violation.
    pub async fn finish(&self) -> Vec<Row> {
        let (before, until) = (self.world.results().len(), self.world.browser.now() + LONGEST);
        let enough = before.max(1) + usize::from(before > 0);
        while self.world.results().len() < enough {
            assert!(self.world.browser.now() < until, "no result after two days");
            self.world.pass(500).await;
        }
        self.result_rows()
    }

    /// From the proposal to the rows of the result.
    pub async fn complete(&self) -> Vec<Row> {
        self.start().await;
        self.first_result().await
    }

    /// The rows of the first result, which may be there already: a chain that mines at once takes no time.
    pub async fn first_result(&self) -> Vec<Row> {
        if self.world.results().is_empty() {
            self.finish().await;
        }
        self.result_rows()
    }

    /// The rows of the last result; its `success` agrees with them.
    fn result_rows(&self) -> Vec<Row> {
        let result = self.result();
        assert_eq!(self.world.violations(), [] as [String; 0]);
        assert_eq!(result["data"]["bundle_success"], result["success"], "{result}");
        rows(&result)
    }

    /// The last result.
    pub fn result(&self) -> Value {
        self.world.results().pop().unwrap_or_default()
    }

    /// The first bundle, as pages see it.
    pub async fn view(&self) -> Value {
        let bundles = self.world.get("/api/bundles").await;
        let id = bundles["bundles"].as_array().and_then(|all| all.last()).map(|one| one["id"].clone());
        self.view_of(id.as_ref().and_then(Value::as_str).unwrap_or_default()).await
    }

    /// A bundle as pages see it.
    pub async fn view_of(&self, id: &str) -> Value {
        self.world.get(&format!("/api/bundles/{id}")).await
    }

    /// Why a step waits, or how it ended, as pages see it; empty if there is nothing to say.
    pub async fn error_of(&self, step: usize) -> String {
        self.view().await["progress"][step]["error"].as_str().unwrap_or_default().to_owned()
    }

    /// The statuses of its steps, as pages see them.
    pub async fn progress(&self) -> Vec<String> {
        let view = self.view().await;
        let steps = view["progress"].as_array().map(Vec::as_slice).unwrap_or_default();
        steps.iter().map(|step| step["status"].as_str().unwrap_or_default().to_owned()).collect()
    }
}
