//! Calldata that was tampered with means what its arguments mean, or is not weighed.

use super::super::Fields;
use super::super::abi::{Kind, Parameter, Value, word};
use super::*;
use crate::encoding::from_hex;
use crate::signing::PublicKey;
use proptest::prelude::*;
use std::sync::LazyLock;

/// An account, and the calls of it that another library encoded.
static VECTORS: LazyLock<(Account, Vec<(String, Fields)>)> = LazyLock::new(vectors);

fn vectors() -> (Account, Vec<(String, Fields)>) {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/vectors/evm/calls.json");
    let vectors: serde_json::Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect(path)).expect("JSON");
    let key = PublicKey::Secp256k1([2; 33]);
    let address = vectors["from"].as_str().expect("an address").to_owned();
    let calls = vectors["calls"].as_array().expect("calls").iter();
    let fields = |case: &serde_json::Value| {
        let bytes = from_hex("hex", case["unsigned_tx_hex"].as_str()?).ok()?;
        let fields = Fields::decode(&bytes, None)
            .ok()
            .filter(|fields| fields.to.is_some() && fields.data.len() > 4)?;
        Some((case["name"].to_string(), fields))
    };
    (Account { chain: Chain::Ethereum, key, address }, calls.filter_map(fields).collect())
}

/// Arguments with everything in its usual place.
fn encode(parameters: &[Parameter], Arguments(arguments): &Arguments<'_>) -> Vec<u8> {
    let members: Vec<(&Kind, &Value<'_>)> =
        parameters.iter().zip(arguments).map(|(parameter, (_, value))| (&parameter.kind, value)).collect();
    sequence(&members)
}

fn sequence(members: &[(&Kind, &Value<'_>)]) -> Vec<u8> {
    let encoded: Vec<(bool, Vec<u8>)> =
        members.iter().map(|(kind, value)| (kind.size().is_none(), encode_value(kind, value))).collect();
    let head: usize = encoded.iter().map(|(dynamic, bytes)| if *dynamic { 32 } else { bytes.len() }).sum();
    let (mut heads, mut tails) = (Vec::new(), Vec::new());
    for (dynamic, bytes) in encoded {
        if dynamic {
            heads.extend(number(head + tails.len()));
            tails.extend(bytes);
        } else {
            heads.extend(bytes);
        }
    }
    [heads, tails].concat()
}

fn number(number: usize) -> [u8; 32] {
    Amount::from(number).to_be_bytes()
}

fn encode_value(kind: &Kind, value: &Value<'_>) -> Vec<u8> {
    let padded = |bytes: &[u8]| {
        let mut padded = bytes.to_vec();
        padded.resize(bytes.len().next_multiple_of(32), 0);
        padded
    };
    match (kind, value) {
        (_, Value::Address(address)) => word(address).to_vec(),
        (_, Value::Number(number)) => number.to_be_bytes::<32>().to_vec(),
        (_, Value::Negative(number)) => number.wrapping_neg().to_be_bytes::<32>().to_vec(),
        (_, Value::Bool(truth)) => number(usize::from(*truth)).to_vec(),
        (Kind::FixedBytes(_), Value::Bytes(bytes)) => padded(bytes),
        (_, Value::Bytes(bytes)) => [number(bytes.len()).to_vec(), padded(bytes)].concat(),
        (_, Value::Text(text)) => [number(text.len()).to_vec(), padded(text.as_bytes())].concat(),
        (Kind::List(of), Value::List(list)) => {
            let members: Vec<_> = list.iter().map(|value| (&**of, value)).collect();
            [number(list.len()).to_vec(), sequence(&members)].concat()
        }
        (Kind::Array(of, _), Value::List(list)) => {
            sequence(&list.iter().map(|value| (&**of, value)).collect::<Vec<_>>())
        }
        (Kind::Tuple(parameters), Value::Tuple(arguments)) => encode(parameters, arguments),
        _ => panic!("{value:?} is no {kind:?}"),
    }
}

/// The same call with its arguments written again.
fn written_again(call: &Call<'_>, data: &[u8]) -> Option<Vec<u8>> {
    let (selector, input) = data.split_first_chunk::<4>()?;
    let (_, text) = functions::find(call.known.map(|known| known.protocol), *selector)?;
    let signature = Signature::parse(text)?;
    let arguments = signature.decode(input)?;
    Some([selector.as_slice(), &encode(signature.parameters(), &arguments)].concat())
}

/// What was encoded by others is encoded the same here: the encoder of these tests is right.
#[test]
fn arguments_are_written_as_others_write_them() {
    let (account, cases) = &*VECTORS;
    let mut same = 0;
    for (name, fields) in cases {
        let call = Call::new(account, Facts::default(), fields.to.unwrap_or_default(), fields.value);
        if let Some(again) = written_again(&call, &fields.data) {
            let data = fields.data.get(..again.len());
            assert_eq!(data, Some(again.as_slice()), "{name}");
            same += 1;
        }
    }
    assert!(same > 200, "{same}");
}

proptest! {
    /// One byte changed, some cut off, some put behind: what is weighed follows from the arguments alone.
    #[test]
    fn what_is_weighed_follows_from_the_arguments(
        case in prop::sample::select(VECTORS.1.as_slice()), at in any::<prop::sample::Index>(), byte in any::<u8>(), how in 0..4_u8,
    ) {
        let (account, (name, fields)) = (&VECTORS.0, case);
        let mut data = fields.data.clone();
        let at = at.index(data.len());
        match how {
            0 => data.truncate(at),
            1 => data.extend(core::iter::repeat_n(byte, at % 40)),
            2 => data[at] ^= 1 << (byte % 8),
            _ => data[at] = byte,
        }
        let call = Call::new(account, Facts::default(), fields.to.unwrap_or_default(), fields.value);
        let reading = call.read(&data);
        if let Some(reading) = reading.filter(|reading| !reading.effects.iter().any(is_unweighed)) {
            let again = written_again(&call, &data).expect("weighed, so read");
            let second = call.read(&again).expect("written, so read");
            prop_assert_eq!(reading.effects, second.effects, "{}", name);
            prop_assert_eq!(reading.parties, second.parties, "{}", name);
        }
    }
}
