//! What holds for every transaction.

use super::*;
use proptest::prelude::*;

fn number() -> impl Strategy<Value = Amount> {
    (any::<[u8; 32]>(), 0_usize..=256).prop_map(|(bytes, shift)| Amount::from_be_bytes(bytes) >> shift)
}

fn accesses() -> impl Strategy<Value = Vec<Access>> {
    let access = (any::<Address>(), prop::collection::vec(any::<[u8; 32]>(), 0..3));
    prop::collection::vec(access.prop_map(|(address, keys)| Access { address, keys }), 0..3)
}

fn fields() -> impl Strategy<Value = Fields> {
    let envelope =
        prop_oneof![Just(Envelope::Legacy), Just(Envelope::AccessList), Just(Envelope::DynamicFee)];
    let small = (any::<u64>(), 0..u64::MAX, any::<u64>());
    let amounts = (number(), number(), number());
    let rest = (any::<Option<Address>>(), prop::collection::vec(any::<u8>(), 0..80), accesses());
    (envelope, small, amounts, rest).prop_map(|(envelope, small, amounts, (to, data, access_list))| Fields {
        envelope,
        chain_id: small.0,
        nonce: small.1,
        priority_fee: if envelope == Envelope::DynamicFee { amounts.0 } else { Amount::ZERO },
        max_fee: amounts.1,
        gas_limit: small.2,
        to,
        value: amounts.2,
        data,
        access_list: if envelope == Envelope::Legacy { Vec::new() } else { access_list },
    })
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(fields in fields()) {
        prop_assert_eq!(Fields::decode(&fields.encode(), None), Ok(fields));
    }

    #[test]
    fn what_is_read_is_written_again(mut bytes in fields().prop_map(|fields| fields.encode()), at in any::<prop::sample::Index>(), byte in any::<u8>()) {
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(fields) = Fields::decode(&bytes, None) {
            prop_assert_eq!(fields.encode(), bytes);
        }
    }

    /// D16: legacy bytes of six items are those of nine with the chain id that stands beside them.
    #[test]
    fn six_fields_take_the_stated_chain_id(fields in fields()) {
        let fields = Fields { envelope: Envelope::Legacy, priority_fee: Amount::ZERO, access_list: Vec::new(), ..fields };
        let six = fields.envelop(&fields.list());
        prop_assert_eq!(Fields::decode(&six, Some(fields.chain_id)), Ok(fields));
        prop_assert_eq!(Fields::decode(&six, None).unwrap_err().code(), "missing_field");
    }

    /// A signed transaction is never taken for one to be signed.
    #[test]
    fn signed_is_not_unsigned(fields in fields(), odd in any::<bool>(), r in any::<[u8; 32]>(), s in any::<[u8; 32]>()) {
        prop_assume!(r != [0; 32]);
        prop_assert!(Fields::decode(&fields.encode_signed(odd, &r, &s), Some(fields.chain_id)).is_err());
    }
}
