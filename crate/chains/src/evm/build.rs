//! Writes a transaction that the wallet filled in as the bytes that are signed. What comes of it goes the way of every
//! other: it is read again from its bytes before anybody is asked.

use super::{Access, Address, Envelope, Fields};
use crate::address::evm;
use crate::{Chain, TransactionError, amount, encoding};
use wire::evm::{EvmAccess, EvmCall, EvmPrice, EvmTransaction};

/// The unsigned bytes, and the name of their type.
pub fn unsigned(
    chain: Chain,
    transaction: &EvmTransaction,
) -> Result<(Vec<u8>, &'static str), TransactionError> {
    let EvmTransaction { call, nonce, gas_limit, price } = transaction;
    let what = "a transaction of a chain that is not an EVM chain";
    let chain_id = chain.evm_id().ok_or(TransactionError::Unsupported { what })?;
    let access_list = call.access_list.iter().map(access).collect::<Result<Vec<_>, _>>()?;
    let (envelope, max_fee, priority_fee) = match price {
        EvmPrice::Legacy { gas_price } => {
            let envelope = if access_list.is_empty() { Envelope::Legacy } else { Envelope::AccessList };
            (envelope, gas_price.as_str(), "0")
        }
        EvmPrice::Dynamic { max_fee, priority_fee } => {
            (Envelope::DynamicFee, max_fee.as_str(), priority_fee.as_str())
        }
    };
    let fields = Fields {
        envelope,
        chain_id,
        nonce: *nonce,
        priority_fee: amount::parse("priority_fee", priority_fee)?,
        max_fee: amount::parse("max_fee", max_fee)?,
        gas_limit: *gas_limit,
        to: receiver(call)?,
        value: amount::parse("value", &call.value)?,
        data: encoding::from_hex("data", &call.data)?,
        access_list,
    };
    Ok((fields.encode(), envelope.name()))
}

fn receiver(call: &EvmCall) -> Result<Option<Address>, TransactionError> {
    call.to.as_deref().map(|to| address("to", to)).transpose()
}

fn access(entry: &EvmAccess) -> Result<Access, TransactionError> {
    let key = |key: &String| encoding::array_from_hex("storageKeys", key);
    let keys = entry.storage_keys.iter().map(key).collect::<Result<_, _>>()?;
    Ok(Access { address: address("accessList", &entry.address)?, keys })
}

fn address(field: &'static str, text: &str) -> Result<Address, TransactionError> {
    evm::decode(text).map_err(|error| TransactionError::Address { field, error })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Amount;

    fn transaction(price: EvmPrice) -> EvmTransaction {
        let call = EvmCall {
            to: Some("0x9858EfFD232B4033E47d90003D41EC34EcaEda94".to_owned()),
            value: "1000000000000000000".to_owned(),
            data: "1234".to_owned(),
            access_list: Vec::new(),
        };
        EvmTransaction { call, nonce: 5, gas_limit: 21_000, price }
    }

    fn read(transaction: &EvmTransaction) -> (Fields, &'static str) {
        let (bytes, kind) = unsigned(Chain::Base, transaction).unwrap();
        (Fields::decode(&bytes, None).unwrap(), kind)
    }

    #[test]
    fn what_is_written_is_read_back() {
        let price = EvmPrice::Dynamic { max_fee: "30".to_owned(), priority_fee: "2".to_owned() };
        let (fields, kind) = read(&transaction(price));
        assert_eq!((kind, fields.chain_id, fields.nonce, fields.gas_limit), ("eip1559", 8453, 5, 21_000));
        assert_eq!((fields.max_fee, fields.priority_fee), (Amount::from(30), Amount::from(2)));
        assert_eq!(fields.data, [0x12, 0x34]);

        let legacy = EvmPrice::Legacy { gas_price: "7".to_owned() };
        let mut creation = transaction(legacy);
        creation.call.to = None;
        let (fields, kind) = read(&creation);
        assert_eq!((kind, fields.to, fields.max_fee), ("legacy", None, Amount::from(7)));

        creation.call.access_list = vec![EvmAccess {
            address: "0x9858EfFD232B4033E47d90003D41EC34EcaEda94".to_owned(),
            storage_keys: vec!["0x".to_owned() + &"07".repeat(32)],
        }];
        let (fields, kind) = read(&creation);
        assert_eq!((kind, fields.access_list.len()), ("eip2930", 1));
    }

    #[test]
    fn what_is_no_field_is_refused() {
        let price = || EvmPrice::Legacy { gas_price: "7".to_owned() };
        let mut bad = transaction(price());
        bad.call.to = Some("0x9858efFD232B4033E47d90003D41EC34EcaEda94".to_owned());
        assert_eq!(unsigned(Chain::Base, &bad).unwrap_err().code(), "invalid_address");
        let mut bad = transaction(price());
        bad.call.value = "0x1".to_owned();
        assert_eq!(unsigned(Chain::Base, &bad).unwrap_err().code(), "invalid_amount");
        assert!(unsigned(Chain::Bitcoin, &transaction(price())).is_err());
    }
}
