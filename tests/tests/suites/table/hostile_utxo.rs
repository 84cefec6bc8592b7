//! UTXO chains: payments that are called swaps, values and fees that are lies, outputs that no one looks at.

use super::{Hostile, caught};
use chains::Chain::{Bitcoin, Dash, Dogecoin, Ethereum, Litecoin};
use chains::encoding::hex;
use countersign_tests::proposals::nodes::{for_own_ether, networks, richer_coins, vault};
use countersign_tests::proposals::utxo::{
    VALUE, built, data_script, input, output, own_script, psbt, script, scripted,
};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment, raw, stranger};
use serde_json::json;
use wire::keysign::keysign_payload::{BlockchainSpecific, SignData, SwapPayload};
use wire::keysign::{Coin, KeysignPayload, SwapKitSwapPayload, ThorChainSwapPayload, UtxoSpecific};

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [named_swaps(), memos(), values(), outputs()].into_iter().flatten().collect()
}

/// Payments to a stranger that a payload calls swaps.
fn named_swaps() -> Vec<Hostile> {
    let mallory = stranger(Bitcoin);
    let bytes =
        psbt(Bitcoin, &[(script(Bitcoin, &mallory), 5_000_000), (own_script(Bitcoin), VALUE - 5_002_000)]);
    let mut swapkit = payment(Bitcoin, &mallory);
    swapkit.swap_payload = Some(SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload {
        from_coin: swapkit.coin.clone(),
        to_coin: Some(Coin { chain: "Ethereum".to_owned(), ticker: "ETH".to_owned(), ..Coin::default() }),
        from_amount: "5000000".to_owned(),
        to_amount_decimal: "1.7".to_owned(),
        tx_type: "PSBT".to_owned(),
        tx_payload: bytes,
        target_address: mallory.clone(),
        sub_provider: "THORChain".to_owned(),
        ..SwapKitSwapPayload::default()
    }));
    let mut thorchain = payment(Bitcoin, "");
    thorchain.memo = Some(format!("=:ETH.ETH:{}:1", own(Ethereum)));
    thorchain.swap_payload = Some(SwapPayload::ThorchainSwapPayload(ThorChainSwapPayload {
        from_address: own(Bitcoin),
        from_coin: thorchain.coin.clone(),
        vault_address: mallory,
        from_amount: thorchain.to_amount.clone(),
        ..ThorChainSwapPayload::default()
    }));
    vec![
        caught("a PSBT of SwapKit to a stranger", payload(&swapkit), "first_time_recipient"),
        (
            Proposal::new("a vault that is none of THORChain's", vec![payload(&thorchain)]).nodes(networks),
            "first_time_recipient",
        ),
    ]
}

/// Swaps over THORChain, to its own account, whose memo pays another.
fn memos() -> Vec<Hostile> {
    let (me, mallory) = (own(Ethereum), stranger(Ethereum));
    let swap = |name, memo: String, code| {
        let mut paid = payment(Bitcoin, &vault(Bitcoin));
        paid.memo = Some(memo);
        (Proposal::new(name, vec![payload(&paid)]).nodes(networks), code)
    };
    let mut silent = payment(Bitcoin, &vault(Bitcoin));
    silent.memo = Some(for_own_ether());
    vec![
        caught("a swap that no node vouches for", payload(&silent), "first_time_recipient"),
        swap("swapped for a stranger", format!("=:ETH.ETH:{mallory}:31000000"), "first_time_recipient"),
        swap("in the long spelling", format!("SWAP:ETH.ETH:{mallory}:31000000"), "first_time_recipient"),
        swap("with a tenth for an affiliate", format!("=:e:{me}:31000000:evil:1000"), "first_time_recipient"),
        swap("without a limit", format!("=:e:{me}"), "low_minimum_output"),
        swap("into a stranger's liquidity", format!("+:BTC.BTC:{mallory}"), "first_time_recipient"),
    ]
}

