//! Raw transactions, as the cases have them: legacy and EIP-1559.

/// Chain id, recipient, value in decimal digits, data in hex.
pub(crate) fn transaction(raw: &str) -> (u64, String, String, String) {
    let bytes = chains::encoding::from_hex("rawTx", raw).unwrap();
    let (typed, list) = match bytes.first() {
        Some(2) => (true, &bytes[1..]),
        _ => (false, &bytes[..]),
    };
    let (content, _) = item(list);
    let mut items = Vec::new();
    let mut rest = content;
    while !rest.is_empty() {
        let (content, after) = item(rest);
        items.push(content);
        rest = after;
    }
    let (chain, to, value, data) = match typed {
        // chain, nonce, tip, fee, gas, to, value, data, access list
        true => (items[0], items[5], items[6], items[7]),
        // nonce, price, gas, to, value, data [, chain, 0, 0]
        false => (items.get(6).copied().unwrap_or(&[1]), items[3], items[4], items[5]),
    };
    let hex = |bytes: &[u8]| format!("0x{}", chains::encoding::hex(bytes));
    let chain = chain.iter().fold(0_u64, |sum, byte| sum << 8 | u64::from(*byte));
    // One is signed: its v has the chain by EIP-155.
    let signed = !typed && items.get(7).is_some_and(|r| !r.is_empty());
    let chain = if signed { (chain - 35) / 2 } else { chain };
    let value = chains::Amount::try_from_be_slice(value).unwrap();
    (chain, hex(to), value.to_string(), hex(data))
}

/// The content of the first item, and what follows it.
fn item(bytes: &[u8]) -> (&[u8], &[u8]) {
    let first = usize::from(bytes[0]);
    let long = |base: usize| {
        let count = first - base;
        let length = bytes[1..=count].iter().fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        (1 + count, length)
    };
    let (start, length) = match first {
        0..=0x7f => (0, 1),
        0x80..=0xb7 => (1, first - 0x80),
        0xb8..=0xbf => long(0xb7),
        0xc0..=0xf7 => (1, first - 0xc0),
        _ => long(0xf7),
    };
    bytes[start..].split_at(length)
}
