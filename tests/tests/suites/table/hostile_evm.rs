//! EVM: allowances, calls that are not what they seem, and money that leaves by another door.

use super::Hostile;
use chains::Chain::Ethereum;
use countersign_tests::proposals::evm::{approve, call, calldata, transaction, transfer};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment, raw, stranger};
use nodes::abi::Arg::{Address, Addresses, Bytes, List, Max, Tuple, Uint};
use nodes::evm::Unsigned;
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{Coin, EthereumSpecific, ThorChainSwapPayload};

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const WETH: &str = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const V2_ROUTER: &str = "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D";
const V3_ROUTER_02: &str = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45";
const PERMIT2: &str = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const AAVE_POOL: &str = "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2";
const ACROSS: &str = "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5";
const CCTP_V1: &str = "0xBd3fa81B58Ba92a82136038B25aDec7066af3155";
const STARGATE_USDC: &str = "0xc026395860Db2d07ee33e05fE50ed7bD583189C7";
const THORCHAIN_ROUTER: &str = "0xD37BbE5744D730a1d98d8DC97c42F0Ca46aD7146";
/// A contract that nothing is known of.
const CONTRACT: &str = "0x9B3B3C7B750B1baDcAcd77c00A90d46499A44077";
const ETHER: u128 = 1_000_000_000_000_000_000;
const LATER: u128 = 1_767_229_200;

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [allowances(), calls(), swaps(), bridges(), lies(), floods()].into_iter().flatten().collect()
}

fn row(name: &'static str, step: Value, code: &'static str) -> Hostile {
    (Proposal::new(name, vec![step]), code)
}

fn allowances() -> Vec<Hostile> {
    let mallory = stranger(Ethereum);
    let almost = format!("7{}", "f".repeat(63));
    let all_but_one = format!("095ea7b3{:0>64}{almost}", V2_ROUTER.trim_start_matches("0x"));
    let unlimited = |signature, token: &str, spender: &str| {
        call(Ethereum, 7, token, 0, signature, &[Address(spender), Max])
    };
    vec![
        row("unlimited", unlimited("approve(address,uint256)", USDC, V2_ROUTER), "unlimited_approval"),
        row("2^255-1", transaction(Ethereum, 7, USDC, 0, &all_but_one), "unlimited_approval"),
        row("for a stranger", approve(Ethereum, 7, USDC, &mallory, 5_000_000), "unknown_spender"),
        row(
            "an increase without a limit",
            unlimited("increaseAllowance(address,uint256)", USDC, V2_ROUTER),
            "unlimited_approval",
        ),
        row(
            "every item of a collection",
            call(Ethereum, 7, CONTRACT, 0, "setApprovalForAll(address,bool)", &[Address(&mallory), Uint(1)]),
            "unlimited_approval",
        ),
        row(
            "Permit2's allowance for a stranger",
            call(
                Ethereum,
                7,
                PERMIT2,
                0,
                "approve(address,address,uint160,uint48)",
                &[Address(USDC), Address(&mallory), Uint(u128::MAX), Uint(LATER)],
            ),
            "unknown_spender",
        ),
        row("of an unknown token", approve(Ethereum, 7, CONTRACT, V2_ROUTER, 1), "unknown_token"),
    ]
}

fn calls() -> Vec<Hostile> {
    let mallory = stranger(Ethereum);
    let create = Unsigned { chain_id: 1, nonce: 7, gas: 200_000, to: None, value: ETHER, data: "60006000" };
    let created = raw(Ethereum, &create.hex().expect("is hex"));
    let delegated = raw(Ethereum, "0x04c0");
    let call_with_data = "transferAndCall(address,uint256,bytes)";
    let mut nested = calldata("approve(address,uint256)", &[Address(&mallory), Max]);
    for _ in 0..8 {
        let bytes = chains::encoding::from_hex("data", &nested).expect("is hex");
        nested = calldata("multicall(bytes[])", &[List(vec![Bytes(&bytes)])]);
    }
    vec![
        row(
            "deposit() with ten ether to anybody",
            call(Ethereum, 7, CONTRACT, 10 * ETHER, "deposit()", &[]),
            "unweighed_effect",
        ),
        row("a call nested deep", transaction(Ethereum, 7, V3_ROUTER_02, 0, &nested), "unknown_calldata"),
        row(
            "tokens with a call",
            call(Ethereum, 7, USDC, 0, call_with_data, &[Address(&mallory), Uint(5), Bytes(b"x")]),
            "unknown_calldata",
        ),
        row(
            "an unknown function of a known router",
            transaction(Ethereum, 7, V2_ROUTER, ETHER, "deadbeef"),
            "unknown_calldata",
        ),
        row(
            "an unknown function of an unknown contract",
            transaction(Ethereum, 7, CONTRACT, 0, "deadbeef00"),
            "unknown_calldata",
        ),
        row(
            "a token that calls itself USDC",
            transfer(Ethereum, 7, CONTRACT, &own(Ethereum), 5_000_000),
            "unknown_token",
        ),
        row("code that runs as it is created", created, "contract_creation"),
        row("the account handed to a contract (EIP-7702)", delegated, "unsupported_tx_type"),
        row("USDC to its own contract", transfer(Ethereum, 7, USDC, USDC, 5_000_000), "first_time_recipient"),
        row("ether to a router", transaction(Ethereum, 7, V2_ROUTER, ETHER, ""), "first_time_recipient"),
        row(
            "tokens of another account to a stranger",
            call(
                Ethereum,
                7,
                USDC,
                0,
                "transferFrom(address,address,uint256)",
                &[Address(&own(Ethereum)), Address(&mallory), Uint(5)],
            ),
            "first_time_recipient",
        ),
        row(
            "a deposit with a senseless memo",
            call(
                Ethereum,
                7,
                THORCHAIN_ROUTER,
                0,
                "depositWithExpiry(address,address,uint256,string,uint256)",
                &[Address(&mallory), Address(USDC), Uint(5_000_000), Bytes(b"thank you"), Uint(LATER)],
            ),
            "first_time_recipient",
        ),
        row(
            "a deposit for a swap to a stranger's vault",
            call(
                Ethereum,
                7,
                THORCHAIN_ROUTER,
                ETHER,
                "depositWithExpiry(address,address,uint256,string,uint256)",
                &[
                    Address(&mallory),
                    Address("0x0"),
                    Uint(0),
                    Bytes(b"=:BTC.BTC:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4:9000000"),
                    Uint(LATER),
                ],
            ),
            "first_time_recipient",
        ),
    ]
}