/// Values and fees.
fn values() -> Vec<Hostile> {
    let known = |name, chain, sent: &KeysignPayload, code| {
        (Proposal::new(name, vec![payload(sent)]).knowing(chain, friend(chain)).nodes(networks), code)
    };
    let mut lied = payment(Dogecoin, &friend(Dogecoin));
    lied.utxo_info[0].amount = 150_000_000;
    let mut unproven = payment(Dash, &friend(Dash));
    unproven.utxo_info[0].hash = "ab".repeat(32);
    let mut dear = payment(Bitcoin, &friend(Bitcoin));
    dear.blockchain_specific = Some(BlockchainSpecific::UtxoSpecific(UtxoSpecific {
        byte_fee: "90000".to_owned(),
        send_max_amount: false,
    }));
    let eaten = built(Litecoin, vec![output(Litecoin, &friend(Litecoin), 10_000_000)]);
    let mut others = built(Bitcoin, vec![output(Bitcoin, &friend(Bitcoin), VALUE)]);
    if let Some(SignData::SignBitcoin(sign)) = &mut others.sign_data {
        let mut foreign = input(Bitcoin);
        foreign.hash = "cd".repeat(32);
        (foreign.is_ours, foreign.script_pub_key) = (false, hex(&script(Bitcoin, &stranger(Bitcoin))));
        sign.inputs.push(foreign);
    }
    vec![
        known("a coin of nine dogecoins said to have one and a half", Dogecoin, &lied, "unsafe_transaction"),
        known("a coin whose value no node proves", Dash, &unproven, "network_fact_missing"),
        (
            Proposal::new(
                "a coin that a node says has more",
                vec![payload(&payment(Bitcoin, &friend(Bitcoin)))],
            )
            .knowing(Bitcoin, friend(Bitcoin))
            .nodes(richer_coins),
            "stale_transaction",
        ),
        known("a fee of tenths of a bitcoin", Bitcoin, &dear, "high_fee"),
        known("no change: eight litecoins for the miner", Litecoin, &eaten, "high_fee"),
        known("inputs of others, so that no fee is known", Bitcoin, &others, "fee_unknown"),
    ]
}

/// What stands behind the payment that is told.
fn outputs() -> Vec<Hostile> {
    let (bob, mallory) = (friend(Bitcoin), stranger(Bitcoin));
    let known = |name, outputs, code| {
        (Proposal::new(name, vec![payload(&built(Bitcoin, outputs))]).knowing(Bitcoin, &bob), code)
    };
    let paid = || output(Bitcoin, &bob, 10_000);
    let change = |less: u64| output(Bitcoin, &own(Bitcoin), VALUE - 12_000 - less);
    let mut marked = output(Bitcoin, &mallory, VALUE - 12_000);
    marked.is_change = true;
    let runestone = [&[0x6a, 0x5d, 4], [0, 1, 2, 3].as_slice()].concat();
    let bytes = psbt(Bitcoin, &[(script(Bitcoin, &mallory), 90_000), (own_script(Bitcoin), VALUE - 92_000)]);
    let lie = claiming(raw(Bitcoin, &hex(&bytes)), json!({"to": bob, "amount_human": "0.0009 BTC"}));
    vec![
        known(
            "the change goes to a stranger",
            vec![paid(), output(Bitcoin, &mallory, VALUE - 12_000)],
            "first_time_recipient",
        ),
        known("a stranger's output marked as change", vec![paid(), marked], "unsafe_transaction"),
        known(
            "a message of another protocol (Runes)",
            vec![paid(), change(0), scripted(&runestone, 0)],
            "unknown_calldata",
        ),
        known(
            "an output that anyone can take",
            vec![paid(), change(500_000), scripted(&[0x51], 500_000)],
            "unknown_calldata",
        ),
        known(
            "coins that are burnt",
            vec![paid(), change(700_000), scripted(&data_script(b"bye"), 700_000)],
            "unweighed_effect",
        ),
        (
            Proposal::new("a PSBT that pays another than is said", vec![lie]).knowing(Bitcoin, &bob),
            "contradiction",
        ),
    ]
}
