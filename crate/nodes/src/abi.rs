//! The part of Solidity's ABI encoding that these contracts need: static values in the head, dynamic ones in the
//! tail.

/// An argument of a function or constructor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arg<'a> {
    /// An address: `0x` and forty digits.
    Address(&'a str),
    /// A number.
    Uint(u128),
    /// The maximum `uint256`: an unlimited allowance.
    Max,
    /// `bytes` or a `string`.
    Bytes(&'a [u8]),
    /// A list of addresses.
    Addresses(&'a [&'a str]),
    /// A struct.
    Tuple(Vec<Self>),
    /// A list.
    List(Vec<Self>),
}

impl Arg<'_> {
    /// Whether it is encoded in the tail, with its offset in the head.
    fn is_dynamic(&self) -> bool {
        match self {
            Self::Address(_) | Self::Uint(_) | Self::Max => false,
            Self::Bytes(_) | Self::Addresses(_) | Self::List(_) => true,
            Self::Tuple(args) => args.iter().any(Self::is_dynamic),
        }
    }

    fn encoded(&self) -> String {
        match self {
            Self::Address(address) => word(address),
            Self::Uint(number) => format!("{number:064x}"),
            Self::Max => "f".repeat(64),
            Self::Bytes(bytes) => {
                let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                let width = digits.len().next_multiple_of(64);
                format!("{:064x}{digits:0<width$}", bytes.len())
            }
            Self::Addresses(addresses) => {
                let words: String = addresses.iter().map(|address| word(address)).collect();
                format!("{:064x}{words}", addresses.len())
            }
            Self::Tuple(args) => encode(args),
            Self::List(args) => format!("{:064x}{}", args.len(), encode(args)),
        }
    }
}

/// An address or another value of at most 32 bytes in hex, padded on the left.
fn word(hex: &str) -> String {
    format!("{:0>64}", hex.strip_prefix("0x").unwrap_or(hex).to_ascii_lowercase())
}

/// The arguments in hex, without `0x`.
pub fn encode(args: &[Arg<'_>]) -> String {
    let parts: Vec<(bool, String)> = args.iter().map(|arg| (arg.is_dynamic(), arg.encoded())).collect();
    let front: usize = parts.iter().map(|(dynamic, part)| if *dynamic { 32 } else { part.len() / 2 }).sum();
    let (mut head, mut tail) = (String::new(), String::new());
    for (dynamic, part) in &parts {
        if *dynamic {
            head.push_str(&format!("{:064x}", front + tail.len() / 2));
            tail.push_str(part);
        } else {
            head.push_str(part);
        }
    }
    head + &tail
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of Solidity's own documentation: `sam(bytes,bool,uint256[])`, with addresses instead of numbers.
    #[test]
    fn dynamic_arguments_are_in_the_tail() {
        let args = [Arg::Bytes(b"dave"), Arg::Uint(1), Arg::Addresses(&["0x1", "0x2", "0x3"])];
        let expected = [
            "0000000000000000000000000000000000000000000000000000000000000060",
            "0000000000000000000000000000000000000000000000000000000000000001",
            "00000000000000000000000000000000000000000000000000000000000000a0",
            "0000000000000000000000000000000000000000000000000000000000000004",
            "6461766500000000000000000000000000000000000000000000000000000000",
            "0000000000000000000000000000000000000000000000000000000000000003",
            "0000000000000000000000000000000000000000000000000000000000000001",
            "0000000000000000000000000000000000000000000000000000000000000002",
            "0000000000000000000000000000000000000000000000000000000000000003",
        ];
        assert_eq!(encode(&args), expected.concat());
    }

    #[test]
    fn static_struct_is_in_the_head() {
        let args = [Arg::Tuple(vec![Arg::Uint(1), Arg::Uint(2)]), Arg::Max];
        assert_eq!(encode(&args), format!("{:064x}{:064x}{}", 1, 2, "f".repeat(64)));
    }
}
