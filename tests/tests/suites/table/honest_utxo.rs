//! UTXO chains: payments with notes, from coins that are proven, and swaps over THORChain and MayaChain.

use chains::Chain::{Bitcoin, Dash, Dogecoin, Ethereum, Litecoin};
use chains::encoding::hex;
use countersign_tests::proposals::nodes::{for_own_ether, networks, vault};
use countersign_tests::proposals::utxo::{VALUE, built, data_script, output, own_script, psbt, script};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment, raw};
use countersign_tests::world::address_of;
use serde_json::json;
use wire::keysign::UtxoInfo;
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{ThorChainSwapPayload, UtxoSpecific};

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    [payments(), built_elsewhere(), swaps()].into_iter().flatten().collect()
}

fn payments() -> Vec<Proposal> {
    let bob = friend(Bitcoin);
    let mut noted = payment(Bitcoin, &bob);
    noted.memo = Some("invoice 7".to_owned());
    let mut everything = payment(Bitcoin, &bob);
    everything.blockchain_specific = Some(BlockchainSpecific::UtxoSpecific(UtxoSpecific {
        byte_fee: "2".to_owned(),
        send_max_amount: true,
    }));
    let mut gathered = payment(Bitcoin, &own(Bitcoin));
    gathered.utxo_info = (0..5)
        .map(|index| UtxoInfo { hash: "cd".repeat(32), amount: 40_000, index, ..UtxoInfo::default() })
        .collect();
    let said = json!({"to": bob, "amount_human": "1 BTC", "token_symbol": "BTC"});
    vec![
        Proposal::new("with a note", vec![payload(&noted)]).knowing(Bitcoin, &bob),
        Proposal::new("everything to a contact", vec![payload(&everything)]).knowing(Bitcoin, &bob),
        Proposal::new("many coins into one", vec![payload(&gathered)]),
        Proposal::new("with claims that are true", vec![claiming(payload(&payment(Bitcoin, &bob)), said)])
            .knowing(Bitcoin, &bob),
    ]
}

/// Transactions that a page or a service built.
fn built_elsewhere() -> Vec<Proposal> {
    let (bob, carol) = (friend(Litecoin), address_of(3, "Litecoin"));
    let two = built(
        Litecoin,
        vec![
            output(Litecoin, &bob, 1_000_000),
            output(Litecoin, &carol, 2_000_000),
            output(Litecoin, &own(Litecoin), VALUE - 3_010_000),
        ],
    );
    let bob = friend(Bitcoin);
    let outputs = [
        (script(Bitcoin, &bob), 50_000),
        (own_script(Bitcoin), VALUE - 52_000),
        (data_script(b"order 1045"), 0),
    ];
    vec![
        Proposal::new("two contacts in one transaction", vec![payload(&two)])
            .knowing(Litecoin, friend(Litecoin))
            .knowing(Litecoin, carol),
        Proposal::new("a PSBT with a note", vec![raw(Bitcoin, &hex(&psbt(Bitcoin, &outputs)))])
            .knowing(Bitcoin, bob),
    ]
}

/// To the accounts at which the networks' nodes say that they take deposits.
fn swaps() -> Vec<Proposal> {
    let mut bitcoin = payment(Bitcoin, &vault(Bitcoin));
    bitcoin.memo = Some(for_own_ether());
    bitcoin.swap_payload = Some(SwapPayload::ThorchainSwapPayload(ThorChainSwapPayload {
        from_address: own(Bitcoin),
        from_coin: bitcoin.coin.clone(),
        vault_address: vault(Bitcoin),
        from_amount: bitcoin.to_amount.clone(),
        ..ThorChainSwapPayload::default()
    }));
    let mut streamed = payment(Litecoin, &vault(Litecoin));
    streamed.memo = Some(format!("=:b:{}:900000/1/0:t:0", own(Bitcoin)));
    let mut doge = payment(Dogecoin, &vault(Dogecoin));
    doge.memo = Some(for_own_ether());
    let mut dash = payment(Dash, &vault(Dash));
    dash.memo = Some(format!("=:e:{}:5000000", own(Ethereum)));
    let proven = |name, step| Proposal::new(name, vec![step]).nodes(networks);
    vec![
        proven("bitcoin for own ether over THORChain", payload(&bitcoin)),
        proven("litecoin for own bitcoin, in parts", payload(&streamed)),
        proven("dogecoin for own ether over THORChain", payload(&doge)),
        proven("dash for own ether over MayaChain", payload(&dash)),
    ]
}
