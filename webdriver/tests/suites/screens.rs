//! What a person sees of the worst bundles that an agent can propose: the warnings, once each and the gravest first, what
//! the bytes do, whom they concern, and apart from that what the agent says.
//!
//! With `COUNTERSIGN_PICTURES` naming a folder, a picture of each is written there.

use crate::world::World;
use crate::world::bundle::{RECIPIENT, USDC, bundle_of, proposing, step};
use crate::world::chains::Chains;
use crate::world::vault::{address, phrase};
use nodes::abi::{Arg, encode};
use nodes::evm::Unsigned;
use nodes::example::encoded;
use serde_json::{Value, json};
use std::path::Path;
use webdriver::Approval;
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, RippleSpecific, SwapKitSwapPayload};

/// A contract that nothing is known of.
const CONTRACT: &str = "0x9B3B3C7B750B1baDcAcd77c00A90d46499A44077";
const V2_ROUTER: &str = "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D";
const V3_ROUTER_02: &str = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45";
const STARGATE_USDC: &str = "0xc026395860Db2d07ee33e05fE50ed7bD583189C7";
const WETH: &str = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const ETHER: u128 = 1_000_000_000_000_000_000;

/// A bundle, the warnings in their order, and words that must be read on the page.
struct Screen {
    word: &'static str,
    steps: Vec<Value>,
    warnings: &'static [&'static str],
    words: &'static [&'static str],
}

fn call(nonce: u64, to: &str, value: u128, data: &str) -> Value {
    claimed(nonce, to, value, data, json!({}))
}

fn claimed(nonce: u64, to: &str, value: u128, data: &str, details: Value) -> Value {
    let transaction = Unsigned { chain_id: 1, nonce, gas: 300_000, to: Some(to), value, data };
    step(&transaction.hex().unwrap(), details)
}

fn data(selector: &str, args: &[Arg<'_>]) -> String {
    format!("{selector}{}", encode(args))
}

fn screens() -> Vec<Screen> {
    let me = address(&phrase("12 words"), "Ethereum");
    let word = format!("{:0>64}", me.trim_start_matches("0x"));
    let almost = format!("095ea7b3{:0>64}7{}", V2_ROUTER.trim_start_matches("0x"), "f".repeat(63));
    let mut nested = data("095ea7b3", &[Arg::Address(CONTRACT), Arg::Max]);
    for _ in 0..8 {
        let inner: Vec<u8> = chunks(&nested);
        nested = data("ac9650d8", &[Arg::List(vec![Arg::Bytes(&inner)])]);
    }
    let swap = |router: &str, least: u128| {
        let path = Arg::Addresses(&[WETH, USDC]);
        let args = [Arg::Uint(least), path, Arg::Address(&me), Arg::Uint(1_900_000_000)];
        call(0, router, ETHER / 10, &data("7ff36ab5", &args))
    };
    let compose = Arg::Tuple(vec![
        Arg::Uint(30_110),
        Arg::Address(&word),
        Arg::Uint(5_000_000),
        Arg::Uint(4_900_000),
        Arg::Bytes(&[]),
        Arg::Bytes(b"run this"),
        Arg::Bytes(&[]),
    ]);
    let fees = Arg::Tuple(vec![Arg::Uint(ETHER / 1_000), Arg::Uint(0)]);
    let bridged = data("c7c7f5b3", &[compose, fees, Arg::Address(&me)]);
    let hidden = call(0, USDC, 0, &data("095ea7b3", &[Arg::Address(V2_ROUTER), Arg::Max]));
    let dust = |number: u64| {
        let to = format!("0x{:040x}", u128::from(number) * 0x1234_5678_9abc_def1 + 7);
        call(1 + number, &to, 1, "")
    };
    let flood = std::iter::once(hidden).chain((0..40).map(dust)).collect();
    let tokens = |to: &str, units| data("a9059cbb", &[Arg::Address(to), Arg::Uint(units)]);
    vec![
        Screen {
            word: "almost",
            steps: vec![call(0, USDC, 0, &almost)],
            warnings: &["unlimited_approval"],
            words: &["without a limit", "Uniswap"],
        },
        Screen {
            word: "deposit",
            steps: vec![claimed(
                0,
                CONTRACT,
                10 * ETHER,
                "d0e30db0",
                json!({"contract_name": "Wrapped Ether"}),
            )],
            warnings: &["unweighed_effect"],
            words: &[
                "What it does is not known",
                "10 ETH",
                "The agent says",
                "Wrapped Ether",
                "cannot be checked",
            ],
        },
        Screen {
            word: "nested",
            steps: vec![call(0, V3_ROUTER_02, 0, &nested)],
            warnings: &["unknown_calldata"],
            words: &["could not be decoded"],
        },
        Screen {
            word: "fake",
            steps: vec![call(0, CONTRACT, 0, &tokens(&me, 5_000_000))],
            warnings: &["unknown_token"],
            words: &["decimals unknown", "not known", CONTRACT],
        },
        Screen {
            word: "stranger",
            steps: vec![claimed(
                0,
                USDC,
                0,
                &tokens(RECIPIENT, 25_000_000),
                json!({"amount_human": "25 USDC"}),
            )],
            warnings: &["first_time_recipient"],
            words: &["Send 25 USDC", "not known", "agrees with the transaction"],
        },
        Screen {
            word: "spender",
            steps: vec![call(
                0,
                USDC,
                0,
                &data("095ea7b3", &[Arg::Address(RECIPIENT), Arg::Uint(7_000_000)]),
            )],
            warnings: &["unknown_spender"],
            words: &["up to 7 USDC", "not known"],
        },
        Screen {
            word: "copy",
            steps: vec![swap(CONTRACT, 1)],
            warnings: &["unweighed_effect"],
            words: &["What it does is not known", CONTRACT],
        },
        Screen {
            word: "nothing",
            steps: vec![swap(V2_ROUTER, 0)],
            warnings: &["low_minimum_output"],
            words: &["Swap 0.1 ETH", "USDC", "Uniswap", "your account"],
        },
        Screen {
            word: "compose",
            steps: vec![claimed(
                0,
                STARGATE_USDC,
                ETHER / 1_000,
                &bridged,
                json!({"amount_human": "5 USDC"}),
            )],
            warnings: &["unweighed_effect"],
            words: &["The agent says", "5 USDC"],
        },
        Screen {
            word: "swapkit",
            steps: vec![swapkit()],
            warnings: &["first_time_recipient"],
            words: &["Send 1 XRP", "not known", "The agent says", "NEAR", "cannot be checked"],
        },
        Screen {
            word: "flood",
            steps: flood,
            warnings: &["unlimited_approval", "first_time_recipient"],
            words: &["Step 1", "Step 41"],
        },
        Screen {
            word: "router",
            steps: vec![call(0, V2_ROUTER, ETHER, "")],
            warnings: &["first_time_recipient"],
            words: &["Send 1 ETH", "Uniswap"],
        },
    ]
}

fn chunks(hex: &str) -> Vec<u8> {
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).unwrap(), 16).unwrap();
    hex.as_bytes().chunks(2).map(byte).collect()
}

