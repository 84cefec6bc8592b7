//! EVM: aggregators and routers that pay others, allowances of Permit2, programs with a step too many.

use super::{Hostile, caught};
use chains::Chain::{Bitcoin, Ethereum};
use chains::encoding::from_hex;
use countersign_tests::proposals::evm::{call, program};
use countersign_tests::proposals::nodes::{THORCHAIN_ROUTER, networks, vault};
use countersign_tests::proposals::{Proposal, own, stranger};
use nodes::abi::Arg::{self, Address, Addresses, Bytes, List, Max, Tuple, Uint};
use serde_json::Value;

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const WETH: &str = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const PERMIT2: &str = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const UNIVERSAL_ROUTER: &str = "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af";
const ONE_INCH: &str = "0x111111125421cA6dc452d289314280a0f8842A65";
const ZERO_EX: &str = "0xDef1C0ded9bec7F1a1670819833240f027b25EfF";
const LIFI: &str = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
const ALLOWANCE_HOLDER: &str = "0x0000000000001fF3684f28c67538d4D072C22734";
const CCTP_V1: &str = "0xBd3fa81B58Ba92a82136038B25aDec7066af3155";
/// A contract that nothing is known of.
const CONTRACT: &str = "0x9B3B3C7B750B1baDcAcd77c00A90d46499A44077";
const ETHER: u128 = 1_000_000_000_000_000_000;
const LATER: u128 = 1_767_229_200;
const SOLD: u128 = 1_000_000_000;
/// The sender, and the router itself, in the words of the Universal Router.
const SENDER: &str = "0x1";
const ROUTER: &str = "0x2";

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [aggregators(), bridges(), programs(), permits()].into_iter().flatten().collect()
}

