use super::*;
use proptest::prelude::*;

const NESTED: &str = "f(bytes[][] calls,(string text,(uint256 number,bytes data)[] pairs) more)";

fn words(words: &[u64]) -> Vec<u8> {
    words.iter().flat_map(|word| Amount::from(*word).to_be_bytes::<32>()).collect()
}

fn decode<'a>(signature: &'static str, data: &'a [u8]) -> Option<Arguments<'a>> {
    Signature::parse(signature).unwrap().decode(data)
}

#[test]
fn signatures_are_read_strictly() {
    let canonical = |text| Signature::parse(text).map(|signature| signature.canonical());
    assert_eq!(canonical(NESTED).as_deref(), Some("f(bytes[][],(string,(uint256,bytes)[]))"));
    assert_eq!(canonical("g()").as_deref(), Some("g()"));
    for text in ["", "f", "f(", "f(uint256)", "f(uint256 a", "f(uint256 a))", "f(word a)", "f(uint256 a,)"] {
        assert_eq!(canonical(text), None, "{text}");
    }
}

#[test]
fn values_that_do_not_fit_their_types_are_refused() {
    let full = [0xff; 32];
    for signature in ["f(address a)", "f(uint160 a)", "f(bool a)", "f(bytes31 a)", "f(uint8 a)"] {
        assert_eq!(decode(signature, &full), None, "{signature}");
    }
    assert!(decode("f(uint256 a)", &full).is_some());
    assert!(decode("f(bytes32 a)", &full).is_some());
    assert_eq!(decode("f(uint256 a)", &full[1..]), None);
    let mut text = words(&[32, 1]);
    text.push(0xff);
    assert_eq!(decode("f(string a)", &text), None, "not UTF-8");
    assert!(decode("f(bytes a)", &text).is_some());
}

#[test]
fn numbers_below_zero_and_lists_of_a_fixed_length() {
    let full = [0xff; 32];
    assert_eq!(decode("f(int64 a)", &full).unwrap().first("a"), Some(&Value::Negative(Amount::ONE)));
    let read =
        |word: Amount, kind| decode(kind, &word.to_be_bytes::<32>()).map(|arguments| arguments.shown());
    let shown = |text: &str| Some(vec![("a".to_owned(), text.to_owned())]);
    assert_eq!(read(Amount::from(127), "f(int8 a)"), shown("127"));
    assert_eq!(read(Amount::from(128), "f(int8 a)"), None);
    assert_eq!(read(Amount::from(128).wrapping_neg(), "f(int8 a)"), shown("-128"));
    assert_eq!(read(Amount::from(129).wrapping_neg(), "f(int8 a)"), None);
    let least = Amount::ONE << 255;
    assert_eq!(read(least, "f(int256 a)"), shown(&format!("-{least}")));
    let data = words(&[1, 2, 3, 4, 5]);
    let arguments = decode("f(uint256[2][2] a,uint8 b)", &data).unwrap();
    assert_eq!(
        arguments.shown(),
        [("a".to_owned(), "[[1, 2], [3, 4]]".to_owned()), ("b".to_owned(), "5".to_owned())]
    );
    assert_eq!(decode("f(uint256[2][2] a,uint8 b)", &data[1..]), None);
    let canonical = Signature::parse("f(uint256[2][] a,int24 b,@send c)").unwrap().canonical();
    assert_eq!(canonical, "f(uint256[2][],int24,(uint32,bytes32,uint256,uint256,bytes,bytes,bytes))");
    assert!(Signature::parse("f(@nothing a)").is_none());
}

#[test]
fn names_are_found_however_deep_from_both_ends() {
    let data = words(&[32, 2, 1, 2, 3, 4]);
    let arguments = decode("f((uint256 a,uint256 b)[] pairs)", &data).unwrap();
    assert_eq!(arguments.number("a"), Some(Amount::from(1)));
    assert_eq!(arguments.last("b"), Some(&Value::Number(Amount::from(4))));
    assert_eq!(arguments.first("c"), None);
    assert_eq!(arguments.shown(), [("pairs".to_owned(), "[(a: 1, b: 2), (a: 3, b: 4)]".to_owned())]);
}

/// Lists of lists whose offsets all lead to the same place would grow with every level.
#[test]
fn the_same_bytes_are_not_read_again_and_again() {
    let mut data = words(&[32, 100]);
    (0..100).for_each(|_| data.extend(words(&[3_200])));
    data.extend(words(&[100]));
    (0..100).for_each(|_| data.extend(words(&[3_200])));
    data.extend(words(&[0]));
    assert_eq!(decode("f(bytes[][] calls)", &data), None);
}

/// How many values there are, and how many bytes they hold.
fn size(value: &Value<'_>) -> usize {
    match value {
        Value::Bytes(bytes) => 32 + bytes.len(),
        Value::Text(text) => 32 + text.len(),
        Value::List(list) => 32 + list.iter().map(size).sum::<usize>(),
        Value::Tuple(Arguments(arguments)) => arguments.iter().map(|(_, value)| size(value)).sum(),
        Value::Address(_) | Value::Number(_) | Value::Negative(_) | Value::Bool(_) => 32,
    }
}

proptest! {
    /// Small numbers are offsets and lengths that lead somewhere.
    #[test]
    fn what_is_decoded_is_never_more_than_what_was_sent(
        numbers in prop::collection::vec(prop_oneof![(0_u64..16).prop_map(|n| n * 32), 0_u64..8, any::<u64>()], 0..40),
        tail in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let mut data = words(&numbers);
        data.extend(tail);
        if let Some(Arguments(arguments)) = decode(NESTED, &data) {
            let total: usize = arguments.iter().map(|(_, value)| size(value)).sum();
            prop_assert!(total <= data.len(), "{total} of {}", data.len());
        }
    }
}
