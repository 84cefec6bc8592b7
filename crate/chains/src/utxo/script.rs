//! The few scripts that matter: what an output demands, and what an input shows for it.
//!
//! ```text
//! pay to a key         76 a9 14 ‖ hash 20 ‖ 88 ac          shown: signature, key
//! pay to a script      a9 14 ‖ hash 20 ‖ 87                shown: …, script
//! the same, 32 bytes   aa 20 ‖ hash 32 ‖ 87                (Bitcoin Cash)
//! witness program      00 or 51… ‖ length ‖ program        BIP-141, BIP-341
//! text                 6a ‖ push                           never spent
//! ```

use crate::UtxoPrefixes;
use crate::address::payee::Payee;
use crate::hash::hash160;

const OP_RETURN: u8 = 0x6a;
const OP_PUSHDATA1: u8 = 0x4c;
const OP_PUSHDATA2: u8 = 0x4d;
const OP_1: u8 = 0x51;
const OP_16: u8 = 0x60;

/// Nodes relay no longer text.
pub(super) const MAX_TEXT: usize = 80;

/// Pays to a key by its hash.
pub(super) fn pay_to_key(hash: &[u8; 20]) -> Vec<u8> {
    [&[0x76, 0xa9, 20], hash.as_slice(), &[0x88, 0xac]].concat()
}

/// Pays to a key by its hash, behind a witness program.
pub(super) fn pay_to_witness_key(hash: &[u8; 20]) -> Vec<u8> {
    [&[0, 20], hash.as_slice()].concat()
}

/// Pays to a key behind a witness program behind a script hash.
pub(super) fn pay_to_nested_key(hash: &[u8; 20]) -> Vec<u8> {
    pay_to(&Payee::Script(hash160(&pay_to_witness_key(hash)).to_vec()))
}

/// The script that pays to what an address stands for.
pub(super) fn pay_to(payee: &Payee) -> Vec<u8> {
    match payee {
        Payee::Key(hash) => pay_to_key(hash),
        Payee::Script(hash) if hash.len() == 32 => [&[0xaa, 32], hash.as_slice(), &[0x87]].concat(),
        Payee::Script(hash) => [&[0xa9, 20], hash.as_slice(), &[0x87]].concat(),
        Payee::Witness { version, program } => {
            let version = if *version == 0 { 0 } else { OP_1 - 1 + version };
            let mut script = vec![version];
            push(&mut script, program);
            script
        }
    }
}

/// What a script pays to, where that has an address anywhere.
pub(super) fn payee(script: &[u8]) -> Option<Payee> {
    Some(match script {
        [0x76, 0xa9, 20, hash @ .., 0x88, 0xac] => Payee::Key(hash.try_into().ok()?),
        [0xa9, 20, hash @ .., 0x87] if hash.len() == 20 => Payee::Script(hash.to_vec()),
        [0xaa, 32, hash @ .., 0x87] if hash.len() == 32 => Payee::Script(hash.to_vec()),
        [version @ (0 | OP_1..=OP_16), length, program @ ..]
            if (2..=40).contains(&program.len()) && usize::from(*length) == program.len() =>
        {
            let version = if *version == 0 { 0 } else { version - OP_1 + 1 };
            Payee::Witness { version, program: program.to_vec() }
        }
        _ => return None,
    })
}

/// The address of a script on the chain with these prefixes.
pub(super) fn address(prefixes: &UtxoPrefixes, script: &[u8]) -> Option<String> {
    payee(script)?.spell(prefixes)
}

/// An unspendable output with a text; at most [`MAX_TEXT`] bytes.
pub(super) fn text(bytes: &[u8]) -> Vec<u8> {
    let mut script = vec![OP_RETURN];
    push(&mut script, bytes);
    script
}

/// What follows the mark of an unspendable output, if it is one.
pub(super) fn unspendable(script: &[u8]) -> Option<&[u8]> {
    script.split_first().filter(|(first, _)| **first == OP_RETURN).map(|(_, rest)| rest)
}

/// What an unspendable output carries, if that is one push or nothing. Several pushes, or numbers among them, are the
/// words of protocols that move tokens by them (Runes, SLP).
pub(super) fn read_text(script: &[u8]) -> Option<&[u8]> {
    match unspendable(script)? {
        [] => Some(&[]),
        [length @ 1..=75, data @ ..] if usize::from(*length) == data.len() => Some(data),
        [OP_PUSHDATA1, length, data @ ..] if usize::from(*length) == data.len() => Some(data),
        [OP_PUSHDATA2, low, high, data @ ..]
            if usize::from(u16::from_le_bytes([*low, *high])) == data.len() =>
        {
            Some(data)
        }
        _ => None,
    }
}

/// Appends data in the shortest of the forms that scripts have for it. Nothing here is longer than 65535 bytes.
pub(super) fn push(script: &mut Vec<u8>, data: &[u8]) {
    match (u8::try_from(data.len()), u16::try_from(data.len())) {
        (Ok(length), _) if length < OP_PUSHDATA1 => script.push(length),
        (Ok(length), _) => script.extend([OP_PUSHDATA1, length]),
        (_, length) => {
            let [low, high] = length.unwrap_or(u16::MAX).to_le_bytes();
            script.extend([OP_PUSHDATA2, low, high]);
        }
    }
    script.extend(data);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pays_to_what_it_reads() {
        let payees = [
            Payee::Key([1; 20]),
            Payee::Script(vec![2; 20]),
            Payee::Script(vec![3; 32]),
            Payee::Witness { version: 0, program: vec![4; 20] },
            Payee::Witness { version: 0, program: vec![5; 32] },
            Payee::Witness { version: 1, program: vec![6; 32] },
            Payee::Witness { version: 16, program: vec![7; 2] },
        ];
        for expected in payees {
            assert_eq!(payee(&pay_to(&expected)), Some(expected));
        }
    }

    #[test]
    fn other_scripts_have_no_address() {
        let wrong_length = [&[0x76, 0xa9, 20], [0; 19].as_slice(), &[0x88, 0xac]].concat();
        for script in [&[][..], &[0x51], &[0, 20, 1], &[0xac], &wrong_length, &text(b"x")] {
            assert_eq!(payee(script), None, "{script:02x?}");
        }
    }

    /// The push changes its form above 75 and above 255 bytes.
    #[test]
    fn reads_the_text_it_writes() {
        for length in [1, 75, 76, 80, 255, 256] {
            let data = vec![b'm'; length];
            assert_eq!(read_text(&text(&data)), Some(data.as_slice()), "{length}");
        }
        assert_eq!(read_text(&[OP_RETURN]), Some(&[][..]));
        assert_eq!(read_text(&[OP_RETURN, 1, 7, 1, 8]), None, "two pushes are no text");
        assert_eq!(unspendable(&[OP_RETURN, 1, 7, 1, 8]), Some(&[1, 7, 1, 8][..]));
        assert_eq!(read_text(&pay_to_key(&[0; 20])), None);
    }
}