fn swaps() -> Vec<Hostile> {
    let (me, mallory) = (own(Ethereum), stranger(Ethereum));
    let v2 = |router: &str, least: u128, to: &str| {
        call(
            Ethereum,
            7,
            router,
            ETHER,
            "swapExactETHForTokens(uint256,address[],address,uint256)",
            &[Uint(least), Addresses(&[WETH, USDC]), Address(to), Uint(LATER)],
        )
    };
    let bought = call(
        Ethereum,
        7,
        V2_ROUTER,
        ETHER,
        "swapExactETHForTokens(uint256,address[],address,uint256)",
        &[Uint(ETHER), Addresses(&[WETH, CONTRACT]), Address(&me), Uint(LATER)],
    );
    let v3 = |value: u128, sold: &str, to: &str, amount: u128| {
        call(
            Ethereum,
            7,
            V3_ROUTER_02,
            value,
            "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))",
            &[Tuple(vec![
                Address(sold),
                Address(WETH),
                Uint(500),
                Address(to),
                Uint(amount),
                Uint(ETHER / 4),
                Uint(0),
            ])],
        )
    };
    let path = |end: &[u8]| {
        let text = "a0b86991c6218b36c1d19d4a2e9eb0ce3606eb480001f4c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
        [&chains::encoding::from_hex("path", text).expect("is hex"), end].concat()
    };
    let by_path = |path: &[u8]| {
        let args = [Tuple(vec![Bytes(path), Address(&me), Uint(5_000_000), Uint(1)])];
        call(Ethereum, 7, V3_ROUTER_02, 0, "exactInput((bytes,address,uint256,uint256))", &args)
    };
    vec![
        row("a token that nobody knows", bought, "unknown_token"),
        row("bought for a stranger", v2(V2_ROUTER, 3_000_000_000, &mallory), "first_time_recipient"),
        row("for nothing", v2(V2_ROUTER, 0, &me), "low_minimum_output"),
        row("at a contract that looks like a router", v2(CONTRACT, 3_000_000_000, &me), "unweighed_effect"),
        row("USDC sold with as many wei", v3(5_000_000, USDC, &me, 5_000_000), "unweighed_effect"),
        row(
            "left in the router",
            v3(0, USDC, "0x0000000000000000000000000000000000000002", 5_000_000),
            "first_time_recipient",
        ),
        row("an unknown token sold", v3(0, CONTRACT, &me, 5_000_000), "unknown_token"),
        row("a path with a byte too many", by_path(&path(&[7])), "unweighed_effect"),
        row("a path that ends in nothing", by_path(&path(&[])[..19]), "unweighed_effect"),
    ]
}

