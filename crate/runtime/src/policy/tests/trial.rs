//! What nodes say of trial runs, held against what was decoded: honest bundles pass, each lie is found.

use super::*;
use wire::trial::{BalanceChange, Direction, NoTrialReason, TrialFailure, TrialGap, TrialOutcome};

/// Bought by the swaps below.
const WETH: &str = "0x7777777777777777777777777777777777777777";

fn change(asset: Asset, direction: Direction, amount: u64) -> BalanceChange {
    BalanceChange { asset, direction, amount: units(amount) }
}

fn less(asset: Asset, amount: u64) -> BalanceChange {
    change(asset, Direction::Less, amount)
}

fn more(asset: Asset, amount: u64) -> BalanceChange {
    change(asset, Direction::More, amount)
}

fn named(id: &str) -> Asset {
    let contract = TokenContract::Known;
    Asset::Token {
        id: id.to_owned(),
        ticker: None,
        source: Some(KnownFrom::Table),
        contract,
        agent_ticker: None,
    }
}

fn piece(id: &str) -> Asset {
    Asset::Item { collection: USDC.to_owned(), id: id.to_owned() }
}

fn ran(chain: &str, transactions: u32, changes: &[BalanceChange]) -> TrialRun {
    let (changes, gaps) = (changes.to_vec(), Vec::new());
    let outcome = TrialOutcome::Ran { changes, fee: None, failure: None, transactions, gaps };
    TrialRun { chain: chain.to_owned(), outcome }
}

fn buys(sell: Asset, amount: u64, buy: &str, minimum: Option<u64>, recipient: Option<&str>) -> Effect {
    let bought = match buy {
        "ETH" => Some(native()),
        "BTC.BTC" => None,
        token => Some(named(token)),
    };
    Effect::Swap {
        provider: Some("P".to_owned()),
        router: ROUTER.to_owned(),
        sell,
        amount: units(amount),
        buy: Some(buy.to_owned()),
        bought,
        minimum_out: minimum.map(|minimum| minimum.to_string()),
        minimum_shown: None,
        recipient: recipient.map(str::to_owned),
    }
}

fn withdraw(amount: u64) -> Effect {
    buys(named(WETH), amount, "ETH", Some(amount), Some(OWN))
}

/// As [`super::run`], without what other rules say of calls and collections that nothing is known of.
fn run_trials(cases: &[Case]) {
    for (name, arrange, expected) in cases {
        let mut world = World::signing();
        arrange(&mut world);
        let told = world.told();
        let of_trial = |part: &&str| !part.contains("unweighed_effect") && !part.contains("unknown_token");
        let (verdict, findings) = told.split_once(": ").unwrap_or((&told, ""));
        let findings: Vec<&str> = findings.split(", ").filter(of_trial).collect();
        assert_eq!(format!("{verdict}: {}", findings.join(", ")), *expected, "{name}");
    }
}

impl World {
    /// One step for each list of effects, on Ethereum and at no cost, and what a node says of them.
    fn tried(&mut self, steps: &[&[Effect]], changes: &[BalanceChange]) {
        let count = u32::try_from(steps.len()).unwrap();
        let mut steps: Vec<Step> = (1..).zip(steps).map(|(number, effects)| step(number, effects)).collect();
        for step in &mut steps {
            step.transactions[0].explanation.fee = Some(units(0));
        }
        self.steps = Some(steps);
        self.trial = vec![ran("Ethereum", count, changes)];
    }

    fn outcome(&mut self) -> &mut TrialOutcome {
        &mut self.trial[0].outcome
    }
}

/// The approval, the swap, and what an honest run of them gives.
fn swapped(w: &mut World, allowance: Effect, minimum: Option<u64>, changes: &[BalanceChange]) {
    let swap = buys(token(), 500, WETH, minimum, Some(OWN));
    w.tried(&[&[allowance], &[swap]], changes);
}

