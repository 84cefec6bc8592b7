//! The demo: two chains, the reference agent and a Chromium with the built extension; the agent proposes the bundle
//! of specification 000 §1.4, the user (or WebDriver) approves it, and both chains and the agent show the result.
//! `cargo xtask demo` builds and starts it.

mod money;
mod pictures;
#[path = "../shared/mod.rs"]
mod shared;

use agent_backend::{Agent, Options as AgentOptions, ReceivedRequest, Script, State, Turn};
use anyhow::{Context, Result, bail, ensure};
use nodes::When;
use nodes::example::{BRIDGED, Example};
use nodes::proxy::Held;
use pictures::{Camera, Extent};
use serde_json::{Value, json};
use shared::{Chains, PASSWORD, make_vault};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::oneshot;
use webdriver::{Browser, Options, Page, Popup, not_yet, until};

/// The agent's texts around the bundle; the rest of its script is that of the contacts.
const SCRIPT: &str = include_str!("../../../crate/agent-backend/scripts/demo.toml");
const MESSAGE: &str = "Bridge 500 USDC to Arbitrum and swap it for ARB";
/// Timeout for steps that take milliseconds on an idle machine.
const PATIENCE: Duration = Duration::from_secs(60);
/// A prompt expires after ten minutes; the agent gets that result.
const PERSON: Duration = Duration::from_secs(15 * 60);

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("\n{error:#}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<()> {
    let mut folder: Option<PathBuf> = None;
    let mut headless = ["DISPLAY", "WAYLAND_DISPLAY"].iter().all(|name| std::env::var_os(name).is_none());
    for word in std::env::args().skip(1) {
        match word.as_str() {
            "--headless" => headless = true,
            _ => folder = Some(word.into()),
        }
    }
    let folder = folder.context("say into which folder the pictures go; `cargo xtask demo` does")?;
    let mut camera = Camera::new(headless.then_some(folder));

    println!(
        "4/6 start two chains, the agent and Chromium{}",
        if headless { ", without a window" } else { "" }
    );
    let options = Options { headless, window: (900, 900), ..Options::from_env()? };
    let browser = Browser::launch(options).await.context(match headless {
        true => "Chromium does not run here",
        false => "Chromium does not open a window here (without one: `cargo xtask demo --headless`)",
    })?;
    let popup = browser.popup().await?;
    let chains = Arc::new(Chains::start().await?);
    let owner = make_vault(&popup, "Demo").await?.address;
    let example = Example::deploy(&chains.ethereum.anvil, &chains.arbitrum.anvil, &owner).await?;
    let agent = Agent::start(script(&example)?, AgentOptions::default()).await?;
    chains.connect(&popup, &agent.url()).await?;
    for node in chains.both() {
        println!("    {}: anvil with chain id {} at {}", node.name, node.anvil.chain_id(), node.anvil.url());
    }
    println!("    the agent: {}", agent.url());
    println!("    the vault: {owner}, new; its password is: {PASSWORD}");
    let before = money::count(&chains, &owner).await?;

    println!("5/6 write to the agent: {MESSAGE}");
    let (let_pay, may_pay) = oneshot::channel();
    let far_end = tokio::spawn(far_end(Arc::clone(&chains), example, may_pay));
    // As in the side panel, where a conversation has room.
    popup.goto(&browser.extension_url("popup.html?view=panel")).await?;
    popup.send_message(MESSAGE).await?;
    let patience = if headless {
        click(&popup, &mut camera).await?;
        PATIENCE
    } else {
        println!("{}", to_press());
        PERSON
    };
    let _ = let_pay.send(());
    let result = tokio::select! {
        result = agent.wait_for(|state| results(state).pop(), patience) => result.context("no result came")?,
        () = closed(&browser) => bail!("the browser was closed before the agent had a result"),
    };
    let violations = agent.violations();
    ensure!(violations.is_empty(), "the wallet did not keep to the protocol: {}", violations.join("; "));
    let done = result.get("success") == Some(&json!(true));

    println!("6/6 check the result");
    if headless {
        ensure!(done, "the bundle did not run: {result:#}");
        far_end.await??;
        popup.goto(&browser.extension_url("popup.html?view=panel")).await?;
        last_word(&popup).await?;
        camera.take(&popup, "demo", "light", Extent::Whole).await?;
    }
    println!("\nThe ActionResult as the agent received it:\n\n{result:#}");
    println!("\nWhat the vault has:\n\n{}", money::table(before, money::count(&chains, &owner).await?));
    println!("\n{}", summary(&chains, &owner, done).await?);
    if !camera.taken.is_empty() {
        println!("\nPictures: {}", camera.taken.join(", "));
    }
    if !headless {
        println!(
            "\nThe browser stays open. Write to the agent (\"save my contacts\" is something else it knows);"
        );
        println!("close the window or press Ctrl-C to end.");
        closed(&browser).await;
    }
    Ok(())
}

fn to_press() -> String {
    format!(
        "\n    Now it is your turn, in the browser's window:\n\
         \x20     1. The agent has proposed a bundle. Press \"Review\" on its card.\n\
         \x20     2. Read what the three steps do, and press \"Approve and sign\" (or \"Reject\": the agent gets the answer).\n\
         \x20     3. Type the vault's password: {PASSWORD}\n\
         \x20        and press \"Unlock and sign\". Then watch the steps.\n"
    )
}