fn run(to: &str, value: u128, signature: &str, args: &[Arg<'_>]) -> Value {
    call(Ethereum, 7, to, value, signature, args)
}

fn aggregators() -> Vec<Hostile> {
    let (me, mallory) = (own(Ethereum), stranger(Ethereum));
    let one_inch = |router: &str, to: &str, least| {
        let asked = vec![
            Address(USDC),
            Address(WETH),
            Address(CONTRACT),
            Address(to),
            Uint(SOLD),
            Uint(least),
            Uint(0),
        ];
        let signature = "swap(address,(address,address,address,address,uint256,uint256,uint256),bytes)";
        run(router, 0, signature, &[Address(CONTRACT), Tuple(asked), Bytes(b"route")])
    };
    let zero_ex = run(
        ZERO_EX,
        0,
        "sellTokenForTokenToUniswapV3(bytes,uint256,uint256,address)",
        &[Bytes(&usdc_weth()), Uint(SOLD), Uint(ETHER / 4), Address(&mallory)],
    );
    let lent = run(
        ALLOWANCE_HOLDER,
        0,
        "exec(address,address,uint256,address,bytes)",
        &[Address(&mallory), Address(USDC), Uint(SOLD), Address(&mallory), Bytes(b"take it")],
    );
    vec![
        caught("1inch pays a stranger", one_inch(ONE_INCH, &mallory, ETHER / 4), "first_time_recipient"),
        caught("1inch at any price", one_inch(ONE_INCH, &me, 0), "low_minimum_output"),
        caught("a contract that looks like 1inch", one_inch(CONTRACT, &me, ETHER / 4), "unweighed_effect"),
        caught("0x pays a stranger", zero_ex, "first_time_recipient"),
        caught("an allowance lent to a stranger's contract", lent, "unknown_spender"),
    ]
}

fn bridges() -> Vec<Hostile> {
    let (me, mallory) = (own(Ethereum), stranger(Ethereum));
    let word = |address: &str| format!("{:0>64}", address.trim_start_matches("0x"));
    // What LI.FI writes where the receiver is not on an EVM chain.
    let elsewhere = format!("0x{}", "11f1".repeat(10));
    let relay = |to: &str, chain, other: &str| {
        let bridge = Tuple(vec![
            Uint(7),
            Bytes(b"relay"),
            Bytes(b"wallet"),
            Address("0x0"),
            Address(USDC),
            Address(to),
            Uint(SOLD),
            Uint(chain),
            Uint(0),
            Uint(0),
        ]);
        let bought = word(USDC);
        let order = Tuple(vec![Uint(9), Address(other), Address(&bought), Bytes(&[7; 65])]);
        run(
            LIFI,
            0,
            "startBridgeTokensViaRelay((bytes32,string,string,address,address,address,uint256,uint256,bool,bool),\
             (bytes32,bytes32,bytes32,bytes))",
            &[bridge, order],
        )
    };
    let held = run(
        CCTP_V1,
        0,
        "depositForBurnWithCaller(uint256,uint32,bytes32,address,bytes32)",
        &[Uint(SOLD), Uint(3), Address(&word(&me)), Address(USDC), Address(&word(&mallory))],
    );
    let memo = format!("=:BTC.BTC:{}:9000000", stranger(Bitcoin));
    let deposit = run(
        THORCHAIN_ROUTER,
        ETHER,
        "depositWithExpiry(address,address,uint256,string,uint256)",
        &[Address(&vault(Ethereum)), Address("0x0"), Uint(0), Bytes(memo.as_bytes()), Uint(LATER)],
    );
    vec![
        caught(
            "LI.FI pays a stranger elsewhere",
            relay(&mallory, 42_161, &word("0x0")),
            "first_time_recipient",
        ),
        caught(
            "LI.FI pays a stranger on Solana",
            relay(&elsewhere, 1_151_111_081_099_710, &"ab".repeat(32)),
            "first_time_recipient",
        ),
        caught("only a stranger can complete it", held, "first_time_recipient"),
        (
            Proposal::new("a deposit whose memo pays a stranger", vec![deposit]).nodes(networks),
            "first_time_recipient",
        ),
    ]
}

fn usdc_weth() -> Vec<u8> {
    let text = "a0b86991c6218b36c1d19d4a2e9eb0ce3606eb480001f4c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2";
    from_hex("path", text).expect("is hex")
}

/// Programs of the Universal Router.
fn programs() -> Vec<Hostile> {
    let mallory = stranger(Ethereum);
    let path = usdc_weth();
    let sell =
        |to: &'static str| (0x00, vec![Address(to), Uint(SOLD), Uint(ETHER / 4), Bytes(&path), Uint(1)]);
    let wrap = || (0x0b, vec![Address(ROUTER), Uint(ETHER)]);
    let run = |name, value, commands: &[(u8, Vec<Arg<'_>>)], code| {
        caught(name, program(UNIVERSAL_ROUTER, value, commands), code)
    };
    vec![
        run(
            "ether of a swap to a stranger",
            0,
            &[sell(ROUTER), (0x0c, vec![Address(&mallory), Uint(ETHER / 4)])],
            "first_time_recipient",
        ),
        run("what is bought stays in the router", 0, &[sell(ROUTER)], "first_time_recipient"),
        run(
            "half of what is bought as a fee",
            0,
            &[
                sell(ROUTER),
                (0x06, vec![Address(WETH), Address(&mallory), Uint(5_000)]),
                (0x0c, vec![Address(SENDER), Uint(1)]),
            ],
            "first_time_recipient",
        ),
        run(
            "wrapped ether swept to a stranger",
            ETHER,
            &[wrap(), (0x04, vec![Address(WETH), Address(&mallory), Uint(0)])],
            "first_time_recipient",
        ),
        run("wrapped ether left behind", ETHER, &[wrap()], "first_time_recipient"),
        run(
            "tokens pulled for a stranger",
            0,
            &[(0x02, vec![Address(USDC), Address(&mallory), Uint(SOLD)])],
            "first_time_recipient",
        ),
        run(
            "a command that is not known",
            0,
            &[sell(SENDER), (0x21, vec![Bytes(b"more")])],
            "unknown_calldata",
        ),
        run(
            "a swap at any price",
            ETHER,
            &[wrap(), (0x08, vec![Address(SENDER), Uint(ETHER), Uint(0), Addresses(&[WETH, USDC]), Uint(0)])],
            "low_minimum_output",
        ),
    ]
}

/// Allowances that Permit2 keeps.
fn permits() -> Vec<Hostile> {
    let (me, mallory) = (own(Ethereum), stranger(Ethereum));
    let allowance = |token: &'static str| Tuple(vec![Address(token), Uint(SOLD), Uint(LATER), Uint(0)]);
    let batch = Tuple(vec![List(vec![allowance(USDC), allowance(WETH)]), Address(&mallory), Uint(LATER)]);
    let batch = run(
        PERMIT2,
        0,
        "permit(address,((address,uint160,uint48,uint48)[],address,uint256),bytes)",
        &[Address(&me), batch, Bytes(&[7; 65])],
    );
    let taken = run(
        PERMIT2,
        0,
        "transferFrom(address,address,uint160,address)",
        &[Address(&me), Address(&mallory), Uint(SOLD), Address(USDC)],
    );
    let permit = run(
        USDC,
        0,
        "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
        &[Address(&me), Address(&mallory), Max, Uint(LATER), Uint(27), Uint(1), Uint(2)],
    );
    let inside = program(
        UNIVERSAL_ROUTER,
        0,
        &[(0x0a, vec![Tuple(vec![allowance(USDC), Address(&mallory), Uint(LATER)]), Bytes(&[7; 65])])],
    );
    vec![
        caught("several tokens for a stranger at once", batch, "unknown_spender"),
        caught("tokens taken with an earlier allowance", taken, "first_time_recipient"),
        caught("a permit for a stranger", permit, "unlimited_approval"),
        caught("a permit for a stranger inside a program", inside, "unknown_spender"),
    ]
}
