//! The trial run of a bundle, from the node's answer to the verdict: honest runs are shown and say nothing else, each lie
//! is a warning, and a node that runs nothing delays nobody.
#![allow(clippy::indexing_slicing, clippy::unwrap_used, reason = "a test fails by panicking")]

use countersign_tests::bundle_run::{BundleRun, PASSWORD};
use countersign_tests::chain::{Chains, Fault, FaultKind, TrialScript, coins, tokens};
use countersign_tests::evm::{Evm, PAYEE, STRANGER, USDC, bundle};
use countersign_tests::signer::fast_signer_address;
use nodes::contracts::{Swap, swap};
use serde_json::{Value, json};

/// Uniswap's V2 router: a swap is read at a known contract alone.
const ROUTER: &str = "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D";
/// Bought by the swaps.
const WETH: &str = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const DOLLAR: u128 = 1_000_000;
const ETHER: u128 = 1_000_000_000_000_000_000;
const SIMULATE: &str = "eth_simulateV1";

/// A payment of one ether with the account's next nonce.
fn pay() -> Evm {
    Evm::pays(PAYEE, ETHER)
}

/// Lets the router take dollars, and swaps 500 of them for at least this much wrapped ether.
fn approve_and_swap(allowance: u128, at_least: u128) -> Value {
    let owner = fast_signer_address();
    let asked =
        Swap { sell: USDC, buy: WETH, amount: 500 * DOLLAR, at_least, to: &owner, deadline: 4_000_000_000 };
    let data = swap(&asked).unwrap().trim_start_matches("0x").to_owned();
    let swap = Evm { gas: 300_000, data, ..Evm::pays(ROUTER, 0) };
    let approval = Evm::approves(USDC, ROUTER, Some(allowance));
    json!([approval.step("a", 0), swap.nonce(8).step("b", 1)])
}

/// What a node says of it: so many dollars leave, so much wrapped ether comes.
fn swapped(dollars: u128, ether: u128) -> TrialScript {
    let owner = fast_signer_address();
    let events = [tokens(USDC, &owner, ROUTER, dollars), tokens(WETH, ROUTER, &owner, ether)];
    TrialScript::of(&[&[], &events])
        .holding(USDC, 5_000 * DOLLAR, 5_000 * DOLLAR - dollars)
        .holding(WETH, 0, ether)
}

/// Proposes steps to a wallet whose node on Ethereum says this of a trial run, and returns the bundle as pages see it.
async fn proposed(steps: Value, trial: TrialScript) -> (BundleRun, Value) {
    let chains = Chains::new();
    chains.set_trial("Ethereum", trial);
    let run = BundleRun::on(chains, steps).await;
    run.world.save(&[("Payee", PAYEE, "Ethereum")]).await;
    run.world.say("go").await;
    let view = run.view().await;
    (run, view)
}

/// The codes of the warnings, with the step that each is about.
fn warnings(view: &Value) -> Vec<String> {
    let reasons = view["verdict"]["reasons"].as_array().map(Vec::as_slice).unwrap_or_default();
    let warned = reasons.iter().filter(|reason| reason["severity"] != "info");
    warned
        .map(|reason| {
            let step = reason.get("sequence").map(|sequence| format!("@{sequence}")).unwrap_or_default();
            format!("{}{step}", reason["code"].as_str().unwrap())
        })
        .collect()
}

fn quantity(units: u128, shown: &str) -> Value {
    json!({"units": units.to_string(), "shown": shown})
}

/// The whole run is shown, in the names that the wallet knows, and gives no warning; the node got both transactions in
/// their order.
#[tokio::test(start_paused = true)]
async fn honest_swap_is_shown_without_a_warning() {
    let (run, view) =
        proposed(approve_and_swap(500 * DOLLAR, ETHER / 10), swapped(500 * DOLLAR, ETHER / 8)).await;
    // 42 000 gas at 20 gwei.
    let token = |id: &str, ticker: &str| {
        json!({"kind": "token", "id": id, "ticker": ticker, "source": "table", "contract": "known",
            "agentTicker": null})
    };
    let expected = json!([{"chain": "Ethereum", "outcome": {
        "kind": "ran",
        "changes": [
            {"asset": token(USDC, "USDC"), "direction": "less",
                "amount": quantity(500 * DOLLAR, "500 USDC")},
            {"asset": token(WETH, "WETH"), "direction": "more",
                "amount": quantity(ETHER / 8, "0.125 WETH")},
        ],
        "fee": quantity(840_000_000_000_000, "0.00084 ETH"),
        "failure": null,
        "transactions": 2,
        "gaps": [],
    }}]);
    assert_eq!(view["trial"], expected);
    assert_eq!((warnings(&view), &view["verdict"]["name"]), (vec![], &json!("ask")));
    assert_eq!(run.chains.request_times(SIMULATE).len(), 1);
    let steps = view["steps"].as_array().unwrap();
    assert!(steps.iter().all(|step| step["findings"] == json!([])), "{steps:?}");
}

