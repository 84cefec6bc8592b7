//! TON and Tron: messages for contracts, allowances, payments that are called swaps.

use super::{Hostile, caught};
use chains::Chain::{Ethereum, Ton, Tron};
use countersign_tests::proposals::cosmos::{number, part};
use countersign_tests::proposals::nodes::{networks, ton as node, vault};
use countersign_tests::proposals::ton::{Cell, comment, item, jetton, message, step};
use countersign_tests::proposals::tron::{self, SUNSWAP, USDT, address, limited, token, word};
use countersign_tests::proposals::{Proposal, friend, own, payload, payment, stranger};
use nodes::abi::Arg::{Address, Max, Uint};
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload, SwapPayload};
use wire::keysign::{
    Coin, KeysignPayload, SwapKitSwapPayload, TonMessage, TonSpecific, TronTransferAssetContractPayload,
};

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [letters(), jettons(), tron_calls(), tron_payments()].into_iter().flatten().collect()
}

/// A coin that a payload says is bought.
fn bitcoin() -> Option<Coin> {
    Some(Coin { chain: "Bitcoin".to_owned(), ticker: "BTC".to_owned(), ..Coin::default() })
}

fn letters() -> Vec<Hostile> {
    let (bob, mallory) = (friend(Ton), stranger(Ton));
    let known = |name, messages, code| (Proposal::new(name, vec![step(messages)]).knowing(Ton, &bob), code);
    let everything = KeysignPayload {
        blockchain_specific: Some(BlockchainSpecific::TonSpecific(TonSpecific {
            sequence_number: 5,
            expire_at: 1_767_229_000,
            send_max_amount: true,
            ..TonSpecific::default()
        })),
        ..payment(Ton, &mallory)
    };
    let mut swapkit = payment(Ton, &mallory);
    swapkit.swap_payload = Some(SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload {
        from_coin: swapkit.coin.clone(),
        to_coin: bitcoin(),
        from_amount: swapkit.to_amount.clone(),
        tx_type: "TON".to_owned(),
        target_address: mallory.clone(),
        sub_provider: "NEAR".to_owned(),
        ..SwapKitSwapPayload::default()
    }));
    let swap = comment(&format!("=:ETH.ETH:{}:1", stranger(Ethereum)));
    let plugin = Cell::default().number(0x706c_7567, 32).number(0, 64);
    let made = TonMessage {
        state_init: Some(Cell::default().number(0, 5).reference(comment("code")).bag()),
        ..message(&bob, 5_000_000, None)
    };
    let paid = || message(&bob, 5_000_000, None);
    vec![
        caught("everything to a stranger", payload(&everything), "first_time_recipient"),
        caught("a swap of SwapKit to a stranger", payload(&swapkit), "first_time_recipient"),
        known(
            "a comment that pays another elsewhere",
            vec![message(&bob, 5, Some(&swap))],
            "first_time_recipient",
        ),
        known("a contract that is made on the way", vec![made], "contract_creation"),
        known("a call that is not known", vec![message(&bob, 50_000_000, Some(&plugin))], "unknown_calldata"),
        known(
            "a stranger behind three contacts",
            vec![paid(), paid(), paid(), message(&mallory, 900_000_000, None)],
            "first_time_recipient",
        ),
    ]
}

fn jettons() -> Vec<Hostile> {
    let (me, bob, mallory) = (own(Ton), friend(Ton), stranger(Ton));
    // The vault's wallet for USDT, if a node says so.
    let wallet = vault(Ton);
    let unknown = |name, nanotons, body: Cell, code| {
        let step = step(vec![message(&wallet, nanotons, Some(&body))]);
        (Proposal::new(name, vec![step]).knowing(Ton, &bob), code)
    };
    let usdt = |name, body: Cell, code| {
        let (proposal, code) = unknown(name, 50_000_000, body, code);
        (proposal.nodes(node), code)
    };
    let order = || Cell::default().number(0x2593_8561, 32).account(&mallory);
    vec![
        unknown(
            "a jetton of a wallet that is not known",
            50_000_000,
            jetton(&bob, &me, None, None),
            "unknown_token",
        ),
        unknown(
            "nine TON beside a jetton",
            9_000_000_000,
            jetton(&bob, &me, None, None),
            "first_time_recipient",
        ),
        unknown("an item to a stranger", 50_000_000, item(&mallory, &me), "first_time_recipient"),
        usdt("USDT to a stranger", jetton(&mallory, &me, None, None), "first_time_recipient"),
        usdt("USDT, and the rest to a stranger", jetton(&bob, &mallory, None, None), "first_time_recipient"),
        usdt("USDT with an order for a contract", jetton(&bob, &me, None, Some(order())), "unknown_calldata"),
        usdt(
            "USDT with a message for its own code",
            jetton(&bob, &me, Some(order()), None),
            "unknown_calldata",
        ),
    ]
}

