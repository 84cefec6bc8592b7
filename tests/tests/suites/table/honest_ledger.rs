//! Sui, Cardano, Polkadot and Bittensor: tokens, stakes, notes, two spellings of one account.

use chains::Chain::{Bittensor, Cardano, Polkadot, Sui};
use countersign_tests::proposals::nodes::sui;
use countersign_tests::proposals::sui::{
    GAS, SUI, address, call, input, made, merge, owned, pure, shared, split, step, transfer,
};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment};
use countersign_tests::world::address_of;
use serde_json::json;
use wire::keysign::keysign_payload::BlockchainSpecific;
use wire::keysign::{CardanoChainSpecific, CardanoTokenAsset, SuiCoin};

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    [sui_rows(), cardano_rows(), substrate_rows()].into_iter().flatten().collect()
}

fn sui_rows() -> Vec<Proposal> {
    let (bob, carol) = (friend(Sui), address_of(3, "Sui"));
    let known = |name, step| Proposal::new(name, vec![step]).knowing(Sui, &bob).knowing(Sui, &carol);
    let sum = |units: u64| pure(&units.to_le_bytes());
    let to = |who: &str| pure(&address(who));
    let mut usdc = payment(Sui, &bob);
    let coin = usdc.coin.as_mut().expect("has a coin");
    (coin.is_native_token, coin.ticker, coin.decimals) = (false, "USDC".to_owned(), 6);
    coin.contract_address = countersign_tests::proposals::sui::USDC.to_owned();
    usdc.to_amount = "5000000".to_owned();
    if let Some(BlockchainSpecific::SuicheSpecific(specific)) = &mut usdc.blockchain_specific {
        let object = SuiCoin {
            coin_type: coin.contract_address.clone(),
            coin_object_id: format!("0x{}", "0b".repeat(32)),
            balance: "500000000".to_owned(),
            ..specific.coins[0].clone()
        };
        specific.coins.push(object);
    }
    let said = json!({"to": bob, "token_symbol": "USDC", "amount_human": "5 USDC"});
    let both = step(
        &[sum(5_000_000), sum(7_000_000), to(&bob), to(&carol)],
        &[
            split(GAS.to_vec(), &[input(0)]),
            split(GAS.to_vec(), &[input(1)]),
            transfer(&[made(0)], input(2)),
            transfer(&[made(1)], input(3)),
        ],
    );
    let stake = step(
        &[shared("5"), sum(1_000_000_000), pure(&[0x77; 32])],
        &[
            split(GAS.to_vec(), &[input(1)]),
            call("0x3::sui_system::request_add_stake", &[], &[input(0), made(0), input(2)]),
        ],
    );
    let unstake = step(
        &[shared("5"), owned(0x0c)],
        &[call("0x3::sui_system::request_withdraw_stake", &[], &[input(0), input(1)])],
    );
    let merged = step(&[owned(0x0b), owned(0x0c)], &[merge(input(0), &[input(1)])]);
    let paid = step(
        &[owned(0x0b), sum(5_000_000), to(&bob)],
        &[call("0x2::pay::split_and_transfer", &[SUI], &[input(0), input(1), input(2)])],
    );
    vec![
        known("USDC whose coins a node knows", claiming(payload(&usdc), said)).nodes(sui),
        known("two contacts in one transaction", both),
        known("SUI over a function of the system", paid),
        Proposal::new("SUI staked", vec![stake]),
        Proposal::new("SUI staked no longer", vec![unstake]),
        Proposal::new("own coins made one", vec![merged]),
        Proposal::new("SUI to oneself", vec![payload(&payment(Sui, &own(Sui)))]),
    ]
}

fn cardano_rows() -> Vec<Proposal> {
    let bob = friend(Cardano);
    let known = |name, sent| Proposal::new(name, vec![payload(sent)]).knowing(Cardano, &bob);
    let mut noted = payment(Cardano, &bob);
    noted.to_amount = "2000000".to_owned();
    noted.memo = Some("invoice 7".to_owned());
    let mut token = payment(Cardano, &bob);
    let (policy, name) = ("279c909f348e533da5808898f87f9a14bb2c3dfbbacccd631d927a3f", "534e454b");
    token.coin.as_mut().expect("has a coin").contract_address = format!("{policy}.{name}");
    token.to_amount = "500".to_owned();
    token.utxo_info[0].cardano_tokens = vec![CardanoTokenAsset {
        policy_id: policy.to_owned(),
        asset_name_hex: name.to_owned(),
        amount: "900".to_owned(),
    }];
    let mut everything = payment(Cardano, &bob);
    everything.blockchain_specific = Some(BlockchainSpecific::Cardano(CardanoChainSpecific {
        byte_fee: 180_000,
        send_max_amount: true,
        ttl: 190_000_000,
    }));
    let mut home = payment(Cardano, &own(Cardano));
    home.to_amount = "2000000".to_owned();
    vec![
        known("ADA with a note", &noted),
        known("a token to a contact", &token),
        known("everything to a contact", &everything),
        known("ADA to oneself", &home),
    ]
}

fn substrate_rows() -> Vec<Proposal> {
    let bob = friend(Bittensor);
    // The same key under the prefix of Polkadot.
    let spelled = friend(Polkadot);
    let said = json!({"to": bob, "amount_human": "1 TAO"});
    vec![
        Proposal::new(
            "TAO with claims that are true",
            vec![claiming(payload(&payment(Bittensor, &bob)), said)],
        )
        .knowing(Bittensor, &bob),
        Proposal::new(
            "TAO to a contact in the spelling of Polkadot",
            vec![payload(&payment(Bittensor, &spelled))],
        )
        .knowing(Bittensor, &bob),
        Proposal::new("DOT to oneself", vec![payload(&payment(Polkadot, &own(Polkadot)))]),
    ]
}
