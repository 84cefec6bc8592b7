//! The story of a bundle: an agent that proposes it, a person who approves it and gives the password, chains that take
//! it, and the one result that the agent gets.
//!
//! ```ignore
//! let story = Story::of(json!([waiting(Evm::pays(PAYEE, 1).step("s0", 0))])).await;
//! story.begin().await;                                    // asked, approved, opened, under way
//! assert_eq!(story.end().await, [row("s0", "confirmed", "")]);
//! ```

use crate::chain::Chains;
use crate::evm::bundle;
use crate::world::{World, turn, when_said};
use serde_json::{Value, json};

/// What the vault of a story is sealed with.
pub const PASSWORD: &str = "correct horse battery";
/// One minute.
pub const MINUTE: u64 = 60_000;
/// Nobody waits longer for a result.
const LONGEST: u64 = 2 * 24 * 60 * MINUTE;

/// A row of a result in short: the step's id, its status, its error's code, and whether it has a hash.
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

/// What stands before the colon of an error.
pub fn code(error: &Value) -> String {
    error.as_str().unwrap_or_default().split(':').next().unwrap_or_default().to_owned()
}

/// A world in which a bundle is proposed, and the chains that it is for.
pub struct Story {
    /// Everything but the chains.
    pub world: World,
    /// The chains.
    pub chains: Chains,
}

impl Story {
    /// An agent that proposes a bundle of these steps, as action `a1`, on chains that take everything at once.
    pub async fn of(steps: Value) -> Self {
        Self::on(Chains::new(), steps).await
    }

    /// The same on some chains.
    pub async fn on(chains: Chains, steps: Value) -> Self {
        Self::proposing(chains, json!([bundle("a1", steps)])).await
    }

    /// An agent that proposes some actions when somebody says `go`, and whatever else is in `also`: word and actions.
    pub async fn proposing_also(chains: Chains, actions: Value, also: &[(&str, Value)]) -> Self {
        let mut turns = vec![turn(when_said("go"), actions)];
        turns.extend(also.iter().map(|(word, actions)| turn(when_said(word), actions.clone())));
        let world = World::scripted(turns).await;
        world.browser.set_light();
        world.make_vault(PASSWORD).await;
        chains.serve(&world);
        Self { world, chains }
    }

    /// An agent that proposes some actions.
    pub async fn proposing(chains: Chains, actions: Value) -> Self {
        Self::proposing_also(chains, actions, &[]).await
    }

    /// The bundle is proposed, approved and opened.
    pub async fn begin(&self) {
        self.world.say("go").await;
        self.approve().await;
        self.open().await;
    }

    /// A person approves what is asked about.
    pub async fn approve(&self) {
        let kind = self.world.prompts().await.first().map(|prompt| prompt["kind"].clone());
        assert_eq!(kind, Some(json!("tx_bundle_approval")), "{:?}", self.world.results());
        let (status, body) = self.world.answer(json!({"approve": true})).await;
        assert_eq!(status, 200, "{body}");
    }

    /// A person gives the password.
    pub async fn open(&self) {
        let (status, body) = self.world.answer(json!({"approve": true, "password": PASSWORD})).await;
        assert_eq!(status, 200, "{body}");
    }

    /// Time passes until the agent has one more result; its rows. The agent found nothing wrong with it.
    pub async fn end(&self) -> Vec<Row> {
        let (before, until) = (self.world.results().len(), self.world.browser.now() + LONGEST);
        let enough = before.max(1) + usize::from(before > 0);
        while self.world.results().len() < enough {
            assert!(self.world.browser.now() < until, "no result after two days");
            self.world.pass(500).await;
        }
        self.result_rows()
    }

    /// From the proposal to the rows of the result.
    pub async fn play(&self) -> Vec<Row> {
        self.begin().await;
        if self.world.results().is_empty() {
            self.end().await;
        }
        self.result_rows()
    }

    /// The rows of the last result; its own word is that of its rows.
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

    /// The bundle that came first, as pages see it.
    pub async fn view(&self) -> Value {
        let bundles = self.world.get("/api/bundles").await;
        let id = bundles["bundles"].as_array().and_then(|all| all.last()).map(|one| one["id"].clone());
        self.view_of(id.as_ref().and_then(Value::as_str).unwrap_or_default()).await
    }

    /// A bundle as pages see it.
    pub async fn view_of(&self, id: &str) -> Value {
        self.world.get(&format!("/api/bundles/{id}")).await
    }

    /// The statuses of its steps, as pages see them.
    pub async fn progress(&self) -> Vec<String> {
        let view = self.view().await;
        let steps = view["progress"].as_array().map(Vec::as_slice).unwrap_or_default();
        steps.iter().map(|step| step["status"].as_str().unwrap_or_default().to_owned()).collect()
    }
}
