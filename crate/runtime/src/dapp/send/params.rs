//! What a page says of a transaction: `eth_sendTransaction` (EIP-1474) and a call of `wallet_sendCalls` (EIP-5792).
//!
//! Clients differ in how they write numbers: leading zeros are taken. What would give power that no prompt explains
//! (EIP-7702 authorisations, blobs) is refused. Members that are not known change no byte that is signed: they are
//! ignored.

use crate::dapp::RpcError;
use chains::Amount;
use serde_json::{Map, Value};
use wire::evm::{EvmAccess, EvmCall};

/// The longest data of a transaction, in hex digits: nodes take no more than 128 KiB.
const MAX_DATA: usize = 2 * 128 * 1024;
/// Entries of an access list, and keys of one of them.
const MAX_ACCESS: usize = 1_000;

/// A transaction as a page wants it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageTransaction {
    /// The account that signs.
    pub(super) from: String,
    /// What it does, and what the page wishes.
    pub(super) wanted: Wanted,
    /// The chain that the page means.
    pub(super) chain_id: Option<Amount>,
}

/// What a page wants of a transaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Wanted {
    /// What it does.
    pub(crate) call: EvmCall,
    /// The gas limit that the page names.
    pub(crate) gas: Option<Amount>,
    /// The nonce that the page names.
    pub(crate) nonce: Option<Amount>,
    /// The price that the page names.
    pub(crate) price: Option<PagePrice>,
}

/// The price of gas that a page names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum PagePrice {
    /// `gasPrice`.
    Legacy(Amount),
    /// `maxFeePerGas` and `maxPriorityFeePerGas`.
    Dynamic(Option<Amount>, Option<Amount>),
}

/// The members of an object among the parameters.
pub(crate) struct Members<'a> {
    /// JSON pointer to the object.
    path: String,
    members: &'a Map<String, Value>,
}

impl<'a> Members<'a> {
    /// Of a value that must be an object.
    pub(crate) fn of(path: impl Into<String>, value: &'a Value) -> Result<Self, RpcError> {
        let path = path.into();
        match value {
            Value::Object(members) => Ok(Self { path, members }),
            _ => Err(RpcError::invalid(path, "must be an object")),
        }
    }

    /// The place of a member.
    pub(crate) fn place(&self, name: &str) -> String {
        [&self.path, "/", name].concat()
    }

    /// A member is wrong.
    pub(crate) fn wrong(&self, name: &str, problem: &str) -> RpcError {
        RpcError::invalid(self.place(name), problem)
    }

    /// A member that is there and not `null`.
    pub(crate) fn get(&self, name: &str) -> Option<&'a Value> {
        self.members.get(name).filter(|value| !value.is_null())
    }

    /// A text.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'a str>, RpcError> {
        match self.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(_) => Err(self.wrong(name, "must be a text")),
        }
    }

    /// A number in hex.
    pub(crate) fn quantity(&self, name: &str) -> Result<Option<Amount>, RpcError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        quantity(text).map(Some).ok_or_else(|| self.wrong(name, "must be a number in hex, such as 0x1f"))
    }

    /// An address: 20 bytes in hex.
    pub(crate) fn address(&self, name: &str) -> Result<Option<&'a str>, RpcError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        if is_address(text) {
            return Ok(Some(text));
        }
        Err(self.wrong(name, "must be an address: 0x and 40 hex digits"))
    }

    /// Bytes in hex, without `0x`.
    fn bytes(&self, name: &str) -> Result<Option<String>, RpcError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let digits =
            text.strip_prefix("0x").filter(|digits| digits.len().is_multiple_of(2) && is_hex(digits));
        let digits =
            digits.ok_or_else(|| self.wrong(name, "must be bytes in hex: 0x and two digits each"))?;
        if digits.len() > MAX_DATA {
            return Err(self.wrong(name, "is longer than 128 KiB"));
        }
        Ok(Some(digits.to_ascii_lowercase()))
    }
}

fn is_hex(digits: &str) -> bool {
    digits.bytes().all(|digit| digit.is_ascii_hexdigit())
}

/// Whether a text has the shape of an address.
pub(crate) fn is_address(text: &str) -> bool {
    text.strip_prefix("0x").is_some_and(|digits| digits.len() == 40 && is_hex(digits))
}