/// The script of the contacts, preceded by the bundle.
fn script(example: &Example) -> Result<Script> {
    let mut script = Script::parse(SCRIPT).context("crate/agent-backend/scripts/demo.toml")?;
    let turn = |when: Value, text: &str, actions: Vec<Value>| -> Result<Turn> {
        let turn = json!({"when": when, "text": text, "delay_ms": 30, "actions": actions});
        serde_json::from_value(turn).context("a turn of the demo")
    };
    let proposal = turn(
        json!({"message": "bridge"}),
        "That takes three steps: USDC must let the bridge take your dollars, the bridge carries 500 of them to \
         Arbitrum, and there they are swapped for ARB. I have put them into one bundle for you to approve.",
        vec![example.action(0, 0)?],
    )?;
    let done = turn(
        json!({"result_of": "bundle", "success": true}),
        "All three steps are confirmed. The swap is {{result:bundle:/transactions/2/tx_hash}}.",
        Vec::new(),
    )?;
    let not_done = turn(
        json!({"result_of": "bundle", "success": false}),
        "It was not done, or not whole. Ask me again if you change your mind.",
        Vec::new(),
    )?;
    script.turns.splice(0..0, [proposal, done, not_done]);
    Ok(script)
}

/// The other end of the bridge, which the near end does not know: it pays out on Arbitrum what was paid in on
/// Ethereum. Until then nothing that the wallet sends reaches Arbitrum, where a swap of missing tokens would fail.
async fn far_end(chains: Arc<Chains>, example: Example, may_pay: oneshot::Receiver<()>) -> Result<()> {
    let held: Held = chains.arbitrum.proxy.hold("eth_sendRawTransaction", When::Before);
    while example.taken_in(&chains.ethereum.anvil).await? < BRIDGED {
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // Not signalled when the demo ends early.
    let _ = may_pay.await;
    example.pay_out(&chains.arbitrum.anvil).await?;
    held.release();
    Ok(())
}

/// What a user does, with a picture of each page.
async fn click(popup: &Popup, camera: &mut Camera) -> Result<()> {
    let page = match popup.review().await {
        Ok(page) => page,
        Err(error) => bail!("{error}; the page shows {:?}", popup.cards().await?),
    };
    until("the answers to take presses", PATIENCE, async || {
        let armed = "return document.querySelector('[data-testid=prompt-approve]').ariaDisabled !== 'true'";
        if page.run(armed, vec![]).await? == json!(true) { Ok(()) } else { Err(not_yet("not yet")) }
    })
    .await?;
    camera.take(&page, "demo-approval", "light", Extent::Top).await?;
    page.approve().await?;
    page.give_password(PASSWORD, false).await?;
    // The bridge has not paid out on Arbitrum yet, so the third step waits.
    until("two steps to be confirmed and the third to be signed", PATIENCE, async || {
        let shown = statuses(&page).await?;
        if shown == json!(["confirmed", "confirmed", "signed"]) { Ok(()) } else { Err(not_yet(shown)) }
    })
    .await?;
    camera.take(&page, "demo-steps", "dark", Extent::Whole).await
}

async fn statuses(page: &Page) -> Result<Value, webdriver::Error> {
    let look = "return [0, 1, 2].map((step) =>
        document.querySelector(`[data-testid=bundle-step-${step}-status]`)?.dataset.status ?? null)";
    page.run(look, vec![]).await
}

/// Waits until the agent's last message is on the page.
async fn last_word(popup: &Popup) -> Result<()> {
    until("the agent's last message on the page", PATIENCE, async || {
        let messages = popup.messages().await?;
        match messages.last() {
            // The hash ends the message; before it, the text is still arriving.
            Some(said)
                if said.role == "agent"
                    && said.text.contains("The swap is 0x")
                    && said.text.ends_with('.') =>
            {
                Ok(())
            }
            _ => Err(not_yet(messages)),
        }
    })
    .await?;
    Ok(())
}

/// The accepted results, each once, in order of arrival.
fn results(state: &State) -> Vec<Value> {
    let taken = |request: &&ReceivedRequest| request.refused.is_none() && !request.repeat;
    let requests = state.requests().iter().filter(taken);
    requests.filter_map(|request| request.body.get("action_result").cloned()).collect()
}

/// A summary counted on the chains themselves.
async fn summary(chains: &Chains, owner: &str, done: bool) -> Result<String> {
    let (mut mined, mut sent) = (0, 0);
    for node in chains.both() {
        mined += node.anvil.transactions_from(owner).await?.len();
        sent += node.proxy.sent_raw().len();
    }
    Ok(match done {
        true => format!(
            "Shown: an agent proposed a bundle of three steps on two chains; it was approved once, signed here, and \
             its {sent} transactions are on their chains, {mined} in all, each once. The agent has one result."
        ),
        false => format!("Shown: the bundle did not run to its end; {mined} transactions are on the chains."),
    })
}

/// Until the user closes the browser or interrupts the demo.
async fn closed(browser: &Browser) {
    let gone = async {
        while browser.targets().await.is_ok_and(|all| all.iter().any(|target| target.kind == "page")) {
            tokio::time::sleep(Duration::from_millis(500)).await;
        }
    };
    tokio::select! {
        () = gone => {}
        _ = tokio::signal::ctrl_c() => {}
    }
}
