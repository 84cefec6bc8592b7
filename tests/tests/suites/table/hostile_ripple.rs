//! The XRP Ledger: keys, lines of trust, payments that deliver less or cost more.

use super::{Hostile, caught};
use chains::Chain::{Ethereum, Ripple};
use countersign_tests::proposals::nodes::{networks, vault};
use countersign_tests::proposals::ripple::{rlusd, step};
use countersign_tests::proposals::{Proposal, friend, own, payload, payment, stranger};
use serde_json::{Value, json};
use wire::keysign::keysign_payload::{BlockchainSpecific, SwapPayload};
use wire::keysign::{Coin, RippleSpecific, SwapKitSwapPayload};

/// Every row.
pub(super) fn rows() -> Vec<Hostile> {
    [powers(), promises(), payments()].into_iter().flatten().collect()
}

/// What changes who decides over the account.
fn powers() -> Vec<Hostile> {
    let mallory = stranger(Ripple);
    let signers = json!([{"SignerEntry": {"Account": mallory, "SignerWeight": 1}}]);
    vec![
        caught("a second key", step("SetRegularKey", json!({"RegularKey": mallory})), "first_time_recipient"),
        caught(
            "others who sign together",
            step("SignerListSet", json!({"SignerQuorum": 1, "SignerEntries": signers})),
            "first_time_recipient",
        ),
        caught(
            "the account ended",
            step("AccountDelete", json!({"Destination": mallory})),
            "first_time_recipient",
        ),
        caught("the own key disabled", step("AccountSet", json!({"SetFlag": 4})), "unweighed_effect"),
        caught(
            "who may mint in one's name",
            step("AccountSet", json!({"SetFlag": 10, "NFTokenMinter": mallory})),
            "first_time_recipient",
        ),
    ]
}

/// What gives something away later, or against something of no worth.
fn promises() -> Vec<Hostile> {
    let mallory = stranger(Ripple);
    let theirs = |value: &str| json!({"currency": "USD", "issuer": mallory, "value": value});
    let offer = json!({"TakerGets": "900000000", "TakerPays": theirs("900000")});
    let channel = json!({"Destination": mallory, "Amount": "900000000", "SettleDelay": 60,
        "PublicKey": format!("02{}", "ab".repeat(32))});
    let sale = json!({"NFTokenID": "AB".repeat(32), "Amount": "0", "Destination": mallory, "Flags": 1});
    vec![
        caught(
            "a line of trust",
            step("TrustSet", json!({"LimitAmount": theirs("1000000000")})),
            "first_time_recipient",
        ),
        caught("an offer against a stranger's paper", step("OfferCreate", offer), "unweighed_effect"),
        caught(
            "XRP set aside for a stranger",
            step("EscrowCreate", json!({"Destination": mallory, "Amount": "900000000", "FinishAfter": 9})),
            "first_time_recipient",
        ),
        caught("a channel to a stranger", step("PaymentChannelCreate", channel), "first_time_recipient"),
        caught(
            "a check that a stranger can cash",
            step("CheckCreate", json!({"Destination": mallory, "SendMax": "900000000"})),
            "first_time_recipient",
        ),
        caught("an item for nothing", step("NFTokenCreateOffer", sale), "first_time_recipient"),
    ]
}

fn payments() -> Vec<Hostile> {
    let (me, bob, mallory) = (own(Ripple), friend(Ripple), stranger(Ripple));
    let paid = |name, fields: Value, code| {
        (Proposal::new(name, vec![step("Payment", fields)]).knowing(Ripple, &bob), code)
    };
    let partial =
        json!({"Destination": bob, "Amount": rlusd("25"), "SendMax": "900000000", "Flags": 131_072});
    let forced = json!({"Destination": me, "Amount": rlusd("1"), "SendMax": "900000000", "Flags": 65_536,
        "Paths": [[{"currency": "USD", "issuer": mallory}]]});
    let mut dear = payment(Ripple, &bob);
    dear.blockchain_specific = Some(BlockchainSpecific::RippleSpecific(RippleSpecific {
        sequence: 5,
        gas: 90_000_000,
        last_ledger_sequence: 90_000_000,
        ..RippleSpecific::default()
    }));
    let mut swapkit = payment(Ripple, &mallory);
    swapkit.swap_payload = Some(SwapPayload::SwapkitSwapPayload(SwapKitSwapPayload {
        to_coin: Some(Coin { chain: "Bitcoin".to_owned(), ticker: "BTC".to_owned(), ..Coin::default() }),
        sub_provider: "NEAR".to_owned(),
        target_address: mallory.clone(),
        from_amount: swapkit.to_amount.clone(),
        ..SwapKitSwapPayload::default()
    }));
    let mut swap = payment(Ripple, &vault(Ripple));
    swap.memo = Some(format!("=:ETH.ETH:{}:31000000", stranger(Ethereum)));
    let paper = json!({"currency": "USD", "issuer": mallory, "value": "900"});
    let paper = json!({"Destination": me, "Amount": paper, "SendMax": "900000000"});
    vec![
        paid("XRP for a stranger's paper", paper, "unknown_token"),
        paid("a payment that may deliver less", partial, "unsafe_transaction"),
        paid("an exchange over a stranger's offers alone", forced, "unweighed_effect"),
        paid(
            "XRP to a stranger with a tag",
            json!({"Destination": mallory, "Amount": "5", "DestinationTag": 7}),
            "first_time_recipient",
        ),
        (Proposal::new("a fee of ninety XRP", vec![payload(&dear)]).knowing(Ripple, &bob), "high_fee"),
        caught("a swap of SwapKit to a stranger", payload(&swapkit), "first_time_recipient"),
        (
            Proposal::new("THORChain pays a stranger", vec![payload(&swap)]).nodes(networks),
            "first_time_recipient",
        ),
    ]
}