/// A number in hex. Clients write leading zeros, and `0x` for nothing.
pub(crate) fn quantity(text: &str) -> Option<Amount> {
    let digits = text.strip_prefix("0x").filter(|digits| is_hex(digits))?;
    match digits.trim_start_matches('0') {
        "" => Some(Amount::ZERO),
        digits if digits.len() <= 64 => Amount::from_str_radix(digits, 16).ok(),
        _ => None,
    }
}

/// The one object of the parameters.
pub(crate) fn only(params: &Value) -> Result<Members<'_>, RpcError> {
    let problem = "must be an array with one object";
    match params.as_array().map(Vec::as_slice) {
        Some([one]) => Members::of("/0", one),
        // Some clients add the block, or a `null`.
        Some([one, rest @ ..]) if rest.iter().all(|value| value.is_null() || value.is_string()) => {
            Members::of("/0", one)
        }
        _ => Err(RpcError::invalid("", problem)),
    }
}

/// Reads the parameters of `eth_sendTransaction`.
pub(super) fn transaction(params: &Value) -> Result<PageTransaction, RpcError> {
    let fields = only(params)?;
    refuse_powers(&fields)?;
    let from = fields.address("from")?.ok_or_else(|| fields.wrong("from", "is missing"))?.to_owned();
    let gas = match (fields.quantity("gas")?, fields.quantity("gasLimit")?) {
        (Some(gas), Some(limit)) if gas != limit => {
            return Err(fields.wrong("gasLimit", "is another number than gas"));
        }
        (gas, limit) => gas.or(limit),
    };
    let wanted = Wanted {
        call: EvmCall { access_list: access_list(&fields)?, ..call(&fields)? },
        gas,
        nonce: fields.quantity("nonce")?,
        price: price(&fields)?,
    };
    fits_type(&fields, &wanted)?;
    Ok(PageTransaction { from, wanted, chain_id: fields.quantity("chainId")? })
}

/// Reads what a transaction does.
pub(crate) fn call(fields: &Members<'_>) -> Result<EvmCall, RpcError> {
    let to = fields.address("to")?.map(str::to_owned);
    let data = match (fields.bytes("data")?, fields.bytes("input")?) {
        (Some(data), Some(input)) if data != input => {
            return Err(fields.wrong("input", "is not the same as data"));
        }
        (data, input) => data.or(input).unwrap_or_default(),
    };
    if to.is_none() && data.is_empty() {
        return Err(fields.wrong("to", "is missing, and there is no code of a contract in data"));
    }
    let value = fields.quantity("value")?.unwrap_or_default().to_string();
    Ok(EvmCall { to, value, data, access_list: Vec::new() })
}

/// Refuses what gives power over the account that no transaction of ours explains.
fn refuse_powers(fields: &Members<'_>) -> Result<(), RpcError> {
    if fields.get("authorizationList").is_some() {
        return Err(
            fields.wrong("authorizationList", "is refused: the wallet signs no EIP-7702 authorisation")
        );
    }
    for name in ["blobs", "blobVersionedHashes", "maxFeePerBlobGas", "sidecars", "kzg"] {
        if fields.get(name).is_some() {
            return Err(fields.wrong(name, "is refused: the wallet sends no blobs (EIP-4844)"));
        }
    }
    let Some(kind) = fields.quantity("type")? else { return Ok(()) };
    match u8::try_from(kind) {
        Ok(0..=2) => Ok(()),
        Ok(3) => Err(fields.wrong("type", "is refused: the wallet sends no blobs (EIP-4844)")),
        Ok(4) => Err(fields.wrong("type", "is refused: the wallet signs no EIP-7702 authorisation")),
        _ => Err(fields.wrong("type", "must be 0x0, 0x1 or 0x2")),
    }
}

/// A page that names a type and fields of another means one of them, and it is not known which.
fn fits_type(fields: &Members<'_>, wanted: &Wanted) -> Result<(), RpcError> {
    let kind = fields.quantity("type")?.and_then(|kind| u8::try_from(kind).ok());
    let problem = match (kind, &wanted.price) {
        (Some(0 | 1), Some(PagePrice::Dynamic(..))) => {
            "is a type without maxFeePerGas and maxPriorityFeePerGas"
        }
        (Some(2), Some(PagePrice::Legacy(_))) => "is a type without gasPrice",
        (Some(0), _) if !wanted.call.access_list.is_empty() => "is a type without an access list",
        _ => return Ok(()),
    };
    Err(fields.wrong("type", problem))
}