#[test]
fn honest_runs_say_nothing() {
    run_trials(&[
        ("a payment", |w| w.tried(&[&[transfer(ALICE, 9)]], &[less(native(), 9)]), ASK),
        ("tokens", |w| w.tried(&[&[send_token(ALICE, 9)]], &[less(token(), 9)]), ASK),
        (
            "an approval and a swap",
            |w| swapped(w, approve(500, false), Some(95), &[less(token(), 500), more(named(WETH), 100)]),
            ASK,
        ),
        (
            "a swap that sells less than it may",
            |w| swapped(w, approve(500, false), Some(100), &[less(token(), 480), more(named(WETH), 100)]),
            ASK,
        ),
        ("an approval that is not used", |w| w.tried(&[&[approve(500, false)]], &[]), ASK),
        (
            "a token that keeps a fee of what is received",
            |w| swapped(w, approve(500, false), Some(90), &[less(token(), 500), more(named(WETH), 95)]),
            ASK,
        ),
        (
            "a token whose balances are shares, and rounds",
            |w| w.tried(&[&[send_token(ALICE, 5_000)]], &[less(token(), 5_001)]),
            ASK,
        ),
        (
            "coins that are wrapped",
            |w| w.tried(&[&[call(9)]], &[less(native(), 9), more(named(WETH), 9)]),
            ASK,
        ),
        (
            "coins that are unwrapped",
            |w| w.tried(&[&[withdraw(9)]], &[less(named(WETH), 9), more(native(), 9)]),
            ASK,
        ),
        (
            "a bridge that takes a message fee in coins and tokens by an allowance",
            |w| w.tried(&[&[approve(500, false)], &[call(7)]], &[less(token(), 500), less(native(), 7)]),
            ASK,
        ),
        (
            "coins that a router sends back",
            |w| {
                let buy = buys(native(), 9, USDC, Some(95), Some(OWN));
                w.tried(&[&[buy]], &[less(native(), 4), more(token(), 100)]);
            },
            ASK,
        ),
        (
            "what is bought goes on to a contact",
            |w| {
                let swap = buys(native(), 9, USDC, Some(95), Some(OWN));
                w.tried(&[&[swap], &[send_token(ALICE, 95)]], &[less(native(), 9), more(token(), 3)]);
            },
            ASK,
        ),
        (
            "what is bought is paid out elsewhere",
            |w| w.tried(&[&[buys(native(), 9, "BTC.BTC", Some(95), Some(OWN_BTC))]], &[less(native(), 9)]),
            ASK,
        ),
        (
            "a piece of a collection, decoded as such or as an amount",
            |w| {
                let sent = |asset| Effect::Transfer { asset, to: ALICE.to_owned(), amount: units(7) };
                w.tried(&[&[sent(piece("7"))], &[sent(token())]], &[less(piece("7"), 1)]);
            },
            ASK,
        ),
        ("a gift", |w| w.tried(&[&[transfer(ALICE, 9)]], &[less(native(), 9), more(token(), 5)]), ASK),
        (
            "no trial run",
            |w| {
                w.tried(&[&[transfer(ALICE, 9)]], &[]);
                *w.outcome() = TrialOutcome::NotRun { reason: NoTrialReason::NodeHasNone };
            },
            ASK,
        ),
    ]);
}

const MORE: &str = "ask: warn trial_loses_more, info signing";
const UNNAMED: &str = "ask: warn trial_disagrees@1, info signing";

