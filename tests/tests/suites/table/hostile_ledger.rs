//! Sui, Cardano, Polkadot and Bittensor: objects, calls, coins that are not what they are said to be.

use super::{Hostile, caught};
use chains::Chain::{Bittensor, Cardano, Ethereum, Polkadot, Sui};
use chains::hash::blake2b256;
use countersign_tests::proposals::cardano::{self, body, bytes, list, map, number, prebuilt, transaction};
use countersign_tests::proposals::nodes::{sui as node, sui_knows_better};
use countersign_tests::proposals::sui::{
    GAS, SUI, address, call, input, made, merge, owned, publish, pure, shared, split, step, step_with_budget,
    transfer,
};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment, stranger};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{CardanoChainSpecific, KeysignPayload, SuiCoin, SwapKitSwapPayload};

/// A package that nothing is known of.
const PACKAGE: &str = "0x9b3b3c7b750b1badcacd77c00a90d46499a440779b3b3c7b750b1badcacd77c0";

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [sui_calls(), sui_payments(), cardano_rows(), substrate_rows()].into_iter().flatten().collect()
}

fn sum(units: u64) -> Vec<u8> {
    pure(&units.to_le_bytes())
}

fn sui_calls() -> Vec<Hostile> {
    let me = pure(&address(&own(Sui)));
    let swap = format!("{PACKAGE}::router::swap");
    let copied = format!("{PACKAGE}::pay::split_and_transfer");
    let part = || split(GAS.to_vec(), &[input(0)]);
    vec![
        caught(
            "a call that is not known",
            step(&[sum(900_000_000), me.clone()], &[part(), call(&swap, &[SUI], &[made(0), input(1)])]),
            "unweighed_effect",
        ),
        caught(
            "a call that is given the coin that pays",
            step(std::slice::from_ref(&me), &[call(&swap, &[SUI], &[GAS.to_vec(), input(0)])]),
            "unknown_calldata",
        ),
        caught(
            "a function of the system's name in another package",
            step(&[owned(0x0b), sum(5), me], &[call(&copied, &[SUI], &[input(0), input(1), input(2)])]),
            "unweighed_effect",
        ),
        caught("a package published", step(&[], &[publish(&[0xa1; 40])]), "contract_creation"),
        caught(
            "coins merged into an object of others",
            step(
                &[shared(PACKAGE), sum(9)],
                &[split(GAS.to_vec(), &[input(1)]), merge(input(0), &[made(0)])],
            ),
            "unweighed_effect",
        ),
    ]
}

fn sui_payments() -> Vec<Hostile> {
    let (bob, mallory) = (friend(Sui), stranger(Sui));
    let (to_bob, to_mallory) = (pure(&address(&bob)), pure(&address(&mallory)));
    let known = |name, step, code| (Proposal::new(name, vec![step]).knowing(Sui, &bob), code);
    let given = |to: &Vec<u8>| step(&[owned(0x0b), to.clone()], &[transfer(&[input(0)], input(1))]);
    let near = format!("{}{}{}", &bob[..10], "0".repeat(48), &bob[58..]);
    let mut lied = payment(Sui, &bob);
    let coin = lied.coin.as_mut().expect("has a coin");
    (coin.is_native_token, coin.ticker) = (false, "DUST".to_owned());
    coin.contract_address = format!("{PACKAGE}::dust::DUST");
    if let Some(BlockchainSpecific::SuicheSpecific(specific)) = &mut lied.blockchain_specific {
        let coin_object_id = format!("0x{}", "0b".repeat(32));
        let coin_type = coin.contract_address.clone();
        specific.coins.push(SuiCoin { coin_type, coin_object_id, ..specific.coins[0].clone() });
    }
    let claimed = |details: Value| claiming(given(&to_bob), details);
    let dear = step_with_budget(
        &[sum(5_000_000), to_bob.clone()],
        &[split(GAS.to_vec(), &[input(0)]), transfer(&[made(0)], input(1))],
        50_000_000_000,
    );
    vec![
        known("an object to a stranger", given(&to_mallory), "first_time_recipient"),
        known("an object of which nobody says what it is", given(&to_bob), "unweighed_effect"),
        (
            Proposal::new(
                "five hundred USDC said to be one",
                vec![claimed(json!({"amount_human": "1 USDC"}))],
            )
            .knowing(Sui, &bob)
            .nodes(node),
            "contradiction",
        ),
        (
            Proposal::new("SUI that is called USDC", vec![claimed(json!({"token_symbol": "USDC"}))])
                .knowing(Sui, &bob)
                .nodes(sui_knows_better),
            "contradiction",
        ),
        known(
            "the coin that pays, to a contact",
            step(std::slice::from_ref(&to_bob), &[transfer(&[GAS.to_vec()], input(0))]),
            "unweighed_effect",
        ),
        known("a coin that only the payload calls dust", payload(&lied), "unweighed_effect"),
        known(
            "the coin that pays, all of it",
            step(&[to_mallory], &[transfer(&[GAS.to_vec()], input(0))]),
            "first_time_recipient",
        ),
        known("what looks like a contact", payload(&payment(Sui, &near)), "look_alike"),
        known("a budget of fifty SUI", dear, "high_fee"),
    ]
}