fn bridges() -> Vec<Hostile> {
    let (me, mallory) = (own(Ethereum), stranger(Ethereum));
    let word = |address: &str| format!("{:0>64}", address.trim_start_matches("0x"));
    let send = |to: &str, refund: &str, compose: &'static [u8]| {
        let to = word(to);
        call(
            Ethereum,
            7,
            STARGATE_USDC,
            ETHER / 1_000,
            "send((uint32,bytes32,uint256,uint256,bytes,bytes,bytes),(uint256,uint256),address)",
            &[
                Tuple(vec![
                    Uint(30_110),
                    Address(&to),
                    Uint(5_000_000),
                    Uint(4_900_000),
                    Bytes(&[]),
                    Bytes(compose),
                    Bytes(&[]),
                ]),
                Tuple(vec![Uint(ETHER / 1_000), Uint(0)]),
                Address(refund),
            ],
        )
    };
    let cctp = call(
        Ethereum,
        7,
        CCTP_V1,
        0,
        "depositForBurn(uint256,uint32,bytes32,address)",
        &[Uint(5_000_000), Uint(3), Address(&word(&mallory)), Address(USDC)],
    );
    let across = call(
        Ethereum,
        7,
        ACROSS,
        0,
        "depositV3(address,address,address,address,uint256,uint256,uint256,address,uint32,uint32,uint32,bytes)",
        &[
            Address(&me),
            Address(&mallory),
            Address(USDC),
            Address("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
            Uint(5_000_000),
            Uint(4_900_000),
            Uint(42_161),
            Address("0x0"),
            Uint(1_767_225_600),
            Uint(LATER),
            Uint(0),
            Bytes(&[]),
        ],
    );
    let aave = |signature, args: &[nodes::abi::Arg<'_>]| call(Ethereum, 7, AAVE_POOL, 0, signature, args);
    vec![
        row("to a stranger by Stargate", send(&mallory, &me, b""), "first_time_recipient"),
        row("a refund to a stranger", send(&me, &mallory, b""), "first_time_recipient"),
        row("with a message for a contract", send(&me, &me, b"run this"), "unweighed_effect"),
        row("to a stranger by CCTP", cctp, "first_time_recipient"),
        row("to a stranger by Across", across, "first_time_recipient"),
        row(
            "supplied for a stranger",
            aave(
                "supply(address,uint256,address,uint16)",
                &[Address(USDC), Uint(1_000_000), Address(&mallory), Uint(0)],
            ),
            "first_time_recipient",
        ),
        row(
            "withdrawn for a stranger",
            aave("withdraw(address,uint256,address)", &[Address(USDC), Uint(1_000_000), Address(&mallory)]),
            "first_time_recipient",
        ),
    ]
}

fn lies() -> Vec<Hostile> {
    let (me, bob, mallory) = (own(Ethereum), friend(Ethereum), stranger(Ethereum));
    let sends =
        |to: &str, units: u128, details: Value| claiming(transfer(Ethereum, 7, USDC, to, units), details);
    let known = |name, step, code| (Proposal::new(name, vec![step]).knowing(Ethereum, &bob), code);
    let near = format!("{}{}{}", &bob[..6], "0".repeat(32), &bob[38..]).to_ascii_lowercase();
    let mut thorchain = payment(Ethereum, &mallory);
    thorchain.memo = Some("=:BTC.BTC:bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4".to_owned());
    thorchain.swap_payload = Some(SwapPayload::ThorchainSwapPayload(ThorChainSwapPayload {
        from_address: me,
        from_coin: thorchain.coin.clone(),
        to_coin: Some(Coin { chain: "Bitcoin".to_owned(), ticker: "BTC".to_owned(), ..Coin::default() }),
        vault_address: mallory.clone(),
        from_amount: thorchain.to_amount.clone(),
        ..ThorChainSwapPayload::default()
    }));
    let mut dear = payment(Ethereum, &bob);
    dear.blockchain_specific = Some(BlockchainSpecific::EthereumSpecific(EthereumSpecific {
        max_fee_per_gas_wei: "90000000000000".to_owned(),
        priority_fee: "1".to_owned(),
        nonce: 7,
        gas_limit: "90000".to_owned(),
    }));
    vec![
        known(
            "a thousand for one",
            sends(&bob, 1_000_000_000, json!({"amount_human": "1 USDC"})),
            "contradiction",
        ),
        known("to another than said", sends(&mallory, 1_000_000, json!({"to": bob})), "contradiction"),
        known(
            "another token than said",
            sends(&bob, 1_000_000, json!({"token_symbol": "DAI"})),
            "contradiction",
        ),
        known("what looks like a contact", transaction(Ethereum, 7, &near, ETHER, ""), "look_alike"),
        known("a fee of eight ether", payload(&dear), "high_fee"),
        row("a payment that is called a swap", payload(&thorchain), "first_time_recipient"),
    ]
}

/// So many small payments that no one reads what is among them.
fn floods() -> Vec<Hostile> {
    let dust = |number: u64| {
        let to = format!("0x{:040x}", u128::from(number) * 0x1234_5678_9abc_def1 + 7);
        transaction(Ethereum, 8 + number, &to, 1, "")
    };
    let hidden = call(Ethereum, 7, USDC, 0, "approve(address,uint256)", &[Address(V2_ROUTER), Max]);
    let few: Vec<Value> = [hidden.clone()].into_iter().chain((0..50).map(dust)).collect();
    let many: Vec<Value> = [hidden].into_iter().chain((0..120).map(dust)).collect();
    vec![
        (Proposal::new("an allowance among fifty payments", few), "unlimited_approval"),
        (Proposal::new("an allowance among a hundred and twenty", many), "too_many_risks"),
    ]
}
