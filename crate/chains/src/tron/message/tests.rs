//! What was written is read back; what differs in anything is refused.

use super::*;
use proptest::prelude::*;

fn account() -> impl Strategy<Value = Vec<u8>> {
    any::<[u8; 20]>().prop_map(|account| [&[0x41], account.as_slice()].concat())
}

fn number() -> impl Strategy<Value = i64> {
    0..=i64::MAX
}

fn bytes() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..100)
}

fn operation() -> impl Strategy<Value = Operation> {
    let stake = || {
        (account(), number(), 0..3).prop_map(|(owner, amount, resource)| Stake { owner, amount, resource })
    };
    let trigger = (account(), account(), number(), bytes(), number(), number()).prop_map(
        |(owner, contract, call_value, data, call_token_value, token_id)| Trigger {
            owner,
            contract,
            call_value,
            data,
            call_token_value,
            token_id,
        },
    );
    prop_oneof![
        (account(), account(), number()).prop_map(|(owner, to, amount)| Operation::Transfer(Transfer {
            owner,
            to,
            amount
        })),
        (bytes(), account(), account(), number()).prop_map(|(asset_name, owner, to, amount)| {
            Operation::TransferAsset(TransferAsset { asset_name, owner, to, amount })
        }),
        trigger.prop_map(Operation::Trigger),
        stake().prop_map(Operation::Freeze),
        stake().prop_map(Operation::Unfreeze),
        account().prop_map(|owner| Operation::Withdraw(Withdraw { owner })),
    ]
}

fn raw() -> impl Strategy<Value = (Raw, Operation)> {
    let around = (any::<[u8; 2]>(), any::<[u8; 8]>(), 1..=i64::MAX, bytes(), number(), number());
    (around, operation()).prop_map(|((block, hash, expiration, data, timestamp, fee_limit), operation)| {
        let raw = Raw {
            ref_block_bytes: block.to_vec(),
            ref_block_hash: hash.to_vec(),
            expiration,
            data,
            contract: Some(operation.to_contract()),
            timestamp,
            fee_limit,
        };
        (raw, operation)
    })
}

proptest! {
    #[test]
    fn what_was_written_is_read_back((raw, operation) in raw()) {
        prop_assert_eq!(Raw::read(&raw.encode_to_vec()), Ok((raw, operation)));
    }

    /// What is read is exactly what is signed, or it is refused.
    #[test]
    fn any_bytes_are_refused_or_read_back(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        if let Ok((raw, _)) = Raw::read(&bytes) {
            prop_assert_eq!(raw.encode_to_vec(), bytes);
        }
    }

    #[test]
    fn a_changed_byte_is_refused_or_seen(
        (raw, operation) in raw(), place: prop::sample::Index, other in 1..=u8::MAX,
    ) {
        let mut bytes = raw.encode_to_vec();
        let place = place.index(bytes.len());
        bytes[place] ^= other;
        if let Ok(read) = Raw::read(&bytes) {
            prop_assert_ne!(read, (raw, operation));
        }
    }
}

fn refusal(change: impl Fn(&mut Raw)) -> String {
    let owner = [&[0x41], [7; 20].as_slice()].concat();
    let mut raw = Raw {
        ref_block_bytes: vec![1; 2],
        ref_block_hash: vec![2; 8],
        expiration: 9,
        contract: Some(Operation::Withdraw(Withdraw { owner }).to_contract()),
        ..Raw::default()
    };
    change(&mut raw);
    Raw::read(&raw.encode_to_vec()).map_or_else(|error| error.to_string(), |_| "read".to_owned())
}

#[test]
fn each_rule_has_its_refusal() {
    assert_eq!(refusal(|_| ()), "read");
    assert_eq!(refusal(|raw| raw.ref_block_hash.push(0)), "raw_data does not refer to a block");
    assert_eq!(refusal(|raw| raw.expiration = 0), "raw_data has a negative number");
    assert_eq!(refusal(|raw| raw.fee_limit = -1), "raw_data has a negative number");
    assert_eq!(refusal(|raw| raw.contract = None), "raw_data has no contract");
    let foreign = |kind| {
        move |raw: &mut Raw| {
            if let Some(contract) = &mut raw.contract {
                contract.kind = kind;
            }
        }
    };
    assert_eq!(refusal(foreign(4)), "WithdrawExpireUnfreezeContract transactions are not signed here");
    assert_eq!(refusal(foreign(54)), "raw_data names one contract and carries another");
    let to_no_address = |raw: &mut Raw| {
        let transfer = Transfer { owner: vec![0x41; 21], to: vec![0x42; 21], amount: 1 };
        raw.contract = Some(Operation::Transfer(transfer).to_contract());
    };
    assert_eq!(refusal(to_no_address), "raw_data has an address that is none");
}

/// A permission id, a second contract, scripts: a node would read them, so they must not pass unseen.
#[test]
fn fields_that_are_not_shown_are_refused() {
    let owner = [&[0x41], [7; 20].as_slice()].concat();
    let contract = Operation::Withdraw(Withdraw { owner }).to_contract();
    let raw = Raw {
        ref_block_bytes: vec![1; 2],
        ref_block_hash: vec![2; 8],
        expiration: 9,
        contract: Some(contract.clone()),
        ..Raw::default()
    };
    let bytes = raw.encode_to_vec();
    let scripts = [bytes.as_slice(), &[0x62, 1, 1]].concat();
    let twice = Raw { contract: Some(contract), ..Raw::default() }.encode_to_vec();
    for added in [scripts, [bytes.as_slice(), &twice].concat(), [bytes.as_slice(), &[0x70, 0]].concat()] {
        assert!(Raw::read(&added).is_err());
    }
}
