//! A server for HTTP tools, and a wallet whose tools may reach it.

use super::vault::{PASSWORD, phrase};
use super::{PATIENCE, World};
use nodes::ToolServer;
use serde_json::{Value, json};
use std::ops::Deref;
use std::path::Path;
use webdriver::{HttpTool, Page, not_yet, until};

/// The demo of tools: "weather in" a city calls `get_weather`, "order" something calls `place_order`.
pub(crate) const TOOLS: &str = include_str!("../../../../crate/agent-backend/scripts/tools.toml");

/// A UUID of version 7 of now.
const UUID: &str = "const hex = (number, length) => number.toString(16).padStart(length, '0');
    const time = hex(Date.now(), 12);
    return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(1, 3)}-8${hex(2, 3)}-${hex(Math.floor(Math.random() * 2 ** 40), 12)}`";

/// A world with an unlocked vault, and a server that its tools may reach.
pub(crate) struct ToolWorld {
    pub(crate) world: World,
    pub(crate) server: ToolServer,
}

impl Deref for ToolWorld {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl ToolWorld {
    pub(crate) async fn start() -> Self {
        let (world, server) = tokio::join!(World::new(TOOLS), ToolServer::start());
        let server = server.unwrap();
        world.import_vault(&phrase("12 words")).await;
        world.popup.allow_hosts(&[&server.host()], Some(PASSWORD)).await.unwrap();
        let it = Self { world, server };
        it.unlock().await;
        it
    }

    /// Opens the vault, so that secrets can be used without the password.
    pub(crate) async fn unlock(&self) {
        let body = json!({"password": PASSWORD, "minutes": 60});
        let (status, answer) = self.api("POST", "/api/vaults/active/unlock", body).await;
        assert_eq!(status, 200, "{answer}");
    }

    /// Makes a tool.
    pub(crate) async fn put(&self, tool: &HttpTool) -> Value {
        self.popup.put_tool(tool).await.unwrap()
    }

    /// What a call of a tool gives: its value or its error.
    pub(crate) async fn value(&self, tool: &HttpTool, args: Value) -> Result<Value, String> {
        let (status, answer) = self.popup.invoke(tool, args).await.unwrap();
        assert_eq!(status, 200, "{answer}");
        match answer["ok"] == true {
            true => Ok(answer["value"].clone()),
            false => Err(answer["error"].as_str().unwrap().to_owned()),
        }
    }

    /// The error of a call, without its words.
    pub(crate) async fn code(&self, tool: &HttpTool) -> String {
        let error = self.value(tool, json!({})).await.unwrap_err();
        error.split(':').next().unwrap_or_default().to_owned()
    }

    /// Calls and failures of a tool, and whether it has a time of the last one.
    pub(crate) async fn metrics(&self, tool: &HttpTool) -> (u64, u64, bool) {
        let metrics = self.get(&tool.path()).await["metrics"].clone();
        let count = |name: &str| metrics[name].as_u64().unwrap();
        (count("callCount"), count("failureCount"), metrics["lastCalledAt"].is_string())
    }

    /// A new id for a call of a page.
    pub(crate) async fn new_id(&self) -> String {
        let id = self.popup.run(UUID, vec![]).await.unwrap();
        id.as_str().unwrap().to_owned()
    }

    /// Approves the prompt of a call to a host, once there is one.
    pub(crate) async fn approve_call(&self) {
        self.answer("confirmation_required", json!({"approve": true})).await;
    }

    /// Waits until a tool is declared to the agent, or is not.
    pub(crate) async fn wait_for_tools(&self, has: &str, wanted: bool) {
        until(&format!("{has} to be declared: {wanted}"), PATIENCE, async || {
            let tools = self.agent.tools();
            let is = tools.iter().any(|tool| tool.name == has);
            if is == wanted { Ok(()) } else { Err(not_yet(tools)) }
        })
        .await
        .unwrap();
    }
}

/// Asks for the weather of a city.
pub(crate) fn weather(server: &ToolServer) -> HttpTool {
    HttpTool::get("get-weather", &server.url("/weather?city=${city}"))
        .argument("city", json!({"type": "string", "minLength": 1}))
        .with("extractExpr", "$.current.condition.text")
}

/// Orders something.
pub(crate) fn order(server: &ToolServer) -> HttpTool {
    HttpTool::post("place-order", &server.url("/orders"), r#"{"item":"${item}"}"#)
        .argument("item", json!({"type": "string"}))
}

/// Writes a picture, if `COUNTERSIGN_PICTURES` names a folder, in light and in dark.
pub(crate) async fn picture(page: &Page, name: &str) {
    let Some(folder) = std::env::var_os("COUNTERSIGN_PICTURES") else { return };
    for scheme in ["light", "dark"] {
        let feature = json!({"name": "prefers-color-scheme", "value": scheme});
        page.cdp("Emulation.setEmulatedMedia", json!({"features": [feature]})).await.unwrap();
        page.screenshot(&Path::new(&folder).join(format!("tools-{name}-{scheme}.png"))).await.unwrap();
    }
    page.cdp("Emulation.setEmulatedMedia", json!({"features": []})).await.unwrap();
}
