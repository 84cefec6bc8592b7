//! SCALE's compact integers, by its library. The shortest form is the only one: a longer one is refused.

use crate::TransactionError;
use crate::reader::Reader;
use parity_scale_codec::{Compact, Decode as _};

/// Reads a compact integer of at most 128 bits in its shortest form.
pub(super) fn read_compact(reader: &mut Reader<'_>) -> Result<u128, TransactionError> {
    let mut rest = reader.rest();
    let Ok(Compact(number)) = Compact::<u128>::decode(&mut rest) else {
        return Err(
            reader.malformed("has a number that is cut off, over 128 bits, or not in its shortest form")
        );
    };
    reader.take(reader.left() - rest.len())?;
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parity_scale_codec::Encode as _;
    use proptest::prelude::*;

    fn compact(number: u128) -> Vec<u8> {
        Compact(number).encode()
    }

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