/// Honest bundles of other kinds.
#[tokio::test(start_paused = true)]
async fn honest_runs_give_no_warning() {
    let owner = fast_signer_address();
    let paid = || coins(&owner, PAYEE, ETHER);
    let wrap = Evm { gas: 60_000, data: "d0e30db0".to_owned(), ..Evm::pays(WETH, ETHER) };
    let unwrap =
        Evm { gas: 60_000, data: format!("2e1a7d4d{:064x}", ETHER / 4), ..Evm::pays(WETH, 0).nonce(8) };
    let cases = [
        ("a payment", json!([pay().step("a", 0)]), TrialScript::of(&[&[paid()]])),
        (
            "tokens to a contact",
            json!([Evm::sends(USDC, PAYEE, 7).step("a", 0)]),
            TrialScript::of(&[&[tokens(USDC, &owner, PAYEE, 7)]]).holding(USDC, 9, 2),
        ),
        (
            "an approval that is not used",
            json!([Evm::approves(USDC, ROUTER, Some(5)).step("a", 0)]),
            TrialScript::of(&[&[]]).holding(USDC, 9, 9),
        ),
        (
            "wrapping, and unwrapping a part",
            json!([wrap.step("a", 0), unwrap.step("b", 1)]),
            TrialScript::of(&[&[coins(&owner, WETH, ETHER)], &[coins(WETH, &owner, ETHER / 4)]]).holding(
                WETH,
                0,
                ETHER - ETHER / 4,
            ),
        ),
        (
            "a token that keeps a part of what it moves",
            approve_and_swap(500 * DOLLAR, 90),
            TrialScript::of(&[&[], &[tokens(WETH, ROUTER, &owner, 100)]])
                .holding(USDC, 500 * DOLLAR, 0)
                .holding(WETH, 0, 95),
        ),
    ];
    for (name, steps, trial) in cases {
        let (_, view) = proposed(steps, trial).await;
        assert_eq!(view["trial"][0]["outcome"]["kind"], "ran", "{name}: {view}");
        assert_eq!(warnings(&view), [] as [String; 0], "{name}");
    }
}

/// Every way in which a run differs from what was decoded.
#[tokio::test(start_paused = true)]
async fn lying_runs_are_warned_of() {
    let owner = fast_signer_address();
    let swap = || approve_and_swap(900 * DOLLAR, ETHER / 10);
    let other = "0x00000000000000000000000000000000000000cc";
    let payment = json!([pay().step("a", 0)]);
    let cases = [
        ("more is taken than is sold", swap(), swapped(900 * DOLLAR, ETHER / 8), "trial_loses_more"),
        ("nothing is given", swap(), swapped(500 * DOLLAR, 0), "trial_gives_less@1"),
        ("less than the minimum", swap(), swapped(500 * DOLLAR, ETHER / 10 - 1), "trial_gives_less@1"),
        ("ten times the minimum", swap(), swapped(500 * DOLLAR, ETHER), "low_minimum_output@1"),
        (
            "no minimum",
            approve_and_swap(500 * DOLLAR, 0),
            swapped(500 * DOLLAR, ETHER / 8),
            "low_minimum_output@1",
        ),
        (
            "another token goes with a payment",
            payment.clone(),
            TrialScript::of(&[&[coins(&owner, PAYEE, ETHER), tokens(other, &owner, STRANGER, 5)]]),
            "trial_disagrees@0",
        ),
        ("a payment that pays nothing", payment, TrialScript::of(&[&[]]), "trial_disagrees@0"),
    ];
    for (name, steps, trial, expected) in cases {
        let (_, view) = proposed(steps, trial).await;
        assert_eq!(warnings(&view), [expected], "{name}: {}", view["trial"]);
    }
}

