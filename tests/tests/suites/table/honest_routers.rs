//! EVM: swaps over aggregators, programs of the Universal Router, allowances of Permit2, deposits for THORChain.

use chains::Chain::{Bitcoin, Ethereum};
use chains::encoding::from_hex;
use countersign_tests::proposals::evm::{approve, call, program};
use countersign_tests::proposals::nodes::{THORCHAIN_ROUTER, networks, vault};
use countersign_tests::proposals::{Proposal, own, payload, payment};
use nodes::abi::Arg::{self, Address, Addresses, Bytes, List, Tuple, Uint};
use serde_json::Value;
use wire::keysign::ThorChainSwapPayload;
use wire::keysign::keysign_payload::SwapPayload;

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const WETH: &str = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const PERMIT2: &str = "0x000000000022D473030F116dDEE9F6B43aC78BA3";
const UNIVERSAL_ROUTER: &str = "0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af";
const ONE_INCH: &str = "0x111111125421cA6dc452d289314280a0f8842A65";
const ZERO_EX: &str = "0xDef1C0ded9bec7F1a1670819833240f027b25EfF";
const PARASWAP: &str = "0x6A000F20005980200259B80c5102003040001068";
const LIFI: &str = "0x1231DEB6f5749EF6cE6943a275A1D3E7486F4EaE";
const COW_ETH_FLOW: &str = "0xbA3cB449bD2B4ADddBc894D8697F5170800EAdeC";
const EXECUTOR: &str = "0x9B3B3C7B750B1baDcAcd77c00A90d46499A44077";
const ETHER: u128 = 1_000_000_000_000_000_000;
const LATER: u128 = 1_767_229_200;
/// The sender, and the router itself, in the words of the Universal Router.
const SENDER: &str = "0x1";
const ROUTER: &str = "0x2";
/// All that the Universal Router holds.
const ALL: &str = "0x8000000000000000000000000000000000000000000000000000000000000000";
const SOLD: u128 = 1_000_000_000;

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    [aggregators(), programs(), deposits()].into_iter().flatten().collect()
}

/// Behind an allowance of what is sold.
fn approved(name: &'static str, spender: &str, step: Value) -> Proposal {
    Proposal::new(name, vec![approve(Ethereum, 6, USDC, spender, SOLD), step])
}

