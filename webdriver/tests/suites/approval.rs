//! Approval of bundles: shown as decoded, approved or rejected, in windows that open by themselves, across restarts
//! of the worker and the browser.

use crate::world::bundle::{GAS, RECIPIENT, TENTH, USDC, bundle, payment, proposing, step, token_payment};
use crate::world::chains::Chains;
use crate::world::vault::{PASSWORD, address, phrase};
use crate::world::{PATIENCE, World};
use agent_backend::{At, Fault};
use serde_json::{Value, json};
use std::ops::{Deref, DerefMut};
use webdriver::{Approval, Popup, TIMEOUT, not_yet, until};

/// A bundle that was signed and sent has no error.
const SENT: &str = "";
const STRANGER: &str = "0x52908400098527886E0F7030069857D2E4169EE7";

/// An agent that proposes payments, a vault to pay from, and a node that accepts them.
struct Paying {
    world: World,
    _chains: Chains,
}

impl Deref for Paying {
    type Target = World;

    fn deref(&self) -> &World {
        &self.world
    }
}

impl DerefMut for Paying {
    fn deref_mut(&mut self) -> &mut World {
        &mut self.world
    }
}

async fn paying() -> Paying {
    let pay = |nonce, label| {
        bundle(label, step(&payment(nonce), json!({"to": RECIPIENT, "amount_human": "0.1 ETH"})))
    };
    let script = proposing([("rent", pay(0, "Rent")), ("food", pay(1, "Food")), ("tea", pay(2, "Tea"))]);
    let (world, chains) = tokio::join!(World::scripted(script), Chains::start());
    world.use_nodes(chains.endpoints()).await;
    world.import_vault(&phrase("12 words")).await;
    Paying { world, _chains: chains }
}

/// Sends a message to the agent in the popup, and opens the prompt from its card.
async fn open_prompt(popup: &Popup, word: &str) -> Approval {
    popup.reopen().await.unwrap();
    popup.send_message(word).await.unwrap();
    let page = popup.review().await.unwrap();
    page.element("prompt-approve").await.unwrap();
    page
}

/// The errors of the received results, once there are this many.
async fn errors(world: &World, count: usize) -> Vec<String> {
    let results = world.results(count).await;
    assert_eq!(results.len(), count, "{results:?}");
    results.into_iter().map(|result| result.error.unwrap_or_default()).collect()
}

/// T000-34, T000-39, T000-41, T000-42: a bundle is shown as decoded, beside the agent's claims; after the approval
/// and the password it is signed. A wrong password keeps the prompt open. A rejection reaches the agent with its
/// reason, without a password prompt. An unlocked vault signs the next bundle without the password, but not without
/// an approval.
#[tokio::test]
async fn approve_and_reject() {
    let world = paying().await;
    let page = open_prompt(&world.popup, "pay the rent").await;
    let shown = page.texts("bundle").await.unwrap().concat();
    for words in ["Send 0.1 ETH", RECIPIENT, "at most 0.0012 ETH", &address(&phrase("12 words"), "Ethereum")]
    {
        assert!(shown.contains(words), "{words} in {shown}");
    }
    page.says("bundle-claims", "agrees with the transaction").await.unwrap();
    page.says("bundle-label", "Rent").await.unwrap();
    page.says("bundle-vault", "Main").await.unwrap();
    assert_eq!(world.badge().await, "1");
    page.approve().await.unwrap();
    page.give_password("not the password", false).await.unwrap();
    page.says("prompt-error", "password is wrong").await.unwrap();
    assert_eq!(world.arrived(), 0);
    page.give_password(PASSWORD, false).await.unwrap();
    page.says("bundle-result", "sent").await.unwrap();
    assert_eq!(errors(&world, 1).await, [SENT]);
    page.click("prompt-back").await.unwrap();
    world.popup.wait_for_vault("Main", "locked").await.unwrap();

    let page = open_prompt(&world.popup, "and food").await;
    page.reject(Some("too expensive")).await.unwrap();
    world.prompts(0).await;
    assert_eq!(errors(&world, 2).await[1], "rejected_by_user: too expensive");

    let page = open_prompt(&world.popup, "food then").await;
    page.approve().await.unwrap();
    page.give_password(PASSWORD, true).await.unwrap();
    assert_eq!(errors(&world, 3).await[2], SENT);
    let page = open_prompt(&world.popup, "and tea").await;
    assert_eq!(world.arrived(), 3, "an unlocked vault is not an approval");
    page.approve().await.unwrap();
    assert_eq!(errors(&world, 4).await[3], SENT);
    assert_eq!(world.agent.violations(), Vec::<String>::new());
}