fn price(fields: &Members<'_>) -> Result<Option<PagePrice>, RpcError> {
    let legacy = fields.quantity("gasPrice")?;
    let dynamic = (fields.quantity("maxFeePerGas")?, fields.quantity("maxPriorityFeePerGas")?);
    match (legacy, dynamic) {
        (Some(_), (Some(_), _) | (_, Some(_))) => {
            Err(fields.wrong("gasPrice", "cannot stand beside maxFeePerGas or maxPriorityFeePerGas"))
        }
        (Some(price), _) => Ok(Some(PagePrice::Legacy(price))),
        (None, (None, None)) => Ok(None),
        (None, (Some(most), Some(tip))) if tip > most => {
            Err(fields.wrong("maxPriorityFeePerGas", "is higher than maxFeePerGas"))
        }
        (None, (most, tip)) => Ok(Some(PagePrice::Dynamic(most, tip))),
    }
}

fn access_list(fields: &Members<'_>) -> Result<Vec<EvmAccess>, RpcError> {
    let entries = match fields.get("accessList") {
        None => return Ok(Vec::new()),
        Some(Value::Array(entries)) if entries.len() <= MAX_ACCESS => entries,
        Some(_) => return Err(fields.wrong("accessList", "must be an array of at most 1000 entries")),
    };
    let entry = |(index, entry): (usize, &Value)| {
        let entry = Members::of(format!("{}/{index}", fields.place("accessList")), entry)?;
        let address = entry.address("address")?.ok_or_else(|| entry.wrong("address", "is missing"))?;
        let keys = match entry.get("storageKeys") {
            None => &[][..],
            Some(Value::Array(keys)) if keys.len() <= MAX_ACCESS => keys,
            Some(_) => return Err(entry.wrong("storageKeys", "must be an array of at most 1000 keys")),
        };
        let key = |key: &Value| {
            let digits = key.as_str().and_then(|text| text.strip_prefix("0x"));
            digits.filter(|digits| digits.len() == 64 && is_hex(digits)).map(str::to_owned)
        };
        let storage_keys = keys.iter().map(key).collect::<Option<Vec<_>>>();
        let storage_keys =
            storage_keys.ok_or_else(|| entry.wrong("storageKeys", "must be words: 0x and 64 hex digits"))?;
        Ok(EvmAccess { address: address.to_owned(), storage_keys })
    };
    entries.iter().enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use serde_json::json;

    const FROM: &str = "0x9858effd232b4033e47d90003d41ec34ecaeda94";

    fn read(fields: Value) -> Result<PageTransaction, RpcError> {
        let mut transaction = json!({ "from": FROM, "to": FROM });
        for (name, value) in fields.as_object().unwrap() {
            transaction[name] = value.clone();
        }
        super::transaction(&json!([transaction]))
    }

    fn path(error: &RpcError) -> String {
        error.to_value()["data"]["path"].as_str().unwrap_or_default().to_owned()
    }

    #[test]
    fn numbers_as_clients_write_them() {
        let wanted =
            read(json!({ "value": "0x00", "gas": "0x05208", "nonce": "0x", "chainId": "0x01" })).unwrap();
        assert_eq!(wanted.wanted.gas, Some(Amount::from(21_000)));
        assert_eq!((wanted.wanted.nonce, wanted.chain_id), (Some(Amount::ZERO), Some(Amount::from(1))));
        assert_eq!(read(json!({ "gasLimit": "0x5208" })).unwrap().wanted.gas, Some(Amount::from(21_000)));
        for bad in [
            json!(1),
            json!("1"),
            json!("0xzz"),
            json!("-0x1"),
            json!(true),
            json!(format!("0x{}", "f".repeat(65))),
        ] {
            let error = read(json!({ "value": bad })).unwrap_err();
            assert_eq!((error.code(), path(&error).as_str()), (-32_602, "/0/value"));
        }
    }

    #[test]
    fn data_and_input_are_one() {
        assert_eq!(read(json!({ "data": "0xAB" })).unwrap().wanted.call.data, "ab");
        assert_eq!(read(json!({ "input": "0xab" })).unwrap().wanted.call.data, "ab");
        assert_eq!(read(json!({ "data": "0xab", "input": "0xAB" })).unwrap().wanted.call.data, "ab");
        assert_eq!(path(&read(json!({ "data": "0xab", "input": "0xac" })).unwrap_err()), "/0/input");
        for bad in ["0xa", "ab", "0xzz", &format!("0x{}", "0".repeat(MAX_DATA + 2))] {
            assert_eq!(path(&read(json!({ "data": bad })).unwrap_err()), "/0/data");
        }
    }

    #[test]
    fn without_receiver_a_contract_is_created() {
        assert_eq!(read(json!({ "to": null, "data": "0x6001" })).unwrap().wanted.call.to, None);
        assert_eq!(path(&read(json!({ "to": null })).unwrap_err()), "/0/to");
        assert_eq!(path(&read(json!({ "to": "0x" })).unwrap_err()), "/0/to");
        assert_eq!(path(&read(json!({ "to": "vitalik.eth" })).unwrap_err()), "/0/to");
    }

    #[test]
    fn authorisations_and_blobs_are_refused() {
        for (name, value) in [
            ("authorizationList", json!([])),
            ("type", json!("0x4")),
            ("type", json!("0x3")),
            ("type", json!("0x7f")),
            ("blobs", json!(["0x"])),
            ("blobVersionedHashes", json!([])),
            ("maxFeePerBlobGas", json!("0x1")),
        ] {
            let error = read(json!({ name: value })).unwrap_err();
            assert_eq!((error.code(), path(&error)), (-32_602, format!("/0/{name}")), "{error}");
        }
        assert!(read(json!({ "type": "0x2", "accessList": [] })).is_ok());
    }

    #[test]
    fn prices() {
        assert_eq!(
            path(&read(json!({ "gasPrice": "0x1", "maxFeePerGas": "0x1" })).unwrap_err()),
            "/0/gasPrice"
        );
        let tip = json!({ "maxFeePerGas": "0x1", "maxPriorityFeePerGas": "0x2" });
        assert_eq!(path(&read(tip).unwrap_err()), "/0/maxPriorityFeePerGas");
        let one = Amount::from(1);
        assert_eq!(read(json!({ "gasPrice": "0x1" })).unwrap().wanted.price, Some(PagePrice::Legacy(one)));
        let most = read(json!({ "maxFeePerGas": "0x1" })).unwrap().wanted.price;
        assert_eq!(most, Some(PagePrice::Dynamic(Some(one), None)));
    }

    #[test]
    fn a_type_fits_its_fields() {
        let key = format!("0x{}", "07".repeat(32));
        let list = json!([{ "address": FROM, "storageKeys": [key] }]);
        for bad in [
            json!({ "type": "0x0", "maxFeePerGas": "0x1" }),
            json!({ "type": "0x1", "maxPriorityFeePerGas": "0x1" }),
            json!({ "type": "0x2", "gasPrice": "0x1" }),
            json!({ "type": "0x0", "accessList": list }),
        ] {
            let error = read(bad.clone()).unwrap_err();
            assert_eq!((error.code(), path(&error).as_str()), (-32_602, "/0/type"), "{bad}");
        }
        for good in [
            json!({ "type": "0x0", "gasPrice": "0x1", "accessList": [] }),
            json!({ "type": "0x1", "gasPrice": "0x1", "accessList": list }),
            json!({ "type": "0x2", "maxFeePerGas": "0x1" }),
            json!({ "accessList": list, "gasPrice": "0x1" }),
        ] {
            assert!(read(good.clone()).is_ok(), "{good}");
        }
    }

    #[test]
    fn parameters_are_one_object() {
        for bad in [json!(null), json!([]), json!({}), json!([{}, {}]), json!(["0x"]), json!([[]])] {
            assert_eq!(super::transaction(&bad).unwrap_err().code(), -32_602, "{bad}");
        }
        assert_eq!(path(&super::transaction(&json!([{ "to": FROM }])).unwrap_err()), "/0/from");
    }

    #[test]
    fn access_lists() {
        let key = format!("0x{}", "07".repeat(32));
        let list = json!([{ "address": FROM, "storageKeys": [key] }]);
        assert_eq!(read(json!({ "accessList": list })).unwrap().wanted.call.access_list.len(), 1);
        let list = json!([{ "address": FROM, "storageKeys": ["0x07"] }]);
        assert_eq!(path(&read(json!({ "accessList": list })).unwrap_err()), "/0/accessList/0/storageKeys");
    }

    fn any_value() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            "0x[0-9a-fA-F]{0,70}".prop_map(Value::from),
            ".{0,20}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::btree_map(
                    "(from|to|data|value|type|accessList|address|storageKeys|gas|.{0,4})",
                    inner,
                    0..6
                )
                .prop_map(|map| Value::Object(map.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn any_parameters_are_read_or_refused(params in any_value()) {
            if let Err(error) = super::transaction(&params) {
                prop_assert_eq!(error.code(), -32_602);
            }
        }
    }
}