/// A failure behind the first transaction is found, and told of the step that fails.
#[tokio::test(start_paused = true)]
async fn failing_step_is_named() {
    let trial = swapped(500 * DOLLAR, ETHER / 8).failing(1, "Router: EXPIRED");
    let (_, view) = proposed(approve_and_swap(500 * DOLLAR, ETHER / 10), trial).await;
    let outcome = &view["trial"][0]["outcome"];
    assert_eq!(outcome["failure"], json!({"sequence": 1, "reason": "Router: EXPIRED"}));
    assert_eq!(outcome["changes"], json!([]), "nothing after the failure counts");
    let message = "Run as a trial after the steps before it, it fails: Router: EXPIRED.";
    assert_eq!(view["steps"][1]["findings"], json!([{"code": "simulation_failed", "message": message}]));
    assert_eq!(warnings(&view), ["simulation_failed@1"]);
}

/// What a single transaction was told is dropped where the run of all of them shows that it works.
#[tokio::test(start_paused = true)]
async fn run_of_all_steps_replaces_what_single_ones_were_told() {
    let owner = fast_signer_address();
    let large = Evm::pays(PAYEE, 2 * ETHER).nonce(8);
    let steps = json!([pay().step("a", 0), large.step("b", 1)]);
    let told = async |trial: Option<TrialScript>| {
        let chains = Chains::new();
        chains.each(|ledger| ledger.balance = 2 * ETHER);
        chains.fault(Fault::on("eth_estimateGas", FaultKind::Error(3, "execution reverted")));
        if let Some(trial) = trial {
            chains.set_trial("Ethereum", trial);
        }
        let run = BundleRun::on(chains, steps.clone()).await;
        run.world.save(&[("Payee", PAYEE, "Ethereum")]).await;
        run.world.say("go").await;
        warnings(&run.view().await)
    };
    assert_eq!(told(None).await, ["simulation_failed@0", "insufficient_balance@1"]);
    let trial = TrialScript::of(&[&[coins(&owner, PAYEE, ETHER)], &[coins(&owner, PAYEE, 2 * ETHER)]]);
    assert_eq!(told(Some(trial)).await, [] as [String; 0]);
}

/// A bridge and a swap: what the bridge brings is not there yet, so the swap fails in its trial run. That is said, and is
/// no warning.
#[tokio::test(start_paused = true)]
async fn failure_behind_another_chain_is_no_warning() {
    let steps = |first: &Evm, second: &Evm| json!([first.step("a", 0), second.step("b", 1)]);
    let here = pay();
    let there = pay().on_arbitrum();
    let told = async |steps: Value, place: usize| {
        let chains = Chains::new();
        let owner = fast_signer_address();
        chains.set_trial("Ethereum", TrialScript::of(&[&[coins(&owner, PAYEE, ETHER)]]));
        chains.set_trial(
            "Arbitrum",
            TrialScript::of(&[&[coins(&owner, PAYEE, ETHER)]])
                .failing(place, "ERC20: transfer amount exceeds balance"),
        );
        let run = BundleRun::on(chains, steps).await;
        run.world.save(&[("Payee", PAYEE, "Ethereum")]).await;
        run.world.say("go").await;
        run.view().await
    };
    let view = told(steps(&here, &there), 0).await;
    assert_eq!(warnings(&view), [] as [String; 0]);
    let outcomes: Vec<_> =
        view["trial"].as_array().unwrap().iter().map(|run| &run["outcome"]["kind"]).collect();
    assert_eq!(outcomes, ["ran", "not_run"]);
    assert_eq!(view["trial"][1]["outcome"]["reason"], "after_other_chain");
    let message = "Run as a trial now, it fails: ERC20: transfer amount exceeds balance. What a step on another chain \
        brings may be missing.";
    assert_eq!(view["steps"][1]["findings"], json!([{"code": "unchecked", "message": message}]));
    // What was run before the failure counts.
    let three = json!([here.step("a", 0), there.step("b", 1), pay().nonce(8).on_arbitrum().step("c", 2)]);
    let view = told(three, 1).await;
    assert_eq!(warnings(&view), [] as [String; 0]);
    let outcome = &view["trial"][1]["outcome"];
    assert_eq!((&outcome["failure"], &outcome["transactions"]), (&json!(null), &json!(1)));
    assert_eq!(
        (&outcome["gaps"], &outcome["changes"][0]["amount"]["shown"]),
        (&json!(["after_other_chain"]), &json!("1 ETH"))
    );
    assert_eq!(view["steps"][2]["findings"][0]["code"], "unchecked");
    // The other way round nothing comes before it.
    let view = told(steps(&there, &here), 0).await;
    assert_eq!(warnings(&view), ["simulation_failed@0"]);
}

