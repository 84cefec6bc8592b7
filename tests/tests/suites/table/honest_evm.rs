//! EVM: tokens, swaps, bridges, lending and staking with known contracts.

use chains::Chain::{self, Arbitrum, Base, Bsc, Ethereum, Optimism, Polygon};
use chains::{known, token};
use countersign_tests::proposals::evm::{approve, call, transaction, transfer};
use countersign_tests::proposals::{Proposal, claiming, friend, own};
use nodes::abi::Arg::{Address, Addresses, Bytes, Tuple, Uint};
use serde_json::json;

const USDC: &str = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const WETH: &str = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const V2_ROUTER: &str = "0x7a250d5630B4cF539739dF2C5dAcb4c659F2488D";
const V3_ROUTER_02: &str = "0x68b3465833fb72A70ecDF485E0e4C7bD8665Fc45";
const AAVE_POOL: &str = "0x87870Bca3F3fD6335C3F4ce8392D69350B4fA4E2";
const LIDO: &str = "0xae7ab96520DE3A18E5e111B5EaAb095312D7fE84";
const ACROSS: &str = "0x5c7BCd6E7De5423a257D81B442095A1a6ced35C5";
const CCTP_V1: &str = "0xBd3fa81B58Ba92a82136038B25aDec7066af3155";
const STARGATE_USDC: &str = "0xc026395860Db2d07ee33e05fE50ed7bD583189C7";
const ETHER: u128 = 1_000_000_000_000_000_000;

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    [tokens(), wrapping(), swaps(), bridges(), lending()].into_iter().flatten().collect()
}

/// A well-known token to a contact.
fn tokens() -> Vec<Proposal> {
    let send = |(name, chain, ticker): (&'static str, Chain, &str)| {
        let token = token::known(chain, ticker).expect("is well known");
        let step = transfer(chain, 7, token.contract, &friend(chain), 5_000_000);
        Proposal::new(name, vec![step]).knowing(chain, friend(chain))
    };
    let sent = [
        ("USDC to a contact", Ethereum, "USDC"),
        ("USDC on Base", Base, "USDC"),
        ("USDT on Arbitrum", Arbitrum, "USDT"),
        ("USDC on Polygon", Polygon, "USDC"),
        ("USDT on BSC", Bsc, "USDT"),
        ("OP on Optimism", Optimism, "OP"),
    ];
    let said = claiming(
        transfer(Ethereum, 7, USDC, &friend(Ethereum), 500_000_000),
        json!({"to": friend(Ethereum), "token_symbol": "USDC", "amount_human": "500 USDC", "value": "0"}),
    );
    let said =
        Proposal::new("USDC with claims that are true", vec![said]).knowing(Ethereum, friend(Ethereum));
    let revoked = Proposal::new("an allowance taken back", vec![approve(Ethereum, 7, USDC, V2_ROUTER, 0)]);
    let own = Proposal::new("USDC to oneself", vec![transfer(Ethereum, 7, USDC, &own(Ethereum), 1)]);
    sent.map(send).into_iter().chain([said, revoked, own]).collect()
}

/// Ether into its wrapped form and back.
fn wrapping() -> Vec<Proposal> {
    let wrap = call(Ethereum, 7, WETH, ETHER, "deposit()", &[]);
    let unwrap = call(Ethereum, 8, WETH, 0, "withdraw(uint256)", &[Uint(ETHER)]);
    let base = known::wrapped_coin(Base).expect("has one");
    let base = chains::encoding::hex(&base);
    vec![
        Proposal::new("wrap", vec![wrap.clone()]),
        Proposal::new("wrap and unwrap", vec![wrap, unwrap]),
        Proposal::new("wrap on Base", vec![call(Base, 7, &format!("0x{base}"), ETHER, "deposit()", &[])]),
    ]
}