fn aggregators() -> Vec<Proposal> {
    let me = own(Ethereum);
    let run = |to: &str, value, signature, args: &[Arg<'_>]| call(Ethereum, 7, to, value, signature, args);
    let one_inch = run(
        ONE_INCH,
        0,
        "swap(address,(address,address,address,address,uint256,uint256,uint256),bytes)",
        &[
            Address(EXECUTOR),
            Tuple(vec![
                Address(USDC),
                Address(WETH),
                Address(EXECUTOR),
                Address(&me),
                Uint(SOLD),
                Uint(ETHER / 4),
                Uint(0),
            ]),
            Bytes(b"route"),
        ],
    );
    let zero_ex = run(
        ZERO_EX,
        0,
        "transformERC20(address,address,uint256,uint256,(uint32,bytes)[])",
        &[
            Address(USDC),
            Address(WETH),
            Uint(SOLD),
            Uint(ETHER / 4),
            List(vec![Tuple(vec![Uint(22), Bytes(b"fill")])]),
        ],
    );
    let swap = Tuple(vec![
        Address(EXECUTOR),
        Address(EXECUTOR),
        Address(USDC),
        Address(WETH),
        Uint(SOLD),
        Bytes(b"route"),
        Uint(1),
    ]);
    let lifi = run(
        LIFI,
        0,
        "swapTokensGeneric(bytes32,string,string,address,uint256,(address,address,address,address,uint256,bytes,bool)[])",
        &[Uint(7), Bytes(b"wallet"), Bytes(b""), Address(&me), Uint(ETHER / 4), List(vec![swap])],
    );
    let paraswap = run(
        PARASWAP,
        0,
        "swapExactAmountIn(address,(address,address,uint256,uint256,uint256,bytes32,address),uint256,bytes,bytes)",
        &[
            Address(EXECUTOR),
            Tuple(vec![
                Address(USDC),
                Address(WETH),
                Uint(SOLD),
                Uint(ETHER / 4),
                Uint(ETHER / 4),
                Uint(0),
                Address(&me),
            ]),
            Uint(0),
            Bytes(b""),
            Bytes(b"route"),
        ],
    );
    let cow = run(
        COW_ETH_FLOW,
        ETHER,
        "createOrder((address,address,uint256,uint256,bytes32,uint256,uint32,bool,int64))",
        &[Tuple(vec![
            Address(USDC),
            Address(&me),
            Uint(ETHER),
            Uint(3_000_000_000),
            Uint(1),
            Uint(0),
            Uint(LATER),
            Uint(0),
            Uint(9),
        ])],
    );
    vec![
        approved("USDC for WETH over 1inch", ONE_INCH, one_inch),
        approved("USDC for WETH over 0x", ZERO_EX, zero_ex),
        approved("USDC for WETH over LI.FI", LIFI, lifi),
        approved("USDC for WETH over ParaSwap", PARASWAP, paraswap),
        Proposal::new("ether for USDC over CoW", vec![cow]),
    ]
}

/// Programs of the Universal Router.
fn programs() -> Vec<Proposal> {
    let path = |text: &str| from_hex("path", text).expect("is hex");
    let usdc_weth =
        path("a0b86991c6218b36c1d19d4a2e9eb0ce3606eb480001f4c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");
    let permit = vec![
        Tuple(vec![
            Tuple(vec![Address(USDC), Uint(SOLD), Uint(LATER), Uint(0)]),
            Address(UNIVERSAL_ROUTER),
            Uint(LATER),
        ]),
        Bytes(&[7; 65]),
    ];
    let sells = program(
        UNIVERSAL_ROUTER,
        0,
        &[
            (0x0a, permit),
            (0x00, vec![Address(ROUTER), Uint(SOLD), Uint(ETHER / 4), Bytes(&usdc_weth), Uint(1)]),
            (0x0c, vec![Address(SENDER), Uint(ETHER / 4)]),
        ],
    );
    let buys = program(
        UNIVERSAL_ROUTER,
        ETHER,
        &[
            (0x0b, vec![Address(ROUTER), Uint(ETHER)]),
            (
                0x08,
                vec![Address(SENDER), Address(ALL), Uint(3_000_000_000), Addresses(&[WETH, USDC]), Uint(0)],
            ),
            (0x04, vec![Address("0x0"), Address(SENDER), Uint(0)]),
        ],
    );
    let lets = call(
        Ethereum,
        7,
        PERMIT2,
        0,
        "approve(address,address,uint160,uint48)",
        &[Address(USDC), Address(UNIVERSAL_ROUTER), Uint(SOLD), Uint(LATER)],
    );
    vec![
        approved("a permit, a swap, and ether of it", PERMIT2, sells),
        Proposal::new("ether wrapped, swapped and the rest returned", vec![buys]),
        approved("Permit2's allowance for Uniswap", PERMIT2, lets),
    ]
}

/// Swaps over THORChain, whose nodes say where it takes deposits.
fn deposits() -> Vec<Proposal> {
    let memo = format!("=:BTC.BTC:{}:9000000", own(Bitcoin));
    let vault = vault(Ethereum);
    let deposit = |value, token: &str, amount| {
        call(
            Ethereum,
            7,
            THORCHAIN_ROUTER,
            value,
            "depositWithExpiry(address,address,uint256,string,uint256)",
            &[Address(&vault), Address(token), Uint(amount), Bytes(memo.as_bytes()), Uint(LATER)],
        )
    };
    let mut direct = payment(Ethereum, &vault);
    direct.memo = Some(memo.clone());
    direct.swap_payload = Some(SwapPayload::ThorchainSwapPayload(ThorChainSwapPayload {
        from_address: own(Ethereum),
        from_coin: direct.coin.clone(),
        vault_address: vault.clone(),
        router_address: Some(THORCHAIN_ROUTER.to_owned()),
        from_amount: direct.to_amount.clone(),
        expiration_time: 1_767_229_200,
        ..ThorChainSwapPayload::default()
    }));
    let ether = Proposal::new("ether for own bitcoin over THORChain", vec![deposit(ETHER, "0x0", 0)]);
    let tokens = approved("USDC for own bitcoin over THORChain", THORCHAIN_ROUTER, deposit(0, USDC, SOLD));
    let payload = Proposal::new("ether for own bitcoin, as a payload", vec![payload(&direct)]);
    [ether, tokens, payload].map(|proposal| proposal.nodes(networks)).into()
}