#[test]
fn what_leaves_beyond_the_steps_is_warned_of() {
    run_trials(&[
        (
            "a swap that takes more than it sells",
            |w| swapped(w, approve(900, false), Some(95), &[less(token(), 900), more(named(WETH), 100)]),
            MORE,
        ),
        (
            "a payment of more coins",
            |w| w.tried(&[&[transfer(ALICE, 9)]], &[less(native(), 10)]),
            "ask: warn trial_loses_more@1, info signing",
        ),
        (
            "a call that takes more than it is allowed",
            |w| w.tried(&[&[approve(500, false)], &[call(0)]], &[less(token(), 501)]),
            MORE,
        ),
        ("a call that uses an older allowance", |w| w.tried(&[&[call(0)]], &[less(token(), 5)]), UNNAMED),
        (
            "tokens that no step names",
            |w| w.tried(&[&[transfer(ALICE, 9)]], &[less(native(), 9), less(token(), 5)]),
            UNNAMED,
        ),
        (
            "an unwrapping of more",
            |w| w.tried(&[&[withdraw(9)]], &[less(named(WETH), 10), more(native(), 10)]),
            "ask: warn trial_loses_more@1, info signing",
        ),
        (
            "another piece of the collection",
            |w| {
                let (asset, to) = (piece("7"), ALICE.to_owned());
                let sent = Effect::Transfer { asset, to, amount: units(1) };
                w.tried(&[&[sent]], &[less(piece("8"), 1)]);
            },
            UNNAMED,
        ),
        (
            "more changes than are listed",
            |w| {
                w.tried(&[&[transfer(ALICE, 9)]], &[less(native(), 9)]);
                let TrialOutcome::Ran { gaps, .. } = w.outcome() else { return };
                gaps.push(TrialGap::MoreAssets);
            },
            UNNAMED,
        ),
        ("what is sent stays", |w| w.tried(&[&[send_token(ALICE, 9)]], &[]), UNNAMED),
        (
            "an amount that is none",
            |w| {
                let wrong = BalanceChange { amount: units("-1"), ..less(native(), 1) };
                w.tried(&[&[transfer(ALICE, 9)]], &[wrong]);
            },
            "block: block rule_error",
        ),
    ]);
}

/// An unlimited allowance is warned of by itself; used by a swap, it does not hide that more leaves than is sold.
#[test]
fn an_unlimited_allowance_hides_nothing() {
    let mut world = World::signing();
    let changes = [less(token(), 900), more(named(WETH), 100)];
    swapped(&mut world, approve(0, true), Some(95), &changes);
    assert_eq!(world.told(), "ask: warn unlimited_approval@1, warn trial_loses_more, info signing");
}

#[test]
fn what_a_swap_gives_is_held_against_its_minimum() {
    const LESS: &str = "ask: warn trial_gives_less@2, info signing";
    const LOW: &str = "ask: warn low_minimum_output@2, info signing";
    run_trials(&[
        (
            "less than the minimum",
            |w| swapped(w, approve(500, false), Some(95), &[less(token(), 500), more(named(WETH), 94)]),
            LESS,
        ),
        ("nothing", |w| swapped(w, approve(500, false), Some(95), &[less(token(), 500)]), LESS),
        (
            "no minimum",
            |w| swapped(w, approve(500, false), None, &[less(token(), 500), more(named(WETH), 100)]),
            LOW,
        ),
        (
            "a minimum of nothing",
            |w| swapped(w, approve(500, false), Some(0), &[less(token(), 500), more(named(WETH), 100)]),
            LOW,
        ),
        (
            "a minimum of less than four fifths",
            |w| swapped(w, approve(500, false), Some(79), &[less(token(), 500), more(named(WETH), 100)]),
            LOW,
        ),
        (
            "a minimum of four fifths",
            |w| swapped(w, approve(500, false), Some(80), &[less(token(), 500), more(named(WETH), 100)]),
            ASK,
        ),
        (
            "two swaps for the same token, whose minimums add up",
            |w| {
                let swap = |minimum| buys(native(), 5, USDC, Some(minimum), Some(OWN));
                w.tried(
                    &[&[transfer(ALICE, 1)], &[swap(50), swap(45)]],
                    &[less(native(), 11), more(token(), 94)],
                );
            },
            LESS,
        ),
        (
            "the coin itself",
            |w| {
                let swap = buys(token(), 5, "ETH", Some(95), Some(OWN));
                w.tried(&[&[approve(5, false)], &[swap]], &[less(token(), 5), more(native(), 94)]);
            },
            LESS,
        ),
    ]);
}

/// A run that stops says nothing of what did not happen; what left by then counts.
#[test]
fn a_failing_run_is_told_by_its_failure() {
    let mut world = World::signing();
    swapped(&mut world, approve(500, false), Some(95), &[]);
    let TrialOutcome::Ran { failure, .. } = world.outcome() else { panic!("it ran") };
    *failure = Some(TrialFailure { sequence: Some(2), reason: "LOCKED".to_owned() });
    assert_eq!(world.told(), ASK);
    let TrialOutcome::Ran { changes, .. } = world.outcome() else { panic!("it ran") };
    changes.push(less(named(WETH), 5));
    assert_eq!(world.told(), "ask: warn trial_disagrees, info signing");
}

