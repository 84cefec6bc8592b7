//! Unsigned EIP-1559 transactions, as they are proposed, with the RLP encoding they need.

use crate::Error;

const GWEI: u128 = 1_000_000_000;

/// An unsigned transaction. It pays at most 20 gwei for gas, one of them as priority fee.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unsigned<'a> {
    /// The chain id.
    pub chain_id: u64,
    /// The sender's nonce.
    pub nonce: u64,
    /// The gas limit.
    pub gas: u64,
    /// The recipient or the called contract; `None` creates a contract.
    pub to: Option<&'a str>,
    /// The value in wei.
    pub value: u128,
    /// The call data in hex.
    pub data: &'a str,
}

impl Unsigned<'_> {
    /// The bytes to sign, in hex.
    pub fn hex(&self) -> Result<String, Error> {
        let fields = [
            number(self.chain_id.into()),
            number(self.nonce.into()),
            number(GWEI),
            number(20 * GWEI),
            number(self.gas.into()),
            item(&bytes(self.to.unwrap_or_default())?),
            number(self.value),
            item(&bytes(self.data)?),
            head(0xc0, 0),
        ]
        .concat();
        let list = [head(0xc0, fields.len()), fields].concat();
        Ok(format!("0x02{}", list.iter().map(|byte| format!("{byte:02x}")).collect::<String>()))
    }
}

fn bytes(hex: &str) -> Result<Vec<u8>, Error> {
    let digits = hex.strip_prefix("0x").unwrap_or(hex).as_bytes();
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = digits.chunks(2).map(|pair| byte(pair).filter(|_| pair.len() == 2)).collect::<Option<_>>();
    bytes.ok_or_else(|| Error::shape("hex", hex))
}

/// Without leading zeros; zero is empty.
fn number(number: u128) -> Vec<u8> {
    item(&number.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect::<Vec<_>>())
}

fn item(bytes: &[u8]) -> Vec<u8> {
    match bytes {
        [one @ 0..0x80] => vec![*one],
        _ => [head(0x80, bytes.len()), bytes.to_vec()].concat(),
    }
}

/// The RLP header: lengths up to 55 are in the first byte, longer ones follow it.
fn head(kind: u8, length: usize) -> Vec<u8> {
    let digits: Vec<u8> = length.to_be_bytes().into_iter().skip_while(|byte| *byte == 0).collect();
    match u8::try_from(length) {
        Ok(short @ 0..56) => vec![kind + short],
        _ => [vec![kind + 55 + u8::try_from(digits.len()).unwrap_or(8)], digits].concat(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first one has the hash that `@ethereumjs/tx` computes for the same fields: 9274c3c1…
    #[test]
    fn payment_and_long_call() {
        let to = Some("0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed");
        let payment = Unsigned { chain_id: 1, nonce: 7, gas: 21_000, to, value: 1_000_000, data: "" };
        let expected =
            "0x02eb0107843b9aca008504a817c800825208945aaeb6053f3e94c9b9a09f33669435e7ef1beaed830f424080c0";
        assert_eq!(payment.hex().unwrap(), expected);
        let long = Unsigned { data: &"ab".repeat(300), ..payment };
        assert!(long.hex().unwrap().starts_with("0x02f901590107843b9aca008504a817c800825208945aae"));
    }

    #[test]
    fn odd_hex_is_refused() {
        let odd = Unsigned { chain_id: 1, nonce: 0, gas: 0, to: None, value: 0, data: "0xabc" };
        assert_eq!(odd.hex().unwrap_err().code(), "shape");
    }
}