fn swaps() -> Vec<Proposal> {
    let me = own(Ethereum);
    let sold = 1_000_000_000;
    let eth_for_tokens = call(
        Ethereum,
        7,
        V2_ROUTER,
        ETHER,
        "swapExactETHForTokens(uint256,address[],address,uint256)",
        &[Uint(3_000_000_000), Addresses(&[WETH, USDC]), Address(&me), Uint(1_767_229_200)],
    );
    let tokens_for_eth = call(
        Ethereum,
        8,
        V2_ROUTER,
        0,
        "swapExactTokensForETH(uint256,uint256,address[],address,uint256)",
        &[Uint(sold), Uint(ETHER / 4), Addresses(&[USDC, WETH]), Address(&me), Uint(1_767_229_200)],
    );
    let exact_input_single = call(
        Ethereum,
        8,
        V3_ROUTER_02,
        0,
        "exactInputSingle((address,address,uint24,address,uint256,uint256,uint160))",
        &[Tuple(vec![
            Address(USDC),
            Address(WETH),
            Uint(500),
            Address(&me),
            Uint(sold),
            Uint(ETHER / 4),
            Uint(0),
        ])],
    );
    let path = chains::encoding::from_hex(
        "path",
        "a0b86991c6218b36c1d19d4a2e9eb0ce3606eb480001f4c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    );
    let path = path.expect("is hex");
    let exact_input = call(
        Ethereum,
        8,
        V3_ROUTER_02,
        0,
        "exactInput((bytes,address,uint256,uint256))",
        &[Tuple(vec![Bytes(&path), Address(&me), Uint(sold), Uint(ETHER / 4)])],
    );
    let approved = |router: &str, step| vec![approve(Ethereum, 7, USDC, router, sold), step];
    vec![
        Proposal::new("ether for USDC at Uniswap V2", vec![eth_for_tokens]),
        Proposal::new("USDC for ether at Uniswap V2", approved(V2_ROUTER, tokens_for_eth)),
        Proposal::new("USDC for WETH at Uniswap V3", approved(V3_ROUTER_02, exact_input_single)),
        Proposal::new("USDC for WETH by a path", approved(V3_ROUTER_02, exact_input)),
    ]
}

/// Bridges to the vault's own account elsewhere.
fn bridges() -> Vec<Proposal> {
    let me = own(Ethereum);
    let word = format!("{:0>64}", me.trim_start_matches("0x"));
    let sold = 500_000_000;
    let stargate = call(
        Ethereum,
        8,
        STARGATE_USDC,
        ETHER / 1_000,
        "send((uint32,bytes32,uint256,uint256,bytes,bytes,bytes),(uint256,uint256),address)",
        &[
            Tuple(vec![
                Uint(30_110),
                Address(&word),
                Uint(sold),
                Uint(sold * 99 / 100),
                Bytes(&[]),
                Bytes(&[]),
                Bytes(&[]),
            ]),
            Tuple(vec![Uint(ETHER / 1_000), Uint(0)]),
            Address(&me),
        ],
    );
    let said = json!({"amount_human": "500 USDC", "token_symbol": "USDC"});
    let cctp = call(
        Ethereum,
        8,
        CCTP_V1,
        0,
        "depositForBurn(uint256,uint32,bytes32,address)",
        &[Uint(sold), Uint(3), Address(&word), Address(USDC)],
    );
    let across = call(
        Ethereum,
        8,
        ACROSS,
        0,
        "depositV3(address,address,address,address,uint256,uint256,uint256,address,uint32,uint32,uint32,bytes)",
        &[
            Address(&me),
            Address(&me),
            Address(USDC),
            Address("0xaf88d065e77c8cC2239327C5EDb3A432268e5831"),
            Uint(sold),
            Uint(sold * 99 / 100),
            Uint(42_161),
            Address("0x0"),
            Uint(1_767_225_600),
            Uint(1_767_229_200),
            Uint(0),
            Bytes(&[]),
        ],
    );
    let approved = |bridge: &str, step| vec![approve(Ethereum, 7, USDC, bridge, sold), step];
    vec![
        Proposal::new("USDC to Arbitrum by Stargate", approved(STARGATE_USDC, claiming(stargate, said))),
        Proposal::new("USDC to Arbitrum by CCTP", approved(CCTP_V1, cctp)),
        Proposal::new("USDC to Arbitrum by Across", approved(ACROSS, across)),
    ]
}

fn lending() -> Vec<Proposal> {
    let me = own(Ethereum);
    let supply = call(
        Ethereum,
        8,
        AAVE_POOL,
        0,
        "supply(address,uint256,address,uint16)",
        &[Address(USDC), Uint(1_000_000), Address(&me), Uint(0)],
    );
    let withdraw = call(
        Ethereum,
        7,
        AAVE_POOL,
        0,
        "withdraw(address,uint256,address)",
        &[Address(USDC), Uint(1_000_000), Address(&me)],
    );
    let stake = call(Ethereum, 7, LIDO, ETHER, "submit(address)", &[Address("0x0")]);
    vec![
        Proposal::new("supply to Aave", vec![approve(Ethereum, 7, USDC, AAVE_POOL, 1_000_000), supply]),
        Proposal::new("withdraw from Aave", vec![withdraw]),
        Proposal::new("stake with Lido", vec![stake]),
        Proposal::new(
            "two payments to one contact",
            vec![
                transaction(Ethereum, 7, &friend(Ethereum), ETHER / 100, ""),
                transaction(Ethereum, 8, &friend(Ethereum), ETHER / 100, ""),
            ],
        )
        .knowing(Ethereum, friend(Ethereum)),
    ]
}