/// Only what was run is compared: on other chains, and behind the first transaction, other things may leave.
#[test]
fn each_chain_is_compared_with_its_own_run() {
    let mut world = World::signing();
    world.steps = Some(vec![step(1, &[transfer(ALICE, 9)]), on("Base", OWN, 2, &[transfer(ALICE, 900)])]);
    for step in world.steps.iter_mut().flatten() {
        step.transactions[0].explanation.fee = Some(units(0));
    }
    world.trial = vec![ran("Ethereum", 1, &[less(native(), 9)]), ran("Base", 1, &[less(native(), 900)])];
    assert_eq!(world.told(), ASK);
    world.trial = vec![ran("Ethereum", 1, &[less(native(), 900)]), ran("Base", 1, &[less(native(), 900)])];
    assert_eq!(world.told(), "ask: warn trial_loses_more@1, info signing");
    world.tried(&[&[transfer(ALICE, 9)], &[transfer(ALICE, 90)]], &[less(native(), 99)]);
    assert_eq!(world.told(), ASK);
    let TrialOutcome::Ran { transactions, .. } = world.outcome() else { panic!("it ran") };
    *transactions = 1;
    assert_eq!(world.told(), "ask: warn trial_loses_more@1, info signing");
}

/// The sender's wish to skip the approval does not outweigh what a trial run found.
#[test]
fn a_warning_is_asked_also_where_the_approval_is_skipped() {
    let mut world = World::signing();
    (world.skip_approval, world.setting) = (true, SkipApproval::Always);
    world.tried(&[&[transfer(ALICE, 9)]], &[less(native(), 9)]);
    assert_eq!(world.told(), "allow");
    world.tried(&[&[transfer(ALICE, 9)]], &[less(native(), 9), less(token(), 1)]);
    assert_eq!(world.told(), "ask: warn trial_disagrees@1, info signing");
}

/// Storage for accounts, tokens that the bytes only describe, and a wrapped coin that is closed.
#[test]
fn solana_has_costs_and_names_of_its_own() {
    const HOLDER: &str = "4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T";
    const MINT: &str = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    let sol = || Asset::Native { ticker: "SOL".to_owned() };
    let told = |effects: &[Effect], changes: &[BalanceChange]| {
        let mut world = World::signing();
        let mut account = world.vault.accounts[0].clone();
        (account.chain, account.address) = ("Solana".to_owned(), HOLDER.to_owned());
        world.vault.accounts.push(account);
        world.history.payees.insert(("Solana".to_owned(), MINT.to_owned()));
        let mut step = on("Solana", HOLDER, 1, effects);
        step.transactions[0].explanation.fee = Some(units(5_000));
        world.steps = Some(vec![step]);
        world.trial = vec![ran("Solana", 1, changes)];
        world.told()
    };
    let sent = |id: &str| Effect::Transfer { asset: named(id), to: MINT.to_owned(), amount: units(50) };
    let made = || note("createTokenAccount");
    assert_eq!(told(&[sent(MINT), made()], &[less(named(MINT), 50), less(sol(), 2_039_280)]), ASK);
    let much = told(&[sent(MINT), made()], &[less(named(MINT), 50), less(sol(), 4_000_000)]);
    assert_eq!(much, "ask: warn trial_loses_more@1, info signing");
    let described = sent("of token account abc");
    assert_eq!(told(std::slice::from_ref(&described), &[less(named(MINT), 50)]), ASK);
    let more_of_it = told(&[described], &[less(named(MINT), 51)]);
    assert_eq!(more_of_it, "ask: warn trial_loses_more@1, info signing");
    let wrapped = "So11111111111111111111111111111111111111112";
    let closed = told(&[note("memo")], &[less(named(wrapped), 50), more(sol(), 2_039_330)]);
    assert_eq!(closed, ASK);
    let swap = buys(sol(), 9, MINT, Some(95), Some(HOLDER));
    assert_eq!(
        told(&[swap], &[less(sol(), 9), more(named(MINT), 94)]),
        "ask: warn trial_gives_less@1, info signing"
    );
}