/// T000-40: with no page open, a window opens by itself: one for two prompts, which the badge counts. Closing it
/// answers nothing: the prompts are in the popup, also after restarts of the worker and the browser, and can be
/// answered there.
#[tokio::test]
async fn window_opens_by_itself() {
    let mut world = paying().await;
    world.agent.set_fault(Fault::stall(At::AfterEvent(1)));
    world.say("rent").await;
    world.say("food").await;
    world.agent.wait_for(|state| (state.held() == 2).then_some(()), PATIENCE).await.unwrap();
    world.popup.close().await.unwrap();
    world.agent.clear_faults();
    world.agent.release();

    let window =
        until("the window", PATIENCE, async || world.browser.approvals().await.ok()?.pop()).await.unwrap();
    until("two prompts in it", TIMEOUT, async || {
        let place = window.texts("prompt-place").await?;
        if place.iter().any(|place| place.starts_with("1 of 2")) { Ok(()) } else { Err(not_yet(place)) }
    })
    .await
    .unwrap();
    assert_eq!((world.browser.approvals().await.unwrap().len(), world.badge().await), (1, "2".to_owned()));
    let shown =
        window.run("return Object.keys(await chrome.notifications.getAll()).length", vec![]).await.unwrap();
    assert_eq!(shown, json!(2), "one notification for each prompt");
    let address = window.url().await.unwrap();
    window.close().await.unwrap();

    world.popup = world.browser.popup().await.unwrap();
    world.popup.says("prompt-bar", "2 requests wait for you").await.unwrap();
    let open = world.prompts(2).await;
    assert!(open.iter().any(|prompt| address.contains(prompt["id"].as_str().unwrap())), "{address}");
    assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
    assert_eq!(world.prompts(2).await, open);
    world.browser.restart().await.unwrap();
    world.popup = world.browser.popup().await.unwrap();
    assert_eq!((world.prompts(2).await, world.badge().await), (open, "2".to_owned()));
    world.popup.click("prompt-review").await.unwrap();
    let page = world.browser.approvals().await.unwrap().pop().unwrap();
    page.reject(None).await.unwrap();
    page.says("prompt-place", "2 of 2").await.unwrap();
    page.reject(None).await.unwrap();
    assert_eq!(errors(&world, 2).await, ["rejected_by_user: the user said no"; 2]);
    until("an empty badge", TIMEOUT, async || world.badge().await.is_empty().then_some(())).await.unwrap();
}

/// Two windows answer the same prompt at once: one wins, the other is told. The same for concurrent answers by the
/// API.
#[tokio::test]
async fn two_windows_at_once() {
    let world = paying().await;
    world.say("rent").await;
    let prompt = world.prompts(1).await.remove(0);
    let id = prompt["id"].as_str().unwrap();
    let windows = [world.browser.approval(id).await.unwrap(), world.browser.approval(id).await.unwrap()];
    let (yes, no) =
        (world.browser.aim(&windows[0], "prompt-approve"), world.browser.aim(&windows[1], "prompt-reject"));
    let (yes, no) = (yes.await.unwrap(), no.await.unwrap());
    let (first, second) = tokio::join!(yes.press(), no.press());
    first.and(second).unwrap();
    let path = format!("/api/prompts/{id}");
    let outcome =
        until("the outcome", TIMEOUT, async || world.get(&path).await["outcome"].as_str().map(str::to_owned))
            .await
            .unwrap();
    let loser = &windows[usize::from(outcome == "approved")];
    loser.says("prompt-note", "Answered in another window").await.unwrap();
    let decisions = world.get("/api/audit").await["entries"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|entry| entry["kind"] == "decision" && entry["promptId"] == id)
        .count();
    assert_eq!(decisions, 1);
    if outcome == "approved" {
        assert_eq!(world.prompts(1).await[0]["kind"], "password_required");
    } else {
        assert_eq!(errors(&world, 1).await, ["rejected_by_user: the user said no"]);
    }

    world.say("food").await;
    let is_new = |prompt: &&Value| prompt["kind"] == "tx_bundle_approval";
    let prompt = until("the next prompt", PATIENCE, async || {
        world.get("/api/prompts").await["prompts"].as_array()?.iter().find(is_new).cloned()
    });
    let prompt = prompt.await.unwrap();
    let path = format!("/api/prompts/{}", prompt["id"].as_str().unwrap());
    let mut begun = Vec::new();
    for page in [&windows[0], &windows[1], &windows[0], &windows[1]] {
        let answer = json!({"approve": begun.len() % 2 == 0, "digest": prompt["digest"]});
        begun.push(page.begin("POST", &path, Some(answer)).await.unwrap());
    }
    let mut codes = Vec::new();
    for answer in begun {
        let (status, body) = answer.wait().await.unwrap();
        codes.push((status, body["error"]["code"].as_str().unwrap_or("taken").to_owned()));
    }
    codes.sort();
    let late = (409, "already_answered".to_owned());
    assert_eq!(codes, [(200, "taken".to_owned()), late.clone(), late.clone(), late]);
}