/// A payment to a stranger, which the payload calls a swap.
fn swapkit() -> Value {
    let coin = Coin {
        chain: "Ripple".to_owned(),
        ticker: "XRP".to_owned(),
        address: address(&phrase("12 words"), "Ripple"),
        decimals: 6,
        is_native_token: true,
        hex_public_key: phrase("12 words")["ecdsa"].as_str().unwrap().to_owned(),
        ..Coin::default()
    };
    let to = address(&phrase("24 words"), "Ripple");
    let swap = SwapKitSwapPayload {
        from_coin: Some(coin.clone()),
        to_coin: Some(Coin { chain: "Bitcoin".to_owned(), ticker: "BTC".to_owned(), ..Coin::default() }),
        from_amount: "1000000".to_owned(),
        sub_provider: "NEAR".to_owned(),
        target_address: to.clone(),
        ..SwapKitSwapPayload::default()
    };
    let specific = RippleSpecific {
        sequence: 5,
        gas: 180_000,
        last_ledger_sequence: 90_000_000,
        ..RippleSpecific::default()
    };
    let payload = KeysignPayload {
        coin: Some(coin),
        to_address: to,
        to_amount: "1000000".to_owned(),
        blockchain_specific: Some(BlockchainSpecific::RippleSpecific(specific)),
        swap_payload: Some(SwapPayload::SwapkitSwapPayload(swap)),
        ..KeysignPayload::default()
    };
    json!({"chain": "Ripple", "action": "swap", "signing_mode": "ecdsa_secp256k1", "keysign_payload": encoded(&payload)})
}

/// Steps with their ids and numbers, from 0 on.
fn numbered(steps: Vec<Value>) -> Vec<Value> {
    let number = |(place, mut step): (usize, Value)| {
        step["id"] = json!(format!("s{place}"));
        step["sequence"] = json!(place);
        step
    };
    steps.into_iter().enumerate().map(number).collect()
}

/// The codes of the warnings that a person reads, from top to bottom.
async fn warned(page: &Approval) -> Vec<String> {
    let script = "return [...document.querySelectorAll('[data-testid=bundle-warning]')]
        .filter((box) => box.dataset.severity !== 'info').map((box) => box.dataset.code)";
    let codes = page.run(script, vec![]).await.unwrap();
    codes.as_array().unwrap().iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

/// Each of the worst is shown with its gravest warning first, no warning twice, and its facts apart from the claims.
#[tokio::test]
async fn the_worst_are_told_for_what_they_are() {
    let screens = screens();
    let scripts = screens.iter().map(|screen| {
        let steps = numbered(screen.steps.clone());
        proposing([(screen.word, bundle_of(screen.word, steps))]).turns
    });
    let mut script = proposing::<0>([]);
    script.turns = scripts.flatten().collect();
    let (world, chains) = tokio::join!(World::scripted(script), Chains::start());
    let mut nodes = chains.endpoints();
    // No node of this chain runs here: its address is one at which nothing listens.
    nodes["endpoints"]["Ripple"] = json!({"url": "http://127.0.0.1:9"});
    world.use_nodes(nodes).await;
    world.import_vault(&phrase("12 words")).await;
    let pictures = std::env::var_os("COUNTERSIGN_PICTURES");
    for Screen { word, warnings, words, .. } in screens {
        world.popup.reopen().await.unwrap();
        world.popup.send_message(word).await.unwrap();
        let page = match world.popup.review().await {
            Ok(page) => page,
            Err(error) => panic!("{word}: {error:?}; {:?}", world.results(1).await),
        };
        page.element("prompt-approve").await.unwrap();
        if let Some(folder) = &pictures {
            page.screenshot(&Path::new(folder).join(format!("{word}.png"))).await.unwrap();
        }
        let shown = page.texts("bundle").await.unwrap().concat();
        for part in words {
            assert!(shown.contains(part), "{word}: {part} in {shown}");
        }
        let warned = warned(&page).await;
        let first: Vec<&str> = warned.iter().map(String::as_str).take(warnings.len()).collect();
        assert_eq!(first, warnings, "{word}: {warned:?}");
        let said = page.texts("bundle-warning").await.unwrap();
        let mut once = said.clone();
        once.sort();
        once.dedup();
        assert_eq!(said.len(), once.len(), "{word}: a warning is said twice: {said:?}");
        page.reject(None).await.unwrap();
        world.prompts(0).await;
    }
}
