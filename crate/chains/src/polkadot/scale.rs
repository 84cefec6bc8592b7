//! SCALE's compact integers. The two low bits of the first byte tell the length: one, two or four bytes with the number
//! in the other bits, or, for numbers of 2³⁰ and more, a count of bytes and that many bytes. All is little-endian, and
//! the shortest form is the only one.

use crate::TransactionError;
use crate::reader::Reader;

/// Writes a compact integer.
pub(super) fn compact(number: u128) -> Vec<u8> {
    let bytes = number.to_le_bytes();
    let shifted = (number << 2).to_le_bytes();
    let head = |count, mode: u8| -> Vec<u8> {
        let mut head: Vec<u8> = shifted.iter().copied().take(count).collect();
        head.iter_mut().take(1).for_each(|first| *first |= mode);
        head
    };
    match number {
        0..0x40 => head(1, 0),
        0x40..0x4000 => head(2, 1),
        0x4000..0x4000_0000 => head(4, 2),
        _ => {
            let used = bytes.len() - bytes.iter().rev().take_while(|byte| **byte == 0).count();
            let count = u8::try_from(used).unwrap_or(16).saturating_sub(4) << 2 | 3;
            std::iter::once(count).chain(bytes.into_iter().take(used)).collect()
        }
    }
}

/// Reads a compact integer of at most 128 bits in its shortest form.
pub(super) fn read_compact(reader: &mut Reader<'_>) -> Result<u128, TransactionError> {
    let start = reader.rest();
    let first = reader.byte()?;
    let number = match first & 3 {
        3 => {
            let count = usize::from(first >> 2) + 4;
            let mut bytes = [0; 16];
            let room =
                bytes.get_mut(..count).ok_or_else(|| reader.malformed("has a number over 128 bits"))?;
            room.copy_from_slice(reader.take(count)?);
            u128::from_le_bytes(bytes)
        }
        mode => {
            let [second, third, fourth] = match mode {
                0 => [0; 3],
                1 => [reader.byte()?, 0, 0],
                _ => reader.array()?,
            };
            u128::from(u32::from_le_bytes([first, second, third, fourth]) >> 2)
        }
    };
    let read = start.len() - reader.left();
    if start.get(..read) == Some(compact(number).as_slice()) {
        Ok(number)
    } else {
        Err(reader.malformed("has a number that is not in its shortest form"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn read(bytes: &[u8]) -> Result<u128, TransactionError> {
        let mut reader = Reader::new("bytes", bytes);
        let number = read_compact(&mut reader)?;
        reader.finish().map(|()| number)
    }

    /// The examples of the SCALE documentation, and every border between two lengths.
    #[test]
    fn numbers_have_one_form() {
        let cases: &[(u128, &[u8])] = &[
            (0, &[0]),
            (1, &[4]),
            (42, &[0xa8]),
            (63, &[0xfc]),
            (64, &[1, 1]),
            (69, &[0x15, 1]),
            (16_383, &[0xfd, 0xff]),
            (16_384, &[2, 0, 1, 0]),
            (65_535, &[0xfe, 0xff, 3, 0]),
            (1_073_741_823, &[0xfe, 0xff, 0xff, 0xff]),
            (1_073_741_824, &[3, 0, 0, 0, 0x40]),
            (100_000_000_000_000, &[0x0b, 0, 0x40, 0x7a, 0x10, 0xf3, 0x5a]),
            (u128::from(u64::MAX), &[0x13, 255, 255, 255, 255, 255, 255, 255, 255]),
        ];
        for (number, bytes) in cases {
            assert_eq!(compact(*number), *bytes);
            assert_eq!(read(bytes), Ok(*number));
        }
        let most = compact(u128::MAX);
        assert_eq!((most.len(), most[0], read(&most)), (17, 0x33, Ok(u128::MAX)));
    }

    #[test]
    fn longer_forms_are_refused() {
        for bytes in
            [&[1, 0][..], &[2, 0, 0, 0], &[3, 1, 0, 0, 0], &[7, 1, 1, 1, 0x40, 0], &[0x37; 18], &[], &[1]]
        {
            assert!(read(bytes).is_err(), "{bytes:?}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_read_back(number: u128, shift in 0..128_u32) {
            let number = number >> shift;
            prop_assert_eq!(read(&compact(number)), Ok(number));
        }

        #[test]
        fn bytes_are_refused_or_written_again(bytes in prop::collection::vec(any::<u8>(), 0..20)) {
            if let Ok(number) = read(&bytes) {
                prop_assert_eq!(compact(number), bytes);
            }
        }
    }
}