/// The worker is killed after an answer was stored and before it took effect: the answer counts once. The daily limit
/// is spent once, the password is prompted for once, one result arrives.
#[tokio::test]
async fn killed_between_answer_and_effect() {
    let world = paying().await;
    let limit = json!({"id": "day", "who": {"kind": "agent"}, "chain": "Ethereum", "token": null,
        "perTransaction": null, "perDay": (2 * TENTH).to_string()});
    assert_eq!(world.api("PUT", "/api/policy", json!({"limits": [limit]})).await.0, 200);
    let conversation = world.say("rent").await;
    let answers = [json!({"approve": true}), json!({"approve": true, "password": PASSWORD})];
    for (answer, kind) in answers.into_iter().zip(["tx_bundle_approval", "password_required"]) {
        let prompt = world.prompts(1).await.remove(0);
        assert_eq!((&prompt["kind"], world.arrived()), (&json!(kind), 0));
        world.hold_lane(&conversation).await;
        let (status, body) = world.popup.answer_prompt(&prompt, answer).await.unwrap();
        assert_eq!((status, &body["outcome"]), (200, &json!("approved")), "{body}");
        assert!(world.browser.kill_worker().await.unwrap(), "no worker was running");
        world.release_lane().await;
        world.get("/api/health").await;
    }
    assert_eq!(errors(&world, 1).await, [SENT]);
    let spent = world.popup.idb("countersign", "spending").await.unwrap();
    let spent: Value = serde_json::from_str(spent[0].as_str().unwrap()).unwrap();
    assert_eq!((spent.as_array().unwrap().len(), &spent[0]["amount"]), (1, &json!(TENTH.to_string())));
    assert_eq!((world.prompts(0).await, world.unlocked_until().await), (Vec::new(), Value::Null));

    // The limit has room for one more and not for two.
    world.say("food").await;
    let prompt = world.prompts(1).await.remove(0);
    assert_eq!(world.popup.answer_prompt(&prompt, json!({"approve": true})).await.unwrap().0, 200);
    world.say("tea").await;
    let refused = errors(&world, 2).await.remove(1);
    assert!(refused.starts_with("over_daily_limit: "), "{refused}");
    assert_eq!(world.agent.violations(), Vec::<String>::new());
}

/// A press counts only after the prompt was visible for a while, and only if the browser trusts it. Time runs ten
/// times slower in this page, so that a slow machine does not press too late.
#[tokio::test]
async fn early_press_is_ignored() {
    let world = paying().await;
    world.say("rent").await;
    let prompt = world.prompts(1).await.remove(0);
    let page = world.browser.approval(prompt["id"].as_str().unwrap()).await.unwrap();
    let slow = "const real = setTimeout; window.setTimeout = (work, millis, ...more) => real(work, millis * 10, ...more);";
    page.cdp("Page.addScriptToEvaluateOnNewDocument", json!({"source": slow})).await.unwrap();
    page.reload().await.unwrap();
    page.element("prompt-approve").await.unwrap().click().await.unwrap();
    page.element("prompt-reject").await.unwrap().click().await.unwrap();
    let pale = "return document.querySelector('[data-testid=prompt-approve]').ariaDisabled";
    assert_eq!(page.run(pale, vec![]).await.unwrap(), json!("true"));
    until("the buttons to be enabled", TIMEOUT, async || {
        (page.run(pale, vec![]).await.ok()? == json!("false")).then_some(())
    })
    .await
    .unwrap();
    page.run("document.querySelector('[data-testid=prompt-approve]').click(); return true", vec![])
        .await
        .unwrap();
    assert_eq!(world.prompts(1).await, [prompt], "none of the three counted as an answer");
    page.approve().await.unwrap();
    assert_eq!(page.element("prompt-password").await.unwrap().tag_name().await.unwrap(), "input");
}

