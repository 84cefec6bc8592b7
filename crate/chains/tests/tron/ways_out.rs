//! What is weighed and what is not, that each way out is a party, and that claims are no facts.

use super::*;
use crate::swap::swap;
use crate::unsigned::{self, Change};
use countersign_chains::explain::{Party, PartyRole};

/// Whether every effect was read whole.
fn weighed(payload: &KeysignPayload) -> bool {
    !explained(payload)
        .effects
        .iter()
        .any(|effect| matches!(effect, Effect::Other { .. } | Effect::Unknown { .. } | Effect::Call { .. }))
}

/// A word with the other account in it, and one with a number.
fn words(number: u8) -> String {
    format!("{}2b5ad5c4795c026514f8317c7a215e218dccd6cf{:064x}", "00".repeat(12), number)
}

#[test]
fn honest_transactions_are_weighed() {
    let asset = TronTransferAssetContractPayload {
        to_address: OTHER.to_owned(),
        owner_address: OWN.to_owned(),
        amount: "5".to_owned(),
        asset_name: "1002000".to_owned(),
    };
    let cases = [
        payload(),
        KeysignPayload { memo: Some("rent".to_owned()), ..payload() },
        token_payload(),
        contract(ContractPayload::TronTransferAssetContractPayload(asset)),
        call(trigger(&format!("a9059cbb{}", words(9)))),
        call(trigger(&format!("095ea7b3{}", words(9)))),
        memo("FREEZE:ENERGY"),
        memo("UNFREEZE:ENERGY"),
        memo("WITHDRAW_EXPIRE_UNFREEZE"),
        swap(coin("")),
    ];
    for payload in cases {
        assert!(weighed(&payload), "{:?}", explained(&payload).effects);
    }
}

#[test]
fn other_calls_are_not_weighed_and_their_contract_is_a_party() {
    let with_value =
        TronTriggerSmartContractPayload { call_value: Some("7".to_owned()), ..trigger("d0e30db0") };
    for payload in [
        call(trigger("deadbeef")),
        call(trigger("")),
        call(with_value),
        call(trigger(&format!("a9059cbb{}00", words(9)))),
        call(trigger(&format!("a457c2d7{}", words(9)))),
    ] {
        assert!(!weighed(&payload));
        assert_eq!(explained(&payload).every_party(), [Party::new(USDT, PartyRole::Contract)]);
    }
}

/// A name that is a contract's would be shown as that token, and is no token's number.
#[test]
fn a_numbered_token_has_a_number() {
    let asset = TronTransferAssetContractPayload {
        to_address: OTHER.to_owned(),
        owner_address: OWN.to_owned(),
        amount: "5".to_owned(),
        asset_name: USDT.to_owned(),
    };
    let payload = contract(ContractPayload::TronTransferAssetContractPayload(asset));
    assert!(!weighed(&payload));
    assert_eq!(explained(&payload).every_party(), [Party::new(OTHER, PartyRole::Recipient)]);
}

#[test]
fn who_receives_or_may_take_is_a_party() {
    let party = |role| vec![Party::new(OTHER, role)];
    assert_eq!(explained(&payload()).every_party(), party(PartyRole::Recipient));
    assert_eq!(explained(&token_payload()).every_party(), party(PartyRole::Recipient));
    let approve = call(trigger(&format!("095ea7b3{}", words(9))));
    assert_eq!(explained(&approve).every_party(), party(PartyRole::Spender));
    assert_eq!(explained(&memo("FREEZE:ENERGY")).every_party(), []);
}

#[test]
fn targets_of_memos_are_parties() {
    for text in ["=:BTC.BTC:thief/back:0:t:9", "SWAP:b:thief/back:0:t:9|\u{202e}"] {
        let found = explained(&KeysignPayload { memo: Some(text.to_owned()), ..payload() });
        assert_eq!(found.effects, [effect(Asset::Native)], "nobody proves a swap");
        let named: Vec<_> = found.parties.iter().map(|party| (party.address.as_str(), party.role)).collect();
        use PartyRole::{Destination, FeePayee, Refund};
        assert_eq!(named, [("thief", Destination), ("back", Refund), ("t", FeePayee)]);
    }
}

#[test]
fn claims_of_a_payload_are_not_signed() {
    let base = swap(coin(""));
    let changed = Change::of_claims().apply(base.clone());
    assert_ne!(base, changed);
    let (base, changed) = (built(&base).unwrap(), built(&changed).unwrap());
    assert_eq!((base.images(), base.explain()), (changed.images(), changed.explain()));
    assert_ne!(base.claims(), changed.claims());
}

proptest! {
    /// What no signature covers changes neither what is explained nor whom it names.
    #[test]
    fn unsigned_fields_change_no_fact(change in unsigned::change(), choice in 0..4) {
        let base = match choice {
            0 => payload(),
            1 => token_payload(),
            2 => swap(coin(USDT)),
            _ => call(trigger("deadbeef")),
        };
        if let (Ok(first), Ok(second)) = (built(&base), built(&change.apply(base.clone())))
            && first.images() == second.images()
        {
            prop_assert_eq!(first.explain(), second.explain());
            prop_assert_eq!(first.explain().every_party(), second.explain().every_party());
        }
    }
}
