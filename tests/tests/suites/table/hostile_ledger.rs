//! UTXO chains, Sui and Cardano: fees that nobody sees, coins that are something else, swaps that are none.

use super::Hostile;
use chains::Chain::{Bitcoin, Cardano, Dash, Dogecoin, Ethereum, Sui};
use countersign_tests::proposals::{
    Proposal, claiming, friend, ledger, own, payload, payment, stranger, utxo,
};
use countersign_tests::world::{Answer, NodeCall};
use serde_json::json;

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [fees(), bitcoin(), swaps(), sui(), cardano()].into_iter().flatten().collect()
}

fn nobody(_: &NodeCall) -> Answer {
    Answer::Down
}

/// What is spent is not what the payload says: the rest would be the miner's.
fn fees() -> Vec<Hostile> {
    let poorer = |chain| {
        let mut payment = payment(chain, &friend(chain));
        payment.utxo_info.iter_mut().for_each(|coin| coin.amount -= 700_000_000);
        vec![payload(&payment)]
    };
    let unknown = vec![payload(&payment(Dogecoin, &friend(Dogecoin)))];
    vec![
        (Proposal::new("a coin of Dogecoin with more in it", poorer(Dogecoin)), "unsafe_transaction"),
        (Proposal::new("a coin of Dash with more in it", poorer(Dash)), "unsafe_transaction"),
        (Proposal::new("a coin that no node knows", unknown).nodes(nobody), "network_fact_missing"),
        (
            Proposal::new(
                "a coin of Bitcoin with more in it",
                vec![payload(&payment(Bitcoin, &friend(Bitcoin)))],
            )
            .knowing(Bitcoin, friend(Bitcoin))
            .nodes(ledger::richer_coins),
            "stale_transaction",
        ),
    ]
}

fn bitcoin() -> Vec<Hostile> {
    let pay = || (60_000, ledger::pay_to(&friend(Bitcoin)));
    let runes = (0, b"\x6a\x5d\x04\x00\xc0\xa2\x33".to_vec());
    let foreign = ledger::sign_bitcoin(&[pay()], 2);
    let tokens = ledger::sign_bitcoin(&[pay(), runes], 0);
    let bare = ledger::sign_bitcoin(&[pay(), (30_000, vec![0x51])], 0);
    let known = |name, payment| Proposal::new(name, vec![payload(payment)]).knowing(Bitcoin, friend(Bitcoin));
    vec![
        (known("a part of a transaction of several", &foreign), "fee_unknown"),
        (known("tokens that move beside bitcoin", &tokens), "unknown_calldata"),
        (known("an output that anybody can spend", &bare), "unknown_calldata"),
    ]
}

/// The payload says THORChain. Whether it is, its own nodes say; where the coins end up, the memo does.
fn swaps() -> Vec<Hostile> {
    let memo = |to: &str| format!("=:ETH.ETH:{to}:100000/1/0");
    let thief = stranger(Ethereum);
    let row = |name, vault: &str, memo: String| {
        Proposal::new(name, vec![payload(&ledger::deposit(Bitcoin, vault, memo))]).nodes(ledger::thorchain)
    };
    let honest = memo(&own(Ethereum));
    let vault = ledger::vault(Bitcoin);
    vec![
        (row("a swap at a stranger's address", &stranger(Bitcoin), honest.clone()), "first_time_recipient"),
        (row("a swap that nobody vouches for", &vault, honest).nodes(utxo::index), "first_time_recipient"),
        (row("a swap for a stranger", &vault, memo(&thief)), "first_time_recipient"),
        (
            row("a swap for whatever comes", &vault, format!("=:ETH.ETH:{}", own(Ethereum))),
            "low_minimum_output",
        ),
        (
            row("a memo that pays a stranger", &friend(Bitcoin), memo(&thief))
                .knowing(Bitcoin, friend(Bitcoin)),
            "first_time_recipient",
        ),
    ]
}

fn sui() -> Vec<Hostile> {
    let token = || payload(&ledger::sui_token(&friend(Sui)));
    let said = json!({"token_symbol": "USDC", "amount_human": "5 USDC"});
    let known = |name, step| Proposal::new(name, vec![step]).knowing(Sui, friend(Sui));
    vec![
        (known("a coin object that no node knows", token()), "unweighed_effect"),
        (
            known("SUI that is called a token", claiming(token(), said)).nodes(ledger::sui_knows_better),
            "contradiction",
        ),
        (known("all there is", ledger::sui_gas_coin(&friend(Sui))), "unweighed_effect"),
        (known("a call of an unknown package", ledger::sui_call(&friend(Sui))), "unweighed_effect"),
        (
            Proposal::new("a coin object to a stranger", vec![ledger::sui_gas_coin(&stranger(Sui))]),
            "first_time_recipient",
        ),
    ]
}

fn cardano() -> Vec<Hostile> {
    let swap = ledger::cardano_swap(&stranger(Cardano));
    let token = ledger::cardano_token(&stranger(Cardano));
    vec![
        (Proposal::new("a swap on Cardano that is none", vec![payload(&swap)]), "first_time_recipient"),
        (Proposal::new("a token of Cardano to a stranger", vec![payload(&token)]), "first_time_recipient"),
    ]
}