/// A node that offers no trial runs, answers nonsense or nothing at all: said, no warning, and no longer wait than
/// before.
#[tokio::test(start_paused = true)]
async fn without_a_trial_run_the_reason_is_said_in_time() {
    let cases = [
        (None, "node_has_none", 0),
        (Some(FaultKind::Garbage), "unreadable", 0),
        (Some(FaultKind::Result(json!([{"calls": []}]))), "unreadable", 0),
        (Some(FaultKind::Result(json!([{"calls": [{}, {}, {}]}]))), "unreadable", 0),
        (Some(FaultKind::Oversized), "no_answer", 0),
        (Some(FaultKind::Error(-32_603, "method handler crashed")), "no_answer", 0),
        (Some(FaultKind::Status(502)), "no_answer", 0),
        (Some(FaultKind::Down), "no_answer", 0),
        (Some(FaultKind::Slow(20_000)), "no_answer", 8_000),
        (Some(FaultKind::Silent), "no_answer", 8_000),
    ];
    for (fault, reason, wait) in cases {
        let run = BundleRun::of(json!([pay().step("a", 0)])).await;
        run.world.save(&[("Payee", PAYEE, "Ethereum")]).await;
        if let Some(kind) = &fault {
            run.chains.fault(Fault::on(SIMULATE, kind.clone()));
        }
        run.world.say("go").await;
        if wait > 0 {
            assert_eq!(run.world.prompts().await, [] as [Value; 0], "{fault:?}");
            run.world.pass(wait).await;
        }
        assert_eq!(run.world.prompts().await.len(), 1, "{fault:?}");
        let view = run.view().await;
        let expected = json!([{"chain": "Ethereum", "outcome": {"kind": "not_run", "reason": reason}}]);
        assert_eq!(view["trial"], expected, "{fault:?}");
        assert_eq!(warnings(&view), [] as [String; 0], "{fault:?}");
    }
}

/// Chains are run side by side: two slow nodes take no longer than one.
#[tokio::test(start_paused = true)]
async fn chains_are_run_side_by_side() {
    let run = BundleRun::of(json!([pay().step("a", 0), pay().on_arbitrum().step("b", 1)])).await;
    run.chains.fault(Fault::on(SIMULATE, FaultKind::Slow(5_000)).times(2));
    run.world.say("go").await;
    run.world.pass(5_000).await;
    assert_eq!(run.world.prompts().await.len(), 1);
    let [first, second] = run.chains.request_times(SIMULATE).try_into().unwrap();
    assert_eq!(first, second);
}

/// The run also takes place where the approval is skipped: what it finds is asked about.
#[tokio::test(start_paused = true)]
async fn skipped_approval_is_asked_for_after_a_bad_run() {
    let owner = fast_signer_address();
    let paid = || coins(&owner, PAYEE, ETHER);
    let stolen = tokens(USDC, &owner, STRANGER, 5);
    for (trial, asked) in [
        (TrialScript::of(&[&[paid()]]), "password_required"),
        (TrialScript::of(&[&[paid(), stolen]]), "tx_bundle_approval"),
    ] {
        let chains = Chains::new();
        chains.set_trial("Ethereum", trial);
        let mut action = bundle("a1", json!([pay().step("a", 0)]));
        action["params"]["skip_approval"] = json!(true);
        let run = BundleRun::proposing(chains, json!([action])).await;
        run.world.save(&[("Payee", PAYEE, "Ethereum")]).await;
        let settings = json!({"skipApproval": "always", "password": PASSWORD});
        assert_eq!(run.world.call("PATCH", "/api/settings", settings).await.0, 200);
        run.world.say("go").await;
        assert_eq!(run.world.prompts().await[0]["kind"], asked);
        assert_eq!(run.chains.request_times(SIMULATE).len(), 1);
    }
}