fn tron_calls() -> Vec<Hostile> {
    let mallory = stranger(Tron);
    let (me, thief, router) = (word(&own(Tron)), word(&mallory), word(SUNSWAP));
    let call = |name, contract: &str, sun, signature, args: &[nodes::abi::Arg<'_>], code| {
        caught(name, payload(&tron::call(contract, sun, signature, args)), code)
    };
    vec![
        call(
            "an allowance without end",
            USDT,
            0,
            "approve(address,uint256)",
            &[Address(&router), Max],
            "unlimited_approval",
        ),
        call(
            "an allowance for a stranger",
            USDT,
            0,
            "approve(address,uint256)",
            &[Address(&thief), Uint(5)],
            "unknown_spender",
        ),
        call(
            "an allowance by another name",
            USDT,
            0,
            "increaseApproval(address,uint256)",
            &[Address(&thief), Max],
            "unlimited_approval",
        ),
        call(
            "own tokens taken for a stranger",
            USDT,
            0,
            "transferFrom(address,address,uint256)",
            &[Address(&me), Address(&thief), Uint(5)],
            "first_time_recipient",
        ),
        call("coins for any contract", &mallory, 900_000_000, "deposit()", &[], "unknown_calldata"),
        call(
            "coins beside what looks like a token's transfer",
            USDT,
            900_000_000,
            "transfer(address,uint256)",
            &[Address(&me), Uint(1)],
            "unknown_calldata",
        ),
    ]
}

fn tron_payments() -> Vec<Hostile> {
    let (bob, mallory) = (friend(Tron), stranger(Tron));
    let known = |name, sent: &KeysignPayload, code| {
        (Proposal::new(name, vec![payload(sent)]).knowing(Tron, &bob), code)
    };
    let mut swap = payment(Tron, &vault(Tron));
    swap.memo = Some(format!("=:ETH.ETH:{}:31000000", stranger(Ethereum)));
    let pays = [part(1, address(&own(Tron))), part(2, address(&mallory)), number(3, 5_000_000)];
    let route = tron::built(1, "TransferContract", &pays, &mallory, 5_000_000);
    let permission = [part(1, address(&own(Tron))), part(2, number(1, 0))];
    let permission = tron::built(46, "AccountPermissionUpdateContract", &permission, &mallory, 0);
    let mut numbered = payment(Tron, "");
    numbered.contract_payload =
        Some(ContractPayload::TronTransferAssetContractPayload(TronTransferAssetContractPayload {
            to_address: mallory.clone(),
            owner_address: own(Tron),
            amount: "5000000".to_owned(),
            asset_name: "1002000".to_owned(),
        }));
    vec![
        known("a token that calls itself USDT", &token(&vault(Tron), &bob), "unknown_token"),
        known("USDT to a stranger", &token(USDT, &mallory), "first_time_recipient"),
        known("a limit of nine thousand TRX", &limited(token(USDT, &bob), 9_000_000_000), "high_fee"),
        known("a token by its number to a stranger", &numbered, "first_time_recipient"),
        known("a route of SwapKit to a stranger", &route, "first_time_recipient"),
        known("a route that gives the account away", &permission, "unsupported_tx_type"),
        (
            Proposal::new("THORChain pays a stranger", vec![payload(&swap)]).nodes(networks),
            "first_time_recipient",
        ),
    ]
}
