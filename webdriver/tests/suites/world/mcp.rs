//! A wallet with a vault, an agent that calls tools of MCP servers, and the Tools page on which servers are added.

use super::vault::{PASSWORD, phrase};
use super::{PATIENCE, World};
use serde_json::{Value, json};
use std::ops::Deref;
use webdriver::{Page, not_yet, until};

/// `call <tool> <arguments>` calls a tool by its name; what comes of it is said.
const SCRIPT: &str = r#"
name = "MCP"

[[turn]]
when.result_of = "call"
when.success = true
text = "It says: {{result:call:}}"

[[turn]]
when.result_of = "call"
text = "It failed: {{error:call}}"

[[turn]]
when.any_message = true
text = "I may use: {{tools}}."
"#;

/// A world whose agent calls these tools, each by a word: word, tool, arguments.
pub(crate) struct McpWorld {
    world: World,
    /// The Tools page.
    pub(crate) page: Page,
}

impl Deref for McpWorld {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl McpWorld {
    /// The agent calls a tool when it reads the tool's word.
    pub(crate) async fn start(calls: &[(&str, &str, Value)]) -> Self {
        let world = World::new(&script(calls)).await;
        world.import_vault(&phrase("12 words")).await;
        let body = json!({"password": PASSWORD, "minutes": 60});
        assert_eq!(world.api("POST", "/api/vaults/active/unlock", body).await.0, 200);
        let page = world.browser.open(&world.browser.extension_url("tools.html")).await.unwrap();
        page.controlled().await.unwrap();
        Self { world, page }
    }

    /// Adds a server by hand: its host is new, so the password is asked for.
    pub(crate) async fn add(&self, name: &str, url: &str) {
        self.page.click("mcp-add").await.unwrap();
        self.page.fill("mcp-name", name).await.unwrap();
        self.page.fill("mcp-url", url).await.unwrap();
        self.page.click("mcp-save").await.unwrap();
        self.page.fill("gate-password", PASSWORD).await.unwrap();
        self.page.click("mcp-save").await.unwrap();
        self.page.element(&format!("mcp-server-{name}")).await.unwrap();
    }

    /// Starts the browser anew, and opens the Tools page.
    pub(crate) async fn restart(&mut self) {
        self.world.browser.restart().await.unwrap();
        self.world.popup = self.world.browser.popup().await.unwrap();
        self.page = self.world.browser.open(&self.world.browser.extension_url("tools.html")).await.unwrap();
        self.page.controlled().await.unwrap();
    }

    /// The server by its name.
    pub(crate) async fn server(&self, name: &str) -> Value {
        let servers = self.get("/api/mcp/servers").await;
        servers["servers"].as_array().unwrap().iter().find(|server| server["name"] == name).unwrap().clone()
    }

    /// Waits until the server is in a state, and returns it.
    pub(crate) async fn wait_for(&self, name: &str, state: &str) -> Value {
        until(&format!("{name} to be {state}"), PATIENCE, async || {
            let server = self.server(name).await;
            if server["state"]["name"] == state { Ok(server) } else { Err(not_yet(&server["state"])) }
        })
        .await
        .unwrap()
    }

    /// Allows a tool on the page. The list of tools is opened before.
    pub(crate) async fn allow(&self, tool: &str) {
        self.page.click(&format!("mcp-allow-{tool}")).await.unwrap();
        until(&format!("{tool} to be allowed"), PATIENCE, async || {
            let state = format!(
                "return document.querySelector('[data-testid=\"mcp-tool-{tool}\"]')?.dataset.standing"
            );
            let standing = self.page.run(&state, vec![]).await.unwrap();
            if standing == "allowed" { Ok(()) } else { Err(not_yet(standing)) }
        })
        .await
        .unwrap();
    }

    /// Opens the list of a server's tools.
    pub(crate) async fn open_tools(&self, name: &str) {
        self.page.click(&format!("mcp-tools-{name}")).await.unwrap();
    }

    /// The kind and the reasons of the prompt that is open next.
    pub(crate) async fn asked(&self) -> Value {
        self.prompts(1).await.remove(0)
    }
}

fn script(calls: &[(&str, &str, Value)]) -> String {
    let turn = |(word, tool, arguments): &(&str, &str, Value)| {
        format!(
            "[[turn]]\nwhen.message = \"{word}\"\nwhen.tool = \"{tool}\"\ntext = \"I call {tool}.\"\n\
             actions = [{{ id = \"{{{{uuid:call}}}}\", type = \"{tool}\", title = \"{tool}\", auto_execute = true, params = {} }}]\n\n",
            inline(arguments)
        )
    };
    let (head, rest) = SCRIPT.split_once("[[turn]]").unwrap();
    let turns: String = calls.iter().map(turn).collect();
    format!("{head}{turns}[[turn]]{rest}")
}

/// A JSON object as an inline table of TOML; values are texts, numbers and truth values.
fn inline(arguments: &Value) -> String {
    let fields = arguments.as_object().unwrap().iter().map(|(name, value)| format!("{name} = {value}"));
    format!("{{ {} }}", fields.collect::<Vec<_>>().join(", "))
}