/// T000-31, T000-35: for every field of `tx_details` that can contradict the bytes: a bundle with a false claim is
/// blocked without a prompt, the agent gets the error, and the card shows both values. A step whose chain differs
/// from the bytes is refused before decoding.
#[tokio::test]
async fn contradicted_claims_are_blocked() {
    let sender = address(&phrase("12 words"), "Ethereum");
    let honest = json!({"from": sender, "to": RECIPIENT, "value": TENTH.to_string(), "token_symbol": "ETH",
        "amount_human": "0.1 ETH", "gas_limit": GAS.to_string()});
    // The claim, its label on the card, and the value in the bytes.
    let lies = [
        ("from", STRANGER, "From", sender.as_str()),
        ("to", STRANGER, "To", RECIPIENT),
        ("value", "1", "Coins", "0.1 ETH"),
        ("token_symbol", "USDC", "Token", "ETH"),
        ("amount_human", "0.01 ETH", "Amount", "0.1 ETH"),
        ("gas_limit", "21000", "Gas limit", "60000"),
    ];
    let contradicted = |(field, claimed, ..): (&str, &str, &str, &str)| {
        let mut details = honest.clone();
        details[field] = json!(claimed);
        bundle(field, step(&payment(0), details))
    };
    let elsewhere = |mut step: Value| {
        step["chain_context"]["chain_id"] = json!("0x2105");
        step["chain"] = json!("Base");
        step
    };
    let tokens = json!({"to": RECIPIENT, "token_symbol": "USDC", "amount_human": "2.5 USDC"});
    let script = proposing([
        ("case 0", contradicted(lies[0])),
        ("case 1", contradicted(lies[1])),
        ("case 2", contradicted(lies[2])),
        ("case 3", contradicted(lies[3])),
        ("case 4", contradicted(lies[4])),
        ("case 5", contradicted(lies[5])),
        ("tokens", bundle("tokens", step(&token_payment(0), tokens))),
        ("chain", bundle("chain", elsewhere(step(&payment(0), json!({}))))),
        ("truth", bundle("truth", step(&payment(0), honest.clone()))),
    ]);
    let (world, chains) = tokio::join!(World::scripted(script), Chains::start());
    world.use_nodes(chains.endpoints()).await;
    world.import_vault(&phrase("12 words")).await;
    world.popup.reopen().await.unwrap();
    for (place, (_, claimed, name, actual)) in lies.into_iter().enumerate() {
        world.popup.send_message(&format!("case {place}")).await.unwrap();
        check_contradiction(&world, place, [name, claimed, actual]).await;
    }
    world.popup.send_message("tokens").await.unwrap();
    check_contradiction(&world, lies.len(), ["Amount", "2.5 USDC", "25 USDC"]).await;
    let calls = world.get("/api/bundles").await;
    assert_eq!(calls["bundles"].as_array().unwrap().len(), lies.len() + 1);
    assert!(calls.to_string().contains(USDC));

    world.popup.send_message("chain").await.unwrap();
    let refused = errors(&world, lies.len() + 2).await.pop().unwrap();
    assert!(refused.starts_with("chain_mismatch: step 1: "), "{refused}");
    assert_eq!(world.prompts(0).await, Vec::<Value>::new());
    world.popup.send_message("truth").await.unwrap();
    world.prompts(1).await;
}

/// The newest card shows the contradiction and no buttons, and the agent has the result.
async fn check_contradiction(world: &World, place: usize, row: [&str; 3]) {
    let error = errors(world, place + 1).await.remove(place);
    assert!(
        error.starts_with("contradiction: step 1: ") && error.contains(row[1]) && error.contains(row[2]),
        "{error}"
    );
    let rows = until("both values on the card", TIMEOUT, async || {
        let rows = world.popup.texts("bundle-contradiction").await.ok()?;
        (rows.len() == place + 1).then_some(rows)
    })
    .await
    .unwrap();
    assert_eq!(rows[place].split('\t').map(str::trim).collect::<Vec<_>>(), row);
    let card = world.popup.cards().await.unwrap().remove(place);
    assert_eq!(
        (card.state.as_str(), card.text.contains("A claim differs from the transaction")),
        ("failed", true),
        "{}",
        card.text
    );
    assert_eq!(world.popup.texts("card-review").await.unwrap(), Vec::<String>::new());
}
