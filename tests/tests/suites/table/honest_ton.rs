//! TON, Tron and the XRP Ledger: comments, tags, known tokens, stakes, swaps.

use chains::Chain::{Ripple, Ton, Tron};
use countersign_tests::proposals::nodes::{for_own_ether, networks, ton as jetton_node, vault};
use countersign_tests::proposals::ripple::{self, rlusd};
use countersign_tests::proposals::ton::{self, comment, message};
use countersign_tests::proposals::tron::{self, SUNSWAP, USDT, word};
use countersign_tests::proposals::{Proposal, claiming, friend, own, payload, payment};
use countersign_tests::world::address_of;
use nodes::abi::Arg::{Address, Uint};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, ContractPayload};
use wire::keysign::{KeysignPayload, TonSpecific, TronTransferContractPayload};

/// Every row.
pub(super) fn rows() -> Vec<Proposal> {
    [ton_rows(), tron_rows(), ripple_rows()].into_iter().flatten().collect()
}

fn ton_rows() -> Vec<Proposal> {
    let (bob, carol) = (friend(Ton), address_of(3, "Ton"));
    let known = |name, step| Proposal::new(name, vec![step]).knowing(Ton, &bob).knowing(Ton, &carol);
    let mut noted = payment(Ton, &bob);
    noted.memo = Some("104563".to_owned());
    let specific = |sequence_number, send_max_amount| {
        let expire_at = 1_767_229_000;
        Some(BlockchainSpecific::TonSpecific(TonSpecific {
            sequence_number,
            expire_at,
            send_max_amount,
            ..TonSpecific::default()
        }))
    };
    let everything = KeysignPayload { blockchain_specific: specific(5, true), ..payment(Ton, &bob) };
    let first = KeysignPayload { blockchain_specific: specific(0, false), ..payment(Ton, &bob) };
    let mut usdt = payment(Ton, &bob);
    let coin = usdt.coin.as_mut().expect("has a coin");
    (coin.is_native_token, coin.ticker, coin.decimals) = (false, "USDT".to_owned(), 6);
    usdt.to_amount = "5000000".to_owned();
    usdt.memo = Some("invoice 7".to_owned());
    if let Some(BlockchainSpecific::TonSpecific(specific)) = &mut usdt.blockchain_specific {
        specific.jetton_address = vault(Ton);
    }
    let said = json!({"to": bob, "token_symbol": "USDT", "amount_human": "5 USDT"});
    let rent = comment("rent");
    let both = vec![message(&bob, 5_000_000, Some(&rent)), message(&carol, 7_000_000, None)];
    vec![
        known("TON with an exchange's comment", payload(&noted)),
        known("everything to a contact", payload(&everything)),
        known("the first letter, which makes the wallet", payload(&first)),
        known("two contacts in one letter", ton::step(both)),
        known("USDT, whose wallet a node knows", claiming(payload(&usdt), said)).nodes(jetton_node),
        Proposal::new("TON to oneself", vec![payload(&payment(Ton, &own(Ton)))]),
    ]
}

fn tron_rows() -> Vec<Proposal> {
    let bob = friend(Tron);
    let known = |name, step| Proposal::new(name, vec![step]).knowing(Tron, &bob);
    let usdt = claiming(
        payload(&tron::token(USDT, &bob)),
        json!({"to": bob, "token_symbol": "USDT", "amount_human": "5 USDT"}),
    );
    let memo = |to: &str, text: &str| {
        let mut sent = payment(Tron, to);
        sent.memo = Some(text.to_owned());
        payload(&sent)
    };
    let router = word(SUNSWAP);
    let approve =
        |units| payload(&tron::call(USDT, 0, "approve(address,uint256)", &[Address(&router), Uint(units)]));
    let mut page = payment(Tron, "");
    page.contract_payload = Some(ContractPayload::TronTransferContractPayload(TronTransferContractPayload {
        to_address: bob.clone(),
        owner_address: own(Tron),
        amount: "5000000".to_owned(),
    }));
    vec![
        known("USDT to a contact", usdt),
        known("TRX with an exchange's memo", memo(&bob, "104563")),
        known("TRX as a page asks for it", payload(&page)),
        Proposal::new("TRX staked for energy", vec![memo("", "FREEZE:ENERGY")]),
        Proposal::new("TRX staked no longer", vec![memo("", "UNFREEZE:BANDWIDTH")]),
        Proposal::new("TRX returned from the stake", vec![memo("", "WITHDRAW_EXPIRE_UNFREEZE")]),
        Proposal::new("an allowance for SunSwap", vec![approve(5_000_000)]),
        Proposal::new("an allowance taken back", vec![approve(0)]),
        Proposal::new("TRX for own ether over THORChain", vec![memo(&vault(Tron), &for_own_ether())])
            .nodes(networks),
    ]
}

fn ripple_rows() -> Vec<Proposal> {
    let bob = friend(Ripple);
    let known = |name, step| Proposal::new(name, vec![step]).knowing(Ripple, &bob);
    let memo = |to: &str, text: &str| {
        let mut sent = payment(Ripple, to);
        sent.memo = Some(text.to_owned());
        payload(&sent)
    };
    let prebuilt = |fields: Value| ripple::step("Payment", fields);
    let tokens = json!({"Destination": bob, "Amount": rlusd("25"), "SendMax": rlusd("25")});
    let exchange = json!({"Destination": own(Ripple), "Amount": rlusd("25"), "SendMax": "12000000"});
    let issued =
        json!({"Destination": bob, "Amount": "5000000", "InvoiceID": "AB".repeat(32), "SourceTag": 7});
    vec![
        known("XRP with an exchange's tag", memo(&bob, "104563")),
        known("XRP with a text", memo(&bob, "invoice 7")),
        known("XRP as a page asks for it", prebuilt(issued)),
        known("RLUSD to a contact", prebuilt(tokens)),
        Proposal::new("XRP for RLUSD on the ledger", vec![prebuilt(exchange)]),
        Proposal::new("an offer taken back", vec![ripple::step("OfferCancel", json!({"OfferSequence": 4}))]),
        Proposal::new("tickets for later", vec![ripple::step("TicketCreate", json!({"TicketCount": 2}))]),
        Proposal::new("XRP for own ether over THORChain", vec![memo(&vault(Ripple), &for_own_ether())])
            .nodes(networks),
    ]
}