fn cardano_rows() -> Vec<Hostile> {
    let (me, bob, mallory) = (own(Cardano), friend(Cardano), stranger(Cardano));
    let built = |name, bytes: Vec<u8>, code| caught(name, payload(&prebuilt(bytes)), code);
    let change = || cardano::output(&me, 84_000_000);
    let paid = || cardano::output(&mallory, 5_000_000);
    let datum = list(&[bytes(&cardano::address(&mallory)), number(5_000_000), bytes(&[7; 32])]);
    let auxiliary = map(&[(61284, map(&[(1, number(7))]))]);
    let hash = bytes(&blake2b256(&auxiliary));
    let plain = |outputs: &[Vec<u8>], more: &[(u64, Vec<u8>)]| body(outputs, 180_000, more);
    let mut deposit = payment(Cardano, &mallory);
    deposit.to_amount = "5000000".to_owned();
    deposit.swap_payload = Some(SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload {
        from_amount: deposit.to_amount.clone(),
        tx_type: "CARDANO".to_owned(),
        target_address: mallory.clone(),
        sub_provider: "NEAR".to_owned(),
        ..SwapKitSwapPayload::default()
    }));
    let mut noted = payment(Cardano, &bob);
    noted.to_amount = "5000000".to_owned();
    noted.memo = Some(format!("=:ETH.ETH:{}:1", stranger(Ethereum)));
    let mut dear = payment(Cardano, &bob);
    dear.blockchain_specific = Some(BlockchainSpecific::Cardano(CardanoChainSpecific {
        byte_fee: 80_000_000,
        send_max_amount: false,
        ttl: 190_000_000,
    }));
    let mut home = payment(Cardano, &bob);
    home.to_amount = "2000000".to_owned();
    let known = |name, step, code| (Proposal::new(name, vec![step]).knowing(Cardano, &bob), code);
    let lie = |sent: &KeysignPayload| claiming(payload(sent), json!({"token_symbol": "SNEK"}));
    vec![
        built(
            "a route to a stranger",
            transaction(plain(&[paid(), change()], &[]), None),
            "first_time_recipient",
        ),
        built(
            "a deposit with a datum",
            transaction(plain(&[datum, change()], &[]), None),
            "unsafe_transaction",
        ),
        built(
            "a deposit for two",
            transaction(plain(&[paid(), paid(), change()], &[]), None),
            "unsafe_transaction",
        ),
        built(
            "a route that moves the stake",
            transaction(plain(&[paid(), change()], &[(4, list(&[]))]), None),
            "unsafe_transaction",
        ),
        built(
            "a route with data for another protocol",
            transaction(plain(&[paid(), change()], &[(7, hash)]), Some(auxiliary)),
            "unknown_calldata",
        ),
        caught("a deposit that is called a swap", payload(&deposit), "first_time_recipient"),
        known("a note that pays another elsewhere", payload(&noted), "first_time_recipient"),
        known("a fee of eighty ADA", payload(&dear), "high_fee"),
        known("ADA said to be a token", lie(&home), "contradiction"),
    ]
}

fn substrate_rows() -> Vec<Hostile> {
    let (bob, mallory) = (friend(Polkadot), stranger(Polkadot));
    let lie = claiming(payload(&payment(Polkadot, &mallory)), json!({"to": bob}));
    let more = claiming(payload(&payment(Bittensor, &friend(Bittensor))), json!({"amount_human": "0.1 TAO"}));
    let mut elsewhere = payload(&payment(Polkadot, &bob));
    elsewhere["chain"] = json!("Bittensor");
    vec![
        (Proposal::new("DOT to another than said", vec![lie]).knowing(Polkadot, &bob), "contradiction"),
        (
            Proposal::new("more TAO than said", vec![more]).knowing(Bittensor, friend(Bittensor)),
            "contradiction",
        ),
        (
            Proposal::new("DOT in a step of another chain", vec![elsewhere]).knowing(Polkadot, &bob),
            "chain_mismatch",
        ),
        caught(
            "TAO to a stranger in another spelling",
            payload(&payment(Bittensor, &mallory)),
            "first_time_recipient",
        ),
    ]
}
